//! A file made ready to run: compiled, its launches planned, its oracle beside it.

use super::read::Read;
use super::{Halt, Running};
use crate::build::{self, BuildError, Built};
use crate::platform::{BackendChoice, Platform, find_gpu};
use crate::{CheckError, line_reason, refused};
use account::outputs_of;
use compiler::own::{self, OwnCode};
use compiler::toolchain::{self, Toolchain};
use execution::backend::Case;
use plan::Plan;
use problem::{KernelFile, Problem, Sizes, Version};
use report::{Stage, StageName, StageStatus, Verdict};
use tempfile::NamedTempFile;

/// What can be run.
pub(super) struct Ready {
    pub platform: Platform,
    pub built: Built,
    pub plan: Plan,
    pub sizes: Sizes,
    pub case: Case,
    /// Somebody says what is right.
    pub is_judged: bool,
    /// What a GPU loads lives as long as the run.
    _cubins: Vec<NamedTempFile>,
}

impl Running<'_> {
    /// Compiles the file and plans its launches.
    pub(super) fn ready(&mut self, read: Read) -> Result<Ready, Halt> {
        let Read { file, problem, sizes, stranger } = read;
        (self.progress)("looking for the compiler");
        let toolchain = toolchain::locate(&self.options.toolchain).map_err(CheckError::from)?;
        self.sources.allow_headers(&toolchain.includes);
        let (built, platform) = self.built(&toolchain, file, &sizes, stranger)?;
        let plan = self.plan(&built, &platform, problem.as_ref(), &sizes)?;
        self.are_there(&plan)?;
        let mut cubins = Vec::new();
        let cubin = cubin_file(&platform, &built)?;
        let version = built.program(plan.clone(), cubin.as_ref().map(|file| file.path().to_path_buf()));
        cubins.extend(cubin);
        let (mut oracle, mut outputs) = (None, Vec::new());
        if let Some(problem) = &problem {
            let (reference, plan) = reference(&toolchain, problem, &sizes, &platform)?;
            let cubin = cubin_file(&platform, &reference)?;
            oracle = Some(reference.program(plan, cubin.as_ref().map(|file| file.path().to_path_buf())));
            outputs = outputs_of(&problem.manifest.outputs, &sizes).map_err(CheckError::from)?;
            cubins.extend(cubin);
        }
        let case = Case {
            name: report::sizes(&sizes),
            seed: self.seed,
            oracle,
            outputs,
            versions: vec![version],
            dump: self.options.dump.clone(),
            ..Case::default()
        };
        Ok(Ready { platform, built, plan, sizes, case, is_judged: problem.is_some(), _cubins: cubins })
    }

    /// Has the plan the buffers that are to be written to files?
    fn are_there(&self, plan: &Plan) -> Result<(), CheckError> {
        let known: Vec<_> = plan.buffers.iter().map(|buffer| buffer.name.as_str()).collect();
        match self.options.dump.iter().find(|(name, _)| !known.contains(&name.as_str())) {
            Some((buffer, _)) => Err(CheckError::NoBuffer {
                buffer: buffer.clone(),
                file: self.shown.clone(),
                known: if known.is_empty() { "none".to_owned() } else { known.join(", ") },
            }),
            None => Ok(()),
        }
    }

    /// The compiled file. What belongs to a problem is compiled as it stands; a `stranger` may have its host code in it.
    fn built(
        &mut self,
        toolchain: &Toolchain,
        file: KernelFile,
        sizes: &Sizes,
        stranger: bool,
    ) -> Result<(Built, Platform), Halt> {
        let mut own = stranger.then(|| OwnCode::read(toolchain, self.path, file.text()));
        if let Some(own) = own.as_ref().filter(|_| file.statements().is_empty()) {
            (self.progress)("trying lines");
            let (lines, failed) = self.grown(toolchain, file.text(), own.launch_lines());
            return Err(CheckError::NoLines { file: self.shown.clone(), lines, failed }.into());
        }
        let gpu = match self.options.backend {
            // What a file says is tried where it can be watched; a GPU is used when asked for.
            BackendChoice::Auto | BackendChoice::Sim => None,
            BackendChoice::Gpu => find_gpu(BackendChoice::Gpu)?,
        };
        let platform = gpu.unwrap_or_else(|| Platform::sim(&self.options.arch));
        (self.progress)("compiling");
        let made = compiled(toolchain, file, sizes, &platform, own.as_mut());
        if let Some(own) = &own {
            for (name, text) in own.header_texts() {
                // As the compiler calls it, and as messages do.
                self.sources.hold(std::path::Path::new(name), text);
                self.sources.hold(&self.path.with_file_name(name), text);
            }
            self.report.notes.extend(own::notes(own, &self.shown, self.options.skipped));
        }
        let built = match made {
            Ok(built) => built,
            Err(stop) => return Err(Halt::Stopped(StageName::Compile, refused(stop, &mut self.sources)?)),
        };
        let summary = format!("{} for {}", built.compiled.compiler, platform.arch);
        self.report.stages.push(Stage { name: StageName::Compile, status: StageStatus::Passed, summary });
        let shown = &self.shown;
        self.report.notes.extend(built.compiled.warnings.iter().map(|warning| {
            let line = warning.line.map(|line| format!("{shown}:{line}: ")).unwrap_or_default();
            format!("{line}{}", warning.message)
        }));
        Ok((built, platform))
    }

    /// Buffers and launches that the platform can hold.
    fn plan(
        &mut self,
        built: &Built,
        platform: &Platform,
        problem: Option<&Problem>,
        sizes: &Sizes,
    ) -> Result<Plan, Halt> {
        let io = problem.map_or_else(|| Ok(Vec::new()), |problem| problem.io(sizes));
        let fitting = |plan: Plan| if platform.gpu.is_none() { built.fits(&plan).map(|()| plan) } else { Ok(plan) };
        io.and_then(|io| built.plan(sizes, &io)).and_then(fitting).map_err(|error| {
            let reason = line_reason(Verdict::BadLaunch, &error, &mut self.sources);
            Halt::Stopped(StageName::Results, vec![reason])
        })
    }
}

