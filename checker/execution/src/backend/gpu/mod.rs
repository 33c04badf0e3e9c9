//! A GPU behind the backend interface, through the CUDA driver API.
//!
//! A kernel's fault leaves its context unusable for the rest of the process; [`Machine::broken`] says so, and the parent
//! starts a new worker for what is left.

pub mod driver;
mod info;
mod session;

pub use info::{devices, uuid};
pub use session::{GpuSession, Share, Variables, fault};

use super::machine::{Machine, Session, Stop};
use super::message::job::Program;
use super::worker::capture::Capture;
use crate::backend::{DeviceInfo, JobError, NoGpuError};
use driver::{CudaError, Device, Module, Stream};
use simulator::Schedule;
use std::cell::Cell;
use std::rc::Rc;

/// A GPU, its context current on this thread.
pub struct Gpu {
    info: DeviceInfo,
    stream: Stream,
    broken: Cell<bool>,
    capture: Rc<Capture>,
}

impl Gpu {
    /// Opens the device of that ordinal. `capture` holds what kernels print.
    ///
    /// # Errors
    /// No such GPU.
    pub fn open(ordinal: u32, capture: Rc<Capture>) -> Result<Self, JobError> {
        let (cuda, count) = driver::start().map_err(JobError::NoGpu)?;
        if ordinal >= count {
            return Err(JobError::NoGpu(NoGpuError::NoSuchDevice { ordinal, count }));
        }
        let device = Device::get(ordinal).map_err(failure)?;
        let info = info::describe(device, ordinal, &cuda).map_err(failure)?;
        device.make_current().map_err(failure)?;
        let stream = Stream::new().map_err(failure)?;
        Ok(Self { info, stream, broken: Cell::new(false), capture })
    }

    /// What the driver says of it.
    pub fn info(&self) -> &DeviceInfo {
        &self.info
    }

    /// The stream that all work goes to.
    pub fn stream(&self) -> &Stream {
        &self.stream
    }

    /// Loads a program's CUBIN.
    ///
    /// # Errors
    /// The file cannot be read or loaded.
    pub fn load(&self, name: &str, artefact: &super::Artefact) -> Result<Rc<Module>, JobError> {
        let failed = |message: String| JobError::Artefact { program: name.to_owned(), message };
        let path = artefact.cubin.as_ref().ok_or_else(|| failed("no CUBIN: a GPU needs it".into()))?;
        let cubin = std::fs::read(path).map_err(|error| failed(format!("{}: {error}", path.display())))?;
        Module::load(&cubin).map_err(|error| failed(format!("{}: {}", error.name, error.message)))
    }

    /// Names of a program's variables in device memory; `None` where they cannot all be named.
    fn variables(&self, artefact: &super::Artefact) -> Option<Vec<String>> {
        let cubin = std::fs::read(artefact.cubin.as_ref()?).ok()?;
        sass::variables(&cubin)
    }

    /// Remembers that the context is lost.
    fn set_broken(&self) {
        self.broken.set(true);
    }

    /// What kernels printed since the last call, and how much more they did.
    fn printed(&self) -> (Vec<u8>, u64) {
        driver::flush_printf();
        self.capture.take().unwrap_or_default()
    }
}

impl Machine for Gpu {
    fn open(&self, program: &Program) -> Result<Box<dyn Session + '_>, Stop> {
        Ok(Box::new(GpuSession::open(self, program, Share::Nothing)?))
    }

    fn schedules(&self) -> Vec<Option<Schedule>> {
        vec![None]
    }

    fn broken(&self) -> bool {
        self.broken.get()
    }
}

/// An error that no kernel caused.
pub fn failure(error: CudaError) -> JobError {
    JobError::Driver { call: error.call.to_owned(), name: error.name, message: error.message }
}
