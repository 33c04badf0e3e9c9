//! Atomics and volatile accesses that order nothing by themselves.

use super::{A, Bench, FULL, warp};
use crate::observe::{AccessKind, MemoryOrder, Observer, Scope};

#[test]
fn who_draws_the_last_ticket_may_set_it_back() {
    let mut bench = Bench::new();
    for block in 0..4 {
        bench.go(warp(block, block as u32, 0), 1, AccessKind::Atomic, MemoryOrder::Relaxed, |_| A);
    }
    bench.store(warp(3, 3, 0), 1, |_| A);
    assert_eq!(bench.races(), 0, "its atomic has observed the others");
    bench.store(warp(0, 0, 0), 1, |_| A);
    assert_eq!(bench.races(), 1, "who drew an earlier one has not");
}

#[test]
fn a_plain_write_before_an_atomic_of_its_warp_is_seen_by_other_warps() {
    let mut bench = Bench::new();
    bench.store(warp(0, 0, 0), 1, |_| 0);
    bench.watch.warp_barrier(warp(0, 0, 0), FULL);
    bench.go(warp(0, 0, 0), 2, AccessKind::Atomic, MemoryOrder::Relaxed, |_| 0);
    bench.go(warp(0, 0, 1), 1, AccessKind::Atomic, MemoryOrder::Relaxed, |_| 0);
    assert_eq!(bench.races(), 1);
}

#[test]
fn fences_before_a_syncwarp_are_handed_on() {
    for fence in [true, false] {
        let mut bench = Bench::new();
        let (writer, reader) = (warp(0, 0, 0), warp(0, 0, 1));
        bench.store(writer, FULL, |lane| lane * 4);
        if fence {
            bench.watch.fence(writer, FULL, MemoryOrder::AcqRel, Scope::Cta);
        }
        bench.watch.warp_barrier(writer, FULL);
        bench.go(writer, 1, AccessKind::Store, MemoryOrder::Volatile, |_| 512);
        bench.go(reader, 1, AccessKind::Load, MemoryOrder::Volatile, |_| 512);
        bench.watch.warp_barrier(reader, FULL);
        bench.load(reader, FULL, |lane| 124 - lane * 4);
        assert_eq!(bench.races() == 0, fence, "{:?}", bench.caught);
    }
}

#[test]
fn a_lone_volatile_flag_is_no_race_and_two_are() {
    let flag = |bench: &mut Bench, address: u64| {
        bench.go(warp(0, 0, 0), 1, AccessKind::Store, MemoryOrder::Volatile, |_| address);
    };
    let poll = |bench: &mut Bench, address: u64| {
        bench.go(warp(1, 1, 0), 1, AccessKind::Load, MemoryOrder::Volatile, |_| address);
    };
    let mut bench = Bench::new();
    flag(&mut bench, A);
    poll(&mut bench, A);
    assert_eq!(bench.races(), 0);
    flag(&mut bench, A + 64);
    poll(&mut bench, A + 64);
    assert_eq!(bench.races(), 1, "somebody may count on the order of the two");
}
