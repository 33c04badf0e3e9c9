//! Conditions of a kernel that is right as far as that was seen, of which one side was not.

use crate::verify::Results;
use report::{Always, OneWay};
use simulator::{Condition, Question};
use std::collections::BTreeMap;
use std::path::Path;

/// Those of the kernel file that hang on data and came out the same at all sizes, over all inputs that were found for them.
pub fn one_way(results: &Results, file: &Path) -> Vec<OneWay> {
    let mut all: BTreeMap<(u32, Question), Condition> = BTreeMap::new();
    for condition in results.cases.iter().flat_map(|(_, checked)| &checked.conditions) {
        let key = (condition.at, condition.question);
        all.entry(key).and_modify(|known| known.add(condition)).or_insert_with(|| condition.clone());
    }
    let own = |condition: &&Condition| condition.line > 0 && Path::new(&condition.file).file_name() == file.file_name();
    // That a number was never zero says little: most are not.
    let one_way = |condition: &Condition| {
        let always = match (condition.question, condition.held, condition.failed) {
            (Question::True, true, false) => Always::True,
            (Question::True, false, true) => Always::False,
            (Question::NotZero, false, true) => Always::Zero,
            _ => return None,
        };
        Some(OneWay { line: condition.line, always })
    };
    let mut found: Vec<OneWay> = all.values().filter(own).filter_map(one_way).collect();
    found.sort_unstable();
    found.dedup();
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use execution::backend::{Checked, Status};

    fn condition(at: u32, line: u32, held: bool, failed: bool) -> Condition {
        let file = "/somewhere/kernel.cu".to_owned();
        Condition { at, question: Question::True, by_size: false, file, line, held, failed, number: 0 }
    }

    #[test]
    fn what_turns_at_one_size_is_seen() {
        let case = |conditions| (problem::Sizes::default(), Checked { conditions, ..Checked::only(Status::Passed) });
        let cases = vec![
            case(vec![condition(3, 10, true, false), condition(5, 12, false, true), condition(6, 12, false, true)]),
            case(vec![condition(3, 10, false, true), condition(5, 12, false, true)]),
        ];
        let found = one_way(&Results { cases, ..Results::default() }, Path::new("exercises/ex01/kernel.cu"));
        assert_eq!(found, [OneWay { line: 12, always: Always::False }]);
    }
}
