//! Traces as SVG: a row a step, a column a lane, the source line beside it.
//!
//! A line has its own colour, and a state its own shape: a filled square runs, a bar waits, a dot could run. So the
//! picture can be read without colours.

use crate::escape;
use crate::model::Traced;
use crate::trace::{Lane, columns, cut, goes_on, steps, title};
use simulator::trace::{Step, TracePlace};
use std::fmt::Write as _;

/// Distance of lanes.
const CELL: f64 = 14.0;
/// Distance of steps.
const ROW: f64 = 18.0;
/// Width of a character of source.
const CHARACTER: f64 = 7.3;
/// Space for the step's number.
const LEFT: f64 = 36.0;
/// Space for the line's number, with the gaps around it.
const NUMBER: f64 = 58.0;
/// Space for the title and the lanes' numbers.
const TOP: f64 = 50.0;
/// Space for the legend.
const BOTTOM: f64 = 30.0;
/// Longest source text shown.
const TEXT: usize = 60;
/// Colours of lines.
const COLOURS: usize = 8;

/// How a figure gets its colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dress {
    /// From its own style: light or dark as the reader's system is.
    Own,
    /// From the page it stands in.
    Page,
}

/// The style of a file of its own. Names of colours are those of the book's style sheet.
const STYLE: &str = "\
:root{color-scheme:light dark}\
svg.trace{--paper:#fff;--fg:#1f2328;--wb-quiet:#5b6472;--wb-rule:#d5d9e0;\
--s0:#1a5fb4;--s1:#c64600;--s2:#26804a;--s3:#813d9c;--s4:#9a6700;--s5:#0f7c8a;--s6:#a51d2d;--s7:#5e5c64;\
font-family:ui-sans-serif,system-ui,sans-serif}\
@media (prefers-color-scheme:dark){svg.trace{--paper:#161b22;--fg:#e6e9ee;--wb-quiet:#9aa5b8;--wb-rule:#3b4358;\
--s0:#82b4ff;--s1:#ffa066;--s2:#7fd4a0;--s3:#d3a4f0;--s4:#e8c268;--s5:#74d2e0;--s6:#ff9aa4;--s7:#b8bcc8}}\
.trace .paper{fill:var(--paper)}.trace text{fill:var(--fg);font-size:12px}\
.trace .quiet{fill:var(--wb-quiet)}.trace .code{font-family:ui-monospace,'DejaVu Sans Mono',monospace;white-space:pre}\
.trace .head{font-weight:600}.trace .rule{stroke:var(--wb-rule)}.trace .wait{stroke:var(--wb-quiet);stroke-width:2}\
.trace .dot{fill:var(--wb-quiet)}.trace .off{fill:none;stroke-width:1.5}";

/// The classes that colour lines, as rules: `.trace .c0{fill:var(--s0)}` and so on.
fn colours() -> String {
    (0..COLOURS).fold(String::new(), |mut out, n| {
        let _ = write!(out, ".trace .c{n}{{fill:var(--s{n})}}.trace .off.c{n}{{fill:none;stroke:var(--s{n})}}");
        out
    })
}

/// All traces in one file, one below the other.
pub fn standalone(traces: &[Traced]) -> String {
    let parts: Vec<Part<'_>> = traces.iter().flat_map(parts).collect();
    let width = parts.iter().map(|part| part.width).fold(320.0, f64::max);
    let height: f64 = parts.iter().map(|part| part.height).sum();
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"trace\" viewBox=\"0 0 {width:.0} {height:.0}\" \
         width=\"{width:.0}\" height=\"{height:.0}\" role=\"img\" aria-labelledby=\"t d\">\n"
    );
    let titles: Vec<String> = parts.iter().map(Part::title).collect();
    let descriptions: Vec<String> = parts.iter().map(Part::description).collect();
    let _ = write!(
        out,
        "<title id=\"t\">Which lanes run which line: {}</title>\n<desc id=\"d\">{}</desc>\n<style>{STYLE}{}</style>\n\
         <rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n",
        escape(&titles.join("; ")),
        escape(&descriptions.join("\n")),
        colours()
    );
    let mut y = 0.0;
    for part in &parts {
        let _ = writeln!(out, "<g transform=\"translate(0 {y:.0})\">\n{}</g>", part.draw());
        y += part.height;
    }
    out.push_str("</svg>\n");
    out
}

