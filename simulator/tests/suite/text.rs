//! What PTX text says beside its opcodes: modifiers, constants, promises to the assembler, directives, reserved memory.

use simulator::{Arg, Config, Device, FindingKind, Launch, LaunchError, LaunchReport, LaunchStatus, Module};
use std::sync::Arc;

const WORDS: usize = 64;

/// A kernel `k(u64 out)` of `head` after its parameters, with declarations before it.
fn text(declarations: &str, head: &str, body: &str) -> String {
    format!(
        ".version 9.0\n.target sm_90\n.address_size 64\n{declarations}\n.visible .entry k(.param .u64 k_param_0)\n{head}\n\
         {{\n.reg .pred %p<9>; .reg .b16 %rs<9>; .reg .b32 %r<20>; .reg .f32 %f<9>; .reg .f64 %fd<9>; .reg .b64 %rd<20>;\n\
         ld.param.u64 %rd1, [k_param_0];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd3, %rd1, %rd2;\n\
         {body}\n}}\n"
    )
}

fn launch(text: &str, block: [u32; 3], shared: u32) -> Result<(LaunchReport, Vec<u32>), LaunchError> {
    let module = Arc::new(Module::parse(text).unwrap_or_else(|error| panic!("{error}: {text}")));
    let mut device = Device::new(module, Config::default());
    let out = device.alloc("out", 4 * WORDS as u64).expect("fits");
    device.write(out, &[0; 4 * WORDS]).expect("inside");
    let (kernel, args) = ("k".into(), vec![Arg::Pointer(out)]);
    let report = device.launch(&Launch { kernel, grid: [1; 3], block, shared, args, cooperative: false })?;
    let mut bytes = vec![0; 4 * WORDS];
    device.read(out, &mut bytes).expect("inside");
    let words = bytes.chunks(4).map(|word| u32::from_le_bytes(word.try_into().expect("four bytes"))).collect();
    Ok((report, words))
}

fn run(declarations: &str, body: &str) -> (LaunchReport, Vec<u32>) {
    launch(&text(declarations, "", body), [32, 1, 1], 0).expect("starts")
}

const STORE: &str = "st.global.b32 [%rd3], %r2; ret;";

/// The first finding, of a launch that it stopped.
fn stopped(declarations: &str, body: &str) -> FindingKind {
    let (report, _) = run(declarations, body);
    assert_eq!(report.status, LaunchStatus::Stopped, "{body}");
    report.findings[0].kind.clone()
}

/// A modifier that an instruction does not have is named, whatever the instruction is.
#[test]
fn an_unknown_modifier_is_named() {
    let cases = [
        ("add.bogus.s32 %r2, %r1, 1;", "bogus"),
        ("add.rn.s32 %r2, %r1, 1;", "rn"),
        ("add.lo.s32 %r2, %r1, 1;", "lo"),
        ("sqrt.weird.rn.f32 %f1, 0f40800000;", "weird"),
        ("add.approx.f32 %f1, 0f40800000, 0f40800000;", "approx"),
        ("bar.sync.foo 0;", "foo"),
        ("shfl.sync.bfly.wide.b32 %r2, %r1, 1, 31, -1;", "wide"),
        ("vote.sync.any.nearly.pred %p1, %p2, -1;", "nearly"),
        ("ld.global.L3::evict.u32 %r2, [%rd3];", "L3::evict"),
        ("st.global.nc.twice.u32 [%rd3], %r1;", "twice"),
        ("atom.global.add.sat.u32 %r2, [%rd3], 1;", "sat"),
        ("membar.gl.slow;", "slow"),
        ("mul.lo.hi2.s32 %r2, %r1, 3;", "hi2"),
        ("setp.lt.gt.s32 %p1, %r1, 3;", "gt"),
        ("cvt.u32.u16.exact %r2, %rs1;", "exact"),
        ("mov.volatile.u32 %r2, %r1;", "volatile"),
        ("selp.approx.b32 %r2, %r1, 3, %p1;", "approx"),
        ("prmt.b32.f5e %r2, %r1, %r1, 0;", "f5e"),
        ("cvta.from.global.u64 %rd5, %rd3;", "from"),
        ("bra.maybe DONE; DONE:", "maybe"),
        ("min.xorsign.s32 %r2, %r1, 3;", "xorsign"),
    ];
    for (body, name) in cases {
        let kind = stopped("", &format!("setp.eq.s32 %p2, %r1, 0; mov.b16 %rs1, 1; {body} ret;"));
        let FindingKind::Unsupported { instruction } = kind else { panic!("{body}: {kind:?}") };
        assert!(instruction.contains(&format!("(its modifier .{name})")), "{body}: {instruction}");
    }
}

