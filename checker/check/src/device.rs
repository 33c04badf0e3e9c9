//! Is a GPU after a check as it was before? A kernel that never ends is ended with its process, and its memory goes with it; where
//! that does not happen, whatever runs next is measured beside it, or hangs.

use super::CheckError;
use super::platform::{BackendChoice, find_gpu};
use compiler::toolchain::home::Home;
use execution::backend::{self, DeviceInfo, WorkerOptions};
use std::fs::{File, TryLockError};
use std::time::{Duration, Instant};

/// What the driver may keep of a process that has ended, in bytes.
const SLACK: u64 = 64 << 20;
/// A process that was killed may take so long to leave the device.
const PATIENCE: Duration = Duration::from_secs(20);

/// A GPU that is not as it was.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WedgedError {
    /// It does not do what it is asked, or not in time.
    #[error("{device} does not answer any more: {why}")]
    Silent {
        /// Its name.
        device: String,
        /// What was tried, and what came of it.
        why: String,
    },
    /// Somebody still has memory there.
    #[error("{device} has {missing} MiB less free memory than before, {seconds} s after the check")]
    Held {
        /// Its name.
        device: String,
        /// How much.
        missing: u64,
        /// Since when.
        seconds: u64,
    },
}

/// A GPU as it was, and nobody else's of those who ask by this.
#[derive(Debug)]
pub struct DeviceWatch {
    /// Locked as long as it is watched.
    _lock: File,
    ordinal: u32,
    device: String,
    free: u64,
}

impl DeviceWatch {
    /// Looks at the GPU that checks will run on; nothing where there is none.
    ///
    /// # Errors
    /// One is asked for, and there is none or it does not answer.
    pub fn begin(choice: BackendChoice) -> Result<Option<Self>, CheckError> {
        let Some(info) = find_gpu(choice)?.and_then(|platform| platform.gpu) else { return Ok(None) };
        let lock = alone(&info)?;
        let free = backend::free_memory(info.ordinal, &WorkerOptions::default())?;
        Ok(Some(Self { _lock: lock, ordinal: info.ordinal, device: info.name, free }))
    }

    /// Waits until it is as it was, or says that it is not.
    ///
    /// # Errors
    /// It does not come back.
    pub fn is_back(&self) -> Result<(), WedgedError> {
        let begun = Instant::now();
        loop {
            let options = WorkerOptions { until: Some(begun + PATIENCE), ..WorkerOptions::default() };
            let free = match backend::free_memory(self.ordinal, &options) {
                Ok(free) => free,
                Err(error) => return Err(WedgedError::Silent { device: self.device.clone(), why: error.to_string() }),
            };
            let missing = self.free.saturating_sub(free);
            if missing <= SLACK {
                return Ok(());
            }
            if begun.elapsed() >= PATIENCE {
                let seconds = begun.elapsed().as_secs();
                return Err(WedgedError::Held { device: self.device.clone(), missing: missing >> 20, seconds });
            }
            std::thread::sleep(Duration::from_millis(200));
        }
    }
}

/// One submission at a time on a GPU: two would be measured beside each other.
fn alone(info: &DeviceInfo) -> Result<File, CheckError> {
    let folder = Home::from_environment().probes();
    std::fs::create_dir_all(&folder)?;
    let path = folder.join(format!("gpu-{}.lock", info.uuid));
    let lock = File::options().write(true).create(true).truncate(false).open(path)?;
    match lock.try_lock() {
        Ok(()) => Ok(lock),
        Err(TryLockError::WouldBlock) => Err(CheckError::Busy { device: info.name.clone() }),
        Err(TryLockError::Error(error)) => Err(error.into()),
    }
}
