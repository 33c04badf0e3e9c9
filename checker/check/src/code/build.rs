//! A version made ready to run: its text, its compiled code, its machine code.

use crate::CheckError;
use account::Needs;
use account::launchable::{self, LaunchQuestion};
use compiler::compile::{self, CompileCause, CompileRequest, Compiled};
use compiler::toolchain::{Toolchain, home::Home};
use compiler::unset;
use execution::backend::{Artefact, AsWritten, Program, Text, Unset};
use plan::{Buffer, Plan};
use problem::entry::{Entries, check_plan};
use problem::{DeviceShape, KernelFile, LineError, PlanContext, ProblemError, Sizes};
use report::Sources;
use sass::kept::MadeOf;
use sass::{self, Kernel, Module};
use simulator::outline::{ConstantUse, Outline, flushing_kernels, has_instruction};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// What threads have to do with each other.
#[derive(Debug)]
struct Between {
    communicates: bool,
    across: bool,
    waits: bool,
    competes: bool,
    /// Swaps that come to who knows what.
    swaps: BTreeMap<u32, simulator::Unsure>,
    remembers: bool,
    /// Literals in the code.
    numbers: BTreeSet<i64>,
}

/// A compiled kernel file.
#[derive(Debug)]
pub struct Built {
    /// The kernel file.
    pub file: KernelFile,
    /// PTX, CUBIN, names.
    pub compiled: Compiled,
    /// What its kernels ask of a launch.
    entries: Entries,
    /// Machine code; read only where it is asked for, because it starts nvdisasm the first time.
    pub module: Option<Module>,
    /// What it needs of a multiprocessor.
    pub needs: Needs,
    /// The device that launch lines see.
    pub device: DeviceShape,
    /// The file unoptimised, where it may write to constant memory or read a variable without a value: for findings of these only.
    pub as_written: Option<AsWritten>,
    /// Does its outcome depend on the order in which threads run? Asked again and again, and found out once.
    between: OnceLock<Between>,
    /// Is what it computes linear in its inputs?
    linear: OnceLock<bool>,
    /// Kernels that may flush subnormal numbers.
    flushing: OnceLock<BTreeSet<String>>,
    /// What the PTX's lines became; nothing where the machine code does not say.
    made: OnceLock<Option<MadeOf>>,
    /// What workers get, made once.
    artefact: OnceLock<Arc<Artefact>>,
}

/// Why a version cannot be built: the learner's doing, or not.
#[derive(Debug)]
pub enum BuildError {
    /// A `//@` line.
    Line(LineError),
    /// A launch that cannot be made at these sizes.
    Launch(LineError, String),
    /// The compiler, or the file is no text.
    Compile(compile::CompileError),
    /// Not the version's fault.
    Error(CheckError),
}

impl From<LineError> for BuildError {
    fn from(error: LineError) -> Self {
        Self::Line(error)
    }
}

impl From<ProblemError> for BuildError {
    fn from(error: ProblemError) -> Self {
        match error {
            ProblemError::Line(error) => Self::Line(error),
            error => Self::Error(error.into()),
        }
    }
}

/// Compiles `file` for `arch` with every kernel that it launches at any of `cases`.
pub fn build(
    toolchain: &Toolchain,
    file: KernelFile,
    cases: &[Sizes],
    device: DeviceShape,
    arch: &str,
) -> Result<Built, BuildError> {
    build_by(file, cases, device, arch, &mut |request| compile::compile(toolchain, request))
}

/// A compilation, which may change what is asked for.
pub type Compile<'a> = dyn FnMut(&mut CompileRequest) -> Result<Compiled, compile::CompileError> + 'a;

