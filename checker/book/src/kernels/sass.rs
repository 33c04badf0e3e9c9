//! `{{sass NAME arch=sm_75 kernel=K}}`: both versions' machine code beside each other, by the normalised diff.

use crate::svg::escape;
use anyhow::{Result, bail};
use check::evidence::{MachineCode, machine_code, pairs};
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
        let path = |version: &Version| {
            let path = problem.version_path(version).unwrap_or_default();
            path.strip_prefix(problem.root()).unwrap_or(&path).display().to_string()
        };
        let [baseline, solution] = [Version::Baseline, Version::Solution].map(|version| escape(&path(&version)));
        let _ = write!(
            out,
            "<div class=\"wb-figure\">\n<table class=\"wb-sass\" data-old=\"{baseline}\" data-new=\"{solution}\">\n"
        );
        out.push_str(&Rows { old: &old, new: &new, diff: &diff }.all());
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

/// A diff as rows of a table. What is folded is there, hidden, for a script to unfold.
struct Rows<'a> {
    old: &'a MachineCode,
    new: &'a MachineCode,
    diff: &'a Diff<'a>,
}

impl Rows<'_> {
    fn all(&self) -> String {
        let rows = &self.diff.rows;
        let same: Vec<bool> = rows.iter().map(|row| row.change == Change::Same).collect();
        let mut out = String::new();
        let mut at = 0;
        while at < rows.len() {
            let run = same[at..].iter().take_while(|same| **same).count();
            let lead = if at == 0 { 0 } else { CONTEXT };
            let trail = if at + run == rows.len() { 0 } else { CONTEXT };
            if run >= lead + trail + FOLD {
                (at..at + lead).for_each(|index| self.row(&mut out, index, ""));
                let hidden = run - lead - trail;
                let _ = writeln!(out, "<tr><td class=\"skip\" colspan=\"2\">{hidden} equal</td></tr>");
                (at + lead..at + lead + hidden).for_each(|index| self.row(&mut out, index, " hidden"));
                (at + lead + hidden..at + run).for_each(|index| self.row(&mut out, index, ""));
                at += run;
            } else {
                (at..at + run.max(1)).for_each(|index| self.row(&mut out, index, ""));
                at += run.max(1);
            }
        }
        out
    }

    fn row(&self, out: &mut String, index: usize, hidden: &str) {
        let row = &self.diff.rows[index];
        let (old, new) = match row.change {
            Change::Same => ("", ""),
            Change::Changed => ("gone", "new"),
            Change::Removed => ("gone", ""),
            Change::Added => ("", "new"),
            Change::MovedAway | Change::MovedHere => ("moved", "moved"),
        };
        let _ = writeln!(out, "<tr{hidden}>{}{}</tr>", cell(self.old, row.old, old), cell(self.new, row.new, new));
    }
}

/// What a script says of an instruction, as attributes of its cell.
pub(crate) fn says(instruction: &Instruction) -> String {
    format!(
        " data-says=\"{}\" data-control=\"{}\" data-scheduling=\"{}\"",
        escape(&sass::explain(instruction)),
        instruction.control,
        escape(&sass::scheduling(instruction.control))
    )
}

fn cell(code: &MachineCode, instruction: Option<&Instruction>, class: &str) -> String {
    let Some(instruction) = instruction else { return "<td></td>".to_owned() };
    // Loads and stores are what most of these pages are about.
    let memory = matches!(stats::family(instruction), Family::Memory(..));
    let class = if memory { format!("{class} key") } else { class.to_owned() };
    let line = code.line(instruction).map(|line| format!(" data-line=\"{line}\"")).unwrap_or_default();
    format!(
        "<td class=\"{}\"{line}{}>{}</td>",
        class.trim(),
        says(instruction),
        escape(format!("{:>5} {}", guard(instruction), instruction.text).trim_end())
    )
}
