//! The model of time: its committed tables are what the command makes, and what it cannot model it says.

use crate::support::{Ran, checker, repository};
use serde_json::Value;

fn json(args: &[&str]) -> Value {
    let ran: Ran = checker().args(args).arg("--json").current_dir(repository()).output().expect("it starts").into();
    assert_eq!(ran.code, Some(0), "{ran:?}");
    serde_json::from_str(&ran.stdout).expect("JSON")
}

/// Some rows of the table of errors, made again: who changes the model, its constants or a kernel makes the tables again
/// (`checker dev model --write book/results/nvidia-h200/tables`).
#[test]
fn the_committed_errors_are_those_of_the_model() {
    let table = repository().join("book/results/nvidia-h200/tables/model-errors.json");
    let table: Value = serde_json::from_slice(&std::fs::read(table).expect("the table")).expect("JSON");
    let rows = table["rows"].as_array().expect("rows");
    let found = json(&["dev", "model", "ex01", "double-literal", "ex32"]);
    let judged = found["judged"].as_array().expect("versions");
    assert_eq!(judged.len(), 6, "{judged:?}");
    for one in judged {
        let name = format!("{} {}", one["problem"].as_str().unwrap_or(""), one["version"].as_str().unwrap_or(""));
        let row = rows.iter().find(|row| row["name"] == name.as_str());
        let row = row.unwrap_or_else(|| panic!("no row `{name}`"));
        let now = one["modelled"]["Ok"]["us"].as_f64();
        let then = row["values"][1].as_f64();
        match (now, then) {
            (Some(now), Some(then)) => {
                assert!((now / then - 1.0).abs() < 0.01, "{name}: {now} us now, {then} committed")
            }
            (None, None) => {
                let why = one["modelled"]["Err"].as_str().unwrap_or_default();
                assert!(why.contains("calls itself"), "{name}: {why}");
            }
            _ => panic!("{name}: {now:?} now, {then:?} committed"),
        }
    }
    assert!(judged.iter().any(|one| one["modelled"]["Err"].is_string()), "nothing was declared unknown");
}
