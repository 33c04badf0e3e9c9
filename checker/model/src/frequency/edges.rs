//! Flow along the edges of a program: what enters a block leaves it.

use crate::code::Code;

/// A sum over blocks that is known.
pub(super) struct Sum {
    /// Blocks, with how many of the instructions they hold.
    pub(super) parts: Vec<(usize, f64)>,
    pub(super) total: f64,
    pub(super) weight: f64,
    /// Some may be skipped: the sum is one from below.
    pub(super) guarded: bool,
}

/// Edges between blocks, and from and to the outside.
pub(super) struct Edges {
    value: Vec<f64>,
    /// Where each leads, if not outside.
    to: Vec<Option<usize>>,
    into: Vec<Vec<usize>>,
    out: Vec<Vec<usize>>,
}

impl Edges {
    pub(super) fn of(code: &Code, start: impl Fn(usize) -> f64) -> Self {
        let blocks = code.blocks.len();
        let none = || vec![Vec::new(); blocks];
        let mut edges = Self { value: Vec::new(), to: Vec::new(), into: none(), out: none() };
        for (at, block) in code.blocks.iter().enumerate() {
            if at == 0 || block.root {
                edges.add(None, Some(at), start(at));
            }
            for &next in &block.next {
                edges.add(Some(at), Some(next), start(next).min(start(at)));
            }
            if block.ends || block.next.is_empty() {
                edges.add(Some(at), None, start(at));
            }
        }
        edges
    }

    fn add(&mut self, from: Option<usize>, to: Option<usize>, value: f64) {
        let edge = self.value.len();
        if let Some(from) = from {
            self.out[from].push(edge);
        }
        if let Some(to) = to {
            self.into[to].push(edge);
        }
        self.value.push(value);
        self.to.push(to);
    }

    /// Blocks that something comes to, from outside on: a loop that nobody enters goes round for ever, as far as its own
    /// edges say.
    pub(super) fn entered(&self, code: &Code, least: f64) -> Vec<bool> {
        let mut entered = vec![false; self.into.len()];
        let begins = |at: &usize| (*at == 0 || code.blocks[*at].root) && self.block(*at) > least;
        let mut stack: Vec<usize> = (0..entered.len()).filter(begins).collect();
        while let Some(at) = stack.pop() {
            if !std::mem::replace(&mut entered[at], true) {
                let alive = self.out[at].iter().filter(|edge| self.value[**edge] > least);
                stack.extend(alive.filter_map(|edge| self.to[*edge]));
            }
        }
        entered
    }

    fn sum(&self, edges: &[usize]) -> f64 {
        edges.iter().map(|edge| self.value[*edge]).sum()
    }

    pub(super) fn scale(&mut self, block: usize, into: bool, factor: f64) {
        let edges = if into { &self.into[block] } else { &self.out[block] };
        for &edge in edges {
            self.value[edge] *= factor;
        }
    }

    pub(super) fn block(&self, block: usize) -> f64 {
        (self.sum(&self.into[block]) * self.sum(&self.out[block])).sqrt()
    }

    /// Scales what goes in and out towards `target`.
    pub(super) fn set(&mut self, block: usize, target: f64) {
        for into in [true, false] {
            let now = self.sum(if into { &self.into[block] } else { &self.out[block] });
            if now > 0.0 {
                self.scale(block, into, target / now);
            }
        }
    }

    /// What comes in goes out.
    pub(super) fn balance(&mut self, block: usize) {
        let (into, out) = (self.sum(&self.into[block]), self.sum(&self.out[block]));
        if into > 0.0 && out > 0.0 {
            let middle = (into * out).sqrt();
            self.scale(block, true, middle / into);
            self.scale(block, false, middle / out);
        }
    }
}
