//! Where a block finds what it accesses again: misses of first-level caches of several sizes, memory that is touched for the
//! first time, addresses that atomics share, and the warp that the others wait for. Made of a trace with events.
//!
//! A cache here has lines of 128 bytes in sectors of 32, forgets what was used longest ago, and is filled by loads. The warps of a
//! block take turns, an access each, as they do on hardware more or less; a trace has one after the other.

use crate::observe::{AccessKind, Space};
use crate::trace::{Event, Trace, What};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap, HashSet};

/// Sizes of the caches, in bytes for a block.
pub const CAPACITIES: [u64; 6] = [4 << 10, 8 << 10, 16 << 10, 32 << 10, 64 << 10, 192 << 10];

/// Memory that a launch was given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Region {
    /// First byte.
    pub base: u64,
    /// Bytes.
    pub bytes: u64,
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
    /// Lanes' atomics on the address that has most of them.
    pub hottest: u64,
    /// Requests that go there.
    pub hottest_requests: u64,
    /// Different addresses.
    pub addresses: u64,
    /// The block after it goes to the same hottest address.
    pub shared: bool,
}

/// Loads of one source line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Place {
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

/// What a trace of a block, and of the one after it, comes to.
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
    pub places: Vec<Place>,
    /// Different lines of 128 bytes, summed over requests: passes through the cache's tags.
    pub lines: u64,
    /// What loads touched of each region.
    pub read: Vec<Touch>,
    /// What stores and atomics touched of each region.
    pub written: Vec<Touch>,
    /// Atomics on global memory.
    pub global: Meeting,
    /// Atomics on shared memory.
    pub shared: Meeting,
    /// Instructions of the slowest warp between barriers over those of all warps on average, at least 1.
    pub path: f64,
    /// The trace ended before the block did.
    pub cut: bool,
}

impl Locality {
    /// Of a trace with the events of all warps of a block, and of the next one perhaps.
    pub fn of(trace: &Trace, regions: &[Region]) -> Self {
        let first = trace.warps.first().map_or(0, |warp| warp.block);
        let cut = trace.dropped > 0;
        // Of a part only: it has warps that came first whole, and others not at all.
        let path = if cut { 1.0 } else { path(trace, first) };
        let mut found = Self { path, cut, ..Self::default() };
        let events = in_turns(trace);
        found.cached(trace, &events, first);
        for (loads, all) in [(true, &mut found.read), (false, &mut found.written)] {
            *all = touched(trace, &events, regions, first, loads);
        }
        found.global = meeting(trace, &events, first, Space::Global);
        found.shared = meeting(trace, &events, first, Space::Shared);
        found
    }

