//! What changes in what a block leaves where one element is another one: which numbers, and by how much. Where all blocks of the small
//! size count or add up, every element changes the same.

use super::trial::{Left, Place, Trial};
use plan::Role;
use plan::dtype::DType;
use std::collections::{BTreeMap, BTreeSet};

/// Of the larger of two changes: what roundings of a sum in single precision make of it. A change is the difference of two large ones, ...
pub const CHANGED: f64 = 1e-2;
/// ... what is left where nothing changes is not.
pub const LEFT: f64 = 2e-5;
/// Of the largest number around, what roundings may be.
const SPACING: f64 = 1e-6;
/// A change is told from roundings where it is so many times as large.
const CLEAR: f64 = 16.0;

/// Elements that have to agree.
const ENOUGH: usize = 3;

/// A number that a block leaves: its buffer, and its place among the buffer's elements.
pub type Number = (usize, u64);

/// What one element changes.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Effect {
    /// By number, ascending.
    pub changes: Vec<(Number, f64)>,
    /// By how much numbers may differ that are the same but for roundings.
    rounding: f64,
}

impl Effect {
    /// What was left with all elements alike, and with one that is not. `None`: in numbers so large, or so short, a change may be lost.
    pub fn of(trial: &Trial<'_>, before: &Left, after: &Left) -> Option<Self> {
        let mut effect = Self::default();
        let buffers = trial.opened.program.plan.buffers.iter().enumerate();
        for (index, buffer) in buffers.filter(|(_, buffer)| buffer.role != Role::In) {
            let [before, after] = [before, after].map(|left| trial.numbers(index, left));
            if before == after {
                continue;
            }
            if buffer.dtype.is_float() {
                if !matches!(buffer.dtype, DType::F32 | DType::F64) {
                    return None;
                }
                let largest =
                    before.values().chain(after.values()).fold(0.0, |most: f64, number| most.max(number.abs()));
                effect.rounding = effect.rounding.max(SPACING * largest);
            }
            let places: BTreeSet<u64> = before.keys().chain(after.keys()).copied().collect();
            let number = |place: u64| (place - trial.opened.addresses[index]) / buffer.dtype.size() as u64;
            // What one run has written and another has not was nothing there.
            let at = |numbers: &BTreeMap<u64, f64>, place| numbers.get(place).copied().unwrap_or(0.0);
            let changed = places.iter().map(|place| ((index, number(*place)), at(&after, place) - at(&before, place)));
            effect.changes.extend(changed.filter(|(_, by)| *by != 0.0));
        }
        let least = effect.changes.iter().fold(f64::INFINITY, |least, (_, by)| least.min(by.abs()));
        (least > CLEAR * effect.rounding).then_some(effect)
    }

    /// Those of its changes that another has not, wherever.
    pub fn without(&self, other: &Self, rounding: f64) -> Vec<(Number, f64)> {
        let has = |by: f64| other.changes.iter().any(|(_, another)| self.is_near(other, (by, *another), rounding));
        self.changes.iter().copied().filter(|(_, by)| !has(*by)).collect()
    }

    fn is_near(&self, other: &Self, (one, another): (f64, f64), rounding: f64) -> bool {
        (one - another).abs() <= rounding * one.abs().max(another.abs()) + self.rounding.max(other.rounding)
    }

    /// Does another element change as much, of the same numbers or (not `placed`) of as many others? They may differ by that part.
    pub fn is_like(&self, other: &Self, placed: bool, rounding: f64) -> bool {
        let by = |effect: &Self| -> Vec<f64> {
            let mut by: Vec<f64> = effect.changes.iter().map(|(_, by)| *by).collect();
            if !placed {
                by.sort_by(f64::total_cmp);
            }
            by
        };
        let near = |one: f64, another: f64| self.is_near(other, (one, another), rounding);
        let numbers = |effect: &Self| effect.changes.iter().map(|(number, _)| *number).collect::<Vec<_>>();
        let (one, another) = (by(self), by(other));
        one.len() == another.len()
            && one.iter().zip(&another).all(|(one, another)| near(*one, *another))
            && (!placed || numbers(self) == numbers(other))
    }
}

/// What all elements change, of those that were tried.
#[derive(Debug, Clone, PartialEq)]
pub struct Usual {
    effect: Effect,
    /// The same numbers; otherwise each its own.
    placed: bool,
}

impl Usual {
    /// That of elements that agree.
    fn of(effects: &[Effect]) -> Option<Self> {
        let (first, others) = effects.split_first()?;
        let agree = |placed: bool| others.iter().all(|other| first.is_like(other, placed, CHANGED));
        let placed = [true, false].into_iter().find(|placed| agree(*placed))?;
        (effects.len() >= ENOUGH).then(|| Self { effect: first.clone(), placed })
    }

    pub fn is_kept(&self, effect: &Effect) -> bool {
        self.effect.is_like(effect, self.placed, CHANGED)
    }

    /// Are they always the same numbers?
    pub fn is_placed(&self) -> bool {
        self.placed
    }

    pub fn changes(&self) -> &[(Number, f64)] {
        &self.effect.changes
    }
}

/// What elements of an input change that become the same number: at which end the others are, the input, [`Place::value`], and how much the
/// block reads.
type Kind = (usize, usize, usize, Part);

/// Bytes that a block reads, where what an element changes may hang on that: a mean's parts weigh more in a shorter block.
pub type Part = Option<u64>;

/// What elements were seen to change. One whose change cannot be told says that of its kind.
#[derive(Debug, Default)]
pub struct Seen(BTreeMap<Kind, Option<Vec<Effect>>>);

impl Seen {
    pub fn note(&mut self, end: usize, place: Place, bytes: u64, effect: Option<&Effect>) {
        for part in [Some(bytes), None] {
            let kind = self.0.entry((end, place.buffer, place.value, part)).or_insert_with(|| Some(Vec::new()));
            add(kind, effect.cloned());
        }
    }

    /// What all of a kind change.
    pub fn habits(self) -> Habits {
        let agreed = |(kind, effects): (Kind, Option<Vec<Effect>>)| Some((kind, Usual::of(&effects?)?));
        Habits(self.0.into_iter().filter_map(agreed).collect())
    }
}

/// One more of them; where it cannot be told, nothing is known of all.
pub fn add<T>(all: &mut Option<Vec<T>>, one: Option<T>) {
    *all = all.take().zip(one).map(|(mut all, one)| {
        all.push(one);
        all
    });
}

/// What all elements change, by kind, where they agree.
#[derive(Debug, Default)]
pub struct Habits(BTreeMap<Kind, Usual>);

impl Habits {
    pub fn of(&self, end: usize, place: Place, part: Part) -> Option<&Usual> {
        self.0.get(&(end, place.buffer, place.value, part))
    }
}
