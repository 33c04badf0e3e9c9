//! Where allocations lie. A driver puts them where it likes: small ones one behind the other, large ones at multiples of 2 MiB,
//! next to the module's variables or far from them. [`crate::Config::machine`] draws how it is done, so that a kernel that relies
//! on a distance, or on more than the alignment that is promised, is wrong in some runs.
//!
//! In most runs no wrong index gets from one allocation to another: either they lie farther apart than an index of 32 bits
//! reaches, or four times as far as the larger of the two is long. In all of them there is memory between that is nobody's.

use super::window;
use crate::appearance::{ALIGNMENT, Appearance};

/// Bytes between allocations that are far apart: the reach of an index of 32 bits into elements of 16 bytes.
const APART: u64 = 1 << 35;
/// Bytes of nothing behind an allocation, at least.
const GAP: u64 = 512;
/// What a driver maps at a time: large allocations begin at a multiple of it.
const REGION: u64 = 2 << 20;
/// From so many bytes on an allocation has regions of its own.
const LARGE: u64 = 1 << 20;
/// What `cudaMalloc` rounds small allocations up to.
const STEP: u64 = 512;

/// How far allocations of a run lie from each other, and from the module's variables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Distance {
    /// Out of reach of an index of 32 bits.
    Far,
    /// Some times as far as they are long, and up to a gigabyte more.
    Near,
    /// One behind the other, as `cudaMalloc` gives them.
    Close,
}

/// Where what is there already ends.
#[derive(Debug, Clone, Copy)]
pub struct Before {
    /// Allocations that were made.
    pub number: u64,
    /// Where the last of them ends, or the last variable.
    pub end: u64,
    /// Bytes of the largest one.
    pub largest: u64,
}

/// How a machine lays allocations out.
#[derive(Debug, Clone, Copy)]
pub struct Layout {
    machine: Appearance,
    distance: Distance,
}

impl Layout {
    /// That of a machine. The plain one has them far apart, each as near behind the one before as that allows.
    pub fn new(machine: Appearance) -> Self {
        let distance = match machine.bits(purpose(0, Of::Distance)) % 8 {
            0..=3 => Distance::Far,
            4..=6 => Distance::Near,
            _ => Distance::Close,
        };
        Self { machine, distance }
    }

    /// Where the next allocation begins, which has `size` bytes.
    pub fn next(self, before: Before, size: u64) -> u64 {
        let draw = |of: Of| self.machine.bits(purpose(before.number, of));
        let first = before.number == 0;
        let base = match self.distance {
            Distance::Far if first => {
                (before.end + GAP).max(window::ALLOCATIONS) + draw(Of::Region) % (1 << 16) * REGION
            }
            Distance::Far => before.end + APART + GAP,
            Distance::Near => {
                // An index that is wrong by a factor comes to what is nobody's.
                let reach = before.largest.max(size).saturating_mul(4).min(APART);
                let most = 1 << (8 + draw(Of::Scale) % 23);
                before.end + reach + GAP + draw(Of::Region) % most
            }
            Distance::Close => before.end + GAP,
        };
        // Where there is no room left, behind the one before.
        let base = if base + size < window::SHARED - APART { base } else { before.end + GAP };
        match self.distance {
            Distance::Close => base.next_multiple_of(if first || size >= LARGE { REGION } else { STEP }),
            _ if self.machine.is_plain() => base.next_multiple_of(ALIGNMENT),
            _ if draw(Of::Alignment) % 2 == 0 => base.next_multiple_of(REGION),
            // As little as is promised: an odd multiple.
            _ => {
                let place = (base + draw(Of::Place) % REGION).next_multiple_of(2 * ALIGNMENT);
                place + ALIGNMENT
            }
        }
    }
}

/// What is drawn for an allocation.
#[derive(Debug, Clone, Copy)]
enum Of {
    Distance,
    Region,
    Scale,
    Alignment,
    Place,
}

/// The purpose of random bits: none of the others that a machine has.
fn purpose(number: u64, of: Of) -> u64 {
    1 << 32 | number << 3 | of as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Distances between three buffers, and of the first one from where variables end.
    fn laid(seed: u64, size: u64) -> (Distance, Vec<u64>, Vec<u64>) {
        let layout = Layout::new(Appearance::new(seed));
        let (mut end, mut gaps, mut bases) = (window::VARIABLES + 100, Vec::new(), Vec::new());
        for number in 0..3 {
            let base = layout.next(Before { number, end, largest: if number == 0 { 100 } else { size } }, size);
            gaps.push(base - end);
            bases.push(base);
            end = base + size;
        }
        (layout.distance, gaps, bases)
    }

    #[test]
    fn every_layout_is_one_that_could_be() {
        for (seed, size) in (0..400).flat_map(|seed| [0, 1, 4000, 3 << 20].map(|size| (seed, size))) {
            let (distance, gaps, bases) = laid(seed, size);
            let apart = match distance {
                Distance::Far => APART,
                Distance::Near => 4 * size + GAP,
                Distance::Close => GAP,
            };
            assert!(gaps.iter().all(|gap| *gap >= apart), "seed {seed}: {distance:?} {gaps:?}");
            assert!(bases.iter().all(|base| base.is_multiple_of(ALIGNMENT)), "seed {seed}: {bases:x?}");
            assert!(
                distance != Distance::Close || size < LARGE || bases.iter().all(|base| base.is_multiple_of(REGION))
            );
            assert!(distance == Distance::Far || gaps.iter().all(|gap| *gap < 1 << 31), "seed {seed}: {gaps:?}");
        }
    }

    #[test]
    fn machines_have_all_distances_and_alignments() {
        let all: Vec<_> = (1..400).map(|seed| laid(seed, 4000)).collect();
        for distance in [Distance::Far, Distance::Near, Distance::Close] {
            assert!(all.iter().filter(|one| one.0 == distance).count() > 20, "{distance:?}");
        }
        for at in 0..3 {
            let aligned = |bytes: u64| all.iter().filter(|one| one.2[at].is_multiple_of(bytes)).count();
            assert!(aligned(REGION) > 120, "number {at}: {}", aligned(REGION));
            assert!(aligned(2 * ALIGNMENT) < 280, "number {at}: {}", aligned(2 * ALIGNMENT));
        }
    }

    /// Whoever has no window left is put close to the one before, not into another window.
    #[test]
    fn layouts_stay_in_their_window() {
        for seed in 0..50 {
            let layout = Layout::new(Appearance::new(seed));
            let end = window::SHARED - APART - (1 << 33);
            let base = layout.next(Before { number: 40, end, largest: 1 << 31 }, 1 << 31);
            assert!(base >= end + GAP && base < end + (8 << 20) || base + (1 << 31) < window::SHARED, "seed {seed}");
        }
    }

    #[test]
    fn the_plain_machine_has_the_simplest_layout() {
        let (distance, gaps, bases) = laid(0, 4096);
        assert_eq!((distance, bases[0]), (Distance::Far, window::ALLOCATIONS));
        assert_eq!(gaps[1..], [APART + GAP; 2]);
    }
}
