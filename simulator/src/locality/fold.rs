//! Makes [`Locality`] of two blocks while they run.
//!
//! The simulator runs a warp as far as it comes; on hardware warps take turns. So accesses are kept as lines and sectors, and gone
//! through in turns, an access of each warp, when the launch is over.

use super::heat::{self, Heat};
use super::meet::{Atomics, meeting};
use super::requests::Traffic;
use super::stack::{LINE, Stack};
use super::{CAPACITIES, LineLocality, Locality, LocalityRequest, SECTOR, Touch};
use crate::observe::{AccessKind, Space, WarpAccess, WarpId};
use crate::random::ByNumber;
use std::collections::BTreeMap;

/// Lines of a block that are kept, all its warps together.
const KEPT: usize = 1 << 16;
/// Lines of local memory are no lines of global memory.
const LOCAL: u64 = 1 << 62;

/// An access to global or local memory.
struct Seen {
    turn: u32,
    pc: u32,
    kind: AccessKind,
    local: bool,
    /// It only asks ahead of time.
    ahead: bool,
    /// Which of the block's lines.
    lines: std::ops::Range<u32>,
}

impl Seen {
    fn of<'a>(&self, lines: &'a [(u64, u8)]) -> &'a [(u64, u8)] {
        &lines[self.lines.start as usize..self.lines.end as usize]
    }

    /// Does something come to registers?
    fn loads(&self) -> bool {
        self.kind == AccessKind::Load && !self.local && !self.ahead
    }
}

/// A warp of a block.
#[derive(Default)]
struct OfWarp {
    turn: u32,
    kept: usize,
    seen: Vec<Seen>,
    /// Instructions, by the barriers of its block that it has passed.
    phases: Vec<u64>,
    /// The last of `seen` is a store to global memory, and nothing came after it.
    stored: bool,
}

/// A block.
#[derive(Default)]
struct OfBlock {
    warps: Vec<OfWarp>,
    /// Lines and their sectors, a bit each.
    lines: Vec<(u64, u8)>,
    cut: bool,
    traffic: Traffic,
    /// Sectors that prefetches ask for beyond what is kept.
    beyond: u64,
}

/// What becomes [`Locality`].
pub struct Fold {
    request: LocalityRequest,
    blocks: [OfBlock; 2],
    /// Sectors that the block elsewhere loads.
    far: ByNumber<u8>,
    /// The lowest sector of each region that it loads, and that it writes.
    lowest: Vec<[Option<u64>; 2]>,
    /// On global and on shared memory, of both blocks and of the one elsewhere.
    atomics: [[Atomics; 3]; 2],
    /// Loads and stores on global memory, of the same blocks.
    heat: [Heat; 3],
}

impl std::fmt::Debug for Fold {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Fold").field("request", &self.request).finish_non_exhaustive()
    }
}

impl Fold {
    /// Of the blocks that `request` names.
    pub fn new(request: LocalityRequest) -> Self {
        let lowest = vec![[None; 2]; request.regions.len()];
        let (blocks, atomics, heat) = Default::default();
        Self { request, blocks, far: ByNumber::default(), lowest, atomics, heat }
    }

    fn side(&self, block: u64) -> Option<usize> {
        match block.checked_sub(self.request.block) {
            Some(side @ (0 | 1)) => Some(side as usize),
            _ => None,
        }
    }

    /// A block with so many warps begins.
    pub fn begin(&mut self, block: u64, warps: u32) {
        if let Some(side) = self.side(block) {
            self.blocks[side].warps.resize_with(warps as usize, OfWarp::default);
        }
    }

    /// A warp executed instructions.
    pub fn ran(&mut self, block: u64, warp: u32, instructions: u64) {
        if self.request.block == block
            && let Some(warp) = self.blocks[0].warps.get_mut(warp as usize)
        {
            match warp.phases.last_mut() {
                Some(sum) => *sum += instructions,
                None => warp.phases.push(instructions),
            }
        }
    }

    /// Warps of a block passed a barrier together.
    pub fn barrier(&mut self, block: u64, participants: &[u32]) {
        let Some(side) = self.side(block) else { return };
        for (warp, lanes) in self.blocks[side].warps.iter_mut().zip(participants) {
            if *lanes != 0 {
                warp.turn += 1;
                warp.phases.push(0);
            }
        }
    }

