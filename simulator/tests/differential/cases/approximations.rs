//! Approximate functions.

use super::{Near, Table, suffix};
use crate::inputs::Kind::{Angle, F32, F64, Moderate};
use simulator::num::approx;

/// Adds their cases.
pub fn add(t: &mut Table) {
    let near = |exponent: f64| Near::F32 { relative: exponent.exp2(), absolute: 0.0 };
    type Function = fn(u32, bool) -> u32;
    for (op, f, bound) in [
        ("ex2.approx", approx::ex2_f32 as Function, -21.5),
        ("rcp.approx", approx::rcp_f32, -22.5),
        ("sqrt.approx", approx::sqrt_f32, -21.5),
        ("rsqrt.approx", approx::rsqrt_f32, -21.5),
    ] {
        for ftz in [false, true] {
            let near = match near(bound) {
                // Subnormal results lose relative precision.
                Near::F32 { relative, .. } => Near::F32 { relative, absolute: (-148f64).exp2() },
                other => other,
            };
            let opcode = format!("{op}{}.f32", suffix(ftz));
            t.near(&opcode, &[F32], 32, near, move |x| f(x[0] as u32, ftz).into());
        }
    }
    for ftz in [false, true] {
        let z = suffix(ftz);
        let near_log = Near::F32 { relative: (-21.5f64).exp2(), absolute: (-22f64).exp2() };
        t.near(&format!("lg2.approx{z}.f32"), &[F32], 32, near_log, move |x| approx::lg2_f32(x[0] as u32, ftz).into());
        let near_angle = Near::F32 { relative: 0.0, absolute: (-20f64).exp2() };
        for (op, f) in [("sin", approx::sin_f32 as Function), ("cos", approx::cos_f32)] {
            t.near(&format!("{op}.approx{z}.f32"), &[Angle], 32, near_angle, move |x| f(x[0] as u32, ftz).into());
            let text = format!("{op}.approx{z}.f32 d, a;");
            // Anything: only whether large and special angles behave alike.
            t.text(&format!("{op}.approx{z}.f32.wide"), &text, &[F32], 32, near_angle, move |x| {
                f(x[0] as u32, ftz).into()
            });
        }
        let near_quotient = Near::F32 { relative: (-21f64).exp2(), absolute: (-147f64).exp2() };
        t.near(&format!("div.approx{z}.f32"), &[F32, F32], 32, near_quotient, move |x| {
            approx::div_f32_approx(x[0] as u32, x[1] as u32, ftz).into()
        });
        t.near(&format!("div.full{z}.f32"), &[F32, F32], 32, near_quotient, move |x| {
            approx::div_f32_full(x[0] as u32, x[1] as u32, ftz).into()
        });
    }
    t.near("tanh.approx.f32", &[F32], 32, near(-10.5), |x| approx::tanh_f32(x[0] as u32).into());
    t.text("ex2.moderate", "ex2.approx.f32 d, a;", &[Moderate], 32, near(-21.5), |x| {
        approx::ex2_f32(x[0] as u32, false).into()
    });
    let near64 = |exponent: f64| Near::F64 { relative: exponent.exp2() };
    t.near("rcp.approx.ftz.f64", &[F64], 64, near64(-18.0), |x| approx::rcp_f64_ftz(x[0]));
    t.near("rsqrt.approx.ftz.f64", &[F64], 64, near64(-18.0), |x| approx::rsqrt_f64_ftz(x[0]));
    t.near("rsqrt.approx.f64", &[F64], 64, near64(-50.5), |x| approx::rsqrt_f64(x[0]));
}
