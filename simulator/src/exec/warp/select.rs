//! Lanes by mask: writes of those that take part, comparisons as masks.

use crate::isa::op::Cmp;
use std::ops::{Deref, DerefMut};

/// A value a lane, where no vector register of the host lies across two cache lines: that halves the speed of loads and stores.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(align(64))]
pub struct LaneRow<T>(pub [T; 32]);

impl<T> Deref for LaneRow<T> {
    type Target = [T; 32];

    #[inline(always)]
    fn deref(&self) -> &[T; 32] {
        &self.0
    }
}

impl<T> DerefMut for LaneRow<T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [T; 32] {
        &mut self.0
    }
}

/// A bit a lane. Masks are compared with these: a shift by the lane's number is no vector instruction in WebAssembly.
const LANES: [u32; 32] = {
    let mut bits = [0; 32];
    let mut lane = 0;
    while lane < 32 {
        bits[lane] = 1 << lane;
        lane += 1;
    }
    bits
};

/// Is the lane in the mask? For loops over all lanes.
#[inline(always)]
pub fn holds(mask: u32, lane: usize) -> bool {
    mask & LANES[lane] != 0
}

/// Writes the lanes of `mask`.
#[inline(always)]
pub fn put<T: Copy>(to: &mut [T; 32], values: &[T; 32], mask: u32) {
    if mask == u32::MAX {
        *to = *values;
    } else {
        for lane in 0..32 {
            to[lane] = if holds(mask, lane) { values[lane] } else { to[lane] };
        }
    }
}

/// Lanes that pass the test.
#[inline(always)]
pub fn bits(test: impl Fn(usize) -> bool) -> u32 {
    let mut mask = 0;
    for (lane, bit) in LANES.iter().enumerate() {
        mask |= if test(lane) { *bit } else { 0 };
    }
    mask
}

/// Lanes where a comparison holds. NaN is what makes the unordered ones differ.
#[expect(
    clippy::double_comparisons,
    clippy::neg_cmp_op_on_partial_ord,
    clippy::eq_op,
    reason = "NaN: ordered and unordered comparisons differ"
)]
#[inline(always)]
pub fn compare<T: Copy + PartialOrd>(cmp: Cmp, a: &[T; 32], b: &[T; 32]) -> u32 {
    match cmp {
        Cmp::Eq => bits(|lane| a[lane] == b[lane]),
        Cmp::Ne => bits(|lane| a[lane] < b[lane] || a[lane] > b[lane]),
        Cmp::Lt => bits(|lane| a[lane] < b[lane]),
        Cmp::Le => bits(|lane| a[lane] <= b[lane]),
        Cmp::Gt => bits(|lane| a[lane] > b[lane]),
        Cmp::Ge => bits(|lane| a[lane] >= b[lane]),
        Cmp::Equ => !compare(Cmp::Ne, a, b),
        Cmp::Neu => bits(|lane| a[lane] != b[lane]),
        Cmp::Ltu => bits(|lane| !(a[lane] >= b[lane])),
        Cmp::Leu => bits(|lane| !(a[lane] > b[lane])),
        Cmp::Gtu => bits(|lane| !(a[lane] <= b[lane])),
        Cmp::Geu => bits(|lane| !(a[lane] < b[lane])),
        Cmp::Num => bits(|lane| a[lane] == a[lane] && b[lane] == b[lane]),
        Cmp::Nan => bits(|lane| a[lane] != a[lane] || b[lane] != b[lane]),
    }
}
