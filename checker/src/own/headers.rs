//! Headers beside a kernel file. They are read from its folder and below only, as regular files, never through a link.

use super::part::Include;
use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Component, Path, PathBuf};

/// Most headers of one file.
const MOST: usize = 64;
/// Most bytes of one.
const LARGEST: u64 = 1 << 20;

/// Finds and reads headers.
pub struct Headers<'a> {
    folder: PathBuf,
    /// Does the compiler have a header of that name already?
    known: &'a dyn Fn(&str) -> bool,
    /// Texts by their path below the folder.
    found: BTreeMap<String, String>,
    /// Paths whose `#include`s have not been looked at.
    waiting: Vec<String>,
}

impl<'a> Headers<'a> {
    /// Of the file `path`.
    pub fn of(path: &Path, known: &'a dyn Fn(&str) -> bool) -> Headers<'a> {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        Headers { folder: folder.to_owned(), known, found: BTreeMap::new(), waiting: Vec::new() }
    }

    /// What `<name>` or `"name"` is, as `from` (a header's own path below the folder, or nothing) includes it.
    pub fn include(&mut self, from: &str, written: &str) -> Include {
        let quoted = written.starts_with('"');
        let name = written.trim_matches(['<', '>', '"']);
        // A file beside comes first where it is quoted, as in C++; CUDA's own names are never taken.
        if (self.known)(name) {
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
        Include::Absent
    }

    /// The next header to look at.
    pub fn next(&mut self) -> Option<(String, String)> {
        let path = self.waiting.pop()?;
        let text = self.found.get(&path)?.clone();
        Some((path, text))
    }

    fn read(&self, path: &str) -> Option<String> {
        if self.found.len() >= MOST {
            return None;
        }
        // No part of it may be a link: a link may lead out of the folder.
        let mut whole = self.folder.clone();
        for part in path.split('/') {
            whole.push(part);
            let kind = std::fs::symlink_metadata(&whole).ok()?.file_type();
            if !(kind.is_dir() || kind.is_file()) {
                return None;
            }
        }
        let file = open(&whole).ok()?;
        let metadata = file.metadata().ok()?;
        if !metadata.is_file() || metadata.len() > LARGEST {
            return None;
        }
        let mut bytes = Vec::new();
        file.take(LARGEST + 1).read_to_end(&mut bytes).ok()?;
        let text = String::from_utf8(bytes).ok()?;
        (text.len() as u64 <= LARGEST && !text.contains('\0')).then_some(text)
    }
}

/// Opens a regular file, not through a link and without waiting for the other end of a pipe.
#[cfg(unix)]
fn open(path: &Path) -> std::io::Result<std::fs::File> {
    use rustix::fs::{Mode, OFlags, open};
    Ok(open(path, OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC, Mode::empty())?.into())
}

#[cfg(not(unix))]
fn open(path: &Path) -> std::io::Result<std::fs::File> {
    std::fs::File::open(path)
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
