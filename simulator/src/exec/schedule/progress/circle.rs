//! Who waits for whom in a circle: groups each of which polls what the next one changed last, as those do that hold a lock and want
//! another.

use crate::exec::block::Block;
use crate::exec::context::Worker;
use crate::exec::warp::{Group, Warp};
use crate::isa::op::AddressSpace;
use crate::observe::Observer;
use std::collections::HashMap;

/// A group that polls.
pub type Polling<'b> = (&'b Block, &'b Warp, &'b Group);

impl<O: Observer> Worker<'_, O> {
    /// The shortest circle among groups that poll, in order; nothing where there is none.
    pub(in crate::exec::schedule) fn circle(&self, polling: &[Polling<'_>]) -> Vec<usize> {
        let mut of_warp: HashMap<(u64, u32), Vec<usize>> = HashMap::new();
        for (at, (block, warp, _)) in polling.iter().enumerate() {
            of_warp.entry((block.shared.linear, warp.index)).or_default().push(at);
        }
        let holder = |(block, _, group): &Polling<'_>| {
            let spins = &group.spins;
            let slot = (spins.space == AddressSpace::Shared).then_some(block.shared.slot);
            let writer = self.writers.last(slot, spins.address).filter(|_| spins.pc != u32::MAX)?;
            let mut groups = of_warp.get(&(writer.block, writer.warp))?.iter().copied();
            groups.find(|at| polling[*at].2.mask >> writer.lane & 1 != 0)
        };
        let next: Vec<Option<usize>> = polling.iter().map(holder).collect();
        shortest(&next)
    }
}

/// The shortest circle of those that follow each other, from its first number on.
fn shortest(next: &[Option<usize>]) -> Vec<usize> {
    let mut best: Vec<usize> = Vec::new();
    let mut seen: Vec<Option<usize>> = vec![None; next.len()];
    for start in 0..next.len() {
        let (mut way, mut at) = (Vec::new(), Some(start));
        while let Some(here) = at.filter(|here| seen[*here].is_none()) {
            seen[here] = Some(start);
            way.push(here);
            at = next[here];
        }
        let Some(closes) = at.filter(|at| seen[*at] == Some(start)) else { continue };
        let mut circle = way.split_off(way.iter().position(|one| *one == closes).unwrap_or(0));
        if best.is_empty() || circle.len() < best.len() {
            let first = circle.iter().enumerate().min_by_key(|(_, one)| **one).map_or(0, |(first, _)| first);
            circle.rotate_left(first);
            best = circle;
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::shortest;

    #[test]
    fn the_shortest_circle_is_found_and_not_those_who_wait_for_it() {
        assert_eq!(shortest(&[Some(1), Some(2), Some(3), Some(1)]), [1, 2, 3]);
        assert_eq!(shortest(&[Some(1), Some(2), Some(0), Some(4), Some(3)]), [3, 4]);
        assert_eq!(shortest(&[Some(2), Some(1), Some(0)]), [1], "who took it itself");
        assert_eq!(shortest(&[Some(1), None, Some(0)]), [0usize; 0]);
        assert_eq!(shortest(&[Some(3), None, Some(0), Some(2)]), [0, 3, 2]);
    }
}
