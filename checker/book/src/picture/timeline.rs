//! Warps along time: what the warps of one scheduler do in each cycle, and what they wait for, as [`model::timeline`] has it. A kernel
//! with a branch that is no innermost loop is refused: which side runs is not known here.

use anyhow::{Context as _, Result, bail};
use draw::{Anchor, Ink, WIDTH, number};
use model::chain::Waits;
use model::timeline::{State, Timeline};
use model::{Device, ops};
use sass::{Instruction, Kernel, flow};

/// Longest run that is followed.
const CYCLES: usize = 20_000;

/// What is asked for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TimelineOptions {
    /// Warps of the scheduler.
    pub warps: usize,
    /// Turns of the innermost loop.
    pub turns: usize,
    /// Cycles that a load from global memory takes.
    pub memory: f64,
}

/// `memory=dram`.
pub fn latency(device: &Device, name: &str) -> Result<f64> {
    Ok(match name {
        "l1" => device.latency.l1,
        "l2" => device.latency.l2,
        "dram" => device.latency.dram,
        other => bail!("memory={other}: expected l1, l2 or dram"),
    })
}

/// A run of the model, to be shown.
pub struct Line(Timeline);

/// How a state is drawn.
fn class(state: State) -> &'static str {
    match state {
        State::Issues => "busy",
        State::Ready => "ready",
        State::Stalls => "stall",
        State::Memory => "late",
        State::Near => "near",
        State::Barrier => "barrier",
        State::Done => "",
    }
}

impl Line {
    /// Follows the warps, all of which start together.
    ///
    /// # Errors
    /// It does not end, or goes two ways.
    pub fn of(kernel: &Kernel, question: TimelineOptions, device: &Device) -> Result<Self> {
        let code: Vec<Instruction> = path(kernel, question.turns)?.into_iter().cloned().collect();
        let atomic = question.memory.max(device.latency.atomic);
        let (local, barrier) = (device.latency.l1, device.latency.barrier);
        let waits = Waits { global: question.memory, local, atomic, barrier, ..Waits::default() };
        let timeline = Timeline::of(&ops(&code), question.warps, CYCLES, device, &waits);
        let too_long = || format!("the model does not end within {CYCLES} cycles: ask for fewer turns=");
        Ok(Self(timeline.with_context(too_long)?))
    }

    /// Share of the cycles in which the scheduler issues, in percent.
    pub fn used(&self) -> f64 {
        100.0 * self.0.issued() as f64 / self.0.cycles().max(1) as f64
    }

    /// In words.
    pub fn words(&self) -> String {
        let all: usize = self.0.warps.iter().flatten().filter(|state| **state != State::Done).count();
        let share = |wanted: State| {
            let count = self.0.warps.iter().flatten().filter(|state| **state == wanted).count();
            100.0 * count as f64 / all.max(1) as f64
        };
        let each: Vec<String> = State::SHOWN
            .iter()
            .filter(|state| share(**state) > 0.0)
            .map(|state| format!("{} {:.0} %", state.words(), share(*state)))
            .collect();
        format!(
            "{} of one scheduler, {} instructions in {} cycles: it issues in {:.0} % of them. Of the warps' time: {}.",
            if self.0.warps.len() == 1 { "1 warp".into() } else { format!("{} warps", self.0.warps.len()) },
            number(self.0.issued() as f64),
            number(self.0.cycles() as f64),
            self.used(),
            each.join(", ")
        )
    }

