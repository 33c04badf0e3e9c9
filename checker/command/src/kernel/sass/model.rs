//! `checker sass --model`: a turn of each innermost loop cycle by cycle, one warp alone.

use ::model::chain::{Waits, Why};
use ::model::timeline::{State, Turn};
use ::model::{Device, Op, ops};
use sass::{Instruction, Kernel, Module, flow};
use serde::Serialize;
use std::fmt::Write as _;
use system::text;

/// Where the loop's loads from global memory find what they ask for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum Memory {
    /// In the L1 cache.
    L1,
    /// In the L2 cache.
    L2,
    /// In memory.
    #[default]
    Dram,
}

impl Memory {
    /// Waits of a warp that nobody is in the way of.
    pub fn waits(self, device: &Device) -> Waits {
        let latency = &device.latency;
        let global = match self {
            Self::L1 => latency.l1,
            Self::L2 => latency.l2,
            Self::Dram => latency.dram,
        };
        Waits { global, local: latency.l1, atomic: latency.atomic, ..Waits::default() }
    }
}

/// A loop of a kernel.
pub struct Looped<'k> {
    body: Vec<&'k Instruction>,
    turn: Turn,
    /// A jump inside it, which is taken for one that nobody takes.
    jump: Option<&'k Instruction>,
}

#[derive(Serialize)]
pub struct TurnDocument {
    from: u64,
    to: u64,
    cycles: f64,
    steps: Vec<StepDocument>,
}

#[derive(Serialize)]
struct StepDocument {
    address: u64,
    cycle: f64,
    waited: f64,
    #[serde(rename = "for")]
    why: &'static str,
    of: Option<u64>,
}

impl<'k> Looped<'k> {
    /// The innermost loops.
    pub fn all(kernel: &'k Kernel, device: &Device, memory: Memory) -> Vec<Self> {
        let waits = memory.waits(device);
        let one = |found: &flow::Loop| {
            let body: Vec<&Instruction> = found.body.iter().map(|at| &kernel.instructions[*at]).collect();
            let code: Vec<Instruction> = body.iter().map(|instruction| (*instruction).clone()).collect();
            let turns: Vec<Op> = ops(&code);
            let jump = body.split_last().and_then(|(_, before)| before.iter().find(|i| flow::jumps(i)).copied());
            Self { turn: Turn::of(&turns, device, &waits), body, jump }
        };
        flow::loops(kernel).iter().filter(|found| found.innermost).map(one).collect()
    }

    /// For `--json`.
    pub fn document(&self) -> TurnDocument {
        let address = |at: usize| self.body[at].address;
        let steps = self.body.iter().zip(&self.turn.steps).map(|(instruction, step)| StepDocument {
            address: instruction.address,
            cycle: step.at,
            waited: step.waited,
            why: if step.waited > 0.0 { State::of(step.why).words() } else { "" },
            of: step.of.map(address),
        });
        TurnDocument {
            from: self.body.first().map_or(0, |first| first.address),
            to: self.body.last().map_or(0, |last| last.address),
            cycles: self.turn.cycles,
            steps: steps.collect(),
        }
    }

    fn write_text(&self, out: &mut String, device: &Device) {
        let ends = [self.body.first(), self.body.last()].map(|end| end.map_or(0, |end| end.address));
        let lines: Vec<u32> = self.body.iter().filter_map(|i| Some(i.source?.line)).collect();
        let place = match (lines.iter().min(), lines.iter().max()) {
            (Some(from), Some(to)) if from == to => format!(", line {from}"),
            (Some(from), Some(to)) => format!(", lines {from} to {to}"),
            _ => String::new(),
        };
        let _ = writeln!(
            out,
            "loop from {:#06x} to {:#06x}{place}: {} cycles a turn for one warp alone, modelled for an {}",
            ends[0],
            ends[1],
            number(self.turn.cycles),
            device.short_name()
        );
        let part = |(state, cycles): &(State, f64)| match state {
            State::Issues => format!("{} issue", number(*cycles)),
            State::Stalls => format!("{} wait for the stall count", number(*cycles)),
            other => format!("{} wait for {}", number(*cycles), other.words()),
        };
        let parts: Vec<String> = self.turn.parts().iter().map(part).collect();
        let _ = writeln!(out, "  of these {}", parts.join(", "));
        if let Some(jump) = self.jump {
            let _ = writeln!(out, "  as if {:#06x} `{}` were never taken", jump.address, plain(jump));
        }
        for (at, (instruction, step)) in self.body.iter().zip(&self.turn.steps).enumerate() {
            let _ = write!(
                out,
                "  {:>7} {}  {:04x} {}",
                number(step.at),
                self.bar(at),
                instruction.address,
                plain(instruction)
            );
            if let (Why::Unit(_), true) = (step.why, step.waited > 0.0) {
                let _ = write!(out, "   waited {} for {}", number(step.waited), State::of(step.why).words());
                if let Some(of) = step.of {
                    let _ = write!(out, ", {:04x}", self.body[of].address);
                }
            }
            out.push('\n');
        }
    }

    /// A row of the picture: from the cycle in which the warp could go on, but for what it waits for, to the issue.
    fn bar(&self, at: usize) -> String {
        const CELLS: usize = 40;
        let all = self.turn.cycles.max(1.0);
        let cell = |cycle: f64| ((cycle / all * CELLS as f64) as usize).min(CELLS - 1);
        let step = &self.turn.steps[at];
        let end = cell(step.at);
        let begin = if step.waited > 0.0 { cell((step.at - step.waited).max(0.0)) } else { end };
        (0..CELLS)
            .map(|column| match column {
                _ if column == end => '#',
                _ if (begin..end).contains(&column) => '-',
                _ => '.',
            })
            .collect()
    }
}

/// All innermost loops of a kernel in words.
pub fn told(module: &Module, kernel: &Kernel, device: &Device, memory: Memory) -> String {
    let mut out = format!("// {}\n", kernel.demangled);
    if module.target != device.arch {
        let _ =
            writeln!(out, "not modelled: the machine code is {}'s, and the model knows {}", module.target, device.arch);
        return out;
    }
    let loops = Looped::all(kernel, device, memory);
    if loops.is_empty() {
        out.push_str("it has no loop\n");
    }
    for (at, found) in loops.iter().enumerate() {
        if at > 0 {
            out.push('\n');
        }
        found.write_text(&mut out, device);
    }
    out
}

fn plain(instruction: &Instruction) -> String {
    let text = format!("{} {}", sass::render::guard(instruction), instruction.text);
    text::line(text.trim()).into_owned()
}

fn number(cycles: f64) -> String {
    if (cycles - cycles.round()).abs() < 0.005 { format!("{cycles:.0}") } else { format!("{cycles:.1}") }
}
