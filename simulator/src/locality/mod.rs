//! Where a block finds what it accesses again: misses of first-level caches of several sizes, memory that is touched for the
//! first time, addresses that atomics share, and the warp that the others wait for. [`crate::Config::locality`] asks for it.
//!
//! A cache here has lines of 128 bytes in sectors of 32, forgets what was used longest ago, and is filled by loads. The warps of a
//! block take turns, an access each, as they do on hardware more or less.

#[cfg(not(target_family = "wasm"))]
mod fold;
#[cfg(not(target_family = "wasm"))]
mod heat;
#[cfg(not(target_family = "wasm"))]
mod meet;
#[cfg(not(target_family = "wasm"))]
mod requests;
#[cfg(not(target_family = "wasm"))]
mod stack;
#[cfg(all(test, not(target_family = "wasm")))]
mod tests;

use crate::counters::along;
#[cfg(not(target_family = "wasm"))]
pub use fold::Fold;
use serde::{Deserialize, Serialize};

/// Sizes of the caches, in bytes for a block.
pub const CAPACITIES: [u64; 6] = [4 << 10, 8 << 10, 16 << 10, 32 << 10, 64 << 10, 192 << 10];

/// Lines that a store's request touches at most, for each class of [`Locality::joined`]; those of more are in none.
pub const JOINED: [u64; 5] = [4, 6, 8, 12, 16];

/// Bytes that the L2 cache hands out at once.
#[cfg(not(target_family = "wasm"))]
const SECTOR: u64 = 32;

fn each_along<const N: usize>(from: &[u64; N], to: &[u64; N], times: f64) -> [u64; N] {
    std::array::from_fn(|at| along(from[at], to[at], times))
}

/// Which blocks of a launch are looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LocalityRequest {
    /// This one, and the one after it.
    pub block: u64,
    /// Another one, somewhere else: what both load all blocks load, and it stays in the cache from block to block. How far from the
    /// first block's memory its own lies says how fast the blocks go through it.
    pub far: Option<u64>,
    /// Memory whose first touches are told apart.
    pub regions: Vec<MemoryRegion>,
}

/// Memory that a launch was given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryRegion {
    /// First byte.
    pub base: u64,
    /// Bytes.
    pub bytes: u64,
}

#[cfg(not(target_family = "wasm"))]
impl MemoryRegion {
    fn has(&self, address: u64) -> bool {
        (self.base..self.base + self.bytes).contains(&address)
    }
}

/// What blocks touched of a region, in sectors.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Touch {
    /// Different ones of the first block.
    pub sectors: u64,
    /// Different pairs of sectors (64 bytes, what memory moves at once) of the first block.
    pub pairs: u64,
    /// Different ones of the block after it.
    pub second: u64,
    /// Those of them that the first did not touch.
    pub new: u64,
    /// From the lowest one of the first block to its highest one, both included.
    #[serde(default)]
    pub span: u64,
    /// From the lowest one of the first block to the lowest one of the block elsewhere.
    #[serde(default)]
    pub away: u64,
}

/// Lanes' atomics and who meets whom.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Meeting {
    /// Warps' requests.
    pub requests: u64,
    /// Lanes' atomics.
    pub lanes: u64,
    /// The sum over requests of the most lanes at one address.
    pub serial: u64,
    /// On shared memory: the sum over requests of the most lanes in one bank.
    #[serde(default)]
    pub in_bank: u64,
    /// On shared memory: the sum over requests of the most different addresses in one bank.
    #[serde(default)]
    pub places_in_bank: u64,
    /// Lanes' atomics on the address that has most of them.
    pub hottest: u64,
    /// Requests that go there.
    pub hottest_requests: u64,
    /// Different addresses.
    pub addresses: u64,
    /// The block after it goes to the same hottest address.
    pub shared: bool,
    /// Which of these two, the block elsewhere goes to the hottest address of: both where all blocks have one, one where they have few.
    #[serde(default)]
    pub far: [bool; 2],
}

