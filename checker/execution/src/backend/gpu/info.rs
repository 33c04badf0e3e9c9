//! Describes the GPUs of this machine.

use super::driver::{self, CudaError, Device};
use crate::backend::{DeviceInfo, NoGpuError};
use cudarc::driver::sys::CUdevice_attribute as Attribute;

/// Every GPU the driver finds.
///
/// # Errors
/// Why there is none.
pub fn devices() -> Result<Vec<DeviceInfo>, NoGpuError> {
    let (cuda, count) = driver::start()?;
    (0..count)
        .map(|ordinal| Device::get(ordinal).and_then(|device| describe(device, ordinal, &cuda)))
        .collect::<Result<_, _>>()
        .map_err(|error: CudaError| NoGpuError::Driver { name: error.name, message: error.message })
}

/// The UUID of one GPU, without a context on it.
///
/// # Errors
/// There is no such GPU.
pub fn uuid(ordinal: u32) -> Result<String, NoGpuError> {
    let (_, count) = driver::start()?;
    if ordinal >= count {
        return Err(NoGpuError::NoSuchDevice { ordinal, count });
    }
    Device::get(ordinal)
        .and_then(Device::uuid)
        .map_err(|error| NoGpuError::Driver { name: error.name, message: error.message })
}

pub(super) fn describe(device: Device, ordinal: u32, cuda: &str) -> Result<DeviceInfo, CudaError> {
    let attribute = |which| device.attribute(which);
    let major = attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?;
    let minor = attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?;
    Ok(DeviceInfo {
        ordinal,
        name: device.name()?,
        arch: format!("sm_{major}{minor}"),
        sms: attribute(Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?,
        memory_bytes: device.memory()?,
        l2_bytes: u64::from(attribute(Attribute::CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE)?),
        clock_khz: attribute(Attribute::CU_DEVICE_ATTRIBUTE_CLOCK_RATE)?,
        memory_clock_khz: attribute(Attribute::CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE).unwrap_or_default(),
        memory_bus_bits: attribute(Attribute::CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH).unwrap_or_default(),
        max_threads_per_sm: attribute(Attribute::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR)?,
        shared_per_sm: attribute(Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR)?,
        shared_per_block: attribute(Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)?,
        uuid: device.uuid()?,
        driver_cuda: cuda.to_owned(),
        driver: kernel_driver(),
    })
}

/// The version of the driver's kernel module, on Linux.
fn kernel_driver() -> Option<String> {
    std::fs::read_to_string("/sys/module/nvidia/version").ok().map(|text| text.trim().to_owned()).or_else(|| {
        // "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.95.05  Tue ..."
        let text = std::fs::read_to_string("/proc/driver/nvidia/version").ok()?;
        text.split_whitespace()
            .find(|word| word.contains('.') && word.chars().all(|c| c.is_ascii_digit() || c == '.'))
            .map(str::to_owned)
    })
}
