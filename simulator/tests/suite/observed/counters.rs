//! Counters of small PTX programs against counts made by hand.

use simulator::{Arg, Config, Counters, Device, Launch, LaunchReport, Module, Schedule};
use std::sync::Arc;

/// Line of the code under test; what stands before it is line 1.
const LINE: u32 = 10;

/// Runs `k(u64 data)` with `block` threads: `%r1` is the thread, `%rd1` points to 64 KiB of zeros.
fn launch(body: &str, block: u32, schedule: Schedule) -> LaunchReport {
    let text = format!(
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 k_param_0)\n{{\n\
         .reg .pred %p<20>; .reg .b16 %rs<20>; .reg .b32 %r<60>; .reg .f32 %f<20>; .reg .f64 %fd<20>; .reg .b64 %rd<30>;\n\
         .shared .align 16 .b8 tile[8192]; .local .align 16 .b8 own[256];\n\
         .loc 1 1 0\nld.param.u64 %rd1, [k_param_0];\nmov.u32 %r1, %tid.x;\n\
         .loc 1 {LINE} 0\n{body}\n.loc 1 99 0\nret;\n}}\n.file 1 \"k.cu\"\n"
    );
    let module = Arc::new(Module::parse(&text).expect("the test's PTX parses"));
    let config = Config { schedule, lines: true, ..Config::default() };
    let mut device = Device::new(module, config);
    let data = device.alloc("data", 1 << 16).expect("fits");
    device.write(data, &[0; 1 << 16]).expect("inside");
    let launch = Launch {
        kernel: "k".into(),
        grid: [1; 3],
        block: [block, 1, 1],
        shared: 0,
        args: vec![Arg::Pointer(data)],
        cooperative: false,
    };
    let report = device.launch(&launch).expect("starts");
    assert!(report.findings.is_empty(), "{:?}", report.findings);
    invariants(&report);
    report
}

/// What holds whatever ran.
fn invariants(report: &LaunchReport) {
    let c = &report.counters;
    let mut sum = Counters::default();
    report.lines.values().for_each(|line| sum.add(line));
    assert_eq!(sum, *c, "the total is the sum of the lines");
    let classes = Counters::FIELDS
        .iter()
        .filter(|field| field.name.starts_with("thread_") && field.name != "thread_instructions");
    assert_eq!(classes.map(|field| c.get(field.name).expect("a field")).sum::<u64>(), c.thread_instructions);
    assert_eq!(c.flops_fp16 + c.flops_fp32 + c.flops_fp64 + c.flops_matrix, c.flops);
    assert!(c.thread_instructions <= c.active_thread_instructions);
    assert!(c.active_thread_instructions <= 32 * c.instructions);
}

fn count_block(body: &str, block: u32) -> Counters {
    let report = launch(body, block, Schedule::Its);
    report.lines.get(&("k.cu".to_owned(), LINE)).copied().unwrap_or_default()
}

/// Counters of the body, run by one warp.
fn count(body: &str) -> Counters {
    count_block(body, 32)
}

/// `%rd2` is the data plus `first` bytes plus `stride` bytes a thread.
fn global(first: u32, stride: u32) -> String {
    format!("mul.wide.u32 %rd2, %r1, {stride}; add.s64 %rd2, %rd1, %rd2; add.s64 %rd2, %rd2, {first};")
}

/// Requests, sectors and bytes of one global load of the form given.
fn loads(first: u32, stride: u32, load: &str) -> [u64; 3] {
    let c = count(&format!("{} {load}, [%rd2];", global(first, stride)));
    [c.global_load_requests, c.global_load_sectors, c.global_load_bytes]
}

