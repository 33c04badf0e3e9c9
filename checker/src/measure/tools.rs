//! The checker's own kernels on a GPU.

use crate::backend::gpu::driver::{CudaError, Function, Memory, Shape};
use crate::backend::gpu::{Gpu, failure};
use crate::backend::{Artefact, Failure};

/// Threads a block of the checker's kernels.
const THREADS: u32 = 256;

/// The kernels, and a buffer to flush the L2 cache with.
pub struct Tools<'a> {
    gpu: &'a Gpu,
    probe: Function,
    fingerprint: Function,
    read: Function,
    flush: Memory,
    flush_bytes: usize,
    /// probe's two results, then fingerprints.
    results: Memory,
}

/// Fingerprints of one sample at most.
pub const FINGERPRINTS: usize = 256;

impl<'a> Tools<'a> {
    /// Loads them.
    ///
    /// # Errors
    /// The file cannot be loaded, or no memory is left.
    pub fn open(gpu: &'a Gpu, artefact: &Artefact) -> Result<Self, Failure> {
        let module = gpu.load("the checker's own kernels", artefact)?;
        let function = |name: &str| {
            let name = artefact.names.get(name).map_or(name, String::as_str);
            module.function(name).map_err(failure)
        };
        let flush_bytes = (gpu.info().l2_bytes as usize * 2).max(1 << 20).next_multiple_of(1 << 20);
        let tools = Self {
            gpu,
            probe: function("probe")?,
            fingerprint: function("fingerprint")?,
            read: function("read_stride")?,
            flush: Memory::new(flush_bytes).map_err(failure)?,
            flush_bytes,
            results: Memory::new((2 + FINGERPRINTS) * 8).map_err(failure)?,
        };
        tools.flush.fill(gpu.stream(), 0, flush_bytes, 0).map_err(failure)?;
        Ok(tools)
    }

    fn launch(&self, function: &Function, blocks: u32, arguments: &[u64]) -> Result<(), CudaError> {
        let shape = Shape { grid: [blocks.max(1), 1, 1], block: [THREADS, 1, 1], shared: 0, cooperative: false };
        function.launch(self.gpu.stream(), shape, arguments)
    }

    /// Empties the L2 cache of everything else by reading twice its size, then makes `dirty` bytes of it wait to be
    /// written back, as a pass that writes that much leaves it: so a pass neither pays for nor profits from writes that
    /// stay in the cache.
    ///
    /// # Errors
    /// The driver's.
    pub fn flush_cache(&self, dirty: usize) -> Result<(), CudaError> {
        let elements = (self.flush_bytes / 16) as u64;
        self.launch(&self.read, self.gpu.info().sms * 8, &[self.flush.address(), self.results.address(), elements])?;
        let dirty = dirty.min(self.gpu.info().l2_bytes as usize);
        self.flush.fill(self.gpu.stream(), 0, dirty, 0)
    }

    /// Spins for `ns` nanoseconds; [`Self::results`] has the clock.
    ///
    /// # Errors
    /// The driver's.
    pub fn spin(&self, ns: u64) -> Result<(), CudaError> {
        let shape = Shape { grid: [1; 3], block: [1; 3], shared: 0, cooperative: false };
        self.probe.launch(self.gpu.stream(), shape, &[self.results.address(), ns])
    }

    /// Sets all fingerprints to 0.
    ///
    /// # Errors
    /// The driver's.
    pub fn clear_fingerprints(&self) -> Result<(), CudaError> {
        self.results.fill(self.gpu.stream(), 16, FINGERPRINTS * 8, 0)
    }

    /// Adds a buffer to fingerprint `slot`.
    ///
    /// # Errors
    /// The driver's.
    pub fn add_fingerprint(&self, slot: usize, address: u64, bytes: usize) -> Result<(), CudaError> {
        let blocks = (bytes / 4).div_ceil(THREADS as usize * 4).clamp(1, self.gpu.info().sms as usize * 8) as u32;
        let to = self.results.address() + 16 + 8 * slot.min(FINGERPRINTS - 1) as u64;
        self.launch(&self.fingerprint, blocks, &[address, bytes as u64, to])
    }

    /// Waits; then the SMs' clock in MHz at the last spin, and the first `count` fingerprints.
    ///
    /// # Errors
    /// The driver's, also that of a kernel that faulted.
    pub fn results(&self, count: usize) -> Result<(f64, Vec<u64>), CudaError> {
        self.gpu.stream().synchronize()?;
        let mut bytes = vec![0; (2 + count.min(FINGERPRINTS)) * 8];
        self.results.read(0, &mut bytes)?;
        let mut words = bytes.as_chunks::<8>().0.iter().map(|word| u64::from_le_bytes(*word));
        let (cycles, ns) = (words.next().unwrap_or(0), words.next().unwrap_or(0));
        Ok((cycles as f64 / ns.max(1) as f64 * 1e3, words.collect()))
    }
}
