//! What the compiler alone says of a version: for pages that show evidence without running anything.

use super::build::{Built, Refused, build};
use super::numbers::Known;
use super::{CheckError, kernel_path};
use compiler::toolchain::Toolchain;
use plan::Plan;
use problem::{DeviceShape, Metric, Problem, Version};
use sass::{self, Kernel};

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
        Refused::Line(error) | Refused::Launch(error, _) => error.into(),
        Refused::Compile(error) => shipped(error.to_string()),
        Refused::Error(error) => error,
    };
    let mut built = build(toolchain, file, std::slice::from_ref(&sizes), DeviceShape::H200, arch).map_err(refused)?;
    built.disassemble(toolchain)?;
    let plan = built.plan(&sizes, &problem.io(&sizes)?)?;
    Ok(MachineCode { built, plan })
}

impl MachineCode {
    /// A metric of the machine code, the resources or the launches; `None` for others.
    pub fn value(&self, metric: &Metric) -> Option<f64> {
        Known { built: Some(&self.built), plan: Some(&self.plan), ..Known::default() }.value(metric)
    }

    /// The kernels that are launched.
    pub fn kernels(&self) -> Vec<&Kernel> {
        self.built.launched(&self.plan)
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
