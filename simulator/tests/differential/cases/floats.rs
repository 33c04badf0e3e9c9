//! Singles and doubles.

use super::{Near, ORDERS, ROUNDINGS, Table, UNORDERED, suffix};
use crate::inputs::Kind::{F32, F64, I32};
use simulator::num::{MinMax, Rounding, TestP, float};

/// Adds their cases.
pub fn add(t: &mut Table) {
    singles(t);
    doubles(t);
}

fn singles(t: &mut Table) {
    for (r, rounding) in ROUNDINGS {
        for ftz in [false, true] {
            let z = suffix(ftz);
            for (s, sat) in [("", false), (".sat", true)] {
                t.add(&format!("add.{r}{z}{s}.f32"), &[F32, F32], 32, move |x| {
                    float::add_f32(x[0] as u32, x[1] as u32, rounding, ftz, sat).into()
                });
                t.add(&format!("sub.{r}{z}{s}.f32"), &[F32, F32], 32, move |x| {
                    float::sub_f32(x[0] as u32, x[1] as u32, rounding, ftz, sat).into()
                });
                t.add(&format!("mul.{r}{z}{s}.f32"), &[F32, F32], 32, move |x| {
                    float::mul_f32(x[0] as u32, x[1] as u32, rounding, ftz, sat).into()
                });
                t.add(&format!("fma.{r}{z}{s}.f32"), &[F32, F32, F32], 32, move |x| {
                    float::fma_f32(x[0] as u32, x[1] as u32, x[2] as u32, rounding, ftz, sat).into()
                });
            }
            t.add(&format!("div.{r}{z}.f32"), &[F32, F32], 32, move |x| {
                float::div_f32(x[0] as u32, x[1] as u32, rounding, ftz).into()
            });
            t.add(&format!("rcp.{r}{z}.f32"), &[F32], 32, move |x| float::rcp_f32(x[0] as u32, rounding, ftz).into());
            t.add(&format!("sqrt.{r}{z}.f32"), &[F32], 32, move |x| float::sqrt_f32(x[0] as u32, rounding, ftz).into());
        }
    }
    for ftz in [false, true] {
        let z = suffix(ftz);
        t.add(&format!("neg{z}.f32"), &[F32], 32, move |x| float::neg_f32(x[0] as u32, ftz).into());
        t.add(&format!("abs{z}.f32"), &[F32], 32, move |x| float::abs_f32(x[0] as u32, ftz).into());
        for (n, nan) in [("", false), (".NaN", true)] {
            for (s, xorsign_abs) in [("", false), (".xorsign.abs", true)] {
                let options = MinMax { ftz, nan, xorsign_abs };
                t.add(&format!("min{z}{n}{s}.f32"), &[F32, F32], 32, move |x| {
                    float::min_f32(x[0] as u32, x[1] as u32, options).into()
                });
                t.add(&format!("max{z}{n}{s}.f32"), &[F32, F32], 32, move |x| {
                    float::max_f32(x[0] as u32, x[1] as u32, options).into()
                });
            }
        }
        for (name, op) in ORDERS.into_iter().chain(UNORDERED) {
            t.predicate(
                &format!("setp.{name}{z}.f32"),
                &format!("setp.{name}{z}.f32 p, a, b;"),
                &[F32, F32],
                move |x| float::compare_f32(op, x[0] as u32, x[1] as u32, ftz),
            );
        }
    }
    // The edge of the subnormals, where flushing before and after rounding differ.
    t.text("flush.mul", "mul.ftz.f32 d, a, 0f3F7FFFFF;", &[F32], 32, Near::Exact, |x| {
        float::mul_f32(x[0] as u32, 0x3f7f_ffff, Rounding::Nearest, true, false).into()
    });
    t.text("flush.fma", "fma.rn.ftz.f32 d, a, 0f3F800000, 0f80800000;", &[F32], 32, Near::Exact, |x| {
        float::fma_f32(x[0] as u32, 0x3f80_0000, 0x8080_0000, Rounding::Nearest, true, false).into()
    });
    for (from, what) in [(0x0080_0000u32, "normal"), (0x0080_0001, "next")] {
        for by in [0x3f7f_ffffu32, 0x3f7f_fffe, 0x3f7f_fffd, 0x3f80_0000] {
            let text = format!("and.b32 a, a, 0x80000000;\nor.b32 a, a, 0x{from:x};\nmul.ftz.f32 d, a, 0f{by:08X};");
            t.text(&format!("flush.{what}.{by:x}"), &text, &[I32], 32, Near::Exact, move |x| {
                float::mul_f32(x[0] as u32 & 0x8000_0000 | from, by, Rounding::Nearest, true, false).into()
            });
        }
    }
    t.add("copysign.f32", &[F32, F32], 32, |x| float::copysign_f32(x[0] as u32, x[1] as u32).into());
    for (name, test) in [
        ("finite", TestP::Finite),
        ("infinite", TestP::Infinite),
        ("number", TestP::Number),
        ("notanumber", TestP::NotANumber),
        ("normal", TestP::Normal),
        ("subnormal", TestP::Subnormal),
    ] {
        t.predicate(&format!("testp.{name}.f32"), &format!("testp.{name}.f32 p, a;"), &[F32], move |x| {
            float::testp_f32(x[0] as u32, test)
        });
        t.predicate(&format!("testp.{name}.f64"), &format!("testp.{name}.f64 p, a;"), &[F64], move |x| {
            float::testp_f64(x[0], test)
        });
    }
}

fn doubles(t: &mut Table) {
    for (r, rounding) in ROUNDINGS {
        t.add(&format!("add.{r}.f64"), &[F64, F64], 64, move |x| float::add_f64(x[0], x[1], rounding));
        t.add(&format!("sub.{r}.f64"), &[F64, F64], 64, move |x| float::sub_f64(x[0], x[1], rounding));
        t.add(&format!("mul.{r}.f64"), &[F64, F64], 64, move |x| float::mul_f64(x[0], x[1], rounding));
        t.add(&format!("fma.{r}.f64"), &[F64, F64, F64], 64, move |x| float::fma_f64(x[0], x[1], x[2], rounding));
        t.add(&format!("div.{r}.f64"), &[F64, F64], 64, move |x| float::div_f64(x[0], x[1], rounding));
        t.add(&format!("rcp.{r}.f64"), &[F64], 64, move |x| float::rcp_f64(x[0], rounding));
        t.add(&format!("sqrt.{r}.f64"), &[F64], 64, move |x| float::sqrt_f64(x[0], rounding));
    }
    t.add("neg.f64", &[F64], 64, |x| float::neg_f64(x[0]));
    t.add("abs.f64", &[F64], 64, |x| float::abs_f64(x[0]));
    t.add("min.f64", &[F64, F64], 64, |x| float::min_f64(x[0], x[1]));
    t.add("max.f64", &[F64, F64], 64, |x| float::max_f64(x[0], x[1]));
    t.add("copysign.f64", &[F64, F64], 64, |x| float::copysign_f64(x[0], x[1]));
    for (name, op) in ORDERS.into_iter().chain(UNORDERED) {
        t.predicate(&format!("setp.{name}.f64"), &format!("setp.{name}.f64 p, a, b;"), &[F64, F64], move |x| {
            float::compare_f64(op, x[0], x[1])
        });
    }
}
