//! Looks for inputs by which conditions come out the other way: where a lane is about to make one that is wanted, what it is computed
//! from is computed again, 32 tries at a time, with other words of the inputs in place of those that were loaded.

mod cost;
mod expression;
pub(super) mod places;
mod search;

use super::block::Shared;
use super::context::Worker;
use super::profile::Profile;
use super::schedule::quiet;
use super::warp::{Group, Warp};
use crate::isa::decode::Decoded;
use crate::isa::op::{AddressSpace, Code, FunctionInfo, Op, Reg};
use crate::observe::Observer;
use crate::random::mix;
use crate::steer::{Goal, SteerRequest, Steered, mask};
use cost::{Metric, Wanted};
use expression::{Expression, Leaf, Writers, writers};
use search::{Held, Search, Word};
use std::collections::{BTreeSet, HashMap};

/// Lanes for which a condition is tried, ...
const TRIES: u32 = 12;
/// ... until so many inputs are known.
const ENOUGH: u32 = 2;
/// Words that may change for one condition.
const WORDS: usize = 48;
/// Operations that may be computed for a condition, however many there are.
const LEAST_STEPS: u64 = 1 << 10;
/// Registers that may be anything for a condition while its words are looked for.
const PLACES: usize = 4;

/// What a host thread looks for.
pub struct Steer<'a> {
    request: &'a SteerRequest,
    /// By operation: does anything happen there?
    stops: Vec<bool>,
    /// By root.
    open: HashMap<u32, Open>,
    /// By function: who writes what.
    writers: HashMap<u32, Writers>,
    /// Addresses that loads had last: by block, warp and load.
    loaded: HashMap<(u64, u32, u32), [u64; 32]>,
    scratch: Option<Box<(Warp, Profile)>>,
    found: Vec<Steered>,
}

/// What its result is to be, and for which condition.
struct Target {
    wanted: Wanted,
    at: u32,
    /// What has to change besides.
    changes: Vec<(u64, Vec<u8>)>,
}

/// An operation of which something is wanted.
struct Open {
    /// What it is computed from, as far as registers are written once, and otherwise.
    expressions: Vec<Expression>,
    targets: Vec<Target>,
    visits: u64,
    tries: u32,
    found: u32,
    /// Words that were passed on and have to be others.
    goals: u32,
    /// Operations computed for it.
    spent: u64,
    /// Words with which it is as wanted somewhere, perhaps: for which of the expressions, and by the register that holds them.
    hints: Vec<(usize, Vec<(Held, u64)>)>,
}

impl<'a> Steer<'a> {
    /// Of the conditions that are asked for those that inputs may turn.
    pub fn new(request: &'a SteerRequest, decoded: &Decoded) -> Self {
        let mut steer = Self {
            request,
            stops: vec![false; decoded.code.insts.len()],
            open: HashMap::new(),
            writers: HashMap::new(),
            loaded: HashMap::new(),
            scratch: None,
            found: Vec::new(),
        };
        for (&root, &wanted) in &request.wanted {
            let Some(turn) = decoded.turns().get(root as usize) else { continue };
            if turn.is_predicate() || turn.narrows {
                steer.add(decoded, root, Target { wanted: Wanted::Is(wanted), at: root, changes: Vec::new() });
            }
        }
        if !request.goals.is_empty() {
            for root in producers(decoded, &mut steer.writers) {
                for Goal { at, value, changes } in &request.goals {
                    let target = Target { wanted: Wanted::Value(*value), at: *at, changes: changes.clone() };
                    steer.add(decoded, root, target);
                }
            }
        }
        steer
    }

