//! The checker's own kernels on a GPU.

use crate::backend::gpu::driver::{CudaError, Function, LaunchExtents, Memory};
use crate::backend::gpu::{Gpu, failure};
use crate::backend::{Artefact, JobError};
use plan::Buffer;
use values::Tolerance;
use values::recipe::Recipe;
use values::tolerance::{underflow, unit_roundoff};

/// Threads a block of the checker's kernels.
const THREADS: u32 = 256;

/// Device memory whose contents only the host can read.
pub struct Hidden {
    /// Where.
    pub memory: Memory,
    /// What it is hidden with.
    pub key: u64,
}

/// The kernels, and a buffer to flush the L2 cache with.
pub struct Tools<'a> {
    gpu: &'a Gpu,
    probe: Function,
    fingerprint: Function,
    read: Function,
    draw: Function,
    mask: Function,
    compare_bytes: Function,
    compare_reals: Function,
    scrub: Function,
    flush: Memory,
    flush_bytes: usize,
    /// probe's two results, then fingerprints.
    results: Memory,
}

/// Numbers that one sample can have: counts of wrong places, fingerprints.
pub const FINGERPRINTS: usize = 256;

impl<'a> Tools<'a> {
    /// Loads them.
    ///
    /// # Errors
    /// The file cannot be loaded, or no memory is left.
    pub fn open(gpu: &'a Gpu, artefact: &Artefact) -> Result<Self, JobError> {
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
            draw: function("draw")?,
            mask: function("mask")?,
            compare_bytes: function("compare_bytes")?,
            compare_reals: function("compare_reals")?,
            scrub: function("scrub")?,
            flush: Memory::new(flush_bytes).map_err(failure)?,
            flush_bytes,
            results: Memory::new((2 + FINGERPRINTS) * 8).map_err(failure)?,
        };
        tools.flush.fill(gpu.stream(), 0, flush_bytes, 0).map_err(failure)?;
        tools.scrub.allow_shared(gpu.info().shared_per_block).map_err(failure)?;
        Ok(tools)
    }

    fn launch(&self, function: &Function, blocks: u32, arguments: &[u64]) -> Result<(), CudaError> {
        let shape = LaunchExtents::new([blocks.max(1), 1, 1], [THREADS, 1, 1]);
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
        let shape = LaunchExtents::new([1; 3], [1; 3]);
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
        self.launch(&self.fingerprint, blocks, &[address, bytes as u64, self.slot(slot)])
    }

    /// Blocks for one element a thread, as many as the device holds at most.
    fn blocks(&self, elements: u64) -> u32 {
        elements.div_ceil(THREADS.into()).clamp(1, u64::from(self.gpu.info().sms) * 8) as u32
    }

    /// Draws a buffer's elements at `address`.
    ///
    /// # Errors
    /// The driver's.
    pub fn draw(&self, recipe: &Recipe, address: u64, elements: u64) -> Result<(), CudaError> {
        if elements == 0 {
            return Ok(());
        }
        self.launch(&self.draw, self.blocks(elements), &recipe.arguments(address))
    }

    /// Hides bytes, or shows them again, with the same key.
    ///
    /// # Errors
    /// The driver's.
    pub fn mask(&self, memory: &Memory, bytes: usize, key: u64) -> Result<(), CudaError> {
        self.launch(&self.mask, self.blocks(bytes as u64 / 8), &[memory.address(), bytes as u64, key])
    }

    /// Adds to `slot` in how many places bytes differ from hidden ones.
    ///
    /// # Errors
    /// The driver's.
    pub fn compare_bytes(&self, slot: usize, got: u64, want: &Hidden, bytes: usize) -> Result<(), CudaError> {
        let arguments = [got, want.memory.address(), bytes as u64, want.key, self.slot(slot)];
        self.launch(&self.compare_bytes, self.blocks(bytes as u64 / 8), &arguments)
    }

    /// Adds to `slot` how many floats are further from hidden doubles than the tolerance allows.
    ///
    /// # Errors
    /// The driver's.
    pub fn compare_reals(
        &self,
        slot: usize,
        (got, buffer): (u64, &Buffer),
        tolerance: Tolerance,
        want: &Hidden,
        magnitude: Option<&Hidden>,
    ) -> Result<(), CudaError> {
        let (slack, least) = match tolerance {
            Tolerance::Exact => (-1.0, 0.0),
            Tolerance::Bound { ops, unit } => (ops * unit_roundoff(unit), ops * underflow(unit)),
        };
        let (magnitude, magnitude_key) = magnitude.map_or((0, 0), |hidden| (hidden.memory.address(), hidden.key));
        let arguments = [
            got,
            buffer.dtype.index(),
            want.memory.address(),
            want.key,
            magnitude,
            magnitude_key,
            buffer.len,
            f64::to_bits(slack),
            f64::to_bits(least),
            self.slot(slot),
        ];
        self.launch(&self.compare_reals, self.blocks(buffer.len), &arguments)
    }

    /// Overwrites every SM's shared memory, so that no kernel finds what one before it left there.
    ///
    /// # Errors
    /// The driver's.
    pub fn scrub(&self, value: u32) -> Result<(), CudaError> {
        let bytes = self.gpu.info().shared_per_block / 4 * 4;
        let shape = LaunchExtents { shared: bytes, ..LaunchExtents::new([self.gpu.info().sms, 1, 1], [1024, 1, 1]) };
        self.scrub.launch(self.gpu.stream(), shape, &[u64::from(bytes / 4), value.into()])
    }

    /// Reads a buffer, so that it lies in the cache.
    ///
    /// # Errors
    /// The driver's.
    pub fn warm(&self, address: u64, bytes: usize) -> Result<(), CudaError> {
        let elements = (bytes / 16) as u64;
        self.launch(&self.read, self.blocks(elements), &[address, self.results.address(), elements])
    }

    /// Where results of a slot go.
    fn slot(&self, slot: usize) -> u64 {
        self.results.address() + 16 + 8 * slot.min(FINGERPRINTS - 1) as u64
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
