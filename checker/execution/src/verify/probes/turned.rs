//! Inputs by which a condition of the code comes out as it did in no run: what is done about few values, or few pairs of them, no draw
//! meets, but the code has to ask for it.
//!
//! Where the conditions of a version that hang on data always came out the same, the simulator looks for elements of the inputs by which
//! they do not (`simulator::steer`). Over these the version runs once more, watched, and the oracle says what is right. What is asked only
//! where another condition holds is asked in a next round.

use super::unused::drawn;
use crate::backend::machine::{Change, Free, Machine, Pass, Session, Stop, Turned};
use crate::backend::{Output, Program, RunId, Status, TurnedInputs};
use crate::verify::answer::ask;
use crate::verify::inputs::{filled, prepare};
use crate::verify::judge::judge_outputs;
use plan::Role;
use simulator::finding::FindingName;
use simulator::steer::Aim;
use simulator::{Condition, Question, Severity};
use std::collections::{BTreeMap, BTreeSet};
use values::compare::{real, value};
use values::fill::{self, Values};
use values::named;

/// Rounds of looking, each over what the one before has found.
const ROUNDS: u64 = 8;
/// Runs of a round, over what cannot change at once.
const GROUPS: usize = 4;

/// Words that are looked for in a pass.
const MOST_GOALS: usize = 16;

/// Warp instructions up to which all other elements become an end of their interval, too.
const FEW: u64 = 1 << 15;
/// A run over other inputs may take so many times as many warp instructions as the one that has passed, ...
const MORE: u64 = 16;
/// ... and so many in any case.
const LEAST_STEPS: u64 = 1 << 18;
/// A run over inputs that are only guessed may take so many times as many.
const GUESSED: u64 = 2;

/// How it failed, and over what.
pub struct Failed {
    /// How.
    pub status: Status,
    /// What the launches told.
    pub pass: Pass,
    /// Over what.
    pub inputs: TurnedInputs,
}

/// What came of looking.
pub enum Found {
    /// It fails.
    Wrong(Box<Failed>),
    /// It does not; what its conditions came to that hang on data.
    Conditions(Vec<Condition>),
}

/// Changes that can be made at once, and what turns by them.
type Group = (Vec<Change>, Vec<Turned>);

/// The inputs of a run, or all of them at an end of their interval, the upper one or not.
type Base<'a> = (&'a RunId, Option<bool>);

/// A version that has passed, and who says what is right.
pub struct Probe<'a> {
    /// Where it runs.
    pub machine: &'a dyn Machine,
    /// It.
    pub program: &'a Program,
    /// Who says so.
    pub oracle: &'a Program,
    /// What is judged.
    pub outputs: &'a [Output],
    /// Warp instructions of the run that has passed.
    pub steps: u64,
}

