use super::stack::Stack;
use super::*;
use crate::observe::{AccessKind, MemoryOrder, Scope, Space, WarpAccess, WarpId};

const NONE: [MemoryRegion; 0] = [];

fn fold(warps: [u32; 2], regions: &[MemoryRegion]) -> Fold {
    let mut fold = Fold::new(LocalityRequest { block: 0, far: Some(9), regions: regions.to_vec() });
    (0..2).for_each(|block| fold.begin(block, warps[block as usize]));
    fold
}

/// Lanes from the first on access 4 bytes each.
fn access(fold: &mut Fold, (block, warp): (u64, u32), kind: AccessKind, space: Space, to: &[u64]) {
    let mut addresses = [0; 32];
    addresses[..to.len()].copy_from_slice(to);
    let mask = (1u64 << to.len()).wrapping_sub(1) as u32;
    fold.access(&WarpAccess { space, mask, ..one(WarpId { block, slot: 0, warp }, kind, &addresses) });
}

/// Of the first lane, to global memory.
fn one(warp: WarpId, kind: AccessKind, addresses: &[u64; 32]) -> WarpAccess<'_> {
    WarpAccess {
        warp,
        pc: 0,
        space: Space::Global,
        kind,
        order: MemoryOrder::Weak,
        scope: Scope::Sys,
        size: 4,
        indivisible: 0,
        mask: 1,
        addresses,
        silent: 0,
        copy: false,
        mark: false,
        texture: false,
        named: false,
        group: 0,
        completing: None,
        proxy: false,
        reserved: false,
        home: 0,
    }
}

fn row(base: u64) -> Vec<u64> {
    (0..32).map(|lane| base + 4 * lane).collect()
}

fn finish(fold: Fold) -> Locality {
    fold.finish(|pc| ("k.cu".into(), pc))
}

#[test]
fn what_was_used_longest_ago_is_forgotten() {
    let mut fold = fold([1, 0], &[MemoryRegion { base: 0, bytes: 8192 }]);
    // 64 lines of 128 bytes, twice: more than 4 KiB, no more than 8.
    for line in (0..2).flat_map(|_| 0..64) {
        access(&mut fold, (0, 0), AccessKind::Load, Space::Global, &row(line * 128));
    }
    let found = finish(fold);
    assert_eq!((found.requested, found.lines), (512, 128));
    assert_eq!(found.missed, [512, 256, 256, 256, 256, 256]);
    assert_eq!(found.read[0], Touch { sectors: 256, pairs: 128, second: 0, new: 0, span: 256, away: 0 });
}

/// The list with marks against a list for each cache.
#[test]
fn one_list_does_for_caches_of_all_sizes() {
    let mut stack = Stack::new();
    let mut plain: [Vec<(u64, u8)>; CAPACITIES.len()] = Default::default();
    let mut state = 3u64;
    for turn in 1..60_000u32 {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        // Now few lines again and again, now many.
        let span = [20, 300, 5000][(turn / 5000) as usize % 3];
        let (line, sectors) = ((state >> 33) % span, (state >> 60) as u8 | 1);
        let found = stack.access(line, sectors, turn);
        for (at, cache) in plain.iter_mut().enumerate() {
            let there = match cache.iter().position(|(known, _)| *known == line) {
                Some(place) => cache.remove(place).1,
                None => 0,
            };
            assert_eq!(found.missed[at], sectors & !there, "turn {turn}, cache {at}");
            cache.push((line, there | sectors));
            if cache.len() as u64 > CAPACITIES[at] / 128 {
                cache.remove(0);
            }
        }
    }
}

