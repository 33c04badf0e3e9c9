//! Where `wmma` may find a matrix in memory, and what order lanes store one in.

use simulator::{Arg, Config, Device, FindingKind, Launch, Module, Schedule};
use std::sync::Arc;

/// What is said of an access to a matrix that begins `%rd1` bytes behind 4 KiB of global memory's beginning.
fn said(access: &str, begin: u32) -> Vec<String> {
    let text = format!(
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 a) {{\n\
         .reg .b32 %r<20>; .reg .b64 %rd<4>; ld.param.u64 %rd1, [a]; add.s64 %rd1, %rd1, {begin};\n\
         mov.u32 %r0, 0; mov.u32 %r1, 0; mov.u32 %r2, 0; mov.u32 %r3, 0; mov.u32 %r4, 0; mov.u32 %r5, 0; mov.u32 %r6, 0;\n\
         mov.u32 %r7, 0; {access} ret; }}"
    );
    let mut device = Device::new(Arc::new(Module::parse(&text).expect("the test's PTX parses")), Config::default());
    let a = device.alloc("a", 4096).expect("fits");
    device.write(a, &[0; 4096]).expect("inside");
    let args = vec![Arg::Pointer(a)];
    let launch = Launch { kernel: "k".into(), grid: [1; 3], block: [32, 1, 1], shared: 0, args, cooperative: false };
    let misaligned = |finding: &simulator::Finding| match &finding.kind {
        FindingKind::Misaligned { access } => format!("{} of {} at {}", access.what, access.size, access.object),
        other => panic!("{other}"),
    };
    device.launch(&launch).expect("starts").findings.iter().map(misaligned).collect()
}

#[test]
fn matrices_begin_at_256_bits_and_have_rows_of_128() {
    let all = "{%r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7}";
    let half = |apart: u32| format!("wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {all}, [%rd1], {apart};");
    let byte = |apart: u32| format!("wmma.load.a.sync.aligned.row.m16n16k16.global.s8 {{%r0, %r1}}, [%rd1], {apart};");
    let float = |apart: u32| format!("wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [%rd1], {all}, {apart};");
    let cases = [
        (half(16), 0, ""),
        (half(16), 32, ""),
        (half(24), 0, ""),
        (half(16), 2, "read of 32 at `a` + 2"),
        (half(16), 16, "read of 32 at `a` + 16"),
        (half(17), 0, "read of 16 at `a` + 34"),
        (half(20), 32, "read of 16 at `a` + 72"),
        (byte(32), 16, ""),
        (byte(32), 4, "read of 8 at `a` + 4"),
        (byte(24), 0, "read of 16 at `a` + 24"),
        (float(20), 32, ""),
        (float(18), 0, "write of 16 at `a` + 72"),
        (float(16), 16, "write of 32 at `a` + 16"),
    ];
    for (access, begin, expected) in cases {
        assert_eq!(said(&access, begin).join("; "), expected, "{access} from {begin} on");
    }
}

/// What a warp leaves in global memory, all 0 before, under a schedule; `%rd1` is its address and `%r0` to `%r7` what a lane has.
fn left(schedule: Schedule, body: &str) -> Vec<u8> {
    let text = format!(
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 a) {{\n\
         .reg .b32 %r<20>; .reg .b64 %rd<4>; .shared .align 16 .b8 s[256]; ld.param.u64 %rd1, [a]; mov.u32 %r0, %tid.x;\n\
         add.u32 %r1, %r0, 32; add.u32 %r2, %r0, 64; add.u32 %r3, %r0, 96; add.u32 %r4, %r0, 128; add.u32 %r5, %r0, 160;\n\
         add.u32 %r6, %r0, 192; add.u32 %r7, %r0, 224; mad.wide.u32 %rd2, %r0, 4, %rd1; {body} ret; }}"
    );
    let module = Arc::new(Module::parse(&text).expect("the test's PTX parses"));
    let mut device = Device::new(module, Config { schedule, ..Config::default() });
    let a = device.alloc("a", 2048).expect("fits");
    device.write(a, &[0; 2048]).expect("inside");
    let args = vec![Arg::Pointer(a)];
    let launch = Launch { kernel: "k".into(), grid: [1; 3], block: [32, 1, 1], shared: 0, args, cooperative: false };
    assert_eq!(device.launch(&launch).expect("starts").findings, [], "{body}");
    let mut bytes = vec![0; 2048];
    device.read(a, &mut bytes).expect("inside");
    bytes
}

/// Rows of a matrix that lie on each other: who comes last is open, and some order shows it.
#[test]
fn which_of_the_lanes_that_store_a_matrix_comes_last_is_open() {
    let tile = |apart: u32| {
        format!(
            "wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [%rd1], {{%r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7}}, {apart};"
        )
    };
    let rows = |at: &str| {
        format!(
            "and.b32 %r8, %r0, 7; {at} shl.b32 %r8, %r8, 4; mov.u32 %r9, s; add.u32 %r8, %r8, %r9; shl.b32 %r10, %r0, 2;\n\
             add.u32 %r9, %r9, %r10; st.shared.u32 [%r9], %r10; bar.warp.sync -1;\n\
             stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r8], {{%r0}}; bar.warp.sync -1;\n\
             ld.shared.u32 %r10, [%r9]; st.global.u32 [%rd2], %r10;"
        )
    };
    let cases = [(tile(16), true), (tile(8), false), (rows(""), true), (rows("min.u32 %r8, %r8, 6;"), false)];
    for (body, right) in cases {
        let its = left(Schedule::Its, &body);
        for seed in [3, 7] {
            assert_eq!(left(Schedule::Adversarial { seed }, &body) == its, right, "{seed}: {body}");
        }
        let same = (8..24).filter(|&seed| left(Schedule::Adversarial { seed }, &body) == its).count();
        assert!(if right { same == 16 } else { (1..16).contains(&same) }, "{same}: {body}");
    }
}
