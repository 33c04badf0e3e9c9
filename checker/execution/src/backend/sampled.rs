//! Some blocks of a size that is too large to simulate: a few of the first launches' blocks, over memory that is filled where it
//! is touched. What a version does there is held against the oracle's blocks for the same elements, and against what the
//! version itself does at a size that is simulated whole.
//!
//! Judged is only what such blocks can tell for certain. A launch whose blocks read what blocks that did not run would have
//! written, wait for them, or take too long, says nothing, and neither do the launches behind it.

use super::job::{Output, Program};
use super::machine::Stop;
use super::sim::{Sim, arguments, fault_of};
use super::status::{Status, WrongOutput};
use crate::verify::POISON;
use plan::dtype::DType;
use plan::stream::Stream;
use plan::{Arg, Buffer, Plan, Role};
use simulator::{Checks, Config, Device, FindingKind, LaunchReport, Schedule, Severity, Touched};
use std::collections::BTreeSet;
use std::sync::Arc;
use values::compare::{Array, Judgement, compare};
use values::fill::{self, Values};

/// Blocks of a launch that are run: the first, the last, and drawn ones.
const BLOCKS: u64 = 6;
/// Warp instructions of a block after which it says nothing.
const STEPS: u64 = 1 << 17;
/// Blocks of the oracle at most.
const ORACLE_BLOCKS: usize = 24;
/// Elements of an output that are compared at most.
const ELEMENTS: usize = 1 << 16;
/// A version that comes to all of its data where it is simulated whole...
const ALL: f64 = 0.9;
/// ... and to less than this part of it where it is not, leaves work out. Blocks differ in what they do, and few were looked at.
const LITTLE: f64 = 0.5;

/// Stretches of an output beyond which nobody asks where they lie.
const SCATTERED: usize = 64;

/// A version at a size, opened for a few blocks.
struct Opened<'p> {
    program: &'p Program,
    device: Device,
    addresses: Vec<u64>,
}

/// What the blocks of the launches that say something did.
struct Seen {
    /// Such launches, from the first on.
    launches: usize,
    /// Parts of the inputs that they read, and of the outputs that they wrote, all blocks of the grids estimated.
    read: f64,
    written: f64,
    /// How a block faulted.
    fault: Option<Status>,
    /// Does every block of the last launch write where its number lies among the blocks, and nowhere else?
    in_place: bool,
    /// The part of the outputs up to which those blocks wrote.
    reach: f64,
}

/// Judges a version at a size (`large`) by what it does there and at a size that is simulated (`small`). `None`: nothing can be
/// told.
///
/// # Errors
/// The PTX cannot be read, or a buffer is larger than anything.
pub fn judge(
    sim: &Sim,
    (large, small): (&Program, &Program),
    oracle: Option<&Program>,
    outputs: &[Output],
    seed: u64,
) -> Result<Option<Status>, Stop> {
    let constants = |program: &Program| !program.plan.constants.is_empty();
    if constants(large) || oracle.is_some_and(constants) {
        return Ok(None);
    }
    let mut here = open(sim, large, seed)?;
    let seen = here.run(seed);
    if let Some(fault) = seen.fault {
        return Ok(Some(fault));
    }
    if seen.launches == 0 {
        return Ok(None);
    }
    let mut there = open(sim, small, seed)?;
    let usual = there.run(seed);
    let comparable = usual.fault.is_none() && usual.launches > 0 && seen.launches >= usual.launches;
    // All that it writes elsewhere it writes again and again, if it is as much.
    if comparable && usual.in_place && !seen.in_place && seen.reach < ALL {
        return Ok(Some(Status::LeavesOut { reads: false, part: seen.reach }));
    }
    for (reads, usual, now) in [(true, usual.read, seen.read), (false, usual.written, seen.written)] {
        if comparable && usual >= ALL && now < LITTLE {
            return Ok(Some(Status::LeavesOut { reads, part: now }));
        }
    }
    let whole = |program: &Program| program.plan.host.is_none() && one_makes_the_outputs(&program.plan);
    match oracle {
        Some(oracle) if whole(large) && whole(oracle) => compare_outputs(sim, &here, oracle, outputs, seed),
        _ => Ok(None),
    }
}

/// Does the first launch make all outputs, if any does, and no other touch them?
fn one_makes_the_outputs(plan: &Plan) -> bool {
    let output = |arg: &Arg| match arg {
        Arg::Structure(_) => true,
        arg => arg.buffer().is_some_and(|at| matches!(plan.buffers[at].role, Role::Out | Role::InOut)),
    };
    plan.launches.iter().skip(1).all(|launch| !launch.args.iter().any(output))
}

