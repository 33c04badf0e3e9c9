//! The plain listing, in the manner of nvdisasm.

use super::{guard, style};
use crate::{
    Kernel, Module,
    instruction::{Instruction, SourceLine},
};
use console::Style;
use std::fmt::Write;

/// What a listing shows besides the code.
#[derive(Debug, Clone, Copy, Default)]
pub struct ListingOptions<'a> {
    /// Control fields and live registers in front of each instruction.
    pub control: bool,
    /// Source lines above the instructions they became.
    pub lines: bool,
    /// The kernel file's text, for `lines`.
    pub source: Option<&'a str>,
    /// ANSI colours.
    pub colour: bool,
}

/// A kernel as text: a heading, then labels and instructions up to the padding.
pub fn listing(module: &Module, kernel: &Kernel, options: ListingOptions) -> String {
    let dim = Style::new().force_styling(options.colour).dim();
    let bold = Style::new().force_styling(options.colour).bold();
    let mut out = heading(module, kernel, &bold, &dim);
    let _ = writeln!(out, "{}:", kernel.name);
    if options.control {
        let _ = writeln!(out, "{}", dim.apply_to("    // wait mask : read : write scoreboard : yield : stall"));
    }
    let code = kernel.code();
    let wanted: std::collections::HashSet<&str> = code.iter().flat_map(Instruction::targets).collect();
    let shown = kernel.labels.iter().filter(|l| l.function || wanted.contains(l.name.as_str()));
    let mut labels = shown.peekable();
    let mut source = None;
    for i in code {
        while let Some(l) = labels.next_if(|l| l.address <= i.address) {
            let _ = writeln!(out, "{}", bold.apply_to(format!("{}:", l.name)));
        }
        if options.lines && i.source != source {
            source = i.source;
            if let Some(place) = source {
                let line = source_line(module, place, options.source);
                let _ = writeln!(out, "{}", dim.apply_to(system::text::line(&line)));
            }
        }
        let _ = writeln!(out, "{}", instruction(i, options, &dim));
    }
    out
}

fn heading(module: &Module, kernel: &Kernel, bold: &Style, dim: &Style) -> String {
    let r = &kernel.resources;
    let mut facts = format!("{}, {} instructions", module.target, kernel.code().len());
    if kernel.entry {
        let _ = write!(facts, ", {} registers", r.registers);
    }
    for (bytes, what) in [(r.stack, "bytes of stack"), (r.shared, "bytes of shared memory")] {
        if bytes > 0 {
            let _ = write!(facts, ", {bytes} {what}");
        }
    }
    if r.spills() > 0 {
        let _ = write!(facts, ", {} spill stores, {} spill loads", r.spill_stores, r.spill_loads);
    }
    format!("// {}\n{}\n", bold.apply_to(&kernel.demangled), dim.apply_to(format!("// {facts}")))
}

/// `    // kernel.cu:6  c[i] = a[i] + b[i];`
fn source_line(module: &Module, place: SourceLine, source: Option<&str>) -> String {
    let file = module.files.get(place.file).map_or("?", |f| f.rsplit('/').next().unwrap_or(f));
    // The text is that of the file compiled, which comes first in the line table if it holds a kernel at all.
    let text = source.filter(|_| place.file == 0).and_then(|s| s.lines().nth(place.line.saturating_sub(1) as usize));
    format!("    // {file}:{}  {}", place.line, text.unwrap_or("").trim()).trim_end().to_owned()
}

fn instruction(i: &Instruction, options: ListingOptions, dim: &Style) -> String {
    let mut line = String::from("    ");
    if options.control {
        let live = i.live.map_or(String::new(), |l| format!("{:>4} live  ", l.registers));
        let _ = write!(line, "{}  {}", dim.apply_to(i.control), dim.apply_to(live));
    }
    let _ = write!(line, "{}", dim.apply_to(format!("/*{:04x}*/", i.address)));
    let _ = write!(line, " {:>5} ", guard(i));
    let _ = write!(line, "{} ;", style(i, options.colour).apply_to(&i.text));
    if i.is_spill() {
        let _ = write!(line, "  {}", dim.apply_to("// spill"));
    }
    line
}
