//! One run, told as `checker run` tells it.

use crate::{Ask, Code, Kernel, MEMORY, Oracle, STEPS, TRACE_STEPS, TRACED_WARPS, instances, lines};
use account::annotate::{self, Texts};
use account::launchable::{self, LaunchQuestion};
use account::{CheckedRun, Orders, orders, reasons, report_run, schedule_name, table, try_first};
use draw::Picture;
use execution::backend::sim::{Modules, Sim};
use execution::backend::{Case, Checked, Program, Reply, Status};
use execution::verify::case::run_case;
use plan::{Buffer, Plan};
use problem::entry::{Entries, check_plan};
use problem::{DeviceShape, KernelFile, LineError, Metric, PlanContext, Sizes, Types};
use report::{
    Heat, RanOn, Report, ShortestOrder, Sources, Stage, StageName, StageStatus, Subject, SubjectKind, TriedOrder,
    Verdict,
};
use serde::Serialize;
use simulator::explore::Effort;
use simulator::outline::{Outline, flushing_kernels};
use simulator::trace::{Grain, TraceRequest};
use simulator::{Checks, Schedule};
use std::path::Path;

/// What a page gets.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum RunAnswer {
    /// What became of the run.
    Told(Box<Shown>),
    /// What is wrong with the question, not with the kernel.
    Error(String),
}

/// A report with what is drawn of it.
#[derive(Debug, Serialize)]
pub struct Shown {
    /// As `checker run --json` has it.
    pub report: Report,
    /// The verdict's badge.
    pub badge: &'static str,
    /// Is it good news?
    pub good: bool,
    /// Counts by line of the kernel file.
    pub heat: Vec<Heat>,
    /// How large the launches are.
    pub shapes: Vec<GridShape>,
    /// The access that was to be drawn.
    pub picture: Option<Picture>,
}

/// How large a launch is: what makes a block's and a warp's number of their indices.
#[derive(Debug, Serialize)]
pub struct GridShape {
    /// Blocks.
    pub grid: [u32; 3],
    /// Threads of a block.
    pub block: [u32; 3],
}

impl Shown {
    fn new(report: Report, plan: Option<&Plan>) -> Self {
        let launches = plan.map_or(&[][..], |plan| &plan.launches);
        let shapes = launches.iter().map(|launch| GridShape { grid: launch.grid, block: launch.block }).collect();
        let file = report.versions.first().map_or("", |version| version.file.as_str());
        let (heat, badge, good) = (report::heat(&report.lines, file), report.verdict.label(), report.verdict.is_good());
        Self { badge, good, heat, shapes, report, picture: None }
    }
}

/// Runs a kernel. `modules` keeps what was parsed from call to call.
pub fn answer(kernel: &Kernel, ask: &Ask, modules: &Modules) -> RunAnswer {
    run(kernel, ask, modules).map_or_else(RunAnswer::Error, |told| RunAnswer::Told(Box::new(told)))
}

/// What is known before anything runs.
struct Made {
    plan: Plan,
    sizes: Sizes,
}

