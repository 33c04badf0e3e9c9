//! Facts of the results files under `book/results/`: of the first device that has one.

use super::eval::Value;
use super::expr::Fact;
use super::facts::{key, word};
use crate::peers::Peers;
use crate::table::Table;
use anyhow::{Context as _, Result, bail};
use execution::measure::ladder_record::{LadderRecord, Point};
use execution::measure::record::{Record, Sides};
use problem::{Ladder, Problem, Workbook};
use std::path::PathBuf;

/// What they are called.
pub const NAMES: [&str; 18] = [
    "speedup",
    "speedup-low",
    "speedup-high",
    "us",
    "gbps",
    "gflops",
    "roof",
    "cell",
    "rung",
    "versions",
    "sizes",
    "published",
    "published-versions",
    "peer",
    "ratio",
    "peer-sizes",
    "entry",
    "rows",
];

/// The value of a fact of results files; None of one that is not.
pub fn value(workbook: &Workbook, fact: &Fact) -> Result<Option<Value>> {
    let name = fact.name.as_str();
    if !NAMES.contains(&name) {
        return Ok(None);
    }
    let of = word(fact, 0, "a problem or a results file")?;
    let results = workbook.root().join("book/results");
    Ok(Some(match name {
        "rung" | "versions" | "sizes" | "published" | "published-versions" => {
            Rungs::of(workbook, results, of, fact)?.value(fact)?
        }
        "peer" | "ratio" | "peer-sizes" => peers(results, of, fact)?,
        "entry" => {
            Value::Number(Table::first(&results, of)?.entry(word(fact, 1, "a row")?, word(fact, 2, "a column")?)?)
        }
        "rows" => {
            let rows = Table::first(&results, of)?.rows(word(fact, 1, "a column")?)?;
            Value::List(rows.into_iter().map(Value::Word).collect())
        }
        _ => record(results, of, fact)?,
    }))
}

fn record(results: PathBuf, of: &str, fact: &Fact) -> Result<Value> {
    let mut records = Record::of_problem(&results, of);
    anyhow::ensure!(!records.is_empty(), "no results file of `{of}` under book/results");
    let record = records.swap_remove(0);
    let side = || match word(fact, 1, "naive or optimised")? {
        "naive" => Ok(true),
        "optimised" => Ok(false),
        other => bail!("`{other}`: naive or optimised"),
    };
    let of_sides = |sides: Option<Sides>| -> Result<Option<f64>> {
        let naive = side()?;
        Ok(sides.map(|sides| if naive { sides.baseline } else { sides.candidate }))
    };
    let number = match fact.name.as_str() {
        "speedup" => record.ratio.map(|ratio| ratio.median),
        "speedup-low" => record.ratio.map(|ratio| ratio.low),
        "speedup-high" => record.ratio.map(|ratio| ratio.high),
        "us" => (if side()? { record.baseline } else { record.candidate }).map(|summary| summary.median_us),
        "gbps" => of_sides(record.gb_per_s)?,
        "gflops" => of_sides(record.gflop_per_s)?,
        "roof" => of_sides(
            record
                .roof
                .as_ref()
                .map(|roof| Sides { baseline: roof.baseline_fraction, candidate: roof.candidate_fraction }),
        )?,
        _ => {
            let at = |index: usize, what: &str| word(fact, index, what)?.parse::<i64>().context("a number");
            let (row, column) = (at(1, "a row's value")?, at(2, "a column's value")?);
            record.sweep.as_ref().and_then(|sweep| {
                let row = sweep.rows.1.iter().position(|value| *value == row)?;
                let column = sweep.columns.1.iter().position(|value| *value == column)?;
                *sweep.cells.get(row)?.get(column)?
            })
        }
    };
    number.map(Value::Number).context("the results file does not have it")
}

/// A ladder with its results.
struct Rungs {
    problem: Problem,
    record: LadderRecord,
    element: usize,
}

impl Rungs {
    fn of(workbook: &Workbook, results: PathBuf, name: &str, fact: &Fact) -> Result<Self> {
        let problem = workbook.get(name)?;
        let ladder = problem.ladder().with_context(|| format!("`{name}` is no ladder"))?;
        let element = key(fact, "type").map_or(Some(0), |name| ladder.element_named(name));
        let element = element.context("no such element type")?;
        let mut records = LadderRecord::of_problem(&results, name);
        anyhow::ensure!(!records.is_empty(), "no results file of `{name}` under book/results");
        Ok(Self { record: records.swap_remove(0), element, problem })
    }

