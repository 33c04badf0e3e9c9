//! Looks for inputs by which conditions come out the other way: where a lane is about to make one that is wanted, what it is computed
//! from is computed again, 32 tries at a time, with other words of the inputs in place of those that were loaded.

mod cost;
mod expression;
pub(super) mod places;
mod producers;
mod search;
mod signals;
mod spread;
mod words;

use super::block::Shared;
use super::context::Worker;
use super::profile::Profile;
use super::schedule::quiet;
use super::warp::{Group, Warp};
use crate::isa::decode::Decoded;
use crate::isa::op::{AddressSpace, Code, FunctionInfo, Op, Reg};
use crate::observe::Observer;
use crate::random::mix;
use crate::steer::{Aim, Goal, SteerRequest, Steered};
use cost::{Metric, Wanted};
use expression::{Expression, Leaf, Writers, writers_around};
use producers::{is_gathered, producers};
use search::{Search, Word};
use spread::{Lanes, exchanges};
use std::collections::HashMap;
use words::{Changes, Hint, PassedOn, as_known, by_difference, changes, hint, passed_on, places, unplaced, words};

/// Lanes for which a condition is tried, ...
const TRIES: u32 = 12;
/// ... until so many inputs are known.
const ENOUGH: u32 = 2;
/// Loads that are noted only because somebody may be passed something on.
const NOTED: u32 = 1 << 10;
/// Operations that may be computed for a condition, however many there are.
const LEAST_STEPS: u64 = 1 << 10;

/// What a host thread looks for.
pub struct Steer<'a> {
    request: &'a SteerRequest,
    /// By operation: does anything happen there?
    stops: Vec<bool>,
    /// By root.
    open: HashMap<u32, Open>,
    /// By function: who writes what.
    writers: HashMap<u32, Writers>,
    /// Loads of which no condition is computed, as far as that is known: noted a while.
    others: Vec<u32>,
    noted: u32,
    /// Addresses that loads had last: by block, warp and load.
    loaded: HashMap<(u64, u32, u32), [u64; 32]>,
    scratch: Option<Box<(Warp, Profile)>>,
    found: Vec<Steered>,
}

/// What its result is to be, and for which condition.
struct Target {
    wanted: Wanted,
    at: u32,
    aim: Aim,
    /// What has to change besides.
    changes: Changes,
    /// It is wanted of several lanes, of each something else.
    lanes: Option<Lanes>,
}

impl Target {
    /// What has to change for it.
    fn steered(&self, code: &Code, mut changes: Changes, goal: Vec<u64>, guess: bool) -> Steered {
        changes.extend(self.changes.iter().cloned());
        let (file, line) = code.lines[code.origins[self.at as usize].place as usize];
        let file = if line > 0 { code.file(file).to_string() } else { String::new() };
        Steered { at: self.at, aim: self.aim, file, line, changes, goal, guess }
    }

    /// The same change for all lanes, of which these are the words: nothing comes of one alone, perhaps.
    fn for_all(&self, code: &Code, words: impl Iterator<Item = Vec<Word>>, known: &Hint) -> Steered {
        let all = words.filter_map(|words| as_known(&words, known));
        self.steered(code, all.flatten().collect(), Vec::new(), true)
    }

    /// A word that has to be passed on, and what it may become by as much as what was loaded from some addresses does.
    fn passed_on(&self, code: &Code, request: &SteerRequest, loaded: Vec<u64>, passed: PassedOn) -> Vec<Steered> {
        let PassedOn { is, wanted, others, changes } = passed;
        let guesses = by_difference(request, loaded, (is, wanted));
        let guesses = guesses.map(|guess| self.steered(code, [changes.clone(), guess].concat(), Vec::new(), true));
        let goal = [vec![wanted], others].concat();
        guesses.into_iter().chain([self.steered(code, changes.clone(), goal, false)]).collect()
    }
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
    /// What it makes is put together with what other lanes make.
    gathered: bool,
    /// Words with which it is as wanted somewhere, perhaps: for which of the expressions, and by the register that holds them.
    hints: Vec<(usize, Hint)>,
}

impl Open {
    /// The first visits, and others that lie further and further apart.
    fn has_its_turn(&self) -> bool {
        (self.visits < 4 || self.visits.is_power_of_two()) && self.tries < TRIES
    }

    /// Enough is found, or so much spent.
    fn is_done(&self, share: u64) -> bool {
        self.found >= ENOUGH * self.targets.len() as u32 || self.spent >= share
    }
}