#[test]
fn warps_take_turns_and_a_column_shares_its_sectors() {
    // Each warp walks along a row of its own, a word at a time: 8 words a sector, all of them in turn.
    let mut fold = fold([2, 0], &NONE);
    for (warp, k) in (0..2).flat_map(|warp| (0..32).map(move |k| (warp, k))) {
        access(&mut fold, (0, warp), AccessKind::Load, Space::Global, &[u64::from(warp) * 4096 + 4 * k]);
    }
    let found = finish(fold);
    assert_eq!((found.requested, found.missed[0]), (64, 8));
    // The one that follows at once finds its word under way.
    assert_eq!(found.late[0], 16);
    assert_eq!((found.places.len(), found.places[0].requests, found.places[0].late[0]), (1, 64, 16));
}

#[test]
fn what_the_next_block_touches_first_and_where_atomics_meet() {
    let mut fold = fold([1, 1], &[MemoryRegion { base: 1024, bytes: 4096 }]);
    access(&mut fold, (0, 0), AccessKind::Load, Space::Global, &row(1024));
    access(&mut fold, (1, 0), AccessKind::Load, Space::Global, &row(1024 + 64));
    // Another block than those two.
    access(&mut fold, (2, 0), AccessKind::Load, Space::Global, &row(2048));
    for block in 0..2 {
        access(&mut fold, (block, 0), AccessKind::Atomic, Space::Global, &[2048, 2048, 2052]);
    }
    let found = finish(fold);
    assert_eq!(found.read[0], Touch { sectors: 4, pairs: 2, second: 4, new: 2, span: 4, away: 0 });
    let expected = Meeting {
        requests: 1,
        lanes: 3,
        serial: 2,
        hottest: 2,
        hottest_requests: 1,
        addresses: 2,
        shared: true,
        ..Meeting::default()
    };
    assert_eq!((found.global, found.shared), (expected, Meeting::default()));
}

/// An address that all blocks share, one that every second has, and addresses that neighbours share.
#[test]
fn where_a_block_far_away_goes_all_may_go() {
    let far = |first: u64, second: u64, far: u64| {
        let mut fold = fold([1, 1], &NONE);
        for (block, at) in [(0, first), (1, second), (9, far)] {
            access(&mut fold, (block, 0), AccessKind::Atomic, Space::Global, &[at, at, at + 64 * (block + 1)]);
        }
        let found = finish(fold).global;
        (found.shared, found.far)
    };
    assert_eq!(far(4096, 4096, 4096), (true, [true, true]));
    assert_eq!(far(4096, 8192, 8192), (false, [false, true]));
    assert_eq!(far(4096, 8192, 4096), (false, [true, false]));
    assert_eq!(far(4096, 4096, 8192), (true, [false, false]));
}

#[test]
fn shared_atomics_meet_in_banks() {
    let mut fold = fold([1, 1], &[]);
    // Bank 0: two lanes at one place, one at another; bank 1: one lane.
    access(&mut fold, (0, 0), AccessKind::Atomic, Space::Shared, &[0, 0, 128, 4]);
    access(&mut fold, (0, 0), AccessKind::Atomic, Space::Shared, &[8, 8]);
    let found = finish(fold).shared;
    assert_eq!((found.requests, found.serial, found.in_bank, found.places_in_bank), (2, 4, 5, 3));
}

#[test]
fn how_far_from_each_other_blocks_far_apart_begin() {
    let mut fold = fold([1, 1], &[MemoryRegion { base: 0, bytes: 256 }, MemoryRegion { base: 1024, bytes: 1 << 20 }]);
    for (block, at) in [(0, 1056), (1, 1056), (9, 1184), (9, 4096)] {
        access(&mut fold, (block, 0), AccessKind::Load, Space::Global, &row(at));
        access(&mut fold, (block, 0), AccessKind::Atomic, Space::Global, &[64, 1024 + 2 * (at - 1024)]);
    }
    let found = finish(fold);
    // The lowest sectors: 33 and 37 for loads; what all write alike is nowhere else.
    assert_eq!(found.away, 9);
    assert_eq!((found.read[0].away, found.read[1].away), (0, 4));
    assert_eq!((found.written[0].away, found.written[1].away), (0, 0));
    let mut fold = self::fold([1, 1], &[MemoryRegion { base: 1024, bytes: 1 << 20 }]);
    for (block, at) in [(0, 1056), (9, 1184)] {
        access(&mut fold, (block, 0), AccessKind::Store, Space::Global, &row(at));
    }
    assert_eq!(finish(fold).written[0].away, 4);
}

