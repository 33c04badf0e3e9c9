//! GPUs, and what no kernel can cause: no GPU, no memory, files that cannot be used.

use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// A GPU, as its driver describes it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeviceInfo {
    /// CUDA ordinal.
    pub ordinal: u32,
    /// "NVIDIA H200".
    pub name: String,
    /// "sm_90".
    pub arch: String,
    /// Streaming multiprocessors.
    pub sms: u32,
    /// Bytes of device memory.
    pub memory_bytes: u64,
    /// Bytes of L2 cache.
    pub l2_bytes: u64,
    /// Largest clock of the SMs in kHz.
    pub clock_khz: u32,
    /// Largest clock of the memory in kHz; 0 where the driver does not say.
    pub memory_clock_khz: u32,
    /// Bits of the bus to the memory; 0 where the driver does not say.
    pub memory_bus_bits: u32,
    /// Threads an SM holds.
    pub max_threads_per_sm: u32,
    /// Bytes of shared memory of an SM.
    pub shared_per_sm: u32,
    /// Bytes of shared memory a block may have when it opts in.
    pub shared_per_block: u32,
    /// Its UUID, in hex.
    pub uuid: String,
    /// The CUDA version the driver supports: "13.0".
    pub driver_cuda: String,
    /// The driver's own version ("580.95.05") where it can be read.
    pub driver: Option<String>,
}

/// Why there is no GPU to work on.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "reason")]
pub enum NoGpuError {
    /// No driver library.
    #[error("no NVIDIA driver: the library libcuda is not installed")]
    NoLibrary,
    /// The driver is there, no device is.
    #[error("the NVIDIA driver finds no GPU")]
    NoDevice,
    /// No such ordinal.
    #[error("there is no GPU {ordinal}: the driver finds {count}")]
    NoSuchDevice {
        /// Asked for.
        ordinal: u32,
        /// Found.
        count: u32,
    },
    /// The driver is older than the compiler's code needs.
    #[error("the NVIDIA driver supports CUDA {found}; {needed} or later is needed: update the driver")]
    DriverTooOld {
        /// Supported by the driver.
        found: String,
        /// Needed.
        needed: String,
    },
    /// Device files that may not be opened.
    #[error("the GPU's device files may not be opened ({name}): check the permissions of /dev/nvidia*")]
    NotPermitted {
        /// CUDA's name of the error.
        name: String,
    },
    /// Something else.
    #[error("the NVIDIA driver does not start: {name}: {message}")]
    Driver {
        /// CUDA's name of the error.
        name: String,
        /// What it says.
        message: String,
    },
}

/// A failure that no kernel caused: the environment's, or the caller's.
#[derive(Debug, Clone, PartialEq, thiserror::Error, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "failure")]
pub enum JobError {
    /// No GPU.
    #[error("{0}")]
    NoGpu(NoGpuError),
    /// A compiled file cannot be used.
    #[error("{program}: {message}")]
    Artefact {
        /// Whose.
        program: String,
        /// What is wrong.
        message: String,
    },
    /// A buffer cannot be filled.
    #[error("{message}")]
    Fill {
        /// Which and why.
        message: String,
    },
    /// A buffer does not fit into the device's memory.
    #[error("buffer `{buffer}`: {message}")]
    Memory {
        /// Which.
        buffer: String,
        /// Why.
        message: String,
    },
    /// The operating system gives no random numbers.
    #[error("the operating system gives no random numbers: {message}")]
    Random {
        /// Why.
        message: String,
    },
    /// A file cannot be written.
    #[error("{path}: {message}")]
    Write {
        /// Which.
        path: PathBuf,
        /// Why.
        message: String,
    },
    /// The driver failed in something that no kernel can cause.
    #[error("the NVIDIA driver: {call}: {name}: {message}")]
    Driver {
        /// What was asked.
        call: String,
        /// CUDA's name of the error.
        name: String,
        /// What it says.
        message: String,
    },
}
