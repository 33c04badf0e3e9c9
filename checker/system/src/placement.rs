//! Memory at the same addresses in every run of a program: for precompiled headers, which hold pointers, and for a compiler whose
//! choices depend on pointers' values; and memory that is used again, for a process that asks for much, again and again.
#![allow(unsafe_code)]

/// Starts this program again, in this process, with these arguments and without address randomisation. Returns only where
/// the system does not allow that, as in a container with the usual filter of system calls.
#[cfg(target_os = "linux")]
pub fn restart_fixed<S: AsRef<std::ffi::OsStr>>(arguments: impl IntoIterator<Item = S>) {
    use std::os::unix::process::CommandExt;
    const ASK: libc::c_ulong = 0xffff_ffff;
    // Neither call touches memory.
    let now = unsafe { libc::personality(ASK) };
    let fixed = libc::c_ulong::from(now as u32) | libc::ADDR_NO_RANDOMIZE as libc::c_ulong;
    if now >= 0 && unsafe { libc::personality(fixed) } >= 0 {
        // It returns only if it fails.
        let _ = std::process::Command::new("/proc/self/exe").args(arguments).exec();
    }
}

/// Elsewhere addresses stay as they are.
#[cfg(not(target_os = "linux"))]
pub fn restart_fixed<S: AsRef<std::ffi::OsStr>>(_arguments: impl IntoIterator<Item = S>) {}

/// Keeps large blocks of memory out of the way of what is mapped later, whose place then does not depend on how much was read
/// before.
pub fn keep_blocks_together() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // A setting of the allocator, made before there is a second thread.
    unsafe {
        libc::mallopt(libc::M_MMAP_MAX, 0);
    }
}

/// Lets the allocator keep what is given back to it, up to so many bytes in one piece, and hand it out again: a buffer of megabytes is not
/// asked of the system page by page each time.
pub fn keep_freed(bytes: usize) {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        // Larger blocks come from the system, and go back: the limit that the allocator sets itself.
        const LARGEST: libc::c_int = 32 << 20;
        // Settings of the allocator, made before there is a second thread.
        unsafe {
            libc::mallopt(libc::M_MMAP_THRESHOLD, LARGEST);
            libc::mallopt(libc::M_TRIM_THRESHOLD, bytes.try_into().unwrap_or(libc::c_int::MAX));
        }
    }
    #[cfg(not(all(target_os = "linux", target_env = "gnu")))]
    let _ = bytes;
}

/// Gives the system back what is kept.
pub fn give_back_freed() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // It may be called by any thread at any time.
    unsafe {
        libc::malloc_trim(0);
    }
}

/// Ends this process after so many seconds, whatever it does, and lets every other process go first.
pub fn step_back(seconds: u32) {
    #[cfg(unix)]
    {
        let _ = rustix::process::nice(19);
        // No handler: the signal's default is to end the process.
        unsafe { libc::alarm(seconds) };
    }
    #[cfg(not(unix))]
    let _ = seconds;
}
