//! Which two ways an operation's result may come out, for those of which that is asked: conditions, and arithmetic that hangs on the
//! size.

use super::by_size::by_size;
use crate::isa::op::{Cmp, Code, Op, Reg, RegisterUse};
#[cfg(not(target_family = "wasm"))]
use crate::opcodes::Effect;

/// What is noted of an operation.
#[derive(Debug, Clone, Copy)]
pub struct Turn {
    /// It computes with parameters and with where a thread is.
    pub by_size: bool,
    /// Which two ways its result may come out besides being zero or not.
    pub ways: Ways,
    /// It makes few numbers of many, and none of them a predicate: a condition in disguise.
    #[cfg_attr(target_family = "wasm", allow(dead_code))]
    pub narrows: bool,
    /// It computes a number: what always came to the same may come to another.
    pub varies: bool,
    /// Bits of the two numbers whose order it asks, which may be equal; 0 where it asks for none.
    pub ordered: u8,
}

impl Turn {
    /// Does it make a predicate?
    pub fn is_predicate(self) -> bool {
        matches!(self.ways, Ways::Predicate | Ways::Equal { .. })
    }

    /// Is anything asked of it?
    #[cfg(not(target_family = "wasm"))]
    pub fn is_asked(self) -> bool {
        self.varies || !matches!(self.ways, Ways::Unasked)
    }
}

/// Which.
#[derive(Debug, Clone, Copy)]
pub enum Ways {
    /// It makes a predicate: one way or the other.
    Predicate,
    /// The same of two numbers that may be equal: the first is below the other or not.
    Equal {
        /// Bits of a number.
        bits: u8,
        /// As signed numbers.
        signed: bool,
    },
    /// Nothing is asked.
    Unasked,
    /// Zero or not.
    Number,
    /// The first source, or not.
    First,
    /// The product, sum or difference fits into 32 bits, signed or unsigned, or does not.
    Fits(Arithmetic),
    /// Shifted back, it is what it was.
    Shifted,
}

/// What is computed of two numbers.
#[derive(Debug, Clone, Copy)]
pub enum Arithmetic {
    /// Their product, ...
    Product,
    /// ... sum, ...
    Sum,
    /// ... or difference.
    Difference,
}

impl Arithmetic {
    /// The result, of numbers of 32 bits.
    #[inline(always)]
    pub fn of(self, a: i64, b: i64) -> i64 {
        match self {
            Self::Product => a.wrapping_mul(b),
            Self::Sum => a + b,
            Self::Difference => a - b,
        }
    }
}

/// For every operation of a module.
pub fn turns(code: &Code) -> Vec<Turn> {
    let by_size = by_size(code);
    let one = |(at, by_size): (usize, bool)| {
        let inst = &code.insts[at];
        let mut predicate = false;
        inst.op.registers(code, &mut |reg, role| predicate |= matches!((reg, role), (Reg::P(_), RegisterUse::Result)));
        let opcode = code.opcodes.get(code.origins[at].opcode as usize).map_or("", String::as_str);
        let narrows = !predicate && narrows(&inst.op, opcode);
        let ways = match (by_size, predicate) {
            (true, true) => compared(&inst.op),
            (false, true) => Ways::Predicate,
            (true, false) => ways(&inst.op, opcode),
            (false, false) if narrows => Ways::Number,
            (false, false) => Ways::Unasked,
        };
        let varies = !predicate && computes(code, at as u32);
        Turn { by_size, ways, narrows, varies, ordered: ordered(&inst.op) }
    };
    by_size.into_iter().enumerate().map(one).collect()
}

/// Does an operation compute a number of others, or does it only pass one on? A page never asks.
#[cfg(target_family = "wasm")]
fn computes(_code: &Code, _at: u32) -> bool {
    false
}

/// Does an operation compute a number of others, or does it only pass one on?
#[cfg(not(target_family = "wasm"))]
fn computes(code: &Code, at: u32) -> bool {
    let op = &code.insts[at as usize].op;
    let exchanges = matches!(op, Op::Collective(_) | Op::Matrix(_) | Op::Call(_));
    let passes = ["mov.", "cvta."].iter().any(|name| code.opcode_of(at).starts_with(name));
    !exchanges
        && !passes
        && op.effect(code) == Effect::Pure
        && matches!(code.results(at)[..], [Reg::R32(_) | Reg::R64(_)])
        && code.sources(at).iter().any(|reg| matches!(reg, Reg::R32(_) | Reg::R64(_) | Reg::P(_)))
}