/// One warp of a trace as an element for a page, with `id` to name its parts by. No blank lines, so that Markdown keeps it
/// whole.
pub fn figure(traced: &Traced, warp: usize, id: &str, dress: Dress) -> Option<String> {
    let part = parts(traced).into_iter().nth(warp)?;
    let style = if dress == Dress::Own { format!("<style>{STYLE}{}</style>\n", colours()) } else { String::new() };
    Some(format!(
        "<svg class=\"trace\" viewBox=\"0 0 {:.0} {:.0}\" style=\"max-width:{:.0}px\" role=\"img\" \
         aria-labelledby=\"{id}-t {id}-d\">\n<title id=\"{id}-t\">Which lanes run which line: {}</title>\n\
         <desc id=\"{id}-d\">{}</desc>\n{style}{}</svg>\n",
        part.width,
        part.height,
        part.width,
        escape(&part.title()),
        escape(&part.description()),
        part.draw()
    ))
}

/// One warp's picture.
struct Part<'a> {
    traced: &'a Traced,
    warp: usize,
    lanes: u32,
    width: f64,
    height: f64,
}

fn parts(traced: &Traced) -> Vec<Part<'_>> {
    let longest = traced.texts.iter().map(|text| shown(text).chars().count()).max().unwrap_or(0);
    let part = |(warp, of): (usize, &simulator::trace::TracedWarp)| {
        let lanes = columns(of);
        let rows = steps(traced, warp).count();
        let notes = usize::from(cut(traced).is_some());
        let right = (longest as f64 * CHARACTER).max(150.0);
        let width = LEFT + f64::from(lanes) * CELL + NUMBER + right + 12.0;
        let least = title(traced, of).chars().count() as f64 * 6.8 + 20.0;
        let height = TOP + rows as f64 * ROW + BOTTOM + 18.0 * notes as f64;
        Part { traced, warp, lanes, width: width.max(least).max(460.0), height }
    };
    traced.trace.warps.iter().enumerate().map(part).collect()
}

/// Source text without its indentation beyond what shows the nesting, cut.
fn shown(text: &str) -> String {
    let text: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let text = text.trim_end();
    match text.char_indices().nth(TEXT) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

impl Part<'_> {
    fn title(&self) -> String {
        title(self.traced, &self.traced.trace.warps[self.warp])
    }

    /// The colour of a step's line: lines in the order of the file.
    fn colour(&self, step: &Step) -> usize {
        let places = &self.traced.trace.places;
        let mut lines: Vec<(&str, u32, u32)> = places.iter().map(key).collect();
        lines.sort_unstable();
        lines.dedup();
        let own = key(&places[step.place as usize]);
        lines.iter().position(|line| *line == own).unwrap_or_default() % COLOURS
    }

    /// The steps in words.
    fn description(&self) -> String {
        let mut words: Vec<String> = Vec::new();
        let mut before = Vec::new();
        for (number, step) in steps(self.traced, self.warp) {
            let place = &self.traced.trace.places[step.place as usize];
            let more = if goes_on(self.traced, &before, step) { " goes on" } else { "" };
            before.push(step);
            words.push(format!("step {number}: line {}{more}, {}", place.line, lanes(step.active)));
        }
        words.extend(cut(self.traced));
        words.join("; ")
    }

    fn draw(&self) -> String {
        let mut out = String::new();
        let _ = writeln!(out, "<text class=\"head\" x=\"8\" y=\"18\">{}</text>", escape(&self.title()));
        for lane in (0..self.lanes).filter(|lane| lane % 8 == 0 || (self.lanes <= 8 && *lane + 1 == self.lanes)) {
            let x = LEFT + (f64::from(lane) + 0.5) * CELL;
            let _ = write!(
                out,
                "<text class=\"quiet\" x=\"{x:.0}\" y=\"{:.0}\" text-anchor=\"middle\">{lane}</text>",
                TOP - 8.0
            );
        }
        let right = LEFT + f64::from(self.lanes) * CELL;
        let _ = writeln!(
            out,
            "<text class=\"quiet\" x=\"{:.0}\" y=\"{:.0}\" text-anchor=\"end\">line</text>",
            right + NUMBER - 14.0,
            TOP - 8.0
        );
        let mut seen = Vec::new();
        let mut before = Vec::new();
        for (row, (number, step)) in steps(self.traced, self.warp).enumerate() {
            let more = goes_on(self.traced, &before, step);
            before.push(step);
            self.step(&mut out, TOP + row as f64 * ROW, (number, step, more), &mut seen);
        }
        self.legend(&mut out, &seen);
        out
    }

    /// A row. The rest of an interrupted line has dots before its text.
    fn step(&self, out: &mut String, y: f64, (number, step, more): (usize, &Step, bool), seen: &mut Vec<Lane>) {
        let middle = y + ROW / 2.0;
        let colour = self.colour(step);
        let mut shapes: [String; 5] = Default::default();
        for lane in 0..self.lanes {
            let state = Lane::of(step, lane);
            if !seen.contains(&state) {
                seen.push(state);
            }
            shape(&mut shapes[state as usize], state, LEFT + f64::from(lane) * CELL, middle);
        }
        let _ = write!(
            out,
            "<text class=\"quiet\" x=\"{:.0}\" y=\"{:.0}\" text-anchor=\"end\">{number}</text>",
            LEFT - 8.0,
            middle + 4.0
        );
        for state in Lane::ALL {
            let path = &shapes[state as usize];
            if !path.is_empty() {
                let _ = write!(out, "<path class=\"{}\" d=\"{path}\"/>", class(state, colour));
            }
        }
        let place = &self.traced.trace.places[step.place as usize];
        let x = LEFT + f64::from(self.lanes) * CELL;
        if place.line > 0 {
            let _ = write!(
                out,
                "<text class=\"quiet code\" x=\"{:.0}\" y=\"{:.0}\" text-anchor=\"end\">{}</text>",
                x + NUMBER - 14.0,
                middle + 4.0,
                place.line
            );
        }
        let text = self.traced.texts.get(step.place as usize).map(|text| shown(text)).unwrap_or_default();
        // Blanks at the front would be collapsed where `white-space` is not known.
        let text = format!("{}{}", if more { "… " } else { "" }, escape(&text)).replace("  ", "\u{a0}\u{a0}");
        let _ = writeln!(
            out,
            "<text class=\"code c{colour}\" x=\"{:.0}\" y=\"{:.0}\">{text}</text>",
            x + NUMBER,
            middle + 4.0
        );
    }

    fn legend(&self, out: &mut String, seen: &[Lane]) {
        let (mut x, y) = (LEFT, self.height - BOTTOM / 2.0 - if cut(self.traced).is_some() { 18.0 } else { 0.0 });
        for state in Lane::ALL.into_iter().filter(|state| seen.contains(state) && *state != Lane::Left) {
            let mut path = String::new();
            shape(&mut path, state, x, y);
            let _ = write!(
                out,
                "<path class=\"{}\" d=\"{path}\"/><text class=\"quiet\" x=\"{:.0}\" y=\"{:.0}\">{}</text>",
                class(state, 0),
                x + CELL + 4.0,
                y + 4.0,
                state.words()
            );
            x += CELL + 16.0 + 6.4 * state.words().len() as f64;
        }
        if let Some(text) = cut(self.traced) {
            let _ = write!(out, "<text class=\"quiet\" x=\"{LEFT:.0}\" y=\"{:.0}\">{}</text>", y + 22.0, escape(&text));
        }
        out.push('\n');
    }
}

