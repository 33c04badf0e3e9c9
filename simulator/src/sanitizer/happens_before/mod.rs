//! What orders accesses: clocks, and what releases, acquires, fences and barriers make of them.

pub(super) mod clock;
pub(super) mod state;
pub(super) mod sync;
