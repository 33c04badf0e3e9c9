//! What threads know of each other through releases and acquires.
//!
//! A clock is a tree over blocks that is never changed once it is shared: whoever learns something copies the way to it, and
//! what two clocks have in common is the same memory. So it costs little that all threads of a block have acquired the
//! same thing, and that a ticket carries what every block before has published: joining two clocks looks only at where
//! they differ, and a join that brings nothing new gives one of the two back.

use crate::sanitizer::cells::epoch::Epoch;
use crate::sanitizer::copies::are_of_one;
use std::sync::Arc;

/// Something that one release publishes of the thread that made it.
#[derive(Debug, Clone, Copy)]
pub struct Fact {
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
    /// Copies of the thread numbered below this are known to be done, of one channel.
    pub copies: u32,
}

/// What is known of others.
#[derive(Debug, Clone, Default)]
pub struct Clock(Option<Arc<Node>>);

/// Blocks are named by 32 bits; a branch decides four of them.
#[derive(Debug, Clone)]
enum Node {
    Leaf(Block),
    Branch {
        /// Any block below it.
        block: u32,
        /// Bits that differ among the blocks below it, a multiple of four.
        bits: u32,
        children: [Option<Arc<Node>>; 16],
    },
}

/// What is known of a block. Facts of earlier phases are not kept: who knows a phase knows all that came before it.
#[derive(Debug, Clone)]
struct Block {
    block: u32,
    /// Every access of a phase before this one is known.
    phase: u32,
    /// What is known of this phase, by warp.
    warps: Vec<Option<Arc<Warp>>>,
    /// Copies that are known to be done: thread, and a number that is above theirs, for each channel.
    copies: Vec<(u32, u32)>,
}

#[derive(Debug, Clone, PartialEq)]
struct Warp {
    /// Accesses of any lane before this clock.
    all: u32,
    /// Accesses of a lane before its clock.
    lanes: [u32; 32],
}

impl Clock {
    /// Knows nothing.
    pub const NOTHING: Self = Self(None);

    /// Does it know nothing?
    #[inline(always)]
    pub fn is_nothing(&self) -> bool {
        self.0.is_none()
    }

    /// Adds one fact.
    pub fn learn(&mut self, fact: Fact) {
        let leaf = Block::of(fact);
        match &mut self.0 {
            Some(root) if root.covers(fact.block) => insert(root, leaf),
            _ => self.join(&Self(Some(Arc::new(Node::Leaf(leaf))))),
        }
    }

    /// Knows from here on what the other knows, too.
    #[inline]
    pub fn join(&mut self, other: &Self) {
        match (&self.0, &other.0) {
            (_, None) => {}
            (None, Some(_)) => *self = other.clone(),
            (Some(a), Some(b)) if Arc::ptr_eq(a, b) => {}
            (Some(a), Some(b)) => self.0 = Some(join(a, b)),
        }
    }

    /// Does it know all that the other does?
    pub fn includes(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (_, None) => true,
            (None, Some(_)) => false,
            (Some(a), Some(b)) => matches!(joined(a, b), Joined::Same | Joined::First),
        }
    }

    /// Is the access before all that follows?
    #[inline(always)]
    pub fn knows(&self, epoch: Epoch) -> bool {
        !self.is_nothing() && self.knows_of(epoch)
    }

    fn knows_of(&self, epoch: Epoch) -> bool {
        let Some(block) = self.block(epoch.block()) else { return false };
        if epoch.is_copy() {
            let done = |&(thread, copies): &(u32, u32)| {
                thread == epoch.thread() && are_of_one(copies, epoch.clock()) && epoch.clock() < copies
            };
            return block.copies.iter().any(done);
        }
        let lane = epoch.thread() as usize % 32;
        let known = |warp: &Arc<Warp>| epoch.clock() < warp.all.max(warp.lanes[lane]);
        epoch.phase() < block.phase
            || block.warps.get(epoch.thread() as usize / 32).is_some_and(|warp| warp.as_ref().is_some_and(known))
    }

    /// Does it know anything of a block?
    #[cfg(not(target_family = "wasm"))]
    pub fn knows_some(&self, block: u32) -> bool {
        self.block(block).is_some()
    }

    /// Are the two the same memory?
    #[cfg(not(target_family = "wasm"))]
    pub fn is_same(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Some(a), Some(b)) => Arc::ptr_eq(a, b),
            (a, b) => a.is_none() && b.is_none(),
        }
    }

    fn block(&self, block: u32) -> Option<&Block> {
        let mut node = self.0.as_deref()?;
        loop {
            match node {
                Node::Leaf(leaf) => return (leaf.block == block).then_some(leaf),
                Node::Branch { bits, children, .. } if node.covers(block) => {
                    node = children[digit(block, *bits)].as_deref()?;
                }
                Node::Branch { .. } => return None,
            }
        }
    }
}

