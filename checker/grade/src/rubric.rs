//! `rubric.toml`: how many points for what. See "Points" in docs/grading.md.

use crate::points::Points;
use indexmap::IndexMap;
use jiff::Timestamp;
use problem::{Metric, Problem, nearest};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use system::files;

/// Largest rubric in bytes.
const LARGEST: u64 = 1 << 20;
/// Most points that anything may be worth.
const MOST: f64 = 1e6;

/// Why a rubric cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum RubricError {
    /// It cannot be read.
    #[error("cannot read the rubric {}: {source}", system::text::path(path))]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: files::FileError,
    },
    /// It is not TOML, or not a rubric.
    #[error("{}: {message}", system::text::path(path))]
    Form {
        /// The file.
        path: PathBuf,
        /// Where and what.
        message: String,
    },
    /// It asks for what the problem has not.
    #[error("{}: {message}", system::text::path(path))]
    Content {
        /// The file.
        path: PathBuf,
        /// What.
        message: String,
    },
}

/// A rubric.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rubric {
    /// For exercises that have no table of their own.
    #[serde(default)]
    default: Shares,
    /// By exercise.
    #[serde(default)]
    exercise: BTreeMap<String, Shares>,
    /// What coming late costs.
    #[serde(default)]
    pub late: Option<Late>,
    /// Which of several submissions counts.
    #[serde(default)]
    pub attempts: Attempts,
    #[serde(skip)]
    path: PathBuf,
}

/// Points of an exercise, as the file has them.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Shares {
    results: Option<f64>,
    findings: Option<f64>,
    /// To be shared by the goals that have no points of their own.
    goals: Option<f64>,
    /// By metric.
    #[serde(default)]
    goal: IndexMap<String, f64>,
    /// By the ratio's interval.
    #[serde(default)]
    speed: Vec<Threshold>,
    /// Points only for who reaches something that the starter does not.
    progress: Option<bool>,
    /// Whoever is right at some sizes has a part of the points for results.
    partial: Option<bool>,
}

/// Points for a measured time.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Threshold {
    at_least: f64,
    points: f64,
}

/// What coming late costs.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Late {
    /// Until when everything is in time.
    pub deadline: Timestamp,
    /// And so long after it.
    #[serde(default)]
    pub grace_minutes: u32,
    /// Part of the points that every day begun costs, 0 to 1.
    pub per_day: f64,
    /// Most that it costs, 0 to 1.
    #[serde(default = "all")]
    pub at_most: f64,
}

fn all() -> f64 {
    1.0
}

/// Which of several submissions counts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Attempts {
    /// Which.
    pub count: Counts,
}

/// Which of several submissions counts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Counts {
    /// The one with the most points, what is taken off for coming late among them.
    #[default]
    Best,
    /// The latest.
    Last,
}

/// The points of one exercise.
#[derive(Debug, Clone, PartialEq)]
pub struct Scheme {
    /// For right results.
    pub results: Points,
    /// For no findings.
    pub findings: Points,
    /// For each goal, by metric, in the problem's order.
    pub goals: Vec<(String, Points)>,
    /// For a measured time, ascending.
    pub speed: Vec<(f64, Points)>,
    /// Nothing without something that the starter has not.
    pub progress: bool,
    /// A part of the points for results for each size, all of which are tried then.
    pub partial: bool,
}

impl Rubric {
    /// Reads one.
    ///
    /// # Errors
    /// It cannot be read, or is none.
    pub fn read(path: &Path) -> Result<Self, RubricError> {
        let bytes = files::read_trusted(path, LARGEST)
            .map_err(|source| RubricError::Read { path: path.to_path_buf(), source })?;
        let form = |message: String| RubricError::Form { path: path.to_path_buf(), message };
        let text = String::from_utf8(bytes).map_err(|_| form("it is not UTF-8".to_owned()))?;
        let mut rubric: Self = toml::from_str(&text).map_err(|error| form(error.to_string().trim().to_owned()))?;
        rubric.path = path.to_path_buf();
        rubric.check()?;
        Ok(rubric)
    }

    fn wrong(&self, message: String) -> RubricError {
        RubricError::Content { path: self.path.clone(), message }
    }

    /// What the file alone can tell.
    fn check(&self) -> Result<(), RubricError> {
        let tables = self.exercise.iter().map(|(name, shares)| (format!("exercise.{name}"), shares));
        for (table, shares) in tables.chain([("default".to_owned(), &self.default)]) {
            let goals = shares.goal.iter().map(|(metric, points)| (format!("goal.\"{metric}\""), *points));
            let plain = [("results", shares.results), ("findings", shares.findings), ("goals", shares.goals)];
            let plain = plain.into_iter().filter_map(|(name, points)| Some((name.to_owned(), points?)));
            let speed = shares.speed.iter().map(|threshold| ("speed.points".to_owned(), threshold.points));
            for (name, points) in plain.chain(goals).chain(speed) {
                if !(0.0..=MOST).contains(&points) {
                    return Err(self.wrong(format!("[{table}] {name} = {points}: points are 0 or more, up to {MOST}")));
                }
                if points > 0.0 && Points::from(points) == Points::default() {
                    return Err(
                        self.wrong(format!("[{table}] {name} = {points}: points are hundredths, and this is none"))
                    );
                }
            }
            // No infinity either: a grade could not be read again that has one.
            if let Some(threshold) =
                shares.speed.iter().find(|threshold| threshold.at_least <= 0.0 || !threshold.at_least.is_finite())
            {
                return Err(self
                    .wrong(format!("[{table}] speed.at_least = {}: a ratio is a number above 0", threshold.at_least)));
            }
        }
        // An exercise may lack a goal of the usual table. What no exercise can have is a slip.
        if let Some((metric, why)) =
            self.default.goal.keys().find_map(|metric| Metric::parse(metric).err().map(|why| (metric, why)))
        {
            return Err(self.wrong(format!("[default] goal.\"{metric}\": {why}")));
        }
        if let Some(late) = &self.late {
            for (name, part) in [("per_day", late.per_day), ("at_most", late.at_most)] {
                if !(0.0..=1.0).contains(&part) {
                    return Err(self.wrong(format!("[late] {name} = {part}: it is a part, from 0 to 1")));
                }
            }
        }
        Ok(())
    }

