//! Video instructions over bits: scalar ones (PTX ISA 9.7.17.1 to 9.7.17.9), and SIMD ones on four bytes or two halves
//! (9.7.17.10 on).

use super::Compare;

/// What is done in each lane.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Video {
    /// `vadd2`, `vadd4`
    Add,
    /// `vsub2`, `vsub4`
    Sub,
    /// `vavrg2`, `vavrg4`: average, rounded away from zero where the sum is not negative.
    Average,
    /// `vabsdiff2`, `vabsdiff4`
    AbsoluteDifference,
    /// `vmin2`, `vmin4`
    Min,
    /// `vmax2`, `vmax4`
    Max,
    /// `vset2`, `vset4`: 1 or 0.
    Set(Compare),
}

/// An instruction: operation, types and modifiers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Simd {
    /// Operation.
    pub op: Video,
    /// Lanes: 4 of 8 bits or 2 of 16 bits.
    pub lanes: u32,
    /// `.dtype` is signed.
    pub d_signed: bool,
    /// `.atype` is signed.
    pub a_signed: bool,
    /// `.btype` is signed.
    pub b_signed: bool,
    /// `.sat`: lanes are clamped to the range of `.dtype`.
    pub sat: bool,
    /// `.add`: the lanes' results are added to `c` instead of being merged into it.
    pub add: bool,
    /// Destination mask, bit 0 is the lowest lane. The default is all lanes.
    pub mask: u32,
    /// Which lanes of `[b:a]` are the operand `a`: by default 0, 1, 2, 3 (or 0, 1).
    pub a_select: [u8; 4],
    /// The same for `b`: by default 4, 5, 6, 7 (or 2, 3).
    pub b_select: [u8; 4],
}

impl Simd {
    /// The plain form of an operation on `lanes` lanes, unsigned.
    pub const fn new(op: Video, lanes: u32) -> Self {
        let b_select = if lanes == 4 { [4, 5, 6, 7] } else { [2, 3, 0, 0] };
        Self {
            op,
            lanes,
            d_signed: false,
            a_signed: false,
            b_signed: false,
            sat: false,
            add: false,
            mask: 15,
            a_select: [0, 1, 2, 3],
            b_select,
        }
    }

    /// The result; `c` is added to or merged into.
    pub fn run(&self, a: u32, b: u32, c: u32) -> u32 {
        let width = 32 / self.lanes;
        let ones = (1u64 << width) - 1;
        let pair = u64::from(b) << 32 | u64::from(a);
        let pick = |lane: u8, signed: bool| {
            let bits = (pair >> (u32::from(lane) * width) & ones) as i32;
            if signed { bits << (32 - width) >> (32 - width) } else { bits }
        };
        let (low, high) = match self.d_signed {
            true => (-(1 << (width - 1)), (1 << (width - 1)) - 1),
            false => (0, ones as i32),
        };
        let mut result = c;
        for lane in (0..self.lanes).filter(|lane| self.mask >> lane & 1 != 0) {
            let x = pick(self.a_select[lane as usize], self.a_signed);
            let y = pick(self.b_select[lane as usize], self.b_signed);
            let value = match self.op {
                Video::Add => x + y,
                Video::Sub => x - y,
                Video::Average => (x + y + i32::from(x + y >= 0)) >> 1,
                Video::AbsoluteDifference => (x - y).abs(),
                Video::Min => x.min(y),
                Video::Max => x.max(y),
                Video::Set(op) => op.decide(Some(x.cmp(&y))).into(),
            };
            let value = if self.sat { value.clamp(low, high) } else { value };
            if self.add {
                // Not truncated to the lane: the assembler's own sequences for these instructions keep the carry.
                result = result.wrapping_add(value as u32);
            } else {
                let at = lane * width;
                result = result & !((ones as u32) << at) | (value as u32 & ones as u32) << at;
            }
        }
        result
    }
}

/// A byte or half of a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Part {
    /// All 32 bits.
    Whole,
    /// `.b0` to `.b3`
    Byte(u32),
    /// `.h0`, `.h1`
    Half(u32),
}

impl Part {
    const fn place(self) -> (u32, u32) {
        match self {
            Part::Whole => (0, 32),
            Part::Byte(at) => (8 * at, 8),
            Part::Half(at) => (16 * at, 16),
        }
    }

    /// The part's value, extended.
    pub fn of(self, word: u32, signed: bool) -> i64 {
        let (at, bits) = self.place();
        let value = (i64::from(word) >> at) << (64 - bits);
        if signed { value >> (64 - bits) } else { (value as u64 >> (64 - bits)) as i64 }
    }

