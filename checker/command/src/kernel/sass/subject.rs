//! What the reader named: a file or a problem's version, compiled and disassembled.

use crate::{Blame, Context, Exit, Fault, usage, workbook};
use compiler::compile::{self, CompileCause, CompileError, CompileRequest};
use compiler::own::{self, OwnCode};
use compiler::toolchain::Toolchain;
use problem::{DeviceShape, KernelFile, Problem, Sizes, Version, Workbook};
use sass::{self, Kernel, Module};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use system::files;

/// The architecture of a file on its own, as problems have it.
const DEFAULT_ARCH: &str = "sm_90";

/// Most bytes of a CUBIN that are read.
const LARGEST_CUBIN: u64 = 256 << 20;

/// Where to find a compiler and for what to compile.
pub struct Loader<'a> {
    pub toolchain: &'a Toolchain,
    pub context: &'a Context,
    /// `--arch`
    pub arch: Option<&'a str>,
    /// A template instance to compile besides those that are launched.
    pub instance: Option<&'a str>,
    /// Count live registers.
    pub live: bool,
}

/// A module and where it comes from.
pub struct Loaded {
    /// `kernels/local-array/naive.cu`
    pub label: String,
    pub module: Module,
    /// Linked names of the kernels that its `//@ launch` lines name, in order.
    pub launched: Vec<String>,
    /// Linked names by name expression.
    pub names: BTreeMap<String, String>,
    /// "NVRTC 13.5"; a CUBIN's is not known.
    pub compiler: Option<String>,
    /// The kernel file's text.
    pub source: Option<String>,
    /// What there is to say besides: what was skipped, which templates have no instance.
    pub notes: Vec<String>,
}

/// The version of a problem that the options name.
pub fn version(baseline: bool, solution: bool) -> Version {
    match (baseline, solution) {
        (true, _) => Version::Baseline,
        (_, true) => Version::Solution,
        _ => Version::Candidate,
    }
}

/// Whether a subject names a file rather than a problem.
pub fn is_file(subject: &str) -> bool {
    let path = Path::new(subject);
    path.extension().is_some_and(|e| e == "cu" || e == "cubin") || path.is_file()
}

