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
    /// How far it reaches.
    pub scope: Scope,
}

impl Own {
    fn knows(&self, epoch: Epoch) -> bool {
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
}

/// The graph of a launch. Nodes are only added; a launch that publishes more than `LIMIT` of them is watched with what
/// was known until then, which may hide races and never invents one: see [`Clocks::full`].
#[derive(Debug, Default)]
pub struct Clocks {
    nodes: Vec<Node>,
    /// Everything that one node knows, by block; for the node asked last.
    index: Option<(ClockId, HashMap<u32, Vec<Own>>)>,
}

const LIMIT: usize = 1 << 23;
/// Ancestors looked at one by one before an index is built.
const NEAR: usize = 48;

impl Clocks {
    /// Forgets everything.
    pub fn clear(&mut self) {
        self.nodes.clear();
        self.index = None;
    }

    /// No room for further nodes: from here on everything counts as ordered.
    pub fn full(&self) -> bool {
        self.nodes.len() >= LIMIT
    }

    /// A node that knows `own` and what the parents know.
    pub fn publish(&mut self, own: Own, parents: [ClockId; 2]) -> ClockId {
        self.add(Node { own: Some(own), parents })
    }

    /// A node that knows what both know.
    pub fn merge(&mut self, a: ClockId, b: ClockId) -> ClockId {
        match (a, b) {
            (NOTHING, other) | (other, NOTHING) => other,
            _ if a == b || self.parents(a).contains(&b) => a,
            _ if self.parents(b).contains(&a) => b,
            _ => self.add(Node { own: None, parents: [a, b] }),
        }
    }

    fn parents(&self, id: ClockId) -> [ClockId; 2] {
        self.nodes[id as usize].parents
    }

    fn add(&mut self, node: Node) -> ClockId {
        if self.full() {
            return self.nodes.len() as ClockId - 1;
        }
        self.nodes.push(node);
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
        if self.index.as_ref().is_none_or(|(indexed, _)| *indexed != id) {
            match self.near(id, epoch, block) {
                Some(answer) => return answer,
                None => self.build(id),
            }
        }
        let Some((_, index)) = &self.index else { return false };
        index.get(&epoch.block()).is_some_and(|owns| owns.iter().any(|own| own.reaches(block) && own.knows(epoch)))
    }

    /// The answer, if it can be had from the nearest ancestors.
    fn near(&self, id: ClockId, epoch: Epoch, block: u32) -> Option<bool> {
        let mut queue = vec![id];
        let mut at = 0;
        while at < queue.len() {
            if at == NEAR {
                return None;
            }
            let node = &self.nodes[queue[at] as usize];
            if node.own.is_some_and(|own| own.reaches(block) && own.knows(epoch)) {
                return Some(true);
            }
            for parent in node.parents {
                if parent != NOTHING && !queue.contains(&parent) {
                    queue.push(parent);
                }
            }
            at += 1;
        }
        Some(false)
    }

    fn build(&mut self, id: ClockId) {
        let mut index: HashMap<u32, Vec<Own>> = HashMap::new();
        let mut seen = vec![false; id as usize + 1];
        let mut stack = vec![id];
        while let Some(next) = stack.pop() {
            // Parents are older than their children, so they fit.
            if std::mem::replace(&mut seen[next as usize], true) {
                continue;
            }
            let node = self.nodes[next as usize];
            if let Some(own) = node.own {
                index.entry(own.block).or_default().push(own);
            }
            stack.extend(node.parents.into_iter().filter(|parent| *parent != NOTHING));
        }
        self.index = Some((id, index));
    }
}