    /// Are all of its exercises there?
    ///
    /// # Errors
    /// One is not.
    pub fn known<'a>(&self, exercises: impl Iterator<Item = &'a str> + Clone) -> Result<(), RubricError> {
        match self.exercise.keys().find(|name| !exercises.clone().any(|exercise| exercise == name.as_str())) {
            None => Ok(()),
            Some(name) => {
                let near = nearest(name, exercises).map(|near| format!("; did you mean {near}?"));
                Err(self.wrong(format!("[exercise.{name}]: there is no such exercise{}", near.unwrap_or_default())))
            }
        }
    }

    /// The points of an exercise: results 4, findings 2, goals 4 where nothing else is said.
    ///
    /// # Errors
    /// It gives points for a goal that the problem has not.
    pub fn scheme(&self, problem: &Problem) -> Result<Scheme, RubricError> {
        let name = problem.id.as_str();
        let own = self.exercise.get(name);
        // A table of its own says all of it; the usual points are for those who say nothing.
        let shares = own.unwrap_or(&self.default);
        let silent = *shares == Shares { progress: shares.progress, partial: shares.partial, ..Shares::default() };
        let progress = shares.progress.or(self.default.progress).unwrap_or(true);
        let partial = shares.partial.or(self.default.partial).unwrap_or(false);
        if partial && progress {
            let table = own.map_or("default".to_owned(), |_| format!("exercise.{name}"));
            return Err(self.wrong(format!(
                "[{table}] partial = true goes with progress = false: of a kernel that is wrong somewhere nobody can tell whether it is \
                 more than the starter"
            )));
        }
        let usual = |points| silent.then_some(points);
        // What a GPU has to measure gets points only where the rubric says so: they would hang on the machine.
        let mut judged: Vec<String> = Vec::new();
        for goal in &problem.manifest.goals {
            let metric = goal.metric.to_string();
            if !judged.contains(&metric) && !goal.metric.source().is_time() {
                judged.push(metric);
            }
        }
        let all: Vec<String> = problem.manifest.goals.iter().map(|goal| goal.metric.to_string()).collect();
        // Of the usual table a goal that an exercise lacks is no mistake.
        if let Some((metric, _)) = shares.goal.iter().find(|(metric, _)| own.is_some() && !all.contains(metric)) {
            let goals = if all.is_empty() { "it has none".to_owned() } else { format!("it has {}", all.join(", ")) };
            return Err(self.wrong(format!("[exercise.{name}] goal.\"{metric}\": {name} has no such goal; {goals}")));
        }
        let rest: Vec<&String> = judged.iter().filter(|metric| !shares.goal.contains_key(*metric)).collect();
        let shared = shares.goals.or(usual(4.0)).map(Points::from).unwrap_or_default().shared(rest.len());
        let mut goals: Vec<(String, Points)> = rest.into_iter().cloned().zip(shared).collect();
        let given = shares.goal.iter().filter(|(metric, _)| all.contains(metric));
        goals.extend(given.map(|(metric, points)| (metric.clone(), Points::from(*points))));
        goals.sort_by_key(|(metric, _)| all.iter().position(|known| known == metric));
        let mut speed: Vec<(f64, Points)> =
            shares.speed.iter().map(|threshold| (threshold.at_least, Points::from(threshold.points))).collect();
        speed.sort_by(|(one, _), (two, _)| one.total_cmp(two));
        if let Some(pair) = speed.windows(2).find(|pair| pair[0].1 > pair[1].1) {
            let message = format!("{name}: {} times as fast gets fewer points than {}", pair[1].0, pair[0].0);
            return Err(self.wrong(message));
        }
        Ok(Scheme {
            results: shares.results.or(usual(4.0)).map(Points::from).unwrap_or_default(),
            findings: shares.findings.or(usual(2.0)).map(Points::from).unwrap_or_default(),
            goals,
            speed,
            progress,
            partial,
        })
    }
}

impl Late {
    /// Thousandths of the points that a submission of that time loses, and why; nothing where it is in time.
    pub fn costs(&self, time: Timestamp) -> Option<(i64, String)> {
        const MINUTE: i64 = 60;
        const DAY: i64 = 24 * 60 * MINUTE;
        let late = time.as_second() - self.deadline.as_second();
        if late <= i64::from(self.grace_minutes) * MINUTE {
            return None;
        }
        let days = (late + DAY - 1) / DAY;
        let part = (self.per_day * days as f64).min(self.at_most);
        let plural = if days == 1 { "" } else { "s" };
        Some(((part * 1000.0).round() as i64, format!("{days} day{plural} late")))
    }
}
