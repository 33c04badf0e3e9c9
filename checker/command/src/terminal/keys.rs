//! Single keys from the terminal, without echo. Ctrl-C stays a signal.

use rustix::event::{PollFd, PollFlags, poll};
use rustix::termios::{LocalModes, OptionalActions, SpecialCodeIndex, Termios, tcgetattr, tcsetattr};
use std::io::IsTerminal;
use std::time::Duration;
use system::interrupt;

/// The terminal in single-key mode; dropped, it is as it was.
#[derive(Debug)]
pub struct Keys {
    before: Termios,
}

impl Keys {
    /// `None` when the standard input is no terminal.
    pub fn new() -> Option<Self> {
        if !std::io::stdin().is_terminal() {
            return None;
        }
        let before = tcgetattr(rustix::stdio::stdin()).ok()?;
        let mut single = before.clone();
        single.local_modes -= LocalModes::ICANON | LocalModes::ECHO;
        single.special_codes[SpecialCodeIndex::VMIN] = 0;
        single.special_codes[SpecialCodeIndex::VTIME] = 0;
        interrupt::terminal_changed(before.clone());
        tcsetattr(rustix::stdio::stdin(), OptionalActions::Now, &single).ok()?;
        Some(Self { before })
    }

    /// The next key, waiting for it no longer than `patience`.
    pub fn next(&self, patience: Duration) -> Option<char> {
        let stdin = rustix::stdio::stdin();
        let timeout = rustix::event::Timespec { tv_sec: 0, tv_nsec: patience.subsec_nanos().into() };
        let mut waiting = [PollFd::new(&stdin, PollFlags::IN)];
        let ready = poll(&mut waiting, Some(&timeout)).ok()?;
        let mut byte = [0; 1];
        if ready == 0 || rustix::io::read(stdin, &mut byte).ok()? == 0 {
            return None;
        }
        Some(char::from(byte[0]))
    }
}

impl Drop for Keys {
    fn drop(&mut self) {
        let _ = tcsetattr(rustix::stdio::stdin(), OptionalActions::Now, &self.before);
        interrupt::terminal_restored();
    }
}
