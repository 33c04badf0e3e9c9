//! Operands: special values and seeded random bits of a kind.

/// A small generator of random bits (splitmix64).
pub struct Random(pub u64);

impl Random {
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, limit: u64) -> u64 {
        self.bits() % limit
    }
}

/// FNV-1a: seeds by name and the fingerprint of a case.
pub fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |h, b| (h ^ u64::from(*b)).wrapping_mul(0x100_0000_01b3))
}

/// What an operand is made of.
#[derive(Clone, Copy, PartialEq)]
pub enum Kind {
    F32,
    F64,
    F16,
    Bf16,
    F16x2,
    Bf16x2,
    /// Integers of 8 (in a 16-bit register), 16, 32, 64 bits.
    I8,
    I16,
    I32,
    I64,
    /// Small unsigned numbers around register widths.
    Amount,
    /// A single in a range of moderate exponents.
    Moderate,
    /// A single in [-2 pi, 2 pi].
    Angle,
}

use Kind::*;

impl Kind {
    /// Width of the register.
    pub fn width(self) -> u32 {
        match self {
            F16 | Bf16 | I8 | I16 => 16,
            F64 | I64 => 64,
            _ => 32,
        }
    }

    /// One operand, special in about half of the cases.
    pub fn draw(self, random: &mut Random) -> u64 {
        let special = random.below(2) == 0;
        let bits = random.bits();
        let pick = |list: &[u64], at: u64| list[(at % list.len() as u64) as usize];
        match self {
            F32 => float(bits, special, 8, 23),
            F64 => float(bits, special, 11, 52),
            F16 => float(bits, special, 5, 10),
            Bf16 => float(bits, special, 8, 7),
            F16x2 => F16.draw(random) | F16.draw(random) << 16,
            Bf16x2 => Bf16.draw(random) | Bf16.draw(random) << 16,
            I8 => integer(bits, special, 8),
            I16 => integer(bits, special, 16),
            I32 => integer(bits, special, 32),
            I64 => integer(bits, special, 64),
            Amount => pick(&[0, 1, 7, 8, 15, 16, 24, 31, 32, 33, 63, 64, 65, 255, 256, 0xffff_ffff], bits),
            Moderate => bits & 0x807f_ffff | (96 + (bits >> 32) % 64) << 23,
            Angle => {
                let turn = (bits >> 11) as f64 / (1u64 << 53) as f64;
                u64::from((((turn - 0.5) * 4.0 * std::f64::consts::PI) as f32).to_bits())
            }
        }
    }
}

fn integer(bits: u64, special: bool, width: u32) -> u64 {
    let mask = u64::MAX >> (64 - width);
    let top = 1u64 << (width - 1);
    let list = [0, 1, 2, 3, top - 1, top, top + 1, mask, mask - 1, top >> 1, 0x55, 10];
    let value = if special { list[(bits % list.len() as u64) as usize] } else { bits >> (bits >> 58 & 31) };
    value & mask
}

fn float(bits: u64, special: bool, exponent: u32, fraction: u32) -> u64 {
    let sign = 1u64 << (exponent + fraction);
    let unit = 1u64 << fraction;
    let one = ((1 << (exponent - 1)) - 1) << fraction;
    let infinity = ((1 << exponent) - 1) << fraction;
    if special {
        let list = [
            0,
            0,
            1,
            2,
            unit / 2,
            unit - 1,
            unit,
            unit + 1,
            one,
            one - 1,
            one + 1,
            one + unit,
            one - unit,
            one + unit * 3 / 2,
            infinity - 1,
            infinity - 2,
            infinity,
            infinity,
            infinity + 1,
            infinity + unit / 2,
            infinity + unit / 2 + 5,
            infinity + unit - 1,
            unit * 2,
            one - unit * (fraction as u64),
        ];
        return list[(bits >> 8) as usize % list.len()] | if bits & 1 != 0 { sign } else { 0 };
    }
    let bits = bits & (sign | (sign - 1));
    // Half of the random ones have exponents around zero, so that sums and products stay in range.
    if bits & 2 == 0 { bits } else { bits & (sign | (unit - 1)) | (one + ((bits >> 5) % 9) * unit - 4 * unit) }
}
