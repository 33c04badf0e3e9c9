//! Device functions: plain, recursive, through pointers; parameters by value and as structures.

use super::writer::{self, Place, Writer};
use crate::inputs::Random;
use std::fmt::Write;

/// A device function of the program.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Function {
    /// `f(a, b)`
    Plain,
    /// `f(a, n)` calls itself with a smaller `n`.
    Recursive,
    /// `f({a, b, c, d})` returns two words.
    Structure,
    /// Called through a table.
    Pointed,
}

/// Which functions a program has.
pub fn choose(random: &mut Random) -> Vec<Function> {
    use Function::{Plain, Pointed, Recursive, Structure};
    let set: &[Function] = match random.below(6) {
        0 => &[Plain],
        1 => &[Plain, Recursive],
        2 => &[Structure],
        3 => &[Pointed, Pointed, Plain],
        4 => &[Recursive, Structure],
        _ => &[],
    };
    set.to_vec()
}

/// Their text, and the table of those that are pointed to.
pub fn write(random: Random, functions: &[Function], signed: bool) -> String {
    let mut random = random;
    let mut out = String::new();
    for (at, function) in functions.iter().enumerate() {
        let seed = random.bits();
        let mut w = Writer::new(Random(seed), Place::Function);
        w.signed = signed;
        let length = 2 + w.below(4);
        w.block(length);
        let head = match function {
            Function::Structure => {
                format!(".func (.param .align 8 .b8 ret[8]) call{at}(.param .align 16 .b8 a[16])")
            }
            _ => format!(".func (.param .b32 ret) call{at}(.param .b32 a, .param .b32 b)"),
        };
        let load = match function {
            Function::Structure => {
                "ld.param.v4.b32 {r0, r1, t, u}, [a];\nxor.b32 r0, r0, t;\nadd.u32 r1, r1, u;\n".to_string()
            }
            _ => "ld.param.b32 r0, [a];\nld.param.b32 r1, [b];\n".to_string(),
        };
        let own = match function {
            Function::Recursive => format!(
                "ld.param.b32 v, [b];\nsetp.eq.u32 p0, v, 0;\n@p0 bra LEAF;\nsub.u32 v, v, 1;\nxor.b32 u, r0, r3;\n\
                 {{\n.param .b32 a0, a1, back;\nst.param.b32 [a0], u;\nst.param.b32 [a1], v;\n\
                 call (back), call{at}, (a0, a1);\nld.param.b32 t, [back];\n}}\nadd.u32 r0, r0, t;\nLEAF:\n"
            ),
            _ => String::new(),
        };
        let end = match function {
            Function::Structure => "xor.b32 t, r0, r5;\nst.param.v2.b32 [ret], {r0, t};\n",
            _ => "st.param.b32 [ret], r0;\n",
        };
        let (declarations, start, fold) = (writer::declarations(), writer::start("lane"), writer::fold());
        let _ = writeln!(
            out,
            "{head}\n{{\n{declarations}mov.u32 lane, %laneid;\n{load}{start}{}{own}{fold}{end}ret;\n}}",
            w.text
        );
    }
    let pointed: Vec<String> = (functions.iter().enumerate())
        .filter(|(_, function)| **function == Function::Pointed)
        .map(|(at, _)| format!("call{at}"))
        .collect();
    if !pointed.is_empty() {
        let _ = writeln!(out, ".global .align 8 .u64 table[{}] = {{{}}};", pointed.len(), pointed.join(", "));
    }
    out
}

impl Writer {
    /// A call, if there is something to call.
    pub fn call(&mut self) {
        if self.functions.is_empty() {
            return self.arithmetic();
        }
        let at = self.below(self.functions.len() as u64) as usize;
        let (d, a, b) = (self.any('r'), self.any('r'), self.any('r'));
        let label = self.label();
        let (e, c) = (self.any('r'), self.any('r'));
        match self.functions[at] {
            Function::Plain => self.line(format!(
                "{{\n.param .b32 a0, a1, back;\nst.param.b32 [a0], {a};\nst.param.b32 [a1], {b};\n\
                 call (back), call{at}, (a0, a1);\nld.param.b32 {d}, [back];\n}}"
            )),
            Function::Recursive => self.line(format!(
                "{{\n.param .b32 a0, a1, back;\nand.b32 t, {b}, 3;\nst.param.b32 [a0], {a};\nst.param.b32 [a1], t;\n\
                 call (back), call{at}, (a0, a1);\nld.param.b32 {d}, [back];\n}}"
            )),
            Function::Structure => self.line(format!(
                "{{\n.param .align 16 .b8 a0[16];\n.param .align 8 .b8 back[8];\n\
                 st.param.v2.b32 [a0], {{{a}, {b}}};\nst.param.v2.b32 [a0+8], {{{c}, {a}}};\n\
                 call (back), call{at}, (a0);\nld.param.v2.b32 {{{d}, t}}, [back];\n}}\nxor.b32 {e}, {e}, t;"
            )),
            Function::Pointed => {
                let pointed = self.functions.iter().filter(|function| **function == Function::Pointed).count();
                self.line(format!(
                    "rem.u32 t, {a}, {pointed};\nmul.wide.u32 x, t, 8;\nmov.u64 y, table;\nadd.u64 x, x, y;\n\
                     ld.global.u64 x, [x];\n{{\n.param .b32 a0, a1, back;\nst.param.b32 [a0], {a};\n\
                     st.param.b32 [a1], {b};\n\
                     SHAPE_{label}: .callprototype (.param .b32 _) _ (.param .b32 _, .param .b32 _);\n\
                     call (back), x, (a0, a1), SHAPE_{label};\nld.param.b32 {d}, [back];\n}}"
                ));
            }
        }
    }
}
