//! Folders where there are no such calls: paths are looked at before they are opened.

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
