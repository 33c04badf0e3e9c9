//! What the reader has solved, kept in `.warpbook/progress.json` of the checkout.
//!
//! The file is replaced whole and under a lock, so two checkers at once or a full disk lose nothing. A file that cannot
//! be read, or that a newer checker wrote, is set aside under another name and said, never overwritten. A file from
//! before the exercises were numbered by part is read with the names of today.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};
use system::files::{FileError, Folder};

/// Version of the file. In version 1 exercises had the names that `exercises/renamed.toml` lists.
const SCHEMA: u32 = 2;

/// The reader's progress.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Progress {
    /// Version of the file.
    schema: u32,
    /// Exercises whose goals were all met, by name.
    #[serde(default)]
    pub solved: BTreeMap<String, Solved>,
    /// Hints shown, by name.
    #[serde(default)]
    pub hints: BTreeMap<String, usize>,
}

/// A solved exercise.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Solved {
    /// Hash of the kernel file that met the goals.
    pub kernel: String,
    /// When, in seconds since 1970.
    pub at: u64,
}

impl Default for Progress {
    fn default() -> Self {
        Self { schema: SCHEMA, solved: BTreeMap::new(), hints: BTreeMap::new() }
    }
}

impl Progress {
    /// The same of exercises that have other names now.
    fn renamed(self, names: &BTreeMap<String, String>) -> Self {
        let now = |name: String| names.get(&name).cloned().unwrap_or(name);
        Self {
            schema: SCHEMA,
            solved: self.solved.into_iter().map(|(name, solved)| (now(name), solved)).collect(),
            hints: self.hints.into_iter().map(|(name, hints)| (now(name), hints)).collect(),
        }
    }
}

/// Why progress could not be kept. The check itself is not concerned: callers warn and go on.
#[derive(Debug, thiserror::Error)]
pub enum ProgressError {
    /// Reading, writing or locking.
    #[error("progress is not kept: {}: {source}", system::text::path(path))]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// Why.
        source: FileError,
    },
    /// Older progress, and no table that says what its exercises are called today.
    #[error("progress is not kept, because exercises have other names today: {0}")]
    Names(#[from] Box<problem::ProblemError>),
}

/// Most bytes of the progress file that are read.
const LARGEST: u64 = 1 << 20;
/// The progress file.
const FILE: &str = "progress.json";
/// The workbook's folder for what is the reader's own.
pub const FOLDER: &str = ".warpbook";

/// The place where progress is kept.
#[derive(Debug, Clone)]
pub struct Store {
    root: PathBuf,
}

impl Store {
    /// In `.warpbook/` of this checkout, below which nothing is a link.
    pub fn of(root: &Path) -> Self {
        Self { root: root.to_path_buf() }
    }

    fn error(&self, name: &str) -> impl Fn(FileError) -> ProgressError {
        let path = self.root.join(FOLDER).join(name);
        move |source| ProgressError::Io { path: path.clone(), source }
    }

    fn folder(&self, make: bool) -> Result<Folder, FileError> {
        Folder::trusted(&self.root)?.enter(Path::new(FOLDER), make)
    }

    /// The progress so far, and a warning when something was set aside.
    pub fn load(&self) -> Result<(Progress, Option<String>), ProgressError> {
        match self.folder(false) {
            Ok(folder) => self.load_in(&folder),
            Err(error) if error.is_missing() => Ok((Progress::default(), None)),
            Err(error) => Err(self.error("")(error)),
        }
    }

    fn load_in(&self, folder: &Folder) -> Result<(Progress, Option<String>), ProgressError> {
        let text = match folder.read(Path::new(FILE), LARGEST) {
            Ok(bytes) => String::from_utf8(bytes).unwrap_or_default(),
            Err(error) if error.is_missing() => return Ok((Progress::default(), None)),
            Err(FileError::TooLarge { .. }) => String::new(),
            Err(error) => return Err(self.error(FILE)(error)),
        };
        match read(&text) {
            Ok(progress) if progress.schema < SCHEMA => {
                let names = problem::renamed(&self.root).map_err(Box::new)?;
                Ok((progress.renamed(&names), None))
            }
            Ok(progress) => Ok((progress, None)),
            Err(what) => {
                let aside = format!("progress.{what}-{}.json", now());
                let shown = |name: &str| system::text::path(&folder.path().join(name));
                let outcome = match folder.rename(FILE, &aside) {
                    Ok(()) => format!("it is kept as {}, and progress starts anew", shown(&aside)),
                    Err(error) => format!("it could not be set aside ({error})"),
                };
                let why = if what == "newer" { "was written by a newer checker" } else { "cannot be read" };
                Ok((Progress::default(), Some(format!("{} {why}: {outcome}", shown(FILE)))))
            }
        }
    }

