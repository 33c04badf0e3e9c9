//! Memory: where the state spaces lie in the generic address space, and global memory itself.

pub mod global;
pub mod heap;
pub mod later;
pub mod layout;
pub mod ledger;
pub mod puts;
pub mod reads;
pub mod sparse;
pub mod sums;
pub mod view;
pub mod window;
