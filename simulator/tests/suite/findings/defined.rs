//! Undefined values: what may be done with them, what is a use, and where they came from.

use simulator::{
    Arg, Checks, Config, Device, Finding, FindingKind, Launch, LaunchReport, Limits, Module, Schedule, Severity, Usage,
};
use std::sync::Arc;

/// Runs `k(out, fresh)` with a warp: `out` has 32 words of 0, nobody has written the 64 words of `fresh`. `%r1` is the
/// thread, `%rd1` its word of `out`, `%rd2` its word of `fresh`. What the host would read undefined is among the findings.
fn run(declarations: &str, body: &str) -> (LaunchReport, Vec<u32>) {
    run_on(declarations, body, Config { checks: Checks { races: false, ..Checks::ALL }, ..Config::default() })
}

fn run_on(declarations: &str, body: &str, config: Config) -> (LaunchReport, Vec<u32>) {
    let text = format!(
        ".version 8.5\n.target sm_90\n.address_size 64\n{declarations}\n\
         .visible .entry k(.param .u64 out, .param .u64 fresh)\n{{\n\
         .reg .pred %p<9>; .reg .b16 %h<9>; .reg .b32 %r<30>; .reg .f32 %f<9>; .reg .b64 %rd<20>; .reg .f64 %d<9>;\n\
         ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [fresh]; mov.u32 %r1, %tid.x;\n\
         mad.wide.u32 %rd1, %r1, 4, %rd1; ld.param.u64 %rd4, [fresh]; mad.wide.u32 %rd2, %r1, 4, %rd2;\n\
         {body}\nret;\n}}\n"
    );
    let mut device = Device::new(Arc::new(Module::parse(&text).expect("the test's PTX parses")), config);
    let out = device.alloc("out", 128).expect("fits");
    let fresh = device.alloc("fresh", 256).expect("fits");
    device.write(out, &[0; 128]).expect("inside");
    device.poison(fresh, 256, &[0x7b]).expect("inside");
    let launch = Launch {
        kernel: "k".into(),
        grid: [1; 3],
        block: [32, 1, 1],
        shared: 0,
        args: vec![Arg::Pointer(out), Arg::Pointer(fresh)],
        cooperative: false,
    };
    let mut report = device.launch(&launch).expect("starts");
    report.findings.extend(device.undefined(out, 128));
    let mut bytes = [0; 128];
    device.read(out, &mut bytes).expect("inside");
    let words = bytes.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]));
    (report, words.collect())
}

/// The ways in which undefined values are used.
fn uses(findings: &[Finding]) -> Vec<Usage> {
    let usage = |finding: &Finding| match &finding.kind {
        FindingKind::Uninitialised { usage, .. } => usage.clone(),
        other => panic!("another finding: {other}"),
    };
    findings.iter().map(usage).collect()
}

/// Bodies of kernels and whether the word that they store is undefined.
fn outputs(cases: &[(&str, &str)], wrong: bool) {
    for (what, body) in cases {
        let (report, _) = run(".shared .align 16 .b8 s[256];", &format!("{body}\nst.global.u32 [%rd1], %r9;"));
        let found = uses(&report.findings);
        let is_output =
            |usage: &Usage| matches!(usage, Usage::Output { object } if object.to_string().starts_with("`out` + "));
        assert_eq!(found.len(), usize::from(wrong), "{what}: {found:?}");
        assert!(found.iter().all(is_output), "{what}: {found:?}");
    }
}

const FRESH: &str = "ld.global.u32 %r2, [%rd2];";

