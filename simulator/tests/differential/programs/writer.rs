//! Text under construction: registers, labels, statements.

use super::functions::Function;
use crate::inputs::Random;
use std::fmt::Write;

/// Working registers of 32 bits, `r0` and on.
pub const WORDS: u64 = 8;
/// Of 64 bits, `w0` and on; of 16, `h0`; singles, `f0`; doubles, `d0`.
pub const OTHERS: u64 = 3;

/// Where statements stand.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// In the kernel: everything is allowed outside branches.
    Kernel,
    /// In a device function.
    Function,
}

/// A program under construction.
pub struct Writer {
    pub random: Random,
    pub text: String,
    pub place: Place,
    /// What may be called.
    pub functions: Vec<Function>,
    /// Minima and maxima are signed.
    pub signed: bool,
    /// Branches and loops around.
    pub depth: u32,
    labels: u32,
}

impl Writer {
    pub fn new(mut random: Random, place: Place) -> Self {
        let signed = random.below(2) == 0;
        Self { random, text: String::new(), place, functions: Vec::new(), signed, depth: 0, labels: 0 }
    }

    /// A register of a file: `r w h f d`.
    pub fn any(&mut self, file: char) -> String {
        let count = if file == 'r' { WORDS } else { OTHERS };
        format!("{file}{}", self.random.below(count))
    }

    pub fn below(&mut self, limit: u64) -> u64 {
        self.random.below(limit)
    }

    /// One of some texts.
    pub fn one<'t>(&mut self, of: &[&'t str]) -> &'t str {
        of[self.random.below(of.len() as u64) as usize]
    }

    pub fn label(&mut self) -> u32 {
        self.labels += 1;
        self.labels
    }

    pub fn line(&mut self, line: impl AsRef<str>) {
        self.text += line.as_ref();
        self.text.push('\n');
    }

    /// A few statements, some of them branches or loops.
    pub fn block(&mut self, length: u64) {
        for _ in 0..length {
            match self.below(12) {
                0 | 1 if self.depth < 3 => self.branch(),
                2 if self.depth < 2 => self.bounded_loop(),
                3 if self.depth < 2 => self.switch(),
                4 if self.place == Place::Kernel => self.call(),
                5 if self.place == Place::Kernel => self.local(),
                _ => self.arithmetic(),
            }
        }
    }

    /// Sets a predicate by a condition that differs between lanes, or not.
    pub fn condition(&mut self, p: &str) {
        let (a, b) = (self.any('r'), self.any('r'));
        let bit = 1 << self.below(8);
        let lane = self.below(32);
        let line = match self.below(6) {
            0 => format!("setp.lt.u32 {p}, {a}, {b};"),
            1 => format!("and.b32 t, {a}, {bit};\nsetp.ne.u32 {p}, t, 0;"),
            2 => format!("setp.lt.u32 {p}, lane, {lane};"),
            3 => {
                let (a, b) = (self.any('f'), self.any('f'));
                format!("setp.{}.f32 {p}, {a}, {b};", self.one(&["lt", "geu", "eq", "neu", "num", "gtu"]))
            }
            4 => {
                let (a, b) = (self.any('w'), self.any('w'));
                format!("setp.{}.s64 {p}, {a}, {b};", self.one(&["lt", "ge", "eq", "ne", "gt", "le"]))
            }
            _ => format!("setp.eq.u32 q0, {a}, {b};\nsetp.gt.or.s32 {p}, {a}, {lane}, q0;"),
        };
        self.line(line);
    }
}

/// Registers of a kernel or function.
pub fn declarations() -> String {
    format!(
        ".reg .b32 t, u, v, lane, n<4>, r<{WORDS}>;\n.reg .b64 x, y, w<{OTHERS}>;\n.reg .b16 g, h<{OTHERS}>;\n\
         .reg .f32 e, f<{OTHERS}>;\n.reg .f64 z, d<{OTHERS}>;\n.reg .pred p<8>, q<4>;\n"
    )
}

/// Values to begin with, made of `r0`, `r1` and `salt`.
pub fn start(salt: &str) -> String {
    format!(
        "add.u32 r2, r0, r1;\nxor.b32 r3, r0, {salt};\nmul.lo.u32 r4, r1, 0x85ebca6b;\nmov.u32 r5, {salt};\n\
         and.b32 r6, r1, 31;\nsub.u32 r7, r0, r1;\n\
         mov.b64 w0, {{r0, r1}};\ncvt.s64.s32 w1, r7;\nmul.wide.u32 w2, r2, r3;\n\
         cvt.u16.u32 h0, r0;\ncvt.u16.u32 h1, r4;\nmov.b16 h2, 0x3c01;\n\
         cvt.rn.f32.s32 f0, r0;\nmov.b32 f1, r1;\nmov.f32 f2, 0f3FA00000;\n\
         cvt.rn.f64.s32 d0, r7;\nmov.f64 d1, 0d3FF8000000000001;\nmov.b64 d2, w2;\n"
    )
}

/// All registers into `r0`. NaN becomes one pattern.
pub fn fold() -> String {
    let mut out = String::new();
    for at in 1..WORDS {
        super::mix(&mut out, &format!("r{at}"));
    }
    for at in 0..OTHERS {
        let _ = writeln!(out, "mov.b64 {{t, u}}, w{at};");
        super::mix(&mut out, "t");
        super::mix(&mut out, "u");
        let _ = writeln!(out, "cvt.u32.u16 t, h{at};");
        super::mix(&mut out, "t");
        let _ = writeln!(out, "setp.nan.f32 p0, f{at}, f{at};\nmov.b32 t, f{at};\n@p0 mov.u32 t, 0x7fffffff;");
        super::mix(&mut out, "t");
        let _ = writeln!(
            out,
            "setp.nan.f64 p0, d{at}, d{at};\nmov.b64 {{t, u}}, d{at};\n@p0 mov.u32 u, 77;\n@p0 mov.u32 t, 7;"
        );
        super::mix(&mut out, "t");
        super::mix(&mut out, "u");
    }
    out
}
