//! The shape of a program: which blocks run as often as each other whatever its branches do, and which are in no loop.

use crate::code::Code;

/// Blocks beyond which no shape is looked for: sets of blocks take its square in bits.
const LARGEST: usize = 2048;

/// What follows from the edges alone.
pub(super) struct Shape {
    /// Of each block the first one that runs as often.
    pub(super) like: Vec<usize>,
    /// Loops around each block.
    pub(super) loops: Vec<usize>,
    /// Is a block the kernel's own: does nobody but the kernel lead there, and without a call?
    pub(super) own: Vec<bool>,
    /// Blocks that all come through, by block.
    dominators: Vec<Set>,
}

impl Shape {
    pub(super) fn of(code: &Code) -> Self {
        let count = code.blocks.len();
        let after: Vec<&[usize]> = code.blocks.iter().map(|block| block.next.as_slice()).collect();
        if count > LARGEST {
            let own = reached(&after, |at| at == 0);
            let (like, loops) = ((0..count).collect(), vec![1; count]);
            return Self { like, loops, own, dominators: Vec::new() };
        }
        let mut before = vec![Vec::new(); count];
        for (at, block) in code.blocks.iter().enumerate() {
            for &next in &block.next {
                before[next].push(at);
            }
        }
        let begins: Vec<bool> = (0..count).map(|at| at == 0 || code.blocks[at].root).collect();
        let leaves = |at: usize| code.blocks[at].ends || code.blocks[at].leaves || after[at].is_empty();
        let dominators = through(&before, &begins, false);
        // The whole program first, as if it were a loop.
        let mut bodies = vec![(None, Set::new(count, true))];
        bodies.extend(loops(&before, &dominators, &reached(&after, |at| begins[at])));
        let innermost: Vec<usize> = (0..count)
            .map(|at| {
                let around = (0..bodies.len()).filter(|body| bodies[*body].1.has(at));
                around.min_by_key(|body| bodies[*body].1.count()).unwrap_or(0)
            })
            .collect();
        let mut like: Vec<usize> = (0..count).collect();
        for (number, (head, body)) in bodies.iter().enumerate() {
            let own: Vec<usize> = (0..count).filter(|at| innermost[*at] == number).collect();
            if own.len() < 2 {
                continue;
            }
            // A turn ends where it goes back to its head, and where it leaves.
            let stays = |to: &usize| body.has(*to) && Some(*to) != *head;
            let turn: Vec<Vec<usize>> = after.iter().map(|to| to.iter().copied().filter(stays).collect()).collect();
            let ends: Vec<bool> = (0..count).map(|at| leaves(at) || turn[at].len() < after[at].len()).collect();
            let followers = through(&turn, &ends, true);
            for (at, &block) in own.iter().enumerate() {
                let same = |one: &&usize| dominators[block].has(**one) && followers[**one].has(block);
                like[block] = *own[..at].iter().find(same).unwrap_or(&block);
            }
        }
        let around = |at: usize| bodies[1..].iter().filter(|(_, body)| body.has(at)).count();
        let own = dominators.iter().map(|all| all.has(0)).collect();
        Self { like, loops: (0..count).map(around).collect(), own, dominators }
    }

    /// Does whoever comes to a block come through the other one?
    pub(super) fn is_behind(&self, block: usize, other: usize) -> bool {
        self.dominators.get(block).is_some_and(|all| all.has(other))
    }
}

/// Blocks, a bit each.
#[derive(Clone, PartialEq)]
struct Set(Vec<u64>);

impl Set {
    fn new(count: usize, full: bool) -> Self {
        Self(vec![if full { u64::MAX } else { 0 }; count.div_ceil(64)])
    }

    fn has(&self, at: usize) -> bool {
        self.0[at / 64] >> (at % 64) & 1 != 0
    }

    fn count(&self) -> u32 {
        self.0.iter().map(|bits| bits.count_ones()).sum()
    }

    fn add(&mut self, at: usize) {
        self.0[at / 64] |= 1 << (at % 64);
    }

    fn keep(&mut self, other: &Self) {
        self.0.iter_mut().zip(&other.0).for_each(|(own, other)| *own &= other);
    }
}