/// [`build`] with a compilation that may change the request, as that of a file with host code does.
pub fn build_by(
    file: KernelFile,
    cases: &[Sizes],
    device: DeviceShape,
    arch: &str,
    compile: &mut Compile<'_>,
) -> Result<Built, BuildError> {
    let mut names = BTreeSet::new();
    for sizes in cases {
        names.extend(file.name_expressions(sizes, &device)?);
    }
    let compile_error = |error: compile::CompileError| match error.cause() {
        CompileCause::Source => BuildError::Compile(error),
        CompileCause::Request | CompileCause::Environment => BuildError::Error(CheckError::Compile(error)),
    };
    let mut request =
        CompileRequest::new(file.path(), file.text().as_bytes(), arch).map_err(compile_error)?.kernels(names);
    let compiled = compile(&mut request).map_err(|error| match no_kernel(&file, &error) {
        Some(line) => BuildError::Line(line),
        None => compile_error(error),
    })?;
    let needs = Needs::of(&compiled.cubin, arch).map_err(|error| unlisted(&file, error))?;
    let outline = Outline::read(&compiled.ptx);
    if let Some(error) = too_large(&file, &outline) {
        return Err(BuildError::Line(error));
    }
    let mut built = Built {
        file,
        entries: Entries::of(&outline),
        compiled,
        module: None,
        needs,
        device,
        as_written: None,
        between: OnceLock::new(),
        linear: OnceLock::new(),
        flushing: OnceLock::new(),
        made: OnceLock::new(),
        artefact: OnceLock::new(),
    };
    built.as_written = built.undefined(&request, compile);
    Ok(built)
}

/// Machine code that cannot be read.
fn unlisted(file: &KernelFile, error: sass::SassError) -> BuildError {
    let path = || file.path().to_path_buf();
    match error {
        // No clock says anything of the kernel.
        sass::SassError::Timeout { seconds, .. } => {
            BuildError::Compile(compile::CompileError::TooSlow { file: path(), seconds, of: "" })
        }
        error if error.is_kernels_fault() => {
            BuildError::Compile(compile::CompileError::Unlisted { file: path(), reason: error.to_string() })
        }
        error => BuildError::Error(error.into()),
    }
}

/// The declaration of a module variable that does not fit into the simulated device's memory.
fn too_large(file: &KernelFile, outline: &Outline) -> Option<LineError> {
    let limit = simulator::Limits::default().memory;
    let (name, bytes) = outline.variables.iter().find(|(_, bytes)| *bytes > limit)?;
    let words = |line: &str| line.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == name);
    let declares = |(_, line): &(u32, &str)| line.contains("__device__") && words(line);
    let (number, line) = (1..)
        .zip(file.text().lines())
        .find(declares)
        .or_else(|| (1..).zip(file.text().lines()).find(|(_, line)| words(line)))?;
    let column = line.find(name.as_str()).map_or(1, |at| at as u32 + 1);
    Some(file.line(number).error(column, format!("`{name}` has {bytes} bytes; {}", allowed(limit))))
}

fn allowed(limit: u64) -> String {
    format!("all memory of a run together may have {limit} bytes ({} GiB, the limit `memory`)", limit >> 30)
}

/// How a file that may do what is undefined can be compiled so that it shows, the best way first: not everything can be compiled
/// unoptimised, nor with what is put into it. Where all suspects are held in registers the rest may be optimised: unoptimised code takes
/// up to ten times as long to compile.
fn ways(
    request: &CompileRequest,
    text: &str,
    unset: &[unset::Unset],
    constants: bool,
) -> impl Iterator<Item = CompileRequest> {
    let held = unset::held(text, unset).filter(|_| request.source == text);
    let all = !constants && unset::can_hold(unset);
    let with = |unoptimised: bool| held.clone().map(|source| (source, unoptimised));
    let ways = [with(!all), Some((request.source.clone(), true)), with(false).filter(|_| !all)];
    let request = request.clone();
    ways.into_iter().flatten().map(move |(source, unoptimised)| CompileRequest {
        source,
        unoptimised,
        ..request.clone()
    })
}

