//! How many elements a block used, where it counts them or adds them up.
//!
//! All elements are the same number, so what a block writes is in all so many times what one of them gives. Blocks of the small size tell how
//! much that is, and that two changed elements change twice as much as one: a maximum does not.

use super::trial::{Left, Trial};
use plan::Role;
use std::collections::BTreeSet;

/// Of sums of single precision: what roundings make of them, besides what they make of a large one.
const ROUNDING: f64 = 1e-3;
/// The spacing of single precision numbers, and some of it.
const SPACING: f64 = 1e-6;
/// Of what a block reads, what it may use beyond that.
const MORE: f64 = 1.0 / 32.0;
/// Blocks that have to agree.
const BLOCKS: usize = 2;

/// What a block wrote, added up.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Weight {
    /// The input of which elements were changed, ...
    pub buffer: usize,
    /// ... the buffer in which something follows, ...
    output: usize,
    /// ... and how many of it the block read.
    elements: u64,
    /// The sum over all that was written of the one buffer in which something follows.
    sum: f64,
    /// By how much one changed element changes it, and by how much two do.
    change: Option<(f64, f64)>,
    /// Numbers without roundings.
    exact: bool,
    /// The numbers that the block changed where no element is another one, by their place in the output.
    pub places: Vec<u64>,
    /// All of it is in the numbers that change: maxima beside a sum, or other rows, would be in others.
    alone: bool,
}

/// How the sum goes with what was read.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Scale {
    /// It is the number of elements.
    Count,
    /// It is so many times what an element changes, for each element.
    Sum(f64),
}

impl Weight {
    /// What there is before and after a block, and what is left where one element is changed, and where two are.
    pub fn of(trial: &Trial<'_>, (buffer, elements): (usize, u64), lefts: [&Left; 4]) -> Self {
        let nothing = Self { buffer, elements, ..Self::default() };
        let buffers = trial.opened.program.plan.buffers.iter().enumerate();
        let outputs = buffers.filter(|(_, buffer)| buffer.role != Role::In).map(|(output, _)| output);
        let mut changed = outputs.map(|output| (output, lefts.map(|left| trial.numbers(output, left))));
        let mut changed = changed.by_ref().filter(|(_, lefts)| lefts[1] != lefts[2]);
        let (Some((output, lefts)), None) = (changed.next(), changed.next()) else { return nothing };
        // What one run has written and another has not was nothing there.
        let places: BTreeSet<u64> = lefts.iter().flat_map(|left| left.keys().copied()).collect();
        let at = |place: &u64| lefts.each_ref().map(|left| left.get(place).copied().unwrap_or(0.0));
        let exact = !trial.opened.program.plan.buffers[output].dtype.is_float();
        let (mut weight, mut change) = (Self { output, exact, alone: true, ..nothing }, (0.0, 0.0));
        let first = trial.opened.addresses[output];
        for (place, [before, all, one, two]) in places.iter().map(|place| (place, at(place))) {
            weight.sum += all - before;
            weight.places.extend((all != before).then_some(place - first));
            change = (change.0 + one - all, change.1 + two - all);
            weight.alone &= all == before || all != one || all != two;
        }
        Self { change: Some(change), ..weight }
    }

    /// That of another block that reads so many elements, if an element changes as much there.
    pub fn again(&self, trial: &Trial<'_>, elements: u64, before: &Left, all: &Left) -> Self {
        let first = trial.opened.addresses[self.output];
        let [before, all] = [before, all].map(|left| trial.numbers(self.output, left));
        let changed = |(place, number): &(&u64, &f64)| before.get(*place).copied().unwrap_or(0.0) != **number;
        let places = all.iter().filter(changed).map(|(place, _)| place - first).collect();
        let sum = all.values().sum::<f64>() - before.values().sum::<f64>();
        Self { elements, sum, places, ..self.clone() }
    }

    /// The scale that it has by itself, if it may be any.
    fn scale(&self) -> Option<Scale> {
        let (one, two) = self.change?;
        if self.elements == 0 || !self.alone {
            return None;
        }
        if one == 0.0 && two == 0.0 {
            return (self.exact && self.sum == self.elements as f64).then_some(Scale::Count);
        }
        let double = self.is_like(two, 2.0 * one);
        (double && one != 0.0 && self.sum != 0.0).then(|| Scale::Sum(self.sum / one / self.elements as f64))
    }

    /// Are two sums or changes of them the same?
    fn is_like(&self, one: f64, other: f64) -> bool {
        let change = self.change.map_or(0.0, |(one, _)| one.abs());
        let rounding = if self.exact { 0.0 } else { ROUNDING * one.abs().max(other.abs()) + SPACING * self.sum.abs() };
        (one - other).abs() <= rounding.max(f64::EPSILON * change)
    }

    /// Did something follow from what was changed?
    pub fn is_known(&self) -> bool {
        self.change.is_some()
    }

    /// How many elements it used, if that is fewer than it read, or more by a good part.
    pub fn miscounts(&self, scale: Scale) -> Option<(u64, u64)> {
        let used = match (scale, self.change?) {
            (Scale::Count, (one, two)) => (one == 0.0 && two == 0.0).then_some(self.sum)?,
            // A sum in which the change is lost tells nothing.
            (Scale::Sum(_), (one, _)) if !self.exact && one.abs() < 16.0 * SPACING * self.sum.abs() => return None,
            (Scale::Sum(scale), (one, two)) => {
                (one != 0.0 && self.is_like(two, 2.0 * one)).then(|| self.sum / (one * scale))?
            }
        };
        let read = self.elements as f64;
        let slack = if self.exact {
            0.5
        } else {
            (16.0 * ROUNDING).max(8.0 * SPACING * self.sum.abs() / self.change?.0.abs()) * read
        };
        // Those beside its own a block uses for others, the fewer of them the larger its part.
        let too_many = used > read + slack + MORE * read;
        (used >= 0.0 && used < read - slack || too_many).then_some((used.round() as u64, self.elements))
    }
}

impl Scale {
    /// That of blocks that agree.
    pub fn of(weights: &[Weight]) -> Option<Self> {
        let scales: Option<Vec<Self>> = weights.iter().map(Weight::scale).collect();
        let scales = scales.filter(|scales| scales.len() >= BLOCKS)?;
        let (first, others) = scales.split_first()?;
        let like = |other: &Self| match (first, other) {
            (Self::Count, Self::Count) => true,
            (Self::Sum(one), Self::Sum(other)) => (one - other).abs() <= ROUNDING * one.abs(),
            _ => false,
        };
        others.iter().all(like).then_some(*first)
    }
}
