//! Modules, their variables and their functions.

use super::memory::Memory;
use super::stream::Stream;
use super::{CudaError, Result, named, ok};
use cudarc::driver::result::{self};
use cudarc::driver::sys::{self, CUfunction_attribute as FunctionAttribute, CUresult};
use std::ffi::{CString, c_void};
use std::rc::Rc;

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
pub struct LaunchExtents {
    /// Blocks.
    pub grid: [u32; 3],
    /// Threads a block.
    pub block: [u32; 3],
    /// Dynamic shared memory in bytes.
    pub shared: u32,
    /// Every block resident at once, `grid.sync()` works.
    pub cooperative: bool,
    /// Blocks of a cluster, where the launch is to say so.
    pub cluster: Option<[u32; 3]>,
}

impl LaunchExtents {
    /// Without dynamic shared memory, and nothing asked for beyond that.
    pub const fn new(grid: [u32; 3], block: [u32; 3]) -> Self {
        Self { grid, block, shared: 0, cooperative: false, cluster: None }
    }
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
    pub fn launch(&self, stream: &Stream, shape: LaunchExtents, arguments: &[u64]) -> Result<()> {
        let bytes = |(value, size): (&u64, &usize)| value.to_le_bytes().into_iter().take(*size).collect();
        let arguments: Vec<Vec<u8>> = arguments.iter().zip(&self.params).map(bytes).collect();
        self.launch_bytes(stream, shape, &arguments)
    }

    /// Launches, in the stream's order. `arguments` has the bytes of every parameter (checked).
    pub fn launch_bytes(&self, stream: &Stream, shape: LaunchExtents, arguments: &[Vec<u8>]) -> Result<()> {
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
            if let Some(cluster) = shape.cluster {
                self.launch_in_clusters(stream, shape, cluster, &mut pointers)
            } else if shape.cooperative {
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

    /// Launches in clusters of so many blocks.
    ///
    /// # Safety
    ///
    /// There is one pointer a parameter, each to as many readable bytes.
    unsafe fn launch_in_clusters(
        &self,
        stream: &Stream,
        shape: LaunchExtents,
        [x, y, z]: [u32; 3],
        pointers: &mut [*mut c_void],
    ) -> Result<()> {
        use sys::CUlaunchAttributeID::{CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, CU_LAUNCH_ATTRIBUTE_COOPERATIVE};
        let cluster =
            sys::CUlaunchAttributeValue { clusterDim: sys::CUlaunchAttributeValue_union__bindgen_ty_1 { x, y, z } };
        let cooperative = sys::CUlaunchAttributeValue { cooperative: shape.cooperative.into() };
        let attribute = |id, value| sys::CUlaunchAttribute { id, pad: [0; 4], value };
        let mut attributes = [
            attribute(CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, cluster),
            attribute(CU_LAUNCH_ATTRIBUTE_COOPERATIVE, cooperative),
        ];
        let ([grid_x, grid_y, grid_z], [block_x, block_y, block_z]) = (shape.grid, shape.block);
        let config = sys::CUlaunchConfig {
            gridDimX: grid_x,
            gridDimY: grid_y,
            gridDimZ: grid_z,
            blockDimX: block_x,
            blockDimY: block_y,
            blockDimZ: block_z,
            sharedMemBytes: shape.shared,
            hStream: stream.handle,
            attrs: attributes.as_mut_ptr(),
            numAttrs: attributes.len() as u32,
        };
        // SAFETY: the function is valid, the attributes live as long as the call, and the caller answers for the pointers.
        unsafe { sys::cuLaunchKernelEx(&raw const config, self.handle, pointers.as_mut_ptr(), std::ptr::null_mut()) }
            .result()
            .map_err(named("cuLaunchKernelEx"))
    }
}
