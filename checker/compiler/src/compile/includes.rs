//! Which files a source asks the preprocessor for: the guard where the kernel cannot confine the compiler.
//!
//! Not a filter on what a directive usually looks like, but on what it must look like: after line splices are undone,
//! every directive has a literal `#` (or `%:`), blanks or comments, and a literal name. Whatever names a file must then
//! do it plainly, as `<name>` or `"name"`, and the name must be a CUDA header's. Everything else is refused, also
//! where a real preprocessor would see no directive (in a string, say). Headers of Thrust include what macros
//! say, so the macros they use may not be mentioned either.

/// A refused request for a file.
#[derive(Debug, PartialEq, Eq)]
pub struct IncludeError {
    /// Line, from 1.
    pub line: u32,
    /// What was asked for.
    pub name: String,
}

/// Finds the first request for a file that `is_header` does not know.
pub fn check(source: &str, is_header: impl Fn(&str) -> bool) -> Result<(), IncludeError> {
    let logical = splice(source);
    let text: String = logical.iter().map(|(c, _)| c).collect::<String>();
    // Positions count characters, as in `logical`.
    let chars: Vec<char> = text.chars().collect();
    for (start, (_, line)) in logical.iter().enumerate() {
        let rest = &chars[start..];
        if rest.starts_with(&['_', '_', 'T', 'H', 'R', 'U', 'S', 'T', '_']) {
            return Err(IncludeError { line: *line, name: "a macro of Thrust".to_owned() });
        }
        let mark = [&['#'][..], &['%', ':'], &['?', '?', '=']].into_iter().find(|mark| rest.starts_with(mark));
        let Some(mark) = mark else { continue };
        let rest = skip_blanks(&rest[mark.len()..]);
        let word: String = rest.iter().take_while(|c| c.is_alphanumeric() || **c == '_').collect();
        if !matches!(word.as_str(), "include" | "include_next" | "import" | "embed") {
            continue;
        }
        let operand: String = rest[word.len()..].iter().take_while(|c| **c != '\n').collect();
        let operand = operand.trim_matches([' ', '\t', '\r']);
        let name = match operand.chars().next() {
            Some('<') => operand[1..].split_once('>').map(|(name, _)| name),
            Some('"') => operand[1..].split_once('"').map(|(name, _)| name),
            _ => None,
        };
        let known = name.is_some_and(|name| {
            let inside = !name.starts_with('/') && !name.contains('\\') && name.split('/').all(|part| part != "..");
            inside && is_header(name)
        });
        if !known || word != "include" {
            return Err(IncludeError { line: *line, name: name.unwrap_or(operand).to_owned() });
        }
    }
    Ok(())
}

/// Characters with their line, line splices undone: a backslash (or its trigraph), blanks and a line end.
fn splice(source: &str) -> Vec<(char, u32)> {
    let chars: Vec<char> = source.chars().collect();
    let mut logical = Vec::with_capacity(chars.len());
    let mut line = 1;
    let mut at = 0;
    while at < chars.len() {
        let rest = &chars[at..];
        let slash = if rest[0] == '\\' {
            1
        } else if rest.starts_with(&['?', '?', '/']) {
            3
        } else {
            0
        };
        if slash > 0 {
            let blanks =
                rest[slash..].iter().take_while(|c| matches!(c, ' ' | '\t' | '\r' | '\u{b}' | '\u{c}')).count();
            if rest.get(slash + blanks) == Some(&'\n') {
                at += slash + blanks + 1;
                line += 1;
                continue;
            }
        }
        logical.push((rest[0], line));
        line += u32::from(rest[0] == '\n');
        at += 1;
    }
    logical
}

/// Skips blanks and block comments, which may span lines.
fn skip_blanks(mut rest: &[char]) -> &[char] {
    loop {
        let blanks = rest.iter().take_while(|c| matches!(c, ' ' | '\t' | '\r' | '\u{b}' | '\u{c}')).count();
        rest = &rest[blanks..];
        if !rest.starts_with(&['/', '*']) {
            return rest;
        }
        let end = rest[2..].windows(2).position(|pair| pair == ['*', '/']);
        let Some(end) = end else { return &[] };
        rest = &rest[end + 4..];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(source: &str) -> Option<(u32, String)> {
        let known = |name: &str| matches!(name, "cuda_fp16.h" | "cooperative_groups/reduce.h");
        check(source, known).err().map(|refused| (refused.line, refused.name))
    }

    #[test]
    fn plain_cuda_headers_pass() {
        let source = "#include <cuda_fp16.h>\n  #  include \"cooperative_groups/reduce.h\" // why\n#define F(x) #x\n#pragma unroll\n";
        assert_eq!(refused(source), None);
    }

    #[test]
    fn every_disguise_is_refused() {
        let cases = [
            ("#include \"/etc/passwd\"", 1, "/etc/passwd"),
            ("\n#include <../cuda_fp16.h>", 2, "../cuda_fp16.h"),
            ("#define X \"/etc/passwd\"\n#include X", 2, "X"),
            ("#inc\\\nlude \"s.cu\"", 1, "s.cu"),
            ("#inc\\ \t\nlude \"s.cu\"", 1, "s.cu"),
            ("#inc??/\nlude \"s.cu\"", 1, "s.cu"),
            ("%:include \"s.cu\"", 1, "s.cu"),
            ("??=include \"s.cu\"", 1, "s.cu"),
            ("/* */ # /* a\nb */ include \"s.cu\"", 1, "s.cu"),
            ("#include /* */ \"s.cu\"", 1, "/* */ \"s.cu\""),
            ("#include_next <cuda_fp16.h>", 1, "cuda_fp16.h"),
            ("#embed \"s.cu\"", 1, "s.cu"),
            ("#include __FILE__", 1, "__FILE__"),
            ("#define __THRUST_HOST_SYSTEM_ALGORITH_DETAIL_HEADER_INCLUDE(x) \"s.cu\"", 1, "a macro of Thrust"),
        ];
        for (source, line, name) in cases {
            assert_eq!(refused(source), Some((line, name.to_owned())), "{source}");
        }
    }
}
