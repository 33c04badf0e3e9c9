//! Results files: what `checker bench` measured, committed under `book/results/DEVICE/PROBLEM.json`.

use crate::backend::L2State;
use crate::measure::statistics::{Interval, Summary, Verdict};
use plan::Sizes;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// Version of the format.
pub const SCHEMA: u32 = 1;

/// The device a result was measured on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedDevice {
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
    /// The driver's version, or the CUDA version it supports.
    pub driver: String,
}

/// Which roof a problem is held against.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RoofKind {
    /// Bytes a second of a copy: for kernels that read and write.
    Copy,
    /// Bytes a second of a read: for kernels that mostly read.
    Read,
    /// Single-precision fused multiply-adds a second.
    Fma,
}

/// A number for each side.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Sides {
    /// Of the baseline.
    pub baseline: f64,
    /// Of the candidate.
    pub candidate: f64,
}

/// The device's roof and how much of it each side reaches.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct RoofFraction {
    /// Which roof.
    pub kind: RoofKind,
    /// In GB/s or GFLOP/s (1e9).
    pub value: f64,
    /// Baseline's fraction.
    pub baseline_fraction: f64,
    /// Candidate's fraction.
    pub candidate_fraction: f64,
}

/// A sweep's table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RecordedSweep {
    /// Row name and values.
    pub rows: (String, Vec<i64>),
    /// Column name and values.
    pub columns: (String, Vec<i64>),
    /// "GFLOP/s" or "GB/s".
    pub quantity: String,
    /// By row, then column; None where a cell could not be measured.
    pub cells: Vec<Vec<Option<f64>>>,
}

/// A results file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// [`SCHEMA`].
    pub schema: u32,
    /// Slug.
    pub problem: String,
    /// Where.
    pub device: RecordedDevice,
    /// "NVRTC 13.5".
    pub compiler: String,
    /// Day of the measurement, ISO 8601.
    pub date: String,
    /// The command that made the file.
    pub command: String,
    /// Sizes by name.
    pub sizes: Sizes,
    /// Cache at the start of a pass.
    pub cache: L2State,
    /// Times; None for a sweep.
    pub baseline: Option<Summary>,
    /// Times; None for a sweep.
    pub candidate: Option<Summary>,
    /// Baseline's time over candidate's, with its 99 % interval.
    pub ratio: Option<Interval>,
    /// What the interval says.
    pub verdict: Option<Verdict>,
    /// Median SM clock before the samples, in MHz; None for a sweep.
    #[serde(default)]
    pub clock_mhz: Option<f64>,
    /// What disturbed the measurement, one sentence each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// Bytes that must move, where the problem says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<f64>,
    /// Floating-point operations, where the problem says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flops: Option<f64>,
    /// Bytes over median time, in GB/s.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gb_per_s: Option<Sides>,
    /// Operations over median time, in GFLOP/s.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gflop_per_s: Option<Sides>,
    /// Against the device's roof.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub roof: Option<RoofFraction>,
    /// A sweep's table.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sweep: Option<RecordedSweep>,
}

/// A results file that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// It cannot be read or written.
    #[error("{path}: {error}")]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        error: std::io::Error,
    },
    /// It is no results file.
    #[error("{path}: not a results file: {error}")]
    Json {
        /// The file.
        path: PathBuf,
        /// Why.
        error: serde_json::Error,
    },
    /// It is of another version.
    #[error("{path}: results schema {found}; this checker reads {SCHEMA}")]
    Schema {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: u32,
    },
}

/// "nvidia-h200" of "NVIDIA H200": letters and digits in lower case, everything else one hyphen.
pub fn slug(device: &str) -> String {
    let mut slug = String::new();
    for c in device.chars() {
        if c.is_ascii_alphanumeric() {
            slug.push(c.to_ascii_lowercase());
        } else if !slug.ends_with('-') && !slug.is_empty() {
            slug.push('-');
        }
    }
    slug.trim_end_matches('-').to_owned()
}

/// Where a result lies below a results folder.
pub fn path(results: &Path, device: &str, problem: &str) -> PathBuf {
    results.join(slug(device)).join(format!("{problem}.json"))
}

