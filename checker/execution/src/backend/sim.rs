//! The simulator behind the backend interface.

use super::job::{Output, Program, Text};
use super::machine::{BrokenGuard, Machine, Pass, Session, Stop, Unread};
#[cfg(not(target_family = "wasm"))]
use crate::backend::Profile;
use crate::backend::{Failure, Fault, Status, UNREADABLE, sampled};
use plan::stream::Stream;
use plan::{Arg, Buffer, Constant, HostSum, Launch, Role, Structure};
use simulator::explore::Effort;
use simulator::finding::as_named;
use simulator::{Checks, Config, Device, Finding, LaunchReport, Module, Param, Schedule, Severity, Witness};
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Bytes of PTX whose modules are kept.
const MODULES: usize = 8 << 20;

/// A version that leaves out more of a buffer than one part in so many has another way to its result, or none: outputs show it.
const FEW: u64 = 8;

/// A PTX text and what it was parsed to.
type Parsed = (Arc<str>, Arc<Module>);

/// Parsed modules, shared between sessions and jobs. Few texts, so they are compared and not hashed.
#[derive(Clone, Default)]
pub struct Modules(Rc<RefCell<Vec<Parsed>>>);

impl Modules {
    fn find(&self, text: &Arc<str>) -> Option<Arc<Module>> {
        let known = self.0.borrow();
        let same = |(known, _): &&Parsed| Arc::ptr_eq(known, text) || known == text;
        known.iter().find(same).map(|(_, module)| module.clone())
    }

    fn keep(&self, text: Arc<str>, module: Arc<Module>) {
        let mut known = self.0.borrow_mut();
        if known.iter().map(|(text, _)| text.len()).sum::<usize>() + text.len() > MODULES {
            known.clear();
        }
        known.push((text, module));
    }
}

/// Simulated devices of one configuration.
pub struct Sim {
    config: Config,
    schedules: Vec<Schedule>,
    effort: Option<Effort>,
    modules: Modules,
    bell: Option<Arc<AtomicBool>>,
}

impl Sim {
    /// `schedules` may be empty: the default one is used. With an `effort`, failed orders are minimised.
    pub fn new(config: Config, schedules: Vec<Schedule>, effort: Option<Effort>, modules: Modules) -> Self {
        let schedules = if schedules.is_empty() { vec![Schedule::default()] } else { schedules };
        Self { config, schedules, effort, modules, bell: None }
    }

    /// Its launches end when this is set.
    pub fn until(self, bell: Arc<AtomicBool>) -> Self {
        Self { bell: Some(bell), ..self }
    }

    /// The settings for a program: another size, other addresses.
    pub(super) fn config(&self, program: &Program) -> Config {
        let mut config = self.config.clone();
        if config.machine != 0 {
            let sizes = program.plan.buffers.iter().map(|buffer| buffer.len);
            config.machine = sizes.fold(config.machine, |seed, len| Stream::new(seed, "addresses").bits(len)) | 1;
        }
        config
    }

    pub(super) fn module(&self, program: &Program) -> Result<Arc<Module>, Stop> {
        let failed = |message: String| Failure::Artefact { program: program.name.clone(), message };
        let text = match &program.artefact.ptx {
            Some(Text::Inline(text)) => text.clone(),
            Some(Text::File(path)) => {
                let text =
                    std::fs::read_to_string(path).map_err(|error| failed(format!("{}: {error}", path.display())))?;
                Arc::from(text)
            }
            None => return Err(failed("no PTX: the simulator needs it".into()).into()),
        };
        if let Some(module) = self.modules.find(&text) {
            return Ok(module);
        }
        // Inline PTX that the assembler takes and the simulator does not: the kernel's own doing.
        let unreadable = |error: simulator::ParseError| {
            Stop::Fault(Fault {
                name: UNREADABLE.to_owned(),
                message: format!(
                    "the simulator cannot read the compiled code, PTX line {}: {}",
                    error.line, error.message
                ),
                hint: Some("write the inline PTX there in a plainer form".to_owned()),
                launch: 0,
                line: source_line(&text, error.line),
            })
        };
        let module = Arc::new(Module::parse(&text).map_err(unreadable)?);
        self.modules.keep(text, module.clone());
        Ok(module)
    }
}

