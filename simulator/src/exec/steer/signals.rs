//! What to go by where a result tells nothing until it is as wanted: the numbers nearest to it in the text that do change with the words.
//! Where they are zero, as large or as small as may be, or equal, the result is another, perhaps: whatever it is computed by.

use super::Metric;
use super::cost::in_order;
use super::expression::{Expression, Writers};
use crate::exec::warp::Warp;
use crate::isa::op::{Code, Reg};
use std::collections::HashSet;

/// Numbers to go by, at most.
const MOST: usize = 8;
/// A number that comes to no more values than these in a warp of drawn words tells nothing.
const FEW: usize = 4;

/// A number to go by.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Signal {
    reg: Reg,
    kind: Kind,
}

/// How its bits are in order.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    Signed(u32),
    Unsigned(u32),
    /// With the sign as the highest.
    Real(u32),
}

/// What it, or several, may be.
#[derive(Debug, Clone)]
pub enum Objective {
    /// All of them as near zero as may be.
    Zero(Vec<Signal>, Metric),
    /// As near each other.
    Equal(Signal, Signal, Metric),
    /// As large.
    High(Signal),
    /// As small.
    Low(Signal),
}

/// What may be gone by towards a result that comes out otherwise, most likely first. `warp` has computed it for words that were drawn.
pub fn objectives(code: &Code, writers: &Writers, expression: &Expression, warp: &Warp) -> Vec<Objective> {
    let found = signals(code, writers, expression, warp);
    let one = |metric| move |signal: &Signal| Objective::Zero(vec![*signal], metric);
    let mut all: Vec<Objective> = found.iter().map(one(Metric::Difference)).collect();
    if found.len() > 1 {
        all.push(Objective::Zero(found.clone(), Metric::Difference));
    }
    let pairs = || {
        let twos = found.iter().enumerate().flat_map(|(at, a)| found[at + 1..].iter().map(move |b| (*a, *b)));
        twos.filter(|(a, b)| a.kind == b.kind)
    };
    all.extend(pairs().map(|(a, b)| Objective::Equal(a, b, Metric::Difference)));
    all.extend(found.iter().flat_map(|signal| [Objective::High(*signal), Objective::Low(*signal)]));
    for metric in [Metric::LowBits, Metric::Bits] {
        all.extend(found.iter().map(one(metric)));
        all.extend(pairs().map(|(a, b)| Objective::Equal(a, b, metric)));
    }
    all
}

/// The nearest registers that tell: one that counts zeros may do so less than what it counts them of.
fn signals(code: &Code, writers: &Writers, expression: &Expression, warp: &Warp) -> Vec<Signal> {
    let (mut seen, mut found) = (HashSet::new(), Vec::new());
    let mut near = vec![expression.root];
    while !near.is_empty() && found.len() < MOST {
        let mut next = Vec::new();
        for at in near {
            for reg in code.sources(at).into_iter().filter(|reg| *reg != Reg::None) {
                if !seen.insert(reg) || found.len() == MOST {
                    continue;
                }
                let makers = writers.get(&reg).map_or(&[][..], Vec::as_slice);
                let within = makers.iter().copied().filter(|maker| expression.steps.contains(maker));
                if !matches!(reg, Reg::P(_)) && is_told(warp, reg) {
                    let kind = makers.first().map_or(Kind::of(reg, ""), |maker| Kind::of(reg, code.opcode_of(*maker)));
                    found.push(Signal { reg, kind });
                }
                next.extend(within);
            }
        }
        near = next;
    }
    found
}

/// Does it come to more than a few values?
fn is_told(warp: &Warp, reg: Reg) -> bool {
    let values: HashSet<u64> = warp.read(0, reg).into_iter().collect();
    values.len() > FEW
}

impl Kind {
    /// By the first type that an opcode names.
    fn of(reg: Reg, opcode: &str) -> Self {
        let bits = if matches!(reg, Reg::R64(_)) { 64 } else { 32 };
        let own = opcode.split('.').find_map(|part| match part {
            "f16" | "bf16" => Some(Self::Real(15)),
            "f32" => Some(Self::Real(31)),
            "f64" => Some(Self::Real(63)),
            "s16" | "s32" | "s64" => Some(Self::Signed(bits)),
            _ => None,
        });
        own.unwrap_or(Self::Unsigned(bits))
    }

    /// What no magnitude reaches.
    fn bound(self) -> i128 {
        let (Self::Signed(bits) | Self::Unsigned(bits) | Self::Real(bits)) = self;
        1 << bits
    }

    fn number(self, word: u64) -> i128 {
        match self {
            Self::Signed(32) => (word as i32).into(),
            Self::Signed(_) => (word as i64).into(),
            Self::Unsigned(32) => (word as u32).into(),
            Self::Unsigned(_) => word.into(),
            Self::Real(sign) => in_order(word, sign),
        }
    }
}

impl Objective {
    /// How far each lane is from it.
    pub fn costs(&self, warp: &Warp) -> [f64; 32] {
        let numbers = |signal: &Signal| warp.read(0, signal.reg).map(|word| signal.kind.number(word));
        match self {
            Self::Zero(signals, metric) => {
                let mut sums = [0.0; 32];
                for signal in signals {
                    // A number without a sign may be a little below zero.
                    let near = |number: i128| match signal.kind {
                        Kind::Unsigned(bits) => number.min((1 << bits) - number),
                        _ => number,
                    };
                    let costs = numbers(signal).map(|number| metric.distance(near(number)));
                    sums.iter_mut().zip(costs).for_each(|(sum, cost)| *sum += cost);
                }
                sums
            }
            Self::Equal(a, b, metric) => {
                let (a, b) = (numbers(a), numbers(b));
                std::array::from_fn(|lane| match metric {
                    Metric::Difference => metric.distance(a[lane] - b[lane]),
                    _ => metric.distance(a[lane] ^ b[lane]),
                })
            }
            Self::High(signal) => numbers(signal).map(|number| (signal.kind.bound() - number) as f64),
            Self::Low(signal) => numbers(signal).map(|number| (signal.kind.bound() + number) as f64),
        }
    }
}
