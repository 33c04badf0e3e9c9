//! What must hold of every modelled time, whatever the constants: more is never faster, and the rules of thumb come out.

use model::chain::{Lone, Waits, Why};
use model::timeline::{State, Timeline, Turn};
use model::{Block, Bound, Code, Device, Facts, FenceScope, LaunchFacts, Memory, Op, SharedAtomic, Start, Unit, model};
use simulator::locality::{CAPACITIES, Hot, Locality, Meeting, Touch};
use simulator::{Counters, Covered};

fn op(unit: Unit, line: u32) -> Op {
    Op {
        unit,
        bits: 32,
        loads: unit == Unit::Global,
        past_l1: false,
        conflicts: 0,
        crowded: 0,
        guarded: false,
        stall: 1,
        pause: 0,
        writes: None,
        reads: None,
        waits: 0,
        class: None,
        line: Some((0, line)),
        shared_atomic: None,
        fence: None,
        calls: false,
        double_products: 0,
    }
}

fn block(ops: Vec<Op>, next: Vec<usize>) -> Block {
    let ends = next.is_empty();
    Block { address: 0, ops, next, ends, leaves: false, root: false, slow: false, calls: Vec::new() }
}

/// A kernel whose middle block ran `turns` times a warp.
fn facts(body: Vec<Op>, turns: u64, warps_per_block: u64, blocks: u64) -> Facts {
    let code = Code {
        name: "k()".into(),
        blocks: vec![
            block(vec![op(Unit::Alu, 1)], vec![1]),
            block(body, vec![1, 2]),
            block(vec![op(Unit::Control, 3)], vec![]),
        ],
        files: vec!["k.cu".into()],
        recursive: false,
    };
    let covered = |at: u32, line: u32, warps: u64| Covered {
        at,
        file: "k.cu".into(),
        line,
        ptx_line: 0,
        opcode: "add.s32".into(),
        warps,
    };
    let many = 160;
    let mut coverage = vec![covered(0, 1, warps_per_block), covered(1, 3, warps_per_block)];
    // As many instructions of PTX as there may be of the machine: no unrolling.
    coverage.extend((0..many).map(|at| covered(2 + at, 2, warps_per_block * turns)));
    let launch = LaunchFacts {
        code: 0,
        times: 1,
        blocks,
        threads: 32 * warps_per_block as u32,
        resident: (64 / warps_per_block).min(32) as u32,
        shared: 0,
        stack: 0,
        ran: 1,
        counters: Counters { warps: warps_per_block, ..Counters::default() },
        coverage,
        locality: Locality { path: 1.0, ..Locality::default() },
    };
    let memory = vec![Memory { bytes: 1 << 32, input: true }, Memory { bytes: 1 << 32, input: false }];
    Facts { codes: vec![code], launches: vec![launch], memory, start: Start::Cold, host: None }
}

/// The same with a stream of so many sectors a block, read and written.
fn streaming(sectors: u64, blocks: u64) -> Facts {
    let mut facts = facts(vec![op(Unit::Global, 2)], 1, 8, blocks);
    let launch = &mut facts.launches[0];
    launch.counters.global_load_sectors = sectors;
    launch.counters.global_load_requests = sectors / 4;
    launch.counters.global_store_sectors = sectors;
    launch.counters.global_store_bytes = 32 * sectors;
    let touch = Touch { sectors, pairs: sectors / 2, second: sectors, new: sectors, span: sectors, away: 0 };
    launch.locality = Locality {
        requested: sectors,
        missed: [sectors; CAPACITIES.len()],
        late: [sectors; CAPACITIES.len()],
        lines: sectors / 4,
        read: vec![touch, Touch::default()],
        written: vec![Touch::default(), touch],
        path: 1.0,
        ..Locality::default()
    };
    facts
}

/// The same, where each lane stores `words` words of a sector of its own and its neighbours' lie side by side.
fn scattering(words: u64, blocks: u64) -> Facts {
    let mut facts = streaming(256, blocks);
    let launch = &mut facts.launches[0];
    launch.counters.global_store_requests = 8 * words;
    launch.counters.global_store_sectors = 256 * words;
    launch.counters.global_store_bytes = 4 * 256 * words;
    (launch.locality.store_lines, launch.locality.store_sectors) = (64 * words, 256 * words);
    facts
}

