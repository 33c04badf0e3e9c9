//! A ladder's results file: `book/results/DEVICE/PROBLEM.json`, a point for every version, element type, block size and
//! size that was measured.

use super::record::{RecordError, RecordedDevice, files_of, path, write_json};
use crate::backend::L2State;
use crate::measure::statistics::Interval;
use plan::Sizes;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// Version of the format.
pub const SCHEMA: u32 = 1;

/// `kind` in the file: tells it from the results of pairs and sweeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A ladder.
    Ladder,
}

/// One use of the command.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// Day, ISO 8601.
    pub date: String,
    /// The command.
    pub command: String,
    /// "NVRTC 13.5".
    pub compiler: String,
    /// What disturbed measurements, a sentence each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// A version's time at one place.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// The version.
    pub version: String,
    /// Name of the element type.
    pub element: String,
    /// Block size.
    pub block: i64,
    /// The other sizes.
    pub sizes: Sizes,
    /// Time of a pass in microseconds: median and its 99 % interval.
    pub us: Interval,
    /// Samples.
    pub samples: u32,
    /// Bytes that must move over the median, in GB/s (1e9).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gb_per_s: Option<f64>,
    /// Time of the version before it over its own, from the same rounds, with its 99 % interval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<Interval>,
    /// Theoretical occupancy of its largest launch, 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub occupancy: Option<f64>,
    /// Median SM clock before the samples, in MHz.
    pub clock_mhz: f64,
    /// Index into `runs`.
    pub run: usize,
}

/// A ladder's results file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LadderRecord {
    /// [`SCHEMA`].
    pub schema: u32,
    /// Always "ladder".
    pub kind: Kind,
    /// Slug.
    pub problem: String,
    /// Where.
    pub device: RecordedDevice,
    /// Cache at the start of a pass.
    pub cache: L2State,
    /// What reading memory reaches there, in GB/s.
    pub read_roof_gb_per_s: f64,
    /// The commands that measured the points.
    pub runs: Vec<Run>,
    /// In the ladder's order of versions within a place.
    pub points: Vec<Point>,
}

impl Point {
    /// The same version at the same place?
    fn same_place(&self, other: &Self) -> bool {
        (&self.version, &self.element, self.block, &self.sizes)
            == (&other.version, &other.element, other.block, &other.sizes)
    }
}

impl LadderRecord {
    /// Adds the points of an earlier file that this one has not measured again, if they are from the same device, driver
    /// and compiler; otherwise nothing of it is kept.
    pub fn merge(&mut self, earlier: Self) {
        let compiler = self.runs.first().map(|run| run.compiler.clone());
        let comparable = earlier.device == self.device
            && earlier.cache == self.cache
            && earlier.runs.iter().all(|run| Some(&run.compiler) == compiler.as_ref());
        if !comparable {
            return;
        }
        let offset = self.runs.len();
        let kept: Vec<Point> =
            earlier.points.into_iter().filter(|old| !self.points.iter().any(|new| new.same_place(old))).collect();
        self.runs.extend(earlier.runs);
        self.points.extend(kept.into_iter().map(|point| Point { run: point.run + offset, ..point }));
        self.drop_idle_runs();
    }

    /// Forgets commands of which no point is left.
    fn drop_idle_runs(&mut self) {
        let used = |run: usize| self.points.iter().any(|point| point.run == run);
        let kept: Vec<usize> = (0..self.runs.len()).filter(|&run| used(run)).collect();
        let runs = kept.iter().map(|&run| self.runs[run].clone()).collect();
        for point in &mut self.points {
            point.run = kept.iter().position(|&run| run == point.run).unwrap_or(0);
        }
        self.runs = runs;
    }

