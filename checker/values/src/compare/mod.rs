//! Comparison of a version's output with the oracle's, element by element, and what the wrong elements have in common.

mod element;
mod part;

use super::tolerance::Tolerance;
use crate::{LooksLike, Mismatch};
use element::{element, rounded};
pub use element::{real, value};
use part::{Part, SPARE_BITS, SWALLOWED};
use plan::dtype::DType;
use rayon::prelude::*;

/// Elements a task.
const CHUNK: usize = 1 << 14;

/// An array on the host.
#[derive(Debug, Clone, Copy)]
pub struct Array<'a> {
    /// Element type.
    pub dtype: DType,
    /// Little-endian elements.
    pub bytes: &'a [u8],
}

/// How to judge.
#[derive(Debug, Clone, Copy)]
pub struct Judgement {
    /// Allowed error.
    pub tolerance: Tolerance,
    /// In a run over [`Values::ExactIntegers`](super::fill::Values): results that are multiples of this unit, with
    /// everything that was summed up below 2^20 units (2^7 for half), come out exact whatever the order of summation, and
    /// may be off by `EXACT_ULPS` only, for kernels that take a root or a quotient on the way.
    pub exact_unit: Option<f64>,
    /// The byte the output was poisoned with.
    pub poison: u8,
    /// The inputs are independent of each other, so that roundings are, too: their mean is bounded as well.
    pub on_average: bool,
    /// The code may make 0 of a subnormal number in single precision.
    pub flushes: bool,
}

impl Judgement {
    /// Comes this result out exact, of terms whose magnitudes sum up to so much?
    fn is_exact(&self, want: f64, summed: f64, dtype: DType) -> bool {
        let Some(unit) = self.exact_unit else { return false };
        let most = (1u64 << (self.tolerance.significand_bits(dtype) - SPARE_BITS)) as f64;
        // Of less than 2^53, so that nothing is lost on the way.
        let multiple = want / unit;
        summed.abs() < most * unit && multiple.abs() < most && (multiple as i64) as f64 == multiple
    }
}

/// The oracle's array for an output, and the magnitudes.
#[derive(Debug, Clone, Copy)]
pub struct Wanted<'a> {
    /// The results.
    pub want: Array<'a>,
    /// What their terms' magnitudes sum up to.
    pub magnitude: Option<Array<'a>>,
}

impl Wanted<'_> {
    fn len(&self) -> usize {
        self.want.bytes.len() / self.want.dtype.size()
    }

    fn at(&self, index: usize) -> (f64, f64) {
        let want = real(self.want.dtype, element(self.want, index));
        let of = |magnitude: Array<'_>| real(magnitude.dtype, element(magnitude, index));
        (want, self.magnitude.map_or(want.abs(), of))
    }
}

/// Which elements of an output of this type must have other bits where the oracle's goes from `before` to `after`? What one rounding
/// may swallow of the largest sum on the way is no change; elements that are judged exactly are left out, as what they lack has shown.
pub fn must_change(dtype: DType, before: Wanted<'_>, after: Wanted<'_>, judgement: Judgement) -> Vec<usize> {
    let changes = |index: usize| {
        if !dtype.is_float() {
            return element(before.want, index) != element(after.want, index);
        }
        let ((old, summed), (new, also)) = (before.at(index), after.at(index));
        if !old.is_finite() || !new.is_finite() || judgement.is_exact(old, summed, dtype) {
            return false;
        }
        match judgement.tolerance {
            Tolerance::Exact => rounded(dtype, old) != rounded(dtype, new),
            Tolerance::Bound { unit, .. } => {
                let one = Tolerance::Bound { ops: 1.0, unit };
                let swallowed = one.bound(old, summed, dtype).max(one.bound(new, also, dtype));
                (new - old).abs() > SWALLOWED * swallowed
            }
        }
    };
    (0..before.len()).filter(|&index| changes(index)).collect()
}

/// May what one element of the inputs does to an output of this type be hidden, by roundings or by larger elements? Not where all is
/// judged exactly on the grid.
pub fn may_hide(dtype: DType, wanted: Wanted<'_>, judgement: Judgement) -> bool {
    let exact = |index| {
        let (want, summed) = wanted.at(index);
        judgement.is_exact(want, summed, dtype)
    };
    !dtype.is_float() || !(0..wanted.len()).all(exact)
}

/// What a comparison found.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// Wrong elements.
    pub wrong: u64,
    /// The first few of them.
    pub first: Vec<Mismatch>,
    /// What they have in common.
    pub looks_like: LooksLike,
    /// Largest error over its bound, where there is a bound.
    pub error_over_bound: Option<f64>,
    /// Any element was judged by [`Judgement::exact_unit`].
    pub judged_exactly: bool,
}

impl Comparison {
    /// Is an element wrong, or are all together?
    pub fn fails(&self) -> bool {
        self.wrong > 0 || matches!(self.looks_like, LooksLike::OffOnAverage { .. })
    }
}

/// Compares. `got`, `want` and `magnitude` have the same number of elements; integers have the same type.
pub fn compare(got: Array<'_>, want: Array<'_>, magnitude: Option<Array<'_>>, judgement: Judgement) -> Comparison {
    let size = got.dtype.size();
    let len = got.bytes.len() / size;
    let part = (0..len.div_ceil(CHUNK))
        .into_par_iter()
        .map(|chunk| {
            let mut part = Part::default();
            let (first, last) = (chunk * CHUNK, len.min((chunk + 1) * CHUNK));
            let bytes = first * size..last * size;
            if got.dtype.is_float() || got.bytes[bytes.clone()] != want.bytes[bytes] {
                (first..last).for_each(|index| part.element(index, got, want, magnitude, judgement));
            }
            part
        })
        .reduce(Part::default, Part::then);
    part.finish(len as u64)
}

#[cfg(test)]
mod tests;
