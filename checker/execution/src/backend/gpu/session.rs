//! A loaded program on a GPU: its kernels, its buffers with their guard zones, and its launches.

use super::driver::{self, CudaError, Function, Memory, Module, Shape, Variable};
use super::{Gpu, failure};
use crate::backend::job::{Program, Text};
use crate::backend::machine::{BrokenGuard, Pass, Session, Stop};
use crate::backend::sim::{real, scalar};
use crate::backend::{Failure, Fault};
use plan::{Arg, Buffer, Constant, Launch, Role};
use simulator::Schedule;
use std::rc::Rc;

/// Bytes before and behind every buffer that no kernel may touch.
const GUARD: usize = 64 << 10;
/// What they hold. A float read from there is huge: -6e32 in f32.
const GUARD_BYTE: u8 = 0xf5;
/// Bytes of shared memory a block may have without asking (CUDA C++ Programming Guide, technical specifications).
const DEFAULT_SHARED: u64 = 48 << 10;
/// Blocks in y and z a grid may have, and in x (CUDA C++ Programming Guide, technical specifications).
const MOST_BLOCKS: [u32; 3] = [0x7fff_ffff, 65535, 65535];
/// Threads in x, y and z a block may have.
const MOST_THREADS: [u32; 3] = [1024, 1024, 64];

/// A launch, looked up and checked.
struct Ready {
    function: Function,
    shape: Shape,
    arguments: Vec<Vec<u8>>,
}

/// A program on a GPU.
pub struct GpuSession<'a> {
    gpu: &'a Gpu,
    program: Program,
    buffers: Vec<Rc<Memory>>,
    /// Which of them belong to another session, too.
    shared: Vec<bool>,
    launches: Vec<Result<Ready, Stop>>,
    module: Rc<Module>,
}

/// What a session takes from another one.
#[derive(Clone, Copy)]
pub enum Share<'s, 'a> {
    /// Nothing.
    Nothing,
    /// Inputs that are the same there.
    Inputs(&'s GpuSession<'a>),
    /// Inputs and outputs.
    All(&'s GpuSession<'a>),
}

/// The variables of a session's module as they were when it was loaded.
pub struct Variables {
    /// Each with its first value; `None`: some cannot be reached, so that the module has to be loaded again.
    known: Option<Vec<(Variable, Memory)>>,
}

impl Variables {
    /// There is nothing that a kernel could leave behind there.
    pub fn are_none(&self) -> bool {
        self.known.as_ref().is_some_and(Vec::is_empty)
    }
}

impl<'a> GpuSession<'a> {
    /// Loads a program and allocates its buffers, but takes from another session what is the same there: two versions that
    /// are compared then work on the same memory.
    ///
    /// # Errors
    /// The CUBIN cannot be loaded, or memory is exhausted.
    pub fn open(gpu: &'a Gpu, program: &Program, share: Share<'_, 'a>) -> Result<Self, Stop> {
        let module = gpu.load(&program.name, &program.artefact)?;
        let (mut buffers, mut taken) = (Vec::new(), Vec::new());
        for buffer in &program.plan.buffers {
            let same = match share {
                Share::All(other) => other.same(buffer),
                Share::Inputs(other) if buffer.role == Role::In => other.same(buffer),
                Share::Inputs(_) | Share::Nothing => None,
            };
            taken.push(same.is_some());
            if let Some(same) = same {
                buffers.push(same);
                continue;
            }
            let memory = |message: String| Failure::Memory { buffer: buffer.name.clone(), message };
            let bytes = usize::try_from(buffer.len)
                .ok()
                .and_then(|len| len.checked_mul(buffer.dtype.size())?.checked_add(2 * GUARD))
                .ok_or_else(|| memory(format!("{} elements are too many", buffer.len)))?;
            let allocated = Memory::new(bytes).map_err(|error| {
                let free = driver::free_memory().unwrap_or(0) >> 20;
                memory(format!("{} bytes do not fit into the device's memory ({free} MiB free): {}", bytes, error.name))
            })?;
            let guards = allocated
                .fill(gpu.stream(), 0, GUARD, GUARD_BYTE)
                .and_then(|()| allocated.fill(gpu.stream(), bytes - GUARD, GUARD, GUARD_BYTE));
            guards.map_err(failure)?;
            buffers.push(Rc::new(allocated));
        }
        let mut session = Self { gpu, program: program.clone(), buffers, shared: taken, launches: Vec::new(), module };
        session.look_up();
        Ok(session)
    }

