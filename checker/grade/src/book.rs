//! The grade book: a folder with a file a grade. Every file is written whole or not at all, so whatever ends a run, the next one
//! goes on where it was.
//!
//! ```text
//! secret              where seeds come from, for its owner's eyes only
//! kernels/HASH/kernel.cu    what was handed in, by content
//! grades/EXERCISE/STUDENT-HASH.json
//! without.json        who handed in files, and no kernel among them
//! grades.csv, pages/  made from the grades, anew every time
//! ```

use crate::grade::Grade;
use crate::intake::{Without, identity};
use std::ffi::OsStr;
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;
use system::files::{self, FileError};
use system::{cache, text};

/// Largest grade in bytes.
const LARGEST: u64 = 64 << 20;
/// Tenths of a second that somebody may keep a lock after his end.
const PATIENCE: u32 = 20;
/// What a folder must hold to be taken for a grade book.
const MARK: &str = "grade-book.json";
/// Who handed in nothing that could be taken.
const WITHOUT: &str = "without.json";

/// Why a grade book cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum BookError {
    /// Reading or writing.
    #[error("the grade book: {}: {source}", text::path(path))]
    File {
        /// The file or folder.
        path: PathBuf,
        /// Why.
        source: FileError,
    },
    /// The folder holds something else.
    #[error("{} is no grade book, and not empty: name another folder with --book", text::path(path))]
    NoBook {
        /// The folder.
        path: PathBuf,
    },
    /// A newer checker's.
    #[error(
        "{}: of version {found}, this checker writes {}: grade with the checker that made it",
        text::path(path),
        crate::SCHEMA
    )]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: u32,
    },
    /// Somebody is writing to it.
    #[error("{}: another `checker grade` is at it: wait for its end", text::path(path))]
    Busy {
        /// The folder.
        path: PathBuf,
    },
}

/// An open grade book.
#[derive(Debug)]
pub struct Book {
    path: PathBuf,
    /// Locked as long as it is open for writing.
    _lock: Option<File>,
}

/// Who writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Writers {
    /// Nobody but this process.
    One,
    /// Others too, each other submissions.
    Several,
    /// Nobody: it is looked at, perhaps where nothing can be written.
    Nobody,
}

/// What the grades are.
#[derive(Debug, Default)]
pub struct Read {
    /// Those that can be read, by exercise and student.
    pub grades: Vec<Grade>,
    /// Files that are none: a damaged one is graded anew.
    pub damaged: Vec<(PathBuf, String)>,
    /// Students of whom nothing could be taken.
    pub without: Vec<Without>,
}

impl Book {
    /// Opens one, or begins it.
    ///
    /// # Errors
    /// The folder holds something else, cannot be written, or somebody else is at it.
    pub fn open(path: &Path, writers: Writers) -> Result<Self, BookError> {
        let file = |path: &Path, source: FileError| BookError::File { path: path.to_path_buf(), source };
        let mark = path.join(MARK);
        if !mark.exists() {
            let begun = fs::read_dir(path).map(|entries| entries.flatten().any(|entry| !is_own(&entry.file_name())));
            if begun.unwrap_or(false) {
                return Err(BookError::NoBook { path: path.to_path_buf() });
            }
            cache::make_private(path).map_err(|error| file(path, error.into()))?;
        }
        if writers == Writers::Nobody {
            let book = Self { path: path.to_path_buf(), _lock: None };
            return book.version(&mark).map(|_| book);
        }
        let lock_at = path.join(".lock");
        let lock = File::options().write(true).create(true).truncate(false).open(&lock_at);
        let lock = lock.map_err(|error| file(&lock_at, error.into()))?;
        let try_lock = || match writers {
            Writers::One => lock.try_lock(),
            Writers::Several | Writers::Nobody => lock.try_lock_shared(),
        };
        let mut locked = try_lock();
        // A process that was about to become the compiler's when its parent was killed has the lock still, for a moment.
        for _ in 0..PATIENCE {
            if !matches!(locked, Err(TryLockError::WouldBlock)) {
                break;
            }
            std::thread::sleep(Duration::from_millis(100));
            locked = try_lock();
        }
        match locked {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(BookError::Busy { path: path.to_path_buf() }),
            Err(TryLockError::Error(error)) => return Err(file(&lock_at, error.into())),
        }
        let book = Self { path: path.to_path_buf(), _lock: Some(lock) };
        book.mark(&mark)?;
        if writers == Writers::One {
            book.tidy();
        }
        Ok(book)
    }

