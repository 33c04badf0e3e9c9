//! A module on the simulated device: buffers, launches, and what they leave.

use super::arguments::arguments;
use super::fault_of;
use crate::backend::JobError;
use crate::backend::machine::{BrokenGuard, Pass, Session, Stop, Unread};
#[cfg(not(target_family = "wasm"))]
use crate::backend::machine::{Free, Turned};
use crate::backend::message::job::Program;
use crate::backend::objects::Objects;
use plan::stream::Stream;
use plan::{Buffer, Constant, ConstantValue, HostSum, Role};
#[cfg(not(target_family = "wasm"))]
use simulator::steer::Aim;
use simulator::{Checks, Device, Finding, LaunchReport, Schedule, Severity, Witness};
#[cfg(not(target_family = "wasm"))]
use std::collections::BTreeSet;

/// A version that leaves out one part in so many of a buffer, or more, has another way to its result, or none: outputs show it.
const UNREAD: u64 = 2;

pub(super) struct SimSession {
    pub(super) device: Device,
    /// Blocks that are resident at once where a launch does not say.
    pub(super) resident: u32,
    pub(super) addresses: Vec<u64>,
    pub(super) textures: Vec<u64>,
    pub(super) program: Program,
    /// Its own buffers and program, while another one is visited.
    pub(super) own: Option<(Vec<u64>, Program)>,
}

/// Allocates a program's buffers.
pub(super) fn allocate(device: &mut Device, program: &Program) -> Result<Vec<u64>, Stop> {
    let mut addresses = Vec::new();
    for buffer in &program.plan.buffers {
        let memory = |message: String| JobError::Memory { buffer: buffer.name.clone(), message };
        let bytes = buffer
            .len
            .checked_mul(buffer.dtype.size() as u64)
            .ok_or_else(|| memory(format!("{} elements are too many", buffer.len)))?;
        // The plan fits by itself: what the file's own variables leave is too little.
        let beside = |error: simulator::MemoryError| Stop::BadLaunch {
            launch: 0,
            line: program.plan.launches.first().map_or(0, |launch| launch.line),
            message: format!("`{}` does not fit beside the file's variables: {error}", buffer.name),
        };
        let address = device.alloc(&buffer.name, bytes).map_err(beside)?;
        if buffer.role == Role::In {
            device.protect(address).map_err(|error| memory(error.to_string()))?;
        }
        addresses.push(address);
    }
    Ok(addresses)
}

impl SimSession {
    fn memory(&self, buffer: usize, error: &simulator::MemoryError) -> Stop {
        let buffer = self.program.plan.buffers[buffer].name.clone();
        Stop::Failure(JobError::Memory { buffer, message: error.to_string() })
    }

    /// Values that nothing wrote, in what the host reads after the launches.
    fn undefined_results(&self) -> Vec<Finding> {
        let plan = &self.program.plan;
        let summed = plan.host.map(|host| host.from);
        let read = |(index, buffer): &(usize, &Buffer)| {
            matches!(buffer.role, Role::Out | Role::InOut) || Some(*index) == summed
        };
        let mut findings: Vec<Finding> = Vec::new();
        for (index, buffer) in plan.buffers.iter().enumerate().filter(read) {
            let bytes = buffer.bytes();
            for finding in self.device.undefined(self.addresses[index], bytes) {
                if !findings.iter().any(|known| known.is_like(&finding)) {
                    findings.push(finding);
                }
            }
        }
        findings
    }

    /// What a `//@ constant` line asks for.
    fn fill_constant(&mut self, constant: &Constant) -> Result<(), Stop> {
        let bad = |message: String| Stop::BadLaunch { launch: 0, line: constant.line, message };
        let name = self.program.artefact.names.get(&constant.variable).unwrap_or(&constant.variable).clone();
        let shown = constant.variable.trim_start_matches('&');
        let Some((address, size)) = self.device.variable(&name) else {
            return Err(bad(format!("the kernels use no variable `{shown}`")));
        };
        let (bytes, given) = match constant.value {
            ConstantValue::Buffer(index) => {
                let buffer = &self.program.plan.buffers[index];
                let mut bytes = vec![0; buffer.len as usize * buffer.dtype.size()];
                self.read(index, 0, &mut bytes)?;
                (bytes, format!("`{}`", self.program.plan.buffers[index].name))
            }
            ConstantValue::Structure(at) => (self.objects().structure(&self.program.plan, at), "the structure".into()),
        };
        if bytes.len() as u64 > size {
            return Err(bad(format!("{given} has {} bytes, `{shown}` has {size}", bytes.len())));
        }
        let failed =
            |error: simulator::MemoryError| JobError::Memory { buffer: shown.into(), message: error.to_string() };
        Ok(self.device.write(address, &bytes).map_err(failed)?)
    }