    /// Looks up the kernels of all launches in the module.
    fn look_up(&mut self) {
        let addresses: Vec<u64> = self.buffers.iter().map(|memory| memory.address() + GUARD as u64).collect();
        let ptx = ptx_text(&self.program);
        let launches = self.program.plan.launches.iter().enumerate();
        let one = |(index, launch): (usize, &Launch)| {
            ready(self.gpu, &self.program, &self.module, ptx.as_deref(), launch, &addresses)
                .map_err(|message| Stop::BadLaunch { launch: index, line: launch.line, message })
        };
        self.launches = launches.map(one).collect();
    }

    /// Takes down what the module's variables hold; to be asked before anything runs.
    ///
    /// # Errors
    /// No memory is left.
    pub fn variables(&self) -> Result<Variables, CudaError> {
        let names = self.gpu.variables(&self.program.artefact);
        let found = names.and_then(|names| names.iter().map(|name| self.module.variable(name)).collect());
        let Some(found): Option<Vec<Variable>> = found else { return Ok(Variables { known: None }) };
        let copies = found.into_iter().map(|variable| {
            let copy = variable.copy(self.gpu.stream())?;
            Ok((variable, copy))
        });
        Ok(Variables { known: Some(copies.collect::<Result<_, CudaError>>()?) })
    }

    /// Puts every variable of the module back to its first value.
    ///
    /// # Errors
    /// The driver's.
    pub fn put_back(&mut self, variables: &Variables) -> Result<(), Stop> {
        if let Some(known) = &variables.known {
            let stream = self.gpu.stream();
            let restored = known.iter().try_for_each(|(variable, copy)| variable.restore(stream, copy));
            return restored.map_err(|error| self.stop(error, 0));
        }
        self.module = self.gpu.load(&self.program.name, &self.program.artefact)?;
        self.look_up();
        Ok(())
    }

    /// The memory of a buffer that is the same here.
    fn same(&self, wanted: &Buffer) -> Option<Rc<Memory>> {
        let equal = |buffer: &Buffer| {
            (&buffer.name, buffer.dtype, buffer.len, buffer.role)
                == (&wanted.name, wanted.dtype, wanted.len, wanted.role)
        };
        let index = self.program.plan.buffers.iter().position(equal)?;
        (wanted.role != Role::Scratch).then(|| self.buffers[index].clone())
    }

    /// The program.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// Does the buffer belong to another session, too?
    pub fn is_shared(&self, index: usize) -> bool {
        self.shared[index]
    }

    /// Device memory of a buffer and where in it the buffer starts.
    pub fn buffer(&self, index: usize) -> (&Memory, usize) {
        (&self.buffers[index], GUARD)
    }

    /// Device address of a buffer.
    pub fn address(&self, index: usize) -> u64 {
        self.buffers[index].address() + GUARD as u64
    }

    /// Bytes of a buffer.
    pub fn bytes(&self, index: usize) -> usize {
        let buffer = &self.program.plan.buffers[index];
        buffer.len as usize * buffer.dtype.size()
    }

    /// Puts all launches of the plan into the stream, without waiting. `moved` gives a buffer another address.
    ///
    /// # Errors
    /// A launch that cannot start.
    pub fn enqueue(&self, moved: &dyn Fn(usize) -> Option<u64>) -> Result<(), Stop> {
        for index in 0..self.launches.len() {
            self.enqueue_launch(index, moved)?;
        }
        self.host_sum()
    }

    /// What `//@ host` asks for: waits for the launches, fetches, adds, puts back. It cannot be recorded into a graph.
    fn host_sum(&self) -> Result<(), Stop> {
        let Some(host) = self.program.plan.host else { return Ok(()) };
        self.wait_all()?;
        let last = self.launches.len().saturating_sub(1);
        let mut bytes = vec![0; self.bytes(host.from)];
        self.buffers[host.from].read(GUARD, &mut bytes).map_err(|error| self.stop(error, last))?;
        let sum = values::sum::sum(self.program.plan.buffers[host.from].dtype, &bytes);
        self.buffers[host.to].write(GUARD, &sum).map_err(|error| self.stop(error, last))
    }