/// Combinations that the assembler refuses are not run as something else.
#[test]
fn combinations_that_mean_nothing_are_refused() {
    let cases = [
        "div.f32 %f1, 0f40800000, 0f40000000;",
        "fma.f32 %f1, 0f40800000, 0f40000000, 0f40000000;",
        "sqrt.f32 %f1, 0f40800000;",
        "rcp.f64 %fd1, 0d4010000000000000;",
        "sin.f32 %f1, 0f40800000;",
        "add.sat.u32 %r2, %r1, 1;",
        "add.sat.f64 %fd1, 0d4010000000000000, 0d4010000000000000;",
        "add.ftz.f64 %fd1, 0d4010000000000000, 0d4010000000000000;",
        "add.rna.f32 %f1, 0f40800000, 0f40000000;",
        "add.s32.u32 %r2, %r1, 1;",
        "shf.wrap.b32 %r2, %r1, %r1, 3;",
        "cvt.satfinite.f16.f32 %rs1, 0f7F000000;",
        "cvt.rn.satfinite.f16.f64 %rs1, 0d4010000000000000;",
        "cvt.rm.satfinite.f16.f32 %rs1, 0f7F000000;",
        "match.sync.b32 %r2, %r1, -1;",
        "bar.red.xor.pred %p1, 0, %p1;",
    ];
    for body in cases {
        let kind = stopped("", &format!("setp.eq.s32 %p1, %r1, 0; {body} ret;"));
        assert!(matches!(kind, FindingKind::Unsupported { .. }), "{body}: {kind:?}");
    }
}

/// `.satfinite` for destinations of 16 bits: nothing but NaN is beyond the largest finite number.
#[test]
fn conversions_end_at_the_largest_finite_number() {
    let half = |convert: &str| format!("{convert}; cvt.u32.u16 %r2, %rs2;");
    let cases = [
        (half("cvt.rn.satfinite.f16.f32 %rs2, 0f7F000000"), 0x7bff),
        (half("cvt.rn.satfinite.f16.f32 %rs2, 0f477FF000"), 0x7bff),
        (half("cvt.rn.f16.f32 %rs2, 0f477FF000"), 0x7c00),
        (half("cvt.rn.satfinite.f16.f32 %rs2, 0fFF800000"), 0xfbff),
        (half("cvt.rz.satfinite.f16.f32 %rs2, 0fFFC00000"), 0x7fff),
        (half("cvt.rn.relu.satfinite.f16.f32 %rs2, 0fFF800000"), 0),
        (half("cvt.rn.satfinite.f16.f32 %rs2, 0f3F800000"), 0x3c00),
        (half("cvt.rz.satfinite.bf16.f32 %rs2, 0f7F800000"), 0x7f7f),
        (half("cvt.rn.satfinite.bf16.f32 %rs2, 0fFF7FFFFF"), 0xff7f),
        ("cvt.rn.satfinite.f16x2.f32 %r2, 0f7F800000, 0f3F800000;".to_owned(), 0x7bff_3c00),
        ("cvt.rn.satfinite.bf16x2.f32 %r2, 0f7FC00000, 0fFF800000;".to_owned(), 0x7fff_ff7f),
    ];
    for (convert, expected) in cases {
        let (report, out) = run("", &format!("{convert} {STORE}"));
        assert_eq!(report.findings, [], "{convert}");
        assert_eq!(out[0], expected, "{convert}: {:#x}", out[0]);
    }
}

