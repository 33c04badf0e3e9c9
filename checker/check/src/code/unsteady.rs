//! Macros by which the same file is another kernel: those that hold when it was compiled (`__DATE__`, `__TIME__`, `__TIMESTAMP__`), so that
//! it would get two grades, those that hold what is there on a machine (`__has_include`), and those that hold which compiler it was (`__CUDACC_RTC__`), so that what is judged here is not what nvcc makes
//! of it. Only the file itself is looked at: CUDA's headers ask for their compiler.

use std::collections::BTreeSet;

const CLOCKS: [&str; 3] = ["__DATE__", "__TIME__", "__TIMESTAMP__"];
/// What is there on one machine and not on another.
const MACHINES: [&str; 3] = ["__has_include", "__has_include_next", "__BASE_FILE__"];
const COMPILERS: [&str; 18] = [
    "__CUDACC_RTC__",
    "__NVCC__",
    "__CUDACC_VER_MAJOR__",
    "__CUDACC_VER_MINOR__",
    "__CUDACC_VER_BUILD__",
    "__CUDA_API_VER_MAJOR__",
    "__CUDA_API_VER_MINOR__",
    "CUDART_VERSION",
    "__GNUC__",
    "__GNUC_MINOR__",
    "__GNUC_PATCHLEVEL__",
    "__VERSION__",
    "__clang__",
    "__clang_major__",
    "__clang_minor__",
    "__EDG__",
    "__EDG_VERSION__",
    "_MSC_VER",
];

/// One of them in a text.
#[derive(Debug, PartialEq, Eq)]
pub struct Unsteady {
    /// Where, both from 1; of one that is pasted together (`##`) where the pasting begins.
    pub line: u32,
    pub column: u32,
    /// Which.
    pub name: &'static str,
}

impl Unsteady {
    /// What it does.
    pub fn says(&self) -> String {
        let when = match () {
            () if CLOCKS.contains(&self.name) => "each time that it is compiled",
            () if MACHINES.contains(&self.name) => "on another machine",
            () => "with another compiler",
        };
        format!("`{}` makes another kernel of this file {when}", self.name)
    }
}

/// The first of them that a text has.
pub fn unsteady(text: &str) -> Option<Unsteady> {
    let tokens = tokens(text);
    let found = |at: usize, name: &'static str| {
        let before = &text[..at];
        let column = before.len() - before.rfind('\n').map_or(0, |end| end + 1) + 1;
        Unsteady { line: before.matches('\n').count() as u32 + 1, column: column as u32, name }
    };
    let mut names = CLOCKS.into_iter().chain(MACHINES).chain(COMPILERS);
    for (at, token) in &tokens {
        if let Some(name) = names.clone().find(|name| name == token) {
            return Some(found(*at, name));
        }
    }
    let (at, _) = tokens.iter().find(|(_, token)| token == "##")?;
    let words: BTreeSet<&str> = tokens.iter().map(|(_, token)| token.as_str()).collect();
    let name = names.find(|name| is_pasted(name, &words))?;
    Some(found(*at, name))
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
/// would miss some, and hardly anybody has a reason to name one there.
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
    use super::{Unsteady, unsteady};

    #[test]
    fn a_macro_of_the_clock_is_found_whole_spliced_and_pasted() {
        let found = |text| unsteady(text).map(|Unsteady { line, column, name }| (line, column, name));
        assert_eq!(found("int k;\n  x = __TIME__[7];"), Some((2, 7, "__TIME__")));
        assert_eq!(found("x = __DA\\\nTE__;"), Some((1, 5, "__DATE__")));
        assert_eq!(found("#define T(a, b) a ## b\nT(__TIMEST, AMP__)"), Some((1, 19, "__TIMESTAMP__")));
        assert_eq!(found("#define T(a) _ %:%: a\nT(T(TIME_)_)\n_ __"), Some((1, 16, "__TIME__")));
        assert_eq!(found("#define P(a,b) a #\\ \n# b\nP(__DATE_, _)"), Some((1, 18, "__DATE__")));
        assert_eq!(found("int __TIME = __DATE; x # y"), None);
        assert_eq!(found("int __TI, ME__;"), None);
        assert_eq!(found("#if defined(__NV\\\nCC__)"), Some((1, 13, "__NVCC__")));
    }
}