/// An operation that makes a predicate. What is equal to a number far away is not so in a few blocks, but lies to both sides of it.
fn compared(op: &Op) -> Ways {
    let equal = |cmp| matches!(cmp, Cmp::Eq | Cmp::Ne);
    match *op {
        Op::SetS32 { cmp, .. } if equal(cmp) => Ways::Equal { bits: 32, signed: true },
        Op::SetU32 { cmp, .. } if equal(cmp) => Ways::Equal { bits: 32, signed: false },
        Op::SetS64 { cmp, .. } if equal(cmp) => Ways::Equal { bits: 64, signed: true },
        Op::SetU64 { cmp, .. } if equal(cmp) => Ways::Equal { bits: 64, signed: false },
        _ => Ways::Predicate,
    }
}

/// The bits of two numbers whose order an operation asks. What is below another number or above it, and was never equal to it, tells two
/// thresholds that are one apart from none.
fn ordered(op: &Op) -> u8 {
    let is_order =
        |cmp| matches!(cmp, Cmp::Lt | Cmp::Le | Cmp::Gt | Cmp::Ge | Cmp::Ltu | Cmp::Leu | Cmp::Gtu | Cmp::Geu);
    match *op {
        Op::SetS32 { cmp, .. } | Op::SetU32 { cmp, .. } | Op::SetF32 { cmp, .. } if is_order(cmp) => 32,
        Op::SetS64 { cmp, .. } | Op::SetU64 { cmp, .. } | Op::SetF64 { cmp, .. } if is_order(cmp) => 64,
        Op::MinS32 { .. } | Op::MaxS32 { .. } | Op::MinU32 { .. } | Op::MaxU32 { .. } => 32,
        _ => 0,
    }
}

/// Does an operation make few numbers of many? What tells by its result whether a number is zero is among these: `(d | -d) >> 31`,
/// `saturate(d)`, `min(d, 1)`, `clz(d) >> 5`.
fn narrows(op: &Op, opcode: &str) -> bool {
    match op {
        Op::ShrU32 { .. } | Op::ShrS32 { .. } | Op::ShrU64 { .. } | Op::ShrS64 { .. } => true,
        Op::MinS32 { .. } | Op::MaxS32 { .. } | Op::MinU32 { .. } | Op::MaxU32 { .. } => true,
        Op::Map(_) => {
            let begins = ["min.", "max.", "set.", "vset", "div.u", "div.s", "mul.hi.", "popc.", "shr.", "bfe."];
            opcode.contains(".sat") || begins.iter().any(|name| opcode.starts_with(name))
        }
        _ => false,
    }
}

/// An operation that computes a number.
fn ways(op: &Op, opcode: &str) -> Ways {
    match op {
        Op::MinS32 { .. } | Op::MaxS32 { .. } | Op::MinU32 { .. } | Op::MaxU32 { .. } => Ways::First,
        Op::And32 { .. } | Op::And64 { .. } | Op::Trunc { .. } => Ways::First,
        Op::Mul32 { .. } | Op::Mad32 { .. } => Ways::Fits(Arithmetic::Product),
        Op::Add32 { .. } => Ways::Fits(Arithmetic::Sum),
        Op::Sub32 { .. } => Ways::Fits(Arithmetic::Difference),
        Op::Shl32 { .. } => Ways::Shifted,
        // `n % 90000` is `n` for small ones.
        Op::Map(_) if ["min.", "max.", "rem.", "cvt."].iter().any(|name| opcode.starts_with(name)) => Ways::First,
        Op::Mov32 { .. } | Op::Mov64 { .. } | Op::Special32 { .. } | Op::Special64 { .. } => Ways::Unasked,
        Op::Param32 { .. } | Op::Param64 { .. } | Op::LocalAddress64 { .. } | Op::Load(_) => Ways::Unasked,
        _ => Ways::Number,
    }
}
