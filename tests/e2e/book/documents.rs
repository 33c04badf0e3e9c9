//! Tables in documents that are made from tables in the code. `INSTA_UPDATE=always` writes them anew.

use crate::support::repository;
use problem::Better;
use problem::metric::FIXED;
use report::Verdict;
use simulator::FindingName;
use simulator::opcodes::{self, Effect};
use std::fs;

/// Holds the lines between `<!-- NAME: ... -->` and `<!-- end -->` of a document against what they have to be.
fn holds(file: &str, name: &str, table: &str) {
    let path = repository().join(file);
    let text = fs::read_to_string(&path).unwrap();
    let start = text.find(&format!("<!-- {name}:")).unwrap_or_else(|| panic!("{file} has no table `{name}`"));
    let start = start + text[start..].find('\n').unwrap() + 1;
    let end = start + text[start..].find("<!-- end -->").unwrap();
    if text[start..end] == *table {
        return;
    }
    if std::env::var("INSTA_UPDATE").as_deref() == Ok("always") {
        fs::write(&path, format!("{}{table}{}", &text[..start], &text[end..])).unwrap();
        return;
    }
    panic!("{file}: the table `{name}` is not the code's; run this test with INSTA_UPDATE=always\n{table}");
}

#[test]
fn findings() {
    let mut table = "| finding | means | verdict |\n|---|---|---|\n".to_owned();
    for &kind in FindingName::ALL {
        let verdict = Verdict::of_kind(kind).map_or("", Verdict::label);
        table += &format!("| `{}` | {} | {verdict} |\n", kind.name(), kind.meaning().trim());
    }
    holds("docs/formats.md", "findings", &table);
}

#[test]
fn metrics() {
    let mut table = "| metric | is | report | better | from | of several |\n|---|---|---|---|---|---|\n".to_owned();
    for row in FIXED {
        let better = match row.better {
            Better::Less => "less",
            Better::More => "more",
            Better::Neither => "",
        };
        table += &format!(
            "| `{}` | {} | {} | {better} | {} | {} |\n",
            row.name,
            row.meaning.trim(),
            row.metric.words(),
            row.source.words(),
            row.statistic.words()
        );
    }
    holds("docs/formats.md", "metrics", &table);
}

#[test]
fn opcodes() {
    let mut table = "| effect | mnemonics |\n|---|---|\n".to_owned();
    for effect in Effect::ALL {
        let names = opcodes::all().filter(|row| row.effect == effect).map(|row| format!("`{}`", row.mnemonic));
        table += &format!("| {} | {} |\n", effect.words(), names.collect::<Vec<_>>().join(" "));
    }
    holds("docs/simulator.md", "opcodes", &table);
}

/// Every exercise whose time is measured either has a goal on the modelled one, too, or docs/model.md says why not; the bound that it
/// states is the goal's.
#[test]
fn every_timed_exercise_has_a_modelled_goal_or_a_reason() {
    let document = fs::read_to_string(repository().join("docs/model.md")).expect("docs/model.md");
    let rows: Vec<Vec<&str>> = document
        .lines()
        .filter(|line| line.starts_with("| ex"))
        .map(|line| line.trim_matches('|').split('|').map(str::trim).collect())
        .collect();
    let mut timed = 0;
    for entry in fs::read_dir(repository().join("exercises")).expect("exercises") {
        let path = entry.expect("an entry").path();
        let Ok(manifest) = fs::read_to_string(path.join("problem.toml")) else { continue };
        if !manifest.contains("metric = \"speedup\"") {
            continue;
        }
        timed += 1;
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
        let row = rows.iter().find(|row| row[0].split(", ").any(|one| one == name));
        let row = row.unwrap_or_else(|| panic!("docs/model.md does not say whether {name} has a modelled goal"));
        let goal = manifest.split_once("metric = \"modelled.speedup\"").map(|(_, rest)| rest);
        let bound = goal.and_then(|rest| rest.lines().find_map(|line| line.strip_prefix("min    = ")));
        assert_eq!(row[1], bound.unwrap_or("none"), "{name} in docs/model.md");
    }
    assert!(timed > 20 && rows.len() > 20, "{timed} exercises, {} rows", rows.len());
}