#[test]
fn bits_that_are_thrown_away_are_defined() {
    outputs(
        &[
            ("and", &format!("{FRESH} and.b32 %r9, %r2, 0;")),
            ("or", &format!("{FRESH} or.b32 %r9, %r2, -1;")),
            ("xor with itself", &format!("{FRESH} xor.b32 %r9, %r2, %r2;")),
            ("difference with itself", &format!("{FRESH} sub.s32 %r9, %r2, %r2;")),
            ("product with 0", &format!("{FRESH} mul.lo.s32 %r9, %r2, 0;")),
            ("shifted out", &format!("{FRESH} shl.b32 %r3, %r2, 31; shl.b32 %r9, %r3, 1;")),
            ("bits below", &format!("{FRESH} shl.b32 %r3, %r2, 8; and.b32 %r9, %r3, 255;")),
            ("selection of the other", &format!("{FRESH} setp.lt.u32 %p1, %r1, 64; selp.b32 %r9, %r1, %r2, %p1;")),
            ("both sides alike", "ld.global.u32 %r2, [%rd2]; setp.lt.u32 %p1, %r2, 7; selp.b32 %r9, 5, 5, %p1;"),
            (
                "condition that is false anyhow",
                &format!(
                    "{FRESH} setp.lt.u32 %p1, %r2, 7; setp.gt.u32 %p2, %r1, 99; and.pred %p3, %p1, %p2; selp.b32 %r9, 1, 0, %p3;"
                ),
            ),
            ("bytes of others", &format!("{FRESH} prmt.b32 %r9, %r1, %r2, 0x3210;")),
            ("field put in whole", &format!("{FRESH} bfi.b32 %r9, %r1, %r2, 0, 32;")),
            ("field taken of what is known", "st.shared.u16 [s], 5; ld.shared.u32 %r2, [s]; bfe.u32 %r9, %r2, 3, 13;"),
            ("logic of three", &format!("{FRESH} lop3.b32 %r9, %r1, %r1, %r2, 0xc0;")),
            ("minimum with 0", &format!("{FRESH} min.u32 %r9, %r2, 0;")),
            (
                "narrowed",
                "ld.global.u16 %h1, [%rd2]; mov.b32 %r3, {%h2, %h1}; mov.u16 %h3, 3; mov.b32 %r9, {%h3, %h3};",
            ),
            (
                "high half",
                &format!("{FRESH} mov.b64 %rd5, {{%r2, %r1}}; shr.u64 %rd6, %rd5, 32; cvt.u32.u64 %r9, %rd6;"),
            ),
            ("unused element", "st.shared.u32 [s+4], 3; ld.shared.v2.u32 {%r3, %r9}, [s];"),
            (
                "another lane's",
                &format!(
                    "{FRESH} setp.lt.u32 %p1, %r1, 16; selp.b32 %r3, %r1, %r2, %p1; shfl.sync.idx.b32 %r9, %r3, 3, 31, -1;"
                ),
            ),
            ("written over", &format!("{FRESH} mov.u32 %r2, 3; mov.u32 %r9, %r2;")),
            // As tiles of several warps clear their bits of a barrier: what is beside them stays unknown.
            (
                "bits that atomics cleared one by one",
                "red.global.and.b32 [%rd2], -2; red.global.and.b32 [%rd2], -5; red.global.or.b32 [%rd2], 8; \
                 ld.global.u32 %r2, [%rd2]; and.b32 %r9, %r2, 13;",
            ),
            ("old value that nobody looks at", "atom.global.exch.b32 %r3, [%rd2], 5; ld.global.u32 %r9, [%rd2];"),
            (
                "memory of which a part is overwritten",
                &format!(
                    "{FRESH} st.shared.u32 [s], %r2; st.shared.u16 [s], 1; st.shared.u16 [s+2], 1; ld.shared.u32 %r9, [s];"
                ),
            ),
        ],
        false,
    );
}

