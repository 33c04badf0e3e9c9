//! Inputs by which a condition comes out the other way: what is asked for, and what was found.

use crate::num::half::Half;
use crate::random::mix;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// What a launch is asked for ([`crate::Config::steer`]).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SteerRequest {
    /// Operations ([`crate::Condition::at`]), and what their results are to be.
    pub wanted: BTreeSet<(u32, Aim)>,
    /// Words that were passed on and turn conditions once they are others: looked for where they are made.
    pub goals: Vec<Goal>,
    /// What may be changed.
    pub inputs: Vec<Input>,
    /// Parameters that may be changed instead of what is loaded: their inputs are sizes, of which nothing lies in memory.
    pub parameters: Vec<Parameter>,
    /// Draws what is tried.
    pub seed: u64,
    /// Warp operations that may be computed for it.
    pub steps: u64,
}

impl SteerRequest {
    /// Are sizes looked for, rather than elements?
    pub fn is_of_sizes(&self) -> bool {
        !self.parameters.is_empty()
    }
}

/// What the result of an operation is to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Aim {
    /// True or not, or else zero or another number.
    Is(bool),
    /// Of two equal numbers.
    Equal,
    /// Another number than this one.
    Other(u64),
}

/// A buffer of independent elements.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Input {
    /// Where it begins.
    pub address: u64,
    /// What it holds.
    pub bytes: Vec<u8>,
    /// Type of its elements.
    pub element: Element,
    /// The least that an element may be, ...
    pub low: f64,
    /// ... and the most: of reals less than that.
    pub high: f64,
}

/// A number of a launch that is made of a size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Parameter {
    /// Where the kernel has it from.
    pub from: Origin,
    /// Which of the inputs is the size: one element of 8 bytes.
    pub input: usize,
    /// How it is made.
    pub made: Made,
}

/// Where a kernel has a number of its launch from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Origin {
    /// A parameter at so many bytes.
    Offset(u32),
    /// How many blocks there are along x, y or z.
    Blocks(u8),
}

/// `(times * size + plus) / over`, rounded down; `over` is above 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Made {
    /// So many times the size, ...
    pub times: i64,
    /// ... and so much, ...
    pub plus: i64,
    /// ... in parts of so many.
    pub over: i64,
}

impl Made {
    /// The size itself.
    pub const ITSELF: Self = Self { times: 1, plus: 0, over: 1 };

    /// What is made of a size, in two's complement.
    pub fn of(self, size: u64) -> u64 {
        let whole = (size.wrapping_mul(self.times as u64) as i64).wrapping_add(self.plus);
        whole.wrapping_div_euclid(self.over.max(1)) as u64
    }
}

/// Type of an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Element {
    /// A two's complement integer of so many bytes.
    Signed(u8),
    /// An unsigned one.
    Unsigned(u8),
    /// `f16`
    F16,
    /// `bf16`
    Bf16,
    /// `f32`
    F32,
    /// `f64`
    F64,
}

/// A word that one thread, function or launch makes of inputs and another asks about: what it has to be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Goal {
    /// The operation that makes the condition, ...
    pub at: u32,
    /// ... and what that one is to be.
    pub aim: Aim,
    /// The word, and others that were passed on, which are as they have to be.
    pub words: Vec<u64>,
    /// What else has to change.
    pub changes: Vec<(u64, Vec<u8>)>,
}

/// A condition that comes out as wanted once these bytes are changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Steered {
    /// The operation that makes it.
    pub at: u32,
    /// What was wanted of it.
    pub aim: Aim,
    /// Source file, as in `.loc`; empty without one.
    pub file: String,
    /// Source line on which it stands itself; 0 without one.
    pub line: u32,
    /// Addresses, and what stands there.
    pub changes: Vec<(u64, Vec<u8>)>,
    /// Something else has to be so besides: a word that was passed on has to be the first of these, and others have to stay the others.
    pub goal: Vec<u64>,
    /// It is so only if a word that was passed on differs as these do.
    pub guess: bool,
}

impl Element {
    /// Bytes.
    pub fn size(self) -> usize {
        match self {
            Self::Signed(size) | Self::Unsigned(size) => size.into(),
            Self::F16 | Self::Bf16 => 2,
            Self::F32 => 4,
            Self::F64 => 8,
        }
    }

    /// Is it a floating-point number?
    pub fn is_real(self) -> bool {
        !matches!(self, Self::Signed(_) | Self::Unsigned(_))
    }

