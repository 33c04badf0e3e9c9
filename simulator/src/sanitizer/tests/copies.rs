//! Copies by `cp.async`, and barriers that not everybody waits at.

use super::{A, Bench, FULL, warp};
use crate::observe::{AccessKind, Copies, MemoryOrder, Observer, Scope, Space, WarpAccess, WarpId};

impl Bench {
    /// One side of a copy by `cp.async`.
    fn copy(&mut self, who: WarpId, mask: u32, kind: AccessKind, address: impl Fn(u64) -> u64) {
        self.pc += 1;
        let addresses = std::array::from_fn(|lane| address(lane as u64));
        let space = if addresses[0] >= A { Space::Global } else { Space::Shared };
        let access = WarpAccess {
            warp: who,
            pc: self.pc,
            space,
            kind,
            order: MemoryOrder::Weak,
            scope: Scope::Gpu,
            size: 4,
            indivisible: 0,
            mask,
            addresses: &addresses,
            silent: 0,
            copy: true,
            mark: false,
            texture: false,
            named: false,
            group: 0,
            completing: None,
            proxy: false,
            reserved: false,
            home: who.slot,
        };
        let caught = &mut self.caught;
        self.watch.access(&access, &mut |complaint| caught.push(complaint));
    }
}

#[test]
fn a_copy_is_done_when_its_thread_has_waited() {
    let who = warp(0, 0, 0);
    let mut bench = Bench::new();
    bench.copy(who, FULL, AccessKind::Store, |lane| lane * 4);
    bench.load(who, FULL, |lane| lane * 4);
    assert_eq!(bench.races(), 32, "not even its own thread may read before");

    let mut bench = Bench::new();
    bench.copy(who, FULL, AccessKind::Store, |lane| lane * 4);
    bench.watch.commit(who, FULL, Copies::Plain);
    bench.copy(who, FULL, AccessKind::Store, |lane| 128 + lane * 4);
    bench.watch.commit(who, FULL, Copies::Plain);
    bench.watch.wait(who, FULL, Copies::Plain, Some(1));
    bench.load(who, FULL, |lane| lane * 4);
    assert_eq!(bench.races(), 0);
    bench.load(who, 1, |_| 128);
    assert_eq!(bench.races(), 1, "the newest group is still under way");

    bench.watch.wait(who, FULL, Copies::Plain, None);
    bench.load(warp(0, 0, 1), 1, |_| 8);
    assert_eq!(bench.races(), 2, "another warp needs a barrier after the wait");
    bench.watch.block_barrier(who, 0, &[FULL; 4], false);
    bench.load(warp(0, 0, 2), FULL, |lane| lane * 4);
    assert_eq!(bench.races(), 2);
}

#[test]
fn what_a_copy_reads_stays_until_it_is_done() {
    let mut bench = Bench::new();
    let who = warp(0, 0, 0);
    bench.copy(who, 1, AccessKind::Load, |_| A);
    bench.store(who, 1, |_| A);
    assert_eq!(bench.races(), 1);
}

#[test]
fn who_arrives_without_waiting_publishes_and_learns_nothing() {
    let mut bench = Bench::new();
    let (producer, consumer) = (warp(0, 0, 0), warp(0, 0, 1));
    bench.store(producer, FULL, |lane| lane * 4);
    bench.watch.arrive(producer, 1, FULL);
    bench.store(producer, FULL, |lane| 128 + lane * 4);
    bench.watch.block_barrier(consumer, 1, &[0, FULL, 0, 0], true);
    bench.load(consumer, FULL, |lane| lane * 4);
    assert_eq!(bench.races(), 0);
    bench.load(consumer, FULL, |lane| 128 + lane * 4);
    assert_eq!(bench.races(), 32, "what came after the arrival");
}

#[test]
fn a_counted_barrier_does_not_count_those_that_exited() {
    let mut bench = Bench::new();
    bench.store(warp(0, 0, 0), FULL, |lane| lane * 4);
    bench.watch.exit(warp(0, 0, 0), FULL);
    bench.watch.block_barrier(warp(0, 0, 1), 1, &[0, FULL, FULL, FULL], true);
    bench.load(warp(0, 0, 1), FULL, |lane| lane * 4);
    assert_eq!(bench.races(), 32);
}
