//! What follows from the elements that blocks read: at the small size, where all do alike, and at the large one, where one may not.

use super::Launch;
use super::control::Small;
use super::effects::{Effect, Number};
use super::habit::Habit;
use super::light::Effects;
use super::trial::{self, Left, Place, Read, Trial};
use super::weigh::{Scale, Weight};
use crate::backend::machine::Stop;
use crate::backend::message::job::Program;
use crate::backend::message::status::Status;
use crate::backend::sim::Sim;
use plan::stream::Stream;
use std::collections::BTreeSet;

/// Warp instructions for all runs of blocks at the large size.
pub(super) const INSTRUCTIONS: u64 = 1 << 17;
/// Elements of a block that are looked at, ...
pub(super) const ELEMENTS: u64 = 16;
/// ... at least.
pub(super) const FEW_ELEMENTS: u64 = 3;
/// Elements beside one from which nothing follows that are looked at, too, each way.
const BESIDE: u64 = 3;

/// A program with its inputs at the one end and at the other.
pub struct Trials<'p> {
    pub(super) ends: [Trial<'p>; 2],
    seed: u64,
}

/// A block of a launch, what it reads, and what it leaves where all is at an end.
pub(super) struct Looked<'a> {
    pub(super) launch: Launch<'a>,
    pub(super) block: u64,
    read: Read,
    pub(super) left: [Option<Left>; 2],
}

impl Looked<'_> {
    /// Bytes that it reads.
    pub(super) fn len(&self) -> u64 {
        self.read.iter().flat_map(|(_, read)| read).map(|(from, to)| to - from).sum()
    }

    /// Stretches in which they lie.
    pub(super) fn stretches(&self) -> usize {
        self.read.iter().map(|(_, read)| read.len()).sum()
    }

    /// What it reads of a buffer.
    fn ranges(&self, buffer: usize) -> impl Iterator<Item = &(u64, u64)> {
        self.read.iter().filter(move |(other, _)| *other == buffer).flat_map(|(_, read)| read)
    }
}

/// How much may be looked at.
pub(super) struct Share {
    pub(super) blocks: usize,
    pub(super) elements: u64,
}

impl<'p> Trials<'p> {
    /// # Errors
    /// As of [`Trial::open`].
    pub fn open(sim: &Sim, program: &'p Program, seed: u64) -> Result<Self, Stop> {
        Ok(Self { ends: [Trial::open(sim, program, seed, false)?, Trial::open(sim, program, seed, true)?], seed })
    }

    pub(super) fn ran(&self) -> u64 {
        self.ends.iter().map(|trial| trial.opened.ran).sum()
    }