/// Hints about caches, and words that every form has, change nothing.
#[test]
fn hints_are_taken() {
    let body = format!(
        "ld.global.nc.L1::no_allocate.L2::128B.v2.u32 {{%r3, %r4}}, [%rd1]; st.global.wb.L2::cache_hint.u32 [%rd3], %r1, %rd1; \
         cp.async.bulk.prefetch.L2.global [%rd1], 64; cp.async.bulk.prefetch.L2.global.L2::cache_hint [%rd1], 64, %rd7; \
         prefetch.global.L2::evict_last [%rd1]; mul.lo.u32 %r5, %r1, 2; shf.l.clamp.b32 %r6, %r5, %r5, 0; createpolicy.fractional.L2::evict_first.b64 \
         %rd7, 1.0; activemask.b32 %r7; membar.gl; fence.proxy.alias; bar.sync 0; vote.sync.ballot.b32 %r8, 1, -1; \
         ld.relaxed.gpu.global.L1::evict_first.u32 %r2, [%rd3]; {STORE}"
    );
    let (report, out) = run("", &body);
    assert_eq!(report.findings, []);
    assert!((0..32).all(|i| out[i] == i as u32), "{out:?}");
}

/// Constants are expressions, with C's operators, precedence and signs.
#[test]
fn constants_are_expressions() {
    let cases: [(&str, u32); 42] = [
        ("1+2*3", 7),
        ("(1+2)*3", 9),
        ("-(4)", -4i32 as u32),
        ("- 4 + 1", -3i32 as u32),
        ("+4", 4),
        ("~5", !5),
        ("!5", 0),
        ("!0+1", 2),
        ("0x10U", 16),
        ("0b101U", 5),
        ("017", 15),
        ("12U", 12),
        ("7/2", 3),
        ("-7/2", -3i32 as u32),
        ("7 % 4", 3),
        ("-7 % 4", 1),
        ("-1>>1", u32::MAX),
        ("0xFFFFFFFFFFFFFFFF>>60", 15),
        ("(.s64)0xFFFFFFFFFFFFFFFF>>60", u32::MAX),
        ("(.u64)-1>>60", 15),
        ("(.u64)3+1", 4),
        ("(.s64)-1", u32::MAX),
        ("1<<3|1", 9),
        ("6&3^1", 3),
        ("5&&3", 1),
        ("0||2", 1),
        ("0&&1||1", 1),
        ("1<2", 1),
        ("-1<0U", 0),
        ("2>=2", 1),
        ("3==3!=0", 1),
        ("1?2:3", 2),
        ("0?2:1?5:6", 5),
        ("(1?-1:1U)>>60", u32::MAX),
        ("1<<65", 2),
        ("1<<64", 1),
        ("-1>>70", u32::MAX),
        ("7&2==2", 1),
        ("3-5", -2i32 as u32),
        ("10-4-3", 3),
        ("WARP_SZ*2", 64),
        ("4294967296+9", 9),
    ];
    for (expression, value) in cases {
        let (_, out) = run("", &format!("mov.u32 %r2, {expression}; {STORE}"));
        assert_eq!(out[0], value, "{expression}");
    }
    let floats =
        [("1.5*2.0", 3.0f32), ("-1.5", -1.5), ("1.", 1.0), (".5", 0.5), ("1e3", 1000.0), ("-0f3F800000", -1.0)];
    for (expression, value) in floats {
        let (_, out) = run("", &format!("mov.f32 %f1, {expression}; mov.b32 %r2, %f1; {STORE}"));
        assert_eq!(out[0], value.to_bits(), "{expression}");
    }
    for wrong in ["1.5+1", "1/0", "5 % 0", "~1.5", "1+", "(1", "1 ? 2"] {
        assert!(Module::parse(&text("", "", &format!("mov.u32 %r2, {wrong}; ret;"))).is_err(), "{wrong}");
    }
    let deep = format!("mov.u32 %r2, {}1{}; ret;", "(".repeat(5000), ")".repeat(5000));
    assert!(Module::parse(&text("", "", &deep)).is_err());
}

/// `a01` is `a1` of a range, as the assembler has it, and scopes hide what is outside.
#[test]
fn names_of_registers() {
    let value =
        |text: &str| run("", &format!("{{ .reg .u32 a<3>; mov.u32 a1, 1; {text} mov.u32 %r2, a1; }} {STORE}")).1[0];
    assert_eq!(value("mov.u32 a01, 3;"), 3);
    assert_eq!(value("mov.u32 a001, 4; mov.u32 a2, 5;"), 4);
    assert_eq!(value("{ .reg .u32 a1; mov.u32 a1, 3; }"), 1);
    assert_eq!(value(".reg .u32 b01; mov.u32 b01, 3;"), 1);
}