/// Sparse memory for all buffers: inputs hold their values, all else nothing.
fn open<'p>(sim: &Sim, program: &'p Program, seed: u64) -> Result<Opened<'p>, Stop> {
    let config = Config { checks: Checks::NONE, schedule: Schedule::Its, ..sim.config(program) };
    let mut device = Device::new(sim.module(program)?, config);
    device.config_mut().limits.steps = STEPS;
    let mut addresses = Vec::new();
    for buffer in &program.plan.buffers {
        let bytes = buffer.len.saturating_mul(buffer.dtype.size() as u64);
        let known = matches!(buffer.role, Role::In | Role::InOut);
        let contents: simulator::Fill = if known {
            let (buffer, size) = (buffer.clone(), buffer.dtype.size() as u64);
            Arc::new(move |offset, bytes| fill::fill_part(&buffer, seed, Values::AsStated, offset / size, bytes))
        } else {
            Arc::new(|_, bytes| bytes.fill(POISON[0]))
        };
        let failed = |error: simulator::MemoryError| super::Failure::Memory {
            buffer: buffer.name.clone(),
            message: error.to_string(),
        };
        addresses.push(device.alloc_sparse(&buffer.name, bytes, contents, known).map_err(failed)?);
    }
    Ok(Opened { program, device, addresses })
}

impl Opened<'_> {
    fn touched(&self, index: usize) -> Touched {
        self.device.touched(self.addresses[index]).unwrap_or_default()
    }

    fn total(&self, roles: &[Role], of: impl Fn(&Touched) -> u64) -> f64 {
        let buffers = self.program.plan.buffers.iter().enumerate();
        buffers
            .filter(|(_, buffer)| roles.contains(&buffer.role))
            .map(|(index, _)| of(&self.touched(index)) as f64)
            .sum()
    }

    fn bytes(&self, roles: &[Role]) -> f64 {
        let buffers = self.program.plan.buffers.iter().filter(|buffer| roles.contains(&buffer.role));
        buffers.map(|buffer| buffer.len as f64 * buffer.dtype.size() as f64).sum()
    }

    /// What was written of the outputs, by buffer.
    fn written(&self, roles: &[Role]) -> Vec<(u64, Vec<(u64, u64)>)> {
        let buffers = self.program.plan.buffers.iter().enumerate().filter(|(_, buffer)| roles.contains(&buffer.role));
        let of =
            |(index, buffer): (usize, &Buffer)| (buffer.len * buffer.dtype.size() as u64, self.touched(index).written);
        buffers.map(of).collect()
    }

    fn unknown(&self) -> bool {
        (0..self.addresses.len()).any(|index| self.touched(index).unknown)
    }

    /// Launches all blocks, or one; `None`: that cannot be done.
    fn launch(&mut self, launch: usize, block: Option<u64>) -> Option<LaunchReport> {
        let planned = &self.program.plan.launches[launch];
        let name = self.program.artefact.names.get(&planned.kernel).unwrap_or(&planned.kernel);
        let module = self.device.module().clone();
        let kernel = module.kernel(name)?;
        let args = arguments(planned, &kernel.params, &self.addresses, &self.program.plan.structures).ok()?;
        let request = simulator::Launch {
            kernel: name.clone(),
            grid: planned.grid,
            block: planned.block,
            shared: planned.shared,
            args,
            cooperative: planned.cooperative && block.is_none(),
        };
        self.device.config_mut().blocks = block.map(|block| vec![block]);
        self.device.launch(&request).ok()
    }

    /// Runs one block; `Ok(false)`: it says nothing.
    fn block(&mut self, launch: usize, block: u64) -> Result<bool, Status> {
        let Some(report) = self.launch(launch, Some(block)) else { return Ok(false) };
        let planned = &self.program.plan.launches[launch];
        let fault = report.findings.iter().find(|finding| finding.severity == Severity::Fault);
        match fault {
            _ if self.unknown() => Ok(false),
            None => Ok(true),
            Some(finding) => match finding.kind {
                FindingKind::OutOfBounds { .. }
                | FindingKind::Misaligned { .. }
                | FindingKind::WriteToConstant { .. }
                | FindingKind::EndlessLoop { .. }
                | FindingKind::Trap
                | FindingKind::Assert { .. } => Err(Status::Fault { fault: fault_of(finding, launch, planned.line) }),
                _ => Ok(false),
            },
        }
    }

    /// Runs blocks of every launch, as far as they say something.
    fn run(&mut self, seed: u64) -> Seen {
        const READ: [Role; 2] = [Role::In, Role::InOut];
        const WRITTEN: [Role; 2] = [Role::Out, Role::InOut];
        let (inputs, outputs) = (self.bytes(&READ).max(1.0), self.bytes(&WRITTEN).max(1.0));
        let mut seen = Seen { launches: 0, read: 0.0, written: 0.0, fault: None, in_place: false, reach: 0.0 };
        for (launch, planned) in self.program.plan.launches.iter().enumerate() {
            if planned.cooperative {
                break;
            }
            let blocks = planned.grid.iter().map(|&extent| u64::from(extent)).product::<u64>();
            let (mut read, mut written) = (0.0f64, 0.0f64);
            let chosen = chosen(seed, launch as u64, blocks);
            let (mut in_place, mut reach) = (true, 0.0f64);
            let is_end = |block: u64| block == 0 || block == blocks - 1;
            let ends_count = chosen.iter().all(|block| is_end(*block));
            for block in chosen {
                let before = (self.total(&READ, |t| t.read_bytes), self.total(&WRITTEN, |t| t.written_bytes));
                let places = self.written(&WRITTEN);
                match self.block(launch, block) {
                    Ok(true) => {}
                    Ok(false) => return seen,
                    Err(fault) => return Seen { fault: Some(fault), ..seen },
                }
                if let Some((from, to)) = span(&places, &self.written(&WRITTEN)) {
                    let (first, last) = (block as f64 / blocks as f64, (block + 1) as f64 / blocks as f64);
                    // A tail that is no whole block shifts what lies before it by less than a block.
                    let near = 1.0 / blocks as f64 + 1e-9;
                    in_place &= from > first - near && to < last + near;
                    reach = reach.max(to);
                }
                // The busiest of the blocks that were drawn stands for all: that others do the work is no answer.
                if is_end(block) && !ends_count {
                    continue;
                }
                read = read.max(self.total(&READ, |t| t.read_bytes) - before.0);
                written = written.max(self.total(&WRITTEN, |t| t.written_bytes) - before.1);
            }
            seen.launches += 1;
            (seen.in_place, seen.reach) = (in_place && reach > 0.0, reach);
            seen.read += read * blocks as f64 / inputs;
            seen.written += written * blocks as f64 / outputs;
        }
        seen
    }
}

