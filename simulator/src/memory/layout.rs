//! Where allocations lie. A driver puts them where it likes: small ones one behind the other, large ones at multiples of 2 MiB,
//! next to the module's variables or far from them, and in any order. [`crate::Config::machine`] draws how it is done, so that a kernel
//! that relies on a distance, on which of two buffers is lower, or on more than the alignment that is promised, is wrong in some runs.
//!
//! In most runs no wrong index gets from one allocation to another: either they lie farther apart than an index of 32 bits
//! reaches, or four times as far as the larger of the two is long. In all of them there is memory between that is nobody's.

use super::window;
use crate::appearance::{ALIGNMENT, Appearance};
use std::ops::Range;

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
/// No allocation is below it: what a driver's pools begin with.
const LOWEST: u64 = 0x3_0200_0000;
/// And none ends beyond it.
const HIGHEST: u64 = window::WINDOWS - APART;

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

/// How a machine lays allocations out.
#[derive(Debug, Clone, Copy)]
pub struct Layout {
    machine: Appearance,
    distance: Distance,
}

/// Where the next allocation has to fit in.
#[derive(Debug, Clone, Copy)]
struct Between {
    /// Where the one below it ends.
    below: Option<u64>,
    /// Where the one above it begins.
    above: Option<u64>,
    /// Bytes that have to lie between them and it.
    margin: u64,
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

    /// Where allocation `number` begins, which has `size` bytes. `there` is what there is already, ascending, from where to where: the
    /// variables, as one, and the allocations before it. It may come below all of them, above, or between.
    pub fn next(self, there: &[Range<u64>], number: u64, size: u64) -> u64 {
        let places = there.len() + 1;
        // On the plain machine each is behind the one before.
        let drawn = self.draw(number, Of::Order);
        let first = match number {
            _ if self.machine.is_plain() => there.len(),
            0 if self.has_pool() => 0,
            _ => (drawn % places as u64) as usize,
        };
        // Where it does not fit in, above or below.
        let onward = if drawn >> 63 == 0 { 1 } else { places - 1 };
        let largest = there.iter().map(|one| one.end - one.start).fold(size, u64::max);
        let margin = match self.distance {
            Distance::Far => APART + GAP,
            // An index that is wrong by a factor comes to what is nobody's.
            Distance::Near => largest.saturating_mul(4).min(APART) + GAP,
            Distance::Close => GAP,
        };
        let behind = there.last().map_or(window::VARIABLES, |last| last.end);
        let begin = |at: usize| {
            let below = at.checked_sub(1).map(|at| there[at].end);
            self.fitting(Between { below, above: there.get(at).map(|one| one.start), margin }, number, size)
        };
        let found = (0..places).find_map(|step| begin((first + step * onward) % places));
        // Where there is no room left, behind the last one.
        found.unwrap_or_else(|| self.aligned(behind + GAP, number, size))
    }

    /// Does the first one lie where a driver's pools begin, far below the variables, and others near it?
    fn has_pool(self) -> bool {
        self.distance == Distance::Far && self.draw(0, Of::Low) % 2 == 1
    }

    fn draw(self, number: u64, of: Of) -> u64 {
        self.machine.bits(purpose(number, of))
    }

    /// Where it begins between two others, if there is room.
    fn fitting(self, Between { below, above, margin }: Between, number: u64, size: u64) -> Option<u64> {
        let draw = |of: Of| self.draw(number, of);
        let more = match self.distance {
            Distance::Far if number == 0 => draw(Of::Region) % (1 << 16) * REGION,
            // At times another one fits in.
            Distance::Far => draw(Of::Region) % 4 * APART,
            Distance::Near => draw(Of::Region) % (1 << (8 + draw(Of::Scale) % 23)),
            Distance::Close => 0,
        };
        let taken = |from: u64| self.aligned(from, number, size) + size;
        let fits = |from: &u64| match above {
            Some(above) => taken(*from) + margin <= above,
            None => taken(*from) < HIGHEST,
        };
        let pool = (number == 0 && below.is_none() && self.has_pool()).then(|| LOWEST + more % (1 << 32));
        let from = match (below, above) {
            (None, _) if pool.is_some() => return pool.filter(fits).map(|from| self.aligned(from, number, size)),
            (None, Some(above)) => {
                let under = above.checked_sub(size + margin + more + self.slack(size));
                let from = under.filter(|from| *from >= LOWEST).filter(fits)?;
                return Some(self.aligned(from, number, size));
            }
            (below, _) => below.unwrap_or(window::VARIABLES) + margin,
        };
        let from = if self.distance == Distance::Far && number == 0 { from.max(window::ALLOCATIONS) } else { from };
        [from + more, from].into_iter().find(fits).map(|from| self.aligned(from, number, size))
    }