/// Writes a results file whole or not at all, with its folder.
pub(in crate::measure) fn write_json(path: &Path, value: &impl Serialize) -> Result<(), RecordError> {
    let failed = |error| RecordError::Io { path: path.to_owned(), error };
    let folder = path.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder).map_err(failed)?;
    let mut text = serde_json::to_string_pretty(value).map_err(|error| failed(error.into()))?;
    text.push('\n');
    let file = tempfile::NamedTempFile::new_in(folder).map_err(failed)?;
    std::fs::write(file.path(), text).map_err(failed)?;
    let file = file.persist(path).map_err(|error| failed(error.error))?;
    // A temporary file is private; a result is for everybody.
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o644);
    file.set_permissions(mode).map_err(failed)
}

impl Record {
    /// Writes the file whole or not at all, with its folder.
    ///
    /// # Errors
    /// The folder or file cannot be written.
    pub fn write(&self, results: &Path) -> Result<PathBuf, RecordError> {
        let path = path(results, &self.device.name, &self.problem);
        write_json(&path, self)?;
        Ok(path)
    }

    /// Reads one.
    ///
    /// # Errors
    /// It cannot be read, or is of another schema.
    pub fn read(path: &Path) -> Result<Self, RecordError> {
        #[derive(Deserialize)]
        struct Version {
            schema: u32,
        }
        let text = std::fs::read_to_string(path).map_err(|error| RecordError::Io { path: path.to_owned(), error })?;
        let json = |error| RecordError::Json { path: path.to_owned(), error };
        let Version { schema } = serde_json::from_str(&text).map_err(json)?;
        if schema != SCHEMA {
            return Err(RecordError::Schema { path: path.to_owned(), found: schema });
        }
        serde_json::from_str(&text).map_err(json)
    }

    /// The records of a problem, one a device, in the devices' order by name. Files that cannot be read are left out.
    pub fn of_problem(results: &Path, problem: &str) -> Vec<Self> {
        files_of(results, problem).iter().filter_map(|file| Self::read(file).ok()).collect()
    }
}

/// The results files of a problem, one a device, in the devices' order by name.
pub fn files_of(results: &Path, problem: &str) -> Vec<PathBuf> {
    let file = |folder: &PathBuf| folder.join(format!("{problem}.json"));
    device_folders(results).iter().map(file).filter(|file| file.is_file()).collect()
}

/// The folders of devices under `results`, by name; none if it cannot be read.
pub fn device_folders(results: &Path) -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> =
        std::fs::read_dir(results).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    folders.sort();
    folders
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record() -> Record {
        let side = Summary { median_us: 2.0, q1_us: 1.5, q3_us: 2.5, min_us: 1.0, samples: 40 };
        Record {
            schema: SCHEMA,
            problem: "local-array".into(),
            device: RecordedDevice {
                name: "NVIDIA H200".into(),
                arch: "sm_90".into(),
                sms: 132,
                memory_bytes: 1 << 37,
                l2_bytes: 60 << 20,
                driver: "580.95.05".into(),
            },
            compiler: "NVRTC 13.5".into(),
            date: "2026-01-01".into(),
            command: "checker bench local-array".into(),
            sizes: Sizes::from([("n".to_owned(), 1 << 28)]),
            cache: L2State::Cold,
            baseline: Some(side),
            candidate: Some(side),
            ratio: Some(Interval { median: 1.0, low: 0.99, high: 1.01 }),
            verdict: Some(Verdict::Same),
            clock_mhz: Some(1980.0),
            notes: Vec::new(),
            bytes: Some(8.0),
            flops: None,
            gb_per_s: Some(Sides { baseline: 1.0, candidate: 2.0 }),
            gflop_per_s: None,
            roof: None,
            sweep: None,
        }
    }

    #[test]
    fn written_and_read_back_below_the_devices_slug() {
        let folder = tempfile::tempdir().unwrap();
        let written = record().write(folder.path()).unwrap();
        assert_eq!(written, folder.path().join("nvidia-h200/local-array.json"));
        assert_eq!(Record::read(&written).unwrap(), record());
        assert_eq!(Record::of_problem(folder.path(), "local-array"), [record()]);
        assert!(Record::of_problem(folder.path(), "other").is_empty());
    }

    #[test]
    fn another_schema_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let written = Record { schema: 2, ..record() }.write(folder.path()).unwrap();
        assert!(matches!(Record::read(&written), Err(RecordError::Schema { found: 2, .. })));
        std::fs::write(&written, "{}").unwrap();
        assert!(matches!(Record::read(&written), Err(RecordError::Json { .. })));
    }

    #[test]
    fn slugs() {
        assert_eq!(slug("NVIDIA H200"), "nvidia-h200");
        assert_eq!(slug("NVIDIA GeForce RTX 4090 (Laptop)"), "nvidia-geforce-rtx-4090-laptop");
    }
}
