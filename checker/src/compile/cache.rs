//! Compiled results by content, in the workbook's folder. Losing an entry costs a compilation, nothing else.
//!
//! Entries are spread over 16 folders by the first digit of their key; each folder is bounded by itself, so that a
//! write looks at a sixteenth of the cache only.

use super::wire::{self, Answer};
use crate::toolchain::home::Home;
use sha2::{Digest, Sha256};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Size of the whole cache in bytes; the oldest entries go first.
const LARGEST: u64 = 512 << 20;
const FOLDERS: u64 = 16;
const CHECKSUM: usize = 32;

/// The cache's folder.
pub struct Cache {
    dir: PathBuf,
    largest_folder: u64,
}

impl Cache {
    pub fn new(home: &Home) -> Cache {
        Cache { dir: home.compiled(), largest_folder: LARGEST / FOLDERS }
    }

    fn entry(&self, key: &str) -> PathBuf {
        self.dir.join(&key[..1]).join(key)
    }

    /// An entry, if it is there and whole.
    pub fn read(&self, key: &str) -> Option<(Answer, String, Vec<u8>)> {
        let bytes = fs::read(self.entry(key)).ok()?;
        let (sum, rest) = bytes.split_at_checked(CHECKSUM)?;
        if Sha256::digest(rest).as_slice() != sum {
            return None;
        }
        wire::decode(rest)
    }

    /// Keeps an entry: written beside, then renamed, so that nobody ever reads half of one.
    pub fn write(&self, key: &str, answer: &Answer, ptx: &[u8], cubin: &[u8]) -> io::Result<()> {
        let body = wire::encode(answer.clone(), ptx, cubin);
        let entry = self.entry(key);
        let folder = entry.parent().unwrap_or(&self.dir);
        fs::create_dir_all(folder)?;
        self.make_room(folder, body.len() as u64);
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        file.write_all(&Sha256::digest(&body))?;
        file.write_all(&body)?;
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

#[cfg(test)]
mod tests {
    use super::*;

    fn answer() -> Answer {
        Answer::Compiled { names: vec!["_Z1kv".to_owned()], log: String::new(), confined: true }
    }

    #[test]
    fn entry_comes_back_and_a_damaged_one_does_not() {
        let dir = tempfile::tempdir().unwrap();
        let cache = Cache::new(&Home::at(dir.path()));
        cache.write("0ab", &answer(), b"ptx", b"cubin").unwrap();
        let (_, ptx, cubin) = cache.read("0ab").unwrap();
        assert_eq!((ptx.as_str(), cubin.as_slice()), ("ptx", &b"cubin"[..]));

        let path = cache.entry("0ab");
        let whole = fs::read(&path).unwrap();
        for damaged in [&whole[..whole.len() - 1], &whole[..10], &[]] {
            fs::write(&path, damaged).unwrap();
            assert!(cache.read("0ab").is_none());
        }
        let mut flipped = whole;
        *flipped.last_mut().unwrap() ^= 1;
        fs::write(&path, flipped).unwrap();
        assert!(cache.read("0ab").is_none());
    }

    #[test]
    fn oldest_entries_make_room() {
        let dir = tempfile::tempdir().unwrap();
        let cache = Cache { largest_folder: 10_000, ..Cache::new(&Home::at(dir.path())) };
        for number in 0..20 {
            let key = format!("0{number:02}");
            cache.write(&key, &answer(), &[b'x'; 1000], b"").unwrap();
            let age = SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(number);
            fs::File::options().write(true).open(cache.entry(&key)).unwrap().set_modified(age).unwrap();
        }
        let size: u64 =
            fs::read_dir(cache.dir.join("0")).unwrap().map(|file| file.unwrap().metadata().unwrap().len()).sum();
        assert!(size <= 10_000, "{size}");
        assert!(cache.read("000").is_none(), "the oldest went");
        assert!(cache.read("019").is_some(), "the newest stayed");
    }
}
