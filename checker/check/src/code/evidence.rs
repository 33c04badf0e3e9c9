//! What the compiler alone says of a version: for pages that show evidence without running anything.

use crate::build::{BuildError, Built, build};
use crate::numbers::Known;
use crate::{CheckError, kernel_path};
use compiler::toolchain::Toolchain;
use plan::Plan;
use problem::{DeviceShape, KernelFile, Metric, Problem, Sizes, Version, Workbook};
use sass::{self, Kernel};
use std::path::Path;

/// A version's machine code and its launches at the `count` size.
#[derive(Debug)]
pub struct MachineCode {
    built: Built,
    plan: Plan,
}

/// Compiles and disassembles a version.
///
/// # Errors
/// There is no such version, or it does not compile: shipped versions do.
pub fn machine_code(
    toolchain: &Toolchain,
    problem: &Problem,
    version: &Version,
    arch: Option<&str>,
) -> Result<MachineCode, CheckError> {
    kernel_path(problem, version)?;
    let shipped = |message: String| CheckError::Shipped { problem: problem.id.to_string(), what: "a version", message };
    let sizes = problem.manifest.count.clone();
    let file = problem.version(version)?;
    let arch = arch.unwrap_or(&problem.manifest.arch);
    let refused = |refused| match refused {
        BuildError::Line(error) | BuildError::Launch(error, _) => error.into(),
        BuildError::Compile(error) => shipped(error.to_string()),
        BuildError::Error(error) => error,
    };
    let mut built = build(toolchain, file, std::slice::from_ref(&sizes), DeviceShape::H200, arch).map_err(refused)?;
    built.disassemble(toolchain, None)?;
    let plan = built.plan(&sizes, &problem.io(&sizes)?)?;
    Ok(MachineCode { built, plan })
}

/// The same of a kernel file of the workbook: a problem's, or one that stands alone, at its own sizes where `sizes` names
/// none.
///
/// # Errors
/// It cannot be read or compiled, or a line of it is wrong.
pub fn machine_code_of(
    toolchain: &Toolchain,
    workbook: &Workbook,
    path: &Path,
    sizes: &Sizes,
    element: Option<&str>,
    arch: &str,
) -> Result<MachineCode, CheckError> {
    let owner = workbook.problem_of(path).map(|problem| problem.for_file(path, element)).transpose()?;
    let types = owner.as_ref().map(|problem| problem.manifest.types()).unwrap_or_default();
    let file = KernelFile::read_typed(path, &types, Workbook::owner_of(Some(workbook), path))?;
    let owner = owner.filter(|_| file.stand_alone_statement().is_none());
    let shown = system::text::path(path);
    let shipped = |message: String| CheckError::Shipped { problem: shown.clone(), what: "a kernel file", message };
    let sizes = match &owner {
        Some(problem) => crate::run::problem_sizes(&file, problem, sizes)?,
        None => file.sizes(sizes)?,
    };
    let refused = |refused| match refused {
        BuildError::Line(error) | BuildError::Launch(error, _) => error.into(),
        BuildError::Compile(error) => shipped(error.to_string()),
        BuildError::Error(error) => error,
    };
    let mut built = build(toolchain, file, std::slice::from_ref(&sizes), DeviceShape::H200, arch).map_err(refused)?;
    built.disassemble(toolchain, None).map_err(|_| shipped("its machine code cannot be listed".into()))?;
    let io = owner.map_or_else(|| Ok(Vec::new()), |problem| problem.io(&sizes))?;
    let plan = built.plan(&sizes, &io)?;
    Ok(MachineCode { built, plan })
}

/// One launch: how large it is, and what a block of it takes of a multiprocessor.
#[derive(Debug, Clone)]
pub struct LaunchShape {
    /// Kernel as the launch names it.
    pub kernel: String,
    /// Blocks.
    pub blocks: u64,
    /// Threads per block.
    pub threads: u32,
    /// What a block asks for.
    pub usage: sass::occupancy::Usage,
    /// What fits.
    pub occupancy: sass::Occupancy,
    /// The architecture's limits.
    pub limits: sass::Limits,
    /// Streaming multiprocessors of the device.
    pub sms: u64,
}

impl MachineCode {
    /// The launches at the sizes it was compiled for; those of architectures without published limits are left out.
    pub fn launches(&self) -> Vec<LaunchShape> {
        let shape = |launch: &plan::Launch| {
            let threads = launch.block.iter().product::<u32>();
            let (usage, limits) = self.built.usage(&launch.kernel, threads, launch.shared)?;
            Some(LaunchShape {
                kernel: launch.kernel.clone(),
                blocks: launch.blocks(),
                threads,
                usage,
                occupancy: self.built.occupancy(&launch.kernel, threads, launch.shared)?,
                limits,
                sms: u64::try_from(self.built.device.sms).unwrap_or(0),
            })
        };
        self.plan.launches.iter().filter_map(shape).collect()
    }

    /// A metric of the machine code, the resources or the launches; `None` for others.
    pub fn value(&self, metric: &Metric) -> Option<f64> {
        Known { built: Some(&self.built), plan: Some(&self.plan), ..Known::default() }.value(metric)
    }

    /// The kernels that are launched.
    pub fn kernels(&self) -> Vec<&Kernel> {
        self.built.launched(&self.plan)
    }

    /// The line of the kernel file that an instruction comes from.
    pub fn line(&self, instruction: &sass::Instruction) -> Option<u32> {
        let source = instruction.source?;
        let name = self.built.module.as_ref()?.files.get(source.file)?;
        let own = Path::new(name).file_name()? == self.built.file.path().file_name()?;
        (own && source.line > 0).then_some(source.line)
    }

    /// "NVRTC 13.5".
    pub fn compiler(&self) -> &str {
        &self.built.compiled.compiler
    }
}

/// Which kernels of two versions to compare.
pub fn pairs<'a>(old: &'a MachineCode, new: &'a MachineCode) -> Vec<(&'a Kernel, &'a Kernel)> {
    sass::diff::pair(&old.kernels(), &new.kernels())
}
