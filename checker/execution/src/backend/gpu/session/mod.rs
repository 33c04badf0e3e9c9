//! A loaded program on a GPU: its kernels, its buffers with their guard zones, and its launches.

mod fault;
mod ready;
mod textures;
mod variables;

use super::driver::{self, CudaError, Memory, Module, TextureObject};
use super::{Gpu, failure};
use crate::backend::JobError;
use crate::backend::machine::{BrokenGuard, Pass, Session, Stop};
use crate::backend::message::job::Program;
use crate::backend::objects::Objects;
pub use fault::fault;
use plan::{Arg, Constant, ConstantValue, Launch, Object, Role};
use ready::{Ready, outline, ready};
use simulator::Schedule;
use std::rc::Rc;
pub use variables::{Share, Variables};

/// Bytes before and behind every buffer that no kernel may touch.
const GUARD: usize = 64 << 10;
/// What they hold. A float read from there is huge: -6e32 in f32.
const GUARD_BYTE: u8 = 0xf5;

/// A program on a GPU.
pub struct GpuSession<'a> {
    gpu: &'a Gpu,
    program: Program,
    buffers: Vec<Rc<Memory>>,
    /// Which of them belong to another session, too.
    shared: Vec<bool>,
    textures: Vec<TextureObject>,
    launches: Vec<Result<Ready, Stop>>,
    module: Rc<Module>,
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
            let memory = |message: String| JobError::Memory { buffer: buffer.name.clone(), message };
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
        let textures = Self::objects(&program.plan.textures)?;
        let launches = Vec::new();
        let mut session = Self { gpu, program: program.clone(), buffers, shared: taken, textures, launches, module };
        session.look_up();
        Ok(session)
    }

    /// Looks up the kernels of all launches in the module.
    fn look_up(&mut self) {
        let addresses: Vec<u64> = self.buffers.iter().map(|memory| memory.address() + GUARD as u64).collect();
        let textures: Vec<u64> = self.textures.iter().map(TextureObject::handle).collect();
        let objects = Objects { buffers: &addresses, textures: &textures };
        let outline = outline(&self.program);
        let launches = self.program.plan.launches.iter().enumerate();
        let one = |(index, launch): (usize, &Launch)| {
            ready(self.gpu, &self.program, &self.module, outline.as_ref(), launch, objects)
                .map_err(|message| Stop::BadLaunch { launch: index, line: launch.line, message })
        };
        self.launches = launches.map(one).collect();
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
        let (bytes, given) = match constant.value {
            ConstantValue::Buffer(index) => {
                let mut bytes = vec![0; self.bytes(index)];
                self.buffers[index].read(GUARD, &mut bytes).map_err(|error| self.stop(error, 0))?;
                (bytes, format!("`{}`", self.program.plan.buffers[index].name))
            }
            ConstantValue::Structure(at) => {
                let value = |object| self.value(object, &|buffer| self.address(buffer));
                (self.program.plan.structures[at].bytes(&value), "the structure".to_owned())
            }
        };
        match self.module.write_variable(name, &bytes) {
            Ok(true) => Ok(()),
            Ok(false) => Err(bad(format!("{given} has {} bytes, more than `{shown}`", bytes.len()))),
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
                Arg::Structure(at) => {
                    let value = |object| self.value(object, &place);
                    *argument = self.program.plan.structures[at].bytes(&value);
                }
                Arg::Texture(_) | Arg::Int(_) | Arg::Real(_) => {}
            }
        }
        ready.function.launch_bytes(self.gpu.stream(), ready.shape, &arguments).map_err(|error| self.stop(error, index))
    }

    /// What a buffer or a texture is on the device.
    fn value(&self, object: Object, place: &dyn Fn(usize) -> u64) -> u64 {
        match object {
            Object::Buffer(index) => place(index),
            Object::Texture(index) => self.textures[index].handle(),
        }
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
            let done = self
                .fill_textures(index)
                .and_then(|()| self.enqueue_launch(index, &|_| None))
                .and_then(|()| self.wait(index))
                .and_then(|()| self.put_surfaces_back(index));
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
