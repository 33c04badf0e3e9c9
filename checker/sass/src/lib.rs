//! Machine code as evidence: typed listing, control fields, statistics, normalised diff, resources, occupancy.
//!
//! [`disassemble`] turns a CUBIN into a [`Module`]. Everything else is a function of it and reads no file. The rules:
//! padding behind the last EXIT is no code; a move in disguise is a move; an opcode nobody knows stays text and is
//! counted as `other`. In WebAssembly nothing can be disassembled, and only what needs no listing is of use.

#![cfg_attr(target_family = "wasm", allow(dead_code))]

mod analysis;
#[cfg(not(target_family = "wasm"))]
mod disassemble;
mod elf;
pub mod kept;
pub mod limits;
pub mod listing;
#[cfg(not(target_family = "wasm"))]
mod merged;
pub mod occupancy;
pub mod render;
pub mod resources;
pub mod selected;
mod spills;

use analysis::{convergence, live_runs};
pub use analysis::{diff, flight, flow, live, stats};
pub use listing::{control, instruction, opcode, operand};
use listing::{explain, origin};

pub use control::Control;
pub use diff::Diff;
#[cfg(not(target_family = "wasm"))]
pub use disassemble::{DisassemblyOptions, TIMEOUT, disassemble, prepare};
pub use explain::{explain, scheduling};
pub use flight::Measure;
pub use instruction::Instruction;
pub use limits::Limits;
pub use listing::Kernel;
pub use live::{Coverage, Executed};
pub use occupancy::{Occupancy, occupancy};
pub use opcode::{Family, Opcode};
pub use operand::Operand;
pub use resources::Resources;
pub use stats::{Quantity, Stats, measure};

use serde::Serialize;
use std::path::PathBuf;

/// The code of a CUBIN.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Module {
    /// Architecture: `sm_75`.
    pub target: String,
    /// Source files of the line table, as they were called when compiled.
    pub files: Vec<String>,
    /// Kernels, and functions with a section of their own, in the CUBIN's order.
    pub kernels: Vec<Kernel>,
}

impl Module {
    /// Number of the architecture: 75 for `sm_75`, 90 for `sm_90a`; 0 if it has none.
    pub fn sm(&self) -> u32 {
        sm_number(&self.target)
    }

    /// The kernels with these linked names, and every function with a section of its own: a kernel may call it, so its
    /// instructions count too.
    pub fn launched<'a>(&'a self, names: &[&str]) -> Vec<&'a Kernel> {
        self.kernels.iter().filter(|k| !k.entry || names.contains(&k.name.as_str())).collect()
    }

    /// The kernels that a reader's name means: the linked name, the demangled one, or the bare one (`addKernel`).
    pub fn find<'a>(&'a self, name: &str) -> Vec<&'a Kernel> {
        let spaceless = |s: &str| s.replace(' ', "");
        let wanted = spaceless(name);
        self.kernels
            .iter()
            .filter(|k| {
                let without_parameters = k.demangled.rsplit_once('(').map_or(k.demangled.as_str(), |(n, _)| n);
                [k.name.as_str(), &k.demangled, without_parameters, k.short_name()]
                    .iter()
                    .any(|n| spaceless(n) == wanted)
            })
            .collect()
    }
}

/// Names of a CUBIN's variables in device memory (`__device__`, `__constant__`, string literals); `None` where they cannot
/// all be named.
pub fn variables(cubin: &[u8]) -> Option<Vec<String>> {
    let elf = elf::Elf::parse(cubin).ok()?;
    Some(elf.variables()?.into_iter().map(str::to_owned).collect())
}

/// 75 for `sm_75` or `compute_75`, 90 for `sm_90a`; 0 if there is no number.
pub fn sm_number(arch: &str) -> u32 {
    let digits = arch.rsplit('_').next().unwrap_or_default();
    digits.trim_end_matches(|c: char| c.is_ascii_alphabetic()).parse().unwrap_or(0)
}

impl SassError {
    /// The machine code's fault, so that of the kernel it was made of.
    pub fn is_kernels_fault(&self) -> bool {
        matches!(self, Self::Failed { .. } | Self::Timeout { .. } | Self::Forged { .. })
    }
}

/// Why there is no listing.
#[derive(Debug, thiserror::Error)]
pub enum SassError {
    /// nvdisasm could not be started.
    #[error(
        "cannot start nvdisasm at {}: {error}. `checker doctor` says what is installed and what to do",
        system::text::path(path)
    )]
    Start {
        /// Its path.
        path: PathBuf,
        /// What the system said.
        error: std::io::Error,
    },
    /// nvdisasm ended with an error, or crashed: it works, so the CUBIN's contents (line information, say) are to blame.
    #[error("nvdisasm failed on its machine code of {bytes} bytes: {message}")]
    Failed {
        /// Size of the CUBIN.
        bytes: usize,
        /// Its last words.
        message: String,
    },
    /// nvdisasm took too long and was stopped.
    #[error("nvdisasm did not finish within {seconds} s on a CUBIN of {bytes} bytes; a smaller kernel will do")]
    Timeout {
        /// Size of the CUBIN.
        bytes: usize,
        /// The limit.
        seconds: u64,
    },
    /// nvdisasm's text is not that of the CUBIN: names in the line information imitate it.
    #[error("nvdisasm's listing of `{section}` is not the machine code that is there")]
    Forged {
        /// The code section.
        section: String,
    },
    /// A temporary file could not be written or read.
    #[error("cannot use a temporary file for nvdisasm: {0}")]
    Temporary(std::io::Error),
    /// Not a CUBIN.
    #[error("cannot read the CUBIN: {0}")]
    Cubin(&'static str),
}