/// Of each block those that lie on every way to it from where one begins: itself, and what all of its neighbours have.
fn through(neighbours: &[Vec<usize>], begins: &[bool], backwards: bool) -> Vec<Set> {
    let count = neighbours.len();
    let mut all: Vec<Set> = vec![Set::new(count, true); count];
    let mut order: Vec<usize> = (0..count).collect();
    if backwards {
        order.reverse();
    }
    let mut changed = true;
    while std::mem::take(&mut changed) {
        for &at in &order {
            let mut own = Set::new(count, !begins[at]);
            if !begins[at] {
                neighbours[at].iter().for_each(|&near| own.keep(&all[near]));
            }
            own.add(at);
            if own != all[at] {
                all[at] = own;
                changed = true;
            }
        }
    }
    all
}

/// Blocks that something leads to.
fn reached(after: &[&[usize]], begins: impl Fn(usize) -> bool) -> Vec<bool> {
    let mut reached = vec![false; after.len()];
    let mut stack: Vec<usize> = (0..after.len()).filter(|at| begins(*at)).collect();
    while let Some(at) = stack.pop() {
        if !std::mem::replace(&mut reached[at], true) {
            stack.extend(after[at]);
        }
    }
    reached
}

/// Loops: a head, and what comes back to it and all of which comes through it.
fn loops(before: &[Vec<usize>], dominators: &[Set], reached: &[bool]) -> Vec<(Option<usize>, Set)> {
    let count = before.len();
    let mut found = Vec::new();
    for head in 0..count {
        let back = |from: &usize| reached[*from] && dominators[*from].has(head);
        let mut stack: Vec<usize> = before[head].iter().copied().filter(back).collect();
        if stack.is_empty() {
            continue;
        }
        let mut body = Set::new(count, false);
        body.add(head);
        while let Some(at) = stack.pop() {
            if !body.has(at) {
                body.add(at);
                stack.extend(before[at].iter().filter(|from| reached[**from]));
            }
        }
        found.push((Some(head), body));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::Block;

    fn code(edges: &[&[usize]]) -> Code {
        let blocks = edges.iter().enumerate().map(|(at, next)| Block {
            address: at as u64,
            ops: Vec::new(),
            next: next.to_vec(),
            ends: next.is_empty(),
            leaves: false,
            root: at == 0,
            slow: false,
            calls: Vec::new(),
        });
        Code { name: "k".into(), blocks: blocks.collect(), files: Vec::new(), recursive: false }
    }

    /// 0 -> (1 | 2) -> 3 -> 4 and back to 3 -> 5
    #[test]
    fn what_a_branch_goes_around_comes_together_behind_it() {
        let shape = Shape::of(&code(&[&[1, 2], &[3], &[3], &[4], &[3, 5], &[]]));
        assert_eq!(shape.like, [0, 1, 2, 3, 3, 0]);
        assert_eq!(shape.loops, [0, 0, 0, 1, 1, 0]);
        assert!(shape.is_behind(5, 4) && shape.is_behind(4, 3) && !shape.is_behind(3, 1));
    }

    /// A loop in a loop, each entered and left in one place; nothing leads to the last block.
    #[test]
    fn a_loop_s_blocks_run_more_often_than_what_it_lies_in() {
        let shape = Shape::of(&code(&[&[1], &[2], &[2, 3], &[1, 4], &[], &[4]]));
        assert_eq!(shape.like[..4], [0, 1, 2, 1]);
        assert_eq!(shape.loops, [0, 1, 2, 1, 0, 0]);
    }

    /// More blocks than have a shape: which are the kernel's own is known all the same.
    #[test]
    fn of_many_blocks_it_is_known_which_the_kernel_leads_to() {
        let next: Vec<Vec<usize>> =
            (0..LARGEST + 2).map(|at| if at < LARGEST { vec![at + 1] } else { vec![] }).collect();
        let edges: Vec<&[usize]> = next.iter().map(Vec::as_slice).collect();
        let shape = Shape::of(&code(&edges));
        assert!(shape.own[..=LARGEST].iter().all(|own| *own) && !shape.own[LARGEST + 1]);
    }

    /// 1 -> (2 | 3), 2 -> 1, 3 -> (1 | 4): all leave by 3, and most turns do without it.
    #[test]
    fn who_leaves_a_loop_need_not_go_round_with_it() {
        let shape = Shape::of(&code(&[&[1], &[2, 3], &[1], &[1, 4], &[]]));
        assert_eq!(shape.like, [0, 1, 2, 3, 0]);
    }
}