#[test]
fn sectors_of_global_loads() {
    let word = "ld.global.u32 %r2";
    assert_eq!(loads(0, 4, word), [1, 4, 128], "one after the other, aligned");
    assert_eq!(loads(4, 4, word), [1, 5, 128], "one word further");
    assert_eq!(loads(16, 4, word), [1, 5, 128]);
    assert_eq!(loads(32, 4, word), [1, 4, 128], "a sector further is aligned");
    assert_eq!(loads(0, 8, word), [1, 8, 128], "every other word");
    assert_eq!(loads(0, 32, word), [1, 32, 128], "a sector a lane");
    assert_eq!(loads(0, 128, word), [1, 32, 128]);
    assert_eq!(loads(0, 0, word), [1, 1, 128], "all lanes the same word");
    assert_eq!(loads(0, 1, "ld.global.u8 %rs1"), [1, 1, 32]);
    assert_eq!(loads(31, 1, "ld.global.u8 %rs1"), [1, 2, 32]);
    assert_eq!(loads(0, 2, "ld.global.u16 %rs1"), [1, 2, 64]);
    assert_eq!(loads(0, 8, "ld.global.u64 %rd3"), [1, 8, 256]);
    assert_eq!(loads(8, 8, "ld.global.u64 %rd3"), [1, 9, 256]);
    assert_eq!(loads(0, 8, "ld.global.v2.u32 {%r2, %r3}"), [1, 8, 256]);
    assert_eq!(loads(0, 16, "ld.global.v4.u32 {%r2, %r3, %r4, %r5}"), [1, 16, 512]);
    assert_eq!(loads(16, 16, "ld.global.v4.u32 {%r2, %r3, %r4, %r5}"), [1, 17, 512]);
    assert_eq!(loads(0, 48, "ld.global.v4.u32 {%r2, %r3, %r4, %r5}"), [1, 32, 512]);
    // The same through a generic address.
    assert_eq!(loads(0, 8, "ld.u32 %r2"), [1, 8, 128]);
}

#[test]
fn sectors_of_lanes_in_another_order_and_of_some_lanes() {
    // Lane 31 first: the same sectors.
    let back = "sub.s32 %r3, 31, %r1; mul.wide.u32 %rd2, %r3, 4; add.s64 %rd2, %rd1, %rd2; ld.global.u32 %r2, [%rd2];";
    assert_eq!(count(back).global_load_sectors, 4);
    // Lanes 0 and 16 alternate between two far sectors.
    let two = "and.b32 %r3, %r1, 1; mul.wide.u32 %rd2, %r3, 4096; add.s64 %rd2, %rd1, %rd2; ld.global.u32 %r2, [%rd2];";
    assert_eq!(count(two).global_load_sectors, 2);
    let some = format!("{} setp.lt.u32 %p1, %r1, 9; @%p1 ld.global.u32 %r2, [%rd2];", global(0, 4));
    let c = count(&some);
    assert_eq!([c.global_load_requests, c.global_load_sectors, c.global_load_bytes], [1, 2, 36]);
    assert_eq!((c.thread_memory, c.instructions), (9, 5));
    assert_eq!((c.active_thread_instructions, c.thread_instructions), (5 * 32, 4 * 32 + 9));
    // A request that no lane takes part in is an instruction and nothing else.
    let none = format!("{} setp.gt.u32 %p1, %r1, 99; @%p1 ld.global.u32 %r2, [%rd2];", global(0, 4));
    let c = count(&none);
    assert_eq!([c.global_load_requests, c.global_load_sectors, c.thread_memory], [0, 0, 0]);
    assert_eq!((c.instructions, c.active_thread_instructions, c.thread_instructions), (5, 160, 128));
    // Half a warp: 20 threads, so that lanes 20 to 31 do not exist.
    let c = count_block(&format!("{} ld.global.u32 %r2, [%rd2];", global(0, 4)), 20);
    assert_eq!([c.global_load_sectors, c.global_load_bytes, c.active_thread_instructions], [3, 80, 80]);
}

#[test]
fn stores_count_as_loads_do() {
    let c = count(&format!("{} st.global.u32 [%rd2], %r1;", global(4, 4)));
    assert_eq!([c.global_store_requests, c.global_store_sectors, c.global_store_bytes], [1, 5, 128]);
    assert_eq!(c.global_load_requests, 0);
    let c = count(&format!("{} st.global.v4.u32 [%rd2], {{%r1, %r1, %r1, %r1}};", global(0, 16)));
    assert_eq!([c.global_store_requests, c.global_store_sectors, c.global_store_bytes], [1, 16, 512]);
}

