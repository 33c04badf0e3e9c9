//! A zip of submissions, which may be hostile: nothing is unpacked to a disk, only chosen entries are read, each up to a limit
//! whatever its header says; links, encrypted entries and names that lead out of the archive are refused.

use super::{A_FOLDER, DEEPEST, Listed, MOST_FILES, Tree};
use std::{
    collections::HashSet,
    io::{Cursor, Read},
    sync::Arc,
};
use system::files::FileError;
use zip::ZipArchive;

/// Largest archive in bytes.
pub const LARGEST_ARCHIVE: u64 = 512 << 20;
/// Longest name of an entry in bytes.
const LONGEST_NAME: usize = 4096;

/// Characters of a name that is refused which are shown.
const LONGEST_SHOWN: usize = 200;

/// Why an archive cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ArchiveError {
    /// It is none, or a damaged one.
    #[error("not a zip archive that can be read: {0}")]
    Damaged(#[from] zip::result::ZipError),
    /// More than anybody hands in.
    #[error("the archive has {0} entries, more than the {MOST_FILES} possible")]
    TooMany(usize),
    /// Which of them counts would be the reader's choice.
    #[error(
        "the archive has two entries named {0}, and programs differ in which of them they take; unpack it and give the folder, or make it anew"
    )]
    Repeated(String),
}

/// The archive's bytes, of which there is one copy however large it is.
#[derive(Clone)]
struct Bytes(Arc<Vec<u8>>);

impl AsRef<[u8]> for Bytes {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

/// An open archive.
pub struct Archive {
    zip: ZipArchive<Cursor<Bytes>>,
}

impl Archive {
    /// Reads the list of entries.
    pub fn open(bytes: Vec<u8>) -> Result<Self, ArchiveError> {
        let bytes = Bytes(Arc::new(bytes));
        let zip = ZipArchive::new(Cursor::new(bytes.clone()))?;
        if zip.len() > MOST_FILES {
            return Err(ArchiveError::TooMany(zip.len()));
        }
        let directory = usize::try_from(zip.central_directory_start()).unwrap_or(usize::MAX);
        let shown = |name: &[u8]| String::from_utf8_lossy(name).chars().take(LONGEST_SHOWN).collect();
        let names =
            names(bytes.0.get(directory..).unwrap_or_default()).map_err(|name| ArchiveError::Repeated(shown(name)))?;
        // An entry may have a second name in its extra field (Info-ZIP's Unicode Path), which may be another's.
        if names.len() > zip.len() {
            let known = |name: &[u8]| zip.file_names().any(|known| known.is_ok_and(|known| known.as_bytes() == name));
            let lost = names.iter().find(|name| !known(name));
            return Err(ArchiveError::Repeated(shown(lost.copied().unwrap_or_default())));
        }
        Ok(Self { zip })
    }
}

/// The names of the entries of this central directory (APPNOTE.TXT of PKWARE, 4.3.12), or one that two have: whoever looks entries up by
/// name sees one of them.
fn names(mut directory: &[u8]) -> Result<HashSet<&[u8]>, &[u8]> {
    let mut names = HashSet::new();
    while let Some((name, rest)) = first(directory) {
        // A folder may be listed twice: it holds nothing by itself.
        if !names.insert(name) && !name.ends_with(b"/") {
            return Err(name);
        }
        directory = rest;
    }
    Ok(names)
}

/// The first entry's name, and what is behind the entry.
fn first(directory: &[u8]) -> Option<(&[u8], &[u8])> {
    const HEADER: usize = 46;
    if !directory.starts_with(b"PK\x01\x02") {
        return None;
    }
    let length = |at: usize| Some(usize::from(u16::from_le_bytes(*directory.get(at..)?.first_chunk()?)));
    let (name, extra, comment) = (length(28)?, length(30)?, length(32)?);
    Some((directory.get(HEADER..HEADER + name)?, directory.get(HEADER + name + extra + comment..)?))
}

/// Folders and name of an entry, or why it has none.
fn path(name: &str) -> Result<Vec<String>, &'static str> {
    if name.len() > LONGEST_NAME || name.contains('\0') {
        return Err("its name is none");
    }
    // Archives of some systems have them the other way round.
    let name = name.replace('\\', "/");
    if name.starts_with('/') || name.get(1..3) == Some(":/") {
        return Err("its name leads out of the archive");
    }
    let parts: Vec<String> =
        name.split('/').filter(|part| !part.is_empty() && *part != ".").take(DEEPEST + 1).map(str::to_owned).collect();
    match name.split('/').any(|part| part == "..") {
        true => Err("its name leads out of the archive"),
        // As in a folder; and a name of two thousand folders takes a hundred times its bytes.
        false if parts.len() > DEEPEST => Err("it lies too deep"),
        false => Ok(parts),
    }
}

impl Tree for Archive {
    fn list(&mut self) -> Result<Vec<Listed>, FileError> {
        let mut listed = Vec::with_capacity(self.zip.len());
        for index in 0..self.zip.len() {
            let entry = match self.zip.by_index_raw(index) {
                Ok(entry) => entry,
                Err(error) => {
                    let refused = Some(error.to_string());
                    listed.push(Listed { path: vec![format!("entry {index}")], refused, ..Listed::default() });
                    continue;
                }
            };
            let name = entry.name().map_or_else(|_| format!("entry {index}"), |name| name.into_owned());
            let parts = match path(&name) {
                Ok(parts) => parts,
                // What has no place has no owner.
                Err(why) => {
                    let shown: String = name.chars().take(LONGEST_SHOWN).collect();
                    let refused = Some(format!("{why}: {shown}"));
                    listed.push(Listed { path: Vec::new(), refused, ..Listed::default() });
                    continue;
                }
            };
            // A folder is no file, and says nothing by itself. A zip's times have no zone: they are not taken.
            let refused = match () {
                () if entry.is_dir() => Some(A_FOLDER),
                () if entry.is_symlink() => Some("it is a symbolic link, which is not followed"),
                () if entry.encrypted() => Some("it is encrypted"),
                () => None,
            };
            listed.push(Listed { path: parts, refused: refused.map(str::to_owned), ..Listed::default() });
        }
        Ok(listed)
    }

    fn read(&mut self, index: usize, limit: u64) -> Result<Vec<u8>, FileError> {
        let entry = self.zip.by_index(index).map_err(|error| std::io::Error::other(error.to_string()))?;
        // Whatever the header says: what comes out is counted.
        let mut bytes = Vec::new();
        entry.take(limit + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > limit { Err(FileError::TooLarge { limit }) } else { Ok(bytes) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_of_thousands_of_folders_is_refused() {
        let deep = |folders: usize| "a/".repeat(folders) + "kernel.cu";
        assert!(path(&deep(DEEPEST - 1)).is_ok() && path(&deep(DEEPEST)).is_err() && path(&deep(2000)).is_err());
        assert!(path(&(deep(DEEPEST) + "/../../x")).is_err_and(|why| why.contains("leads out")));
    }

    #[test]
    fn names_that_lead_out_are_refused() {
        assert_eq!(path("a//./b.cu"), Ok(vec!["a".into(), "b.cu".into()]));
        assert_eq!(path("a\\b.cu"), Ok(vec!["a".into(), "b.cu".into()]));
        for name in ["../a.cu", "a/../../b.cu", "/etc/a.cu", "C:/a.cu", "C:\\a.cu", "\\a.cu", "a\\..\\b.cu", "a\0.cu"] {
            assert!(path(name).is_err(), "{name:?}");
        }
    }
}
