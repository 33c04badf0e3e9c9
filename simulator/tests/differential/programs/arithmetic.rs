//! Instructions of one lane.

use super::writer::Writer;

impl Writer {
    /// One instruction or a few that belong together, sometimes under a guard.
    pub fn arithmetic(&mut self) {
        let line = match self.below(10) {
            0..4 => self.words(),
            4 => self.bits(),
            5 => self.wide(),
            6 => self.narrow(),
            7 => self.singles(),
            8 => self.doubles(),
            _ => self.conversions(),
        };
        if self.below(6) == 0 {
            self.condition("p4");
            let negated = self.one(&["", "!"]);
            for part in line.lines() {
                self.line(format!("@{negated}p4 {part}"));
            }
        } else {
            self.line(line);
        }
    }

    fn words(&mut self) -> String {
        let (d, a, b, c) = (self.any('r'), self.any('r'), self.any('r'), self.any('r'));
        let amount = self.below(34);
        let constant = self.random.bits() as u32;
        match self.below(20) {
            0 => format!("add.s32 {d}, {a}, {b};"),
            1 => format!("sub.u32 {d}, {a}, {constant};"),
            2 => format!("mad.lo.s32 {d}, {a}, {b}, {c};"),
            3 => format!("mul.hi.{} {d}, {a}, {b};", self.one(&["u32", "s32"])),
            4 => format!("{}.b32 {d}, {a}, {b};", self.one(&["and", "or", "xor"])),
            5 => format!("lop3.b32 {d}, {a}, {b}, {c}, 0x{:x};", self.below(256)),
            6 => format!("shl.b32 {d}, {a}, {amount};"),
            7 => format!("shr.{} {d}, {a}, {b};", self.one(&["s32", "u32"])),
            8 => format!("shf.{}.b32 {d}, {a}, {b}, {c};", self.one(&["l.wrap", "r.wrap", "l.clamp", "r.clamp"])),
            9 => format!("mad.hi.{} {d}, {a}, {b}, {c};", self.one(&["u32", "s32"])),
            10 => format!("{}.s32 {d}, {a}, {b};", self.one(&["add.sat", "sub.sat"])),
            11 => format!("setp.lt.s32 p0, {a}, {b};\nselp.b32 {d}, {b}, {c}, p0;"),
            12 => {
                format!("or.b32 t, {b}, 1;\n{} {d}, {a}, t;", self.one(&["rem.u32", "div.u32", "rem.s32", "div.s32"]))
            }
            13 => {
                let sign = if self.signed { "s32" } else { "u32" };
                format!("{}.{sign} {d}, {a}, {b};", self.one(&["min", "max"]))
            }
            14 => format!("abs.s32 t, {a};\nneg.s32 {d}, t;"),
            15 => format!("set.{}.u32.s32 {d}, {a}, {b};", self.one(&["lt", "ge", "eq", "ne"])),
            16 => format!("slct.s32.s32 {d}, {a}, {b}, {c};"),
            17 => format!("mul24.lo.{} {d}, {a}, {b};", self.one(&["u32", "s32"])),
            18 => format!("add.cc.u32 {d}, {a}, {b};\naddc.u32 {c}, {c}, 0;"),
            _ => format!("sad.{} {d}, {a}, {b}, {c};", self.one(&["u32", "s32"])),
        }
    }

