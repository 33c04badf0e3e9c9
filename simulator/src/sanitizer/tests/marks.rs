//! Accesses that are more than a load, a store or an atomic: cached reads, first guesses, updates, unused results.

use super::{A, Bench, FULL, warp};
use crate::observe::{AccessKind, Complaint, MemoryOrder, Observer, PERHAPS};

const ONE: u32 = 1;

fn add(bench: &mut Bench, block: u64) {
    bench.go(warp(block, block as u32, 0), ONE, AccessKind::Atomic, MemoryOrder::Relaxed, |_| A);
}

#[test]
fn who_adds_knows_nothing_of_those_who_added_before() {
    for asks in [true, false] {
        let mut bench = Bench::new();
        bench.mark = Some(asks);
        (0..3).for_each(|block| add(&mut bench, block));
        bench.mark = Some(false);
        bench.load(warp(2, 2, 0), ONE, |_| A);
        assert_eq!(bench.races(), 1, "a plain read after its own atomic, asks: {asks}");
        bench.store(warp(2, 2, 0), ONE, |_| A);
        assert_eq!(bench.races(), if asks { 1 } else { 2 }, "a plain write after its own atomic, asks: {asks}");
    }
}

#[test]
fn the_writers_remembered_are_of_different_blocks_and_threads() {
    // The reader's own block has added last, twice; behind its barrier only another block's atomic is unordered.
    let mut bench = Bench::new();
    add(&mut bench, 1);
    bench.go(warp(0, 0, 0), ONE, AccessKind::Atomic, MemoryOrder::Relaxed, |_| A);
    bench.go(warp(0, 0, 1), ONE, AccessKind::Atomic, MemoryOrder::Relaxed, |_| A);
    bench.watch.block_barrier(warp(0, 0, 0), 0, &[FULL; 4], false);
    bench.load(warp(0, 0, 2), ONE, |_| A);
    assert_eq!(bench.races(), 1);
}

#[test]
fn a_cached_read_meets_no_write_of_the_launch() {
    // After and before, by the same thread and behind a barrier.
    for (writer, barrier) in [(0, false), (1, true)] {
        let mut bench = Bench::new();
        let read = |bench: &mut Bench| {
            bench.mark = Some(true);
            bench.load(warp(0, 0, 0), FULL, |lane| A + lane * 4);
            bench.mark = None;
        };
        read(&mut bench);
        assert_eq!(bench.races(), 0);
        if barrier {
            bench.watch.block_barrier(warp(0, 0, 0), 0, &[FULL; 4], false);
        }
        bench.store(warp(0, 0, writer), ONE, |_| A);
        assert_eq!(bench.races(), 1, "a write after it");
        if barrier {
            bench.watch.block_barrier(warp(0, 0, 0), 0, &[FULL; 4], false);
        }
        read(&mut bench);
        assert_eq!(bench.races(), 2, "it after a write");
        bench.watch.launch_end();
        (0..4).for_each(|block| bench.watch.block_start(warp(block, block as u32, 0), 128, 1024));
        read(&mut bench);
        assert_eq!(bench.races(), 2, "in the next launch");
    }
}

#[test]
fn what_a_texture_has_read_may_be_written_later() {
    let mut bench = Bench::new();
    let read = |bench: &mut Bench, warps: u32| {
        (bench.mark, bench.texture) = (Some(true), true);
        bench.load(warp(0, 0, warps), FULL, |lane| A + lane * 4);
        (bench.mark, bench.texture) = (None, false);
    };
    read(&mut bench, 0);
    bench.store(warp(0, 0, 0), ONE, |_| A);
    assert_eq!(bench.races(), 0, "by its own thread");
    read(&mut bench, 0);
    assert_eq!(bench.races(), 1, "which then cannot read it");
    let mut bench = Bench::new();
    read(&mut bench, 0);
    bench.store(warp(0, 0, 1), ONE, |_| A);
    assert_eq!(bench.races(), 1, "by another thread, unordered");
    let mut bench = Bench::new();
    read(&mut bench, 0);
    bench.watch.block_barrier(warp(0, 0, 0), 0, &[FULL; 4], false);
    bench.store(warp(0, 0, 1), ONE, |_| A);
    assert_eq!(bench.races(), 0, "behind a barrier");
    bench.watch.block_barrier(warp(0, 0, 0), 0, &[FULL; 4], false);
    read(&mut bench, 2);
    assert_eq!(bench.races(), 1, "a barrier does not help who reads");
}

