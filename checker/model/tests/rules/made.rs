//! Kernels that are made for the rules, and what is asked of them.

use model::{Block, Bound, Code, Device, Facts, LaunchFacts, Memory, Op, Start, Unit, model};
use simulator::locality::{CAPACITIES, Locality, Touch};
use simulator::{Counters, Covered};

pub(super) fn op(unit: Unit, line: u32) -> Op {
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
pub(super) fn facts(body: Vec<Op>, turns: u64, warps_per_block: u64, blocks: u64) -> Facts {
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
        parted: 0,
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
pub(super) fn streaming(sectors: u64, blocks: u64) -> Facts {
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
pub(super) fn scattering(words: u64, blocks: u64) -> Facts {
    let mut facts = streaming(256, blocks);
    let launch = &mut facts.launches[0];
    launch.counters.global_store_requests = 8 * words;
    launch.counters.global_store_sectors = 256 * words;
    launch.counters.global_store_bytes = 4 * 256 * words;
    (launch.locality.store_lines, launch.locality.store_sectors) = (64 * words, 256 * words);
    facts
}

/// 2048 blocks a multiprocessor of eight warps each, of which each has so many operations of a unit.
pub(super) fn of_unit(unit: Unit, count: usize) -> Facts {
    let mut ops = vec![op(unit, 2); count];
    ops.push(op(Unit::Alu, 2));
    facts(ops, 1, 8, 2048 * 132)
}

pub(super) fn us(facts: &Facts) -> f64 {
    model(facts, &Device::h200().expect("the constants can be read")).us
}

pub(super) fn bar(facts: &Facts, wanted: Bound, device: &Device) -> f64 {
    model(facts, device).bars.iter().find(|bar| bar.of == wanted).map_or(0.0, |bar| bar.us)
}