    /// The first place from there on where it may begin.
    fn aligned(self, from: u64, number: u64, size: u64) -> u64 {
        match self.distance {
            Distance::Close => from.next_multiple_of(self.slack(size)),
            _ if self.machine.is_plain() => from.next_multiple_of(ALIGNMENT),
            _ if self.draw(number, Of::Alignment).is_multiple_of(2) => from.next_multiple_of(REGION),
            // As little as is promised: an odd multiple.
            _ => (from + self.draw(number, Of::Place) % REGION).next_multiple_of(2 * ALIGNMENT) + ALIGNMENT,
        }
    }

    /// How far behind the wish it begins at most.
    fn slack(self, size: u64) -> u64 {
        match self.distance {
            Distance::Close if size < LARGE => STEP,
            Distance::Close => REGION,
            Distance::Far | Distance::Near => 2 * REGION,
        }
    }
}

/// What is drawn for an allocation.
#[derive(Debug, Clone, Copy)]
enum Of {
    Distance,
    Order,
    Low,
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

    /// Distances between the variables and three buffers, in the order of their addresses, and where the buffers begin.
    fn laid(seed: u64, size: u64) -> (Distance, Vec<u64>, Vec<u64>) {
        let layout = Layout::new(Appearance::new(seed));
        let variables = window::VARIABLES..window::VARIABLES + 100;
        let mut there = Vec::from([variables]);
        let mut bases = Vec::new();
        for number in 0..3 {
            let base = layout.next(&there, number, size);
            let at = there.partition_point(|one| one.start < base);
            there.insert(at, base..base + size);
            bases.push(base);
        }
        (layout.distance, there.windows(2).map(|two| two[1].start - two[0].end).collect(), bases)
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
            assert!(bases.iter().all(|base| (LOWEST..HIGHEST).contains(base)), "seed {seed}: {bases:x?}");
            assert!(
                distance != Distance::Close || size < LARGE || bases.iter().all(|base| base.is_multiple_of(REGION))
            );
            assert!(distance == Distance::Far || gaps.iter().all(|gap| *gap < 1 << 32), "seed {seed}: {gaps:?}");
        }
    }

    /// Any of three buffers may be the lowest, the one between, or the highest.
    #[test]
    fn buffers_lie_in_every_order() {
        for distance in [Distance::Far, Distance::Near, Distance::Close] {
            let all = (1..2000).map(|seed| laid(seed, 4000)).filter(|one| one.0 == distance);
            let mut met = std::collections::BTreeMap::new();
            for (_, _, bases) in all {
                let order = [bases[0] < bases[1], bases[1] < bases[2], bases[0] < bases[2]];
                *met.entry(order).or_insert(0) += 1;
            }
            // Those that lie close have no room between them.
            let least = if distance == Distance::Close { 4 } else { 6 };
            assert!(met.len() >= least && met.values().all(|times| *times > 20), "{distance:?}: {met:?}");
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
        let low = all.iter().filter(|one| one.2.iter().any(|base| base >> 40 == 0)).count();
        assert!(low > 40, "{low} with a buffer where pools begin");
    }

    /// Whoever has no window left is put where there is room, not into another window.
    #[test]
    fn layouts_stay_in_their_window() {
        for seed in 0..50 {
            let layout = Layout::new(Appearance::new(seed));
            let there = std::slice::from_ref(&(LOWEST..HIGHEST - (1 << 33)));
            let base = layout.next(there, 40, 1 << 31);
            let end = there[0].end;
            assert!(base >= end + GAP && base + (1 << 31) < window::WINDOWS, "seed {seed}: {base:x}");
        }
    }

    #[test]
    fn the_plain_machine_has_the_simplest_layout() {
        let (distance, gaps, bases) = laid(0, 4096);
        assert_eq!((distance, bases[0]), (Distance::Far, window::ALLOCATIONS));
        assert_eq!(gaps[1..], [APART + GAP; 2]);
    }
}