    /// The picture: a row per warp, time to the right.
    pub fn draw(&self, id: &str, title: &str) -> String {
        const LEFT: f64 = 22.0;
        const ROW: f64 = 20.0;
        let width = WIDTH - LEFT - 6.0;
        // Two pixels each: a column is the state that its cycles have most, but an issue is never left out.
        let columns = (width / 2.0) as usize;
        let each = self.0.cycles().div_ceil(columns).max(1);
        let wide = width * each as f64 / self.0.cycles().max(1) as f64;
        let mut ink = Ink::default();
        ink.text("quiet", (4.0, 14.0), Anchor::Start, "warp");
        ink.text("quiet", (LEFT + width, 14.0), Anchor::End, &format!("{} cycles", number(self.0.cycles() as f64)));
        let mut at = 22.0;
        for (index, states) in self.0.warps.iter().enumerate() {
            ink.text("quiet", (4.0, at + 13.0), Anchor::Start, &index.to_string());
            let shown: Vec<State> = states.chunks(each).map(most).collect();
            let mut column = 0;
            while column < shown.len() {
                let state = shown[column];
                let end = (column..shown.len()).find(|other| shown[*other] != state).unwrap_or(shown.len());
                if state != State::Done {
                    let x = LEFT + column as f64 * wide;
                    let long = ((end - column) as f64 * wide).min(LEFT + width - x);
                    // What waits is thin, what works is not.
                    let tall = if state == State::Issues { ROW - 4.0 } else { 6.0 };
                    ink.rect(class(state), (x, at + (ROW - 4.0 - tall) / 2.0), (long, tall));
                }
                column = end;
            }
            at += ROW;
        }
        let (mut x, mut y) = (4.0, at + 20.0);
        for state in State::SHOWN {
            let words = state.words();
            if self.0.warps.iter().flatten().any(|seen| *seen == state) {
                if x + 30.0 + 5.9 * words.len() as f64 > WIDTH {
                    (x, y) = (4.0, y + 18.0);
                }
                x = ink.key(class(state), (x, y), words);
            }
        }
        ink.finish(id, y + 10.0, title, &self.words())
    }
}

/// The instructions of one warp: straight on, the innermost loop as often as asked.
///
/// # Errors
/// A jump elsewhere.
fn path(kernel: &Kernel, turns: usize) -> Result<Vec<&Instruction>> {
    let end = flow::main_len(kernel);
    let loops = flow::loops(kernel);
    let inner = flow::hottest(&loops).filter(|inner| inner.body.iter().all(|index| *index < end));
    let mut path = Vec::new();
    let mut index = 0;
    while index < end {
        if let Some(inner) = inner.filter(|inner| inner.body.first() == Some(&index)) {
            let mut before_its_end = inner.body.iter().rev().skip(1);
            before_its_end.try_for_each(|index| straight_on(kernel, *index))?;
            for _ in 0..turns {
                path.extend(inner.body.iter().map(|index| &kernel.instructions[*index]));
            }
            index = inner.body.last().map_or(index, |last| *last) + 1;
            continue;
        }
        straight_on(kernel, index)?;
        let instruction = &kernel.instructions[index];
        path.push(instruction);
        if instruction.opcode.mnemonic() == "EXIT" && instruction.guard.is_none() {
            break;
        }
        index += 1;
    }
    Ok(path)
}

/// Is an instruction no jump?
fn straight_on(kernel: &Kernel, index: usize) -> Result<()> {
    let instruction = &kernel.instructions[index];
    if flow::jumps(instruction) {
        bail!(
            "`{}` at {:#06x} of `{}`: the model does not know which way a warp goes; ask for a kernel whose only jump is that of its \
             innermost loop",
            instruction.text.trim_end_matches([' ', ';']),
            instruction.address,
            kernel.short_name()
        );
    }
    Ok(())
}

