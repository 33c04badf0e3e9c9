//! `cvt`.

use super::{ROUNDINGS, TO_INTEGRAL, Table};
use crate::inputs::Kind::{Bf16, F16, F16x2, F32, F64, I8, I16, I32, I64};
use simulator::num::{Rounding, cvt};

/// Adds its cases.
#[expect(clippy::too_many_lines, reason = "a table of cases")]
pub fn add(t: &mut Table) {
    use cvt::{Float, Fp8, Int, Modifiers};
    let ints = [8u32, 16, 32, 64].into_iter().flat_map(|bits| [true, false].map(|signed| Int { bits, signed }));
    let ints: Vec<Int> = ints.collect();
    let int_name = |i: &Int| format!("{}{}", if i.signed { "s" } else { "u" }, i.bits);
    let int_kind = |i: &Int| match i.bits {
        8 => I8,
        16 => I16,
        32 => I32,
        _ => I64,
    };
    let register = |bits: u32| bits.max(16);
    let floats =
        [("f16", Float::F16, F16), ("bf16", Float::Bf16, Bf16), ("f32", Float::F32, F32), ("f64", Float::F64, F64)];
    // A result narrower than its register is extended by its sign.
    let extend = |bits: u64, to: Int| {
        let unused = 64 - to.bits;
        if to.signed { ((bits << unused) as i64 >> unused) as u64 } else { bits }
    };
    for from in ints.clone() {
        for to in ints.clone() {
            for (s, sat) in [("", false), (".sat", true)] {
                let fits = from.range().0 >= to.range().0 && from.range().1 <= to.range().1;
                // Saturation that cannot happen is not accepted.
                if from == to || sat && fits {
                    continue;
                }
                let opcode = format!("cvt{s}.{}.{}", int_name(&to), int_name(&from));
                t.add(&opcode, &[int_kind(&from)], register(to.bits), move |x| {
                    extend(cvt::int_to_int(x[0], from, to, sat), to)
                });
            }
        }
        for (name, to, _) in floats {
            if to == Float::Bf16 && from.bits == 8 {
                continue;
            }
            for (r, rounding) in ROUNDINGS {
                let opcode = format!("cvt.{r}.{name}.{}", int_name(&from));
                let m = Modifiers { rounding, ..Modifiers::default() };
                let width = to.format().exponent + to.format().fraction + 1;
                t.add(&opcode, &[int_kind(&from)], width, move |x| cvt::int_to_float(x[0], from, to, m));
            }
        }
    }
    for (name, from, kind) in floats {
        for &to in &ints {
            if from == Float::Bf16 && to.bits == 8 {
                continue;
            }
            for (r, rounding) in TO_INTEGRAL {
                let opcode = format!("cvt.{r}.{}.{name}", int_name(&to));
                t.add(&opcode, &[kind], register(to.bits), move |x| {
                    extend(cvt::float_to_int(x[0], from, to, rounding, false), to)
                });
            }
        }
        if from != Float::Bf16 {
            for (r, rounding) in TO_INTEGRAL {
                let m = Modifiers { rounding, ..Modifiers::default() };
                t.add(&format!("cvt.{r}.{name}.{name}"), &[kind], kind.width(), move |x| {
                    cvt::float_to_integral(x[0], from, m)
                });
            }
        }
    }
    for (r, rounding) in ROUNDINGS {
        let m = Modifiers { rounding, ..Modifiers::default() };
        t.add(&format!("cvt.{r}.f32.f64"), &[F64], 32, move |x| cvt::float_to_float(x[0], Float::F64, Float::F32, m));
        t.add(&format!("cvt.{r}.ftz.f32.f64"), &[F64], 32, move |x| {
            cvt::float_to_float(x[0], Float::F64, Float::F32, Modifiers { ftz: true, ..m })
        });
        t.add(&format!("cvt.{r}.f16.f32"), &[F32], 16, move |x| cvt::float_to_float(x[0], Float::F32, Float::F16, m));
    }
    for (r, rounding) in [("rn", Rounding::Nearest), ("rz", Rounding::Zero)] {
        for (s, relu) in [("", false), (".relu", true)] {
            let m = Modifiers { rounding, relu, ..Modifiers::default() };
            t.add(&format!("cvt.{r}{s}.bf16.f32"), &[F32], 16, move |x| {
                cvt::float_to_float(x[0], Float::F32, Float::Bf16, m)
            });
            for (name, to) in [("f16x2", Float::F16), ("bf16x2", Float::Bf16)] {
                t.add(&format!("cvt.{r}{s}.{name}.f32"), &[F32, F32], 32, move |x| {
                    cvt::f32x2_to_half2(x[0] as u32, x[1] as u32, to, m).into()
                });
            }
        }
    }
    let plain = Modifiers::default();
    for (opcode, from, to, kind) in [
        ("cvt.f32.f16", Float::F16, Float::F32, F16),
        ("cvt.f64.f16", Float::F16, Float::F64, F16),
        ("cvt.f64.f32", Float::F32, Float::F64, F32),
        ("cvt.f32.bf16", Float::Bf16, Float::F32, Bf16),
        ("cvt.rn.f16.f64", Float::F64, Float::F16, F64),
    ] {
        let width = to.format().exponent + to.format().fraction + 1;
        t.add(opcode, &[kind], width, move |x| cvt::float_to_float(x[0], from, to, plain));
    }
    t.add("cvt.sat.f32.f32", &[F32], 32, move |x| {
        cvt::float_to_float(x[0], Float::F32, Float::F32, Modifiers { sat: true, ..plain })
    });
    for (name, to) in [("e4m3x2", Fp8::E4m3), ("e5m2x2", Fp8::E5m2)] {
        for (s, relu) in [("", false), (".relu", true)] {
            t.add(&format!("cvt.rn.satfinite{s}.{name}.f32"), &[F32, F32], 16, move |x| {
                cvt::f32x2_to_fp8x2(x[0] as u32, x[1] as u32, to, relu).into()
            });
            t.add(&format!("cvt.rn.satfinite{s}.{name}.f16x2"), &[F16x2], 16, move |x| {
                cvt::f16x2_to_fp8x2(x[0] as u32, to, relu).into()
            });
            t.add(&format!("cvt.rn{s}.f16x2.{name}"), &[I16], 32, move |x| {
                cvt::fp8x2_to_f16x2(x[0] as u16, to, relu).into()
            });
        }
    }
    for (r, rounding) in [("rna", Rounding::NearestAway), ("rn", Rounding::Nearest), ("rz", Rounding::Zero)] {
        t.add(&format!("cvt.{r}.tf32.f32"), &[F32], 32, move |x| {
            cvt::f32_to_tf32(x[0] as u32, Modifiers { rounding, ..plain }).into()
        });
    }
}