impl Probe<'_> {
    /// Looks for inputs, beginning with those of a run that has passed, over which the version fails.
    ///
    /// # Errors
    /// Whatever stopped the oracle, or the backend.
    pub fn judge(&self, run: &RunId) -> Result<Found, Stop> {
        let run = drawn(self.program, run);
        let free: Vec<Free> = self.free(&run);
        let mut changes = Vec::new();
        let mut met: BTreeMap<(u32, Question), Condition> = BTreeMap::new();
        let (mut asked, mut followed) = (BTreeSet::new(), BTreeSet::new());
        'rounds: for round in 0..ROUNDS {
            if free.is_empty() {
                break;
            }
            let Ok(conditions) = self.over((&run, None), &changes, false)?.conditions() else { break };
            for condition in conditions.into_iter().filter(|one| !one.by_size) {
                let key = (condition.at, condition.question);
                met.entry(key).and_modify(|known| known.add(&condition)).or_insert(condition);
            }
            let open = met.values().filter_map(|condition| Some((condition.at, condition.aim()?)));
            let open = open.filter(|open| !asked.contains(open));
            // Two ways of one condition first: what else may come out otherwise keeps none of these from it.
            let (ways, others): (BTreeSet<_>, BTreeSet<_>) = open.partition(|(_, aim)| matches!(aim, Aim::Is(_)));
            let seed = run.seed.rotate_left(8) ^ round;
            let mut found = Vec::new();
            for wanted in [ways, others].into_iter().filter(|wanted| !wanted.is_empty()) {
                asked.extend(wanted.iter().copied());
                let Some(more) = self.find((&run, &changes), wanted, &mut followed, &free, seed)? else {
                    break 'rounds;
                };
                found.extend(more);
                if found.iter().any(|turned| !turned.changes.is_empty()) {
                    break;
                }
            }
            // What is only guessed takes nobody's place.
            found.sort_by_key(|turned| turned.guess);
            let guessed = found.last().is_some_and(|turned| turned.guess);
            let (groups, later) = together(&changes, found);
            later.iter().for_each(|at| _ = asked.remove(at));
            for (all, found) in &groups {
                let most = match found.iter().all(|turned| turned.guess) {
                    true => GUESSED * self.steps,
                    false => self.most(),
                };
                if let Some(failed) = self.fails(&run, all, most)? {
                    return self.blame(&run, &changes, found, failed).map(|failed| Found::Wrong(Box::new(failed)));
                }
                // It has come out so, and was right.
                for condition in met.values_mut() {
                    let turned = found.iter().any(|turned| {
                        !turned.guess && (turned.at, Some(turned.aim)) == (condition.at, condition.aim())
                    });
                    (condition.held, condition.failed) = (condition.held || turned, condition.failed || turned);
                }
            }
            match groups.into_iter().find(|(_, own)| own.iter().any(|turned| !turned.guess)) {
                Some((all, _)) => changes = all,
                None if guessed => {}
                None => break,
            }
        }
        let asked = |condition: &Condition| matches!(condition.question, Question::True | Question::NotZero);
        Ok(Found::Conditions(met.into_values().filter(asked).collect()))
    }

    /// Looks for changes by which conditions come out as wanted: of what is loaded, and in a further pass of what is made of that and
    /// passed on, where nobody followed that word before. Nothing where a pass does not end well.
    fn find(
        &self,
        (run, changes): (&RunId, &[Change]),
        wanted: BTreeSet<(u32, Aim)>,
        followed: &mut BTreeSet<(u32, Aim, Vec<u64>)>,
        free: &[Free],
        seed: u64,
    ) -> Result<Option<Vec<Turned>>, Stop> {
        let turn = |wanted, goals: &[Turned], seed| -> Result<_, Stop> {
            let found = self.over((run, None), changes, false)?.turn(wanted, goals, free, seed);
            Ok(found.ok().map(|all| all.into_iter().partition::<Vec<Turned>, _>(|turned| turned.goal.is_empty())))
        };
        let Some((mut found, mut goals)) = turn(wanted, &[], seed)? else { return Ok(None) };
        goals.retain(|goal| {
            !found.iter().any(|turned| !turned.guess && turned.at == goal.at)
                && followed.insert((goal.at, goal.aim, goal.goal.clone()))
        });
        goals.truncate(MOST_GOALS);
        if !goals.is_empty() {
            let Some((more, _)) = turn(BTreeSet::new(), &goals, seed)? else { return Ok(None) };
            found.extend(more);
        }
        Ok(Some(found))
    }

    /// Inputs of independent elements.
    fn free(&self, run: &RunId) -> Vec<Free> {
        let buffers = self.program.plan.buffers.iter().enumerate();
        let inputs = buffers.filter(|(_, buffer)| matches!(buffer.role, Role::In | Role::InOut) && buffer.len > 0);
        let free = inputs.filter_map(|(index, buffer)| {
            let (low, high, _) = named::interval(buffer, run.seed)?;
            Some(Free { buffer: index, low, high })
        });
        free.collect()
    }

    /// A session of its own with these inputs. Others than those that change may all be an end of their interval.
    fn over(&self, (run, end): Base<'_>, changes: &[Change], watched: bool) -> Result<Box<dyn Session + '_>, Stop> {
        let mut session = self.machine.open(self.program)?;
        session.set_checked(watched);
        prepare(&mut *session, self.program, run)?;
        session.draw(run.seed);
        self.write(&mut *session, self.program, (run, end), changes)?;
        Ok(session)
    }

    /// Warp instructions that a run over other inputs may take.
    fn most(&self) -> u64 {
        LEAST_STEPS.max(MORE * self.steps)
    }

    /// Runs it over these inputs, and where they are the largest or the smallest of all, `most` warp instructions each: how it fails, if it
    /// does.
    fn fails(&self, run: &RunId, changes: &[Change], most: u64) -> Result<Option<(Status, Pass)>, Stop> {
        let ends: &[_] = if self.steps <= FEW { &[None, Some(false), Some(true)] } else { &[None] };
        for &end in ends {
            if let Some(failed) = self.fails_over((run, end), changes, most)? {
                return Ok(Some(failed));
            }
        }
        Ok(None)
    }

    fn fails_over(&self, base: Base<'_>, changes: &[Change], most: u64) -> Result<Option<(Status, Pass)>, Stop> {
        let mut session = self.over(base, changes, true)?;
        let run = base.0;
        session.at_most(most);
        let mut pass = session.pass(run.schedule);
        if let Some(stop) = pass.stop.take() {
            let status = stop.status().map_err(Stop::Failure)?;
            // Other inputs may take longer.
            let long = matches!(&status, Status::Fault { fault } if fault.name == FindingName::StepLimit.name());
            return Ok((!long).then_some((status, pass)));
        }
        let change = |session: &mut dyn Session| self.write(session, self.oracle, base, changes);
        let answer = ask(self.machine, self.oracle, self.outputs, (run.seed, run.values), change)?;
        // What was changed lies on no grid.
        let run = RunId { values: Values::Edges, ..*run };
        let status = judge_outputs(&mut *session, self.program, self.outputs, &run, Some(&answer), &mut None)?;
        let mut caught = pass.reports.iter().flat_map(|report| &report.findings);
        let grave = caught.any(|found| found.severity == Severity::Error);
        Ok((!status.passed() || grave).then_some((status, pass)))
    }

    /// The first of the conditions that fails alone, or else all of them.
    fn blame(&self, run: &RunId, before: &[Change], found: &[Turned], failed: (Status, Pass)) -> Result<Failed, Stop> {
        if found.len() > 1 {
            for turned in found {
                let mut changes = before.to_vec();
                add(&mut changes, &turned.changes);
                if let Some((status, pass)) = self.fails(run, &changes, self.most())? {
                    return Ok(Failed { status, pass, inputs: self.inputs(turned, &turned.changes) });
                }
            }
        }
        let all: Vec<Change> = found.iter().flat_map(|turned| turned.changes.clone()).collect();
        let (status, pass) = failed;
        Ok(Failed { status, pass, inputs: self.inputs(&found[0], &all) })
    }

    /// What changes, element by element.
    fn inputs(&self, turned: &Turned, changes: &[Change]) -> TurnedInputs {
        let mut elements = Vec::new();
        for change in changes {
            let buffer = &self.program.plan.buffers[change.buffer];
            let size = buffer.dtype.size();
            for (part, bytes) in change.bytes.chunks_exact(size).enumerate() {
                elements.push((buffer.name.clone(), (change.at / size + part) as u64, value(buffer.dtype, bytes)));
            }
        }
        TurnedInputs { file: turned.file.clone(), line: turned.line, elements }
    }

    /// Writes the inputs that change, where a program has them.
    fn write(
        &self,
        session: &mut dyn Session,
        to: &Program,
        (run, end): Base<'_>,
        changes: &[Change],
    ) -> Result<(), Stop> {
        for (index, held) in to.plan.buffers.iter().enumerate() {
            let own = self.program.plan.buffers.iter().enumerate().find(|(_, buffer)| buffer.name == held.name);
            let Some((number, buffer)) = own.filter(|(number, _)| changes.iter().any(|one| one.buffer == *number))
            else {
                continue;
            };
            let from = buffer.dtype;
            let mut bytes = filled(to, held, run)?.to_vec();
            if let Some(end) = end.and_then(|upper| fill::end(held, (run.seed, run.values), upper)) {
                bytes.chunks_exact_mut(end.len()).for_each(|element| element.copy_from_slice(&end));
            }
            for change in changes.iter().filter(|change| change.buffer == number) {
                for (part, element) in change.bytes.chunks_exact(from.size()).enumerate() {
                    let at = (change.at / from.size() + part) * held.dtype.size();
                    // An oracle may hold it in double precision.
                    let wide = real(from, element).to_le_bytes();
                    let element = if held.dtype == from { element } else { &wide };
                    bytes[at..at + held.dtype.size()].copy_from_slice(element);
                }
            }
            session.write(index, &bytes)?;
        }
        Ok(())
    }
}

