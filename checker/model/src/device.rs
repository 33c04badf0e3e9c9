//! Constants of a device, as data with their sources.

use crate::frequency::Confidence;
use serde::Deserialize;
use simulator::locality::JOINED;

/// A device. Cycles are those of the multiprocessors' clock.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Device {
    /// "NVIDIA H200", as results files have it.
    pub name: String,
    /// "sm_90"
    pub arch: String,
    /// Multiprocessors.
    pub sms: u64,
    /// Schedulers of each.
    pub schedulers: u64,
    /// Clock in GHz.
    pub clock_ghz: f64,
    /// Where the numbers come from.
    pub source: String,
    /// Cycles until a result is there.
    pub latency: Latency,
    /// Cycles that a scheduler's share of a unit is busy with a warp.
    pub busy: PipeCycles,
    /// Instructions that have to come.
    pub fetch: Fetch,
    /// Caches and memory.
    pub memory: MemoryRates,
    /// What is paid once.
    pub overhead: Overhead,
    /// What no publication and no single measurement says: fitted.
    pub fitted: Fitted,
}

/// Cycles until a result is there.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Latency {
    /// Shared memory.
    pub shared: f64,
    /// L1 cache.
    pub l1: f64,
    /// L2 cache.
    pub l2: f64,
    /// Memory.
    pub dram: f64,
    /// Atomics with a result.
    pub atomic: f64,
    /// Shuffles.
    pub shuffle: f64,
    /// Special functions, conversions, counting bits.
    pub special: f64,
    /// Matrix products.
    pub tensor: f64,
    /// Double precision, where a scoreboard is waited for.
    pub double: f64,
    /// Constant memory.
    pub constant: f64,
    /// Uniform datapath and special registers.
    pub uniform: f64,
    /// A wavefront of shared memory beyond an access's first.
    pub wavefront: f64,
    /// A word of a lane beyond the first, of a load from shared memory.
    pub wide: f64,
    /// A block barrier, from the last arrival on.
    pub barrier: f64,
    /// A fence of the device with nothing under way, ...
    pub fence: f64,
    /// ... how much longer it takes behind a load or a store, ...
    pub fence_behind: f64,
    /// ... and what each other warp of the multiprocessor adds to it.
    pub fence_beside: f64,
    /// A fence of the block.
    pub fence_block: f64,
    /// A fence of the system, where others are under way.
    pub fence_system: f64,
    /// Until operands were read.
    pub read: f64,
    /// From a jump back to what stands there, for a warp that is alone.
    pub jump: f64,
}

impl Latency {
    /// Cycles that a fence of the device takes longer behind a request, beside so many warps of its multiprocessor, itself among them.
    pub(crate) fn fences(&self, warps: f64) -> f64 {
        self.fence_behind + (warps - 1.0).max(0.0) * self.fence_beside
    }
}

/// Cycles that a scheduler's share of a unit is busy with a warp.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PipeCycles {
    /// Single precision.
    pub fma: f64,
    /// Integer multiplication, with what single precision leaves of its pipe.
    pub multiply: f64,
    /// Integers and logic.
    pub alu: f64,
    /// Halves.
    pub half: f64,
    /// Doubles.
    pub double: f64,
    /// Special functions.
    pub special: f64,
    /// A value of `match.any` beyond the first.
    pub match_value: f64,
    /// Matrix products of 16 x 8 x 16, and the least that any product takes.
    pub tensor: f64,
    /// Multiply-adds of doubles a cycle, in products of matrices.
    pub double_products: f64,
    /// Memory instructions and shuffles on their way to the unit that the schedulers share.
    pub memory: f64,
    /// An arrival at a barrier object in shared memory, or a look at one.
    pub arrival: f64,
    /// What closes a group of copies, and each instruction that waits for one.
    pub group: f64,
    /// Uniform datapath.
    pub uniform: f64,
    /// Branches.
    pub control: f64,
    /// Branches to an address in a register.
    pub indirect: f64,
    /// A branch whose lanes part.
    pub divergence: f64,
}

/// Instructions that have to come.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fetch {
    /// Bytes of code up to which a nearer cache holds it, and a farther one.
    pub bytes: [f64; 2],
    /// Cycles of an instruction that comes from behind the nearer one, and from behind the farther one.
    pub cycles: [f64; 2],
}

impl Fetch {
    /// Cycles of an instruction of so many bytes of code.
    pub(crate) fn of(&self, bytes: f64) -> f64 {
        match self.bytes {
            [near, _] if bytes <= near => 0.0,
            [_, far] if bytes <= far => self.cycles[0],
            _ => self.cycles[1],
        }
    }
}

