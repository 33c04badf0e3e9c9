//! The same outputs under two orders. What one order leaves is kept in files, every other order is held against it.
//!
//! Integers are equal or they depend on the order. Floating-point sums depend on the order of their terms by rounding,
//! which is told apart in two ways. Over inputs on a coarse grid sums come out exact in any order
//! ([`Values::ExactIntegers`]): there equal outputs acquit, and two exact outputs that differ convict. Where that does not
//! decide, the difference is held against what reassociating a sum of all inputs can do.

use crate::backend::machine::{Machine, Session, Stop};
use crate::backend::{Across, Difference, JobError, Keep, Program, RunId, Status};
use crate::verify::inputs::{filled, prepare};
use crate::verify::judge::PIECE;
use plan::{Buffer, Plan, Role};
use simulator::Place;
use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use values::compare::{real, value};
use values::fill::{self, Values};
use values::tolerance::{significand_bits, unit_roundoff};

/// Roundings are a random walk; a few standard deviations of it.
const DEVIATIONS: f64 = 4.0;
/// Bits of a significand that are left for the sums' carries when values on the grid count as exact.
const SPARE_BITS: i32 = 4;

/// What comparing a run with the kept outputs of another order says.
pub struct Verdict {
    /// [`Status::OrderDependent`], or passed.
    pub status: Status,
    /// Outputs that differ by rounding alone.
    pub rounding: Vec<Difference>,
    /// Inputs for which `status` was found.
    pub values: Values,
}

/// Buffers whose contents a caller of the kernel sees.
fn outputs(plan: &Plan) -> impl Iterator<Item = (usize, &Buffer)> {
    let seen = |buffer: &Buffer| matches!(buffer.role, Role::Out | Role::InOut);
    plan.buffers.iter().enumerate().filter(move |(_, buffer)| seen(buffer))
}

/// Is there an output that rounding may change, and are there inputs over which sums are exact?
fn grid_helps(plan: &Plan) -> bool {
    outputs(plan).any(|(_, buffer)| buffer.dtype.is_float()) && fill::exact_unit(&plan.buffers).is_some()
}

fn file(folder: &Path, values: Values, buffer: usize) -> PathBuf {
    let values = if values == Values::ExactIntegers { "grid" } else { "stated" };
    folder.join(format!("{values}.{buffer}"))
}

/// A fresh module's run over other values; `None` if it does not come to its end.
fn again<'m>(machine: &'m dyn Machine, program: &Program, run: &RunId) -> Result<Option<Box<dyn Session + 'm>>, Stop> {
    let mut session = machine.open(program)?;
    prepare(&mut *session, program, run)?;
    Ok(session.pass(run.schedule).stop.is_none().then_some(session))
}

fn on_grid(run: &RunId) -> RunId {
    RunId { values: Values::ExactIntegers, ..*run }
}

/// Keeps a run that has ended well for others, or holds it against what was kept.
///
/// # Errors
/// As [`keep`] and [`judge`].
pub fn apply(
    machine: &dyn Machine,
    program: &Program,
    session: &mut dyn Session,
    run: &RunId,
    how: &Keep,
) -> Result<Verdict, Stop> {
    match how {
        Keep::Here(folder) => {
            keep(machine, program, session, run, folder)?;
            Ok(Verdict { status: Status::Passed, rounding: Vec::new(), values: run.values })
        }
        Keep::Against(across) => judge(machine, program, session, run, across),
    }
}

/// Keeps what a run that has ended well left, and what the same order leaves over inputs on a grid.
///
/// # Errors
/// The backend's, and files that cannot be written.
fn keep(
    machine: &dyn Machine,
    program: &Program,
    session: &mut dyn Session,
    run: &RunId,
    folder: &Path,
) -> Result<(), Stop> {
    write(session, &program.plan, run.values, folder)?;
    if grid_helps(&program.plan)
        && let Some(mut session) = again(machine, program, &on_grid(run))?
    {
        write(&mut *session, &program.plan, Values::ExactIntegers, folder)?;
    }
    Ok(())
}

fn write(session: &mut dyn Session, plan: &Plan, values: Values, folder: &Path) -> Result<(), Stop> {
    for (index, buffer) in outputs(plan) {
        let path = file(folder, values, index);
        let failed = |error: std::io::Error| JobError::Write { path: path.clone(), message: error.to_string() };
        let mut to = BufWriter::new(File::create(&path).map_err(failed)?);
        let bytes = buffer.len as usize * buffer.dtype.size();
        let mut piece = vec![0; PIECE.min(bytes)];
        for offset in (0..bytes).step_by(PIECE) {
            let part = &mut piece[..PIECE.min(bytes - offset)];
            session.read(index, offset as u64, part)?;
            to.write_all(part).map_err(failed)?;
        }
        to.flush().map_err(failed)?;
    }
    Ok(())
}

