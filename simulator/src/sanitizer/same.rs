//! The short ways through the checks complain as the long one does: random accesses and synchronisation, twice.

use super::Sanitizer;
use super::cells::shadow::Cell;
use crate::config::Checks;
use crate::observe::{AccessKind, Complaint, MemoryOrder, Observer, Scope, Space, Unwritten, WarpAccess, WarpId};
use crate::random::Random;

const BASE: u64 = 0x1000;
const BYTES: u64 = 1024;

impl Random {
    fn mask(&mut self) -> u32 {
        match self.below(5) {
            0 => self.below(1 << 32) as u32 | 1,
            1 => 0xffff,
            _ => u32::MAX,
        }
    }

    fn access(&mut self, watch: &mut Sanitizer, orderly: bool, pc: u32, caught: &mut Caught) {
        let warp = self.warp();
        let size = [4, 4, 4, 4, 8, 16, 1, 2][self.below(8) as usize];
        let space = if self.below(3) == 0 { Space::Shared } else { Space::Global };
        let start = if space == Space::Global { BASE } else { 0 };
        // Of global memory an orderly block has a part of its own.
        let (room, part) = match (orderly, space) {
            (true, Space::Global) => (BYTES / 2, BYTES / 2 * warp.block),
            _ => (BYTES, 0),
        };
        let start = start + part;
        let places = room / u64::from(size);
        // Mostly the whole warp side by side, at the beginning of a line or a little behind.
        let pattern = self.below(8);
        let (first, step) = (self.below(places), self.below(7));
        let addresses = std::array::from_fn(|lane| {
            let place = match pattern {
                0..5 => first / 32 * 32 + lane as u64,
                5 => first + lane as u64,
                6 => first,
                _ => first + lane as u64 * step,
            };
            start + place % places * u64::from(size)
        });
        let (kind, order) = match self.below(12) {
            0..5 => (AccessKind::Load, MemoryOrder::Weak),
            5..9 => (AccessKind::Store, MemoryOrder::Weak),
            9 => (AccessKind::Atomic, MemoryOrder::Relaxed),
            10 => (AccessKind::Load, MemoryOrder::Acquire),
            _ => (AccessKind::Store, MemoryOrder::Release),
        };
        let (size, mask) = match order {
            MemoryOrder::Weak => (size, self.mask()),
            MemoryOrder::Relaxed => (size.clamp(4, 8), self.mask()),
            _ => (size.clamp(4, 8), 1 << self.below(32)),
        };
        let silent = if kind == AccessKind::Store && self.below(3) == 0 { self.mask() & mask } else { 0 };
        let addresses = addresses.map(|address| address / u64::from(size) * u64::from(size));
        let access = WarpAccess {
            warp,
            pc,
            space,
            kind,
            order,
            scope: Scope::Gpu,
            size,
            indivisible: if kind == AccessKind::Atomic { size } else { 0 },
            mask,
            addresses: &addresses,
            silent,
            copy: false,
            mark: false,
            texture: false,
            named: false,
            group: 0,
            completing: None,
            proxy: false,
            reserved: false,
            home: warp.slot,
        };
        caught.unwritten = watch.access(&access, &mut |complaint| caught.complaints.push(complaint));
        if orderly && self.below(8) != 0 {
            watch.block_barrier(warp, 0, &[u32::MAX; 3], false);
        }
    }

    fn warp(&mut self) -> WarpId {
        let block = self.below(2);
        WarpId { block, slot: block as u32, warp: self.below(3) as u32 }
    }
}

/// What an access brings up.
#[derive(Default, PartialEq)]
struct Caught {
    complaints: Vec<Complaint>,
    unwritten: Option<Box<Unwritten>>,
}

/// What one sequence brings up, step by step, and what memory remembers in the end.
fn complaints(seed: u64, by_lane: bool) -> (Vec<Caught>, Vec<Vec<Cell>>) {
    let mut random = Random(seed);
    let orderly = seed % 2 == 1;
    let mut watch = Sanitizer::new(Checks::ALL);
    if let Some(races) = &mut watch.races {
        races.by_lane = by_lane;
    }
    watch.allocated(BASE, BYTES);
    watch.written(BASE, BYTES - if orderly { 0 } else { random.below(BYTES) });
    let start = |watch: &mut Sanitizer, block: u64| {
        watch.block_start(WarpId { block, slot: block as u32, warp: 0 }, 96, BYTES as u32);
    };
    start(&mut watch, 0);
    start(&mut watch, 1);
    let mut all = Vec::new();
    for pc in 0..if orderly { 40 } else { 150 } {
        let mut caught = Caught::default();
        match random.below(16) {
            0 => watch.block_barrier(random.warp(), 0, &[u32::MAX; 3], false),
            1 => watch.block_barrier(random.warp(), 0, &[u32::MAX, 0, u32::MAX], false),
            2 => {
                let (warp, mask) = (random.warp(), random.mask());
                watch.warp_barrier(warp, mask);
            }
            3 => {
                let (warp, mask) = (random.warp(), random.mask());
                watch.fence(warp, mask, MemoryOrder::AcqRel, Scope::Gpu);
            }
            4 if random.below(8) == 0 => {
                watch.launch_end();
                start(&mut watch, 0);
                start(&mut watch, 1);
            }
            _ => random.access(&mut watch, orderly, pc, &mut caught),
        }
        all.push(caught);
    }
    let mut cells = Vec::new();
    if let Some(races) = &mut watch.races {
        let launch = races.launch;
        cells.extend(races.global.find(BASE).map(|region| region.data.all(BYTES, launch)));
        cells.extend(races.slots.iter_mut().map(|slot| slot.shared.all(BYTES, launch)));
    }
    (all, cells)
}

#[test]
#[ignore = "long"]
fn runs_complain_as_lanes_do() {
    let (mut races, mut unwritten, mut clean) = (0, 0, 0);
    for seed in 0..600 {
        let ((short, known), (long, cells)) = (complaints(seed, false), complaints(seed, true));
        assert!(short == long, "seed {seed}: complaints");
        assert!(known == cells, "seed {seed}: what memory remembers");
        let count: usize = short.iter().map(|caught| caught.complaints.len()).sum();
        races += count;
        unwritten += short.iter().filter(|caught| caught.unwritten.is_some()).count();
        clean += usize::from(count == 0);
    }
    // The sequences are worth something: some are wrong in each way, and not everything is.
    assert!(races > 10_000 && unwritten > 1000 && clean > 10, "{races}, {unwritten}, {clean}");
}
