//! Results kept by content: compiled kernels, listings. Losing an entry costs the time to make it again, nothing else.
//!
//! An entry is believed only if its checksum, which covers its key, is right: half an entry, another's under this name, or
//! a damaged one is made anew. Entries are spread over 16 folders by the first digit of their key; each folder is bounded
//! by itself, so that a write looks at a sixteenth of the cache only. The folders are the user's own: nobody else can
//! write there, or the cache is not used.

use crate::files;
use sha2::{Digest, Sha256};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

const FOLDERS: u64 = 16;
const CHECKSUM: usize = 32;
/// Largest entry in bytes.
const LARGEST_ENTRY: u64 = 512 << 20;

/// A bounded folder of entries.
#[derive(Debug, Clone)]
pub struct ContentCache {
    dir: PathBuf,
    largest_folder: u64,
}

impl ContentCache {
    /// In this folder, with so many bytes at most; the oldest entries go first.
    pub fn new(dir: impl Into<PathBuf>, largest: u64) -> Self {
        Self { dir: dir.into(), largest_folder: largest / FOLDERS }
    }

    /// Where an entry lies. Keys are hexadecimal digits.
    fn entry(&self, key: &str) -> Option<PathBuf> {
        let plain = !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_hexdigit());
        plain.then(|| self.dir.join(&key[..1]).join(key))
    }

    /// An entry, if it is there and whole.
    pub fn read(&self, key: &str) -> Option<Vec<u8>> {
        let entry = self.entry(key)?;
        [Some(self.dir.as_path()), entry.parent()].into_iter().flatten().try_for_each(private).ok()?;
        let mut bytes = files::read_named(&entry, LARGEST_ENTRY).ok()?;
        let (sum, body) = bytes.split_at_checked(CHECKSUM)?;
        if checksum(key, body).as_slice() != sum {
            return None;
        }
        bytes.drain(..CHECKSUM);
        Some(bytes)
    }

    /// Keeps an entry: written beside, then renamed, so that nobody ever reads half of one.
    ///
    /// # Errors
    /// The folder cannot be written, or others can write to it.
    pub fn write(&self, key: &str, body: &[u8]) -> io::Result<()> {
        let entry = self.entry(key).ok_or_else(|| io::Error::other("a key is of hexadecimal digits"))?;
        let folder = entry.parent().unwrap_or(&self.dir);
        make_private(folder)?;
        [self.dir.as_path(), folder].into_iter().try_for_each(private)?;
        self.make_room(folder, (body.len() + CHECKSUM) as u64);
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        file.write_all(&checksum(key, body))?;
        file.write_all(body)?;
        file.persist(&entry)?;
        Ok(())
    }

    /// Drops the oldest files, abandoned temporary ones among them, down to three quarters when the folder is full.
    fn make_room(&self, folder: &Path, coming: u64) {
        let mut files: Vec<(SystemTime, u64, PathBuf)> = fs::read_dir(folder)
            .into_iter()
            .flatten()
            .flatten()
            .filter_map(|entry| {
                let meta = entry.metadata().ok()?;
                Some((meta.modified().ok()?, meta.len(), entry.path()))
            })
            .collect();
        let mut size: u64 = files.iter().map(|(_, size, _)| size).sum::<u64>() + coming;
        if size <= self.largest_folder {
            return;
        }
        files.sort();
        for (_, length, path) in files {
            if size <= self.largest_folder / 4 * 3 {
                break;
            }
            if fs::remove_file(path).is_ok() {
                size -= length;
            }
        }
    }
}

/// Over the key too: an entry under another's name is none.
fn checksum(key: &str, body: &[u8]) -> [u8; CHECKSUM] {
    let mut hash = Sha256::new();
    hash.update(key);
    hash.update([0]);
    hash.update(body);
    hash.finalize().into()
}

/// Makes a folder that is its owner's alone, with those above it.
///
/// # Errors
/// The system's.
#[cfg(unix)]
pub fn make_private(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

/// A folder that only its owner can write to, who is this user or the system. What this user left open is closed.
///
/// # Errors
/// It is not, or it is not there.
#[cfg(unix)]
pub fn private(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    let about = fs::symlink_metadata(folder)?;
    let (own, open) = (about.uid() == rustix::process::geteuid().as_raw(), about.mode() & 0o022 != 0);
    if own && open && about.is_dir() {
        return fs::set_permissions(folder, fs::Permissions::from_mode(about.mode() & 0o755));
    }
    let trusted = about.is_dir() && (own || about.uid() == 0) && !open;
    if trusted {
        return Ok(());
    }
    let folder = crate::text::path(folder);
    Err(io::Error::other(format!("{folder} is not yours alone: set WARPBOOK_HOME to a folder that is")))
}

/// Makes a folder, with those above it.
///
/// # Errors
/// The system's.
#[cfg(not(unix))]
pub fn make_private(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)
}

/// Not looked at here.
///
/// # Errors
/// None.
#[cfg(not(unix))]
pub fn private(_: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_comes_back_and_a_damaged_or_moved_one_does_not() {
        let dir = tempfile::tempdir().unwrap();
        let cache = ContentCache::new(dir.path().join("c"), 1 << 20);
        cache.write("0ab", b"body").unwrap();
        assert_eq!(cache.read("0ab").as_deref(), Some(&b"body"[..]));

        let path = cache.entry("0ab").unwrap();
        let whole = fs::read(&path).unwrap();
        fs::copy(&path, path.with_file_name("0ac")).unwrap();
        assert_eq!(cache.read("0ac"), None, "another's entry under this name");
        let mut flipped = whole.clone();
        *flipped.last_mut().unwrap() ^= 1;
        for damaged in [&whole[..whole.len() - 1], &whole[..10], &[], &flipped] {
            fs::write(&path, damaged).unwrap();
            assert_eq!(cache.read("0ab"), None);
        }
        assert!(cache.write("../x", b"").is_err() && cache.read("../x").is_none());
    }

    #[test]
    fn oldest_entries_make_room() {
        let dir = tempfile::tempdir().unwrap();
        let cache = ContentCache::new(dir.path(), 10_000 * FOLDERS);
        for number in 0..20 {
            let key = format!("0{number:02}");
            cache.write(&key, &[b'x'; 1000]).unwrap();
            let age = SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(number);
            fs::File::options().write(true).open(cache.entry(&key).unwrap()).unwrap().set_modified(age).unwrap();
        }
        let size: u64 =
            fs::read_dir(cache.dir.join("0")).unwrap().map(|file| file.unwrap().metadata().unwrap().len()).sum();
        assert!(size <= 10_000, "{size}");
        assert!(cache.read("000").is_none(), "the oldest went");
        assert!(cache.read("019").is_some(), "the newest stayed");
    }

    #[cfg(unix)]
    #[test]
    fn nobody_else_can_write_there_and_no_link_is_read() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let dir = tempfile::tempdir().unwrap();
        let cache = ContentCache::new(dir.path().join("c"), 1 << 20);
        cache.write("0ab", b"body").unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&cache.dir.join("0")), 0o700);
        fs::set_permissions(cache.dir.join("0"), fs::Permissions::from_mode(0o777)).unwrap();
        assert!(cache.read("0ab").is_some());
        assert_eq!(mode(&cache.dir.join("0")), 0o755);
        let entry = cache.entry("0ab").unwrap();
        fs::rename(&entry, dir.path().join("moved")).unwrap();
        symlink(dir.path().join("moved"), &entry).unwrap();
        assert!(cache.read("0ab").is_none());
    }
}