/// Holds a run that has ended well against the kept outputs.
///
/// # Errors
/// The backend's, and files that cannot be read.
fn judge(
    machine: &dyn Machine,
    program: &Program,
    session: &mut dyn Session,
    run: &RunId,
    across: &Across,
) -> Result<Verdict, Stop> {
    let differences = differences(session, program, run, &across.folder)?;
    let passed = Verdict { status: Status::Passed, rounding: Vec::new(), values: run.values };
    if differences.is_empty() {
        return Ok(passed);
    }
    let dependent = |mut outputs: Vec<Difference>, values| -> Result<Verdict, Stop> {
        if let Some(first) = outputs.iter_mut().find(|difference| !difference.rounding) {
            let run = RunId { values, ..*run };
            let other = RunId { schedule: Some(across.schedule), ..run };
            first.writers =
                [last_writer(machine, program, &other, first)?, last_writer(machine, program, &run, first)?];
        }
        Ok(Verdict { status: self::dependent(across, outputs), rounding: Vec::new(), values })
    };
    let integers = differences.iter().any(|difference| !difference.dtype.is_float());
    if !integers && grid_helps(&program.plan) {
        let grid = on_grid(run);
        // The other order may not have come to an end over these inputs.
        let kept = |(index, _)| file(&across.folder, Values::ExactIntegers, index).exists();
        if outputs(&program.plan).all(kept)
            && let Some(mut session) = again(machine, program, &grid)?
        {
            let exact = self::differences(&mut *session, program, &grid, &across.folder)?;
            if exact.is_empty() {
                return Ok(Verdict { rounding: differences, ..passed });
            }
            if exact.iter().any(|difference| !difference.rounding) {
                return dependent(exact, Values::ExactIntegers);
            }
        }
    }
    if differences.iter().all(|difference| difference.rounding) {
        return Ok(Verdict { rounding: differences, ..passed });
    }
    dependent(differences, run.values)
}

/// Who writes the first element that differs last, in the order of a run.
fn last_writer(
    machine: &dyn Machine,
    program: &Program,
    run: &RunId,
    difference: &Difference,
) -> Result<Option<Place>, Stop> {
    let Some(buffer) = program.plan.buffers.iter().position(|buffer| buffer.name == difference.name) else {
        return Ok(None);
    };
    let Some(mut session) = machine.open_tracking(program, buffer, difference.index)? else { return Ok(None) };
    prepare(&mut *session, program, run)?;
    session.draw(run.seed ^ u64::from(run.poison) << 56);
    Ok(session.pass(run.schedule).reports.into_iter().filter_map(|report| report.writer).next_back())
}

/// The status of a replay in search of the shortest list: by one kind of inputs alone.
///
/// # Errors
/// As [`judge`].
pub fn status(session: &mut dyn Session, program: &Program, run: &RunId, across: &Across) -> Result<Status, Stop> {
    let differences = differences(session, program, run, &across.folder)?;
    let grave = differences.iter().any(|difference| !difference.rounding);
    Ok(if grave { dependent(across, differences) } else { Status::Passed })
}

fn dependent(across: &Across, mut outputs: Vec<Difference>) -> Status {
    // Rounding elsewhere is no news then.
    outputs.retain(|difference| !difference.rounding);
    Status::OrderDependent { other: across.schedule, outputs }
}

/// Every output that differs from the kept one.
fn differences(
    session: &mut dyn Session,
    program: &Program,
    run: &RunId,
    folder: &Path,
) -> Result<Vec<Difference>, Stop> {
    let plan = &program.plan;
    let reach = Reach::of(program, run)?;
    let mut found = Vec::new();
    for (index, buffer) in outputs(plan) {
        let path = file(folder, run.values, index);
        let failed = |error: std::io::Error| JobError::Write { path: path.clone(), message: error.to_string() };
        let mut kept = BufReader::new(File::open(&path).map_err(failed)?);
        let size = buffer.dtype.size();
        let bytes = buffer.len as usize * size;
        let (mut ours, mut theirs) = (vec![0; PIECE.min(bytes)], vec![0; PIECE.min(bytes)]);
        let mut difference: Option<Difference> = None;
        for offset in (0..bytes).step_by(PIECE) {
            let len = PIECE.min(bytes - offset);
            session.read(index, offset as u64, &mut ours[..len])?;
            kept.read_exact(&mut theirs[..len]).map_err(failed)?;
            if ours[..len] == theirs[..len] {
                continue;
            }
            let pairs = ours[..len].chunks_exact(size).zip(theirs[..len].chunks_exact(size));
            for (at, (mine, other)) in pairs.enumerate().filter(|(_, (mine, other))| mine != other) {
                reach.add(&mut difference, buffer, (offset / size + at) as u64, other, mine);
            }
        }
        found.extend(difference);
    }
    Ok(found)
}

/// How far reassociation may move a result of this run.
struct Reach {
    /// The longest input's elements.
    terms: f64,
    /// Its largest magnitude.
    largest: f64,
    /// In a run on the grid: what exact results are multiples of.
    unit: Option<f64>,
}

