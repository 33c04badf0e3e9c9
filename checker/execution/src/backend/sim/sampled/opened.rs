//! A version at a size that is not simulated whole: memory that is filled where it is touched, and a few blocks.

use super::heap::HeapUse;
use super::profile::waits;
use super::seen::{Did, Places, Ranges, Seen, Share, added, span, stretch};
use super::stripes::Striped;
use crate::backend::JobError;
use crate::backend::machine::Stop;
use crate::backend::message::job::Program;
use crate::backend::message::outcome::Found;
use crate::backend::message::status::Status;
use crate::backend::objects::Objects;
use crate::backend::sim::{Sim, arguments, fault_of};
use crate::verify::POISON;
use plan::stream::Stream;
use plan::{Buffer, ConstantValue, Role};
use simulator::{Checks, Config, Device, FindingKind, LaunchReport, Schedule, Severity, Touched};
use std::collections::BTreeSet;
use std::sync::Arc;
use values::fill::{self, Values};

/// Blocks of a launch that are run: the first, the last, and drawn ones.
const BLOCKS: u64 = 6;
/// Warp instructions of a block after which it says nothing: a tenth of a second. Few blocks that share all the work, as many as
/// there are multiprocessors, have that much to do.
pub const STEPS: u64 = 1 << 22;
/// Warp instructions of a launch's blocks after which no more of them are run.
pub const ENOUGH: u64 = 1 << 17;
/// Blocks that are run for what they do on average, too, ...
const SEVERAL: u64 = 24;
/// ... and warp instructions of all of them together.
const SEVERAL_INSTRUCTIONS: u64 = 1 << 15;
/// Blocks that are run for their outputs, too, ...
pub const MORE_BLOCKS: u64 = 512;
/// ... and warp instructions of all of them together: hundredths of a second.
const MORE_INSTRUCTIONS: u64 = 1 << 17;
/// Warp instructions of blocks that are watched: hundredths of a second.
const WATCHED: u64 = 1 << 15;
/// Warp instructions of a block that is run in another than the usual order: that costs more.
const SHORT: u64 = 1 << 13;
/// Warp instructions of a launch that is run whole, because others read what it writes: some hundredths of a second.
const WHOLE: u64 = 1 << 21;
/// What divides the lengths of all buffers of a round size.
const ROUND: u64 = 256;
/// What is read,
pub const READ: [Role; 2] = [Role::In, Role::InOut];
/// and what is written.
pub const WRITTEN: [Role; 2] = [Role::Out, Role::InOut];
/// What blocks need of others.
#[derive(Debug, Clone, Copy, Default)]
struct Needs {
    /// The first one, for which they wait: it runs before any other.
    first: bool,
    /// What the launches before this one have written, all of it: those run whole, if that costs little.
    before: bool,
}

/// A version at a size, opened for a few blocks.
pub struct Opened<'p> {
    /// The version.
    pub program: &'p Program,
    /// Its memory.
    pub device: Device,
    /// Of its buffers.
    pub addresses: Vec<u64>,
    /// Its module variables hold what its lines ask for.
    pub constants: bool,
    /// How blocks are run that need others.
    needs: Needs,
    /// What those lacked that ran last.
    lacked: Needs,
    /// The order in which blocks with little to do are run.
    pub schedule: Schedule,
    /// Blocks are watched, as far as that costs little.
    pub watch: bool,
    /// Warp instructions that were,
    watched: u64,
    /// and what was found.
    pub findings: Vec<Found>,
    /// Warp instructions that its blocks ran,
    pub ran: u64,
    /// and those blocks.
    blocks_run: u64,
    /// What those of each launch hold of the device heap.
    heap: Vec<HeapUse>,
    /// Those of each launch, by number.
    pub done: Vec<BTreeSet<u64>>,
    /// Those that may do what others do not, launch by launch, those first of which it is likelier, ...
    pub unlike: Vec<Vec<u64>>,
    /// ... what each did of those that had not run, ...
    pub unlike_did: Vec<Vec<Did>>,
    /// ... what was only written when those of the launch that makes the outputs ran, by buffer, ...
    pub unlike_wrote: Vec<Vec<(u64, u64)>>,
    /// ... and which of them come to an output in parts, if a block has much to do: launch by launch, output by output.
    pub unlike_striped: Vec<Vec<Vec<Striped>>>,
}