    /// Says what the folder is, or finds it said.
    fn mark(&self, mark: &Path) -> Result<(), BookError> {
        match self.version(mark)? {
            Some(_) => Ok(()),
            // Nothing, or half of it.
            None => self.write(Path::new(MARK), format!("{{ \"schema\": {} }}\n", crate::SCHEMA).as_bytes()),
        }
    }

    /// What the mark says, if that is not of a newer checker.
    fn version(&self, mark: &Path) -> Result<Option<u32>, BookError> {
        let version = match files::read_named(mark, 4096) {
            Ok(bytes) => {
                serde_json::from_slice::<serde_json::Value>(&bytes).ok().and_then(|value| value["schema"].as_u64())
            }
            Err(error) if error.is_missing() => None,
            Err(source) => return Err(BookError::File { path: mark.to_path_buf(), source }),
        };
        match version.and_then(|version| u32::try_from(version).ok()) {
            Some(found) if found > crate::SCHEMA => Err(BookError::Newer { path: mark.to_path_buf(), found }),
            version => Ok(version),
        }
    }

    /// Takes away what a killed process left half-written.
    fn tidy(&self) {
        let half = |name: &OsStr| is_half_written(&name.to_string_lossy());
        let mut left = Vec::new();
        // What cannot be listed is found out where it is needed.
        let _ = below(&self.path, &half, &mut left);
        for path in left {
            let _ = fs::remove_file(path);
        }
    }

    /// Its folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes a file whole, and makes sure that it is there after a power cut.
    ///
    /// # Errors
    /// The system's.
    pub fn write(&self, relative: &Path, bytes: &[u8]) -> Result<(), BookError> {
        let path = self.path.join(relative);
        let folder = path.parent().unwrap_or(&self.path);
        let written = cache::make_private(folder)
            .map_err(FileError::from)
            .and_then(|()| files::replace(&path, bytes))
            .and_then(|()| Ok(File::open(folder)?.sync_all()?));
        written.map_err(|source| BookError::File { path, source })
    }

    /// Keeps what was handed in; its path.
    ///
    /// # Errors
    /// The system's.
    pub fn keep_kernel(&self, sha256: &str, bytes: &[u8]) -> Result<PathBuf, BookError> {
        let relative = Path::new("kernels").join(sha256).join("kernel.cu");
        let path = self.path.join(&relative);
        let kept = files::read_named(&path, bytes.len() as u64).is_ok_and(|kept| kept == bytes);
        if !kept {
            self.write(&relative, bytes)?;
        }
        Ok(path)
    }

    /// Where a kernel that was handed in lies.
    pub fn kernel(&self, sha256: &str) -> PathBuf {
        self.path.join("kernels").join(sha256).join("kernel.cu")
    }

    /// Keeps a grade.
    ///
    /// # Errors
    /// The system's.
    pub fn keep(&self, grade: &Grade) -> Result<(), BookError> {
        // Plain data with string keys: serialisation cannot fail.
        let mut bytes = serde_json::to_vec_pretty(grade).unwrap_or_default();
        bytes.push(b'\n');
        self.write(&place(grade), &bytes)
    }