    /// Something is wanted of an operation, as far as inputs may have a say.
    fn add(&mut self, decoded: &Decoded, root: u32, target: Target) {
        if let Some(open) = self.open.get_mut(&root) {
            open.targets.push(target);
            return;
        }
        let code = &decoded.code;
        let function = code.origins[root as usize].function;
        let own = || writers(code, &code.functions[function as usize]);
        let writers = self.writers.entry(function).or_insert_with(own);
        let sizes = !self.request.parameters.is_empty();
        let of = |several| Expression::of(code, decoded.turns(), writers, root, (sizes, several));
        let mut expressions: Vec<Expression> = of(false).into_iter().collect();
        expressions.extend(of(true).filter(|other| expressions.first().is_none_or(|one| one.steps != other.steps)));
        let leaves = expressions.iter().flat_map(|expression| &expression.leaves);
        let loads = leaves.filter_map(|leaf| match leaf {
            Leaf::Loaded { at, .. } => Some(*at),
            Leaf::Parameter(_) | Leaf::Passed(_) => None,
        });
        if !expressions.is_empty() {
            loads.chain([root]).for_each(|at| self.stops[at as usize] = true);
            let targets = vec![target];
            let open =
                Open { expressions, targets, visits: 0, tries: 0, found: 0, goals: 0, spent: 0, hints: Vec::new() };
            self.open.insert(root, open);
        }
    }

    /// What was found.
    pub fn finish(self) -> Vec<Steered> {
        self.found
    }
}

