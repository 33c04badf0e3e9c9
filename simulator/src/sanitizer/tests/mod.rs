//! Small event sequences with known orders.

use super::Sanitizer;
use crate::config::Checks;
use crate::observe::{AccessKind, Complaint, MemoryOrder, Observer, Scope, Space, WarpAccess, WarpId};

mod clocks;
mod copies;
mod marks;
mod observed;

const A: u64 = 0x1000;

struct Bench {
    watch: Sanitizer,
    caught: Vec<Complaint>,
    /// Bytes that were read and that nothing had written.
    unwritten: u32,
    pc: u32,
    /// Of the next accesses; an atomic is marked anyway, unless `Some(false)`.
    mark: Option<bool>,
    texture: bool,
    group: u32,
    silent: u32,
    reserved: bool,
}

fn warp(block: u64, slot: u32, warp: u32) -> WarpId {
    WarpId { block, slot, warp }
}

impl Bench {
    fn new() -> Self {
        let mut watch = Sanitizer::new(Checks::ALL);
        watch.allocated(A, 4096);
        watch.written(A, 4096);
        for block in 0..4 {
            watch.block_start(warp(block, block as u32, 0), 128, 1024);
        }
        Self {
            watch,
            caught: Vec::new(),
            unwritten: 0,
            pc: 0,
            mark: None,
            texture: false,
            group: 0,
            silent: 0,
            reserved: false,
        }
    }

    fn go(&mut self, who: WarpId, mask: u32, kind: AccessKind, order: MemoryOrder, address: impl Fn(u64) -> u64) {
        self.size(who, mask, kind, order, 4, address);
    }

    fn size(
        &mut self,
        who: WarpId,
        mask: u32,
        kind: AccessKind,
        order: MemoryOrder,
        size: u32,
        at: impl Fn(u64) -> u64,
    ) {
        self.pc += 1;
        let addresses = std::array::from_fn(|lane| at(lane as u64));
        let space = if addresses[mask.trailing_zeros() as usize] >= A { Space::Global } else { Space::Shared };
        let access = WarpAccess {
            warp: who,
            pc: self.pc,
            space,
            kind,
            order,
            scope: Scope::Gpu,
            size,
            indivisible: if kind == AccessKind::Atomic { size } else { 0 },
            mask,
            addresses: &addresses,
            silent: self.silent,
            copy: false,
            mark: self.mark.unwrap_or(kind == AccessKind::Atomic),
            texture: self.texture,
            named: false,
            group: self.group,
            completing: None,
            proxy: false,
            reserved: self.reserved,
            home: who.slot,
        };
        let caught = &mut self.caught;
        let unwritten = self.watch.access(&access, &mut |complaint| caught.push(complaint));
        self.unwritten += unwritten.map_or(0, |lanes| lanes.iter().map(|bytes| bytes.count_ones()).sum());
    }

    fn store(&mut self, who: WarpId, mask: u32, address: impl Fn(u64) -> u64) {
        self.go(who, mask, AccessKind::Store, MemoryOrder::Weak, address);
    }

    fn load(&mut self, who: WarpId, mask: u32, address: impl Fn(u64) -> u64) {
        self.go(who, mask, AccessKind::Load, MemoryOrder::Weak, address);
    }

    fn races(&self) -> usize {
        self.caught.iter().filter(|complaint| matches!(complaint, Complaint::Race { .. })).count()
    }
}

const FULL: u32 = u32::MAX;

#[test]
fn a_block_barrier_orders_its_block_and_no_other() {
    let mut bench = Bench::new();
    bench.store(warp(0, 0, 0), FULL, |lane| lane * 4);
    bench.watch.block_barrier(warp(0, 0, 0), 0, &[FULL; 4], false);
    bench.load(warp(0, 0, 1), FULL, |lane| lane * 4);
    assert_eq!(bench.races(), 0);
    bench.store(warp(0, 0, 2), FULL, |lane| lane * 4);
    assert_eq!(bench.races(), 32, "a write after another warp's reads");

    bench.caught.clear();
    bench.store(warp(0, 0, 0), 1, |_| A);
    bench.watch.block_barrier(warp(0, 0, 0), 0, &[FULL; 4], false);
    bench.watch.block_barrier(warp(1, 1, 0), 0, &[FULL; 4], false);
    bench.load(warp(1, 1, 0), 1, |_| A);
    assert_eq!(bench.races(), 1);
}

