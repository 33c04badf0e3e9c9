//! What a check that ran out of time has to say for the kernel: what was compared before that.

use execution::backend::Checked;
use problem::Sizes;
use report::{Reason, Verdict};

/// Adds to a first reason that time was over what had been right by then, if nothing was wrong.
pub fn tell(reasons: &mut [Reason], cases: &[(Sizes, Checked)]) {
    let only = reasons.iter().all(|reason| reason.verdict == Verdict::OutOfTime);
    if let (true, Some(first)) = (only, reasons.first_mut()) {
        first.details.extend(right(cases));
    }
}

/// "the 12 runs that were compared by then were right, up to n = 1000"; nothing where none was.
fn right(cases: &[(Sizes, Checked)]) -> Option<String> {
    let passed = |checked: &Checked| checked.runs.iter().filter(|run| run.status.passed()).count();
    let (last, _) = cases.iter().rev().find(|(_, checked)| passed(checked) > 0)?;
    let what = match cases.iter().map(|(_, checked)| passed(checked)).sum::<usize>() {
        1 => "the one run that was compared by then was right".to_owned(),
        all => format!("the {all} runs that were compared by then were right"),
    };
    Some(format!("{what}, up to {}", report::sizes(last)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use execution::backend::{RunId, RunResult, Status};
    use values::fill::Values;

    fn case(n: i64, passed: usize, status: Status) -> (Sizes, Checked) {
        let run = RunId { number: 0, seed: 1, values: Values::AsStated, poison: 0, schedule: None };
        let runs = vec![RunResult { run, status: Status::Passed }; passed];
        ([("n".to_owned(), n)].into_iter().collect(), Checked { runs, ..Checked::only(status) })
    }

    fn told(cases: &[(Sizes, Checked)], verdicts: &[Verdict]) -> Vec<String> {
        let mut reasons: Vec<Reason> = verdicts.iter().map(|verdict| Reason::new(*verdict, "why")).collect();
        tell(&mut reasons, cases);
        reasons.into_iter().flat_map(|reason| reason.details).collect()
    }

    #[test]
    fn what_was_compared_is_told_and_nothing_where_nothing_was() {
        let over = Status::OutOfTime;
        let some = [case(1, 7, Status::Passed), case(1000, 2, over.clone()), case(4096, 0, over.clone())];
        let told_of_some = ["the 9 runs that were compared by then were right, up to n = 1000"];
        assert_eq!(told(&some, &[Verdict::OutOfTime]), told_of_some);
        let one = [case(1, 1, over.clone())];
        assert_eq!(told(&one, &[Verdict::OutOfTime]), ["the one run that was compared by then was right, up to n = 1"]);
        assert!(told(&[case(1, 0, over)], &[Verdict::OutOfTime]).is_empty());
        // What was wrong is told, and not what was not.
        assert!(told(&some, &[Verdict::WrongResult, Verdict::OutOfTime]).is_empty());
    }
}
