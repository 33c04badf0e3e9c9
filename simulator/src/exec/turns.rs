//! What operations came to, one way or the other: conditions, and arithmetic that comes out otherwise from some size on.

use super::context::Context;
#[cfg(not(target_family = "wasm"))]
use super::select::bits;
use super::warp::{Group, Warp};
use crate::isa::op::{Code, Inst, Reg, RegisterUse};
use crate::isa::turns::{Turn, Ways};
#[cfg(not(target_family = "wasm"))]
use crate::steer::Aim;

/// A predicate was true in some lane; a result was not zero.
pub const HELD: u16 = 1;
/// It was false; it was zero.
pub const FAILED: u16 = 2;
/// Of two numbers the first was taken, or is the smaller, or as large; nothing was lost of a number.
pub const KEPT: u16 = 4;
/// The second was taken, or the first is not the smaller; something was lost.
pub const LOST: u16 = 8;
/// A result is one of the kernel's arguments.
pub const ARGUMENT: u16 = 16;
/// It is none.
pub const OTHER: u16 = 32;
/// It came to a number, ...
pub const SEEN: u16 = 64;
/// ... and to another.
pub const VARIED: u16 = 128;

/// Two numbers whose order it asks were equal, ...
pub const EQUAL: u16 = 256;
/// ... and not.
pub const UNEQUAL: u16 = 512;

/// What an operation came to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Met {
    /// Which ways.
    pub ways: u16,
    /// The first number.
    pub number: u64,
}

impl Met {
    /// Adds what it came to in other threads.
    pub fn add(&mut self, other: Self) {
        if self.ways & other.ways & SEEN != 0 && self.number != other.number {
            self.ways |= VARIED;
        }
        if self.ways & SEEN == 0 {
            self.number = other.number;
        }
        self.ways |= other.ways;
    }
}

impl Met {
    /// What an operation has to come to that it did not yet: one way or the other, and another number.
    #[cfg(not(target_family = "wasm"))]
    pub fn aims(self, turn: Turn) -> [Option<Aim>; 3] {
        let is = |ways| self.ways & ways != 0;
        let two_ways = turn.is_predicate() || turn.narrows;
        let other = turn.varies && is(SEEN) && !is(VARIED);
        [
            (two_ways && is(HELD) != is(FAILED)).then_some(Aim::Is(is(FAILED))),
            other.then_some(Aim::Other(self.number)),
            (is(UNEQUAL) && !is(EQUAL)).then_some(Aim::Equal),
        ]
    }
}

/// What a result came to in all lanes, zero in those of `zero`.
#[cfg(not(target_family = "wasm"))]
pub fn came_to(warp: &Warp, turn: Turn, sources: Option<&Sources>, reg: Reg, zero: u32) -> Met {
    let order = sources.map_or(0, |[a, b]| a.iter().zip(b).fold(0, |met, (a, b)| met | in_order(turn, *a, *b)));
    let ways = order | if zero != 0 { FAILED } else { 0 } | if zero != u32::MAX { HELD } else { 0 };
    if !turn.varies {
        return Met { ways, number: 0 };
    }
    let numbers = warp.read(0, reg);
    let varied = numbers.iter().any(|number| *number != numbers[0]);
    Met { ways: ways | SEEN | if varied { VARIED } else { 0 }, number: numbers[0] }
}

/// Has an operation come out every way already that is asked of it?
pub fn is_settled(turn: Turn, met: Met) -> bool {
    let varied = if turn.varies { VARIED } else { 0 } | if turn.ordered > 0 { EQUAL } else { 0 };
    let all = varied
        | match turn.ways {
            Ways::Unasked => 0,
            Ways::Predicate => HELD | FAILED,
            Ways::Equal { .. } => HELD | FAILED | KEPT | LOST,
            Ways::Number if !turn.by_size => HELD | FAILED,
            Ways::Number => HELD | FAILED | ARGUMENT | OTHER,
            Ways::First | Ways::Fits(_) | Ways::Shifted => HELD | FAILED | KEPT | LOST | ARGUMENT | OTHER,
        };
    met.ways & all == all
}

/// The lanes of an operation's first two sources, before it runs: a result may take their place.
pub type Sources = [[u64; 32]; 2];

/// Reads them.
pub fn sources(code: &Code, inst: &Inst, warp: &Warp, frame: u32) -> Sources {
    let mut sources = [[0; 32]; 2];
    let mut at = 0;
    inst.op.registers(code, &mut |reg, role| {
        if role == RegisterUse::Value && at < 2 {
            sources[at] = warp.read(frame, reg);
            at += 1;
        }
    });
    sources
}

