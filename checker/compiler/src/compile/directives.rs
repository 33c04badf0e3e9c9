//! A source without directives that rename its lines: `#line 5 "other"`, `# 5 "other"`. Lines are those of the file,
//! whatever it says of itself.
//!
//! The text is read as a preprocessor reads it: trigraphs and line splices undone, comments and literals skipped, raw
//! strings as they stand, a directive where its mark (`#`, `%:`, `??=`) is the first thing on a line but for blanks and
//! comments. The directive's characters become blanks; nothing moves.

/// A character with its place in the text, splices undone.
#[derive(Debug, Clone, Copy)]
struct Logical {
    c: char,
    /// Bytes from `at` to `end` are what it was written with.
    at: usize,
    end: usize,
}

/// The text with such directives blanked.
pub fn without_line_directives(text: &str) -> String {
    if !text.contains(['#', '%', '?']) {
        return text.to_owned();
    }
    let chars = logical(text);
    let mut blanks: Vec<(usize, usize)> = Vec::new();
    let mut at = 0;
    let mut fresh = true;
    while at < chars.len() {
        let rest = &chars[at..];
        if let Some(length) = comment(rest) {
            at += length;
            continue;
        }
        match rest[0].c {
            '\n' => fresh = true,
            c if c.is_whitespace() => {}
            _ if fresh => {
                fresh = false;
                if let Some(length) = mark(rest) {
                    let end = at + directive_end(rest);
                    if renames(&chars[at + length..end]) {
                        blanks.push((chars[at].at, chars[end - 1].end));
                    }
                    at = end;
                    continue;
                }
                at += literal(text, &chars, at).unwrap_or(1);
                continue;
            }
            _ => {
                at += literal(text, &chars, at).unwrap_or(1);
                continue;
            }
        }
        at += 1;
    }
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    for (start, end) in blanks {
        out.push_str(&text[from..start]);
        out.extend(text[start..end].chars().map(|c| if c == '\n' { '\n' } else { ' ' }));
        from = end;
    }
    out.push_str(&text[from..]);
    out
}

fn logical(text: &str) -> Vec<Logical> {
    let mut chars = Vec::with_capacity(text.len());
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        let slash = if c == '\\' {
            1
        } else if rest.starts_with("??/") {
            3
        } else {
            0
        };
        if slash > 0 {
            // Compilers take blanks between the backslash and the line's end for nothing.
            let after = rest[slash..].trim_start_matches([' ', '\t', '\r', '\u{b}', '\u{c}']);
            if after.starts_with('\n') {
                at += rest.len() - after.len() + 1;
                continue;
            }
        }
        chars.push(Logical { c, at, end: at + c.len_utf8() });
        at += c.len_utf8();
    }
    chars
}

fn starts_with(chars: &[Logical], text: &str) -> bool {
    let mut rest = chars.iter();
    text.chars().all(|c| rest.next().is_some_and(|next| next.c == c))
}

/// Length of the comment that begins here, without the newline after it.
fn comment(rest: &[Logical]) -> Option<usize> {
    if starts_with(rest, "//") {
        return Some(rest.iter().position(|next| next.c == '\n').unwrap_or(rest.len()));
    }
    if !starts_with(rest, "/*") {
        return None;
    }
    let end = rest[2..].windows(2).position(|pair| pair[0].c == '*' && pair[1].c == '/');
    Some(end.map_or(rest.len(), |end| end + 4))
}

/// Length of the mark that begins a directive.
fn mark(rest: &[Logical]) -> Option<usize> {
    ["#", "%:", "??="].into_iter().find(|mark| starts_with(rest, mark)).map(str::len)
}

/// Length up to the end of the directive's line; comments in it may span lines.
fn directive_end(rest: &[Logical]) -> usize {
    let mut at = 0;
    while at < rest.len() && rest[at].c != '\n' {
        at += comment(&rest[at..]).unwrap_or(1);
    }
    at
}

