//! The book that is served: built beside the server, and again whenever one of its files has changed. Each build has a folder of its
//! own, so nobody is shown half of one.

use super::super::build;
use book::Progress;
use command::terminal::context::say;
use command::{Context, Fault};
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;
use system::interrupt::{HalfWritten, has_ended};

/// Between two looks at the workbook's files.
const LOOK: Duration = Duration::from_secs(1);
/// What pages are made of, from the workbook's root.
const SOURCES: [&str; 8] = [
    "book/src",
    "book/theme",
    "book/results",
    "book/book.toml",
    "book/topics.toml",
    "kernels",
    "exercises",
    "solutions",
];
/// Where builds lie, from the workbook's root.
const FOLDER: &str = ".warpbook/served";

/// What a reader can be shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Shown {
    /// The first build goes on.
    Coming {
        /// Pages that are written.
        done: usize,
        /// All pages; 0 while nobody knows.
        of: usize,
    },
    /// A built book.
    Book(PathBuf),
}

/// The book as it is now.
#[derive(Debug)]
pub struct Built(Mutex<Shown>);

impl Built {
    /// Nothing is built yet.
    pub fn new() -> Self {
        Self(Mutex::new(Shown::Coming { done: 0, of: 0 }))
    }

    /// What can be shown now.
    pub fn shown(&self) -> Shown {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn show(&self, shown: Shown) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = shown;
    }

    fn progress(&self, progress: Progress<'_>) {
        let mut shown = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Shown::Coming { done, of } = &mut *shown {
            (*done, *of) = (progress.done.max(*done), progress.of);
        }
    }
}

/// Builds the book of the workbook at `root`, and again when it has changed; returns why the first build came to nothing.
pub fn keep(context: &Context, root: &Path, built: &Arc<Built>) -> Fault {
    let top = root.join(FOLDER).join(std::process::id().to_string());
    let _guard = HalfWritten::new(&top);
    abandoned(root);
    let mut last: Option<PathBuf> = None;
    let mut turn = 0u64;
    loop {
        // As it was before the build read it.
        let before = stamp(root);
        let folder = top.join(turn.to_string());
        let teller = built.clone();
        match build(context, Some(&folder), Arc::new(move |progress| teller.progress(progress))) {
            Ok(folder) => {
                built.show(Shown::Book(folder.clone()));
                if let Some(old) = last.replace(folder) {
                    let _ = std::fs::remove_dir_all(old);
                }
            }
            Err(fault) if last.is_none() => return fault,
            Err(fault) => say(&format!("the pages are those of the last build: {fault}")),
        }
        while stamp(root) == before {
            thread::sleep(LOOK);
        }
        turn += 1;
    }
}

/// Takes away what servers left that were killed.
fn abandoned(root: &Path) {
    for entry in std::fs::read_dir(root.join(FOLDER)).into_iter().flatten().flatten() {
        let process = entry.file_name().to_str().and_then(|name| rustix::process::Pid::from_raw(name.parse().ok()?));
        if process.is_none_or(has_ended) {
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}

/// Names, sizes and times of everything that pages are made of. A learner's own kernel files are on none.
fn stamp(root: &Path) -> u64 {
    let mut hash = DefaultHasher::new();
    for source in SOURCES {
        below(&root.join(source), &mut hash);
    }
    hash.finish()
}

fn below(path: &Path, hash: &mut DefaultHasher) {
    let Ok(about) = std::fs::metadata(path) else { return };
    if about.is_dir() {
        let mut names: Vec<_> = std::fs::read_dir(path).into_iter().flatten().flatten().map(|one| one.path()).collect();
        names.sort();
        names.iter().filter(|path| !book::is_learners(path)).for_each(|path| below(path, hash));
    } else {
        path.hash(hash);
        (about.len(), about.modified().ok()).hash(hash);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_pages_are_made_of_is_seen_and_what_a_learner_writes_is_not() {
        let root = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path = root.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        write("exercises/ex01/starter.cu", "1");
        write("book/book/first.html", "1");
        let mut before = stamp(root.path());
        for own in
            ["exercises/ex01/kernel.cu", "exercises/ex01/kernel.cu.7.new", "kernels/a/mine/a.cu", "book/book/x.html"]
        {
            write(own, "1");
        }
        // A folder that was not there is no change either.
        assert_eq!(stamp(root.path()), before);
        for (path, text) in [("exercises/ex01/starter.cu", "22"), ("kernels/a/naive.cu", "1"), ("book/src/a.md", "1")] {
            write(path, text);
            assert_ne!(stamp(root.path()), before, "{path}");
            before = stamp(root.path());
        }
    }

    #[test]
    fn what_killed_servers_left_goes() {
        let root = tempfile::tempdir().unwrap();
        let mut ended = std::process::Command::new("true").spawn().unwrap();
        ended.wait().unwrap();
        let at = |process: u32| root.path().join(FOLDER).join(process.to_string());
        for process in [ended.id(), std::process::id()] {
            std::fs::create_dir_all(at(process).join("0")).unwrap();
        }
        abandoned(root.path());
        assert_eq!((at(ended.id()).exists(), at(std::process::id()).exists()), (false, true));
    }
}