impl<'a> Steer<'a> {
    /// Of the conditions that are asked for those that inputs may turn.
    pub fn new(request: &'a SteerRequest, decoded: &Decoded) -> Self {
        let mut steer = Self {
            request,
            stops: vec![false; decoded.code.insts.len()],
            open: HashMap::new(),
            writers: HashMap::new(),
            others: Vec::new(),
            noted: 0,
            loaded: HashMap::new(),
            scratch: None,
            found: Vec::new(),
        };
        for &(root, aim) in &request.wanted {
            let Some(turn) = decoded.turns().get(root as usize) else { continue };
            let may_turn = match aim {
                Aim::Equal => turn.ordered > 0,
                Aim::Is(_) => turn.is_predicate() || turn.narrows,
                Aim::Other(_) => turn.varies && !steer.hangs_on_constants(decoded, root),
            };
            if may_turn {
                steer.add(
                    decoded,
                    root,
                    Target { wanted: aim.into(), at: root, aim, changes: Vec::new(), lanes: None },
                );
            }
        }
        if !steer.open.is_empty() && !request.is_of_sizes() {
            // What is passed on may come from any of them.
            let insts = decoded.code.insts.iter().zip(0u32..);
            let others = insts.filter(|(inst, at)| !steer.stops[*at as usize] && loads_global(&decoded.code, &inst.op));
            steer.others = others.map(|(_, at)| at).collect();
            steer.others.iter().for_each(|at| steer.stops[*at as usize] = true);
        }
        if !request.goals.is_empty() {
            let target = |goal: &Goal, lanes: Option<Lanes>| {
                let wanted = Wanted::Value(goal.words.first().copied().unwrap_or(0));
                Target { wanted, at: goal.at, aim: goal.aim, changes: goal.changes.clone(), lanes }
            };
            for root in producers(decoded, &mut steer.writers) {
                request.goals.iter().for_each(|goal| steer.add(decoded, root, target(goal, None)));
            }
            for goal in &request.goals {
                for (root, given, lanes) in exchanges(decoded, &mut steer.writers, goal) {
                    steer.add_of(decoded, (root, Some(given)), target(goal, Some(lanes)));
                }
            }
        }
        steer
    }

    /// Does an operation compute with nothing but numbers that are to vary first?
    fn hangs_on_constants(&mut self, decoded: &Decoded, root: u32) -> bool {
        let code = &decoded.code;
        let writers = writers_around(&mut self.writers, code, root);
        let is_asked = |at: &u32| {
            let mut aims = self.request.wanted.iter().filter(|(other, _)| other == at);
            aims.any(|(_, aim)| {
                decoded.turns()[*at as usize].is_predicate() && matches!(aim, Aim::Is(_))
                    || matches!(aim, Aim::Other(_))
            })
        };
        let sources = code.sources(root);
        let mut written = sources.iter().filter_map(|reg| writers.get(reg)).flatten().peekable();
        written.peek().is_some() && written.all(is_asked)
    }

    /// Something is wanted of an operation's result.
    fn add(&mut self, decoded: &Decoded, root: u32, target: Target) {
        self.add_of(decoded, (root, None), target);
    }

    /// Something is wanted of an operation's result, or of a register that it passes on, as far as inputs may have a say.
    fn add_of(&mut self, decoded: &Decoded, (root, given): (u32, Option<Reg>), target: Target) {
        if let Some(open) = self.open.get_mut(&root) {
            open.targets.push(target);
            return;
        }
        let code = &decoded.code;
        let writers = writers_around(&mut self.writers, code, root);
        let sizes = self.request.is_of_sizes();
        let of = |several| match given {
            Some(given) => Expression::given(code, decoded.turns(), writers, (root, given), several),
            None => Expression::of(code, decoded.turns(), writers, root, (sizes, several)),
        };
        let mut expressions: Vec<Expression> = of(false).into_iter().collect();
        expressions.extend(of(true).filter(|other| expressions.first().is_none_or(|one| one.steps != other.steps)));
        let leaves = expressions.iter().flat_map(|expression| &expression.leaves);
        let loads = leaves.filter_map(|leaf| match leaf {
            Leaf::Loaded { at, .. } => Some(*at),
            Leaf::Parameter(_) | Leaf::Passed(_) | Leaf::Gathered(_) => None,
        });
        if !expressions.is_empty() {
            loads.chain([root]).for_each(|at| self.stops[at as usize] = true);
            let targets = vec![target];
            let gathered = is_gathered(code, root);
            let (visits, tries, found, goals, spent, hints) = (0, 0, 0, 0, 0, Vec::new());
            let open = Open { expressions, targets, visits, tries, found, goals, spent, gathered, hints };
            self.open.insert(root, open);
        }
    }

