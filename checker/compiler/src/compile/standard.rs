//! Which C++ a source is compiled as: C++17, as it is for nvcc without an option; C++20 where its own words are of C++20.
//!
//! The text alone decides, so that the same text always becomes the same code.

use super::CompileRequest;
use super::error::{Diagnostic, Severity};
use crate::own::lexer::{Kind, Token, tokens};
use crate::own::macros::directive;

/// The option for C++17.
const USUAL: &str = "--std=c++17";
/// The option for C++20.
pub const LATER: &str = "--std=c++20";

/// Headers that C++20 brought.
const HEADERS: [&str; 8] = ["bit", "compare", "concepts", "format", "numbers", "ranges", "source_location", "span"];
/// Names in `std` that it brought, besides those headers' own.
const NAMES: [&str; 4] = ["span", "floating_point", "integral", "strong_ordering"];

/// The option.
pub fn option(request: &CompileRequest) -> &'static str {
    let mut texts = std::iter::once(&request.source).chain(request.headers.iter().map(|(_, text)| text));
    if texts.any(|text| later(text).is_some()) { LATER } else { USUAL }
}

/// What is said of a source that is compiled as C++20, at the word that asks for it.
pub fn remark(request: &CompileRequest) -> Option<Diagnostic> {
    let own = later(&request.source).map(|(at, word)| {
        let line = 1 + request.source[..at].matches('\n').count();
        (Some(line as u32), format!("compiled as C++20: it has `{word}`"))
    });
    let beside = || {
        let found = |(name, text): &(String, String)| Some((name.clone(), later(text)?.1.to_owned()));
        let (name, word) = request.headers.iter().find_map(found)?;
        Some((None, format!("compiled as C++20: {name} has `{word}`")))
    };
    let (line, message) = own.or_else(beside)?;
    let text = line.and_then(|line| request.source.lines().nth(line as usize - 1)).map(str::to_owned);
    Some(Diagnostic { severity: Severity::Remark, line, text, message, ..Diagnostic::about_file(&request.file, "") })
}

/// The first word of C++20 in a text, and where it stands.
fn later(text: &str) -> Option<(usize, &str)> {
    // Most texts have none of these letters.
    const LETTERS: [&str; 9] =
        ["concept", "requires", "consteval", "constinit", "<=>", "]<", "] <", "std::", "include"];
    if !LETTERS.iter().any(|letters| text.contains(letters)) {
        return None;
    }
    let all = tokens(text);
    (0..all.len()).find_map(|at| Some((all[at].start, word(text, &all, at)?)))
}

/// The word of C++20 at a token.
fn word<'t>(text: &'t str, all: &[Token<'t>], at: usize) -> Option<&'t str> {
    let token = all[at];
    let is = |at: usize, text: &str| all.get(at).is_some_and(|token| token.is(text));
    let name = |at: usize| all.get(at).is_some_and(|token| token.kind == Kind::Name);
    let behind = |signs: &[&str]| at.checked_sub(1).is_some_and(|before| signs.iter().any(|sign| is(before, sign)));
    if token.kind == Kind::Directive {
        let (word, rest) = directive(token.text);
        let header = rest.trim().strip_prefix('<').and_then(|rest| rest.split_once('>')).map(|(header, _)| header);
        let known = header.is_some_and(|header| HEADERS.contains(&header));
        return (word == "include" && known).then(|| token.text.trim_end());
    }
    let found = match token.text {
        _ if !matches!(token.kind, Kind::Name | Kind::Punct) => false,
        "concept" => behind(&[">"]) && name(at + 1) && is(at + 2, "="),
        "requires" => behind(&[">", ")", "=", "&", "|"]) && (name(at + 1) || is(at + 1, "(") || is(at + 1, "{")),
        "consteval" | "constinit" => name(at + 1) && !behind(&[".", "::"]),
        "std" => is(at + 1, "::") && NAMES.iter().any(|name| is(at + 2, name)) && !behind(&["::"]),
        "<" if text[token.start..].starts_with("<=>") => return text.get(token.start..token.start + 3),
        // A lambda's own template.
        "]" => {
            let captures = behind(&["["]) || behind(&["=", "&"]) && at >= 2 && is(at - 2, "[");
            captures && is(at + 1, "<") && name(at + 2) && name(at + 3)
        }
        _ => false,
    };
    match token.text {
        "]" if found => Some("[]<"),
        "std" if found => text.get(token.start..all[at + 2].end()),
        word => found.then_some(word),
    }
}

#[cfg(test)]
mod tests {
    use super::{LATER, option, remark};
    use crate::compile::CompileRequest;

    fn request(text: &str) -> CompileRequest {
        CompileRequest::new("ex/k.cu", text.as_bytes(), "sm_90").unwrap()
    }

    #[test]
    fn words_of_cxx20_are_found() {
        for (text, line, word) in [
            ("\ntemplate <class T> concept Int = true;", 2, "concept"),
            ("template <class T> requires C<T> void f();", 1, "requires"),
            ("template <class T>\nvoid f() requires (sizeof(T) > 3);", 2, "requires"),
            ("consteval int f();", 1, "consteval"),
            ("__device__ constinit int i = 3;", 1, "constinit"),
            ("auto operator<=>(const V &) const = default;", 1, "<=>"),
            ("auto f = []<class T>(T x) { };", 1, "[]<"),
            ("auto f = [&] <int N>(int x) { };", 1, "[]<"),
            ("// <=>\n#include <span>\n", 2, "#include <span>"),
            ("std::span<int> s;", 1, "std::span"),
        ] {
            let request = request(text);
            assert_eq!(option(&request), LATER, "{text}");
            let said = remark(&request).unwrap();
            assert_eq!(
                (said.line, said.message.as_str()),
                (Some(line), format!("compiled as C++20: it has `{word}`").as_str())
            );
        }
        let mut beside = request("int x;");
        beside.headers = vec![("mine.h".to_owned(), "consteval int f();".to_owned())];
        assert_eq!(option(&beside), LATER);
        assert_eq!(remark(&beside).unwrap().message, "compiled as C++20: mine.h has `consteval`");
    }

    #[test]
    fn names_and_comparisons_of_cxx17_are_none() {
        for text in [
            "int concept = 3, requires = concept; f(requires, consteval); s.constinit = 2;",
            "bool b = a[i]<n; bool c = x <= y; int d[3] = {}; /* concept X = */ const char *s = \"<=>\";",
            "auto f = [](int x) { return x < 3; }; using cuda::std::span; cuda::std::span<int> g;",
            "#include <spanner>\n#include \"span\"\n#define HAS <=>\n",
        ] {
            assert_ne!(option(&request(text)), LATER, "{text}");
            assert_eq!(remark(&request(text)), None);
        }
    }
}
