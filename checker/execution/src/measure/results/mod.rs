//! Results files: what was measured, committed.

pub mod ladder_record;
pub mod record;
