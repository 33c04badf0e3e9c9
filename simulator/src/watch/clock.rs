//! What threads know of each other through releases and acquires: a graph of published clocks.

use super::epoch::Epoch;
use crate::observe::Scope;
use std::collections::HashMap;

/// A published clock: a node of the graph.
pub type ClockId = u32;
/// Knows nothing.
pub const NOTHING: ClockId = u32::MAX;

/// What one release publishes of the thread that made it.
#[derive(Debug, Clone, Copy)]
pub struct Own {
    /// Its block: every access in a phase before `phase` is known.
    pub block: u32,
    /// See `block`.
    pub phase: u32,
    /// The thread: its accesses before `clock` are known.
    pub thread: u32,
    /// See `thread`.
    pub clock: u32,
    /// Accesses of any lane of its warp before this clock are known.
    pub warp_clock: u32,
    /// Copies of the thread numbered below this are known to be done.
    pub copies: u32,
    /// How far it reaches.
    pub scope: Scope,
}

impl Own {
    fn knows(&self, epoch: Epoch) -> bool {
        if epoch.is_copy() {
            return self.block == epoch.block() && epoch.thread() == self.thread && epoch.clock() < self.copies;
        }
        self.block == epoch.block()
            && (epoch.phase() < self.phase
                || (epoch.thread() == self.thread && epoch.clock() < self.clock)
                || (epoch.thread() / 32 == self.thread / 32 && epoch.clock() < self.warp_clock))
    }

    fn reaches(&self, block: u32) -> bool {
        self.scope >= Scope::Gpu || self.block == block
    }
}

#[derive(Debug, Clone, Copy)]
struct Node {
    own: Option<Own>,
    parents: [ClockId; 2],
    /// Longest way to an ancestor with a summary, or to the end.
    depth: u32,
}

/// One line of a summary.
#[derive(Debug, Clone, Copy)]
struct Known {
    /// See [`key`].
    key: u64,
    /// Accesses before this clock are known (of [`ALL`]: before this phase).
    clock: u32,
    /// The phase it was published in.
    phase: u32,
}

/// Part of a key: the whole block.
const ALL: u32 = 0;
/// Part of a key: the first thread's copies.
const COPIES: u32 = 2048;

/// Block; all of it, a warp (1 to 32), a thread (33 and up) or a thread's copies (2048 and up); reaches further than its
/// block.
fn key(block: u32, part: u32, wide: bool) -> u64 {
    u64::from(block) << 32 | u64::from(part) << 1 | u64::from(wide)
}

/// The graph of a launch. Nodes are only added; a launch that publishes more than `LIMIT` of them is watched with what
/// was known until then, which may hide races and never invents one: see [`Clocks::full`].
#[derive(Debug, Default)]
pub struct Clocks {
    nodes: Vec<Node>,
    /// When a node was last walked over.
    walked: Vec<u32>,
    walk: u32,
    /// Everything that a node and its ancestors know, sorted.
    summaries: HashMap<ClockId, Vec<Known>>,
    /// Lines in all summaries.
    lines: usize,
    /// Lines of the newest summary.
    newest: usize,
}

const LIMIT: usize = 1 << 23;
/// Ancestors looked at one by one before a summary is made.
const NEAR: usize = 16;
/// Lines of summaries kept.
const LINES: usize = 1 << 22;

impl Clocks {
    /// Forgets everything.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// No room for further nodes: from here on everything counts as ordered.
    pub fn full(&self) -> bool {
        self.nodes.len() >= LIMIT
    }

    /// A node that knows `own` and what the parents know.
    pub fn publish(&mut self, own: Own, parents: [ClockId; 2]) -> ClockId {
        self.add(Some(own), parents)
    }

    /// A node that knows what both know.
    pub fn merge(&mut self, a: ClockId, b: ClockId) -> ClockId {
        match (a, b) {
            (NOTHING, other) | (other, NOTHING) => other,
            _ if a == b || self.parents(a).contains(&b) => a,
            _ if self.parents(b).contains(&a) => b,
            _ => self.add(None, [a, b]),
        }
    }

    fn parents(&self, id: ClockId) -> [ClockId; 2] {
        self.nodes[id as usize].parents
    }

