//! Elements of the inputs that a version reads, perhaps, and never uses. Where many inputs become few outputs, what becomes of one of
//! them is less than roundings, or hidden by a larger one: so some become an end of their interval, and where an output of the oracle's
//! follows, the version's must not stay the same in every bit.
//!
//! The first are the last of each part of an input, where a tail is left out; more are drawn, one in every part, as many as may be
//! afforded.

mod planted;

use crate::backend::machine::{Machine, Session, Stop};
use crate::backend::{Output, Program, RunId, Status};
use crate::verify::answer::{OracleOutputs, ask};
use crate::verify::inputs::prepare;
use crate::verify::judge::{judge_outputs, judgement, read_all, wanted};
use plan::Buffer;
pub(super) use planted::drawn;
use planted::{Instead, Places, Planted, long, others};
use values::Tolerance;
use values::compare::{may_hide, must_change};
use values::fill::Values;

/// Warp instructions for all runs of a version over inputs that are long: hundredths of a second.
pub const MOST_STEPS: u64 = 1 << 20;
/// As many such runs at most.
const MOST_RUNS: u64 = 16;
/// Warp instructions of a version up to which inputs that are not long are changed as well.
const FEW_STEPS: u64 = 1 << 17;
/// Times that the oracle is asked: where one output alone hangs on all, seldom.
const MOST_ASKED: u32 = 3;
/// Elements that are changed in all runs, where many change at once.
const ENOUGH: u64 = 1 << 10;

/// A version that has just passed a run.
pub struct Passed<'a> {
    /// It.
    pub program: &'a Program,
    /// The run.
    pub run: &'a RunId,
    /// The oracle's answer to it.
    pub answer: &'a OracleOutputs,
    /// Warp instructions it took.
    pub steps: u64,
}

/// Runs version and oracle more often, where something may be hidden. What the session holds is of another run then.
///
/// # Errors
/// Whatever stopped the oracle, or the backend.
pub fn judge<'a>(
    machine: &dyn Machine,
    session: &mut dyn Session,
    passed: &Passed<'a>,
    oracle: &Program,
    outputs: &'a [Output],
) -> Result<Status, Stop> {
    let Passed { program, run, answer, steps } = *passed;
    let of = |output: &'a Output| {
        let at = program.plan.buffers.iter().position(|buffer| buffer.name == output.name)?;
        Some(Judged { output, at, buffer: &program.plan.buffers[at] })
    };
    let judged: Vec<Judged<'_>> = outputs.iter().filter_map(of).collect();
    let hides = |Judged { output, buffer, .. }: &Judged<'_>| {
        let judgement = judgement(program, output, run);
        wanted(answer, output, buffer).is_ok_and(|wanted| may_hide(buffer.dtype, wanted, judgement))
    };
    let least = judged.iter().map(|judged| judged.buffer.len).min();
    let (true, Some(least)) = (judged.iter().any(hides), least) else { return Ok(Status::Passed) };
    let drawn = drawn(program, run);
    let (long, others) = (long(program, &drawn, least), others(program, &drawn, least).filter(|_| steps <= FEW_STEPS));
    if long.is_none() && others.is_none() {
        return Ok(Status::Passed);
    }
    let own = (drawn.seed != run.seed)
        .then(|| ask(machine, oracle, outputs, (drawn.seed, drawn.values), |_| Ok(())))
        .transpose()?;
    let passed = Passed { program, run: &drawn, answer: own.as_ref().unwrap_or(answer), steps };
    let mut probe = Probe { machine, session, passed: &passed, oracle, outputs, judged, before: Vec::new() };
    probe.before = if own.is_some() { probe.run(None)? } else { probe.read()? };
    let status = match &long {
        Some(places) => {
            // The last ones, and at least once others where that is cheap.
            let most = MOST_RUNS.min((ENOUGH / places.parts()).max(2)).min(MOST_STEPS / steps.max(1));
            probe.runs(places, most.max(1))?
        }
        None => Status::Passed,
    };
    match &others {
        Some(places) if status.passed() => probe.runs(places, 1),
        _ => Ok(status),
    }
}

/// An output, and where the version has it.
struct Judged<'a> {
    output: &'a Output,
    at: usize,
    buffer: &'a Buffer,
}

/// A version in its session, beside the oracle.
struct Probe<'a> {
    machine: &'a dyn Machine,
    session: &'a mut dyn Session,
    passed: &'a Passed<'a>,
    oracle: &'a Program,
    outputs: &'a [Output],
    judged: Vec<Judged<'a>>,
    /// What the outputs were over the inputs as they are.
    before: Vec<Vec<u8>>,
}

/// An element of an output, by its number among the judged.
type Element = (usize, usize);

