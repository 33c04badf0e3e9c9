//! Every scalar opcode, lane by lane: PTX text, the kinds of its operands, how near the answer must be, and what `num`
//! says.

mod approximations;
mod conversions;
mod floats;
mod halves;
mod integers;

use super::inputs::{Kind, Random, hash};
use super::kernel::{Keep, Kernel};
use simulator::num::{Compare, Rounding};

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

    /// As a kernel.
    pub fn kernel(&self) -> Kernel {
        Kernel {
            name: self.name.clone(),
            ptx: self.ptx(),
            blocks: 1,
            threads: TUPLES as u32,
            inputs: self.inputs().iter().flatten().flat_map(|x| x.to_le_bytes()).collect(),
            outputs: 8 * TUPLES,
            keep: Keep::Whole,
        }
    }

    /// The instruction between 64-bit registers `i0`.. and `o`.
    fn body(&self) -> String {
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
    fn ptx(&self) -> String {
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
    floats::add(&mut table);
    halves::add(&mut table);
    conversions::add(&mut table);
    integers::add(&mut table);
    approximations::add(&mut table);
    table.0
}
