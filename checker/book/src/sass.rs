//! `{{sass NAME arch=sm_75 kernel=K}}`: both versions' machine code beside each other, by the normalised diff.

use super::svg::escape;
use anyhow::{Result, bail};
use check::evidence::{machine_code, pairs};
use compiler::toolchain::Toolchain;
use problem::{Problem, Version};
use sass::diff::{Change, Diff, diff, summary};
use sass::render::guard;
use sass::{Family, Instruction, stats};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Equal rows kept around a difference.
const CONTEXT: usize = 2;
/// Shorter runs of equal rows are shown rather than folded.
const FOLD: usize = 4;

pub fn block(toolchain: &Toolchain, problem: &Problem, settings: &BTreeMap<String, String>) -> Result<String> {
    let arch = settings.get("arch").map_or(problem.manifest.arch.as_str(), String::as_str);
    let old = machine_code(toolchain, problem, &Version::Baseline, Some(arch))?;
    let new = machine_code(toolchain, problem, &Version::Solution, Some(arch))?;
    let all = pairs(&old, &new);
    let chosen: Vec<_> = match settings.get("kernel") {
        Some(name) => all.iter().filter(|(a, _)| a.short_name() == name.as_str()).collect(),
        None => all.iter().collect(),
    };
    if chosen.is_empty() {
        let known: Vec<&str> = all.iter().map(|(a, _)| a.short_name()).collect();
        bail!("no such kernel is launched by both versions; there are: {}", known.join(", "));
    }
    let mut out = String::new();
    for (a, b) in chosen {
        let diff = diff(a, b);
        out.push_str("<div class=\"wb-figure\">\n<table class=\"wb-sass\">\n");
        out.push_str(&rows(&diff));
        let totals = summary(&diff.totals);
        let _ = write!(
            out,
            "</table>\n<p class=\"wb-caption\">{}: naive left, optimised right; {arch}, {}. {}</p>\n</div>\n\n",
            escape(a.short_name()),
            escape(new.compiler()),
            escape(&totals)
        );
    }
    Ok(out)
}

fn rows(diff: &Diff<'_>) -> String {
    let same: Vec<bool> = diff.rows.iter().map(|row| row.change == Change::Same).collect();
    let mut out = String::new();
    let mut at = 0;
    while at < diff.rows.len() {
        let run = same[at..].iter().take_while(|same| **same).count();
        let lead = if at == 0 { 0 } else { CONTEXT };
        let trail = if at + run == diff.rows.len() { 0 } else { CONTEXT };
        if run >= lead + trail + FOLD {
            (at..at + lead).for_each(|index| row(&mut out, diff, index));
            let hidden = run - lead - trail;
            let _ = writeln!(out, "<tr><td class=\"skip\" colspan=\"2\">{hidden} equal</td></tr>");
            (at + lead + hidden..at + run).for_each(|index| row(&mut out, diff, index));
            at += run;
        } else {
            (at..at + run.max(1)).for_each(|index| row(&mut out, diff, index));
            at += run.max(1);
        }
    }
    out
}

fn row(out: &mut String, diff: &Diff<'_>, index: usize) {
    let row = &diff.rows[index];
    let (old, new) = match row.change {
        Change::Same => ("", ""),
        Change::Changed => ("gone", "new"),
        Change::Removed => ("gone", ""),
        Change::Added => ("", "new"),
        Change::MovedAway | Change::MovedHere => ("moved", "moved"),
    };
    let _ = writeln!(out, "<tr>{}{}</tr>", cell(row.old, old), cell(row.new, new));
}

fn cell(instruction: Option<&Instruction>, class: &str) -> String {
    let Some(instruction) = instruction else { return "<td></td>".to_owned() };
    // Loads and stores are what most of these pages are about.
    let memory = matches!(stats::family(instruction), Family::Memory(..));
    let class = if memory { format!("{class} key") } else { class.to_owned() };
    format!(
        "<td class=\"{}\">{}</td>",
        class.trim(),
        escape(format!("{:>5} {}", guard(instruction), instruction.text).trim_end())
    )
}
