//! Measured time, of this machine's GPU.

use crate::CheckError;
use crate::build::Built;
use crate::numbers::Known;
use crate::platform::Platform;
use crate::roof::{self, roof};
use crate::versions::{Cubins, Versions, assemble};
use account::outputs_of;
use account::reasons::{self, Scene};
use compiler::compile::{CompileRequest, compile};
use compiler::toolchain::Toolchain;
use execution::backend::{self, Artefact, Budget, DeviceInfo, Measure, Timing};
use execution::measure::record::RoofKind;
use execution::measure::{self, FloorWork, Peak, RoofValues, Timed};
use plan::dtype::DType;
use problem::{self, Problem, Quantity, Sizes, Version};
use report::{
    self, Better, Pace, Provenance, Reason, Report, Row, Sources, Speedup, Stage, StageName, StageStatus, SweepTable,
};
use std::path::PathBuf;
use std::time::Instant;
use values::fill::first_turn;

/// Share of bytes read above which a kernel is held against the reading roof instead of the copying one.
const MOSTLY_READS: f64 = 0.9;

/// The driver's version, or the CUDA version it supports where only that can be read.
pub fn driver(info: &DeviceInfo) -> String {
    info.driver.clone().unwrap_or_else(|| format!("for CUDA {}", info.driver_cuda))
}

pub fn provenance(info: &DeviceInfo) -> Provenance {
    Provenance::Measured { device: info.name.clone(), driver: driver(info) }
}

/// A file with the checker's own kernels for a device.
pub struct Tools {
    file: tempfile::NamedTempFile,
}

impl Tools {
    /// Compiles them.
    pub fn build(toolchain: &Toolchain, arch: &str) -> Result<Self, CheckError> {
        let compiled = compile(toolchain, &CompileRequest::new("tools.cu", measure::KERNELS.as_bytes(), arch)?)?;
        let mut file = tempfile::NamedTempFile::new()?;
        std::io::Write::write_all(&mut file, &compiled.cubin)?;
        Ok(Self { file })
    }

    /// As jobs take it.
    pub fn artefact(&self) -> Artefact {
        Artefact { cubin: Some(self.file.path().to_path_buf()), ..Artefact::default() }
    }
}

/// Which roof bounds a problem, by what it declares to move and to compute.
pub fn roof_kind(problem: &Problem, sizes: &Sizes) -> Option<RoofKind> {
    if problem.manifest.bytes.is_none() {
        return problem.manifest.flops.as_ref().map(|_| RoofKind::Fma);
    }
    let bytes = |len: &problem::Formula, size: usize| len.eval(sizes).unwrap_or(0) as f64 * size as f64;
    let read: f64 = problem.manifest.inputs.iter().map(|input| bytes(&input.len, input.dtype.size())).sum();
    let written: f64 = problem.manifest.outputs.iter().map(|output| bytes(&output.len, output.dtype.size())).sum();
    Some(if read > MOSTLY_READS * (read + written) { RoofKind::Read } else { RoofKind::Copy })
}

/// The roof of that kind in GB/s or GFLOP/s.
pub fn roof_value(roof: &RoofValues, kind: RoofKind) -> f64 {
    match kind {
        RoofKind::Copy => roof.copy_gb_per_s,
        RoofKind::Read => roof.read_gb_per_s,
        RoofKind::Fma => roof.fma_gflop_per_s,
    }
}

