//! Kernels that run on the page: what the build compiles for the reader's browser, and where it lies beside the pages.
//!
//! A page has `<div class="wb-live">` under a listing; the scripts in `book/theme/live/` bring it to life with the simulator in
//! WebAssembly. Scripts and simulator lie in a folder named by their content, so that a browser's cache never mixes two builds.

use crate::PageError;
use crate::svg::escape;
use anyhow::{Context as _, Result, anyhow, bail};
use check::page_kernel;
use compiler::toolchain::Toolchain;
use problem::Workbook;
use serde::Deserialize;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::kept::Kept;

/// The folder beside the pages.
pub const FOLDER: &str = "live";
/// The simulator in it.
const SIMULATOR: &str = "simulator.wasm";
/// The scripts, from the workbook's root.
const SCRIPTS: &str = "book/theme/live";
/// The editor, which scripts/editor.sh bundles, and its name among the scripts.
const EDITOR: (&str, &str) = ("book/theme/editor/codemirror.js", "served/codemirror.js");

/// What pages need to run kernels, collected while they are written.
#[derive(Debug)]
pub struct PageKernels {
    /// Scripts and simulator by their path in that folder.
    parts: BTreeMap<String, Vec<u8>>,
    /// Name of the folder with the parts: their content's.
    folder: String,
    /// Kernels that pages show, by the name of their file.
    kernels: Mutex<BTreeMap<String, String>>,
}

impl PageKernels {
    /// None yet, with the workbook's scripts, and this simulator if there is one.
    ///
    /// # Errors
    /// A file cannot be read.
    pub fn new(workbook: &Workbook, simulator: Option<&Path>) -> Result<Self> {
        let read = |path: &Path| std::fs::read(path).with_context(|| format!("cannot read {}", path.display()));
        let mut parts = BTreeMap::new();
        if let Some(path) = simulator {
            parts.insert(SIMULATOR.to_owned(), read(path)?);
        }
        let mut scripts = scripts(&workbook.root().join(SCRIPTS), "")?;
        let editor = workbook.root().join(EDITOR.0);
        if editor.is_file() {
            scripts.push((EDITOR.1.to_owned(), editor));
        }
        for (name, path) in scripts {
            parts.insert(name, read(&path)?);
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
        if !self.runs() {
            return Ok(String::new());
        }
        let name = self.kernel((kept, toolchain, workbook), file)?.0;
        Ok(format!(
            "<div class=\"wb-live\" data-parts=\"{FOLDER}/{}\" data-kernel=\"{FOLDER}/{}\" data-listing=\"{}\" data-order=\"{}\"></div>\n\n",
            self.folder,
            escape(&name),
            listing.word(),
            escape(listing.order())
        ))
    }

    /// Sliders under a picture of `file`: the picture is drawn anew when one is moved. `wish` says which access of which warp
    /// it shows.
    ///
    /// # Errors
    /// The file does not compile, or has no such size.
    pub(crate) fn sliders(
        &self,
        made: (&Kept, &Toolchain, &Workbook),
        file: &str,
        wish: (u64, u32, draw::Wish),
        ranges: &[Range],
    ) -> Result<String> {
        if !self.runs() {
            return Ok(String::new());
        }
        let (name, kernel) = self.kernel(made, file)?;
        let sizes = serde_json::from_str::<Sized>(&kernel)?.sizes;
        let mut inputs = String::new();
        for Range { size, least, most } in ranges {
            let Some(value) = sizes.get(size) else {
                bail!(PageError(format!("slide={size}: {file} has no such size")))
            };
            let _ = write!(
                inputs,
                "<label class=\"wb-field\"><span>{0}</span><input type=\"range\" name=\"{0}\" min=\"{least}\" max=\"{most}\" \
                 value=\"{value}\"><output>{value}</output></label>",
                escape(size)
            );
        }
        Ok(format!(
            "<div class=\"wb-slide\" hidden data-parts=\"{FOLDER}/{}\" data-kernel=\"{FOLDER}/{}\" data-picture=\"{}\">{inputs}</div>\n",
            self.folder,
            escape(&name),
            escape(&serde_json::to_string(&wish)?)
        ))
    }

    /// Is there a simulator that runs kernels on their page?
    pub(crate) fn runs(&self) -> bool {
        self.parts.contains_key(SIMULATOR)
    }

    /// Where the scripts are, from the book's top.
    pub(crate) fn parts(&self) -> String {
        format!("{FOLDER}/{}", self.folder)
    }

    /// Machine code that answers: a script explains it and finds its lines.
    pub(crate) fn alive(&self, text: &str) -> String {
        format!("<div class=\"wb-machine\" data-parts=\"{FOLDER}/{}\">\n{text}</div>\n\n", self.folder)
    }

    /// Adds a kernel: the name of its file, and what is in it.
    fn kernel(
        &self,
        (kept, toolchain, workbook): (&Kept, &Toolchain, &Workbook),
        file: &str,
    ) -> Result<(String, String)> {
        let folder = file.rsplit_once('/').map_or("", |(folder, _)| folder);
        // An exercise's oracle lies beside its starter, a solution's with the exercise.
        let exercise = folder.replacen("solutions/", "exercises/", 1);
        let folders = [folder, exercise.as_str()];
        let text = kept.text(&format!("live {file}"), &folders, || {
            let kernel = page_kernel(toolchain, workbook, file).with_context(|| format!("compiling {file}"))?;
            Ok(serde_json::to_string(&kernel)?)
        })?;
        let name = format!("{}-{}.json", file.trim_end_matches(".cu").replace('/', "."), short(&Sha256::digest(&text)));
        self.kernels.lock().unwrap_or_else(PoisonError::into_inner).insert(name.clone(), text.clone());
        Ok((name, text))
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

/// A size that a reader moves, and its ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Range {
    size: String,
    least: i64,
    most: i64,
}

impl Range {
    /// `stride:1:33,offset:0:8`.
    pub(crate) fn list(text: &str) -> Result<Vec<Self>> {
        let one = |part: &str| {
            let (size, ends) = part.split_once(':')?;
            let (least, most) = ends.split_once(':')?;
            Some(Self { size: size.to_owned(), least: least.parse().ok()?, most: most.parse().ok()? })
        };
        let form = || anyhow!(PageError(format!("slide={text}: expected NAME:LEAST:MOST,...")));
        text.split(',').map(|part| one(part).filter(|range| range.least < range.most).ok_or_else(form)).collect()
    }
}

/// What the page needs to know of a kernel before it is fetched.
#[derive(Deserialize)]
struct Sized {
    sizes: BTreeMap<String, i64>,
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

/// The scripts in a folder and the folders in it: names from its top on, and where they lie.
fn scripts(folder: &Path, before: &str) -> Result<Vec<(String, PathBuf)>> {
    let entries = std::fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let mut found = Vec::new();
    for path in entries.flatten().map(|entry| entry.path()) {
        let name = format!("{before}{}", path.file_name().unwrap_or_default().to_string_lossy());
        if path.is_dir() {
            found.extend(scripts(&path, &format!("{name}/"))?);
        } else if name.ends_with(".js") {
            found.push((name, path));
        }
    }
    Ok(found)
}

/// As much of a hash as a name needs.
fn short(hash: &[u8]) -> String {
    hash.iter().take(6).fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
