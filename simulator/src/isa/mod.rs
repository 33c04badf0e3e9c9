//! Decoded code: a flat vector of small fixed-size operations with register numbers resolved, and side tables for what
//! does not fit. The executor sees only this.

mod analysis;
pub mod class;
pub mod decode;
pub mod function;
pub mod lower;
pub mod op;
pub mod parts;
pub mod placement;
pub mod table;

#[cfg(feature = "threads")]
pub use analysis::independent;
pub use analysis::{control_flow, decides, fixed, liveness, provenance, turns};
use analysis::{flow, marks};
#[cfg(not(target_family = "wasm"))]
pub use analysis::{locks, placed};
