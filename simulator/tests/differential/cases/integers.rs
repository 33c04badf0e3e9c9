//! Integers, logic, bit fields and video instructions.

use super::{Near, ORDERS, Table};
use crate::inputs::Kind::{self, Amount, I16, I32, I64};
use simulator::num::Compare;
use simulator::num::int::{self, PrmtMode, b32, b64, w16, w32, w64};
use simulator::num::video::{self, Simd, Video};

/// Opcodes that 16, 32 and 64 bits share.
macro_rules! width {
    ($table:expr, $bits:literal, $kind:expr, $module:ident, $u:ty) => {{
        let t: &mut Table = $table;
        let k = $kind;
        let n = $bits;
        let name = |opcode: &str, sign: &str| format!("{opcode}.{sign}{n}");
        t.add(&name("mul.hi", "u"), &[k, k], n, |x| $module::mul_hi_u(x[0] as $u, x[1] as $u) as u64);
        t.add(&name("mul.hi", "s"), &[k, k], n, |x| $module::mul_hi_s(x[0] as $u, x[1] as $u) as u64);
        t.add(&name("mul.lo", "u"), &[k, k], n, |x| (x[0] as $u).wrapping_mul(x[1] as $u) as u64);
        t.add(&name("sad", "u"), &[k, k, k], n, |x| $module::sad_u(x[0] as $u, x[1] as $u, x[2] as $u) as u64);
        t.add(&name("sad", "s"), &[k, k, k], n, |x| $module::sad_s(x[0] as $u, x[1] as $u, x[2] as $u) as u64);
        t.add(&name("div", "u"), &[k, k], n, |x| $module::div_u(x[0] as $u, x[1] as $u) as u64);
        t.add(&name("div", "s"), &[k, k], n, |x| $module::div_s(x[0] as $u, x[1] as $u) as u64);
        t.add(&name("rem", "u"), &[k, k], n, |x| $module::rem_u(x[0] as $u, x[1] as $u) as u64);
        t.add(&name("rem", "s"), &[k, k], n, |x| $module::rem_s(x[0] as $u, x[1] as $u) as u64);
        t.add(&name("abs", "s"), &[k], n, |x| $module::abs(x[0] as $u) as u64);
        t.add(&name("neg", "s"), &[k], n, |x| (x[0] as $u).wrapping_neg() as u64);
        t.add(&name("min", "s"), &[k, k], n, |x| $module::min_s(x[0] as $u, x[1] as $u) as u64);
        t.add(&name("max", "s"), &[k, k], n, |x| $module::max_s(x[0] as $u, x[1] as $u) as u64);
        t.add(&name("min", "u"), &[k, k], n, |x| (x[0] as $u).min(x[1] as $u) as u64);
        t.add(&name("max", "u"), &[k, k], n, |x| (x[0] as $u).max(x[1] as $u) as u64);
        t.add(&name("not", "b"), &[k], n, |x| !x[0]);
        t.add(&name("cnot", "b"), &[k], n, |x| $module::cnot(x[0] as $u) as u64);
        t.add(&name("shl", "b"), &[k, Amount], n, |x| $module::shl(x[0] as $u, x[1] as u32) as u64);
        t.add(&name("shr", "u"), &[k, Amount], n, |x| $module::shr_u(x[0] as $u, x[1] as u32) as u64);
        t.add(&name("shr", "s"), &[k, Amount], n, |x| $module::shr_s(x[0] as $u, x[1] as u32) as u64);
        for (order, op) in ORDERS {
            for sign in ["s", "u"] {
                let opcode = format!("setp.{order}.{sign}{n}");
                t.predicate(&opcode, &format!("{opcode} p, a, b;"), &[k, k], move |x| match sign {
                    "s" => $module::compare_s(op, x[0] as $u, x[1] as $u),
                    _ => $module::compare_u(op, x[0] as $u, x[1] as $u),
                });
            }
        }
    }};
}

