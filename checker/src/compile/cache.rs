//! Compiled results by content, in the workbook's folder. Losing an entry costs a compilation, nothing else: so what
//! cannot be read or written is simply not cached.

use super::wire::{self, Answer};
use crate::toolchain::home::Home;
use sha2::{Digest, Sha256};
use std::path::PathBuf;

/// The cache's folder.
pub struct Cache {
    dir: PathBuf,
}

const CHECKSUM: usize = 32;

impl Cache {
    pub fn new(home: &Home) -> Cache {
        Cache { dir: home.compiled() }
    }

    /// An entry, if it is there and whole.
    pub fn read(&self, key: &str) -> Option<(Answer, String, Vec<u8>)> {
        let bytes = std::fs::read(self.dir.join(key)).ok()?;
        let (sum, rest) = bytes.split_at_checked(CHECKSUM)?;
        if Sha256::digest(rest).as_slice() != sum {
            return None;
        }
        wire::decode(rest)
    }

    /// Keeps an entry.
    pub fn write(&self, key: &str, answer: Answer, ptx: &[u8], cubin: &[u8]) {
        let body = wire::encode(answer, ptx, cubin);
        let write = || -> std::io::Result<()> {
            use std::io::Write;
            std::fs::create_dir_all(&self.dir)?;
            let mut file = tempfile::NamedTempFile::new_in(&self.dir)?;
            file.write_all(&Sha256::digest(&body))?;
            file.write_all(&body)?;
            file.persist(self.dir.join(key))?;
            Ok(())
        };
        let _ = write();
    }
}