/// Requests, wavefronts, conflicts and bytes of a shared load and of the store.
fn banks(first: u32, stride: u32, kind: &str, registers: &str) -> [u64; 4] {
    let place = format!(
        "mov.u32 %r20, tile; mul.lo.u32 %r21, %r1, {stride}; add.u32 %r20, %r20, %r21; add.u32 %r20, %r20, {first};"
    );
    let fill = "mov.u32 %r2, 0; mov.u32 %r3, 0; mov.u32 %r4, 0; mov.u32 %r5, 0; mov.u64 %rd3, 0; mov.u16 %rs1, 0;";
    let stored = count(&format!("{fill} {place} st.shared.{kind} [%r20], {registers};"));
    let loaded = count(&format!("{place} ld.shared.{kind} {registers}, [%r20];"));
    let load = [
        loaded.shared_load_requests,
        loaded.shared_load_wavefronts,
        loaded.shared_bank_conflicts,
        loaded.shared_load_bytes,
    ];
    let store = [
        stored.shared_store_requests,
        stored.shared_store_wavefronts,
        stored.shared_bank_conflicts,
        stored.shared_store_bytes,
    ];
    assert_eq!(load, store);
    load
}

#[test]
fn passes_over_the_banks() {
    let word = |first, stride| banks(first, stride, "u32", "%r2");
    assert_eq!(word(0, 4), [1, 1, 0, 128], "a bank a lane");
    assert_eq!(word(4, 4), [1, 1, 0, 128], "wherever it begins");
    assert_eq!(word(0, 0), [1, 1, 0, 128], "all lanes one word");
    assert_eq!(word(0, 8), [1, 2, 1, 128], "two words a bank");
    assert_eq!(word(0, 12), [1, 1, 0, 128], "an odd stride meets every bank once");
    assert_eq!(word(0, 16), [1, 4, 3, 128]);
    assert_eq!(word(0, 128), [1, 32, 31, 128], "all lanes one bank");
    assert_eq!(word(0, 132), [1, 1, 0, 128], "padded by a word");
    assert_eq!(banks(0, 1, "u8", "%rs1"), [1, 1, 0, 32], "four lanes a word");
    assert_eq!(banks(0, 2, "u16", "%rs1"), [1, 1, 0, 64]);
    assert_eq!(banks(0, 128, "u8", "%rs1"), [1, 32, 31, 32]);
    // Eight bytes go by half warps: 16 lanes fill the banks once.
    assert_eq!(banks(0, 8, "u64", "%rd3"), [1, 2, 0, 256]);
    assert_eq!(banks(0, 8, "v2.u32", "{%r2, %r3}"), [1, 2, 0, 256]);
    assert_eq!(banks(0, 16, "u64", "%rd3"), [1, 4, 2, 256], "two words a bank in each half");
    assert_eq!(banks(0, 128, "u64", "%rd3"), [1, 32, 30, 256], "a half's 16 lanes in one pair of banks");
    // Sixteen bytes go by quarters: 8 lanes fill the banks once.
    assert_eq!(banks(0, 16, "v4.u32", "{%r2, %r3, %r4, %r5}"), [1, 4, 0, 512]);
    assert_eq!(banks(0, 32, "v4.u32", "{%r2, %r3, %r4, %r5}"), [1, 8, 4, 512]);
    assert_eq!(banks(0, 128, "v4.u32", "{%r2, %r3, %r4, %r5}"), [1, 32, 28, 512]);
}

