//! Ways to fill in undefined bits.

use crate::random::mix;

/// How many there are.
pub const WAYS: usize = 14;

/// A source's value with its undefined bits filled in the `way`-th way. `others` is another source's value, `place` the
/// source's own number: sources that are filled differently may be compared with each other.
pub fn fill(way: usize, value: u64, undefined: u64, others: u64, place: u64, lane: u64) -> u64 {
    let pattern = match way {
        // Extremes of unsigned and of signed numbers, and of floats of every width (no NaN, negative or tiny).
        0 => 0,
        1 => u64::MAX,
        2 => 0x7b7b_7b7b_7b7b_7b7b,
        3 => 0x8484_8484_8484_8484,
        4 => 0x7fff_ffff_7fff_ffff,
        5 => 0x8000_0000_8000_0000,
        6 => 0x7fff_ffff_ffff_ffff,
        // The same as, a little more and a little less than what it may be compared with.
        7 => others,
        8 => others.wrapping_add(1),
        9 => others.wrapping_sub(1),
        // Far from each other.
        10 | 11 => {
            if (way as u64 ^ place) & 1 == 0 {
                0
            } else {
                u64::MAX
            }
        }
        _ => mix(way as u64 ^ place << 8 ^ lane << 16),
    };
    value & !undefined | pattern & undefined
}
