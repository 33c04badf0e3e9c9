//! Theoretical occupancy: how many blocks of a kernel fit on a multiprocessor, and what keeps more away. Equal to NVIDIA's
//! `cuda_occupancy.h`; `tests/occupancy.rs` compiles that header and compares.

use super::limits::Limits;
use serde::Serialize;

/// What one block of a kernel asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Usage {
    /// Threads of the block.
    pub threads: u32,
    /// Registers a thread.
    pub registers: u32,
    /// Static and dynamic shared memory in bytes, without what the driver reserves.
    pub shared: u32,
    /// Named barriers; 0 if unknown.
    pub barriers: u32,
}

/// What a block holds while it is resident: more than it asks for, because resources are given in units.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Held {
    /// Warps.
    pub warps: u32,
    /// Registers.
    pub registers: u32,
    /// Bytes of shared memory, with what the driver reserves.
    pub shared: u32,
}

impl Usage {
    /// What the block holds on a device.
    pub fn held(&self, device: &Limits) -> Held {
        let registers = self.warp_registers(device).saturating_mul(self.warps());
        let shared = u32::try_from(self.allocated(device)).unwrap_or(u32::MAX);
        Held { warps: self.warps(), registers, shared }
    }

    fn warps(&self) -> u32 {
        self.threads.div_ceil(WARP)
    }

    /// Registers of a warp, which come in units.
    fn warp_registers(&self, device: &Limits) -> u32 {
        (self.registers * WARP).next_multiple_of(device.register_unit)
    }

    /// Bytes of shared memory, which come in units, with what the driver reserves.
    fn allocated(&self, device: &Limits) -> u64 {
        (u64::from(self.shared) + u64::from(device.shared_reserved)).next_multiple_of(device.shared_unit.into())
    }
}

/// Settings of the launch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Settings {
    /// Preferred share of the largest shared memory in percent (`cudaFuncAttributePreferredSharedMemoryCarveout`); `None`
    /// lets the driver choose. More than 100 counts as 100.
    pub carveout: Option<u32>,
    /// The kernel may use more than 48 KiB of shared memory. The checker always opts in.
    pub opt_in: bool,
}

/// A resource that limits occupancy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Limiter {
    /// Warp slots (threads).
    Warps,
    /// Registers.
    Registers,
    /// Shared memory.
    Shared,
    /// Block slots.
    Blocks,
    /// Named barriers.
    Barriers,
}

impl std::fmt::Display for Limiter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Limiter::Warps => "warps",
            Limiter::Registers => "registers",
            Limiter::Shared => "shared memory",
            Limiter::Blocks => "blocks",
            Limiter::Barriers => "barriers",
        })
    }
}

/// Blocks that would fit if only this resource counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Limit {
    /// The resource.
    pub limiter: Limiter,
    /// Blocks; `None` if it does not limit.
    pub blocks: Option<u32>,
}

/// The result.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Occupancy {
    /// Blocks on a multiprocessor at once; 0: the kernel cannot be launched so.
    pub active_blocks: u32,
    /// Their warps.
    pub active_warps: u32,
    /// Warps that the multiprocessor holds.
    pub max_warps: u32,
    /// `active_warps / max_warps`
    pub fraction: f64,
    /// Every resource that allows no more than `active_blocks`.
    pub limiters: Vec<Limiter>,
    /// What each resource allows: warps, registers, shared memory, blocks, barriers.
    pub limits: [Limit; 5],
}

const WARP: u32 = 32;

/// Occupancy of blocks on a device.
pub fn occupancy(device: &Limits, block: &Usage, settings: Settings) -> Occupancy {
    let warps = block.warps();
    let max_warps = device.threads_per_sm / WARP;
    let limits = [
        (Limiter::Warps, Some(by_warps(device, block, warps))),
        (Limiter::Registers, by_registers(device, block, warps)),
        (Limiter::Shared, by_shared(device, block, settings)),
        (Limiter::Blocks, Some(device.blocks_per_sm)),
        (Limiter::Barriers, by_barriers(device, block)),
    ]
    .map(|(limiter, blocks)| Limit { limiter, blocks });
    let active_blocks = limits.iter().filter_map(|l| l.blocks).min().unwrap_or(0);
    let active_warps = active_blocks * warps;
    Occupancy {
        active_blocks,
        active_warps,
        max_warps,
        fraction: f64::from(active_warps) / f64::from(max_warps),
        limiters: limits.iter().filter(|l| l.blocks == Some(active_blocks)).map(|l| l.limiter).collect(),
        limits,
    }
}