    /// What the module's variables hold.
    #[cfg(not(target_family = "wasm"))]
    pub(super) fn variables(&self) -> Vec<Vec<u8>> {
        let one = |(address, size): (u64, u64)| {
            let mut bytes = vec![0; size as usize];
            // One that cannot be read is left as it begins.
            if self.device.read(address, &mut bytes).is_err() {
                bytes.clear();
            }
            bytes
        };
        self.device.variables().map(one).collect()
    }

    fn objects(&self) -> Objects<'_> {
        Objects { buffers: &self.addresses, textures: &self.textures }
    }

    /// What `//@ host` asks for.
    fn host_sum(&mut self, host: HostSum) -> Result<(), Stop> {
        let from = &self.program.plan.buffers[host.from];
        let (dtype, len) = (from.dtype, from.len as usize * from.dtype.size());
        let mut bytes = vec![0; len];
        self.read(host.from, 0, &mut bytes)?;
        self.write(host.to, &values::sum::sum(dtype, &bytes))
    }

    fn launch(&mut self, index: usize) -> Result<LaunchReport, Stop> {
        let launch = &self.program.plan.launches[index];
        let bad = |message: String| Stop::BadLaunch { launch: index, line: launch.line, message };
        let name = self.program.artefact.names.get(&launch.kernel).unwrap_or(&launch.kernel);
        let module = self.device.module().clone();
        let args = match module.kernel(name) {
            Some(kernel) => arguments(launch, &kernel.params, self.objects(), &self.program.plan).map_err(bad)?,
            // The device names the kernels there are.
            None => Vec::new(),
        };
        let request = simulator::Launch {
            kernel: name.clone(),
            grid: launch.grid,
            block: launch.block,
            shared: launch.shared,
            args,
            cooperative: launch.cooperative,
        };
        self.device.config_mut().resident_blocks = launch.resident.unwrap_or(self.resident);
        self.device.launch_in_clusters(&request, launch.cluster).map_err(|error| bad(error.to_string()))
    }
}

impl Session for SimSession {
    fn write(&mut self, buffer: usize, bytes: &[u8]) -> Result<(), Stop> {
        if bytes.is_empty() {
            return Ok(());
        }
        self.device.write(self.addresses[buffer], bytes).map_err(|error| self.memory(buffer, &error))
    }

    fn poison(&mut self, buffer: usize, byte: u8) -> Result<(), Stop> {
        let part = &self.program.plan.buffers[buffer];
        let bytes = part.bytes();
        if bytes == 0 {
            return Ok(());
        }
        self.device.poison(self.addresses[buffer], bytes, &[byte]).map_err(|error| self.memory(buffer, &error))
    }

    fn read(&mut self, buffer: usize, offset: u64, into: &mut [u8]) -> Result<(), Stop> {
        if into.is_empty() {
            return Ok(());
        }
        self.device.read(self.addresses[buffer] + offset, into).map_err(|error| self.memory(buffer, &error))
    }

    fn visit(&mut self, other: Option<&Program>) -> Result<bool, Stop> {
        if let Some(own) = self.own.take() {
            (self.addresses, self.program) = own;
        }
        if let Some(other) = other {
            let addresses = allocate(&mut self.device, other)?;
            let own = std::mem::replace(&mut self.addresses, addresses);
            self.own = Some((own, std::mem::replace(&mut self.program, other.clone())));
        }
        Ok(true)
    }

    fn draw(&mut self, seed: u64) {
        self.device.config_mut().seed = seed;
    }

