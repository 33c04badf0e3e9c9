//! What each lane has to hand in for what is put together of all of them to be a certain word: the bits of a ballot one by one, two
//! numbers of which one becomes the least and the other the largest, the same number in some lanes and others elsewhere.

use super::cost::Wanted;
use super::expression::{Writers, writers_around};
use super::lanes;
use super::search::{Search, Word};
use super::words::{Changes, Hint, as_known, changes, hint};
use crate::exec::warp::Warp;
use crate::isa::decode::Decoded;
use crate::isa::op::{CollectiveFn, Op, Reg, Vote};
use crate::steer::Goal;
use std::collections::HashMap;

/// Exchanges that are looked at, at most.
const MOST: usize = 4;

/// What is wanted of the lanes.
#[derive(Debug, Clone, PartialEq)]
pub enum Lanes {
    /// True where the lane's bit is set.
    Bits(u32),
    /// What the first lane hands in where the lane's bit is set, and only there.
    Alike(u32),
    /// These in turn.
    Values(Vec<u64>),
}

/// Exchanges by which a word may be made, what they are handed, and what that would have to be.
pub fn exchanges(decoded: &Decoded, all: &mut HashMap<u32, Writers>, goal: &Goal) -> Vec<(u32, Reg, Lanes)> {
    let code = &decoded.code;
    let mut found = Vec::new();
    let Some(bits) = goal.words.first().map(|word| *word as u32) else { return found };
    for (inst, at) in code.insts.iter().zip(0u32..) {
        let Op::Collective(index) = inst.op else { continue };
        let op = &code.collectives[index as usize];
        let lanes = match op.f {
            CollectiveFn::Vote(Vote::Ballot) => Lanes::Bits(if op.negated { !bits } else { bits }),
            CollectiveFn::MatchAny => Lanes::Alike(bits),
            CollectiveFn::Redux(_) => Lanes::Values(goal.words.clone()),
            _ => continue,
        };
        // Constants are written nowhere.
        if writers_around(all, code, at).contains_key(&op.a) {
            found.push((at, op.a, lanes));
        }
    }
    found.truncate(MOST);
    found
}

impl Lanes {
    fn wanted(&self, lane: usize, first: u64) -> Wanted {
        match self {
            Self::Bits(bits) => Wanted::Is(bits >> lane & 1 != 0),
            Self::Alike(bits) if bits >> lane & 1 != 0 => Wanted::Value(first),
            Self::Alike(_) => Wanted::Other(first),
            Self::Values(values) => Wanted::Value(values[lane % values.len()]),
        }
    }

    /// What has to change for each lane of `active` to hand in what is wanted, the first of which has `first`. `solve` says what has to
    /// for one of them, by what was known of the registers of another or else by looking. Nothing where one lane's change is in the way of
    /// another's.
    pub fn solve(
        &self,
        active: u32,
        first: u64,
        mut solve: impl FnMut(usize, Wanted, Option<&Hint>) -> Option<(Changes, Hint)>,
    ) -> Option<Changes> {
        let mut known: Vec<(Wanted, Hint)> = Vec::new();
        let mut all = Changes::new();
        for lane in lanes(active) {
            let wanted = self.wanted(lane, first);
            let as_it_is = solve(lane, wanted, Some(&Hint::new()));
            // Each its own way first: who is wanted to be true need not be so with the same number as another.
            let own = as_it_is.or_else(|| solve(lane, wanted, None));
            let (changes, hint) = own.or_else(|| {
                let mut known = known.iter().filter(|(other, _)| *other == wanted);
                known.find_map(|(_, hint)| solve(lane, wanted, Some(hint)))
            })?;
            if !hint.is_empty() {
                known.push((wanted, hint));
            }
            for (address, bytes) in changes {
                match all.iter().find(|(known, _)| *known == address) {
                    None => all.push((address, bytes)),
                    Some((_, known)) if *known == bytes => {}
                    Some(_) => return None,
                }
            }
        }
        Some(all)
    }
}

impl<R: FnMut(&mut Warp, u32)> Search<'_, R> {
    /// What has to change of a lane's words for it to be as wanted there: as is known of the registers of another lane (none: it is so
    /// already), or else as is found with `most` operations.
    pub fn hand_in(
        &mut self,
        bench: &mut Warp,
        (lane, words): (usize, &[Word]),
        known: Option<&Hint>,
        most: u64,
    ) -> Option<(Changes, Hint)> {
        let Some(known) = known else {
            if words.is_empty() {
                return None;
            }
            self.choose(bench, 1 << lane)?;
            let values = self.solve(bench, words, most)?;
            return Some((changes(words, &values), hint(words, &values)));
        };
        self.holds_for(bench, known, 1 << lane)?;
        let changes = if known.is_empty() { Changes::new() } else { as_known(words, known)? };
        Some((changes, known.clone()))
    }
}
