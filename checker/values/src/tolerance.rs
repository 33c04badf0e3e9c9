//! Derived tolerances.
//!
//! `|got - want| <= ops * (u * magnitude + s / 2) + 1 ulp(want)`: the standard bound for a sum of terms (Higham, *Accuracy and
//! Stability of Numerical Algorithms*, 2nd ed., section 4.2), with `ops` the longest chain of roundings a term goes
//! through (n for a loop, about log2 n for a tree), `u` the unit roundoff of the arithmetic the problem asks for, and
//! `magnitude` the sum of the terms' magnitudes. `s` is the smallest subnormal number of that arithmetic: a result that
//! underflows is off by half of it (there, section 2.1). The last term allows for the final rounding to the output's type.

use plan::dtype::DType;
use serde::{Deserialize, Serialize};

/// How far an output may be from the oracle's.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Tolerance {
    /// Equal, after rounding the oracle's value to the output's type.
    Exact,
    /// The derived bound.
    Bound {
        /// Roundings along the longest chain.
        ops: f64,
        /// The arithmetic's type; its [`unit_roundoff`] enters.
        unit: DType,
    },
}

impl Tolerance {
    /// The largest error allowed at one element, for an output of type `dtype`.
    pub fn bound(self, want: f64, magnitude: f64, dtype: DType) -> f64 {
        match self {
            Self::Exact => 0.0,
            Self::Bound { ops, unit } => {
                ops * unit_roundoff(unit) * magnitude.abs() + ops * underflow(unit) + ulp(want, dtype)
            }
        }
    }

    /// What independent roundings come to in the root mean square, at most: of so many of one size the square root of their
    /// number. 0 where every element has to be equal.
    pub fn spread(self, want: f64, magnitude: f64, dtype: DType) -> f64 {
        match self {
            Self::Exact => 0.0,
            Self::Bound { ops, unit } => {
                let roundings = ops.max(1.0).sqrt();
                roundings * unit_roundoff(unit) * magnitude.abs() + roundings * underflow(unit) + ulp(want, dtype)
            }
        }
    }

    /// Bits of the significand that the arithmetic and an output of type `dtype` have at least.
    pub fn significand_bits(self, dtype: DType) -> i32 {
        match self {
            Self::Exact => significand_bits(dtype),
            Self::Bound { unit, .. } => significand_bits(dtype).min(significand_bits(unit)),
        }
    }
}

/// Half the distance from 1 to the next number: 2^-24 for f32, 2^-11 for f16, 2^-8 for bf16, 2^-53 for f64; 0 for
/// integers.
pub fn unit_roundoff(dtype: DType) -> f64 {
    if dtype.is_float() { f64::from_bits(((1023 - significand_bits(dtype)) as u64) << 52) } else { 0.0 }
}

/// What a rounding is off by at most where the result is subnormal: half the smallest such number.
pub fn underflow(dtype: DType) -> f64 {
    ulp(0.0, dtype) / 2.0
}

/// Bits of the significand, the implicit one included (IEEE 754 table 3.5; bfloat16: 8); for an integer type the bits
/// of its value.
pub fn significand_bits(dtype: DType) -> i32 {
    match dtype {
        DType::F64 => 53,
        DType::F32 => 24,
        DType::F16 => 11,
        DType::Bf16 => 8,
        DType::I8 => 7,
        DType::U8 => 8,
        DType::I16 => 15,
        DType::U16 => 16,
        DType::I32 => 31,
        DType::U32 => 32,
        DType::I64 => 63,
        DType::U64 => 64,
    }
}