/// A branch's child for a block.
#[inline]
fn digit(block: u32, bits: u32) -> usize {
    (block >> (bits - 4)) as usize & 15
}

/// Do two blocks differ in these lowest bits only?
#[inline]
fn alike(a: u32, b: u32, bits: u32) -> bool {
    u64::from(a ^ b) >> bits == 0
}

impl Node {
    fn name(&self) -> (u32, u32) {
        match self {
            Self::Leaf(leaf) => (leaf.block, 0),
            Self::Branch { block, bits, .. } => (*block, *bits),
        }
    }

    fn covers(&self, block: u32) -> bool {
        let (name, bits) = self.name();
        alike(name, block, bits)
    }
}

/// Adds to a block below a node.
fn insert(node: &mut Arc<Node>, leaf: Block) {
    match Arc::make_mut(node) {
        Node::Leaf(known) => known.add(&leaf),
        Node::Branch { bits, children, .. } => match &mut children[digit(leaf.block, *bits)] {
            Some(child) if child.covers(leaf.block) => insert(child, leaf),
            Some(child) => *child = join(child, &Arc::new(Node::Leaf(leaf))),
            empty => *empty = Some(Arc::new(Node::Leaf(leaf))),
        },
    }
}

/// What two nodes know together.
enum Joined {
    /// Both know the same.
    Same,
    /// What the first knows: the second adds nothing.
    First,
    /// What the second knows.
    Second,
    /// More than either.
    More(Arc<Node>),
}

impl Joined {
    /// One of the two, or what was made of both.
    fn of(self, a: &Arc<Node>, b: &Arc<Node>) -> Arc<Node> {
        match self {
            Self::Same | Self::First => Arc::clone(a),
            Self::Second => Arc::clone(b),
            Self::More(both) => both,
        }
    }

    fn swapped(self) -> Self {
        match self {
            Self::First => Self::Second,
            Self::Second => Self::First,
            same => same,
        }
    }
}

/// What both know: one of the two if the other adds nothing.
fn join(a: &Arc<Node>, b: &Arc<Node>) -> Arc<Node> {
    joined(a, b).of(a, b)
}

/// Most of two clocks is the same memory or brings nothing: nothing is counted or copied before it differs.
fn joined(a: &Arc<Node>, b: &Arc<Node>) -> Joined {
    if Arc::ptr_eq(a, b) {
        return Joined::Same;
    }
    let ((name_a, bits_a), (name_b, bits_b)) = (a.name(), b.name());
    if !alike(name_a, name_b, bits_a.max(bits_b)) {
        let bits = (32 - (name_a ^ name_b).leading_zeros()).next_multiple_of(4);
        let mut children = [const { None }; 16];
        children[digit(name_a, bits)] = Some(Arc::clone(a));
        children[digit(name_b, bits)] = Some(Arc::clone(b));
        return Joined::More(Arc::new(Node::Branch { block: name_a, bits, children }));
    }
    match (&**a, &**b) {
        (Node::Leaf(x), Node::Leaf(y)) => match (x.includes(y), y.includes(x)) {
            (true, true) => Joined::Same,
            (true, false) => Joined::First,
            (false, true) => Joined::Second,
            (false, false) => {
                let mut both = x.clone();
                both.add(y);
                Joined::More(Arc::new(Node::Leaf(both)))
            }
        },
        (Node::Branch { block, bits, children: x }, Node::Branch { children: y, .. }) if bits_a == bits_b => {
            let parts: [Joined; 16] = std::array::from_fn(|at| match (&x[at], &y[at]) {
                (Some(x), Some(y)) => joined(x, y),
                (Some(_), None) => Joined::First,
                (None, Some(_)) => Joined::Second,
                (None, None) => Joined::Same,
            });
            let adds = |one: fn(&Joined) -> bool| parts.iter().any(|part| one(part) || matches!(part, Joined::More(_)));
            match (adds(|part| matches!(part, Joined::First)), adds(|part| matches!(part, Joined::Second))) {
                (false, false) => Joined::Same,
                (true, false) => Joined::First,
                (false, true) => Joined::Second,
                (true, true) => {
                    let mut children = x.clone();
                    for ((child, other), part) in children.iter_mut().zip(y).zip(parts) {
                        match part {
                            Joined::Same | Joined::First => {}
                            Joined::Second => child.clone_from(other),
                            Joined::More(both) => *child = Some(both),
                        }
                    }
                    Joined::More(Arc::new(Node::Branch { block: *block, bits: *bits, children }))
                }
            }
        }
        // One lies below the other.
        (Node::Branch { .. }, _) if bits_a > bits_b => below(a, b),
        _ => below(b, a).swapped(),
    }
}

