//! What can be wrong with the toolchain. Every message says what to do next.

use std::fmt;
use std::path::PathBuf;

/// The environment's fault: exit status 3.
#[derive(Debug)]
pub enum ToolchainError {
    /// The explicitly named folder lacks something.
    SettingIncomplete {
        /// The folder.
        dir: PathBuf,
        /// The missing pieces.
        missing: Vec<&'static str>,
    },
    /// The explicitly named folder does not exist.
    SettingMissing {
        /// The folder.
        dir: PathBuf,
    },
    /// NVRTC of the explicitly named folder is older than 12.0.
    TooOld {
        /// The library.
        path: PathBuf,
        /// Its version.
        version: (u32, u32),
    },
    /// Nothing complete was found and provisioning is forbidden.
    Offline {
        /// The missing pieces.
        missing: Vec<&'static str>,
    },
    /// The provisioned folder turned out incomplete.
    Incomplete {
        /// The missing pieces.
        missing: Vec<&'static str>,
    },
    /// Neither uv nor a python3 with pip.
    NoInstaller {
        /// The missing pieces.
        missing: Vec<&'static str>,
    },
    /// The package index was not reached.
    NoNetwork {
        /// The installer's own words.
        detail: String,
    },
    /// The disk is full.
    DiskFull {
        /// The folder.
        dir: PathBuf,
    },
    /// The home folder cannot be written.
    NotWritable {
        /// The folder.
        dir: PathBuf,
        /// The system's words.
        detail: String,
    },
    /// The home folder, which nobody named, is another user's.
    NotYours {
        /// The folder.
        dir: PathBuf,
    },
    /// The installer failed for another reason.
    InstallFailed {
        /// "uv" or "python3 -m pip".
        installer: String,
        /// The installer's last words.
        detail: String,
    },
    /// The downloaded packages are not the pinned ones.
    HashMismatch {
        /// The installer's words.
        detail: String,
    },
    /// NVRTC could not be loaded.
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

    /// What is wrong.
    pub fn finding(&self) -> String {
        match self {
            Self::SettingIncomplete { dir, missing } => {
                format!("the CUDA folder {} has no {}", dir.display(), missing.join(", no "))
            }
            Self::SettingMissing { dir } => format!("the CUDA folder {} does not exist", dir.display()),
            Self::TooOld { path, version: (major, minor) } => {
                format!("{} is NVRTC {major}.{minor}; Warpbook needs 12.0 or newer", path.display())
            }
            Self::Offline { missing } => {
                format!("no {} found, and WARPBOOK_OFFLINE forbids installing", missing.join(", no "))
            }
            Self::Incomplete { missing } => format!("the installed toolchain still lacks {}", missing.join(", ")),
            Self::NoInstaller { missing } => {
                let missing = missing.join(", no ");
                format!("no {missing} found, and neither `uv` nor `python3 -m pip` is there to install it")
            }
            Self::NoNetwork { detail } => format!("the CUDA compiler's packages could not be downloaded: {detail}"),
            Self::DiskFull { dir } => {
                let dir = dir.display();
                format!("no space left in {dir}: the CUDA toolchain needs about 260 MB there while it is installed")
            }
            Self::NotWritable { dir, detail } => format!("cannot write {}: {detail}", dir.display()),
            Self::NotYours { dir } => {
                format!("{} is not yours alone, and libraries would be loaded from there", dir.display())
            }
            Self::InstallFailed { installer, detail } => {
                format!("installing the CUDA toolchain with {installer} failed: {detail}")
            }
            Self::HashMismatch { detail } => {
                format!("a downloaded package is not the one Warpbook pins: {detail}")
            }
            Self::Unusable { path, detail } => format!("{} cannot be loaded: {detail}", path.display()),
        }
    }

    /// What to do about it.
    pub fn next_step(&self) -> &'static str {
        match self {
            Self::SettingIncomplete { .. } => {
                "name a complete CUDA folder (12.0 or newer), or unset it and let the checker find or install one"
            }
            Self::SettingMissing { .. } => "correct --toolchain or WARPBOOK_CUDA, or unset it",
            Self::TooOld { .. } => "name a newer CUDA folder, or unset it and let the checker install one",
            Self::Offline { .. } => "set WARPBOOK_CUDA to a CUDA folder (12.0 or newer), or unset WARPBOOK_OFFLINE",
            Self::Incomplete { .. } => {
                "run `checker doctor`; this platform may have no packages: set WARPBOOK_CUDA to a CUDA folder"
            }
            Self::NoInstaller { .. } => {
                "install uv or Python 3 with pip, or set WARPBOOK_CUDA to a CUDA folder (12.0 or newer)"
            }
            Self::NoNetwork { .. } => {
                "check the network or the proxy and run again, or set WARPBOOK_CUDA to a CUDA folder (12.0 or newer)"
            }
            Self::DiskFull { .. } => "free some space, or set WARPBOOK_HOME to a folder on another disk",
            Self::NotWritable { .. } => "set WARPBOOK_HOME to a folder that you may write",
            Self::NotYours { .. } => "set WARPBOOK_HOME to a folder of your own",
            Self::InstallFailed { .. } => "run it again; `checker doctor` shows what is there",
            Self::HashMismatch { .. } => "check the configured package index or proxy; nothing was installed",
            Self::Unusable { .. } => "set WARPBOOK_CUDA to a working CUDA folder (12.0 or newer)",
        }
    }
}

impl fmt::Display for ToolchainError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}\n  next: {}", self.finding(), self.next_step())
    }
}

impl std::error::Error for ToolchainError {}
