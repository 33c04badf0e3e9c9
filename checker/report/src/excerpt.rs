//! Lines of source with a caret under the place.

use super::lines::shorten;
use super::model::Excerpt;
use super::{Pen, Tone, pad};
use console::measure_text_width;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use system::files;
use system::text;

/// What a report may quote: texts that are held here, as the compiler got them, and headers of CUDA. Line information and
/// `#line` are a kernel's own words and can name any file; a name that is not held here is shown, and nothing more.
#[derive(Debug, Default)]
pub struct Sources {
    root: PathBuf,
    /// Lines by the name under which the text was given. `None`: it was asked for and may not be quoted.
    texts: BTreeMap<PathBuf, Option<Vec<String>>>,
    /// Folders of CUDA's headers, free of links.
    headers: Vec<PathBuf>,
    /// A file that has another name in reports than its own.
    renamed: Option<(PathBuf, String)>,
}

/// Largest header that is quoted, in bytes.
const LARGEST_HEADER: u64 = 4 << 20;

impl Sources {
    /// Files inside `root` are named relative to it.
    pub fn new(root: &Path) -> Self {
        Self { root: root.to_path_buf(), ..Self::default() }
    }

    /// Holds a text that may be quoted under this name: what was compiled, not what the file has become since.
    pub fn hold(&mut self, name: &Path, text: &str) {
        self.texts.insert(name.to_path_buf(), Some(lines_of(text)));
    }

    /// Whether a text of that name is held.
    pub fn holds(&self, name: &Path) -> bool {
        matches!(self.texts.get(name), Some(Some(_)))
    }

    /// The text of that name, if it is held.
    pub fn lines(&self, name: &Path) -> &[String] {
        self.texts.get(name).and_then(Option::as_deref).unwrap_or_default()
    }

    /// Headers in these folders may be quoted.
    pub fn allow_headers(&mut self, folders: &[PathBuf]) {
        self.headers.extend(folders.iter().filter_map(|folder| folder.canonicalize().ok()));
    }

    /// Gives a file another name in reports: where a submission is kept is nothing to whoever handed it in.
    pub fn rename(&mut self, file: &Path, name: &str) {
        self.renamed = Some((file.to_path_buf(), name.to_owned()));
    }

    /// The file's name for a report.
    pub fn name(&self, file: &Path) -> String {
        if let Some((_, name)) = self.renamed.as_ref().filter(|(renamed, _)| renamed == file) {
            return name.clone();
        }
        text::path(file.strip_prefix(&self.root).unwrap_or(file))
    }

    /// A header's lines, if the file is one: a regular file that lies in a header folder, links resolved.
    fn header(&self, file: &Path) -> Option<Vec<String>> {
        let file = Some(file).filter(|file| file.is_absolute() && !self.headers.is_empty())?.canonicalize().ok()?;
        self.headers.iter().find(|folder| file.starts_with(folder))?;
        let bytes = files::read_trusted(&file, LARGEST_HEADER).ok()?;
        Some(lines_of(&String::from_utf8_lossy(&bytes)))
    }

