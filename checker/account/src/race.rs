//! Stores of the same value in no order: worth a note.

use simulator::{Finding, FindingKind};
use std::collections::BTreeSet;

/// What is worth knowing of stores that write the same value in no order: a sentence for each pair of lines.
pub fn same_values<'f>(findings: impl IntoIterator<Item = &'f Finding>) -> BTreeSet<String> {
    let sentence = |finding: &Finding| match &finding.kind {
        FindingKind::Race { first, second, .. } if finding.is_same_value() => {
            let lines = match (first.place.line, second.place.line) {
                (a, b) if a == b => format!("line {a}"),
                (a, b) => format!("lines {} and {}", a.min(b), a.max(b)),
            };
            // Of an array the first element stands for all.
            let object = second.object.name().map_or_else(|| second.object.to_string(), crate::reasons::name);
            Some(format!(
                "threads write the same value to {object} in no order ({lines}): harmless while it is the same"
            ))
        }
        _ => None,
    };
    findings.into_iter().filter_map(sentence).collect()
}

#[cfg(test)]
mod tests {
    use super::same_values;
    use simulator::{Access, Finding, FindingKind, Place, Severity};

    fn side(what: &str, block: u32, thread: u32) -> Access {
        let place = Place { line: 3 + thread, block: [block, 0, 0], thread: [thread, 0, 0], ..Place::default() };
        Access { what: what.into(), space: "shared".into(), place, ..Access::default() }
    }

    #[test]
    fn the_same_value_is_said_once_a_pair_of_lines_and_only_as_a_note() {
        let finding = |severity, thread| {
            let (first, second) = (side("write", 0, 0), side("write", 1, thread));
            let kind = FindingKind::Race { first, second, hidden_before_volta: false };
            Finding { kind, severity, place: Place::default(), count: 1 }
        };
        let all = [finding(Severity::Note, 0), finding(Severity::Note, 0), finding(Severity::Note, 2)];
        assert_eq!(same_values(&all).len(), 2, "{:?}", same_values(&all));
        assert!(same_values(&all).iter().any(|text| text.contains("lines 3 and 5")));
        assert!(same_values(&[finding(Severity::Error, 2)]).is_empty());
    }
}