#[test]
fn local_memory_is_interleaved_by_words() {
    let one = count("mov.u64 %rd5, own; ld.local.u32 %r2, [own]; st.local.u32 [own+8], %r2;");
    assert_eq!([one.local_loads, one.local_load_sectors, one.local_stores, one.local_store_sectors], [1, 4, 1, 4]);
    // Eight bytes are two words, each of 4 sectors; a byte is in one word.
    assert_eq!(count("ld.local.u64 %rd3, [own];").local_load_sectors, 8);
    assert_eq!(count("ld.local.v4.u32 {%r2, %r3, %r4, %r5}, [own+16];").local_load_sectors, 16);
    assert_eq!(count("ld.local.u8 %rs1, [own+3];").local_load_sectors, 4);
    // Lane i at word i: nobody shares a sector.
    let own = "mov.u64 %rd5, own; mul.wide.u32 %rd6, %r1, 4; add.s64 %rd5, %rd5, %rd6; ld.local.u32 %r2, [%rd5];";
    assert_eq!(count(own).local_load_sectors, 32);
    // Two words among the lanes: each in 4 sectors.
    let two = "mov.u64 %rd5, own; and.b32 %r3, %r1, 1; mul.wide.u32 %rd6, %r3, 4; add.s64 %rd5, %rd5, %rd6; \
               ld.local.u32 %r2, [%rd5];";
    assert_eq!(count(two).local_load_sectors, 8);
    assert_eq!(count("setp.eq.u32 %p1, %r1, 0; @%p1 ld.local.u32 %r2, [own];").local_load_sectors, 1);
    // Through a generic address it is local all the same.
    let c = count("mov.u64 %rd5, own; cvta.local.u64 %rd6, %rd5; ld.u32 %r2, [%rd6];");
    assert_eq!([c.local_loads, c.local_load_sectors, c.global_load_requests], [1, 4, 0]);
}

/// A vector load that the compiler split is one load of the machine, unless something could have changed the rest.
#[test]
fn split_vector_loads() {
    let loads = |between: &str, later: &str| {
        let counters = count(&format!(
            "mov.u64 %rd2, own; mov.u32 %r2, 7; st.local.v4.u32 [%rd2], {{%r2, %r2, %r2, %r2}};\n\
             .pragma \"used_bytes_mask 0xff0f\"; ld.local.v4.u32 {{%r3, %r4, %r5, %r6}}, [%rd2];\n\
             {between} {later}; st.global.u32 [%rd1], %r7;"
        ));
        (counters.local_loads, counters.local_load_sectors)
    };
    let single = "ld.local.u32 %r7, [%rd2+4]";
    let together = loads("", single);
    assert_eq!(together.0, 1);
    for (between, later, wanted) in [
        ("st.global.u32 [%rd1], %r3; add.u32 %r8, %r3, %r5;", single, 1),
        // Stored there, or by a way that may lead there.
        ("st.local.u32 [%rd2+4], %r3;", single, 2),
        ("cvta.local.u64 %rd3, %rd2; st.u32 [%rd3+4], %r3;", single, 2),
        // Another address, another place of the same name, a choice, an element that was loaded.
        ("add.u64 %rd2, %rd2, 16; st.local.u32 [%rd2+4], %r2;", single, 2),
        ("", "ld.local.u32 %r7, [%rd2+8]", 2),
        ("", "ld.volatile.local.u32 %r7, [%rd2+4]", 2),
        ("setp.eq.u32 %p1, %r3, 7; mov.u32 %r7, 0;", "@%p1 ld.local.u32 %r7, [%rd2+4]", 2),
        ("mov.u32 %r4, 0;", single, 2),
        ("LATER:", single, 2),
    ] {
        assert_eq!(loads(between, later).0, wanted, "{between} {later}");
    }
}

#[test]
fn atomics_by_request_and_by_lane() {
    let c = count("red.global.add.u32 [%rd1], 1;");
    assert_eq!([c.global_atomic_requests, c.global_atomic_sectors, c.global_atomics], [1, 1, 32]);
    assert_eq!([c.global_load_requests, c.global_store_requests, c.flops], [0, 0, 0]);
    let c = count(&format!("{} atom.global.add.f32 %f1, [%rd2], 0f3F800000;", global(0, 4)));
    assert_eq!([c.global_atomic_requests, c.global_atomic_sectors, c.global_atomics], [1, 4, 32]);
    assert_eq!([c.flops, c.flops_fp32], [32, 32]);
    let c = count("setp.lt.u32 %p1, %r1, 3; @%p1 atom.shared.add.u32 %r2, [tile], 1;");
    assert_eq!([c.shared_atomic_requests, c.shared_atomics, c.global_atomics], [1, 3, 0]);
    assert_eq!([c.shared_load_requests, c.shared_store_requests], [0, 0]);
}