/// Bit fields of 32 and 64 bits.
macro_rules! bits {
    ($table:expr, $bits:literal, $kind:expr, $module:ident, $u:ty) => {{
        let t: &mut Table = $table;
        let k = $kind;
        let n = $bits;
        t.add(&format!("bfe.u{n}"), &[k, Amount, Amount], n, |x| {
            $module::bfe_u(x[0] as $u, x[1] as u32, x[2] as u32) as u64
        });
        t.add(&format!("bfe.s{n}"), &[k, Amount, Amount], n, |x| {
            $module::bfe_s(x[0] as $u, x[1] as u32, x[2] as u32) as u64
        });
        t.add(&format!("bfi.b{n}"), &[k, k, Amount, Amount], n, |x| {
            $module::bfi(x[0] as $u, x[1] as $u, x[2] as u32, x[3] as u32) as u64
        });
        for (s, shift) in [("", false), (".shiftamt", true)] {
            t.add(&format!("bfind{s}.u{n}"), &[k], 32, move |x| $module::bfind_u(x[0] as $u, shift).into());
            t.add(&format!("bfind{s}.s{n}"), &[k], 32, move |x| $module::bfind_s(x[0] as $u, shift).into());
        }
        t.add(&format!("popc.b{n}"), &[k], 32, |x| (x[0] as $u).count_ones().into());
        t.add(&format!("clz.b{n}"), &[k], 32, |x| (x[0] as $u).leading_zeros().into());
        t.add(&format!("brev.b{n}"), &[k], n, |x| (x[0] as $u).reverse_bits() as u64);
        // Both words of a sum: the carry is what is tested.
        let carry = format!("add.cc.u{n} d, a, b;\naddc.u{n} d, c, d;");
        t.text(&format!("addc.u{n}"), &carry, &[k, k, k], n, Near::Exact, |x| {
            let (low, carry) = $module::add_carry(x[0] as $u, x[1] as $u, false);
            $module::add_carry(x[2] as $u, low, carry).0 as u64
        });
        let borrow = format!("sub.cc.u{n} d, a, b;\nsubc.u{n} d, c, d;");
        t.text(&format!("subc.u{n}"), &borrow, &[k, k, k], n, Near::Exact, |x| {
            let (low, borrow) = $module::sub_borrow(x[0] as $u, x[1] as $u, false);
            $module::sub_borrow(x[2] as $u, low, borrow).0 as u64
        });
    }};
}

