//! The reader's `//@` lines in the place of the file's. Only these lines can change: the rest was compiled.

use std::collections::BTreeMap;

/// The text with the lines that were edited.
///
/// # Errors
/// A line that is no `//@` line, before or after, in a sentence.
pub fn edited(text: &str, edits: &BTreeMap<u32, String>) -> Result<String, String> {
    let is_statement = |line: &str| line.trim_start().starts_with("//@");
    let mut lines: Vec<&str> = text.lines().collect();
    for (number, edit) in edits {
        let line = (*number as usize).checked_sub(1).and_then(|at| lines.get_mut(at));
        let Some(line) = line.filter(|line| is_statement(line)) else {
            return Err(format!("line {number} is no `//@` line: what was compiled cannot change here"));
        };
        if edit.contains(['\n', '\r']) || !is_statement(edit) {
            return Err(format!("line {number}: a `//@` line stays one line that begins with `//@`"));
        }
        *line = edit;
    }
    Ok(lines.join("\n") + "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_statements_change_and_lines_keep_their_numbers() {
        let text = "//@ size n = 4\n__global__ void k() {}\n  //@ launch k<<<1, 32>>>()\n";
        let edit = |number, line: &str| edited(text, &BTreeMap::from([(number, line.to_owned())]));
        assert_eq!(edit(1, "//@ size n = 8").unwrap(), text.replace("n = 4", "n = 8"));
        assert_eq!(edit(3, "//@ launch k<<<2, 32>>>()").unwrap().lines().count(), 3);
        for (number, line) in [(2, "//@ size n = 1"), (0, "//@"), (9, "//@"), (1, "int n;"), (1, "//@ a\n//@ b")] {
            assert!(edit(number, line).is_err(), "{number} {line}");
        }
    }
}
