//! The device's roof: what its memory and its arithmetic reach, measured with the checker's own kernels.

use super::tools::Tools;
use crate::backend::gpu::driver::{CudaError, Event, LaunchExtents, Memory};
use crate::backend::gpu::{Gpu, failure};
use crate::backend::{Artefact, JobError};
use crate::measure::outcome::RoofValues;
use crate::measure::statistics::median;

/// Bytes copied or read in one sample.
const BYTES: usize = 1 << 30;
/// Samples a kernel; the median counts.
const SAMPLES: usize = 25;
/// Launches a sample: back to back, so that what one leaves in the cache is paid for by the next.
const LAUNCHES: usize = 4;
const THREADS: u32 = 256;
/// Blocks an SM holds at 256 threads (2048 threads an SM, sm_90).
const BLOCKS_PER_SM: u32 = 8;
/// Times that `read_again` reads a quarter of the L2 cache: about 0.2 ms on an H200.
const L2_ROUNDS: u64 = 128;
/// Rounds of `fma_chains`: about 4 ms on an H200.
const FMA_ROUNDS: u64 = 2048;

/// Measures the roof: seconds.
///
/// # Errors
/// The kernels cannot be loaded, or 2 GiB of device memory are not free.
pub fn measure_roof(gpu: &Gpu, artefact: &Artefact) -> Result<RoofValues, JobError> {
    let bytes = match crate::backend::gpu::driver::free_memory().map_err(failure)? {
        free if free < 3 * BYTES as u64 => BYTES / 4,
        _ => BYTES,
    };
    measure(gpu, artefact, bytes).map_err(|error| match error {
        RoofError::Cuda(error) => failure(error),
        RoofError::Failure(failure) => failure,
    })
}

enum RoofError {
    Cuda(CudaError),
    Failure(JobError),
}

impl From<CudaError> for RoofError {
    fn from(error: CudaError) -> Self {
        Self::Cuda(error)
    }
}

impl From<JobError> for RoofError {
    fn from(failure: JobError) -> Self {
        Self::Failure(failure)
    }
}

fn measure(gpu: &Gpu, artefact: &Artefact, bytes: usize) -> Result<RoofValues, RoofError> {
    let tools = Tools::open(gpu, artefact)?;
    let module = gpu.load("the checker's own kernels", artefact)?;
    let (from, to) = (Memory::new(bytes)?, Memory::new(bytes)?);
    from.fill(gpu.stream(), 0, bytes, 0)?;
    let (start, end) = (Event::new()?, Event::new()?);
    let elements = (bytes / 16) as u64;
    let resident = gpu.info().sms * BLOCKS_PER_SM;
    let tiles = |per_thread: u64| elements.div_ceil(per_thread * u64::from(THREADS)) as u32;
    let mut clocks = Vec::new();
    // Microseconds of one launch.
    let mut sample = |name: &str, blocks: u32, arguments: &[u64]| -> Result<f64, RoofError> {
        let name = artefact.names.get(name).map_or(name, String::as_str);
        let function = module.function(name)?;
        let shape = LaunchExtents::new([blocks, 1, 1], [THREADS, 1, 1]);
        let mut times = Vec::new();
        for number in 0..SAMPLES + 3 {
            tools.spin(30_000)?;
            // One launch before the first event: it warms up, and leaves the cache as the last one will.
            function.launch(gpu.stream(), shape, arguments)?;
            start.record(gpu.stream())?;
            for _ in 0..LAUNCHES {
                function.launch(gpu.stream(), shape, arguments)?;
            }
            end.record(gpu.stream())?;
            clocks.extend(tools.clock()?);
            if number >= 3 {
                times.push(end.microseconds_since(&start)? / LAUNCHES as f64);
            }
        }
        Ok(median(&times).unwrap_or(f64::INFINITY))
    };
    let pair = [from.address(), to.address(), elements];
    let copies = [("copy_tiles", tiles(4)), ("copy_single", tiles(1)), ("copy_stride", resident)];
    let reads = [("read_tiles", tiles(8)), ("read_stride", resident)];
    let mut fastest = |kernels: &[(&str, u32)]| -> Result<(f64, String), RoofError> {
        let mut best = (f64::INFINITY, String::new());
        for (name, blocks) in kernels {
            let time = sample(name, *blocks, &pair)?;
            if time < best.0 {
                best = (time, (*name).to_owned());
            }
        }
        Ok(best)
    };
    let (copy_us, copy_kernel) = fastest(&copies)?;
    let (read_us, read_kernel) = fastest(&reads)?;
    let cached = (gpu.info().l2_bytes as usize / 4).clamp(1 << 16, bytes);
    let again = [from.address(), to.address(), (cached / 16) as u64, L2_ROUNDS];
    let l2_us = sample("read_again", resident, &again)?;
    let scalars = [to.address(), FMA_ROUNDS, u64::from(0.999f32.to_bits()), u64::from(0.001f32.to_bits())];
    let fma_us = sample("fma_chains", resident, &scalars)?;
    let operations = 2.0 * 8.0 * 16.0 * FMA_ROUNDS as f64 * f64::from(resident) * f64::from(THREADS);
    Ok(RoofValues {
        copy_gb_per_s: 2.0 * bytes as f64 / copy_us / 1e3,
        read_gb_per_s: bytes as f64 / read_us / 1e3,
        l2_gb_per_s: cached as f64 * L2_ROUNDS as f64 / l2_us / 1e3,
        fma_gflop_per_s: operations / fma_us / 1e3,
        kernels: vec![copy_kernel, read_kernel],
        clock_mhz: median(&clocks).unwrap_or(0.0),
    })
}
