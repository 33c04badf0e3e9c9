//! Conditions of which one side was never seen.

use serde::{Deserialize, Serialize};

/// Lines that are named, at most.
const NAMED: usize = 6;

/// A condition of the kernel file that always came out the same, or a number that stands for one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct OneWay {
    /// Its line.
    pub line: u32,
    /// What it came to.
    pub always: Always,
}

/// What it came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Always {
    /// A condition.
    True,
    /// A condition.
    False,
    /// A number that stands for one.
    Zero,
}

/// What there is to be said of them, in words; nothing if there are none.
pub fn unseen(one_way: &[OneWay]) -> Option<String> {
    let mut lines: Vec<u32> = one_way.iter().map(|one| one.line).collect();
    lines.sort_unstable();
    lines.dedup();
    let (first, others) = lines.split_first()?;
    let named = others.iter().take(NAMED - 1).fold(first.to_string(), |named, line| format!("{named}, {line}"));
    let (lines, came, them) = match others {
        [] => ("line", "a condition came", "it"),
        _ => ("lines", "conditions came", "them"),
    };
    let more = match others.len().saturating_sub(NAMED - 1) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    Some(format!(
        "{lines} {named}{more}: {came} out one way in every run, and no inputs were found that turn {them}; what hangs on {them} was not seen"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_named_once_and_not_all() {
        let of =
            |lines: &[u32]| lines.iter().map(|line| OneWay { line: *line, always: Always::False }).collect::<Vec<_>>();
        assert_eq!(unseen(&[]), None);
        let one = unseen(&of(&[7, 7])).expect("words");
        assert!(one.starts_with("line 7: a condition came out one way"), "{one}");
        let many = unseen(&of(&[9, 1, 2, 3, 4, 5, 6, 7])).expect("words");
        assert!(many.starts_with("lines 1, 2, 3, 4, 5, 6 and 2 more: conditions came"), "{many}");
    }
}
