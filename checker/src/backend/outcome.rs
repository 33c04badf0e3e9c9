//! What comes back from a worker: plain data, as JSON lines.

use crate::dtype::DType;
use crate::measure::{RoofValues, Timed};
use crate::verify::fill::Values;
use serde::{Deserialize, Serialize};
use simulator::{Counters, Finding, Schedule};
use std::path::PathBuf;

/// A number as it stood in a buffer, without loss.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Value {
    /// Of a float type.
    Real(#[serde(with = "real")] f64),
    /// Of a signed type.
    Signed(i64),
    /// Of an unsigned type.
    Unsigned(u64),
}

impl std::fmt::Display for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match *self {
            Self::Real(x) if x == 0.0 || (1e-4..1e9).contains(&x.abs()) || !x.is_finite() => write!(f, "{x}"),
            Self::Real(x) => write!(f, "{x:e}"),
            Self::Signed(x) => write!(f, "{x}"),
            Self::Unsigned(x) => write!(f, "{x}"),
        }
    }
}

/// JSON has no NaN and no infinities: they travel as strings.
pub mod real {
    use serde::{Deserialize, Deserializer, Serializer};

    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Either {
        Number(f64),
        Text(String),
    }

    /// Finite values as numbers, others as "NaN", "inf", "-inf".
    pub fn serialize<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
        if value.is_finite() { serializer.serialize_f64(*value) } else { serializer.serialize_str(&value.to_string()) }
    }

    /// The reverse.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
        match Either::deserialize(deserializer)? {
            Either::Number(value) => Ok(value),
            Either::Text(text) => text.parse().map_err(serde::de::Error::custom),
        }
    }
}

/// One element that is wrong.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Mismatch {
    /// Element index.
    pub index: u64,
    /// The version's.
    pub got: Value,
    /// The oracle's.
    pub want: Value,
    /// Largest error allowed there.
    #[serde(with = "real")]
    pub bound: f64,
}

/// What the wrong elements have in common.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum LooksLike {
    /// Nothing that stands out.
    Nothing,
    /// Every wrong element still holds the poison: it was never written.
    NeverWritten,
    /// Every wrong element is zero.
    Zero,
    /// Every wrong element is NaN (and not poison).
    Nan,
    /// Exactly the elements from `from` to the end are wrong: the tail is missing.
    Tail {
        /// First wrong element.
        from: u64,
    },
    /// Exactly every `step`-th element is wrong.
    EveryKth {
        /// Distance between wrong elements.
        step: u64,
        /// First wrong element.
        first: u64,
    },
    /// Every wrong element is the right one times a common factor.
    Scaled {
        /// got over want.
        factor: f64,
    },
    /// Right in the first run, wrong when run again without reloading the module.
    SecondRunOnly,
}

/// An output that is wrong.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WrongOutput {
    /// The buffer.
    pub name: String,
    /// Its type.
    pub dtype: DType,
    /// Its elements.
    pub len: u64,
    /// How many are wrong.
    pub wrong: u64,
    /// The first few.
    pub first: Vec<Mismatch>,
    /// What they have in common.
    pub looks_like: LooksLike,
    /// Judged exactly, over small integers.
    pub exact_integers: bool,
}

/// A launch that went wrong on a GPU, or a fault of the simulator.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    /// CUDA's name (`CUDA_ERROR_ILLEGAL_ADDRESS`), or the finding's kebab-case kind.
    pub name: String,
    /// What that means.
    pub message: String,
    /// What to do next, if there is something.
    pub hint: Option<String>,
    /// Which launch of the plan, from 0; on a GPU the last one that can have caused it.
    pub launch: usize,
    /// Its line in the kernel file.
    pub line: u32,
}

/// How a worker came to its end when it did not finish.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Death {
    /// Signal by name ("SIGSEGV") or "exit status 3".
    pub how: String,
    /// It ran out of memory.
    pub out_of_memory: bool,
    /// The end of what it wrote to stderr.
    pub stderr: String,
}

