//! Starts the compiling child and waits for it, but not for ever.
//!
//! A child, because a source can make a compiler run for ever, eat all memory or crash; and because NVRTC is chosen by
//! the loader's path, which is fixed when a process starts.

use super::child::{ARGUMENT, PLACE};
use super::precompiled::store::scratch;
use super::wire::{self, CompileAnswer, Header, Job, Reply};
use crate::toolchain::home::Home;
use crate::toolchain::{fingerprint, short_hash};
use std::ffi::OsString;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// What a compilation may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// CPU time in seconds.
    pub cpu_seconds: u64,
    /// Wall-clock time.
    pub wall: Duration,
    /// Address space in bytes; NVRTC itself maps about 300 MB.
    pub memory: u64,
    /// Whether Landlock confines the file system, where the kernel has it. `false` leaves the check of `#include` lines
    /// as the only guard, as on a kernel without Landlock.
    pub landlock: bool,
}

impl Default for Limits {
    /// 15 s of CPU time, 60 s of wall-clock time, 4 GiB, Landlock.
    fn default() -> Limits {
        Limits { cpu_seconds: 15, wall: Duration::from_secs(60), memory: 4 << 30, landlock: true }
    }
}

impl Limits {
    /// For what belongs to no problem: 60 s of CPU time, which a shared core makes of a third of it, and as much more of the clock's, unless
    /// that is limited already.
    #[must_use]
    pub fn of_own(self) -> Limits {
        let usual = Limits::default();
        let times = u32::try_from(OWN_SECONDS / usual.cpu_seconds).unwrap_or(1);
        let wall = if self.wall < usual.wall { self.wall } else { self.wall * times };
        Limits { cpu_seconds: OWN_SECONDS, wall, ..self }
    }

    /// With no more wall-clock time than there is until then.
    #[must_use]
    pub fn until(self, until: Instant) -> Limits {
        Limits { wall: self.wall.min(until.saturating_duration_since(Instant::now())), ..self }
    }
}

/// CPU time for a file that belongs to no problem, in seconds.
const OWN_SECONDS: u64 = 60;

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum ChildError {
    /// Time is up.
    #[error("the compiler was stopped after {0} s")]
    Time(u64),
    /// Its processor time is up.
    #[error("the compiler was stopped after {0} s of processor time")]
    ProcessorTime(u64),
    /// Killed by a signal or ended without a word.
    #[error("the compiler crashed ({0})")]
    Crashed(String),
    /// The library cannot be loaded.
    #[error("{0}")]
    Unloadable(String),
    /// The child could not be started.
    #[error("the compiling process cannot be started: {0}")]
    Start(String),
}

/// Most bytes of PTX and CUBIN that are taken.
const LARGEST_ANSWER: u64 = 256 << 20;

/// Asks a library for its version and architectures.
pub(crate) fn probe(library: &Path) -> Result<((u32, u32), Vec<u32>), ChildError> {
    let limits = Limits::default();
    match run(library, None, None, limits)?.answer {
        CompileAnswer::Probed { version, archs } => Ok((version, archs)),
        other => Err(ChildError::Crashed(format!("unexpected answer {other:?}"))),
    }
}

/// A job in words that the child understands.
fn words(library: &Path, compile: Option<wire::Compile>, header: Option<Header>, limits: Limits) -> Vec<u8> {
    let Limits { cpu_seconds, memory, landlock, .. } = limits;
    let protocol = wire::PROTOCOL;
    let job = Job { protocol, library: library.to_owned(), memory, cpu_seconds, landlock, compile, header };
    serde_json::to_vec(&job).unwrap_or_default()
}

/// The child's command line and environment: at the same addresses every time, if the system lets it.
fn command(library: &Path, link: &LinkFolder, header: Option<&Header>) -> std::io::Result<Command> {
    let mut command = Command::new(system::itself::program()?);
    // An empty environment: NVRTC_PREPEND_FLAGS and its like must not change what is compiled.
    command.args([ARGUMENT, PLACE]).env_clear().env(LOADER_PATH, loader_path(link.path(), library));
    if let Some(Header::Use(stem) | Header::Make(stem)) = header {
        command.arg(library).env("TMPDIR", scratch(stem));
    }
    #[cfg(unix)]
    command.current_dir("/");
    #[cfg(windows)]
    command.env("SystemRoot", std::env::var_os("SystemRoot").unwrap_or_default());
    Ok(command)
}

/// Starts a job whose answer nobody waits for, and which may go on when this process has ended. What goes wrong is of no
/// consequence.
pub(super) fn start(library: &Path, compile: wire::Compile, header: Header, limits: Limits) -> std::io::Result<()> {
    let link = LinkFolder::with(library)?;
    if matches!(link, LinkFolder::Temporary(_)) {
        return Ok(()); // it goes when this function ends
    }
    let mut command = command(library, &link, Some(&header))?;
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
    if let Some(mut stdin) = child.stdin.take() {
        stdin.write_all(&words(library, Some(compile), Some(header), limits))?;
    }
    // In `watch` this process goes on for long: the child is not to stay as a zombie.
    std::thread::spawn(move || child.wait());
    Ok(())
}

