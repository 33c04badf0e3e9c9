//! Kernel files run without a compiler, a file or a process: the book's pages do it in the reader's browser.
//!
//! `checker book build` compiles a kernel file and writes a [`Kernel`]. The page sends it back with an [`Ask`]: edited `//@` lines,
//! sizes, seed, schedule, checks. [`answer`] reads the lines, makes the plan, runs it beside its oracle and tells what became of
//! it by the code that `checker run` uses, so the page's report is `checker run`'s.
//!
//! For WebAssembly this crate is built as a `cdylib` by `scripts/wasm.sh`; [`message`] says what goes in and out.

mod ask;
mod instances;
mod kernel;
mod lines;
pub mod message;
mod run;

pub use ask::Ask;
pub use kernel::{Code, Kernel, Oracle};
pub use run::{GridShape, RunAnswer, Shown, answer};

/// Bytes of device memory that a page's run may use, all buffers together.
pub const MEMORY: u64 = 256 << 20;

/// Warp instructions without a block ending after which a page's launch counts as endless: some seconds of a browser's time.
pub const STEPS: u64 = 1 << 24;

/// Instructions of a launch's trace.
pub const TRACE_STEPS: usize = 5000;

/// Warps that a page can trace together.
pub const TRACED_WARPS: usize = 8;
