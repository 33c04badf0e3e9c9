//! Solves a condition for the words that it is computed from: downhill, a bit or a power of two at a time, and at random.

use super::Metric;
use super::cost::{Costs, UNKNOWN, Wanted, pairs};
use super::expression::{Expression, Writers};
use super::signals::{Objective, objectives};
use crate::exec::warp::Warp;
use crate::isa::op::{Code, Op, Reg};
use crate::random::mix;
use crate::steer::{Element, Input, Made, SteerRequest, mask};

/// Steps downhill from one start.
const STEPS: usize = 64;
/// Operations whose results are tried as differences.
const DIFFERENCES: usize = 16;
/// Starts: what was there, and words that are drawn.
const STARTS: u64 = 3;
/// Warps of words that are drawn without looking where they lead.
const DRAWN: u64 = 1 << 8;

/// Sizes are tried that differ by less than so much from what they are.
const BESIDE: u64 = 1 << 10;

/// What the cost by a signal, below 2^65, is multiplied with where the result is as wanted: it comes to less than 1.
const WON: f64 = 1e-20;

/// Operations that take as long as it takes to weigh the signals of a warp of words.
const WEIGHED: u64 = 16;

/// What leads downhill.
enum Guide {
    /// How far the result is from what is wanted.
    Result(Metric),
    /// Other numbers.
    Signals(Objective),
}

/// A word of an input, and where it is in registers.
#[derive(Debug, Clone)]
pub struct Word {
    /// Which input.
    pub input: usize,
    /// Where it stands.
    pub address: u64,
    /// Bytes.
    pub size: usize,
    /// Registers that hold it, or a part of it.
    pub registers: Vec<Held>,
    /// What it is.
    pub value: u64,
}

/// A register that holds some bytes of a word.
#[derive(Debug, Clone, Copy)]
pub struct Held {
    /// The register.
    pub reg: Reg,
    /// The first of the bytes.
    pub from: usize,
    /// How many.
    pub size: usize,
    /// Sign-extended to the register's width.
    pub signed: bool,
    /// What a parameter is of a size.
    pub made: Made,
}

impl Held {
    /// It holds as many bytes as there are.
    pub fn all(reg: Reg, size: usize) -> Self {
        Self { reg, from: 0, size, signed: false, made: Made::ITSELF }
    }

    /// What it holds of a word.
    pub fn holds(self, word: u64) -> u64 {
        let unused = 64 - 8 * self.size as u32;
        let high = self.made.of(word) >> (8 * self.from) << unused;
        if self.signed { (high as i64 >> unused) as u64 } else { high >> unused }
    }
}

/// A condition of a lane that stands in all lanes of a warp of its own.
pub struct Search<'a, R> {
    code: &'a Code,
    writers: &'a Writers,
    expression: &'a Expression,
    wanted: Wanted,
    request: &'a SteerRequest,
    by: u64,
    run: R,
    /// Operations computed.
    pub spent: u64,
    /// Until so many are.
    most: u64,
    /// The words that came nearest to what is wanted, and how near, where nothing is.
    pub nearest: Option<(f64, Vec<u64>)>,
    /// What stands for registers that hang on where a thread is, of 4 and of 8 bytes: any number.
    free: [Input; 2],
}