/// Runs one job.
pub(super) fn run(
    library: &Path,
    compile: Option<wire::Compile>,
    header: Option<Header>,
    limits: Limits,
) -> Result<Reply, ChildError> {
    let start = |error: std::io::Error| ChildError::Start(error.to_string());
    let link = LinkFolder::with(library).map_err(start)?;
    let mut command = command(library, &link, header.as_ref()).map_err(start)?;
    let job = words(library, compile, header, limits);
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().map_err(start)?;
    let started = Instant::now();
    let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let writer = std::thread::spawn(move || {
        // A child that ended early has its own story to tell.
        let _ = stdin.map(|mut stdin| stdin.write_all(&job));
    });
    let words = std::thread::spawn(move || {
        let mut text = Vec::new();
        let _ = stderr.map(|stderr| stderr.take(64 << 10).read_to_end(&mut text));
        String::from_utf8_lossy(&text).trim().to_owned()
    });
    let (sender, receiver) = mpsc::channel();
    let reader = std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = stdout.map(|stdout| stdout.take(LARGEST_ANSWER).read_to_end(&mut bytes));
        let _ = sender.send(bytes);
    });
    let bytes = receiver.recv_timeout(limits.wall);
    if bytes.is_err() {
        let _ = child.kill();
    }
    let status = child.wait().map_err(start)?;
    let _ = writer.join();
    let _ = reader.join();
    let words = words.join().unwrap_or_default();
    let Ok(bytes) = bytes else { return Err(ChildError::Time(limits.wall.as_secs())) };
    match wire::decode(&bytes) {
        Some(Reply { answer: CompileAnswer::Unloadable { reason }, .. }) => Err(ChildError::Unloadable(reason)),
        Some(reply) if status.success() => Ok(reply),
        None if status.code() == Some(wire::NOT_TAKEN) => Err(ChildError::Start(words)),
        _ => Err(ended(status, words, limits, started.elapsed())),
    }
}

#[cfg(unix)]
fn ended(status: std::process::ExitStatus, words: String, limits: Limits, elapsed: Duration) -> ChildError {
    use rustix::process::Signal;
    use std::os::unix::process::ExitStatusExt;
    match status.signal() {
        // The CPU limit sends SIGXCPU, then SIGKILL; an earlier SIGKILL is the system's, short of memory.
        Some(signal) if signal == Signal::XCPU.as_raw() => ChildError::ProcessorTime(limits.cpu_seconds),
        Some(signal) if signal == Signal::KILL.as_raw() && elapsed.as_secs() >= limits.cpu_seconds => {
            ChildError::ProcessorTime(limits.cpu_seconds)
        }
        _ if words.is_empty() => ChildError::Crashed(status.to_string()),
        _ => ChildError::Crashed(format!("{status}: {words}")),
    }
}

#[cfg(not(unix))]
fn ended(status: std::process::ExitStatus, words: String, _limits: Limits, _elapsed: Duration) -> ChildError {
    ChildError::Crashed(format!("{status}: {words}"))
}

#[cfg(windows)]
const LOADER_PATH: &str = "PATH";
#[cfg(not(windows))]
const LOADER_PATH: &str = "LD_LIBRARY_PATH";

fn loader_path(link: &Path, library: &Path) -> OsString {
    // What the user has there comes last: it may be needed, but must not decide which CUDA is used.
    let inherited = std::env::var_os(LOADER_PATH).unwrap_or_default();
    let mut folders = vec![link.to_owned()];
    folders.extend(library.parent().map(Path::to_owned));
    folders.extend(std::env::split_paths(&inherited).filter(|path| !path.as_os_str().is_empty()));
    std::env::join_paths(folders).unwrap_or_else(|_| link.as_os_str().to_owned())
}

/// A folder with a link `libnvrtc.so` to the library: the name that cudarc tries first.
enum LinkFolder {
    Kept(PathBuf),
    Temporary(tempfile::TempDir),
}

impl LinkFolder {
    fn path(&self) -> &Path {
        match self {
            LinkFolder::Kept(path) => path,
            LinkFolder::Temporary(dir) => dir.path(),
        }
    }

    #[cfg(unix)]
    fn with(library: &Path) -> std::io::Result<LinkFolder> {
        let name = "libnvrtc.so";
        if let Some(dir) = library.parent().filter(|_| library.file_name().is_some_and(|file| file == name)) {
            return Ok(LinkFolder::Kept(dir.to_owned()));
        }
        let folder = Home::from_environment().root().join("links").join(short_hash(&[fingerprint(library).as_bytes()]));
        let link = folder.join(name);
        let good = || std::fs::read_link(&link).is_ok_and(|target| target == library);
        if good() {
            return Ok(LinkFolder::Kept(folder));
        }
        // The loader's path is separated by colons.
        if folder.to_string_lossy().contains(':') {
            return LinkFolder::temporary(library);
        }
        let _ = std::fs::create_dir_all(&folder).and_then(|()| std::os::unix::fs::symlink(library, &link));
        // Another process may have been faster; only a folder that cannot be written needs a temporary one.
        if good() {
            return Ok(LinkFolder::Kept(folder));
        }
        LinkFolder::temporary(library)
    }

    #[cfg(unix)]
    fn temporary(library: &Path) -> std::io::Result<LinkFolder> {
        let dir = tempfile::tempdir()?;
        std::os::unix::fs::symlink(library, dir.path().join("libnvrtc.so"))?;
        Ok(LinkFolder::Temporary(dir))
    }

    #[cfg(not(unix))]
    fn with(library: &Path) -> std::io::Result<LinkFolder> {
        let dir = tempfile::tempdir()?;
        std::fs::copy(library, dir.path().join("nvrtc.dll"))?;
        Ok(LinkFolder::Temporary(dir))
    }
}