/// How a version fared at a size.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "status")]
pub enum Status {
    /// It ran and every output is right (or nothing was to be judged).
    Passed,
    /// Outputs are wrong.
    Wrong {
        /// Which.
        outputs: Vec<WrongOutput>,
    },
    /// It changed an input.
    InputChanged {
        /// The buffer.
        buffer: String,
        /// First changed element.
        index: u64,
        /// What it holds now.
        got: Value,
        /// What it held.
        want: Value,
    },
    /// It wrote outside a buffer.
    GuardBroken {
        /// The buffer whose guard zone was hit.
        buffer: String,
        /// Bytes from the buffer's start; negative before it, from its size on behind it.
        offset: i64,
        /// The buffer's bytes.
        bytes: u64,
    },
    /// A launch faulted.
    Fault {
        /// How.
        fault: Fault,
    },
    /// A launch that cannot start: too many threads, too much shared memory, no such kernel, wrong arguments.
    BadLaunch {
        /// Which launch of the plan, from 0.
        launch: usize,
        /// Its line in the kernel file.
        line: u32,
        /// What is wrong.
        message: String,
    },
    /// It took too long and was stopped.
    TimedOut {
        /// Seconds it was given.
        seconds: f64,
    },
    /// Its process died.
    WorkerDied {
        /// How.
        death: Death,
    },
    /// It could not be tried: an earlier failure made it meaningless, or something it needs is missing.
    NotRun {
        /// Why.
        reason: String,
    },
    /// The oracle itself could not be run: the problem's fault, not the version's.
    OracleFailed {
        /// Why.
        message: String,
    },
}

impl Status {
    /// Did it pass?
    pub fn passed(&self) -> bool {
        matches!(self, Self::Passed)
    }
}

/// Which run of a version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunId {
    /// From 0.
    pub number: u32,
    /// Seed of its fills.
    pub seed: u64,
    /// Its values.
    pub values: Values,
    /// Byte that outputs and scratch were filled with.
    pub poison: u8,
    /// Simulator: the schedule.
    pub schedule: Option<Schedule>,
}

/// One run and how it ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunResult {
    /// Which.
    pub run: RunId,
    /// How it ended.
    pub status: Status,
}

/// A buffer in a few numbers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BufferSummary {
    /// Name.
    pub name: String,
    /// Element type.
    pub dtype: DType,
    /// Elements.
    pub len: u64,
    /// The first few.
    pub head: Vec<Value>,
    /// Smallest finite element.
    pub min: Option<f64>,
    /// Largest finite element.
    pub max: Option<f64>,
    /// Mean of the finite elements.
    pub mean: Option<f64>,
    /// NaNs, unwritten elements not counted.
    pub nans: u64,
    /// Elements that still hold the poison.
    pub unwritten: u64,
}

/// A finding and the run it belongs to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Found {
    /// What the simulator caught.
    pub finding: Finding,
    /// Under which schedule.
    pub schedule: Schedule,
    /// Which launch of the plan, from 0.
    pub launch: usize,
}

/// Counters of one source line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LineCount {
    /// File, as in `.loc`.
    pub file: String,
    /// Line; 0 for code without one.
    pub line: u32,
    /// Sums over all launches.
    pub counters: Counters,
}

/// Counters of one launch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LaunchCount {
    /// Kernel as the launch names it.
    pub kernel: String,
    /// Line of the launch in the kernel file.
    pub line: u32,
    /// Its sums.
    pub counters: Counters,
}

