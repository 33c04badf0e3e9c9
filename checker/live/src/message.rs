//! What goes into linear memory and comes out: JSON both ways.
//!
//! 1. `live_input` makes room for a message and says where; the message is `{"kernel": Kernel, "ask": Ask}`,
//!    or without `kernel` where it is that of the call before.
//! 2. `live_run` answers and returns the answer's length.
//! 3. `live_output` says where the answer lies: `{"told": Shown}` or `{"error": "..."}`.

use crate::{Answer, Ask, Kernel, run};
use execution::backend::sim::Modules;
use serde::Deserialize;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Message {
    kernel: Option<Kernel>,
    #[serde(default)]
    ask: Ask,
}

/// A page's side of the module: the kernel that is asked about, and what was parsed.
#[derive(Default)]
pub struct Desk {
    kernel: Option<Kernel>,
    modules: Modules,
}

impl Desk {
    /// Message to answer.
    pub fn answer(&mut self, message: &[u8]) -> Vec<u8> {
        let answer = self.read(message).unwrap_or_else(Answer::Error);
        // Maps in a report have texts as keys, so this cannot fail.
        serde_json::to_vec(&answer).unwrap_or_default()
    }

    fn read(&mut self, message: &[u8]) -> Result<Answer, String> {
        let message: Message = serde_json::from_slice(message).map_err(|error| format!("the message: {error}"))?;
        if let Some(kernel) = message.kernel {
            self.kernel = Some(kernel);
        }
        let kernel = self.kernel.as_ref().ok_or("no kernel was sent")?;
        Ok(run::answer(kernel, &message.ask, &self.modules))
    }
}

/// The module's exports.
#[cfg(target_family = "wasm")]
pub mod exports {
    use super::Desk;
    use std::cell::RefCell;

    #[derive(Default)]
    struct Room {
        input: Vec<u8>,
        output: Vec<u8>,
        desk: Desk,
    }

    thread_local! {
        static ROOM: RefCell<Room> = RefCell::default();
    }

    /// Makes room for a message of `bytes` bytes and returns its address.
    // An exported name is all that is unsafe here: no other function of the program has it.
    #[allow(unsafe_code)]
    #[unsafe(no_mangle)]
    pub extern "C" fn live_input(bytes: usize) -> *mut u8 {
        ROOM.with_borrow_mut(|room| {
            room.input.clear();
            room.input.resize(bytes, 0);
            room.input.as_mut_ptr()
        })
    }

    /// Answers the message and returns the answer's length in bytes.
    #[allow(unsafe_code)]
    #[unsafe(no_mangle)]
    pub extern "C" fn live_run() -> usize {
        ROOM.with_borrow_mut(|room| {
            room.output = room.desk.answer(&room.input);
            room.output.len()
        })
    }

    /// The answer's address.
    #[allow(unsafe_code)]
    #[unsafe(no_mangle)]
    pub extern "C" fn live_output() -> *const u8 {
        ROOM.with_borrow(|room| room.output.as_ptr())
    }
}
