//! Which products the assembler takes into a sum: its own choices for these sequences (CUDA 13.0, sm_90), read from its machine code.

use crate::execution::run;

/// Bits of 1 + 2^-12 and of -(1 + 2^-11): the product of the first with itself is 1 + 2^-11 + 2^-24, and rounded it loses the last
/// term. So a sum with the second is zero, unless the two are one operation.
const F32: &str = "mov.b32 %f1, 0x3f800800; mov.b32 %f2, 0x3f800800; mov.b32 %f3, 0xbf801000; mov.f32 %f4, 0f3f801000;
                   mov.f32 %f5, 0f00000000; setp.lt.u32 %p1, %r1, 64;";

/// In `%f9` is what is asked for.
const CASES: &[(&str, bool)] = &[
    ("mul.f32 %f6, %f1, %f2; add.f32 %f9, %f6, %f3;", true),
    ("mul.f32 %f6, %f1, %f2; add.f32 %f9, %f3, %f6;", true),
    ("mul.f32 %f6, %f1, %f2; sub.f32 %f9, %f6, %f4;", true),
    ("mul.f32 %f6, %f1, %f2; sub.f32 %f9, %f4, %f6;", true),
    ("mul.f32 %f6, %f1, %f2; neg.f32 %f7, %f6; add.f32 %f9, %f7, %f4;", true),
    ("mul.f32 %f6, %f1, %f2; mov.f32 %f7, %f6; add.f32 %f9, %f7, %f3;", true),
    ("mul.ftz.f32 %f6, %f1, %f2; add.ftz.f32 %f9, %f6, %f3;", true),
    ("mul.f32 %f6, %f1, %f2; add.sat.f32 %f9, %f6, %f3;", true),
    ("mul.f32 %f6, %f1, %f2; bar.sync 0; add.f32 %f9, %f6, %f3;", true),
    ("mul.f32 %f6, %f1, %f2; @!%p1 bra END; add.f32 %f9, %f6, %f3;", true),
    // Two uses, and both take it.
    ("mul.f32 %f6, %f1, %f2; add.f32 %f9, %f6, %f3; sub.f32 %f8, %f6, %f4;", true),
    // The first of two products goes into their sum.
    ("mul.f32 %f6, %f1, %f2; mul.f32 %f7, %f3, 0f3f800000; add.f32 %f9, %f6, %f7;", true),
    // A loop whose accumulator is no factor.
    (
        "mov.u32 %r4, 0; mov.f32 %f9, %f3; LOOP: mul.f32 %f6, %f1, %f2; add.f32 %f9, %f9, %f6; add.u32 %r4, %r4, 1;
      setp.lt.u32 %p2, %r4, 1; @%p2 bra LOOP;",
        true,
    ),
    ("mul.rn.f32 %f6, %f1, %f2; add.f32 %f9, %f6, %f3;", false),
    ("mul.f32 %f6, %f1, %f2; add.rn.f32 %f9, %f6, %f3;", false),
    ("mul.rz.f32 %f6, %f1, %f2; add.f32 %f9, %f6, %f3;", false),
    ("mul.ftz.f32 %f6, %f1, %f2; add.f32 %f9, %f6, %f3;", false),
    ("mul.f32 %f6, %f1, %f2; add.ftz.f32 %f9, %f6, %f3;", false),
    ("mul.sat.f32 %f6, %f1, 0f3f000000; add.f32 %f6, %f6, %f6; add.f32 %f9, %f6, 0fbf800800;", false),
    ("mul.f32 %f6, %f1, %f2; abs.f32 %f7, %f6; add.f32 %f9, %f7, %f3;", false),
    ("mov.f32 %f6, %f5; @%p1 mul.f32 %f6, %f1, %f2; add.f32 %f9, %f6, %f3;", false),
    ("mul.f32 %f6, %f1, %f2; selp.f32 %f7, %f6, %f5, %p1; add.f32 %f9, %f7, %f3;", false),
    // It is stored, compared or a factor, too.
    ("mul.f32 %f6, %f1, %f2; st.global.f32 [%rd1], %f6; add.f32 %f9, %f6, %f3;", false),
    (
        "mul.f32 %f6, %f1, %f2; setp.gt.f32 %p2, %f6, %f5; selp.u32 %r5, 1, 0, %p2; st.global.u32 [%rd1], %r5; add.f32 %f9, %f6, %f3;",
        false,
    ),
    ("mul.f32 %f6, %f1, %f2; fma.rn.f32 %f9, %f5, %f5, %f6; add.f32 %f9, %f9, %f3;", false),
    // The other product has its only use here.
    ("mul.f32 %f6, %f1, %f2; mul.f32 %f7, %f3, 0f3f800000; add.f32 %f9, %f6, %f7; add.f32 %f8, %f6, %f5;", false),
    // In another block, behind a loop, twice in one sum.
    ("mul.f32 %f6, %f1, %f2; @%p1 bra NEAR; st.global.f32 [%rd3], %f6; ret; NEAR: add.f32 %f9, %f6, %f3;", false),
    (
        "mul.f32 %f6, %f1, %f2; mov.u32 %r4, 0; LOOP: add.u32 %r4, %r4, 1; setp.lt.u32 %p2, %r4, 3; @%p2 bra LOOP;
      add.f32 %f9, %f6, %f3;",
        false,
    ),
    ("mul.f32 %f6, %f1, %f2; sub.f32 %f9, %f6, %f6;", false),
];