#[test]
fn the_slowest_warp_between_barriers_is_waited_for() {
    let mut fold = fold([2, 0], &NONE);
    for (warp, instructions) in [(0, 30), (1, 10)] {
        fold.ran(0, warp, instructions);
    }
    fold.barrier(0, &[u32::MAX, u32::MAX]);
    for (warp, instructions) in [(0, 10), (1, 30)] {
        fold.ran(0, warp, instructions);
    }
    // 60 instructions one after the other; a warp has 40 on average.
    assert_eq!(finish(fold).path, 1.5);
}

#[test]
fn what_a_far_block_loads_too_is_there_already() {
    let table = |fold: &mut Fold, block: u64| {
        for line in 0..4 {
            access(fold, (block, 0), AccessKind::Load, Space::Global, &row(128 * line));
        }
    };
    let mut apart = fold([1, 0], &NONE);
    table(&mut apart, 0);
    assert_eq!(finish(apart).missed, [16; 6]);
    let mut together = fold([1, 0], &NONE);
    table(&mut together, 9);
    table(&mut together, 0);
    // Its own part, too.
    access(&mut together, (0, 0), AccessKind::Load, Space::Global, &row(1 << 20));
    let found = finish(together);
    assert_eq!((found.requested, found.missed, found.late), (20, [4; 6], [4; 6]));
    // More than half of a cache does not stay in it.
    let mut large = fold([1, 0], &NONE);
    for block in [9, 0] {
        (0..20).for_each(|line| access(&mut large, (block, 0), AccessKind::Load, Space::Global, &row(128 * line)));
    }
    assert_eq!(finish(large).missed, [80, 0, 0, 0, 0, 0]);
}

#[test]
fn stores_that_follow_each_other_and_what_requests_take_of_the_cache() {
    let region = MemoryRegion { base: 0, bytes: 1 << 16 };
    let mut fold = fold([1, 0], &[region]);
    let apart = |stride: u64, first: u64| (0..32).map(|lane| first + stride * lane).collect::<Vec<u64>>();
    // Six fields of structures of 24 bytes: 24 sectors in six lines, two words in a bank.
    for field in 0..6 {
        access(&mut fold, (0, 0), AccessKind::Store, Space::Global, &apart(24, 4 * field));
    }
    // What lies between ends it; the next one is a first one, too.
    access(&mut fold, (0, 0), AccessKind::Load, Space::Global, &row(32768));
    access(&mut fold, (0, 0), AccessKind::Store, Space::Global, &apart(32, 0));
    access(&mut fold, (0, 0), AccessKind::Store, Space::Global, &apart(32, 4));
    // More lines than any class has, though it follows.
    access(&mut fold, (0, 0), AccessKind::Store, Space::Global, &apart(1024, 0));
    access(&mut fold, (0, 0), AccessKind::Store, Space::Local, &[0, 0, 4]);
    let found = finish(fold);
    assert_eq!(found.joined, [0, 5 * 24, 32, 0, 0]);
    assert_eq!((found.store_lines, found.store_sectors), (6 * 6 + 2 * 8 + 32, 6 * 24 + 2 * 32 + 32));
    // Three for each of six lines, one for the row, eight for four banks, all of them for one bank.
    assert_eq!((found.requests, found.wavefronts), (10, 6 * 3 + 1 + 2 * 8 + 32));
    assert_eq!(found.local_words, 3);
    assert_eq!(found.written[0].span, 31 * 1024 / 32 + 1);
}

