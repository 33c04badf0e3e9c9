//! Matrix products of floating-point numbers of every size and sign, where rounding shows: alignment, truncation,
//! cancellation, subnormals, infinities, NaN.

use super::inputs::{Random, hash};
use super::kernel::{Keep, Kernel};
use std::fmt::Write;

/// Products a kernel makes, one a warp at a time.
pub const TILES: usize = 64;
const WARPS: u32 = 4;

/// An element type: name, bits in a register, exponent and fraction bits, bits below the fraction.
#[derive(Clone, Copy)]
pub struct Format {
    pub name: &'static str,
    bits: u32,
    exponent: u32,
    fraction: u32,
    unused: u32,
}

const fn format(name: &'static str, bits: u32, exponent: u32, fraction: u32, unused: u32) -> Format {
    Format { name, bits, exponent, fraction, unused }
}

const F16: Format = format("f16", 16, 5, 10, 0);
const BF16: Format = format("bf16", 16, 8, 7, 0);
const TF32: Format = format("tf32", 32, 8, 10, 13);
const F32: Format = format("f32", 32, 8, 23, 0);
const F64: Format = format("f64", 64, 11, 52, 0);
const E4M3: Format = format("e4m3", 8, 4, 3, 0);
const E5M2: Format = format("e5m2", 8, 5, 2, 0);

impl Format {
    /// A number as its style says.
    fn draw(self, style: Style, random: &mut Random) -> u64 {
        let bits = random.bits();
        let top = (1u64 << self.exponent) - 1;
        let bias = top >> 1;
        let sign = bits & 1;
        let fraction = bits >> 1 & ((1 << (self.fraction + self.unused)) - 1);
        let around = |spread: u64| (bias + (bits >> 56) % (2 * spread + 1)).saturating_sub(spread).clamp(1, top - 1);
        let (sign, exponent, fraction) = match style {
            Style::Near => (sign, around(2), fraction),
            Style::Wide => (sign, around(top / 5), fraction),
            Style::Positive => (0, bias, fraction),
            Style::Few => (sign, bias, fraction & 3 << (self.fraction + self.unused - 2)),
            Style::Small => (sign, (bits >> 60) % 3, fraction),
            Style::Any => (sign, bits >> 50 & top, fraction),
            Style::Special => match bits >> 57 {
                0..8 => (sign, top, 0),
                8..10 => (sign, top, fraction | 1 << self.unused),
                10..20 => (sign, 0, 0),
                _ => (sign, around(3), fraction),
            },
        };
        sign << (self.exponent + self.fraction + self.unused) | exponent << (self.fraction + self.unused) | fraction
    }
}

/// How numbers of a tile are drawn.
#[derive(Clone, Copy, Debug)]
pub enum Style {
    /// Exponents around zero.
    Near,
    /// Exponents over much of the range.
    Wide,
    /// Positive, between 1 and 2.
    Positive,
    /// Few fraction bits.
    Few,
    /// Subnormals and the smallest normal numbers.
    Small,
    /// Any bits.
    Any,
    /// Some infinities, zeros and NaN.
    Special,
}

const STYLES: [(Style, Style); 8] = [
    (Style::Near, Style::Near),
    (Style::Wide, Style::Wide),
    (Style::Positive, Style::Near),
    (Style::Near, Style::Wide),
    (Style::Few, Style::Any),
    (Style::Small, Style::Small),
    (Style::Special, Style::Special),
    (Style::Any, Style::Any),
];

/// One product: types and shape.
#[derive(Clone, Copy)]
pub struct MatrixShape {
    pub wmma: bool,
    pub m: u32,
    pub n: u32,
    pub k: u32,
    pub a: Format,
    pub b: Format,
    pub c: Format,
    pub d: Format,
}

impl MatrixShape {
    /// The instruction.
    pub fn opcode(&self) -> String {
        let Self { m, n, k, a, b, c, d, .. } = *self;
        match (self.wmma, a.name) {
            (false, _) => format!("mma.sync.aligned.m{m}n{n}k{k}.row.col.{}.{}.{}.{}", d.name, a.name, b.name, c.name),
            (true, "f16") => format!("wmma.mma.sync.aligned.row.col.m{m}n{n}k{k}.{}.{}", d.name, c.name),
            (true, "f64") => format!("wmma.mma.sync.aligned.row.col.m{m}n{n}k{k}.f64.f64.f64.f64"),
            (true, _) => {
                format!("wmma.mma.sync.aligned.row.col.m{m}n{n}k{k}.{}.{}.{}.{}", d.name, a.name, b.name, c.name)
            }
        }
    }

