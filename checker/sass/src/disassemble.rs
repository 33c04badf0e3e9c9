//! Runs nvdisasm and keeps its text by content, so that the same CUBIN is disassembled once.

use super::elf::{Elf, Section};
use super::{Module, SassError, listing, listing::Kernel, merged, resources, sm_number};
use sha2::{Digest, Sha256};
use std::{
    collections::BTreeMap,
    fs::File,
    io::{Read, Seek},
    num::NonZero,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};
use system::cache::ContentCache;
use system::confined;
use system::text;

/// How to disassemble.
#[derive(Debug, Clone)]
pub struct DisassemblyOptions {
    /// The nvdisasm to run.
    pub nvdisasm: PathBuf,
    /// Folder in which texts are kept; `None` keeps nothing. A folder that cannot be written is no error.
    pub cache: Option<PathBuf>,
    /// Count live registers too: a second nvdisasm, beside the first.
    pub live: bool,
    /// How long it may take.
    pub timeout: Duration,
}

/// Long enough for a kernel of a million instructions.
pub const TIMEOUT: Duration = Duration::from_secs(60);

const LISTING: &[&str] = &["-c", "-hex", "-g"];
const LIVE: &[&str] = &["-c", "-lrm", "count"];

/// Bytes that listings may take in the workbook's folder.
const LARGEST_CACHE: u64 = 256 << 20;

/// Disassembles a CUBIN.
pub fn disassemble(cubin: &[u8], options: &DisassemblyOptions) -> Result<Module, SassError> {
    let elf = Elf::parse(cubin)?;
    let wanted: &[&[&str]] = if options.live { &[LISTING, LIVE] } else { &[LISTING] };
    let cache = options.cache.as_ref().map(|folder| ContentCache::new(folder, LARGEST_CACHE));
    let keys: Vec<Option<String>> = wanted.iter().map(|arguments| key(cubin, arguments, options)).collect();
    let kept = |key: &Option<String>| String::from_utf8(cache.as_ref()?.read(key.as_deref()?)?).ok();
    let mut texts: Vec<Option<String>> = keys.iter().map(kept).collect();
    if texts.iter().all(Option::is_some)
        && let Ok(module) = module(&elf, &texts)
    {
        return Ok(module);
    }
    // One that is missing, or one that was kept and does not hold.
    texts.fill(None);
    run_missing(cubin, wanted, options, &mut texts)?;
    let module = module(&elf, &texts)?;
    for (key, text) in keys.iter().zip(&texts) {
        if let (Some(cache), Some(key), Some(text)) = (&cache, key, text) {
            // The cache saves time only: a full or read-only disk must not end the run.
            let _ = cache.write(key, text.as_bytes());
        }
    }
    Ok(module)
}

/// CUBINs that are listed by one run of nvdisasm, at most.
const TOGETHER: usize = 32;

/// Lists many CUBINs with few runs of nvdisasm, and keeps the texts where [`disassemble`] finds them. What cannot be listed so is
/// left to it, its errors included. Not for what strangers wrote: one that nvdisasm does not take costs all the others a run.
pub fn prepare(cubins: &[&[u8]], options: &DisassemblyOptions) {
    let Some(cache) = options.cache.as_ref().map(|folder| ContentCache::new(folder, LARGEST_CACHE)) else { return };
    let mut kinds: BTreeMap<_, BTreeMap<String, &[u8]>> = BTreeMap::new();
    for cubin in cubins {
        if let Some(key) = key(cubin, LISTING, options)
            && cache.read(&key).is_none()
            && let Some(kind) = merged::kind(cubin)
        {
            kinds.entry(kind).or_default().insert(key, cubin);
        }
    }
    let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
    for missing in kinds.values() {
        let missing: Vec<(&String, &[u8])> = missing.iter().map(|(key, cubin)| (key, *cubin)).collect();
        let together = missing.len().div_ceil(cores).clamp(1, TOGETHER);
        for runs in missing.chunks(together).collect::<Vec<_>>().chunks(cores) {
            let started: Vec<_> = runs.iter().map(|run| (*run, start_together(run, options))).collect();
            for (run, started) in started {
                keep_parts(run, started, options.timeout, &cache);
            }
        }
    }
}

fn start_together(run: &[(&String, &[u8])], options: &DisassemblyOptions) -> Option<Run> {
    let cubins: Vec<&[u8]> = run.iter().map(|(_, cubin)| *cubin).collect();
    let [_, _, ..] = cubins[..] else { return None };
    Run::start(LISTING, Some(&merged::merge(&cubins)?), &options.nvdisasm).ok()
}

