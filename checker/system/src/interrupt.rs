//! Ctrl-C, a closed terminal, a polite kill: restore the terminal, remove half-written files, end with 128 + signal.
//!
//! Children need no care: on a terminal they get the same signal, and every worker ends when its standard input closes.

use rustix::io::Errno;
use rustix::process::{Pid, test_kill_process};
use rustix::termios::{OptionalActions, Termios, tcsetattr};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// What a signal must undo.
struct Undo {
    terminal: Option<Termios>,
    cursor_hidden: bool,
    files: BTreeSet<PathBuf>,
}

static UNDO: Mutex<Undo> = Mutex::new(Undo { terminal: None, cursor_hidden: false, files: BTreeSet::new() });

/// Is there no such process on this machine any more? Then what it left half-written may go. One of another user is there.
pub fn has_ended(process: Pid) -> bool {
    test_kill_process(process) == Err(Errno::SRCH)
}

/// Starts the thread that waits for signals.
pub fn install() {
    let Ok(mut signals) = signal_hook::iterator::Signals::new([SIGINT, SIGTERM, SIGHUP]) else {
        return; // The default action, an immediate end, is the best that is left.
    };
    std::thread::spawn(move || {
        if let Some(signal) = signals.forever().next() {
            undo();
            std::process::exit(128 + signal);
        }
    });
}

fn undo() {
    let Ok(undo) = UNDO.lock() else { return };
    if let Some(terminal) = &undo.terminal {
        let _ = tcsetattr(rustix::stdio::stdin(), OptionalActions::Now, terminal);
    }
    if undo.cursor_hidden {
        let _ = std::io::stderr().write_all(b"\x1b[?25h");
    }
    for file in &undo.files {
        let _ = std::fs::remove_file(file);
        let _ = std::fs::remove_dir_all(file);
    }
}

/// Remembers how the terminal was, until [`terminal_restored`].
pub fn terminal_changed(before: Termios) {
    if let Ok(mut undo) = UNDO.lock() {
        undo.terminal = Some(before);
    }
}

/// The terminal is as it was.
pub fn terminal_restored() {
    if let Ok(mut undo) = UNDO.lock() {
        undo.terminal = None;
    }
}

/// A progress bar hides the cursor while it is drawn.
pub fn cursor_hidden(hidden: bool) {
    if let Ok(mut undo) = UNDO.lock() {
        undo.cursor_hidden = hidden;
    }
}

/// A file or folder that is half-written until the guard is dropped: a signal removes it.
#[derive(Debug)]
pub struct HalfWritten(PathBuf);

impl HalfWritten {
    /// Call before the file is made.
    pub fn new(path: &Path) -> Self {
        if let Ok(mut undo) = UNDO.lock() {
            undo.files.insert(path.to_path_buf());
        }
        Self(path.to_path_buf())
    }
}

impl Drop for HalfWritten {
    fn drop(&mut self) {
        if let Ok(mut undo) = UNDO.lock() {
            undo.files.remove(&self.0);
        }
    }
}
