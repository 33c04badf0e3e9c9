//! A pen for pictures as inline SVG. It knows shapes and words; colours are classes of the book's style sheet, so that one
//! picture serves every theme. Pictures are as wide as a phone's page and are not scaled up, so that their text is legible on both.

use report::escape;
use std::fmt::Write as _;

/// Width of a picture in pixels.
pub const WIDTH: f64 = 340.0;

/// Where a text is held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Anchor {
    /// By its beginning.
    Start,
    /// By its middle.
    Middle,
    /// By its end.
    End,
}

impl Anchor {
    const fn word(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Middle => "middle",
            Self::End => "end",
        }
    }
}

/// A picture while it is drawn.
#[derive(Debug, Default)]
pub struct Ink {
    out: String,
}

impl Ink {
    /// A text.
    pub fn text(&mut self, class: &str, (x, y): (f64, f64), anchor: Anchor, text: &str) {
        let (anchor, text) = (anchor.word(), escape(text));
        let _ =
            writeln!(self.out, r#"<text class="{class}" x="{x:.1}" y="{y:.1}" text-anchor="{anchor}">{text}</text>"#);
    }

    /// A rectangle by its upper left corner and its extent.
    pub fn rect(&mut self, class: &str, (x, y): (f64, f64), (width, height): (f64, f64)) {
        let _ = writeln!(
            self.out,
            r#"<rect class="{class}" x="{x:.1}" y="{y:.1}" width="{width:.1}" height="{height:.1}"/>"#
        );
    }

    /// A line.
    pub fn line(&mut self, class: &str, (x1, y1): (f64, f64), (x2, y2): (f64, f64)) {
        let _ = writeln!(self.out, r#"<line class="{class}" x1="{x1:.1}" y1="{y1:.1}" x2="{x2:.1}" y2="{y2:.1}"/>"#);
    }

    /// A circle.
    pub fn circle(&mut self, class: &str, (x, y): (f64, f64), radius: f64) {
        let _ = writeln!(self.out, r#"<circle class="{class}" cx="{x:.1}" cy="{y:.1}" r="{radius:.1}"/>"#);
    }

    /// A shape of the legend and its meaning; returns where the next one may stand.
    pub fn key(&mut self, class: &str, (x, y): (f64, f64), words: &str) -> f64 {
        self.rect(class, (x, y - 9.0), (11.0, 11.0));
        self.text("quiet", (x + 16.0, y), Anchor::Start, words);
        x + 30.0 + 5.9 * words.chars().count() as f64
    }

    /// What a step adds to a picture that can be looked at step by step, from 1 on, with a sentence about it.
    pub fn step(&mut self, step: usize, words: &str, draw: impl FnOnce(&mut Self)) {
        let _ = writeln!(self.out, r#"<g data-step="{step}" data-says="{}">"#, escape(words));
        draw(self);
        self.out.push_str("</g>\n");
    }

    /// The whole as an element without blank lines, so that Markdown keeps it whole. `id` names its parts on the page;
    /// `words` say to who cannot see it what it shows.
    pub fn finish(self, id: &str, height: f64, title: &str, words: &str) -> String {
        format!(
            "<svg class=\"picture\" viewBox=\"0 0 {WIDTH:.0} {height:.0}\" style=\"max-width:{WIDTH:.0}px\" role=\"img\" \
             aria-labelledby=\"{id}-t {id}-d\">\n<title id=\"{id}-t\">{}</title>\n<desc id=\"{id}-d\">{}</desc>\n{}</svg>\n",
            escape(title),
            escape(words),
            self.out
        )
    }
}

/// "0 to 3, 8": whole numbers in ascending order.
pub fn runs(numbers: &[u32]) -> String {
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for &number in numbers {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == number => *last = number,
            _ => runs.push((number, number)),
        }
    }
    let words: Vec<String> = runs
        .into_iter()
        .map(|(first, last)| match last - first {
            0 => first.to_string(),
            1 => format!("{first}, {last}"),
            _ => format!("{first} to {last}"),
        })
        .collect();
    words.join(", ")
}

/// "65,536".
pub fn number(value: f64) -> String {
    report::number(value, true)
}
