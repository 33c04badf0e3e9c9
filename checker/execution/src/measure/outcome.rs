//! What a measurement gives.

use super::neighbours::Neighbour;
use super::statistics::{Interval, Summary, Verdict};
use crate::backend::Status;
use serde::{Deserialize, Serialize};

/// When a version turned out to be wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stage {
    /// Before it was timed.
    Before,
    /// A timed run's output is wrong.
    Timed,
}

/// One measurement.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Timed {
    /// [`Status::Passed`], or what went wrong. The numbers below are only there when it passed.
    pub status: Status,
    /// Which version went wrong, and when.
    pub failed: Option<(usize, Stage)>,
    /// Times of one pass, by version.
    pub versions: Vec<Summary>,
    /// Medians of the times with their 99 % intervals, by version.
    #[serde(default)]
    pub intervals: Vec<Interval>,
    /// Each version's time over that of the next, with its 99 % interval.
    #[serde(default)]
    pub steps: Vec<Interval>,
    /// Baseline's time over candidate's.
    pub ratio: Option<Interval>,
    /// What the ratio's interval says.
    pub verdict: Option<Verdict>,
    /// Passes timed together in one sample (short kernels in a warm cache).
    pub passes: u32,
    /// Rounds that count.
    pub rounds: u32,
    /// Rounds that were thrown away because the SMs' clock had dropped below three quarters of its maximum.
    pub discarded: u32,
    /// Median of the SMs' clock right before the samples, in MHz.
    pub clock_mhz: f64,
    /// The interval became as narrow as asked for before the budget ended.
    pub narrow: bool,
    /// Samples whose output was verified (all of them unless outputs differ from run to run).
    pub verified: u32,
    /// Samples taken.
    pub samples: u32,
    /// Seconds it took.
    pub seconds: f64,
    /// Other processes on the GPU when it began; None when nobody could say.
    pub neighbours: Option<Vec<Neighbour>>,
}

impl Timed {
    /// A measurement that went wrong.
    pub fn failed(version: Option<usize>, status: Status) -> Self {
        Self::failed_at(version.map(|version| (version, Stage::Timed)), status)
    }

    /// The same with the stage.
    pub fn failed_at(failed: Option<(usize, Stage)>, status: Status) -> Self {
        Self {
            status,
            failed,
            versions: Vec::new(),
            intervals: Vec::new(),
            steps: Vec::new(),
            ratio: None,
            verdict: None,
            passes: 0,
            rounds: 0,
            discarded: 0,
            clock_mhz: 0.0,
            narrow: false,
            verified: 0,
            samples: 0,
            seconds: 0.0,
            neighbours: None,
        }
    }
}

/// What a device reaches, measured with the checker's own kernels.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RoofValues {
    /// Bytes read plus bytes written a second by the fastest copy of 1 GiB, in GB/s (1e9).
    pub copy_gb_per_s: f64,
    /// Bytes read a second by the fastest read of 1 GiB, in GB/s.
    pub read_gb_per_s: f64,
    /// Bytes read a second from the L2 cache, in GB/s; 0 where it was not measured.
    #[serde(default)]
    pub l2_gb_per_s: f64,
    /// Fused multiply-adds in single precision on all SMs, 2 operations each, in GFLOP/s.
    pub fma_gflop_per_s: f64,
    /// Which copy and read kernels were fastest.
    pub kernels: Vec<String>,
    /// Median of the SMs' clock before the samples, in MHz.
    pub clock_mhz: f64,
}
