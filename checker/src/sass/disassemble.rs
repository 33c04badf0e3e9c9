//! Runs nvdisasm and keeps its text by content, so that the same CUBIN is disassembled once.

use super::{Error, Module, elf::Elf, listing, resources, sm_number};
use sha2::{Digest, Sha256};
use std::{
    fs::File,
    io::{Read, Seek},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

/// How to disassemble.
#[derive(Debug, Clone)]
pub struct Options {
    /// The nvdisasm to run.
    pub nvdisasm: PathBuf,
    /// Folder in which texts are kept; `None` keeps nothing. A folder that cannot be written is no error.
    pub cache: Option<PathBuf>,
    /// Count live registers too: a second nvdisasm, beside the first.
    pub live: bool,
}

/// Long enough for a kernel of a million instructions.
const TIMEOUT: Duration = Duration::from_secs(60);

const LISTING: &[&str] = &["-c", "-hex", "-g"];
const LIVE: &[&str] = &["-c", "-lrm", "count"];

/// Disassembles a CUBIN.
pub fn disassemble(cubin: &[u8], options: &Options) -> Result<Module, Error> {
    let elf = Elf::parse(cubin)?;
    let wanted: &[&[&str]] = if options.live { &[LISTING, LIVE] } else { &[LISTING] };
    let keys: Vec<Option<PathBuf>> = wanted.iter().map(|arguments| cache_file(cubin, arguments, options)).collect();
    let mut texts: Vec<Option<String>> = keys.iter().map(|k| std::fs::read_to_string(k.as_deref()?).ok()).collect();
    if texts.iter().any(Option::is_none) {
        run_missing(cubin, wanted, options, &mut texts)?;
        for (key, text) in keys.iter().zip(&texts) {
            if let (Some(key), Some(text)) = (key, text) {
                // The cache saves time only: a full or read-only disk must not end the run.
                let _ = store(key, text);
            }
        }
    }
    let mut texts = texts.into_iter().flatten();
    let listing::Listing { target, files, mut kernels } = listing::parse(&texts.next().unwrap_or_default());
    if let Some(live) = texts.next() {
        listing::add_live(&mut kernels, &live);
    }
    resources::read(&elf, sm_number(&target), &mut kernels)?;
    Ok(Module { target, files, kernels })
}

/// Starts every missing run at once, then waits for each.
fn run_missing(cubin: &[u8], wanted: &[&[&str]], options: &Options, texts: &mut [Option<String>]) -> Result<(), Error> {
    let mut input = tempfile::NamedTempFile::new().map_err(Error::Temporary)?;
    std::io::Write::write_all(&mut input, cubin).map_err(Error::Temporary)?;
    let mut running = Vec::new();
    for (n, arguments) in wanted.iter().enumerate() {
        if texts[n].is_none() {
            running.push((n, Run::start(arguments, input.path(), &options.nvdisasm)?));
        }
    }
    for (n, run) in running {
        texts[n] = Some(run.finish(cubin.len())?);
    }
    Ok(())
}

/// A running nvdisasm. It is killed when dropped unfinished.
struct Run {
    child: Child,
    stdout: File,
    stderr: File,
    started: Instant,
}

impl Run {
    /// Its output goes to files, so that no pipe fills up while nobody reads.
    fn start(arguments: &[&str], input: &Path, nvdisasm: &Path) -> Result<Self, Error> {
        let file = || -> Result<(File, File), Error> {
            let file = tempfile::tempfile().map_err(Error::Temporary)?;
            let copy = file.try_clone().map_err(Error::Temporary)?;
            Ok((file, copy))
        };
        let ((stdout, out), (stderr, err)) = (file()?, file()?);
        let child = Command::new(nvdisasm)
            .args(arguments)
            .arg(input)
            .stdin(Stdio::null())
            .stdout(out)
            .stderr(err)
            .spawn()
            .map_err(|error| Error::Start { path: nvdisasm.to_owned(), error })?;
        Ok(Self { child, stdout, stderr, started: Instant::now() })
    }

    fn finish(mut self, bytes: usize) -> Result<String, Error> {
        let status = loop {
            if let Some(status) = self.child.try_wait().map_err(Error::Temporary)? {
                break status;
            }
            if self.started.elapsed() > TIMEOUT {
                return Err(Error::Timeout { bytes, seconds: TIMEOUT.as_secs() });
            }
            std::thread::sleep(Duration::from_millis(2));
        };
        let text = read_back(&mut self.stdout)?;
        if !status.success() {
            let message = read_back(&mut self.stderr)?;
            let message =
                message.lines().rev().find(|l| !l.trim().is_empty()).unwrap_or("no message").trim().to_owned();
            return Err(Error::Failed { bytes, message });
        }
        Ok(text)
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        // Both fail harmlessly when it has ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Source paths in the text need not be UTF-8.
fn read_back(file: &mut File) -> Result<String, Error> {
    let mut bytes = Vec::new();
    file.rewind().and_then(|()| file.read_to_end(&mut bytes)).map_err(Error::Temporary)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Named by content: the CUBIN, the arguments, and which nvdisasm (path, size, time).
fn cache_file(cubin: &[u8], arguments: &[&str], options: &Options) -> Option<PathBuf> {
    let folder = options.cache.as_ref()?;
    let mut hash = Sha256::new();
    let program = std::fs::metadata(&options.nvdisasm).ok()?;
    hash.update(options.nvdisasm.as_os_str().as_encoded_bytes());
    hash.update(format!("\0{}\0{:?}\0{}\0", program.len(), program.modified().ok(), arguments.join(" ")));
    hash.update(cubin);
    let name: String = hash.finalize().iter().map(|b| format!("{b:02x}")).collect();
    Some(folder.join(format!("{name}.sass")))
}

/// Written beside and renamed, so that no reader ever sees half a text.
fn store(path: &Path, text: &str) -> std::io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)?;
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    std::io::Write::write_all(&mut file, text.as_bytes())?;
    file.persist(path).map_err(|e| e.error)?;
    Ok(())
}
