//! `checker bench` of a ladder: all versions over the sizes at every element type, and over the block sizes.

use super::compiled::{CompiledLadder, LadderBuildError};
use super::measure::{LadderPlace, Measured, Thorough, measure};
use super::table::without_block;
use crate::CheckError;
use crate::bench::{Bench, UnmeasuredError, refuse};
use crate::time::{cache, roof_value};
use execution::measure::ladder_record::{Kind, LadderRecord, Point, Run, SCHEMA};
use execution::measure::record::RoofKind;
use problem::ladder::Ladder;
use problem::{Problem, Version};

/// What of a ladder is to be measured, and the record's circumstances.
#[derive(Debug, Clone)]
pub struct LadderAsk<'a> {
    /// Names of element types; empty: all.
    pub elements: &'a [String],
    /// Values of the size that is varied; empty: all.
    pub values: &'a [i64],
    /// Seed of the inputs.
    pub seed: u64,
    /// For the record: the command.
    pub command: &'a str,
    /// For the record: the day, ISO 8601.
    pub date: &'a str,
}

/// The places to measure: every element type over the sizes at the ladder's own block size, then the first element type
/// over the other block sizes at the `time` size.
pub fn places(problem: &Problem, ask: &LadderAsk<'_>) -> Vec<LadderPlace> {
    let Some(ladder) = problem.ladder() else { return Vec::new() };
    let (name, values) = &ladder.sizes;
    let wanted = |value: i64| ask.values.is_empty() || ask.values.contains(&value);
    let asked = |element: usize| ask.elements.is_empty() || ask.elements.contains(&ladder.types[element].name);
    let mut places = Vec::new();
    for element in (0..ladder.types.len()).filter(|element| asked(*element)) {
        for value in values.iter().filter(|value| wanted(**value)) {
            let mut sizes = Ladder::with_block(&problem.manifest.time, ladder.block);
            sizes.insert(name.clone(), *value);
            places.push(LadderPlace { element, sizes });
        }
    }
    let timed = problem.manifest.time.get(name).is_some_and(|value| wanted(*value));
    if asked(0) && timed {
        let others = ladder.blocks.iter().filter(|block| **block != ladder.block);
        places.extend(
            others.map(|block| LadderPlace { element: 0, sizes: Ladder::with_block(&problem.manifest.time, *block) }),
        );
    }
    places
}

impl Bench {
    /// Measures a ladder. `each` gets the record so far after every place, with what was measured there.
    ///
    /// # Errors
    /// Whatever no kernel caused.
    pub fn ladder(
        &self,
        problem: &Problem,
        ask: &LadderAsk<'_>,
        each: &mut dyn FnMut(&LadderRecord, &str) -> Result<(), CheckError>,
    ) -> Result<Result<LadderRecord, UnmeasuredError>, CheckError> {
        let Some(ladder) = problem.ladder() else { return refuse("it is no ladder") };
        if let Some(name) = ask.elements.iter().find(|name| !ladder.types.iter().any(|kind| kind.name == **name)) {
            return refuse(&format!("it has no element type `{name}`"));
        }
        let places = places(problem, ask);
        if places.is_empty() {
            return refuse("nothing of it was asked for: none of these sizes is among its own");
        }
        let versions: Vec<Version> = ladder.versions.iter().cloned().map(Version::Step).collect();
        let mut elements: Vec<usize> = places.iter().map(|place| place.element).collect();
        elements.dedup();
        let compiled = CompiledLadder::build(problem, self.toolchain(), self.platform(), versions, &elements);
        let compiled = compiled.map_err(|LadderBuildError { refused, .. }| CheckError::from(*refused))?;
        let compiler = elements.first().and_then(|&element| compiled.element(element));
        let mut record = LadderRecord {
            schema: SCHEMA,
            kind: Kind::Ladder,
            problem: problem.id.to_string(),
            device: self.recorded_device(),
            cache: cache(problem),
            read_roof_gb_per_s: roof_value(&self.roof()?, RoofKind::Read),
            runs: vec![Run {
                date: ask.date.to_owned(),
                command: ask.command.to_owned(),
                compiler: compiler.map(|element| element.reference.compiled.compiler.clone()).unwrap_or_default(),
                notes: Vec::new(),
            }],
            points: Vec::new(),
        };
        for place in places {
            let one = std::slice::from_ref(&place);
            let found = measure(problem, self.toolchain(), self.device(), &compiled, one, Thorough::Yes, ask.seed)?;
            let measured = match found {
                Ok(measured) => measured,
                Err(reason) => return refuse(&reason.text),
            };
            for measured in &measured {
                add(&mut record, problem, &compiled, measured);
                each(&record, &line(problem, &compiled, measured))?;
            }
        }
        Ok(Ok(record))
    }
}

/// "float at block = 256, n = 1024".
fn at(problem: &Problem, place: &LadderPlace) -> String {
    let element = problem.ladder().map_or("", |ladder| ladder.types[place.element].name.as_str());
    format!("{element} at {}", report::sizes(&place.sizes))
}

/// The place, the fastest version and its rate.
fn line(problem: &Problem, compiled: &CompiledLadder, measured: &Measured) -> String {
    let at = at(problem, &measured.place);
    let Some(best) = measured.versions.iter().min_by(|a, b| a.us.median.total_cmp(&b.us.median)) else { return at };
    let rate = measured.bytes.map(|bytes| format!(", {:.0} GB/s", bytes / best.us.median / 1e3)).unwrap_or_default();
    let (count, name) = (measured.versions.len(), compiled.name(best.version));
    format!("{at}: {count} versions, fastest {name} with {:.2} us{rate}", best.us.median)
}

fn add(record: &mut LadderRecord, problem: &Problem, compiled: &CompiledLadder, measured: &Measured) {
    let run = record.runs.len() - 1;
    let notes = measured.notes.iter().map(|note| format!("{}: {note}", at(problem, &measured.place)));
    record.runs[run].notes.extend(notes);
    let element = problem.ladder().map(|ladder| ladder.types[measured.place.element].name.clone()).unwrap_or_default();
    for found in &measured.versions {
        let (sizes, block) = without_block(&found.sizes);
        record.points.push(Point {
            version: compiled.name(found.version),
            element: element.clone(),
            block,
            sizes,
            us: found.us,
            samples: found.samples,
            gb_per_s: measured.bytes.map(|bytes| bytes / found.us.median / 1e3),
            step: found.step,
            occupancy: found.occupancy,
            clock_mhz: measured.clock_mhz,
            run,
        });
    }
}
