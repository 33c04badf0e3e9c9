//! `checker bench`: careful measurement on a GPU, as records for results files.

use super::platform::{BackendChoice, Platform, find_gpu};
use super::versions::{Cubins, assemble};
use super::{CheckError, build_version, roof, time};
use compiler::toolchain::Toolchain;
use execution::backend::{self, Budget, DeviceInfo, Measure};
use execution::measure::record::{Record, RecordedDevice, RecordedSweep, RoofFraction, RoofKind, SCHEMA, Sides};
use execution::measure::{RoofValues, Timed};
use problem::{Kind, Problem, Version};
use std::time::Duration;

/// Longer and narrower than in a check.
const BUDGET: Budget = Budget { seconds: 6.0, at_least: 1.0, rounds: 30, half_width: 0.003 };
/// An oracle at the timed size may be slow.
const PATIENCE: Duration = Duration::from_secs(120);

/// What is to be measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Against {
    /// The candidate against the baseline.
    Baseline,
    /// The baseline against itself: the verdict must be SAME.
    Itself,
}

/// One measurement's circumstances.
#[derive(Debug, Clone, Copy)]
pub struct Ask<'a> {
    /// The candidate of a pair or an exercise.
    pub version: &'a Version,
    /// What it is compared with.
    pub against: Against,
    /// Seed of the inputs.
    pub seed: u64,
    /// For the record: the command.
    pub command: &'a str,
    /// For the record: the day, ISO 8601.
    pub date: &'a str,
}

/// A GPU and the compiler for it.
#[derive(Debug)]
pub struct Bench {
    toolchain: Toolchain,
    platform: Platform,
    device: DeviceInfo,
}

/// Why there is no record: the kernel's doing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnmeasuredError {
    /// One sentence.
    pub text: String,
}

impl Bench {
    /// The first GPU. `toolchain` is looked for only when there is one.
    ///
    /// # Errors
    /// There is no GPU, with the reason, or no toolchain.
    pub fn new(toolchain: impl FnOnce() -> Result<Toolchain, CheckError>) -> Result<Self, CheckError> {
        let none = || {
            let failure = backend::JobError::NoGpu(backend::NoGpuError::NoDevice);
            CheckError::Backend(backend::BackendError::Failure(failure))
        };
        let platform = find_gpu(BackendChoice::Gpu)?.ok_or_else(none)?;
        let device = platform.gpu.clone().ok_or_else(none)?;
        Ok(Self { toolchain: toolchain()?, platform, device })
    }

    /// The GPU.
    pub fn device(&self) -> &DeviceInfo {
        &self.device
    }

    /// The GPU's roof, from the cache where it was measured before.
    ///
    /// # Errors
    /// It cannot be measured.
    pub fn roof(&self) -> Result<RoofValues, CheckError> {
        roof::roof(&self.toolchain, &self.device)
    }

    /// Measures the roof again.
    ///
    /// # Errors
    /// It cannot be measured.
    pub fn fresh_roof(&self) -> Result<RoofValues, CheckError> {
        roof::fresh(&self.toolchain, &self.device, &patient())
    }

    /// Measures a problem.
    ///
    /// # Errors
    /// Whatever no kernel caused.
    pub fn measure(&self, problem: &Problem, ask: &Ask<'_>) -> Result<Result<Record, UnmeasuredError>, CheckError> {
        match problem.kind {
            Kind::Sweep => self.sweep(problem, ask),
            Kind::Ladder => refuse("a ladder has a record of its own kind"),
            Kind::Pair | Kind::Exercise => self.pair(problem, ask),
        }
    }

