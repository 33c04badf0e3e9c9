//! Opening files that somebody else may have put there: no links are followed, nothing but a regular file is read, never
//! more than a limit, and never waiting for a FIFO's other end.
//!
//! * [`read_named`]: a file that the command line names. The last component is no link; the folders are the reader's own
//!   words.
//! * [`Folder`]: a folder below which nothing is a link: a learner's kernel file in the workbook, `.warpbook`, the
//!   folder of a kernel file whose fills name NumPy files.

mod replace;

pub use replace::{Replacement, replace, replaceable};
use std::fs::File;
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};

/// Why a file is not read.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// The system's words.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// A link where none is followed.
    #[error("`{0}` is a symbolic link, which is not followed here: put the file itself in its place")]
    Link(String),
    /// Neither a file nor what it seems to be.
    #[error("it is {0}, not a regular file")]
    Kind(&'static str),
    /// More than may be read.
    #[error("it has more than the {limit} bytes possible")]
    TooLarge {
        /// The limit in bytes.
        limit: u64,
    },
    /// `..`, an absolute path: it leads out of its folder.
    #[error("`{0}` leads out of its folder; name a file inside it")]
    Outside(String),
}

impl FileError {
    /// Nothing is there.
    pub fn is_missing(&self) -> bool {
        matches!(self, Self::Io(error) if error.kind() == io::ErrorKind::NotFound)
    }

    /// The disk has no room, or its owner's share of it.
    pub fn is_full(&self) -> bool {
        use io::ErrorKind::{QuotaExceeded, StorageFull};
        matches!(self, Self::Io(error) if matches!(error.kind(), StorageFull | QuotaExceeded))
    }
}

impl From<FileError> for io::Error {
    fn from(error: FileError) -> Self {
        match error {
            FileError::Io(error) => error,
            other => io::Error::other(other),
        }
    }
}

/// Reads a file whose name the reader typed. Only the last component must be no link.
///
/// # Errors
/// As [`FileError`] says.
pub fn read_named(path: &Path, limit: u64) -> Result<Vec<u8>, FileError> {
    let name = path.file_name().ok_or(FileError::Kind("a folder"))?;
    Folder::trusted(parent(path))?.read(Path::new(name), limit)
}

/// Reads a file that may lie in the workbook: no link at all below its top, elsewhere as [`read_named`].
///
/// # Errors
/// As [`FileError`] says.
pub fn read_in(top: Option<&Path>, path: &Path, limit: u64) -> Result<Vec<u8>, FileError> {
    let absolute = normal(&std::path::absolute(path)?);
    match top.and_then(|top| Some((top, absolute.strip_prefix(top).ok()?))) {
        Some((top, relative)) => Folder::trusted(top)?.read(relative, limit),
        None => read_named(path, limit),
    }
}

/// An absolute path without `..`, by its letters: what is meant, where no folder on the way is a link.
fn normal(absolute: &Path) -> PathBuf {
    let mut parts = PathBuf::new();
    for part in absolute.components() {
        match part {
            Component::ParentDir => drop(parts.pop()),
            other => parts.push(other),
        }
    }
    parts
}

/// Reads a file that belongs to the workbook's author: links are followed, the rest holds.
///
/// # Errors
/// As [`FileError`] says.
pub fn read_trusted(path: &Path, limit: u64) -> Result<Vec<u8>, FileError> {
    read_regular(&open_path(path)?, limit)
}

fn parent(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// A regular file, or which kind of thing it is.
fn regular(about: &std::fs::Metadata) -> Result<(), FileError> {
    let kind = about.file_type();
    if kind.is_file() {
        return Ok(());
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        let kinds = [
            (kind.is_fifo(), "a pipe (FIFO)"),
            (kind.is_socket(), "a socket"),
            (kind.is_char_device() || kind.is_block_device(), "a device"),
        ];
        if let Some((_, name)) = kinds.into_iter().find(|(is, _)| *is) {
            return Err(FileError::Kind(name));
        }
    }
    Err(FileError::Kind(if kind.is_dir() { "a folder" } else { "something else" }))
}

/// Reads an open file of at most `limit` bytes. One that grows meanwhile is read to the limit and refused.
fn read_regular(file: &File, limit: u64) -> Result<Vec<u8>, FileError> {
    let about = file.metadata()?;
    regular(&about)?;
    if about.len() > limit {
        return Err(FileError::TooLarge { limit });
    }
    let mut bytes = Vec::with_capacity(about.len() as usize);
    file.take(limit + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit { Err(FileError::TooLarge { limit }) } else { Ok(bytes) }
}

#[cfg(unix)]
fn open_path(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    let flags = rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOCTTY;
    File::options().read(true).custom_flags(flags.bits() as i32).open(path)
}

#[cfg(not(unix))]
fn open_path(path: &Path) -> io::Result<File> {
    File::open(path)
}

/// Plain names of a path inside a folder.
fn inside(relative: &Path) -> Result<Vec<&std::ffi::OsStr>, FileError> {
    let outside = || FileError::Outside(crate::text::path(relative));
    let names = relative.components().filter(|part| *part != Component::CurDir).map(|part| match part {
        Component::Normal(name) => Ok(name),
        _ => Err(outside()),
    });
    let names = names.collect::<Result<Vec<_>, _>>()?;
    if names.is_empty() { Err(outside()) } else { Ok(names) }
}

/// A folder below which no link is followed. Every component is opened by itself, from the one before: nobody can put a
/// link in its place between a look and the opening.
#[derive(Debug)]
pub struct Folder {
    #[cfg(unix)]
    dir: rustix::fd::OwnedFd,
    path: PathBuf,
}

#[cfg(unix)]
mod unix;

#[cfg(not(unix))]
mod other;

impl Folder {
    /// Its path, for messages.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Reads a file inside.
    ///
    /// # Errors
    /// As [`FileError`] says.
    pub fn read(&self, relative: &Path, limit: u64) -> Result<Vec<u8>, FileError> {
        read_regular(&self.file(relative)?, limit)
    }
}

#[cfg(all(test, unix))]
mod tests;