/// Caches and memory.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MemoryRates {
    /// Reading memory, GB/s.
    pub read_gb_per_s: f64,
    /// Writing memory, GB/s.
    pub write_gb_per_s: f64,
    /// The L2 cache, GB/s.
    pub l2_gb_per_s: f64,
    /// The same where everybody reads the same small memory again and again: each half of the cache has its copy.
    pub l2_hot_gb_per_s: f64,
    /// Bytes that may be read so.
    pub hot_bytes: f64,
    /// Bytes a cycle between the L2 cache and a multiprocessor.
    pub l2_bytes_per_cycle: f64,
    /// Bytes of the L2 cache that a working set has.
    pub l2_bytes: f64,
    /// Bytes of L1 cache and shared memory of a multiprocessor together.
    pub l1_bytes: f64,
    /// Lines a cycle whose tags the L1 cache compares.
    pub l1_lines_per_cycle: f64,
    /// Sectors a cycle that it moves to lanes.
    pub l1_sectors_per_cycle: f64,
    /// Of what all multiprocessors read, and that comes again.
    pub l2_shared_bytes: f64,
    /// Sectors a nanosecond that are written in part, where a request touches one, two and four of a line.
    pub partial_sectors_per_ns: [f64; 3],
    /// Share of a store's sectors that leave the L1 cache together with those of the store before it, by the lines of a request
    /// ([`simulator::locality::JOINED`]).
    pub joins: [f64; JOINED.len()],
    /// Cycles between the latency of the nearer and the farther half of the L2 cache, which a warp that asks for many lines waits for.
    pub l2_spread: f64,
    /// Sectors a nanosecond that come from memory without their neighbour.
    pub scattered_sectors_per_ns: f64,
    /// Sectors a nanosecond that go to memory without their neighbour.
    pub scattered_stores_per_ns: f64,
    /// Nanoseconds of an atomic's lane at a place of the L2 cache.
    pub place_ns: f64,
    /// Of one whose result is used.
    pub place_answer_ns: f64,
    /// Of one on floats where all go to one sector.
    pub same_float_ns: f64,
    /// Bytes that make such a place.
    pub place_bytes: f64,
    /// Atomics' sectors a nanosecond, all together.
    pub atomics_per_ns: f64,
    /// Cycles of one more lane at the same address of shared memory, where a loop tries again.
    pub same_shared_address: f64,
    /// Cycles of a multiprocessor for a word of constant memory.
    pub constant_word: f64,
}

/// What is paid once.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Overhead {
    /// Microseconds of the first launch.
    pub first_us: f64,
    /// More for the first where code and parameters are in no cache, either.
    pub cold_us: f64,
    /// Of every further one.
    pub next_us: f64,
    /// Of every one in a graph.
    pub graph_us: f64,
    /// Cycles from a block's place being free until its first instruction.
    pub block: f64,
    /// Blocks a nanosecond that are handed out, all multiprocessors together.
    pub blocks_per_ns: f64,
    /// Microseconds for the host to fetch what it sums up, and send the sum.
    pub host_us: f64,
}

/// What is fitted.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fitted {
    /// Bounds overlap: the exponent of their norm. Infinite: perfectly.
    pub overlap: f64,
    /// Times latency that a loaded memory takes.
    pub loaded: f64,
    /// Half-width of the interval of a time, as a factor, by confidence: exact, by lines.
    pub interval: [f64; 2],
    /// The same of a ratio.
    pub ratio: [f64; 2],
}

/// What is wrong with a device's constants.
#[derive(Debug, thiserror::Error)]
#[error("the constants of {name} cannot be read: {error}")]
pub struct DeviceError {
    name: &'static str,
    error: toml::de::Error,
}

const DEVICES: &[(&str, &str)] = &[("nvidia-h200", include_str!("../devices/nvidia-h200.toml"))];

impl MemoryRates {
    /// Sectors a nanosecond that are written in part, where a request touches so many of a line.
    pub fn partial_rate(&self, sectors: f64) -> f64 {
        let [one, two, four] = self.partial_sectors_per_ns;
        let doubled = sectors.clamp(1.0, 4.0).log2();
        if doubled < 1.0 { one + (two - one) * doubled } else { two + (four - two) * (doubled - 1.0) }
    }

    /// Nanoseconds of an atomic's lane at a place of the L2 cache, where so large a share of them brings something back.
    pub fn place_ns_of(&self, answered: f64) -> f64 {
        self.place_ns + (self.place_answer_ns - self.place_ns) * answered.min(1.0)
    }
}

impl Device {
    /// The H200.
    ///
    /// # Errors
    /// Its file is malformed.
    pub fn h200() -> Result<Self, DeviceError> {
        let (name, text) = DEVICES[0];
        toml::from_str(text).map_err(|error| DeviceError { name, error })
    }

    /// Without its maker: "H200".
    pub fn short_name(&self) -> &str {
        self.name.trim_start_matches("NVIDIA ")
    }

    /// Half-width of a time's interval, as a factor.
    pub fn time_factor(&self, confidence: Confidence) -> f64 {
        self.fitted.interval[usize::from(confidence != Confidence::Exact)]
    }

    /// Half-width of a ratio's interval, as a factor.
    pub fn ratio_factor(&self, confidence: Confidence) -> f64 {
        self.fitted.ratio[usize::from(confidence != Confidence::Exact)]
    }

    /// Microseconds of so many cycles.
    pub fn us(&self, cycles: f64) -> f64 {
        cycles / self.clock_ghz / 1e3
    }
}