fn by_warps(device: &Limits, block: &Usage, warps: u32) -> u32 {
    if block.threads == 0 || block.threads > device.threads_per_block {
        return 0;
    }
    device.threads_per_sm / WARP / warps
}

/// A warp's registers come from its scheduler's share, in units. The launch check assumes that a block's warps are spread
/// evenly over the schedulers, so it rounds their number up.
fn by_registers(device: &Limits, block: &Usage, warps: u32) -> Option<u32> {
    if block.registers > device.registers_per_thread {
        return Some(0);
    }
    let per_warp = u64::from(block.warp_registers(device));
    let assumed = per_warp * u64::from(warps).next_multiple_of(device.partitions.into());
    if assumed > device.registers_per_sm.into() {
        return Some(0);
    }
    let share = u64::from(device.registers_per_sm / device.partitions);
    let resident = share.checked_div(per_warp)? * u64::from(device.partitions);
    u32::try_from(resident.checked_div(warps.into())?).ok()
}

/// The multiprocessor's shared memory is set to the smallest configuration that holds the preferred size, or one block if
/// that is larger.
fn by_shared(device: &Limits, block: &Usage, settings: Settings) -> Option<u32> {
    let configured = |bytes: u64| {
        device.shared_sizes.iter().map(|kib| u64::from(kib * 1024)).find(|size| *size >= bytes).unwrap_or(0)
    };
    let preferred = match settings.carveout {
        None => u64::from(device.shared_per_sm),
        Some(percent) => u64::from(device.shared_per_sm) * u64::from(percent.min(100)) / 100,
    };
    let allocated = block.allocated(device);
    let most = if settings.opt_in { device.shared_opt_in } else { device.shared_per_block } + device.shared_reserved;
    if allocated > u64::from(most) {
        return Some(0);
    }
    if allocated == 0 {
        return None;
    }
    let available = configured(preferred).max(configured(allocated));
    u32::try_from(available / allocated).ok()
}

fn by_barriers(device: &Limits, block: &Usage) -> Option<u32> {
    let available = device.blocks_per_sm * device.barriers_per_block?;
    available.checked_div(block.barriers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hand_computed() {
        let h200 = Limits::of(90).unwrap();
        let at = |threads, registers, shared| {
            let o = occupancy(
                &h200,
                &Usage { threads, registers, shared, barriers: 1 },
                Settings { carveout: None, opt_in: true },
            );
            (o.active_blocks, o.limiters)
        };
        // 65536 registers / (32 registers * 256 threads) = 8 blocks, which is all 64 warps too.
        assert_eq!(at(256, 32, 0), (8, vec![Limiter::Warps, Limiter::Registers]));
        // One register more costs a unit of 8 registers a thread: 40 * 256 -> 6 blocks.
        assert_eq!(at(256, 33, 0), (6, vec![Limiter::Registers]));
        // 228 KiB / (48 + 1) KiB = 4.
        assert_eq!(at(128, 16, 48 * 1024), (4, vec![Limiter::Shared]));
        assert_eq!(at(32, 16, 0), (32, vec![Limiter::Blocks]));
        assert_eq!(at(1025, 16, 0).0, 0);
        assert_eq!(at(0, 16, 0).0, 0);
        assert_eq!(at(32, 16, u32::MAX).0, 0);
    }

    #[test]
    fn a_block_holds_whole_units() {
        let h200 = Limits::of(90).unwrap();
        let held = Usage { threads: 100, registers: 33, shared: 1000, barriers: 1 }.held(&h200);
        // Four warps of 33 * 32 registers in units of 256; 1000 bytes and the driver's 1024 in units of 128.
        assert_eq!(held, Held { warps: 4, registers: 4 * 1280, shared: 2048 });
    }

    #[test]
    fn unpublished_architectures_have_no_limits() {
        assert!(Limits::of(61).is_none() && Limits::of(75).is_some() && Limits::of(121).is_some());
    }
}