/// A suspect as workers take it.
fn shown(unset::Unset { name, line, function, array, used, .. }: unset::Unset) -> Unset {
    Unset { name, line, function, array, used }
}

/// The launch line at fault when the compiler refuses a launched name that is no kernel.
fn no_kernel(file: &KernelFile, error: &compile::CompileError) -> Option<LineError> {
    let compile::CompileError::Rejected { diagnostics, .. } = error else { return None };
    let (name, why) = diagnostics.iter().find_map(|said| {
        let named = said.message.strip_prefix(compile::NO_KERNEL);
        named.or_else(|| said.message.strip_prefix(compile::BAD_KERNEL))?.split_once('`')
    })?;
    let base = name.split('<').next().unwrap_or(name).trim();
    let known = file.global_functions().iter().any(|kernel| kernel == base.rsplit("::").next().unwrap_or(base));
    if known && why.contains("instance of function template") {
        let form =
            format!("launch {base}<ARGUMENTS><<<GRID, BLOCK>>>(...), with the template arguments that the kernel has");
        return Some(file.missing_kernel(name).expected(form));
    }
    // Of another kernel that is there the compiler says best what is wrong with it.
    (!known).then(|| file.missing_kernel(name))
}

/// How machine code is listed, and where the text is kept.
pub fn listing_options(toolchain: &Toolchain, timeout: Duration) -> sass::DisassemblyOptions {
    let cache = Some(Home::from_environment().root().join("sass"));
    sass::DisassemblyOptions { nvdisasm: toolchain.nvdisasm.clone(), cache, live: false, timeout }
}

impl Built {
    /// Does its outcome depend on the order in which threads run? A text that the simulator cannot read is for its run to
    /// report.
    pub fn communicates(&self) -> bool {
        self.between().communicates
    }

    /// May threads of different blocks do so?
    pub fn communicates_between_blocks(&self) -> bool {
        self.between().across
    }

    /// Do threads compete for a word, so that all but one fail?
    pub fn competes(&self) -> bool {
        self.between().competes
    }

    /// May a thread wait in a loop for others?
    pub fn waits(&self) -> bool {
        self.between().waits
    }

    /// The compare-and-swaps and exchanges ([`simulator::Covered::at`]) of which a part of a grid does not show what they come to.
    pub fn unsure_swaps(&self) -> &BTreeMap<u32, simulator::Unsure> {
        &self.between().swaps
    }

    /// Has it variables that keep their values from launch to launch?
    pub fn remembers(&self) -> bool {
        self.between().remembers
    }

    /// Do its kernels ask how many multiprocessors there are?
    pub fn asks_for_multiprocessors(&self) -> bool {
        self.compiled.ptx.contains("%nsmid")
    }

    /// Does it make sums and multiples of what its inputs hold, and nothing else?
    pub fn is_linear(&self) -> bool {
        *self.linear.get_or_init(|| simulator::linear::is_linear(&self.compiled.ptx))
    }

    /// May what a plan launches make 0 of subnormal numbers?
    fn flushes(&self, plan: &Plan) -> bool {
        let flushing = self.flushing.get_or_init(|| flushing_kernels(&self.compiled.ptx));
        plan.launches.iter().any(|launch| flushing.contains(self.linked(&launch.kernel)))
    }

    /// Which lines of the PTX the machine code was made of; nothing where it does not say.
    pub fn made(&self) -> Option<&MadeOf> {
        let read = || MadeOf::read(&self.compiled.cubin, &self.compiled.ptx).ok().flatten();
        self.made.get_or_init(read).as_ref()
    }

    /// Numbers in its code: integers, and the bits of reals.
    pub fn literals(&self) -> impl Iterator<Item = &i64> {
        self.between().numbers.iter()
    }