    /// One more of them has run.
    fn note_other(&mut self, at: u32) {
        if !self.others.contains(&at) {
            return;
        }
        self.noted += 1;
        if self.noted >= NOTED {
            std::mem::take(&mut self.others).into_iter().for_each(|at| self.stops[at as usize] = false);
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
                        steer.note_other(group.pc);
                        let access = &code.accesses[index as usize];
                        let bases = warp.read(group.frame, access.base);
                        let known = steer.loaded.entry((shared.linear, warp.index, group.pc)).or_insert([0; 32]);
                        for lane in lanes(active) {
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
    #[expect(clippy::too_many_lines, reason = "what is tried in turn shares what the lanes hold")]
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
        let its_turn = open.has_its_turn();
        if active == 0 || open.is_done(share) || !its_turn && open.hints.is_empty() {
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
        if let Some(each) = &target.lanes {
            let expression = &open.expressions[open.tries as usize % open.expressions.len()];
            open.tries += 1;
            let first = lanes(active).next().map_or(0, |lane| warp.read_lane(group.frame, expression.result, lane));
            let mut spent = 0;
            let most = share.saturating_sub(open.spent) / 4;
            let changes = each.solve(active, first, |lane, wanted, known| {
                stand_in(bench, warp, group.frame, info);
                let mut search = Search::new(code, writers, (expression, wanted), request, by, &mut run);
                let found = search.hand_in(bench, (lane, &words_of(expression, lane)), known, most);
                spent += search.spent;
                found
            });
            open.spent += spent;
            open.found += u32::from(changes.is_some());
            found.extend(changes.map(|changes| target.steered(code, changes, Vec::new(), true)));
            return;
        }
        for (which, known) in &open.hints {
            let expression = &open.expressions[*which];
            let mut search = Search::new(code, writers, (expression, target.wanted), request, by, &mut run);
            let lane = search.holds_for(bench, known, active);
            open.spent += search.spent;
            let changes = lane.and_then(|lane| as_known(&words_of(expression, lane), known));
            turned = changes.map(|changes| (changes, *which, known.clone()));
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
            if let Some(lane) = search.choose(bench, active) {
                let value = |reg| warp.read_lane(group.frame, reg, lane);
                let own = words_of(expression, lane);
                let goals = open.goals < ENOUGH;
                let unplaced = if goals { unplaced(code, request, expression, &own, value) } else { Vec::new() };
                let free = if open.hints.is_empty() { places(request, expression, value) } else { Vec::new() };
                let words = Words { own, free, unplaced };
                let most = share.saturating_sub(open.spent);
                let (solved, hints, passed) = words.solve(&mut search, bench, most);
                turned = solved.map(|(changes, known)| (changes, which, known));
                goal = passed.map(|passed| (lane, passed));
                open.hints.extend(hints.into_iter().map(|known| (which, known)));
            }
            open.spent += search.spent;
        }
        if let Some((changes, which, known)) = turned {
            open.found += 1;
            found.push(target.steered(code, changes, Vec::new(), false));
            if open.gathered {
                let words = lanes(active).map(|lane| words_of(&open.expressions[which], lane));
                found.push(target.for_all(code, words, &known));
            }
        } else if let Some((lane, passed)) = goal {
            open.goals += 1;
            let own = loaded.iter().filter(|((at, of, _), _)| (*at, *of) == (block, warp.index));
            let own = own.filter(|_| matches!(target.aim, Aim::Is(_))).map(|(_, addresses)| addresses[lane]);
            found.extend(target.passed_on(code, request, own.collect(), passed));
        }
    }
}

/// Those of a mask.
fn lanes(mask: u32) -> impl Iterator<Item = usize> {
    (0..32).filter(move |lane| mask >> lane & 1 != 0)
}

/// What a lane's condition is computed from.
struct Words {
    /// Of inputs.
    own: Vec<Word>,
    /// Registers that hang on where a thread is.
    free: Vec<Word>,
    /// What was passed on.
    unplaced: Vec<Word>,
}

impl Words {
    /// What has to change; or else words with which it is so at another place, perhaps, and the word that has to be passed on.
    fn solve<R: FnMut(&mut Warp, u32)>(
        &self,
        search: &mut Search<'_, R>,
        bench: &mut Warp,
        most: u64,
    ) -> (Option<(Changes, Hint)>, Vec<Hint>, Option<PassedOn>) {
        let own = &self.own;
        let mut hints = Vec::new();
        // Half of it for where the thread is, and half for where another may be.
        if !own.is_empty() {
            if let Some(values) = search.solve(bench, own, most / 2) {
                return (Some((changes(own, &values), hint(own, &values))), hints, None);
            }
            if !self.free.is_empty() {
                // What is as near as it may be here is so somewhere, perhaps.
                hints.extend(search.nearest.take().map(|(_, values)| hint(own, &values)));
                let values = search.solve(bench, &[own.as_slice(), &self.free].concat(), most / 2);
                hints.extend(values.map(|values| hint(own, &values)));
            }
        }
        if self.unplaced.is_empty() {
            return (None, hints, None);
        }
        let all = [own.as_slice(), &self.unplaced].concat();
        let goal = search.solve(bench, &all, most / 2).and_then(|values| passed_on(&all, &values, own.len()));
        (None, hints, goal)
    }
}

/// Does it load from where inputs may be?
fn loads_global(code: &Code, op: &Op) -> bool {
    let Op::Load(index) = *op else { return false };
    let access = &code.accesses[index as usize];
    matches!(access.space, AddressSpace::Global | AddressSpace::Generic) && !access.frame && !access.parameter
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

#[cfg(test)]
mod tests;