    /// Bytes of A, B, C and D.
    fn bytes(&self) -> [u32; 4] {
        let Self { m, n, k, a, b, c, d, .. } = *self;
        [m * k * a.bits / 8, k * n * b.bits / 8, m * n * c.bits / 8, m * n * d.bits / 8]
    }

    /// The tiles' matrices, one after the other: fragments for `mma`, matrices for `wmma` (B by columns).
    pub fn inputs(&self) -> Vec<u8> {
        let mut random = Random(hash(self.opcode().as_bytes()));
        let mut out = Vec::new();
        let [a, b, c, _] = self.bytes();
        for tile in 0..TILES {
            let (style, addend) = STYLES[tile % STYLES.len()];
            for (format, bytes, style) in [(self.a, a, style), (self.b, b, style), (self.c, c, addend)] {
                for _ in 0..bytes * 8 / format.bits {
                    let bits = format.draw(style, &mut random);
                    out.extend_from_slice(&bits.to_le_bytes()[..format.bits as usize / 8]);
                }
            }
        }
        out
    }

    fn kernel(&self) -> Kernel {
        let [a, b, c, d] = self.bytes();
        let mut body = String::new();
        let opcode = self.opcode();
        if self.wmma {
            self.wmma_body(&mut body, &opcode);
        } else {
            self.mma_body(&mut body, &opcode);
        }
        let ptx = format!(
            ".version {}\n.target sm_90\n.address_size 64\n\
             .visible .entry k(.param .u64 in, .param .u64 out)\n{{\n\
             .reg .b64 from, to, x, y;\n.reg .b32 lane, tile;\n.reg .pred p;\n\
             ld.param.u64 from, [in];\nld.param.u64 to, [out];\n\
             cvta.to.global.u64 from, from;\ncvta.to.global.u64 to, to;\n\
             mov.u32 lane, %laneid;\nmov.u32 tile, %tid.x;\nshr.u32 tile, tile, 5;\n\
             NEXT:\nsetp.ge.u32 p, tile, {TILES};\n@p bra DONE;\n\
             mad.wide.u32 x, tile, {}, from;\nmad.wide.u32 y, tile, {d}, to;\n\
             {body}add.u32 tile, tile, {WARPS};\nbra.uni NEXT;\nDONE:\nret;\n}}\n",
            if self.a.bits == 8 { "8.7" } else { "8.4" },
            a + b + c
        );
        Kernel {
            name: format!("rounding.{opcode}"),
            ptx,
            blocks: 1,
            threads: 32 * WARPS,
            inputs: self.inputs(),
            outputs: TILES * d as usize,
            keep: Keep::Digest,
        }
    }

    fn mma_body(&self, body: &mut String, opcode: &str) {
        let words = self.bytes().map(|bytes| bytes / 128);
        let formats = [self.a, self.b, self.c, self.d];
        let _ = writeln!(body, "mad.wide.u32 x, lane, 4, x;\nmad.wide.u32 y, lane, 4, y;\n.reg .b32 t, u;");
        let mut at = 0;
        let mut lists = Vec::new();
        for ((prefix, words), format) in ["a", "b", "c", "d"].into_iter().zip(words).zip(formats) {
            let wide = format.bits == 64;
            let count = if wide { words / 2 } else { words };
            let _ = writeln!(body, ".reg .b{} {prefix}<{count}>;", if wide { 64 } else { 32 });
            let names: Vec<String> = (0..count).map(|at| format!("{prefix}{at}")).collect();
            lists.push(format!("{{{}}}", names.join(", ")));
            if prefix == "d" {
                continue;
            }
            for name in names {
                if wide {
                    let _ = writeln!(body, "ld.global.b32 t, [x+{}];\nld.global.b32 u, [x+{}];", at, at + 128);
                    let _ = writeln!(body, "mov.b64 {name}, {{t, u}};");
                    at += 256;
                } else {
                    let _ = writeln!(body, "ld.global.b32 {name}, [x+{at}];");
                    at += 128;
                }
            }
        }
        let _ = writeln!(body, "{opcode} {}, {}, {}, {};", lists[3], lists[0], lists[1], lists[2]);
        let wide = self.d.bits == 64;
        for word in 0..words[3] {
            if wide {
                if word % 2 == 0 {
                    let _ = writeln!(body, "mov.b64 {{t, u}}, d{};", word / 2);
                }
                let _ = writeln!(body, "st.global.b32 [y+{}], {};", word * 128, if word % 2 == 0 { "t" } else { "u" });
            } else {
                let _ = writeln!(body, "st.global.b32 [y+{}], d{word};", word * 128);
            }
        }
    }

