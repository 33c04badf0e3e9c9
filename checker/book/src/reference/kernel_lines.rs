//! `{{kernel-lines}}`: every `//@` line with the form that the checker expects, and what it is for.

use anyhow::{Result, anyhow};
use problem::statement::DIRECTIVES;
use std::fmt::Write as _;

/// What each line is for.
const MEANINGS: &[(&str, &str)] = &[
    (
        "in",
        "An input, with what it is filled with. Only in a file that stands alone: an exercise has inputs of its own.",
    ),
    ("out", "An output. Only in a file that stands alone."),
    ("inout", "An input that the kernel changes, which is an output then. Only in a file that stands alone."),
    ("size", "A number that `--size NAME=VALUE` changes. Only in a file that stands alone."),
    ("let", "Gives a number a name."),
    ("scratch", "Memory between launches. It is filled with rubbish before every run."),
    (
        "launch",
        "Starts a kernel. `launch cooperative` starts one whose blocks are all resident and may wait for each other.",
    ),
    ("for", "Repeats the lines up to its `end`, as C would. Without the first part it goes on from a `let` before it."),
    ("end", "Ends a `for`."),
    ("swap", "Two scratch buffers of one type and length exchange their names."),
    (
        "constant",
        "Copies a buffer's first values, or a structure, into a `__constant__` or `__device__` variable, as `cudaMemcpyToSymbol` does. In \
         a problem the buffer is an input of 64 KiB at most.",
    ),
    ("texture", "Shows a buffer as a texture: a `cudaTextureObject_t` for launches. Only in a file that stands alone."),
    ("surface", "The same as a `cudaSurfaceObject_t`, which kernels also write to. Only in a file that stands alone."),
    (
        "host",
        "After all launches: the host fetches the buffer, adds it up in order, and puts the sum back. Of a ladder's versions.",
    ),
    ("blocks", "The block sizes that a version of a ladder works with; all without it."),
    ("mutant", "For authors: this file is wrong on purpose, and for that reason the checker must refuse it."),
];

/// The table.
///
/// # Errors
/// A line that the checker reads and that has no meaning here.
pub fn table() -> Result<String> {
    let mut out = String::from("<table class=\"wb-lines\">\n<tbody>\n");
    for (word, form) in DIRECTIVES {
        let meaning = MEANINGS.iter().find(|(known, _)| *known == word).map(|(_, meaning)| *meaning);
        let meaning =
            meaning.ok_or_else(|| anyhow!("`//@ {word}` is not explained: checker/book/src/kernel_lines.rs"))?;
        let _ = writeln!(
            out,
            "<tr><td><code>//@ {}</code></td><td>{}</td></tr>",
            crate::svg::escape(form),
            crate::evidence::code_spans(meaning)
        );
    }
    out.push_str("</tbody></table>\n\n");
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_explained_once() {
        let table = table().unwrap();
        assert_eq!(table.matches("<tr>").count(), DIRECTIVES.len());
        assert_eq!(MEANINGS.len(), DIRECTIVES.len(), "a line that the checker does not read");
        assert!(table.contains("launch KERNEL&lt;&lt;&lt;GRID"), "{table}");
    }
}
