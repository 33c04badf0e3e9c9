//! Macros by which the same file is another kernel: those that hold when it was compiled (`__DATE__`, `__TIME__`, `__TIMESTAMP__`), so that
//! it would get two grades, those that hold what is there on a machine (`__has_include`) or where the file lies (`__FILE__`, but for what
//! `printf` is given), and those that hold which compiler it was (`__CUDACC_RTC__`), so that what is judged here is not what nvcc makes
//! of it. Of these there are hundreds, so a condition for the preprocessor may ask for none of the compiler's own that is not known to be
//! the same everywhere. Only the file itself is looked at: CUDA's headers ask for their compiler.

use std::collections::BTreeSet;

const CLOCKS: [&str; 3] = ["__DATE__", "__TIME__", "__TIMESTAMP__"];
/// What is there on one machine and not on another.
const MACHINES: [&str; 3] = ["__has_include", "__has_include_next", "__BASE_FILE__"];
/// Where the file lies.
const FOLDERS: [&str; 4] = ["__FILE__", "__builtin_FILE", "__builtin_source_location", "source_location"];
const COMPILERS: [&str; 19] = [
    "__COUNTER__",
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

/// The compiler's own names that a condition may ask for: what they say does not hang on who compiles; all that begin with the last one.
const SAME: [&str; 8] = [
    "__CUDA_ARCH__",
    "__CUDACC__",
    "__cplusplus",
    "__CUDA_ARCH_LIST__",
    "__CUDA_ARCH_SPECIFIC__",
    "__CUDA_ARCH_FAMILY_SPECIFIC__",
    "__CUDA_ARCH_FEAT_SM90_ALL",
    "__cpp_",
];
/// What system headers define, which nvcc includes by itself, and names of systems that are not the compiler's by their form.
const SYSTEMS: [&str; 12] = [
    "linux",
    "unix",
    "WIN32",
    "NULL",
    "RAND_MAX",
    "EXIT_SUCCESS",
    "EXIT_FAILURE",
    "BUFSIZ",
    "EOF",
    "INT_MAX",
    "UINT_MAX",
    "CHAR_BIT",
];

/// One of them in a text.
#[derive(Debug, PartialEq, Eq)]
pub struct Unsteady {
    /// Where, both from 1; of one that is pasted together (`##`) where the pasting begins.
    pub line: u32,
    pub column: u32,
    /// Which.
    pub name: String,
}

impl Unsteady {
    /// What it does.
    pub fn says(&self) -> String {
        let when = match () {
            () if CLOCKS.contains(&self.name.as_str()) => "each time that it is compiled",
            () if MACHINES.contains(&self.name.as_str()) => "on another machine",
            () if FOLDERS.contains(&self.name.as_str()) => "in another folder",
            () => "with another compiler",
        };
        format!("`{}` makes another kernel of this file {when}", self.name)
    }
}

/// The first of them that a text has.
pub fn unsteady(text: &str) -> Option<Unsteady> {
    let tokens = tokens(text);
    let found = |at: usize, name: &str| {
        let before = &text[..at];
        let column = before.len() - before.rfind('\n').map_or(0, |end| end + 1) + 1;
        Unsteady { line: before.matches('\n').count() as u32 + 1, column: column as u32, name: name.to_owned() }
    };
    let mut names = CLOCKS.into_iter().chain(MACHINES).chain(FOLDERS).chain(COMPILERS);
    for (at, token) in &tokens {
        if let Some(name) = names.clone().find(|name| name == token)
            && !(*name == *"__FILE__" && is_printed(&text[..*at]) && !changes_printf(&tokens))
        {
            return Some(found(*at, name));
        }
    }
    if let Some((at, name)) = asked_for(text) {
        return Some(found(at, name));
    }
    let (at, _) = tokens.iter().find(|(_, token)| token == "##")?;
    let words: BTreeSet<&str> = tokens.iter().map(|(_, token)| token.as_str()).collect();
    let name = names.find(|name| is_pasted(name, &words))?;
    Some(found(*at, name))
}

/// Does a text end among the arguments of `printf`, behind its format?
fn is_printed(text: &str) -> bool {
    let statement = &text[text.rfind([';', '{', '}']).map_or(0, |end| end + 1)..];
    let behind = statement.rsplit_once("printf").and_then(|(_, behind)| behind.trim_start().strip_prefix('('));
    behind.is_some_and(|behind| {
        behind.trim_start().starts_with('"') && behind.trim_end().ends_with(',') && !behind.contains(['(', '['])
    })
}

/// Is `printf` something else here, perhaps?
fn changes_printf(tokens: &[(usize, String)]) -> bool {
    tokens
        .windows(2)
        .any(|two| two[1].1 == "printf" && matches!(two[0].1.as_str(), "define" | "int" | "void" | "auto" | "undef"))
}

/// The first name that a condition for the preprocessor asks for, and that the compiler or a system may or may not have: where, and which.
fn asked_for(text: &str) -> Option<(usize, &str)> {
    let lines = || text.split_inclusive('\n').scan(0, |at, line| Some((std::mem::replace(at, *at + line.len()), line)));
    // A directive goes on behind a backslash: what goes on is looked at as if it were one, too.
    let mut goes_on = false;
    let mut asked = Vec::new();
    let mut defined = BTreeSet::new();
    for (at, line) in lines() {
        let directive = line.trim_start().strip_prefix('#').or_else(|| line.trim_start().strip_prefix("%:"));
        let own = tokens(line);
        let first = own.first().map_or("", |(_, word)| word.as_str()).to_owned();
        if directive.is_some() && first == "define" {
            defined.extend(own.get(1).map(|(_, name)| name.clone()));
        }
        let asks = goes_on
            || directive.is_some()
                && matches!(first.as_str(), "if" | "ifdef" | "ifndef" | "elif" | "elifdef" | "elifndef");
        if asks {
            asked.extend(own.into_iter().map(|(from, word)| (at + from, word.len())));
        }
        goes_on = asks && line.trim_end().ends_with('\\');
    }
    let foreign = |&(at, length): &(usize, usize)| {
        let name = text.get(at..at + length)?;
        let mut letters = name.chars();
        let reserved =
            letters.next() == Some('_') && letters.next().is_some_and(|c| c == '_' || c.is_ascii_uppercase());
        let same = SAME.contains(&name) || SAME.last().is_some_and(|family| name.starts_with(family));
        ((reserved || SYSTEMS.contains(&name)) && !same && !defined.contains(name)).then_some((at, name))
    };
    asked.iter().find_map(foreign)
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
        let all = |text| unsteady(text).map(|Unsteady { line, column, name }| (line, column, name));
        let found = |text| all(text).map(|(line, column, name)| (line, column, name.leak() as &str));
        assert_eq!(found("int k;\n  x = __TIME__[7];"), Some((2, 7, "__TIME__")));
        assert_eq!(found("x = __DA\\\nTE__;"), Some((1, 5, "__DATE__")));
        assert_eq!(found("#define T(a, b) a ## b\nT(__TIMEST, AMP__)"), Some((1, 19, "__TIMESTAMP__")));
        assert_eq!(found("#define T(a) _ %:%: a\nT(T(TIME_)_)\n_ __"), Some((1, 16, "__TIME__")));
        assert_eq!(found("#define P(a,b) a #\\ \n# b\nP(__DATE_, _)"), Some((1, 18, "__DATE__")));
        assert_eq!(found("int __TIME = __DATE; x # y"), None);
        assert_eq!(found("int __TI, ME__;"), None);
        assert_eq!(found("#if defined(__NV\\\nCC__)"), Some((1, 13, "__NVCC__")));
    }

    #[test]
    fn a_file_may_say_where_it_lies_and_not_ask() {
        let found = |text| unsteady(text).map(|found| found.name);
        assert_eq!(found("  printf(\"%s:%d\\n\", __FILE__, __LINE__);"), None);
        assert_eq!(found("#define CHECK(x) if (!(x)) { printf(\"%s\", __FILE__); }"), None);
        for text in [
            "x = sizeof(__FILE__);",
            "printf(\"%d\", sizeof(__FILE__));",
            "printf(__FILE__);",
            "printf(\"%d\", *__FILE__);",
            "#define printf(a, b) sizeof(b)\nx = printf(\"\", __FILE__);",
            "int printf(const char*, const char*);\nx = printf(\"\", __FILE__);",
            "x = *__builtin_FILE();",
            "cuda::std::source_location::current()",
        ] {
            assert!(found(text).is_some(), "{text}");
        }
    }

    #[test]
    fn conditions_ask_for_what_is_the_same_everywhere() {
        let found = |text| unsteady(text).map(|found| (found.line, found.name));
        let named = |line: u32, name: &str| Some((line, name.to_owned()));
        assert_eq!(found("int x;\n#ifdef __linux__\n#endif"), named(2, "__linux__"));
        assert_eq!(found("#if 1 && \\\n defined(_LP64)"), named(2, "_LP64"));
        assert_eq!(found("  %: ifndef RAND_MAX"), named(1, "RAND_MAX"));
        assert_eq!(found("#if defined __COUNTER__"), named(1, "__COUNTER__"));
        for text in [
            "#if __CUDA_ARCH__ >= 900 && defined(__CUDACC__) && __cpp_constexpr",
            "#ifdef DEBUG\n#endif",
            "#ifndef _MY_H\n#define _MY_H\n#endif",
            "int __linux = NULL;",
            "#pragma unroll\n#if 0 // TILE\n",
        ] {
            assert_eq!(found(text), None, "{text}");
        }
    }
}