    fn cached(&mut self, trace: &Trace, events: &[&Event], first: u64) {
        let mut caches: Vec<Cache> = CAPACITIES.iter().map(|bytes| Cache::new(bytes / LINE)).collect();
        let mut turns: HashMap<u32, u64> = HashMap::new();
        let mut places: BTreeMap<u32, Place> = BTreeMap::new();
        for event in events.iter().filter(|event| trace.warps[event.warp as usize].block == first) {
            let turn = turns.entry(event.warp).or_default();
            *turn += 1;
            let What::Memory { space, kind, bytes, addresses } = &event.what else { continue };
            let lanes = (0..32).filter(|lane| event.lanes >> lane & 1 != 0);
            let mut lines: BTreeMap<u64, u8> = BTreeMap::new();
            for (lane, &at) in lanes.zip(addresses) {
                match space {
                    Space::Global => (at / SECTOR..=(at + u64::from(*bytes) - 1) / SECTOR)
                        .for_each(|sector| *lines.entry(sector / 4).or_default() |= 1 << (sector % 4)),
                    Space::Local => (at / 4..at / 4 + u64::from(bytes.div_ceil(4))).for_each(|word| {
                        *lines.entry(LOCAL | u64::from(event.warp) << 24 | word).or_default() |= 1 << (lane / 8);
                    }),
                    Space::Shared => {}
                }
            }
            let local = *space == Space::Local;
            if *kind == AccessKind::Atomic || (*kind == AccessKind::Store && !local) {
                continue;
            }
            let load = *kind == AccessKind::Load;
            self.lines += lines.len() as u64;
            let sectors: u32 = lines.values().map(|sectors| sectors.count_ones()).sum();
            self.requested += if load { u64::from(sectors) } else { 0 };
            let own = places.entry(event.place).or_insert_with(|| {
                let (file, line) =
                    trace.places.get(event.place as usize).map_or((String::new(), 0), |at| (at.file.clone(), at.line));
                let late = [0; CAPACITIES.len()];
                Place { file, line, requested: 0, late, requests: 0, lines: 0 }
            });
            if load {
                (own.requested, own.requests) = (own.requested + u64::from(sectors), own.requests + 1);
                own.lines += lines.len() as u64;
            }
            for (at, cache) in caches.iter_mut().enumerate() {
                for (line, sectors) in &lines {
                    let (missed, late) = cache.access(*line, *sectors, *turn);
                    if load {
                        self.missed[at] += missed;
                        self.late[at] += late;
                        own.late[at] += late;
                        self.local_missed[at] += if local { missed } else { 0 };
                    }
                }
            }
        }
        self.places = places.into_values().filter(|place| place.requests > 0).collect();
    }
}

const SECTOR: u64 = 32;
const LINE: u64 = 128;
const LOCAL: u64 = 1 << 62;

/// A line that is there.
struct Line {
    /// When it was last used.
    used: u64,
    /// Its sectors, a bit each.
    there: u8,
    /// In which turn each of them came.
    fetched: [u64; 4],
}

/// Lines by when they were last used.
struct Cache {
    lines: u64,
    now: u64,
    known: HashMap<u64, Line>,
    order: BTreeMap<u64, u64>,
}

impl Cache {
    fn new(lines: u64) -> Self {
        Self { lines, now: 0, known: HashMap::new(), order: BTreeMap::new() }
    }

    /// Sectors of a line that were not there, and those that were not there before the last turn.
    fn access(&mut self, line: u64, sectors: u8, turn: u64) -> (u64, u64) {
        self.now += 1;
        if !self.known.contains_key(&line)
            && self.known.len() as u64 >= self.lines
            && let Some((_, oldest)) = self.order.pop_first()
        {
            self.known.remove(&oldest);
        }
        let known = self.known.entry(line).or_insert(Line { used: self.now, there: 0, fetched: [0; 4] });
        self.order.remove(&known.used);
        let missed = sectors & !known.there;
        let mut late = missed;
        for sector in 0..4 {
            if missed >> sector & 1 != 0 {
                known.fetched[sector] = turn;
            } else if sectors >> sector & 1 != 0 && turn <= known.fetched[sector] + 1 {
                late |= 1 << sector;
            }
        }
        (known.used, known.there) = (self.now, known.there | sectors);
        self.order.insert(self.now, line);
        (missed.count_ones().into(), late.count_ones().into())
    }
}

/// The events of each block's warps in turns, block after block.
fn in_turns(trace: &Trace) -> Vec<&Event> {
    let mut next: HashMap<u32, u64> = HashMap::new();
    let mut events: Vec<(u64, u64, u32, &Event)> = Vec::new();
    for event in trace.events.iter().filter(|event| !matches!(event.what, What::Shuffle { .. })) {
        let turn = next.entry(event.warp).or_default();
        events.push((trace.warps[event.warp as usize].block, *turn, event.warp, event));
        *turn += 1;
    }
    events.sort_by_key(|&(block, turn, warp, _)| (block, turn, warp));
    events.into_iter().map(|(_, _, _, event)| event).collect()
}