    fn appear(&mut self, machine: u64) {
        let config = self.device.config_mut();
        if config.machine != 0 {
            config.machine = Stream::new(machine, "machine").bits(1) | 1;
        }
    }

    fn set_checked(&mut self, checked: bool) {
        if !checked {
            self.device.config_mut().checks = Checks::NONE;
        }
    }

    fn at_most(&mut self, steps: u64) {
        let limits = &mut self.device.config_mut().limits;
        limits.steps = limits.steps.min(steps);
    }

    fn follow(&mut self, witness: &Witness) {
        self.device.config_mut().witness.clone_from(witness);
    }

    fn note_reads(&mut self) -> Result<(), Stop> {
        for (index, _) in self.program.plan.buffers.iter().enumerate().filter(|(_, one)| one.role == Role::In) {
            self.device.note_reads(self.addresses[index]).map_err(|error| self.memory(index, &error))?;
        }
        Ok(())
    }

    fn unread(&self) -> Vec<Unread> {
        // What the host reads of the buffers, nobody notes.
        let plan = &self.program.plan;
        if plan.host.is_some() {
            return Vec::new();
        }
        let copied = |index| plan.constants.iter().any(|constant| constant.value == ConstantValue::Buffer(index));
        let buffers = plan.buffers.iter().zip(&self.addresses).enumerate();
        let inputs =
            buffers.filter(|(index, (one, _))| one.role == Role::In && !copied(*index)).map(|(_, input)| input);
        let left = inputs.filter_map(|(buffer, &address)| {
            let size = buffer.dtype.size() as u64;
            let ranges = self.device.unread(address)?;
            let bytes: u64 = ranges.iter().map(|range| range.end - range.start).sum();
            let first = ranges.first()?.start / size;
            let few = bytes * UNREAD < buffer.len * size;
            few.then(|| Unread { buffer: buffer.name.clone(), first, count: bytes.div_ceil(size), ranges })
        });
        left.collect()
    }

    fn pass(&mut self, schedule: Option<Schedule>) -> Pass {
        if let Some(schedule) = schedule {
            self.device.config_mut().schedule = schedule;
        }
        let mut pass = Pass::default();
        for constant in self.program.plan.constants.clone() {
            if let Err(stop) = self.fill_constant(&constant) {
                pass.stop = Some(stop);
                return pass;
            }
        }
        for index in 0..self.program.plan.launches.len() {
            match self.launch(index) {
                Ok(report) => {
                    let line = self.program.plan.launches[index].line;
                    let fault = report.findings.iter().find(|finding| finding.severity == Severity::Fault);
                    pass.stop = fault.map(|finding| Stop::Fault(fault_of(finding, index, line)));
                    let stopped = report.status == simulator::LaunchStatus::Stopped;
                    pass.reports.push(report);
                    if stopped || pass.stop.is_some() {
                        break;
                    }
                }
                Err(stop) => {
                    pass.stop = Some(stop);
                    break;
                }
            }
        }
        #[cfg(not(target_family = "wasm"))]
        if pass.stop.is_none() {
            pass.heap_left = self.device.heap_left();
        }
        if pass.stop.is_none() {
            let undefined = self.undefined_results();
            if let Some(report) = pass.reports.last_mut() {
                report.findings.extend(undefined);
            }
        }
        if let (None, Some(host)) = (&pass.stop, self.program.plan.host) {
            pass.stop = self.host_sum(host).err();
        }
        pass
    }

    #[cfg(not(target_family = "wasm"))]
    fn conditions(&mut self) -> Result<Vec<simulator::Condition>, Stop> {
        self.met_conditions()
    }

    #[cfg(not(target_family = "wasm"))]
    fn turn(
        &mut self,
        wanted: BTreeSet<(u32, Aim)>,
        goals: &[Turned],
        inputs: &[Free],
        seed: u64,
    ) -> Result<Vec<Turned>, Stop> {
        self.turned_conditions(wanted, goals, inputs, seed)
    }

    fn broken_guard(&mut self) -> Result<Option<BrokenGuard>, Stop> {
        Ok(None)
    }
}