    fn add(&mut self, own: Option<Own>, parents: [ClockId; 2]) -> ClockId {
        if self.full() {
            return self.nodes.len() as ClockId - 1;
        }
        let mut depth = 0;
        for parent in parents.into_iter().filter(|&parent| parent != NOTHING) {
            // A summary costs its length, so the longer they are the fewer there are.
            if self.nodes[parent as usize].depth as usize >= self.newest.max(32) {
                self.summarise(parent);
            }
            depth = depth.max(self.nodes[parent as usize].depth + 1);
        }
        self.nodes.push(Node { own, parents, depth });
        self.walked.push(0);
        self.nodes.len() as ClockId - 1
    }

    /// Is `epoch` before what `id` has published, for somebody in `block`?
    pub fn knows(&mut self, id: ClockId, epoch: Epoch, block: u32) -> bool {
        if id == NOTHING {
            return false;
        }
        if self.full() {
            return true;
        }
        if !self.summaries.contains_key(&id) {
            match self.near(id, epoch, block) {
                Some(answer) => return answer,
                None => self.summarise(id),
            }
        }
        let Some(summary) = self.summaries.get(&id) else { return false };
        let holds = |part: u32, value: u32| {
            let find = |wide| {
                let at = summary.binary_search_by_key(&key(epoch.block(), part, wide), |known| known.key);
                at.is_ok_and(|at| value < summary[at].clock)
            };
            find(true) || (epoch.block() == block && find(false))
        };
        if epoch.is_copy() {
            return holds(COPIES + epoch.thread(), epoch.clock());
        }
        holds(ALL, epoch.phase())
            || holds(33 + epoch.thread(), epoch.clock())
            || holds(1 + epoch.thread() / 32, epoch.clock())
    }

    /// The answer, if it can be had from the nearest ancestors.
    fn near(&self, id: ClockId, epoch: Epoch, block: u32) -> Option<bool> {
        let mut queue = [id; NEAR];
        let (mut at, mut end) = (0, 1);
        while at < end {
            let node = &self.nodes[queue[at] as usize];
            if node.own.is_some_and(|own| own.reaches(block) && own.knows(epoch)) {
                return Some(true);
            }
            for parent in node.parents {
                if parent != NOTHING && !queue[..end].contains(&parent) {
                    *queue.get_mut(end)? = parent;
                    end += 1;
                }
            }
            at += 1;
        }
        Some(false)
    }

    /// Puts together what a node and its ancestors know.
    fn summarise(&mut self, id: ClockId) {
        if self.lines > LINES {
            self.summaries.clear();
            self.lines = 0;
        }
        self.walk += 1;
        let mut all: Vec<Known> = Vec::new();
        let mut stack = vec![id];
        while let Some(next) = stack.pop() {
            if std::mem::replace(&mut self.walked[next as usize], self.walk) == self.walk {
                continue;
            }
            if let Some(summary) = self.summaries.get(&next) {
                all.extend_from_slice(summary);
                continue;
            }
            let node = self.nodes[next as usize];
            if let Some(own) = node.own {
                let (wide, phase) = (own.scope >= Scope::Gpu, own.phase);
                let mut line = |part, clock| all.push(Known { key: key(own.block, part, wide), clock, phase });
                line(ALL, own.phase);
                line(33 + own.thread, own.clock);
                if own.copies > 0 {
                    line(COPIES + own.thread, own.copies);
                }
                if own.warp_clock > 0 {
                    line(1 + own.thread / 32, own.warp_clock);
                }
            }
            stack.extend(node.parents.into_iter().filter(|parent| *parent != NOTHING));
        }
        all.sort_unstable_by_key(|known| (known.key, std::cmp::Reverse(known.clock)));
        all.dedup_by_key(|known| known.key);
        // Whoever knows a block's phase knows every access that came before it.
        let mut phases = [(u32::MAX, 0); 2];
        all.retain(|known| {
            let (block, wide) = ((known.key >> 32) as u32, (known.key & 1) as usize);
            if known.key as u32 >> 1 == ALL {
                phases[wide] = (block, known.clock);
                return true;
            }
            let copies = known.key as u32 >> 1 >= COPIES;
            copies || phases[wide].0 != block || known.phase >= phases[wide].1
        });
        self.nodes[id as usize].depth = 0;
        self.newest = all.len();
        self.lines += all.len();
        self.summaries.insert(id, all);
    }
}