    /// Runs a block with all at some of the ends.
    pub(super) fn block<'a>(&mut self, launch: Launch<'a>, block: u64, ends: [bool; 2]) -> Option<Looked<'a>> {
        let (mut left, mut read) = ([None, None], Read::new());
        for (end, trial) in self.ends.iter_mut().enumerate().filter(|(end, _)| ends[*end]) {
            left[end] = Some(trial.run(launch, block, &[])?);
            read = trial.read();
        }
        Some(Looked { launch, block, read, left })
    }

    /// How much is afforded if all blocks are like the first: of long ones a few, and of each some elements.
    pub(super) fn share(&mut self, launch: Launch<'_>, blocks: &[u64], instructions: u64) -> Option<Share> {
        let before = self.ran();
        self.block(launch, *blocks.first()?, [true, false])?;
        let runs = instructions / (self.ran() - before).max(1);
        let blocks = blocks.len().min((runs / (FEW_ELEMENTS + 1)) as usize);
        let elements = (runs / (blocks as u64).max(1)).saturating_sub(1).min(ELEMENTS);
        (blocks > 0).then_some(Share { blocks, elements })
    }

    /// A block of the large size that has not that habit.
    pub fn lacking(
        &mut self,
        launch: Launch<'_>,
        blocks: &[u64],
        (usual, small): (&Habit, &mut Small<'_, '_>),
    ) -> Option<Status> {
        let share = self.share(launch, blocks, INSTRUCTIONS)?;
        let weighed = |end: usize| Some((end, usual.scales[end]?));
        let ends: Vec<(usize, Scale)> = (0..2).filter_map(weighed).collect();
        let until = self.ran() + INSTRUCTIONS;
        let lacks = match ends.is_empty() {
            true => self.heavy(launch, &blocks[..share.blocks], (share.elements, usual), (small, until)),
            false => ends.iter().find_map(|scale| self.light(launch, blocks, (*scale, usual), (small, until))),
        };
        let end = ends.first().map_or(usize::from(usual.follow[0] == 0), |(end, _)| *end);
        let until = self.ran() + INSTRUCTIONS;
        lacks.or_else(|| self.unlike_others(launch, blocks, usual.leaves.as_ref()?, (end, until)))
    }

    /// What follows from single elements of blocks.
    fn heavy(
        &mut self,
        launch: Launch<'_>,
        blocks: &[u64],
        (elements, usual): (u64, &Habit),
        (small, until): (&mut Small<'_, '_>, u64),
    ) -> Option<Status> {
        let mut effects = Effects::of(&usual.effects);
        for &block in blocks {
            if self.ran() - effects.spent > until {
                break;
            }
            let looked = self.block(launch, block, usual.follow.map(|least| least > 0))?;
            let places = self.drawn(&looked, elements);
            if let Some(status) = self.without_effect(&looked, &places, usual)? {
                return Some(status);
            }
            for end in (0..2).filter(|end| usual.follow[*end] > 0) {
                self.look(&looked, (elements, end, Some(looked.len())), &mut effects)?;
            }
        }
        effects.told(self, launch, small)
    }

    /// Does too little follow from what a block reads?
    pub(super) fn without_effect(
        &mut self,
        looked: &Looked<'_>,
        places: &[Place],
        usual: &Habit,
    ) -> Option<Option<Status>> {
        for end in (0..2).filter(|end| usual.follow[*end] > 0) {
            let (mut less, mut fewest) = (0, None);
            for place in places {
                let follow = self.follow(looked, *place, end)?;
                let (buffer, block) = (self.name(place.buffer), looked.block);
                let no_effect = |some| Status::NoEffect { buffer, index: place.element, block, some };
                if follow == 0 && !self.is_alone(looked, *place, end)? {
                    return Some(Some(no_effect(false)));
                }
                if follow < usual.follow[end] {
                    less += 1;
                    fewest = Some(no_effect(true));
                }
            }
            // What follows from single ones may be left to other blocks.
            if less >= FEW_ELEMENTS && 2 * less > places.len() as u64 {
                return Some(fewest);
            }
        }
        Some(None)
    }

    pub(super) fn name(&self, buffer: usize) -> String {
        self.ends[0].opened.program.plan.buffers[buffer].name.clone()
    }

    /// What a block writes where all inputs are at an end, and where one or two elements are not. Of a block that reads little, nothing.
    pub(super) fn weigh(&mut self, looked: &Looked<'_>, places: &[Place], end: usize) -> Option<Weight> {
        let Looked { launch, block, .. } = *looked;
        let left = looked.left[end].as_ref()?;
        let before = self.ends[end].prepared(launch, left)?;
        let mut weight = Weight::default();
        for (first, last) in places.iter().zip(places.iter().skip(1)).filter(|(one, other)| one.buffer == other.buffer)
        {
            let elements = self.elements(looked, first.buffer);
            let trial = &mut self.ends[end];
            let [one, two] = [trial.run(launch, block, &[*first])?, trial.run(launch, block, &[*first, *last])?];
            weight = Weight::of(trial, (first.buffer, elements), [&before, left, &one, &two]);
            if weight.is_known() {
                break;
            }
        }
        Some(weight)
    }

    /// The same of a block that is like one that was weighed.
    pub(super) fn weigh_again(&mut self, looked: &Looked<'_>, like: &Weight, end: usize) -> Option<Weight> {
        let left = looked.left[end].as_ref()?;
        let before = self.ends[end].prepared(looked.launch, left)?;
        Some(like.again(&self.ends[end], self.elements(looked, like.buffer), &before, left))
    }

    /// What a block reads of a buffer, in elements.
    pub(super) fn ranges(&self, looked: &Looked<'_>, buffer: usize) -> Vec<(u64, u64)> {
        let size = self.ends[0].size(buffer);
        looked.ranges(buffer).map(|(from, to)| (from / size, to / size)).collect()
    }

    /// How many elements of a buffer a block reads.
    fn elements(&self, looked: &Looked<'_>, buffer: usize) -> u64 {
        self.ranges(looked, buffer).iter().map(|(from, to)| to - from).sum()
    }

    /// Elements that a block reads, one of each part of them.
    pub(super) fn drawn(&self, looked: &Looked<'_>, elements: u64) -> Vec<Place> {
        let size = |buffer: usize| self.ends[0].size(buffer);
        let ranges = || looked.read.iter().flat_map(|(buffer, read)| read.iter().map(move |range| (*buffer, *range)));
        let all: u64 = ranges().map(|(buffer, (from, to))| (to - from) / size(buffer)).sum();
        let parts = elements.min(all);
        let stream = Stream::new(self.seed, "elements that are followed");
        let place = |part: u64| {
            let share = |part: u64| (all * part / parts) as i64;
            let mut rank = stream.integer(looked.block << 8 | part, share(part), share(part + 1) - 1) as u64;
            for (buffer, (from, to)) in ranges() {
                let (first, here) = (from / size(buffer), (to - from) / size(buffer));
                if rank < here {
                    return Some(Place { buffer, element: first + rank, value: 0 });
                }
                rank -= here;
            }
            None
        };
        (0..parts).filter_map(place).collect()
    }

    /// How many words that the block leaves follow from the element, with the others at an end?
    fn follow(&mut self, looked: &Looked<'_>, place: Place, end: usize) -> Option<u64> {
        let after = self.left_with(looked, place, end)?;
        self.words(looked, &after, end)
    }

    /// What changes by how much, if that can be told.
    pub(super) fn effect(&mut self, looked: &Looked<'_>, place: Place, end: usize) -> Option<Option<Effect>> {
        let after = self.left_with(looked, place, end)?;
        self.effect_of(looked, &after, end)
    }

    /// What the block leaves with the element another number, and the others at an end.
    pub(super) fn left_with(&mut self, looked: &Looked<'_>, place: Place, end: usize) -> Option<Left> {
        self.ends[end].run(looked.launch, looked.block, &[place])
    }

    /// How many words of that are others.
    pub(super) fn words(&self, looked: &Looked<'_>, after: &Left, end: usize) -> Option<u64> {
        Some(trial::different(looked.left[end].as_ref()?, after, &self.ends[end].wide))
    }

    /// By how much numbers of that are others.
    pub(super) fn effect_of(&self, looked: &Looked<'_>, after: &Left, end: usize) -> Option<Option<Effect>> {
        Some(Effect::of(&self.ends[end], looked.left[end].as_ref()?, after))
    }

    /// Numbers that change, as a status names them.
    pub(super) fn named(&self, changes: &[(Number, f64)]) -> Vec<(String, u64, f64)> {
        changes.iter().map(|((buffer, index), by)| (self.name(*buffer), *index, *by)).collect()
    }

    /// Is it one element that the block reads and does not need? Those beside it are looked at, and others of the block; and another
    /// block may be the one that uses it.
    fn is_alone(&mut self, looked: &Looked<'_>, place: Place, end: usize) -> Option<bool> {
        let size = self.ends[0].size(place.buffer);
        let reads = |looked: &Looked<'_>, element: u64| {
            looked.ranges(place.buffer).any(|(from, to)| (from / size..to / size).contains(&element))
        };
        let beside = (1..=BESIDE).flat_map(|by| [place.element.checked_sub(by), Some(place.element + by)]).flatten();
        let mut others: Vec<Place> = beside.map(|element| Place { element, ..place }).collect();
        others.retain(|other| reads(looked, other.element));
        others.extend(self.drawn(looked, ELEMENTS).into_iter().filter(|other| other.element != place.element));
        let mut lost = false;
        for other in others {
            lost = lost || self.follow(looked, other, end)? == 0;
        }
        if !lost {
            return Some(true);
        }
        let program = self.ends[0].opened.program;
        let blocks = program.plan.launches[looked.launch.1].blocks();
        let len = program.plan.buffers[place.buffer].len;
        let due = (u128::from(place.element) * u128::from(blocks) / u128::from(len.max(1))) as u64;
        let near = |block: u64| block.saturating_sub(1)..=(block + 1).min(blocks - 1);
        let near: BTreeSet<u64> = [looked.block, due].into_iter().flat_map(near).collect();
        for block in near.into_iter().filter(|block| *block != looked.block) {
            let other = self.block(looked.launch, block, [end == 0, end == 1])?;
            if reads(&other, place.element) && self.follow(&other, place, end)? > 0 {
                return Some(true);
            }
        }
        Some(false)
    }
}
