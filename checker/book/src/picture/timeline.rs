//! Warps along time: what the warps of one scheduler do in each cycle, and what they wait for. A model: the compiler's control
//! fields say when an instruction may issue and which scoreboards it waits for; measured latencies say when those are released.
//! Caches and bandwidth are left out. A kernel with a branch that is no innermost loop is refused: which side runs is not known here.

use anyhow::{Result, bail};
use draw::{Anchor, Ink, WIDTH, number};
use sass::opcode::{Access, Space};
use sass::{Family, Instruction, Kernel, flow, stats};

/// Cycles until a result is there, on an H200: the first column of book/results/nvidia-h200/tables/distance.json, rounded; a unit is
/// the one of `MUFU`.
const SHARED: u64 = 23;
const L1: u64 = 34;
const L2: u64 = 304;
const DRAM: u64 = 667;
const UNIT: u64 = 17;
/// Until an instruction has read its sources, where it says when.
const READ: u64 = 12;
/// Longest run that is followed.
const CYCLES: u64 = 20_000;

/// What a warp does in a cycle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum State {
    /// An instruction of it is issued.
    Issues,
    /// It could issue, and another warp did.
    Ready,
    /// Its last instruction's stall count is not over.
    Stalls,
    /// For global or local memory.
    Memory,
    /// For shared memory or a unit with a scoreboard.
    Near,
    /// For the other warps of its block.
    Barrier,
    /// It has ended.
    Done,
}

/// States with their class and words, as the legend lists them.
const LEGEND: [(State, &str, &str); 6] = [
    (State::Issues, "busy", "issues"),
    (State::Ready, "ready", "could issue"),
    (State::Stalls, "stall", "stall count"),
    (State::Memory, "late", "global memory"),
    (State::Near, "near", "shared memory, units"),
    (State::Barrier, "barrier", "barrier"),
];

/// A run of the model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Timeline {
    /// State by warp and cycle.
    pub warps: Vec<Vec<State>>,
}

/// What the model is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Question {
    /// Warps of the scheduler.
    pub warps: usize,
    /// Turns of the innermost loop.
    pub turns: usize,
    /// Cycles that a load from global memory takes.
    pub memory: u64,
}

/// `memory=dram`.
pub fn latency(name: &str) -> Result<u64> {
    Ok(match name {
        "l1" => L1,
        "l2" => L2,
        "dram" => DRAM,
        other => bail!("memory={other}: expected l1, l2 or dram"),
    })
}

struct Warp {
    at: usize,
    free: u64,
    /// When each scoreboard is released, and what it stands for.
    boards: [(u64, State); 6],
    at_barrier: bool,
}

impl Warp {
    fn state(&self, path: &[&Instruction], cycle: u64) -> State {
        let Some(next) = path.get(self.at) else { return State::Done };
        if self.at_barrier {
            return State::Barrier;
        }
        if self.free > cycle {
            return State::Stalls;
        }
        let waits =
            self.boards.iter().enumerate().filter(|(n, (until, _))| {
                next.control.waits_for(u8::try_from(*n).unwrap_or_default()) && *until > cycle
            });
        waits.max_by_key(|(_, (until, _))| *until).map_or(State::Ready, |(_, (_, what))| *what)
    }
}

impl Timeline {
    /// Follows the warps, all of which start together.
    ///
    /// # Errors
    /// It does not end, or goes two ways.
    pub fn of(kernel: &Kernel, question: Question) -> Result<Self> {
        let path = path(kernel, question.turns)?;
        let fresh = || Warp { at: 0, free: 0, boards: [(0, State::Near); 6], at_barrier: false };
        let mut warps: Vec<Warp> = (0..question.warps).map(|_| fresh()).collect();
        let mut out = vec![Vec::new(); question.warps];
        let mut last = 0;
        for cycle in 0.. {
            if cycle > CYCLES {
                bail!("the model does not end within {CYCLES} cycles: ask for fewer turns=");
            }
            if warps.iter().all(|warp| warp.at_barrier || warp.at >= path.len()) {
                warps.iter_mut().for_each(|warp| warp.at_barrier = false);
            }
            let states: Vec<State> = warps.iter().map(|warp| warp.state(&path, cycle)).collect();
            if states.iter().all(|state| *state == State::Done) {
                break;
            }
            // Greedy, then the youngest.
            let ready = |index: usize| states[index] == State::Ready;
            let chosen = if ready(last) { Some(last) } else { (0..warps.len()).rev().find(|index| ready(*index)) };
            for (index, state) in states.iter().enumerate() {
                out[index].push(if chosen == Some(index) { State::Issues } else { *state });
            }
            if let Some(index) = chosen {
                last = index;
                let next = path[warps[index].at];
                issue(&mut warps[index], next, cycle, question.memory);
            }
        }
        Ok(Self { warps: out })
    }

    /// Cycles in all.
    pub fn cycles(&self) -> usize {
        self.warps.first().map_or(0, Vec::len)
    }

    /// Cycles in which an instruction is issued.
    pub fn issued(&self) -> usize {
        self.warps.iter().flatten().filter(|state| **state == State::Issues).count()
    }

    /// Share of the cycles in which the scheduler issues, in percent.
    pub fn used(&self) -> f64 {
        100.0 * self.issued() as f64 / self.cycles().max(1) as f64
    }

