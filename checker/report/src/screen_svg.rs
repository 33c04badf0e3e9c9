//! A coloured report as a picture of its own, for pages that cannot run anything: light or dark as the reader's system is. It
//! knows the codes that [`super::Tone`] writes, and shows any other text as it is.

use super::escape;
use console::{AnsiCodeIterator, measure_text_width};
use std::fmt::Write as _;

/// Width of a character in pixels; each run of text is set to it, whatever font the reader has.
const CHARACTER: f64 = 7.2;
/// Height of a line.
const LINE: f64 = 17.0;
/// Around the text.
const MARGIN: f64 = 16.0;

const STYLE: &str = "\
:root{color-scheme:light dark}\
svg{--paper:#fff;--edge:#d5d9e0;--text:#1f2328;--dim:#5b6472;--good:#146c2e;--bad:#b3261e;--warn:#8a5a00;--accent:#1a5fb4;--on:#fff}\
@media (prefers-color-scheme:dark){svg{--paper:#161b22;--edge:#3b4358;--text:#e6e9ee;--dim:#9aa5b8;--good:#81d495;--bad:#ff8a80;\
--warn:#e8c268;--accent:#82b4ff;--on:#161b22}}\
.paper{fill:var(--paper);stroke:var(--edge)}\
text{fill:var(--text);font:12px ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace;white-space:pre}\
.strong,.badge{font-weight:600}.dim{fill:var(--dim)}.good{fill:var(--good)}.bad{fill:var(--bad)}.warn{fill:var(--warn)}\
.accent{fill:var(--accent)}text.badge{fill:var(--on)}";

/// The class of a text with an ANSI code, and of the ground behind it.
fn classes(code: &str) -> (&'static str, Option<&'static str>) {
    match code {
        "1" => ("strong", None),
        "2" => ("dim", None),
        "32" => ("good", None),
        "31" => ("bad", None),
        "33" => ("warn", None),
        "36" => ("accent", None),
        "1;30;42" => ("badge", Some("good")),
        "1;30;43" => ("badge", Some("warn")),
        "1;97;41" => ("badge", Some("bad")),
        _ => ("", None),
    }
}

/// The text as an SVG file with `title` for readers who cannot see it.
pub fn screen(text: &str, title: &str) -> String {
    let lines: Vec<&str> = text.trim_matches('\n').lines().collect();
    let columns = lines.iter().map(|line| measure_text_width(line)).max().unwrap_or(0);
    let (width, height) = (columns as f64 * CHARACTER + 2.0 * MARGIN, lines.len() as f64 * LINE + 2.0 * MARGIN);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" \
         height=\"{height:.0}\" role=\"img\" aria-labelledby=\"t\">\n<title id=\"t\">{}</title>\n<style>{STYLE}</style>\n\
         <rect class=\"paper\" x=\"0.5\" y=\"0.5\" width=\"{:.0}\" height=\"{:.0}\" rx=\"6\"/>\n",
        escape(title),
        width - 1.0,
        height - 1.0
    );
    let mut code = String::new();
    for (row, line) in lines.iter().enumerate() {
        let mut column = 0;
        let y = MARGIN + row as f64 * LINE;
        for (piece, is_code) in AnsiCodeIterator::new(line) {
            if is_code {
                code = piece.trim_start_matches("\u{1b}[").trim_end_matches('m').to_owned();
                continue;
            }
            run(&mut out, &code, piece, column, y);
            column += measure_text_width(piece);
        }
    }
    out.push_str("</svg>\n");
    out
}

/// A run of text of one look that begins at a column. Blanks around it are left out, but not on a coloured ground.
fn run(out: &mut String, code: &str, piece: &str, column: usize, y: f64) {
    let (class, ground) = classes(code);
    let at = |column: usize| MARGIN + column as f64 * CHARACTER;
    let width = measure_text_width(piece);
    if let Some(ground) = ground {
        let (x, wide) = (at(column), width as f64 * CHARACTER);
        let _ = writeln!(
            out,
            "<rect class=\"{ground}\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{wide:.1}\" height=\"{LINE:.0}\" rx=\"3\"/>"
        );
    }
    let shown = piece.trim();
    if shown.is_empty() {
        return;
    }
    let before = piece.len() - piece.trim_start().len();
    let _ = writeln!(
        out,
        "<text class=\"{class}\" x=\"{:.1}\" y=\"{:.1}\" textLength=\"{:.1}\" xml:space=\"preserve\">{}</text>",
        at(column + before),
        y + 12.5,
        measure_text_width(shown) as f64 * CHARACTER,
        escape(shown)
    );
}

#[cfg(test)]
mod tests {
    use super::super::{Face, Pen, Tone};
    use super::*;

    /// Every tone, as a pen writes it.
    #[test]
    fn each_piece_stands_at_its_column_in_its_tone() {
        let mut pen = Pen::new(Face::terminal(80, true));
        pen.line(&[(Tone::Text, "  "), (Tone::BadBadge, " RACE "), (Tone::Text, "  a<b "), (Tone::Accent, "go")]);
        pen.line(&[(Tone::Good, "ok"), (Tone::Dim, " quiet")]);
        let svg = screen(&String::from_utf8_lossy(pen.finish().as_bytes()), "A & B");
        let texts: Vec<&str> = svg.lines().filter(|line| line.starts_with("<text")).collect();
        let at = |column: f64| format!("x=\"{:.1}\"", MARGIN + column * CHARACTER);
        assert_eq!(texts.len(), 5, "{svg}");
        assert!(
            texts[0].contains("class=\"badge\"") && texts[0].contains(&at(3.0)) && texts[0].ends_with(">RACE</text>")
        );
        assert!(texts[1].contains(&at(10.0)) && texts[1].ends_with(">a&lt;b</text>"), "{}", texts[1]);
        assert!(texts[2].contains("accent") && texts[2].contains(&at(14.0)));
        assert!(texts[4].contains("dim") && texts[4].contains(&at(3.0)));
        assert!(svg.contains("<rect class=\"bad\"") && svg.contains("<title id=\"t\">A &amp; B</title>"));
        assert!(!svg.contains('\u{1b}'));
    }
}
