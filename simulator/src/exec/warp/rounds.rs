//! The loops that a warp goes round, by the branches back that it takes: one inside the other.

use super::Frame;

/// Loops inside each other that are told apart.
const NESTED: usize = 16;

/// A loop that is gone round.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Round {
    /// Where its branch back goes,
    pub target: u32,
    /// and the last place that it is taken from.
    pub source: u32,
    /// Calls that the loop is inside of.
    pub depth: u32,
    /// Turns in a row, as far as it has not been left.
    pub turns: u64,
}

impl Round {
    /// Is the other loop inside of this one? What a function does that was called here is.
    pub fn holds(&self, other: &Self) -> bool {
        let around = self.target <= other.target && other.source <= self.source;
        self.depth < other.depth || self.depth == other.depth && around
    }

    /// Of two loops that are gone round in turn, the one around the other.
    pub fn outer(self, other: Self) -> Self {
        let first = (self.depth, self.target) <= (other.depth, other.target);
        if self.holds(&other) || first && !other.holds(&self) { self } else { other }
    }
}

/// Calls that a frame is inside of.
pub fn depth(frames: &[Frame], frame: u32) -> u32 {
    let caller = |frame: &u32| frames.get(*frame as usize).map(|frame| frame.parent);
    std::iter::successors(Some(frame), caller).count().saturating_sub(2) as u32
}

/// The loops that a warp is in.
#[derive(Debug, Default)]
pub struct Rounds {
    /// The one whose branch back was taken last.
    pub now: Round,
    /// Those around it, the outermost first.
    around: Vec<Round>,
}

impl Rounds {
    /// No loop has been gone round.
    pub fn clear(&mut self) {
        self.now = Round::default();
        self.around.clear();
    }

    /// Another loop's branch back was taken than the last time: loops that are not around it have been left.
    #[inline(never)]
    pub fn other(&mut self, target: u32, source: u32, depth: u32) {
        let fresh = Round { target, source, depth, turns: 1 };
        let mut before = std::mem::replace(&mut self.now, fresh);
        while before.turns > 0 {
            if (before.target, before.depth) == (target, depth) {
                let source = source.max(before.source);
                self.now = Round { turns: before.turns + 1, source, ..before };
                return;
            }
            if before.holds(&fresh) {
                if self.around.len() < NESTED {
                    self.around.push(before);
                }
                return;
            }
            before = self.around.pop().unwrap_or_default();
        }
    }

    /// Of the loops that are gone round at these places (of the callers first), the one with most turns: loops inside of it end and begin
    /// again.
    pub fn endless(&self, places: &[u32]) -> Option<Round> {
        let is_in = |round: &&Round| {
            let at = places.get(round.depth as usize);
            round.turns > 0 && at.is_some_and(|at| (round.target..=round.source).contains(at))
        };
        // Of equals the last is taken: the outermost.
        let inside_out = [&self.now].into_iter().chain(self.around.iter().rev());
        inside_out.filter(is_in).max_by_key(|round| round.turns).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Branches back, as (target, source, depth).
    fn rounds(taken: impl IntoIterator<Item = (u32, u32, u32)>) -> Rounds {
        let mut rounds = Rounds::default();
        for (target, source, depth) in taken {
            rounds.other(target, source, depth);
        }
        rounds
    }

    #[test]
    fn the_loop_that_goes_on_is_around_those_that_end() {
        let turn = [(12, 14, 0), (12, 14, 0), (10, 20, 0)];
        let found = rounds(turn.repeat(5)).endless(&[15]).expect("a loop");
        assert_eq!((found.target, found.source, found.turns), (10, 20, 5));
        let inner = rounds([(10, 20, 0)].into_iter().chain([(12, 14, 0); 9])).endless(&[13]).expect("a loop");
        assert_eq!((inner.target, inner.turns), (12, 9), "the outer one has come round once");
    }

    #[test]
    fn a_loop_of_a_function_is_inside_the_one_that_calls_it() {
        let turn = [(2, 4, 1), (2, 4, 1), (10, 20, 0)];
        let found = rounds(turn.repeat(5)).endless(&[15, 3]).expect("a loop");
        assert_eq!((found.target, found.turns), (10, 5));
    }

    #[test]
    fn a_loop_that_was_left_is_not_named() {
        let one_after_the_other = rounds([(2, 4, 0); 9].into_iter().chain([(10, 12, 0); 3]));
        assert_eq!(one_after_the_other.endless(&[11]).map(|round| (round.target, round.turns)), Some((10, 3)));
        assert_eq!(one_after_the_other.endless(&[13]), None);
        // The function that is called now is not the one whose loop was gone round.
        assert_eq!(rounds([(2, 4, 1)]).endless(&[15]), None);
    }
}