    /// Numbers in its code and in its `//@` lines: somebody may treat a size in its own way.
    pub fn numbers(&self) -> BTreeSet<i64> {
        let lines = self.file.text().lines().filter(|line| line.trim_start().starts_with("//@"));
        let words = lines.flat_map(|line| line.split(|letter: char| !letter.is_ascii_alphanumeric()));
        words.filter_map(|word| word.parse().ok()).chain(self.literals().copied()).collect()
    }

    fn between(&self) -> &Between {
        let of = |module: simulator::Module| Between {
            communicates: module.communicates(),
            across: module.communicates_between_blocks(),
            waits: module.waits(),
            competes: module.competes(),
            swaps: module.unsure_swaps(),
            remembers: module.remembers(),
            numbers: module.numbers(),
        };
        let (numbers, swaps) = (BTreeSet::new(), BTreeMap::new());
        let (waits, competes, remembers) = (false, false, false);
        let unread = Between { communicates: true, across: true, waits, competes, swaps, remembers, numbers };
        self.between.get_or_init(|| simulator::Module::parse(&self.compiled.ptx).map_or(unread, of))
    }

    /// Reports may quote its text: as it was compiled.
    pub fn quoted_in(&self, sources: &mut Sources) {
        sources.hold(self.file.path(), self.file.text());
    }

    /// Reads the machine code, until then at the latest.
    pub fn disassemble(&mut self, toolchain: &Toolchain, until: Option<Instant>) -> Result<(), BuildError> {
        let left = until.map_or(sass::TIMEOUT, |until| until.saturating_duration_since(Instant::now()));
        let options = listing_options(toolchain, left.min(sass::TIMEOUT));
        let mut module =
            sass::disassemble(&self.compiled.cubin, &options).map_err(|error| unlisted(&self.file, error))?;
        self.compiled.name_files(&mut module.files);
        self.module = Some(module);
        Ok(())
    }

    /// A write to constant memory is undefined, and so is a read of a variable that has no value: the optimiser drops it, or
    /// makes something else of it. A file that may do so runs once more as written, so that this is found where it is. All results and
    /// counts are those of the code that the CUBIN was made of: `#ifdef __CUDACC_DEBUG__` can make two programs of a file.
    fn undefined(&self, request: &CompileRequest, compile: &mut Compile<'_>) -> Option<AsWritten> {
        let constants = self.file.text().contains("__constant__");
        let unset = unset::unset(self.file.text());
        if !constants && unset.is_empty() {
            return None;
        }
        let compiled = ways(request, self.file.text(), &unset, constants).find_map(|mut way| compile(&mut way).ok())?;
        let constants = constants
            && match ConstantUse::of(&compiled.ptx) {
                ConstantUse::Written => true,
                // Somebody's function may write there: the trap tells.
                ConstantUse::Given => has_instruction(&self.compiled.ptx, "trap"),
                ConstantUse::Read => false,
            };
        let unset: Vec<Unset> = unset.into_iter().map(shown).collect();
        let wanted = constants || !unset.is_empty();
        wanted.then(|| AsWritten { ptx: compiled.ptx.into(), names: compiled.names, constants, unset })
    }

    /// Does the simulated device hold the plan's buffers?
    ///
    /// # Errors
    /// The line of the largest buffer.
    pub fn fits(&self, plan: &Plan) -> Result<(), LineError> {
        let limit = simulator::Limits::default().memory;
        if plan.bytes() <= limit {
            return Ok(());
        }
        let Some(largest) = plan.buffers.iter().max_by_key(|buffer| buffer.bytes()) else { return Ok(()) };
        let declares = |(_, line): &(u32, &str)| {
            let mut words = line.trim_start().strip_prefix("//@").unwrap_or_default().split_whitespace();
            matches!(words.next(), Some("in" | "out" | "inout" | "scratch"))
                && words.next().is_some_and(|word| word.split(':').next() == Some(largest.name.as_str()))
        };
        let uses = plan.launches.iter().find(|launch| {
            launch.args.iter().any(|arg| arg.buffer().is_some_and(|at| plan.buffers[at].name == largest.name))
        });
        let line = (1..).zip(self.file.text().lines()).find(declares).map(|(number, _)| number);
        let line = line.or(uses.map(|launch| launch.line)).unwrap_or(1);
        let message = format!("the buffer `{}` has {} bytes; {}", largest.name, largest.bytes(), allowed(limit));
        Err(self.file.line(line).error(1, message))
    }

