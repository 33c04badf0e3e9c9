//! Listings, statistics and diffs as text.

mod diff;
mod listing;
mod stats;

pub use diff::{SideBySide, diff};
pub use listing::{ListingOptions, listing};
pub use stats::{StatsOptions, stats};

use super::{
    instruction::Instruction,
    opcode::{Family, Space},
    stats::family,
};
use console::Style;

/// Colour of an instruction: what costs most stands out.
fn style(i: &Instruction, colour: bool) -> Style {
    let plain = Style::new().force_styling(colour);
    if i.is_spill() {
        return plain.red().bold();
    }
    match family(i) {
        Family::Memory(Space::Local, _) => plain.red(),
        Family::Memory(Space::Global | Space::Generic, _) => plain.cyan(),
        Family::Memory(Space::Shared, _) => plain.magenta(),
        Family::Fp64 => plain.yellow(),
        Family::Tensor => plain.green(),
        Family::Special | Family::Synchronisation => plain.blue(),
        Family::Control => plain.bold(),
        Family::Move => plain.dim(),
        _ => plain,
    }
}

/// `@!P0`, or nothing.
pub fn guard(i: &Instruction) -> String {
    let Some(g) = i.guard else { return String::new() };
    let (not, file) = (if g.negated { "!" } else { "" }, if g.uniform { "UP" } else { "P" });
    match g.index {
        Some(n) => format!("@{not}{file}{n}"),
        None => format!("@{not}{file}T"),
    }
}