/// Sparse memory for all buffers: inputs hold their values, all else nothing.
pub fn open<'p>(sim: &Sim, program: &'p Program, seed: u64) -> Result<Opened<'p>, Stop> {
    open_with(sim, program, seed, &|_| bytes_of(POISON[0]))
}

/// The same with something else for all else, by buffer.
pub fn open_with<'p>(
    sim: &Sim,
    program: &'p Program,
    seed: u64,
    other: &dyn Fn(usize) -> simulator::Fill,
) -> Result<Opened<'p>, Stop> {
    open_filled(sim, program, seed, other, &|_, buffer| as_stated(buffer, seed))
}

/// A byte all over.
pub fn bytes_of(byte: u8) -> simulator::Fill {
    Arc::new(move |_, bytes| bytes.fill(byte))
}

/// What an input holds.
pub fn as_stated(buffer: &Buffer, seed: u64) -> simulator::Fill {
    let (buffer, size) = (buffer.clone(), buffer.dtype.size() as u64);
    Arc::new(move |offset, bytes| fill::fill_part(&buffer, seed, Values::AsStated, offset / size, bytes))
}

/// The same with inputs that hold something else, by their indexes.
pub fn open_filled<'p>(
    sim: &Sim,
    program: &'p Program,
    seed: u64,
    other: &dyn Fn(usize) -> simulator::Fill,
    input: &dyn Fn(usize, &Buffer) -> simulator::Fill,
) -> Result<Opened<'p>, Stop> {
    let config = Config { checks: Checks::NONE, schedule: Schedule::Its, ..sim.config(program) };
    let mut device = Device::new(sim.module(program)?, config);
    device.config_mut().limits.steps = STEPS;
    let mut addresses = Vec::new();
    for (index, buffer) in program.plan.buffers.iter().enumerate() {
        let bytes = buffer.bytes();
        let known = READ.contains(&buffer.role);
        let contents = if known { input(index, buffer) } else { other(index) };
        let failed = |error: simulator::MemoryError| JobError::Memory {
            buffer: buffer.name.clone(),
            message: error.to_string(),
        };
        addresses.push(device.alloc_sparse(&buffer.name, bytes, contents, known).map_err(failed)?);
    }
    let done = vec![BTreeSet::new(); program.plan.launches.len()];
    let (unlike, unlike_did) = (vec![Vec::new(); done.len()], vec![Vec::new(); done.len()]);
    let unlike_wrote = vec![Vec::new(); addresses.len()];
    let outputs = program.plan.buffers.iter().filter(|buffer| WRITTEN.contains(&buffer.role)).count();
    let unlike_striped = vec![vec![Vec::new(); outputs]; done.len()];
    let mut opened = Opened {
        program,
        device,
        addresses,
        constants: true,
        needs: Needs::default(),
        lacked: Needs::default(),
        schedule: Schedule::Its,
        watch: false,
        watched: 0,
        findings: Vec::new(),
        ran: 0,
        blocks_run: 0,
        heap: vec![HeapUse::default(); program.plan.launches.len()],
        done,
        unlike,
        unlike_did,
        unlike_wrote,
        unlike_striped,
    };
    opened.constants = opened.constants(seed);
    Ok(opened)
}

