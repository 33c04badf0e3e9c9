//! Launches that a device refuses for what the kernel's machine code needs: registers, local memory, room for all blocks of a
//! cooperative launch. Refused before anything runs, so on the simulator as on a GPU.

use super::Needs;
use plan::{Launch, Plan};
use problem::{DeviceShape, KernelFile, LineError};
use sass::occupancy::Limiter;
use sass::{Occupancy, Resources};
use std::collections::BTreeMap;

/// What decides whether a launch can be made.
#[derive(Debug)]
pub struct LaunchQuestion<'a> {
    /// The file with the launch lines.
    pub file: &'a KernelFile,
    /// Kernels as launches name them, and as they are linked.
    pub names: &'a BTreeMap<String, String>,
    /// The machine code's; without a kernel in it nothing is known.
    pub needs: &'a Needs,
    /// The device.
    pub device: &'a DeviceShape,
}

/// Looks at every launch of the plan, and notes how many of its blocks the device holds at once.
///
/// # Errors
/// The line of the first launch that cannot be made.
pub fn settle(question: &LaunchQuestion<'_>, plan: &mut Plan) -> Result<(), LineError> {
    let buffers: u64 = plan.bytes();
    for launch in &mut plan.launches {
        let Some(known) = Known::of(question, launch) else { continue };
        if let Some(message) = refused(question.device, &known, launch, buffers) {
            let file = question.file;
            return Err(file.line(launch.line).error(file.launch_column(launch.line), message));
        }
        launch.resident = known.resident(question.device).filter(|blocks| *blocks > 0);
    }
    Ok(())
}

/// What the machine code says of a launch.
struct Known<'a> {
    resources: &'a Resources,
    /// Threads per block.
    threads: u32,
    occupancy: Occupancy,
}

impl<'a> Known<'a> {
    /// Nothing without machine code. Extents beyond the device's are refused by the backends, which name the axis.
    fn of(question: &LaunchQuestion<'a>, launch: &Launch) -> Option<Self> {
        let linked = question.names.get(&launch.kernel).unwrap_or(&launch.kernel);
        let resources = question.needs.kernels.get(linked)?;
        let threads = launch.block.iter().try_fold(1u32, |all, extent| all.checked_mul(*extent))?;
        let occupancy = question.needs.occupancy(linked, threads, launch.shared)?;
        Some(Self { resources, threads, occupancy })
    }

    /// Blocks that the device holds at once.
    fn resident(&self, device: &DeviceShape) -> Option<u32> {
        self.occupancy.active_blocks.checked_mul(u32::try_from(device.sms).ok()?)
    }
}

fn refused(device: &DeviceShape, known: &Known<'_>, launch: &Launch, buffers: u64) -> Option<String> {
    let Known { resources, threads, occupancy } = known;
    let none =
        |limiter: Limiter| occupancy.limits.iter().any(|limit| limit.limiter == limiter && limit.blocks == Some(0));
    if none(Limiter::Registers) && !none(Limiter::Warps) {
        return Some(format!(
            "no block fits on a multiprocessor: `{}` needs {} registers per thread, and a block has {threads} threads; \
             __launch_bounds__({threads}) makes the compiler use fewer",
            launch.kernel, resources.registers
        ));
    }
    if let Some(message) = too_much_local(device, launch, resources.stack.into(), buffers) {
        return Some(message);
    }
    let (blocks, resident) = (launch.blocks(), u64::from(known.resident(device)?));
    (launch.cooperative && occupancy.active_blocks > 0 && blocks > resident).then(|| {
        format!(
            "a cooperative launch of {blocks} blocks: {resident} of `{}` are resident at once ({} on each of {} \
             multiprocessors), and all of them must be",
            launch.kernel, occupancy.active_blocks, device.sms
        )
    })
}

/// Local memory is set aside for every thread that the device can hold, whatever the launch's size is.
fn too_much_local(device: &DeviceShape, launch: &Launch, stack: u64, buffers: u64) -> Option<String> {
    let held = u64::try_from(device.sms.saturating_mul(device.max_threads_per_sm)).unwrap_or(0);
    let memory = u64::try_from(device.memory).unwrap_or(u64::MAX);
    let all = stack.saturating_mul(held);
    (stack > LOCAL_PER_THREAD || all.saturating_add(buffers) > memory).then(|| {
        format!(
            "`{}` has {stack} bytes of local memory per thread; a thread may have {LOCAL_PER_THREAD}, and those of all {held} \
             threads that the device holds at once ({} MiB) must fit into its {} MiB beside the buffers",
            launch.kernel,
            all >> 20,
            memory >> 20
        )
    })
}

/// Bytes of local memory of a thread, at most: CUDA C++ Programming Guide, "Technical Specifications per Compute Capability".
const LOCAL_PER_THREAD: u64 = 512 << 10;
