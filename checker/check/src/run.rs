//! `checker run FILE.cu`: any self-describing kernel file on either backend.

use super::build::{self, Built, Refused};
use super::many::{self, How, Time};
use super::numbers::Known;
use super::platform::{BackendChoice, Platform, find_gpu};
use super::{CheckError, Progress, complaint, fresh_seed, line_reason, refused, time};
use account::beside::{self, Texts};
use account::orders::{self, Orders, schedule_name};
use account::outputs_of;
use account::reasons::{self, Scene};
use account::{self, Told};
use compiler::compile::CompileError;
use compiler::own::{self, OwnCode, launch_lines};
use compiler::toolchain::{self, Toolchain};
use execution::backend::{self, Across, Case, Checked, Keep, Status, Thoroughness, Verify};
use problem::{KernelFile, LineError, MANIFEST, Problem, ProblemError, Sizes, Version, Workbook};
use report::{
    self, Machine, Order, Reason, Report, ShortestOrder, Sources, Stage, StageName, StageStatus, Subject, SubjectKind,
    Verdict,
};
use simulator::explore::Effort;
use simulator::trace::Request;
use simulator::{Checks, Schedule, Witness};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// What `checker run` is asked to do.
#[derive(Debug, Clone)]
pub struct RunOptions {
    /// Where.
    pub backend: BackendChoice,
    /// Orders to try on the simulator; empty: the default one.
    pub orders: Orders,
    /// What is watched.
    pub checks: Checks,
    /// Repeat an earlier run.
    pub seed: Option<u64>,
    /// Sizes in place of the file's defaults.
    pub sizes: Sizes,
    /// A ladder's element type in place of its first.
    pub element: Option<String>,
    /// Buffers to write to NumPy files.
    pub dump: Vec<(String, PathBuf)>,
    /// Counters beside the source.
    pub lines: bool,
    /// Which lanes run which line: warps and grain, and how many steps a launch.
    pub trace: Option<(Request, usize)>,
    /// Machine code for this architecture.
    pub arch: String,
    /// Warp instructions after which a launch counts as endless.
    pub steps: u64,
    /// How long it may take.
    pub time: Time,
    /// Compare outputs between orders, where no oracle judges them.
    pub compare: bool,
    /// What finding the shortest order that fails may cost.
    pub effort: Effort,
    /// Name everything of the file that is no device code, a line each.
    pub skipped: bool,
    /// An explicit toolchain.
    pub toolchain: toolchain::Options,
    /// The workbook whose problems' files are judged by their problem.
    pub workbook: Option<Workbook>,
}

/// Steps of a launch that `--trace` draws unless another limit is given: two screens.
pub const TRACE_STEPS: usize = 200;