#[test]
fn results_of_undefined_values_are_undefined() {
    outputs(
        &[
            ("copied", &format!("{FRESH} mov.u32 %r9, %r2;")),
            ("through arithmetic", &format!("{FRESH} add.s32 %r3, %r2, 1; mul.lo.s32 %r9, %r3, 3;")),
            ("one bit of it", &format!("{FRESH} and.b32 %r9, %r2, 1;")),
            ("sign of a byte", "ld.global.s8 %r2, [%rd2]; shr.s32 %r9, %r2, 31;"),
            ("comparison as equal", &format!("{FRESH} setp.eq.u32 %p1, %r2, 123456; selp.b32 %r9, 1, 0, %p1;")),
            ("comparison as a number", &format!("{FRESH} set.eq.u32.u32 %r9, %r2, 123456;")),
            ("two of them", "ld.global.v2.u32 {%r2, %r3}, [%rd4]; setp.lt.s32 %p1, %r2, %r3; selp.b32 %r9, 1, 0, %p1;"),
            ("float", "ld.global.f32 %f1, [%rd2]; add.f32 %f2, %f1, 0f3F800000; mov.b32 %r9, %f2;"),
            ("maximum of floats", "ld.global.f32 %f1, [%rd2]; max.f32 %f2, %f1, 0f3F800000; mov.b32 %r9, %f2;"),
            ("float as integer", "ld.global.f32 %f1, [%rd2]; cvt.rzi.s32.f32 %r9, %f1;"),
            ("double", "ld.global.f64 %d1, [%rd4]; add.f64 %d1, %d1, %d1; mov.b64 {%r9, %r3}, %d1;"),
            ("index of a shift", &format!("{FRESH} shl.b32 %r9, 1, %r2;")),
            ("through shared memory", &format!("{FRESH} st.shared.u32 [s], %r2; ld.shared.u32 %r9, [s];")),
            ("of another lane", &format!("{FRESH} shfl.sync.bfly.b32 %r9, %r2, 1, 31, -1;")),
            ("chosen by another lane", &format!("{FRESH} shfl.sync.idx.b32 %r9, %r1, %r2, 31, -1;")),
            ("ballot", &format!("{FRESH} setp.gt.u32 %p1, %r2, 5; vote.sync.ballot.b32 %r9, %p1, -1;")),
            ("sum of a warp", &format!("{FRESH} redux.sync.add.s32 %r9, %r2, -1;")),
            ("matches", &format!("{FRESH} match.any.sync.b32 %r9, %r2, -1;")),
            (
                "a bit beside those that atomics cleared",
                "red.global.and.b32 [%rd2], -2; red.global.and.b32 [%rd2], -5; ld.global.u32 %r2, [%rd2]; and.b32 %r9, %r2, 7;",
            ),
            ("old value", "atom.global.exch.b32 %r9, [%rd2], 5;"),
            ("sum of an atomic", "red.global.add.u32 [%rd2], 1; ld.global.u32 %r9, [%rd2];"),
            (
                "exchanged into memory",
                &format!(
                    "{FRESH} mov.u32 %r3, 3; st.shared.u32 [s], %r3; atom.shared.exch.b32 %r4, [s], %r2; ld.shared.u32 %r9, [s];"
                ),
            ),
            (
                "copied by cp.async",
                "cp.async.ca.shared.global [s], [%rd2], 4; cp.async.wait_all; ld.shared.u32 %r9, [s];",
            ),
            (
                "discarded",
                "mov.u64 %rd5, 0; ld.param.u64 %rd5, [fresh]; st.global.u32 [%rd2], 3; bar.warp.sync -1; \
              setp.eq.u32 %p1, %r1, 0; @%p1 discard.global.L2 [%rd5], 128; bar.warp.sync -1; ld.global.u32 %r9, [%rd2];",
            ),
            ("a register without a value", "add.u32 %r9, %r20, 1;"),
            ("a register set on one way", "setp.gt.u32 %p1, %r1, 99; @%p1 mov.u32 %r9, 3;"),
            ("a predicate without a value", "selp.b32 %r9, 1, 2, %p7;"),
        ],
        true,
    );
}