/// 2048 blocks a multiprocessor of eight warps each, of which each has so many operations of a unit.
fn of_unit(unit: Unit, count: usize) -> Facts {
    let mut ops = vec![op(unit, 2); count];
    ops.push(op(Unit::Alu, 2));
    facts(ops, 1, 8, 2048 * 132)
}

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

fn us(facts: &Facts) -> f64 {
    model(facts, &Device::h200().expect("the constants can be read")).us
}

/// A chain of dependent operations that issue every `stall` cycles, `chains` of them in turn.
fn chains(chains: u8) -> Vec<Op> {
    let stall = 4u8.div_ceil(chains).max(1);
    // So many that the jump back is little.
    (0..128).map(|_| Op { stall, ..op(Unit::Fma, 2) }).collect()
}

/// A block that is traced and does more than others do on average writes whole sectors all the same.
#[test]
fn a_block_with_more_to_do_than_others_leaves_no_sector_incomplete() {
    let even = streaming(256, 1 << 16);
    let mut uneven = even.clone();
    let launch = &mut uneven.launches[0];
    // Four blocks have run, the traced one with 256 sectors, the others with 128.
    (launch.ran, launch.counters.warps) = (4, 32);
    let sectors = 256 + 3 * 128;
    (launch.counters.global_load_sectors, launch.counters.global_load_requests) = (sectors, sectors / 4);
    (launch.counters.global_store_sectors, launch.counters.global_store_bytes) = (sectors, 32 * sectors);
    launch.locality.store_sectors = 256;
    assert!(us(&uneven) <= us(&even) * 1.01, "{} and {}", us(&uneven), us(&even));
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

#[test]
fn a_stream_is_bound_by_memory_and_little_occupancy_by_latency() {
    let device = Device::h200().unwrap();
    let full = model(&streaming(64, 1 << 19), &device);
    assert_eq!(full.bound, Bound::Dram, "{full:?}");
    let bytes = 2.0 * 64.0 * 32.0 * f64::from(1 << 19);
    let rate = bytes / full.us / 1e3;
    assert!((3500.0..4300.0).contains(&rate), "{rate} GB/s");
    let mut lone = streaming(64, 1 << 15);
    lone.launches[0].resident = 1;
    let lone = model(&lone, &device);
    assert_eq!(lone.bound, Bound::Latency, "{lone:?}");
}

/// Blocks of 8 warps whose lanes add each to a float: `own` sectors of a block, of which `new` are new beside its neighbour's, `away`
/// sectors from those of a block a thousand blocks on; lanes of a warp at one address: `together`.
fn adding(own: u64, new: u64, away: u64, together: u64, blocks: u64) -> Facts {
    let mut facts = facts(vec![op(Unit::Reduction, 2)], 1, 8, blocks);
    let launch = &mut facts.launches[0];
    let (file, opcode) = ("k.cu".into(), "red.global.add.f32".into());
    launch.coverage.push(Covered { at: 99, file, line: 2, ptx_line: 0, opcode, warps: 8 });
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

fn bar(facts: &Facts, wanted: Bound, device: &Device) -> f64 {
    model(facts, device).bars.iter().find(|bar| bar.of == wanted).map_or(0.0, |bar| bar.us)
}

#[test]
fn parts_of_sectors_cost_as_much_as_whole_ones_and_leave_together_where_they_follow() {
    let device = Device::h200().unwrap();
    let blocks = 132 * 256;
    let l2 = |facts: &Facts| bar(facts, Bound::L2, &device);
    let all = l2(&scattering(8, blocks));
    let expected = 8.0 * 256.0 * blocks as f64 / device.memory.partial_sectors_per_ns[2] / 1e3;
    assert!((all / expected - 1.0).abs() < 0.01, "{all} us, by hand {expected}");
    // A sector of a line at a time is worse.
    let mut single = scattering(8, blocks);
    single.launches[0].locality.store_lines = 256 * 8;
    let [one, _, four] = device.memory.partial_sectors_per_ns;
    assert!((l2(&single) / all - four / one).abs() < 0.01, "{} {all}", l2(&single));
    // Of seven that follow another one, in four lines.
    let mut following = scattering(8, blocks);
    following.launches[0].locality.joined[0] = 7 * 256;
    let left = 1.0 - 7.0 / 8.0 * device.memory.joins[0];
    assert!((l2(&following) / all - left).abs() < 0.01, "{} {all}", l2(&following));
}

#[test]
fn sectors_that_stay_incomplete_are_read_before_they_are_written() {
    let device = Device::h200().unwrap();
    let blocks = 132 * 2048;
    let dram = |facts: &Facts| bar(facts, Bound::Dram, &device);
    let whole = dram(&scattering(8, blocks));
    // One word of each sector, and nobody writes another one: as much again is read.
    let mut part = scattering(1, blocks);
    part.memory[1].bytes = 32 * 256 * blocks;
    let more = 32.0 * 256.0 * blocks as f64 / device.memory.read_gb_per_s / 1e3;
    let kept = device.memory.l2_shared_bytes / (32.0 * 256.0 * blocks as f64);
    let expected = whole + more * (1.0 - kept);
    assert!((dram(&part) / expected - 1.0).abs() < 0.01, "{} us, by hand {expected}", dram(&part));
    // All blocks come back to the same eighth of it: what has left comes once more.
    let mut again = scattering(1, blocks);
    again.memory[1].bytes = 4 * 256 * blocks;
    assert!(dram(&again) > dram(&part), "{} {}", dram(&again), dram(&part));
    // In the L2 cache all of it waits for the others.
    again.memory[1].bytes = 30 << 20;
    assert!(dram(&again) < whole, "{} {whole}", dram(&again));
}

#[test]
fn what_is_read_again_soon_is_still_there() {
    let device = Device::h200().unwrap();
    let blocks = 132 * 256;
    let mut facts = streaming(256, blocks);
    facts.memory[0].bytes = 256 * blocks * 8;
    let anywhere = bar(&facts, Bound::Dram, &device);
    // Each block reads four times what is new for it, in a window that moves with the blocks.
    let launch = &mut facts.launches[0];
    launch.locality.away = 100;
    (launch.locality.read[0].away, launch.locality.read[0].span) = (100 * 64, 4096);
    let near = bar(&facts, Bound::Dram, &device);
    let again = 32.0 * 256.0 * blocks as f64 - facts.memory[0].bytes as f64;
    let gone = 1.0 - device.memory.l2_shared_bytes / facts.memory[0].bytes as f64;
    let expected = again * gone / device.memory.read_gb_per_s / 1e3;
    assert!(((anywhere - near) / expected - 1.0).abs() < 0.01, "{anywhere} and {near} us, by hand {expected}");
    // From where to where one block reads is more than the cache has.
    facts.launches[0].locality.read[0].span = 1 << 30;
    assert!((bar(&facts, Bound::Dram, &device) - anywhere).abs() < 1e-6);
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

/// Numbers by seed, below `n`.
struct Draw(u64);

impl Draw {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }
}

#[test]
fn more_is_never_faster() {
    let mut draw = Draw(7);
    for round in 0..300 {
        let sectors = 4 + 4 * draw.below(200);
        let scale = draw.below(18).max(1);
        let blocks = 1 + draw.below(1 << scale);
        let mut before = streaming(sectors, blocks);
        before.launches[0].counters.shared_load_wavefronts = draw.below(2000);
        before.launches[0].counters.divergent_branches = draw.below(20);
        let mut after = before.clone();
        let launch = &mut after.launches[0];
        let what = match round % 7 {
            0 => {
                launch.counters.global_load_sectors += sectors;
                "sectors loaded"
            }
            1 => {
                launch.counters.global_store_sectors += sectors;
                launch.counters.global_store_bytes += 32 * sectors;
                "sectors stored"
            }
            2 => {
                launch.counters.shared_load_wavefronts += 1 + draw.below(500);
                "wavefronts"
            }
            3 => {
                after.codes[0].blocks[1].ops.push(op(Unit::Alu, 2));
                "instructions"
            }
            4 => {
                launch.times += 1;
                "launches"
            }
            5 => {
                launch.blocks += 1 + draw.below(200);
                "blocks"
            }
            _ => {
                let atomics = 1 + draw.below(1000);
                launch.counters.global_atomics += atomics;
                launch.counters.global_atomic_requests += atomics.div_ceil(32);
                launch.counters.global_atomic_sectors += atomics;
                "atomics"
            }
        };
        let (before, after) = (us(&before), us(&after));
        assert!(after >= before * (1.0 - 1e-9), "round {round}: more {what} take {after} us and not {before} us");
    }
}
