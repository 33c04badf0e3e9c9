//! Runs beside the usual ones: under other orders, as written, and over inputs of which little is changed.

pub(super) mod across;
pub(super) mod as_written;
pub(super) mod shortest;
#[cfg(not(target_family = "wasm"))]
pub(super) mod turned;
pub(super) mod unread;
pub(super) mod unused;
