//! Quotients of counters, and what a profiler calls them.
//!
//! Names in lower case with an underscore (`gld_efficiency`) are metrics of nvprof; those in words are values of the older
//! compute profiler.

use super::Counters;

/// Of what a value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// A part of a whole, 0 to 1.
    Fraction,
    /// What was asked for over what was moved; above 1 where lanes share bytes.
    Efficiency,
    /// So many to one.
    Number,
}

/// A quotient's row in the table.
struct Row {
    ratio: Ratio,
    name: &'static str,
    unit: Unit,
    formula: &'static str,
    profiler: &'static str,
}

/// Declares the quotients once: the enum, the table.
macro_rules! ratios {
    ($($(#[doc = $doc:literal])+ $variant:ident $name:literal $unit:ident = $formula:literal, is $profiler:literal;)*) => {
        /// A quotient of counters. `None` where the denominator is 0.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Ratio {
            $($(#[doc = $doc])+ #[doc = concat!("\n\n`", $formula, "`")] $variant,)*
        }

        impl Ratio {
            /// All of them, in order.
            pub const ALL: &[Ratio] = &[$(Ratio::$variant,)*];
        }

        const ROWS: &[Row] = &[$(Row {
            ratio: Ratio::$variant,
            name: $name,
            unit: Unit::$unit,
            formula: $formula,
            profiler: $profiler,
        },)*];
    };
}

ratios! {
    /// How full the warps were: lanes that did something.
    LaneEfficiency "lane_efficiency" Fraction
        = "thread_instructions / (32 instructions)", is "warp_nonpred_execution_efficiency";
    /// How full the warps were, lanes with a false guard included.
    WarpExecutionEfficiency "warp_execution_efficiency" Fraction
        = "active_thread_instructions / (32 instructions)", is "warp_execution_efficiency";
    /// How empty the warps were.
    ControlFlowDivergence "control_flow_divergence" Fraction
        = "(32 instructions - thread_instructions) / (32 instructions)", is "control flow divergence";
    /// Branches that did not split the warp.
    BranchEfficiency "branch_efficiency" Fraction
        = "(branches - divergent_branches) / branches", is "branch_efficiency";
    /// Branches that split the warp, as the compute profiler has it.
    BranchDivergence "branch_divergence" Fraction
        = "divergent_branches / (divergent_branches + branches)", is "branch divergence";
    /// Warp instructions of an average warp.
    InstructionsPerWarp "instructions_per_warp" Number
        = "instructions / warps", is "inst_per_warp";
    /// Lane slots issued for each byte of global memory touched, caches aside. High: bound by instructions.
    InstructionsPerByte "instructions_per_byte" Number
        = "32 instructions / (32 (global_load_sectors + global_store_sectors + global_atomic_sectors))",
        is "instructions/byte";
    /// Floating-point operations for each byte of global memory touched, caches aside.
    FlopsPerByte "flops_per_byte" Number
        = "flops / (32 (global_load_sectors + global_store_sectors + global_atomic_sectors))", is "";
    /// Bytes that global loads asked for over bytes moved. Above 1 where lanes share bytes.
    GlobalLoadEfficiency "global_load_efficiency" Efficiency
        = "global_load_bytes / (32 global_load_sectors)", is "gld_efficiency";
    /// Sectors of an average global load.
    GlobalLoadSectorsPerRequest "global_load_sectors_per_request" Number
        = "global_load_sectors / global_load_requests", is "gld_transactions_per_request";
    /// Bytes that an average global load asked for: 128 for a whole warp's words, 512 for its `float4`.
    GlobalLoadBytesPerRequest "global_load_bytes_per_request" Number
        = "global_load_bytes / global_load_requests", is "";
    /// Bytes that global stores wrote over bytes moved.
    GlobalStoreEfficiency "global_store_efficiency" Efficiency
        = "global_store_bytes / (32 global_store_sectors)", is "gst_efficiency";
    /// Sectors of an average global store.
    GlobalStoreSectorsPerRequest "global_store_sectors_per_request" Number
        = "global_store_sectors / global_store_requests", is "gst_transactions_per_request";
    /// Sectors of an average global atomic.
    GlobalAtomicSectorsPerRequest "global_atomic_sectors_per_request" Number
        = "global_atomic_sectors / global_atomic_requests", is "atomic_transactions_per_request";
    /// Wavefronts of an average shared load.
    SharedLoadWavefrontsPerRequest "shared_load_wavefronts_per_request" Number
        = "shared_load_wavefronts / shared_load_requests", is "shared_load_transactions_per_request";
    /// Wavefronts of an average shared store.
    SharedStoreWavefrontsPerRequest "shared_store_wavefronts_per_request" Number
        = "shared_store_wavefronts / shared_store_requests", is "shared_store_transactions_per_request";
    /// Bytes that shared loads and stores asked for over what their wavefronts could move. Above 1 where lanes share
    /// words.
    SharedEfficiency "shared_efficiency" Efficiency
        = "(shared_load_bytes + shared_store_bytes) / (128 (shared_load_wavefronts + shared_store_wavefronts))",
        is "shared_efficiency";
    /// Sectors of an average local load.
    LocalLoadSectorsPerRequest "local_load_sectors_per_request" Number
        = "local_load_sectors / local_loads", is "local_load_transactions_per_request";
    /// Sectors of an average local store.
    LocalStoreSectorsPerRequest "local_store_sectors_per_request" Number
        = "local_store_sectors / local_stores", is "local_store_transactions_per_request";
    /// Local memory's part of all sectors of global and local loads and stores.
    LocalMemoryOverhead "local_memory_overhead" Fraction
        = "(local_load_sectors + local_store_sectors) / (local + global load and store sectors)",
        is "local_memory_overhead";
}

impl Ratio {
    fn row(self) -> &'static Row {
        // The table has a row for every variant: the macro writes both.
        &ROWS[self as usize]
    }

    /// Its name in goals and in JSON.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// By its name.
    pub fn by_name(name: &str) -> Option<Self> {
        ROWS.iter().find(|row| row.name == name).map(|row| row.ratio)
    }

    /// What kind of number it is.
    pub fn unit(self) -> Unit {
        self.row().unit
    }

    /// Its formula over [`Counters`].
    pub fn formula(self) -> &'static str {
        self.row().formula
    }

    /// What a profiler calls it; empty where none has it.
    pub fn profiler(self) -> &'static str {
        self.row().profiler
    }

    /// Its value; `None` where the denominator is 0.
    pub fn of(self, c: &Counters) -> Option<f64> {
        let slots = 32 * c.instructions;
        let global = c.global_load_sectors + c.global_store_sectors;
        let touched = 32 * (global + c.global_atomic_sectors);
        let local = c.local_load_sectors + c.local_store_sectors;
        let (over, under) = match self {
            Self::LaneEfficiency => (c.thread_instructions, slots),
            Self::WarpExecutionEfficiency => (c.active_thread_instructions, slots),
            Self::ControlFlowDivergence => (slots - c.thread_instructions.min(slots), slots),
            Self::BranchEfficiency => (c.branches - c.divergent_branches.min(c.branches), c.branches),
            Self::BranchDivergence => (c.divergent_branches, c.divergent_branches + c.branches),
            Self::InstructionsPerWarp => (c.instructions, c.warps),
            Self::InstructionsPerByte => (slots, touched),
            Self::FlopsPerByte => (c.flops, touched),
            Self::GlobalLoadEfficiency => (c.global_load_bytes, 32 * c.global_load_sectors),
            Self::GlobalLoadSectorsPerRequest => (c.global_load_sectors, c.global_load_requests),
            Self::GlobalLoadBytesPerRequest => (c.global_load_bytes, c.global_load_requests),
            Self::GlobalStoreEfficiency => (c.global_store_bytes, 32 * c.global_store_sectors),
            Self::GlobalStoreSectorsPerRequest => (c.global_store_sectors, c.global_store_requests),
            Self::GlobalAtomicSectorsPerRequest => (c.global_atomic_sectors, c.global_atomic_requests),
            Self::SharedLoadWavefrontsPerRequest => (c.shared_load_wavefronts, c.shared_load_requests),
            Self::SharedStoreWavefrontsPerRequest => (c.shared_store_wavefronts, c.shared_store_requests),
            Self::SharedEfficiency => (
                c.shared_load_bytes + c.shared_store_bytes,
                128 * (c.shared_load_wavefronts + c.shared_store_wavefronts),
            ),
            Self::LocalLoadSectorsPerRequest => (c.local_load_sectors, c.local_loads),
            Self::LocalStoreSectorsPerRequest => (c.local_store_sectors, c.local_stores),
            Self::LocalMemoryOverhead => (local, local + global),
        };
        (under != 0).then(|| over as f64 / under as f64)
    }
}