    fn wmma_body(&self, body: &mut String, opcode: &str) {
        let Self { m, n, k, .. } = *self;
        let [a_bytes, b_bytes, c_bytes, d_bytes] = self.bytes();
        let words = |format: Format, bytes: u32| match format.name {
            "f16" => 8,
            "f64" => bytes / 256,
            _ => bytes / 128,
        };
        let counts = [
            words(self.a, a_bytes),
            words(self.b, b_bytes),
            if self.c.name == "f16" { 4 } else { words(self.c, c_bytes) },
            if self.d.name == "f16" { 4 } else { words(self.d, d_bytes) },
        ];
        let mut lists = Vec::new();
        for ((prefix, count), format) in
            ["a", "b", "c", "d"].into_iter().zip(counts).zip([self.a, self.b, self.c, self.d])
        {
            let _ = writeln!(body, ".reg .b{} {prefix}<{count}>;", format.bits.max(32));
            lists.push(format!("{{{}}}", (0..count).map(|at| format!("{prefix}{at}")).collect::<Vec<_>>().join(", ")));
        }
        let shape = format!("m{m}n{n}k{k}");
        let global = "global";
        let _ = writeln!(body, "wmma.load.a.sync.aligned.row.{shape}.{global}.{} {}, [x], {k};", self.a.name, lists[0]);
        let _ = writeln!(body, "add.u64 x, x, {a_bytes};");
        let _ = writeln!(body, "wmma.load.b.sync.aligned.col.{shape}.{global}.{} {}, [x], {k};", self.b.name, lists[1]);
        let _ = writeln!(body, "add.u64 x, x, {b_bytes};");
        let _ = writeln!(body, "wmma.load.c.sync.aligned.row.{shape}.{global}.{} {}, [x], {n};", self.c.name, lists[2]);
        let _ = writeln!(body, "{opcode} {}, {}, {}, {};", lists[3], lists[0], lists[1], lists[2]);
        let _ =
            writeln!(body, "wmma.store.d.sync.aligned.row.{shape}.{global}.{} [y], {}, {n};", self.d.name, lists[3]);
    }
}

/// All shapes.
pub fn shapes() -> Vec<MatrixShape> {
    let mut shapes = Vec::new();
    let mut mma = |m, n, k, a, b, c| shapes.push(MatrixShape { wmma: false, m, n, k, a, b, c, d: c });
    for k in [8, 16] {
        mma(16, 8, k, F16, F16, F32);
        mma(16, 8, k, F16, F16, F16);
        mma(16, 8, k, BF16, BF16, F32);
        mma(16, 8, k / 2, TF32, TF32, F32);
    }
    for (a, b) in [(E4M3, E4M3), (E4M3, E5M2), (E5M2, E4M3), (E5M2, E5M2)] {
        mma(16, 8, 32, a, b, F32);
        mma(16, 8, 16, a, b, F32);
        mma(16, 8, 32, a, b, F16);
        mma(16, 8, 16, a, b, F16);
    }
    mma(8, 8, 4, F64, F64, F64);
    for k in [4, 8, 16] {
        mma(16, 8, k, F64, F64, F64);
    }
    let mut wmma = |m, n, k, a, c, d| shapes.push(MatrixShape { wmma: true, m, n, k, a, b: a, c, d });
    for (m, n) in [(16, 16), (32, 8), (8, 32)] {
        for (c, d) in [(F32, F32), (F16, F16), (F16, F32), (F32, F16)] {
            wmma(m, n, 16, F16, c, d);
        }
        wmma(m, n, 16, BF16, F32, F32);
    }
    wmma(16, 16, 8, TF32, F32, F32);
    wmma(8, 8, 4, F64, F64, F64);
    shapes
}

/// All kernels.
pub fn all() -> Vec<Kernel> {
    shapes().iter().map(MatrixShape::kernel).collect()
}
