//! A SIMT simulator for PTX.
//!
//! PTX text goes in ([`Module::parse`]); memory, launches, results, [`Counters`] and [`Finding`]s come out
//! ([`Device`]). The crate knows PTX and the CUDA execution model and nothing else: no compiler, no driver, no files.
//!
//! ```
//! use simulator::{Arg, Config, Device, Launch, Module, Status};
//! use std::sync::Arc;
//!
//! let ptx = ".version 8.0
//! .target sm_90
//! .address_size 64
//! .visible .entry twice(.param .u64 data) {
//!     .reg .b32 %r<4>; .reg .b64 %rd<4>;
//!     ld.param.u64 %rd1, [data];
//!     mov.u32 %r1, %tid.x;
//!     mul.wide.u32 %rd2, %r1, 4;
//!     add.s64 %rd3, %rd1, %rd2;
//!     ld.global.u32 %r2, [%rd3];
//!     shl.b32 %r3, %r2, 1;
//!     st.global.u32 [%rd3], %r3;
//!     ret;
//! }";
//! let mut device = Device::new(Arc::new(Module::parse(ptx)?), Config::default());
//! let data = device.alloc("data", 8)?;
//! device.write(data, &[21, 0, 0, 0, 5, 0, 0, 0])?;
//! let report = device.launch(&Launch {
//!     kernel: "twice".into(),
//!     grid: [1, 1, 1],
//!     block: [2, 1, 1],
//!     shared: 0,
//!     args: vec![Arg::Pointer(data)],
//!     cooperative: false,
//! })?;
//! assert_eq!(report.status, Status::Finished);
//! assert_eq!(report.counters.global_load_sectors, 1);
//! let mut bytes = [0; 8];
//! device.read(data, &mut bytes)?;
//! assert_eq!(bytes, [42, 0, 0, 0, 10, 0, 0, 0]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # How it executes
//!
//! The text becomes a syntax tree (`ptx`), the tree flat operations with register numbers and constants resolved
//! (`isa`). A warp is 32 lanes as structures of arrays: a register is `[u32; 32]` or `[u64; 32]`, a predicate one bit a
//! lane. One loop runs whatever touches registers only, compiled for AVX-512, AVX2 and the baseline and chosen at run
//! time; memory, barriers and divergence come back to the modules beside it (`exec`). Registers hold bits, operations
//! have types.
//!
//! Lanes that went different ways are groups with a program counter each. A branch's immediate post-dominator is where
//! they wait for each other. Blocks run in order; one that only waits lets the other resident blocks run, and a block
//! begins when those before it are done or wait, so memory grows with what is resident and not with the grid.
//!
//! # Schedules
//!
//! * [`Schedule::Its`]: the group with the lowest program counter first; groups meet at post-dominators. A group that goes
//!   round a loop of atomics, volatile loads or `nanosleep` sixteen times hands over, and when nobody else can run, those who
//!   wait at a meeting place go on without it. So a lock that lanes of one warp fight for makes progress.
//! * [`Schedule::PreVolta`]: the same meeting places, but nobody leaves early, barriers count warps, and `*.sync` masks
//!   are not waited for.
//! * [`Schedule::Adversarial`]: lanes meet only at `*.sync` instructions and barriers. Seeds 0 to 7: lanes in reverse, lane 0
//!   ahead, last lane ahead, warps in reverse, blocks in reverse, upper half-warp ahead, lanes one by one in order, all in
//!   reverse. Other seeds split groups and change their order at random before operations on memory.
//!
//! # What is left out
//!
//! Clusters and distributed shared memory, textures and surfaces, bulk and tensor copies, `wgmma` and `tcgen05`, sparse
//! and one-bit matrices, device-side `malloc`: such an instruction parses and is [`FindingKind::Unsupported`] when it is
//! executed. `cp.async` copies when it is issued. `%clock` counts warp instructions of the host thread.
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