/// `line ...`, or a number, after blanks and comments.
fn renames(mut rest: &[Logical]) -> bool {
    loop {
        if let Some(length) = comment(rest) {
            rest = &rest[length..];
        } else if rest.first().is_some_and(|next| next.c.is_whitespace()) {
            rest = &rest[1..];
        } else {
            break;
        }
    }
    let word: String = rest.iter().map(|next| next.c).take_while(|c| c.is_alphanumeric() || *c == '_').collect();
    word == "line" || word.starts_with(|c: char| c.is_ascii_digit())
}

/// Length of the name, string or character that begins here.
fn literal(text: &str, chars: &[Logical], at: usize) -> Option<usize> {
    let rest = &chars[at..];
    let name = rest.iter().take_while(|next| next.c.is_alphanumeric() || next.c == '_').count();
    let quote = rest.get(name)?.c;
    let prefix: String = rest[..name].iter().map(|next| next.c).collect();
    if quote == '"' && matches!(prefix.as_str(), "R" | "LR" | "uR" | "UR" | "u8R") {
        // In a raw string splices are not undone: its end is looked for in the text itself.
        let start = rest[name].end;
        let delimiter = &text[start..start + text[start..].find('(')?];
        if delimiter.len() <= 16 && !delimiter.contains([' ', '\\', ')', '\n', '\t', '"']) {
            let close = format!("){delimiter}\"");
            let end = text[start..].find(&close).map_or(text.len(), |found| start + found + close.len());
            return Some(rest.iter().take_while(|next| next.at < end).count());
        }
    }
    // A digit separator is no quote.
    let number = prefix.starts_with(|c: char| c.is_ascii_digit());
    if !matches!(quote, '"' | '\'') || (number && quote == '\'') {
        return Some(name.max(1)).filter(|_| name > 0).map(|name| name + usize::from(number && quote == '\''));
    }
    let mut escaped = false;
    for (index, next) in rest.iter().enumerate().skip(name + 1) {
        match next.c {
            // One that is not closed ends with its line.
            '\n' => return Some(index),
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            c if c == quote => return Some(index + 1),
            _ => {}
        }
    }
    Some(rest.len())
}

#[cfg(test)]
mod tests {
    use super::without_line_directives as without;

    #[test]
    fn every_spelling_is_blanked() {
        for hostile in [
            "#line 5 \"/etc/passwd\"",
            "  # line 5 \"/etc/passwd\"",
            "/* a */ #line 5 \"/etc/passwd\"",
            "# /* a\nb */ line 5 \"/etc/passwd\"",
            "/* a\n*/#/**/line 5 \"/etc/passwd\"",
            "%:line 5 \"/etc/passwd\"",
            "??=line 5 \"/etc/passwd\"",
            "#li\\\nne 5 \"/etc/passwd\"",
            "#li\\  \nne 5 \"/etc/passwd\"",
            "#??/\nline 5 \"/etc/passwd\"",
            "# 5 \"/etc/passwd\"",
            "#\t5 \"/etc/passwd\" 1 3",
            "#line X",
            "#line/**/5 \"/etc/passwd\"",
            "\u{c}#\u{b}line 5 \"/etc/passwd\"",
            "#line 5 \\\n\"/etc/passwd\"",
        ] {
            let text = format!("int a;\n{hostile}\nint b;\n");
            let out = without(&text);
            assert!(!out.contains("passwd") && !out.contains("line"), "{hostile}: {out}");
            assert!(out.starts_with("int a;\n") && out.ends_with("\nint b;\n"), "{out}");
            assert_eq!(out.lines().count(), text.lines().count(), "{hostile}");
        }
    }

    #[test]
    fn what_is_no_such_directive_stays() {
        for text in [
            "#define line 5\n#if 1\n#endif\n#pragma unroll\n",
            "const char* s = \"\\\n#line 5\";\n",
            "const char* s = R\"x(\n#line 5 \"k\"\n)\" )x\";\n",
            "// \\\n#line 5\nint a;\n",
            "/*\n#line 5\n*/\n",
            "int a = 1'000; // it's\n#define F(x) #x\n",
            "char c = '\"'; char d = '\\'';\n#define G a ## b\n",
            "a = b %:c;\n",
            "#error line 5\n#include <line.h>\n",
        ] {
            assert_eq!(without(text), text);
        }
    }
}
