//! Blocks that count or add up: in what one writes is as much as it reads, and each element changes what it changes elsewhere.

use super::Launch;
use super::control::{InPart, Small};
use super::effects::{CHANGED, Effect, Habits, Part, Usual};
use super::habit::Habit;
use super::trial::{Place, VALUES};
use super::trials::{ELEMENTS, FEW_ELEMENTS, INSTRUCTIONS, Looked, Trials};
use super::weigh::{Scale, Weight};
use crate::backend::message::status::Status;
use plan::stream::Stream;

/// Elements that are looked at of a block that is unlike others, ...
const CLOSELY: u64 = 64;
/// ... and warp instructions for that: a tenth of a second.
const CLOSELY_INSTRUCTIONS: u64 = 1 << 20;

/// What elements of the large size were seen to change.
pub(super) struct Effects<'a> {
    usual: &'a Habits,
    /// How many change what all do at the small size.
    kept: usize,
    /// Elements that were tried, ...
    turn: usize,
    /// ... and warp instructions for that.
    pub(super) spent: u64,
    /// The first that does not.
    odd: Option<Odd<'a>>,
}

/// An element that changes something else than all do.
struct Odd<'a> {
    place: Place,
    /// At which end the others are.
    end: usize,
    block: u64,
    /// Where it is in what the block reads.
    part: InPart,
    effect: Effect,
    usual: &'a Usual,
}

impl<'a> Effects<'a> {
    pub(super) fn of(usual: &'a Habits) -> Self {
        Self { usual, kept: 0, turn: 0, spent: 0, odd: None }
    }

    /// Where none does what all do at the small size, it may hang on the size; and where an element at the same place of what a block of that
    /// size reads does the same, on the place: what lies at the edge of a part, say.
    pub(super) fn told(self, trials: &Trials<'_>, launch: Launch<'_>, small: &mut Small<'_, '_>) -> Option<Status> {
        let Odd { place, end, block, part, effect, usual } = self.odd.filter(|_| self.kept > 0)?;
        let does = |other: &Effect| other.is_like(&effect, usual.is_placed(), CHANGED);
        if small.shows(launch, (place, end), part, does)? {
            return None;
        }
        Some(Status::OtherEffect {
            buffer: trials.name(place.buffer),
            index: place.element,
            block,
            changes: trials.named(&effect.changes),
            others: trials.named(usual.changes()),
        })
    }
}

impl Trials<'_> {
    /// A block in what it writes are fewer elements than it reads, or more, or that does something else with one. The weight says of all of
    /// them what single ones would say of some.
    pub(super) fn light(
        &mut self,
        launch: Launch<'_>,
        blocks: &[u64],
        (scale, usual): ((usize, Scale), &Habit),
        (small, until): (&mut Small<'_, '_>, u64),
    ) -> Option<Status> {
        let mut effects = Effects::of(&usual.effects);
        let status = self.lighter(launch, blocks, (scale, usual), (&mut effects, until));
        // It says more.
        effects.told(self, launch, small).or(status)
    }

    fn lighter(
        &mut self,
        launch: Launch<'_>,
        blocks: &[u64],
        ((end, scale), usual): ((usize, Scale), &Habit),
        (effects, until): (&mut Effects<'_>, u64),
    ) -> Option<Status> {
        let mut like: Option<Weight> = None;
        for &block in blocks {
            // What looking at elements takes is on its own account.
            if self.ran() - effects.spent > until {
                return None;
            }
            let looked = self.block(launch, block, [end == 0, end == 1])?;
            // Of one that is known what an element changes is known, too.
            if let Some(like) = &like
                && let again = self.weigh_again(&looked, like, end)?
                && again.miscounts(scale).is_none()
                && usual.is_kept(&again, end)
            {
                self.look(&looked, (FEW_ELEMENTS, end, None), effects)?;
                continue;
            }
            let places = self.drawn(&looked, FEW_ELEMENTS);
            let weight = self.weigh(&looked, &places, end)?;
            let is_like = weight.is_known() && usual.is_kept(&weight, end) && weight.miscounts(scale).is_none();
            self.look(&looked, (if is_like { FEW_ELEMENTS } else { CLOSELY }, end, None), effects)?;
            if let Some((used, read)) = weight.miscounts(scale) {
                return Some(Status::Miscounts { buffer: self.name(weight.buffer), block, used, read });
            }
            if is_like {
                like = Some(weight);
                continue;
            }
            let looked = self.block(launch, block, usual.follow.map(|least| least > 0))?;
            if let Some(status) = self.without_effect(&looked, &places, usual)? {
                return Some(status);
            }
        }
        None
    }

    /// What so many elements of a block change, every other one of which becomes the other end, and the rest the drawn numbers in turn.
    pub(super) fn look(
        &mut self,
        looked: &Looked<'_>,
        (elements, end, part): (u64, usize, Part),
        effects: &mut Effects<'_>,
    ) -> Option<()> {
        let most = if elements > ELEMENTS { CLOSELY_INSTRUCTIONS } else { INSTRUCTIONS.saturating_sub(effects.spent) };
        let (first, before) = (effects.turn, self.ran());
        let mut places = self.drawn(looked, elements);
        // From all over, in case they are too many.
        let stream = Stream::new(looked.block, "order of elements");
        places.sort_by_cached_key(|place| stream.bits(place.element));
        for (turn, place) in (first..).zip(places) {
            if self.ran() - before >= most {
                break;
            }
            let value = if turn % 2 == 0 { 0 } else { 1 + turn / 2 % VALUES };
            let place = Place { value, ..place };
            effects.turn = turn + 1;
            let Some(usual) = effects.usual.of(end, place, part) else { continue };
            match self.effect(looked, place, end)? {
                Some(effect) if usual.is_kept(&effect) => effects.kept += 1,
                Some(effect) if effects.odd.is_none() => {
                    let part = self.in_part(looked, place);
                    effects.odd = Some(Odd { place, end, block: looked.block, part, effect, usual });
                }
                _ => {}
            }
        }
        effects.spent += self.ran() - before;
        Some(())
    }
}
