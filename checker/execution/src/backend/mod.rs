//! One interface, two backends: the simulator and the GPU, each in a worker process.
//!
//! The pipeline describes a piece of work as plain data ([`Job`]) and calls [`verify`], [`measure()`], [`roof`] or
//! [`devices`]. The checker starts itself again as a worker, which does the work and answers in JSON lines. So an
//! endless kernel, a crash or a flood ends a worker and never the checker: whatever a kernel does comes back as a
//! [`Status`]. Errors are only for what no kernel can cause.

#[cfg(not(target_family = "wasm"))]
pub mod gpu;
pub mod machine;
mod message;
mod objects;
#[cfg(not(target_family = "wasm"))]
mod parent;
pub mod sim;
#[cfg(not(target_family = "wasm"))]
mod spent;
#[cfg(not(target_family = "wasm"))]
pub mod worker;

pub use message::failure::{DeviceInfo, JobError, NoGpuError};
pub use message::job::{
    Across, Artefact, AsWritten, Budget, Case, Job, Keep, L2State, Measure, On, Output, Passed, Program, Reads,
    SizeParameter, Text, Thoroughness, Timing, Unset, Varying, Verify,
};
pub use message::outcome::{BufferSummary, Checked, Found, LaunchCount, LineCount, RunId, RunResult, TurnedInputs};
pub use message::profile::{LaunchProfile, Profile};
pub use message::reply::Reply;
pub use message::status::{Death, Difference, Fault, Status, UNREADABLE, Untried, WrongOutput};
#[cfg(not(target_family = "wasm"))]
pub use parent::{
    AT_ONCE, BackendError, End, Room, WorkerOptions, devices, free_memory, measure, roof, run, verify, verify_with,
};

/// Bytes of memory that all workers of a check on the simulator may use together.
pub const MEMORY: u64 = 4 << 30;
