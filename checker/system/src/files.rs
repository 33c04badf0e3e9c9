//! Opening files that somebody else may have put there: no links are followed, nothing but a regular file is read, never
//! more than a limit, and never waiting for a FIFO's other end.
//!
//! * [`read_named`]: a file that the command line names. The last component is no link; the folders are the reader's own
//!   words.
//! * [`Folder`]: a folder below which nothing is a link: a learner's kernel file in the workbook, `.warpbook`, the
//!   folder of a kernel file whose fills name NumPy files.

use std::fs::File;
use std::io::{self, Read, Write};
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
    let absolute = std::path::absolute(path)?;
    match top.and_then(|top| Some((top, absolute.strip_prefix(top).ok()?))) {
        Some((top, relative)) => Folder::trusted(top)?.read(relative, limit),
        None => read_named(path, limit),
    }
}

/// Reads a file that belongs to the workbook's author: links are followed, the rest holds.
///
/// # Errors
/// As [`FileError`] says.
pub fn read_trusted(path: &Path, limit: u64) -> Result<Vec<u8>, FileError> {
    read_regular(&open_path(path)?, limit)
}

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
mod unix {
    use super::*;
    use rustix::fs::{AtFlags, Mode, OFlags, mkdirat, openat, renameat, statat, unlinkat};
    use rustix::process::Pid;
    use std::ffi::OsStr;
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
            let written =
                openat(&folder.dir, &new, flags, Mode::from(0o666)).map_err(io::Error::from).and_then(|file| {
                    let mut file = File::from(file);
                    file.write_all(bytes)?;
                    file.sync_all()
                });
            let outcome =
                written.and_then(|()| renameat(&folder.dir, &new, &folder.dir, name).map_err(io::Error::from));
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
                let gone =
                    writer(entry.file_name().to_bytes(), name.as_bytes()).is_some_and(crate::interrupt::has_ended);
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
}

/// Where there are no such calls, paths are looked at before they are opened.
#[cfg(not(unix))]
mod other {
    use super::*;

    impl Folder {
        /// A folder that may itself be reached through links.
        ///
        /// # Errors
        /// The system's.
        pub fn trusted(path: &Path) -> Result<Self, FileError> {
            std::fs::read_dir(path)?;
            Ok(Self { path: path.to_path_buf() })
        }

        /// The folder inside this one, made where it is missing if `make`.
        ///
        /// # Errors
        /// A link on the way, or the system's.
        pub fn enter(&self, relative: &Path, make: bool) -> Result<Self, FileError> {
            let path = self.plain(relative)?;
            if make {
                std::fs::create_dir_all(&path)?;
            }
            Self::trusted(&path)
        }

        fn plain(&self, relative: &Path) -> Result<PathBuf, FileError> {
            let mut path = self.path.clone();
            for name in inside(relative)? {
                path.push(name);
                if std::fs::symlink_metadata(&path).is_ok_and(|about| about.file_type().is_symlink()) {
                    return Err(FileError::Link(crate::text::path(&path)));
                }
            }
            Ok(path)
        }

        /// Opens a file for reading.
        ///
        /// # Errors
        /// As [`FileError`] says.
        pub fn file(&self, relative: &Path) -> Result<File, FileError> {
            let file = File::open(self.plain(relative)?)?;
            regular(&file.metadata()?)?;
            Ok(file)
        }

        /// Opens a file to lock it.
        ///
        /// # Errors
        /// As [`FileError`] says.
        pub fn lock_file(&self, relative: &Path) -> Result<File, FileError> {
            let path = self.plain(relative)?;
            Ok(File::options().read(true).write(true).create(true).truncate(false).open(path)?)
        }

        /// Writes a file whole.
        ///
        /// # Errors
        /// As [`FileError`] says.
        pub fn replace(&self, relative: &Path, bytes: &[u8]) -> Result<(), FileError> {
            super::replace(&self.plain(relative)?, bytes)
        }

        /// Gives a file another name in its folder.
        ///
        /// # Errors
        /// The system's.
        pub fn rename(&self, from: &str, to: &str) -> Result<(), FileError> {
            Ok(std::fs::rename(self.path.join(from), self.path.join(to))?)
        }