/// From where to where something came to be written, as parts of the buffers (bytes, what was written of them); the widest of all.
fn span(before: &[(u64, Vec<(u64, u64)>)], after: &[(u64, Vec<(u64, u64)>)]) -> Option<(f64, f64)> {
    let mut widest: Option<(f64, f64)> = None;
    for ((bytes, known), (_, now)) in before.iter().zip(after) {
        // Scattered writes have no place.
        if now.len() > SCATTERED {
            return Some((0.0, 1.0));
        }
        let is_known = |byte: u64| known.iter().any(|(from, to)| (*from..*to).contains(&byte));
        // What was written before ends where something new begins.
        let begins = now.iter().map(|(from, _)| *from).chain(known.iter().map(|(_, to)| *to));
        let inside = |byte: &u64| now.iter().any(|(from, to)| (*from..*to).contains(byte)) && !is_known(*byte);
        let ends = now.iter().map(|(_, to)| *to).chain(known.iter().map(|(from, _)| *from));
        let (Some(first), Some(last)) = (
            begins.filter(inside).min(),
            ends.filter(|end| end.checked_sub(1).is_some_and(|byte| inside(&byte))).max(),
        ) else {
            continue;
        };
        let (from, to) = (first as f64 / *bytes as f64, last as f64 / *bytes as f64);
        widest = Some(widest.map_or((from, to), |(low, high)| (low.min(from), high.max(to))));
    }
    widest
}

/// The blocks of a grid that are run, ascending.
fn chosen(seed: u64, launch: u64, blocks: u64) -> BTreeSet<u64> {
    let stream = Stream::new(seed, "blocks");
    let drawn = |at: u64| stream.integer(launch << 8 | at, 0, blocks as i64 - 1) as u64;
    [0, blocks - 1].into_iter().chain((2..BLOCKS).map(drawn)).collect()
}

/// Elements of which all bytes are in the ranges, with their indices.
fn elements(ranges: &[(u64, u64)], size: u64) -> impl Iterator<Item = u64> {
    ranges.iter().flat_map(move |(from, to)| from.div_ceil(size)..to / size)
}

