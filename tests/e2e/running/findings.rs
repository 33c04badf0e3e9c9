//! What the simulator's checks find: kernels that are right must pass every schedule without a finding, wrong ones must
//! be found out on the first schedule, at the marked lines. Each in one of the dialects of PTX; with `WARPBOOK_LONG=1` in both.
//!
//! `tests/fixtures/checks/{right,wrong}/*.cu`: a line that a finding must name ends with `// FIND KIND`, one that it may
//! name with `// FIND KIND?`; of a race each side is a line. `//! arch sm_80` is the oldest architecture that the file
//! compiles for, `//! not pre-volta` says that it does not end in lockstep, `//! any order` that
//! its outputs depend on the order and are right all the same.

use crate::support::{checker, repository};
use rayon::prelude::*;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

const ITS: &str = "its";
const MANY: &str = "its,adversarial:0,adversarial:1,adversarial:5,adversarial:7,adversarial:12,adversarial:31";

fn files(folder: &str) -> Vec<PathBuf> {
    let folder = repository().join("tests/fixtures/checks").join(folder);
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder).expect("the fixtures").map(|entry| entry.expect("an entry").path()).collect();
    files.sort();
    files
}

fn number(arch: &str) -> u32 {
    arch.trim_start_matches("sm_").parse().expect("sm_NN")
}

/// What the file's marks say: kind and line, and whether it must be found.
fn marks(text: &str) -> BTreeMap<(String, u64), bool> {
    let mut marks = BTreeMap::new();
    for (line, text) in (1..).zip(text.lines()) {
        let Some((_, kinds)) = text.split_once("// FIND ") else { continue };
        for kind in kinds.split_whitespace() {
            marks.insert((kind.trim_end_matches('?').to_owned(), line), !kind.ends_with('?'));
        }
    }
    marks
}

/// The places that a finding names.
fn places(finding: &Value) -> Vec<u64> {
    let line = |place: &Value| place["line"].as_u64().unwrap_or(0);
    if finding["kind"] == "race" {
        ["first", "second"].iter().map(|side| line(&finding[*side]["place"])).collect()
    } else {
        vec![line(&finding["place"])]
    }
}

/// What does not fit the marks, a line each.
fn judge(path: &Path, arch: &str) -> Vec<String> {
    let text = std::fs::read_to_string(path).expect("a fixture");
    let marks = marks(&text);
    let oldest = text.lines().find_map(|line| line.strip_prefix("//! arch ")).unwrap_or("sm_75");
    let arch = if number(oldest) > number(arch) { oldest } else { arch };
    let mut schedules = if marks.is_empty() { MANY.to_owned() } else { ITS.to_owned() };
    if marks.is_empty() && !text.contains("//! not pre-volta") {
        schedules.push_str(",pre-volta");
    }
    // Which of several right results comes out is then nobody's business.
    let check = if text.contains("//! any order") { "memory,races,uninitialised,barriers" } else { "all" };
    let args = ["--json", "--check", check, "--seed", "7", "--steps", "3000000", "--backend", "sim", "--arch", arch];
    let ran = checker().arg("run").arg(path).args(args).args(["--schedule", &schedules]).output().expect("it starts");
    let name = path.file_name().expect("a file").to_string_lossy().into_owned();
    let Ok(report) = serde_json::from_slice::<Value>(&ran.stdout) else {
        return vec![format!("{name} {arch}: {ran:?}")];
    };
    let mut wrong = Vec::new();
    let mut seen = BTreeSet::new();
    let findings = report["findings"].as_array().cloned().unwrap_or_default();
    if findings.is_empty() && report["verdict"] != "finished" {
        wrong.push(format!("{name} {arch}: {} {}", report["verdict"], report["reasons"]));
    }
    for finding in findings.iter().filter(|finding| finding["severity"] != "note") {
        let kind = finding["kind"].as_str().unwrap_or_default().to_owned();
        for line in places(finding) {
            if !marks.contains_key(&(kind.clone(), line)) {
                wrong.push(format!("{name} {arch}: {kind} in line {line} under {}", finding["schedule"]));
            }
        }
        seen.insert(kind);
    }
    for ((kind, line), must) in &marks {
        if *must && !seen.contains(kind) {
            wrong.push(format!("{name} {arch}: no {kind}, expected in line {line}"));
        }
    }
    wrong
}

/// An older and a newer dialect.
const DIALECTS: [&str; 2] = ["sm_75", "sm_100"];

fn all(folder: &str) {
    let files = files(folder);
    assert!(files.len() >= 40, "{} fixtures", files.len());
    let both = crate::support::long();
    let one = |(at, file): (usize, &PathBuf)| -> Vec<String> {
        let dialects = DIALECTS.iter().enumerate().filter(|(index, _)| both || at % DIALECTS.len() == *index);
        dialects.flat_map(|(_, arch)| judge(file, arch)).collect()
    };
    let wrong: Vec<String> = files.par_iter().enumerate().flat_map_iter(one).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn right_kernels_have_no_finding() {
    all("right");
}

#[test]
fn wrong_kernels_are_found_out() {
    all("wrong");
}