/// One unit in the last place of `dtype` at `value`: the distance to the next larger magnitude; the smallest subnormal
/// near zero. 0 for integer types and for values that are not finite.
pub fn ulp(value: f64, dtype: DType) -> f64 {
    if !dtype.is_float() || !value.is_finite() {
        return 0.0;
    }
    // In terms of f64's biased exponent, which is 0 for its subnormal numbers.
    let smallest = match dtype {
        DType::F64 => 1,
        DType::F16 => 1023 - 14,
        _ => 1023 - 126,
    };
    let exponent = ((value.abs().to_bits() >> 52) as i32).max(smallest) - (significand_bits(dtype) - 1);
    // A power of two, a subnormal one where its exponent is below the normal range.
    f64::from_bits(if exponent >= 1 { (exponent as u64) << 52 } else { 1 << (exponent + 51).max(0) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use plan::stream::Stream;

    #[test]
    fn ulps_are_the_distance_to_the_next_number() {
        for value in [1.0f32, 1.5, 2.0, 0.1, 1e-38, 1e-45, 3.4e38, 0.0] {
            let next = f32::from_bits(value.to_bits() + 1);
            if next.is_finite() {
                assert_eq!(ulp(f64::from(value), DType::F32), f64::from(next) - f64::from(value), "{value}");
            }
        }
        for value in [1.0f64, 1e300, 5e-324, 1e-310, 0.0] {
            assert_eq!(ulp(value, DType::F64), value.next_up() - value, "{value}");
        }
        assert_eq!(ulp(1.0, DType::F16), 2f64.powi(-10));
        assert_eq!(ulp(1.0, DType::Bf16), 2f64.powi(-7));
        assert_eq!(ulp(0.0, DType::F16), 2f64.powi(-24));
        assert_eq!(ulp(7.0, DType::I32), 0.0);
    }

    /// Products below the smallest normal number are rounded to multiples of the smallest subnormal one, however small they are.
    #[test]
    fn products_that_underflow_pass_and_missing_ones_fail() {
        let tolerance = Tolerance::Bound { ops: 9.0, unit: DType::F32 };
        let smallest = f64::from(f32::from_bits(1));
        for seed in 0..50 {
            let stream = Stream::new(seed, "x");
            // Eight products of up to twice the smallest number, with either sign.
            let factor = |at: u64| ((stream.unit(at) * 2.0 - 1.0) as f32, f32::from_bits(1 + (at % 2) as u32));
            let (mut got, mut want, mut magnitude) = (0f32, 0f64, 0f64);
            for (x, y) in (0..8).map(factor) {
                got = x.mul_add(y, got);
                want += f64::from(x) * f64::from(y);
                magnitude += (f64::from(x) * f64::from(y)).abs();
            }
            let bound = tolerance.bound(want, magnitude, DType::F32);
            assert!((f64::from(got) - want).abs() <= bound, "{got} {want} {bound}");
            assert!(bound < 6.0 * smallest);
        }
        assert_eq!(tolerance.bound(1.0, 1.0, DType::F32), 9.0 * 2f64.powi(-24) + 2f64.powi(-23));
    }

    fn tree(values: &mut Vec<f32>) -> f32 {
        while values.len() > 1 {
            *values = values.chunks(2).map(|pair| pair.iter().sum()).collect();
        }
        values[0]
    }

    /// Values, their exact sum, and the bound a tree in f32 is held to.
    fn sum_of(n: u64, seed: u64) -> (Vec<f32>, f64, f64) {
        let stream = Stream::new(seed, "a");
        let values: Vec<f32> = (0..n).map(|index| (stream.unit(index) * 2.0 - 1.0) as f32).collect();
        let want: f64 = values.iter().map(|&x| f64::from(x)).sum();
        let magnitude: f64 = values.iter().map(|&x| f64::from(x.abs())).sum();
        let tolerance = Tolerance::Bound { ops: (n as f64).log2() + 20.0, unit: DType::F32 };
        (values, want, tolerance.bound(want, magnitude, DType::F32))
    }

    /// The judgement DESIGN.md asks for: a good f32 tree passes, a sum in half precision does not.
    #[test]
    fn a_tree_in_f32_passes_and_half_precision_fails() {
        for seed in 0..5 {
            let (mut values, want, bound) = sum_of(1 << 16, seed);
            let half = values.iter().fold(half::f16::ZERO, |sum, &x| half::f16::from_f32(sum.to_f32() + x));
            assert!((half.to_f64() - want).abs() > bound, "half: {half} {want} {bound}");
            let good = f64::from(tree(&mut values));
            assert!((good - want).abs() <= bound, "tree: {good} {want} {bound}");
        }
    }

    /// Rounding only the inputs to half is a smaller sin, whose errors cancel in a long sum: the small sizes show it.
    #[test]
    fn inputs_in_half_precision_fail_at_small_sizes() {
        for seed in 0..5 {
            let (values, want, bound) = sum_of(33, seed);
            let rounded: f64 = values.iter().map(|&x| half::f16::from_f32(x).to_f64()).sum();
            assert!((rounded - want).abs() > bound, "{rounded} {want} {bound}");
        }
    }
}
