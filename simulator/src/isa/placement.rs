//! Where a module's own things lie: variables, functions, local variables of a function. A linker puts them where it likes, and none of
//! its distances is promised: each machine has one of a few placements ([`Placement::of`]).
//!
//! Two of them are as the assembler does it (NVRTC 13.5): variables of global memory by their alignment, the larger first, those without a value
//! behind the others, those of constant memory in the order of the text, and each right behind the one before, though at a multiple of
//! four bytes here. One has them as close in any order, the others in any order and apart.

use crate::appearance::Appearance;
use crate::memory::window;
use crate::random::mix;
use std::cmp::Reverse;

/// How many there are, the plain one included.
pub const PLACEMENTS: usize = 8;
/// Of variables that are apart: bytes of nobody's between two at least, and what more there may be is a multiple of.
const APART: u64 = 256;
/// Bytes that begin a placement of variables, as multiples of [`APART`] and of 2 MiB: as many as leave the window enough.
const SHIFTS: [u64; 2] = [1 << 13, 1 << 12];
/// What functions' addresses are multiples of.
const FUNCTION: u64 = 128;
/// What constant memory holds.
const BANK: u64 = 1 << 16;
/// The purpose of a machine's random bits.
const PLACEMENT: u64 = 16;

/// One of the placements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Placement {
    number: u64,
}

/// A variable to be placed.
#[derive(Debug, Clone, Copy)]
pub struct Placed {
    /// Bytes.
    pub size: u64,
    /// Alignment in bytes.
    pub align: u64,
    /// It is in constant memory.
    pub constant: bool,
    /// The text gives it a value.
    pub valued: bool,
}

/// What is drawn.
#[derive(Debug, Clone, Copy)]
enum Of {
    Begin,
    Region,
    Order,
    Gap,
    Function,
    FunctionGap,
    Local,
    LocalGap,
}

impl Placement {
    /// In the order of the text, variables 256 bytes apart and more.
    pub const PLAIN: Self = Self { number: 0 };

    /// That of a machine.
    pub fn of(machine: Appearance) -> Self {
        Self { number: machine.bits(PLACEMENT) % PLACEMENTS as u64 }
    }

    /// That of a number below [`PLACEMENTS`].
    pub fn number(self) -> usize {
        self.number as usize
    }

    fn draw(self, of: Of, at: usize) -> u64 {
        if self.number == 0 { 0 } else { mix(mix(self.number << 8 | of as u64).wrapping_add(at as u64)) }
    }

    /// Numbers up to `count` in an order of its own.
    fn order(self, of: Of, count: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..count).collect();
        if self.number > 0 {
            order.sort_by_key(|at| self.draw(of, *at));
        }
        order
    }

    /// Addresses of variables.
    pub fn variables(self, all: &[Placed]) -> Vec<u64> {
        let assembled = matches!(self.number, 1 | 2);
        let mut order = self.order(Of::Order, all.len());
        if assembled {
            order.sort_unstable();
            order.sort_by_key(|&at| (!all[at].constant).then(|| (!all[at].valued, Reverse(all[at].align))));
        }
        let begin = self.draw(Of::Begin, 0) % SHIFTS[0] * APART + self.draw(Of::Region, 0) % SHIFTS[1] * (2 << 20);
        let mut next = window::VARIABLES + begin;
        let constants: u64 = all.iter().filter(|one| one.constant).map(|one| one.size.saturating_add(16 * APART)).sum();
        let mut addresses = vec![0; all.len()];
        let mut place = |constant: bool| {
            let close = matches!(self.number, 1..=3) || constant && self.number > 0 && constants > BANK;
            for &at in order.iter().filter(|at| self.number == 0 || all[**at].constant == constant) {
                let one = all[at];
                // What cannot exist is never allocated: touching it is out of bounds.
                let size = one.size.min(1 << 40);
                if close {
                    addresses[at] = next.next_multiple_of(one.align.max(4));
                    next = addresses[at] + size.max(1);
                } else {
                    addresses[at] = next.next_multiple_of(one.align.max(APART));
                    if self.number > 0 {
                        // No more of an alignment than is promised.
                        addresses[at] += self.draw(Of::Gap, at) % 8 * one.align.max(16);
                    }
                    next = (addresses[at] + size + APART).next_multiple_of(APART);
                }
            }
            next = (next + APART).next_multiple_of(APART);
        };
        place(false);
        if self.number > 0 {
            place(true);
        }
        addresses
    }

    /// Addresses of functions.
    pub fn functions(self, count: usize) -> Vec<u64> {
        let mut addresses = vec![0; count];
        if self.number == 0 {
            (0..count).zip(&mut addresses).for_each(|(at, address)| *address = window::function_address(at as u32));
            return addresses;
        }
        let mut next = window::CODE + (1 + self.draw(Of::Begin, 1) % (1 << 20)) * FUNCTION;
        for at in self.order(Of::Function, count) {
            addresses[at] = next;
            // As long as a short function of machine code is.
            next += (1 + self.draw(Of::FunctionGap, at) % 8) * FUNCTION;
        }
        addresses
    }

    /// In what order local variables of a function are placed, and how many words are left out before each; nothing where that is the
    /// order of the text.
    pub fn locals(self, count: usize) -> Option<Vec<(usize, u32)>> {
        let gap = |at: usize| (self.draw(Of::LocalGap, at) % 4) as u32;
        let order = || self.order(Of::Local, count).into_iter().map(|at| (at, gap(at))).collect();
        (self.number > 0 && count > 1).then(order)
    }
}
