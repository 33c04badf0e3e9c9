//! `live` as a module: three exports, as its `message` says. A crate of its own, because what is linked last decides how everything is
//! optimised together: here loops become vectors, while `live` itself stays small.

#![cfg(target_family = "wasm")]

use live::message::Desk;
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
