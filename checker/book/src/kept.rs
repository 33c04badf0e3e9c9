//! What a page shows and what it took a compiler or the simulator to find out, kept by content: by the checker, by the
//! compiler, by every file of the folders that it was made from.

use anyhow::Result;
use compiler::toolchain::Toolchain;
use compiler::toolchain::home::Home;
use problem::Workbook;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use system::cache::ContentCache;

/// Most bytes on disk.
const LARGEST: u64 = 256 << 20;

/// Kept results of one workbook.
#[derive(Debug)]
pub struct Kept {
    cache: ContentCache,
    /// The checker and the compiler: what they say may change with them.
    makers: String,
    root: PathBuf,
    digests: Mutex<BTreeMap<PathBuf, String>>,
}

impl Kept {
    /// Those that this command and this toolchain made.
    pub fn new(workbook: &Workbook, toolchain: &Toolchain) -> Self {
        let own = std::env::current_exe().ok().and_then(|path| path.metadata().ok());
        let built = own.as_ref().and_then(|about| about.modified().ok());
        let makers = format!("{:?} {built:?} {}", own.map(|about| about.len()), toolchain.id);
        let cache = ContentCache::new(Home::from_environment().root().join("book"), LARGEST);
        Self { cache, makers, root: workbook.root().to_path_buf(), digests: Mutex::default() }
    }

    /// The text that `make` gives, made anew only when the question, the makers or a file of `folders`, which are the
    /// workbook's, has changed.
    ///
    /// # Errors
    /// Those of `make`.
    pub fn text(&self, question: &str, folders: &[&str], make: impl FnOnce() -> Result<String>) -> Result<String> {
        let key = self.key(question, folders);
        if let Some(text) = self.cache.read(&key).and_then(|bytes| String::from_utf8(bytes).ok()) {
            return Ok(text);
        }
        let text = make()?;
        // A cache that cannot be written costs time only.
        let _ = self.cache.write(&key, text.as_bytes());
        Ok(text)
    }

    /// Is the text kept?
    pub fn has(&self, question: &str, folders: &[&str]) -> bool {
        self.cache.read(&self.key(question, folders)).is_some()
    }

    fn key(&self, question: &str, folders: &[&str]) -> String {
        let mut hash = Sha256::new();
        for part in [self.makers.as_str(), question] {
            hash.update(part.len().to_le_bytes());
            hash.update(part);
        }
        for folder in folders {
            hash.update(self.digest(&self.root.join(folder)));
        }
        hex(&hash.finalize())
    }

    /// Names and contents of all files below a folder; of one that is not there, nothing.
    fn digest(&self, folder: &Path) -> String {
        let mut digests = self.digests.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(digest) = digests.get(folder) {
            return digest.clone();
        }
        let mut files = Vec::new();
        below(folder, &mut files);
        files.sort();
        let mut hash = Sha256::new();
        for file in files {
            // Where the workbook lies is nothing to a page.
            hash.update(file.strip_prefix(&self.root).unwrap_or(&file).to_string_lossy().as_bytes());
            hash.update([0]);
            hash.update(Sha256::digest(std::fs::read(&file).unwrap_or_default()));
        }
        let digest = hex(&hash.finalize());
        digests.insert(folder.to_path_buf(), digest.clone());
        digest
    }
}

/// Where the files of a problem's versions are.
pub fn folders_of(problem: &str) -> [String; 3] {
    ["kernels", "exercises", "solutions"].map(|group| format!("{group}/{problem}"))
}

fn below(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if is_learners(&path) {
            continue;
        }
        if path.is_dir() { below(&path, files) } else { files.push(path) }
    }
}

/// What a learner writes beside an exercise or a pair: on no page.
pub fn is_learners(path: &Path) -> bool {
    let own = path.file_name().is_some_and(|name| name == "kernel.cu" || name == "mine");
    let half_written = path.extension().is_some_and(|extension| extension == "new");
    own || half_written
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
