//! Tests of the scalar arithmetic against computations that share no code with it.

mod approx;
mod cvt;
mod float;
mod half;
mod int;
mod matrix;
mod video;

pub use crate::random::Random;

impl Random {
    /// An `f32` near another in exponent, so that sums cancel and products of both land beside them.
    pub fn near(&mut self, other: u32) -> u32 {
        other ^ (self.bits() as u32 & 0x81ff_ffff)
    }
}

/// Magnitudes worth trying in a format: zero, subnormals, binade edges, one, the largest, infinity, NaN; both signs.
pub fn special(format: &super::soft::Format) -> Vec<u64> {
    let quantum = 1u64 << format.fraction;
    let mut values = vec![0, 1, 2, 3, quantum / 2, quantum - 1, quantum, quantum + 1, 2 * quantum];
    for centre in [format.one(), format.one() + quantum, format.one() - quantum, format.one() + 3 * quantum / 2] {
        values.extend([centre - 1, centre, centre + 1]);
    }
    values.extend([format.max - 1, format.max, format.infinity(), format.infinity() | (quantum / 2)]);
    values.iter().flat_map(|v| [*v, v | format.sign()]).collect()
}