fn touched(trace: &Trace, events: &[&Event], regions: &[Region], first: u64, loads: bool) -> Vec<Touch> {
    let mut sets: Vec<[HashSet<u64>; 2]> = regions.iter().map(|_| Default::default()).collect();
    for event in events {
        let What::Memory { space: Space::Global, kind, bytes, addresses } = &event.what else { continue };
        if (*kind == AccessKind::Load) != loads {
            continue;
        }
        let side = usize::from(trace.warps[event.warp as usize].block != first);
        for &at in addresses {
            let inside = |region: &Region| (region.base..region.base + region.bytes).contains(&at);
            if let Some(region) = regions.iter().position(inside) {
                sets[region][side].extend(at / SECTOR..=(at + u64::from(*bytes) - 1) / SECTOR);
            }
        }
    }
    let of = |[a, b]: &[HashSet<u64>; 2]| Touch {
        sectors: a.len() as u64,
        pairs: a.iter().map(|sector| sector / 2).collect::<HashSet<_>>().len() as u64,
        second: b.len() as u64,
        new: b.difference(a).count() as u64,
    };
    sets.iter().map(of).collect()
}

fn meeting(trace: &Trace, events: &[&Event], first: u64, wanted: Space) -> Meeting {
    let mut meeting = Meeting::default();
    let mut counts: [HashMap<u64, [u64; 2]>; 2] = Default::default();
    for event in events {
        let What::Memory { space, kind: AccessKind::Atomic, addresses, .. } = &event.what else { continue };
        if *space != wanted {
            continue;
        }
        let side = usize::from(trace.warps[event.warp as usize].block != first);
        let mut own: HashMap<u64, u64> = HashMap::new();
        for &at in addresses {
            *own.entry(at).or_default() += 1;
        }
        if side == 0 {
            meeting.requests += 1;
            meeting.lanes += addresses.len() as u64;
            meeting.serial += own.values().copied().max().unwrap_or(0);
        }
        for (at, lanes) in own {
            let [all, requests] = counts[side].entry(at).or_default();
            *all += lanes;
            *requests += 1;
        }
    }
    // Of equals the lowest address, so that the answer does not hang on a hash.
    let most = |counts: &HashMap<u64, [u64; 2]>| counts.iter().map(|(at, n)| (*n, std::cmp::Reverse(*at))).max();
    if let Some(([lanes, requests], at)) = most(&counts[0]) {
        meeting.hottest = lanes;
        meeting.hottest_requests = requests;
        meeting.addresses = counts[0].len() as u64;
        meeting.shared = wanted == Space::Global && counts[1].contains_key(&at.0);
    }
    meeting
}

