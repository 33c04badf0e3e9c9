//! What a grade's report depends on, as one hash: whoever finds a grade with the same key need not check again.

use crate::grade::MadeBy;
use crate::hash;
use compiler::toolchain::Toolchain;
use problem::Problem;
use sha2::{Digest, Sha256};
use std::io;
use std::path::Path;
use system::files::{self, FileError};

/// Largest file of a problem that is looked at.
const LARGEST: u64 = 256 << 20;

/// What all grades of a run have in common.
#[derive(Debug, Clone)]
pub struct Makers {
    /// For the grade.
    pub made_by: MadeBy,
    /// The compiler's pieces.
    toolchain: String,
}

impl Makers {
    /// This program with that compiler.
    ///
    /// # Errors
    /// The program itself cannot be read.
    pub fn of(toolchain: &Toolchain) -> io::Result<Self> {
        let program = crate::hex(&digest_of(&system::itself::program()?)?)[..16].to_owned();
        let checker = env!("CARGO_PKG_VERSION").to_owned();
        let made_by = MadeBy { checker, program, compiler: toolchain.compiler(), gpu: None };
        Ok(Self { made_by, toolchain: toolchain.id.clone() })
    }

    /// The key of a submission: its content, the problem's files, the seed, where it runs.
    pub fn key(&self, kernel: &str, problem: &str, seed: u64, tier: &str) -> String {
        let seed = seed.to_string();
        let parts = [kernel, problem, &seed, tier, &self.made_by.checker, &self.made_by.program, &self.toolchain];
        hash(parts.map(str::as_bytes))
    }
}

/// Hash over the files of a problem's folder, but for the learner's, and its results files: what a starter took that cannot be modelled
/// stands there, and goals are judged by it.
///
/// # Errors
/// One cannot be read.
pub fn of_problem(problem: &Problem) -> Result<String, FileError> {
    let mut entries = std::fs::read_dir(&problem.dir)?.collect::<Result<Vec<_>, _>>()?;
    entries.sort_by_key(std::fs::DirEntry::file_name);
    let mut parts: Vec<Vec<u8>> = Vec::new();
    for entry in entries.iter().filter(|entry| entry.file_name() != "kernel.cu") {
        let path = entry.path();
        if path.is_file() {
            parts.push(entry.file_name().to_string_lossy().as_bytes().to_vec());
            parts.push(Sha256::digest(read(&path)?).to_vec());
        }
    }
    for path in check::results_files(problem) {
        let place = path.strip_prefix(problem.root()).unwrap_or(&path);
        parts.push(place.as_os_str().as_encoded_bytes().to_vec());
        parts.push(Sha256::digest(read(&path)?).to_vec());
    }
    Ok(hash(parts.iter().map(Vec::as_slice)))
}

fn digest_of(path: &Path) -> io::Result<Vec<u8>> {
    use std::io::Read;
    let mut file = std::fs::File::open(path)?;
    let (mut hash, mut piece) = (Sha256::new(), vec![0; 1 << 16]);
    loop {
        match file.read(&mut piece)? {
            0 => return Ok(hash.finalize().to_vec()),
            read => hash.update(&piece[..read]),
        }
    }
}

fn read(path: &Path) -> Result<Vec<u8>, FileError> {
    files::read_trusted(path, LARGEST)
}
