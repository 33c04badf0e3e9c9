//! The driver's errors that are a kernel's fault.

use crate::backend::Fault;
use crate::backend::gpu::Gpu;
use crate::backend::gpu::driver::CudaError;

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