    /// The number that these bits are.
    pub fn number(self, bits: u64) -> f64 {
        match self {
            Self::Signed(size) => {
                let unused = 64 - 8 * u32::from(size);
                ((bits << unused) as i64 >> unused) as f64
            }
            Self::Unsigned(_) => bits as f64,
            Self::F16 => Half::F16.to_f64(bits as u16),
            Self::Bf16 => Half::Bf16.to_f64(bits as u16),
            Self::F32 => f32::from_bits(bits as u32).into(),
            Self::F64 => f64::from_bits(bits),
        }
    }

    /// The bits of the number nearest to this one.
    pub fn bits(self, number: f64) -> u64 {
        match self {
            Self::Signed(size) => (number as i64 as u64) & mask(size.into()),
            Self::Unsigned(size) => (number as u64) & mask(size.into()),
            Self::F16 => Half::F16.from_f64(number).into(),
            Self::Bf16 => Half::Bf16.from_f64(number).into(),
            Self::F32 => (number as f32).to_bits().into(),
            Self::F64 => number.to_bits(),
        }
    }

    /// What is closer to 0 than this, and not 0, is no input that anybody means.
    fn least(self) -> f64 {
        if self == Self::F16 { 2f64.powi(-14) } else { 2f64.powi(-40) }
    }
}

/// As many bytes of ones.
pub fn mask(bytes: usize) -> u64 {
    u64::MAX >> (64 - 8 * bytes.clamp(1, 8))
}

impl Input {
    /// The elements in which so many bytes lie, if they are in it: where they begin, and their bytes, which are 8 at most.
    pub fn find(&self, address: u64, size: usize) -> Option<(usize, usize)> {
        let at = usize::try_from(address.checked_sub(self.address)?).ok()?;
        let each = self.element.size();
        let (first, end) = (at / each * each, at.checked_add(size)?.next_multiple_of(each));
        (end <= self.bytes.len() && end - first <= 8).then_some((first, end - first))
    }

    /// What stands there.
    pub fn word(&self, at: usize, size: usize) -> u64 {
        let mut word = [0; 8];
        word[..size].copy_from_slice(&self.bytes[at..at + size]);
        u64::from_le_bytes(word)
    }

    /// May its elements be those of this word?
    pub fn allows(&self, word: u64, size: usize) -> bool {
        let each = self.element.size();
        (0..size / each).all(|part| {
            let number = self.element.number(word >> (8 * each * part) & mask(each));
            let inside =
                number >= self.low && if self.element.is_real() { number < self.high } else { number <= self.high };
            inside && (!self.element.is_real() || number == 0.0 || number.abs() >= self.element.least())
        })
    }

    /// A word of elements that are drawn by a number.
    pub fn draw(&self, size: usize, by: u64) -> u64 {
        self.draw_below(size, by, self.high)
    }

    /// The same of one that is a size: of whatever length.
    pub fn draw_size(&self, size: usize, by: u64) -> u64 {
        let part = (mix(!by) >> 11) as f64 / (1u64 << 53) as f64;
        self.draw_below(size, by, self.high.min(self.low + (self.high - self.low).max(1.0).powf(part)))
    }

    fn draw_below(&self, size: usize, by: u64, high: f64) -> u64 {
        let each = self.element.size();
        let range = high - self.low + if self.element.is_real() { 0.0 } else { 1.0 };
        (0..size / each).fold(0, |word, part| {
            let unit = (mix(by ^ (part as u64) << 56) >> 11) as f64 / (1u64 << 53) as f64;
            let number = self.low + unit * range;
            let number = if self.element.is_real() { number } else { number.floor() };
            word | self.element.bits(number) << (8 * each * part)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_made_of_elements_that_are_allowed() {
        let bytes = vec![0; 16];
        let input = Input { address: 256, bytes, element: Element::Signed(1), low: -3.0, high: 90.0 };
        assert!(input.allows(0x5a_fd_00_02, 4) && !input.allows(0x5b_fd_00_02, 4) && !input.allows(0x5a_fc_00_02, 4));
        assert_eq!((input.find(258, 4), input.find(255, 4), input.find(269, 4)), (Some((2, 4)), None, None));
        for by in 0..200 {
            assert!(input.allows(input.draw(8, by), 8), "{by}");
        }
        let input = Input { element: Element::F32, low: -1.0, high: 1.0, ..input };
        let allowed = |number: f32| input.allows(number.to_bits().into(), 4);
        assert!(
            allowed(0.5) && allowed(0.0) && allowed(-1.0) && !allowed(1.0) && !allowed(1e-30) && !allowed(f32::NAN)
        );
        assert_eq!((input.find(262, 2), input.find(258, 4)), (Some((4, 4)), Some((0, 8))), "halves of elements");
        assert_eq!(Element::Bf16.number(Element::Bf16.bits(-1.5)), -1.5);
    }
}