    fn ladder(&self) -> Result<&Ladder> {
        self.problem.ladder().context("no ladder")
    }

    fn value(&self, fact: &Fact) -> Result<Value> {
        let ladder = self.ladder()?;
        let words = |names: Vec<String>| Value::List(names.into_iter().map(Value::Word).collect());
        let published = || ladder.published.as_ref().context("the ladder has no published times");
        Ok(match fact.name.as_str() {
            "versions" => words(ladder.versions.clone()),
            "published-versions" => words(published()?.ms.iter().map(|(name, _)| name.clone()).collect()),
            "published" => {
                let version = word(fact, 1, "a version")?;
                let all = &published()?.ms;
                let at = all.iter().position(|(name, _)| name == version).context("it has no published time")?;
                match key(fact, "step") {
                    None => Value::Number(all[at].1),
                    Some(_) => Value::Number(all[at.checked_sub(1).context("the first has no step")?].1 / all[at].1),
                }
            }
            "sizes" => {
                let version = word(fact, 1, "a version")?;
                let name = &ladder.sizes.0;
                let mut sizes: Vec<i64> = self
                    .points(version, fact)
                    .filter_map(|point| point.sizes.get(name).copied())
                    .filter(|size| within(*size, fact))
                    .collect();
                sizes.sort_unstable();
                Value::List(sizes.into_iter().map(|size| Value::Number(size as f64)).collect())
            }
            _ => self.rung(fact)?,
        })
    }

    /// The times of a version at the block size asked for.
    fn points<'r>(&'r self, version: &'r str, fact: &Fact) -> impl Iterator<Item = &'r Point> {
        let ladder = self.problem.ladder();
        let element = ladder.map_or("", |ladder| ladder.types[self.element].name.as_str());
        let block = key(fact, "block").and_then(|block| block.parse().ok());
        let block = block.or(ladder.map(|ladder| ladder.block));
        let own =
            move |point: &&Point| point.version == version && point.element == element && Some(point.block) == block;
        self.record.points.iter().filter(own)
    }

    /// `rung(NAME, VERSION, us|gbps|roof|step, n=..., block=..., type=...)`.
    fn rung(&self, fact: &Fact) -> Result<Value> {
        let version = word(fact, 1, "a version")?;
        let name = &self.ladder()?.sizes.0;
        let size = match key(fact, name) {
            Some(text) => Some(text.parse::<i64>().with_context(|| format!("{name}={text}"))?),
            None => self.problem.manifest.time.get(name).copied(),
        };
        let point = self.points(version, fact).find(|point| point.sizes.get(name).copied() == size);
        let point = point.context("the results file does not have it")?;
        let number = match word(fact, 2, "us, gbps, roof or step")? {
            "us" => Some(point.us.median),
            "gbps" => point.gb_per_s,
            "roof" => point.gb_per_s.map(|rate| rate / self.record.read_roof_gb_per_s),
            "step" => point.step.map(|step| step.median),
            other => bail!("`{other}`: us, gbps, roof or step"),
        };
        number.map(Value::Number).context("the results file does not have it")
    }
}

/// `peer(FILE, CANDIDATE, n=...)` in microseconds, `ratio(FILE, PEER, n=...)`, `peer-sizes(FILE, from=..., to=...)`.
fn peers(results: PathBuf, of: &str, fact: &Fact) -> Result<Value> {
    let file = Peers::first(&results, of)?;
    let rows = file.of(key(fact, "type").unwrap_or("float"), key(fact, "cache").unwrap_or("cold"));
    if fact.name == "peer-sizes" {
        let sizes = rows.iter().map(|row| row.n).filter(|n| within(*n, fact));
        return Ok(Value::List(sizes.map(|n| Value::Number(n as f64)).collect()));
    }
    let candidate = word(fact, 1, "a candidate")?;
    let n: i64 = key(fact, "n").context("n=SIZE is missing")?.parse().context("n is a number")?;
    let row = rows.into_iter().find(|row| row.n == n).context("the file has no such row")?;
    let of = if fact.name == "peer" { &row.us } else { &row.ratio };
    of.get(candidate).map(|time| Value::Number(time.median)).context("the file has no such candidate")
}

/// Is a size between `from` and `to`?
fn within(size: i64, fact: &Fact) -> bool {
    let end = |name: &str| key(fact, name).and_then(|text| text.parse::<i64>().ok());
    end("from").is_none_or(|from| size >= from) && end("to").is_none_or(|to| size <= to)
}