impl Loader<'_> {
    /// Compiles and disassembles.
    pub fn load(&self, subject: &str, version: &Version) -> Result<Loaded, Fault> {
        if is_file(subject) {
            let path = PathBuf::from(subject);
            if path.extension().is_some_and(|e| e == "cubin") {
                return self.cubin(&path);
            }
            let file = self.read(&path)?;
            let sizes = self.sizes_of(&path, &file)?;
            return self.compile(&file, &sizes, DEFAULT_ARCH, system::text::path(&path));
        }
        let workbook = workbook::open(self.context)?;
        let problem = workbook::find(&workbook, subject)?;
        if let Some(ladder) = problem.ladder() {
            let file = format!("kernels/{}/{}.cu", problem.id, ladder.versions.first().map_or("", String::as_str));
            return Err(usage(format!(
                "{} has {} versions: name the file of one, as in `checker sass {file}`",
                problem.id,
                ladder.versions.len()
            )));
        }
        // A sweep has one version.
        let version = if problem.sweep().is_some() { &Version::Sweep } else { version };
        let file = problem.version(version).usage()?;
        let label = file.path().strip_prefix(workbook.root()).unwrap_or(file.path());
        let label = system::text::path(label);
        self.compile(&file, &count_sizes(&problem), &problem.manifest.arch, label)
    }

    /// A file on its own. `CompileRequest::read` has the better messages for what is no text.
    fn read(&self, path: &Path) -> Result<KernelFile, Fault> {
        CompileRequest::read(path, DEFAULT_ARCH).map_err(compile_fault)?;
        let workbook = workbook::current(self.context)?;
        let problem = workbook.as_ref().and_then(|workbook| workbook.problem_of(path));
        let types = problem.map(|problem| problem.manifest.types()).unwrap_or_default();
        KernelFile::read_typed(path, &types, Workbook::owner_of(workbook.as_ref(), path)).usage()
    }

    /// Sizes for a file's template arguments: its own, or its problem's if it lies in a problem's folder.
    fn sizes_of(&self, path: &Path, file: &KernelFile) -> Result<Sizes, Fault> {
        let own = file.sizes(&Sizes::default()).usage()?;
        if !own.is_empty() {
            return Ok(own);
        }
        let problem = workbook::current(self.context)?.and_then(|workbook| workbook.problem_of(path));
        Ok(problem.as_ref().map(count_sizes).unwrap_or_default())
    }

    fn compile(&self, file: &KernelFile, sizes: &Sizes, arch: &str, label: String) -> Result<Loaded, Fault> {
        let arch = self.arch.unwrap_or(arch);
        let launches =
            file.statements_flat().iter().any(|s| matches!(s.kind, problem::statement::StatementKind::Launch(_)));
        let launched = if launches { file.name_expressions(sizes, &DeviceShape::H200).usage()? } else { Vec::new() };
        let mut request = CompileRequest::new(file.path(), file.text().as_bytes(), arch).map_err(compile_fault)?;
        request = request.kernels(launched.iter().map(String::as_str).chain(self.instance));
        let mut notes = Vec::new();
        // What belongs to a problem is compiled as it stands; any other file may have its host code in it.
        let problem = workbook::current(self.context)?.and_then(|workbook| workbook.problem_of(file.path()));
        let compiled = if problem.is_none() {
            let mut own = OwnCode::read(self.toolchain, file.path(), file.text());
            own.every_kernel = true;
            let mut compiled = own.compile(self.toolchain, &mut request).map_err(compile_fault)?;
            let all = self.context.verbosity >= crate::Verbosity::Verbose;
            notes = own::notes(&own, &label, all);
            if !launches && self.instance.is_none() {
                // Rather one instance of each than nothing.
                let instances = own.only_instances();
                let mut asked = request.clone().kernels(instances.iter().map(String::as_str));
                let found = if instances.is_empty() { None } else { own.compile(self.toolchain, &mut asked).ok() };
                match found {
                    Some(found) => {
                        compiled = found;
                        let told = "is an instance that the host launches, or a guess: --kernel asks for others";
                        notes.extend(instances.iter().map(|instance| format!("`{instance}` {told}")));
                    }
                    None => notes.extend(own.templates()),
                }
            }
            compiled
        } else {
            compile::compile(self.toolchain, &request).map_err(compile_fault)?
        };
        let mut module = self.disassemble(&compiled.cubin)?;
        compiled.name_files(&mut module.files);
        Ok(Loaded {
            label,
            module,
            launched: launched.iter().filter_map(|l| compiled.names.get(l).cloned()).collect(),
            names: compiled.names,
            compiler: Some(compiled.compiler),
            source: Some(file.text().to_owned()),
            notes,
        })
    }

    fn cubin(&self, path: &Path) -> Result<Loaded, Fault> {
        let shown = system::text::path(path);
        let bytes = files::read_named(path, LARGEST_CUBIN).map_err(|e| usage(format!("cannot read {shown}: {e}")))?;
        let module = match self.disassemble(&bytes) {
            Err(fault) if fault.exit == Exit::Usage => return Err(usage(format!("{shown}: {fault}"))),
            other => other?,
        };
        let (launched, names) = (Vec::new(), BTreeMap::new());
        Ok(Loaded { label: shown, module, launched, names, compiler: None, source: None, notes: Vec::new() })
    }

    fn disassemble(&self, cubin: &[u8]) -> Result<Module, Fault> {
        let options = check::listing_options(self.toolchain, sass::TIMEOUT);
        let options = sass::DisassemblyOptions { live: self.live, ..options };
        sass::disassemble(cubin, &options).map_err(|error| {
            let exit = match &error {
                sass::SassError::Cubin(_) => Exit::Usage,
                error if error.is_kernels_fault() => Exit::NotMet,
                _ => Exit::Environment,
            };
            Fault { exit, error: error.into() }
        })
    }
}

impl Loaded {
    /// The kernels that a name means, a name expression of the compilation included.
    pub fn find(&self, name: &str) -> Vec<&Kernel> {
        self.module.find(self.names.get(name).map_or(name, String::as_str))
    }

    /// Why a file has no machine code, and what to do.
    pub fn no_kernels(&self) -> String {
        let has = |word: &str| self.source.as_deref().is_some_and(|s| s.contains(word));
        if has("template") && has("__global__") {
            let notes: String = self.notes.iter().map(|note| format!("{note}\n")).collect();
            format!(
                "{}: its kernels are templates, and no instance is asked for, so there is no machine code\n{notes}\
                 next: name an instance, `--kernel 'NAME<...>'`, or add a line `//@ launch NAME<...><<<GRID, BLOCK>>>(...)`",
                self.label
            )
        } else {
            format!("{}: no kernel in it\nnext: declare one as `__global__ void NAME(...)`", self.label)
        }
    }
}

/// The sizes at which counters are taken; a sweep's first cell also has values for its row and column.
fn count_sizes(problem: &Problem) -> Sizes {
    match problem.sweep() {
        Some(sweep) => sweep.cells(&problem.manifest.count).first().map(|c| c.sizes.clone()).unwrap_or_default(),
        None => problem.manifest.count.clone(),
    }
}

fn compile_fault(error: CompileError) -> Fault {
    let exit = match error.cause() {
        CompileCause::Source => Exit::NotMet,
        CompileCause::Request => Exit::Usage,
        CompileCause::Environment => Exit::Environment,
    };
    // Its message has its cause in it already.
    Fault { exit, error: anyhow::anyhow!("{error}") }
}
