//! Headers beside a kernel file. They are read from its folder and below only, as regular files, never through a link.

use super::part::Include;
use crate::compile::headers::yields;
use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};
use system::files::Folder;

/// Most headers of one file.
const MOST: usize = 64;
/// Most bytes of one, and of all.
const LARGEST: u64 = 1 << 20;
const ALL: u64 = 8 << 20;

/// Finds and reads headers.
pub struct Headers<'a> {
    folder: PathBuf,
    /// Does the compiler have a header of that name already?
    known: &'a dyn Fn(&str) -> bool,
    /// Texts by their path below the folder.
    found: BTreeMap<String, String>,
    /// Bytes that may still be read.
    left: u64,
    /// Paths whose `#include`s have not been looked at.
    waiting: Vec<String>,
}

impl<'a> Headers<'a> {
    /// Of the file `path`.
    pub fn of(path: &Path, known: &'a dyn Fn(&str) -> bool) -> Headers<'a> {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        Headers { folder: folder.to_owned(), known, found: BTreeMap::new(), left: ALL, waiting: Vec::new() }
    }

    /// What `<name>` or `"name"` is, as `from` (a header's own path below the folder, or nothing) includes it.
    pub fn include(&mut self, from: &str, written: &str) -> Include {
        let quoted = written.starts_with('"');
        let name = written.trim_matches(['<', '>', '"']);
        // CUDA's own names are never taken.
        let known = (self.known)(name);
        if known && !yields(name) {
            return Include::Cuda;
        }
        if !quoted && !name.ends_with(".h") && !name.contains('.') {
            return Include::Absent;
        }
        let near = Path::new(from).parent().map(|near| near.join(name));
        for path in near.into_iter().chain([PathBuf::from(name)]) {
            let Some(path) = plain(&path) else { continue };
            if self.found.contains_key(&path) {
                return Include::Beside(path);
            }
            if let Some(text) = self.read(&path) {
                self.found.insert(path.clone(), text);
                self.waiting.push(path.clone());
                return Include::Beside(path);
            }
        }
        if known { Include::Cuda } else { Include::Absent }
    }

    /// The next header to look at.
    pub fn next(&mut self) -> Option<(String, String)> {
        let path = self.waiting.pop()?;
        let text = self.found.get(&path)?.clone();
        Some((path, text))
    }

    fn read(&mut self, path: &str) -> Option<String> {
        if self.found.len() >= MOST {
            return None;
        }
        let most = LARGEST.min(self.left);
        let bytes = Folder::trusted(&self.folder).and_then(|folder| folder.read(Path::new(path), most)).ok()?;
        self.left -= bytes.len() as u64;
        String::from_utf8(bytes).ok().filter(|text| !text.contains('\0'))
    }
}

/// The path with its `.` and `..` resolved by name; nothing if it leaves the folder.
fn plain(path: &Path) -> Option<String> {
    let mut parts: Vec<&str> = Vec::new();
    for component in path.components() {
        match component {
            Component::Normal(part) => parts.push(part.to_str().filter(|part| !part.contains(['"', '\\', '\n']))?),
            Component::CurDir => {}
            Component::ParentDir => drop(parts.pop()?),
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    (!parts.is_empty()).then(|| parts.join("/"))
}