/// The state of a column.
fn most(states: &[State]) -> State {
    if states.contains(&State::Issues) {
        return State::Issues;
    }
    let count = |state: &State| states.iter().filter(|other| *other == state).count();
    states.iter().max_by_key(|state| count(state)).copied().unwrap_or(State::Done)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sass::Control;
    use sass::opcode::Opcode;

    fn instruction(name: &str, stall: u8, writes: Option<u8>, waits: u8) -> Instruction {
        Instruction {
            address: 0,
            guard: None,
            opcode: Opcode::new(name),
            operands: Vec::new(),
            text: name.into(),
            notes: Vec::new(),
            control: Control { stall, write_barrier: writes, wait_mask: waits, ..Control::default() },
            encoding: [0; 2],
            source: None,
            live: None,
        }
    }

    fn kernel(instructions: Vec<Instruction>) -> Kernel {
        let mut all = instructions;
        for (index, instruction) in all.iter_mut().enumerate() {
            instruction.address = 16 * index as u64;
        }
        Kernel {
            name: "k".into(),
            demangled: "k()".into(),
            entry: true,
            resources: sass::Resources::default(),
            instructions: all,
            labels: Vec::new(),
        }
    }

    fn line(kernel: &Kernel, question: TimelineOptions) -> Result<Line> {
        Line::of(kernel, question, &Device::h200()?)
    }

    fn count(states: &[State], wanted: State) -> usize {
        states.iter().filter(|state| **state == wanted).count()
    }

    #[test]
    fn a_load_is_waited_for_as_long_as_it_takes() {
        let kernel = kernel(vec![
            instruction("LDG.E", 1, Some(0), 0),
            instruction("FADD", 4, None, 1),
            instruction("EXIT", 1, None, 0),
        ]);
        let one = line(&kernel, TimelineOptions { warps: 1, turns: 1, memory: 667.0 }).unwrap();
        // The load in cycle 0, its result in cycle 667, three more of stall, EXIT in cycle 671.
        assert_eq!(one.0.cycles(), 672);
        assert_eq!(count(&one.0.warps[0], State::Memory), 666);
        assert_eq!((count(&one.0.warps[0], State::Stalls), one.0.issued()), (3, 3));
        let four = line(&kernel, TimelineOptions { warps: 4, turns: 1, memory: 667.0 }).unwrap();
        // They wait side by side.
        assert_eq!(four.0.issued(), 12);
        assert!(four.0.cycles() < 690, "{}", four.0.cycles());
        let words = four.words();
        assert!(words.starts_with("4 warps of one scheduler, 12 instructions in"), "{words}");
        assert!(words.contains("global memory 98 %") || words.contains("global memory 99 %"), "{words}");
    }

    #[test]
    fn only_one_warp_issues_in_a_cycle_and_barriers_gather_all() {
        let kernel = kernel(vec![
            instruction("FADD", 1, None, 0),
            instruction("BAR.SYNC", 1, None, 0),
            // Behind it: what a barrier takes itself would hide the load.
            instruction("LDS", 1, Some(2), 0),
            instruction("FADD", 1, None, 1 << 2),
            instruction("EXIT", 1, None, 0),
        ]);
        let three = line(&kernel, TimelineOptions { warps: 3, turns: 1, memory: 667.0 }).unwrap();
        for cycle in 0..three.0.cycles() {
            assert!(three.0.warps.iter().filter(|states| states[cycle] == State::Issues).count() <= 1);
        }
        let waited = |state| three.0.warps.iter().map(|states| count(states, state)).sum::<usize>();
        assert_eq!(three.0.issued(), 15);
        assert!(waited(State::Barrier) > 0 && waited(State::Near) > 0 && waited(State::Memory) == 0);
        let svg = three.draw("l", "t");
        assert!(svg.contains("class=\"barrier\"") && !svg.contains("class=\"late\""));
    }

    #[test]
    fn a_kernel_that_goes_two_ways_is_refused() {
        let kernel = kernel(vec![
            instruction("LDG.E", 1, Some(0), 0),
            instruction("BRA", 5, None, 1),
            instruction("EXIT", 1, None, 0),
        ]);
        let refused =
            line(&kernel, TimelineOptions { warps: 1, turns: 1, memory: 667.0 }).map(|_| ()).unwrap_err().to_string();
        assert!(refused.starts_with("`BRA` at 0x0010 of `k`"), "{refused}");
    }
}