    /// Keeps who handed in nothing that could be taken, those of before among them: until something of theirs is.
    ///
    /// # Errors
    /// The system's.
    pub fn keep_without(&self, read: &mut Read, found: &[Without]) -> Result<(), BookError> {
        let again = |known: &Without| found.iter().any(|new| new.student == known.student);
        read.without.retain(|known| !again(known));
        read.without.extend_from_slice(found);
        read.without.retain(|known| read.grades.iter().all(|grade| grade.student != known.student));
        read.without.sort();
        if read.without.is_empty() && !self.path.join(WITHOUT).exists() {
            return Ok(());
        }
        // Plain data, as a grade is.
        let mut bytes = serde_json::to_vec_pretty(&read.without).unwrap_or_default();
        bytes.push(b'\n');
        self.write(Path::new(WITHOUT), &bytes)
    }

    /// All grades.
    ///
    /// # Errors
    /// A folder cannot be read, or a grade is a newer checker's.
    pub fn read(&self) -> Result<Read, BookError> {
        let mut read = Read::default();
        let grades = self.path.join("grades");
        let mut files = Vec::new();
        let listed = below(&grades, &|name| Path::new(name).extension().is_some_and(|end| end == "json"), &mut files);
        listed.map_err(|error| BookError::File { path: grades, source: error.into() })?;
        files.sort();
        for path in files {
            let grade = files::read_named(&path, LARGEST)
                .map_err(|error| error.to_string())
                .and_then(|bytes| serde_json::from_slice::<Grade>(&bytes).map_err(|error| error.to_string()));
            match grade {
                Ok(grade) if grade.schema > crate::SCHEMA => {
                    return Err(BookError::Newer { path, found: grade.schema });
                }
                // One that was put under another's name is not believed.
                Ok(grade) if self.path.join(place(&grade)) != path => {
                    read.damaged.push((path, "it belongs to another file's name".to_owned()));
                }
                Ok(grade) => read.grades.push(grade),
                Err(why) => read.damaged.push((path, why)),
            }
        }
        let without = self.path.join(WITHOUT);
        match files::read_named(&without, LARGEST) {
            Ok(bytes) => match serde_json::from_slice(&bytes) {
                Ok(known) => read.without = known,
                Err(error) => read.damaged.push((without, error.to_string())),
            },
            Err(error) if error.is_missing() => {}
            Err(source) => return Err(BookError::File { path: without, source }),
        }
        read.grades.sort_by(|a, b| {
            (&a.exercise, &a.student, a.submitted.time, &a.submitted.file).cmp(&(
                &b.exercise,
                &b.student,
                b.submitted.time,
                &b.submitted.file,
            ))
        });
        Ok(read)
    }
}

/// Files that may be there before a book is marked as one: of a process that was killed over its beginning.
fn is_own(name: &OsStr) -> bool {
    ["secret", ".lock"].iter().any(|own| name == *own) || is_half_written(&name.to_string_lossy())
}

/// Is it a file that was to take another's place?
fn is_half_written(name: &str) -> bool {
    name.starts_with(".tmp") || name.starts_with('.') && name.ends_with(".new")
}

/// Files below a folder that are called so.
fn below(folder: &Path, called: &dyn Fn(&OsStr) -> bool, found: &mut Vec<PathBuf>) -> io::Result<()> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        other => other?,
    };
    for entry in entries {
        let entry = entry?;
        match entry.file_type()? {
            kind if kind.is_dir() => below(&entry.path(), called, found)?,
            _ if called(&entry.file_name()) => found.push(entry.path()),
            _ => {}
        }
    }
    Ok(())
}

/// Where a grade lies, of letters that every file system takes.
fn place(grade: &Grade) -> PathBuf {
    let name = format!(
        "{}-{}.json",
        slug(&grade.student.name),
        &identity(&grade.student, &grade.exercise, &grade.submitted)[..16]
    );
    Path::new("grades").join(slug(&grade.exercise)).join(name)
}

/// A name as a file may be called.
pub fn slug(name: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || "_.".contains(c) { c } else { '-' };
    let slug: String = name.chars().take(40).map(plain).collect();
    let slug = slug.trim_matches(['-', '.']).to_owned();
    if slug.is_empty() { "x".to_owned() } else { slug }
}
