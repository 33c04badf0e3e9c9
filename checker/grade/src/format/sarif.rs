//! SARIF 2.1.0: what was found, with its places; of a race both sides as flows of two threads. For code hosts, which show the first
//! place of a result and want all four numbers of its region.

use crate::feedback::{self, Told};
use crate::grade::Grade;
use crate::hash;
use report::{Caught, Excerpt, Reason, Verdict};
use serde::{Deserialize, Serialize};
use simulator::finding::as_named;
use simulator::{Access, FindingKind, Place, Severity};
use std::collections::BTreeMap;

const VERSION: &str = "2.1.0";
const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";
/// Most results: a code host takes 25,000, and nobody reads them.
const MOST: usize = 500;

/// The whole file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Log {
    /// The schema's address.
    #[serde(rename = "$schema")]
    pub schema: String,
    /// "2.1.0".
    pub version: String,
    /// One.
    pub runs: Vec<Run>,
}

/// A run of the tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// What ran.
    pub tool: Tool,
    /// What it found.
    pub results: Vec<Finding>,
}

/// What ran.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Tool {
    /// It.
    pub driver: Driver,
}

/// The tool itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Driver {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// What it can find, as far as it did.
    pub rules: Vec<Rule>,
}

/// A kind of finding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Rule {
    /// "race".
    pub id: String,
    /// "RACE".
    pub short_description: Text,
    /// What it means.
    pub full_description: Text,
    /// What to do about it.
    pub help: Text,
}

/// A text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Text {
    /// It.
    pub text: String,
}

/// A finding.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Finding {
    /// Its kind.
    pub rule_id: String,
    /// "error", "note".
    pub level: Level,
    /// In words.
    pub message: Text,
    /// Where; the first is shown.
    pub locations: Vec<Location>,
    /// Other places of it.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub related_locations: Vec<Location>,
    /// What makes it the same in another run.
    pub partial_fingerprints: BTreeMap<String, String>,
    /// How threads get there.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub code_flows: Vec<CodeFlow>,
}

/// How grave.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// It fails.
    Error,
    /// A goal is not met.
    Warning,
}

/// A place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Location {
    /// Its number among the related ones.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub id: Option<usize>,
    /// Where.
    pub physical_location: Physical,
    /// What is there.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub message: Option<Text>,
}

/// A file and lines.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Physical {
    /// The file.
    pub artifact_location: Artifact,
    /// The lines.
    pub region: Region,
}

/// A file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Artifact {
    /// Relative to where the student's files lie.
    pub uri: String,
}

/// Lines and columns, from 1.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Region {
    /// First line.
    pub start_line: u32,
    /// First column.
    pub start_column: u32,
    /// Last line.
    pub end_line: u32,
    /// Behind the last column.
    pub end_column: u32,
}

/// How threads get somewhere.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CodeFlow {
    /// A thread each.
    pub thread_flows: Vec<ThreadFlow>,
}

/// A thread's way.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ThreadFlow {
    /// "block 0 thread 32".
    pub id: String,
    /// Its places.
    pub locations: Vec<FlowLocation>,
}

/// A step of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FlowLocation {
    /// Where.
    pub location: Location,
}

impl Log {
    /// Of these grades.
    pub fn of(grades: &[&Grade], told: Told) -> Self {
        let mut rules: BTreeMap<String, Rule> = BTreeMap::new();
        let mut results: Vec<Finding> = Vec::new();
        for grade in grades {
            let Some(report) = &grade.report else { continue };
            let lines = Lines { uri: uri(&grade.submitted.file), places: &report.reasons };
            let races = report.findings.iter().filter_map(|caught| race(&lines, caught, told));
            let reasons = report.reasons.iter().filter(|reason| reason.verdict != Verdict::Race);
            for result in races.chain(reasons.map(|reason| plain(&lines, reason, told))) {
                let same = |other: &Finding| other.partial_fingerprints == result.partial_fingerprints;
                if results.len() < MOST && !results.iter().any(same) {
                    rules.entry(result.rule_id.clone()).or_insert_with(|| rule(&result.rule_id));
                    results.push(result);
                }
            }
        }
        let driver = Driver {
            name: "Warpbook checker".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            rules: rules.into_values().collect(),
        };
        let run = Run { tool: Tool { driver }, results };
        Self { schema: SCHEMA.to_owned(), version: VERSION.to_owned(), runs: vec![run] }
    }
}

/// Source lines as far as the report quotes them.
struct Lines<'a> {
    uri: String,
    places: &'a [Reason],
}