#[test]
fn products_go_into_sums_where_the_assembler_does_it() {
    for (code, fused) in CASES {
        let body = format!("{F32}\n{code}\nmov.b32 %r2, %f9; st.global.u32 [%rd3], %r2; END: ret;");
        let (report, out) = run("", &body, 32);
        assert!(report.findings.is_empty(), "{code}: {:?}", report.findings);
        assert_eq!(out[5] != 0, *fused, "{code}");
    }
}

/// The same of other types, where 1 + 2^-6, 1 + 2^-4 and 1 + 2^-27 do what 1 + 2^-12 does there.
#[test]
fn halves_and_doubles_are_contracted_too() {
    const LOAD: &str = "mov.b32 %r5, 0x3c103c10; mov.b32 %r6, 0xbc20bc20; mov.b32 %r7, 0x3f883f88; mov.b32 %r8, 0xbf90bf90;
                        mov.b32 {%rs1, %rs2}, %r5; mov.b32 {%rs3, %rs4}, %r6; mov.b32 {%rs5, %rs6}, %r7; mov.b32 {%rs7, %rs8}, %r8;";
    const CASES: &[(&str, bool)] = &[
        ("mul.f16x2 %r9, %r5, %r5; add.f16x2 %r2, %r9, %r6;", true),
        ("mul.f16x2 %r9, %r5, %r5; neg.f16x2 %r10, %r6; sub.f16x2 %r2, %r10, %r9;", true),
        ("mul.ftz.f16x2 %r9, %r5, %r5; add.ftz.f16x2 %r2, %r9, %r6;", true),
        ("mul.rn.f16x2 %r9, %r5, %r5; add.f16x2 %r2, %r9, %r6;", false),
        ("mul.f16x2 %r9, %r5, %r5; add.rn.f16x2 %r2, %r9, %r6;", false),
        ("mul.f16 %rs9, %rs1, %rs2; add.f16 %rs9, %rs9, %rs3; mov.b32 %r2, {%rs9, %rs9};", true),
        ("mul.rn.f16 %rs9, %rs1, %rs2; add.rn.f16 %rs9, %rs9, %rs3; mov.b32 %r2, {%rs9, %rs9};", false),
        ("mul.bf16x2 %r9, %r7, %r7; add.bf16x2 %r2, %r9, %r8;", true),
        ("mul.bf16 %rs9, %rs5, %rs6; add.bf16 %rs9, %rs9, %rs7; mov.b32 %r2, {%rs9, %rs9};", true),
        ("mov.b64 %rd4, 0x3ff0000002000000; mov.b64 %rd5, 0xbff0000004000000; .reg .f64 %d<4>; mov.b64 %d1, %rd4; mov.b64 %d2, %rd5;
          mul.f64 %d3, %d1, %d1; add.f64 %d3, %d3, %d2; mov.b64 %rd6, %d3; mov.b64 {%r9, %r2}, %rd6;", true),
        ("mov.b64 %rd4, 0x3ff0000002000000; mov.b64 %rd5, 0xbff0000004000000; .reg .f64 %d<4>; mov.b64 %d1, %rd4; mov.b64 %d2, %rd5;
          mul.rn.f64 %d3, %d1, %d1; add.rn.f64 %d3, %d3, %d2; mov.b64 %rd6, %d3; mov.b64 {%r9, %r2}, %rd6;", false),
    ];
    for (code, fused) in CASES {
        let (report, out) = run("", &format!("{LOAD}\n{code}\nst.global.u32 [%rd3], %r2; ret;"), 32);
        assert!(report.findings.is_empty(), "{code}: {:?}", report.findings);
        assert_eq!(out[5] & 0x7fff_ffff != 0, *fused, "{code}");
    }
}