impl<'a, R: FnMut(&mut Warp, u32)> Search<'a, R> {
    /// `run` computes an operation in a warp.
    pub fn new(
        code: &'a Code,
        writers: &'a Writers,
        (expression, wanted): (&'a Expression, Wanted),
        request: &'a SteerRequest,
        by: u64,
        run: R,
    ) -> Self {
        Self {
            code,
            writers,
            expression,
            wanted,
            request,
            by,
            run,
            spent: 0,
            most: 0,
            nearest: None,
            free: [4, 8].map(any),
        }
    }

    /// The lane of `active` that is nearest to what is wanted, which then stands in all lanes. Nothing where what was computed on the
    /// way cannot be had again.
    pub fn choose(&mut self, bench: &mut Warp, active: u32) -> Option<usize> {
        let steps = || self.expression.steps.iter().copied().filter(|at| *at != self.expression.root);
        let results: Vec<Reg> = steps().flat_map(|at| self.code.results(at)).collect();
        let before: Vec<[u64; 32]> = results.iter().map(|reg| bench.read(0, *reg)).collect();
        let mut honest = active;
        for at in steps() {
            (self.run)(bench, at);
        }
        for (reg, before) in results.iter().zip(before) {
            let after = bench.read(0, *reg);
            let same = (0..32).filter(|lane| before[*lane] == after[*lane]).fold(0, |same, lane| same | 1 << lane);
            honest &= same;
        }
        if self.expression.steps.last() == Some(&self.expression.root) {
            (self.run)(bench, self.expression.root);
        }
        let costs = self.costs(bench, Metric::Difference);
        let order = |lane: &usize| (costs[*lane], mix(self.by ^ *lane as u64));
        let honest = (0..32usize).filter(|lane| honest >> lane & 1 != 0);
        let lane = honest.min_by(|a, b| order(a).partial_cmp(&order(b)).unwrap_or(std::cmp::Ordering::Equal))?;
        bench.r32.iter_mut().for_each(|row| row.0 = [row[lane]; 32]);
        bench.r64.iter_mut().for_each(|row| row.0 = [row[lane]; 32]);
        bench.p.iter_mut().for_each(|bits| *bits = if *bits >> lane & 1 != 0 { u32::MAX } else { 0 });
        Some(lane)
    }

    /// What the words have to be; `most` operations may be computed.
    pub fn solve(&mut self, bench: &mut Warp, words: &[Word], most: u64) -> Option<Vec<u64>> {
        self.most = self.spent + most;
        if self.request.is_of_sizes()
            && let Some(values) = self.beside(bench, words, self.spent + most / 2)
        {
            return Some(values);
        }
        // Whether a number is another tells nothing of how near it is.
        let starts = if matches!(self.wanted, Wanted::Other(_)) { 0 } else { STARTS };
        'search: for start in 0..starts {
            for metric in [Metric::Difference, Metric::LowBits, Metric::Bits] {
                let mut values: Vec<u64> = words.iter().map(|word| word.value).collect();
                if start > 0 {
                    let drawn = |(at, word): (usize, &Word)| self.draw(word, start << 8 | at as u64);
                    values = words.iter().enumerate().map(drawn).collect();
                }
                let left = self.descend(bench, words, &mut values, &Guide::Result(metric));
                if left == 0.0 {
                    return Some(values);
                }
                if metric == Metric::Difference && self.nearest.as_ref().is_none_or(|(least, _)| left < *least) {
                    self.nearest = Some((left, values));
                }
                if self.spent > self.most {
                    break 'search;
                }
            }
        }
        if let Some(values) = self.by_signals(bench, words) {
            return Some(values);
        }
        (0..DRAWN).find_map(|warp| if self.spent > self.most { None } else { self.drawn(bench, words, warp) })
    }

    /// The same by other numbers than the result, where that tells nothing of how near it is.
    fn by_signals(&mut self, bench: &mut Warp, words: &[Word]) -> Option<Vec<u64>> {
        let flat = self.nearest.as_ref().is_none_or(|(left, _)| *left >= UNKNOWN);
        if self.spent > self.most || !flat && !self.is_number() {
            return None;
        }
        if let Some(values) = self.drawn(bench, words, words.len() as u64) {
            return Some(values);
        }
        for objective in objectives(self.code, self.writers, self.expression, bench) {
            let guide = Guide::Signals(objective);
            for start in 0..2 {
                let drawn = |(at, word): (usize, &Word)| self.draw(word, start << 16 | at as u64);
                let mut values: Vec<u64> = match start {
                    0 => words.iter().map(|word| word.value).collect(),
                    _ => words.iter().enumerate().map(drawn).collect(),
                };
                if self.descend(bench, words, &mut values, &guide) < 1.0 {
                    return Some(values);
                }
                if self.spent > self.most {
                    return None;
                }
            }
        }
        None
    }

    /// Is no predicate wanted?
    fn is_number(&self) -> bool {
        !matches!(self.expression.result, Reg::P(_))
    }

    /// The lane of `active` in which it is as wanted if the words are these.
    pub fn holds_for(&mut self, bench: &mut Warp, words: &[(Held, u64)], active: u32) -> Option<usize> {
        for (held, value) in words {
            bench.write(0, held.reg, u32::MAX, &[held.holds(*value); 32]);
        }
        self.steps(bench);
        let costs = self.costs(bench, Metric::Difference);
        (0..32usize).find(|lane| active >> lane & 1 != 0 && costs[*lane] == 0.0)
    }

