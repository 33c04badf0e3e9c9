//! How far a condition, or a number that stands for one, is from coming out as wanted.

use super::expression::Writers;
use crate::exec::warp::Warp;
use crate::isa::lower::arith::compare::comparison;
use crate::isa::op::{Cmp, Code, Op, Reg};
use crate::steer::Aim;

/// How two numbers are held against each other that are to be equal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Metric {
    /// Their difference.
    Difference,
    /// How many of their lowest bits are the same: sums and products are solved from there.
    LowBits,
    /// How many bits are.
    Bits,
}

/// What an operation's result is to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// True or not, zero or another.
    Is(bool),
    /// This one.
    Value(u64),
    /// Of two equal numbers.
    Equal,
    /// Any but this one.
    Other(u64),
}

impl From<Aim> for Wanted {
    fn from(aim: Aim) -> Self {
        match aim {
            Aim::Is(wanted) => Self::Is(wanted),
            Aim::Equal => Self::Equal,
            Aim::Other(number) => Self::Other(number),
        }
    }
}

impl Metric {
    /// Of a difference.
    pub fn distance(self, by: i128) -> f64 {
        match self {
            Self::Difference => (1.0 + by.unsigned_abs() as f64).log2(),
            Self::LowBits => f64::from(64 - by.trailing_zeros().min(64)),
            Self::Bits => f64::from((by as u64).count_ones()),
        }
    }
}

/// What a truth value comes to that nothing tells more of.
pub const UNKNOWN: f64 = 64.0;

/// Of a lane's two numbers, in order.
type Pair = (i128, i128);

/// Looks at a warp that has computed a condition.
pub struct Costs<'a> {
    pub code: &'a Code,
    pub writers: &'a Writers,
    pub steps: &'a [u32],
    pub warp: &'a Warp,
    pub metric: Metric,
}