/// Loads, or stores, of one instruction that go to a place of the L2 cache (512 bytes) to which blocks far away go, too.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hot {
    /// Its file.
    pub file: String,
    /// Its line.
    pub line: u32,
    /// It stores.
    pub store: bool,
    /// Number of the place.
    pub place: u64,
    /// Sectors that the first block's requests ask for there, each request's own.
    pub sectors: u64,
    /// As [`Meeting::far`].
    pub far: [bool; 2],
}

/// Loads of one source line.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct LineLocality {
    /// Its file.
    pub file: String,
    /// Its number.
    pub line: u32,
    /// As [`Locality::requested`].
    pub requested: u64,
    /// As [`Locality::late`].
    pub late: [u64; CAPACITIES.len()],
    /// Requests.
    pub requests: u64,
    /// Lines of memory that they touched.
    pub lines: u64,
}

/// What a block, and the one after it, come to.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Locality {
    /// Sectors that loads from global and local memory asked for, in the first block.
    pub requested: u64,
    /// Sectors of them that were not in the cache, by [`CAPACITIES`].
    pub missed: [u64; CAPACITIES.len()],
    /// Sectors of them that were not there long enough: missed, or fetched by another access of the same or the last turn, for
    /// which all have to wait.
    pub late: [u64; CAPACITIES.len()],
    /// Those of the local loads that were missed.
    pub local_missed: [u64; CAPACITIES.len()],
    /// Loads by the source line of the load.
    pub places: Vec<LineLocality>,
    /// Different lines of 128 bytes, summed over requests: passes through the cache's tags.
    pub lines: u64,
    /// Requests of loads and stores on global memory.
    #[serde(default)]
    pub requests: u64,
    /// Passes through the cache's data that they take: as many as a bank has different words, or half as many as they touch lines.
    #[serde(default)]
    pub wavefronts: u64,
    /// Lines of 128 bytes that stores on global memory touch, summed over requests.
    #[serde(default)]
    pub store_lines: u64,
    /// Their sectors.
    #[serde(default)]
    pub store_sectors: u64,
    /// Words that lanes store to local memory.
    #[serde(default)]
    pub local_words: u64,
    /// Requests of stores on global memory that follow another one in their warp without an access between them, by the lines they touch:
    /// how many of their sectors the request before touched, too.
    #[serde(default)]
    pub joined: [u64; JOINED.len()],
    /// Sectors that prefetches asked for and no load of the block does.
    #[serde(default)]
    pub prefetched: u64,
    /// The place of each load and of each store that asks for most, where blocks far away go there, too.
    #[serde(default)]
    pub hot: Vec<Hot>,
    /// Files and lines of ordered loads of words that this block, and one far away, looks at before it writes them itself: one waits for
    /// another, if it looks again and again.
    #[serde(default)]
    pub turns: Vec<(String, u32)>,
    /// What loads and prefetches touched of each region.
    pub read: Vec<Touch>,
    /// What stores and atomics touched of each region.
    pub written: Vec<Touch>,
    /// Atomics on global memory.
    pub global: Meeting,
    /// Atomics on shared memory.
    pub shared: Meeting,
    /// Instructions of the slowest warp between barriers over those of all warps on average, at least 1.
    pub path: f64,
    /// It has more accesses than were looked at.
    pub cut: bool,
    /// How many blocks away the block elsewhere is; 0 where none was looked at.
    #[serde(default)]
    pub away: u64,
}

