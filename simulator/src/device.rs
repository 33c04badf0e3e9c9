//! A simulated device: memory, a module, launches.

use crate::{Config, Launch, LaunchReport, Module};
use std::sync::Arc;

/// A launch that cannot start: the caller's mistake, not the kernel's.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LaunchError {
    /// No entry of that name.
    #[error("no kernel `{name}` in the module; it has: {available}")]
    NoKernel {
        /// Asked for.
        name: String,
        /// What there is, joined by commas.
        available: String,
    },
    /// Grid or block extents out of range.
    #[error("{what} is {value}: the limit is {limit}")]
    Extent {
        /// "block.x", "threads a block", "grid.y", ...
        what: String,
        /// Given.
        value: u64,
        /// Allowed.
        limit: u64,
    },
    /// Static plus dynamic shared memory beyond [`Config::shared_per_block`].
    #[error("{bytes} bytes of shared memory a block: the limit is {limit}")]
    Shared {
        /// Asked for.
        bytes: u64,
        /// Allowed.
        limit: u64,
    },
    /// Wrong number of arguments.
    #[error("`{kernel}` takes {expected} arguments, {given} were given")]
    ArgumentCount {
        /// The kernel.
        kernel: String,
        /// Parameters.
        expected: usize,
        /// Arguments.
        given: usize,
    },
    /// An argument of the wrong size.
    #[error("argument {index} of `{kernel}` has {given} bytes, the parameter has {expected}")]
    ArgumentSize {
        /// The kernel.
        kernel: String,
        /// From 0.
        index: usize,
        /// Parameter's bytes.
        expected: u32,
        /// Argument's bytes.
        given: u32,
    },
    /// A cooperative launch of more blocks than can be resident.
    #[error("a cooperative launch of {blocks} blocks: {limit} can be resident")]
    TooManyBlocks {
        /// Asked for.
        blocks: u64,
        /// Allowed.
        limit: u64,
    },
}

/// A host-side access to device memory that cannot be done.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MemoryError {
    /// Beyond [`crate::Limits::memory`].
    #[error("{asked} bytes of device memory asked for, {in_use} in use: the limit `memory` is {limit}")]
    Limit {
        /// Asked for.
        asked: u64,
        /// In use.
        in_use: u64,
        /// Allowed.
        limit: u64,
    },
    /// Not inside one allocation.
    #[error("{size} bytes at {address:#x} are not inside one allocation")]
    Range {
        /// Address.
        address: u64,
        /// Bytes.
        size: u64,
    },
}

/// A simulated device holding one module: its memory lives until the device is dropped.
#[derive(Debug)]
pub struct Device {
    config: Config,
    module: Arc<Module>,
}

impl Device {
    /// A device with the module's `.global` and `.const` variables in their initial state.
    pub fn new(module: Arc<Module>, config: Config) -> Self {
        Self { config, module }
    }

    /// The settings; they may be changed between launches.
    pub fn config_mut(&mut self) -> &mut Config {
        &mut self.config
    }

    /// The module.
    pub fn module(&self) -> &Arc<Module> {
        &self.module
    }

    /// Allocates `bytes` of global memory (256-byte aligned, surrounded by addresses that belong to nothing), called
    /// `name` in findings. Its bytes count as uninitialised until they are written.
    pub fn alloc(&mut self, _name: &str, _bytes: u64) -> Result<u64, MemoryError> {
        unimplemented!("simulator core")
    }

    /// Writes bytes from the host; they count as initialised.
    pub fn write(&mut self, _address: u64, _bytes: &[u8]) -> Result<(), MemoryError> {
        unimplemented!("simulator core")
    }

    /// Fills from the host with a repeated pattern but leaves the bytes uninitialised for the checks: poison.
    pub fn poison(&mut self, _address: u64, _bytes: u64, _pattern: &[u8]) -> Result<(), MemoryError> {
        unimplemented!("simulator core")
    }

    /// Reads bytes to the host.
    pub fn read(&self, _address: u64, _into: &mut [u8]) -> Result<(), MemoryError> {
        unimplemented!("simulator core")
    }

    /// Runs a kernel to its end or its fault.
    pub fn launch(&mut self, _launch: &Launch) -> Result<LaunchReport, LaunchError> {
        unimplemented!("simulator core")
    }
}