/// One version at one size.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Checked {
    /// How it fared.
    pub status: Status,
    /// Runs made, in order, each with how it ended; `status` above is the first that did not pass.
    pub runs: Vec<RunResult>,
    /// Largest error over its bound, over all judged elements with a bound; 0..1 when passed.
    pub error_over_bound: Option<f64>,
    /// Simulator: what was caught in any run, the same thing at the same place once.
    pub findings: Vec<Found>,
    /// Simulator: sums over the launches of the first run.
    pub counters: Option<Counters>,
    /// Simulator: the same by launch.
    pub launches: Vec<LaunchCount>,
    /// Simulator: the same by source line, when asked for.
    pub lines: Vec<LineCount>,
    /// What the kernels printed in the first run, cut.
    pub printf: String,
    /// Bytes of printf output that were cut.
    pub printf_dropped: u64,
    /// Buffers written to files.
    pub dumped: Vec<PathBuf>,
    /// Without an oracle: what the outputs held after the first run.
    pub outputs: Vec<BufferSummary>,
}

impl Checked {
    /// The first run that did not pass.
    pub fn failed_run(&self) -> Option<&RunId> {
        self.runs.iter().find(|result| !result.status.passed()).map(|result| &result.run)
    }

    /// A result of which nothing but its status is known.
    pub fn only(status: Status) -> Self {
        Self {
            status,
            runs: Vec::new(),
            error_over_bound: None,
            findings: Vec::new(),
            counters: None,
            launches: Vec::new(),
            lines: Vec::new(),
            printf: String::new(),
            printf_dropped: 0,
            dumped: Vec::new(),
            outputs: Vec::new(),
        }
    }
}

/// A GPU, as its driver describes it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeviceInfo {
    /// CUDA ordinal.
    pub ordinal: u32,
    /// "NVIDIA H200".
    pub name: String,
    /// "sm_90".
    pub arch: String,
    /// Streaming multiprocessors.
    pub sms: u32,
    /// Bytes of device memory.
    pub memory_bytes: u64,
    /// Bytes of L2 cache.
    pub l2_bytes: u64,
    /// Largest clock of the SMs in kHz.
    pub clock_khz: u32,
    /// Threads an SM holds.
    pub max_threads_per_sm: u32,
    /// Bytes of shared memory of an SM.
    pub shared_per_sm: u32,
    /// Bytes of shared memory a block may have when it opts in.
    pub shared_per_block: u32,
    /// Its UUID, in hex.
    pub uuid: String,
    /// The CUDA version the driver supports: "13.0".
    pub driver_cuda: String,
    /// The driver's own version ("580.95.05") where it can be read.
    pub driver: Option<String>,
}

/// Why there is no GPU to work on.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "reason")]
pub enum NoGpu {
    /// No driver library.
    #[error("no NVIDIA driver: the library libcuda is not installed")]
    NoLibrary,
    /// The driver is there, no device is.
    #[error("the NVIDIA driver finds no GPU")]
    NoDevice,
    /// No such ordinal.
    #[error("there is no GPU {ordinal}: the driver finds {count}")]
    NoSuchDevice {
        /// Asked for.
        ordinal: u32,
        /// Found.
        count: u32,
    },
    /// The driver is older than the compiler's code needs.
    #[error("the NVIDIA driver supports CUDA {found}; {needed} or later is needed: update the driver")]
    DriverTooOld {
        /// Supported by the driver.
        found: String,
        /// Needed.
        needed: String,
    },
    /// Device files that may not be opened.
    #[error("the GPU's device files may not be opened ({name}): check the permissions of /dev/nvidia*")]
    NotPermitted {
        /// CUDA's name of the error.
        name: String,
    },
    /// Something else.
    #[error("the NVIDIA driver does not start: {name}: {message}")]
    Driver {
        /// CUDA's name of the error.
        name: String,
        /// What it says.
        message: String,
    },
}

