//! The simulator for WebAssembly: three functions and linear memory, no bindings generator.
//!
//! 1. [`simulator_input`] makes room for a message and says where: a little-endian `u32`, the JSON's length; the JSON
//!    ([`request::Request`]); then the bytes of all filled buffers, one after the other.
//! 2. [`simulator_run`] answers and returns the answer's length.
//! 3. [`simulator_output`] says where the answer lies: the JSON's length, the JSON ([`request::Answer`]), the bytes of all
//!    buffers after the launches.
//!
//! Addresses hold until the next call. `simulator.mjs` beside this crate does the copying.

pub mod request;

use std::sync::{Mutex, MutexGuard, PoisonError};

#[derive(Default)]
struct Room {
    input: Vec<u8>,
    output: Vec<u8>,
}

static ROOM: Mutex<Room> = Mutex::new(Room { input: Vec::new(), output: Vec::new() });

fn room() -> MutexGuard<'static, Room> {
    ROOM.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Makes room for a message of `bytes` bytes and returns its address.
// An exported name is all that is unsafe here: no other function of the program has it.
#[allow(unsafe_code)]
#[unsafe(no_mangle)]
pub extern "C" fn simulator_input(bytes: usize) -> *mut u8 {
    let mut room = room();
    room.input.clear();
    room.input.resize(bytes, 0);
    room.input.as_mut_ptr()
}

/// Answers the message and returns the answer's length in bytes.
#[allow(unsafe_code)]
#[unsafe(no_mangle)]
pub extern "C" fn simulator_run() -> usize {
    let mut room = room();
    room.output = answer(&room.input);
    room.output.len()
}

/// The answer's address.
#[allow(unsafe_code)]
#[unsafe(no_mangle)]
pub extern "C" fn simulator_output() -> *const u8 {
    room().output.as_ptr()
}

/// Message to answer.
pub fn answer(message: &[u8]) -> Vec<u8> {
    let (answer, buffers) = match split(message) {
        Some((json, fills)) => request::answer(json, fills),
        None => (request::Answer::Error("a message shorter than it says".into()), Vec::new()),
    };
    // Maps in an answer have texts as keys, so this cannot fail.
    let json = serde_json::to_vec(&answer).unwrap_or_default();
    let mut out = Vec::with_capacity(4 + json.len() + buffers.len());
    out.extend_from_slice(&(json.len() as u32).to_le_bytes());
    out.extend_from_slice(&json);
    out.extend_from_slice(&buffers);
    out
}

fn split(message: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = message.split_first_chunk::<4>()?;
    rest.split_at_checked(u32::from_le_bytes(*length) as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(json: &str, fills: &[u8]) -> (serde_json::Value, Vec<u8>) {
        let message = [&(json.len() as u32).to_le_bytes(), json.as_bytes(), fills].concat();
        let answer = answer(&message);
        let (json, bytes) = split(&answer).unwrap();
        (serde_json::from_slice(json).unwrap(), bytes.to_vec())
    }

    #[test]
    fn adds() {
        let request = serde_json::json!({
            "ptx": include_str!("../kernels.ptx"),
            "config": { "checks": { "races": true, "uninitialised": true, "barriers": true } },
            "buffers": [
                { "name": "a", "bytes": 8, "filled": true },
                { "name": "b", "bytes": 8, "filled": true },
                { "name": "c", "bytes": 8 },
            ],
            "launches": [{
                "kernel": "vector_add", "grid": [1, 1, 1], "block": [32, 1, 1],
                "args": [{ "buffer": 0 }, { "buffer": 1 }, { "buffer": 2 }, { "s32": 2 }],
            }],
        });
        let fills = [1.5f32, -4.0, 2.25, 0.5].map(f32::to_le_bytes).concat();
        let (answer, bytes) = ask(&request.to_string(), &fills);
        assert_eq!(answer["reports"][0]["status"], "finished", "{answer}");
        assert_eq!(answer["reports"][0]["findings"], serde_json::json!([]));
        assert_eq!(bytes[16..], [3.75f32, -3.5].map(f32::to_le_bytes).concat());
    }

    #[test]
    fn refuses() {
        for (request, says) in [
            ("{", "the request"),
            (r#"{"ptx":"x","launches":[]}"#, "PTX line 1"),
            (
                r#"{"ptx":".version 8.0","launches":[],"buffers":[{"name":"b","bytes":9,"filled":true}]}"#,
                "too few bytes",
            ),
            (r#"{"ptx":".version 8.0","launches":[],"buffers":[{"name":"b","bytes":1e15}]}"#, "the request"),
            (
                r#"{"ptx":".version 8.0","launches":[],"buffers":[{"name":"b","bytes":99999999999}]}"#,
                "the limit `memory`",
            ),
        ] {
            let (answer, _) = ask(request, &[]);
            assert!(answer["error"].as_str().is_some_and(|text| text.contains(says)), "{request}: {answer}");
        }
        assert!(String::from_utf8_lossy(&answer(&[9, 0, 0, 0])).contains("shorter"));
    }
}
