//! What platforms read: SARIF, JUnit, Canvas, and the others.

use super::schema::check;
use crate::class::grade::class;
use crate::support::{Ran, Workbook};
use serde_json::Value;

/// Grades one student's folder for a platform.
pub(super) fn for_platform(workbook: &Workbook, who: &str, platform: &str) -> Ran {
    let folder = format!("class/{who}");
    workbook.run(["grade", &folder, "--student", who, "--seed", "7", "--for", platform, "--book", "one"])
}

#[test]
#[ignore = "long"]
fn every_format_fits_its_schema_for_every_kind_of_submission() {
    let workbook = class();
    workbook.write("class/none/ex01/a.cu", "");
    workbook.write("class/none/ex01/b.cu", "");
    for who in ["ada", "bob", "cyd", "dan", "gil", "none"] {
        let json = |platform: &str| -> Value {
            let ran = for_platform(&workbook, who, platform);
            assert_eq!(ran.code, Some(0), "{ran:?}");
            serde_json::from_str(&ran.stdout).unwrap_or_else(|error| panic!("{error}: {}", ran.stdout))
        };
        let points = |value: &Value| value.as_f64().unwrap_or(-1.0);
        let expected = match who {
            "ada" => 20.0,
            _ => 0.0,
        };
        let gradescope = json("gradescope");
        check("gradescope", &gradescope);
        assert_eq!(points(&gradescope["score"]), expected, "{who}");
        let sum: f64 = gradescope["tests"].as_array().into_iter().flatten().map(|test| points(&test["score"])).sum();
        assert_eq!(sum, expected, "{who}: parts and sum");
        let prairielearn = json("prairielearn");
        check("prairielearn", &prairielearn);
        assert_eq!(prairielearn["gradable"], who != "dan", "{who}: {prairielearn}");
        let classroom = json("classroom50");
        check("classroom50", &classroom);
        assert_eq!(points(&classroom["score"]), expected, "{who}");
        let sarif = json("sarif");
        check("sarif", &sarif);
        assert_eq!(
            sarif["runs"][0]["results"].as_array().is_some_and(Vec::is_empty),
            ["ada", "none"].contains(&who),
            "{who}: {sarif}"
        );

        let autolab = for_platform(&workbook, who, "autolab").stdout;
        let lines: Vec<Value> =
            autolab.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect();
        assert_eq!(lines.len(), 2, "{autolab}");
        check("autolab-feedback", &lines[0]);
        check("autolab-scores", &lines[1]);
        let sum: f64 = lines[1]["scores"].as_object().into_iter().flatten().map(|(_, score)| points(score)).sum();
        assert_eq!(sum, expected, "{who}");
        let vpl = for_platform(&workbook, who, "vpl").stdout;
        let (comments, grade): (Vec<&str>, Vec<&str>) = vpl.lines().partition(|line| line.starts_with("Comment :=>> "));
        assert!(!comments.is_empty() && grade == [format!("Grade :=>> {expected}")], "{vpl}");
    }
    for who in ["ada", "bob", "cyd", "dan", "gil", "none"] {
        is_junit(&for_platform(&workbook, who, "junit").stdout);
    }
    insta::assert_snapshot!("grade-junit", timeless(&for_platform(&workbook, "gil", "junit").stdout));
    insta::assert_snapshot!("grade-sarif", for_platform(&workbook, "gil", "sarif").stdout);
    insta::assert_snapshot!("grade-vpl", for_platform(&workbook, "cyd", "vpl").stdout);
}

/// JUnit as its readers take it: one level of suites with their counts, cases that have at most one way not to be passed.
fn is_junit(xml: &str) {
    use quick_xml::events::Event;
    let mut reader = quick_xml::Reader::from_str(xml);
    let mut open: Vec<String> = Vec::new();
    let (mut declared, mut counted) = ([0_usize; 4], [0_usize; 4]);
    const COUNTS: [&str; 4] = ["tests", "failures", "errors", "skipped"];
    loop {
        let event = reader.read_event().unwrap_or_else(|error| panic!("{error}: {xml}"));
        let start = match &event {
            Event::Start(start) | Event::Empty(start) => start.clone(),
            Event::End(_) => {
                open.pop();
                continue;
            }
            Event::Eof => break,
            _ => continue,
        };
        let name: String = start.name().as_ref().to_owned();
        let attribute = |wanted: &str| -> String {
            let found = start.try_get_attribute(wanted).expect("attributes");
            let found = found.unwrap_or_else(|| panic!("{name} lacks {wanted}: {xml}"));
            found.value.into_owned()
        };
        let number = |wanted: &str| attribute(wanted).parse::<usize>().unwrap_or_else(|_| panic!("{wanted}: {xml}"));
        match (open.last().map(String::as_str), name.as_str()) {
            (None, "testsuites") => {}
            (Some("testsuites"), "testsuite") => {
                assert!(!attribute("name").is_empty() && attribute("time").parse::<f64>().is_ok(), "{xml}");
                for (sum, count) in declared.iter_mut().zip(COUNTS) {
                    *sum += number(count);
                }
            }
            (Some("testsuite"), "testcase") => {
                assert!(!attribute("name").is_empty() && !attribute("classname").is_empty(), "{xml}");
                counted[0] += 1;
            }
            (Some("testcase"), "failure" | "error" | "skipped") => {
                assert!(!attribute("message").is_empty(), "{xml}");
                let kind = ["failure", "error", "skipped"].iter().position(|kind| *kind == name).expect("one of them");
                counted[1 + kind] += 1;
            }
            (above, _) => panic!("{name} in {above:?}: {xml}"),
        }
        if matches!(event, Event::Start(_)) {
            open.push(name);
        }
    }
    assert!(open.is_empty() && declared == counted && counted[0] > 0, "{declared:?}, {counted:?}: {xml}");
}

/// Without what a clock says.
fn timeless(text: &str) -> String {
    text.split_inclusive(' ').map(|word| if word.starts_with("time=\"") { "time=\"..\" " } else { word }).collect()
}

#[test]
fn a_canvas_gradebook_is_filled_in() {
    let workbook = class();
    workbook.write(
        "list.csv",
        "student,exercise,path,id\ndoejane,ex01,class/ada/ex01/kernel.cu,11\nroe,ex01,class/bob/ex01/kernel.cu,12\nnew,ex01,class/bob/ex01/kernel.cu,99\n",
    );
    assert_eq!(workbook.run(["grade", "list.csv", "--seed", "7"]).code, Some(0));
    let gradebook = "Student,ID,SIS Login ID,Section,Lab 1 (815),Final Score\n    Points Possible,,,,10,(read only)\n\
                     \"Doe, Jane\",11,jd,A,,\n\"Roe, R\",12,rr,A,5,\n\"Idle, I\",13,ii,A,,\n";
    workbook.write("book.csv", gradebook);
    let ran = workbook.run(["grade", "canvas", "book.csv", "--assignment", "Lab 1"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_eq!(
        ran.stdout,
        "Student,ID,SIS Login ID,Section,Lab 1 (815),Final Score\n    Points Possible,,,,10,(read only)\n\
         \"Doe, Jane\",11,jd,A,10,\n\"Roe, R\",12,rr,A,0,\n\"Idle, I\",13,ii,A,,\n"
    );
    assert!(ran.stderr.contains("new (99) has no row"), "{}", ran.stderr);
    let other = workbook.run(["grade", "canvas", "book.csv", "--assignment", "Lab 2"]);
    assert!(other.code == Some(2) && other.stderr.contains("no column `Lab 2`"), "{other:?}");
}