/// Measures baseline and candidate, until then at the latest; fills in the speedup, its rows and what goals need.
pub fn measure(
    problem: &Problem,
    toolchain: &Toolchain,
    platform: &Platform,
    version: &Version,
    until: Option<Instant>,
    report: &mut Report,
    known: &mut [Known<'_>; 2],
) -> Result<(), CheckError> {
    let Some(info) = &platform.gpu else { return Ok(()) };
    let versions = assemble(toolchain, problem, version, platform, until)?;
    let files = Cubins::write(&versions)?;
    let tools = Tools::build(toolchain, &info.arch)?;
    let sizes = &problem.manifest.time;
    let timing = pair(problem, &versions, &files, sizes, report.seed)?;
    let least = |roof: &RoofValues| Ok(vec![least_us(problem, roof, info, sizes)?]);
    let job = Measure { ordinal: info.ordinal, tools: tools.artefact(), timings: vec![timing] };
    let options = backend::WorkerOptions { until, ..backend::WorkerOptions::default() };
    let timed = roof::timed(toolchain, info, job, &options, &least)?;
    let Some(timed) = timed.into_iter().next() else { return Ok(()) };
    if let backend::Status::TimedOut { seconds } = &timed.status {
        report.cut = Some(format!("a measurement was stopped after {seconds:.0} s"));
    }
    let (Some(ratio), Some(verdict), [before, after]) = (timed.ratio, timed.verdict, timed.versions.as_slice()) else {
        return untimed(problem, &versions, &timed, report);
    };
    let provenance = provenance(info);
    report.speedup = Some(Speedup {
        ratio: ratio.median,
        low: ratio.low,
        high: ratio.high,
        verdict: pace(verdict),
        sizes: sizes.clone(),
        samples: timed.rounds as usize,
        provenance: provenance.clone(),
    });
    known[1].speedup = Some(ratio.low);
    let row = |metric: &str, quantity: &str, unit: &str, values: (f64, f64), better| Row {
        metric: metric.to_owned(),
        quantity: quantity.to_owned(),
        unit: unit.to_owned(),
        baseline: Some(values.0),
        candidate: Some(values.1),
        better,
        provenance: provenance.clone(),
        note: String::new(),
        detail: false,
    };
    report.table.push(row("time", "time", "us", (before.median_us, after.median_us), Better::Less));
    if let Some(kind) = roof_kind(problem, sizes) {
        let work = if kind == RoofKind::Fma { &problem.manifest.flops } else { &problem.manifest.bytes };
        let work = work.as_ref().map(|work| work.eval(sizes)).transpose()?.unwrap_or(0) as f64;
        // Work a microsecond is 1e6 a second: a thousandth of it is 1e9 a second.
        let rate = |us: f64| work / us / 1e3;
        let unit = if kind == RoofKind::Fma { "GFLOP/s" } else { "GB/s" };
        let rates = (rate(before.median_us), rate(after.median_us));
        report.table.push(row("rate", "rate", unit, rates, Better::More));
        let top = roof_value(&roof(toolchain, info)?, kind);
        if top > 0.0 {
            let share = (100.0 * rates.0 / top, 100.0 * rates.1 / top);
            report.table.push(row("roof", "of the roof", "%", share, Better::More));
            (known[0].roof, known[1].roof) = (Some(share.0 / 100.0), Some(share.1 / 100.0));
        }
    }
    if !timed.narrow {
        report.notes.push("the time's interval is wider than wished for: the measurement was disturbed".to_owned());
    }
    if timed.discarded > 0 {
        report.notes.push(format!("{} rounds were thrown away because the clock had dropped", timed.discarded));
    }
    let summary = format!("{} rounds of both versions in turn, every output verified", timed.rounds);
    report.stages.push(Stage { name: StageName::Time, status: StageStatus::Passed, summary });
    Ok(())
}

/// Why there is no time.
fn untimed(problem: &Problem, versions: &Versions, timed: &Timed, report: &mut Report) -> Result<(), CheckError> {
    let sizes = &problem.manifest.time;
    if let backend::Status::OracleFailed { message } = &timed.status {
        unmeasured(report, format!("the oracle failed at the timed size: {message}"));
    } else if matches!(timed.failed, Some((0, _))) {
        let what = "the baseline, timed,";
        let message = failed(timed, versions.baseline.file.path(), sizes).map(|reason| reason.text).unwrap_or_default();
        return Err(CheckError::Shipped { problem: problem.id.to_string(), what, message });
    } else if let Some(reason) = failed(timed, versions.candidate.file.path(), sizes) {
        let summary = reason.text.clone();
        report.stages.push(Stage { name: StageName::Time, status: StageStatus::Failed, summary });
        report.reasons.push(reason);
    } else {
        unmeasured(report, no_ratio(timed));
    }
    Ok(())
}

/// Why rounds that went right say nothing, and what to do.
fn no_ratio(timed: &Timed) -> String {
    if timed.discarded > 0 && timed.rounds == 0 {
        return format!(
            "no time: in each of {} rounds the clock was below three quarters of the device's (median {:.0} MHz); let it cool down, \
             see that nothing else runs on it, and check again",
            timed.discarded, timed.clock_mhz
        );
    }
    format!(
        "no time: {} rounds counted, too few for an interval, and {} were thrown away because the clock had dropped; see that \
         nothing else runs on the GPU, and check again",
        timed.rounds, timed.discarded
    )
}

/// A GPU was there and nothing was measured: that is no ordinary pass, and no grade.
fn unmeasured(report: &mut Report, why: String) {
    report.not_all_was_tried(&why);
    report.stages.push(Stage { name: StageName::Time, status: StageStatus::Skipped, summary: why });
}

/// Baseline and candidate at the timed size.
pub fn pair(
    problem: &Problem,
    versions: &Versions,
    files: &Cubins,
    sizes: &Sizes,
    seed: u64,
) -> Result<Timing, CheckError> {
    let io = problem.io(sizes)?;
    let oracle = versions.reference.plan(sizes, &problem.reference_io(&versions.reference.file, sizes)?)?;
    Ok(Timing {
        name: report::sizes(sizes),
        versions: vec![
            versions.baseline.program(versions.baseline.plan(sizes, &io)?, Some(files.path(0))),
            versions.candidate.program(versions.candidate.plan(sizes, &io)?, Some(files.path(1))),
        ],
        oracle: Some(versions.reference.program(oracle, Some(files.path(2)))),
        outputs: outputs_of(&problem.manifest.outputs, sizes)?,
        own_outputs: Vec::new(),
        least_us: None,
        seed: first_turn(seed),
        cache: cache(problem),
        budget: Budget::default(),
    })
}

/// The least time that the problem's work takes on the device.
pub fn least_us(
    problem: &Problem,
    roof: &RoofValues,
    info: &DeviceInfo,
    sizes: &Sizes,
) -> Result<Option<f64>, CheckError> {
    let evaluated = |formula: &Option<problem::Formula>| -> Result<Option<f64>, CheckError> {
        Ok(formula.as_ref().map(|formula| formula.eval(sizes)).transpose()?.map(|value| value as f64))
    };
    // Arithmetic of 16 bits is faster than the roof, which is of single precision.
    let narrow = |dtype: DType| matches!(dtype, DType::F16 | DType::Bf16);
    let narrow = problem.manifest.inputs.iter().any(|input| narrow(input.dtype));
    let flops = if narrow { None } else { evaluated(&problem.manifest.flops)? };
    let work = FloorWork { bytes: evaluated(&problem.manifest.bytes)?, flops, cache: cache(problem) };
    Ok(work.least_us(roof, &Peak::of(info)))
}

/// The cache as the problem states it.
pub fn cache(problem: &Problem) -> backend::L2State {
    match problem.manifest.cache {
        problem::CacheState::Cold => backend::L2State::Cold,
        problem::CacheState::Warm => backend::L2State::Warm,
    }
}

/// As reports have it.
pub const fn pace(verdict: measure::Verdict) -> Pace {
    match verdict {
        measure::Verdict::Faster => Pace::Faster,
        measure::Verdict::Slower => Pace::Slower,
        measure::Verdict::Same => Pace::Same,
    }
}

/// A timed run that went wrong: the kernel's doing.
pub fn failed(timed: &Timed, file: &std::path::Path, sizes: &Sizes) -> Option<Reason> {
    let checked = backend::Checked::only(timed.status.clone());
    let case = report::sizes(sizes);
    let mut sources = Sources::default();
    reasons::of(&checked, &Scene { file, case: &case, buffers: &[] }, &mut sources).into_iter().next()
}

/// Measures every cell of a sweep; the inner error is a cell that went wrong.
pub fn sweep(
    problem: &Problem,
    toolchain: &Toolchain,
    info: &DeviceInfo,
    sweep: &problem::Sweep,
    (built, reference): (&Built, &Built),
    seed: u64,
) -> Result<Result<SweepTable, Box<Reason>>, CheckError> {
    let folder = tempfile::tempdir()?;
    let file = |name: &str, built: &Built| -> Result<PathBuf, CheckError> {
        let path = folder.path().join(name);
        std::fs::write(&path, &built.compiled.cubin)?;
        Ok(path)
    };
    let (own, oracle_file) = (file("sweep.cubin", built)?, file("reference.cubin", reference)?);
    let tools = Tools::build(toolchain, &info.arch)?;
    let cells = sweep.cells(&problem.manifest.time);
    let mut timings = Vec::with_capacity(cells.len());
    for cell in &cells {
        let oracle = reference.plan(&cell.sizes, &problem.reference_io(&reference.file, &cell.sizes)?)?;
        timings.push(Timing {
            name: report::sizes(&cell.sizes),
            versions: vec![built.program(built.plan(&cell.sizes, &problem.io(&cell.sizes)?)?, Some(own.clone()))],
            oracle: Some(reference.program(oracle, Some(oracle_file.clone()))),
            outputs: outputs_of(&problem.manifest.outputs, &cell.sizes)?,
            own_outputs: Vec::new(),
            least_us: None,
            seed: first_turn(seed),
            cache: cache(problem),
            budget: Budget { seconds: 0.5, at_least: 0.05, ..Budget::default() },
        });
    }
    let job = Measure { ordinal: info.ordinal, tools: tools.artefact(), timings };
    let least = |roof: &RoofValues| cells.iter().map(|cell| least_us(problem, roof, info, &cell.sizes)).collect();
    let results = roof::timed(toolchain, info, job, &backend::WorkerOptions::default(), &least)?;
    let work = match sweep.quantity {
        Quantity::Gflops => &problem.manifest.flops,
        Quantity::GBytes => &problem.manifest.bytes,
    };
    let mut values = Vec::with_capacity(cells.len());
    for (cell, timed) in cells.iter().zip(&results) {
        if let Some(reason) = failed(timed, built.file.path(), &cell.sizes) {
            return Ok(Err(Box::new(reason)));
        }
        let work = work.as_ref().map(|work| work.eval(&cell.sizes)).transpose()?.unwrap_or(0) as f64;
        values.push(timed.versions.first().map(|time| work / time.median_us / 1e3));
    }
    Ok(Ok(SweepTable {
        quantity: sweep.quantity.unit().to_owned(),
        row: sweep.rows.name.clone(),
        rows: sweep.rows.values.clone(),
        column: sweep.columns.name.clone(),
        columns: sweep.columns.values.clone(),
        legend: sweep.legend(),
        values: values.chunks(sweep.columns.values.len().max(1)).map(<[_]>::to_vec).collect(),
        provenance: provenance(info),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use report::{RanOn, Subject, SubjectKind};

    fn timed(rounds: u32, discarded: u32) -> Timed {
        Timed { rounds, discarded, clock_mhz: 1234.4, ..Timed::failed_at(None, backend::Status::Passed) }
    }

    #[test]
    fn why_there_is_no_ratio_is_said_with_what_to_do() {
        let cold = no_ratio(&timed(0, 40));
        assert!(
            cold.contains("each of 40 rounds") && cold.contains("1234 MHz") && cold.contains("check again"),
            "{cold}"
        );
        let few = no_ratio(&timed(3, 2));
        assert!(few.contains("3 rounds counted") && few.contains("2 were thrown away"), "{few}");
    }

    #[test]
    fn who_writes_to_what_the_checker_notes_is_told_so() {
        let forged = backend::Status::WroteElsewhere { what: "the clock".to_owned() };
        let timed = Timed::failed_at(Some((1, measure::Stage::Timed)), forged);
        let reason = failed(&timed, std::path::Path::new("kernel.cu"), &Sizes::new()).unwrap();
        assert_eq!(reason.verdict, report::Verdict::GuardDamaged);
        assert!(reason.text.contains("not its own: it changed the clock"), "{}", reason.text);
    }

    /// It is no ordinary pass: a note says so, and a class gets no grade. What was cut before stays the reason for that.
    #[test]
    fn who_was_not_measured_gets_no_grade() {
        let subject = Subject { name: "ex01".into(), title: String::new(), chapter: None, kind: SubjectKind::Exercise };
        let mut report = Report::new(subject, RanOn::Sim { schedules: Vec::new() }, 1);
        unmeasured(&mut report, no_ratio(&timed(0, 40)));
        assert_eq!(report.cut, Some(no_ratio(&timed(0, 40))));
        assert!(report.notes.iter().any(|note| note.contains("would get no grade") && note.contains("40 rounds")));
        assert!(
            report.stages.iter().any(|stage| stage.name == StageName::Time && stage.status == StageStatus::Skipped)
        );
        unmeasured(&mut report, "another reason".to_owned());
        assert_eq!(report.cut, Some(no_ratio(&timed(0, 40))));
    }
}