/// The source line of a line of PTX, by the last `.loc` before it; 0 where there is none.
fn source_line(ptx: &str, line: u32) -> u32 {
    let before: Vec<&str> = ptx.lines().take(line as usize).collect();
    let loc = before.iter().rev().find_map(|line| line.trim_start().strip_prefix(".loc"));
    loc.and_then(|loc| loc.split_whitespace().nth(1)?.parse().ok()).unwrap_or(0)
}

impl Sim {
    fn session(&self, program: &Program, config: Config) -> Result<SimSession, Stop> {
        let module = self.module(program)?;
        let resident = config.resident_blocks;
        let mut device = Device::new(module, config);
        device.set_interrupt(self.bell.clone());
        let mut addresses = Vec::new();
        for buffer in &program.plan.buffers {
            let memory = |message: String| Failure::Memory { buffer: buffer.name.clone(), message };
            let bytes = buffer
                .len
                .checked_mul(buffer.dtype.size() as u64)
                .ok_or_else(|| memory(format!("{} elements are too many", buffer.len)))?;
            let address = device.alloc(&buffer.name, bytes).map_err(|error| memory(error.to_string()))?;
            if buffer.role == Role::In {
                device.protect(address).map_err(|error| memory(error.to_string()))?;
            }
            addresses.push(address);
        }
        Ok(SimSession { device, resident, addresses, program: program.clone() })
    }
}

impl Machine for Sim {
    fn open(&self, program: &Program) -> Result<Box<dyn Session + '_>, Stop> {
        Ok(Box::new(self.session(program, self.config(program))?))
    }

    fn open_trusted(&self, program: &Program) -> Result<Box<dyn Session + '_>, Stop> {
        Ok(Box::new(self.session(program, Config { checks: Checks::NONE, ..self.config(program) })?))
    }

    fn open_tracking(
        &self,
        program: &Program,
        buffer: usize,
        element: u64,
    ) -> Result<Option<Box<dyn Session + '_>>, Stop> {
        let mut session = self.session(program, Config { checks: Checks::ALL, ..self.config(program) })?;
        let size = program.plan.buffers[buffer].dtype.size() as u64;
        let start = session.addresses[buffer] + element * size;
        session.device.config_mut().tracked = Some((start, size));
        Ok(Some(Box::new(session)))
    }

    fn schedules(&self) -> Vec<Option<Schedule>> {
        self.schedules.iter().copied().map(Some).collect()
    }

    fn sampled(
        &self,
        programs: (&Program, &Program),
        oracle: Option<&Program>,
        outputs: &[Output],
        seed: u64,
    ) -> Result<Option<Status>, Stop> {
        sampled::judge(self, programs, oracle, outputs, seed)
    }

    fn untried(&self, far: &Program, near: &[Program], ladder: &[Program], seed: u64) -> Result<Option<Status>, Stop> {
        sampled::first_tried(self, far, near, ladder, seed)
    }

    #[cfg(not(target_family = "wasm"))]
    fn profiled(&self, program: &Program, seed: u64, steps: u64) -> Result<Option<Profile>, Stop> {
        sampled::profile(self, program, seed, steps).map(Some)
    }

    fn effort(&self) -> Option<Effort> {
        self.effort
    }

    fn broken(&self) -> bool {
        false
    }
}

struct SimSession {
    device: Device,
    /// Blocks that are resident at once where a launch does not say.
    resident: u32,
    addresses: Vec<u64>,
    program: Program,
}