fn run(kernel: &Kernel, ask: &Ask, modules: &Modules) -> Result<Shown, String> {
    let orders = Orders::parse(&ask.schedule, ask.seed)?;
    let [schedule] = orders.schedules[..] else { return Err(format!("`{}` is not one schedule", ask.schedule)) };
    let text = lines::edited(&kernel.code.text, &ask.lines)?;
    let path = Path::new(&kernel.file);
    let mut sources = Sources::new(Path::new(""));
    sources.hold(path, &text);
    let mut report = begun(kernel, ask, &orders, schedule);
    let types = kernel.oracle.as_ref().map(|oracle| oracle.interface.types.clone()).unwrap_or_default();
    let made = KernelFile::parse_typed(path, &text, &types)
        .map_err(|error| (Verdict::BadKernelFile, error))
        .and_then(|file| made(&file, kernel, ask).map_err(|error| (Verdict::BadLaunch, error)));
    let Made { plan, sizes } = match made {
        Ok(made) => made,
        Err((verdict, error)) => {
            let reason = reasons::line(verdict, &error, &mut sources);
            return Ok(Shown::new(stopped(report, reason), None));
        }
    };
    report.repeat = format!("{}{}", repeat(kernel, ask, &sizes), orders.option());
    let case = case(kernel, &types, &plan, &sizes, ask.seed)?;
    let judged = case.oracle.is_some();
    let checked = simulate(&case, ask, &orders, schedule, modules)?;
    if let Status::OracleFailed { message } = &checked.status {
        return Err(format!("the oracle does not run at these sizes: {message}"));
    }
    if judged && checked.status.passed() {
        let summary = format!("right at {}", report::sizes(&sizes));
        report.stages.push(Stage { name: StageName::Results, status: StageStatus::Passed, summary });
    }
    report_run(&mut report, &CheckedRun { path, plan: &plan, sizes: &sizes, checked: &checked }, &mut sources);
    report.table = table::rows(
        None,
        &|metric| match metric {
            Metric::Count(counter) => counter.of(checked.counters.as_ref()?),
            _ => None,
        },
        "",
        &[],
    );
    if let Some(request) = request(ask) {
        let mut texts = Texts { sources: &mut sources, path, ptx: &kernel.code.ptx };
        let traced = (request.clone(), TRACE_STEPS);
        report.traces = annotate::traces(&[schedule], std::slice::from_ref(&checked), &traced, &mut texts);
        report.notes.extend(annotate::unknown_warps(&request, &report.traces));
    }
    report.orders =
        vec![TriedOrder { schedule: orders.name(&schedule), verdict: report.verdict, repeat: String::new() }];
    report.shortest_order = checked.shortest.as_ref().map(|found| ShortestOrder {
        schedule: orders.name(&schedule),
        steps: found.witness.explain(&found.preempted),
        witness: found.witness.to_string(),
        repeat: format!("{} --schedule replay:{}", repeat(kernel, ask, &sizes), found.witness),
        minimal: found.minimal,
    });
    let picture = ask.picture.map(|(_, _, wish)| {
        let traced = report.traces.first().ok_or_else(|| "no launch runs that warp".to_owned())?;
        draw::picture(wish, traced, &kernel.file, "live")
    });
    Ok(Shown { picture: picture.transpose()?, ..Shown::new(report, Some(&plan)) })
}

/// The report with what the question alone says.
fn begun(kernel: &Kernel, ask: &Ask, orders: &Orders, schedule: Schedule) -> Report {
    let name = kernel.problem.clone().unwrap_or_else(|| kernel.file.clone());
    let subject = Subject { name, title: String::new(), chapter: None, kind: SubjectKind::File };
    let mut report = Report::new(subject, RanOn::Sim { schedules: vec![schedule_name(&schedule)] }, ask.seed);
    report.versions = vec![report::Version { label: "value".into(), file: kernel.file.clone() }];
    report.repeat = format!("{}{}", repeat(kernel, ask, &Sizes::new()), orders.option());
    report.meanings = vec![orders::meaning(&schedule).to_owned()];
    report
}

/// The command that gives the same report, as far as a command can: edited lines are for the file.
fn repeat(kernel: &Kernel, ask: &Ask, sizes: &Sizes) -> String {
    let changed = sizes.iter().filter(|(name, value)| kernel.sizes.get(*name) != Some(value));
    let given: String = changed.map(|(name, value)| format!(" --size {name}={value}")).collect();
    let check = if ask.watch { "" } else { " --check none" };
    format!("checker run {}{given} --seed {}{check}", kernel.file, ask.seed)
}

fn stopped(mut report: Report, reason: report::Reason) -> Report {
    let summary = reason.text.clone();
    report.stages.push(Stage { name: StageName::Results, status: StageStatus::Failed, summary });
    report.verdict = reason.verdict;
    report.try_first = try_first(&reason);
    report.reasons = vec![reason];
    report
}

/// Sizes and plan of the file as it was edited.
fn made(file: &KernelFile, kernel: &Kernel, ask: &Ask) -> Result<Made, LineError> {
    let (sizes, io) = match &kernel.oracle {
        // A file that declares its own buffers stands alone, wherever it lies.
        Some(oracle) => {
            let mut sizes = kernel.sizes.clone();
            for (name, value) in &ask.sizes {
                match sizes.get_mut(name) {
                    Some(size) => *size = *value,
                    None => return Err(file.line(1).error(1, format!("there is no size `{name}`"))),
                }
            }
            let io = oracle.interface.io(&sizes)?;
            (sizes, io)
        }
        None => (file.sizes(&ask.sizes)?, Vec::new()),
    };
    let plan = plan(file, &kernel.code, &sizes, &io)?;
    Ok(Made { plan, sizes })
}

