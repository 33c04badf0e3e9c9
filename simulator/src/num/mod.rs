//! PTX's arithmetic as pure scalar functions over bits.
//!
//! Values are raw register bits (`u16` for `f16` and `bf16`, `u32` for `f32`, `u64` for `f64`), so that NaN payloads and
//! signs of zero are never left to the host. Section numbers are those of the PTX ISA manual, 9.0. Nothing here knows
//! of registers, lanes or memory.
//!
//! Rules that hold everywhere:
//! * What the manual leaves open (NaN bits, which NaN wins) follows the hardware; such choices are named constants or
//!   say so in their comment; the differential tests compare them with an H200's answers.
//! * Approximate instructions ([`approx`]) give the correctly rounded value of a double-precision computation, which
//!   lies within the manual's bound. Hardware differs from it in the last bits; how far, measured on an H200, each function says.
//! * [`soft`] is the exact reference for every rounding; faster paths are tested against it.

pub mod approx;
pub mod cvt;
pub mod float;
pub mod half;
pub mod int;
pub mod matrix;
pub mod soft;
pub mod tensor;
pub mod texture;
pub mod video;

/// Rounding of a floating-point result (9.7.3, "rounding modifiers").
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Rounding {
    /// `.rn`, `.rni`: to nearest, ties to even.
    #[default]
    Nearest,
    /// `.rna`: to nearest, ties away from zero (conversions only).
    NearestAway,
    /// `.rz`, `.rzi`: towards zero.
    Zero,
    /// `.rm`, `.rmi`: towards negative infinity.
    Down,
    /// `.rp`, `.rpi`: towards positive infinity.
    Up,
}

/// Comparison operators of `set`, `setp` and `slct` (9.7.6): signed, unsigned and floating-point ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Compare {
    /// `.eq`
    Eq,
    /// `.ne`
    Ne,
    /// `.lt`, for unsigned operands also `.lo`
    Lt,
    /// `.le`, `.ls`
    Le,
    /// `.gt`, `.hi`
    Gt,
    /// `.ge`, `.hs`
    Ge,
    /// `.equ`: equal or unordered
    Equ,
    /// `.neu`
    Neu,
    /// `.ltu`
    Ltu,
    /// `.leu`
    Leu,
    /// `.gtu`
    Gtu,
    /// `.geu`
    Geu,
    /// `.num`: neither operand is NaN
    Num,
    /// `.nan`: one of the operands is NaN
    Nan,
}

impl Compare {
    /// Decides from the operands' order; `None` is "unordered" (one of them is NaN). Integer operands are never
    /// unordered.
    #[inline]
    pub fn decide(self, order: Option<std::cmp::Ordering>) -> bool {
        use std::cmp::Ordering::{Equal, Greater, Less};
        match self {
            Compare::Eq => order == Some(Equal),
            Compare::Ne => matches!(order, Some(Less | Greater)),
            Compare::Lt => order == Some(Less),
            Compare::Le => matches!(order, Some(Less | Equal)),
            Compare::Gt => order == Some(Greater),
            Compare::Ge => matches!(order, Some(Greater | Equal)),
            Compare::Equ => matches!(order, Some(Equal) | None),
            Compare::Neu => order != Some(Equal),
            Compare::Ltu => matches!(order, Some(Less) | None),
            Compare::Leu => order != Some(Greater),
            Compare::Gtu => matches!(order, Some(Greater) | None),
            Compare::Geu => order != Some(Less),
            Compare::Num => order.is_some(),
            Compare::Nan => order.is_none(),
        }
    }
}

/// Classes tested by `testp` (9.7.3.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TestP {
    /// `.finite`
    Finite,
    /// `.infinite`
    Infinite,
    /// `.number`
    Number,
    /// `.notanumber`
    NotANumber,
    /// `.normal`
    Normal,
    /// `.subnormal`
    Subnormal,
}

/// Modifiers of `min` and `max` of floats (9.7.3.11, 9.7.4.7).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct MinMax {
    /// `.ftz`
    pub ftz: bool,
    /// `.NaN`: the result is the canonical NaN if an operand is NaN.
    pub nan: bool,
    /// `.xorsign.abs`: compares magnitudes, the sign is the operands' signs xor-ed.
    pub xorsign_abs: bool,
}

#[cfg(test)]
mod tests;