#[test]
fn branches_and_lanes_of_a_divergent_if() {
    // Lanes 0 to 3 go one way, 28 the other; both ways are two instructions and a jump or none.
    let body = "setp.lt.u32 %p1, %r1, 4; @%p1 bra THEN; add.s32 %r2, %r1, 1; add.s32 %r2, %r2, 1; bra.uni END; \
                THEN: add.s32 %r2, %r1, 2; add.s32 %r2, %r2, 2; END: mov.u32 %r3, %r2;";
    let c = count(body);
    assert_eq!([c.branches, c.divergent_branches], [1, 1]);
    assert_eq!(c.instructions, 2 + 3 + 2 + 1);
    assert_eq!(c.active_thread_instructions, 2 * 32 + 3 * 28 + 2 * 4 + 32);
    // Of the branch itself four lanes have a true guard.
    assert_eq!(c.thread_instructions, 32 + 4 + 3 * 28 + 2 * 4 + 32);
    assert_eq!(c.thread_control, 4 + 28);
    assert_eq!(c.thread_integer, 32 + 2 * 28 + 2 * 4);
    // A branch that all lanes take, and one that none takes.
    let c = count("setp.lt.u32 %p1, %r1, 40; @%p1 bra NEXT; NEXT: @!%p1 bra END; END: mov.u32 %r2, 0;");
    assert_eq!([c.branches, c.divergent_branches, c.instructions, c.thread_control], [2, 0, 4, 32]);
}

#[test]
fn a_loop_with_a_trip_count_a_lane() {
    // Lane i goes round i + 1 times: 32 turns, of 32 - k lanes each.
    let body = "mov.u32 %r2, 0; AGAIN: add.s32 %r2, %r2, 1; setp.le.u32 %p1, %r2, %r1; @%p1 bra AGAIN; mov.u32 %r3, 0;";
    for schedule in [Schedule::Its, Schedule::PreVolta] {
        let report = launch(body, 32, schedule);
        let c = report.lines[&("k.cu".to_owned(), LINE)];
        assert_eq!([c.instructions, c.branches, c.divergent_branches], [1 + 32 * 3 + 1, 32, 31], "{schedule:?}");
        let visits: u64 = (1..=32).sum();
        assert_eq!(c.active_thread_instructions, 32 + 3 * visits + 32);
        assert_eq!(c.thread_instructions, 32 + 3 * visits - 32 + 32, "the last turn's lane does not jump");
    }
    // Lanes apart take as many turns, one by one. They come apart where others could see it.
    let apart = format!("activemask.b32 %r4; {body}");
    let c = launch(&apart, 32, Schedule::Adversarial { seed: 6 }).counters;
    assert_eq!(c.branches, (1..=32).sum::<u64>());
}

#[test]
fn an_indexed_branch_is_one_branch() {
    let body = "and.b32 %r2, %r1, 1; T: .branchtargets A, B; brx.idx %r2, T; A: mov.u32 %r3, 0; B: mov.u32 %r4, 0;";
    let c = count(body);
    assert_eq!([c.branches, c.divergent_branches], [1, 1]);
}

#[test]
fn floating_point_operations_by_type() {
    let body = "mov.f32 %f1, 0f3F800000; add.f32 %f2, %f1, %f1; fma.rn.f32 %f3, %f1, %f1, %f2; min.f32 %f4, %f1, %f2; \
                div.rn.f32 %f5, %f1, %f2; rcp.approx.ftz.f32 %f6, %f1; mov.f64 %fd1, 0d3FF0000000000000; \
                mul.f64 %fd2, %fd1, %fd1; fma.rn.f64 %fd3, %fd1, %fd1, %fd1; mov.b32 %r2, 0; \
                fma.rn.f16x2 %r3, %r2, %r2, %r2; cvt.rn.f32.f64 %f7, %fd1;";
    let c = count(body);
    assert_eq!([c.flops_fp32, c.flops_fp64, c.flops_fp16, c.flops], [32 * 3, 32 * 3, 32 * 4, 32 * 10]);
    assert_eq!([c.thread_fp32, c.thread_fp64, c.thread_fp16], [32 * 3, 32 * 2, 32]);
    assert_eq!([c.thread_special, c.thread_conversion, c.thread_other], [64, 32, 32 * 3]);
    // Only lanes whose guard holds compute.
    let c = count("setp.lt.u32 %p1, %r1, 5; @%p1 fma.rn.f32 %f1, %f2, %f2, %f2;");
    assert_eq!([c.flops, c.thread_fp32], [10, 5]);
}