impl Locality {
    /// What a block comes to at a larger size, on the straight line through what it does at two: as
    /// [`Counters::along`](crate::Counters::along). Where the larger of them has more accesses than were looked at, it says all there is.
    #[must_use]
    pub fn along(&self, other: &Self, times: f64) -> Self {
        if other.cut {
            return other.clone();
        }
        let sum = |of: fn(&Self) -> u64| along(of(self), of(other), times);
        let each = |of: fn(&Self) -> &[u64; CAPACITIES.len()]| each_along(of(self), of(other), times);
        let place = |to: &LineLocality| {
            let from = self.places.iter().find(|from| (&from.file, from.line) == (&to.file, to.line));
            from.map_or_else(|| to.clone(), |from| from.along(to, times))
        };
        let touched = |from: &[Touch], to: &[Touch]| -> Vec<Touch> {
            to.iter().enumerate().map(|(at, to)| from.get(at).map_or(*to, |from| from.along(to, times))).collect()
        };
        Self {
            requested: sum(|all| all.requested),
            missed: each(|all| &all.missed),
            late: each(|all| &all.late),
            local_missed: each(|all| &all.local_missed),
            places: other.places.iter().map(place).collect(),
            lines: sum(|all| all.lines),
            prefetched: sum(|all| all.prefetched),
            hot: other.hot.iter().map(|to| to.along(&self.hot, times)).collect(),
            turns: other.turns.clone(),
            requests: sum(|all| all.requests),
            wavefronts: sum(|all| all.wavefronts),
            store_lines: sum(|all| all.store_lines),
            store_sectors: sum(|all| all.store_sectors),
            local_words: sum(|all| all.local_words),
            joined: each_along(&self.joined, &other.joined, times),
            read: touched(&self.read, &other.read),
            written: touched(&self.written, &other.written),
            global: self.global.along(&other.global, times),
            shared: self.shared.along(&other.shared, times),
            path: other.path,
            cut: false,
            away: other.away,
        }
    }

    /// How often as much as was looked at a block touches that asked for so many sectors: its trace may have ended early.
    pub fn unseen(&self, asked: f64) -> f64 {
        if self.cut { (asked / self.requested.max(1) as f64).max(1.0) } else { 1.0 }
    }

    /// A share of it, or so many times as much.
    #[must_use]
    pub fn times(&self, share: f64) -> Self {
        let touched = |all: &[Touch]| vec![Touch::default(); all.len()];
        let place =
            |to: &LineLocality| LineLocality { file: to.file.clone(), line: to.line, ..LineLocality::default() };
        let none = |to: &Hot| Hot { sectors: 0, ..to.clone() };
        let nothing = Self {
            hot: self.hot.iter().map(none).collect(),
            places: self.places.iter().map(place).collect(),
            read: touched(&self.read),
            written: touched(&self.written),
            ..Self::default()
        };
        Self { cut: self.cut, ..nothing.along(&Self { cut: false, ..self.clone() }, share) }
    }
}

impl Hot {
    /// At another size it is another place.
    fn along(&self, from: &[Self], times: f64) -> Self {
        let same = |from: &&Self| (&from.file, from.line, from.store) == (&self.file, self.line, self.store);
        let sectors = from.iter().find(same).map_or(self.sectors, |from| along(from.sectors, self.sectors, times));
        Self { sectors, ..self.clone() }
    }
}

impl LineLocality {
    fn along(&self, other: &Self, times: f64) -> Self {
        Self {
            file: other.file.clone(),
            line: other.line,
            requested: along(self.requested, other.requested, times),
            late: each_along(&self.late, &other.late, times),
            requests: along(self.requests, other.requests, times),
            lines: along(self.lines, other.lines, times),
        }
    }
}

impl Touch {
    fn along(&self, other: &Self, times: f64) -> Self {
        let sum = |of: fn(&Self) -> u64| along(of(self), of(other), times);
        Self {
            sectors: sum(|all| all.sectors),
            pairs: sum(|all| all.pairs),
            second: sum(|all| all.second),
            new: sum(|all| all.new),
            span: other.span,
            away: other.away,
        }
    }
}

impl Meeting {
    fn along(&self, other: &Self, times: f64) -> Self {
        let sum = |of: fn(&Self) -> u64| along(of(self), of(other), times);
        Self {
            requests: sum(|all| all.requests),
            lanes: sum(|all| all.lanes),
            serial: sum(|all| all.serial),
            in_bank: sum(|all| all.in_bank),
            places_in_bank: sum(|all| all.places_in_bank),
            hottest: sum(|all| all.hottest),
            hottest_requests: sum(|all| all.hottest_requests),
            addresses: sum(|all| all.addresses),
            shared: other.shared,
            far: other.far,
        }
    }
}