impl SimSession {
    fn memory(&self, buffer: usize, error: &simulator::MemoryError) -> Stop {
        let buffer = self.program.plan.buffers[buffer].name.clone();
        Stop::Failure(Failure::Memory { buffer, message: error.to_string() })
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
            let bytes = buffer.len * buffer.dtype.size() as u64;
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
        let buffer = &self.program.plan.buffers[constant.buffer];
        let mut bytes = vec![0; buffer.len as usize * buffer.dtype.size()];
        let Some((address, size)) = self.device.variable(&name) else {
            return Err(bad(format!("the kernels use no variable `{}`", constant.variable.trim_start_matches('&'))));
        };
        if bytes.len() as u64 > size {
            let (name, shown) = (&buffer.name, constant.variable.trim_start_matches('&'));
            return Err(bad(format!("`{name}` has {} bytes, `{shown}` has {size}", bytes.len())));
        }
        self.read(constant.buffer, 0, &mut bytes)?;
        self.device.write(address, &bytes).map_err(|error| self.memory(constant.buffer, &error))
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
            Some(kernel) => {
                arguments(launch, &kernel.params, &self.addresses, &self.program.plan.structures).map_err(bad)?
            }
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
        self.device.launch(&request).map_err(|error| bad(error.to_string()))
    }
}

/// The launch's arguments in the shape of the kernel's parameters.
pub(super) fn arguments(
    launch: &Launch,
    params: &[Param],
    addresses: &[u64],
    structures: &[Structure],
) -> Result<Vec<simulator::Arg>, String> {
    if launch.args.len() != params.len() {
        let count = |n: usize| if n == 1 { "1 argument".to_owned() } else { format!("{n} arguments") };
        return Err(format!(
            "`{}` takes {}, the launch gives {}",
            launch.kernel,
            count(params.len()),
            launch.args.len()
        ));
    }
    launch
        .args
        .iter()
        .zip(params)
        .enumerate()
        .map(|(position, (arg, param))| {
            let whose = format!("argument {} of `{}`", position + 1, launch.kernel);
            match *arg {
                Arg::Buffer(buffer) if param.size == 8 => Ok(simulator::Arg::Pointer(addresses[buffer])),
                Arg::Offset { buffer, bytes } if param.size == 8 => {
                    Ok(simulator::Arg::Pointer(addresses[buffer] + bytes))
                }
                Arg::Buffer(_) | Arg::Offset { .. } => {
                    Err(format!("{whose} is a buffer, the parameter is no pointer (.{})", param.ty))
                }
                Arg::Structure(at) => {
                    let bytes = structures[at].bytes(&|buffer| addresses[buffer]);
                    if bytes.len() == param.size as usize {
                        Ok(simulator::Arg::Bytes(bytes))
                    } else {
                        Err(format!("{whose} has {} bytes, the parameter {}", bytes.len(), param.size))
                    }
                }
                Arg::Int(value) => scalar(value, param.size, Some(&param.ty))
                    .map(simulator::Arg::Bytes)
                    .map_err(|e| format!("{whose}: {e}")),
                Arg::Real(value) => real(value, param.size, Some(&param.ty))
                    .map(simulator::Arg::Bytes)
                    .map_err(|e| format!("{whose}: {e}")),
            }
        })
        .collect()
}

/// The little-endian bytes of an integer for a parameter of `size` bytes; `ty` as PTX names it, where it is known. An
/// integer for a float parameter is converted, as C++ would.
pub(super) fn scalar(value: i64, size: u32, ty: Option<&str>) -> Result<Vec<u8>, String> {
    match (ty, size) {
        (Some("f32"), 4) => return Ok((value as f32).to_le_bytes().to_vec()),
        (Some("f64"), 8) => return Ok((value as f64).to_le_bytes().to_vec()),
        _ => {}
    }
    let fits = match size {
        1 => (-0x80..=0xff).contains(&value),
        2 => (-0x8000..=0xffff).contains(&value),
        4 => (-0x8000_0000..=0xffff_ffff).contains(&value),
        8 => true,
        _ => return Err(format!("{value} for a parameter of {size} bytes: only integers and floats can be passed")),
    };
    if !fits {
        return Err(format!("{value} does not fit into the parameter's {size} bytes"));
    }
    Ok(value.to_le_bytes()[..size as usize].to_vec())
}

