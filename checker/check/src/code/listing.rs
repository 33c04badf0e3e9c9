//! A version's machine code without what a compiler may change at will, for comparing versions with each other.

use crate::{CheckError, CheckOptions, build_version, platform};
use compiler::toolchain;
use problem::Problem;

/// Its instructions, kernel after kernel, normalised as in a diff. Both the compiler's and the disassembler's answers are kept from
/// the check before, so this costs little.
///
/// # Errors
/// As [`crate::check`], where the version does not compile.
pub fn listing(problem: &Problem, options: &CheckOptions) -> Result<Vec<String>, CheckError> {
    let toolchain = toolchain::locate(&options.toolchain)?;
    let platforms = platform::choose(problem, options)?;
    let Some(here) = platforms.sim.or(platforms.gpu) else { return Ok(Vec::new()) };
    let built = build_version(&toolchain, problem, &options.version(), &here, None)?;
    let kernels = built.module.iter().flat_map(|module| &module.kernels);
    Ok(kernels.flat_map(|kernel| kernel.code()).map(sass::diff::normalised).collect())
}