/// Offsets behind symbols and registers, initial values, and modifiers that stand apart from their opcode.
#[test]
fn expressions_in_addresses_and_initial_values() {
    let table = ".const .align 4 .u32 t[4] = {1+1, -(3), 0x10U, 4 ? 5 : 6};";
    let body = "mov.u64 %rd4, t; ld .const .u32 %r2, [t+4*2]; st.global.u32 [%rd1], %r2; ld.const.u32 %r2, [%rd4+-4+8]; \
                st.global.u32 [%rd1+4*1], %r2; ld.const.u32 %r2, [t+(12)]; st.global.u32 [%rd1+8], %r2; mov.u64 %rd5, t+2*4; \
                sub.s64 %rd5, %rd5, %rd4; cvt.u32.u64 %r2, %rd5; st.global.u32 [%rd1+12], %r2; ld.const.u32 %r2, [%rd4+8-2*4]; \
                st.global.u32 [%rd1+16], %r2; ret;";
    let (report, out) = run(table, body);
    assert_eq!(report.findings, []);
    assert_eq!(out[..5], [16, -3i32 as u32, 5, 8, 2]);
    let (_, out) = run(".global .u32 g[2] = {~5 < 0, ~0 >> 60};", &format!("ld.global.u32 %r2, [g+4]; {STORE}"));
    assert_eq!(out[0], 15);
}

const RETURNS: &str = ".func f() { ret; }";

/// What stands behind a call that is declared never to return is not in the machine code: coming back is a fault.
#[test]
fn a_call_that_never_returns_does_not_return() {
    let says = |kind: FindingKind| match kind {
        FindingKind::BrokenPromise { what } => what,
        kind => panic!("{kind:?}"),
    };
    let prototype = "P: .callprototype _ () .noreturn; mov.u64 %rd5, f; call %rd5, (), P; ret;";
    assert!(says(stopped(RETURNS, prototype)).contains(".noreturn"));
    assert!(says(stopped(".func f() .noreturn { ret; }", "call f; ret;")).contains(".noreturn"));
    // Declared so once is enough, and one lane that comes back is.
    let declared = ".func f() .noreturn;\n.func f() { .reg .pred %p<2>; .reg .b32 %r<2>; mov.u32 %r1, %tid.x; setp.ne.s32 \
                    %p1, %r1, 5; @%p1 exit; ret; }";
    assert!(says(stopped(declared, "call f; ret;")).contains(".noreturn"));
    // It may exit, and a call that is not made promises nothing.
    let (report, _) = run(".func f() .noreturn { exit; }", "call f; trap;");
    assert_eq!(report.status, LaunchStatus::Finished);
    let (report, _) = run(
        RETURNS,
        "setp.gt.u32 %p1, %r1, 99; P: .callprototype _ () .noreturn; mov.u64 %rd5, f; @%p1 call %rd5, (), P; ret;",
    );
    assert_eq!(report.status, LaunchStatus::Finished);
}

/// `.calltargets` names all that a pointer may be; `.uni` says that the lanes of a warp stay together.
#[test]
fn promises_about_targets_and_uniformity_are_held_to() {
    let two = ".func f() { ret; }\n.func g() { ret; }";
    let call = |target: &str| format!("T: .calltargets f; mov.u64 %rd5, {target}; call %rd5, (), T; ret;");
    assert_eq!(run(two, &call("f")).0.status, LaunchStatus::Finished);
    let FindingKind::BrokenPromise { what } = stopped(two, &call("g")) else { panic!() };
    assert!(what.contains("`g`"), "{what}");

    let branch =
        |lanes: u32| format!("setp.lt.u32 %p1, %r1, {lanes}; @%p1 bra.uni B; nop2: B: mov.u32 %r2, 7; {STORE}");
    assert!(matches!(stopped("", &branch(5)), FindingKind::BrokenPromise { .. }));
    for lanes in [0, 32] {
        assert_eq!(run("", &branch(lanes)).1[3], 7);
    }
    // Lanes that parted before may each go their uniform way.
    let apart = format!(
        "and.b32 %r3, %r1, 1; setp.eq.s32 %p1, %r3, 0; mov.u32 %r2, 3; @%p1 bra A; bra.uni B; A: mov.u32 %r2, 4; bra.uni B; B: {STORE}"
    );
    let (report, out) = run("", &apart);
    assert_eq!((report.findings.len(), out[0], out[1]), (0, 4, 3));
    let call = "setp.lt.u32 %p1, %r1, 5; @%p1 call.uni f; ret;";
    assert!(matches!(stopped(two, call), FindingKind::BrokenPromise { .. }));
}

