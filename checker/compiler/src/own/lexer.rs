//! C++ text as tokens with their places: enough to find where declarations begin and end. Comments and literals are
//! stepped over, a preprocessor directive is one token, whatever it holds.

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A name or a keyword.
    Name,
    /// A number, a string or a character.
    Literal,
    /// One character of punctuation; `::` is one token.
    Punct,
    /// A preprocessor directive with its continuation lines.
    Directive,
}

/// A token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token<'a> {
    /// What it is.
    pub kind: Kind,
    /// As it stands.
    pub text: &'a str,
    /// Byte at which it starts.
    pub start: usize,
}

impl Token<'_> {
    /// Byte after its last.
    pub fn end(&self) -> usize {
        self.start + self.text.len()
    }

    /// Is it this punctuation or this name?
    pub fn is(&self, text: &str) -> bool {
        matches!(self.kind, Kind::Name | Kind::Punct) && self.text == text
    }
}

/// All tokens of a text.
pub fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut at = 0;
    let mut line_start = true;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        if c == '\n' || c.is_whitespace() {
            line_start |= c == '\n';
            at += c.len_utf8();
            continue;
        }
        if let Some(length) = comment(rest) {
            at += length;
            continue;
        }
        let (kind, length) = match c {
            '#' if line_start => (Kind::Directive, directive(rest)),
            '"' | '\'' => (Kind::Literal, quoted(rest, c)),
            _ if is_start(c) => {
                let length = rest.find(|c: char| !is_part(c)).unwrap_or(rest.len());
                match (&rest[..length], rest[length..].chars().next()) {
                    ("R" | "LR" | "uR" | "UR" | "u8R", Some('"')) => (Kind::Literal, length + raw(&rest[length..])),
                    ("L" | "u" | "U" | "u8", Some(quote @ ('"' | '\''))) => {
                        (Kind::Literal, length + quoted(&rest[length..], quote))
                    }
                    _ => (Kind::Name, length),
                }
            }
            '.' if rest[1..].starts_with(|c: char| c.is_ascii_digit()) => (Kind::Literal, number(rest)),
            _ if c.is_ascii_digit() => (Kind::Literal, number(rest)),
            ':' if rest.starts_with("::") => (Kind::Punct, 2),
            _ => (Kind::Punct, c.len_utf8()),
        };
        tokens.push(Token { kind, text: &rest[..length], start: at });
        line_start = kind == Kind::Directive;
        at += length;
    }
    tokens
}

/// Length of the comment that the text starts with.
fn comment(rest: &str) -> Option<usize> {
    if let Some(body) = rest.strip_prefix("//") {
        return Some(2 + line_end(body));
    }
    let body = rest.strip_prefix("/*")?;
    Some(2 + body.find("*/").map_or(body.len(), |at| at + 2))
}

/// Up to the line feed that ends a logical line: one that no backslash is before.
fn line_end(text: &str) -> usize {
    let spliced = |before: &str| before.trim_end_matches('\r').ends_with('\\');
    text.match_indices('\n').map(|(at, _)| at).find(|at| !spliced(&text[..*at])).unwrap_or(text.len())
}

/// Length of a directive: a logical line, without a `//` comment at its end; a `/* */` in it may span lines.
fn directive(rest: &str) -> usize {
    let mut at = 0;
    while let Some(c) = rest[at..].chars().next() {
        let here = &rest[at..];
        at += match c {
            '\n' if rest[..at].trim_end_matches('\r').ends_with('\\') => 1,
            '\n' => return at,
            '/' if here.starts_with("//") => return at,
            '/' if here.starts_with("/*") => comment(here).unwrap_or(1),
            '"' => quoted(here, c),
            _ => c.len_utf8(),
        };
    }
    at
}

/// Length of a literal; one that is not closed ends with its line.
fn quoted(rest: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            '\n' if !escaped => return at,
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            c if c == quote => return at + 1,
            _ => {}
        }
    }
    rest.len()
}

/// Length of `"delimiter( ... )delimiter"`.
fn raw(rest: &str) -> usize {
    let Some((delimiter, body)) = rest[1..].split_once('(') else { return rest.len() };
    let close = format!("){delimiter}\"");
    body.find(&close).map_or(rest.len(), |at| 1 + delimiter.len() + 1 + at + close.len())
}

/// Length of a preprocessor number: digits, letters, points, `'` between digits, signs of exponents.
fn number(rest: &str) -> usize {
    let bytes = rest.as_bytes();
    let mut at = 1;
    while at < bytes.len() {
        let sign = matches!(bytes[at], b'+' | b'-') && matches!(bytes[at - 1], b'e' | b'E' | b'p' | b'P');
        let hex_e = sign && rest.starts_with("0x") && matches!(bytes[at - 1], b'e' | b'E');
        let separator = bytes[at] == b'\'' && bytes.get(at + 1).is_some_and(u8::is_ascii_alphanumeric);
        if !(bytes[at].is_ascii_alphanumeric() || matches!(bytes[at], b'.' | b'_') || separator || sign && !hex_e) {
            break;
        }
        at += 1;
    }
    at
}

fn is_start(c: char) -> bool {
    c.is_alphabetic() || c == '_' || c == '$'
}

fn is_part(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_comments_and_directives_hide_what_they_hold() {
        let text = "a/*{*/b\"{\\\"{\"'{'R\"x({)\")x\"// {\n#define F(x) { \\\n  {\n  # if 0 // {\nc 1'000'000e+3 .5f{::u8\"}\"";
        let found: Vec<(Kind, &str)> = tokens(text).iter().map(|token| (token.kind, token.text)).collect();
        let expected = [
            (Kind::Name, "a"),
            (Kind::Name, "b"),
            (Kind::Literal, "\"{\\\"{\""),
            (Kind::Literal, "'{'"),
            (Kind::Literal, "R\"x({)\")x\""),
            (Kind::Directive, "#define F(x) { \\\n  {"),
            (Kind::Directive, "# if 0 "),
            (Kind::Name, "c"),
            (Kind::Literal, "1'000'000e+3"),
            (Kind::Literal, ".5f"),
            (Kind::Punct, "{"),
            (Kind::Punct, "::"),
            (Kind::Literal, "u8\"}\""),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn what_is_never_closed_ends_with_the_text() {
        for text in ["/* a", "\"a", "'a", "R\"x(a", "#define A \\", "#", "R\"", "0x1e+", "é"] {
            let last = tokens(text).last().map_or(0, |token| token.end());
            assert!(last <= text.len(), "{text}");
        }
    }
}
