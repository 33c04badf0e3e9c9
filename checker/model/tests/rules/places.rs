//! Places of global memory to which many go.

use crate::made::{bar, facts, op};
use model::{Bound, Device, Facts, Op, Unit, model};
use simulator::Covered;
use simulator::locality::{Hot, Meeting, Touch};

#[test]
fn loads_past_l1_and_stores_queue_where_all_blocks_go() {
    let device = Device::h200().unwrap();
    let blocks = 1 << 17;
    let l2 = |past_l1: bool, hot: &[Hot]| {
        let load = Op { past_l1, ..op(Unit::Global, 2) };
        let mut facts = facts(vec![load], 1, 8, blocks);
        facts.launches[0].locality.hot = hot.to_vec();
        bar(&facts, Bound::L2, &device)
    };
    let of =
        |store: bool, place: u64, far: [bool; 2]| Hot { file: "k.cu".into(), line: 2, store, place, sectors: 64, far };
    let queue = 64.0 * blocks as f64 * device.memory.place_ns / 1e3;
    let near = |us: f64, expected: f64| assert!((us - expected).abs() < 1e-6 * queue, "{us} us, by hand {expected}");
    near(l2(true, &[of(false, 7, [true; 2])]), queue);
    // What L1 has is asked for once.
    near(l2(false, &[of(false, 7, [true; 2])]), 0.0);
    near(l2(false, &[of(true, 7, [true; 2])]), queue);
    near(l2(true, &[of(true, 7, [true; 2]), of(false, 7, [true, false])]), 1.5 * queue);
    // Two places work side by side.
    near(l2(true, &[of(true, 7, [true; 2]), of(false, 8, [true; 2])]), queue);
}

#[test]
fn blocks_that_wait_for_their_turn_run_one_after_the_other() {
    let device = Device::h200().unwrap();
    let blocks = 1 << 17;
    let latency = |body: Vec<Op>, loops: bool| {
        let mut facts = facts(body, 1, 8, blocks);
        facts.launches[0].locality.turns = vec![("k.cu".into(), 2)];
        if !loops {
            facts.codes[0].blocks[1].next = vec![2];
        }
        bar(&facts, Bound::Latency, &device)
    };
    let load = Op { past_l1: true, ..op(Unit::Global, 2) };
    let turns = device.us(device.latency.l2 * blocks as f64);
    assert!((latency(vec![load], true) / turns - 1.0).abs() < 1e-6);
    // Who looks once waits for nobody, nor does who works in the loop; what L1 has no one else has written.
    let store = Op { loads: false, ..op(Unit::Global, 2) };
    for (body, loops) in [(vec![load], false), (vec![load, store], true), (vec![op(Unit::Global, 2)], true)] {
        assert!(latency(body, loops) < turns / 10.0);
    }
}

/// Blocks of 8 warps whose lanes add each to a float: `own` sectors of a block, of which `new` are new beside its neighbour's, `away`
/// sectors from those of a block a thousand blocks on; lanes of a warp at one address: `together`.
fn adding(own: u64, new: u64, away: u64, together: u64, blocks: u64) -> Facts {
    let mut facts = facts(vec![op(Unit::Reduction, 2)], 1, 8, blocks);
    let launch = &mut facts.launches[0];
    let (file, opcode) = ("k.cu".into(), "red.global.add.f32".into());
    launch.coverage.push(Covered { at: 99, file, line: 2, ptx_line: 0, opcode, warps: 8, parted: 0 });
    let sectors = (256 / together).min(own * 8);
    launch.counters.global_atomics = 256;
    launch.counters.global_atomic_requests = 8;
    launch.counters.global_atomic_sectors = sectors.max(8);
    launch.locality.away = 1000;
    launch.locality.written =
        vec![Touch::default(), Touch { sectors: own, pairs: own, second: own, new, span: own, away }];
    launch.locality.global = Meeting {
        requests: 8,
        lanes: 256,
        serial: 8 * together,
        hottest: together,
        hottest_requests: 1,
        addresses: 256 / together,
        ..Meeting::default()
    };
    if own == 1 && new == 0 && away == 0 {
        let all = &mut launch.locality.global;
        (all.hottest, all.hottest_requests, all.addresses, all.shared) = (256, 8, 1, true);
    }
    facts
}

#[test]
fn atomics_at_one_address_take_turns_and_places_work_side_by_side() {
    let device = Device::h200().unwrap();
    let blocks = 1 << 16;
    let bar = |facts: &Facts| {
        let found = model(facts, &device);
        found.bars.iter().find(|bar| bar.of == Bound::Atomics).map_or(0.0, |bar| bar.us)
    };
    let lanes = 256.0 * f64::from(1 << 16);
    // All to one float: one after the other, as long as the adder takes.
    let one = bar(&adding(1, 0, 0, 32, blocks));
    let expected = lanes * device.memory.same_float_ns / 1e3;
    assert!((one / expected - 1.0).abs() < 0.01, "{one} us, by hand {expected}");
    // Each to an address of its own, in sectors of their own: the rate of all places together.
    let apart = bar(&adding(256, 256, 256 * 1000, 1, blocks));
    let expected = lanes / device.memory.atomics_per_ns / 1e3;
    assert!((apart / expected - 1.0).abs() < 0.02, "{apart} us, by hand {expected}");
    // Keys in order: a block goes to one sector, which is its neighbour's, and all blocks to many; those at work at a time, to as many
    // places as they are blocks times a third of a sector.
    let sorted = bar(&adding(1, 0, 333, 32, blocks));
    let at_work = (132.0 * 8.0 - 1.0) * 0.333 * 32.0 + 32.0;
    let turns = lanes / (at_work / device.memory.place_bytes) * device.memory.place_ns / 1e3;
    assert!((sorted / turns - 1.0).abs() < 0.05, "{sorted} us, by hand {turns}");
    assert!(one > 10.0 * sorted && sorted > 2.0 * apart, "{one} {sorted} {apart}");
}