    /// Goes downhill; how far from what is wanted it comes.
    fn descend(&mut self, bench: &mut Warp, words: &[Word], values: &mut [u64], guide: &Guide) -> f64 {
        let mut best = f64::INFINITY;
        let mut idle = 0;
        for step in 0..STEPS * words.len() {
            let at = step % words.len();
            let mut better = None;
            for tried in self.tries(bench, words, values, at) {
                self.compute(bench, words, values, Some((at, &tried)));
                self.spent += if matches!(guide, Guide::Signals(_)) { WEIGHED } else { 0 };
                let costs = self.guided(bench, guide);
                for (value, cost) in tried.iter().zip(costs) {
                    if cost < best {
                        (best, better) = (cost, Some(*value));
                    }
                }
            }
            match better {
                Some(value) => (values[at], idle) = (value, 0),
                None => idle += 1,
            }
            if best == 0.0 || idle == words.len() || self.spent > self.most {
                break;
            }
        }
        best
    }

    /// Words to try in place of one, as far as they are allowed.
    fn tries(&mut self, bench: &mut Warp, words: &[Word], values: &[u64], at: usize) -> Vec<[u64; 32]> {
        let word = &words[at];
        let value = values[at];
        let bits = 8 * word.size as u32;
        let mut tries: Vec<u64> = vec![value];
        for bit in 0..bits {
            tries.extend([value ^ 1 << bit, value.wrapping_add(1 << bit), value.wrapping_sub(1 << bit)]);
        }
        tries.extend(values.iter().flat_map(|other| [*other, other.wrapping_add(1), other.wrapping_sub(1)]));
        tries.extend((0..8).map(|number| self.draw(word, value ^ number << 40)));
        self.compute(bench, words, values, None);
        // What makes a difference of words none, in whatever way they differ.
        for step in self.expression.steps.iter().take(DIFFERENCES) {
            for reg in self.code.results(*step).into_iter().filter(|reg| !matches!(reg, Reg::P(_))) {
                let by = bench.read_lane(0, reg, 0);
                tries.extend([value ^ by, value.wrapping_sub(by), value.wrapping_add(by)]);
                if let Wanted::Value(wanted) = self.wanted {
                    tries.extend([value ^ by ^ wanted, value.wrapping_sub(by).wrapping_add(wanted)]);
                }
            }
        }
        let element = self.input(word).element;
        for &step in &self.expression.steps {
            let op = self.code.insts[step as usize].op;
            let Some((_, pairs)) = pairs(self.code, step, bench) else { continue };
            let (a, b) = pairs[0];
            let (a, b) = (a as u64, b as u64);
            tries.extend([a, b, b.wrapping_add(1), b.wrapping_sub(1)]);
            tries.extend([value.wrapping_add(b).wrapping_sub(a), value.wrapping_add(a).wrapping_sub(b)]);
            // The same of reals.
            if let (Op::SetF32 { a, b, .. }, true) = (op, element.is_real() && element.size() == word.size) {
                let [a, b] = [a, b].map(|reg| f64::from(f32::from_bits(bench.read_lane(0, Reg::R32(reg), 0) as u32)));
                let now = element.number(value);
                tries.extend(
                    [b, now + b - a, now - b + a, now * b / a, -now, b * b, b.sqrt()]
                        .map(|number| element.bits(number)),
                );
            }
        }
        let input = self.input(word);
        let allowed =
            tries.into_iter().map(|value| value & mask(word.size)).filter(|value| input.allows(*value, word.size));
        let allowed: Vec<u64> = allowed.collect();
        allowed.chunks(32).map(|some| std::array::from_fn(|lane| some[lane % some.len()])).collect()
    }