/// Adds their cases.
#[expect(clippy::too_many_lines, reason = "a table of cases")]
pub fn add(t: &mut Table) {
    width!(t, 16, I16, w16, u16);
    width!(t, 32, I32, w32, u32);
    width!(t, 64, I64, w64, u64);
    bits!(t, 32, I32, b32, u32);
    bits!(t, 64, I64, b64, u64);
    let word = |x: [u64; 4]| x.map(|x| x as u32);
    t.add("mul.wide.u16", &[I16, I16], 32, |x| w16::mul_wide_u(x[0] as u16, x[1] as u16).into());
    t.add("mul.wide.s16", &[I16, I16], 32, |x| w16::mul_wide_s(x[0] as u16, x[1] as u16).into());
    t.add("mul.wide.u32", &[I32, I32], 64, |x| w32::mul_wide_u(x[0] as u32, x[1] as u32));
    t.add("mul.wide.s32", &[I32, I32], 64, |x| w32::mul_wide_s(x[0] as u32, x[1] as u32));
    let mut words = |opcode: &str, kinds: &[Kind], f: Box<dyn Fn([u32; 4]) -> u32>| {
        t.add(opcode, kinds, 32, move |x| f(word(x)).into());
    };
    words("add.sat.s32", &[I32, I32], Box::new(|x| int::add_sat_s32(x[0], x[1])));
    words("sub.sat.s32", &[I32, I32], Box::new(|x| int::sub_sat_s32(x[0], x[1])));
    words("mad.hi.sat.s32", &[I32, I32, I32], Box::new(|x| int::mad_hi_sat_s32(x[0], x[1], x[2])));
    words("mad.hi.u32", &[I32, I32, I32], Box::new(|x| w32::mul_hi_u(x[0], x[1]).wrapping_add(x[2])));
    words("mad.lo.s32", &[I32, I32, I32], Box::new(|x| x[0].wrapping_mul(x[1]).wrapping_add(x[2])));
    for (s, signed) in [("s32", true), ("u32", false)] {
        words(&format!("mul24.lo.{s}"), &[I32, I32], Box::new(move |x| int::mul24_lo(x[0], x[1], signed)));
        words(&format!("mul24.hi.{s}"), &[I32, I32], Box::new(move |x| int::mul24_hi(x[0], x[1], signed)));
        for (w, wrap) in [("clamp", false), ("wrap", true)] {
            words(&format!("szext.{w}.{s}"), &[I32, Amount], Box::new(move |x| int::szext(x[0], x[1], wrap, signed)));
        }
        for (s2, signed2) in [("s32", true), ("u32", false)] {
            words(
                &format!("dp4a.{s}.{s2}"),
                &[I32, I32, I32],
                Box::new(move |x| int::dp4a(x[0], x[1], x[2], signed, signed2)),
            );
            for (h, high) in [("lo", false), ("hi", true)] {
                words(
                    &format!("dp2a.{h}.{s}.{s2}"),
                    &[I32, I32, I32],
                    Box::new(move |x| int::dp2a(x[0], x[1], x[2], signed, signed2, high)),
                );
            }
        }
    }
    for (w, wrap) in [("clamp", false), ("wrap", true)] {
        words(&format!("bmsk.{w}.b32"), &[Amount, Amount], Box::new(move |x| int::bmsk(x[0], x[1], wrap)));
        words(&format!("shf.l.{w}.b32"), &[I32, I32, Amount], Box::new(move |x| int::shf_l(x[0], x[1], x[2], wrap)));
        words(&format!("shf.r.{w}.b32"), &[I32, I32, Amount], Box::new(move |x| int::shf_r(x[0], x[1], x[2], wrap)));
    }
    for (mode, m) in [
        ("", PrmtMode::Generic),
        (".f4e", PrmtMode::Forward4Extract),
        (".b4e", PrmtMode::Backward4Extract),
        (".rc8", PrmtMode::Replicate8),
        (".ecl", PrmtMode::EdgeClampLeft),
        (".ecr", PrmtMode::EdgeClampRight),
        (".rc16", PrmtMode::Replicate16),
    ] {
        words(&format!("prmt.b32{mode}"), &[I32, I32, I32], Box::new(move |x| int::prmt(x[0], x[1], x[2], m)));
    }
    for (op, video) in [
        ("vadd", Video::Add),
        ("vsub", Video::Sub),
        ("vavrg", Video::Average),
        ("vabsdiff", Video::AbsoluteDifference),
        ("vmin", Video::Min),
        ("vmax", Video::Max),
    ] {
        for lanes in [2, 4] {
            for (sign, signed) in [("u32", false), ("s32", true)] {
                let simd = Simd { d_signed: signed, a_signed: signed, b_signed: signed, ..Simd::new(video, lanes) };
                let opcode = format!("{op}{lanes}.{sign}.{sign}.{sign}");
                words(&opcode, &[I32, I32, I32], Box::new(move |x| simd.run(x[0], x[1], x[2])));
                let sat = Simd { sat: true, ..simd };
                words(&format!("{opcode}.sat"), &[I32, I32, I32], Box::new(move |x| sat.run(x[0], x[1], x[2])));
                let add = Simd { add: true, ..simd };
                words(&format!("{opcode}.add"), &[I32, I32, I32], Box::new(move |x| add.run(x[0], x[1], x[2])));
            }
        }
    }
    t.text("fns.b32", "and.b32 b, b, 31;\nfns.b32 d, a, b, c;", &[I32, Amount, Amount], 32, Near::Exact, |x| {
        int::fns(x[0] as u32, x[1] as u32 & 31, x[2] as u32 as i32).into()
    });
    for table in [0x80u8, 0xfe, 0x96, 0xca, 0x1b] {
        let text = format!("lop3.b32 d, a, b, c, 0x{table:x};");
        t.text(&format!("lop3.{table:x}"), &text, &[I32, I32, I32], 32, Near::Exact, move |x| {
            int::lop3(x[0] as u32, x[1] as u32, x[2] as u32, table).into()
        });
    }
    bounds(t);
    video(t);
}

