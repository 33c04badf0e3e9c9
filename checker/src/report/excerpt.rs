//! Lines of source with a caret under the place.

use super::lines::shorten;
use super::model::Excerpt;
use super::{Pen, Tone, pad};
use console::measure_text_width;
use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

/// Reads source files once and cuts excerpts from them.
#[derive(Debug, Default)]
pub struct Sources {
    root: PathBuf,
    texts: BTreeMap<PathBuf, Option<Vec<String>>>,
}

impl Sources {
    /// Files inside `root` are named relative to it.
    pub fn new(root: &Path) -> Self {
        Self { root: root.to_path_buf(), texts: BTreeMap::new() }
    }

    /// The file's name for a report.
    pub fn name(&self, file: &Path) -> String {
        file.strip_prefix(&self.root).unwrap_or(file).display().to_string()
    }

    /// A `#line` can name any file, also one without an end: only regular files of sources are read, and only small ones.
    fn readable(&self, file: &Path) -> bool {
        const LARGEST: u64 = 4 << 20;
        let up = file.components().any(|part| part == Component::ParentDir);
        let inside = !self.root.as_os_str().is_empty() && !up && file.starts_with(&self.root);
        let source =
            file.extension().is_some_and(|extension| ["cu", "cuh", "h", "toml"].iter().any(|e| extension == *e));
        (inside || source) && std::fs::metadata(file).is_ok_and(|about| about.is_file() && about.len() <= LARGEST)
    }

    /// A line's text, when the file and the line are there.
    pub fn line(&mut self, file: &Path, line: u32) -> Option<&str> {
        let readable = self.readable(file);
        let texts = self.texts.entry(file.to_path_buf()).or_insert_with(|| {
            if !readable {
                return None;
            }
            let bytes = std::fs::read(file).ok()?;
            Some(String::from_utf8_lossy(&bytes).lines().map(|line| line.replace('\t', "    ")).collect())
        });
        texts.as_ref()?.get((line as usize).checked_sub(1)?).map(String::as_str)
    }

    /// The line with one before it. The caret goes to the column, or to the first word of the line; `label` stands
    /// beside it.
    pub fn excerpt(&mut self, file: &Path, line: u32, column: Option<u32>, label: &str) -> Excerpt {
        let first = line.saturating_sub(1).max(1);
        let lines = (first..=line).map_while(|at| self.line(file, at).map(str::to_owned)).collect();
        let (file, label) = (self.name(file), label.to_owned());
        Excerpt { file, line, column, length: None, label, first, lines }
    }
}

/// Writes an excerpt: place, lines, caret with its label.
pub fn write(pen: &mut Pen, excerpt: &Excerpt, tone: Tone) {
    let column = excerpt.column.map(|column| format!(":{column}")).unwrap_or_default();
    let place = format!("{}:{}{column}", excerpt.file, excerpt.line);
    pen.line(&[(Tone::Text, "    "), (Tone::Dim, pen.face.glyph("╭─ ", "--> ")), (Tone::Accent, &place)]);
    let bar = pen.face.glyph("│", "|");
    let width = excerpt.line.to_string().len();
    for (offset, text) in excerpt.lines.iter().enumerate() {
        let number = excerpt.first + offset as u32;
        let gutter = format!("    {bar} {} {bar} ", pad(&number.to_string(), width, true));
        let marked = if number == excerpt.line { Tone::Text } else { Tone::Dim };
        let room = pen.face.width.saturating_sub(measure_text_width(&gutter)).max(20);
        let shown = if pen.face.drawing { shorten(text, room, pen.face) } else { text.clone() };
        pen.line(&[(Tone::Dim, &gutter), (marked, &shown)]);
        if number == excerpt.line {
            let indent = text.len() - text.trim_start().len();
            let at = excerpt.column.map_or(indent, |column| column.saturating_sub(1) as usize).min(text.len());
            let whole = measure_text_width(text.trim_end()).saturating_sub(indent);
            let length = excerpt.length.map_or(if excerpt.column.is_some() { 1 } else { whole }, |n| n as usize);
            let length = length.clamp(1, 60);
            let left = measure_text_width(&gutter) + at;
            let margin = format!("    {bar} {} {bar} {}", " ".repeat(width), " ".repeat(at));
            let label = format!(" {}", excerpt.label);
            // On a terminal a label that does not fit stands below; elsewhere lines may be long.
            let fits = !pen.face.drawing || left + length + measure_text_width(&label) <= pen.face.width;
            let length = if fits { length } else { length.min(pen.face.width.saturating_sub(left).max(1)) };
            let caret = pen.face.glyph("▔", "^").repeat(length);
            if fits {
                pen.line(&[(Tone::Dim, &margin), (tone, &caret), (tone, &label)]);
            } else {
                pen.line(&[(Tone::Dim, &margin), (tone, &caret)]);
                let margin = format!("    {bar} {} {bar}", " ".repeat(width));
                pen.line(&[(Tone::Dim, &margin), (tone, &label)]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Face;

    #[test]
    fn on_a_narrow_terminal_no_line_is_wider_than_it() {
        let text =
            "        if (blockDim.x > 32) v[t] += v[t + 32];  // the rounds of the last warp, and nothing after it";
        let excerpt = Excerpt {
            file: "k.cu".into(),
            line: 9,
            column: None,
            length: None,
            label: "write by thread 16 of block 0".into(),
            first: 9,
            lines: vec![text.into()],
        };
        let mut pen = Pen::new(Face::terminal(60, false));
        write(&mut pen, &excerpt, Tone::Accent);
        let out = pen.finish();
        assert!(out.lines().all(|line| measure_text_width(line) <= 60), "{out}");
        assert!(out.contains("write by thread 16 of block 0"), "{out}");
    }
}
