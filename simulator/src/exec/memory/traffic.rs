//! What a request to memory costs: sectors of global memory, passes over the banks of shared memory.

use crate::counters::Counters;
use crate::exec::context::Worker;
use crate::exec::direct::LaneLayout;
use crate::isa::op::{AddressSpace, AtomicOp};
use crate::observe::{AccessKind, Observer};

/// Distinct 32-byte sectors of a request by all lanes, each within one sector, that are near each other; nothing of others.
#[multiversion::multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx2", "x86_64+avx2"))]
fn sectors_nearby(addresses: &[u64; 32], size: u64) -> Option<u64> {
    let (mut low, mut high, mut outside) = (u64::MAX, 0, false);
    for &at in addresses {
        (low, high) = (low.min(at / 32), high.max(at / 32));
        outside |= at % 32 + size > 32;
    }
    if outside || high - low >= 64 {
        return None;
    }
    let mut bits = 0u64;
    for &at in addresses {
        bits |= 1 << ((at / 32 - low) & 63);
    }
    Some(bits.count_ones().into())
}

/// Distinct 32-byte sectors of a request.
pub fn sectors(addresses: &[u64; 32], mask: u32, size: u64) -> u64 {
    if mask == u32::MAX
        && let Some(count) = sectors_nearby(addresses, size)
    {
        return count;
    }
    let within = |at: &u64| at % 32 + size <= 32;
    if mask == u32::MAX && addresses.iter().all(within) {
        // Aligned, by all lanes: the usual request, and most of these ascend.
        let all = addresses.map(|at| at / 32);
        let steps = || all.iter().zip(&all[1..]);
        if steps().fold(true, |sorted, (this, next)| sorted & (this <= next)) {
            return 1 + steps().map(|(this, next)| u64::from(this != next)).sum::<u64>();
        }
    }
    let active = || (0..32).filter(|lane| mask >> lane & 1 != 0);
    let ends = |lane: usize| (addresses[lane] / 32, addresses[lane].wrapping_add(size - 1) / 32);
    let (low, high) =
        active().map(ends).fold((u64::MAX, 0), |(low, high), (first, last)| (low.min(first), high.max(last)));
    if high.wrapping_sub(low) < 64 {
        // Near each other: a bit each. A lane's bytes are in two sectors at most.
        let bits = active().map(ends).fold(0u64, |bits, (first, last)| bits | 1 << (first - low) | 1 << (last - low));
        return bits.count_ones().into();
    }
    let (mut all, mut count) = ([0u64; 64], 0);
    for (first, last) in active().map(ends) {
        all[count] = first;
        all[count + 1] = last;
        count += 2;
    }
    let all = &all[..count];
    if all.is_sorted() {
        return 1 + all.windows(2).filter(|pair| pair[0] != pair[1]).count() as u64;
    }
    distinct(all)
}