#[test]
fn a_first_guess_is_excused_once_its_atomic_has_run() {
    for ran in [true, false] {
        let mut bench = Bench::new();
        add(&mut bench, 0);
        if ran {
            bench.group = 1;
            add(&mut bench, 1);
        }
        bench.group = 1;
        bench.go(warp(2, 2, 0), ONE, AccessKind::Load, MemoryOrder::Checked, |_| A);
        bench.group = 0;
        assert_eq!(bench.races() == 0, ran);
        add(&mut bench, 3);
        assert_eq!(bench.races(), if ran { 0 } else { 2 }, "nor is it for those who write later");
    }
}

/// A load of which the text does not say that it has its atomic's address: the threads' addresses do.
#[test]
fn a_guess_is_known_by_what_its_thread_gives_the_atomic() {
    for (given, right) in [(A, true), (A + 4, false)] {
        let mut bench = Bench::new();
        (bench.group, bench.pc) = (1, 7);
        add(&mut bench, 0);
        (bench.group, bench.pc) = (PERHAPS, 4);
        bench.go(warp(2, 2, 0), ONE, AccessKind::Load, MemoryOrder::Checked, |_| A);
        let doubt = |complaint: &Complaint| matches!(complaint, Complaint::Race { guess: Some(5), .. });
        assert_eq!((bench.races(), bench.caught.iter().filter(|found| doubt(found)).count()), (1, 1));
        // Another thread's atomic on the same word says nothing of this one.
        (bench.group, bench.pc) = (1, 7);
        add(&mut bench, 3);
        assert!(!bench.watch.corrected(5));
        bench.go(warp(2, 2, 0), ONE, AccessKind::Atomic, MemoryOrder::Relaxed, |_| given);
        assert_eq!(bench.watch.corrected(5), right, "{given:#x}");
        let before = bench.races();
        (bench.group, bench.pc) = (PERHAPS, 4);
        bench.go(warp(1, 1, 0), ONE, AccessKind::Load, MemoryOrder::Checked, |_| A);
        assert_eq!(bench.races() == before, right, "from then on it needs no doubt");
    }
}

#[test]
fn the_systems_own_memory_is_its_own_affair() {
    for reserved in [true, false] {
        let mut bench = Bench::new();
        bench.reserved = reserved;
        bench.store(warp(0, 0, 0), ONE, |_| 128);
        bench.load(warp(0, 0, 1), ONE, |_| 128);
        assert_eq!(bench.races(), usize::from(!reserved));
    }
}

#[test]
fn an_update_by_two_threads_loses_one() {
    for update in [true, false] {
        let mut bench = Bench::new();
        for block in 0..2 {
            let who = warp(block, block as u32, 0);
            bench.go(who, ONE, AccessKind::Load, MemoryOrder::Volatile, |_| A);
            bench.mark = Some(update);
            bench.go(who, ONE, AccessKind::Store, MemoryOrder::Volatile, |_| A);
            bench.mark = None;
        }
        assert_eq!(bench.races(), usize::from(update));
    }
}

#[test]
fn the_same_value_twice_is_told_once_and_as_such() {
    let mut bench = Bench::new();
    bench.store(warp(0, 0, 0), ONE, |_| A);
    for block in 1..4 {
        bench.silent = FULL;
        bench.pc = 7;
        bench.store(warp(block, block as u32, 0), ONE, |_| A);
    }
    let same = |complaint: &Complaint| matches!(complaint, Complaint::Race { same_value: true, .. });
    // The first pair of instructions, and the second with itself.
    assert_eq!(bench.caught.iter().filter(|complaint| same(complaint)).count(), 2, "{:?}", bench.caught);
    assert_eq!(bench.races(), 2);
    bench.silent = 0;
    bench.store(warp(0, 0, 0), ONE, |_| A);
    assert_eq!(bench.caught.iter().filter(|complaint| same(complaint)).count(), 2, "another value is a mistake");
    assert_eq!(bench.races(), 3);
}