/// A plan that the compiled kernels can take, within what a page may use.
fn plan(file: &KernelFile, code: &Code, sizes: &Sizes, io: &[Buffer]) -> Result<Plan, LineError> {
    let device = DeviceShape::H200;
    let active_blocks =
        |kernel: &str, block: i64, shared: i64| code.needs.active_blocks(&code.names, kernel, block, shared);
    let context = PlanContext { sizes: sizes.clone(), device, active_blocks: &active_blocks };
    let mut plan = file.plan(&context, io)?;
    instances::check(file, code, &plan)?;
    check_plan(file, &mut plan, &code.names, &Entries::of(&Outline::read(&code.ptx)))?;
    launchable::settle(&LaunchQuestion { file, names: &code.names, needs: &code.needs, device: &device }, &mut plan)?;
    let all = plan.bytes();
    if all > MEMORY {
        let line = plan.launches.first().map_or(1, |launch| launch.line);
        let message = format!("the buffers have {all} bytes; a page's run may use {MEMORY}: choose a smaller size");
        return Err(file.line(line).error(file.launch_column(line), message));
    }
    Ok(plan)
}

impl Oracle {
    /// As a program at these sizes.
    fn program(&self, types: &Types, sizes: &Sizes) -> Result<Program, LineError> {
        let path = Path::new(&self.file);
        let file = KernelFile::parse_typed(path, &self.code.text, types)?;
        let buffers = self.interface.reference_io(sizes, |name| file.passes(name))?;
        Ok(program(path, &self.code, plan(&file, &self.code, sizes, &buffers)?))
    }
}

fn program(path: &Path, code: &Code, plan: Plan) -> Program {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let flushing = flushing_kernels(&code.ptx);
    let linked = |kernel: &String| flushing.contains(code.names.get(kernel).unwrap_or(kernel));
    let flushes = plan.launches.iter().any(|launch| linked(&launch.kernel));
    let dir = path.parent().unwrap_or(Path::new("")).into();
    Program { name, artefact: code.artefact().into(), plan, dir, flushes }
}

fn case(kernel: &Kernel, types: &Types, plan: &Plan, sizes: &Sizes, seed: u64) -> Result<Case, String> {
    let shipped = |error: LineError| error.to_string();
    let (oracle, outputs) = match &kernel.oracle {
        Some(oracle) => (
            Some(oracle.program(types, sizes).map_err(shipped)?),
            account::outputs_of(&oracle.interface.outputs, sizes).map_err(shipped)?,
        ),
        None => (None, Vec::new()),
    };
    Ok(Case {
        name: report::sizes(sizes),
        seed,
        oracle,
        outputs,
        versions: vec![program(Path::new(&kernel.file), &kernel.code, plan.clone())],
        ..Case::default()
    })
}

/// What to record. A page makes lines of instructions itself.
fn request(ask: &Ask) -> Option<TraceRequest> {
    if let Some((block, warp, _)) = ask.picture {
        return Some(TraceRequest { warps: vec![(block, warp)], grain: Grain::Line, events: true });
    }
    let warps: Vec<_> = ask.trace.iter().copied().take(TRACED_WARPS).collect();
    (!warps.is_empty()).then_some(TraceRequest { warps, grain: Grain::Instruction, events: true })
}

fn simulate(case: &Case, ask: &Ask, orders: &Orders, schedule: Schedule, modules: &Modules) -> Result<Checked, String> {
    let checks = if ask.watch { Checks::ALL } else { Checks::NONE };
    let mut config = account::config(&DeviceShape::H200, checks, STEPS, ask.seed);
    // Buffers of the oracle are there while a version's are.
    config.limits.memory = 2 * MEMORY;
    config.limits.state = MEMORY;
    config.lines = true;
    config.trace = request(ask);
    config.limits.trace = TRACE_STEPS;
    config.witness.clone_from(&orders.witness);
    let effort = (ask.shortest > 0).then(|| Effort { runs: ask.shortest, ..Effort::default() });
    let machine = Sim::new(config, vec![schedule], effort, modules.clone());
    let mut checked = None;
    let mut keep = |reply: Reply| {
        if let Reply::Checked { result, .. } = reply {
            checked = Some(*result);
        }
    };
    run_case(&machine, 0, case, &|_| true, &mut keep).map_err(|failure| failure.to_string())?;
    checked.ok_or_else(|| "nothing ran".to_owned())
}