impl Lines<'_> {
    fn location(&self, line: u32, column: Option<u32>, length: Option<u32>, message: &str) -> Location {
        let line = line.max(1);
        let quoted = self.places.iter().flat_map(|reason| &reason.excerpts).find(|excerpt| excerpt.line == line);
        let text = quoted.and_then(|excerpt| excerpt.lines.last()).map_or("", String::as_str);
        let indent = text.chars().take_while(|c| c.is_whitespace()).count() as u32;
        let start = column.unwrap_or(indent + 1).max(1);
        let end = length.map_or(text.chars().count() as u32 + 1, |length| start + length);
        Location {
            id: None,
            physical_location: Physical {
                artifact_location: Artifact { uri: self.uri.clone() },
                region: Region {
                    start_line: line,
                    start_column: start,
                    end_line: line,
                    end_column: end.max(start + 1),
                },
            },
            message: (!message.is_empty()).then(|| Text { text: message.to_owned() }),
        }
    }

    fn finding(&self, rule: String, level: Level, text: &str, mut places: Vec<Location>, numbered: bool) -> Finding {
        if places.is_empty() {
            places.push(self.location(1, None, None, ""));
        }
        // Names and numbers may change with what was drawn; the line and the kind do not.
        let lines: Vec<String> =
            places.iter().map(|place| place.physical_location.region.start_line.to_string()).collect();
        let print = hash([rule.as_bytes(), self.uri.as_bytes(), lines.join(",").as_bytes()]);
        let related = places.split_off(1).into_iter().enumerate();
        let related = related.map(|(index, place)| Location { id: numbered.then_some(index + 1), ..place }).collect();
        Finding {
            rule_id: rule,
            level,
            message: Text { text: text.to_owned() },
            locations: places,
            related_locations: related,
            partial_fingerprints: BTreeMap::from([("primaryLocationLineHash".to_owned(), print[..16].to_owned())]),
            code_flows: Vec::new(),
        }
    }
}

fn plain(lines: &Lines<'_>, reason: &Reason, told: Told) -> Finding {
    let own = reason.excerpts.iter().filter(|excerpt| excerpt.file == "kernel.cu");
    let place = |excerpt: &Excerpt| {
        lines.location(excerpt.line, excerpt.column, excerpt.length, &feedback::label(&excerpt.label, told))
    };
    let level = if reason.verdict == Verdict::NotYet { Level::Warning } else { Level::Error };
    lines.finding(id(reason.verdict), level, &feedback::sentence(reason, told), own.map(place).collect(), true)
}

fn race(lines: &Lines<'_>, caught: &Caught, told: Told) -> Option<Finding> {
    let FindingKind::Race { first, second, .. } = &caught.finding.kind else { return None };
    if caught.finding.severity == Severity::Note || Verdict::of(&caught.finding).is_none() {
        return None;
    }
    let side = |access: &Access| {
        let text = format!("{} by {}", access.what, who(&access.place));
        lines.location(access.place.line, None, None, &feedback::label(&text, told))
    };
    let sides = [first, second];
    // The report's words for it, which know names as the source has them.
    let at = |reason: &&Reason| {
        let lines: Vec<u32> = reason.excerpts.iter().map(|excerpt| excerpt.line).collect();
        reason.verdict == Verdict::Race && lines == sides.map(|side| side.place.line)
    };
    let text = lines.places.iter().find(at).map(|reason| feedback::sentence(reason, told));
    let text = text.unwrap_or_else(|| feedback::label(&caught.finding.kind.explain(&as_named).sentence, told));
    let mut finding = lines.finding(id(Verdict::Race), Level::Error, &text, sides.map(side).to_vec(), true);
    // Which thread it is may hang on an input.
    let named = |access: &Access, unnamed: &str| match told {
        Told::Released => who(&access.place),
        Told::Guarded => unnamed.to_owned(),
    };
    let flow = |access: &Access, unnamed: &str| ThreadFlow {
        id: named(access, unnamed),
        locations: vec![FlowLocation { location: side(access) }],
    };
    let flows = vec![flow(first, "one thread"), flow(second, "another thread")];
    finding.code_flows = vec![CodeFlow { thread_flows: flows }];
    Some(finding)
}

/// "block 0 thread 32".
fn who(place: &Place) -> String {
    let index = |[x, y, z]: [u32; 3]| if y == 0 && z == 0 { x.to_string() } else { format!("({x}, {y}, {z})") };
    format!("block {} thread {}", index(place.block), index(place.thread))
}

/// The verdict's stable name.
fn id(verdict: Verdict) -> String {
    let name = serde_json::to_value(verdict).ok();
    name.and_then(|name| name.as_str().map(str::to_owned)).unwrap_or_default()
}

fn rule(id: &str) -> Rule {
    let verdict: Option<Verdict> = serde_json::from_value(id.into()).ok();
    let label = verdict.map_or_else(|| id.to_owned(), |verdict| verdict.label().to_owned());
    let meaning = simulator::finding::FindingName::by_name(id).map(|name| name.meaning().trim().to_owned());
    let text = |text: String| Text { text };
    Rule {
        id: id.to_owned(),
        short_description: text(label.clone()),
        full_description: text(meaning.unwrap_or(label)),
        help: text(
            "`checker` with the exercise's name shows the same with its source, and what to try first.".to_owned(),
        ),
    }
}

/// A path as a reference: what a student called a file may be anything.
fn uri(file: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte);
    let escaped =
        file.bytes().map(|byte| if plain(byte) { (byte as char).to_string() } else { format!("%{byte:02X}") });
    escaped.collect()
}