    /// A line's text, when it may be quoted and is there.
    pub fn line(&mut self, file: &Path, line: u32) -> Option<&str> {
        if !self.texts.contains_key(file) {
            let found = self.header(file);
            self.texts.insert(file.to_path_buf(), found);
        }
        self.texts.get(file)?.as_ref()?.get((line as usize).checked_sub(1)?).map(String::as_str)
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

fn lines_of(text: &str) -> Vec<String> {
    text.lines().map(|line| text::line(&line.replace('\t', "    ")).into_owned()).collect()
}

/// Characters of a quoted line that are shown at most, and how many of them before the place.
const LONGEST: usize = 240;
const BEFORE: usize = 100;

/// The part of a line around byte `at` that is shown, and where `at` lies in it.
fn window(text: &str, at: usize) -> (Cow<'_, str>, usize) {
    if text.chars().count() <= LONGEST {
        return (Cow::Borrowed(text), at);
    }
    let first = text.char_indices().rev().map(|(index, _)| index).filter(|index| *index <= at).nth(BEFORE).unwrap_or(0);
    let part: String = text[first..].chars().take(LONGEST).collect();
    let (head, tail) = (if first > 0 { "..." } else { "" }, if text.len() > first + part.len() { "..." } else { "" });
    (Cow::Owned(format!("{head}{part}{tail}")), at - first + head.len())
}

/// Writes an excerpt: place, lines, caret with its label. Without `context` only the line concerned.
pub fn write(pen: &mut Pen, excerpt: &Excerpt, tone: Tone, context: bool) {
    let column = excerpt.column.map(|column| format!(":{column}")).unwrap_or_default();
    let place = format!("{}:{}{column}", excerpt.file, excerpt.line);
    pen.line(&[(Tone::Text, "    "), (Tone::Dim, pen.face.glyph("╭─ ", "--> ")), (Tone::Accent, &place)]);
    let bar = pen.face.glyph("│", "|");
    let width = excerpt.line.to_string().len();
    for (offset, text) in excerpt.lines.iter().enumerate() {
        let number = excerpt.first + offset as u32;
        if number != excerpt.line && !context {
            continue;
        }
        let indent = text.len() - text.trim_start().len();
        let column = excerpt.column.filter(|_| number == excerpt.line);
        let at = column.map_or(indent, |column| column.saturating_sub(1) as usize).min(text.len());
        let (text, at) = window(text, at);
        let gutter = format!("    {bar} {} {bar} ", pad(&number.to_string(), width, true));
        let marked = if number == excerpt.line { Tone::Text } else { Tone::Dim };
        let room = pen.face.width.saturating_sub(measure_text_width(&gutter)).max(20);
        let shown = if pen.face.drawing { shorten(&text, room, pen.face) } else { text.to_string() };
        pen.line(&[(Tone::Dim, &gutter), (marked, &shown)]);
        if number == excerpt.line {
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
    use crate::Face;

    #[test]
    fn of_a_very_long_line_the_place_is_shown() {
        assert_eq!(window("short", 3), ("short".into(), 3));
        let long = format!("{}HERE{}", "é".repeat(500), "b".repeat(500));
        for at in [0, 1000, 1500] {
            let (shown, place) = window(&long, at);
            assert!(shown.chars().count() <= LONGEST + 6, "{shown}");
            assert_eq!(shown[place..].chars().next(), long[at..].chars().next());
        }
    }

    #[test]
    fn only_what_is_held_and_headers_are_quoted() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::create_dir_all(at("include/cuda")).unwrap();
        for (name, text) in [("k.cu", "newer"), ("solution.cu", "secret"), ("include/cuda/x.h", "header")] {
            std::fs::write(at(name), text).unwrap();
        }
        #[cfg(unix)]
        std::os::unix::fs::symlink(at("solution.cu"), at("include/way.h")).unwrap();
        let mut sources = Sources::new(folder.path());
        sources.hold(&at("k.cu"), "as compiled\n\u{1b}[2J");
        sources.allow_headers(&[at("include")]);
        assert_eq!(sources.line(&at("k.cu"), 1), Some("as compiled"));
        assert_eq!(sources.line(&at("k.cu"), 2), Some("\\x1b[2J"));
        assert_eq!(sources.line(&at("include/cuda/x.h"), 1), Some("header"));
        assert_eq!(sources.line(&at("include/../include/cuda/x.h"), 1), Some("header"));
        for name in ["solution.cu", "include/way.h", "include/../solution.cu", "include", "/etc/passwd"] {
            assert_eq!(sources.line(&at(name), 1), None, "{name}");
        }
        assert_eq!(sources.line(Path::new("solution.cu"), 1), None);
        assert_eq!(Sources::default().line(&at("include/cuda/x.h"), 1), None, "no header folder, no header");
    }

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
        write(&mut pen, &excerpt, Tone::Accent, true);
        let out = pen.finish();
        assert!(out.lines().all(|line| measure_text_width(line) <= 60), "{out}");
        assert!(out.contains("write by thread 16 of block 0"), "{out}");
    }
}
