//! What can be wrong with the toolchain. Every message says what to do next.

use std::path::PathBuf;

/// The environment's fault: exit status 3.
#[derive(Debug, thiserror::Error)]
pub enum ToolchainError {
    /// The explicitly named folder lacks something.
    #[error(
        "the CUDA folder {} has no {}\n  next: name a complete CUDA folder (12.0 or newer), or unset it and let the \
         checker find or install one", dir.display(), missing.join(", no ")
    )]
    SettingIncomplete {
        /// The folder.
        dir: PathBuf,
        /// The missing pieces.
        missing: Vec<&'static str>,
    },
    /// The explicitly named folder does not exist.
    #[error("the CUDA folder {} does not exist\n  next: correct --toolchain or WARPBOOK_CUDA, or unset it", dir.display())]
    SettingMissing {
        /// The folder.
        dir: PathBuf,
    },
    /// NVRTC of the explicitly named folder is older than 12.0.
    #[error(
        "{} is NVRTC {}.{}; Warpbook needs 12.0 or newer\n  next: name a newer CUDA folder, or unset it and let the \
         checker install one", path.display(), version.0, version.1
    )]
    TooOld {
        /// The library.
        path: PathBuf,
        /// Its version.
        version: (u32, u32),
    },
    /// Nothing complete was found and provisioning is forbidden.
    #[error(
        "no {} found, and WARPBOOK_OFFLINE forbids installing\n  next: set WARPBOOK_CUDA to a CUDA folder (12.0 or \
         newer), or unset WARPBOOK_OFFLINE", missing.join(", no ")
    )]
    Offline {
        /// The missing pieces.
        missing: Vec<&'static str>,
    },
    /// The provisioned folder turned out incomplete.
    #[error(
        "the installed toolchain still lacks {}\n  next: run `checker doctor`; this platform may have no packages: set \
         WARPBOOK_CUDA to a CUDA folder", missing.join(", ")
    )]
    Incomplete {
        /// The missing pieces.
        missing: Vec<&'static str>,
    },
    /// Neither uv nor a python3 with pip.
    #[error(
        "no {} found, and neither `uv` nor `python3 -m pip` is there to install it\n  next: install uv or Python 3 \
         with pip, or set WARPBOOK_CUDA to a CUDA folder (12.0 or newer)", missing.join(", no ")
    )]
    NoInstaller {
        /// The missing pieces.
        missing: Vec<&'static str>,
    },
    /// The package index was not reached.
    #[error(
        "the CUDA compiler's packages could not be downloaded: {detail}\n  next: check the network or the proxy and \
         run again, or set WARPBOOK_CUDA to a CUDA folder (12.0 or newer)"
    )]
    NoNetwork {
        /// The installer's own words.
        detail: String,
    },
    /// The disk is full.
    #[error(
        "no space left in {}: the CUDA toolchain needs about 260 MB there while it is installed\n  next: free some \
         space, or set WARPBOOK_HOME to a folder on another disk", dir.display()
    )]
    DiskFull {
        /// The folder.
        dir: PathBuf,
    },
    /// The home folder cannot be written.
    #[error("cannot write {}: {detail}\n  next: set WARPBOOK_HOME to a folder that you may write", dir.display())]
    NotWritable {
        /// The folder.
        dir: PathBuf,
        /// The system's words.
        detail: String,
    },
    /// The installer failed for another reason.
    #[error(
        "installing the CUDA toolchain with {installer} failed: {detail}\n  next: run it again; `checker doctor` shows what is there"
    )]
    InstallFailed {
        /// "uv" or "python3 -m pip".
        installer: String,
        /// The installer's last words.
        detail: String,
    },
    /// The downloaded packages are not the pinned ones.
    #[error(
        "a downloaded package is not the one Warpbook pins: {detail}\n  next: check the configured package index or \
         proxy; nothing was installed"
    )]
    HashMismatch {
        /// The installer's words.
        detail: String,
    },
    /// NVRTC could not be loaded.
    #[error("{} cannot be loaded: {detail}\n  next: set WARPBOOK_CUDA to a working CUDA folder (12.0 or newer)", path.display())]
    Unusable {
        /// The library.
        path: PathBuf,
        /// The loader's words.
        detail: String,
    },
}

impl ToolchainError {
    /// The exit status: the environment is at fault.
    pub fn exit_code(&self) -> u8 {
        3
    }
}
