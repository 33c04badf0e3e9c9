//! How long a warp takes that waits, alone and among others.

use crate::made::{bar, facts, op, us};
use model::chain::{Lone, Waits, Why};
use model::timeline::{State, Timeline, Turn};
use model::{Bound, Device, Facts, FenceScope, Op, Unit};

/// Blocks of eight warps, one of which comes to a branch with `body`, in no loop or in one of so many turns.
fn of_one_warp(body: Vec<Op>, turns: u64) -> Facts {
    let mut facts = facts(body, 1, 8, 132 * 64);
    facts.codes[0].blocks[0].next = vec![1, 2];
    if turns == 1 {
        facts.codes[0].blocks[1].next = vec![2];
    }
    let covered = facts.launches[0].coverage.iter_mut().filter(|covered| covered.line == 2);
    covered.for_each(|covered| covered.warps = turns);
    facts
}

#[test]
fn a_block_lasts_as_long_as_the_warp_that_pauses_longest() {
    let device = Device::h200().unwrap();
    let pause = Op { pause: 4000, ..op(Unit::Other, 2) };
    let body = |last: Op| vec![op(Unit::Alu, 2), last];
    let rounds = 64.5 / 8.0;
    for turns in [1, 10] {
        let [without, with] =
            [op(Unit::Other, 2), pause].map(|last| bar(&of_one_warp(body(last), turns), Bound::Latency, &device));
        let expected = 4.0 * rounds * turns as f64;
        assert!(((with - without) / expected - 1.0).abs() < 0.02, "{turns}: {} us, by hand {expected}", with - without);
    }
    // All of them at once take no longer than one.
    let mut all = of_one_warp(body(pause), 1);
    all.launches[0].coverage.iter_mut().for_each(|covered| covered.warps = 8);
    let one = of_one_warp(body(pause), 1);
    let [all, one] = [all, one].map(|facts| bar(&facts, Bound::Latency, &device));
    assert!((all / one - 1.0).abs() < 0.02, "{all} and {one} us");
}

/// A chain of dependent operations that issue every `stall` cycles, `chains` of them in turn.
fn chains(chains: u8) -> Vec<Op> {
    let stall = 4u8.div_ceil(chains).max(1);
    // So many that the jump back is little.
    (0..128).map(|_| Op { stall, ..op(Unit::Fma, 2) }).collect()
}

#[test]
fn the_rule_of_independent_work() {
    // Alone on its scheduler a warp with one chain reaches a quarter of what four chains do; with 16 warps chains are nothing.
    let time = |warps: u64, n: u8| us(&facts(chains(n), 20_000, warps, 132)) - us(&facts(chains(n), 1, warps, 132));
    let rate = |warps: u64, n: u8| warps as f64 / time(warps, n);
    let few = rate(4, 4) / rate(4, 1);
    assert!((3.5..4.5).contains(&few), "{few}");
    let many = rate(32, 4) / rate(32, 1);
    assert!((0.95..1.25).contains(&many), "{many}");
    // A quarter of the warps with four times the chains is as good.
    let traded = rate(4, 4) / rate(16, 1);
    assert!((0.85..1.15).contains(&traded), "{traded}");
}

#[test]
fn little_s_law_in_the_small() {
    let device = Device::h200().unwrap();
    let waits = Waits { global: 700.0, ..Waits::default() };
    let load = |board: u8| Op { writes: Some(board), ..op(Unit::Global, 2) };
    let needs = |board: u8| Op { waits: 1 << board, stall: 4, ..op(Unit::Fma, 2) };
    let time = |ops: &[Op]| {
        let mut warp = Lone::new(&device, &waits);
        ops.iter().for_each(|op| {
            warp.issue(op);
        });
        warp.now()
    };
    // Load, wait, load, wait; both loads first: half of it, and a cycle more.
    assert_eq!(time(&[load(0), needs(0)]), 704.0);
    assert_eq!(time(&[load(0), needs(0), load(1), needs(1)]), 1408.0);
    assert_eq!(time(&[load(0), load(1), needs(0), needs(1)]), 708.0);
    // Registers of one bank cost a cycle of a stall count of one, and nothing of a longer one.
    let conflicting = |stall: u8| Op { conflicts: 1, stall, ..op(Unit::Fma, 2) };
    assert_eq!((time(&[conflicting(1)]), time(&[conflicting(4)])), (2.0, 4.0));
}