    /// A warp accesses memory.
    pub fn access(&mut self, access: &WarpAccess<'_>) {
        let lanes = || (0..32usize).filter(|lane| access.mask >> lane & 1 != 0);
        if self.request.far == Some(access.warp.block) && access.space == Space::Global {
            let load = access.kind == AccessKind::Load;
            if let Some(at) = lanes().map(|lane| access.addresses[lane]).min()
                && let Some(region) = self.request.regions.iter().position(|region| region.has(at))
            {
                keep_lower(&mut self.lowest[region][usize::from(!load)], at / SECTOR);
            }
            if load && self.far.len() < KEPT {
                for (line, bit) in lanes().flat_map(|lane| sectors(access.addresses[lane], u64::from(access.size))) {
                    *self.far.entry(line).or_default() |= bit;
                }
            }
        }
        let side = self.side(access.warp.block);
        let far = (self.request.far == Some(access.warp.block)).then_some(2);
        if let Some(whose) = side.or(far) {
            self.heat[whose].add(access);
        }
        if let (AccessKind::Atomic, Some(whose)) = (access.kind, side.or(far))
            && access.space != Space::Local
        {
            let mut places: Vec<u64> = lanes().map(|lane| access.addresses[lane]).collect();
            places.sort_unstable();
            self.atomics[usize::from(access.space == Space::Shared)][whose].add(&places);
        }
        let Some(side) = side else { return };
        let OfBlock { warps, lines, cut, traffic, .. } = &mut self.blocks[side];
        let share = KEPT / warps.len().max(1);
        let Some(warp) = warps.get_mut(access.warp.warp as usize) else { return };
        warp.turn += 1;
        let follows = std::mem::take(&mut warp.stored);
        if access.space == Space::Shared {
            return;
        }
        if warp.kept >= share {
            *cut = true;
            return;
        }
        let local = access.space == Space::Local;
        let from = lines.len();
        let mut add = |line: u64, sectors: u8| match lines[from..].last_mut() {
            Some((last, known)) if *last == line => *known |= sectors,
            _ => lines.push((line, sectors)),
        };
        for lane in lanes() {
            let at = access.addresses[lane];
            if local {
                let own = LOCAL | u64::from(access.warp.warp) << 32;
                (at / 4..at / 4 + u64::from(access.size.div_ceil(4))).for_each(|word| add(own | word, 1 << (lane / 8)));
            } else {
                sectors(at, u64::from(access.size)).for_each(|(line, bit)| add(line, bit));
            }
        }
        each_once(lines, from);
        let own = &lines[from..];
        let store = access.kind == AccessKind::Store;
        warp.stored = store && !local;
        let before = if follows && warp.stored { warp.seen.last() } else { None };
        let before = before.map_or(&[][..], |before| &lines[before.lines.start as usize..before.lines.end as usize]);
        traffic.add(access, own, before);
        warp.kept += own.len();
        let lines = from as u32..lines.len() as u32;
        warp.seen.push(Seen { turn: warp.turn, pc: access.pc, kind: access.kind, local, ahead: false, lines });
    }

    /// A warp asks for global memory ahead of time, each lane for so many bytes.
    pub fn prefetched(&mut self, who: WarpId, mask: u32, addresses: &[u64; 32], bytes: &[u64; 32]) {
        let Some(side) = self.side(who.block) else { return };
        let OfBlock { warps, lines, cut, beyond, .. } = &mut self.blocks[side];
        let share = KEPT / warps.len().max(1);
        let Some(warp) = warps.get_mut(who.warp as usize) else { return };
        warp.turn += 1;
        warp.stored = false;
        let from = lines.len();
        let mut left = (share.saturating_sub(warp.kept) as u64) * LINE;
        for lane in (0..32usize).filter(|lane| mask >> lane & 1 != 0 && bytes[*lane] > 0) {
            let kept = bytes[lane].min(left);
            left -= kept;
            *beyond += (bytes[lane] - kept).div_ceil(SECTOR);
            if kept > 0 {
                lines.extend(sectors(addresses[lane], kept));
            }
            *cut |= kept < bytes[lane];
        }
        each_once(lines, from);
        warp.kept += lines.len() - from;
        let lines = from as u32..lines.len() as u32;
        warp.seen.push(Seen { turn: warp.turn, pc: 0, kind: AccessKind::Load, local: false, ahead: true, lines });
    }

