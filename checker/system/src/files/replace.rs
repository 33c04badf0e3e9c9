//! Files are written whole or not at all: what is written is renamed over what was there.

use super::{FileError, parent, regular};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Writes a file whole: beside it first, then renamed over it, so that nothing is ever written through a link, hard or
/// symbolic, and no half of a file is left. What is there and no regular file stays.
///
/// # Errors
/// As [`FileError`] says.
pub fn replace(path: &Path, bytes: &[u8]) -> Result<(), FileError> {
    let mut new = Replacement::of(path)?;
    new.write_all(bytes)?;
    new.finish()
}

/// May a file of that name be written? Before it is worth making one.
///
/// # Errors
/// A link or anything but a regular file stands there.
pub fn replaceable(path: &Path) -> Result<(), FileError> {
    match std::fs::symlink_metadata(path) {
        Ok(about) if about.file_type().is_symlink() => Err(FileError::Link(crate::text::path(path))),
        Ok(about) => regular(&about),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// A file that takes another's place when it is finished.
#[derive(Debug)]
pub struct Replacement {
    file: tempfile::NamedTempFile,
    path: PathBuf,
}

impl Replacement {
    /// Begins one.
    ///
    /// # Errors
    /// A link or anything but a regular file stands there, or the folder cannot be written.
    pub fn of(path: &Path) -> Result<Self, FileError> {
        replaceable(path)?;
        let mut builder = tempfile::Builder::new();
        builder.prefix(".").suffix(".new");
        #[cfg(unix)]
        {
            // Readable as far as the user's mask allows, like any file that is made.
            let mode = std::os::unix::fs::PermissionsExt::from_mode(0o666);
            builder.permissions(mode);
        }
        Ok(Self { file: builder.tempfile_in(parent(path))?, path: path.to_path_buf() })
    }

    /// Puts it in its place.
    ///
    /// # Errors
    /// The system's.
    pub fn finish(mut self) -> Result<(), FileError> {
        self.file.flush()?;
        self.file.as_file().sync_all()?;
        self.file.persist(&self.path).map_err(|error| error.error)?;
        Ok(())
    }
}

impl Write for Replacement {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}
