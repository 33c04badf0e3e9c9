//! The CUDA driver API behind safe types: the only module that calls it.
//!
//! Rules that make the calls sound: a handle lives in a type that owns it and keeps alive what it depends on; the
//! context is made current on the one thread that uses it (nothing here is `Send`) and is never destroyed, the process
//! ends instead; host memory is only touched by synchronous copies. What a kernel does to device memory cannot harm the
//! host process.

#![allow(unsafe_code)]

mod memory;
mod module;
mod stream;
mod texture;

use crate::backend::NoGpuError;
use cudarc::driver::result::{self, DriverError};
use cudarc::driver::sys::{self, CUdevice_attribute as Attribute, CUresult};
pub use memory::Memory;
pub use module::{Function, LaunchExtents, Module, Variable};
pub use stream::{Event, Graph, Stream};
pub use texture::TextureObject;

/// Oldest CUDA version of a driver that loads the compiler's code.
const OLDEST_DRIVER: i32 = 13000;
/// Where a driver's library lies when the loader does not know.
const LIBRARY_PLACES: [&str; 4] =
    ["/usr/lib/wsl/lib", "/usr/local/nvidia/lib64", "/usr/lib/x86_64-linux-gnu", "/usr/lib64"];
/// Bytes of the device's printf buffer: what a launch prints beyond it is lost.
const PRINTF_FIFO: usize = 1 << 20;
/// Bytes of call stack a thread (recursion; a frame of known size is added by the driver).
const STACK: usize = 4 << 10;

/// An error of the driver, by CUDA's name and explanation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CudaError {
    /// The call, as CUDA names it.
    pub call: &'static str,
    /// "CUDA_ERROR_ILLEGAL_ADDRESS".
    pub name: String,
    /// "an illegal memory access was encountered".
    pub message: String,
}

type Result<T> = std::result::Result<T, CudaError>;

fn named(call: &'static str) -> impl Fn(DriverError) -> CudaError {
    move |error| {
        let text = |text: std::result::Result<&std::ffi::CStr, DriverError>| {
            text.map_or_else(|_| format!("{:?}", error.0), |text| text.to_string_lossy().into_owned())
        };
        CudaError { call, name: text(error.error_name()), message: text(error.error_string()) }
    }
}

fn ok(call: &'static str, result: CUresult) -> Result<()> {
    result.result().map_err(named(call))
}

fn version_text(version: i32) -> String {
    format!("{}.{}", version / 1000, version % 1000 / 10)
}

/// Starts the driver. Gives the CUDA version it supports and the number of devices (at least 1).
///
/// # Errors
/// Why there is no GPU.
pub fn start() -> std::result::Result<(String, u32), NoGpuError> {
    // SAFETY: loading the driver's library runs its initialisers, as any CUDA program does. cudarc panics when a library
    // or function is missing, hence the checks before the first call.
    let present = unsafe { sys::is_culib_present() } || load_from_places();
    if !present {
        return Err(NoGpuError::NoLibrary);
    }
    let failed = |error: CudaError| match error.name.as_str() {
        "CUDA_ERROR_NO_DEVICE" => NoGpuError::NoDevice,
        "CUDA_ERROR_STUB_LIBRARY" => NoGpuError::NoLibrary,
        "CUDA_ERROR_NOT_PERMITTED" | "CUDA_ERROR_OPERATING_SYSTEM" => NoGpuError::NotPermitted { name: error.name },
        _ => NoGpuError::Driver { name: error.name, message: error.message },
    };
    let mut version = 0;
    // SAFETY: the pointer is valid for the call; this function may come before cuInit.
    ok("cuDriverGetVersion", unsafe { sys::cuDriverGetVersion(&mut version) }).map_err(failed)?;
    if version < OLDEST_DRIVER {
        return Err(NoGpuError::DriverTooOld { found: version_text(version), needed: version_text(OLDEST_DRIVER) });
    }
    result::init().map_err(named("cuInit")).map_err(failed)?;
    let count = result::device::get_count().map_err(named("cuDeviceGetCount")).map_err(failed)?;
    match u32::try_from(count) {
        Ok(count @ 1..) => Ok((version_text(version), count)),
        _ => Err(NoGpuError::NoDevice),
    }
}

/// Loads the driver's library from a place the loader does not search; later loads by name find it.
fn load_from_places() -> bool {
    LIBRARY_PLACES.iter().any(|place| {
        // SAFETY: as in `start`. The library stays loaded.
        let loaded = unsafe { libloading::Library::new(format!("{place}/libcuda.so.1")) };
        loaded.map(std::mem::forget).is_ok() && unsafe { sys::is_culib_present() }
    })
}

/// A device.
#[derive(Debug, Clone, Copy)]
pub struct Device {
    handle: sys::CUdevice,
}

impl Device {
    /// By ordinal, below the number that [`start`] gave.
    pub fn get(ordinal: u32) -> Result<Self> {
        let handle = result::device::get(ordinal.cast_signed()).map_err(named("cuDeviceGet"))?;
        Ok(Self { handle })
    }

    /// "NVIDIA H200".
    pub fn name(self) -> Result<String> {
        result::device::get_name(self.handle).map_err(named("cuDeviceGetName"))
    }

    /// 32 hexadecimal digits.
    pub fn uuid(self) -> Result<String> {
        let uuid = result::device::get_uuid(self.handle).map_err(named("cuDeviceGetUuid"))?;
        Ok(uuid.bytes.iter().map(|byte| format!("{:02x}", *byte as u8)).collect())
    }

    /// Bytes of device memory.
    pub fn memory(self) -> Result<u64> {
        // SAFETY: the handle came from the driver.
        let bytes = unsafe { result::device::total_mem(self.handle) }.map_err(named("cuDeviceTotalMem"))?;
        Ok(bytes as u64)
    }

    /// An attribute; negative ones do not exist.
    pub fn attribute(self, attribute: Attribute) -> Result<u32> {
        // SAFETY: the handle came from the driver.
        let value = unsafe { result::device::get_attribute(self.handle, attribute) };
        Ok(value.map_err(named("cuDeviceGetAttribute"))?.max(0).cast_unsigned())
    }

    /// Makes the device's primary context current on this thread and sets its limits.
    pub fn make_current(self) -> Result<()> {
        // SAFETY: the context is retained and never released, so it stays valid to the end of the process.
        let context = unsafe { result::primary_ctx::retain(self.handle) }.map_err(named("cuDevicePrimaryCtxRetain"))?;
        unsafe { result::ctx::set_current(context) }.map_err(named("cuCtxSetCurrent"))?;
        let limit = |limit, value| result::ctx::set_limit(limit, value).map_err(named("cuCtxSetLimit"));
        limit(sys::CUlimit::CU_LIMIT_PRINTF_FIFO_SIZE, PRINTF_FIFO)?;
        limit(sys::CUlimit::CU_LIMIT_STACK_SIZE, STACK)
    }
}

/// Waits for everything on the current context.
pub fn synchronize() -> Result<()> {
    result::ctx::synchronize().map_err(named("cuCtxSynchronize"))
}

/// Bytes of device memory that are free.
pub fn free_memory() -> Result<u64> {
    result::mem_get_info().map(|(free, _)| free as u64).map_err(named("cuMemGetInfo"))
}

/// Writes out what C's standard output still holds: CUDA's printf goes through it.
pub fn flush_printf() {
    // SAFETY: a null stream means all streams; no Rust code writes through C's streams.
    unsafe { libc::fflush(std::ptr::null_mut()) };
}