/// `.reqntid` is exact, `.maxntid` a product, and both hold; hints about registers are taken; what nobody knows is named.
#[test]
fn directives_of_a_kernel() {
    let launched = |head: &str, block| launch(&text("", head, "ret;"), block, 0).map(|(report, _)| report);
    assert!(launched(".reqntid 8, 4", [8, 4, 1]).is_ok());
    for block in [[32, 1, 1], [8, 4, 2], [4, 8, 1], [8, 2, 1]] {
        let refused = launched(".reqntid 8, 4", block);
        assert!(matches!(refused, Err(LaunchError::Required { required: [8, 4, 1], .. })), "{block:?}");
    }
    assert!(launched(".maxntid 16, 4, 1", [64, 1, 1]).is_ok());
    assert!(matches!(launched(".maxntid 16, 4, 1", [65, 1, 1]), Err(LaunchError::Extent { .. })));
    assert!(launched(".maxntid 256\n.reqntid 64\n.minnctapersm 2", [65, 1, 1]).is_err());
    assert!(launched(".maxntid 65536, 65536, 65536", [64, 1, 1]).is_ok());
    let hints = ".minnctapersm 4 .maxnreg 32 .maxclusterrank 8 .pragma \"enable_smem_spilling\";";
    assert_eq!(launched(hints, [64, 1, 1]).map(|report| report.status), Ok(LaunchStatus::Finished));
    for unknown in [".blocksareclusters", ".explicitcluster"] {
        let report = launched(unknown, [32, 1, 1]).unwrap_or_else(|error| panic!("{unknown}: {error}"));
        assert!(matches!(report.findings[0].kind, FindingKind::Unsupported { .. }), "{unknown}");
    }
}

/// A module's own function of a name that is the system's elsewhere is the one that is called.
#[test]
fn own_functions_come_before_the_systems() {
    for name in ["vprintf", "malloc", "free", "__assertfail"] {
        let own = format!(".func {name}() {{ trap; }}");
        assert!(matches!(stopped(&own, &format!("call.uni {name}; ret;")), FindingKind::Trap), "{name}");
        let declared = format!(".extern .func {name};\n{own}");
        assert!(
            matches!(stopped(&declared, &format!("call.uni {name}; ret;")), FindingKind::Trap),
            "{name}, declared before"
        );
    }
}

/// A jump through a register that is declared uniform takes all lanes to the same place.
#[test]
fn uniform_jumps_through_registers_are_held_to_it() {
    let jump = |uni: &str, index: &str| {
        run(
            "",
            &format!(
                "T: .branchtargets A, B; and.b32 %r3, {index}; brx.idx{uni} %r3, T; A: mov.u32 %r2, 1; bra E; B: mov.u32 %r2, 2; E: {STORE}"
            ),
        )
    };
    assert_eq!(jump("", "%r1, 1").1[..4], [1, 2, 1, 2]);
    assert_eq!(jump(".uni", "%r1, 0").1[..4], [1, 1, 1, 1]);
    assert!(matches!(jump(".uni", "%r1, 1").0.findings[0].kind, FindingKind::BrokenPromise { .. }));
    let functions = ".func f() { ret; }\n.func g() { ret; }";
    let call = |uni: &str, mask: u32| {
        let body = format!(
            "P: .callprototype ()_(); and.b32 %r3, %r1, {mask}; setp.eq.u32 %p1, %r3, 0; mov.u64 %rd5, f; mov.u64 %rd6, g;\n\
             selp.b64 %rd7, %rd5, %rd6, %p1; call{uni} %rd7, P; mov.u32 %r2, 7; {STORE}"
        );
        run(functions, &body)
    };
    assert_eq!(call("", 1).1[..2], [7, 7]);
    assert_eq!(call(".uni", 0).1[..2], [7, 7]);
    assert!(matches!(call(".uni", 1).0.findings[0].kind, FindingKind::BrokenPromise { .. }));
}

