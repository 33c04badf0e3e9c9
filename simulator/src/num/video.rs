//! SIMD video instructions on four bytes or two halves (PTX ISA 9.7.17.10 on), over bits.

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