impl Opened<'_> {
    /// Warp instructions of a block, on average.
    pub fn each(&self) -> u64 {
        self.ran / self.blocks_run.max(1)
    }

    /// Has a block so much to do that one is dear enough?
    pub fn is_long(&self) -> bool {
        self.each() > ENOUGH / 2
    }

    /// What the blocks touched of a buffer.
    pub fn touched(&self, index: usize) -> Touched {
        self.device.touched(self.addresses[index]).unwrap_or_default()
    }

    /// Fills module variables as `//@ constant` lines ask; `false`: that cannot be done.
    fn constants(&mut self, seed: u64) -> bool {
        let program = self.program;
        program.plan.constants.iter().all(|constant| {
            let name = program.artefact.names.get(&constant.variable).unwrap_or(&constant.variable);
            let Some((address, size)) = self.device.variable(name) else { return false };
            let ConstantValue::Buffer(index) = constant.value else { return false };
            let buffer = &program.plan.buffers[index];
            let bytes = buffer.bytes();
            if bytes > size || !READ.contains(&buffer.role) {
                return false;
            }
            let mut values = vec![0; bytes as usize];
            fill::fill_part(buffer, seed, Values::AsStated, 0, &mut values);
            self.device.write(address, &values).is_ok()
        })
    }

    pub fn bytes(&self, roles: &[Role]) -> f64 {
        let buffers = self.program.plan.buffers.iter().filter(|buffer| roles.contains(&buffer.role));
        buffers.map(|buffer| buffer.bytes() as f64).sum()
    }

    /// The inputs that were read, or the outputs that were written: their indexes, and where.
    pub fn came_to(&self, reads: bool) -> impl Iterator<Item = (usize, &Buffer, Vec<(u64, u64)>)> {
        let roles = if reads { READ } else { WRITTEN };
        let buffers =
            self.program.plan.buffers.iter().enumerate().filter(move |(_, buffer)| roles.contains(&buffer.role));
        buffers.map(move |(index, buffer)| {
            let touched = self.touched(index);
            (index, buffer, if reads { touched.read } else { touched.written })
        })
    }

    /// What was read of the inputs, and written of the outputs.
    fn read_and_written(&self) -> [Ranges; 2] {
        [true, false].map(|reads| self.came_to(reads).map(|(_, buffer, ranges)| (buffer.bytes(), ranges)).collect())
    }

    /// Runs a block as if none had run before. `false`: it says nothing.
    pub fn alone(&mut self, launch: usize, block: u64) -> bool {
        self.device.rewind();
        matches!(self.blocks(launch, vec![block]), Ok(true))
    }

    /// Has a block read what nobody wrote?
    pub fn unknown(&self) -> bool {
        self.addresses.iter().any(|&address| self.device.touched_unknown(address) == Some(true))
    }

    /// What the simulator is asked to launch.
    pub fn request(&self, launch: usize) -> Option<simulator::Launch> {
        let planned = &self.program.plan.launches[launch];
        let name = self.program.artefact.names.get(&planned.kernel).unwrap_or(&planned.kernel);
        let kernel = self.device.module().kernel(name)?;
        let objects = Objects { buffers: &self.addresses, textures: &[] };
        let args = arguments(planned, &kernel.params, objects, &self.program.plan).ok()?;
        Some(simulator::Launch {
            kernel: name.clone(),
            grid: planned.grid,
            block: planned.block,
            shared: planned.shared,
            args,
            cooperative: planned.cooperative,
        })
    }

    /// Launches some blocks; `None`: that cannot be done.
    pub fn launch(&mut self, launch: usize, blocks: Vec<u64>) -> Option<LaunchReport> {
        let request = self.request(launch)?;
        let (planned, many) = (&self.program.plan.launches[launch], blocks.len());
        let config = self.device.config_mut();
        config.blocks = Some(blocks);
        let resident = planned.resident.unwrap_or(config.resident_blocks).into();
        config.heap_held = self.heap[launch].held(planned.blocks(), resident);
        let report = self.device.launch_in_clusters(&request, planned.cluster).ok()?;
        self.heap[launch].note(many, &self.device.heap_held());
        Some(report)
    }

    /// Are blocks watched now? Of the first one nobody knows what that costs.
    fn is_watched(&self, blocks: u64) -> bool {
        self.watch && self.ran > 0 && self.watched + blocks * self.each() <= WATCHED
    }

    /// Keeps what is wrong with blocks that read nothing but what somebody wrote.
    fn note(&mut self, launch: usize, report: &LaunchReport) {
        if self.unknown() {
            return;
        }
        let schedule = self.device.config_mut().schedule;
        for finding in report.findings.iter().filter(|finding| finding.severity == Severity::Error) {
            if !self.findings.iter().any(|known| known.finding.is_like(finding)) {
                self.findings.push(Found { finding: finding.clone(), schedule, launch });
            }
        }
    }

    /// Runs some blocks; `Ok(false)`: they say nothing.
    pub fn blocks(&mut self, launch: usize, blocks: Vec<u64>) -> Result<bool, Status> {
        let many = blocks.len() as u64;
        self.done[launch].extend(&blocks);
        let watched = self.is_watched(many);
        let short = self.ran > 0 && self.each() <= SHORT;
        let config = self.device.config_mut();
        config.checks = if watched { Checks::ALL } else { Checks::NONE };
        config.schedule = if short { self.schedule } else { Schedule::Its };
        let Some(report) = self.launch(launch, blocks) else { return Ok(false) };
        self.ran += report.counters.instructions;
        if watched {
            self.watched += report.counters.instructions;
            self.note(launch, &report);
        }
        self.blocks_run += many;
        let planned = &self.program.plan.launches[launch];
        let fault = report.findings.iter().find(|finding| finding.severity == Severity::Fault);
        self.lacked = Needs { first: waits(&report), before: self.unknown() };
        match fault {
            _ if self.unknown() => Ok(false),
            None => Ok(true),
            Some(finding) => match finding.kind {
                FindingKind::OutOfBounds { .. }
                | FindingKind::Misaligned { .. }
                | FindingKind::WriteToConstant { .. }
                | FindingKind::EndlessLoop { reads: false, .. }
                | FindingKind::Trap
                | FindingKind::Assert { .. } => Err(Status::Fault { fault: fault_of(finding, launch, planned.line) }),
                _ => Ok(false),
            },
        }
    }

    /// Runs blocks of every launch, as far as they say something; `several`: more of them, for what they do on average. Where they
    /// lack something of others, once more, after these.
    pub fn run(&mut self, seed: u64, several: bool) -> Seen {
        let mut seen = self.run_once(seed, several);
        // Each need once.
        for _ in 0..2 {
            let all = seen.fault.is_some() || seen.launches == self.program.plan.launches.len();
            let Needs { first, before } = self.lacked;
            let news = first && !self.needs.first || before && !self.needs.before && seen.launches > 0;
            if all || !news {
                break;
            }
            self.needs = Needs { first: first || self.needs.first, before: before || self.needs.before };
            self.begin_anew(seed);
            seen = self.run_once(seed, several);
        }
        seen
    }

    /// The same as far as another has come, and no further.
    pub fn run_like(&mut self, other: &Self, seed: u64) -> Seen {
        self.needs = other.needs;
        self.run_once(seed, false)
    }

    /// As if nothing had run.
    fn begin_anew(&mut self, seed: u64) {
        self.device.rewind();
        self.constants(seed);
        (self.ran, self.blocks_run, self.watched, self.lacked) = (0, 0, 0, Needs::default());
        self.done.iter_mut().for_each(BTreeSet::clear);
        self.findings.clear();
    }

    fn run_once(&mut self, seed: u64, several: bool) -> Seen {
        let (inputs, outputs) = (self.bytes(&READ).max(1.0), self.bytes(&WRITTEN).max(1.0));
        let mut seen = Seen::default();
        for (launch, planned) in self.program.plan.launches.iter().enumerate() {
            let blocks = planned.blocks();
            let chosen = chosen(seed, launch as u64, blocks);
            let ran = self.ran;
            let mut found = [Places { in_place: true, flat: planned.is_flat(), ..Places::default() }; 2];
            // What the first and the last block did, and what the others did.
            let (mut read, mut written) = ([Vec::new(), Vec::new()], [Vec::new(), Vec::new()]);
            let (mut run, mut did) = (0, Vec::new());
            let (mut places, mut bytes) = (self.read_and_written(), self.bytes_touched());
            let mut stretches = places.each_ref().map(|buffers| vec![Vec::new(); buffers.len()]);
            let mut striped = places.each_ref().map(|buffers| vec![Vec::new(); buffers.len()]);
            for block in self.order(&chosen, blocks) {
                // Both ends tell more than the other drawn ones: loops may go round once more there.
                let spent = self.ran - ran;
                if spent > ENOUGH && (run > 2 || spent > run * ENOUGH) {
                    break;
                }
                run += 1;
                match self.blocks(launch, vec![block]) {
                    Ok(true) => {}
                    Ok(false) => return seen,
                    Err(fault) => return Seen { fault: Some(fault), ..seen },
                }
                let now = self.read_and_written();
                for (((found, stretches), before), now) in found.iter_mut().zip(&mut stretches).zip(&places).zip(&now) {
                    if let Some(span) = span(before, now) {
                        found.add(block, blocks, span);
                    }
                    for ((stretches, (_, before)), (_, now)) in stretches.iter_mut().zip(before).zip(now) {
                        stretches.extend(stretch(before, now).map(|(from, to)| (block, from, to)));
                    }
                }
                for ((striped, before), now) in striped.iter_mut().zip(&places).zip(&now) {
                    for ((striped, (bytes, before)), (_, now)) in striped.iter_mut().zip(before).zip(now) {
                        striped.extend(Striped::of(block, &added(before, now), *bytes));
                    }
                }
                places = now;
                let drawn = usize::from(block != 0 && block != blocks - 1);
                let after = self.bytes_touched();
                did.push(Did { block, bytes: [after.0 - bytes.0, after.1 - bytes.1] });
                read[drawn].push(after.0 - bytes.0);
                written[drawn].push(after.1 - bytes.1);
                bytes = after;
            }
            let each = (self.ran - ran) / run.max(1);
            let several = match self.several(launch, (&chosen, several), (each, run), seed) {
                Ok(Some(several)) => several,
                Ok(None) => return seen,
                Err(fault) => return Seen { fault: Some(fault), ..seen },
            };
            let after = self.bytes_touched();
            if run + several < blocks {
                self.device.end_part();
            } else if seen.whole == launch {
                seen.whole += 1;
            }
            seen.launches += 1;
            for (found, bytes) in found.iter_mut().zip([&read, &written]) {
                // One or two are in their place by chance.
                found.in_place &= 2 * found.blocks as u64 >= run;
                found.block = bytes.iter().flatten().copied().fold(0.0, f64::max);
            }
            seen.places = found;
            seen.drawn.push(written[1].len());
            seen.did.push(did);
            for (all, these) in seen.striped.iter_mut().zip(striped) {
                all.push(these);
            }
            for (all, these) in seen.stretches.iter_mut().zip(stretches) {
                all.push(these);
            }
            let several = ((after.0 - bytes.0, several), (after.1 - bytes.1, several));
            seen.read.push(Share::of_launch(&read[0], &read[1], several.0, blocks as f64, inputs));
            seen.written.push(Share::of_launch(&written[0], &written[1], several.1, blocks as f64, outputs));
        }
        seen
    }
}

