//! A SIMT simulator for PTX.
//!
//! PTX text goes in ([`Module::parse`]); memory, launches, results, [`Counters`] and [`Finding`]s come out
//! ([`Device`]). The crate knows PTX and the CUDA execution model and nothing else: no compiler, no driver, no files.
//!
//! A kernel's fault is a result, never an error: a trap, a race or an endless loop ends in a [`LaunchReport`] whose
//! findings say what happened and where. Errors ([`ParseError`], [`LaunchError`], [`MemoryError`]) are for what the
//! kernel cannot cause.

pub mod config;
pub mod counters;
pub mod device;
mod exec;
pub mod finding;
mod isa;
pub mod launch;
mod memory;
pub mod module;
pub mod num;
pub mod observe;
mod ptx;
pub mod watch;

pub use config::{Checks, Config, Limits, Schedule};
pub use counters::{Counters, LineCounters};
pub use device::{Device, LaunchError, MemoryError};
pub use finding::{Access, Finding, FindingKind, Place, Severity};
pub use launch::{Arg, Dim3, Launch, LaunchReport, Status};
pub use module::{Kernel, Module, Param, ParseError};
