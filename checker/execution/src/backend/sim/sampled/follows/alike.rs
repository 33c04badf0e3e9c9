//! What blocks leave where all elements are the same number: those that read as much as each other leave the same numbers, each in its own
//! place, if those of the small size do.

use super::Launch;
use super::effects::{Effect, LEFT, add};
use super::trials::{Looked, Trials};
use crate::backend::message::status::Status;
use std::collections::BTreeMap;

/// Blocks that have to leave the same before one stands out.
const ALIKE: usize = 2;

/// At which end elements are, how many bytes a block reads, and in how many stretches: of a tile at the right edge as many elements may be
/// left as of one at the lower edge, and the sums of its columns are others.
type Kind = (usize, u64, usize);

/// What blocks were seen to leave; nothing of a kind of which some leave what cannot be told from roundings.
#[derive(Debug, Default)]
pub struct Leaves(BTreeMap<Kind, Option<Vec<(u64, Effect)>>>);

impl Leaves {
    pub fn note(&mut self, trials: &mut Trials<'_>, looked: &Looked<'_>) {
        for end in 0..2 {
            let Some(left) = trials.leaves(looked, end) else { continue };
            let kind = self.0.entry((end, looked.len(), looked.stretches())).or_insert_with(|| Some(Vec::new()));
            add(kind, left.map(|left| (looked.block, left)));
        }
    }

    /// Do those of the same kind leave the same, some of them at least?
    pub fn agree(&self) -> bool {
        let mut pairs = self.0.values().flatten().flat_map(|all| all.windows(2)).peekable();
        pairs.peek().is_some() && pairs.all(|pair| pair[0].1.is_like(&pair[1].1, false, LEFT))
    }

    /// One that leaves something else than several others that leave the same, or than those of the small size that read as much.
    fn odd(&self, small: &Self, trials: &Trials<'_>) -> Option<Status> {
        let odd = |(kind, all): (&Kind, &Option<Vec<(u64, Effect)>>)| {
            let all = all.as_ref()?;
            let like = |one: &Effect| all.iter().filter(|(_, other)| one.is_like(other, false, LEFT)).count();
            let before = small.0.get(kind).and_then(|all| Some(&all.as_ref()?.first()?.1)).filter(|one| like(one) > 0);
            let most = || all.iter().map(|(_, one)| one).max_by_key(|one| like(one)).filter(|one| like(one) >= ALIKE);
            let usual = before.or_else(most)?;
            let (block, odd) = all.iter().find(|(_, one)| !usual.is_like(one, false, LEFT))?;
            Some(Status::LeavesOther {
                block: *block,
                left: trials.named(&odd.without(usual, LEFT)),
                others: trials.named(&usual.without(odd, LEFT)),
            })
        };
        self.0.iter().find_map(odd)
    }
}

impl Trials<'_> {
    /// What a block leaves of numbers that were nothing before. The outer is `None` at an end at which it has not run.
    fn leaves(&mut self, looked: &Looked<'_>, end: usize) -> Option<Option<Effect>> {
        let left = looked.left[end].as_ref()?;
        let before = self.ends[end].prepared(looked.launch, left)?;
        Some(Effect::of(&self.ends[end], &before, left))
    }

    /// Blocks that leave other numbers than most.
    pub(super) fn unlike_others(
        &mut self,
        launch: Launch<'_>,
        blocks: &[u64],
        small: &Leaves,
        (end, until): (usize, u64),
    ) -> Option<Status> {
        let mut leaves = Leaves::default();
        for &block in blocks {
            if self.ran() > until {
                break;
            }
            let Some(looked) = self.block(launch, block, [end == 0, end == 1]) else { break };
            leaves.note(self, &looked);
        }
        leaves.odd(small, self)
    }
}
