//! `f16` and `bf16`, alone and in pairs.

use super::{Near, ORDERS, Table, UNORDERED};
use crate::inputs::Kind::{Bf16, Bf16x2, F16, F16x2};
use simulator::num::MinMax;
use simulator::num::half::{self, Half, packed1, packed2, packed3};

/// Adds their cases.
pub fn add(t: &mut Table) {
    let plain = half::Modifiers::default();
    for (name, h, one, two) in [("f16", Half::F16, F16, F16x2), ("bf16", Half::Bf16, Bf16, Bf16x2)] {
        let mut modifiers = vec![("", plain)];
        if h == Half::F16 {
            modifiers.push((".ftz", half::Modifiers { ftz: true, ..plain }));
            modifiers.push((".sat", half::Modifiers { sat: true, ..plain }));
        }
        for (s, m) in modifiers.iter().copied() {
            for (op, f) in [
                ("add.rn", half::add as fn(Half, u16, u16, half::Modifiers) -> u16),
                ("sub.rn", half::sub),
                ("mul.rn", half::mul),
            ] {
                t.add(&format!("{op}{s}.{name}"), &[one, one], 16, move |x| f(h, x[0] as u16, x[1] as u16, m).into());
                t.add(&format!("{op}{s}.{name}x2"), &[two, two], 32, move |x| {
                    packed2(x[0] as u32, x[1] as u32, |a, b| f(h, a, b, m)).into()
                });
            }
        }
        modifiers.push((".relu", half::Modifiers { relu: true, ..plain }));
        for (s, m) in modifiers {
            t.add(&format!("fma.rn{s}.{name}"), &[one, one, one], 16, move |x| {
                half::fma(h, x[0] as u16, x[1] as u16, x[2] as u16, m).into()
            });
            t.add(&format!("fma.rn{s}.{name}x2"), &[two, two, two], 32, move |x| {
                packed3(x[0] as u32, x[1] as u32, x[2] as u32, |a, b, c| half::fma(h, a, b, c, m)).into()
            });
        }
        for (n, nan) in [("", false), (".NaN", true)] {
            for (s, xorsign_abs) in [("", false), (".xorsign.abs", true)] {
                let options = MinMax { ftz: false, nan, xorsign_abs };
                t.add(&format!("min{n}{s}.{name}"), &[one, one], 16, move |x| {
                    half::min(h, x[0] as u16, x[1] as u16, options).into()
                });
                t.add(&format!("max{n}{s}.{name}x2"), &[two, two], 32, move |x| {
                    packed2(x[0] as u32, x[1] as u32, |a, b| half::max(h, a, b, options)).into()
                });
            }
        }
        t.add(&format!("neg.{name}"), &[one], 16, move |x| half::neg(h, x[0] as u16, false).into());
        t.add(&format!("abs.{name}"), &[one], 16, move |x| half::abs(h, x[0] as u16, false).into());
        t.add(&format!("neg.{name}x2"), &[two], 32, move |x| packed1(x[0] as u32, |a| half::neg(h, a, false)).into());
        t.add(&format!("abs.{name}x2"), &[two], 32, move |x| packed1(x[0] as u32, |a| half::abs(h, a, false)).into());
        for (op, compare) in ORDERS.into_iter().chain(UNORDERED) {
            t.predicate(&format!("setp.{op}.{name}"), &format!("setp.{op}.{name} p, a, b;"), &[one, one], move |x| {
                half::compare(h, compare, x[0] as u16, x[1] as u16, false)
            });
        }
        let bf16 = h == Half::Bf16;
        let near = |relative| Near::Halves { bf16, relative };
        t.near(&format!("tanh.approx.{name}"), &[one], 16, near(if bf16 { 0.008 } else { 0.001_2 }), move |x| {
            half::tanh_approx(h, x[0] as u16).into()
        });
        let z = if bf16 { ".ftz" } else { "" };
        t.near(&format!("ex2.approx{z}.{name}"), &[one], 16, near(if bf16 { 0.008 } else { 0.001_2 }), move |x| {
            half::ex2_approx(h, x[0] as u16, bf16).into()
        });
    }
}