impl Opened<'_> {
    /// Bytes of the inputs that were read so far, and of the outputs that were written.
    pub fn bytes_touched(&self) -> (f64, f64) {
        let buffers = self.program.plan.buffers.iter().zip(&self.addresses);
        buffers.fold((0.0, 0.0), |(read, written), (buffer, address)| {
            let bytes = self.device.bytes_touched(*address).unwrap_or_default();
            let of = |roles: [Role; 2], bytes: u64| if roles.contains(&buffer.role) { bytes as f64 } else { 0.0 };
            (read + of(READ, bytes.0), written + of(WRITTEN, bytes.1))
        })
    }

    /// In which order chosen blocks are run. If there is time for one only, that is the last one of a round size, and elsewhere none at an
    /// end.
    fn order(&self, chosen: &BTreeSet<u64>, blocks: u64) -> Vec<u64> {
        let round = self.program.plan.buffers.iter().all(|buffer| buffer.len == 1 || buffer.len % ROUND == 0);
        let mut order = drawn_first(chosen, blocks);
        if round {
            order.sort_by_key(|block| *block != blocks - 1);
        }
        if self.needs.first {
            order.sort_by_key(|block| *block != 0);
        }
        order
    }

    /// Runs all other blocks of a launch if later ones need them, or `several` more, where that costs little: how many. `Ok(None)`: they say nothing.
    fn several(
        &mut self,
        launch: usize,
        (but, several): (&BTreeSet<u64>, bool),
        (each, run): (u64, u64),
        seed: u64,
    ) -> Result<Option<u64>, Status> {
        let blocks = self.program.plan.launches[launch].blocks();
        if self.needs.before && each.saturating_mul(blocks) <= WHOLE && run == but.len() as u64 {
            let others: Vec<u64> = (0..blocks).filter(|block| !but.contains(block)).collect();
            let many = others.len() as u64;
            return Ok(self.blocks(launch, others)?.then_some(many));
        }
        if !several {
            return Ok(Some(0));
        }
        let stream = Stream::new(seed, "several blocks");
        let drawn = |at: u64| stream.integer((launch as u64) << 8 | at, 0, blocks as i64 - 1) as u64;
        let many = (SEVERAL_INSTRUCTIONS / each.max(1)).min(SEVERAL);
        let wanted: BTreeSet<u64> = (0..many).map(drawn).filter(|block| !but.contains(block)).collect();
        let many = wanted.len() as u64;
        let told = wanted.is_empty() || self.blocks(launch, wanted.into_iter().collect())?;
        Ok(told.then_some(many))
    }

    /// Runs more blocks of the launch that makes the outputs, as many as cost little: what is done in few of them shows in many only.
    pub fn more(&mut self, launch: usize, seed: u64) -> Result<(), Status> {
        let planned = &self.program.plan.launches[launch];
        let blocks = planned.blocks();
        // Others at another size.
        let elements = self.program.plan.buffers.iter().map(|buffer| buffer.len).fold(0, u64::wrapping_add);
        let stream = Stream::new(seed, &format!("more blocks of {elements}"));
        let drawn = |at: u64| stream.integer(at, 0, blocks as i64 - 1) as u64;
        let wanted: BTreeSet<u64> = (0..(MORE_INSTRUCTIONS / self.each().max(1)).min(MORE_BLOCKS)).map(drawn).collect();
        if !wanted.is_empty() {
            self.blocks(launch, wanted.into_iter().filter(|block| !self.done[launch].contains(block)).collect())?;
        }
        Ok(())
    }
}

