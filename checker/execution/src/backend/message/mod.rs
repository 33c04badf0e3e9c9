//! What is asked of a worker and what it answers: plain data.

pub(super) mod failure;
pub(super) mod job;
pub(super) mod outcome;
pub(super) mod profile;
pub(super) mod reply;
pub(super) mod status;
