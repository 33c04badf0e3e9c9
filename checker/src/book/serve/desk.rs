//! The reader's kernel files, which the page and the editor of their choice write both. Nobody overwrites what they have not seen:
//! whoever writes names the text that they began with, and a text that gives way is kept.

use command::{Fault, exercise::reset, in_words, workbook};
use compiler::compile::LARGEST_SOURCE;
use problem::{Kind, Problem, ProblemError, ProblemId, Version, Workbook};
use serde::Serialize;
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use system::files::{self, FileError, Folder};

/// The reader's files of one workbook.
#[derive(Debug)]
pub struct Desk {
    workbook: Workbook,
    /// One write at a time: a look and the write that follows belong together.
    writing: Mutex<()>,
}

/// A kernel file's text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Text {
    /// The text.
    pub text: String,
    /// Its hash, by which a writer says what it has seen.
    pub hash: String,
    /// Where a text that gave way is kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kept: Option<String>,
}

/// What became of writing.
#[derive(Debug, PartialEq, Eq)]
pub enum Saved {
    /// It is written.
    As(Text),
    /// Somebody else wrote meanwhile, and this is what they wrote.
    Conflict(Text),
}

/// Why a file is not read or written.
#[derive(Debug, thiserror::Error)]
pub enum DeskError {
    /// No problem, no exercise, no such version.
    #[error("{0}")]
    Unknown(String),
    /// The text.
    #[error("the text has more than the {LARGEST_SOURCE} bytes that a kernel file may have; nothing was written")]
    TooLarge,
    /// The file is not one that a page can show.
    #[error("{0}: it is not text in UTF-8; next: look at it in an editor")]
    NoText(String),
    /// The system's.
    #[error("{path}: {source}; the text is still on this page, and is written as soon as that is mended")]
    File {
        /// The file.
        path: String,
        /// Why.
        source: FileError,
    },
    /// As the terminal says it.
    #[error("{0}")]
    Fault(String),
}

impl From<Fault> for DeskError {
    fn from(fault: Fault) -> Self {
        Self::Fault(format!("{fault}"))
    }
}

impl Text {
    fn of(text: String) -> Self {
        let hash = Sha256::digest(&text).iter().take(16).map(|byte| format!("{byte:02x}")).collect();
        Self { text, hash, kept: None }
    }
}

impl Desk {
    /// Of this workbook.
    pub fn new(workbook: Workbook) -> Self {
        Self { workbook, writing: Mutex::new(()) }
    }

    /// The workbook.
    pub fn workbook(&self) -> &Workbook {
        &self.workbook
    }

    /// An exercise by its exact name.
    ///
    /// # Errors
    /// There is none.
    pub fn exercise(&self, name: &str) -> Result<Problem, DeskError> {
        let id: Option<ProblemId> = self.workbook.ids().into_iter().find(|id| id.as_str() == name);
        let unknown = || DeskError::Unknown(format!("there is no exercise `{name}`"));
        let problem = self.workbook.load(&id.ok_or_else(unknown)?).map_err(malformed)?;
        if problem.kind == Kind::Exercise { Ok(problem) } else { Err(unknown()) }
    }

