//! The CUDA driver API behind safe types: the only module that calls it.
//!
//! Rules that make the calls sound: a handle lives in a type that owns it and keeps alive what it depends on; the
//! context is made current on the one thread that uses it (nothing here is `Send`) and is never destroyed, the process
//! ends instead; host memory is only touched by synchronous copies. What a kernel does to device memory cannot harm the
//! host process.

#![allow(unsafe_code)]

use crate::backend::NoGpu;
use cudarc::driver::result::{self, DriverError};
use cudarc::driver::sys::{self, CUdevice_attribute as Attribute, CUfunction_attribute as FunctionAttribute, CUresult};
use std::ffi::{CString, c_void};
use std::marker::PhantomData;
use std::rc::Rc;

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
pub fn start() -> std::result::Result<(String, u32), NoGpu> {
    // SAFETY: loading the driver's library runs its initialisers, as any CUDA program does. cudarc panics when a library
    // or function is missing, hence the checks before the first call.
    let present = unsafe { sys::is_culib_present() } || load_from_places();
    if !present {
        return Err(NoGpu::NoLibrary);
    }
    let failed = |error: CudaError| match error.name.as_str() {
        "CUDA_ERROR_NO_DEVICE" => NoGpu::NoDevice,
        "CUDA_ERROR_STUB_LIBRARY" => NoGpu::NoLibrary,
        "CUDA_ERROR_NOT_PERMITTED" | "CUDA_ERROR_OPERATING_SYSTEM" => NoGpu::NotPermitted { name: error.name },
        _ => NoGpu::Driver { name: error.name, message: error.message },
    };
    let mut version = 0;
    // SAFETY: the pointer is valid for the call; this function may come before cuInit.
    ok("cuDriverGetVersion", unsafe { sys::cuDriverGetVersion(&mut version) }).map_err(failed)?;
    if version < OLDEST_DRIVER {
        return Err(NoGpu::DriverTooOld { found: version_text(version), needed: version_text(OLDEST_DRIVER) });
    }
    result::init().map_err(named("cuInit")).map_err(failed)?;
    let count = result::device::get_count().map_err(named("cuDeviceGetCount")).map_err(failed)?;
    match u32::try_from(count) {
        Ok(count @ 1..) => Ok((version_text(version), count)),
        _ => Err(NoGpu::NoDevice),
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

/// Device memory. Freed when dropped.
#[derive(Debug)]
pub struct Memory {
    address: u64,
    bytes: usize,
    _one_thread: PhantomData<*const ()>,
}

impl Memory {
    /// Allocates; at least one byte, so that every buffer has an address.
    pub fn new(bytes: usize) -> Result<Self> {
        // SAFETY: the result is owned by the returned value alone.
        let address = unsafe { result::malloc_sync(bytes.max(1)) }.map_err(named("cuMemAlloc"))?;
        Ok(Self { address, bytes, _one_thread: PhantomData })
    }

    /// Device address, 256-byte aligned.
    pub fn address(&self) -> u64 {
        self.address
    }

    /// The range's device address.
    fn range(&self, call: &'static str, offset: usize, bytes: usize) -> Result<u64> {
        match offset.checked_add(bytes) {
            Some(end) if end <= self.bytes => Ok(self.address + offset as u64),
            _ => Err(CudaError { call, name: "CUDA_ERROR_INVALID_VALUE".into(), message: "beyond the buffer".into() }),
        }
    }

    /// Copies from the host, to its end.
    pub fn write(&self, offset: usize, bytes: &[u8]) -> Result<()> {
        let to = self.range("cuMemcpyHtoD", offset, bytes.len())?;
        if bytes.is_empty() {
            return Ok(());
        }
        // SAFETY: the range lies within this allocation; the copy is synchronous.
        unsafe { result::memcpy_htod_sync(to, bytes) }.map_err(named("cuMemcpyHtoD"))
    }

    /// Copies to the host, to its end.
    pub fn read(&self, offset: usize, into: &mut [u8]) -> Result<()> {
        let from = self.range("cuMemcpyDtoH", offset, into.len())?;
        if into.is_empty() {
            return Ok(());
        }
        // SAFETY: as for `write`.
        unsafe { result::memcpy_dtoh_sync(into, from) }.map_err(named("cuMemcpyDtoH"))
    }

    /// Fills with a byte, in the stream's order.
    pub fn fill(&self, stream: &Stream, offset: usize, bytes: usize, byte: u8) -> Result<()> {
        let to = self.range("cuMemsetD8Async", offset, bytes)?;
        if bytes == 0 {
            return Ok(());
        }
        // SAFETY: the range lies within this allocation, which the caller keeps until the stream is synchronised;
        // freeing it earlier would wait for the device (cuMemFree synchronises).
        unsafe { result::memset_d8_async(to, byte, bytes, stream.handle) }.map_err(named("cuMemsetD8Async"))
    }

    /// Copies from other device memory, in the stream's order.
    pub fn copy_from(&self, stream: &Stream, offset: usize, other: &Self, from: usize, bytes: usize) -> Result<()> {
        let to = self.range("cuMemcpyDtoDAsync", offset, bytes)?;
        let from = other.range("cuMemcpyDtoDAsync", from, bytes)?;
        if bytes == 0 {
            return Ok(());
        }
        // SAFETY: as for `fill`, for both ranges.
        unsafe { result::memcpy_dtod_async(to, from, bytes, stream.handle) }.map_err(named("cuMemcpyDtoDAsync"))
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        // SAFETY: allocated by `new`, freed once. After a fault the driver refuses; nothing can be done then.
        let _ = unsafe { result::free_sync(self.address) };
    }
}

/// A stream that keeps the order of the default stream.
#[derive(Debug)]
pub struct Stream {
    handle: sys::CUstream,
}

impl Stream {
    /// A new one.
    pub fn new() -> Result<Self> {
        let handle = result::stream::create(result::stream::StreamKind::Default).map_err(named("cuStreamCreate"))?;
        Ok(Self { handle })
    }

    /// Waits for everything in it.
    pub fn synchronize(&self) -> Result<()> {
        // SAFETY: the handle is valid as long as `self`.
        unsafe { result::stream::synchronize(self.handle) }.map_err(named("cuStreamSynchronize"))
    }

    /// Records `work` into a graph instead of running it.
    pub fn capture(&self, work: impl FnOnce() -> Result<()>) -> Result<Graph> {
        let mode = sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;
        // SAFETY: the handle is valid as long as `self`; the capture is always ended.
        unsafe { result::stream::begin_capture(self.handle, mode) }.map_err(named("cuStreamBeginCapture"))?;
        let worked = work();
        let graph = unsafe { result::stream::end_capture(self.handle) }.map_err(named("cuStreamEndCapture"));
        worked?;
        let graph = graph?;
        // SAFETY: the graph is valid; the executable graph does not need it any longer once it is made.
        let executable = unsafe { result::graph::instantiate(graph, sys::CUgraphInstantiate_flags(0)) }
            .map_err(named("cuGraphInstantiate"));
        let _ = unsafe { result::graph::destroy(graph) };
        Ok(Graph { handle: executable? })
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        // SAFETY: created by `new`, destroyed once; pending work is finished by the driver.
        let _ = unsafe { result::stream::destroy(self.handle) };
    }
}

/// Recorded work. What it uses must be kept by whoever launches it.
#[derive(Debug)]
pub struct Graph {
    handle: sys::CUgraphExec,
}

impl Graph {
    /// Runs it, in the stream's order.
    pub fn launch(&self, stream: &Stream) -> Result<()> {
        // SAFETY: both handles are valid; a kernel can only harm device memory.
        unsafe { result::graph::launch(self.handle, stream.handle) }.map_err(named("cuGraphLaunch"))
    }
}

impl Drop for Graph {
    fn drop(&mut self) {
        // SAFETY: created by `Stream::capture`, destroyed once.
        let _ = unsafe { result::graph::exec_destroy(self.handle) };
    }
}

/// A point in a stream, with its time.
#[derive(Debug)]
pub struct Event {
    handle: sys::CUevent,
}

impl Event {
    /// A new one.
    pub fn new() -> Result<Self> {
        let handle = result::event::create(sys::CUevent_flags::CU_EVENT_DEFAULT).map_err(named("cuEventCreate"))?;
        Ok(Self { handle })
    }

    /// Takes the time when the stream comes here.
    pub fn record(&self, stream: &Stream) -> Result<()> {
        // SAFETY: both handles are valid.
        unsafe { result::event::record(self.handle, stream.handle) }.map_err(named("cuEventRecord"))
    }

    /// Microseconds from `start` to here; both must have passed.
    pub fn microseconds_since(&self, start: &Self) -> Result<f64> {
        // SAFETY: both handles are valid.
        let milliseconds = unsafe { result::event::elapsed(start.handle, self.handle) };
        Ok(f64::from(milliseconds.map_err(named("cuEventElapsedTime"))?) * 1e3)
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        // SAFETY: created by `new`, destroyed once.
        let _ = unsafe { result::event::destroy(self.handle) };
    }
}

/// Loaded code. Unloaded when the last of its functions is dropped.
#[derive(Debug)]
pub struct Module {
    handle: sys::CUmodule,
}

impl Module {
    /// Loads a CUBIN.
    pub fn load(cubin: &[u8]) -> Result<Rc<Self>> {
        if !cubin.starts_with(b"\x7fELF") {
            let message = "the file is no CUBIN".into();
            return Err(CudaError { call: "cuModuleLoadData", name: "CUDA_ERROR_INVALID_IMAGE".into(), message });
        }
        // SAFETY: the image is an ELF file in memory for the whole call; the driver checks it.
        let handle = unsafe { result::module::load_data(cubin.as_ptr().cast()) }.map_err(named("cuModuleLoadData"))?;
        Ok(Rc::new(Self { handle }))
    }

    /// A variable by its (mangled) name; `None` where the driver does not know it.
    pub fn variable(self: &Rc<Self>, name: &str) -> Option<Variable> {
        let wanted = CString::new(name).ok()?;
        // SAFETY: the module is valid and kept by the variable.
        let (address, bytes) = unsafe { result::module::get_global(self.handle, wanted) }.ok()?;
        Some(Variable { address, bytes, _module: self.clone() })
    }

    /// A kernel by its (mangled) name.
    pub fn function(self: &Rc<Self>, name: &str) -> Result<Function> {
        let wanted = CString::new(name).unwrap_or_default();
        // SAFETY: the module is valid and kept by the function.
        let handle =
            unsafe { result::module::get_function(self.handle, wanted) }.map_err(named("cuModuleGetFunction"))?;
        let mut params = Vec::new();
        loop {
            let (mut offset, mut size) = (0, 0);
            // SAFETY: the pointers are valid for the call; an index past the last parameter is refused.
            let result = unsafe { sys::cuFuncGetParamInfo(handle, params.len(), &mut offset, &mut size) };
            match result {
                CUresult::CUDA_SUCCESS => params.push(size),
                CUresult::CUDA_ERROR_INVALID_VALUE => break,
                other => ok("cuFuncGetParamInfo", other)?,
            }
        }
        Ok(Function { handle, params, _module: self.clone() })
    }
}

impl Module {
    /// Writes bytes to the start of a variable, by its (mangled) name; true if it is large enough.
    pub fn write_variable(&self, name: &str, bytes: &[u8]) -> Result<bool> {
        let wanted = CString::new(name).unwrap_or_default();
        // SAFETY: the module is valid; the driver looks the name up.
        let (address, size) =
            unsafe { result::module::get_global(self.handle, wanted) }.map_err(named("cuModuleGetGlobal"))?;
        if bytes.len() > size {
            return Ok(false);
        }
        // SAFETY: the variable has at least that many bytes and lives as long as the module.
        unsafe { result::memcpy_htod_sync(address, bytes) }.map_err(named("cuMemcpyHtoD"))?;
        Ok(true)
    }
}

impl Drop for Module {
    fn drop(&mut self) {
        // SAFETY: loaded once, unloaded once; the driver waits for kernels that still run.
        let _ = unsafe { result::module::unload(self.handle) };
    }
}

/// A module's variable in device memory.
#[derive(Debug)]
pub struct Variable {
    address: u64,
    bytes: usize,
    _module: Rc<Module>,
}

impl Variable {
    /// What it holds now.
    pub fn copy(&self, stream: &Stream) -> Result<Memory> {
        let memory = Memory::new(self.bytes)?;
        // SAFETY: both ranges are valid and as long; the memory is freed only after the device is done with it.
        unsafe { result::memcpy_dtod_async(memory.address, self.address, self.bytes, stream.handle) }
            .map_err(named("cuMemcpyDtoDAsync"))?;
        Ok(memory)
    }

    /// Writes what [`Variable::copy`] gave, in the stream's order.
    pub fn restore(&self, stream: &Stream, from: &Memory) -> Result<()> {
        let bytes = self.bytes.min(from.bytes);
        // SAFETY: both ranges are valid; `from` is kept by the caller, and freeing it would wait for the device.
        unsafe { result::memcpy_dtod_async(self.address, from.address, bytes, stream.handle) }
            .map_err(named("cuMemcpyDtoDAsync"))
    }
}

/// A kernel.
#[derive(Debug, Clone)]
pub struct Function {
    handle: sys::CUfunction,
    params: Vec<usize>,
    _module: Rc<Module>,
}

/// Extents and shared memory of a launch.
#[derive(Debug, Clone, Copy)]
pub struct Shape {
    /// Blocks.
    pub grid: [u32; 3],
    /// Threads a block.
    pub block: [u32; 3],
    /// Dynamic shared memory in bytes.
    pub shared: u32,
    /// Every block resident at once, `grid.sync()` works.
    pub cooperative: bool,
}

impl Function {
    /// Bytes of each parameter.
    pub fn params(&self) -> &[usize] {
        &self.params
    }

    /// Threads a block may have.
    pub fn max_threads(&self) -> Result<u32> {
        self.attribute(FunctionAttribute::CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK)
    }

    /// Static shared memory in bytes.
    pub fn static_shared(&self) -> Result<u32> {
        self.attribute(FunctionAttribute::CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES)
    }

    fn attribute(&self, attribute: FunctionAttribute) -> Result<u32> {
        // SAFETY: the handle is valid as long as its module.
        let value = unsafe { result::function::get_function_attribute(self.handle, attribute) };
        Ok(value.map_err(named("cuFuncGetAttribute"))?.max(0).cast_unsigned())
    }

    /// Allows launches with up to that much dynamic shared memory.
    pub fn allow_shared(&self, bytes: u32) -> Result<()> {
        let attribute = FunctionAttribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
        // SAFETY: the handle is valid as long as its module.
        unsafe { result::function::set_function_attribute(self.handle, attribute, bytes.cast_signed()) }
            .map_err(named("cuFuncSetAttribute"))
    }

    /// Launches with one value a parameter, of which it takes the lowest bytes.
    pub fn launch(&self, stream: &Stream, shape: Shape, arguments: &[u64]) -> Result<()> {
        let bytes = |(value, size): (&u64, &usize)| value.to_le_bytes().into_iter().take(*size).collect();
        let arguments: Vec<Vec<u8>> = arguments.iter().zip(&self.params).map(bytes).collect();
        self.launch_bytes(stream, shape, &arguments)
    }

    /// Launches, in the stream's order. `arguments` has the bytes of every parameter (checked).
    pub fn launch_bytes(&self, stream: &Stream, shape: Shape, arguments: &[Vec<u8>]) -> Result<()> {
        if !arguments.iter().map(Vec::len).eq(self.params.iter().copied()) {
            let message = "arguments and parameters differ".into();
            return Err(CudaError { call: "cuLaunchKernel", name: "CUDA_ERROR_INVALID_VALUE".into(), message });
        }
        let mut pointers: Vec<*mut c_void> =
            arguments.iter().map(|argument| argument.as_ptr().cast_mut().cast()).collect();
        let extents = |[x, y, z]: [u32; 3]| (x, y, z);
        let (grid, block) = (extents(shape.grid), extents(shape.block));
        // SAFETY: the function is valid; there is one pointer a parameter, each to as many readable bytes, which the driver
        // copies before it returns. What the kernel does is confined to the device.
        unsafe {
            if shape.cooperative {
                let call = "cuLaunchCooperativeKernel";
                let launch = result::launch_cooperative_kernel;
                launch(self.handle, grid, block, shape.shared, stream.handle, &mut pointers).map_err(named(call))
            } else {
                let launch = result::launch_kernel;
                launch(self.handle, grid, block, shape.shared, stream.handle, &mut pointers)
                    .map_err(named("cuLaunchKernel"))
            }
        }
    }
}
