//! A kernel file as its page shows it: what it says of itself as text, then the code.

use crate::svg::escape;

/// A kernel file on its page: what it says of itself before the code is a paragraph, so that the code comes first on a small screen
/// and long lines of text wrap as text does. Scripts count the file's lines: the paragraph tells how many of them it stands for.
pub fn kernel_text(text: &str) -> String {
    let is_said = |line: &&str| line.starts_with("//") && !line.starts_with("//@");
    let said: Vec<&str> = text.lines().take_while(is_said).map(|line| line.trim_start_matches('/').trim()).collect();
    let blank = text.lines().skip(said.len()).take_while(|line| line.trim().is_empty()).count();
    let code: Vec<&str> = text.trim_end().lines().skip(said.len() + blank).collect();
    if said.is_empty() {
        return format!("\n```cpp\n{}\n```\n\n", text.trim_end());
    }
    let head = prose(&said.join(" ")).replace("Flaw: ", "<b>Flaw:</b> ");
    let before = said.len() + blank;
    format!("<p class=\"wb-head\" data-lines=\"{before}\">{head}</p>\n\n```cpp\n{}\n```\n\n", code.join("\n"))
}

/// A comment as HTML: what stands between backticks is code, and so is a name that prose does not have.
fn prose(text: &str) -> String {
    let pieces = text.split('`').enumerate().map(|(index, piece)| match index % 2 {
        0 => piece.split(' ').map(code_or_word).collect::<Vec<_>>().join(" "),
        _ => format!("<code>{}</code>", escape(piece)),
    });
    pieces.collect()
}

/// A word of a comment, as code where it is a name that prose does not have: `__syncthreads()`, `block_sums`, `cuda::barrier`.
fn code_or_word(word: &str) -> String {
    let (open, rest) = word.split_at(word.len() - word.trim_start_matches('(').len());
    let name = rest.trim_end_matches(['.', ',', ':', ';']);
    if name.contains('_') || name.contains("()") || name.contains("::") {
        // A bracket that was opened before the name is closed behind it.
        let name = if open.is_empty() { name } else { name.strip_suffix(')').unwrap_or(name) };
        return format!("{open}<code>{}</code>{}", escape(name), &rest[name.len()..]);
    }
    escape(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_kernel_says_of_itself_is_text_and_its_lines_are_counted() {
        let shown =
            kernel_text("// Adds, where a < b.\n// Flaw: slow.\n\n//@ launch k<<<1, 1>>>()\n// Here.\nint x;\n");
        let head = "<p class=\"wb-head\" data-lines=\"3\">Adds, where a &lt; b. <b>Flaw:</b> slow.</p>";
        assert_eq!(shown, format!("{head}\n\n```cpp\n//@ launch k<<<1, 1>>>()\n// Here.\nint x;\n```\n\n"));
        for (word, shown) in [
            ("__syncwarp().", "<code>__syncwarp()</code>."),
            ("(block_sums),", "(<code>block_sums</code>),"),
            ("cuda::barrier", "<code>cuda::barrier</code>"),
            ("(`part`,", "(<code>part</code>,"),
            ("x[i]<y", "x[i]&lt;y"),
            ("every `if (block >= ...)`, twice", "every <code>if (block &gt;= ...)</code>, twice"),
        ] {
            assert_eq!(prose(word), shown);
        }
        assert_eq!(kernel_text("int x;\n"), "\n```cpp\nint x;\n```\n\n");
    }
}
