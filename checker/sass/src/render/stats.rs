//! Statistics as a short table.

use crate::{Kernel, Limits, Module, stats::Stats};
use console::Style;
use std::fmt::Write;

/// What the reader wants to know besides the counts.
#[derive(Debug, Clone, Copy, Default)]
pub struct StatsOptions {
    /// Threads a block, for occupancy; `None` shows several.
    pub block: Option<u32>,
    /// Dynamic shared memory a block in bytes.
    pub shared: u32,
    /// Elements that a thread handles (in a loop: in one turn).
    pub elements: Option<u32>,
}

/// Block sizes whose occupancy is shown when none is asked for.
const BLOCKS: [u32; 5] = [64, 128, 256, 512, 1024];

/// A kernel's statistics as text.
pub fn stats(module: &Module, kernel: &Kernel, stats: &Stats, question: StatsOptions, colour: bool) -> String {
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
        row("stack", format!("{} bytes per thread", r.stack));
        row("spills", format!("{} stores, {} loads", r.spill_stores, r.spill_loads));
        row("shared memory", format!("{} bytes static", r.shared));
        if let Some(threads) = r.max_threads {
            row("launch bound", format!("{threads} threads"));
        }
    }
    row("loads in a row", format!("{} from global memory before the first use", stats.load_run));
    if let Some(elements) = question.elements.filter(|n| *n > 0) {
        row("per element", format!("{:.2} instructions", stats.per_element(f64::from(elements))));
    }
    if kernel.entry {
        row("occupancy", occupancy(module, kernel, question));
    }
    let heading = |out: &mut String, text: &str| {
        let _ = writeln!(out, "  {}", bold.apply_to(text));
    };
    heading(&mut out, "by family");
    for c in &stats.families {
        let _ = writeln!(out, "    {:<20}{:>6}", c.of, c.count);
    }
    if !stats.memory.is_empty() {
        heading(&mut out, "memory, bits per thread");
        for c in &stats.memory {
            let kind = crate::Family::Memory(c.of.space, c.of.access);
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

/// `256 threads a block: 8 blocks, 64 of 64 warps (100 %), limited by warps`, a line a block size.
fn occupancy(module: &Module, kernel: &Kernel, question: StatsOptions) -> String {
    let Some(limits) = Limits::of(module.sm()) else {
        return format!("unknown: the limits of {} are not published", module.target);
    };
    let one;
    let blocks: &[u32] = match question.block {
        Some(block) => {
            one = [block];
            &one
        }
        None => &BLOCKS,
    };
    let lines: Vec<String> = blocks
        .iter()
        .map(|&threads| {
            let o = kernel.occupancy(&limits, threads, question.shared);
            let limiters: Vec<String> = o.limiters.iter().map(ToString::to_string).collect();
            format!(
                "{threads:>4} threads a block: {:>2} blocks, {:>2} of {} warps ({:.0} %), limited by {}",
                o.active_blocks,
                o.active_warps,
                o.max_warps,
                100.0 * o.fraction,
                limiters.join(", ")
            )
        })
        .collect();
    lines.join(&format!("\n{:24}", ""))
}