    /// One of the words is another by as little as may be: sizes beside the one at hand meet what led to the condition, too, perhaps.
    /// Until so many operations are computed: the others have their share, too.
    fn beside(&mut self, bench: &mut Warp, words: &[Word], until: u64) -> Option<Vec<u64>> {
        let mut values: Vec<u64> = words.iter().map(|word| word.value).collect();
        for distance in (1..BESIDE).step_by(16) {
            if self.spent > until {
                return None;
            }
            for (at, word) in words.iter().enumerate() {
                let tried: [u64; 32] = std::array::from_fn(|lane| {
                    let by = distance + lane as u64 / 2;
                    if lane % 2 == 0 { word.value.wrapping_add(by) } else { word.value.wrapping_sub(by) }
                });
                self.compute(bench, words, &values, Some((at, &tried)));
                let costs = self.costs(bench, Metric::Difference);
                let allowed = |value: u64| self.input(word).allows(value, word.size);
                let found = tried.iter().zip(costs).find(|(value, cost)| *cost == 0.0 && allowed(**value));
                if let Some((value, _)) = found {
                    values[at] = *value;
                    return Some(values);
                }
            }
        }
        None
    }

    /// A warp of words that are drawn, one of them or all; those of a lane in which it is as wanted.
    fn drawn(&mut self, bench: &mut Warp, words: &[Word], warp: u64) -> Option<Vec<u64>> {
        let which = warp as usize % (words.len() + 1);
        let all = which == words.len();
        let row = |at: usize| -> [u64; 32] {
            let word = &words[at];
            if all || at == which {
                std::array::from_fn(|lane| self.draw(word, 1 << 32 | warp << 12 | (at as u64) << 5 | lane as u64))
            } else {
                [word.value; 32]
            }
        };
        let rows: Vec<[u64; 32]> = (0..words.len()).map(row).collect();
        for (word, row) in words.iter().zip(&rows) {
            put(bench, word, row);
        }
        self.steps(bench);
        let costs = self.costs(bench, Metric::Difference);
        let lane = costs.iter().position(|cost| *cost == 0.0)?;
        Some(rows.iter().map(|row| row[lane]).collect())
    }

    fn input(&self, word: &Word) -> &Input {
        self.request.inputs.get(word.input).unwrap_or(&self.free[usize::from(word.size > 4)])
    }

    fn draw(&self, word: &Word, by: u64) -> u64 {
        let (input, by) = (self.input(word), mix(self.by ^ by));
        if self.request.is_of_sizes() { input.draw_size(word.size, by) } else { input.draw(word.size, by) }
    }

    /// Computes the condition for these words, one of them another in each lane.
    fn compute(&mut self, bench: &mut Warp, words: &[Word], values: &[u64], tried: Option<(usize, &[u64; 32])>) {
        for (at, (word, value)) in words.iter().zip(values).enumerate() {
            match tried {
                Some((which, tried)) if which == at => put(bench, word, tried),
                _ => put(bench, word, &[*value; 32]),
            }
        }
        self.steps(bench);
    }

    fn steps(&mut self, bench: &mut Warp) {
        self.spent += self.expression.steps.len() as u64;
        for &at in &self.expression.steps {
            (self.run)(bench, at);
        }
    }

    /// How far each lane is, by a guide, from being as wanted.
    fn guided(&self, bench: &Warp, guide: &Guide) -> [f64; 32] {
        let objective = match guide {
            Guide::Result(metric) => return self.costs(bench, *metric),
            Guide::Signals(objective) => objective,
        };
        let mut costs = self.costs(bench, Metric::Difference);
        for (cost, by) in costs.iter_mut().zip(objective.costs(bench)) {
            // What is as wanted comes first, and of that what is as far as it goes: a little of it may be lost in what it is added to.
            *cost = if *cost == 0.0 { by * WON } else { 1.0 + by };
        }
        costs
    }

    /// Of each lane, once the condition is computed.
    fn costs(&self, bench: &Warp, metric: Metric) -> [f64; 32] {
        let costs =
            Costs { code: self.code, writers: self.writers, steps: &self.expression.steps, warp: bench, metric };
        costs.of_root(self.expression.root, self.expression.result, self.wanted)
    }
}

/// Any number of so many bytes, but for the largest of 8.
fn any(size: u8) -> Input {
    let most = 2f64.powi(8 * i32::from(size.min(7)) - 1);
    Input { address: 0, bytes: Vec::new(), element: Element::Signed(size), low: -most, high: most - 1.0 }
}

/// Puts a word into the registers that hold it.
fn put(bench: &mut Warp, word: &Word, values: &[u64; 32]) {
    for register in &word.registers {
        bench.write(0, register.reg, u32::MAX, &values.map(|value| register.holds(value)));
    }
}