    /// The exercise's kernel file; where there is none, the starter, as nobody has seen it.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn read(&self, problem: &Problem) -> Result<Text, DeskError> {
        match self.current(problem)? {
            Some(text) => Ok(text),
            None => Ok(Text { hash: String::new(), ..self.starter(problem)? }),
        }
    }

    /// The exercise as it was at the start.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn starter(&self, problem: &Problem) -> Result<Text, DeskError> {
        let bytes = reset::starter(problem)?;
        String::from_utf8(bytes).map(Text::of).map_err(|_| DeskError::NoText(format!("the starter of {}", problem.id)))
    }

    /// The worked answer.
    ///
    /// # Errors
    /// There is none here, or it cannot be read.
    pub fn solution(&self, problem: &Problem) -> Result<Text, DeskError> {
        let path = problem.version_path(&Version::Solution).unwrap_or_default();
        match files::read_trusted(&path, LARGEST_SOURCE) {
            Ok(bytes) => Ok(Text::of(String::from_utf8_lossy(&bytes).into_owned())),
            Err(error) if error.is_missing() => {
                Err(DeskError::Unknown(format!("this workbook has no worked answer for {}", problem.id)))
            }
            Err(source) => Err(DeskError::File { path: self.shown(&path), source }),
        }
    }

    /// Writes the exercise's kernel file for somebody who has seen the text of this hash. `anyway` writes over what they have not
    /// seen, which is kept.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn save(&self, problem: &Problem, text: &str, seen: &str, anyway: bool) -> Result<Saved, DeskError> {
        fitting(text)?;
        let _one = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let mut new = Text::of(text.to_owned());
        match self.current(problem)? {
            Some(now) if now.text == text => return Ok(Saved::As(now)),
            Some(now) if now.hash != seen && !anyway => return Ok(Saved::Conflict(now)),
            Some(now) if now.hash != seen => new.kept = Some(self.keep(problem, &now.text)?),
            _ => {}
        }
        let path = workbook::candidate(problem);
        let relative = path.strip_prefix(self.workbook.root()).unwrap_or(&path);
        let written = Folder::trusted(self.workbook.root()).and_then(|top| top.replace(relative, text.as_bytes()));
        written.map_err(|source| DeskError::File { path: self.shown(&path), source })?;
        Ok(Saved::As(new))
    }

    /// Keeps a text of the exercise beside its backups, and says where.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn keep(&self, problem: &Problem, text: &str) -> Result<String, DeskError> {
        let kept = reset::backup(self.workbook.root(), problem.id.as_str(), fitting(text)?);
        kept.map(|path| self.shown(&path)).map_err(|error| DeskError::Fault(in_words(&error)))
    }

    /// Keeps what a reader made of a kernel file of the workbook in a folder `mine` beside it, where its problem judges it.
    ///
    /// # Errors
    /// There is no such file, or it cannot be written.
    pub fn keep_beside(&self, file: &str, text: &str) -> Result<String, DeskError> {
        let path = self.workbook.root().join(file);
        let unknown =
            || DeskError::Unknown(format!("the workbook has no kernel file {}", system::text::path(Path::new(file))));
        let inside =
            self.workbook.inside(&path).filter(|inside| inside.as_path() == Path::new(file)).ok_or_else(unknown)?;
        let (Some(folder), Some(stem)) = (inside.parent(), inside.file_stem().and_then(|stem| stem.to_str())) else {
            return Err(unknown());
        };
        if inside.extension().is_none_or(|extension| extension != "cu") || !path.is_file() {
            return Err(unknown());
        }
        let kept = reset::keep(self.workbook.root(), &folder.join("mine"), stem, fitting(text)?);
        kept.map(|path| self.shown(&path)).map_err(|error| DeskError::Fault(in_words(&error)))
    }

    /// Puts the starter back; what was there is kept.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn reset(&self, problem: &Problem) -> Result<Text, DeskError> {
        let _one = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let done = reset::put_back(&self.workbook, problem)?;
        Ok(Text { kept: done.kept.map(|path| self.shown(&path)), ..self.starter(problem)? })
    }

    fn current(&self, problem: &Problem) -> Result<Option<Text>, DeskError> {
        let path = workbook::candidate(problem);
        match files::read_in(Some(self.workbook.root()), &path, LARGEST_SOURCE) {
            Ok(bytes) => match String::from_utf8(bytes) {
                Ok(text) => Ok(Some(Text::of(text))),
                Err(_) => Err(DeskError::NoText(self.shown(&path))),
            },
            Err(error) if error.is_missing() => Ok(None),
            Err(source) => Err(DeskError::File { path: self.shown(&path), source }),
        }
    }

    /// A path as it is called in the workbook.
    fn shown(&self, path: &Path) -> String {
        let short: PathBuf = path.strip_prefix(self.workbook.root()).unwrap_or(path).into();
        system::text::path(&short)
    }
}

/// The bytes of a text that a kernel file may have.
fn fitting(text: &str) -> Result<&[u8], DeskError> {
    if text.len() as u64 > LARGEST_SOURCE { Err(DeskError::TooLarge) } else { Ok(text.as_bytes()) }
}

fn malformed(error: ProblemError) -> DeskError {
    DeskError::Unknown(error.to_string())
}
