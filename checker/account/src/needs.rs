//! What the machine code of a file's kernels needs of a multiprocessor, without the code.

use sass::occupancy::{Settings, Usage};
use sass::{Limits, Occupancy, Resources};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Resources of kernels by their linked names, and the architecture they are for.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Needs {
    /// The architecture's number: 90.
    pub sm: u32,
    /// Kernels.
    pub kernels: BTreeMap<String, Resources>,
}

impl Needs {
    /// Those of a CUBIN for an architecture ("sm_90"). Spills are left out: nobody has listed its instructions.
    ///
    /// # Errors
    /// It is no CUBIN.
    pub fn of(cubin: &[u8], arch: &str) -> Result<Self, sass::SassError> {
        Ok(Self { sm: sass::sm_number(arch), kernels: sass::resources::of_cubin(cubin, arch)? })
    }

    /// What a block of a kernel asks for, and what a multiprocessor has.
    pub fn usage(&self, linked: &str, threads: u32, dynamic_shared: u32) -> Option<(Usage, Limits)> {
        let limits = Limits::of(self.sm)?;
        let resources = self.kernels.get(linked)?;
        let usage = Usage {
            threads,
            registers: resources.registers,
            shared: resources.shared.saturating_add(dynamic_shared),
            barriers: resources.barriers,
        };
        Some((usage, limits))
    }

    /// Occupancy of a kernel at a launch.
    pub fn occupancy(&self, linked: &str, threads: u32, dynamic_shared: u32) -> Option<Occupancy> {
        let (usage, limits) = self.usage(linked, threads, dynamic_shared)?;
        Some(sass::occupancy(&limits, &usage, Settings { carveout: None, opt_in: true }))
    }

    /// Blocks of a kernel that are resident on a multiprocessor, as launch lines ask; `names` has the linked names.
    ///
    /// # Errors
    /// A sentence for the line that asks.
    pub fn active_blocks(
        &self,
        names: &BTreeMap<String, String>,
        kernel: &str,
        block: i64,
        shared: i64,
    ) -> Result<i64, String> {
        let small = |value: i64, what: &str| u32::try_from(value).map_err(|_| format!("{what} is {value}"));
        let (threads, shared) = (small(block, "the block size")?, small(shared, "the shared memory")?);
        let linked = names.get(kernel).map_or(kernel, String::as_str);
        if !self.kernels.contains_key(linked) {
            return Err(format!("no kernel `{kernel}` in the compiled file"));
        }
        self.occupancy(linked, threads, shared)
            .map(|occupancy| i64::from(occupancy.active_blocks))
            .ok_or_else(|| format!("the limits of sm_{} are not known", self.sm))
    }
}