/// See [`Locality::path`].
fn path(trace: &Trace, first: u64) -> f64 {
    let warps = trace.warps.iter().filter(|warp| warp.block == first).count();
    let mut barriers: HashMap<u32, Vec<u32>> = HashMap::new();
    for event in trace.events.iter().filter(|event| event.what == What::Barrier) {
        barriers.entry(event.warp).or_default().push(event.step);
    }
    let mut phases: Vec<HashMap<u32, u64>> = Vec::new();
    let mut all = 0;
    let mut passed: HashMap<u32, usize> = HashMap::new();
    for (at, step) in trace.steps.iter().enumerate() {
        if trace.warps[step.warp as usize].block != first {
            continue;
        }
        let phase = passed.entry(step.warp).or_default();
        let of_warp = barriers.get(&step.warp).map(Vec::as_slice).unwrap_or_default();
        while of_warp.get(*phase).is_some_and(|barrier| (*barrier as usize) < at) {
            *phase += 1;
        }
        if phases.len() <= *phase {
            phases.resize_with(*phase + 1, HashMap::new);
        }
        *phases[*phase].entry(step.warp).or_default() += step.instructions;
        all += step.instructions;
    }
    let slowest: u64 = phases.iter().filter_map(|phase| phase.values().max()).sum();
    if all == 0 { 1.0 } else { (slowest as f64 * warps as f64 / all as f64).max(1.0) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::{Step, TracedWarp};

    fn access(warp: u32, kind: AccessKind, space: Space, addresses: Vec<u64>) -> Event {
        let lanes = (1u64 << addresses.len()).wrapping_sub(1) as u32;
        Event { step: 0, warp, place: 0, lanes, what: What::Memory { space, kind, bytes: 4, addresses } }
    }

    fn trace(warps: &[(u64, u32)], events: Vec<Event>) -> Trace {
        let warps = warps.iter().map(|&(block, warp)| TracedWarp { block, warp, lanes: 32 }).collect();
        Trace { warps, events, ..Trace::default() }
    }

    fn row(base: u64) -> Vec<u64> {
        (0..32).map(|lane| base + 4 * lane).collect()
    }

    #[test]
    fn what_was_used_longest_ago_is_forgotten() {
        let load = |base| access(0, AccessKind::Load, Space::Global, row(base));
        // 64 lines of 128 bytes, twice: more than 4 KiB, no more than 8.
        let events = (0..2).flat_map(|_| (0..64).map(|line| load(line * 128))).collect();
        let found = Locality::of(&trace(&[(0, 0)], events), &[Region { base: 0, bytes: 8192 }]);
        assert_eq!((found.requested, found.lines), (512, 128));
        assert_eq!(found.missed, [512, 256, 256, 256, 256, 256]);
        assert_eq!(found.read[0], Touch { sectors: 256, pairs: 128, second: 0, new: 0 });
    }

    #[test]
    fn warps_take_turns_and_a_column_shares_its_sectors() {
        // Each warp walks along a row of its own, a word at a time: 8 words a sector, all of them in turn.
        let walk =
            |warp: u32, k: u64| access(warp, AccessKind::Load, Space::Global, vec![u64::from(warp) * 4096 + 4 * k]);
        let events = (0..2).flat_map(|warp| (0..32).map(move |k| walk(warp, k))).collect();
        let found = Locality::of(&trace(&[(0, 0), (0, 1)], events), &[]);
        assert_eq!((found.requested, found.missed[0]), (64, 8));
        // The one that follows at once finds its word under way.
        assert_eq!(found.late[0], 16);
    }

    #[test]
    fn what_the_next_block_touches_first_and_where_atomics_meet() {
        let region = [Region { base: 1024, bytes: 4096 }];
        let mut events = vec![
            access(0, AccessKind::Load, Space::Global, row(1024)),
            access(1, AccessKind::Load, Space::Global, row(1024 + 64)),
        ];
        for warp in 0..2 {
            events.push(access(warp, AccessKind::Atomic, Space::Global, vec![2048, 2048, 2052]));
        }
        let found = Locality::of(&trace(&[(0, 0), (1, 0)], events), &region);
        assert_eq!(found.read[0], Touch { sectors: 4, pairs: 2, second: 4, new: 2 });
        let expected =
            Meeting { requests: 1, lanes: 3, serial: 2, hottest: 2, hottest_requests: 1, addresses: 2, shared: true };
        assert_eq!((found.global, found.shared), (expected, Meeting::default()));
    }

    #[test]
    fn the_slowest_warp_between_barriers_is_waited_for() {
        let step = |warp, instructions| Step { warp, place: 0, lanes: 1, active: 1, waiting: 0, live: 1, instructions };
        let barrier = |warp, step| Event { step, warp, place: 0, lanes: 1, what: What::Barrier };
        let mut trace = trace(&[(0, 0), (0, 1)], vec![barrier(0, 0), barrier(1, 1)]);
        trace.steps = vec![step(0, 30), step(1, 10), step(0, 10), step(1, 30)];
        // 60 instructions one after the other; a warp has 40 on average.
        assert_eq!(Locality::of(&trace, &[]).path, 1.5);
    }
}
