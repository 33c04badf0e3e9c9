//! A SIMT simulator for PTX.
//!
//! PTX text goes in ([`Module::parse`]); memory, launches, results, [`Counters`] and [`Finding`]s come out
//! ([`Device`]). The crate knows PTX and the CUDA execution model and nothing else: no compiler, no driver, no files.
//!
//! ```
//! use simulator::{Arg, Config, Device, Launch, Module, LaunchStatus};
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
//! assert_eq!(report.status, LaunchStatus::Finished);
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
//! time; barriers, divergence and what is odd about an access come back to the modules beside it (`exec`). Registers hold bits, operations
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
//!
//! The others are explored: `Its` with preemptions. Before an operation that others can see (on shared or global memory, a
//! fence, `activemask`) lanes may be stopped. Nobody waits for them at a meeting place then, and of all that is resident,
//! lanes, warps and blocks alike, whoever has the best rank goes next. Who only waits goes behind all others, so a loop
//! that polls does not keep up those whom it waits for. Up to 16 blocks are under way at once, more when they wait for
//! later ones.
//!
//! * [`Schedule::Adversarial`]: seeds 0 to 7 pull lanes apart wherever they come together: lanes in reverse, lane 0 ahead,
//!   last lane ahead, warps in reverse, blocks in reverse, upper half-warp ahead, lanes one by one in order, all in reverse.
//!   Other seeds move a group of lanes or a part of it at one operation in eight. Under odd seeds and most others, writes that no
//!   fence orders come late to other blocks ([`Witness::late`](explore::Witness::late)).
//! * [`Schedule::Patient`]: random stops, and who waits in a loop goes on for long before others may.
//! * [`Schedule::InTurn`]: before an atomic on global memory that gives a number a warp lets all others go first, of all blocks that can be
//!   resident: who draws work from a counter draws in turn, and who competes for a word fails as often as others succeed.
//! * [`Schedule::Pct`]: every warp, and lanes that went a way of their own, get a random priority; at `depth - 1` random
//!   operations some lanes go behind all others.
//! * [`Schedule::Replay`]: the preemptions of [`Config::witness`], exactly.
//!
//! What an explored schedule did is in [`LaunchReport::order`], as plain data with a text form. [`explore::minimise`] finds
//! the shortest part of it that still fails.
//!
//! # Loops that never end
//!
//! A warp that has run for 2^16 instructions without an end is looked at for a while, later again: a group of lanes that
//! comes back to a state it had before, and took in nothing from others in between, goes on for ever, whatever others do:
//! [`FindingKind::EndlessLoop`]. One that read memory in between which others may write goes on as long as it stays as it is.
//!
//! Nobody can run: a deadlock, reported with who waits where for whom. A loop that polls is proven to be endless when the
//! state of its lanes (place, registers, local memory) repeats, nothing has changed memory in between, and everybody
//! else waits or polls, too: [`FindingKind::Livelock`] says what is polled, who changed it last and where that thread
//! waits. Where it reads plainly what no thread has changed, it is an [`FindingKind::EndlessLoop`], too. Modules that read a clock, launches on several host threads (where memory is read) and
//! loops that count are left to [`Limits::steps`]: warp instructions without a block ending.
//!
//! # Memory
//!
//! A launch keeps its resident blocks' registers, shared and local memory, nothing for blocks that are done or to come
//! (but a schedule's first preemptions, see [`Limits::preemptions`]). The
//! race check adds 64 bytes of shadow for 128 bytes touched as long as whole warps access them side by side (rounded up to
//! 8 KiB of memory), 1.5 KiB more for a line that lanes access otherwise, 6 KiB if by less than a word; the check for reads
//! of nothing adds a bit a byte. Clocks that fences and atomics publish are kept until the launch ends, 2^23 at most.
//!
//! Global memory is words of 32 bits. With several host threads a plain access of 64 bits is two of them and may be torn
//! where a kernel races; relaxed, volatile and stronger ones, and atomics, are whole.
//!
//! # Text
//!
//! Opcodes, modifiers, directives and constant expressions mean what the assembler makes of them. A modifier or directive that is
//! neither known nor known to be without effect makes its instruction [`FindingKind::Unsupported`]; a promise to the
//! assembler that does not hold (`.noreturn`, `.uni`, `.calltargets`) is [`FindingKind::BrokenPromise`], and so is an operand beyond
//! what its instruction takes (a source of `cp.async` that is larger than what it fills). From `.target sm_80` on a kernel's shared
//! memory begins behind 1 KiB that is the system's.
//!
//! # What is left out
//!
//! Mipmaps, tensor copies, copies to several blocks of a cluster (`.multicast::cluster`), `st.async` and `red.async`, `wgmma` and
//! `tcgen05`, sparse and one-bit matrices: such an instruction parses and is [`FindingKind::Unsupported`] when it is
//! executed. `cp.async` copies when it is issued. Clocks follow the warp instructions of the host thread ([`Config::machine`]).
//!
//! A kernel's fault is a result, never an error: a trap, a race or an endless loop ends in a [`LaunchReport`] whose
//! findings say what happened and where. Errors ([`ParseError`], [`LaunchError`], [`MemoryError`]) are for what the
//! kernel cannot cause.

#![warn(clippy::missing_errors_doc)]

mod appearance;
pub mod config;
pub mod counters;
pub mod coverage;
pub mod device;
mod exec;
pub mod explore;
pub mod finding;
mod isa;
pub mod launch;
pub mod linear;
pub mod locality;
mod memory;
pub mod module;
pub mod num;
pub mod observe;
pub mod opcodes;
pub mod outline;
mod ptx;
mod random;
pub mod steer;
pub mod texture;
pub mod trace;
pub mod traffic {
    //! What a request to memory costs, for whoever draws or explains it.
    pub use crate::exec::traffic::{sectors, served_together, wavefronts};
}
pub mod sanitizer;

pub use config::{Checks, Config, Limits, Schedule};
pub use counters::{Counters, LineCounters};
pub use coverage::{Condition, Covered, LineCoverage, Question};
pub use device::{Device, LaunchError, MemoryError};
#[cfg(not(target_family = "wasm"))]
pub use exec::kinds::Unlike;
pub use exec::lanes::vector_bits;
pub use explore::{Preempted, Preemption, Witness};
pub use finding::{
    Access, Finding, FindingKind, FindingName, MemoryLocation, OrderValue, Place, Poll, Severity, Usage,
};
#[cfg(not(target_family = "wasm"))]
pub use isa::locks::Unsure;
pub use launch::{Arg, Dim3, Launch, LaunchOrder, LaunchReport, LaunchStatus};
pub use memory::sparse::{Fill, Touched};
pub use module::{Kernel, Module, Param, ParseError};