fn keep_parts(run: &[(&String, &[u8])], started: Option<Run>, timeout: Duration, cache: &ContentCache) {
    let Some(Ok(text)) = started.map(|started| started.finish(0, timeout)) else { return };
    for ((key, cubin), text) in run.iter().zip(merged::split(&text, run.len())) {
        let text = listing::numbered(&text);
        if Elf::parse(cubin).and_then(|elf| module(&elf, &[Some(&text)])).is_ok() {
            let _ = cache.write(key, text.as_bytes());
        }
    }
}

/// The texts as a module, held against the machine code.
fn module(elf: &Elf<'_>, texts: &[Option<impl AsRef<str>>]) -> Result<Module, SassError> {
    let mut texts = texts.iter().flatten();
    let text = texts.next().map_or("", AsRef::as_ref);
    let listing::Listing { target, files, mut kernels } = listing::parse(&text::clean(text));
    is_the_code(&elf.sections, &kernels)?;
    if let Some(live) = texts.next() {
        listing::add_live(&mut kernels, &text::clean(live.as_ref()));
    }
    resources::read(elf, sm_number(&target), &mut kernels)?;
    Ok(Module { target, files, kernels })
}

/// Every code section is listed once, instruction by instruction, with the bits that it has: nothing that a name or a
/// path in the CUBIN makes nvdisasm print is taken for code.
fn is_the_code(sections: &[Section<'_>], kernels: &[Kernel]) -> Result<(), SassError> {
    const INSTRUCTION: usize = 16;
    let sections: Vec<(&str, &[u8])> =
        sections.iter().filter_map(|s| Some((s.name.strip_prefix(".text.")?, s.data))).collect();
    let forged = |section: &str| SassError::Forged { section: section.to_owned() };
    for kernel in kernels {
        let mut same = sections.iter().filter(|(name, _)| *name == kernel.name);
        let (Some((name, data)), None) = (same.next(), same.next()) else { return Err(forged(&kernel.name)) };
        let bits = |bytes: &[u8]| bytes.first_chunk().map(|chunk| u64::from_le_bytes(*chunk));
        let code = data.chunks_exact(INSTRUCTION).map(|code| Some([bits(code)?, bits(&code[8..])?]));
        let listed = kernel.instructions.iter().map(|i| Some(i.encoding));
        let in_order = kernel.instructions.iter().zip(0..).all(|(i, n)| i.address == n * INSTRUCTION as u64);
        if !in_order || !code.eq(listed) {
            return Err(forged(name));
        }
    }
    let listed = |name: &str| kernels.iter().filter(|kernel| kernel.name == name).count() == 1;
    match sections.iter().find(|(name, _)| !listed(name)) {
        Some((name, _)) => Err(forged(name)),
        None => Ok(()),
    }
}

/// Starts every missing run at once, then waits for each.
fn run_missing(
    cubin: &[u8],
    wanted: &[&[&str]],
    options: &DisassemblyOptions,
    texts: &mut [Option<String>],
) -> Result<(), SassError> {
    let mut running = Vec::new();
    for (n, arguments) in wanted.iter().enumerate() {
        if texts[n].is_none() {
            running.push((n, Run::start(arguments, Some(cubin), &options.nvdisasm)?));
        }
    }
    for (n, run) in running {
        let text = run.finish(cubin.len(), options.timeout).map_err(|error| blame(error, options))?;
        texts[n] = Some(listing::numbered(&text));
    }
    Ok(())
}

/// An nvdisasm that does not even say its version is the machine's fault, not the kernel's.
fn blame(error: SassError, options: &DisassemblyOptions) -> SassError {
    let works = || Run::start(&["--version"], None, &options.nvdisasm).and_then(|run| run.finish(0, TIMEOUT)).is_ok();
    match error {
        SassError::Failed { message, .. } if !works() => {
            SassError::Start { path: options.nvdisasm.clone(), error: std::io::Error::other(message) }
        }
        other => other,
    }
}

/// A running nvdisasm. It is killed when dropped unfinished.
struct Run {
    child: Child,
    stdout: File,
    stderr: File,
    started: Instant,
    /// Where the input needs a name: removed at the end.
    _named: Option<tempfile::NamedTempFile>,
}

/// Gives a CUBIN as the program's input: from memory, which a sandbox lets it open.
#[cfg(target_os = "linux")]
fn give(cubin: &[u8], command: &mut Command) -> std::io::Result<Option<tempfile::NamedTempFile>> {
    let memory = rustix::fs::memfd_create("cubin", rustix::fs::MemfdFlags::CLOEXEC)?;
    let mut file = File::from(memory);
    std::io::Write::write_all(&mut file, cubin)?;
    file.rewind()?;
    command.arg(confined::INPUT).stdin(file);
    Ok(None)
}

#[cfg(not(target_os = "linux"))]
fn give(cubin: &[u8], command: &mut Command) -> std::io::Result<Option<tempfile::NamedTempFile>> {
    let mut file = tempfile::NamedTempFile::new()?;
    std::io::Write::write_all(&mut file, cubin)?;
    command.arg(file.path());
    Ok(Some(file))
}

impl Run {
    /// Its output goes to files, so that no pipe fills up while nobody reads. No file has a name that could stay behind.
    fn start(arguments: &[&str], input: Option<&[u8]>, nvdisasm: &Path) -> Result<Self, SassError> {
        let file = || -> Result<(File, File), SassError> {
            let file = tempfile::tempfile().map_err(SassError::Temporary)?;
            let copy = file.try_clone().map_err(SassError::Temporary)?;
            Ok((file, copy))
        };
        let ((stdout, out), (stderr, err)) = (file()?, file()?);
        let mut command = confined::command(nvdisasm);
        command.args(arguments).stdin(Stdio::null()).stdout(out).stderr(err);
        let named = match input {
            Some(bytes) => give(bytes, &mut command).map_err(SassError::Temporary)?,
            None => None,
        };
        let child = command.spawn().map_err(|error| SassError::Start { path: nvdisasm.to_owned(), error })?;
        Ok(Self { child, stdout, stderr, started: Instant::now(), _named: named })
    }

    fn finish(mut self, bytes: usize, timeout: Duration) -> Result<String, SassError> {
        let status = loop {
            if let Some(status) = self.child.try_wait().map_err(SassError::Temporary)? {
                break status;
            }
            if self.started.elapsed() > timeout {
                return Err(SassError::Timeout { bytes, seconds: timeout.as_secs() });
            }
            std::thread::sleep(Duration::from_millis(2));
        };
        let text = read_back(&mut self.stdout)?;
        if !status.success() {
            let said = read_back(&mut self.stderr)?;
            let said = said.lines().rev().find(|l| !l.trim().is_empty()).map(|line| line.trim().to_owned());
            if status.code() == Some(confined::NOT_STARTED) {
                let error = std::io::Error::other(said.unwrap_or_default());
                return Err(SassError::Start { path: PathBuf::from("nvdisasm"), error });
            }
            let message = match (status.code(), said) {
                (Some(_), Some(said)) => said,
                _ => format!("it crashed ({status})"),
            };
            return Err(SassError::Failed { bytes, message });
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
fn read_back(file: &mut File) -> Result<String, SassError> {
    let mut bytes = Vec::new();
    file.rewind().and_then(|()| file.read_to_end(&mut bytes)).map_err(SassError::Temporary)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Named by content: the CUBIN, the arguments, and which nvdisasm (path, size, time).
fn key(cubin: &[u8], arguments: &[&str], options: &DisassemblyOptions) -> Option<String> {
    let mut hash = Sha256::new();
    let program = std::fs::metadata(&options.nvdisasm).ok()?;
    hash.update(options.nvdisasm.as_os_str().as_encoded_bytes());
    hash.update(format!("\0{}\0{:?}\0{}\0", program.len(), program.modified().ok(), arguments.join(" ")));
    // Texts whose labels are numbered without gaps.
    hash.update("numbered\0");
    hash.update(cubin);
    Some(hash.finalize().iter().map(|b| format!("{b:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_listing_that_is_not_the_code_is_refused() {
        let code: Vec<u8> = [1_u64, 2, 3, 4].iter().flat_map(|half| half.to_le_bytes()).collect();
        let sections = [Section { name: ".text.k", size: 32, data: &code }];
        let line = |at: u32, low: u32, high: u32| format!("/*{at:04x}*/ NOP ; /* 0x{low:x} */\n/* 0x{high:x} */\n");
        let good = format!("\t.section\t.text.k,\"ax\"\n{}{}", line(0, 1, 2), line(16, 3, 4));
        let judged = |text: &str| is_the_code(&sections, &listing::parse(text).kernels);
        assert!(judged(&good).is_ok());
        // What a file's name in the line information could make nvdisasm print.
        let another = format!("{good}\t.section\t.text.other,\"ax\"\n{}", line(0, 1, 2));
        for forged in [
            format!("{good}{}", line(32, 5, 6)),
            format!("{good}{}", line(0, 1, 2)),
            good.replace("0x3", "0x7"),
            good.replace("/*0010*/", "/*0020*/"),
            format!("{good}{good}"),
            another,
            String::new(),
        ] {
            assert!(judged(&forged).is_err_and(|error| error.is_kernels_fault()), "{forged}");
        }
    }
}