    /// What all `//@ constant` lines ask for, of the buffers' present contents; waits for what is in the stream.
    ///
    /// # Errors
    /// A variable that is not there or too small, or the driver's.
    pub fn fill_constants(&self) -> Result<(), Stop> {
        if self.program.plan.constants.is_empty() {
            return Ok(());
        }
        self.wait_all()?;
        self.program.plan.constants.iter().try_for_each(|constant| self.fill_constant(constant))
    }

    /// What a `//@ constant` line asks for.
    fn fill_constant(&self, constant: &Constant) -> Result<(), Stop> {
        let name = self.program.artefact.names.get(&constant.variable).unwrap_or(&constant.variable);
        let shown = constant.variable.trim_start_matches('&');
        let bad = |message: String| Stop::BadLaunch { launch: 0, line: constant.line, message };
        let mut bytes = vec![0; self.bytes(constant.buffer)];
        self.buffers[constant.buffer].read(GUARD, &mut bytes).map_err(|error| self.stop(error, 0))?;
        match self.module.write_variable(name, &bytes) {
            Ok(true) => Ok(()),
            Ok(false) => {
                let buffer = &self.program.plan.buffers[constant.buffer].name;
                Err(bad(format!("`{buffer}` has {} bytes, more than `{shown}`", bytes.len())))
            }
            Err(error) if error.name == "CUDA_ERROR_NOT_FOUND" => {
                Err(bad(format!("the kernels use no variable `{shown}`")))
            }
            Err(error) => Err(self.stop(error, 0)),
        }
    }

    fn enqueue_launch(&self, index: usize, moved: &dyn Fn(usize) -> Option<u64>) -> Result<(), Stop> {
        let ready = self.launches[index].as_ref().map_err(Clone::clone)?;
        let mut arguments = ready.arguments.clone();
        let planned = &self.program.plan.launches[index];
        for (argument, planned) in arguments.iter_mut().zip(&planned.args) {
            let place = |buffer| moved(buffer).unwrap_or_else(|| self.address(buffer));
            match *planned {
                Arg::Buffer(buffer) => *argument = place(buffer).to_le_bytes().to_vec(),
                Arg::Offset { buffer, bytes } => *argument = (place(buffer) + bytes).to_le_bytes().to_vec(),
                Arg::Structure(at) => *argument = self.program.plan.structures[at].bytes(&place),
                Arg::Int(_) | Arg::Real(_) => {}
            }
        }
        ready.function.launch_bytes(self.gpu.stream(), ready.shape, &arguments).map_err(|error| self.stop(error, index))
    }

    /// Waits for all launches.
    ///
    /// # Errors
    /// The fault of one of them.
    pub fn wait_all(&self) -> Result<(), Stop> {
        self.wait(self.launches.len().saturating_sub(1))
    }

    /// Waits for the stream; an error is a fault of launch `index` (or of an earlier one).
    fn wait(&self, index: usize) -> Result<(), Stop> {
        self.gpu.stream().synchronize().map_err(|error| self.stop(error, index))
    }

    /// What a driver's error at a launch means.
    fn stop(&self, error: CudaError, launch: usize) -> Stop {
        let line = self.program.plan.launches.get(launch).map_or(0, |planned| planned.line);
        let refused = error.call.starts_with("cuLaunch")
            && [
                "CUDA_ERROR_INVALID_VALUE",
                "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES",
                "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE",
            ]
            .contains(&error.name.as_str());
        if refused {
            return Stop::BadLaunch { launch, line, message: format!("{}: {}", error.name, error.message) };
        }
        match fault(self.gpu, &error, launch, line) {
            Some(fault) => Stop::Fault(fault),
            None => Stop::Failure(failure(error)),
        }
    }
}

/// A driver's error as a kernel's fault; None when no kernel can cause it. After a fault the device is of no more use to
/// this process.
pub fn fault(gpu: &Gpu, error: &CudaError, launch: usize, line: u32) -> Option<Fault> {
    let (_, meaning) = FAULTS.iter().find(|(name, _)| *name == error.name)?;
    gpu.set_broken();
    let hint = Some("run it with --backend sim to see the source line".to_owned());
    Some(Fault { name: error.name.clone(), message: (*meaning).to_owned(), hint, launch, line })
}

