//! What a kernel would take on a device that is not there.
//!
//! [`Facts`] go in: machine code with its control fields, what the simulator counted of some blocks, occupancy, launches. A
//! [`Modelled`] time comes out: an interval, what binds, and what each part of the machine needs. It is a model, and never to be
//! shown without that word.

pub mod chain;
mod class;
mod code;
mod device;
mod facts;
mod frequency;
pub mod judge;
mod split;
mod time;
pub mod timeline;

pub use class::Class;
pub use code::{Block, Code, FenceScope, Op, SharedAtomic, Unit, ops};
pub use device::{Device, DeviceError};
pub use facts::{Facts, LaunchFacts, Memory, Start};
pub use frequency::{Confidence, Frequencies, frequencies};
pub use split::is_fitted;
pub use time::{Bar, Bound, Modelled, model};
