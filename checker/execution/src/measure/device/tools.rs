//! The checker's own kernels on a GPU.

use super::seal::{Key, What, opened};
use crate::backend::gpu::driver::{CudaError, Function, LaunchExtents, Memory};
use crate::backend::gpu::{Gpu, failure};
use crate::backend::{Artefact, JobError};
use plan::Buffer;
use std::cell::Cell;
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
    pub key: Key,
    /// What it is fingerprinted with as it lies there.
    pub mark: Key,
}

/// The kernels, and a buffer to flush the L2 cache with.
pub struct Tools<'a> {
    gpu: &'a Gpu,
    probe: Function,
    seal: Function,
    fingerprint: Function,
    read: Function,
    draw: Function,
    mask: Function,
    compare_bytes: Function,
    compare_reals: Function,
    scrub: Function,
    flush: Memory,
    flush_bytes: usize,
    /// Words, each with its seal behind it: the two of the clock, then results.
    results: Memory,
    /// What seals and keys are made of.
    key: Cell<Key>,
    /// Samples, readings and keys so far, in one row.
    number: Cell<u64>,
    /// Which of them the last spin was.
    spun: Cell<u64>,
}

/// Results that can be read at once: counts of wrong places, fingerprints.
const RESULTS: usize = 256;
/// Bytes of a word with its seal.
const PAIR: usize = 16;
/// Words of the clock.
const CLOCK: usize = 2;

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
            seal: function("seal")?,
            fingerprint: function("fingerprint")?,
            read: function("read_stride")?,
            draw: function("draw")?,
            mask: function("mask")?,
            compare_bytes: function("compare_bytes")?,
            compare_reals: function("compare_reals")?,
            scrub: function("scrub")?,
            flush: Memory::new(flush_bytes).map_err(failure)?,
            flush_bytes,
            results: Memory::new((CLOCK + RESULTS) * PAIR).map_err(failure)?,
            key: Cell::new(Key::drawn()?),
            number: Cell::new(0),
            spun: Cell::new(0),
        };
        tools.flush.fill(gpu.stream(), 0, flush_bytes, 0).map_err(failure)?;
        tools.scrub.allow_shared(gpu.info().shared_per_block).map_err(failure)?;
        Ok(tools)
    }

    /// Begins a measurement: under a key that nobody who saw the one before knows.
    ///
    /// # Errors
    /// The operating system gives no random numbers.
    pub fn begin(&self) -> Result<(), JobError> {
        self.key.set(Key::drawn()?);
        Ok(())
    }

    /// A key for one use, as none was before.
    pub fn fresh_key(&self, what: What) -> Key {
        self.key.get().of(what, self.next())
    }

    fn next(&self) -> u64 {
        let next = self.number.get() + 1;
        self.number.set(next);
        next
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

    /// Spins for `ns` nanoseconds; [`Self::clock`] has the clock.
    ///
    /// # Errors
    /// The driver's.
    pub fn spin(&self, ns: u64) -> Result<(), CudaError> {
        let number = self.next();
        self.spun.set(number);
        let [key0, key1] = self.key.get().of(What::Clock, number).words();
        let shape = LaunchExtents::new([1; 3], [1; 3]);
        self.probe.launch(self.gpu.stream(), shape, &[self.results.address(), ns, key0, key1, number])
    }

    /// Sets all results to 0, in the stream's order. What is judged after a kernel is cleared after it, or it could prepare what it
    /// will be found to have done.
    ///
    /// # Errors
    /// The driver's.
    pub fn clear(&self) -> Result<(), CudaError> {
        self.results.fill(self.gpu.stream(), CLOCK * PAIR, RESULTS * PAIR, 0)
    }

    /// Adds a buffer's fingerprint under a key to `slot`.
    ///
    /// # Errors
    /// The driver's.
    pub fn add_fingerprint(&self, slot: usize, (address, bytes): (u64, usize), key: Key) -> Result<(), CudaError> {
        let blocks = (bytes / 8).div_ceil(THREADS as usize * 4).clamp(1, self.gpu.info().sms as usize * 8) as u32;
        let [key0, key1] = key.words();
        self.launch(&self.fingerprint, blocks, &[address, bytes as u64, key0, key1, self.slot(slot)])
    }

    /// Blocks for one element a thread, as many as the device holds at most.
    fn blocks(&self, elements: u64) -> u32 {
        elements.div_ceil(THREADS.into()).clamp(1, u64::from(self.gpu.info().sms) * 8) as u32
    }

    /// The same for words under a key stream, of which a thread has eight at a time.
    fn blocks_of_hidden(&self, words: u64) -> u32 {
        self.blocks(words.div_ceil(8))
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
    pub fn mask(&self, hidden: &Hidden, bytes: usize) -> Result<(), CudaError> {
        let [key0, key1] = hidden.key.words();
        let blocks = self.blocks_of_hidden(bytes as u64 / 8);
        self.launch(&self.mask, blocks, &[hidden.memory.address(), bytes as u64, key0, key1])
    }

    /// Adds to `slot` in how many places bytes differ from hidden ones.
    ///
    /// # Errors
    /// The driver's.
    pub fn compare_bytes(&self, slot: usize, got: u64, want: &Hidden, bytes: usize) -> Result<(), CudaError> {
        let [key0, key1] = want.key.words();
        let arguments = [got, want.memory.address(), bytes as u64, key0, key1, self.slot(slot)];
        self.launch(&self.compare_bytes, self.blocks_of_hidden(bytes as u64 / 8), &arguments)
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
        let [key0, key1] = want.key.words();
        let (magnitude, [magnitude_key0, magnitude_key1]) =
            magnitude.map_or((0, [0; 2]), |hidden| (hidden.memory.address(), hidden.key.words()));
        let arguments = [
            got,
            buffer.dtype.index(),
            want.memory.address(),
            key0,
            key1,
            magnitude,
            magnitude_key0,
            magnitude_key1,
            buffer.len,
            f64::to_bits(slack),
            f64::to_bits(least),
            self.slot(slot),
        ];
        self.launch(&self.compare_reals, self.blocks_of_hidden(buffer.len), &arguments)
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
        self.results.address() + (PAIR * (CLOCK + slot.min(RESULTS - 1))) as u64
    }

    /// Waits; then the SMs' clock in MHz at the last spin, or nothing if somebody has overwritten it since.
    ///
    /// # Errors
    /// The driver's, also that of a kernel that faulted.
    pub fn clock(&self) -> Result<Option<f64>, CudaError> {
        let number = self.spun.get();
        let words = self.opened(What::Clock, number, 0, CLOCK)?;
        let mhz = |words: &[u64]| match *words {
            [cycles, ns, ..] => Some(cycles as f64 / ns.max(1) as f64 * 1e3),
            _ => None,
        };
        Ok(words.as_deref().and_then(mhz))
    }

    /// Seals the first `count` results where they lie, waits and reads them; nothing if somebody has overwritten one in between.
    ///
    /// # Errors
    /// The driver's, also that of a kernel that faulted.
    pub fn results(&self, count: usize) -> Result<Option<Vec<u64>>, CudaError> {
        let (count, number) = (count.min(RESULTS), self.next());
        let [key0, key1] = self.key.get().of(What::Result, number).words();
        self.launch(&self.seal, 1, &[self.slot(0), count as u64, key0, key1, number])?;
        self.opened(What::Result, number, CLOCK, count)
    }

    /// Waits; then so many words from the `first` on, if their seals fit.
    fn opened(&self, what: What, number: u64, first: usize, count: usize) -> Result<Option<Vec<u64>>, CudaError> {
        self.gpu.stream().synchronize()?;
        let mut bytes = vec![0; count * PAIR];
        self.results.read(first * PAIR, &mut bytes)?;
        Ok(opened(self.key.get().of(what, number), what, number, &bytes))
    }
}
