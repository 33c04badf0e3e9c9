//! Versions that are going to be needed, compiled side by side and listed together: of a machine code's listing nearly all is the
//! start of nvdisasm, which then is the same for dozens of them.

use crate::build::listing_options;
use crate::platform::Platform;
use crate::{CheckError, CheckOptions, compile_version};
use compiler::toolchain::{self, Toolchain};
use problem::{Kind, Problem, Version};
use rayon::prelude::*;

/// Makes versions ready, so that every check of them, and every page, finds them kept. What cannot be built is left to whoever needs
/// it, and says there why.
#[derive(Debug)]
pub struct Ahead {
    toolchain: Toolchain,
    arch: Option<String>,
}

impl Ahead {
    /// With the toolchain and for the architecture of these options.
    ///
    /// # Errors
    /// There is no toolchain.
    pub fn new(options: &CheckOptions) -> Result<Self, CheckError> {
        Ok(Self { toolchain: toolchain::locate(&options.toolchain)?, arch: options.arch.clone() })
    }

    /// Compiles a version; its machine code, if that is to be listed with others'.
    pub fn compile(&self, problem: &Problem, version: &Version) -> Option<Vec<u8>> {
        // A sweep is one file at many sizes, and a ladder lists its own.
        if matches!(problem.kind, Kind::Ladder | Kind::Sweep) {
            return None;
        }
        let platform = Platform::sim(self.arch.as_deref().unwrap_or(&problem.manifest.arch));
        compile_version(&self.toolchain, problem, version, &platform, None).ok().map(|built| built.compiled.cubin)
    }

    /// Lists machine code.
    pub fn list(&self, cubins: &[Vec<u8>]) {
        let cubins: Vec<&[u8]> = cubins.iter().map(Vec::as_slice).collect();
        sass::prepare(&cubins, &listing_options(&self.toolchain, sass::TIMEOUT));
    }
}

/// Compiles and lists them.
///
/// # Errors
/// There is no toolchain.
pub fn ahead(wanted: &[(&Problem, Version)], options: &CheckOptions) -> Result<(), CheckError> {
    let ahead = Ahead::new(options)?;
    let compiled: Vec<_> = wanted.par_iter().filter_map(|(problem, version)| ahead.compile(problem, version)).collect();
    ahead.list(&compiled);
    Ok(())
}
