//! Text that may be shown: the one place that decides which characters reach a terminal, a pipe or a JSON reader.
//!
//! What a kernel, a file name, a TOML text or a compiler says is data. Control characters and characters that nobody
//! sees (direction overrides, zero-width ones) are shown as escapes, so that no text moves the cursor, recolours or
//! reorders what stands beside it, or hides something. Only [`Screen`] is printed. Whoever makes one from plain text
//! gets it cleaned; our own colours are the only escapes that survive.

use std::borrow::Cow;
use std::fmt::{self, Write};
use std::ops::Deref;
use std::path::Path;

/// Must not be shown as it is: controls (C0, DEL, C1), direction overrides, characters without a width, separators that
/// some programs take for line ends, tags, noncharacters. Newline and tab are among them; callers know where these may
/// stand.
fn hostile(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{2800}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{fdd0}'..='\u{fdef}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}'
            | '\u{13430}'..='\u{1343f}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
        || u32::from(c) & 0xfffe == 0xfffe
}

fn escape(c: char, out: &mut String) {
    let written = match c {
        '\n' => out.write_str("\\n"),
        '\r' => out.write_str("\\r"),
        '\t' => out.write_str("\\t"),
        c if u32::from(c) < 0x100 => write!(out, "\\x{:02x}", u32::from(c)),
        c => write!(out, "\\u{{{:x}}}", u32::from(c)),
    };
    // Writing to a string cannot fail.
    debug_assert!(written.is_ok());
}

fn escaped(text: &str, keep: impl Fn(char) -> bool) -> Cow<'_, str> {
    let bad = |c: char| hostile(c) && !keep(c);
    // Listings are megabytes of plain ASCII.
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~') || (byte.is_ascii() && keep(char::from(byte)))) {
        return Cow::Borrowed(text);
    }
    if !text.contains(bad) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    text.chars().for_each(|c| if bad(c) { escape(c, &mut out) } else { out.push(c) });
    Cow::Owned(out)
}

/// A whole number with commas between thousands.
pub fn grouped(value: i64) -> String {
    let digits = value.unsigned_abs().to_string();
    let mut text = String::from(if value < 0 { "-" } else { "" });
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Text of several lines: newlines and tabs stay, a carriage return before a newline goes.
pub fn clean(text: &str) -> Cow<'_, str> {
    let unix: Cow<'_, str> =
        if text.contains("\r\n") { text.replace("\r\n", "\n").into() } else { Cow::Borrowed(text) };
    match unix {
        Cow::Borrowed(text) => escaped(text, |c| c == '\n' || c == '\t'),
        Cow::Owned(text) => Cow::Owned(escaped(&text, |c| c == '\n' || c == '\t').into_owned()),
    }
}

/// Text that stays on its line: a newline in it would begin a line of somebody else's making.
pub fn line(text: &str) -> Cow<'_, str> {
    escaped(text, |c| c == '\t')
}

/// Text as one word of a shell's command line, on one line, for a reader to paste: nothing in it is run, whatever somebody called
/// himself.
pub fn word(text: &str) -> String {
    let text = escaped(text, |_| false);
    let plain = |c: char| c.is_ascii_alphanumeric() || "_./@%+:,-".contains(c);
    match !text.is_empty() && text.chars().all(plain) {
        true => text.into_owned(),
        false => format!("'{}'", text.replace('\'', "'\\''")),
    }
}

/// Bytes that are mostly UTF-8, cleaned; the others as `\xff`.
pub fn bytes(bytes: &[u8]) -> String {
    let mut out = String::new();
    for chunk in bytes.utf8_chunks() {
        out.push_str(&clean(chunk.valid()));
        chunk.invalid().iter().for_each(|byte| out.push_str(&format!("\\x{byte:02x}")));
    }
    out
}

/// The name of a source file that the compiler and its debug information get: the bare file name, so that the result does not
/// depend on the folder.
pub fn source_name(file: &Path) -> String {
    let plain =
        |name: &&str| name.ends_with(".cu") && name.chars().all(|c| c.is_ascii_alphanumeric() || "._-+".contains(c));
    file.file_name().and_then(|name| name.to_str()).filter(plain).unwrap_or("kernel.cu").to_owned()
}

/// A path on one line, whatever its bytes.
pub fn path(path: &Path) -> String {
    let mut out = String::new();
    for chunk in path.as_os_str().as_encoded_bytes().utf8_chunks() {
        out.push_str(&escaped(chunk.valid(), |_| false));
        chunk.invalid().iter().for_each(|byte| out.push_str(&format!("\\x{byte:02x}")));
    }
    out
}

/// Finished text for the reader: nothing in it acts on a terminal but colours of ours.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Screen(String);

impl Screen {
    /// Several lines that hold colours of ours: of escape sequences, only those that set a colour survive. Whatever text
    /// of others stands in them must have been cleaned before it was coloured.
    pub fn painted(text: &str) -> Self {
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(at) = rest.find('\u{1b}') {
            out.push_str(&clean(&rest[..at]));
            let length = colour(&rest[at..]);
            match length {
                0 => out.push_str("\\x1b"),
                length => out.push_str(&rest[at..at + length]),
            }
            rest = &rest[at + length.max(1)..];
        }
        out.push_str(&clean(rest));
        Self(out)
    }