/// What makes two places one line: without a source line, the PTX line.
fn key(place: &TracePlace) -> (&str, u32, u32) {
    (&place.file, place.line, if place.line == 0 { place.ptx_line } else { 0 })
}

fn class(state: Lane, colour: usize) -> String {
    match state {
        Lane::Runs => format!("c{colour}"),
        Lane::Off => format!("off c{colour}"),
        Lane::Waits => "wait".into(),
        Lane::Elsewhere | Lane::Left => "dot".into(),
    }
}

/// A lane's shape as a path, with its left edge at `x` and its middle at `y`.
fn shape(path: &mut String, state: Lane, x: f64, y: f64) {
    let _ = match state {
        Lane::Runs => write!(path, "M{:.0} {:.0}h12v12h-12z", x + 1.0, y - 6.0),
        Lane::Off => write!(path, "M{:.1} {:.1}h10v10h-10z", x + 2.0, y - 5.0),
        Lane::Waits => write!(path, "M{:.0} {:.0}h14", x, y),
        Lane::Elsewhere => write!(path, "M{:.1} {:.1}h3v3h-3z", x + 5.5, y - 1.5),
        Lane::Left => Ok(()),
    };
}

/// "lanes 0 to 3 and 8".
pub fn lanes(mask: u32) -> String {
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for lane in (0..32).filter(|lane| mask >> lane & 1 != 0) {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == lane => *last = lane,
            _ => runs.push((lane, lane)),
        }
    }
    let parts: Vec<String> =
        runs.iter().map(|(a, b)| if a == b { a.to_string() } else { format!("{a} to {b}") }).collect();
    match parts.as_slice() {
        [] => "no lane".into(),
        [one] if !one.contains(' ') => format!("lane {one}"),
        [one] => format!("lanes {one}"),
        [rest @ .., last] => format!("lanes {} and {last}", rest.join(", ")),
    }
}