impl Costs<'_> {
    /// Of each lane's result of an operation: 0 where it is as wanted, true or not zero.
    pub fn of_root(&self, root: u32, result: Reg, wanted: Wanted) -> [f64; 32] {
        match (result, wanted) {
            (Reg::None, _) => [f64::INFINITY; 32],
            (_, Wanted::Equal) => match operands(self.code, root, self.warp) {
                Some(pairs) => pairs.map(|(a, b)| self.distance(Cmp::Eq, true, a, b)),
                None => [f64::INFINITY; 32],
            },
            (Reg::P(_), Wanted::Is(wanted)) => self.of(result, wanted),
            (_, Wanted::Is(wanted)) => self.number(root, result, wanted),
            (_, Wanted::Value(value)) => {
                let numbers = self.warp.read(0, result);
                numbers.map(|number| self.distance(Cmp::Eq, true, number.into(), value.into()))
            }
            (_, Wanted::Other(value)) => {
                self.warp.read(0, result).map(|number| if number == value { UNKNOWN } else { 0.0 })
            }
        }
    }

    /// The same of a number: zero, or another.
    fn number(&self, root: u32, reg: Reg, wanted: bool) -> [f64; 32] {
        let is = self.warp.read(0, reg).map(|word| word != 0);
        let mut costs = self.narrowed(root, wanted);
        for (cost, is) in costs.iter_mut().zip(is) {
            *cost = if is == wanted { 0.0 } else { cost.max(f64::MIN_POSITIVE) };
        }
        costs
    }

    /// How far what an operation narrows is from that.
    fn narrowed(&self, root: u32, wanted: bool) -> [f64; 32] {
        use Op::{ShrS32, ShrS64, ShrU32, ShrU64};
        let sources = self.code.sources(root);
        let shifts =
            matches!(self.code.insts[root as usize].op, ShrU32 { .. } | ShrS32 { .. } | ShrU64 { .. } | ShrS64 { .. });
        let narrowed = &sources[..if shifts { 1 } else { sources.len() }];
        // Constants are written nowhere.
        let narrowed = narrowed.iter().filter(|reg| self.writers.contains_key(*reg));
        let is_real = self.code.opcode_of(root).contains(".f32");
        let mut costs = [UNKNOWN; 32];
        for reg in narrowed {
            let (reg, converted, flips) = self.without_conversion(*reg);
            let numbers = self.warp.read(0, reg);
            for (cost, number) in costs.iter_mut().zip(numbers) {
                let distance = match is_real && !converted {
                    true if wanted => (1.0 - in_order(number, 31).min(0) as f64).log2(),
                    true => (1.0 + in_order(number, 31).max(0) as f64).log2(),
                    false => self.size(number, matches!(reg, Reg::R64(_)), wanted ^ flips),
                };
                *cost = cost.min(distance);
            }
        }
        costs
    }

    /// How far a number is from zero, or where another is wanted from the largest there is.
    fn size(&self, number: u64, long: bool, large: bool) -> f64 {
        let number = if large { !number } else { number };
        let number = if long { number } else { number & u64::from(u32::MAX) };
        match self.metric {
            Metric::Difference => (1.0 + number as f64).log2(),
            Metric::LowBits => f64::from(64 - number.trailing_zeros()),
            Metric::Bits => f64::from(number.count_ones()),
        }
    }

    /// What a register was before it was converted or counted, which tells of zero and of little else; whether it was; and whether zero
    /// became the largest number, as it does where zeros are counted.
    fn without_conversion(&self, reg: Reg) -> (Reg, bool, bool) {
        let (mut found, mut converted, mut flips) = (reg, false, false);
        while let Some(at) = self.maker(found) {
            let opcode = self.code.opcode_of(at);
            let [from @ (Reg::R32(_) | Reg::R64(_)), ..] = self.code.sources(at)[..] else { break };
            if !["cvt.", "clz.", "popc.", "neg.", "abs."].iter().any(|name| opcode.starts_with(name)) {
                break;
            }
            flips ^= opcode.starts_with("clz.");
            (found, converted) = (from, true);
        }
        (found, converted, flips)
    }

    /// Of each lane's predicate: 0 where it is as wanted.
    pub fn of(&self, reg: Reg, wanted: bool) -> [f64; 32] {
        let predicate = self.warp.read_predicate(0, reg);
        let mut costs = match self.made(reg) {
            None => [UNKNOWN; 32],
            Some(Op::MovP { a, .. }) => self.of(Reg::P(a), wanted),
            Some(Op::NotP { a, .. }) => self.of(Reg::P(a), !wanted),
            Some(Op::AndP { a, b, .. }) => self.both((a, wanted), (b, wanted), wanted),
            Some(Op::OrP { a, b, .. }) => self.both((a, wanted), (b, wanted), !wanted),
            Some(Op::XorP { a, b, .. }) => {
                let same = self.both((a, !wanted), (b, true), true);
                let other = self.both((a, wanted), (b, false), true);
                std::array::from_fn(|lane| same[lane].min(other[lane]))
            }
            Some(_) => self.compared(reg, wanted).unwrap_or([UNKNOWN; 32]),
        };
        for (lane, cost) in costs.iter_mut().enumerate() {
            let is = predicate >> lane & 1 != 0;
            *cost = if is == wanted { 0.0 } else { cost.max(f64::MIN_POSITIVE) };
        }
        costs
    }

    /// Both have to be, or one of them.
    fn both(&self, (a, wanted_a): (u16, bool), (b, wanted_b): (u16, bool), all: bool) -> [f64; 32] {
        let (a, b) = (self.of(Reg::P(a), wanted_a), self.of(Reg::P(b), wanted_b));
        std::array::from_fn(|lane| if all { a[lane] + b[lane] } else { a[lane].min(b[lane]) })
    }

    /// The operation that makes a register from what may change.
    fn made(&self, reg: Reg) -> Option<Op> {
        Some(self.code.insts[self.maker(reg)? as usize].op)
    }

    fn maker(&self, reg: Reg) -> Option<u32> {
        let [at] = self.writers.get(&reg)?[..] else { return None };
        self.steps.contains(&at).then_some(at)
    }

    fn compared(&self, reg: Reg, wanted: bool) -> Option<[f64; 32]> {
        let (cmp, pairs) = pairs(self.code, self.maker(reg)?, self.warp)?;
        Some(pairs.map(|(a, b)| self.distance(cmp, wanted, a, b)))
    }

    fn distance(&self, cmp: Cmp, wanted: bool, a: i128, b: i128) -> f64 {
        let below = |a: i128, b: i128| (a - b + 1).max(0);
        let equal = |a: i128, b: i128| (a - b).abs();
        let by = match (cmp, wanted) {
            (Cmp::Eq | Cmp::Equ, true) | (Cmp::Ne | Cmp::Neu, false) => match self.metric {
                Metric::Difference => equal(a, b),
                Metric::LowBits => return f64::from(64 - (a ^ b).trailing_zeros().min(64)),
                Metric::Bits => return f64::from((a ^ b).count_ones()),
            },
            (Cmp::Eq | Cmp::Equ, false) | (Cmp::Ne | Cmp::Neu, true) => i128::from(a == b),
            (Cmp::Lt | Cmp::Ltu, true) | (Cmp::Ge | Cmp::Geu, false) => below(a, b),
            (Cmp::Ge | Cmp::Geu, true) | (Cmp::Lt | Cmp::Ltu, false) => (b - a).max(0),
            (Cmp::Gt | Cmp::Gtu, true) | (Cmp::Le | Cmp::Leu, false) => below(b, a),
            (Cmp::Le | Cmp::Leu, true) | (Cmp::Gt | Cmp::Gtu, false) => (a - b).max(0),
            // Whether something is a number no input has to answer.
            (Cmp::Num | Cmp::Nan, _) => return UNKNOWN,
        };
        (1.0 + by as f64).log2()
    }
}

