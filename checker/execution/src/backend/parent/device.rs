//! What is asked of a device: times, its roof, its name, its free memory.

use super::options::WorkerOptions;
use super::talk::{error, untimely};
use super::verify::oracle_message;
use super::{BackendError, run};
use crate::backend::message::job::{Artefact, Job, Measure};
use crate::backend::{DeviceInfo, Reply, Status};
use crate::measure::{RoofValues, Timed};

/// Measures, in order. A measurement whose worker died, or was stopped, has that as its result.
///
/// # Errors
/// No GPU, a file that cannot be read, a worker that cannot be started.
pub fn measure(job: &Measure, options: &WorkerOptions) -> Result<Vec<Timed>, BackendError> {
    let mut results: Vec<Option<Timed>> = job.timings.iter().map(|_| None).collect();
    while results.iter().any(Option::is_none) {
        let known: Vec<_> =
            results.iter().enumerate().filter(|(_, slot)| slot.is_some()).map(|(timing, _)| (timing, 0)).collect();
        let mut at = None;
        let end = run(&Job::Measure(job.clone()), &known, options, &mut |reply| match reply {
            Reply::Started { case, version } => at = Some((*case, *version)),
            Reply::Timed { timing, result } => {
                if let Some(slot) = results.get_mut(*timing) {
                    *slot = Some((**result).clone());
                }
            }
            _ => {}
        })?;
        if let (Some(status), Some((timing, version))) = (untimely(&end), at)
            && results[timing].is_none()
        {
            let status = match version {
                Some(_) => status,
                None => Status::OracleFailed { message: oracle_message(&status) },
            };
            results[timing] = Some(Timed::failed(version, status));
        }
        if results.iter().filter(|slot| slot.is_some()).count() == known.len() {
            return Err(error(end));
        }
    }
    Ok(results.into_iter().flatten().collect())
}

/// Measures a device's roof.
///
/// # Errors
/// No GPU, or the measurement failed.
pub fn roof(ordinal: u32, tools: &Artefact, options: &WorkerOptions) -> Result<RoofValues, BackendError> {
    let mut found = None;
    let end = run(&Job::Roof { ordinal, tools: tools.clone() }, &[], options, &mut |reply| {
        if let Reply::Roof(roof) = reply {
            found = Some(roof.clone());
        }
    })?;
    found.ok_or_else(|| error(end))
}

/// The GPUs of this machine.
///
/// # Errors
/// There is none ([`crate::backend::JobError::NoGpu`] says why), or the driver does not answer.
pub fn devices(options: &WorkerOptions) -> Result<Vec<DeviceInfo>, BackendError> {
    let mut found = None;
    let end = run(&Job::Devices, &[], options, &mut |reply| {
        if let Reply::Devices(devices) = reply {
            found = Some(devices.clone());
        }
    })?;
    found.ok_or_else(|| error(end))
}

/// Bytes of a GPU's memory that nobody has, asked by using it.
///
/// # Errors
/// It does not answer, or not in time.
pub fn free_memory(ordinal: u32, options: &WorkerOptions) -> Result<u64, BackendError> {
    let mut found = None;
    let end = run(&Job::Free { ordinal }, &[], options, &mut |reply| {
        if let Reply::Free(bytes) = reply {
            found = Some(*bytes);
        }
    })?;
    found.ok_or_else(|| error(end))
}
