//! The numbers in buffers: what they hold before a run ([`fill()`](fill::fill), or on a device [`recipe`]), how far from the oracle's they
//! may be ([`tolerance`]), which are wrong and what these have in common ([`compare()`](compare::compare)). These are the checker's
//! hot loops; nothing here knows who ran what.

pub mod compare;
pub mod edges;
pub mod fill;
mod mismatch;
pub mod named;
pub mod npy;
pub mod recipe;
pub mod sum;
pub mod tolerance;
mod value;

pub use mismatch::{LooksLike, Mismatch};
pub use tolerance::Tolerance;
pub use value::{Value, real};