    fn bits(&mut self) -> String {
        let (d, a, b, c) = (self.any('r'), self.any('r'), self.any('r'), self.any('r'));
        let (low, high) = (self.below(40), self.below(40));
        match self.below(13) {
            0 => format!("prmt.b32 {d}, {a}, {b}, {c};"),
            1 => format!("prmt.b32 {d}, {a}, {b}, 0x{:x};", self.below(0x1_0000)),
            2 => format!("popc.b32 {d}, {a};"),
            3 => format!("brev.b32 {d}, {a};"),
            4 => format!("clz.b32 {d}, {a};"),
            5 => format!("bfind{} {d}, {a};", self.one(&[".u32", ".s32", ".shiftamt.u32"])),
            6 => format!("bfi.b32 {d}, {a}, {b}, {low}, {high};"),
            7 => format!("bfe.{} {d}, {a}, {low}, {high};", self.one(&["u32", "s32"])),
            8 => format!("dp4a.{} {d}, {a}, {b}, {c};", self.one(&["u32.s32", "s32.s32", "u32.u32"])),
            9 => format!("dp2a.lo.{} {d}, {a}, {b}, {c};", self.one(&["u32.s32", "s32.s32"])),
            10 => format!("vabsdiff4.u32.u32.u32.add {d}, {a}, {b}, {c};"),
            11 => format!("bmsk.clamp.b32 {d}, {low}, {high};"),
            _ => format!("cnot.b32 {d}, {a};"),
        }
    }

    fn wide(&mut self) -> String {
        let (d, a, b, c) = (self.any('w'), self.any('w'), self.any('w'), self.any('w'));
        let (r, s) = (self.any('r'), self.any('r'));
        let amount = self.below(68);
        match self.below(16) {
            0 => format!("add.s64 {d}, {a}, {b};"),
            1 => format!("sub.u64 {d}, {a}, {b};"),
            2 => format!("mul.lo.u64 {d}, {a}, {b};"),
            3 => format!("mul.hi.{} {d}, {a}, {b};", self.one(&["u64", "s64"])),
            4 => format!("mad.lo.s64 {d}, {a}, {b}, {c};"),
            5 => format!("mad.wide.{} {d}, {r}, {s}, {a};", self.one(&["u32", "s32"])),
            6 => format!("{}.b64 {d}, {a}, {b};", self.one(&["and", "or", "xor"])),
            7 => format!("shl.b64 {d}, {a}, {amount};"),
            8 => format!("shr.{} {d}, {a}, {r};", self.one(&["u64", "s64"])),
            9 => format!("or.b64 x, {b}, 1;\n{} {d}, {a}, x;", self.one(&["div.u64", "rem.s64", "div.s64", "rem.u64"])),
            10 => format!("popc.b64 {r}, {a};"),
            11 => format!("clz.b64 {r}, {a};"),
            12 => format!("brev.b64 {d}, {a};"),
            13 => format!("setp.gt.u64 p0, {a}, {b};\nselp.b64 {d}, {b}, {c}, p0;"),
            14 => format!("bfe.u64 {d}, {a}, {amount}, {};", self.below(68)),
            _ => format!("mov.b64 {{t, u}}, {a};\nmov.b64 {d}, {{u, {r}}};"),
        }
    }

    fn narrow(&mut self) -> String {
        let (d, a, b, c) = (self.any('h'), self.any('h'), self.any('h'), self.any('h'));
        let (r, s, v) = (self.any('r'), self.any('r'), self.any('r'));
        match self.below(12) {
            0 => format!("add.u16 {d}, {a}, {b};"),
            1 => format!("mul.lo.u16 {d}, {a}, {b};"),
            2 => format!("mad.lo.s16 {d}, {a}, {b}, {c};"),
            3 => format!("mul.wide.{} {r}, {a}, {b};", self.one(&["u16", "s16"])),
            4 => format!("shr.{} {d}, {a}, {s};", self.one(&["u16", "s16"])),
            5 => format!("mov.b32 {r}, {{{a}, {b}}};"),
            6 => format!("mov.b32 {{{d}, g}}, {r};"),
            7 => format!("{}.rn.f16 {d}, {a}, {b};", self.one(&["add", "sub", "mul"])),
            8 => format!("fma.rn.f16x2 {r}, {r}, {s}, {v};"),
            9 => format!("{}.rn.bf16x2 {r}, {r}, {s};", self.one(&["add", "mul"])),
            10 => format!("fma.rn.bf16 {d}, {a}, {b}, {c};"),
            _ => format!("setp.lt.f16 p0, {a}, {b};\nselp.b16 {d}, {b}, {c}, p0;"),
        }
    }

