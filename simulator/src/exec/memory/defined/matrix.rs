//! Undefined elements of matrices.

use super::access::Reached;
use super::fill::fill;
use super::{Origin, Slot};
use crate::exec::block::Shared;
use crate::exec::context::Worker;
use crate::exec::warp::{Group, Warp};
use crate::isa::op::Reg;
use crate::num::matrix::Product;
use crate::observe::Observer;

/// Undefined bits of fragments, word after word, and where they came from.
#[derive(Debug, Default)]
pub struct Fragments {
    pub words: Vec<[u32; 32]>,
    pub origin: Option<Origin>,
}

impl Fragments {
    /// Nothing is undefined.
    pub fn defined(words: usize) -> Self {
        Self { words: vec![[0; 32]; words], origin: None }
    }

    /// Of the registers that hold them; nothing if everything is defined.
    pub fn of(warp: &Warp, frame: u32, regs: &[Reg]) -> Option<Self> {
        if warp.shadow.is_empty() {
            return None;
        }
        let frame = &warp.frames[frame as usize];
        let mut found = Self::default();
        for reg in regs {
            let mark = Slot::of(frame, *reg).and_then(|slot| warp.shadow.get(slot));
            found.origin = found.origin.or(mark.map(|mark| mark.origin));
            let bits = mark.map_or([0; 32], |mark| mark.bits);
            found.words.push(bits.map(|bits| bits as u32));
            if matches!(reg, Reg::R64(_)) {
                found.words.push(bits.map(|bits| (bits >> 32) as u32));
            }
        }
        found.origin.is_some().then_some(found)
    }

    /// Notes them of registers that have just been written.
    pub fn mark(&self, warp: &mut Warp, group: &Group, regs: &[Reg]) {
        let frame = warp.frames[group.frame as usize];
        let mut words = self.words.iter();
        for reg in regs {
            let Some(low) = words.next() else { return };
            let high = if matches!(reg, Reg::R64(_)) { words.next() } else { None };
            let bits =
                std::array::from_fn(|lane| u64::from(low[lane]) | high.map_or(0, |high| u64::from(high[lane])) << 32);
            if let Some(slot) = Slot::of(&frame, *reg) {
                warp.shadow.set(slot, group.mask, &bits, self.origin);
            }
        }
    }

    /// What a product makes of them: the elements that change with the undefined ones.
    pub fn product(&self, product: &Product, input: &[[u32; 32]], output: &[[u32; 32]]) -> Self {
        let mut found = Self { words: vec![[0; 32]; output.len()], origin: self.origin };
        for way in [0, 1, 2, 12] {
            let mut filled = input.to_vec();
            for (at, (words, bits)) in filled.iter_mut().zip(&self.words).enumerate() {
                for lane in 0..32 {
                    let (value, bits) = (words[lane].into(), bits[lane].into());
                    words[lane] = fill(way, value, bits, 0, at as u64, lane as u64) as u32;
                }
            }
            let mut tried = vec![[0; 32]; output.len()];
            product.run(&filled, &mut tried);
            for (bits, (tried, plain)) in found.words.iter_mut().zip(tried.iter().zip(output)) {
                for lane in 0..32 {
                    bits[lane] |= tried[lane] ^ plain[lane];
                }
            }
        }
        found
    }
}

impl<O: Observer> Worker<'_, O> {
    /// Are there undefined bits that an access of a matrix has to look for?
    pub fn doubts(&self, to: &Reached<'_>) -> bool {
        to.unwritten.is_some() || !self.defined.cells.is_empty()
    }

    /// Of `size` bytes, 8 at most, that a lane has read for a fragment: undefined bits. Their origin is noted.
    pub fn fragment_read(
        &mut self,
        shared: &Shared,
        warp: &Warp,
        to: &Reached<'_>,
        lane: usize,
        (behind, size): (u32, u32),
        into: &mut Fragments,
    ) -> u64 {
        let (bits, from) = self.undefined(shared, warp, to, lane, behind, size);
        if bits != 0 && into.origin.is_none() {
            let at = (to.space, to.addresses[lane].wrapping_add(behind.into()), size);
            into.origin = from.or_else(|| Some(self.read_from(shared, warp, to.pc, lane as u32, at)));
        }
        bits
    }

    /// A lane has written `size` bytes of a fragment, with these bits undefined.
    pub fn fragment_written(
        &mut self,
        shared: &Shared,
        warp: &Warp,
        to: &Reached<'_>,
        lane: usize,
        at: (u32, u32),
        (bits, origin): (u64, Option<Origin>),
    ) {
        self.put_undefined(shared, warp, to, lane, at, (bits, origin));
    }
}
