//! What a claim may ask: results files by [`super::recorded`]; the compiler, the simulator and the limits of an SM here.

use super::eval::{Facts, Value};
use super::expr::Fact;
use super::recorded;
use crate::evidence::both_counted;
use crate::kept::{Kept, folders_of};
use crate::listing::{self, Compiled, Wanted};
use crate::simulated;
use anyhow::{Context as _, Result, anyhow, bail};
use check::evidence::machine_code;
use compiler::toolchain::Toolchain;
use problem::{Metric, MetricSource, Problem, Version, Workbook};
use sass::limits::Limits;
use simulator::Checks;
use std::collections::BTreeMap;

/// Where facts come from.
#[derive(Debug, Clone, Copy)]
pub struct Workshop<'a> {
    /// Problems and results.
    pub workbook: &'a Workbook,
    /// What compiles them.
    pub toolchain: &'a Toolchain,
    /// What was found out before.
    pub kept: &'a Kept,
}

impl Facts for Workshop<'_> {
    fn value(&self, fact: &Fact) -> Result<Value> {
        if let Some(value) = recorded::value(self.workbook, fact)? {
            return Ok(value);
        }
        match fact.name.as_str() {
            "metric" | "sass" => {
                let name = word(fact, 0, "a problem")?;
                let folders = folders_of(name);
                self.kept(fact, &folders, || match fact.name.as_str() {
                    "metric" => self.metric(fact),
                    _ => self.sass(fact),
                })
            }
            "verdict" => {
                let file = word(fact, 0, "a kernel file")?;
                let folder = file.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned();
                self.kept(fact, &[folder], || self.verdict(fact))
            }
            "code" => {
                let (file, kernel) = (word(fact, 0, "a kernel file")?, word(fact, 1, "a kernel")?);
                word(fact, 2, "a word of the instruction")?;
                let wanted = wanted(fact)?;
                let folder = file.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned();
                self.kept(fact, &[folder], || {
                    listing::instruction(self.workbook, self.toolchain, &wanted, kernel, &fact.words[2..])
                        .map(Value::Word)
                })
            }
            "listed" | "resource" => {
                let file = word(fact, 0, "a kernel file")?;
                let folder = file.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned();
                self.kept(fact, &[folder], || self.listed(fact))
            }
            "limit" => limit(fact),
            other => bail!(
                "there is no fact `{other}`; there are metric, sass, code, listed, resource, verdict, limit and, of results files, {}",
                recorded::NAMES.join(", ")
            ),
        }
    }
}

/// The kernel file of `code`, `listed` and `resource`: whose keys but for `arch` are sizes.
///
/// # Errors
/// It has none, or a size is no number.
pub(super) fn wanted(fact: &Fact) -> Result<Wanted> {
    let file = word(fact, 0, "a kernel file")?.to_owned();
    let arch = key(fact, "arch").unwrap_or("sm_90").to_owned();
    Ok(Wanted { file, arch, given: given(fact, &["arch"])? })
}

/// The sizes among a fact's keys, which are all that are no options: of a sweep its row and column.
fn given(fact: &Fact, options: &[&str]) -> Result<BTreeMap<String, i64>> {
    let sizes = fact.keys.iter().filter(|(name, _)| !options.contains(&name.as_str()));
    sizes
        .map(|(name, value)| Ok((name.clone(), value.parse().with_context(|| format!("`{name}={value}` is no size"))?)))
        .collect()
}

