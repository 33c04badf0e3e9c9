//! What a worker may use, and its tie to its parent. Set by the worker itself before it does anything else.

use rustix::process::{Resource, Rlimit, Signal, getrlimit, setrlimit};
use std::sync::{Once, OnceLock};

/// Bytes of one file a worker may write: a `--dump` of 2^28 doubles fits.
const FILE_BYTES: u64 = 4 << 30;
/// Seconds of processor time, all threads together: a backstop for the parent's clock.
const CPU_SECONDS: u64 = 4 * 3600;

/// Freed memory that a worker keeps for what it allocates next.
const FREED: usize = 48 << 20;

/// No core files, bounded files and processor time, and the end when the parent ends. A limit that cannot be set (it
/// is already lower) is left as it is.
pub fn at_start() {
    system::placement::keep_freed(FREED);
    limit(Resource::Core, 0);
    limit(Resource::Fsize, FILE_BYTES);
    limit(Resource::Cpu, CPU_SECONDS);
    #[cfg(target_os = "linux")]
    let _ = rustix::process::set_parent_process_death_signal(Some(Signal::KILL));
}

/// Address space that a thread reserves without using it: its stack and its heap arena.
const RESERVED_A_THREAD: u64 = 256 << 20;

/// Of a worker's share of memory one part in so many is for what is not counted as its own data: its code, and its parent.
const BESIDE: u64 = 16;

/// Bounds the worker's memory: what it may write to, and its address space. Not for a GPU: its driver reserves far more than it uses.
pub fn memory(bytes: u64) {
    at_most(Resource::Data, bytes - bytes / BESIDE);
    let value = bytes.saturating_add(threads() * RESERVED_A_THREAD).saturating_add(KEPT);
    at_most(Resource::As, value);
}

/// Sets a limit that another job's may lie above.
fn at_most(resource: Resource, value: u64) {
    let maximum = getrlimit(resource).maximum;
    let _ = setrlimit(resource, Rlimit { current: Some(maximum.map_or(value, |most| most.min(value))), maximum });
}

/// Threads that run at the same time at most.
pub fn threads() -> u64 {
    static THREADS: OnceLock<u64> = OnceLock::new();
    *THREADS.get_or_init(|| std::thread::available_parallelism().map_or(1, |threads| threads.get() as u64))
}

/// Files that a simulation may have open at a time.
const FILES: u64 = 64;

/// Bounds the files of a worker that simulates: from now on it opens nothing but what it fills buffers from.
pub fn files() {
    limit(Resource::Nofile, FILES);
}

/// Bytes that a worker may have left in memory and still take another job.
const KEPT: u64 = 64 << 20;

/// Does it have so little left in memory that it may take another job? What the allocator keeps goes back if that is too much.
pub fn is_light() -> bool {
    let light = || resident().is_some_and(|bytes| bytes <= KEPT);
    light() || {
        system::placement::give_back_freed();
        light()
    }
}

/// Host threads that fill and compare buffers: as many as the job that a worker begins with has cores to itself. Each of as many workers as there are
/// cores would start as many threads otherwise. Threads take over what their process may call: not to be started before it was closed.
pub fn host_threads(cores: usize) {
    static STARTED: Once = Once::new();
    STARTED.call_once(|| {
        // Where none can be started, one is started later, or this one does it all.
        let _ = rayon::ThreadPoolBuilder::new().num_threads(cores.max(1)).use_current_thread().build_global();
    });
}

/// Bytes of this process that are in memory, where the system tells.
fn resident() -> Option<u64> {
    let pages = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = pages.split_whitespace().nth(1)?.parse().ok()?;
    Some(pages * rustix::param::page_size() as u64)
}

fn limit(resource: Resource, value: u64) {
    let _ = setrlimit(resource, Rlimit { current: Some(value), maximum: Some(value) });
}