/// Runs a file. `progress` hears what is being done.
pub fn run(path: &Path, options: &RunOptions, progress: Progress<'_>) -> Result<Report, CheckError> {
    let seed = options.seed.unwrap_or_else(fresh_seed);
    let shown = system::text::path(path);
    let subject = Subject { name: shown.clone(), title: String::new(), chapter: None, kind: SubjectKind::File };
    let mut report = Report::new(subject, Machine::Sim { schedules: Vec::new() }, seed);
    let here = std::env::current_dir().unwrap_or_default();
    let mut sources = Sources::new(&here);
    report.versions = vec![report::Version { label: "value".into(), file: shown.clone() }];

    let workbook = options.workbook.as_ref();
    let owner = match (workbook.and_then(|workbook| workbook.problem_of(path)), options.element.as_deref()) {
        (Some(problem), element) => Some(problem.for_file(path, element)?),
        (None, None) => None,
        (None, Some(element)) => {
            let none = ProblemError::NoType { problem: shown, element: element.into(), types: String::new() };
            return Err(none.into());
        }
    };
    let stranger = owner.is_none();
    let types = owner.as_ref().map(|problem| problem.manifest.types()).unwrap_or_default();
    let file = match KernelFile::read_typed(path, &types, Workbook::owner_of(workbook, path)) {
        Ok(file) => file,
        Err(ProblemError::Line(error)) => {
            let reason = line_reason(Verdict::BadKernelFile, &error, &mut sources);
            return Ok(stopped(report, StageName::Compile, vec![reason]));
        }
        Err(error) => return Err(error.into()),
    };
    sources.hold(path, file.text());
    if file.text().trim().is_empty() {
        let error = CompileError::Empty { file: path.to_path_buf() };
        return Ok(stopped(report, StageName::Compile, complaint::of(&error, &mut sources)));
    }
    if owner.is_none() && path.with_file_name(MANIFEST).exists() {
        let whose = workbook.map_or_else(|| "no workbook".into(), |found| system::text::path(found.root()));
        report.notes.push(format!(
            "the {MANIFEST} beside the file says nothing here: the workbook is {whose}; --workbook DIR names another"
        ));
    }
    // A file that declares its own buffers stands alone, wherever it lies.
    let problem = owner.filter(|_| file.stand_alone_statement().is_none());
    let sizes = match &problem {
        Some(problem) => problem_sizes(&file, problem, &options.sizes),
        None => file.sizes(&options.sizes),
    };
    let sizes = match sizes {
        Ok(sizes) => sizes,
        Err(error) => {
            let reason = line_reason(Verdict::BadKernelFile, &error, &mut sources);
            return Ok(stopped(report, StageName::Compile, vec![reason]));
        }
    };
    let given: String = options.sizes.iter().map(|(name, value)| format!(" --size {name}={value}")).collect();
    let element = options.element.iter().map(|name| format!(" --type {name}")).collect::<String>();
    let command = format!("checker run {shown}{element}{given} --seed {seed}");
    report.repeat = format!("{command}{}", options.orders.option());

    progress("looking for the compiler");
    let toolchain = toolchain::locate(&options.toolchain)?;
    sources.allow_headers(&toolchain.includes);
    // What belongs to a problem is compiled as it stands; any other file may have its host code in it.
    let mut own = stranger.then(|| OwnCode::read(&toolchain, path, file.text()));
    if let Some(own) = own.as_ref().filter(|_| file.statements().is_empty()) {
        return Err(CheckError::NoLines { file: shown, lines: launch_lines(&own.kernels()) });
    }
    let gpu = match options.backend {
        // What a file says is tried where it can be watched; a GPU is used when asked for.
        BackendChoice::Auto | BackendChoice::Sim => None,
        BackendChoice::Gpu => find_gpu(BackendChoice::Gpu)?,
    };
    let platform = gpu.unwrap_or_else(|| Platform::sim(&options.arch));
    progress("compiling");
    let made = compiled(&toolchain, file, &sizes, &platform, own.as_mut());
    if let Some(own) = &own {
        for (name, text) in own.header_texts() {
            // As the compiler calls it, and as messages do.
            sources.hold(Path::new(name), text);
            sources.hold(&path.with_file_name(name), text);
        }
        report.notes.extend(own::notes(own, &shown, options.skipped));
    }
    let built = match made {
        Ok(built) => built,
        Err(stop) => {
            let reasons = refused(stop, &mut sources)?;
            return Ok(stopped(report, StageName::Compile, reasons));
        }
    };
    let summary = format!("{} for {}", built.compiled.compiler, platform.arch);
    report.stages.push(Stage { name: StageName::Compile, status: StageStatus::Passed, summary });
    report.notes.extend(built.compiled.warnings.iter().map(|warning| {
        let line = warning.line.map(|line| format!("{shown}:{line}: ")).unwrap_or_default();
        format!("{line}{}", warning.message)
    }));
    let io = problem.as_ref().map_or_else(|| Ok(Vec::new()), |problem| problem.io(&sizes));
    let fitting = |plan: plan::Plan| if platform.gpu.is_none() { built.fits(&plan).map(|()| plan) } else { Ok(plan) };
    let plan = match io.and_then(|io| built.plan(&sizes, &io)).and_then(fitting) {
        Ok(plan) => plan,
        Err(error) => {
            let reason = line_reason(Verdict::BadLaunch, &error, &mut sources);
            return Ok(stopped(report, StageName::Results, vec![reason]));
        }
    };

    progress(if platform.gpu.is_some() { "running on the GPU" } else { "simulating" });
    let cubin = cubin_file(&platform, &built)?;
    let schedules =
        if options.orders.schedules.is_empty() { vec![Schedule::Its] } else { options.orders.schedules.clone() };
    report.machine = match &platform.gpu {
        Some(info) => Machine::Gpu { device: info.name.clone(), driver: time::driver(info) },
        None => Machine::Sim { schedules: schedules.iter().map(schedule_name).collect() },
    };
    let program = built.program(plan.clone(), cubin.as_ref().map(|file| file.path().to_path_buf()));
    // A problem's kernel is held against its oracle, whose file for a GPU lives as long as the run.
    let (oracle, outputs, _oracle_cubin) = match &problem {
        Some(problem) => {
            let file = problem.version(&Version::Reference)?;
            let reference = compiled(&toolchain, file, &sizes, &platform, None).map_err(|stop| match stop {
                Refused::Error(error) => error,
                _ => CheckError::Shipped {
                    problem: problem.id.to_string(),
                    what: "the oracle",
                    message: "it does not compile".into(),
                },
            })?;
            let buffers = problem.reference_io(&reference.file, &sizes)?;
            let plan = reference.plan(&sizes, &buffers)?;
            let cubin = cubin_file(&platform, &reference)?;
            let path = cubin.as_ref().map(|file| file.path().to_path_buf());
            (Some(reference.program(plan, path)), outputs_of(&problem.manifest.outputs, &sizes)?, cubin)
        }
        None => (None, Vec::new(), None),
    };
    let oracle_less = oracle.is_none() && platform.gpu.is_none();
    let case = Case {
        name: report::sizes(&sizes),
        seed,
        oracle,
        outputs,
        own_outputs: Vec::new(),
        versions: vec![program],
        thoroughness: Thoroughness::Once,
        exact_integers: false,
        schedules: Vec::new(),
        dump: options.dump.clone(),
        reads: false,
        steady: false,
        keep: None,
    };
    let begun = Instant::now();
    // One job an order: a finding then belongs to every order that shows it, not only to the first.
    let one = |schedule: &Schedule, how: &How, effort: Option<Effort>| -> Result<Option<Checked>, CheckError> {
        let mut on = platform.on(vec![*schedule], options.checks, how.steps, seed);
        if let backend::On::Sim { config, minimise, .. } = &mut on {
            *minimise = effort;
            config.lines = options.lines;
            if let Some((request, steps)) = &options.trace {
                (config.trace, config.limits.trace) = (Some(request.clone()), *steps);
            }
            config.witness.clone_from(&options.orders.witness);
        }
        let mut case = case.clone();
        if *schedule != schedules[0] {
            case.dump.clear();
        }
        case.keep.clone_from(&how.keep);
        let limits = backend::Options { timeout: how.timeout, ..backend::Options::default() };
        let limits = limits.one_of(many::side_by_side(schedules.len()));
        let job = Verify { on, cases: vec![case], stop_at_failure: false };
        Ok(backend::verify(&job, &limits)?.into_iter().flatten().next())
    };
    let folder = if options.compare && oracle_less { Some(tempfile::tempdir()?) } else { None };
    let kept = folder.as_ref().map(tempfile::TempDir::path);
    let results =
        many::run(&schedules, (options.time, options.steps), kept, &|schedule, how| one(schedule, how, None))?;
    let (tried, untried): (Vec<_>, Vec<_>) = schedules.iter().zip(results).partition(|(_, result)| result.is_some());
    report.untried = untried.into_iter().map(|(schedule, _)| options.orders.name(schedule)).collect();
    let (schedules, results): (Vec<Schedule>, Vec<Checked>) =
        tried.into_iter().filter_map(|(schedule, result)| Some((*schedule, result?))).unzip();
    report.notes.extend(cut(&report.untried, options.time));
    if let Machine::Sim { schedules: names } = &mut report.machine {
        *names = schedules.iter().map(schedule_name).collect();
    }
    report.meanings = meanings(&schedules);
    let scene_case = report::sizes(&sizes);
    let scene = Scene { file: path, case: &scene_case, buffers: &plan.buffers };
    // What is held against another order is repeated together with it.
    let named = |schedule: &Schedule, verdict: Verdict| {
        let name = options.orders.name(schedule);
        match (verdict, schedules.first()) {
            (Verdict::OrderDependent, Some(first)) => format!("{},{name}", options.orders.name(first)),
            _ => name,
        }
    };
    report.orders = schedules
        .iter()
        .zip(&results)
        .map(|(schedule, checked)| {
            let reasons = reasons::of(checked, &scene, &mut sources);
            let verdict = reasons.first().map_or(Verdict::Finished, |reason| reason.verdict);
            let name = named(schedule, verdict);
            let repeat = if verdict.is_good() { String::new() } else { format!("{command} --schedule {name}") };
            Order { schedule: options.orders.name(schedule), verdict, repeat }
        })
        .collect();
    // Where the usual order is right, the shortest order that is not says what matters.
    let usual = schedules.iter().zip(&report.orders).find(|(schedule, _)| **schedule == Schedule::Its);
    let wrong = schedules
        .iter()
        .zip(&report.orders)
        .find(|(schedule, order)| schedule.is_explored() && **schedule != Schedule::Replay && !order.verdict.is_good());
    if let (None | Some(true), Some((schedule, order))) = (usual.map(|(_, order)| order.verdict.is_good()), wrong) {
        progress("looking for the shortest order that fails");
        let name = order.schedule.clone();
        let against = |folder: &Path| Keep::Against(Across { schedule: schedules[0], folder: folder.to_path_buf() });
        let keep = kept.filter(|_| order.verdict == Verdict::OrderDependent).map(against);
        let left = options.time.all.map_or(SHORTEST, |all| all.saturating_sub(begun.elapsed()).clamp(LEAST, SHORTEST));
        let found = one(schedule, &How { timeout: left, steps: options.steps, keep }, Some(options.effort))?;
        let found = found.and_then(|checked| checked.shortest).filter(|found| found.witness != Witness::default());
        report.shortest_order = found.map(|found| {
            let witness = found.witness.to_string();
            let replay = format!("replay:{witness}");
            let list = if order.verdict == Verdict::OrderDependent {
                format!("{},{replay}", options.orders.name(&schedules[0]))
            } else {
                replay
            };
            ShortestOrder {
                schedule: name,
                steps: found.witness.explain(&found.preempted),
                witness,
                repeat: format!("{command} --schedule {list}"),
                minimal: found.minimal,
            }
        });
    }
    if let Some(trace) = &options.trace {
        let ptx = built.compiled.ptx.as_str();
        let mut texts = Texts { sources: &mut sources, path, ptx };
        report.traces = beside::traces(&schedules, &results, trace, &mut texts);
        report.notes.extend(beside::unknown_warps(&trace.0, &report.traces));
    }
    report.notes.extend(roundings(&schedules, &results));
    let Some(checked) = merged(results) else { return Ok(report) };
    if problem.is_some() && checked.status.passed() {
        let summary = format!("right at {scene_case}");
        report.stages.push(Stage { name: StageName::Results, status: StageStatus::Passed, summary });
    }
    account::tell(&mut report, &Told { path, plan: &plan, sizes: &sizes, checked: &checked }, &mut sources);
    let known = Known { built: Some(&built), plan: Some(&plan), counters: checked.counters, ..Known::default() };
    report.table = known.table(None, &[]);
    if let (true, Some(reason)) = (only_lockstep_fails(&schedules, &report.orders), report.reasons.first_mut()) {
        reason.details.push(format!(
            "only pre-volta fails: since Volta the lanes of a warp can wait for each other, and code for {} runs on no older \
             GPU; the compiler may move what others wait for behind the loop that waits",
            platform.arch
        ));
    }
    Ok(report)
}