/// The two numbers whose order an operation asks, by lane.
fn operands(code: &Code, at: u32, warp: &Warp) -> Option<[Pair; 32]> {
    let (Op::MinS32 { a, b, .. } | Op::MaxS32 { a, b, .. } | Op::MinU32 { a, b, .. } | Op::MaxU32 { a, b, .. }) =
        code.insts[at as usize].op
    else {
        return Some(pairs(code, at, warp)?.1);
    };
    let (a, b) = (warp.read(0, Reg::R32(a)), warp.read(0, Reg::R32(b)));
    Some(std::array::from_fn(|lane| ((a[lane] as u32).into(), (b[lane] as u32).into())))
}

/// The two numbers that an operation compares, by lane, as integers in the same order.
pub fn pairs(code: &Code, at: u32, warp: &Warp) -> Option<(Cmp, [Pair; 32])> {
    let with = |a: Reg, b: Reg, number: fn(u64) -> i128| {
        let (a, b) = (warp.read(0, a), warp.read(0, b));
        std::array::from_fn(|lane| (number(a[lane]), number(b[lane])))
    };
    Some(match code.insts[at as usize].op {
        Op::SetS32 { a, b, cmp, .. } => (cmp, with(Reg::R32(a), Reg::R32(b), |word| (word as i32).into())),
        Op::SetU32 { a, b, cmp, .. } => (cmp, with(Reg::R32(a), Reg::R32(b), |word| word.into())),
        Op::SetS64 { a, b, cmp, .. } => (cmp, with(Reg::R64(a), Reg::R64(b), |word| (word as i64).into())),
        Op::SetU64 { a, b, cmp, .. } => (cmp, with(Reg::R64(a), Reg::R64(b), |word| word.into())),
        Op::SetF32 { a, b, cmp, .. } => (cmp, with(Reg::R32(a), Reg::R32(b), |word| in_order(word, 31))),
        Op::SetF64 { a, b, cmp, .. } => (cmp, with(Reg::R64(a), Reg::R64(b), |word| in_order(word, 63))),
        // Narrower numbers, and those that are flushed.
        Op::Map(index) => {
            let [a, b, ..] = code.maps[index as usize].sources;
            let mut parts = code.opcode_of(at).strip_prefix("setp.")?.split('.');
            let cmp = comparison(parts.next()?)?;
            let number: fn(u64) -> i128 = match parts.next_back()? {
                "s16" => |word| (word as i16).into(),
                "u16" | "b16" => |word| (word as u16).into(),
                "f16" | "bf16" => |word| in_order(word, 15),
                "f32" => |word| in_order(word, 31),
                _ => return None,
            };
            (cmp, with(a, b, number))
        }
        _ => return None,
    })
}

/// The bits of a real, up to its sign, as an integer that is larger where the real is.
pub fn in_order(bits: u64, sign: u32) -> i128 {
    let magnitude = i128::from(bits & ((1 << sign) - 1));
    if bits >> sign & 1 != 0 { -magnitude } else { magnitude }
}