        /// Is anything of that name there?
        pub fn has(&self, name: &str) -> bool {
            std::fs::symlink_metadata(self.path.join(name)).is_ok()
        }
    }
}

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
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;
    use std::path::Path;

    fn words(result: Result<Vec<u8>, FileError>) -> String {
        result.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_else(|error| error.to_string())
    }

    #[test]
    fn only_regular_files_without_links_are_read() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        std::fs::create_dir(at("inner")).unwrap();
        std::fs::write(at("inner/secret"), "secret").unwrap();
        symlink(at("inner/secret"), at("link")).unwrap();
        symlink(at("inner"), at("way")).unwrap();
        symlink("nowhere", at("dangling")).unwrap();
        rustix::fs::mknodat(rustix::fs::CWD, at("fifo"), rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
        let _socket = std::os::unix::net::UnixListener::bind(at("socket")).unwrap();
        let folder = Folder::trusted(dir.path()).unwrap();
        let read = |name: &str| words(folder.read(Path::new(name), 100));
        assert_eq!(read("inner/secret"), "secret");
        assert_eq!(read("./inner/./secret"), "secret");
        for (name, said) in [
            ("link", "symbolic link"),
            ("way/secret", "symbolic link"),
            ("dangling", "symbolic link"),
            ("fifo", "FIFO"),
            ("socket", "socket"),
            ("inner", "folder"),
            ("../x", "leads out"),
            ("/etc/passwd", "leads out"),
            ("inner/../inner/secret", "leads out"),
        ] {
            assert!(read(name).contains(said), "{name}: {}", read(name));
        }
        assert!(words(folder.read(Path::new("inner/secret"), 5)).contains("more than"));
        assert!(words(read_named(&at("link"), 100)).contains("symbolic link"));
        assert_eq!(words(read_named(&at("way/secret"), 100)), "secret", "the way there is the reader's own word");
        assert!(words(read_trusted(Path::new("/dev/zero"), 100)).contains("a device"));
        assert_eq!(words(read_trusted(&at("link"), 100)), "secret");
    }

    #[test]
    fn what_killed_writers_left_goes_with_the_next_write() {
        let dir = tempfile::tempdir().unwrap();
        let mut ended = std::process::Command::new("true").spawn().unwrap();
        ended.wait().unwrap();
        let dead = ended.id();
        let long_ago = std::time::SystemTime::now() - std::time::Duration::from_secs(3600);
        let left = |name: String, when: Option<std::time::SystemTime>| {
            let file = std::fs::File::create(dir.path().join(name)).unwrap();
            if let Some(when) = when {
                file.set_modified(when).unwrap();
            }
        };
        left(format!("kernel.cu.{dead}.new"), Some(long_ago));
        left(format!("other.cu.{dead}.new"), Some(long_ago));
        left("kernel.cu.1.new".to_owned(), Some(long_ago));
        left("kernel.cu.mine.new".to_owned(), Some(long_ago));
        let folder = Folder::trusted(dir.path()).unwrap();
        let names = || {
            folder.replace(Path::new("kernel.cu"), b"new").unwrap();
            let entries = std::fs::read_dir(dir.path()).unwrap().flatten();
            let mut names: Vec<_> = entries.map(|entry| entry.file_name().into_string().unwrap()).collect();
            names.sort();
            names
        };
        let other = format!("other.cu.{dead}.new");
        let kept = ["kernel.cu", "kernel.cu.1.new", "kernel.cu.mine.new", other.as_str()];
        assert_eq!(names(), kept, "another file's, a living process's, no process's");
        // It may be another machine's, which writes now.
        left(format!("kernel.cu.{dead}.new"), None);
        assert_eq!(names().len(), kept.len() + 1);
    }

    #[test]
    fn nothing_is_written_through_a_link() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        for name in ["precious", "twin"] {
            std::fs::write(at(name), "precious").unwrap();
        }
        symlink(at("precious"), at("link")).unwrap();
        std::fs::hard_link(at("twin"), at("hard")).unwrap();
        let folder = Folder::trusted(dir.path()).unwrap();
        assert!(folder.replace(Path::new("link"), b"new").is_err() && replace(&at("link"), b"new").is_err());
        assert!(folder.lock_file(Path::new("link")).is_err());
        folder.replace(Path::new("hard"), b"new").unwrap();
        folder.lock_file(Path::new("twin")).unwrap();
        assert_eq!(std::fs::read_to_string(at("precious")).unwrap(), "precious");
        assert_eq!(std::fs::read_to_string(at("twin")).unwrap(), "precious");
        assert_eq!(std::fs::read_to_string(at("hard")).unwrap(), "new");
        let left = std::fs::read_dir(dir.path()).unwrap().count();
        assert_eq!(left, 4, "no half-written file is left");
    }
}