#[test]
fn values_of_a_match_by_warp() {
    let values = |masked: u32| {
        let body = format!("and.b32 %r2, %r1, {masked}; match.any.sync.b32 %r3, %r2, -1;");
        let c = count(&body);
        (c.votes, c.match_values)
    };
    assert_eq!([values(0), values(1), values(7), values(31)], [(1, 1), (1, 2), (1, 8), (1, 32)]);
    assert_eq!(count("match.all.sync.b32 %r3, %r1, -1;").match_values, 0);
}

/// What the machine code tests before it calls: subnormal and tiny dividends, divisors whose reciprocal is subnormal, zeros.
#[test]
fn divisions_and_roots_that_take_the_long_way() {
    let long = |body: &str| count(body).long_divisions;
    let of = |f32: &str, operation: &str| long(&format!("mov.b32 %f1, {f32}; mov.f32 %f2, 0f40400000; {operation};"));
    let (one, subnormal, tiny, huge) = ("0f3F800000", "0f006CE3EE", "0f00800000", "0f7F000000");
    let divisions = [one, subnormal, tiny, huge].map(|a| of(a, "div.rn.f32 %f3, %f1, %f2"));
    assert_eq!(divisions, [0, 1, 1, 0]);
    let divisors = [one, subnormal, tiny, huge].map(|b| of(b, "div.rn.f32 %f3, %f2, %f1"));
    assert_eq!(divisors, [0, 1, 1, 1]);
    assert_eq!([one, subnormal, huge].map(|a| of(a, "rcp.rn.f32 %f3, %f1")), [0, 1, 1]);
    assert_eq!([one, tiny, huge].map(|a| of(a, "sqrt.rn.f32 %f3, %f1")), [0, 1, 0]);
    assert_eq!(of(subnormal, "div.approx.f32 %f3, %f1, %f2"), 0);
    // Only lanes that divide count: none of them here.
    assert_eq!(of(subnormal, "setp.gt.u32 %p1, %r1, 40; @%p1 div.rn.f32 %f3, %f1, %f2"), 0);
    let double = |a: &str, operation: &str| long(&format!("mov.f64 %fd1, {a}; {operation};"));
    let (one, tiny) = ("0d3FF0000000000000", "0d0010000000000000");
    assert_eq!([one, tiny].map(|a| double(a, "div.rn.f64 %fd2, %fd1, 0d4008000000000000")), [0, 1]);
    assert_eq!([one, tiny].map(|a| double(a, "sqrt.rn.f64 %fd2, %fd1")), [0, 1]);
}

#[test]
fn exchanges_and_barriers_by_warp() {
    let c = count_block(
        "bar.sync 0; bar.warp.sync -1; shfl.sync.down.b32 %r2, %r1, 1, 31, -1; vote.sync.any.pred %p1, %p2, -1; \
         @%p3 st.global.u32 [%rd1], %r2;",
        96,
    );
    assert_eq!([c.barriers, c.warp_barriers, c.shuffles, c.votes], [3, 3, 3, 3]);
    assert_eq!([c.instructions, c.thread_exchange, c.thread_other], [15, 2 * 96, 2 * 96]);
}

