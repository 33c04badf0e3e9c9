//! Find or provision NVRTC, nvdisasm and the CUDA headers.
//!
//! Looked for in this order: an explicit setting, `CUDA_HOME` or `CUDA_PATH`, the usual system places, the Python
//! packages of `python3`, the workbook's own toolchain folder. The pieces may come from different places; each keeps
//! its [`Origin`]. What is missing is installed into the workbook's folder, once, from a pinned list.

pub mod doctor;
mod error;
pub mod home;
pub mod installing;
mod probe;
mod provision;
mod search;

pub use error::ToolchainError;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::{Path, PathBuf};

/// The oldest NVRTC that is accepted, as (major, minor).
pub const OLDEST: (u32, u32) = (12, 0);

/// What the user may say about the toolchain.
#[derive(Debug, Clone, Default)]
pub struct ToolchainOptions {
    /// A CUDA folder that must be used (`--toolchain DIR`); `WARPBOOK_CUDA` says the same, more quietly.
    pub dir: Option<PathBuf>,
    /// Look in no place but the workbook's own folder.
    pub own_only: bool,
}

/// Where a piece was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Origin {
    /// `--toolchain DIR` or `WARPBOOK_CUDA`.
    Setting,
    /// `CUDA_HOME` or `CUDA_PATH`.
    Environment,
    /// One of the usual system places.
    System,
    /// The Python packages of `python3` on the search path.
    Python,
    /// The workbook's own toolchain folder.
    Workbook,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Origin::Setting => "explicit setting",
            Origin::Environment => "CUDA_HOME or CUDA_PATH",
            Origin::System => "system",
            Origin::Python => "Python packages",
            Origin::Workbook => "the workbook's toolchain folder",
        })
    }
}

/// NVRTC, the headers and nvdisasm: enough to compile and to disassemble.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Toolchain {
    /// The NVRTC library.
    pub nvrtc: PathBuf,
    /// NVRTC's version, as it says itself: (major, minor).
    pub nvrtc_version: (u32, u32),
    /// Compute capabilities NVRTC compiles for, times ten: 75, 80, ...
    pub archs: Vec<u32>,
    /// Where NVRTC was found.
    pub nvrtc_origin: Origin,
    /// Header folders, in search order.
    pub includes: Vec<PathBuf>,
    /// Where the headers were found.
    pub includes_origin: Origin,
    /// The nvdisasm program.
    pub nvdisasm: PathBuf,
    /// Where nvdisasm was found.
    pub nvdisasm_origin: Origin,
    /// Changes when any piece changes; part of every compiled result's key.
    pub id: String,
}

impl Toolchain {
    /// "NVRTC 13.5", for reports and results files.
    pub fn compiler(&self) -> String {
        format!("NVRTC {}.{}", self.nvrtc_version.0, self.nvrtc_version.1)
    }
}

/// Finds a complete toolchain, or provisions one.
///
/// # Errors
/// Every [`ToolchainError`] is the environment's fault (exit status 3) and says the next step.
pub fn locate(options: &ToolchainOptions) -> Result<Toolchain, ToolchainError> {
    let home = home::Home::from_environment();
    let mut found = search::find(options, &home)?;
    if let Some(toolchain) = found.complete(&home)? {
        return Ok(toolchain);
    }
    if let Some(dir) = &found.setting {
        return Err(ToolchainError::SettingIncomplete { dir: dir.clone(), missing: found.missing() });
    }
    // An installation that is there and yet not usable is damaged in a way that its stamp does not show.
    let damaged = found.roots.iter().any(|root| root.origin == Origin::Workbook);
    let missing = found.missing();
    let root = provision::provision(&home, &missing, damaged)?;
    found.roots.retain(|root| root.origin != Origin::Workbook);
    found.add(Origin::Workbook, &root);
    if let Some(toolchain) = found.complete(&home)? {
        return Ok(toolchain);
    }
    let own = found.roots.iter().find(|root| root.origin == Origin::Workbook);
    Err(match own.and_then(|root| Some((root.nvrtc.clone()?, root.refused.clone()?))) {
        Some((path, detail)) => ToolchainError::Unusable { path, detail },
        None => ToolchainError::Incomplete { missing: found.missing() },
    })
}

/// The first bytes of a SHA-256, in hex: enough to name a folder or an entry.
pub(crate) fn short_hash(parts: &[&[u8]]) -> String {
    use sha2::{Digest, Sha256};
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    hash.finalize().iter().take(16).map(|byte| format!("{byte:02x}")).collect()
}

/// Size and modification time: what a probe's or a compilation's result depends on besides the path.
pub(crate) fn fingerprint(path: &Path) -> String {
    let stamp = std::fs::metadata(path).ok().map(|meta| {
        let modified = meta.modified().ok().and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
        (meta.len(), modified.unwrap_or_default().as_nanos())
    });
    format!("{} {:?}", path.display(), stamp)
}
