//! Bits of NaNs. PTX leaves open which NaN an operation gives. The machine makes the canonical one of most; but the assembler works out
//! what it can before anything runs: it negates a constant NaN by its sign, takes two negations, a product with 1 or the smaller of a
//! number and itself for a copy, and whether it does nobody promises. A machine does as the one or as the other.
//!
//! Sums, fused products, quotients and functions of NaNs the assembler leaves to the machine (NVRTC 13.5): they are an H200's everywhere.

use super::Appearance;
use crate::num::cvt::Float;

/// The purpose of a machine's random bits.
const NANS: u64 = 15;

/// What an operation makes of an operand that is a NaN, where it works on its bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bits {
    /// The other sign.
    Negated,
    /// No sign.
    Absolute,
    /// All of them.
    Copied,
}

/// Of whom: the NaNs of an operation that the assembler may work out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Nans {
    /// What becomes of the operand's bits.
    pub bits: Bits,
    /// Type of the operands.
    pub from: Float,
    /// Type of the result.
    pub to: Float,
    /// Two of each in a word of 32 bits.
    pub packed: bool,
}

/// How a machine works on the bits of NaNs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reading {
    /// They come out quiet.
    Quiet,
    /// As they are.
    Raw,
}

impl Reading {
    /// What a NaN becomes.
    #[inline]
    fn of(self, nan: u64, what: Nans) -> u64 {
        let (from, to) = (what.from.format(), what.to.format());
        let sign = match what.bits {
            Bits::Copied => nan & from.sign() != 0,
            Bits::Negated => nan & from.sign() == 0,
            Bits::Absolute => false,
        };
        let payload = nan & ((1 << from.fraction) - 1);
        let payload = if to.fraction >= from.fraction {
            payload << (to.fraction - from.fraction)
        } else {
            payload >> (from.fraction - to.fraction)
        };
        let quiet = 1 << (to.fraction - 1);
        // A conversion that leaves nothing of the payload is still no infinity.
        let quiet = if self == Self::Quiet || from.fraction != to.fraction { quiet } else { 0 };
        to.infinity() | payload | quiet | if sign { to.sign() } else { 0 }
    }
}

impl Appearance {
    /// How it works on the bits of NaNs; nothing where it makes NaNs of its own, as the plain machine and half of the others do.
    pub fn reading(self) -> Option<Reading> {
        match self.bits(NANS) % 4 {
            2 => Some(Reading::Quiet),
            3 => Some(Reading::Raw),
            _ => None,
        }
    }
}

/// Puts the NaNs among the results that the operands say in place of the machine's own.
pub fn keep(reading: Reading, what: Nans, sources: &[[u64; 32]; 4], results: &mut [u64; 32]) {
    let width = |float: Float| 1 + float.format().exponent + float.format().fraction;
    let part = |word: u64, float: Float, at: u32| word >> (at * width(float)) & (u64::MAX >> (64 - width(float)));
    // Of most results none is a NaN.
    let format = what.to.format();
    let (sign, infinity, high) = (format.sign(), format.infinity(), if what.packed { 16 } else { 0 });
    let is_nan = |bits: u64| bits & (sign - 1) > infinity;
    if !results.iter().fold(false, |any, bits| any | is_nan(*bits) | is_nan(*bits >> high)) {
        return;
    }
    for (lane, result) in results.iter_mut().enumerate() {
        for at in 0..1 + u32::from(what.packed) {
            let made = part(*result, what.to, at);
            if !what.to.format().is_nan(made) {
                continue;
            }
            let operands = sources.iter().map(|source| part(source[lane], what.from, at));
            if let Some(nan) = operands.into_iter().find(|bits| what.from.format().is_nan(*bits)) {
                *result ^= (made ^ reading.of(nan, what)) << (at * width(what.to));
            }
        }
    }
}