/// What looking for the shortest order may take, at least where others have used up the time.
const SHORTEST: Duration = Duration::from_secs(30);
const LEAST: Duration = Duration::from_secs(5);

/// What the names of schedules mean, each kind once.
fn meanings(schedules: &[Schedule]) -> Vec<String> {
    let mut meanings: Vec<String> = schedules.iter().map(|schedule| orders::meaning(schedule).to_owned()).collect();
    meanings.dedup();
    meanings
}

/// What was not tried for want of time, and how to try it.
fn cut(untried: &[String], time: Time) -> Option<String> {
    let seconds = time.all?.as_secs();
    let first = untried.first()?;
    let which = match untried.len() {
        1 => format!("schedule {first} was"),
        many => format!("{many} schedules (the first is {first}) were"),
    };
    Some(format!(
        "{which} not tried to the end within {seconds} s: --all tries every one, --limit SECONDS goes on longer"
    ))
}

/// Is all well in every order but that of GPUs before Volta?
fn only_lockstep_fails(schedules: &[Schedule], orders: &[Order]) -> bool {
    let fails = |lockstep| {
        let pairs = schedules.iter().zip(orders);
        pairs
            .filter(|(schedule, _)| (**schedule == Schedule::PreVolta) == lockstep)
            .any(|(_, order)| !order.verdict.is_good())
    };
    orders.len() > 1 && fails(true) && !fails(false)
}