    /// In words.
    pub fn words(&self) -> String {
        let all: usize = self.warps.iter().flatten().filter(|state| **state != State::Done).count();
        let share = |wanted: State| {
            let count = self.warps.iter().flatten().filter(|state| **state == wanted).count();
            100.0 * count as f64 / all.max(1) as f64
        };
        let each: Vec<String> = LEGEND
            .iter()
            .filter(|(state, _, _)| share(*state) > 0.0)
            .map(|(state, _, words)| format!("{words} {:.0} %", share(*state)))
            .collect();
        format!(
            "{} of one scheduler, {} instructions in {} cycles: it issues in {:.0} % of them. Of the warps' time: {}.",
            if self.warps.len() == 1 { "1 warp".into() } else { format!("{} warps", self.warps.len()) },
            number(self.issued() as f64),
            number(self.cycles() as f64),
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
        let each = self.cycles().div_ceil(columns).max(1);
        let wide = width * each as f64 / self.cycles().max(1) as f64;
        let mut ink = Ink::default();
        ink.text("quiet", (4.0, 14.0), Anchor::Start, "warp");
        ink.text("quiet", (LEFT + width, 14.0), Anchor::End, &format!("{} cycles", number(self.cycles() as f64)));
        let mut at = 22.0;
        for (index, states) in self.warps.iter().enumerate() {
            ink.text("quiet", (4.0, at + 13.0), Anchor::Start, &index.to_string());
            let shown: Vec<State> = states.chunks(each).map(most).collect();
            let mut column = 0;
            while column < shown.len() {
                let state = shown[column];
                let end = (column..shown.len()).find(|other| shown[*other] != state).unwrap_or(shown.len());
                if let Some((_, class, _)) = LEGEND.iter().find(|(known, _, _)| *known == state) {
                    let x = LEFT + column as f64 * wide;
                    let long = ((end - column) as f64 * wide).min(LEFT + width - x);
                    // What waits is thin, what works is not.
                    let tall = if state == State::Issues { ROW - 4.0 } else { 6.0 };
                    ink.rect(class, (x, at + (ROW - 4.0 - tall) / 2.0), (long, tall));
                }
                column = end;
            }
            at += ROW;
        }
        let (mut x, mut y) = (4.0, at + 20.0);
        for (state, class, words) in LEGEND {
            if self.warps.iter().flatten().any(|seen| *seen == state) {
                if x + 30.0 + 5.9 * words.len() as f64 > WIDTH {
                    (x, y) = (4.0, y + 18.0);
                }
                x = ink.key(class, (x, y), words);
            }
        }
        ink.finish(id, y + 10.0, title, &self.words())
    }
}

fn issue(warp: &mut Warp, instruction: &Instruction, cycle: u64, memory: u64) {
    let control = instruction.control;
    warp.at += 1;
    warp.free = cycle + u64::from(control.stall.max(1));
    warp.at_barrier = instruction.opcode.mnemonic() == "BAR";
    let (what, latency) = takes(instruction, memory);
    if let Some(board) = control.write_barrier {
        let known = &mut warp.boards[usize::from(board).min(5)];
        *known = (*known).max((cycle + latency, what));
    }
    if let Some(board) = control.read_barrier {
        let known = &mut warp.boards[usize::from(board).min(5)];
        *known = (*known).max((cycle + READ, what));
    }
}

/// How long until its result is there, and what those who need it wait for.
fn takes(instruction: &Instruction, memory: u64) -> (State, u64) {
    match stats::family(instruction) {
        Family::Memory(Space::Global | Space::Generic, Access::Atomic) => (State::Memory, memory.max(L2)),
        Family::Memory(Space::Global | Space::Generic | Space::Texture | Space::Surface, _) => (State::Memory, memory),
        Family::Memory(Space::Local, _) => (State::Memory, L1),
        Family::Memory(_, _) => (State::Near, SHARED),
        _ => (State::Near, UNIT),
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
    if matches!(instruction.opcode.mnemonic(), "BRA" | "BRX" | "JMP" | "JMX" | "CALL") {
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
        let one = Timeline::of(&kernel, Question { warps: 1, turns: 1, memory: DRAM }).unwrap();
        // The load in cycle 0, its result in cycle 667, three more of stall, EXIT in cycle 671.
        assert_eq!(one.cycles(), 672);
        assert_eq!(count(&one.warps[0], State::Memory), 666);
        assert_eq!((count(&one.warps[0], State::Stalls), one.issued()), (3, 3));
        let four = Timeline::of(&kernel, Question { warps: 4, turns: 1, memory: DRAM }).unwrap();
        // They wait side by side.
        assert_eq!(four.issued(), 12);
        assert!(four.cycles() < 690, "{}", four.cycles());
        let words = four.words();
        assert!(words.starts_with("4 warps of one scheduler, 12 instructions in"), "{words}");
        assert!(words.contains("global memory 98 %") || words.contains("global memory 99 %"), "{words}");
    }

    #[test]
    fn only_one_warp_issues_in_a_cycle_and_barriers_gather_all() {
        let kernel = kernel(vec![
            instruction("FADD", 1, None, 0),
            instruction("LDS", 1, Some(2), 0),
            instruction("BAR.SYNC", 1, None, 0),
            instruction("FADD", 1, None, 1 << 2),
            instruction("EXIT", 1, None, 0),
        ]);
        let three = Timeline::of(&kernel, Question { warps: 3, turns: 1, memory: DRAM }).unwrap();
        for cycle in 0..three.cycles() {
            assert!(three.warps.iter().filter(|states| states[cycle] == State::Issues).count() <= 1);
        }
        let waited = |state| three.warps.iter().map(|states| count(states, state)).sum::<usize>();
        assert_eq!(three.issued(), 15);
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
        let refused = Timeline::of(&kernel, Question { warps: 1, turns: 1, memory: DRAM }).unwrap_err().to_string();
        assert!(refused.starts_with("`BRA` at 0x0010 of `k`"), "{refused}");
    }
}