    /// JSON text: what is escaped here is escaped as JSON does it. Such characters stand inside strings only.
    pub fn json(text: &str) -> Self {
        let mut out = String::with_capacity(text.len());
        for c in text.chars() {
            if c != '\n' && hostile(c) {
                let mut units = [0; 2];
                c.encode_utf16(&mut units).iter().for_each(|unit| out.push_str(&format!("\\u{unit:04x}")));
            } else {
                out.push(c);
            }
        }
        Self(out)
    }

    /// Clears the terminal; scrollback stays.
    pub fn clear() -> Self {
        Self("\u{1b}[2J\u{1b}[H".to_owned())
    }

    /// The text itself.
    pub fn into_string(self) -> String {
        self.0
    }
}

/// Length of the colour sequence that `text` begins with: ESC, `[`, digits and semicolons, `m`; 0 if there is none.
fn colour(text: &str) -> usize {
    let Some(rest) = text.strip_prefix("\u{1b}[") else { return 0 };
    let digits = rest.find(|c: char| !c.is_ascii_digit() && c != ';').unwrap_or(rest.len());
    if digits <= 16 && rest[digits..].starts_with('m') { digits + 3 } else { 0 }
}

impl Deref for Screen {
    type Target = str;
    fn deref(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Screen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<&str> for Screen {
    fn from(text: &str) -> Self {
        Self(clean(text).into_owned())
    }
}

impl From<String> for Screen {
    fn from(text: String) -> Self {
        Self::from(text.as_str())
    }
}

impl From<&String> for Screen {
    fn from(text: &String) -> Self {
        Self::from(text.as_str())
    }
}

impl From<&Screen> for Screen {
    fn from(screen: &Screen) -> Self {
        screen.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_for_a_shell_is_one_whatever_it_holds() {
        for (text, said) in [
            ("ada", "ada"),
            ("Jane Doe (4711)", "'Jane Doe (4711)'"),
            ("$(x)`y`", "'$(x)`y`'"),
            ("it's", "'it'\\''s'"),
            ("a\nb\u{202e}", "'a\\nb\\u{202e}'"),
            ("", "''"),
            ("a!b", "'a!b'"),
        ] {
            assert_eq!(word(text), said);
        }
    }

    #[test]
    fn nothing_that_acts_on_a_terminal_survives() {
        // Title, clipboard, clear, colour, 8-bit CSI, bell, backspace, override, isolate, zero width, tag, line separator.
        let texts = [
            ("\u{1b}]0;x\u{7}", "\\x1b]0;x\\x07"),
            ("\u{1b}]52;c;eA==\u{1b}\\", "\\x1b]52;c;eA==\\x1b\\"),
            ("a\u{1b}[2Jb\u{8}c\rd", "a\\x1b[2Jb\\x08c\\rd"),
            ("\u{9b}31m\u{90}q", "\\x9b31m\\x90q"),
            ("\u{7f}\u{0}", "\\x7f\\x00"),
            ("\u{202e}abc\u{2066}\u{200b}\u{e0041}\u{2028}", "\\u{202e}abc\\u{2066}\\u{200b}\\u{e0041}\\u{2028}"),
        ];
        for (hostile, shown) in texts {
            assert_eq!(&*Screen::from(hostile), shown);
            assert_eq!(line(hostile), shown);
        }
    }

    #[test]
    fn ordinary_text_is_left_alone() {
        let text = "größe = 3 µs, 数, שלום, 👍\n\tif (x) { return; } // é\n";
        assert!(matches!(clean(text), Cow::Borrowed(_)));
        assert_eq!(clean("a\r\nb"), "a\nb");
        assert_eq!(line("a\nPASSED"), "a\\nPASSED");
    }

    #[test]
    fn of_painted_text_only_colours_survive() {
        assert_eq!(
            &*Screen::painted("\u{1b}[1;31mred\u{1b}[0m \u{1b}[2J \u{1b}"),
            "\u{1b}[1;31mred\u{1b}[0m \\x1b[2J \\x1b"
        );
    }

    #[test]
    fn json_stays_json() {
        let value = serde_json::json!({ "k": "\u{1b}[2J\u{9b}\u{7f}\u{202e}\u{e0041}\n" });
        let shown = Screen::json(&format!("{value:#}"));
        assert!(shown.chars().all(|c| c == '\n' || !hostile(c)), "{shown}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&shown).unwrap(), value);
    }

    #[cfg(unix)]
    #[test]
    fn a_path_is_one_line() {
        use std::os::unix::ffi::OsStrExt;
        let name = std::ffi::OsStr::from_bytes(b"a\nPASSED\t\xff\x1b[2J.cu");
        assert_eq!(path(Path::new(name)), "a\\nPASSED\\t\\xff\\x1b[2J.cu");
    }
}
