//! What a teacher has to look at: submissions without a grade, those of which something could not be tried, and students without a
//! submission.

use super::text;
use crate::grade::{Grade, State};
use crate::intake::Without;
use std::fmt::Write;

/// The table of them, if there are any.
pub(super) fn open(body: &mut String, grades: &[Grade], without: &[Without]) {
    let open: Vec<(&Grade, &str, String)> = grades.iter().flat_map(reasons).collect();
    if open.is_empty() && without.is_empty() {
        return;
    }
    body.push_str("<h2>To look at</h2>\n<table>\n");
    for (grade, state, why) in open {
        let student = text(&grade.student.to_string());
        let _ = writeln!(
            body,
            "<tr><td>{student}</td><td>{}</td><td>{state}</td><td>{}</td></tr>",
            text(&grade.exercise),
            text(&why)
        );
    }
    for Without { student, why } in without {
        let student = text(&student.to_string());
        let _ = writeln!(body, "<tr><td>{student}</td><td></td><td>nothing taken</td><td>{}</td></tr>", text(why));
    }
    body.push_str("</table>\n");
}

/// Why one is to be looked at.
fn reasons(grade: &Grade) -> Vec<(&Grade, &'static str, String)> {
    match &grade.state {
        State::NotGraded { why } => vec![(grade, "not graded", why.clone())],
        State::NoKernel { why } => vec![(grade, "no kernel", why.clone())],
        State::Graded => {
            let Some(report) = &grade.report else { return Vec::new() };
            let untried = report.large_untried.clone().map(|why| (grade, "not tried", why));
            // Of what is wrong none is kept.
            let unseen = report::unseen(&report.one_way).map(|why| (grade, "not seen", why));
            untried.into_iter().chain(unseen).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grade::MadeBy;
    use crate::intake::{Student, Submission};
    use report::{Always, OneWay, RanOn, Report, Subject, SubjectKind};

    fn grade(state: State, untried: Option<&str>) -> Grade {
        let student = Student::named("ada");
        let file = String::new();
        let submission = Submission { student, exercise: "ex12".into(), file, kernel: Ok(Vec::new()), time: None };
        let made_by = MadeBy { checker: String::new(), program: String::new(), compiler: String::new(), gpu: None };
        let subject = Subject { name: "ex12".into(), title: String::new(), chapter: None, kind: SubjectKind::Exercise };
        let large_untried = untried.map(str::to_owned);
        let report = Report { large_untried, ..Report::new(subject, RanOn::Sim { schedules: Vec::new() }, 1) };
        Grade { state, report: Some(report), ..Grade::without_kernel(&submission, "", made_by) }
    }

    #[test]
    fn what_was_not_tried_of_a_graded_one_is_to_be_looked_at() {
        let shown = |grade: Grade| {
            let mut body = String::new();
            open(&mut body, &[grade], &[]);
            body
        };
        assert_eq!(shown(grade(State::Graded, None)), "");
        let told = shown(grade(State::Graded, Some("at n = 5, a run <needs> more")));
        assert!(told.contains("<td>not tried</td><td>at n = 5, a run &lt;needs&gt; more</td>"), "{told}");
        let open = shown(grade(State::NotGraded { why: "the time was over".into() }, None));
        assert!(open.contains("<td>not graded</td><td>the time was over</td>"), "{open}");
    }

    #[test]
    fn what_was_not_seen_is_to_be_looked_at() {
        let mut grade = grade(State::Graded, None);
        if let Some(report) = &mut grade.report {
            report.one_way = vec![OneWay { line: 12, always: Always::False }];
        }
        let mut body = String::new();
        open(&mut body, &[grade], &[]);
        assert!(body.contains("<td>not seen</td><td>line 12: a condition came out one way in every run"), "{body}");
    }

    #[test]
    fn who_has_no_submission_is_to_be_looked_at() {
        let mut body = String::new();
        open(&mut body, &[], &[Without { student: Student::named("<bob>"), why: "there is a.txt".into() }]);
        assert!(body.contains("<td>&lt;bob&gt;</td><td></td><td>nothing taken</td><td>there is a.txt</td>"), "{body}");
    }
}