impl<O: Observer> Worker<'_, O> {
    /// Looks at what a group is about to do; says how many operations it may run before it is looked at again.
    #[cold]
    pub fn steered(&mut self, shared: &Shared, warp: &Warp, group: &Group) -> u64 {
        let Some(mut steer) = self.steer.take() else { return u64::MAX };
        let code = &self.context.decoded.code;
        let before = match steer.stops.get(group.pc as usize) {
            Some(true) => {
                let inst = code.insts[group.pc as usize];
                let active = warp.guarded(&inst, group.frame, group.mask);
                match inst.op {
                    Op::Load(index) => {
                        let access = &code.accesses[index as usize];
                        let bases = warp.read(group.frame, access.base);
                        let known = steer.loaded.entry((shared.linear, warp.index, group.pc)).or_insert([0; 32]);
                        for lane in (0..32).filter(|lane| active >> lane & 1 != 0) {
                            known[lane] = bases[lane].wrapping_add(access.offset as u64);
                        }
                    }
                    _ => self.try_to_turn(&mut steer, shared.linear, warp, group, active),
                }
                1
            }
            Some(false) => quiet(&code.insts, group.pc, |at| !steer.stops[at]).max(1),
            None => u64::MAX,
        };
        self.steer = Some(steer);
        before
    }

    /// The lanes of `active` are about to make a condition that is wanted.
    fn try_to_turn(&mut self, steer: &mut Steer<'_>, block: u64, warp: &Warp, group: &Group, active: u32) {
        let context = self.context;
        let code = &context.decoded.code;
        let root = group.pc;
        let function = code.origins[root as usize].function;
        let Steer { request, open: all, writers, loaded, scratch, found, .. } = steer;
        // Each has its share, so that many that cannot be turned keep none of the others from it.
        let share = (request.steps / all.len().max(1) as u64).max(LEAST_STEPS);
        let (Some(open), Some(writers)) = (all.get_mut(&root), writers.get(&function)) else { return };
        open.visits += 1;
        // The first ones, and others that lie further and further apart.
        let its_turn = (open.visits < 4 || open.visits.is_power_of_two()) && open.tries < TRIES;
        if active == 0
            || open.found >= ENOUGH * open.targets.len() as u32
            || open.spent >= share
            || !its_turn && open.hints.is_empty()
        {
            return;
        }
        let (bench, profile) =
            &mut **scratch.get_or_insert_with(|| Box::new((Warp::default(), Profile::new(code.insts.len()))));
        let info = &code.functions[function as usize];
        stand_in(bench, warp, group.frame, info);
        let by = mix(request.seed ^ u64::from(root) << 32 ^ open.visits);
        let mut run = |bench: &mut Warp, at: u32| {
            let mut alone = Group { mask: u32::MAX, frame: 0, pc: at, ..*group };
            self.run_alone(profile, bench, &mut alone);
        };
        let words_of = |expression: &Expression, lane: usize| {
            words(
                code,
                expression,
                request,
                |at| loaded.get(&(block, warp.index, at)).map(|addresses| addresses[lane]),
                |reg| warp.read_lane(group.frame, reg, lane),
            )
        };
        let target = &open.targets[open.tries as usize / open.expressions.len() % open.targets.len()];
        let (mut turned, mut goal) = (None, None);
        for (which, known) in &open.hints {
            let expression = &open.expressions[*which];
            let mut search = Search::new(code, writers, (expression, target.wanted), request, by, &mut run);
            let lane = search.holds_for(bench, known, active);
            open.spent += search.spent;
            turned = lane.and_then(|lane| as_known(&words_of(expression, lane), known));
            if turned.is_some() {
                break;
            }
            stand_in(bench, warp, group.frame, info);
        }
        if turned.is_none() && its_turn {
            let which = open.tries as usize % open.expressions.len();
            open.tries += 1;
            stand_in(bench, warp, group.frame, info);
            let expression = &open.expressions[which];
            let mut search = Search::new(code, writers, (expression, target.wanted), request, by, &mut run);
            let most = share - open.spent;
            if let Some(lane) = search.choose(bench, active) {
                let words = words_of(expression, lane);
                // Half of it for where the thread is, and half for where another may be.
                let solved = (!words.is_empty()).then(|| search.solve(bench, &words, most / 2)).flatten();
                turned = solved.map(|values| changes(&words, &values));
                if turned.is_none() && !words.is_empty() && !expression.places.is_empty() && open.hints.is_empty() {
                    // What is as near as it may be here is so somewhere, perhaps.
                    let nearest = search.nearest.take();
                    open.hints.extend(nearest.map(|(_, values)| (which, hint(&words, &values))));
                    let free = places(request, expression, |reg| warp.read_lane(group.frame, reg, lane));
                    let with_places: Vec<Word> = words.iter().cloned().chain(free).collect();
                    let values = search.solve(bench, &with_places, most / 2);
                    open.hints.extend(values.map(|values| (which, hint(&words, &values))));
                }
                let unplaced =
                    unplaced(code, request, expression, &words, |reg| warp.read_lane(group.frame, reg, lane));
                if turned.is_none() && !unplaced.is_empty() && open.goals < ENOUGH {
                    let all: Vec<Word> = words.iter().cloned().chain(unplaced).collect();
                    let values = search.solve(bench, &all, most / 2);
                    goal = values.and_then(|values| passed_on(&all, &values, words.len()));
                }
            }
            open.spent += search.spent;
        }
        let Some(mut changes) = turned.or_else(|| Some(goal.as_ref()?.1.clone())) else { return };
        let goal = goal.map(|(value, _)| value);
        match goal {
            Some(_) => open.goals += 1,
            None => open.found += 1,
        }
        changes.extend(target.changes.iter().cloned());
        let (file, line) = code.lines[code.origins[target.at as usize].place as usize];
        let file = if line > 0 { code.file(file).to_string() } else { String::new() };
        found.push(Steered { at: target.at, file, line, changes, goal });
    }
}

/// What changes of some words that come to these values.
fn changes(words: &[Word], values: &[u64]) -> Vec<(u64, Vec<u8>)> {
    let changed = words.iter().zip(values).filter(|(word, value)| word.value != **value);
    changed.map(|(word, value)| (word.address, value.to_le_bytes()[..word.size].to_vec())).collect()
}

