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

/// Words and `##` with where each begins. What stands in comments and strings is among them: who reads these as the compiler does not
/// would miss some, and nobody has a reason to name a clock there.
fn tokens(text: &str) -> Vec<(usize, String)> {
    let text = unspliced(text);
    let mut found: Vec<(usize, String)> = Vec::new();
    // The last token may go on.
    let mut open = false;
    for (index, &(at, c)) in text.iter().enumerate() {
        let is = |word: &str| word.chars().eq(text[index..].iter().take(word.len()).map(|(_, c)| *c));
        let word = c.is_alphanumeric() || c == '_';
        match found.last_mut() {
            Some((_, token)) if word && open => token.push(c),
            _ if word => found.push((at, c.to_string())),
            _ if is("##") || is("%:%:") => found.push((at, "##".to_owned())),
            _ => {}
        }
        open = word;
    }
    found
}

/// The characters and where they are, without the ends of lines that a backslash, blanks or none behind it, makes go on.
fn unspliced(text: &str) -> Vec<(usize, char)> {
    let splice = |text: &str| {
        let behind = text.strip_prefix('\\')?.trim_start_matches([' ', '\t', '\r', '\u{b}', '\u{c}']);
        Some(text.len() - behind.strip_prefix('\n')?.len())
    };
    let mut left_out = 0;
    let kept = text.char_indices().filter(|(at, _)| {
        left_out = splice(&text[*at..]).map_or(left_out, |length| at + length);
        *at >= left_out
    });
    kept.collect()
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
