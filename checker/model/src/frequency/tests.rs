use super::*;
use crate::class::Class;
use crate::code::{Block, Op, Unit};

fn op(class: Option<Class>, line: u32) -> Op {
    Op {
        unit: Unit::Alu,
        bits: 32,
        loads: false,
        past_l1: false,
        guarded: false,
        conflicts: 0,
        crowded: 0,
        stall: 2,
        pause: 0,
        writes: None,
        reads: None,
        waits: 0,
        class,
        line: Some((0, line)),
        shared_atomic: None,
        fence: None,
        calls: false,
        double_products: 0,
    }
}

fn block(ops: Vec<Op>, next: &[usize]) -> Block {
    Block {
        address: 0,
        ops,
        next: next.to_vec(),
        ends: next.is_empty(),
        leaves: false,
        root: false,
        slow: false,
        calls: Vec::new(),
    }
}

/// The same with calls of functions that begin at those blocks, behind all else.
fn calling(mut block: Block, functions: &[usize], slow: bool) -> Block {
    let (line, count) = (block.ops[0].line, functions.len());
    block.ops.extend(vec![Op { unit: Unit::Control, calls: true, line, ..op(None, 0) }; count]);
    Block { slow, calls: functions.to_vec(), ..block }
}

fn plain(count: usize, line: u32) -> Vec<Op> {
    vec![op(None, line); count]
}

fn code(mut blocks: Vec<Block>) -> Code {
    blocks[0].root = true;
    Code { name: "k".into(), blocks, files: vec!["k.cu".into()], recursive: false }
}

fn ran(line: u32, opcode: &str, warps: u64) -> Covered {
    let file = if line > 0 { "k.cu" } else { "" };
    Covered { at: 0, file: file.into(), line, ptx_line: 0, opcode: opcode.into(), warps, parted: 0 }
}

const LOAD: Option<Class> = Some(Class::LoadGlobal(32));
const STORE: Option<Class> = Some(Class::StoreGlobal(32));

#[test]
fn a_division_goes_its_short_way_though_it_has_no_line() {
    let long = calling(block(plain(5, 3), &[3]), &[4], true);
    let mut function = block(plain(60, 4), &[]);
    function.root = true;
    let blocks = vec![
        block(vec![op(LOAD, 2), op(None, 2)], &[1, 2]),
        long,
        block(plain(18, 3), &[3]),
        block(vec![op(None, 3), op(STORE, 4)], &[]),
        function,
    ];
    let coverage = [
        ran(2, "ld.global.u32", 100),
        ran(3, "or.b64", 100),
        ran(3, "bra", 100),
        ran(0, "rem.u64", 0),
        ran(0, "bra.uni", 0),
        ran(0, "rem.u32", 100),
        ran(4, "st.global.u32", 100),
        ran(4, "ret", 100),
    ];
    let found = frequencies(&code(blocks), &coverage, 100.0, 0.0).blocks;
    assert!(found[2] > 90.0 && found[3] > 99.0, "{found:?}");
    assert!(found[1] < 5.0 && found[4] < 1.0, "{found:?}");
}

#[test]
fn a_remainder_of_64_bits_is_a_call_as_often_as_it_is_one() {
    // A loop whose body has no line: a turn goes by the call or around it.
    let call = calling(block(plain(5, 3), &[4]), &[6], false);
    let mut function = block(plain(60, 4), &[]);
    function.root = true;
    let blocks = vec![
        block(vec![op(LOAD, 2), op(None, 3)], &[1]),
        block(plain(6, 3), &[2, 3]),
        call,
        block(plain(19, 3), &[4]),
        block(plain(5, 3), &[1, 5]),
        block(vec![op(STORE, 4)], &[]),
        function,
    ];
    let mut coverage = vec![ran(2, "ld.global.u64", 10), ran(3, "setp.eq.s64", 10), ran(3, "bra", 0)];
    coverage.extend(["mov.u64", "or.b64", "and.b64", "setp.eq.s64", "bra"].map(|opcode| ran(0, opcode, 400)));
    coverage.extend([ran(0, "rem.u64", 150), ran(0, "bra.uni", 150)]);
    coverage.extend(["cvt.u32.u64", "cvt.u32.u64", "rem.u32", "cvt.u64.u32"].map(|opcode| ran(0, opcode, 250)));
    coverage.extend([ran(3, "setp.ne.s64", 400), ran(3, "bra", 400), ran(4, "st.global.u64", 10), ran(4, "ret", 10)]);
    let found = frequencies(&code(blocks), &coverage, 10.0, 0.0).blocks;
    assert!((found[2] / 150.0 - 1.0).abs() < 0.01 && (found[6] / 150.0 - 1.0).abs() < 0.01, "{found:?}");
    assert!(found[3] > 150.0 && found[1] > 280.0, "{found:?}");
}