/// A branch and a node that lies below it.
fn below(branch: &Arc<Node>, low: &Arc<Node>) -> Joined {
    let Node::Branch { block, bits, children } = &**branch else { return Joined::First };
    let at = digit(low.name().0, *bits);
    let child = match &children[at] {
        Some(child) => match joined(child, low) {
            Joined::Same | Joined::First => return Joined::First,
            more => more.of(child, low),
        },
        None => Arc::clone(low),
    };
    let mut children = children.clone();
    children[at] = Some(child);
    Joined::More(Arc::new(Node::Branch { block: *block, bits: *bits, children }))
}

impl Block {
    fn of(fact: Fact) -> Self {
        let warp = fact.thread as usize / 32;
        let mut warps = vec![None; warp + 1];
        let mut lanes = [0; 32];
        lanes[fact.thread as usize % 32] = fact.clock;
        warps[warp] = Some(Arc::new(Warp { all: fact.warp_clock, lanes }));
        let copies = if fact.copies > 0 { vec![(fact.thread, fact.copies)] } else { Vec::new() };
        Self { block: fact.block, phase: fact.phase, warps, copies }
    }

    /// Is everything that the other knows known here?
    fn includes(&self, other: &Self) -> bool {
        let copied = |&(thread, copies): &(u32, u32)| {
            self.copies.iter().any(|&(known, done)| known == thread && are_of_one(done, copies) && done >= copies)
        };
        let warps = match self.phase.cmp(&other.phase) {
            std::cmp::Ordering::Less => false,
            std::cmp::Ordering::Greater => true,
            std::cmp::Ordering::Equal => other.warps.iter().enumerate().all(|(at, warp)| match warp {
                Some(warp) => {
                    self.warps.get(at).is_some_and(|known| known.as_ref().is_some_and(|known| known.includes(warp)))
                }
                None => true,
            }),
        };
        warps && other.copies.iter().all(copied)
    }

    fn add(&mut self, other: &Self) {
        for &(thread, copies) in &other.copies {
            match self.copies.iter_mut().find(|(known, done)| *known == thread && are_of_one(*done, copies)) {
                Some((_, done)) => *done = copies.max(*done),
                None => self.copies.push((thread, copies)),
            }
        }
        if self.phase != other.phase {
            if self.phase < other.phase {
                (self.phase, self.warps) = (other.phase, other.warps.clone());
            }
            return;
        }
        if self.warps.len() < other.warps.len() {
            self.warps.resize(other.warps.len(), None);
        }
        for (known, warp) in self.warps.iter_mut().zip(&other.warps) {
            match (known, warp) {
                (_, None) => {}
                (Some(known), Some(warp)) => {
                    if warp.includes(known) {
                        *known = Arc::clone(warp);
                    } else if !known.includes(warp) {
                        Arc::make_mut(known).add(warp);
                    }
                }
                (none, Some(warp)) => *none = Some(Arc::clone(warp)),
            }
        }
    }
}

impl Warp {
    fn includes(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
            || (self.all >= other.all && self.lanes.iter().zip(&other.lanes).fold(true, |all, (a, b)| all & (a >= b)))
    }

    fn add(&mut self, other: &Self) {
        self.all = self.all.max(other.all);
        self.lanes.iter_mut().zip(&other.lanes).for_each(|(a, b)| *a = (*a).max(*b));
    }
}