    /// Changes the progress under the lock; returns the new state and a warning when something was set aside.
    pub fn update(&self, change: impl FnOnce(&mut Progress)) -> Result<(Progress, Option<String>), ProgressError> {
        let folder = self.folder(true).map_err(self.error(""))?;
        let lock = folder.lock_file(Path::new("lock")).map_err(self.error("lock"))?;
        lock.lock().map_err(|error| self.error("lock")(error.into()))?;

        let (mut progress, warning) = self.load_in(&folder)?;
        let before = progress.clone();
        change(&mut progress);
        if progress != before || warning.is_some() {
            let text = serde_json::to_string_pretty(&progress).unwrap_or_default() + "\n";
            folder.replace(Path::new(FILE), text.as_bytes()).map_err(self.error(FILE))?;
        }
        Ok((progress, warning))
    }
}

fn read(text: &str) -> Result<Progress, &'static str> {
    let value: serde_json::Value = serde_json::from_str(text).map_err(|_| "unreadable")?;
    match value.get("schema").and_then(serde_json::Value::as_u64) {
        Some(schema) if schema > u64::from(SCHEMA) => Err("newer"),
        _ => serde_json::from_value(value).map_err(|_| "unreadable"),
    }
}

/// Seconds since 1970.
pub fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn solved() -> Solved {
        Solved { kernel: "abc".into(), at: 1 }
    }

    #[test]
    fn survives_and_is_left_alone_when_nothing_changes() {
        let root = tempfile::tempdir().unwrap();
        let store = Store::of(root.path());
        assert_eq!(store.load().unwrap(), (Progress::default(), None));
        store.update(|progress| _ = progress.solved.insert("ex01".into(), solved())).unwrap();
        store.update(|progress| _ = progress.hints.insert("ex01".into(), 2)).unwrap();
        let (progress, warning) = store.load().unwrap();
        assert_eq!((progress.solved.get("ex01"), progress.hints.get("ex01")), (Some(&solved()), Some(&2)));
        assert_eq!(warning, None);
        let left: Vec<_> =
            fs::read_dir(store.root.join(FOLDER)).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(left.len(), 2, "progress and lock only: {left:?}");
    }

    #[test]
    fn a_corrupt_or_newer_file_is_set_aside() {
        for (text, word) in [("{ not json", "unreadable"), ("{\"schema\": 99}", "newer"), ("", "unreadable")] {
            let root = tempfile::tempdir().unwrap();
            let store = Store::of(root.path());
            fs::create_dir(store.root.join(FOLDER)).unwrap();
            fs::write(store.root.join(FOLDER).join(FILE), text).unwrap();
            let (_, warning) = store.update(|progress| _ = progress.solved.insert("ex01".into(), solved())).unwrap();
            assert!(warning.unwrap().contains(word));
            let aside = fs::read_dir(store.root.join(FOLDER))
                .unwrap()
                .map(|entry| entry.unwrap().path())
                .find(|path| path.to_string_lossy().contains(word))
                .unwrap();
            assert_eq!(fs::read_to_string(aside).unwrap(), text);
            assert!(store.load().unwrap().0.solved.contains_key("ex01"));
        }
    }

    /// What was `ex02` is `ex21`; a later `ex02` is another exercise, and its progress stays its own.
    #[test]
    fn progress_from_before_the_renumbering_is_carried_over() {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir(root.path().join("exercises")).unwrap();
        fs::write(root.path().join("exercises/renamed.toml"), "ex02 = \"ex21\"\nex21 = \"ex35\"\n").unwrap();
        fs::create_dir(root.path().join(FOLDER)).unwrap();
        let old = r#"{ "schema": 1, "solved": { "ex01": { "kernel": "a", "at": 1 }, "ex02": { "kernel": "b", "at": 2 } },
            "hints": { "ex21": 2 } }"#;
        fs::write(root.path().join(FOLDER).join(FILE), old).unwrap();
        let store = Store::of(root.path());
        let names = |progress: &Progress| progress.solved.keys().cloned().collect::<Vec<_>>();
        let (progress, warning) = store.load().unwrap();
        assert_eq!((names(&progress), warning), (vec!["ex01".to_owned(), "ex21".to_owned()], None));
        assert_eq!(progress.solved["ex21"].kernel, "b");
        assert_eq!(progress.hints, BTreeMap::from([("ex35".to_owned(), 2)]));
        store.update(|progress| _ = progress.solved.insert("ex02".into(), solved())).unwrap();
        assert_eq!(names(&store.load().unwrap().0), ["ex01", "ex02", "ex21"]);

        fs::write(root.path().join("exercises/renamed.toml"), "ex02 = 3\n").unwrap();
        assert!(store.load().is_ok(), "the names of today need no table");
        fs::write(root.path().join(FOLDER).join(FILE), old).unwrap();
        let error = store.update(|_| ()).unwrap_err().to_string();
        assert!(error.contains("renamed.toml:1:8"), "{error}");
        assert_eq!(fs::read_to_string(root.path().join(FOLDER).join(FILE)).unwrap(), old, "nothing is lost");
    }

    #[test]
    fn many_at_once_lose_nothing() {
        let root = tempfile::tempdir().unwrap();
        let store = Store::of(root.path());
        std::thread::scope(|scope| {
            for index in 0..16 {
                let store = &store;
                scope.spawn(move || {
                    store.update(|progress| _ = progress.solved.insert(format!("ex{index:02}"), solved())).unwrap()
                });
            }
        });
        assert_eq!(store.load().unwrap().0.solved.len(), 16);
    }
}
