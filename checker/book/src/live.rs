//! Kernels that run on the page: what the build compiles for the reader's browser, and where it lies beside the pages.
//!
//! A page has `<div class="wb-live">` under a listing; the scripts in `book/theme/live/` bring it to life with the simulator in
//! WebAssembly. Scripts and simulator lie in a folder named by their content, so that a browser's cache never mixes two builds.

use crate::svg::escape;
use anyhow::{Context as _, Result};
use check::page_kernel;
use compiler::toolchain::Toolchain;
use problem::Workbook;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::kept::Kept;

/// The folder beside the pages.
const FOLDER: &str = "live";
/// The simulator in it.
const SIMULATOR: &str = "simulator.wasm";
/// The scripts, from the workbook's root.
const SCRIPTS: &str = "book/theme/live";

/// What pages need to run kernels, collected while they are written.
#[derive(Debug)]
pub struct Shelf {
    /// Scripts and simulator by name.
    parts: BTreeMap<String, Vec<u8>>,
    /// Name of the folder with the parts: their content's.
    folder: String,
    /// Kernels that pages show, by the name of their file.
    kernels: Mutex<BTreeMap<String, String>>,
}

impl Shelf {
    /// A shelf with the workbook's scripts and this simulator.
    ///
    /// # Errors
    /// A file cannot be read.
    pub fn new(workbook: &Workbook, simulator: &Path) -> Result<Self> {
        let read = |path: &Path| std::fs::read(path).with_context(|| format!("cannot read {}", path.display()));
        let mut parts = BTreeMap::from([(SIMULATOR.to_owned(), read(simulator)?)]);
        let scripts = workbook.root().join(SCRIPTS);
        let entries = std::fs::read_dir(&scripts).with_context(|| format!("cannot read {}", scripts.display()))?;
        for path in entries.flatten().map(|entry| entry.path()) {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if name.ends_with(".js") {
                parts.insert(name, read(&path)?);
            }
        }
        let mut hash = Sha256::new();
        for (name, bytes) in &parts {
            hash.update(name);
            hash.update([0]);
            hash.update(Sha256::digest(bytes));
        }
        let folder = short(&hash.finalize());
        Ok(Self { parts, folder, kernels: Mutex::default() })
    }

    /// The block under a listing of `file`; `listing` says that it brings its own.
    ///
    /// # Errors
    /// The file does not compile.
    pub(crate) fn block(
        &self,
        (kept, toolchain, workbook): (&Kept, &Toolchain, &Workbook),
        file: &str,
        listing: Listing<'_>,
    ) -> Result<String> {
        let folder = file.rsplit_once('/').map_or("", |(folder, _)| folder);
        // An exercise's oracle lies beside its starter, a solution's with the exercise.
        let exercise = folder.replacen("solutions/", "exercises/", 1);
        let folders = [folder, exercise.as_str()];
        let text = kept.text(&format!("live {file}"), &folders, || {
            let kernel = page_kernel(toolchain, workbook, file).with_context(|| format!("compiling {file}"))?;
            Ok(serde_json::to_string(&kernel)?)
        })?;
        let name = format!("{}-{}.json", file.trim_end_matches(".cu").replace('/', "."), short(&Sha256::digest(&text)));
        let block = format!(
            "<div class=\"wb-live\" data-parts=\"{FOLDER}/{}\" data-kernel=\"{FOLDER}/{}\" data-listing=\"{}\" data-order=\"{}\"></div>\n\n",
            self.folder,
            escape(&name),
            listing.word(),
            escape(listing.order())
        );
        self.kernels.lock().unwrap_or_else(PoisonError::into_inner).insert(name, text);
        Ok(block)
    }

    /// Writes everything into the built book's folder.
    ///
    /// # Errors
    /// The folder or a file cannot be written.
    pub fn write(&self, built: &Path) -> Result<()> {
        let top = built.join(FOLDER);
        let parts = self.parts.iter().map(|(name, bytes)| (top.join(&self.folder).join(name), bytes.as_slice()));
        let kernels = self.kernels.lock().unwrap_or_else(PoisonError::into_inner);
        let kernels = kernels.iter().map(|(name, text)| (top.join(name), text.as_bytes()));
        let files: Vec<(PathBuf, &[u8])> = parts.chain(kernels).collect();
        for (path, bytes) in files {
            let failed = || format!("cannot write {}", path.display());
            std::fs::create_dir_all(path.parent().unwrap_or(built)).with_context(failed)?;
            std::fs::write(&path, bytes).with_context(failed)?;
        }
        Ok(())
    }
}

/// Where the lines are that a run marks.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Listing<'a> {
    /// In the code block before it.
    Above,
    /// In a listing that the script writes when it is asked for, of a run under this schedule.
    Own(&'a str),
}

impl Listing<'_> {
    const fn word(&self) -> &'static str {
        match self {
            Self::Above => "above",
            Self::Own(_) => "own",
        }
    }

    const fn order(&self) -> &str {
        match self {
            Self::Above => "its",
            Self::Own(order) => order,
        }
    }
}

/// As much of a hash as a name needs.
fn short(hash: &[u8]) -> String {
    hash.iter().take(6).fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