/// What a GPU loads.
fn cubin_file(platform: &Platform, built: &Built) -> Result<Option<tempfile::NamedTempFile>, std::io::Error> {
    if platform.gpu.is_none() {
        return Ok(None);
    }
    let mut file = tempfile::NamedTempFile::new()?;
    std::io::Write::write_all(&mut file, &built.compiled.cubin)?;
    Ok(Some(file))
}

fn compiled(
    toolchain: &Toolchain,
    file: KernelFile,
    sizes: &Sizes,
    platform: &Platform,
    own: Option<&mut OwnCode>,
) -> Result<Built, Refused> {
    let (cases, device, arch) = (std::slice::from_ref(sizes), platform.device, &platform.arch);
    let mut built = match own {
        Some(own) => {
            build::build_by(toolchain, file, cases, device, arch, &mut |request| own.compile(toolchain, request))?
        }
        None => build::build(toolchain, file, cases, device, arch)?,
    };
    built.disassemble(toolchain)?;
    Ok(built)
}

/// Sizes that a problem's file runs at: those of its counts, as far as no others are given.
pub(super) fn problem_sizes(file: &KernelFile, problem: &Problem, given: &Sizes) -> Result<Sizes, LineError> {
    let count = &problem.manifest.count;
    let cell = problem.sweep().and_then(|sweep| sweep.cells(count).into_iter().next());
    let mut sizes = cell.map_or_else(|| count.clone(), |cell| cell.sizes);
    for (name, value) in given {
        match sizes.get_mut(name) {
            Some(size) => *size = *value,
            None => {
                let known: Vec<String> = sizes.keys().map(|name| format!("`{name}`")).collect();
                let message = format!("`{}` has no size `{name}`; it has {}", problem.id, known.join(", "));
                return Err(file.line(1).error(1, message));
            }
        }
    }
    Ok(sizes)
}