/// `.alias` gives a function another name; what a pragma calls unused is not loaded.
#[test]
fn aliases_and_pragmas() {
    let alias = ".func g();\n.func f() { trap; }\n.alias g, f;";
    assert!(matches!(stopped(alias, "call g; ret;"), FindingKind::Trap));
    let load = |pragma: &str| {
        let body = format!(
            "st.global.u32 [%rd3], %r1; mov.u32 %r5, 77; {pragma} ld.global.v2.u32 {{%r4, %r5}}, [%rd1]; mov.u32 %r2, %r5; {STORE}"
        );
        run("", &body).1[9]
    };
    assert_eq!(load(".pragma \"nounroll\";"), 1);
    assert_eq!(load(".pragma \"used_bytes_mask 0xff\";"), 1);
    // Neither what was there nor what memory holds: the machine may do either.
    let masked = load(".pragma \"used_bytes_mask 0x0f\";");
    assert!(masked != 77 && masked != 1, "{masked}");
    // Of a scalar the assembler loads all.
    let scalar = format!(
        "st.global.u32 [%rd3], %r1; mov.u32 %r2, 77; .pragma \"used_bytes_mask 0\"; ld.global.u32 %r2, [%rd1+4]; {STORE}"
    );
    assert_eq!(run("", &scalar).1[9], 1);
    // The rest of the vector is loaded below: by the machine with the vector.
    let split = format!(
        "st.global.u32 [%rd3], %r1; .pragma \"used_bytes_mask 0x0f\"; ld.global.v2.u32 {{%r4, %r5}}, [%rd1];\n\
         ld.global.u32 %r2, [%rd1+4]; {STORE}"
    );
    assert_eq!(run("", &split).1[9], 1);
}

/// From sm_80 on the first kilobyte of shared memory is the system's: a kernel's own begins behind it, and may be reached
/// only where somebody asks for it.
#[test]
fn shared_memory_begins_behind_what_is_reserved() {
    let own = ".shared .align 4 .b8 s[64];";
    let place = format!("mov.u32 %r2, s; {STORE}");
    assert_eq!(run(own, &place).1[0], 1024);
    let before = text(own, "", &place).replace("sm_90", "sm_75");
    assert_eq!(launch(&before, [32, 1, 1], 0).expect("starts").1[0], 0);
    let dynamic = text(".extern .shared .b8 d[];", "", &format!("mov.u32 %r2, d; {STORE}"));
    assert_eq!(launch(&dynamic, [32, 1, 1], 64).expect("starts").1[0], 1024);

    let ask = |name: &str| run(own, &format!("mov.u32 %r9, s; mov.u32 %r2, {name}; {STORE}")).1[0];
    assert_eq!((ask("%reserved_smem_offset_begin"), ask("%reserved_smem_offset_end")), (0, 1024));
    assert_eq!((ask("%reserved_smem_offset_cap"), ask("%total_smem_size"), ask("%aggr_smem_size")), (1024, 128, 1152));
    let tiles = ask("%reserved_smem_offset_1");
    assert!(tiles > 0 && tiles + 288 <= 1024 && tiles % 8 == 0, "{tiles}");

    // One word before the kernel's first array, from a register.
    for access in
        ["ld.shared.u32 %r2, [%r3+-4];", "st.shared.u32 [%r3+-4], %r1;", "atom.shared.add.u32 %r2, [%r3+-4], 1;"]
    {
        let kind = stopped(own, &format!("mov.u32 %r3, s; {access} ret;"));
        let FindingKind::OutOfBounds { access } = kind else { panic!("{kind:?}") };
        assert!(access.object.to_string().contains("4 bytes before its start"), "{}", access.object);
    }
    let asked = format!(
        "mov.u32 %r3, %reserved_smem_offset_1; st.shared.u32 [%r3], 8; ld.shared.u32 %r2, [%r3]; mov.u32 %r4, s; st.shared.u32 [%r4], 9; {STORE}"
    );
    let (report, out) = run(own, &asked);
    assert_eq!((report.findings.len(), out[0]), (0, 8));
}