    /// The time of a version at a place.
    pub fn point(&self, version: &str, element: &str, block: i64, sizes: &Sizes) -> Option<&Point> {
        self.points.iter().find(|point| {
            point.version == version && point.element == element && point.block == block && point.sizes == *sizes
        })
    }

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
    /// It cannot be read, or is none.
    pub fn read(path: &Path) -> Result<Self, RecordError> {
        let text = std::fs::read_to_string(path).map_err(|error| RecordError::Io { path: path.to_owned(), error })?;
        let record: Self =
            serde_json::from_str(&text).map_err(|error| RecordError::Json { path: path.to_owned(), error })?;
        match record.schema {
            SCHEMA => Ok(record),
            found => Err(RecordError::Schema { path: path.to_owned(), found }),
        }
    }

    /// The records of a ladder, one a device, in the devices' order by name. Files that cannot be read are left out.
    pub fn of_problem(results: &Path, problem: &str) -> Vec<Self> {
        files_of(results, problem).iter().filter_map(|file| Self::read(file).ok()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(compiler: &str, points: &[(&str, i64)]) -> LadderRecord {
        let us = Interval { median: 2.0, low: 1.9, high: 2.1 };
        let point = |&(version, n): &(&str, i64)| Point {
            version: version.into(),
            element: "float".into(),
            block: 256,
            sizes: Sizes::from([("n".to_owned(), n)]),
            us,
            samples: 20,
            gb_per_s: Some(4.0),
            step: Some(us),
            occupancy: Some(1.0),
            clock_mhz: 1980.0,
            run: 0,
        };
        LadderRecord {
            schema: SCHEMA,
            kind: Kind::Ladder,
            problem: "reduction".into(),
            device: RecordedDevice {
                name: "NVIDIA H200".into(),
                arch: "sm_90".into(),
                sms: 132,
                memory_bytes: 1 << 37,
                l2_bytes: 60 << 20,
                driver: "580.95.05".into(),
            },
            cache: L2State::Cold,
            read_roof_gb_per_s: 4300.0,
            runs: vec![Run {
                date: "2026-01-01".into(),
                command: "checker bench reduction".into(),
                compiler: compiler.into(),
                notes: Vec::new(),
            }],
            points: points.iter().map(point).collect(),
        }
    }

    #[test]
    fn written_and_read_back_and_no_pair() {
        let folder = tempfile::tempdir().unwrap();
        let record = record("NVRTC 13.5", &[("modulo", 1024)]);
        let written = record.write(folder.path()).unwrap();
        assert_eq!(written, folder.path().join("nvidia-h200/reduction.json"));
        assert_eq!(LadderRecord::of_problem(folder.path(), "reduction"), [record]);
        assert!(crate::measure::results::record::Record::read(&written).is_err());
    }

    #[test]
    fn new_points_replace_old_ones_and_the_rest_is_kept() {
        let old = record("NVRTC 13.5", &[("modulo", 1024), ("mask", 1024)]);
        let mut new = record("NVRTC 13.5", &[("mask", 1024), ("mask", 4096)]);
        new.merge(old);
        let places: Vec<_> = new.points.iter().map(|p| (p.version.as_str(), p.sizes["n"], p.run)).collect();
        assert_eq!(places, [("mask", 1024, 0), ("mask", 4096, 0), ("modulo", 1024, 1)]);
        assert_eq!(new.runs.len(), 2);

        // A run of which nothing is left is forgotten.
        let mut all = record("NVRTC 13.5", &[("modulo", 1024), ("mask", 1024)]);
        all.merge(record("NVRTC 13.5", &[("modulo", 1024)]));
        assert_eq!(all.runs.len(), 1);
    }

    #[test]
    fn points_of_another_compiler_are_not_mixed_in() {
        let mut new = record("NVRTC 13.5", &[("mask", 1024)]);
        new.merge(record("NVRTC 12.0", &[("modulo", 1024)]));
        assert_eq!(new.points.len(), 1);
        assert!(new.point("modulo", "float", 256, &Sizes::from([("n".to_owned(), 1024)])).is_none());
    }
}
