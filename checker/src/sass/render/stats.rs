//! Statistics as a short table.

use crate::sass::{Kernel, Module, stats::Stats};
use console::Style;
use std::fmt::Write;

/// A kernel's statistics as text.
pub fn stats(module: &Module, kernel: &Kernel, stats: &Stats, colour: bool) -> String {
    let bold = Style::new().force_styling(colour).bold();
    let r = &kernel.resources;
    let mut out = format!("{}  {}\n", bold.apply_to(&kernel.demangled), module.target);
    let mut row = |name: &str, value: String| {
        let _ = writeln!(out, "  {name:<22}{value}");
    };
    row(
        "instructions",
        match stats.disguised_moves {
            0 => stats.instructions.to_string(),
            n => format!("{} ({n} of them moves written as arithmetic)", stats.instructions),
        },
    );
    if kernel.entry {
        let live = stats.live_registers.map_or(String::new(), |n| format!(" (at most {n} alive at once)"));
        row("registers", format!("{}{live}", r.registers));
        row("stack", format!("{} bytes a thread", r.stack));
        row("spills", format!("{} stores, {} loads", r.spill_stores, r.spill_loads));
        row("shared memory", format!("{} bytes static", r.shared));
        if let Some(threads) = r.max_threads {
            row("launch bound", format!("{threads} threads"));
        }
    }
    row("loads in a row", format!("{} from global memory before the first use", stats.load_run));
    let heading = |out: &mut String, text: &str| {
        let _ = writeln!(out, "  {}", bold.apply_to(text));
    };
    heading(&mut out, "by family");
    for c in &stats.families {
        let _ = writeln!(out, "    {:<20}{:>6}", c.of, c.count);
    }
    if !stats.memory.is_empty() {
        heading(&mut out, "memory, bits a thread");
        for c in &stats.memory {
            let kind = crate::sass::Family::Memory(c.of.space, c.of.access);
            let _ = writeln!(out, "    {kind:<14}{:>6}{:>6}", c.of.width, c.count);
        }
    }
    heading(&mut out, "by opcode");
    for c in &stats.opcodes {
        let _ = writeln!(out, "    {:<20}{:>6}", c.of.as_str(), c.count);
    }
    if !stats.loops.is_empty() {
        heading(&mut out, "loops");
        for l in &stats.loops {
            let indent = "  ".repeat(l.depth as usize);
            let place = l.source.map_or(String::new(), |s| format!("  line {}", s.line));
            let mark = if l.hottest { "  (hottest)" } else { "" };
            let kinds: Vec<String> = l.families.iter().take(5).map(|c| format!("{} {}", c.count, c.of)).collect();
            let _ = writeln!(
                out,
                "  {indent}/*{:04x}*/{place}  {} instructions{mark}: {}",
                l.address,
                l.instructions,
                kinds.join(", ")
            );
        }
    }
    out
}