/// Operations that make what is exchanged, passed to a function or stored for the block; where nothing is, what is stored for the next
/// launch.
fn producers(decoded: &Decoded, all: &mut HashMap<u32, Writers>) -> BTreeSet<u32> {
    let code = &decoded.code;
    let (mut near, mut far) = (BTreeSet::new(), BTreeSet::new());
    for (at, inst) in code.insts.iter().enumerate() {
        let (passes, producers) = match inst.op {
            Op::Store(index) if code.accesses[index as usize].space == AddressSpace::Global => {
                (code.accesses[index as usize].regs.clone(), &mut far)
            }
            Op::Store(index) => (code.accesses[index as usize].regs.clone(), &mut near),
            Op::Collective(_) => (code.sources(at as u32), &mut near),
            _ => continue,
        };
        let function = code.origins[at].function;
        let own = || writers(code, &code.functions[function as usize]);
        let writers = all.entry(function).or_insert_with(own);
        for reg in passes.iter().filter(|reg| matches!(reg, Reg::R32(_))) {
            producers.extend(writers.get(reg).into_iter().flatten().take(PLACES));
        }
    }
    if near.is_empty() { far } else { near }
}

/// Leaves that no input holds, as words that may be anything: what somebody made of inputs and passed on.
fn unplaced(
    code: &Code,
    request: &SteerRequest,
    expression: &Expression,
    words: &[Word],
    value: impl Fn(Reg) -> u64,
) -> Vec<Word> {
    if !request.parameters.is_empty() {
        return Vec::new();
    }
    let leaves = expression.leaves.iter().map(|leaf| leaf.register(code));
    let has_none = |reg: &Reg| {
        let held = |word: &Word| word.registers.iter().any(|held| held.reg == *reg);
        matches!(reg, Reg::R32(_)) && !words.iter().any(held)
    };
    let word = |(number, reg): (usize, Reg)| {
        // They lie nowhere.
        let address = u64::MAX / 2 - 8 * number as u64;
        Word { input: request.inputs.len(), address, size: 4, registers: vec![Held::all(reg, 4)], value: value(reg) }
    };
    leaves.filter(has_none).take(PLACES).enumerate().map(word).collect()
}

/// The only one of the words from the `own`th on that changes, and how the others do.
fn passed_on(words: &[Word], values: &[u64], own: usize) -> Option<(u64, Vec<(u64, Vec<u8>)>)> {
    let mut other = words[own..].iter().zip(&values[own..]).filter(|(word, value)| word.value != **value);
    let (_, value) = other.next()?;
    other.next().is_none().then(|| (*value, changes(&words[..own], &values[..own])))
}

/// Registers that hang on where a thread is, as words that may be anything.
fn places(request: &SteerRequest, expression: &Expression, value: impl Fn(Reg) -> u64) -> Vec<Word> {
    let word = |(number, reg): (usize, &Reg)| {
        let size = match reg {
            Reg::R64(_) => 8,
            Reg::P(_) => 1,
            _ => 4,
        };
        // They lie nowhere.
        let address = u64::MAX - 8 * number as u64;
        Word { input: request.inputs.len(), address, size, registers: vec![Held::all(*reg, size)], value: value(*reg) }
    };
    expression.places.iter().take(PLACES).enumerate().map(word).collect()
}

/// What the registers hold if the words come to these values.
fn hint(words: &[Word], values: &[u64]) -> Vec<(Held, u64)> {
    let words = words.iter().zip(values);
    words.flat_map(|(word, value)| word.registers.iter().map(|held| (*held, *value))).collect()
}

/// What changes of some words that come to what is known of their registers; nothing where it is not known of each.
fn as_known(words: &[Word], known: &[(Held, u64)]) -> Option<Vec<(u64, Vec<u8>)>> {
    let value = |word: &Word| known.iter().find(|(held, _)| word.registers.iter().any(|own| own.reg == held.reg));
    let values: Option<Vec<u64>> = words.iter().map(|word| value(word).map(|(_, value)| *value)).collect();
    Some(changes(words, &values?))
}