#[test]
fn a_use_is_an_address_a_condition_and_what_decides() {
    let cases = [
        (
            "address",
            "ld.param.u64 %rd5, [out]; and.b32 %r3, %r2, 28; cvt.u64.u32 %rd6, %r3; add.s64 %rd5, %rd5, %rd6; \
          ld.global.u32 %r4, [%rd5];",
            Usage::Address,
        ),
        (
            "address of a store",
            "ld.param.u64 %rd5, [out]; and.b32 %r3, %r2, 28; cvt.u64.u32 %rd6, %r3; \
          add.s64 %rd5, %rd5, %rd6; st.global.u32 [%rd5], 1;",
            Usage::Address,
        ),
        ("branch", "setp.gt.u32 %p1, %r2, 5; @%p1 bra L; st.shared.u32 [s], 1; L:", Usage::Condition),
        ("guarded store", "setp.gt.u32 %p1, %r2, 5; @%p1 st.shared.u32 [s], 1;", Usage::Condition),
        (
            "table of jumps",
            "and.b32 %r3, %r2, 1; ts: .branchtargets A, B; brx.idx %r3, ts; A: mov.u32 %r4, 1; B:",
            Usage::Condition,
        ),
        ("bytes to copy", "and.b32 %r3, %r2, 4; cp.async.ca.shared.global [s], [%rd2], 4, %r3;", Usage::Condition),
    ];
    for (what, body, usage) in cases {
        let (report, _) = run(".shared .align 16 .b8 s[256];", &format!("{FRESH} {body}"));
        assert_eq!(uses(&report.findings), [usage], "{what}");
        let FindingKind::Uninitialised { access, .. } = &report.findings[0].kind else { panic!("{what}") };
        assert_eq!((access.object.to_string().as_str(), access.what.as_str()), ("`fresh` + 0", "read"), "{what}");
        assert!(report.findings[0].place.ptx_line >= access.place.ptx_line, "{what}: used after it was read");
    }
}

#[test]
fn calls_hand_undefined_values_on() {
    let functions = ".func (.param .b32 r) same(.param .b32 a) {\n.reg .b32 %x;\nld.param.b32 %x, [a];\n\
                     st.param.b32 [r], %x;\nret;\n}\n\
                     .func (.param .b32 r) other(.param .b32 a, .param .b32 b) {\n.reg .b32 %x;\nld.param.b32 %x, [b];\n\
                     st.param.b32 [r], %x;\nret;\n}";
    let call = |name: &str, arguments: &str| {
        format!(
            "{FRESH} {{ .param .b32 p; .param .b32 q; .param .b32 v; st.param.b32 [p], %r2; st.param.b32 [q], %r1; \
             call.uni (v), {name}, ({arguments}); ld.param.b32 %r9, [v]; }} st.global.u32 [%rd1], %r9;"
        )
    };
    assert_eq!(uses(&run(functions, &call("same", "p")).0.findings).len(), 1);
    assert_eq!(uses(&run(functions, &call("other", "p, q")).0.findings), []);
}

#[test]
fn a_second_call_finds_its_locals_empty() {
    // The first call writes its local word, the second reads it.
    let function = ".func (.param .b32 r) f(.param .b32 write) {\n.local .align 4 .b8 a[4];\n.reg .b32 %x;\n.reg .pred %p;\n\
                    ld.param.b32 %x, [write];\nsetp.eq.u32 %p, %x, 0;\n@%p bra READ;\nst.local.u32 [a], %x;\nREAD:\n\
                    ld.local.u32 %x, [a];\nst.param.b32 [r], %x;\nret;\n}";
    let call = |write: u32| {
        format!(
            "{{ .param .b32 p; .param .b32 v; st.param.b32 [p], {write}; call.uni (v), f, (p); ld.param.b32 %r9, [v]; }}"
        )
    };
    let store = "st.global.u32 [%rd1], %r9;";
    assert_eq!(uses(&run(function, &format!("{} {store}", call(5))).0.findings), []);
    assert_eq!(uses(&run(function, &format!("{} {} {store}", call(5), call(0))).0.findings).len(), 1);
}

