//! How a report looks: colour, drawing characters and width, and the pen that writes with them. One layout serves the
//! terminal and the plain face, so both say the same.

use console::measure_text_width;
use system::text::{self, Screen};

/// A look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Face {
    /// ANSI colours.
    pub colour: bool,
    /// Box drawing, check marks, bars; plain ASCII otherwise.
    pub drawing: bool,
    /// Columns to fill.
    pub width: usize,
}

impl Face {
    /// For a terminal.
    pub const fn terminal(width: usize, colour: bool) -> Self {
        Self { colour, drawing: true, width }
    }

    /// For pipes and files: the same everywhere.
    pub const fn plain() -> Self {
        Self { colour: false, drawing: false, width: 100 }
    }

    /// The character in this face: the drawn one or its ASCII stand-in.
    pub const fn glyph(&self, drawn: &'static str, ascii: &'static str) -> &'static str {
        if self.drawing { drawn } else { ascii }
    }

    /// A number for people, with commas where there is drawing.
    pub fn number(&self, value: f64) -> String {
        number(value, self.drawing)
    }

    /// Text in a tone, cleaned: it stays on its line and acts on nothing.
    pub fn paint(&self, tone: Tone, text: &str) -> String {
        let (code, text) = (tone.code(), text::line(text));
        if self.colour && !code.is_empty() && !text.is_empty() {
            format!("\x1b[{code}m{text}\x1b[0m")
        } else {
            text.into_owned()
        }
    }
}

/// What a piece of text is, which decides its colour. Only the terminal's own sixteen colours, so that light and dark
/// themes both work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    /// Text.
    Text,
    /// Headings and names.
    Strong,
    /// Secondary.
    Dim,
    /// Good news.
    Good,
    /// Bad news.
    Bad,
    /// To look at.
    Warn,
    /// Commands to type, carets.
    Accent,
    /// The verdict's badge, good.
    GoodBadge,
    /// The verdict's badge, not there yet.
    WarnBadge,
    /// The verdict's badge, bad.
    BadBadge,
}

impl Tone {
    const fn code(self) -> &'static str {
        match self {
            Self::Text => "",
            Self::Strong => "1",
            Self::Dim => "2",
            Self::Good => "32",
            Self::Bad => "31",
            Self::Warn => "33",
            Self::Accent => "36",
            Self::GoodBadge => "1;30;42",
            Self::WarnBadge => "1;30;43",
            Self::BadBadge => "1;97;41",
        }
    }
}

/// Writes lines in a face.
#[derive(Debug)]
pub struct Pen {
    /// The look.
    pub face: Face,
    out: String,
}

impl Pen {
    /// An empty page.
    pub fn new(face: Face) -> Self {
        Self { face, out: String::new() }
    }

    /// What was written.
    pub fn finish(self) -> Screen {
        if self.face.colour { Screen::painted(&self.out) } else { Screen::from(self.out) }
    }

    /// An empty line, unless the page is empty or the last line already is.
    pub fn gap(&mut self) {
        if !self.out.is_empty() && !self.out.ends_with("\n\n") {
            self.out.push('\n');
        }
    }

    /// A line of painted pieces.
    pub fn line(&mut self, pieces: &[(Tone, &str)]) {
        let start = self.out.len();
        for (tone, text) in pieces {
            let painted = self.face.paint(*tone, text);
            self.out.push_str(&painted);
        }
        let kept = self.out[start..].trim_end_matches(' ').len();
        self.out.truncate(start + kept);
        self.out.push('\n');
    }

    /// Wrapped text: `first` before its first line, as many blanks before the others.
    pub fn wrapped(&mut self, first: &[(Tone, &str)], tone: Tone, text: &str) {
        let indent: usize = first.iter().map(|(_, piece)| measure_text_width(piece)).sum();
        let room = self.face.width.saturating_sub(indent).max(20);
        for (index, line) in wrap(text, room).iter().enumerate() {
            if index == 0 {
                let mut pieces = first.to_vec();
                pieces.push((tone, line));
                self.line(&pieces);
            } else {
                let blank = " ".repeat(indent);
                self.line(&[(Tone::Text, &blank), (tone, line)]);
            }
        }
    }

    /// A section's heading with a quiet remark at its right.
    pub fn heading(&mut self, text: &str, remark: &str) {
        self.gap();
        if remark.is_empty() {
            self.line(&[(Tone::Text, "  "), (Tone::Strong, text)]);
        } else {
            let used = 2 + measure_text_width(text) + measure_text_width(remark);
            let blanks = " ".repeat(self.face.width.saturating_sub(used).clamp(2, 60));
            let blanks = if self.face.drawing { blanks.as_str() } else { "  " };
            self.line(&[(Tone::Text, "  "), (Tone::Strong, text), (Tone::Text, blanks), (Tone::Dim, remark)]);
        }
    }

    /// An empty line, whatever stands before it.
    pub fn blank(&mut self) {
        self.out.push('\n');
    }
}

/// Breaks text at blanks so that no line is wider than `room`, except for words that are.
pub fn wrap(text: &str, room: usize) -> Vec<String> {
    let mut lines = Vec::new();
    for paragraph in text.split('\n') {
        let mut line = String::new();
        for word in paragraph.split(' ').filter(|word| !word.is_empty()) {
            let width = measure_text_width(&line) + 1 + measure_text_width(word);
            if !line.is_empty() && width > room {
                lines.push(std::mem::take(&mut line));
            }
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
        lines.push(line);
    }
    lines
}

/// Pads to a width on the left (numbers) or the right (words).
pub fn pad(text: &str, width: usize, right: bool) -> String {
    let blanks = " ".repeat(width.saturating_sub(measure_text_width(text)));
    if right { format!("{blanks}{text}") } else { format!("{text}{blanks}") }
}

/// A number for people: integers in full, otherwise three significant digits. `group` puts commas between thousands.
pub fn number(value: f64, group: bool) -> String {
    let magnitude = value.abs();
    if !value.is_finite() {
        return value.to_string();
    }
    if (value == value.trunc() && magnitude < 1e15) || (1000.0..1e15).contains(&magnitude) {
        let whole = value.round() as i64;
        return if group { text::grouped(whole) } else { whole.to_string() };
    }
    match magnitude {
        100.0.. => format!("{value:.0}"),
        10.0.. => format!("{value:.1}"),
        1.0.. => format!("{value:.2}"),
        0.1.. => format!("{value:.3}"),
        0.001.. => format!("{value:.4}"),
        _ => format!("{value:.1e}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wraps_at_blanks_and_keeps_long_words() {
        assert_eq!(wrap("a bb ccc dddddddd e", 6), ["a bb", "ccc", "dddddddd", "e"]);
        assert_eq!(wrap("", 6), [""]);
    }

    #[test]
    fn numbers_for_people() {
        assert_eq!(number(0.0, true), "0");
        assert_eq!(number(-1_234_567.0, true), "-1,234,567");
        assert_eq!(number(-1_234_567.0, false), "-1234567");
        assert_eq!(number(1234.56, false), "1235");
        assert_eq!(number(0.12345, true), "0.123");
        assert_eq!(number(0.015625, true), "0.0156");
        assert_eq!(number(12.345, true), "12.3");
        assert_eq!(number(0.00012, true), "1.2e-4");
    }

    #[test]
    fn no_colour_means_no_escapes() {
        let mut pen = Pen::new(Face::plain());
        pen.line(&[(Tone::BadBadge, " NO "), (Tone::Text, "  ")]);
        assert_eq!(&*pen.finish(), " NO\n");
    }
}