    /// Buffers and launches at these sizes.
    pub fn plan(&self, sizes: &Sizes, io: &[Buffer]) -> Result<Plan, LineError> {
        self.plan_for(self.device.sms, sizes, io)
    }

    /// The same where launch lines see so many multiprocessors. Whether it can be launched is still asked of the real device.
    pub fn plan_for(&self, sms: i64, sizes: &Sizes, io: &[Buffer]) -> Result<Plan, LineError> {
        let names = &self.compiled.names;
        let active_blocks =
            |kernel: &str, block: i64, shared: i64| self.needs.active_blocks(names, kernel, block, shared);
        let context = PlanContext {
            sizes: sizes.clone(),
            device: DeviceShape { sms, ..self.device },
            active_blocks: &active_blocks,
        };
        let mut plan = self.file.plan(&context, io)?;
        check_plan(&self.file, &mut plan, names, &self.entries)?;
        let question = LaunchQuestion { file: &self.file, names, needs: &self.needs, device: &self.device };
        launchable::settle(&question, &mut plan)?;
        Ok(plan)
    }

    /// The plan as a program for a worker. `cubin` is a file with the machine code, for a GPU.
    pub fn program(&self, plan: Plan, cubin: Option<PathBuf>) -> Program {
        let mut program = self.program_of(plan, || Artefact {
            ptx: Some(Text::Inline(self.compiled.ptx.as_str().into())),
            cubin: None,
            names: self.compiled.names.clone(),
            as_written: self.as_written.clone(),
        });
        if cubin.is_some() {
            Arc::make_mut(&mut program.artefact).cubin = cubin;
        }
        program
    }

    /// The plan with compiled code, which is made the first time and shared by all programs of this version.
    pub fn program_of(&self, plan: Plan, artefact: impl FnOnce() -> Artefact) -> Program {
        let path = self.file.path();
        Program {
            name: path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default(),
            artefact: self.artefact.get_or_init(|| artefact().into()).clone(),
            flushes: self.flushes(&plan),
            plan,
            dir: path.parent().unwrap_or(Path::new(".")).to_path_buf(),
        }
    }

    /// The linked name of a kernel as a launch line calls it.
    pub fn linked<'a>(&'a self, expression: &'a str) -> &'a str {
        self.compiled.names.get(expression).map_or(expression, String::as_str)
    }

    /// Machine code of the kernels that a plan launches.
    pub fn launched(&self, plan: &Plan) -> Vec<&Kernel> {
        let names: Vec<&str> = plan.launches.iter().map(|launch| self.linked(&launch.kernel)).collect();
        self.module.as_ref().map(|module| module.launched(&names)).unwrap_or_default()
    }

    /// Machine code of one kernel.
    pub fn kernel(&self, expression: &str) -> Option<&Kernel> {
        let linked = self.linked(expression);
        self.module.as_ref()?.kernels.iter().find(|kernel| kernel.name == linked)
    }

    /// Occupancy of a kernel at a launch.
    pub fn occupancy(&self, kernel: &str, threads: u32, dynamic_shared: u32) -> Option<sass::Occupancy> {
        self.needs.occupancy(self.linked(kernel), threads, dynamic_shared)
    }

    /// What a block of a kernel asks for, and what a multiprocessor has.
    pub fn usage(
        &self,
        kernel: &str,
        threads: u32,
        dynamic_shared: u32,
    ) -> Option<(sass::occupancy::Usage, sass::Limits)> {
        self.needs.usage(self.linked(kernel), threads, dynamic_shared)
    }
}