#[test]
fn nothing_is_zero_by_luck() {
    // Shared memory, local memory, a register: never 0, and drawn from the seed, with and without checks.
    let alone = [
        "ld.shared.u32 %r4, [s]; st.global.u32 [%rd1], %r4;",
        "ld.local.u32 %r4, [l]; st.global.u32 [%rd1], %r4;",
        "st.global.u32 [%rd1], %r20;",
    ];
    for checks in [Checks::ALL, Checks::NONE] {
        let values = |body: &str, seed: u64| {
            let body = format!(".local .align 4 .b8 l[4]; {body}");
            run_on(".shared .align 4 .b8 s[4];", &body, Config { checks, seed, ..Config::default() }).1
        };
        for body in alone {
            assert!(values(body, 1).iter().all(|value| *value != 0), "{body}");
            assert_ne!(values(body, 1), values(body, 2), "{body}: another seed, another value");
        }
        assert_eq!(values(alone[0], 3), values(alone[0], 3), "the same seed, the same values");
    }
}

#[test]
fn one_mistake_is_one_finding() {
    let body = "mov.u32 %r5, 0; L: ld.global.u32 %r2, [%rd2]; setp.gt.u32 %p1, %r2, 5; @%p1 bra M; M: \
                setp.gt.u32 %p2, %r2, 9; @%p2 bra N; N: add.u32 %r5, %r5, 1; setp.lt.u32 %p3, %r5, 50; @%p3 bra L;";
    assert_eq!(uses(&run("", body).0.findings), [Usage::Condition]);
}

/// How long a loop goes on whose bound nothing has written is by chance: the bound is the fault, and not that it takes long.
#[test]
fn a_loop_with_an_undefined_bound_is_ended_by_that() {
    let loops = [
        "L: add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, %r2; @%p1 bra L; st.global.u32 [%rd1], %r3;",
        // What has been told of is met anew in each turn.
        "L: ld.global.u32 %r4, [%rd2]; mad.lo.u32 %r3, %r3, 3, 1; setp.ne.u32 %p1, %r3, %r4; @%p1 bra L;",
        "L: atom.global.add.u32 %r4, [%rd2+128], 1; setp.lt.u32 %p1, %r4, 0x7fffffff; @%p1 bra L;",
    ];
    for body in loops {
        for schedule in [Schedule::Its, Schedule::Adversarial { seed: 3 }] {
            let limits = Limits { steps: 1 << 24, ..Limits::default() };
            let checks = Checks { races: false, ..Checks::ALL };
            let config = Config { limits, schedule, checks, ..Config::default() };
            let report = run_on("", &format!("ld.global.u32 %r2, [%rd2]; mov.u32 %r3, 0;\n{body}"), config).0;
            let faults: Vec<&Finding> = report.findings.iter().filter(|one| one.severity == Severity::Fault).collect();
            let [Finding { kind: FindingKind::Uninitialised { usage: Usage::Condition, .. }, .. }] = *faults else {
                panic!("{body}: {:?}", report.findings);
            };
            assert!(report.counters.instructions < 1 << 20, "{body}: {}", report.counters.instructions);
        }
    }
}

#[test]
fn a_product_of_matrices_is_undefined_where_its_elements_are() {
    // Row 0 of A is undefined in lanes 0 to 3: so is row 0 of D, and no other.
    let product = |stored: &str| {
        format!(
            "{FRESH} setp.lt.u32 %p1, %r1, 4; selp.b32 %r3, %r2, 0, %p1; mov.u32 %r4, 1006648320; mov.f32 %f8, 0f00000000; \
             mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {{%f1, %f2, %f3, %f4}}, {{%r3, %r4}}, {{%r4}}, \
             {{%f8, %f8, %f8, %f8}}; {stored}"
        )
    };
    assert_eq!(uses(&run("", &product("st.global.f32 [%rd1], %f3;")).0.findings), []);
    assert_eq!(uses(&run("", &product("st.global.f32 [%rd1], %f1;")).0.findings).len(), 1);
}