/// How many different ones there are among 64 at most, none of them [`u64::MAX`].
fn distinct(all: &[u64]) -> u64 {
    const PLACES: usize = 256;
    let mut table = [u64::MAX; PLACES];
    let mut count = 0;
    for &one in all {
        let mut place = (one.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as usize;
        while table[place] != one && table[place] != u64::MAX {
            place = (place + 1) % PLACES;
        }
        count += u64::from(table[place] != one);
        table[place] = one;
    }
    count
}

/// How many neighbouring lanes of a request to shared memory the banks serve together: of 4 bytes per lane the whole warp, of 8 a half, of 16 a
/// quarter. Of a load two such parts become one if all lanes whose numbers differ in the lowest bit ask for the same, or all whose
/// numbers differ in the second; a lane that takes no part is like any other. Measured: `differential/wide.csv`.
#[inline(never)]
pub fn served_together(addresses: &[u64; 32], mask: u32, size: u32, kind: AccessKind) -> u32 {
    let part = if size <= 4 { 32 } else { 128 / size };
    let alike = |bit: usize| {
        let both = mask & (mask >> bit) & if bit == 1 { 0x5555_5555 } else { 0x3333_3333 };
        (0..32).all(|lane| both >> lane & 1 == 0 || addresses[lane] == addresses[lane ^ bit])
    };
    if size > 4 && kind == AccessKind::Load && (alike(1) || alike(2)) { 2 * part } else { part }
}

/// Do all lanes of a request ask for words so near each other that no bank holds two of them?
#[multiversion::multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx2", "x86_64+avx2"))]
fn within_a_row(addresses: &[u64; 32], mask: u32) -> bool {
    let (mut low, mut high) = (u64::MAX, 0);
    for (lane, &at) in addresses.iter().enumerate() {
        let takes_part = mask >> lane & 1 != 0;
        low = low.min(if takes_part { at / 4 } else { u64::MAX });
        high = high.max(if takes_part { at / 4 } else { 0 });
    }
    high.wrapping_sub(low) < 32
}

/// Do all 32 lanes ask for `size` bytes each that follow each other?
#[multiversion::multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx2", "x86_64+avx2"))]
fn follow_each_other(addresses: &[u64; 32], mask: u32, size: u32) -> bool {
    let mut all = mask == u32::MAX && addresses[0].is_multiple_of(u64::from(size));
    for (lane, &at) in addresses.iter().enumerate() {
        all &= at == addresses[0].wrapping_add(lane as u64 * u64::from(size));
    }
    all
}

/// Passes over the banks that a request to shared memory takes, and the fewest that its bytes need. Lanes that read the
/// same word share it.
#[inline(never)]
pub fn wavefronts(addresses: &[u64; 32], mask: u32, size: u32, kind: AccessKind) -> (u64, u64) {
    if size <= 4 && mask != 0 {
        let free = within_a_row(addresses, mask) || conflict_free(addresses, mask);
        return if free { (1, 1) } else { single_words(addresses, mask) };
    }
    if size > 4 && follow_each_other(addresses, mask, size) {
        let passes = u64::from(size / 4);
        return (passes, passes);
    }
    let lanes_a_pass = served_together(addresses, mask, size, kind);
    let (mut passes, mut fewest) = (0, 0);
    for first in (0..32).step_by(lanes_a_pass as usize) {
        let mut words = [u64::MAX; 128];
        let mut count = 0;
        for lane in (first..first + lanes_a_pass).filter(|lane| mask >> lane & 1 != 0) {
            let at = addresses[lane as usize];
            for word in at / 4..=at.saturating_add(u64::from(size) - 1) / 4 {
                if count > 0 && words[count - 1] == word {
                    continue;
                }
                words[count.min(127)] = word;
                count = (count + 1).min(127);
            }
        }
        if count == 0 {
            continue;
        }
        let (most, distinct) = by_banks(&words[..count]);
        passes += most;
        fewest += distinct.div_ceil(32);
    }
    (passes, fewest.max(u64::from(passes > 0)))
}

/// The same where each lane asks for a word.
fn single_words(addresses: &[u64; 32], mask: u32) -> (u64, u64) {
    let (mut words, mut count, mut rest) = ([0; 32], 0, mask);
    while rest != 0 {
        words[count] = addresses[rest.trailing_zeros() as usize & 31] / 4;
        count += 1;
        rest &= rest - 1;
    }
    let (most, distinct) = by_chains::<32>(&words[..count]);
    (most, distinct.div_ceil(32))
}

/// The most different words of a bank, and all different words.
fn by_banks(words: &[u64]) -> (u64, u64) {
    if words.is_sorted() {
        let (mut banks, mut distinct, mut before) = ([0u8; 32], 0, u64::MAX);
        for &word in words {
            banks[(word % 32) as usize] += u8::from(word != before);
            distinct += u64::from(word != before);
            before = word;
        }
        return (banks.iter().copied().max().unwrap_or(0).into(), distinct);
    }
    by_chains::<128>(words)
}

/// The same of `MOST` words at most: of each bank, the different ones so far are a chain.
fn by_chains<const MOST: usize>(words: &[u64]) -> (u64, u64) {
    const END: u8 = u8::MAX;
    let (mut newest, mut before, mut counts) = ([END; 32], [END; MOST], [0u8; 32]);
    for (at, &word) in words.iter().enumerate().take(MOST) {
        let bank = (word % 32) as usize;
        let mut known = newest[bank];
        while known != END && words[usize::from(known)] != word {
            known = before[usize::from(known)];
        }
        if known == END {
            before[at] = newest[bank];
            newest[bank] = at as u8;
            counts[bank] += 1;
        }
    }
    let most = counts.iter().copied().max().unwrap_or(0);
    (most.into(), counts.iter().map(|&count| u64::from(count)).sum())
}

/// Does no bank hold two different words? For accesses of at most a word.
#[inline(always)]
fn conflict_free(addresses: &[u64; 32], mask: u32) -> bool {
    // Lanes that take no part have banks of their own.
    let words: [u32; 32] = std::array::from_fn(|lane| (addresses[lane] >> 2) as u32);
    let banks: [u32; 32] = std::array::from_fn(|lane| words[lane] & 31 | u32::from(mask >> lane & 1 == 0) << 5);
    let mut last = [0u32; 64];
    for lane in 0..32 {
        last[banks[lane] as usize & 63] = words[lane];
    }
    let mut clash = 0;
    for lane in 0..32 {
        let other = last[banks[lane] as usize & 63] ^ words[lane];
        clash |= if mask >> lane & 1 != 0 { other } else { 0 };
    }
    clash == 0
}

/// Words of the distinct addresses of a request to constant memory: lanes that ask for different bytes of one word take turns, too.
fn distinct_places(addresses: &[u64; 32], mask: u32, size: u32) -> u64 {
    let (mut seen, mut count) = ([0; 32], 0);
    for at in (0..32).filter(|lane| mask >> lane & 1 != 0).map(|lane| addresses[lane as usize]) {
        if !seen[..count].contains(&at) {
            seen[count] = at;
            count += 1;
        }
    }
    count as u64 * u64::from(size.div_ceil(4))
}

/// Distinct 32-byte sectors of a request to local memory: word `w` of lane `l` lies at word `32 w + l` of the warp.
pub fn local_sectors(addresses: &[u64; 32], mask: u32, size: u32) -> u64 {
    let words = u64::from(size.div_ceil(4));
    let mut sectors = 0;
    // Eight neighbouring lanes share the sectors of the words they ask for.
    for first in (0..32).step_by(8) {
        let (mut seen, mut count) = ([0; 64], 0);
        for lane in (first..first + 8).filter(|lane| mask >> lane & 1 != 0) {
            let at = addresses[lane] / 4;
            for word in (at..at + words).take(8) {
                if !seen[..count].contains(&word) {
                    seen[count] = word;
                    count += 1;
                }
            }
        }
        sectors += count as u64;
    }
    sectors
}

/// What a request to memory costs.
#[derive(Debug, Clone, Copy, Default)]
pub struct RequestCost {
    /// Bytes that lanes asked for.
    bytes: u64,
    /// Global and local memory: 32-byte sectors.
    sectors: u64,
    /// Shared memory: passes over the banks. Constant memory: words of different addresses.
    passes: u64,
    /// Shared memory: passes that its bytes need at least.
    fewest: u64,
}

impl RequestCost {
    /// The cost of `size` bytes a lane, aligned to that unless `shape` is [`LaneLayout::Any`]. `first` is the address of the
    /// first lane in `mask`, `addresses` all of them; those of lanes that are not in `mask` mean nothing.
    #[inline(always)]
    pub fn new(
        space: AddressSpace,
        mask: u32,
        shape: LaneLayout,
        first: u64,
        size: u32,
        kind: AccessKind,
        addresses: impl Fn() -> [u64; 32],
    ) -> Self {
        let whole = u64::from(size);
        let mut request = Self { bytes: whole * u64::from(mask.count_ones()), ..Self::default() };
        match space {
            AddressSpace::Global | AddressSpace::Generic => {
                request.sectors = match shape {
                    LaneLayout::Contiguous => (first % 32 + request.bytes).div_ceil(32),
                    LaneLayout::Uniform => (first % 32 + whole).div_ceil(32),
                    LaneLayout::Row | LaneLayout::Any => sectors(&addresses(), mask, whole),
                };
            }
            AddressSpace::Shared => {
                (request.passes, request.fewest) = match shape {
                    LaneLayout::Contiguous => (whole.div_ceil(4), whole.div_ceil(4)),
                    // Words that share a row have banks of their own.
                    LaneLayout::Uniform | LaneLayout::Row if size <= 4 => (1, 1),
                    _ => wavefronts(&addresses(), mask, size, kind),
                };
            }
            AddressSpace::Const => {
                request.passes = match shape {
                    LaneLayout::Uniform => whole.div_ceil(4),
                    _ => distinct_places(&addresses(), mask, size),
                };
            }
            AddressSpace::Local => {
                request.sectors = match shape {
                    LaneLayout::Uniform if mask == u32::MAX => 4 * whole.div_ceil(4),
                    _ => local_sectors(&addresses(), mask, size),
                };
            }
            _ => {}
        }
        request
    }
}

/// Adds a request to the sums.
#[inline(always)]
pub fn charge(counters: &mut Counters, space: AddressSpace, kind: AccessKind, request: &RequestCost) {
    let load = kind == AccessKind::Load;
    match space {
        AddressSpace::Global | AddressSpace::Generic if load => {
            counters.global_load_requests += 1;
            counters.global_load_sectors += request.sectors;
            counters.global_load_bytes += request.bytes;
        }
        AddressSpace::Global | AddressSpace::Generic => {
            counters.global_store_requests += 1;
            counters.global_store_sectors += request.sectors;
            counters.global_store_bytes += request.bytes;
        }
        AddressSpace::Shared => {
            if load {
                counters.shared_load_requests += 1;
                counters.shared_load_wavefronts += request.passes;
                counters.shared_load_bytes += request.bytes;
            } else {
                counters.shared_store_requests += 1;
                counters.shared_store_wavefronts += request.passes;
                counters.shared_store_bytes += request.bytes;
            }
            counters.shared_bank_conflicts += request.passes - request.fewest.min(request.passes);
        }
        AddressSpace::Local if load => {
            counters.local_loads += 1;
            counters.local_load_sectors += request.sectors;
        }
        AddressSpace::Local => {
            counters.local_stores += 1;
            counters.local_store_sectors += request.sectors;
        }
        AddressSpace::Const if load => {
            counters.constant_loads += 1;
            counters.constant_load_bytes += request.bytes;
            counters.constant_load_wavefronts += request.passes;
        }
        _ => {}
    }
}

/// Adds a request of atomics or reductions to the sums: of as many elements a lane as `op` has operands.
#[inline(always)]
pub fn charge_atomic(
    counters: &mut Counters,
    op: &AtomicOp,
    space: AddressSpace,
    mask: u32,
    addresses: impl Fn() -> [u64; 32],
) {
    let (lanes, count) = (u64::from(mask.count_ones()), op.b.len() as u64);
    let flops = u64::from(op.flops) * count * lanes;
    counters.flops += flops;
    match (op.size, op.flops) {
        (8, _) => counters.flops_fp64 += flops,
        (4, 1) => counters.flops_fp32 += flops,
        _ => counters.flops_fp16 += flops,
    }
    if space == AddressSpace::Shared {
        counters.shared_atomic_requests += 1;
        counters.shared_atomics += lanes;
    } else {
        counters.global_atomic_requests += 1;
        let touched = sectors(&addresses(), mask, u64::from(op.size) * count);
        counters.global_atomic_sectors += touched;
        counters.global_atomics += lanes;
        if op.returns {
            counters.global_atomic_return_sectors += touched;
        }
    }
}

impl<O: Observer> Worker<'_, O> {
    /// Counts a request of any shape.
    pub fn count_access(
        &mut self,
        pc: u32,
        space: AddressSpace,
        kind: AccessKind,
        mask: u32,
        addresses: &[u64; 32],
        size: u32,
    ) {
        let first = addresses[mask.trailing_zeros() as usize & 31];
        let request = RequestCost::new(space, mask, LaneLayout::Any, first, size, kind, || *addresses);
        self.count(pc, |counters| charge(counters, space, kind, &request));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// Requests of 8 and 16 bytes per lane and what an H200 took for each (`scripts/clock/wide.sh`).
    #[test]
    fn wide_requests_take_the_passes_that_a_gpu_takes() {
        let (mut joined, mut all) = (0, 0);
        for line in include_str!("../../../differential/wide.csv").lines().filter(|line| !line.starts_with('#')) {
            let fields: Vec<&str> = line.split(',').collect();
            let number = |at: usize| fields[at].parse::<u64>().unwrap();
            let (size, mask) = (number(0) as u32, u32::from_str_radix(fields[2], 16).unwrap());
            let kind = if fields[1] == "load" { AccessKind::Load } else { AccessKind::Store };
            let addresses = std::array::from_fn(|lane| number(3 + lane) * u64::from(size));
            assert_eq!(wavefronts(&addresses, mask, size, kind).0, number(35), "{line}");
            joined += u32::from(served_together(&addresses, mask, size, kind) > 128 / size);
            all += 1;
        }
        assert!(joined > 100 && all - joined > 100, "{joined} of {all}");
    }

    /// Sets say the same: sectors are different ones, passes the most different words of a bank in each part of a warp.
    #[test]
    fn requests_cost_what_sets_of_sectors_and_words_say() {
        let mut state = 1u64;
        let mut random = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        for round in 0..4000 {
            let size = [1, 2, 4, 8, 16][round % 5];
            let (reach, mask) = ([4, 40, 600, 1 << 20][round % 4], random(1 << 32) as u32);
            let mask = if round % 3 == 0 { u32::MAX } else { mask };
            let aligned: [u64; 32] = std::array::from_fn(|_| u64::from(size) * random(reach));
            let shifted = aligned.map(|at| at + 7);
            for (addresses, aligned) in [(aligned, true), (shifted, false)] {
                let active: Vec<usize> = (0..32).filter(|lane| mask >> lane & 1 != 0).collect();
                let parts = |lanes: &[usize], unit: u64| -> BTreeSet<u64> {
                    let part = |&lane: &usize| addresses[lane] / unit..=(addresses[lane] + u64::from(size) - 1) / unit;
                    lanes.iter().flat_map(part).collect()
                };
                let case = || format!("{size} bytes, mask {mask:x}, {addresses:?}");
                assert_eq!(sectors(&addresses, mask, size.into()), parts(&active, 32).len() as u64, "{}", case());
                // Banks serve whole words.
                if !aligned {
                    continue;
                }
                let (mut passes, mut fewest) = (0, 0);
                for first in (0..32).step_by(if size <= 4 { 32 } else { 128 / size as usize }) {
                    let lanes: Vec<usize> = active
                        .iter()
                        .copied()
                        .filter(|lane| (first..first + 128 / size.max(4) as usize).contains(lane))
                        .collect();
                    let words = parts(&lanes, 4);
                    let of_bank = |bank: u64| words.iter().filter(|word| *word % 32 == bank).count() as u64;
                    passes += (0..32).map(of_bank).max().unwrap_or(0);
                    fewest += (words.len() as u64).div_ceil(32);
                }
                assert_eq!(wavefronts(&addresses, mask, size, AccessKind::Store), (passes, fewest), "{}", case());
                let places: BTreeSet<u64> = active.iter().map(|&lane| addresses[lane]).collect();
                let words = places.len() as u64 * u64::from(size.div_ceil(4));
                assert_eq!(distinct_places(&addresses, mask, size), words, "{}", case());
            }
        }
    }
}
