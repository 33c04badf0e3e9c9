//! One interface, two backends: the simulator and the GPU, each in a worker process.
//!
//! The pipeline describes a piece of work as plain data ([`Job`]) and calls [`verify`], [`measure()`], [`roof`] or
//! [`devices`]. The checker starts itself again as a worker, which does the work and answers in JSON lines. So an
//! endless kernel, a crash or a flood ends a worker and never the checker: whatever a kernel does comes back as a
//! [`Status`]. Errors are only for what no kernel can cause.

#[cfg(not(target_family = "wasm"))]
mod alarm;
#[cfg(not(target_family = "wasm"))]
mod capture;
mod failure;
#[cfg(not(target_family = "wasm"))]
pub mod gpu;
mod job;
#[cfg(not(target_family = "wasm"))]
mod limits;
pub mod machine;
mod outcome;
#[cfg(not(target_family = "wasm"))]
mod parent;
#[cfg(not(target_family = "wasm"))]
mod process;
mod sampled;
pub mod sim;
mod status;
#[cfg(not(target_family = "wasm"))]
pub mod worker;

pub use failure::{DeviceInfo, Failure, NoGpu};
pub use job::{
    Across, Artefact, AsWritten, Budget, Case, Job, Keep, L2State, Measure, On, Output, Program, Text, Thoroughness,
    Timing, Verify,
};
pub use outcome::{
    BufferSummary, Checked, Found, LaunchCount, LaunchProfile, LineCount, Profile, Reply, RunId, RunResult,
};
#[cfg(not(target_family = "wasm"))]
pub use parent::{BackendError, End, WorkerOptions, devices, free_memory, measure, roof, run, verify, verify_with};
pub use status::{Death, Difference, Fault, Status, UNREADABLE, Untried, WrongOutput};

/// Bytes of memory that all workers of a check on the simulator may use together.
pub const MEMORY: u64 = 4 << 30;