#[test]
fn warp_synchronous_code_needs_syncwarp() {
    let halves = |bench: &mut Bench, sync: bool| {
        let who = warp(0, 0, 0);
        for k in [16, 8] {
            bench.go(who, 0xffff, AccessKind::Load, MemoryOrder::Volatile, |lane| (lane + k) * 4);
            if sync {
                bench.watch.warp_barrier(who, FULL);
            }
            bench.go(who, 0xffff, AccessKind::Store, MemoryOrder::Volatile, |lane| lane * 4);
            if sync {
                bench.watch.warp_barrier(who, FULL);
            }
        }
    };
    let mut bench = Bench::new();
    bench.store(warp(0, 0, 0), FULL, |lane| lane * 4);
    bench.watch.block_barrier(warp(0, 0, 0), 0, &[FULL; 4], false);
    halves(&mut bench, true);
    assert_eq!(bench.races(), 0);
    halves(&mut bench, false);
    assert!(bench.races() > 0);
    assert!(bench.caught.iter().all(|c| matches!(c, Complaint::Race { hidden_before_volta: true, .. })));
}

#[test]
fn a_partial_syncwarp_orders_only_those_it_names() {
    let mut bench = Bench::new();
    let who = warp(0, 0, 0);
    bench.store(who, 0xff, |lane| lane * 4);
    bench.watch.warp_barrier(who, 0x0f);
    bench.load(who, 0x01, |_| 3 * 4);
    assert_eq!(bench.races(), 0);
    bench.load(who, 0x01, |_| 5 * 4);
    assert_eq!(bench.races(), 1);
}

#[test]
fn threads_that_exited_do_not_hold_up_a_barrier() {
    let mut bench = Bench::new();
    bench.store(warp(0, 0, 3), FULL, |lane| lane * 4);
    bench.watch.exit(warp(0, 0, 3), FULL);
    bench.watch.block_barrier(warp(0, 0, 0), 0, &[FULL, FULL, FULL, 0], false);
    bench.load(warp(0, 0, 0), FULL, |lane| lane * 4);
    assert_eq!(bench.races(), 0);
}

#[test]
fn a_named_barrier_orders_its_warps_only() {
    let mut bench = Bench::new();
    bench.store(warp(0, 0, 0), FULL, |lane| lane * 4);
    bench.watch.block_barrier(warp(0, 0, 0), 0, &[FULL, FULL, 0, 0], false);
    bench.load(warp(0, 0, 1), FULL, |lane| lane * 4);
    assert_eq!(bench.races(), 0);
    bench.load(warp(0, 0, 2), FULL, |lane| lane * 4);
    assert_eq!(bench.races(), 32);
}

/// The last block to draw a ticket reads what all the others wrote.
fn ticket(fence: bool) -> usize {
    let mut bench = Bench::new();
    for block in 0..4u64 {
        let who = warp(block, block as u32, 0);
        bench.store(who, 1, |_| A + 64 + block * 4);
        if fence {
            bench.watch.fence(who, 1, MemoryOrder::AcqRel, Scope::Gpu);
        }
        bench.go(who, 1, AccessKind::Atomic, MemoryOrder::Relaxed, |_| A);
    }
    bench.watch.block_barrier(warp(3, 3, 0), 0, &[FULL; 4], false);
    bench.load(warp(3, 3, 0), 0xf, |lane| A + 64 + lane * 4);
    bench.races()
}

#[test]
fn a_ticket_publishes_what_was_written_before_the_fence() {
    assert_eq!(ticket(true), 0);
    assert_eq!(ticket(false), 3, "without the fence three blocks' sums are not ordered");
}

#[test]
fn atomics_race_with_plain_accesses_only() {
    let mut bench = Bench::new();
    for block in 0..3 {
        bench.go(warp(block, block as u32, 0), FULL, AccessKind::Atomic, MemoryOrder::Relaxed, |_| A);
    }
    assert_eq!(bench.races(), 0);
    bench.load(warp(3, 3, 0), 1, |_| A);
    assert_eq!(bench.races(), 1);
}

#[test]
fn a_plain_store_behind_an_atomic_of_its_own_thread_is_still_seen() {
    let mut bench = Bench::new();
    bench.store(warp(0, 0, 0), 1, |_| A);
    bench.go(warp(0, 0, 0), 1, AccessKind::Atomic, MemoryOrder::Relaxed, |_| A);
    bench.go(warp(1, 1, 0), 1, AccessKind::Atomic, MemoryOrder::Relaxed, |_| A);
    assert_eq!(bench.races(), 1, "block 0 clears the sum that block 1 may already have added to");
}