#[test]
fn a_loop_of_one_block_settles_at_what_its_copies_sum_up_to() {
    let mut loads: Vec<Op> = vec![op(LOAD, 3); 16];
    loads.extend(plain(20, 3));
    let blocks = vec![
        block(plain(4, 2), &[1, 3]),
        block(plain(2, 3), &[2]),
        block(loads, &[2, 3]),
        block(vec![op(STORE, 4)], &[]),
    ];
    let mut coverage = vec![ran(2, "mov.u32", 10), ran(3, "setp.ge.s32", 10), ran(3, "bra", 0)];
    coverage.extend((0..4).flat_map(|_| [ran(3, "ld.global.u32", 4000), ran(3, "add.s32", 4000)]));
    coverage.push(ran(4, "st.global.u32", 10));
    let found = frequencies(&code(blocks), &coverage, 10.0, 0.0).blocks;
    assert!((found[2] / 1000.0 - 1.0).abs() < 0.05, "{found:?}");
}

#[test]
fn warps_that_leave_early_are_missing_behind() {
    let mut first = block(vec![op(LOAD, 2), op(None, 2), op(None, 3)], &[1]);
    first.leaves = true;
    let blocks = vec![first, block(plain(12, 3), &[2]), block(vec![op(STORE, 4)], &[])];
    let coverage = [
        ran(2, "ld.global.u32", 80),
        ran(3, "setp.gt.s32", 80),
        ran(3, "bra", 70),
        ran(3, "add.s32", 10),
        ran(3, "xor.b32", 10),
        ran(3, "mul.lo.s32", 10),
        ran(3, "shl.b32", 10),
        ran(4, "st.global.u32", 10),
    ];
    let found = frequencies(&code(blocks), &coverage, 80.0, 0.0).blocks;
    assert!(found[1] < 12.0 && found[2] < 12.0, "{found:?}");
}

#[test]
fn integers_of_64_bits_are_no_unrolled_loop() {
    // A turn of ten machine instructions for five of PTX.
    let blocks = vec![block(plain(3, 2), &[1]), block(plain(10, 4), &[1, 2]), block(vec![op(STORE, 6)], &[])];
    let coverage = [
        ran(2, "mov.u32", 10),
        ran(4, "mul.lo.s64", 2000),
        ran(4, "add.s64", 2000),
        ran(4, "shr.u64", 2000),
        ran(4, "setp.ne.s64", 2000),
        ran(4, "bra", 2000),
        ran(6, "st.global.u32", 10),
    ];
    let found = frequencies(&code(blocks), &coverage, 10.0, 0.0).blocks;
    assert!((found[1] / 2000.0 - 1.0).abs() < 0.05, "{found:?}");
}

/// Products of bytes' halves: each is a call that nothing goes around, several of them in a block.
#[test]
fn a_call_that_no_branch_guards_runs_as_often_as_its_block() {
    let mut function = block(plain(60, 4), &[]);
    function.root = true;
    let blocks = vec![calling(block(plain(5, 3), &[1]), &[2, 2, 2], false), block(vec![op(STORE, 4)], &[]), function];
    let mut coverage = vec![ran(2, "mov.u32", 100)];
    coverage.extend([0; 3].map(|_| ran(3, "mma.sync.aligned.m8n8k32.row.col.s32.s4.s4.s32", 100)));
    coverage.extend([ran(4, "st.global.u32", 100), ran(4, "ret", 100)]);
    let found = frequencies(&code(blocks), &coverage, 100.0, 0.0).blocks;
    assert_eq!(found, [100.0, 100.0, 300.0]);
}

/// Two divisions of floats, one behind the other, that always take their slow path.
#[test]
fn a_slow_path_is_taken_as_often_as_the_simulator_met_its_operands() {
    let found = |long: f64| {
        let mut function = block(plain(60, 4), &[]);
        function.root = true;
        let slow = |behind: usize| calling(block(plain(2, 3), &[behind]), &[5], true);
        let blocks = vec![
            block(plain(9, 3), &[1, 2]),
            slow(2),
            block(plain(9, 3), &[3, 4]),
            slow(4),
            block(vec![op(STORE, 4)], &[]),
            function,
        ];
        let coverage = [ran(3, "div.rn.f32", 100), ran(3, "div.rn.f32", 100), ran(4, "st.global.u32", 100)];
        frequencies(&code(blocks), &coverage, 100.0, long).blocks
    };
    let (never, always) = (found(0.0), found(200.0));
    assert!(never[1] < 5.0 && never[3] < 5.0 && never[5] < 5.0, "{never:?}");
    assert!((always[5] / 200.0 - 1.0).abs() < 0.05 && (always[1] / 100.0 - 1.0).abs() < 0.05, "{always:?}");
}
