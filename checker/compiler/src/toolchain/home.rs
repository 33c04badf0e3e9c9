//! The workbook's own folder: `WARPBOOK_HOME`, else `$XDG_CACHE_HOME/warpbook`, else `~/.cache/warpbook`.

use super::ToolchainError;
use std::path::{Path, PathBuf};
use system::cache;

/// The folder for the toolchain, compiled results and cached probes. Everything in it can be deleted at any time.
#[derive(Debug, Clone)]
pub struct Home {
    root: PathBuf,
    /// It lies where everybody may have made a folder of that name.
    is_temporary: bool,
}

impl Home {
    /// From the environment; falls back to the system's temporary folder where no home directory is known.
    pub fn from_environment() -> Home {
        let var = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let own = var("WARPBOOK_HOME")
            .or_else(|| var("XDG_CACHE_HOME").map(|dir| dir.join("warpbook")))
            .or_else(|| var("HOME").map(|dir| dir.join(".cache").join("warpbook")))
            .or_else(|| var("LOCALAPPDATA").map(|dir| dir.join("warpbook")));
        let is_temporary = own.is_none();
        let root = own.unwrap_or_else(|| std::env::temp_dir().join("warpbook"));
        // Relative settings would point elsewhere in child processes, which run in other folders.
        Home { root: std::path::absolute(&root).unwrap_or(root), is_temporary }
    }

    /// A given folder.
    pub fn at(root: impl Into<PathBuf>) -> Home {
        Home { root: root.into(), is_temporary: false }
    }

    /// Sees to it that a folder which nobody named is this user's alone: libraries in it are loaded.
    ///
    /// # Errors
    /// It is somebody else's, or it cannot be made.
    pub fn secure(&self) -> Result<(), ToolchainError> {
        if !self.is_temporary {
            return Ok(());
        }
        let dir = || self.root.clone();
        cache::make_private(&self.root)
            .map_err(|error| ToolchainError::NotWritable { dir: dir(), detail: error.to_string() })?;
        cache::private(&self.root).map_err(|_| ToolchainError::NotYours { dir: dir() })
    }

    /// The folder itself.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Provisioned toolchains, one folder for every requirements file.
    pub fn toolchains(&self) -> PathBuf {
        self.root.join("toolchain")
    }

    /// Compiled kernels.
    pub fn compiled(&self) -> PathBuf {
        self.root.join("compiled")
    }

    /// Precompiled headers.
    pub fn precompiled(&self) -> PathBuf {
        self.root.join("pch")
    }

    /// What slow probes found.
    pub fn probes(&self) -> PathBuf {
        self.root.join("probes")
    }
}

/// Whether `WARPBOOK_OFFLINE` forbids provisioning.
pub fn offline() -> bool {
    std::env::var_os("WARPBOOK_OFFLINE").is_some_and(|value| !value.is_empty() && value != "0")
}

/// Whether `WARPBOOK_PCH=0` forbids precompiled headers.
pub fn plain_headers() -> bool {
    std::env::var_os("WARPBOOK_PCH").is_some_and(|value| value == "0")
}