/// What can change at once, with what has changed before; what cannot comes in another run, and conditions for which there is none in
/// another round.
fn together(before: &[Change], found: Vec<Turned>) -> (Vec<Group>, Vec<(u32, Aim)>) {
    let mut groups: Vec<Group> = Vec::new();
    let mut later = Vec::new();
    for turned in found.into_iter().filter(|turned| !turned.changes.is_empty()) {
        let room = groups.iter_mut().find_map(|(all, own)| add(all, &turned.changes).then_some(own));
        if let Some(own) = room {
            own.push(turned);
        } else if groups.len() < GROUPS {
            let mut all = before.to_vec();
            if turned.guess {
                // Of many elements, some of which have changed before.
                all.retain(|known| !turned.changes.iter().any(|new| meets(known, new)));
            }
            if add(&mut all, &turned.changes) {
                groups.push((all, vec![turned]));
            }
        } else if !turned.guess {
            later.push((turned.at, turned.aim));
        }
    }
    (groups, later)
}

/// Adds changes, unless one of them is of bytes that change already.
fn add(changes: &mut Vec<Change>, more: &[Change]) -> bool {
    let free =
        !more.is_empty() && more.iter().all(|new| !changes.iter().any(|known| meets(known, new) && known != new));
    if free {
        changes.extend(more.iter().filter(|new| !changes.contains(new)).cloned().collect::<Vec<_>>());
    }
    free
}

/// Are they of the same bytes, in part?
fn meets(a: &Change, b: &Change) -> bool {
    a.buffer == b.buffer && a.at < b.at + b.bytes.len() && b.at < a.at + a.bytes.len()
}
