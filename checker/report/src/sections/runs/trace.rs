//! Traces as text: a row a step, a column a lane.

use crate::lines::shorten;
use crate::model::{Report, Traced};
use crate::{Face, Pen, Tone, pad};
use simulator::trace::{Step, TracedWarp};

/// Columns of text at most.
const WIDEST: usize = 100;

/// What a lane does during a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lane {
    /// It executes.
    Runs,
    /// It is there, but the guards of all instructions were false.
    Off,
    /// It waits for others of its warp or block.
    Waits,
    /// It could run, and another group was chosen.
    Elsewhere,
    /// It has exited.
    Left,
}

impl Lane {
    /// All of them, as a legend lists them.
    pub const ALL: [Self; 5] = [Self::Runs, Self::Off, Self::Waits, Self::Elsewhere, Self::Left];

    /// Of one lane of a step.
    pub const fn of(step: &Step, lane: u32) -> Self {
        if step.active >> lane & 1 != 0 {
            Self::Runs
        } else if step.lanes >> lane & 1 != 0 {
            Self::Off
        } else if step.live >> lane & 1 == 0 {
            Self::Left
        } else if step.waiting >> lane & 1 != 0 {
            Self::Waits
        } else {
            Self::Elsewhere
        }
    }

    /// In words.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Runs => "runs",
            Self::Off => "predicate false",
            Self::Waits => "waits",
            Self::Elsewhere => "could run",
            Self::Left => "has left",
        }
    }

    const fn glyph(self, face: Face) -> &'static str {
        match self {
            Self::Runs => face.glyph("█", "#"),
            Self::Off => face.glyph("▒", "x"),
            Self::Waits => face.glyph("─", "-"),
            Self::Elsewhere => face.glyph("·", "."),
            Self::Left => " ",
        }
    }

    const fn tone(self) -> Tone {
        match self {
            Self::Runs => Tone::Accent,
            Self::Off => Tone::Warn,
            _ => Tone::Dim,
        }
    }
}

/// Lanes of a warp as columns: up to the highest that exists.
pub fn columns(warp: &TracedWarp) -> u32 {
    32 - warp.lanes.leading_zeros()
}

/// The steps of one of a trace's warps, with their number from 1.
pub fn steps(traced: &Traced, warp: usize) -> impl Iterator<Item = (usize, &Step)> {
    let steps = traced.trace.steps.iter().enumerate();
    steps.filter(move |(_, step)| step.warp as usize == warp).map(|(index, step)| (index + 1, step))
}

/// Is this step the rest of a line that other lanes interrupted? Then its lanes were last at the same line, all together,
/// and somebody else ran since. `before` are the warp's earlier steps.
pub fn goes_on(traced: &Traced, before: &[&Step], step: &Step) -> bool {
    let line = |step: &Step| {
        let place = &traced.trace.places[step.place as usize];
        (&place.file, place.line)
    };
    let last = before.iter().rposition(|earlier| earlier.lanes & step.lanes != 0);
    last.is_some_and(|last| {
        let earlier = before[last];
        last + 1 < before.len() && earlier.lanes == step.lanes && line(earlier).1 > 0 && line(earlier) == line(step)
    })
}

/// "its: k, block 0, warp 0".
pub fn title(traced: &Traced, warp: &TracedWarp) -> String {
    format!("{}: {}, block {}, warp {}", traced.schedule, traced.kernel, warp.block, warp.warp)
}

/// What was not kept, if anything.
pub fn cut(traced: &Traced) -> Option<String> {
    let shown = traced.trace.steps.len();
    (traced.trace.dropped > 0).then(|| {
        let all = shown as u64 + traced.trace.dropped;
        format!("the first {shown} of {all} steps: the limit `--trace-steps` is {}", traced.limit)
    })
}

/// Writes all traces.
pub fn write(pen: &mut Pen, report: &Report) {
    for traced in &report.traces {
        let numbers = traced.trace.places.iter().map(|place| place.line.max(1)).max().unwrap_or(1).to_string().len();
        for (index, warp) in traced.trace.warps.iter().enumerate() {
            pen.heading(&title(traced, warp), "");
            warp_steps(pen, traced, index, numbers.max(4));
        }
        if let Some(text) = cut(traced) {
            pen.wrapped(&[(Tone::Text, "  ")], Tone::Warn, &text);
        }
    }
}

fn warp_steps(pen: &mut Pen, traced: &Traced, index: usize, digits: usize) {
    let lanes = columns(&traced.trace.warps[index]);
    let width = (lanes as usize).max(5);
    let ruler: String =
        if lanes < 9 { "lanes".into() } else { (0..lanes).step_by(8).map(|n| format!("{n:<8}")).collect() };
    let head = format!("  step  {}  {}", pad(ruler.trim_end(), width, false), pad("line", digits, true));
    pen.line(&[(Tone::Dim, &head)]);
    let mut seen = Vec::new();
    let mut before = Vec::new();
    for (number, step) in steps(traced, index) {
        let mut pieces: Vec<(Tone, String)> = vec![(Tone::Dim, format!("{number:>6}  "))];
        for lane in 0..lanes {
            let state = Lane::of(step, lane);
            if !seen.contains(&state) {
                seen.push(state);
            }
            match pieces.last_mut() {
                Some((tone, text)) if *tone == state.tone() && lane > 0 => text.push_str(state.glyph(pen.face)),
                _ => pieces.push((state.tone(), state.glyph(pen.face).to_owned())),
            }
        }
        pieces.push((Tone::Text, " ".repeat(width - lanes as usize)));
        let place = &traced.trace.places[step.place as usize];
        let line = if place.line > 0 { place.line.to_string() } else { String::new() };
        pieces.push((Tone::Dim, format!("  {}  ", pad(&line, digits, true))));
        let used = 8 + width + 4 + digits;
        let room = pen.face.width.min(WIDEST).saturating_sub(used).max(16);
        let text = traced.texts.get(step.place as usize).map_or("", String::as_str);
        let more = if goes_on(traced, &before, step) { pen.face.glyph("… ", "... ") } else { "" };
        before.push(step);
        pieces.push((Tone::Text, shorten(&format!("{more}{text}"), room, pen.face)));
        let pieces: Vec<(Tone, &str)> = pieces.iter().map(|(tone, text)| (*tone, text.as_str())).collect();
        pen.line(&pieces);
    }
    let legend: Vec<String> = Lane::ALL
        .into_iter()
        .filter(|state| seen.contains(state))
        .map(|state| match state {
            Lane::Left => format!("blank: {}", state.words()),
            _ => format!("{} {}", state.glyph(pen.face), state.words()),
        })
        .collect();
    pen.wrapped(&[(Tone::Text, "  ")], Tone::Dim, &legend.join(", "));
}