/// The blocks of a grid that are run, ascending.
pub fn chosen(seed: u64, launch: u64, blocks: u64) -> BTreeSet<u64> {
    let stream = Stream::new(seed, "blocks");
    let drawn = |at: u64| stream.integer(launch << 8 | at, 0, blocks as i64 - 1) as u64;
    [0, blocks - 1].into_iter().chain((2..BLOCKS).map(drawn)).collect()
}

/// In the order in which they are run: if there is time for one only, that is none at an end; the ends come next.
pub fn drawn_first(chosen: &BTreeSet<u64>, blocks: u64) -> Vec<u64> {
    let (ends, drawn) = ends_and_drawn(chosen, blocks);
    let (first, others) = drawn.split_at(drawn.len().min(1));
    [first, &ends, others].concat()
}

/// The last one, the first one, and those that are drawn.
pub fn ends_first(chosen: &BTreeSet<u64>, blocks: u64) -> Vec<u64> {
    let (ends, drawn) = ends_and_drawn(chosen, blocks);
    [ends, drawn].concat()
}

/// The first and the last one, and the others, each descending.
fn ends_and_drawn(chosen: &BTreeSet<u64>, blocks: u64) -> (Vec<u64>, Vec<u64>) {
    chosen.iter().rev().partition(|block| **block == 0 || **block == blocks - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_block_comes_first_and_the_ends_then() {
        assert_eq!(drawn_first(&BTreeSet::from([0, 7, 5, 9]), 10), [7, 9, 0, 5]);
        assert_eq!(drawn_first(&BTreeSet::from([0, 1]), 2), [1, 0]);
        assert_eq!(drawn_first(&BTreeSet::from([0]), 1), [0]);
        assert_eq!(ends_first(&BTreeSet::from([0, 7, 5, 9]), 10), [9, 0, 7, 5]);
    }

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
}