#[test]
fn prefetches_move_what_nobody_loads() {
    let region = [MemoryRegion { base: 0, bytes: 1 << 20 }];
    let mut fold = fold([2, 0], &region);
    let far_apart: [u64; 32] = std::array::from_fn(|lane| 4096 * (lane as u64 + 1));
    let own: [u64; 32] = std::array::from_fn(|lane| 4 * lane as u64);
    let of = |warp| WarpId { block: 0, slot: 0, warp };
    fold.prefetched(of(0), u32::MAX, &own, &[1; 32]);
    fold.prefetched(of(0), 0xffff, &far_apart, &[1; 32]);
    access(&mut fold, (0, 1), AccessKind::Load, Space::Global, &row(0));
    let found = finish(fold);
    assert_eq!((found.prefetched, found.requested), (16, 4), "what the block loads itself comes once");
    assert_eq!(found.missed, [4; 6], "and is in no first-level cache before");
    assert_eq!((found.read[0].sectors, found.lines, found.requests), (20, 18, 1));
    assert_eq!(found.read[0].pairs, 2 + 8, "they are no scattered loads");
}

#[test]
fn prefetches_of_many_bytes_move_all_of_them() {
    let region = [MemoryRegion { base: 0, bytes: 1 << 30 }];
    let of = |warp| WarpId { block: 0, slot: 0, warp };
    let mut bulk = fold([1, 0], &region);
    bulk.prefetched(of(0), 1, &[4096; 32], &[65536; 32]);
    let found = finish(bulk);
    assert_eq!((found.prefetched, found.read[0].sectors, found.lines), (2048, 2048, 512));
    // More than is kept is traffic all the same.
    let mut large = fold([1, 0], &region);
    large.prefetched(of(0), 3, &[0; 32], &[1 << 24; 32]);
    let found = finish(large);
    assert_eq!((found.prefetched, found.cut), (1 << 20, true));
}

#[test]
fn places_that_all_blocks_go_to_are_hot() {
    let mut fold = fold([2, 1], &NONE);
    for (block, base) in [(0, 0), (1, 4096), (9, 1 << 20)] {
        for _ in 0..3 {
            // Two sectors of one place, and what only its block has.
            access(&mut fold, (block, 0), AccessKind::Load, Space::Global, &[512, 544, 1 << 30]);
            access(&mut fold, (block, 0), AccessKind::Store, Space::Global, &[base + (1 << 24)]);
        }
        access(&mut fold, (block, 0), AccessKind::Load, Space::Shared, &[512]);
    }
    let hot = Hot { file: "k.cu".into(), line: 0, store: false, place: 1, sectors: 6, far: [true, true] };
    assert_eq!(finish(fold).hot, [hot]);
}

#[test]
fn who_looks_at_a_word_before_writing_it_waits_for_its_turn() {
    let of = |kinds: &[AccessKind], order: MemoryOrder| {
        let mut fold = fold([1, 1], &NONE);
        for block in [0, 1, 9] {
            for (pc, kind) in kinds.iter().enumerate() {
                let warp = WarpId { block, slot: 0, warp: 0 };
                fold.access(&WarpAccess { pc: pc as u32, order, ..one(warp, *kind, &[4096; 32]) });
            }
        }
        finish(fold).turns
    };
    let (load, store, atomic) = (AccessKind::Load, AccessKind::Store, AccessKind::Atomic);
    let turn = [("k.cu".to_owned(), 0)];
    assert_eq!(of(&[load, store], MemoryOrder::Volatile), turn);
    assert_eq!(of(&[load, load, atomic], MemoryOrder::Acquire), turn);
    // Who arrives first is at a barrier of the grid.
    assert_eq!(of(&[atomic, load, atomic], MemoryOrder::Relaxed), []);
    assert_eq!(of(&[load], MemoryOrder::Volatile), []);
    assert_eq!(of(&[load, store], MemoryOrder::Weak), []);
}
