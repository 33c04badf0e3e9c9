//! Versions that are going to be needed, compiled side by side and listed together: of a machine code's listing nearly all is the
//! start of nvdisasm, which then is the same for dozens of them.

use crate::build::listing_options;
use crate::platform::Platform;
use crate::{CheckError, CheckOptions, compile_version};
use compiler::toolchain;
use problem::{Kind, Problem, Version};
use rayon::prelude::*;

/// Compiles and lists them, so that every check of them, and every page, finds both kept. What cannot be built is left to whoever
/// needs it, and says there why.
///
/// # Errors
/// There is no toolchain.
pub fn ahead(wanted: &[(&Problem, Version)], options: &CheckOptions) -> Result<(), CheckError> {
    let toolchain = toolchain::locate(&options.toolchain)?;
    let compiled = |(problem, version): &(&Problem, Version)| {
        let platform = Platform::sim(options.arch.as_deref().unwrap_or(&problem.manifest.arch));
        compile_version(&toolchain, problem, version, &platform, None).ok().map(|built| built.compiled)
    };
    // A sweep is one file at many sizes, and a ladder lists its own.
    let alone = |(problem, _): &&(&Problem, Version)| !matches!(problem.kind, Kind::Ladder | Kind::Sweep);
    let compiled: Vec<_> = wanted.par_iter().filter(alone).filter_map(compiled).collect();
    let cubins: Vec<&[u8]> = compiled.iter().map(|compiled| compiled.cubin.as_slice()).collect();
    sass::prepare(&cubins, &listing_options(&toolchain, sass::TIMEOUT));
    Ok(())
}