/// A profiler's quantity that cannot be counted here, and why.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unknown {
    /// What a profiler calls it.
    pub name: &'static str,
    /// Why it cannot be known.
    pub why: &'static str,
}

/// What the profiler shows and this crate does not.
pub const UNKNOWN: &[Unknown] = &[
    Unknown { name: "IPC (instructions per cycle)", why: "there are no cycles here" },
    Unknown { name: "instruction throughput", why: "it is instructions over time" },
    Unknown {
        name: "active warps / active cycles, achieved occupancy",
        why: "they are averages over cycles; the \
        theoretical occupancy follows from registers, shared memory and block size, which the compiler says",
    },
    Unknown {
        name: "replayed instructions",
        why: "when an instruction is issued again is a matter of the pipeline; what \
        causes it is counted: wavefronts beyond one, sectors, divergent branches",
    },
    Unknown {
        name: "ideal instructions/byte",
        why: "it is the device's, not the kernel's: peak instruction rate over peak \
        bandwidth",
    },
    Unknown { name: "stall reasons, eligible warps", why: "they need latencies" },
    Unknown { name: "throughputs (gld_throughput, dram_read_throughput)", why: "they are bytes over time" },
    Unknown {
        name: "cache hit rates, L2 and DRAM transactions",
        why: "no cache is simulated: its state depends on the \
        order and the timing of all blocks of the device",
    },
    Unknown { name: "sm_efficiency, utilisation of a unit", why: "they are parts of cycles" },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_quotient_is_found_by_its_name() {
        for &ratio in Ratio::ALL {
            assert_eq!(Ratio::by_name(ratio.name()), Some(ratio));
            assert_eq!(ratio.of(&Counters::default()), None, "{}", ratio.name());
        }
        assert!(
            Ratio::ALL.iter().all(|ratio| Counters::default().get(ratio.name()).is_none()),
            "no name is used twice"
        );
    }

    #[test]
    fn values_by_hand() {
        let c = Counters {
            warps: 2,
            instructions: 10,
            active_thread_instructions: 240,
            thread_instructions: 160,
            branches: 4,
            divergent_branches: 1,
            global_load_requests: 2,
            global_load_sectors: 8,
            global_load_bytes: 128,
            global_store_requests: 1,
            global_store_sectors: 1,
            global_store_bytes: 4,
            global_atomic_requests: 1,
            global_atomic_sectors: 1,
            shared_load_requests: 2,
            shared_load_wavefronts: 6,
            shared_load_bytes: 256,
            shared_store_requests: 1,
            shared_store_wavefronts: 2,
            shared_store_bytes: 128,
            local_loads: 1,
            local_load_sectors: 2,
            local_stores: 1,
            local_store_sectors: 1,
            flops: 640,
            ..Counters::default()
        };
        let by_hand = [
            (Ratio::LaneEfficiency, 0.5),
            (Ratio::WarpExecutionEfficiency, 0.75),
            (Ratio::ControlFlowDivergence, 0.5),
            (Ratio::BranchEfficiency, 0.75),
            (Ratio::BranchDivergence, 0.2),
            (Ratio::InstructionsPerWarp, 5.0),
            (Ratio::InstructionsPerByte, 1.0),
            (Ratio::FlopsPerByte, 2.0),
            (Ratio::GlobalLoadEfficiency, 0.5),
            (Ratio::GlobalLoadSectorsPerRequest, 4.0),
            (Ratio::GlobalLoadBytesPerRequest, 64.0),
            (Ratio::GlobalStoreEfficiency, 0.125),
            (Ratio::GlobalStoreSectorsPerRequest, 1.0),
            (Ratio::GlobalAtomicSectorsPerRequest, 1.0),
            (Ratio::SharedLoadWavefrontsPerRequest, 3.0),
            (Ratio::SharedStoreWavefrontsPerRequest, 2.0),
            (Ratio::SharedEfficiency, 0.375),
            (Ratio::LocalLoadSectorsPerRequest, 2.0),
            (Ratio::LocalStoreSectorsPerRequest, 1.0),
            (Ratio::LocalMemoryOverhead, 0.25),
        ];
        assert_eq!(by_hand.len(), Ratio::ALL.len());
        for (ratio, value) in by_hand {
            assert_eq!(ratio.of(&c), Some(value), "{}", ratio.name());
        }
    }
}