    /// What it comes to; `place` knows file and line of an instruction.
    pub fn finish(self, place: impl Fn(u32) -> (String, u32)) -> Locality {
        let OfBlock { cut, traffic, .. } = &self.blocks[0];
        let Traffic { requests, wavefronts, store_lines, store_sectors, local_words, joined } = *traffic;
        let mut found = Locality {
            path: self.path(),
            cut: *cut,
            requests,
            wavefronts,
            store_lines,
            store_sectors,
            local_words,
            joined,
            ..Locality::default()
        };
        found.prefetched = self.blocks[0].beyond;
        (found.hot, found.turns) = (heat::hot(&self.heat, &place), heat::turns(&self.heat, &place));
        self.cached(&mut found, place);
        for (loads, all) in [(true, &mut found.read), (false, &mut found.written)] {
            *all = self.touched(loads);
        }
        found.away = self.request.far.map_or(0, |far| far.abs_diff(self.request.block));
        let [global, shared] = &self.atomics;
        (found.global, found.shared) = (meeting(global, true), meeting(shared, false));
        found
    }

    fn cached(&self, found: &mut Locality, place: impl Fn(u32) -> (String, u32)) {
        let OfBlock { warps, lines, .. } = &self.blocks[0];
        let mut stack = Stack::new();
        // Bytes that all blocks load.
        let mut own: ByNumber<u8> = ByNumber::default();
        for (line, sectors) in lines {
            *own.entry(*line).or_default() |= sectors & self.far.get(line).copied().unwrap_or(0);
        }
        let mut loaded: ByNumber<u8> = ByNumber::default();
        if warps.iter().flat_map(|warp| &warp.seen).any(|seen| seen.ahead) {
            let loads = warps.iter().flat_map(|warp| &warp.seen).filter(|seen| seen.loads());
            for (line, sectors) in loads.flat_map(|seen| seen.of(lines)) {
                *loaded.entry(*line).or_default() |= sectors;
            }
        }
        let shared = SECTOR * own.values().map(|sectors| u64::from(sectors.count_ones())).sum::<u64>();
        let mut places: BTreeMap<(String, u32), LineLocality> = BTreeMap::new();
        let mut of_pc: BTreeMap<u32, (String, u32)> = BTreeMap::new();
        let mut events: Vec<(u32, usize, &Seen)> = warps
            .iter()
            .enumerate()
            .flat_map(|(at, warp)| warp.seen.iter().map(move |seen| (seen.turn, at, seen)))
            .collect();
        events.sort_by_key(|(turn, warp, _)| (*turn, *warp));
        for (_, _, seen) in events {
            if seen.kind == AccessKind::Atomic || (seen.kind == AccessKind::Store && !seen.local) {
                continue;
            }
            let load = seen.kind == AccessKind::Load;
            let of = seen.of(lines);
            let sectors: u64 = of.iter().map(|(_, sectors)| u64::from(sectors.count_ones())).sum();
            found.lines += of.len() as u64;
            if seen.ahead {
                let others = |(line, sectors): &(u64, u8)| sectors & !loaded.get(line).copied().unwrap_or(0);
                found.prefetched += of.iter().map(|at| u64::from(others(at).count_ones())).sum::<u64>();
                continue;
            }
            let mut late = [0; CAPACITIES.len()];
            for (line, sectors) in of {
                let missed = stack.access(*line, *sectors, seen.turn);
                if !load {
                    continue;
                }
                let stays = if seen.local { 0 } else { self.far.get(line).copied().unwrap_or(0) };
                for (at, late) in late.iter_mut().enumerate() {
                    let stays = if CAPACITIES[at] >= 2 * shared { stays } else { 0 };
                    let [miss, wait] =
                        [missed.missed[at], missed.late[at]].map(|bits| u64::from((bits & !stays).count_ones()));
                    found.missed[at] += miss;
                    found.late[at] += wait;
                    *late += wait;
                    found.local_missed[at] += if seen.local { miss } else { 0 };
                }
            }
            if load {
                found.requested += sectors;
                let (file, line) = of_pc.entry(seen.pc).or_insert_with(|| place(seen.pc)).clone();
                let own = places.entry((file.clone(), line)).or_insert_with(|| LineLocality {
                    file,
                    line,
                    ..LineLocality::default()
                });
                (own.requested, own.requests) = (own.requested + sectors, own.requests + 1);
                own.lines += of.len() as u64;
                own.late.iter_mut().zip(late).for_each(|(sum, late)| *sum += late);
            }
        }
        found.places = places.into_values().collect();
    }