/// The first order's numbers with everything that any order showed, the same thing at the same place once.
fn merged(results: Vec<Checked>) -> Option<Checked> {
    let mut results = results.into_iter();
    let mut first = results.next()?;
    for other in results {
        for found in other.findings {
            if !first.findings.iter().any(|seen| seen.finding.is_like(&found.finding)) {
                first.findings.push(found);
            }
        }
        if first.status.passed() && !other.status.passed() {
            (first.status, first.runs) = (other.status, other.runs);
        }
    }
    Some(first)
}

/// What differs by rounding alone: of each output the largest difference.
fn roundings(schedules: &[Schedule], results: &[Checked]) -> Vec<String> {
    let Some(other) = schedules.first() else { return Vec::new() };
    // Of what is another value under some order nobody asks how it is rounded under others.
    let dependent = |name: &str| {
        results.iter().any(|checked| match &checked.status {
            Status::OrderDependent { outputs, .. } => outputs.iter().any(|output| output.name == name),
            _ => false,
        })
    };
    let mut most: Vec<(Schedule, &backend::Difference)> = Vec::new();
    for (schedule, checked) in schedules.iter().zip(results) {
        for difference in checked.rounding.iter().filter(|difference| !dependent(&difference.name)) {
            match most.iter_mut().find(|(_, known)| known.name == difference.name) {
                Some(known) if known.1.apart >= difference.apart => {}
                Some(known) => *known = (*schedule, difference),
                None => most.push((*schedule, difference)),
            }
        }
    }
    most.into_iter().map(|(this, difference)| orders::rounding(difference, *other, this)).collect()
}

fn stopped(mut report: Report, name: StageName, reasons: Vec<Reason>) -> Report {
    let summary = reasons.first().map(|reason| reason.text.clone()).unwrap_or_default();
    report.stages.push(Stage { name, status: StageStatus::Failed, summary });
    report.verdict = reasons.first().map_or(Verdict::BadKernelFile, |reason| reason.verdict);
    report.try_first = reasons.first().and_then(reasons::try_first);
    report.reasons = reasons;
    report
}
