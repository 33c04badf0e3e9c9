//! Which group of a warp goes next.

use super::super::context::Worker;
use super::super::warp::{Group, State, Warp};
use crate::observe::Observer;

impl<O: Observer> Worker<'_, O> {
    /// Lets the lowest program counter go first, so that diverged lanes meet where the code joins.
    pub(super) fn pick(&self, warp: &mut Warp) -> Option<usize> {
        if warp.groups.len() > 1 {
            warp.merge();
        }
        let ready = warp.groups.iter().enumerate().filter(|(_, group)| group.state == State::Ready);
        ready.min_by_key(|(_, group)| (group.turn, group.pc)).map(|(at, _)| at)
    }

    /// Under an explored schedule: a group that can run, and what orders it among all of them.
    pub(super) fn first(&self, warp: &Warp) -> Option<((u64, u32, u32), usize)> {
        let changes = self.changes;
        let ready =
            |group: &Group| group.state == State::Ready && !(group.spins.polls && group.spins.changes == changes);
        let ready = warp.groups.iter().enumerate().filter(|(_, group)| ready(group));
        ready.map(|(at, group)| ((group.rank, group.turn, group.pc), at)).min()
    }
}