    /// What both blocks touched of each region.
    fn touched(&self, loads: bool) -> Vec<Touch> {
        // Of the first block, of the second, and of the first without what it only asks for ahead of time.
        let mut sectors: ByNumber<[u8; 3]> = ByNumber::default();
        for (side, block) in self.blocks.iter().enumerate() {
            let seen = block.warps.iter().flat_map(|warp| &warp.seen);
            for seen in seen.filter(|seen| !seen.local && (seen.kind == AccessKind::Load) == loads) {
                for (line, there) in seen.of(&block.lines) {
                    let known = sectors.entry(*line).or_default();
                    known[side] |= there;
                    known[2] |= if side == 0 && !seen.ahead { *there } else { 0 };
                }
            }
        }
        let mut all = vec![Touch::default(); self.request.regions.len()];
        let mut lowest: Vec<Option<u64>> = vec![None; all.len()];
        let mut highest: Vec<u64> = vec![0; all.len()];
        let ones = |bits: u8| u64::from(bits.count_ones());
        let mut ahead = vec![0; all.len()];
        for (line, [first, second, asked]) in sectors {
            let inside = self.request.regions.iter().position(|region| region.has(line * LINE));
            let Some(at) = inside else { continue };
            if first != 0 {
                let sector = line * (LINE / SECTOR);
                keep_lower(&mut lowest[at], sector + u64::from(first.trailing_zeros()));
                highest[at] = highest[at].max(sector + u64::from(first.ilog2()));
            }
            let touch = &mut all[at];
            touch.sectors += ones(first);
            touch.pairs += u64::from(asked & 3 != 0) + u64::from(asked & 12 != 0);
            ahead[at] += ones(first & !asked);
            touch.second += ones(second);
            touch.new += ones(second & !first);
        }
        // Nobody waits for these, and memory takes them in an order that suits it.
        all.iter_mut().zip(ahead).for_each(|(touch, sectors)| touch.pairs += sectors.div_ceil(2));
        for (((touch, own), highest), far) in all.iter_mut().zip(lowest).zip(highest).zip(&self.lowest) {
            touch.span = own.map_or(0, |own| highest - own + 1);
            if let (Some(own), Some(far)) = (own, far[usize::from(!loads)]) {
                touch.away = own.abs_diff(far);
            }
        }
        all
    }

    /// See [`Locality::path`].
    fn path(&self) -> f64 {
        let warps = &self.blocks[0].warps;
        let phases = warps.iter().map(|warp| warp.phases.len()).max().unwrap_or(0);
        let of = |phase: usize| warps.iter().filter_map(move |warp| warp.phases.get(phase));
        let slowest: u64 = (0..phases).filter_map(|phase| of(phase).max()).sum();
        let all: u64 = (0..phases).flat_map(of).sum();
        if all == 0 { 1.0 } else { (slowest as f64 * warps.len() as f64 / all as f64).max(1.0) }
    }
}

/// Of lines from `from` on: each once, with all its sectors, in ascending order.
fn each_once(lines: &mut Vec<(u64, u8)>, from: usize) {
    if lines[from..].is_sorted_by(|a, b| a.0 < b.0) {
        return;
    }
    lines[from..].sort_unstable();
    let mut kept = from;
    for at in from + 1..lines.len() {
        if lines[at].0 == lines[kept].0 {
            lines[kept].1 |= lines[at].1;
        } else {
            kept += 1;
            lines[kept] = lines[at];
        }
    }
    lines.truncate(kept + 1);
}

fn keep_lower(known: &mut Option<u64>, sector: u64) {
    *known = Some(known.map_or(sector, |known| known.min(sector)));
}

/// The sectors that some bytes lie in: their lines, and their bits there.
fn sectors(at: u64, bytes: u64) -> impl Iterator<Item = (u64, u8)> {
    const EACH: u64 = LINE / SECTOR;
    (at / SECTOR..=(at + bytes - 1) / SECTOR).map(|sector| (sector / EACH, 1 << (sector % EACH)))
}