#[test]
fn shuffles_in_vain_do_not_count() {
    let shuffle = "shfl.sync.down.b32 %r2|%p1, %r1, 1, 31, -1;";
    for (behind, expected) in [
        ("", 0),
        ("add.s32 %r3, %r2, 1; cvt.u64.u32 %rd2, %r3;", 0),
        ("vote.sync.any.pred %p2, %p1, -1;", 0),
        // Values that go round in a loop, and into each other.
        (
            "mov.u32 %r5, 0; L: shfl.sync.bfly.b32 %r4, %r2, 1, 31, -1; add.s32 %r2, %r2, %r4; add.s32 %r5, %r5, 1; \
          setp.lt.u32 %p2, %r5, 5; @%p2 bra L;",
            0,
        ),
        ("shfl.sync.bfly.b32 %r4, %r2, 1, 31, -1; add.s32 %r2, %r2, %r4; st.shared.u32 [tile], %r2;", 2),
        ("st.shared.u32 [tile], %r2;", 1),
        ("@%p1 st.shared.u32 [tile], %r1;", 1),
        ("selp.b32 %r3, 1, 2, %p1; st.local.u32 [own], %r3;", 1),
        ("setp.eq.s32 %p2, %r2, 999; @%p2 bra L; L:", 1),
        ("and.b32 %r3, %r2, 12; cvt.u64.u32 %rd2, %r3; add.s64 %rd2, %rd2, %rd1; ld.global.u32 %r3, [%rd2];", 1),
        ("red.shared.add.u32 [tile], %r2;", 1),
        ("vote.sync.ballot.b32 %r3, %p1, -1; st.shared.u32 [tile], %r3;", 1),
    ] {
        assert_eq!(count(&format!("{shuffle} {behind}")).shuffles, expected, "{behind}");
    }
}

#[test]
fn warps_count_where_the_kernel_begins() {
    let report = launch("mov.u32 %r2, 0;", 70, Schedule::Its);
    assert_eq!((report.counters.warps, report.lines[&("k.cu".to_owned(), 1)].warps), (3, 3));
}

#[test]
fn copies_are_a_load_and_a_store() {
    let place = "mov.u32 %r20, tile; shl.b32 %r21, %r1, 4; add.u32 %r20, %r20, %r21;";
    let c =
        count(&format!("{} {place} cp.async.cg.shared.global [%r20], [%rd2], 16; cp.async.wait_all;", global(0, 16)));
    assert_eq!([c.global_load_requests, c.global_load_sectors, c.global_load_bytes], [1, 16, 512]);
    assert_eq!([c.shared_store_requests, c.shared_store_wavefronts, c.shared_store_bytes], [1, 4, 512]);
    assert_eq!([c.thread_memory, c.instructions], [32, 8]);
    // Lanes that write zeros only do not read.
    let none =
        format!("{} {place} mov.u32 %r22, 0; cp.async.cg.shared.global [%r20], [%rd2], 16, %r22;", global(0, 16));
    let c = count(&none);
    assert_eq!([c.global_load_requests, c.shared_store_requests], [0, 1]);
}

/// An atomic whose old value is used is a load as well; `red`, and `atom` whose result nobody reads, are not.
#[test]
fn atomics_that_bring_something_back() {
    let of = |atomic: &str| {
        let c = count(&format!("{} {atomic}", global(0, 4)));
        [c.global_atomic_sectors, c.global_atomic_return_sectors, c.global_load_sectors]
    };
    assert_eq!(of("atom.global.add.u32 %r2, [%rd2], 0; st.global.u32 [%rd2], %r2;"), [4, 4, 0]);
    assert_eq!(of("atom.global.add.u32 %r2, [%rd2], 0; setp.eq.u32 %p1, %r2, 5; @%p1 trap;"), [4, 4, 0]);
    assert_eq!(of("atom.global.add.u32 %r2, [%rd2], 0;"), [4, 0, 0]);
    assert_eq!(of("red.global.add.u32 [%rd2], 1;"), [4, 0, 0]);
}

#[test]
fn fences_and_double_precision_in_any_way() {
    assert_eq!(count("membar.gl; fence.acq_rel.gpu;").fences, 2);
    let double = |body: &str| count(body).double_precision;
    assert_eq!(double("mov.f64 %fd1, 0d3FF0000000000000; mul.f64 %fd2, %fd1, %fd1;"), 32);
    assert_eq!(double("cvt.f64.f32 %fd1, %f1; div.rn.f64 %fd2, %fd1, %fd1; cvt.rn.f32.f64 %f2, %fd2;"), 96);
    assert_eq!(double("mul.f32 %f2, %f1, %f1;"), 0);
}

