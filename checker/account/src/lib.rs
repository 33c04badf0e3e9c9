//! What became of a run, told: from what a backend says to reasons in words, places in the source, counters beside it and the
//! table of numbers. It knows neither compiler nor process, so that a page in a browser tells what the terminal tells.

pub mod annotate;
mod element;
mod judged;
pub mod launchable;
mod needs;
pub mod orders;
pub mod race;
pub mod reasons;
mod run;
pub mod table;
mod try_first;

pub use judged::{config, outputs_of};
pub use needs::Needs;
pub use orders::{Orders, schedule_name};
pub use run::{CheckedRun, report_run};
pub use try_first::try_first;

/// Seconds after which a check of an exercise or a pair ends, whatever its kernel does; what was not tried then is said.
pub const CHECK_SECONDS: u64 = 30;