/// Scalar video instructions, and the lanes that SIMD ones choose.
#[expect(clippy::too_many_lines, reason = "a table of cases")]
fn video(t: &mut Table) {
    use video::{Part, Scalar, ScalarVideo, Then, VideoMad};
    let sign = |signed: bool| if signed { "s32" } else { "u32" };
    let parts = [
        ("", Part::Whole),
        (".b0", Part::Byte(0)),
        (".b3", Part::Byte(3)),
        (".h1", Part::Half(1)),
        (".h0", Part::Half(0)),
        (".b2", Part::Byte(2)),
    ];
    let thens = [
        Then::Merge(Part::Whole),
        Then::Add,
        Then::Min,
        Then::Max,
        Then::Merge(Part::Byte(1)),
        Then::Merge(Part::Half(1)),
    ];
    let mut number = 0usize;
    for (op, name, mode) in [
        (Scalar::Add, "vadd", ""),
        (Scalar::Sub, "vsub", ""),
        (Scalar::AbsoluteDifference, "vabsdiff", ""),
        (Scalar::Min, "vmin", ""),
        (Scalar::Max, "vmax", ""),
        (Scalar::Shl(false), "vshl", ".clamp"),
        (Scalar::Shl(true), "vshl", ".wrap"),
        (Scalar::Shr(false), "vshr", ".clamp"),
        (Scalar::Shr(true), "vshr", ".wrap"),
        (Scalar::Set(Compare::Lt), "vset", ".lt"),
        (Scalar::Set(Compare::Ne), "vset", ".ne"),
    ] {
        let shifts = matches!(op, Scalar::Shl(_) | Scalar::Shr(_));
        let set = matches!(op, Scalar::Set(_));
        for then in thens {
            for signs in 0..8u32 {
                number += 1;
                let (d_signed, a_signed, b_signed) = (signs & 1 != 0, signs & 2 != 0, signs & 4 != 0);
                if shifts && b_signed || set && d_signed {
                    continue;
                }
                let sat = !set && number.is_multiple_of(3);
                let (a, b) = (parts[number % parts.len()], parts[number / 2 % parts.len()]);
                let model = ScalarVideo { op, then, d_signed, a: (a.1, a_signed), b: (b.1, b_signed), sat };
                let types = if set { String::new() } else { format!(".{}", sign(d_signed)) };
                let saturate = if sat { ".sat" } else { "" };
                let (second, part, third) = match then {
                    Then::Merge(Part::Whole) => ("", "", ""),
                    Then::Merge(Part::Byte(_)) => ("", ".b1", ", c"),
                    Then::Merge(Part::Half(_)) => ("", ".h1", ", c"),
                    Then::Add => (".add", "", ", c"),
                    Then::Min => (".min", "", ", c"),
                    Then::Max => (".max", "", ", c"),
                };
                let opcode = format!("{name}{types}.{}.{}{saturate}{mode}{second}", sign(a_signed), sign(b_signed));
                let text = format!("{opcode} d{part}, a{}, b{}{third};", a.0, b.0);
                let name = format!("{opcode}{part}.of{}{}", a.0, b.0);
                let c_used = !third.is_empty();
                t.text(&name, &text, &[I32, if shifts { Amount } else { I32 }, I32], 32, Near::Exact, move |x| {
                    model.run(x[0] as u32, x[1] as u32, if c_used { x[2] as u32 } else { 0 }).into()
                });
            }
        }
    }
    for signs in 0..4u32 {
        for variant in 0..12u32 {
            let (a_signed, b_signed) = (signs & 1 != 0, signs & 2 != 0);
            let (po, sat, shift) = (variant % 4 == 3, variant & 4 != 0, [0, 7, 15][variant as usize % 3]);
            let (negate_a, negate_c) = (variant % 4 == 1, variant % 4 == 2);
            let (a, b) = (parts[variant as usize % parts.len()], parts[(variant as usize + 1) % parts.len()]);
            // A negated operand makes the result signed; the assembler asks that the type says so.
            let d_signed = a_signed || b_signed || negate_a || negate_c;
            let model = VideoMad {
                a: (a.1, a_signed),
                b: (b.1, b_signed),
                negate_product: negate_a,
                negate_c,
                plus_one: po,
                shift,
                sat,
            };
            let opcode = format!(
                "vmad.{}.{}.{}{}{}{}",
                sign(d_signed),
                sign(a_signed),
                sign(b_signed),
                if po { ".po" } else { "" },
                if sat { ".sat" } else { "" },
                ["", ".shr7", ".shr15"][variant as usize % 3]
            );
            let minus = |negate: bool| if negate { "-" } else { "" };
            let text = format!("{opcode} d, {}a{}, b{}, {}c;", minus(negate_a), a.0, b.0, minus(negate_c));
            let name = format!("{opcode}.{variant}");
            t.text(&name, &text, &[I32, I32, I32], 32, Near::Exact, move |x| {
                model.run(x[0] as u32, x[1] as u32, x[2] as u32).into()
            });
        }
    }
    for (lanes, d, a, b, mask, a_select, b_select) in [
        (4, "b20", "b0123", "b7531", 5, [3, 2, 1, 0], [1, 3, 5, 7]),
        (4, "b3", "b4444", "b0000", 8, [4; 4], [0; 4]),
        (2, "h1", "h03", "h21", 2, [3, 0, 2, 3], [1, 2, 2, 3]),
    ] {
        for (op, name) in
            [(Video::Add, "vadd"), (Video::AbsoluteDifference, "vabsdiff"), (Video::Set(Compare::Ge), "vset")]
        {
            for (suffix, add) in [("", false), (".add", true)] {
                let types = if name == "vset" { ".u32.u32.ge" } else { ".u32.u32.u32" };
                let opcode = format!("{name}{lanes}{types}{suffix}");
                let simd = Simd { mask, a_select, b_select, add, ..Simd::new(op, lanes) };
                let text = format!("{opcode} d.{d}, a.{a}, b.{b}, c;");
                t.text(&format!("{opcode}.{d}"), &text, &[I32, I32, I32], 32, Near::Exact, move |x| {
                    simd.run(x[0] as u32, x[1] as u32, x[2] as u32).into()
                });
            }
        }
    }
}

/// A minimum or maximum of another: what an assembler may fuse.
fn bounds(t: &mut Table) {
    type Function = fn(u32, u32) -> u32;
    let functions: [(&str, Function); 4] =
        [("min.s32", w32::min_s), ("max.s32", w32::max_s), ("min.u32", u32::min), ("max.u32", u32::max)];
    for (first, f) in functions {
        for (second, g) in functions {
            let text = format!("{first} d, a, b;\n{second} d, d, c;");
            t.text(&format!("{first}.{second}"), &text, &[I32, I32, I32], 32, Near::Exact, move |x| {
                g(f(x[0] as u32, x[1] as u32), x[2] as u32).into()
            });
        }
    }
}
