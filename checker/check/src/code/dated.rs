//! Macros that hold when a file was compiled: `__DATE__`, `__TIME__`, `__TIMESTAMP__`. The compiler lets nobody redefine them, and a
//! kernel that has them is another one each time: the same file would get two grades.

use std::collections::BTreeSet;

const MACROS: [&str; 3] = ["__DATE__", "__TIME__", "__TIMESTAMP__"];

/// The first of them that a text has, with its line and column, both from 1; pasted together (`##`) it is where the pasting begins.
pub fn dated(text: &str) -> Option<(u32, u32, &'static str)> {
    let tokens = tokens(text);
    let place = |at: usize| {
        let before = &text[..at];
        let column = before.len() - before.rfind('\n').map_or(0, |end| end + 1) + 1;
        (before.matches('\n').count() as u32 + 1, column as u32)
    };
    for (at, token) in &tokens {
        if let Some(name) = MACROS.into_iter().find(|name| name == token) {
            let (line, column) = place(*at);
            return Some((line, column, name));
        }
    }
    let (at, _) = tokens.iter().find(|(_, token)| token == "##")?;
    let words: BTreeSet<&str> = tokens.iter().map(|(_, token)| token.as_str()).collect();
    let name = MACROS.into_iter().find(|name| is_pasted(name, &words))?;
    let (line, column) = place(*at);
    Some((line, column, name))
}

/// Can a name be made of these words, one behind the other?
fn is_pasted(name: &str, words: &BTreeSet<&str>) -> bool {
    let mut reached = vec![false; name.len() + 1];
    reached[0] = true;
    for from in 0..name.len() {
        for to in from + 1..=name.len() {
            reached[to] |= reached[from] && words.contains(&name[from..to]);
        }
    }
    reached[name.len()]
}

/// Words and `##` with where each begins; lines that end in a backslash go on. What stands in comments and strings is among them: who
/// reads these as the compiler does not would miss some, and nobody has a reason to name a clock there.
fn tokens(text: &str) -> Vec<(usize, String)> {
    let mut rest = text.char_indices();
    let mut found: Vec<(usize, String)> = Vec::new();
    // The last token may go on.
    let mut open = false;
    while let Some((at, c)) = rest.next() {
        if spliced(&text[at..]).is_some() {
            rest.find(|(_, c)| *c == '\n');
        } else if c.is_alphanumeric() || c == '_' {
            match found.last_mut() {
                Some((_, token)) if open => token.push(c),
                _ => found.push((at, c.to_string())),
            }
            open = true;
        } else {
            open = false;
            if is_paste(&text[at..]) {
                found.push((at, "##".to_owned()));
            }
        }
    }
    found
}

/// What is behind a backslash that ends a line, blanks or none between.
fn spliced(text: &str) -> Option<&str> {
    text.strip_prefix('\\')?.trim_start_matches([' ', '\t', '\r', '\u{b}', '\u{c}']).strip_prefix('\n')
}

fn is_paste(mut text: &str) -> bool {
    let mut next = || {
        while let Some(behind) = spliced(text) {
            text = behind;
        }
        let c = text.chars().next()?;
        text = &text[c.len_utf8()..];
        Some(c)
    };
    match next() {
        Some('#') => next() == Some('#'),
        Some('%') => [Some(':'), Some('%'), Some(':')].into_iter().all(|wanted| next() == wanted),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::dated;

    #[test]
    fn a_macro_of_the_clock_is_found_whole_spliced_and_pasted() {
        assert_eq!(dated("int k;\n  x = __TIME__[7];"), Some((2, 7, "__TIME__")));
        assert_eq!(dated("x = __DA\\\nTE__;"), Some((1, 5, "__DATE__")));
        assert_eq!(dated("#define T(a, b) a ## b\nT(__TIMEST, AMP__)"), Some((1, 19, "__TIMESTAMP__")));
        assert_eq!(dated("#define T(a) _ %:%: a\nT(T(TIME_)_)\n_ __"), Some((1, 16, "__TIME__")));
        assert_eq!(dated("#define P(a,b) a #\\ \n# b\nP(__DATE_, _)"), Some((1, 18, "__DATE__")));
        assert_eq!(dated("int __TIME = __DATE; x # y"), None);
        assert_eq!(dated("int __TI, ME__;"), None);
    }
}