/// Has a warp beside the launch hold what a frame of another has in its registers.
fn stand_in(bench: &mut Warp, warp: &Warp, frame: u32, info: &FunctionInfo) {
    bench.stand_in(warp, frame, info);
    let frame = warp.frames[frame as usize];
    let (r32, r64, p) = (frame.base32 as usize, frame.base64 as usize, frame.base_p as usize);
    bench.r32.iter_mut().zip(&warp.r32[r32..]).for_each(|(to, from)| *to = *from);
    bench.r64.iter_mut().zip(&warp.r64[r64..]).for_each(|(to, from)| *to = *from);
    bench.p.iter_mut().zip(&warp.p[p..]).for_each(|(to, from)| *to = *from);
}

/// The words of inputs that a lane's condition is computed from.
fn words(
    code: &Code,
    expression: &Expression,
    request: &SteerRequest,
    address: impl Fn(u32) -> Option<u64>,
    value: impl Fn(Reg) -> u64,
) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    for leaf in &expression.leaves {
        let reg = leaf.register(code);
        let held = value(reg);
        let place = match *leaf {
            Leaf::Loaded { at, part } => loaded(code, request, (at, part), reg, &address),
            Leaf::Parameter(at) => parameter(code, request, at, reg),
            Leaf::Passed(_) => passed(request, held).map(|(input, at)| Place::new(input, (at, 4), Held::all(reg, 4))),
        };
        let Some(Place { input, at, size, register }) = place else { continue };
        let word = request.inputs[input].word(at, size);
        // What was loaded has been changed since, or is another load's by now.
        if (register.holds(word) ^ held) & mask(register.size) != 0 {
            continue;
        }
        let address = request.inputs[input].address + at as u64;
        if let Some(known) = words.iter_mut().find(|known| (known.address, known.size) == (address, size)) {
            known.registers.push(register);
        } else if words.len() < WORDS {
            words.push(Word { input, address, size, registers: vec![register], value: word });
        }
    }
    words
}

/// Where a word stands in an input, and the register that holds some of it.
struct Place {
    input: usize,
    at: usize,
    size: usize,
    register: Held,
}

impl Place {
    fn new(input: usize, (at, size): (usize, usize), register: Held) -> Self {
        Self { input, at, size, register }
    }
}

/// The elements that a load has brought.
fn loaded(
    code: &Code,
    request: &SteerRequest,
    (at, part): (u32, u32),
    reg: Reg,
    address: &impl Fn(u32) -> Option<u64>,
) -> Option<Place> {
    let Op::Load(index) = code.insts[at as usize].op else { return None };
    let access = &code.accesses[index as usize];
    let size = access.size as usize;
    let address = address(at)? + u64::from(part) * size as u64;
    let mut inputs = request.inputs.iter().enumerate();
    let (input, place) = inputs.find_map(|(index, input)| Some((index, input.find(address, size)?)))?;
    let from = (address - request.inputs[input].address) as usize - place.0;
    Some(Place::new(input, place, Held { from, signed: access.signed, ..Held::all(reg, size) }))
}

/// The size that a parameter is made of.
fn parameter(code: &Code, request: &SteerRequest, at: u32, reg: Reg) -> Option<Place> {
    let (offset, size) = match code.insts[at as usize].op {
        Op::Param32 { offset, .. } => (offset, 4),
        Op::Param64 { offset, .. } => (offset, 8),
        _ => return None,
    };
    let found = request.parameters.iter().find(|parameter| parameter.offset == offset)?;
    Some(Place::new(found.input, (0, 8), Held { linear: (found.times, found.plus), ..Held::all(reg, size) }))
}

/// Where the only element of all inputs stands that is this one.
fn passed(request: &SteerRequest, word: u64) -> Option<(usize, usize)> {
    if word == 0 {
        return None;
    }
    let mut found = None;
    for (index, input) in request.inputs.iter().enumerate().filter(|(_, input)| input.element.size() == 4) {
        for (at, bytes) in input.bytes.as_chunks::<4>().0.iter().enumerate() {
            if u64::from(u32::from_le_bytes(*bytes)) == word {
                if found.is_some() {
                    return None;
                }
                found = Some((index, 4 * at));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests;