/// A failure that no kernel caused: the environment's, or the caller's.
#[derive(Debug, Clone, PartialEq, thiserror::Error, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "failure")]
pub enum Failure {
    /// No GPU.
    #[error("{0}")]
    NoGpu(NoGpu),
    /// A compiled file cannot be used.
    #[error("{program}: {message}")]
    Artefact {
        /// Whose.
        program: String,
        /// What is wrong.
        message: String,
    },
    /// A buffer cannot be filled.
    #[error("{message}")]
    Fill {
        /// Which and why.
        message: String,
    },
    /// A buffer does not fit into the device's memory.
    #[error("buffer `{buffer}`: {message}")]
    Memory {
        /// Which.
        buffer: String,
        /// Why.
        message: String,
    },
    /// A file cannot be written.
    #[error("{path}: {message}")]
    Write {
        /// Which.
        path: PathBuf,
        /// Why.
        message: String,
    },
    /// The driver failed in something that no kernel can cause.
    #[error("the NVIDIA driver: {call}: {name}: {message}")]
    Driver {
        /// What was asked.
        call: String,
        /// CUDA's name of the error.
        name: String,
        /// What it says.
        message: String,
    },
}

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
    /// The work cannot be done.
    Failed(Failure),
    /// A kernel's fault broke the device context: start a new worker for what is left.
    Broken,
    /// Everything is done.
    Done,
}

#[cfg(test)]
mod tests {
    use super::*;
    use simulator::FindingKind;

    /// Every kind of status, with numbers that JSON does not have, over the way a worker sends them.
    #[test]
    fn results_survive_json() {
        let mismatch = |got| Mismatch { index: u64::MAX, got, want: Value::Signed(i64::MIN), bound: f64::INFINITY };
        let wrong = WrongOutput {
            name: "c".into(),
            dtype: DType::F32,
            len: 9,
            wrong: 2,
            first: vec![mismatch(Value::Real(-0.1)), mismatch(Value::Unsigned(u64::MAX))],
            looks_like: LooksLike::Scaled { factor: 2.0 },
            exact_integers: true,
        };
        let death = Death { how: "SIGSEGV".into(), out_of_memory: true, stderr: "x\ny".into() };
        let fault = Fault { name: "X".into(), message: "m".into(), hint: None, launch: 1, line: 2 };
        let value = Value::Real(1.5);
        let statuses = [
            Status::Passed,
            Status::Wrong { outputs: vec![wrong] },
            Status::InputChanged { buffer: "a".into(), index: 3, got: value, want: value },
            Status::GuardBroken { buffer: "a".into(), offset: -4, bytes: 8 },
            Status::Fault { fault },
            Status::BadLaunch { launch: 0, line: 1, message: "m".into() },
            Status::TimedOut { seconds: 0.5 },
            Status::WorkerDied { death },
            Status::NotRun { reason: "r".into() },
            Status::OracleFailed { message: "m".into() },
        ];
        for status in statuses {
            let mut result = Checked::only(status.clone());
            let run =
                RunId { number: 1, seed: u64::MAX, values: Values::AsStated, poison: 1, schedule: Some(Schedule::Its) };
            result.runs = vec![RunResult { run, status }];
            result.outputs = vec![BufferSummary {
                name: "c".into(),
                dtype: DType::F16,
                len: 1,
                head: vec![Value::Real(f64::INFINITY)],
                min: None,
                max: Some(1.0),
                mean: None,
                nans: 1,
                unwritten: 0,
            }];
            result.findings = vec![Found {
                finding: Finding {
                    kind: FindingKind::StepLimit { limit: 5 },
                    severity: simulator::Severity::Fault,
                    place: simulator::Place::default(),
                    count: 1,
                },
                schedule: Schedule::Adversarial { seed: u64::MAX },
                launch: 0,
            }];
            let reply = Reply::Checked { case: 0, version: 1, result: Box::new(result) };
            let sent = serde_json::to_string(&reply).unwrap();
            assert_eq!(serde_json::from_str::<Reply>(&sent).unwrap(), reply, "{sent}");
        }
    }

    #[test]
    fn not_a_number_survives_json() {
        let sent = serde_json::to_string(&Value::Real(f64::NAN)).unwrap();
        assert!(matches!(serde_json::from_str(&sent).unwrap(), Value::Real(x) if x.is_nan()), "{sent}");
    }
}