    fn range(self, signed: bool) -> (i64, i64) {
        let (_, bits) = self.place();
        if signed { (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) } else { (0, (1 << bits) - 1) }
    }

    fn merge(self, value: u32, into: u32) -> u32 {
        let (at, bits) = self.place();
        let mask = (u32::MAX >> (32 - bits)) << at;
        into & !mask | value << at & mask
    }
}

/// What a scalar video instruction does first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Scalar {
    /// `vadd`
    Add,
    /// `vsub`
    Sub,
    /// `vabsdiff`
    AbsoluteDifference,
    /// `vmin`
    Min,
    /// `vmax`
    Max,
    /// `vshl`; the flag is `.wrap`, else `.clamp`.
    Shl(bool),
    /// `vshr`
    Shr(bool),
    /// `vset`: 1 or 0.
    Set(Compare),
}

/// What it does with the third operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Then {
    /// Nothing, or the result replaces a part of it.
    Merge(Part),
    /// `.add`
    Add,
    /// `.min`
    Min,
    /// `.max`
    Max,
}

/// A scalar video instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ScalarVideo {
    /// First operation.
    pub op: Scalar,
    /// Second operation.
    pub then: Then,
    /// `.dtype` is signed.
    pub d_signed: bool,
    /// Part of `a`, and whether it is signed.
    pub a: (Part, bool),
    /// Part of `b`, and whether it is signed.
    pub b: (Part, bool),
    /// `.sat`
    pub sat: bool,
}

impl ScalarVideo {
    /// The result.
    pub fn run(&self, a: u32, b: u32, c: u32) -> u32 {
        let (x, y) = (i128::from(self.a.0.of(a, self.a.1)), i128::from(self.b.0.of(b, self.b.1)));
        let amount = |wrap: bool| if wrap { y & 31 } else { y.clamp(0, 32) };
        let value = match self.op {
            Scalar::Add => x + y,
            Scalar::Sub => x - y,
            Scalar::AbsoluteDifference => (x - y).abs(),
            Scalar::Min => x.min(y),
            Scalar::Max => x.max(y),
            // 32 bits by 32: nothing may be lost before saturation.
            Scalar::Shl(wrap) => x << amount(wrap),
            Scalar::Shr(wrap) => x >> amount(wrap),
            Scalar::Set(op) => op.decide(Some(x.cmp(&y))).into(),
        };
        let part = if let Then::Merge(part) = self.then { part } else { Part::Whole };
        let (low, high) = part.range(self.d_signed);
        let value = if self.sat { value.clamp(low.into(), high.into()) } else { value } as u32;
        // `vset` has no type of its own for its result: the second operation takes the sign of `a`'s, as an H200 does.
        let signed = if matches!(self.op, Scalar::Set(_)) { self.a.1 } else { self.d_signed };
        let smaller = if signed { (value as i32) < c as i32 } else { value < c };
        match self.then {
            Then::Merge(part) => part.merge(value, c),
            Then::Add => value.wrapping_add(c),
            Then::Min => {
                if smaller {
                    value
                } else {
                    c
                }
            }
            Then::Max => {
                if smaller {
                    c
                } else {
                    value
                }
            }
        }
    }
}

/// `vmad` (9.7.17.8): a multiply-add with the signs of its operands in the instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct VideoMad {
    /// Part of `a`, and whether it is signed.
    pub a: (Part, bool),
    /// Part of `b`, and whether it is signed.
    pub b: (Part, bool),
    /// The product is negated.
    pub negate_product: bool,
    /// `c` is negated.
    pub negate_c: bool,
    /// `.po`: one is added.
    pub plus_one: bool,
    /// `.shr7`, `.shr15`: the sum is shifted right.
    pub shift: u32,
    /// `.sat`
    pub sat: bool,
}

impl VideoMad {
    /// The result.
    pub fn run(&self, a: u32, b: u32, c: u32) -> u32 {
        let signed = self.a.1 || self.b.1 || self.negate_product || self.negate_c;
        let product = i128::from(self.a.0.of(a, self.a.1)) * i128::from(self.b.0.of(b, self.b.1));
        let c = if signed { i128::from(c as i32) } else { i128::from(c) };
        let sum = match () {
            () if self.plus_one => product + c + 1,
            () if self.negate_product => c - product,
            () if self.negate_c => product - c,
            () => product + c,
        };
        let (low, high) = Part::Whole.range(signed);
        let result = sum >> self.shift;
        if self.sat { result.clamp(low.into(), high.into()) as u32 } else { result as u32 }
    }
}