/// Errors that kernels cause, and what they mean.
const FAULTS: [(&str, &str); 10] = [
    ("CUDA_ERROR_ILLEGAL_ADDRESS", "an access outside every allocation"),
    ("CUDA_ERROR_MISALIGNED_ADDRESS", "an address that is not a multiple of the access size"),
    ("CUDA_ERROR_INVALID_ADDRESS_SPACE", "an instruction got an address of a space it does not work on"),
    ("CUDA_ERROR_INVALID_PC", "a jump to something that is no code"),
    ("CUDA_ERROR_ILLEGAL_INSTRUCTION", "an instruction that the device does not know, or a trap"),
    ("CUDA_ERROR_HARDWARE_STACK_ERROR", "the call stack was damaged or overflowed"),
    ("CUDA_ERROR_ASSERT", "an assertion failed"),
    ("CUDA_ERROR_LAUNCH_TIMEOUT", "the kernel ran longer than the display's watchdog allows"),
    ("CUDA_ERROR_LAUNCH_FAILED", "the kernel was stopped: a trap, a stack overflow or a bad shared memory access"),
    ("CUDA_ERROR_EXTERNAL_DEVICE", "a device raised an error while the kernel ran"),
];

fn ready(
    gpu: &Gpu,
    program: &Program,
    module: &Rc<Module>,
    ptx: Option<&str>,
    launch: &Launch,
    addresses: &[u64],
) -> Result<Ready, String> {
    let driver = |error: CudaError| format!("{}: {}", error.name, error.message);
    let name = program.artefact.names.get(&launch.kernel).unwrap_or(&launch.kernel);
    let function = module.function(name).map_err(|_| format!("no kernel `{}` in {}", launch.kernel, program.name))?;
    for (axis, name) in ["x", "y", "z"].iter().enumerate() {
        extent(&format!("grid.{name}"), launch.grid[axis], MOST_BLOCKS[axis])?;
        extent(&format!("block.{name}"), launch.block[axis], MOST_THREADS[axis])?;
    }
    let threads: u64 = launch.block.iter().map(|&extent| u64::from(extent)).product();
    let most = function.max_threads().map_err(driver)?;
    if threads > u64::from(most) {
        return Err(format!("{threads} threads a block: `{}` can have {most}", launch.kernel));
    }
    let fixed = function.static_shared().map_err(driver)?;
    let shared = u64::from(fixed) + u64::from(launch.shared);
    if shared > u64::from(gpu.info().shared_per_block) {
        return Err(format!("{shared} bytes of shared memory a block: the limit is {}", gpu.info().shared_per_block));
    }
    // Beyond 48 KiB a kernel must be told so. For all its launches at once: several may share the function.
    if shared > DEFAULT_SHARED {
        function.allow_shared(gpu.info().shared_per_block.saturating_sub(fixed)).map_err(driver)?;
    }
    let params = function.params();
    if params.len() != launch.args.len() {
        return Err(format!(
            "`{}` takes {} arguments, the launch gives {}",
            launch.kernel,
            params.len(),
            launch.args.len()
        ));
    }
    let types = ptx.map(|ptx| parameter_types(ptx, name)).unwrap_or_default();
    let ty = |position: usize| types.get(position).copied();
    let mut arguments = Vec::new();
    for (position, (arg, &size)) in launch.args.iter().zip(params).enumerate() {
        let whose = |message: String| format!("argument {} of `{}`: {message}", position + 1, launch.kernel);
        let bytes = match *arg {
            Arg::Buffer(buffer) if size == 8 => addresses[buffer].to_le_bytes().to_vec(),
            Arg::Offset { buffer, bytes } if size == 8 => (addresses[buffer] + bytes).to_le_bytes().to_vec(),
            Arg::Buffer(_) | Arg::Offset { .. } => {
                return Err(whose("a buffer, but the parameter is no pointer".into()));
            }
            Arg::Structure(at) => program.plan.structures[at].bytes(&|buffer| addresses[buffer]),
            Arg::Int(value) => scalar(value, size as u32, ty(position)).map_err(whose)?,
            Arg::Real(value) => real(value, size as u32, ty(position)).map_err(whose)?,
        };
        if bytes.len() != size {
            return Err(whose(format!("{} bytes, but the parameter has {size}", bytes.len())));
        }
        arguments.push(bytes);
    }
    let shape =
        Shape { grid: launch.grid, block: launch.block, shared: launch.shared, cooperative: launch.cooperative };
    Ok(Ready { function, shape, arguments })
}