#[test]
fn inputs_are_only_read() {
    let text = ".version 8.5\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 in)\n{\n.reg .b64 %a; .reg .b32 %v;\n\
                ld.param.u64 %a, [in];\nld.global.u32 %v, [%a];\n";
    let cases = [
        ("st.global.u32 [%a], 7;", 1),
        // Put back, or never changed.
        ("st.global.u32 [%a], 7; st.global.u32 [%a], %v;", 1),
        ("st.global.u32 [%a], %v;", 1),
        ("red.global.add.u32 [%a], 0;", 1),
        ("atom.global.exch.b32 %v, [%a], %v;", 1),
        ("st.global.u8 [%a+3], 0;", 1),
        ("ld.global.u32 %v, [%a+4];", 0),
    ];
    for (body, expected) in cases {
        for checks in [Checks::NONE, Checks::ALL] {
            let module = Module::parse(&format!("{text}{body}\nret;\n}}\n")).expect("parses");
            let mut device = Device::new(Arc::new(module), Config { checks, ..Config::default() });
            let input = device.alloc("in", 8).expect("fits");
            device.write(input, &[0; 8]).expect("inside");
            device.protect(input).expect("is there");
            let args = vec![Arg::Pointer(input)];
            let launch =
                Launch { kernel: "k".into(), grid: [1; 3], block: [1; 3], shared: 0, args, cooperative: false };
            let report = device.launch(&launch).expect("starts");
            let changed = report.findings.iter().filter(|f| matches!(f.kind, FindingKind::InputChanged { .. })).count();
            assert_eq!((changed > 0, report.findings.len() - changed), (expected > 0, 0), "{body}");
        }
    }
}

/// Of a call through a pointer to a function that returns less than its prototype says, the rest is nobody's; so is that of an argument.
#[test]
fn what_a_prototype_promises_beyond_the_function_has_no_value() {
    let functions = ".func (.param .b32 r) half(.param .b32 a) { .reg .b32 x; ld.param.b32 x, [a]; st.param.b32 [r], x; ret; }\n\
                     .func (.param .b32 r) high(.param .b64 a) { .reg .b32 x; ld.param.b32 x, [a+4]; st.param.b32 [r], x; ret; }";
    let call = |function: &str, (returns, takes): (&str, &str), read: &str| {
        let body = format!(
            "mov.u64 %rd3, {function}; {{ .param .{takes} p; .param .{returns} q; st.param.{takes} [p], {};\n\
             proto: .callprototype (.param .{returns} _) _ (.param .{takes} _); call (q), %rd3, (p), proto; {read} }}\n\
             st.global.u32 [%rd1], %r9;",
            if takes == "b32" { "%r1" } else { "%rd2" }
        );
        uses(&run(functions, &body).0.findings).len()
    };
    let upper = "ld.param.b64 %rd5, [q]; shr.u64 %rd5, %rd5, 32; cvt.u32.u64 %r9, %rd5;";
    let lower = "ld.param.b64 %rd5, [q]; cvt.u32.u64 %r9, %rd5;";
    assert_eq!(call("half", ("b64", "b32"), upper), 1);
    assert_eq!(call("half", ("b64", "b32"), "ld.param.b32 %r9, [q+4];"), 1);
    assert_eq!(call("half", ("b64", "b32"), lower), 0);
    assert_eq!(call("high", ("b32", "b32"), "ld.param.b32 %r9, [q];"), 1);
    assert_eq!(call("high", ("b32", "b64"), "ld.param.b32 %r9, [q];"), 0);
}
