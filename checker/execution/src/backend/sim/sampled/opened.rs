//! A version at a size that is not simulated whole: memory that is filled where it is touched, and a few blocks.

mod over;
mod run;

use super::heap::HeapUse;
use super::profile::waits;
use super::seen::{Did, Ranges, Touches};
use super::stripes::Striped;
use crate::backend::JobError;
use crate::backend::machine::Stop;
use crate::backend::message::job::Program;
use crate::backend::message::outcome::Found;
use crate::backend::message::status::Status;
use crate::backend::objects::Objects;
use crate::backend::sim::{Sim, arguments, fault_of};
use crate::verify::POISON;
use plan::{Buffer, ConstantValue, Role};
use simulator::{Checks, Config, Device, FindingKind, LaunchReport, Schedule, Severity, Touched};
use std::collections::BTreeSet;
use std::sync::Arc;
use values::fill::{self, Values};

pub use over::open_over;
pub use run::MORE_BLOCKS;

/// Warp instructions of a block after which it says nothing: a tenth of a second. Few blocks that share all the work, as many as
/// there are multiprocessors, have that much to do.
pub const STEPS: u64 = 1 << 22;
/// Warp instructions of a launch's blocks after which no more of them are run.
pub const ENOUGH: u64 = 1 << 17;
/// Warp instructions of blocks that are watched: hundredths of a second.
const WATCHED: u64 = 1 << 15;
/// Warp instructions of a block that is run in another than the usual order: that costs more.
const SHORT: u64 = 1 << 13;
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
    /// The same blocks run over the inputs of these seeds, too: where they read then counts with where they read.
    others: Vec<(u64, Device)>,
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
    /// A block did not come to its end within [`STEPS`].
    pub endless: bool,
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
    open_filled(sim, program, other, &|_, buffer| as_stated(buffer, seed))
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
    other: &dyn Fn(usize) -> simulator::Fill,
    input: &dyn Fn(usize, &Buffer) -> simulator::Fill,
) -> Result<Opened<'p>, Stop> {
    let (device, addresses) = memory(sim, program, other, input)?;
    let done = vec![BTreeSet::new(); program.plan.launches.len()];
    let (unlike, unlike_did) = (vec![Vec::new(); done.len()], vec![Vec::new(); done.len()]);
    let unlike_wrote = vec![Vec::new(); addresses.len()];
    let outputs = program.plan.buffers.iter().filter(|buffer| WRITTEN.contains(&buffer.role)).count();
    let unlike_striped = vec![vec![Vec::new(); outputs]; done.len()];
    let mut opened = Opened {
        program,
        device,
        others: Vec::new(),
        addresses,
        constants: true,
        needs: Needs::default(),
        lacked: Needs::default(),
        schedule: Schedule::Its,
        watch: false,
        watched: 0,
        findings: Vec::new(),
        endless: false,
        ran: 0,
        blocks_run: 0,
        heap: vec![HeapUse::default(); program.plan.launches.len()],
        done,
        unlike,
        unlike_did,
        unlike_wrote,
        unlike_striped,
    };
    opened.constants = opened.fill_constants();
    Ok(opened)
}

/// Sparse memory for all buffers, and where they lie in it.
fn memory(
    sim: &Sim,
    program: &Program,
    other: &dyn Fn(usize) -> simulator::Fill,
    input: &dyn Fn(usize, &Buffer) -> simulator::Fill,
) -> Result<(Device, Vec<u64>), Stop> {
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
    Ok((device, addresses))
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
        let touched = self.device.touched(self.addresses[index]).unwrap_or_default();
        self.with_others(index, touched)
    }

    /// Fills module variables as `//@ constant` lines ask; `false`: that cannot be done.
    pub fn fill_constants(&mut self) -> bool {
        let objects = Objects { buffers: &self.addresses, textures: &[] };
        let others = self.others.iter_mut().map(|(_, device)| device);
        std::iter::once(&mut self.device).chain(others).all(|device| put_constants(self.program, device, objects))
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
        self.rewind();
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
        self.launch_others(&request, planned.cluster);
        self.heap[launch].note(many, &self.device.heap_held());
        Some(report)
    }

    /// Are blocks watched now, of which some have run before? Of the first one of a launch nobody knows what that costs: one may take all the
    /// work that it is to draw.
    fn is_watched(&self, blocks: u64) -> bool {
        self.watch && self.watched + blocks * self.each() <= WATCHED
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
        let is_first = self.done[launch].is_empty();
        self.done[launch].extend(&blocks);
        let watched = !is_first && self.is_watched(many);
        let short = !is_first && self.each() <= SHORT;
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
        self.endless |= fault.is_some_and(|fault| matches!(fault.kind, FindingKind::StepLimit { .. }));
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

    /// Bytes of the inputs that were read so far, and of the outputs that were written.
    pub fn bytes_touched(&self) -> (f64, f64) {
        let [read, written] = self.touches().map(|bytes| bytes.iter().sum());
        (read, written)
    }

    /// The same of each input, and of each output.
    pub fn touches(&self) -> Touches {
        let mut all = Touches::default();
        for (index, buffer) in self.program.plan.buffers.iter().enumerate() {
            let mut bytes = self.device.bytes_touched(self.addresses[index]).unwrap_or_default();
            if !self.others.is_empty() && READ.contains(&buffer.role) {
                bytes.0 = self.touched(index).read_bytes;
            }
            for ((of, roles), bytes) in all.iter_mut().zip([READ, WRITTEN]).zip([bytes.0, bytes.1]) {
                if roles.contains(&buffer.role) {
                    of.push(bytes as f64);
                }
            }
        }
        all
    }
}

/// Fills a version's module variables.
fn put_constants(program: &Program, device: &mut Device, objects: Objects<'_>) -> bool {
    program.plan.constants.iter().all(|constant| {
        let name = program.artefact.names.get(&constant.variable).unwrap_or(&constant.variable);
        let Some((address, size)) = device.variable(name) else { return false };
        let bytes = match constant.value {
            ConstantValue::Structure(at) => objects.structure(&program.plan, at),
            ConstantValue::Buffer(index) => {
                let buffer = &program.plan.buffers[index];
                let mut bytes = vec![0; buffer.bytes() as usize];
                // The host's look at a buffer counts for no block's.
                if !READ.contains(&buffer.role) || device.read(objects.buffers[index], &mut bytes).is_err() {
                    return false;
                }
                bytes
            }
        };
        bytes.len() as u64 <= size && device.write(address, &bytes).is_ok()
    })
}