/// The oracle of a problem, and its launches.
fn reference(
    toolchain: &Toolchain,
    problem: &Problem,
    sizes: &Sizes,
    platform: &Platform,
) -> Result<(Built, Plan), CheckError> {
    let file = problem.version(&Version::Reference)?;
    let reference = compiled(toolchain, file, sizes, platform, None).map_err(|stop| match stop {
        BuildError::Error(error) => error,
        _ => CheckError::Shipped {
            problem: problem.id.to_string(),
            what: "the oracle",
            message: "it does not compile".into(),
        },
    })?;
    let buffers = problem.reference_io(&reference.file, sizes)?;
    let plan = reference.plan(sizes, &buffers)?;
    Ok((reference, plan))
}

/// What a GPU loads.
fn cubin_file(platform: &Platform, built: &Built) -> Result<Option<NamedTempFile>, std::io::Error> {
    if platform.gpu.is_none() {
        return Ok(None);
    }
    let mut file = NamedTempFile::new()?;
    std::io::Write::write_all(&mut file, &built.compiled.cubin)?;
    Ok(Some(file))
}

/// A file compiled for a platform.
pub(super) fn compiled(
    toolchain: &Toolchain,
    file: KernelFile,
    sizes: &Sizes,
    platform: &Platform,
    own: Option<&mut OwnCode>,
) -> Result<Built, BuildError> {
    let (cases, device, arch) = (std::slice::from_ref(sizes), platform.device, &platform.arch);
    match own {
        Some(own) => build::build_by(file, cases, device, arch, &mut |request| own.compile(toolchain, request)),
        None => build::build(toolchain, file, cases, device, arch),
    }
}
