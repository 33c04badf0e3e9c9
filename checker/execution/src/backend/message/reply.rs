//! The lines that a worker writes.

use super::failure::{DeviceInfo, JobError};
use super::outcome::Checked;
use crate::measure::{RoofValues, Timed};
use serde::{Deserialize, Serialize};

/// One line from a worker.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reply {
    /// A piece of work begins: the parent's clock for it starts.
    Started {
        /// Case or timing, from 0.
        case: usize,
        /// Version, from 0; None while its oracle runs.
        version: Option<usize>,
    },
    /// One version at one size.
    Checked {
        /// From 0.
        case: usize,
        /// From 0.
        version: usize,
        /// How it fared.
        result: Box<Checked>,
    },
    /// One measurement.
    Timed {
        /// From 0.
        timing: usize,
        /// What was measured.
        result: Box<Timed>,
    },
    /// The roof.
    Roof(RoofValues),
    /// The GPUs.
    Devices(Vec<DeviceInfo>),
    /// Bytes of device memory that nobody has.
    Free(u64),
    /// The work cannot be done.
    Failed(JobError),
    /// A kernel's fault broke the device context: start a new worker for what is left.
    Broken,
    /// Everything is done.
    Done,
    /// Everything is done, and the worker takes another job.
    Ready,
}
