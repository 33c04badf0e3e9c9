//! What commands share: who asks, on what terminal, how it ends.

pub(in crate::command) mod context;
pub(in crate::command) mod exit;
pub(in crate::command) mod keys;
pub(in crate::command) mod spinner;
pub mod workbook;