/// Which instructions ran: of a guard that is always false none, of a branch not taken none.
#[test]
fn coverage_knows_what_ran() {
    let text = ".version 8.0\n.target sm_90\n.address_size 64\n.file 1 \"k.cu\"\n.visible .entry k()\n{\n\
                .reg .pred %p<3>; .reg .b32 %r<9>;\n.loc 1 4 0\nmov.u32 %r1, %tid.x;\nsetp.gt.u32 %p1, %r1, 99;\n\
                .loc 1 5 0\n@%p1 add.u32 %r2, %r1, 1;\nsub.u32 %r2, %r1, 1;\n@!%p1 bra DONE;\n\
                .loc 1 6 0\nmul.lo.u32 %r3, %r1, %r1;\nDONE:\nret;\n}\n.visible .entry other()\n{\n.loc 1 9 0\nret;\n}\n";
    let module = Arc::new(Module::parse(text).expect("the test's PTX parses"));
    for (coverage, expected) in [(false, 0), (true, 7)] {
        let mut device = Device::new(module.clone(), Config { coverage, ..Config::default() });
        let launch = Launch {
            kernel: "k".into(),
            grid: [2, 1, 1],
            block: [64, 1, 1],
            shared: 0,
            args: vec![],
            cooperative: false,
        };
        let report = device.launch(&launch).expect("starts");
        assert_eq!(report.coverage.len(), expected, "{:?}", report.coverage);
        let ran = |opcode: &str| report.coverage.iter().find(|c| c.opcode == opcode).map(|c| (c.line, c.warps));
        if coverage {
            assert_eq!(ran("add.u32"), Some((5, 0)), "nobody's guard is true");
            assert_eq!(ran("sub.u32"), Some((5, 4)));
            assert_eq!(ran("mul.lo.u32"), Some((6, 0)), "a branch that nobody takes");
            assert!(report.coverage.iter().all(|c| c.line != 9), "another kernel is no part of it");
        }
    }
}

/// Lanes that leave from within a branch or a loop do not keep the others from meeting behind it.
#[test]
fn who_leaves_early_does_not_keep_the_rest_apart() {
    let rest = "add.u32 %r4, %r1, 1; add.u32 %r5, %r4, 1; add.u32 %r6, %r5, 1; add.u32 %r7, %r6, 1;";
    let odd = "and.b32 %r2, %r1, 1; setp.eq.u32 %p1, %r2, 0; @%p1 bra M;";
    let branch =
        |last: u32| format!("{odd} setp.gt.u32 %p2, %r1, {last}; @%p2 bra E; add.u32 %r3, %r1, 1; M: {rest} E:");
    let traps =
        format!("{odd} setp.gt.u32 %p2, %r1, 40; @%p2 bra T; add.u32 %r3, %r1, 1; M: {rest} bra E; T: trap; E:");
    let turns = |last: u32| {
        format!(
            "mov.u32 %r3, 0; L: setp.gt.u32 %p2, %r3, {last}; @%p2 bra E; add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, %r1;\n\
             @%p1 bra L; {rest} E:"
        )
    };
    let first = format!("setp.ge.u32 %p1, %r1, 20; @%p1 bra E; {odd} add.u32 %r3, %r1, 1; M: {rest} E:");
    let endless = format!(
        "mov.u32 %r3, 0; {odd} W: add.u32 %r3, %r3, 1; setp.gt.u32 %p2, %r3, 9; @%p2 bra E; bra W; M: {rest} E:"
    );
    for (what, body, expected) in [
        ("nobody leaves a branch", branch(40), 10),
        ("some leave a branch", branch(15), 10),
        ("nobody traps in a branch", traps, 11),
        ("nobody leaves a loop", turns(40), 1 + 31 * 5 + 4),
        ("some leave a loop", turns(20), 1 + 21 * 5 + 2 + 4),
        ("some leave at once", first, 2 + 3 + 1 + 4),
        ("all of a branch leave", endless, 4 + 9 * 4 + 3 + 4),
    ] {
        for schedule in [Schedule::Its, Schedule::PreVolta] {
            let report = launch(&body, 32, schedule);
            assert_eq!(report.lines[&("k.cu".to_owned(), LINE)].instructions, expected, "{what}: {schedule:?}");
        }
    }
}
