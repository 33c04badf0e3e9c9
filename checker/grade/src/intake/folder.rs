//! A folder of submissions. No link below it is followed, and nothing but regular files is read.

use super::{DEEPEST, Listed, MOST_FILES, Tree};
use jiff::Timestamp;
use std::path::{Path, PathBuf};
use system::files::{FileError, Folder};
use system::text;

/// The folder.
pub struct Files {
    top: Folder,
    path: PathBuf,
    /// As the system names them, which need not be text.
    names: Vec<PathBuf>,
}

impl Files {
    /// The one that the command line names.
    pub fn new(path: &Path) -> Result<Self, FileError> {
        Ok(Self { top: Folder::trusted(path)?, path: path.to_path_buf(), names: Vec::new() })
    }

    fn walk(&mut self, below: &Path, listed: &mut Vec<Listed>) -> Result<(), FileError> {
        let mut entries = std::fs::read_dir(self.path.join(below))?.collect::<Result<Vec<_>, _>>()?;
        entries.sort_by_key(std::fs::DirEntry::file_name);
        for entry in entries {
            if listed.len() >= MOST_FILES {
                return Err(std::io::Error::other(format!("it has more than the {MOST_FILES} files possible")).into());
            }
            let path = below.join(entry.file_name());
            // Not through a link.
            let about = entry.metadata()?;
            if about.is_dir() && path.components().count() < DEEPEST {
                // A folder that cannot be read is one student's trouble.
                let before = listed.len();
                if let Err(error) = self.walk(&path, listed) {
                    listed.truncate(before);
                    self.names.truncate(before);
                    self.add(path, None, Some(error.to_string()), listed);
                }
                continue;
            }
            let refused = match about.file_type() {
                kind if kind.is_symlink() => Some("it is a symbolic link, which is not followed".to_owned()),
                kind if kind.is_dir() => Some("it lies too deep".to_owned()),
                kind if !kind.is_file() => Some("it is no regular file".to_owned()),
                _ => None,
            };
            let time = about.modified().ok().and_then(|time| Timestamp::try_from(time).ok());
            self.add(path, time, refused, listed);
        }
        Ok(())
    }

    fn add(&mut self, path: PathBuf, time: Option<Timestamp>, refused: Option<String>, listed: &mut Vec<Listed>) {
        let shown = |part: std::path::Component<'_>| match part.as_os_str().to_str() {
            Some(name) => name.to_owned(),
            // Two names that are no text must stay two.
            None => text::path(Path::new(part.as_os_str())),
        };
        listed.push(Listed { path: path.components().map(shown).collect(), time, refused, in_archive: false });
        self.names.push(path);
    }
}

impl Tree for Files {
    fn list(&mut self) -> Result<Vec<Listed>, FileError> {
        let mut listed = Vec::new();
        self.names.clear();
        self.walk(Path::new(""), &mut listed)?;
        Ok(listed)
    }

    fn read(&mut self, index: usize, limit: u64) -> Result<Vec<u8>, FileError> {
        let name = self.names.get(index).ok_or_else(|| std::io::Error::other("it was not listed"))?;
        self.top.read(name, limit)
    }
}
