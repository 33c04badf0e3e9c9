//! What instructions of single units cost.

use crate::made::{bar, facts, of_unit, op, us};
use model::{Bound, Device, Op, SharedAtomic, Unit};
use simulator::locality::Meeting;

/// ex21 on an H200: 32 different values keep a multiprocessor for 60 cycles, 8 for 11, and 2 cost nothing beside what a vote costs.
#[test]
fn a_match_costs_what_it_finds_different_values() {
    let cycles = |values: u64| {
        let mut facts = of_unit(Unit::Match, 8);
        facts.launches[0].counters.match_values = 8 * 8 * values;
        us(&facts) * 1980.0 / (2048.0 * 8.0 * 8.0)
    };
    assert!((cycles(32) / 61.0 - 1.0).abs() < 0.1, "{}", cycles(32));
    assert!((11.0..14.5).contains(&cycles(8)), "{}", cycles(8));
    assert!(cycles(2) < 3.0, "{}", cycles(2));
}

/// The same of barrier objects in shared memory and of groups of copies: 3.2 and 4.4 cycles; 2.7 for the two that close one and wait.
#[test]
fn who_waits_for_nothing_takes_its_time_all_the_same() {
    let cycles = |unit: Unit| us(&of_unit(unit, 16)) * 1980.0 / (2048.0 * 8.0 * 16.0);
    assert!((3.2..4.4).contains(&cycles(Unit::Arrival)), "{}", cycles(Unit::Arrival));
    assert!((1.2..1.7).contains(&cycles(Unit::Group)), "{}", cycles(Unit::Group));
}

/// 67 TFLOP/s of an H200's data sheet.
#[test]
fn products_of_doubles_take_what_there_is_to_multiply() {
    let device = Device::h200().unwrap();
    let of = |products: u32| {
        let mut facts = of_unit(Unit::Tensor, 16);
        facts.codes[0].blocks.iter_mut().flat_map(|block| &mut block.ops).for_each(|op| op.double_products = products);
        bar(&facts, Bound::Tensor, &device)
    };
    let operations = 2.0 * 2048.0 * 16.0 * 8.0 * 2048.0 * 132.0;
    let rate = operations / of(2048) / 1e6;
    assert!((rate / 67.0 - 1.0).abs() < 0.01, "{rate} TFLOP/s");
    // The smallest shape takes as long as one of halves.
    assert_eq!(of(256), of(0));
}

#[test]
fn shared_memory_and_the_l1_cache_take_turns() {
    let device = Device::h200().unwrap();
    let with = |wavefronts: u64| {
        let mut facts = facts(vec![op(Unit::Shared, 2)], 1, 8, 132 * 64);
        let launch = &mut facts.launches[0];
        launch.counters.shared_load_requests = 8;
        launch.counters.shared_load_wavefronts = 80;
        launch.counters.global_load_requests = wavefronts;
        (launch.locality.requests, launch.locality.wavefronts) = (wavefronts, wavefronts);
        facts
    };
    let alone = bar(&with(0), Bound::Shared, &device);
    assert!((bar(&with(40), Bound::Shared, &device) / alone - 1.5).abs() < 0.01);
    assert!((bar(&with(160), Bound::L1, &device) / alone - 3.0).abs() < 0.01);
    // The assembler makes one load of four: each takes as many wavefronts as one took before.
    let mut merged = with(0);
    merged.launches[0].counters.shared_load_requests = 32;
    merged.launches[0].counters.shared_load_wavefronts = 320;
    assert!((bar(&merged, Bound::Shared, &device) / alone - 1.0).abs() < 0.01);
}

#[test]
fn words_of_constant_memory_come_one_after_the_other() {
    let device = Device::h200().unwrap();
    let blocks = 132 * 64;
    let loading = |words: u64| {
        let mut facts = facts(vec![op(Unit::Constant, 2)], 1, 8, blocks);
        let counters = &mut facts.launches[0].counters;
        (counters.constant_loads, counters.constant_load_wavefronts) = (100, 100 * words);
        facts
    };
    let one = bar(&loading(1), Bound::Constant, &device);
    let expected = device.us(100.0 * device.memory.constant_word * 64.5);
    assert!((one / expected - 1.0).abs() < 0.01, "{one} us, by hand {expected}");
    let all = bar(&loading(32), Bound::Constant, &device);
    assert!((all / one - 32.0).abs() < 0.1, "{all} {one}");
    assert!(us(&loading(32)) > 10.0 * us(&loading(1)));
}

#[test]
fn shared_atomics_that_meet_cost_what_their_instruction_makes_of_it() {
    let device = Device::h200().unwrap();
    // All lanes of eight requests go to one address.
    let adding = |kind: SharedAtomic| {
        let mut facts = facts(vec![Op { shared_atomic: Some(kind), ..op(Unit::Shared, 2) }], 1, 8, 132 * 64);
        let launch = &mut facts.launches[0];
        (launch.counters.shared_atomics, launch.counters.shared_atomic_requests) = (256, 8);
        launch.locality.shared =
            Meeting { requests: 8, lanes: 256, serial: 256, in_bank: 256, places_in_bank: 8, ..Meeting::default() };
        bar(&facts, Bound::Shared, &device)
    };
    let count = adding(SharedAtomic::Counts);
    assert!((count / device.us(8.0 * 64.5) - 1.0).abs() < 0.01, "{count}");
    let serves = adding(SharedAtomic::Serves) / count;
    assert!((serves - 32.0).abs() < 0.1, "{serves}");
    let retries = adding(SharedAtomic::Retries) / count;
    assert!((retries - (1.0 + 31.0 * device.memory.same_shared_address)).abs() < 0.5, "{retries}");
}