    fn singles(&mut self) -> String {
        let (d, a, b, c) = (self.any('f'), self.any('f'), self.any('f'), self.any('f'));
        let round = self.one(&["rn", "rz", "rm", "rp"]);
        match self.below(11) {
            0..3 => format!("{}.{round}.f32 {d}, {a}, {b};", self.one(&["add", "sub", "mul"])),
            3 => format!("fma.{round}.f32 {d}, {a}, {b}, {c};"),
            4 => format!("fma.rn.ftz.sat.f32 {d}, {a}, {b}, {c};"),
            5 => format!("div.{round}.f32 {d}, {a}, {b};"),
            6 => format!("sqrt.{round}.f32 {d}, {a};"),
            7 => format!("rcp.{round}.f32 {d}, {a};"),
            8 => format!("{}.f32 {d}, {a}, {b};", self.one(&["min", "max", "min.NaN", "max.NaN"])),
            9 => format!("setp.{}.f32 p0, {a}, {b};\nselp.f32 {d}, {b}, {c}, p0;", self.one(&["lt", "ge", "neu"])),
            _ => format!("abs.f32 e, {a};\ncopysign.f32 {d}, {b}, e;"),
        }
    }

    fn doubles(&mut self) -> String {
        let (d, a, b, c) = (self.any('d'), self.any('d'), self.any('d'), self.any('d'));
        let round = self.one(&["rn", "rz", "rm", "rp"]);
        match self.below(8) {
            0..3 => format!("{}.{round}.f64 {d}, {a}, {b};", self.one(&["add", "sub", "mul"])),
            3 => format!("fma.{round}.f64 {d}, {a}, {b}, {c};"),
            4 => format!("div.rn.f64 {d}, {a}, {b};"),
            5 => format!("sqrt.rn.f64 {d}, {a};"),
            6 => format!("{}.f64 {d}, {a}, {b};", self.one(&["min", "max"])),
            _ => format!("setp.gt.f64 p0, {a}, {b};\nselp.f64 {d}, {b}, {c}, p0;"),
        }
    }

    fn conversions(&mut self) -> String {
        let (r, w, h, f, d) = (self.any('r'), self.any('w'), self.any('h'), self.any('f'), self.any('d'));
        let (g, s) = (self.any('f'), self.any('r'));
        let round = self.one(&["rn", "rz", "rm", "rp"]);
        let integral = self.one(&["rni", "rzi", "rmi", "rpi"]);
        match self.below(18) {
            0 => format!("cvt.{round}.f32.{} {f}, {r};", self.one(&["s32", "u32"])),
            1 => format!("cvt.{integral}.{}.f32 {r}, {f};", self.one(&["s32", "u32"])),
            2 => format!("cvt.{round}.f32.f64 {f}, {d};"),
            3 => format!("cvt.f64.f32 {d}, {f};"),
            4 => format!("cvt.{integral}.s64.f64 {w}, {d};"),
            5 => format!("cvt.{round}.f64.{} {d}, {w};", self.one(&["s64", "u64"])),
            6 => format!("cvt.{round}.f16.f32 {h}, {f};"),
            7 => format!("cvt.f32.f16 {f}, {h};"),
            8 => format!("cvt.rn.bf16.f32 {h}, {f};"),
            9 => format!("cvt.rn.f16x2.f32 {r}, {f}, {g};"),
            10 => format!("cvt.{integral}.f32.f32 {f}, {g};"),
            11 => format!("cvt.s64.s32 {w}, {r};"),
            12 => format!("cvt.u32.u64 {r}, {w};"),
            13 => format!("cvt.s32.s8 {r}, {s};"),
            14 => format!("cvt.sat.u8.s32 {r}, {s};"),
            15 => format!("cvt.s32.s16 {r}, {h};"),
            16 => format!("setp.nan.f32 p0, {f}, {f};\nmov.b32 t, {f};\nselp.b32 {r}, 5, t, p0;"),
            _ => format!("and.b32 t, {r}, 0xbfffffff;\nmov.b32 {f}, t;"),
        }
    }
}
