//! `{{counters}}`: every counter, every quotient and what cannot be known, from the simulator's own tables.

use crate::svg::escape;
use simulator::Counters;
use simulator::counters::{Ratio, Sum, UNKNOWN, Unit};
use std::fmt::Write as _;

/// The three tables.
pub fn tables() -> String {
    let mut out = String::from("| counter | what it counts |\n|---|---|\n");
    for field in Counters::FIELDS {
        let _ = writeln!(out, "| `{}` | {} |", field.name, cell(field.doc));
    }
    out.push_str("\n| sum | formula |\n|---|---|\n");
    for sum in Sum::ALL {
        let _ = writeln!(out, "| `{}` | `{}` |", sum.name(), sum.formula());
    }
    out.push_str("\n| quotient | formula | a profiler's name |\n|---|---|---|\n");
    for ratio in Ratio::ALL {
        let percent = if ratio.unit() == Unit::Number { "" } else { ", in per cent" };
        // The longest names are wider than the column.
        let profiler = ratio.profiler().replace("_per_", "<wbr>_per_");
        let _ = writeln!(out, "| `{}`{percent} | `{}` | {profiler} |", ratio.name(), ratio.formula());
    }
    out.push_str("\n| not counted | why |\n|---|---|\n");
    for unknown in UNKNOWN {
        let _ = writeln!(out, "| {} | {} |", cell(unknown.name), cell(unknown.why));
    }
    out.push('\n');
    out
}

/// Text of a cell: one line, and no bar ends it.
fn cell(text: &str) -> String {
    escape(text.trim()).split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "\\|")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_has_its_cells() {
        let text = tables();
        for row in text.lines().filter(|line| line.starts_with('|')) {
            assert!((3..=4).contains(&row.matches('|').count()), "{row}");
        }
        assert!(text.contains("| `global_load_efficiency`, in per cent | `global_load_bytes / (32 global_load_sectors)` | gld_efficiency |"));
        assert!(text.contains("| IPC"));
    }
}
