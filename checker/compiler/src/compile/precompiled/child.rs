//! The child's side of precompiled headers: the same addresses in every process, finding a header, making one.

use super::super::nvrtc::{self, Outcome};
use super::super::wire::{Compile, Header, HeaderUse, Job};
use super::store::{self, Attempt};
use crate::compile::child::ARGUMENT;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use system::{placement, sandbox};

/// Behind [`ARGUMENT`]: fix the addresses. A second process image, behind [`PLACED`], has them. The library behind it asks for
/// room for a header.
pub const PLACE: &str = "place";
const PLACED: &str = "placed";

/// Memory for a header, in bytes: most of libcu++ takes 340 MB, and what is not used costs nothing.
const HEAP: usize = 768 << 20;
/// The largest file that may be written for one.
const LARGEST: u64 = 1 << 30;
/// Wall-clock time for making one, in seconds.
const LONGEST: u32 = 300;

/// Addresses that are the same every time, where the system allows that: NVRTC looks at pointers' values where it has a choice, and
/// the same source then becomes different PTX from run to run (13.5: a vector load of which some bytes are needed, or not).
///
/// Returns where NVRTC lies, in a process that is to use or to make a header.
///
/// Everything that moves later memory happens here, before the job is read: what it holds then moves nothing.
pub fn settle(mut arguments: impl Iterator<Item = OsString>) -> Option<usize> {
    let (stage, library) = (arguments.next()?, arguments.next());
    if stage == PLACE {
        let again = [OsStr::new(ARGUMENT), OsStr::new(PLACED)].into_iter().chain(library.as_deref());
        placement::restart_fixed(again);
    }
    let library = library.filter(|_| stage == PLACED)?;
    placement::keep_blocks_together();
    nvrtc::load(Path::new(&library)).ok()?;
    nvrtc::reserve_header(Path::new(&library), HEAP)
}

/// What a job may use, besides its own limits: the heap's address space and, with a header, its temporary file.
pub fn bounds(job: &Job, address: Option<usize>, header: bool) -> sandbox::Bounds {
    let memory = job.memory + address.map_or(0, |_| HEAP as u64);
    sandbox::Bounds { cpu_seconds: job.cpu_seconds, memory, file: if header { LARGEST } else { 0 } }
}

/// NVRTC's temporary folder, by `TMPDIR`: behind the heap stands a file without a name.
pub use super::store::scratch;

/// The header for a job, and what became of the wish so far.
pub fn find(job: &Job, address: Option<usize>) -> (Option<PathBuf>, HeaderUse) {
    match (&job.header, address) {
        (Some(Header::Use(stem)), Some(address)) => {
            let file = store::file(stem, address);
            if store::is_usable(&file) {
                (Some(file), HeaderUse::Refused)
            } else if store::is_attempted(&file) {
                (None, HeaderUse::Attempted)
            } else {
                (None, HeaderUse::Missing)
            }
        }
        (Some(_), None) => (None, HeaderUse::Impossible),
        _ => (None, HeaderUse::Unasked),
    }
}

/// The option that makes NVRTC read a header.
pub fn option(file: &Path) -> Option<String> {
    file.to_str().map(|file| format!("--use-pch={file}"))
}

/// NVRTC's first line when it used a header; takes it away. The rest of the log is as without one.
pub fn take_notice(log: &mut String, name: &str) -> bool {
    let notice = format!("\"{name}\": using precompiled header file \"");
    let end = log.starts_with(&notice).then(|| log.find('\n')).flatten();
    if let Some(end) = end {
        log.drain(..=end);
    }
    end.is_some()
}

/// Makes a header, if nobody else does.
pub fn make(job: &Job, compile: &Compile, stem: &Path, address: Option<usize>) {
    placement::step_back(LONGEST);
    sandbox::limit_alone(bounds(job, address, true));
    system::calls::close(system::calls::Programs::Refused);
    let Some(attempt) = address.and_then(|address| Attempt::claim(&store::file(stem, address))) else { return };
    if grow(compile, &attempt.growing).is_some() { attempt.succeed() } else { attempt.fail() }
}

/// A header whose making said anything else than that it was made would swallow a warning.
fn grow(compile: &Compile, file: &Path) -> Option<()> {
    let mut compile = compile.clone();
    compile.options.push(format!("--create-pch={}", file.to_str()?));
    let (outcome, log) = crate::compile::child::run(&compile).ok()?;
    let notice = format!("\"{}\": creating precompiled header file \"", compile.name);
    let alone = log.trim().starts_with(&notice) && log.trim().lines().count() == 1;
    (alone && matches!(outcome, Outcome::Done { .. })).then_some(())
}