#[test]
fn neighbouring_bytes_are_not_one_word() {
    let mut bench = Bench::new();
    bench.size(warp(0, 0, 0), 1, AccessKind::Store, MemoryOrder::Weak, 1, |_| A);
    bench.size(warp(1, 1, 0), 1, AccessKind::Store, MemoryOrder::Weak, 1, |_| A + 1);
    assert_eq!(bench.races(), 0);
    bench.size(warp(1, 1, 0), 1, AccessKind::Store, MemoryOrder::Weak, 2, |_| A);
    assert_eq!(bench.races(), 1);
}

#[test]
fn a_write_after_many_readers_is_found_whoever_writes() {
    for writer in 0..4 {
        let mut bench = Bench::new();
        for reader in 0..4 {
            bench.load(warp(0, 0, reader), FULL, |_| 0);
        }
        bench.store(warp(0, 0, writer), 1 << 7, |_| 0);
        assert_eq!(bench.races(), 1, "warp {writer}");
    }
}

#[test]
fn launches_are_ordered() {
    let mut bench = Bench::new();
    bench.store(warp(0, 0, 0), 1, |_| A);
    bench.watch.launch_end();
    bench.watch.block_start(warp(0, 0, 0), 128, 0);
    bench.watch.block_start(warp(1, 1, 0), 128, 0);
    bench.load(warp(1, 1, 0), 1, |_| A);
    assert_eq!(bench.races(), 0);
}

#[test]
fn reads_of_what_nothing_wrote() {
    let mut bench = Bench::new();
    bench.watch.poisoned(A + 16, 8);
    bench.load(warp(0, 0, 0), FULL, |lane| A + lane * 4);
    assert_eq!(bench.unwritten, 8);
    bench.store(warp(0, 0, 0), 1, |_| A + 16);
    bench.load(warp(0, 0, 0), FULL, |lane| A + lane * 4);
    assert_eq!(bench.unwritten, 12, "half of it is written now");
    bench.store(warp(0, 0, 0), 1, |_| 64);
    bench.load(warp(0, 0, 0), 3, |lane| 64 + lane * 4);
    assert_eq!(bench.unwritten, 16, "shared memory starts unwritten");
    bench.watch.discarded(warp(0, 0, 0), Space::Global, 0, A + 128, 128);
    bench.load(warp(0, 0, 0), 1, |_| A + 252);
    assert_eq!(bench.unwritten, 20, "what is discarded is gone");
}

#[test]
#[ignore = "long"]
fn a_watch_that_ends_early_says_so() {
    let mut bench = Bench::new();
    let bytes = 4 * super::PUBLISHED as u64 + 4096;
    bench.watch.allocated(A, bytes);
    bench.watch.written(A, bytes);
    let publish = |bench: &mut Bench, rounds: u64| {
        for round in 0..rounds {
            bench.go(warp(0, 0, 0), u32::MAX, AccessKind::Store, MemoryOrder::Release, |lane| {
                A + 4 * (32 * round + lane)
            });
        }
        bench.watch.launch_end()
    };
    assert!(publish(&mut bench, 8), "few addresses are followed to the end");
    assert!(!publish(&mut bench, super::PUBLISHED as u64 / 32 + 1), "more are not");
    assert!(publish(&mut bench, 8), "and the next launch is watched again");
}

#[test]
fn words_that_two_warps_have_read_are_looked_at_again_by_these_two() {
    let mut bench = Bench::new();
    let pair = |lane: u64| lane % 2 * 4;
    bench.store(warp(0, 0, 0), 3, |lane| lane * 4);
    bench.watch.block_barrier(warp(0, 0, 0), 0, &[FULL; 4], false);
    for index in 0..4 {
        bench.load(warp(0, 0, index), FULL, pair);
    }
    // The first warp reads once more, and that is what the store meets.
    bench.load(warp(0, 0, 0), FULL, pair);
    let again = bench.pc;
    bench.load(warp(0, 0, 3), FULL, pair);
    bench.store(warp(0, 0, 2), 1, |_| 4);
    let met: Vec<u32> = bench
        .caught
        .iter()
        .filter_map(|complaint| match complaint {
            Complaint::Race { other_pc, .. } => Some(*other_pc),
            Complaint::Early { .. } => None,
        })
        .collect();
    assert_eq!(met, [again]);
    // Once it is written it is no longer read by two.
    bench.caught.clear();
    bench.load(warp(0, 0, 3), 2, pair);
    assert_eq!(bench.races(), 1);
}
