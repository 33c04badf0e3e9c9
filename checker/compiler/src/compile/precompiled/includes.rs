//! Which headers a source includes before anything else, and whether reading them takes long.
//!
//! Only lines that plainly are `#include <name>`, with blanks and comments between them: NVRTC compares the lines with those of the
//! precompiled header by itself, and compiles the whole text if something was misread here.

/// Headers that take two seconds of processor time: what stands on libcu++. Those of CUDA's own number types take a
/// twentieth of one. A name that ends in `/` stands for everything below it.
const COSTLY: &[&str] = &[
    "cooperative_groups.h",
    "cooperative_groups/",
    "cub/",
    "cuda/",
    "thrust/",
    // Stand-ins that lead to libcu++.
    "array",
    "limits",
    "tuple",
    "type_traits",
    "utility",
];

fn is_costly(name: &str) -> bool {
    COSTLY.iter().any(|costly| name == *costly || costly.ends_with('/') && name.starts_with(costly))
}

/// The `#include` lines at a source's top, up to the last costly one; nothing if there is none. `is_header` knows CUDA's headers.
pub fn worth_keeping(source: &str, is_header: impl Fn(&str) -> bool) -> Option<String> {
    let mut text = String::new();
    let mut kept = 0;
    let mut rest = source;
    while let Some((line, name, after)) = next_include(rest).filter(|(_, name, _)| is_header(name)) {
        text.push_str("#include ");
        text.push_str(line);
        text.push('\n');
        if is_costly(name) {
            kept = text.len();
        }
        rest = after;
    }
    text.truncate(kept);
    (kept > 0).then_some(text)
}

/// The next directive, if it is a plain `#include`: what it includes with and without quotes, and the text behind it.
fn next_include(source: &str) -> Option<(&str, &str, &str)> {
    let rest = skip_comments(source)?.strip_prefix('#')?;
    let rest = blank(rest).strip_prefix("include")?;
    let operand = blank(rest);
    let close = match operand.chars().next()? {
        '<' => '>',
        '"' => '"',
        _ => return None,
    };
    let line = operand.split('\n').next().unwrap_or(operand);
    let name = line[1..].split_once(close)?.0;
    let quoted = &operand[..name.len() + 2];
    let after = &operand[quoted.len()..];
    let same_line = blank(after);
    let ends = same_line.is_empty() || ["\n", "\r\n", "//", "/*"].iter().any(|end| same_line.starts_with(end));
    (ends && !name.contains('\\')).then_some((quoted, name, after))
}

fn blank(text: &str) -> &str {
    text.trim_start_matches([' ', '\t'])
}

/// Past blanks and comments. `None` for a comment that goes on where it does not seem to.
fn skip_comments(mut source: &str) -> Option<&str> {
    loop {
        source = source.trim_start_matches([' ', '\t', '\r', '\n', '\u{b}', '\u{c}']);
        if let Some(comment) = source.strip_prefix("//") {
            let line = comment.split('\n').next().unwrap_or(comment);
            let end = line.trim_end_matches([' ', '\t', '\r', '\u{b}', '\u{c}']);
            if end.ends_with('\\') || end.ends_with("??/") {
                return None;
            }
            source = &comment[line.len()..];
        } else if let Some(comment) = source.strip_prefix("/*") {
            source = comment.split_once("*/")?.1;
        } else {
            return Some(source);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::worth_keeping;

    fn kept(source: &str) -> String {
        let known = |name: &str| matches!(name, "cuda_fp16.h" | "cuda/barrier" | "cub/a.cuh" | "limits" | "cstdio");
        worth_keeping(source, known).unwrap_or_default()
    }

    #[test]
    fn includes_at_the_top_up_to_the_last_costly_one() {
        let source = "//@ launch k\n/* two\nlines */ #include <cstdio> // why\r\n\n # include \"cuda/barrier\"/* x */\n#include <cuda_fp16.h>\nint x;\n#include <cub/a.cuh>\n";
        assert_eq!(kept(source), "#include <cstdio>\n#include \"cuda/barrier\"\n");
        assert_eq!(kept("#include <limits>"), "#include <limits>\n");
    }

    #[test]
    fn nothing_of_the_rest_of_a_source_counts() {
        let cases = [
            "#include <cuda_fp16.h>\n#include <cstdio>\n",
            "#define X 1\n#include <cuda/barrier>\n",
            "#pragma once\n#include <cuda/barrier>\n",
            "#if 0\n#include <cuda/barrier>\n#endif\n",
            "int x; \n#include <cuda/barrier>\n",
            "#include \"mine.cuh\"\n#include <cuda/barrier>\n",
            "// goes on \\\n#include <cuda/barrier>\n",
            "// goes on ??/\n#include <cuda/barrier>\n",
            "/* open #include <cuda/barrier>\n",
            "#include <cuda/barrier> int x;\n",
            "#include <cuda/barrier\n>\n",
            "#include CUDA\n#include <cuda/barrier>\n",
            "#include",
            "#",
            "",
        ];
        for source in cases {
            assert_eq!(kept(source), "", "{source}");
        }
    }
}