/// Runs the oracle's blocks for the elements that the version's blocks wrote, and compares what both have.
fn compare_outputs(
    sim: &Sim,
    here: &Opened<'_>,
    oracle: &Program,
    outputs: &[Output],
    seed: u64,
) -> Result<Option<Status>, Stop> {
    let find = |program: &Program, name: &str| -> Option<(usize, Buffer)> {
        let buffers = program.plan.buffers.iter().enumerate();
        buffers.into_iter().find(|(_, buffer)| buffer.name == name).map(|(index, buffer)| (index, buffer.clone()))
    };
    let mut truth = open(sim, oracle, seed)?;
    let blocks = oracle.plan.launches[0].grid.iter().map(|&extent| u64::from(extent)).product::<u64>();
    let mut wanted: BTreeSet<u64> = BTreeSet::new();
    for output in outputs {
        let Some((index, buffer)) = find(here.program, &output.name) else { continue };
        let size = buffer.dtype.size() as u64;
        for (from, to) in here.touched(index).written {
            let block =
                |element: u64| (u128::from(element) * u128::from(blocks) / u128::from(buffer.len.max(1))) as u64;
            wanted.extend([block(from / size), block((to - 1) / size)].map(|block| block.min(blocks - 1)));
        }
    }
    for block in wanted.into_iter().take(ORACLE_BLOCKS) {
        if !matches!(truth.block(0, block), Ok(true)) {
            return Ok(None);
        }
    }
    let (mut wrong, mut compared) = (Vec::new(), 0);
    for output in outputs {
        let (Some((index, buffer)), Some((own, own_buffer))) =
            (find(here.program, &output.name), find(oracle, &output.name))
        else {
            continue;
        };
        let magnitude = find(oracle, &format!("{}_magnitude", output.name));
        let written = |opened: &Opened<'_>, index: usize, dtype: DType| -> BTreeSet<u64> {
            elements(&opened.touched(index).written, dtype.size() as u64).collect()
        };
        let mut both: Vec<u64> = {
            let theirs = written(&truth, own, own_buffer.dtype);
            written(here, index, buffer.dtype).intersection(&theirs).copied().take(ELEMENTS).collect()
        };
        if let Some((index, buffer)) = &magnitude {
            let known = written(&truth, *index, buffer.dtype);
            both.retain(|element| known.contains(element));
        }
        let fits = own_buffer.dtype.is_float() == buffer.dtype.is_float()
            && (buffer.dtype.is_float() || own_buffer.dtype == buffer.dtype);
        if both.is_empty() || !fits {
            continue;
        }
        let gather = |opened: &Opened<'_>, index: usize, dtype: DType| -> Vec<u8> {
            let size = dtype.size();
            let mut bytes = vec![0; both.len() * size];
            for (element, place) in both.iter().zip(bytes.chunks_exact_mut(size)) {
                // Inside, as it was written.
                let _ = opened.device.read(opened.addresses[index] + element * size as u64, place);
            }
            bytes
        };
        let (got, want) = (gather(here, index, buffer.dtype), gather(&truth, own, own_buffer.dtype));
        let magnitudes = magnitude.map(|(index, buffer)| (buffer.dtype, gather(&truth, index, buffer.dtype)));
        let array = |dtype, bytes| Array { dtype, bytes };
        let judgement =
            Judgement { tolerance: output.tolerance, exact_unit: None, poison: POISON[0], on_average: false };
        let summed = magnitudes.as_ref().map(|(dtype, bytes)| array(*dtype, bytes));
        let mut found = compare(array(buffer.dtype, &got), array(own_buffer.dtype, &want), summed, judgement);
        compared += both.len();
        if found.wrong > 0 {
            found.first.iter_mut().for_each(|mismatch| mismatch.index = both[mismatch.index as usize]);
            wrong.push(WrongOutput {
                name: buffer.name.clone(),
                dtype: buffer.dtype,
                len: buffer.len,
                wrong: found.wrong,
                first: found.first,
                looks_like: values::LooksLike::Nothing,
                exact_integers: false,
            });
        }
    }
    Ok(match (wrong.is_empty(), compared) {
        (false, _) => Some(Status::Wrong { outputs: wrong }),
        (true, 0) => None,
        (true, _) => Some(Status::Passed),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_drawn_by_seed_with_both_ends() {
        for blocks in [1, 2, 5, 1000, 1 << 31] {
            let drawn = chosen(3, 0, blocks);
            assert!(drawn.contains(&0) && drawn.contains(&(blocks - 1)) && drawn.iter().all(|block| *block < blocks));
            assert_eq!(drawn, chosen(3, 0, blocks));
        }
        assert_ne!(chosen(3, 0, 1000), chosen(4, 0, 1000));
        assert_ne!(chosen(3, 0, 1000), chosen(3, 1, 1000));
    }

    #[test]
    fn what_came_to_be_written_is_told_from_what_was() {
        let at = |ranges: &[(u64, u64)]| vec![(100, ranges.to_vec())];
        assert_eq!(span(&at(&[]), &at(&[(10, 20)])), Some((0.1, 0.2)));
        assert_eq!(span(&at(&[(10, 20)]), &at(&[(10, 30), (90, 100)])), Some((0.2, 1.0)));
        assert_eq!(span(&at(&[(20, 30)]), &at(&[(10, 30)])), Some((0.1, 0.2)));
        assert_eq!(span(&at(&[(10, 20)]), &at(&[(10, 20)])), None);
    }

    #[test]
    fn elements_count_where_all_their_bytes_do() {
        assert_eq!(elements(&[(0, 8), (13, 21)], 4).collect::<Vec<_>>(), [0, 1, 4]);
    }
}
