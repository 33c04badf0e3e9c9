//! What all blocks of the small size do.

use super::Launch;
use super::alike::Leaves;
use super::effects::{Habits, Seen};
use super::trial::{Left, Place, VALUES};
use super::trials::{ELEMENTS, Looked, Trials};
use super::weigh::{Scale, Weight};

/// Warp instructions for all runs of them: hundredths of a second.
const INSTRUCTIONS: u64 = 1 << 15;
/// Elements that something has to follow from.
const ENOUGH: usize = 6;

/// What all blocks do at the small size.
pub struct Habit {
    /// Words that are others if an element is another one, with inputs at either of the ends: so many at least.
    pub(super) follow: [u64; 2],
    /// How what they write is in proportion to what they read, with inputs at either of the ends.
    pub(super) scales: [Option<Scale>; 2],
    /// The numbers that all blocks change, where they are the same ones, with inputs at either of the ends.
    places: [Option<Vec<u64>>; 2],
    /// What every element changes.
    pub(super) effects: Habits,
    /// What they leave where all elements are the same number, if that is the same ones.
    pub(super) leaves: Option<Leaves>,
}

impl Habit {
    /// Does a block change what all do?
    pub(super) fn is_kept(&self, weight: &Weight, end: usize) -> bool {
        self.places[end].as_ref().is_none_or(|places| *places == weight.places)
    }
}

impl Trials<'_> {
    /// What blocks of the small size do alike. `None`: they say nothing, or nothing follows from some elements.
    pub fn habit(&mut self, launch: Launch<'_>, blocks: &[u64]) -> Option<Habit> {
        let share = self.share(launch, blocks, INSTRUCTIONS)?;
        let (mut tried, mut follow, mut weights) = (0, [u64::MAX; 2], [Vec::new(), Vec::new()]);
        let (mut effects, mut leaves, until) = (Seen::default(), Leaves::default(), self.ran() + 2 * INSTRUCTIONS);
        for &block in &blocks[..share.blocks] {
            let looked = self.block(launch, block, [true; 2])?;
            let places = self.drawn(&looked, share.elements);
            tried += places.len();
            leaves.note(self, &looked);
            for (end, weights) in weights.iter_mut().enumerate() {
                for place in &places {
                    if follow[end] > 0 {
                        let after = self.left_with(&looked, *place, end)?;
                        follow[end] = follow[end].min(self.words(&looked, &after, end)?);
                        effects.note(end, *place, looked.len(), self.effect_of(&looked, &after, end)?.as_ref());
                    }
                }
                weights.push(self.weigh(&looked, &places, end)?);
            }
            if self.ran() < until {
                self.drawn_numbers(&looked, &mut effects)?;
            }
        }
        let scales = weights.each_ref().map(|weights| Scale::of(weights));
        let places = weights.map(|weights| {
            let alike = weights.windows(2).all(|pair| pair[0].places == pair[1].places);
            weights.first().filter(|_| alike && weights.len() > 1).map(|weight| weight.places.clone())
        });
        // What launches before this one make of an element is theirs.
        let trial = &mut self.ends[0];
        let is_own = trial.prepared(launch, &Left::new()).is_some() && trial.read().is_empty();
        (tried >= ENOUGH && follow != [0; 2]).then_some(Habit {
            follow,
            scales,
            places,
            effects: if is_own { effects.habits() } else { Habits::default() },
            leaves: Some(leaves).filter(Leaves::agree),
        })
    }

    /// What an element of each input changes that becomes a drawn number.
    fn drawn_numbers(&mut self, looked: &Looked<'_>, effects: &mut Seen) -> Option<()> {
        let mut places = self.drawn(looked, ELEMENTS);
        places.sort_unstable();
        places.dedup_by_key(|place| place.buffer);
        for (place, value) in places.iter().flat_map(|place| (1..=VALUES).map(move |value| (*place, value))) {
            for end in 0..2 {
                let place = Place { value, ..place };
                effects.note(end, place, looked.len(), self.effect(looked, place, end)?.as_ref());
            }
        }
        Some(())
    }
}