/// A CUBIN knows the sizes of parameters but not their types; the PTX beside it does.
fn ptx_text(program: &Program) -> Option<String> {
    match program.artefact.ptx.as_ref()? {
        Text::Inline(text) => Some(text.to_string()),
        Text::File(path) => std::fs::read_to_string(path).ok(),
    }
}

/// The types of an entry's parameters, without the dot: "u64", "f32", "b8" for a struct.
fn parameter_types<'a>(ptx: &'a str, entry: &str) -> Vec<&'a str> {
    let Some(start) = ptx.find(&format!(".entry {entry}(")) else { return Vec::new() };
    let head = ptx[start..].split_once('(').map_or("", |(_, rest)| rest);
    let head = head.split_once(')').map_or("", |(head, _)| head);
    head.split(',')
        .filter_map(|param| {
            let mut words = param.split_whitespace().skip_while(|word| *word != ".param").skip(1);
            let first = words.next()?;
            let ty = if first == ".align" { words.nth(1)? } else { first };
            ty.strip_prefix('.')
        })
        .collect()
}

fn extent(what: &str, value: u32, limit: u32) -> Result<(), String> {
    if (1..=limit).contains(&value) { Ok(()) } else { Err(format!("{what} is {value}: it must be 1 to {limit}")) }
}

impl Session for GpuSession<'_> {
    fn write(&mut self, buffer: usize, bytes: &[u8]) -> Result<(), Stop> {
        self.buffers[buffer].write(GUARD, bytes).map_err(|error| self.stop(error, 0))
    }

    fn poison(&mut self, buffer: usize, byte: u8) -> Result<(), Stop> {
        let bytes = self.bytes(buffer);
        self.buffers[buffer].fill(self.gpu.stream(), GUARD, bytes, byte).map_err(|error| self.stop(error, 0))
    }

    fn read(&mut self, buffer: usize, offset: u64, into: &mut [u8]) -> Result<(), Stop> {
        self.buffers[buffer].read(GUARD + offset as usize, into).map_err(|error| self.stop(error, 0))
    }

    fn pass(&mut self, _: Option<Schedule>) -> Pass {
        let mut pass = Pass::default();
        if let Err(stop) = self.fill_constants() {
            pass.stop = Some(stop);
            return pass;
        }
        for index in 0..self.launches.len() {
            // One at a time, so that a fault is blamed on the launch that caused it.
            let done = self.enqueue_launch(index, &|_| None).and_then(|()| self.wait(index));
            if let Err(stop) = done {
                pass.stop = Some(stop);
                break;
            }
        }
        if pass.stop.is_none() {
            pass.stop = self.host_sum().err();
        }
        (pass.printf, pass.printf_dropped) = self.gpu.printed();
        pass
    }

    fn broken_guard(&mut self) -> Result<Option<BrokenGuard>, Stop> {
        let mut zone = vec![0; GUARD];
        for index in 0..self.buffers.len() {
            let bytes = self.bytes(index);
            let memory = &self.buffers[index];
            memory.read(0, &mut zone).map_err(|error| self.stop(error, 0))?;
            if let Some(at) = zone.iter().rposition(|&byte| byte != GUARD_BYTE) {
                return Ok(Some(BrokenGuard { buffer: index, offset: at as i64 - GUARD as i64 }));
            }
            memory.read(GUARD + bytes, &mut zone).map_err(|error| self.stop(error, 0))?;
            if let Some(at) = zone.iter().position(|&byte| byte != GUARD_BYTE) {
                return Ok(Some(BrokenGuard { buffer: index, offset: (bytes + at) as i64 }));
            }
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameter_types_of_both_dialects() {
        let old = ".visible .entry k(\n\t.param .u64 k_param_0,\n\t.param .f32 k_param_1,\n\t.param .align 4 .b8 \
                   k_param_2[12]\n)\n{";
        assert_eq!(parameter_types(old, "k"), ["u64", "f32", "b8"]);
        let new = ".visible .entry _Z1kPf(\n\t.param .u64 .ptr .align 1 _Z1kPf_param_0,\n\t.param .u32 p\n)";
        assert_eq!(parameter_types(new, "_Z1kPf"), ["u64", "u32"]);
        assert!(parameter_types(new, "k").is_empty());
        assert!(parameter_types(".visible .entry k()\n{", "k").is_empty());
    }
}
