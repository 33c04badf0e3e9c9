//! Every scalar opcode, lane by lane: PTX text, the kinds of its operands, how near the answer must be, and what `num`
//! says.

use super::inputs::{Kind, Random, hash};
use Kind::*;
use simulator::num::half::{self, Half, packed1, packed2, packed3};
use simulator::num::int::{self, PrmtMode, b32, b64, w16, w32, w64};
use simulator::num::video::{Simd, Video};
use simulator::num::{Compare, MinMax, Rounding, TestP, approx, cvt, float};

/// Tuples of operands a case is tried on.
pub const TUPLES: usize = 128;

/// How near the simulator must come to the GPU.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Near {
    /// The same bits.
    Exact,
    /// `f32` within a relative and an absolute error; infinities and NaN alike.
    F32 { relative: f64, absolute: f64 },
    /// One or two halves within a relative error.
    Halves { bf16: bool, relative: f64 },
    /// `f64` within a relative error.
    F64 { relative: f64 },
}

type Model = Box<dyn Fn([u64; 4]) -> u64>;

/// One opcode with its modifiers.
pub struct Case {
    /// The opcode; unique.
    pub name: String,
    /// PTX over registers `a`, `b`, `c`, `e` (operands) and `d` (result), predicate `p`.
    pub text: String,
    /// Operands.
    pub kinds: Vec<Kind>,
    /// Width of `d`.
    pub width: u32,
    /// Tolerance.
    pub near: Near,
    /// The answer by `num`.
    pub model: Model,
}

impl Case {
    /// Operand tuples, the same for every run.
    pub fn inputs(&self) -> Vec<[u64; 4]> {
        let mut random = Random(hash(self.name.as_bytes()));
        (0..TUPLES)
            .map(|_| {
                let mut tuple = [0; 4];
                for (slot, kind) in tuple.iter_mut().zip(&self.kinds) {
                    *slot = kind.draw(&mut random);
                }
                tuple
            })
            .collect()
    }

    /// The instruction between 64-bit registers `i0`.. and `o`.
    pub fn body(&self) -> String {
        let mut body = format!(".reg .b{} d;\n.reg .pred p, q;\n", self.width);
        for (at, kind) in self.kinds.iter().enumerate() {
            let name = ["a", "b", "c", "e"][at];
            let width = kind.width();
            body += &format!(".reg .b{width} {name};\n");
            body += &match width {
                64 => format!("mov.b64 {name}, i{at};\n"),
                width => format!("cvt.u{width}.u64 {name}, i{at};\n"),
            };
        }
        body += &self.text;
        body += &match self.width {
            64 => "\nmov.b64 o, d;\n".to_string(),
            width => format!("\ncvt.u64.u{width} o, d;\n"),
        };
        body
    }

    /// The whole module; the kernel is `k`.
    pub fn ptx(&self) -> String {
        format!(
            ".version 8.1\n.target sm_90\n.address_size 64\n\
             .visible .entry k(.param .u64 in, .param .u64 out)\n{{\n\
             .reg .b64 i0, i1, i2, i3, o, from, to;\n.reg .b32 t;\n\
             ld.param.u64 from, [in];\nld.param.u64 to, [out];\n\
             cvta.to.global.u64 from, from;\ncvta.to.global.u64 to, to;\nmov.u32 t, %tid.x;\n\
             mad.wide.u32 from, t, 32, from;\nmad.wide.u32 to, t, 8, to;\n\
             ld.global.u64 i0, [from];\nld.global.u64 i1, [from+8];\n\
             ld.global.u64 i2, [from+16];\nld.global.u64 i3, [from+24];\n\
             {{\n{}}}\nst.global.u64 [to], o;\nret;\n}}\n",
            self.body()
        )
    }
}

struct Table(Vec<Case>);

impl Table {
    fn add(&mut self, opcode: &str, kinds: &[Kind], width: u32, model: impl Fn([u64; 4]) -> u64 + 'static) {
        self.near(opcode, kinds, width, Near::Exact, model);
    }

    fn near(
        &mut self,
        opcode: &str,
        kinds: &[Kind],
        width: u32,
        near: Near,
        model: impl Fn([u64; 4]) -> u64 + 'static,
    ) {
        let text = format!("{opcode} {};", ["d", "a", "b", "c", "e"][..=kinds.len()].join(", "));
        self.text(opcode, &text, kinds, width, near, model);
    }

    fn text(
        &mut self,
        name: &str,
        text: &str,
        kinds: &[Kind],
        width: u32,
        near: Near,
        model: impl Fn([u64; 4]) -> u64 + 'static,
    ) {
        let mask = u64::MAX >> (64 - width);
        let model = Box::new(move |x: [u64; 4]| model(x) & mask);
        let (name, text, kinds) = (name.to_string(), text.to_string(), kinds.to_vec());
        self.0.push(Case { name, text, kinds, width, near, model });
    }

    fn predicate(&mut self, name: &str, text: &str, kinds: &[Kind], model: impl Fn([u64; 4]) -> bool + 'static) {
        let text = format!("{text}\nselp.u32 d, 1, 0, p;");
        self.text(name, &text, kinds, 32, Near::Exact, move |x| model(x).into());
    }
}

const ROUNDINGS: [(&str, Rounding); 4] =
    [("rn", Rounding::Nearest), ("rz", Rounding::Zero), ("rm", Rounding::Down), ("rp", Rounding::Up)];
const TO_INTEGRAL: [(&str, Rounding); 4] =
    [("rni", Rounding::Nearest), ("rzi", Rounding::Zero), ("rmi", Rounding::Down), ("rpi", Rounding::Up)];
const ORDERS: [(&str, Compare); 6] = [
    ("eq", Compare::Eq),
    ("ne", Compare::Ne),
    ("lt", Compare::Lt),
    ("le", Compare::Le),
    ("gt", Compare::Gt),
    ("ge", Compare::Ge),
];
const UNORDERED: [(&str, Compare); 8] = [
    ("equ", Compare::Equ),
    ("neu", Compare::Neu),
    ("ltu", Compare::Ltu),
    ("leu", Compare::Leu),
    ("gtu", Compare::Gtu),
    ("geu", Compare::Geu),
    ("num", Compare::Num),
    ("nan", Compare::Nan),
];

fn suffix(ftz: bool) -> &'static str {
    if ftz { ".ftz" } else { "" }
}

/// All cases.
pub fn all() -> Vec<Case> {
    let mut table = Table(Vec::new());
    singles(&mut table);
    doubles(&mut table);
    halves(&mut table);
    conversions(&mut table);
    integers(&mut table);
    approximations(&mut table);
    table.0
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

fn halves(t: &mut Table) {
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

fn conversions(t: &mut Table) {
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

fn integers(t: &mut Table) {
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
}

fn approximations(t: &mut Table) {
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
