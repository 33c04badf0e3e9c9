//! Folders by their handle: each component is opened below the one before, and no component is a link.

use super::*;
use rustix::fs::{AtFlags, Mode, OFlags, mkdirat, openat, renameat, statat, unlinkat};
use rustix::process::Pid;
use std::ffi::OsStr;
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::time::{Duration, UNIX_EPOCH};

/// No write of a file takes that long.
const WRITING: Duration = Duration::from_secs(60);

/// The process that writes `name` by way of this file.
fn writer(file: &[u8], name: &[u8]) -> Option<Pid> {
    let number = file.strip_prefix(name)?.strip_prefix(b".")?.strip_suffix(b".new")?;
    Pid::from_raw(std::str::from_utf8(number).ok()?.parse().ok()?)
}

const DIR: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

impl Folder {
    /// A folder that may itself be reached through links: the workbook's top, a folder that the command line names.
    ///
    /// # Errors
    /// The system's.
    pub fn trusted(path: &Path) -> Result<Self, FileError> {
        // The parent of a bare file name.
        let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
        let dir = rustix::fs::open(path, DIR, Mode::empty()).map_err(io::Error::from)?;
        Ok(Self { dir, path: path.to_path_buf() })
    }

    /// The folder inside this one, made where it is missing if `make`.
    ///
    /// # Errors
    /// A link on the way, or the system's.
    pub fn enter(&self, relative: &Path, make: bool) -> Result<Self, FileError> {
        let mut folder = Self { dir: self.dir.try_clone()?, path: self.path.clone() };
        for name in inside(relative)? {
            let path = folder.path.join(name);
            if make {
                match mkdirat(&folder.dir, name, Mode::from(0o777)) {
                    Ok(()) | Err(rustix::io::Errno::EXIST) => {}
                    Err(error) => return Err(io::Error::from(error).into()),
                }
            }
            let dir = openat(&folder.dir, name, DIR | OFlags::NOFOLLOW, Mode::empty())
                .map_err(|error| folder.refused(name, error))?;
            folder = Self { dir, path };
        }
        Ok(folder)
    }

    /// The folder that a file lies in, and its name there.
    fn last<'a>(&self, relative: &'a Path) -> Result<(Self, &'a OsStr), FileError> {
        let names = inside(relative)?;
        let (name, folders) = names.split_last().ok_or(FileError::Kind("a folder"))?;
        let folders: PathBuf = folders.iter().collect();
        let folder = if folders.as_os_str().is_empty() {
            Self { dir: self.dir.try_clone()?, path: self.path.clone() }
        } else {
            self.enter(&folders, false)?
        };
        Ok((folder, name))
    }

    /// What an error of opening means: links and the wrong kinds of thing have errors of their own.
    fn refused(&self, name: &OsStr, error: rustix::io::Errno) -> FileError {
        let link = statat(&self.dir, name, AtFlags::SYMLINK_NOFOLLOW)
            .is_ok_and(|about| rustix::fs::FileType::from_raw_mode(about.st_mode).is_symlink());
        match error {
            _ if link => FileError::Link(crate::text::path(&self.path.join(name))),
            // Opening a socket.
            rustix::io::Errno::NXIO => FileError::Kind("a socket"),
            error => io::Error::from(error).into(),
        }
    }

    fn open(&self, relative: &Path, flags: OFlags) -> Result<File, FileError> {
        let (folder, name) = self.last(relative)?;
        let flags = flags | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let file = openat(&folder.dir, name, flags, Mode::from(0o666));
        let file = File::from(file.map_err(|error| folder.refused(name, error))?);
        regular(&file.metadata()?)?;
        Ok(file)
    }

    /// Opens a file for reading.
    ///
    /// # Errors
    /// As [`FileError`] says.
    pub fn file(&self, relative: &Path) -> Result<File, FileError> {
        self.open(relative, OFlags::RDONLY)
    }

    /// Opens a file to lock it; nothing is written to it.
    ///
    /// # Errors
    /// As [`FileError`] says.
    pub fn lock_file(&self, relative: &Path) -> Result<File, FileError> {
        self.open(relative, OFlags::RDWR | OFlags::CREATE)
    }

    /// Writes a file whole, as [`super::replace`] does.
    ///
    /// # Errors
    /// As [`FileError`] says.
    pub fn replace(&self, relative: &Path, bytes: &[u8]) -> Result<(), FileError> {
        let (folder, name) = self.last(relative)?;
        match statat(&folder.dir, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(about) => match rustix::fs::FileType::from_raw_mode(about.st_mode) {
                rustix::fs::FileType::RegularFile => {}
                rustix::fs::FileType::Symlink => {
                    return Err(FileError::Link(crate::text::path(&folder.path.join(name))));
                }
                _ => return Err(FileError::Kind("something else")),
            },
            Err(rustix::io::Errno::NOENT) => {}
            Err(error) => return Err(io::Error::from(error).into()),
        }
        let mut new = name.to_os_string();
        new.push(format!(".{}.new", std::process::id()));
        let _guard = crate::interrupt::HalfWritten::new(&folder.path.join(&new));
        // What an earlier process of this number left; a link of that name is taken away, not followed.
        let _ = unlinkat(&folder.dir, &new, AtFlags::empty());
        folder.tidy(name);
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let written = openat(&folder.dir, &new, flags, Mode::from(0o666)).map_err(io::Error::from).and_then(|file| {
            let mut file = File::from(file);
            file.write_all(bytes)?;
            file.sync_all()
        });
        let outcome = written.and_then(|()| renameat(&folder.dir, &new, &folder.dir, name).map_err(io::Error::from));
        if outcome.is_err() {
            let _ = unlinkat(&folder.dir, &new, AtFlags::empty());
        }
        Ok(outcome?)
    }

    /// Takes away what processes left that were killed while they wrote this file. Another machine may share the folder, whose
    /// processes are not known here: what is younger than [`WRITING`] stays.
    fn tidy(&self, name: &OsStr) {
        let Ok(entries) = rustix::fs::Dir::read_from(&self.dir) else { return };
        for entry in entries.flatten() {
            let gone = writer(entry.file_name().to_bytes(), name.as_bytes()).is_some_and(crate::interrupt::has_ended);
            let file = statat(&self.dir, entry.file_name(), AtFlags::SYMLINK_NOFOLLOW).ok().filter(|_| gone);
            let written = file.map(|about| UNIX_EPOCH + Duration::from_secs(about.st_mtime.max(0) as u64));
            if written.and_then(|when| when.elapsed().ok()).is_some_and(|age| age > WRITING) {
                let _ = unlinkat(&self.dir, entry.file_name(), AtFlags::empty());
            }
        }
    }

    /// Gives a file another name in its folder.
    ///
    /// # Errors
    /// The system's.
    pub fn rename(&self, from: &str, to: &str) -> Result<(), FileError> {
        Ok(renameat(&self.dir, from, &self.dir, to).map_err(io::Error::from)?)
    }

    /// Is anything of that name there?
    pub fn has(&self, name: &str) -> bool {
        statat(&self.dir, name, AtFlags::SYMLINK_NOFOLLOW).is_ok()
    }
}