impl Workshop<'_> {
    /// A number or a word that it takes work to find.
    fn kept(&self, fact: &Fact, folders: &[String], make: impl FnOnce() -> Result<Value>) -> Result<Value> {
        let folders: Vec<&str> = folders.iter().map(String::as_str).collect();
        let text = self.kept.text(&format!("fact {fact}"), &folders, || {
            Ok(match make()? {
                Value::Number(number) => format!("{number:e}"),
                other => format!("={other}"),
            })
        })?;
        match text.strip_prefix('=') {
            Some(word) => Ok(Value::Word(word.to_owned())),
            None => Ok(Value::Number(text.parse().context("a kept number")?)),
        }
    }

    /// `metric(NAME, VERSION, METRIC, arch=sm_90, type=int)`.
    fn metric(&self, fact: &Fact) -> Result<Value> {
        let (problem, version) = self.version(fact)?;
        let name = word(fact, 2, "a metric")?;
        let metric = Metric::parse(name).map_err(|error| anyhow!(error))?;
        let value = match metric.source() {
            MetricSource::Counters => {
                // A baseline is counted beside the solution.
                let (candidate, side) = match version {
                    Version::Baseline => (Version::Solution, 0),
                    other => (other, 1),
                };
                let counters = both_counted(self.kept, self.toolchain, &problem, candidate)?;
                match &metric {
                    Metric::Count(counter) => counter.of(&counters[side]),
                    _ => None,
                }
            }
            _ => machine_code(self.toolchain, &problem, &version, key(fact, "arch"))?.value(&metric),
        };
        value.map(Value::Number).with_context(|| format!("`{name}` has no value here"))
    }

    /// `sass(NAME, VERSION, WORD, WORD, kernel=K)`: instructions whose text has all the words.
    fn sass(&self, fact: &Fact) -> Result<Value> {
        let (problem, version) = self.version(fact)?;
        word(fact, 2, "a word of the instruction")?;
        let code = machine_code(self.toolchain, &problem, &version, key(fact, "arch"))?;
        let kernels = code.kernels();
        let chosen = kernels.iter().filter(|kernel| key(fact, "kernel").is_none_or(|name| kernel.name.contains(name)));
        let instructions = chosen.flat_map(|kernel| kernel.code());
        let found = instructions.filter(|line| fact.words[2..].iter().all(|word| line.text.contains(word.as_str())));
        Ok(Value::Number(found.count() as f64))
    }

    /// `listed(FILE.cu, KERNEL, WORD, WORD, arch=sm_75)`: instructions of a kernel file's kernel whose text has all the words;
    /// `resource(FILE.cu, KERNEL, registers)`: also spills, stack, shared, instructions, load-run. Other keys are sizes: the row and column of a sweep.
    fn listed(&self, fact: &Fact) -> Result<Value> {
        let kernel = word(fact, 1, "a kernel")?;
        let what = word(fact, 2, "a word of the instruction, or a resource")?;
        let compiled = Compiled::of(self.workbook, self.toolchain, &wanted(fact)?)?;
        let kernel = compiled.kernel(kernel)?;
        let resources = &kernel.resources;
        let number = match (fact.name.as_str(), what) {
            ("listed", _) => {
                let all = |text: &str| fact.words[2..].iter().all(|word| text.contains(word.as_str()));
                kernel.code().iter().filter(|line| all(&line.text)).count() as f64
            }
            (_, "registers") => f64::from(resources.registers),
            (_, "spills") => f64::from(resources.spill_stores + resources.spill_loads),
            (_, "stack") => f64::from(resources.stack),
            (_, "shared") => f64::from(resources.shared),
            (_, "instructions") => kernel.code().len() as f64,
            (_, "load-run") => sass::Stats::of(kernel).load_run as f64,
            (_, other) => {
                bail!(
                    "there is no resource `{other}`; there are registers, spills, stack, shared, instructions, load-run"
                )
            }
        };
        Ok(Value::Number(number))
    }

    /// `verdict(FILE.cu, schedule=its, check=none, n=1000)`: "race", "finished". Other keys are sizes.
    fn verdict(&self, fact: &Fact) -> Result<Value> {
        let file = word(fact, 0, "a kernel file")?;
        let path = simulated::kernel_file(self.workbook, file)?;
        let options = simulated::options(key(fact, "schedule").unwrap_or("its"))?;
        let checks = if key(fact, "check") == Some("none") { Checks::NONE } else { options.checks };
        let sizes = given(fact, &["schedule", "check"])?.into_iter().collect();
        let options = check::RunOptions { workbook: Some(self.workbook.clone()), checks, sizes, ..options };
        let report = simulated::ran(&path, file, &options)?;
        Ok(match serde_json::to_value(report.verdict)? {
            serde_json::Value::String(name) => Value::Word(name),
            other => Value::Word(other.to_string()),
        })
    }

    /// The problem and version that a fact is about: naive, optimised, style:NAME, or a ladder's.
    fn version(&self, fact: &Fact) -> Result<(Problem, Version)> {
        let problem = self.workbook.get(word(fact, 0, "a problem")?)?;
        let name = word(fact, 1, "a version: naive, optimised, or a ladder's")?;
        if let Some(ladder) = problem.ladder() {
            let element = key(fact, "type").map_or(Some(0), |name| ladder.element_named(name));
            let of_type = element.and_then(|element| problem.of_type(element));
            let of_type = of_type.with_context(|| format!("`{}` has no such element type", problem.id))?;
            let step = of_type.of_step(name, false);
            let step = step.with_context(|| format!("`{}` has no version `{name}`", problem.id))?;
            return Ok((step, Version::Candidate));
        }
        let version = match name.split_once(':') {
            Some(("style", style)) => Version::Style(style.to_owned()),
            Some(("mutant", mutant)) => Version::Mutant(mutant.to_owned()),
            _ => match (name, problem.sweep()) {
                (_, Some(_)) => Version::Sweep,
                ("naive", _) => Version::Baseline,
                ("optimised", _) => Version::Solution,
                _ => bail!("`{name}` is no version; there are naive, optimised, style:NAME and mutant:NAME"),
            },
        };
        Ok((problem, version))
    }
}

/// `limit(registers-per-sm, arch=sm_90)`.
fn limit(fact: &Fact) -> Result<Value> {
    let name = word(fact, 0, "a limit such as registers-per-sm")?;
    let arch = key(fact, "arch").unwrap_or("sm_90");
    let limits = Limits::of(sass::sm_number(arch)).with_context(|| format!("the limits of {arch} are not known"))?;
    let limits = serde_json::to_value(limits)?;
    let value = limits.get(name.replace('-', "_")).and_then(serde_json::Value::as_f64);
    value.map(Value::Number).with_context(|| {
        let names = limits.as_object().into_iter().flatten().map(|(name, _)| name.replace('_', "-"));
        format!("`{name}` is no limit; there are {}", names.collect::<Vec<_>>().join(", "))
    })
}

/// A fact's word of that number.
pub(super) fn word<'f>(fact: &'f Fact, index: usize, what: &str) -> Result<&'f str> {
    fact.words.get(index).map(String::as_str).with_context(|| format!("`{}` needs {what}", fact.name))
}

/// The value of a key.
pub(super) fn key<'f>(fact: &'f Fact, name: &str) -> Option<&'f str> {
    fact.keys.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
}