/// What the lanes of `active` came to.
pub fn met(context: &Context<'_>, turn: Turn, warp: &Warp, group: &Group, active: u32, sources: &Sources) -> Met {
    let code = &context.decoded.code;
    let inst = &code.insts[group.pc as usize];
    let (mut met, mut number) = (0, 0);
    if !turn.varies && turn.ordered == 0 && matches!(turn.ways, Ways::Unasked) {
        return Met::default();
    }
    inst.op.registers(code, &mut |reg, role| match (reg, role) {
        (Reg::P(_), RegisterUse::Result) => {
            let bits = warp.read_predicate(group.frame, reg);
            met |= if active & bits != 0 { HELD } else { 0 } | if active & !bits != 0 { FAILED } else { 0 };
            for lane in (0..32).filter(|lane| active >> lane & 1 != 0) {
                met |= of_lane(turn.ways, sources[0][lane], sources[1][lane], 0);
                met |= in_order(turn, sources[0][lane], sources[1][lane]);
            }
        }
        (Reg::R32(_) | Reg::R64(_), RegisterUse::Result) if !turn.is_predicate() => {
            let results = warp.read(group.frame, reg);
            if turn.varies && active != 0 {
                number = results[active.trailing_zeros() as usize];
                met |= SEEN;
            }
            for lane in (0..32).filter(|lane| active >> lane & 1 != 0) {
                let (a, b, result) = (sources[0][lane], sources[1][lane], results[lane]);
                met |= in_order(turn, a, b);
                if turn.varies && result != number {
                    met |= VARIED;
                }
                if !matches!(turn.ways, Ways::Unasked) {
                    met |= if result != 0 { HELD } else { FAILED } | of_lane(turn.ways, a, b, result);
                }
                if turn.by_size {
                    met |= if is_argument(&context.params, result) { ARGUMENT } else { OTHER };
                }
            }
        }
        _ => {}
    });
    Met { ways: met, number }
}

/// Lanes whose result is zero, or false.
#[cfg(not(target_family = "wasm"))]
pub fn zero(warp: &Warp, reg: Reg) -> u32 {
    match reg {
        Reg::R32(r) => bits(|lane| warp.r32[r as usize][lane] == 0),
        Reg::R64(r) => bits(|lane| warp.r64[r as usize][lane] == 0),
        Reg::P(r) => !warp.p[r as usize],
        Reg::None => 0,
    }
}

/// Lanes that took the second of two numbers, or lost something of one.
#[cfg(not(target_family = "wasm"))]
pub fn lost(turn: Turn, sources: Option<&Sources>, warp: &Warp, result: Reg) -> u32 {
    let is_told = !turn.is_predicate() && !matches!(turn.ways, Ways::Number | Ways::Unasked);
    let (Some([a, b]), true) = (sources, is_told) else { return 0 };
    let results = warp.read(0, result);
    // Equal ones are neither.
    bits(|lane| of_lane(turn.ways, a[lane], b[lane], results[lane]) == LOST)
}

/// Is a number one of a kernel's arguments, as far as they are not zero and fit into 32 bits?
fn is_argument(params: &[u8], number: u64) -> bool {
    let words = params.chunks_exact(4).map(|bytes| u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]));
    number != 0 && words.into_iter().any(|word| u64::from(word) == number || word as i32 as u64 == number)
}

/// Are two numbers equal whose order is asked?
#[inline(always)]
fn in_order(turn: Turn, a: u64, b: u64) -> u16 {
    match turn.ordered {
        0 => 0,
        bits if (a ^ b) << (64 - bits) == 0 => EQUAL,
        _ => UNEQUAL,
    }
}

#[inline(always)]
fn of_lane(ways: Ways, a: u64, b: u64, result: u64) -> u16 {
    let signed = |word: u64| i64::from(word as u32 as i32);
    let kept = match ways {
        Ways::Predicate | Ways::Unasked | Ways::Number => return 0,
        Ways::Equal { bits, signed: false } => a << (64 - bits) < b << (64 - bits),
        Ways::Equal { bits, signed: true } => ((a << (64 - bits)) as i64) < ((b << (64 - bits)) as i64),
        // Which of two equal numbers was taken nobody knows.
        Ways::First if a == b => return 0,
        Ways::First => result == a || signed(result) as u64 == a,
        Ways::Fits(sum) => {
            let as_signed = sum.of(signed(a), signed(b));
            let as_unsigned = sum.of(i64::from(a as u32), i64::from(b as u32));
            i32::try_from(as_signed).is_ok() || u32::try_from(as_unsigned).is_ok()
        }
        Ways::Shifted => b < 32 && (result as u32) >> b == a as u32,
    };
    if kept { KEPT } else { LOST }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isa::turns::Arithmetic;

    #[test]
    fn arithmetic_keeps_or_loses() {
        let way =
            |ways, a: i64, b: i64, result: i64| of_lane(ways, a as u32 as u64, b as u32 as u64, result as u32 as u64);
        assert_eq!(way(Ways::First, 5, 9, 5), KEPT);
        assert_eq!(way(Ways::First, 9, 5, 5), LOST);
        assert_eq!(way(Ways::First, 5, 5, 5), 0, "either");
        let product = Ways::Fits(Arithmetic::Product);
        assert_eq!(way(product, 1 << 16, 1 << 15, 1 << 31), KEPT, "as unsigned");
        assert_eq!(way(product, 1 << 16, 1 << 16, 0), LOST);
        assert_eq!(way(product, -4, 5, -20), KEPT, "as signed");
        assert_eq!(way(Ways::Fits(Arithmetic::Sum), 100, -1, 99), KEPT);
        assert_eq!(way(Ways::Fits(Arithmetic::Difference), 3, 5, -2), KEPT);
        assert_eq!(way(Ways::Shifted, 1 << 24, 4, 1 << 28), KEPT);
        assert_eq!(way(Ways::Shifted, 1 << 28, 4, 0), LOST);
        assert_eq!(way(Ways::Number, 1, 1, 1), 0);
        assert_eq!(way(Ways::Equal { bits: 32, signed: true }, -1, 1, 0), KEPT);
        assert_eq!(way(Ways::Equal { bits: 32, signed: false }, -1, 1, 0), LOST);
        assert_eq!(way(Ways::Equal { bits: 64, signed: false }, 1, 1, 1), LOST);
    }
}
