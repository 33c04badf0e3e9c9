//! What a teacher has to look at: submissions without a grade, those of which something could not be tried, and students without a
//! submission.

use super::text;
use crate::grade::{Grade, State};
use crate::intake::Without;
use std::fmt::Write;

/// The table of them, if there are any.
pub(super) fn open(body: &mut String, grades: &[Grade], without: &[Without]) {
    let open: Vec<(&Grade, &str)> = grades
        .iter()
        .filter_map(|grade| match &grade.state {
            State::NotGraded { why } => Some((grade, why.as_str())),
            State::NoKernel { why } => Some((grade, why.as_str())),
            State::Graded => Some((grade, grade.report.as_ref()?.large_untried.as_deref()?)),
        })
        .collect();
    if open.is_empty() && without.is_empty() {
        return;
    }
    body.push_str("<h2>To look at</h2>\n<table>\n");
    for (grade, why) in open {
        let state = match grade.state {
            State::NotGraded { .. } => "not graded",
            State::NoKernel { .. } => "no kernel",
            State::Graded => "not tried",
        };
        let student = text(&grade.student.to_string());
        let _ = writeln!(
            body,
            "<tr><td>{student}</td><td>{}</td><td>{state}</td><td>{}</td></tr>",
            text(&grade.exercise),
            text(why)
        );
    }
    for Without { student, why } in without {
        let student = text(&student.to_string());
        let _ = writeln!(body, "<tr><td>{student}</td><td></td><td>nothing taken</td><td>{}</td></tr>", text(why));
    }
    body.push_str("</table>\n");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grade::MadeBy;
    use crate::intake::{Student, Submission};
    use report::{RanOn, Report, Subject, SubjectKind};

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
    fn who_has_no_submission_is_to_be_looked_at() {
        let mut body = String::new();
        open(&mut body, &[], &[Without { student: Student::named("<bob>"), why: "there is a.txt".into() }]);
        assert!(body.contains("<td>&lt;bob&gt;</td><td></td><td>nothing taken</td><td>there is a.txt</td>"), "{body}");
    }
}