/// The text means what the assembler takes it for, which works it out before anything runs: else a branch would be simulated
/// that the machine code has not got. Each value is that of NVRTC 13.5's machine code.
#[test]
fn the_assemblers_reading() {
    let value = |body: &str| {
        let (report, out) = run("", &format!("{body} {STORE}"));
        assert!(report.findings.is_empty(), "{body}: {:?}", report.findings);
        out[0]
    };
    let cases: [(&str, u32); 25] = [
        // A string ends at the next quote.
        ("mov.u32 %r2, 1; .pragma \"a\\\"; mov.u32 %r2, 2; .pragma \"; //\";\n", 2),
        ("mov.u32 %r2, 1; .pragma \"a\n\"; mov.u32 %r2, 2;", 2),
        // A remainder has no sign.
        ("mov.u32 %r2, -7 % 4;", 1),
        ("mov.u32 %r2, 7 % -4;", 7),
        ("mov.u32 %r2, -1 % 16 < 0;", 0),
        ("mov.u64 %rd5, (-7 % -4) >> 1; shr.u64 %rd5, %rd5, 32; cvt.u32.u64 %r2, %rd5;", 0x7fff_ffff),
        ("mov.u32 %r2, -7 / 2;", -3i32 as u32),
        // Nor has what `~` makes.
        ("mov.u32 %r2, ~5 < 0;", 0),
        ("mov.u32 %r2, ~0 >> 60;", 15),
        ("mov.u32 %r2, ~0 / 2 >> 56;", 0x7f),
        ("mov.u32 %r2, ~WARP_SZ / 2 >> 56;", 0x7f),
        ("mov.u32 %r2, ~(.s64)0 >> 60;", 15),
        ("mov.u32 %r2, (~5 & -1) < 0;", 0),
        ("mov.u32 %r2, -~5 < 0;", 0),
        ("mov.u32 %r2, (.s64)~5 < 0;", 1),
        ("mov.u32 %r2, (1 ? ~5 : 3) < 0;", 0),
        // A single-precision literal is its bits.
        ("mov.f64 %fd1, 0f3f800000; mov.b64 {%r2, %r3}, %fd1;", 0x3f80_0000),
        ("mov.f64 %fd1, 0f3f800000; mov.b64 {%r3, %r2}, %fd1;", 0),
        // A difference leaves a carry where it borrows nothing.
        ("sub.cc.u32 %r3, 3, 5; addc.u32 %r2, 10, 0;", 10),
        ("sub.cc.u32 %r3, 5, 3; addc.u32 %r2, 10, 0;", 11),
        ("add.cc.u32 %r3, 3, 5; subc.u32 %r2, 10, 0;", 9),
        ("add.cc.u32 %r3, -1, 1; subc.u32 %r2, 10, 0;", 10),
        ("sub.cc.u32 %r3, 3, 5; subc.u32 %r2, 10, 0;", 9),
        ("sub.cc.u64 %rd5, 3, 5; madc.lo.u32 %r2, 2, 3, 4;", 10),
        ("sub.cc.u32 %r3, 3, 5; subc.cc.u32 %r4, 0, 0; addc.u32 %r2, 10, 0;", 10),
    ];
    for (body, want) in cases {
        assert_eq!(value(body), want, "{body}");
    }
    // What has no one meaning is not run as one of several.
    let hidden = ".global .u32 g = 9;\n.global .u32 h = 8;";
    for (declarations, body) in [
        ("", "setp.eq.u32 %p1|%p1, %r1, 0;"),
        (hidden, "{ .global .u32 g = 5; ld.global.u32 %r2, [g]; }"),
        ("", "{ .const .u32 g = 5; ld.const.u32 %r2, [g]; } { .const .u32 g = 7; ld.const.u32 %r2, [g]; }"),
    ] {
        let kind = stopped(declarations, &format!("{body} {STORE}"));
        assert!(matches!(kind, FindingKind::Unsupported { .. }), "{body}: {kind:?}");
    }
    assert!(run(hidden, &format!("{{ .global .u32 l = 5; ld.global.u32 %r2, [l]; }} {STORE}")).1[0] == 5);
}