impl Reach {
    fn of(program: &Program, run: &RunId) -> Result<Self, JobError> {
        let plan = &program.plan;
        let (mut terms, mut largest) = (1f64, 0f64);
        for buffer in &plan.buffers {
            terms = terms.max(buffer.len as f64);
            if buffer.dtype.is_float() && matches!(buffer.role, Role::In | Role::InOut) {
                let filled = filled(program, buffer, run)?;
                let values = filled.chunks_exact(buffer.dtype.size()).map(|element| real(buffer.dtype, element).abs());
                largest = values.filter(|value| value.is_finite()).fold(largest, f64::max);
            }
        }
        let grid = run.values == Values::ExactIntegers;
        Ok(Self { terms, largest, unit: if grid { fill::exact_unit(&plan.buffers) } else { None } })
    }

    /// Adds an element whose bytes differ; two NaNs are the same.
    fn add(&self, difference: &mut Option<Difference>, buffer: &Buffer, index: u64, first: &[u8], second: &[u8]) {
        let dtype = buffer.dtype;
        let (a, b) = (real(dtype, first), real(dtype, second));
        if dtype.is_float() && a.is_nan() && b.is_nan() {
            return;
        }
        let apart = if dtype.is_float() { (a - b).abs() } else { 0.0 };
        let rounding = dtype.is_float() && self.is_rounding(buffer, a, b);
        let (name, len) = (buffer.name.clone(), buffer.len);
        let (first, second) = (value(dtype, first), value(dtype, second));
        let new =
            Difference { name, dtype, len, differing: 0, index, first, second, apart, rounding, writers: [None, None] };
        let known = difference.get_or_insert_with(|| new.clone());
        // The first that is no rounding speaks for the output.
        if known.rounding && !rounding {
            *known = Difference { differing: known.differing, apart: known.apart, ..new };
        }
        known.differing += 1;
        known.apart = if apart.is_finite() { known.apart.max(apart) } else { known.apart };
    }

    fn is_rounding(&self, buffer: &Buffer, a: f64, b: f64) -> bool {
        if !a.is_finite() || !b.is_finite() {
            return false;
        }
        if let Some(unit) = self.unit {
            let most = 2f64.powi(significand_bits(buffer.dtype) - SPARE_BITS) * unit;
            let exact = |x: f64| x.abs() < most && x / unit == (x / unit).round();
            if exact(a) && exact(b) {
                return false;
            }
        }
        let sum = DEVIATIONS * self.terms.sqrt() * a.abs().max(b.abs()) + self.terms * self.largest / 2.0;
        (a - b).abs() <= unit_roundoff(buffer.dtype) * sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use plan::dtype::DType;

    fn added(reach: &Reach, dtype: DType, pairs: &[(&[u8], &[u8])]) -> Option<Difference> {
        let buffer = Buffer { name: "c".into(), dtype, len: 9, role: Role::Out, fill: None };
        let mut difference = None;
        for (index, (a, b)) in pairs.iter().enumerate() {
            reach.add(&mut difference, &buffer, index as u64, a, b);
        }
        difference
    }

    #[test]
    fn rounding_is_told_from_another_value() {
        let reach = Reach { terms: 1024.0, largest: 1.0, unit: None };
        let f = |x: f32| x.to_le_bytes();
        let near = added(&reach, DType::F32, &[(&f(100.0), &f(100.00002))]).expect("it differs");
        assert!(near.rounding && near.apart > 1e-5 && near.differing == 1, "{near:?}");
        // The first that no rounding explains is shown, all are counted.
        let pairs = [(&f(100.0)[..], &f(100.00002)[..]), (&f(100.0), &f(101.0)), (&f(100.0), &f(105.0))];
        let far = added(&reach, DType::F32, &pairs).expect("it differs");
        assert!(!far.rounding && far.index == 1 && far.differing == 3 && far.apart == 5.0, "{far:?}");
        let other = added(&reach, DType::F32, &[(&f(1.0), &f(f32::NAN))]).expect("it differs");
        assert!(!other.rounding);
        assert_eq!(added(&reach, DType::F32, &[(&f(f32::NAN), &f(-f32::NAN))]), None);
        assert!(!added(&reach, DType::I32, &[(&[1, 0, 0, 0], &[2, 0, 0, 0])]).expect("it differs").rounding);
    }

    #[test]
    fn on_the_grid_exact_sums_do_not_differ_by_rounding() {
        let reach = Reach { terms: 1e6, largest: 1.0, unit: Some(1.0 / 64.0) };
        let f = |x: f32| x.to_le_bytes();
        assert!(!added(&reach, DType::F32, &[(&f(8.0), &f(8.0 + 1.0 / 64.0))]).expect("it differs").rounding);
        assert!(added(&reach, DType::F32, &[(&f(8.001), &f(8.001f32.next_up()))]).expect("it differs").rounding);
    }
}