    fn pair(&self, problem: &Problem, ask: &Ask<'_>) -> Result<Result<Record, UnmeasuredError>, CheckError> {
        if problem.manifest.flaw.is_some() {
            return refuse("its baseline is wrong, not slow: there is nothing to compare");
        }
        let version = if ask.against == Against::Itself { &Version::Baseline } else { ask.version };
        let versions = assemble(&self.toolchain, problem, version, &self.platform, None)?;
        let files = Cubins::write(&versions)?;
        let tools = time::Tools::build(&self.toolchain, &self.device.arch)?;
        let sizes = &problem.manifest.time;
        let mut timing = time::pair(problem, &versions, &files, sizes, ask.seed)?;
        timing.budget = BUDGET;
        let least = |roof: &RoofValues| Ok(vec![time::least_us(problem, roof, &self.device, sizes)?]);
        let job = Measure { ordinal: self.device.ordinal, tools: tools.artefact(), timings: vec![timing] };
        let timed = roof::timed(&self.toolchain, &self.device, job, &patient(), &least)?;
        let Some(timed) = timed.into_iter().next() else {
            return refuse("nothing was measured");
        };
        let [baseline, candidate] = timed.versions.as_slice() else {
            if let backend::Status::OracleFailed { message } = &timed.status {
                return refuse(&format!("the oracle failed at the timed size: {message}"));
            }
            let versions = [&versions.baseline, &versions.candidate];
            let wrong = timed.failed.and_then(|(index, _)| versions.get(index)).unwrap_or(&versions[1]);
            let reason = time::failed(&timed, wrong.file.path(), sizes).map(|reason| reason.text);
            return refuse(&reason.unwrap_or_else(|| "nothing was measured".to_owned()));
        };
        let mut record = self.record(problem, &versions.candidate.compiled.compiler, ask);
        (record.baseline, record.candidate) = (Some(*baseline), Some(*candidate));
        (record.ratio, record.verdict) = (timed.ratio, timed.verdict);
        record.clock_mhz = Some(timed.clock_mhz);
        record.notes = notes(&timed);
        let evaluated = |formula: &Option<problem::Formula>| -> Result<Option<f64>, CheckError> {
            Ok(formula.as_ref().map(|formula| formula.eval(sizes)).transpose()?.map(|value| value as f64))
        };
        record.bytes = evaluated(&problem.manifest.bytes)?;
        record.flops = evaluated(&problem.manifest.flops)?;
        // Work a microsecond is 1e6 a second: a thousandth of it is 1e9 a second.
        let rates = |work: f64| Sides {
            baseline: work / baseline.median_us / 1e3,
            candidate: work / candidate.median_us / 1e3,
        };
        record.gb_per_s = record.bytes.map(rates);
        record.gflop_per_s = record.flops.map(rates);
        if let Some(kind) = time::roof_kind(problem, sizes) {
            let value = time::roof_value(&self.roof()?, kind);
            let reached = if kind == RoofKind::Fma { record.gflop_per_s } else { record.gb_per_s };
            if let (Some(reached), true) = (reached, value > 0.0) {
                let (baseline_fraction, candidate_fraction) = (reached.baseline / value, reached.candidate / value);
                record.roof = Some(RoofFraction { kind, value, baseline_fraction, candidate_fraction });
            }
        }
        Ok(Ok(record))
    }

    fn sweep(&self, problem: &Problem, ask: &Ask<'_>) -> Result<Result<Record, UnmeasuredError>, CheckError> {
        let Some(sweep) = problem.sweep() else { return refuse("it is no sweep") };
        let build = |version| {
            build_version(&self.toolchain, problem, version, &self.platform, None).map_err(super::CheckError::from)
        };
        let (built, reference) = (build(&Version::Sweep)?, build(&Version::Reference)?);
        let table = match time::sweep(problem, &self.toolchain, &self.device, sweep, (&built, &reference), ask.seed)? {
            Ok(table) => table,
            Err(reason) => return refuse(&reason.text),
        };
        let mut record = self.record(problem, &built.compiled.compiler, ask);
        record.sweep = Some(RecordedSweep {
            rows: (table.row, table.rows),
            columns: (table.column, table.columns),
            quantity: table.quantity,
            cells: table.values,
        });
        Ok(Ok(record))
    }

    /// The compiler for it.
    pub(super) fn toolchain(&self) -> &Toolchain {
        &self.toolchain
    }

    /// The GPU as a place to run.
    pub(super) fn platform(&self) -> &Platform {
        &self.platform
    }

    /// The GPU as results files have it.
    pub(super) fn recorded_device(&self) -> RecordedDevice {
        let device = &self.device;
        RecordedDevice {
            name: device.name.clone(),
            arch: device.arch.clone(),
            sms: device.sms,
            memory_bytes: device.memory_bytes,
            l2_bytes: device.l2_bytes,
            driver: time::driver(device),
        }
    }

    fn record(&self, problem: &Problem, compiler: &str, ask: &Ask<'_>) -> Record {
        Record {
            schema: SCHEMA,
            problem: problem.id.to_string(),
            device: self.recorded_device(),
            compiler: compiler.to_owned(),
            date: ask.date.to_owned(),
            command: ask.command.to_owned(),
            sizes: problem.manifest.time.clone(),
            cache: time::cache(problem),
            baseline: None,
            candidate: None,
            ratio: None,
            verdict: None,
            clock_mhz: None,
            notes: Vec::new(),
            bytes: None,
            flops: None,
            gb_per_s: None,
            gflop_per_s: None,
            roof: None,
            sweep: None,
        }
    }
}

pub(super) fn refuse<T>(text: &str) -> Result<Result<T, UnmeasuredError>, CheckError> {
    Ok(Err(UnmeasuredError { text: text.to_owned() }))
}

fn patient() -> backend::WorkerOptions {
    backend::WorkerOptions { timeout: PATIENCE, ..backend::WorkerOptions::default() }
}

/// What disturbed a measurement.
pub fn notes(timed: &Timed) -> Vec<String> {
    let mut notes = Vec::new();
    if let Some(others) = timed.neighbours.as_ref().filter(|others| !others.is_empty()) {
        let plural = if others.len() == 1 { "another process was" } else { "other processes were" };
        notes.push(format!("{plural} on the GPU when the measurement began ({})", others.len()));
    }
    if timed.discarded > 0 {
        notes.push(format!(
            "{} of {} rounds were thrown away because the clock had dropped below three quarters",
            timed.discarded,
            timed.discarded + timed.rounds
        ));
    }
    if !timed.narrow {
        notes.push("the interval did not become as narrow as wished for".to_owned());
    }
    if timed.verified < timed.samples {
        notes.push(format!(
            "outputs differ from run to run: {} of {} timed ones were verified",
            timed.verified, timed.samples
        ));
    }
    notes
}
