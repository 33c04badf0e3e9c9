//! What commands share: who asks, on what terminal, how it ends.

pub mod context;
pub mod exit;
pub mod keys;
pub mod spinner;
pub mod workbook;