/// The little-endian bytes of a real for a float parameter.
pub(super) fn real(value: f64, size: u32, ty: Option<&str>) -> Result<Vec<u8>, String> {
    match (ty, size) {
        (Some("f32") | None, 4) => Ok((value as f32).to_le_bytes().to_vec()),
        (Some("f64") | None, 8) => Ok(value.to_le_bytes().to_vec()),
        (Some(ty), _) => Err(format!("{value} for a parameter of type .{ty}: it is neither float nor double")),
        (None, _) => Err(format!("{value} for a parameter of {size} bytes: it is neither float nor double")),
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
        let bytes = part.len * part.dtype.size() as u64;
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

    fn draw(&mut self, seed: u64) {
        self.device.config_mut().seed = seed;
    }

    fn appear(&mut self, machine: u64) {
        let config = self.device.config_mut();
        if config.machine != 0 {
            config.machine = Stream::new(machine, "machine").bits(1) | 1;
        }
    }

    fn watch(&mut self, watched: bool) {
        if !watched {
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
        if !self.program.plan.constants.is_empty() || self.program.plan.host.is_some() {
            return Vec::new();
        }
        let inputs = self.program.plan.buffers.iter().zip(&self.addresses).filter(|(one, _)| one.role == Role::In);
        let left = inputs.filter_map(|(buffer, &address)| {
            let size = buffer.dtype.size() as u64;
            let ranges = self.device.unread(address)?;
            let bytes: u64 = ranges.iter().map(|range| range.end - range.start).sum();
            let first = ranges.first()?.start / size;
            let few = bytes * FEW < buffer.len * size;
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

    fn broken_guard(&mut self) -> Result<Option<BrokenGuard>, Stop> {
        Ok(None)
    }
}

/// A fault finding in one sentence; its details stay in the findings.
pub(super) fn fault_of(finding: &Finding, launch: usize, line: u32) -> Fault {
    let name = finding.kind.name().name().to_owned();
    Fault { name, message: finding.explain(&as_named).sentence, hint: None, launch, line }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_fit_their_parameter_or_are_refused() {
        assert_eq!(scalar(-1, 4, Some("u32")).unwrap(), [0xff; 4]);
        assert_eq!(scalar(0xffff_ffff, 4, Some("u32")).unwrap(), [0xff; 4]);
        assert_eq!(scalar(2, 4, Some("f32")).unwrap(), 2f32.to_le_bytes());
        assert!(scalar(1 << 32, 4, Some("u32")).unwrap_err().contains("does not fit"));
        assert!(scalar(1, 12, Some("b8")).unwrap_err().contains("12 bytes"));
        assert_eq!(real(0.5, 4, Some("f32")).unwrap(), 0.5f32.to_le_bytes());
        assert!(real(0.5, 4, Some("u32")).is_err());
        assert!(real(0.5, 2, None).is_err());
    }

    #[test]
    fn argument_count_and_kind_are_checked() {
        let param = |ty: &str, size| Param { ty: ty.into(), size, align: size };
        let launch = Launch {
            kernel: "k".into(),
            grid: [1; 3],
            block: [1; 3],
            shared: 0,
            args: vec![Arg::Buffer(0), Arg::Int(5)],
            cooperative: false,
            resident: None,
            line: 1,
        };
        let params = [param("u64", 8), param("u32", 4)];
        assert_eq!(
            arguments(&launch, &params, &[256], &[]).unwrap(),
            [simulator::Arg::Pointer(256), simulator::Arg::Bytes(vec![5, 0, 0, 0])]
        );
        assert!(arguments(&launch, &params[..1], &[256], &[]).unwrap_err().contains("takes 1 argument"));
        assert!(
            arguments(&launch, &[param("u32", 4), param("u32", 4)], &[256], &[]).unwrap_err().contains("no pointer")
        );
    }
}