#[test]
fn turns_of_small_loops_by_hand() {
    let mut device = Device::h200().unwrap();
    device.latency.jump = 10.0;
    let waits = Waits { global: 300.0, ..Waits::default() };
    let turn = |body: &[Op]| Turn::of(body, &device, &waits);
    let fma = |waits: u8| Op { stall: 4, waits, ..op(Unit::Fma, 2) };
    let jump = || Op { stall: 5, ..op(Unit::Control, 2) };
    // Two that need each other, and the jump back: 4 + 4 + 10.
    let chain = turn(&[fma(0), fma(0), jump()]);
    assert_eq!((chain.cycles, chain.steps[2].at), (18.0, 8.0));
    assert_eq!(chain.parts(), [(State::Issues, 3.0), (State::Stalls, 15.0)]);
    // A load from shared memory is there after 23 cycles; of these it waits 22.
    let near = turn(&[Op { writes: Some(0), ..op(Unit::Shared, 2) }, fma(1), jump()]);
    assert_eq!((near.cycles, near.steps[1].waited, near.steps[1].of), (37.0, 22.0, Some(0)));
    assert_eq!(near.steps[1].why, Why::Unit(Unit::Shared));
    assert_eq!(near.parts(), [(State::Issues, 3.0), (State::Near, 22.0), (State::Stalls, 12.0)]);
    // What the next turn needs is asked for in this one: the turn is as long as the load, and it is the last turn's that is waited for.
    let ahead = turn(&[fma(1), Op { writes: Some(0), ..op(Unit::Global, 2) }, jump()]);
    assert_eq!((ahead.cycles, ahead.steps[0].waited, ahead.steps[0].of), (304.0, 289.0, Some(1)));
    // Work enough between them hides it.
    let mut hidden = vec![fma(1), Op { writes: Some(0), ..op(Unit::Global, 2) }];
    hidden.extend((0..80).map(|_| fma(0)));
    hidden.push(jump());
    assert_eq!(turn(&hidden).cycles, 4.0 + 1.0 + 80.0 * 4.0 + 5.0 + 5.0);
    assert_eq!(Turn::of(&[], &device, &waits).cycles, 0.0);
    // A longer stall count covers the jump.
    assert_eq!(turn(&[fma(0), Op { stall: 12, ..jump() }]).cycles, 16.0);
    // A barrier keeps nobody who is alone; with others it does, and a fence and a pause do in any case.
    let barrier = [fma(0), op(Unit::Barrier, 2), jump()];
    assert_eq!(turn(&barrier).cycles, 15.0);
    let others = Waits { barrier: device.latency.barrier, ..Waits::default() };
    assert_eq!(Turn::of(&barrier, &device, &others).cycles, 15.0 + device.latency.barrier);
    let fence = |scope| [fma(0), Op { fence: Some(scope), ..op(Unit::Fence, 2) }, jump()];
    let latency = &device.latency;
    let scopes = [FenceScope::Block, FenceScope::Device, FenceScope::System];
    let alone = [latency.fence_block, latency.fence, latency.fence_system];
    assert_eq!(scopes.map(|scope| turn(&fence(scope)).cycles), alone.map(|fence| 15.0 + fence));
    let others = Waits { fences: 63.0 * latency.fence_beside, ..Waits::default() };
    let beside = Turn::of(&fence(FenceScope::Device), &device, &others).cycles;
    assert_eq!(beside, 15.0 + latency.fence + others.fences);
    let pause = Op { pause: 500, ..op(Unit::Other, 2) };
    assert_eq!(turn(&[fma(0), pause, jump()]).cycles, 15.0 + 500.0 * device.clock_ghz);
    // Four words of a lane come later than one.
    let wide = Op { writes: Some(0), bits: 128, loads: true, ..op(Unit::Shared, 2) };
    assert_eq!(turn(&[wide, fma(1), jump()]).cycles, 37.0 + 3.0 * device.latency.wide);
}

#[test]
fn warps_of_a_scheduler_fill_each_other_s_gaps() {
    let device = Device::h200().unwrap();
    let waits = Waits { global: 300.0, ..Waits::default() };
    let path: Vec<Op> = (0..16).map(|_| Op { stall: 4, ..op(Unit::Fma, 2) }).collect();
    let cycles = |warps| Timeline::of(&path, warps, 1000, &device, &waits).unwrap().cycles();
    // The last one's stall count is nobody's concern.
    assert_eq!((cycles(1), cycles(4), cycles(8)), (61, 64, 128));
    assert_eq!(Timeline::of(&path, 1, 60, &device, &waits), None);
}