impl Probe<'_> {
    /// Changes elements again and again: the last ones, then others.
    fn runs(&mut self, places: &Places<'_>, runs: u64) -> Result<Status, Stop> {
        let mut asked = 0;
        // Which end matters, to a maximum say, nobody knows but the oracle.
        let first = self.passed.run.seed.is_multiple_of(2);
        let mut ends = vec![first, !first];
        let mut round = 0;
        while round < runs && !ends.is_empty() {
            let upper = ends[round as usize % ends.len()];
            let planted = places.planted((round, runs), Instead::End { upper });
            let after = self.run(Some(&planted))?;
            let same = self.same(&after);
            // The first are judged, too: values that lie far from all others may be right in no draw.
            if !same.is_empty() || asked == 0 {
                if asked == MOST_ASKED {
                    break;
                }
                asked += 1;
                let other = self.ask(&planted)?;
                let follow = self.changes(&other);
                let stuck = follow.iter().find(|element| same.binary_search(element).is_ok());
                // Judged while the session has it.
                let status = self.judge(&other)?;
                if let Some(element) = stuck
                    && let Some(elements) = self.single(planted, *element)?
                {
                    return Ok(Status::NeverUses { elements });
                }
                if !status.passed() {
                    return Ok(status);
                }
                if follow.is_empty() {
                    ends.retain(|end| *end != upper);
                    continue;
                }
            }
            round += 1;
        }
        Ok(Status::Passed)
    }

    /// The one of the planted elements that an element of an output does not follow, unless it stays the same by accident.
    fn single(&mut self, mut planted: Planted<'_>, element: Element) -> Result<Option<Vec<(String, u64)>>, Stop> {
        while let Some(half) = planted.split() {
            if !self.follow(&planted)?.contains(&element) {
                planted = half;
            }
        }
        let Judged { output, buffer, .. } = &self.judged[element.0];
        let mut instead = vec![planted.instead];
        if buffer.dtype.is_float() && output.tolerance != Tolerance::Exact {
            // Sums may round to the same bits once.
            instead.push(planted.instead.other());
            instead.extend([Instead::Drawn(1), Instead::Drawn(2)]);
        } else if !self.follow(&planted)?.contains(&element) {
            return Ok(None);
        }
        for instead in instead {
            planted.instead = instead;
            let after = self.run(Some(&planted))?;
            if !self.is_same(&after, element) {
                return Ok(None);
            }
        }
        Ok(Some(planted.elements()))
    }

    /// The version's outputs over inputs that may be changed.
    fn run(&mut self, planted: Option<&Planted<'_>>) -> Result<Vec<Vec<u8>>, Stop> {
        let Passed { program, run, .. } = *self.passed;
        prepare(self.session, program, run)?;
        planted.map_or(Ok(()), |planted| planted.write(self.session, program))?;
        self.session.set_checked(false);
        if let Some(stop) = self.session.pass(run.schedule).stop {
            return Err(stop);
        }
        self.read()
    }

    fn read(&mut self) -> Result<Vec<Vec<u8>>, Stop> {
        self.judged.iter().map(|judged| read_all(self.session, judged.at, judged.buffer)).collect()
    }

    /// The oracle's answer over changed inputs.
    fn ask(&self, planted: &Planted<'_>) -> Result<OracleOutputs, Stop> {
        let run = self.passed.run;
        let write = |session: &mut dyn Session| planted.write(session, self.oracle);
        ask(self.machine, self.oracle, self.outputs, (run.seed, run.values), write)
    }

    /// Is what the version's latest run left right?
    fn judge(&mut self, answer: &OracleOutputs) -> Result<Status, Stop> {
        // What is planted lies on no grid.
        let run = RunId { values: Values::Edges, ..*self.passed.run };
        judge_outputs(self.session, self.passed.program, self.outputs, &run, Some(answer), &mut None)
    }

    /// The elements of outputs that must have other bits there.
    fn follow(&self, planted: &Planted<'_>) -> Result<Vec<Element>, Stop> {
        Ok(self.changes(&self.ask(planted)?))
    }

    fn changes(&self, other: &OracleOutputs) -> Vec<Element> {
        let Passed { program, run, answer, .. } = *self.passed;
        let mut follow = Vec::new();
        for (number, Judged { output, buffer, .. }) in self.judged.iter().enumerate() {
            if let (Ok(before), Ok(after)) = (wanted(answer, output, buffer), wanted(other, output, buffer)) {
                let elements = must_change(buffer.dtype, before, after, judgement(program, output, run));
                follow.extend(elements.into_iter().map(|index| (number, index)));
            }
        }
        follow
    }

    fn is_same(&self, after: &[Vec<u8>], (output, index): Element) -> bool {
        let size = self.judged[output].buffer.dtype.size();
        let bytes = index * size..(index + 1) * size;
        self.before[output][bytes.clone()] == after[output][bytes]
    }

    /// The elements of outputs whose bits are the same, ascending.
    fn same(&self, after: &[Vec<u8>]) -> Vec<Element> {
        let lens = self.judged.iter().map(|judged| judged.buffer.len as usize).enumerate();
        let elements = lens.flat_map(|(output, len)| (0..len).map(move |index| (output, index)));
        elements.filter(|element| self.is_same(after, *element)).collect()
    }
}
