//! What graders read is what they take: each format against its schema, each template through its own entry point.

use crate::grade::{class, grade};
use crate::support::{Ran, Workbook, repository};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Does a value fit a schema? The part of JSON Schema that the schemas in `tests/fixtures/grade/schema` use; any other word in one is
/// an error.
fn fits(schema: &Value, top: &Value, value: &Value, at: &str) -> Result<(), String> {
    if let Some(name) = schema["$ref"].as_str() {
        return fits(&top["$defs"][name.trim_start_matches("#/$defs/")], top, value, at);
    }
    let wrong = |what: &str| Err(format!("{at}: {what}: {value}"));
    let words = schema.as_object().ok_or_else(|| format!("{at}: no schema"))?;
    for (word, demand) in words {
        let holds = match word.as_str() {
            "type" => {
                let one = |name: &Value| match name.as_str().unwrap_or_default() {
                    "object" => Ok(value.is_object()),
                    "array" => Ok(value.is_array()),
                    "string" => Ok(value.is_string()),
                    "number" => Ok(value.is_number()),
                    "integer" => Ok(value.is_i64() || value.is_u64()),
                    "boolean" => Ok(value.is_boolean()),
                    "null" => Ok(value.is_null()),
                    other => Err(format!("{at}: no type is called {other}")),
                };
                let names = demand.as_array().cloned().unwrap_or_else(|| vec![demand.clone()]);
                let held: Result<Vec<bool>, String> = names.iter().map(one).collect();
                held?.contains(&true)
            }
            "$schema" | "$id" | "title" | "description" => true,
            "enum" => demand.as_array().is_some_and(|allowed| allowed.contains(value)),
            "minimum" => value.as_f64() >= demand.as_f64(),
            "maximum" => value.as_f64() <= demand.as_f64(),
            "minItems" => value.as_array().map(|items| items.len() as u64) >= demand.as_u64(),
            // Of what is no object the word says nothing.
            "required" if !value.is_object() => true,
            "required" => demand
                .as_array()
                .is_some_and(|names| names.iter().all(|name| value.get(name.as_str().unwrap_or_default()).is_some())),
            "items" => {
                for (index, item) in value.as_array().into_iter().flatten().enumerate() {
                    fits(demand, top, item, &format!("{at}[{index}]"))?;
                }
                true
            }
            "properties" | "additionalProperties" | "$defs" => true,
            other => return Err(format!("{at}: the schema's word {other} is not known here")),
        };
        if !holds {
            return wrong(&format!("{word} {demand}"));
        }
    }
    for (name, property) in value.as_object().into_iter().flatten() {
        let at = format!("{at}.{name}");
        match (schema["properties"].get(name), schema.get("additionalProperties")) {
            (Some(own), _) => fits(own, top, property, &at)?,
            (None, Some(Value::Bool(false))) => return Err(format!("{at}: no such field")),
            (None, Some(others)) => fits(others, top, property, &at)?,
            (None, None) => {}
        }
    }
    Ok(())
}

fn check(name: &str, value: &Value) {
    let path = repository().join(format!("tests/fixtures/grade/schema/{name}.json"));
    let schema: Value = serde_json::from_str(&std::fs::read_to_string(path).expect("a schema")).expect("JSON");
    fits(&schema, &schema, value, name).unwrap_or_else(|why| panic!("{why}\n{value:#}"));
}

#[test]
fn the_schemas_refuse_what_they_should() {
    let schema: Value = serde_json::json!({ "type": "object", "required": ["a"], "additionalProperties": false,
        "properties": { "a": { "type": "integer", "minimum": 1 }, "b": { "enum": ["x"] } } });
    for (value, fine) in [
        (serde_json::json!({ "a": 1, "b": "x" }), true),
        (serde_json::json!({ "a": 0 }), false),
        (serde_json::json!({ "a": 1.5 }), false),
        (serde_json::json!({ "b": "x" }), false),
        (serde_json::json!({ "a": 1, "b": "y" }), false),
        (serde_json::json!({ "a": 1, "c": 1 }), false),
    ] {
        assert_eq!(fits(&schema, &schema, &value, "").is_ok(), fine, "{value}");
    }
}

/// The grade book's own files are what the documentation says.
#[test]
fn grades_fit_the_documented_schema() {
    let workbook = class();
    workbook.write("class/none/ex01/a.cu", "");
    workbook.write("class/none/ex01/b.cu", "");
    let late = "[late]\ndeadline = \"2020-01-01T00:00:00Z\"\nper_day = 0.1\n";
    workbook.write("rubric.toml", late);
    assert_eq!(grade(&workbook, &["--file-times", "--rubric", "rubric.toml"]).code, Some(0));
    let path = repository().join("docs/grade.schema.json");
    let schema: Value = serde_json::from_str(&std::fs::read_to_string(path).expect("a schema")).expect("JSON");
    let mut states = std::collections::BTreeSet::new();
    for folder in ["ex01", "ex02"] {
        for file in std::fs::read_dir(workbook.path(&format!("grades/grades/{folder}"))).expect("grades").flatten() {
            let text = std::fs::read_to_string(file.path()).expect("a grade");
            let grade: Value = serde_json::from_str(&text).expect("JSON");
            fits(&schema, &schema, &grade, "grade").unwrap_or_else(|why| panic!("{why}"));
            states.insert(grade["state"]["is"].to_string());
        }
    }
    assert_eq!(states.len(), 2, "with a kernel and without: {states:?}");
}

/// Grades one student's folder for a platform.
fn for_platform(workbook: &Workbook, who: &str, platform: &str) -> Ran {
    let folder = format!("class/{who}");
    workbook.run(["grade", &folder, "--student", who, "--seed", "7", "--for", platform, "--book", "one"])
}

#[test]
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

/// What a student is told before grades are released names nothing that was drawn; afterwards all of it.
#[test]
fn before_the_release_nothing_drawn_is_told() {
    let workbook = class();
    let manifest = workbook.read("exercises/ex01/problem.toml");
    workbook.write(
        "exercises/ex01/problem.toml",
        manifest.replace("count = ", "drawn = [{ n = [20000, 30000] }]\ncount = "),
    );
    // Wrong at drawn sizes only.
    let solution = workbook.read("solutions/ex01/solution.cu");
    workbook
        .write("class/bob/ex01/kernel.cu", solution.replace("if (i < n)", "if (i < n && (n < 5000 || i != n - 7))"));
    assert_eq!(grade(&workbook, &[]).code, Some(0));
    let page = |who: &str| {
        let pages = std::fs::read_dir(workbook.path("grades/pages")).expect("pages").flatten();
        let page = pages
            .map(|page| page.path())
            .find(|page| page.file_name().is_some_and(|name| name.to_string_lossy().starts_with(who)));
        std::fs::read_to_string(page.expect("a page")).expect("its text")
    };
    let ran = for_platform(&workbook, "bob", "gradescope");
    let explained = workbook.run(["grade", "explain", "bob", "ex01"]).stdout;
    let seed = explained.split("seed ").nth(1).and_then(|rest| rest.split(',').next()).expect("a seed").to_owned();
    let report: Value =
        serde_json::from_str(&workbook.run(["grade", "explain", "bob", "ex01", "--json"]).stdout).expect("JSON");
    let size = report[0]["report"]["cases"].as_array().and_then(|cases| cases.last()).expect("a case")["sizes"]["n"]
        .to_string();
    assert!(size.len() == 5 && explained.contains("WRONG RESULT"), "{size}: {explained}");
    for (what, told) in [("page", page("bob")), ("gradescope", ran.stdout)] {
        assert!(told.contains("WRONG RESULT") && !told.contains(&size) && !told.contains(&seed), "{what}: {told}");
    }
    assert_eq!(workbook.run(["grade", "release"]).code, Some(0));
    assert_eq!(workbook.run(["grade", "pages"]).code, Some(0));
    assert!(page("bob").contains(&size), "{}", page("bob"));
}

#[test]
fn pages_show_what_students_wrote_as_text() {
    let workbook = class();
    let long: String =
        (0..40).map(|k| format!("    if (i == {k} * n)\n        b[i] = a[i] * {k}.5f + a[n - 1 - {k}];\n")).collect();
    let kernel =
        workbook.read("solutions/ex01/solution.cu").replace("    if (i < n)", &format!("{long}    if (i < n)"));
    workbook.write("class/<script>alert(1)</script>/ex01/kernel.cu", format!("// <img src=x>\n{kernel}"));
    workbook
        .write("class/hal/ex01/kernel.cu", kernel.replace(" i ", " j ").replace("(i ", "(j ").replace("[i]", "[j]"));
    let ran = grade(&workbook, &[]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let mut text = String::new();
    let mut names = Vec::new();
    for page in std::fs::read_dir(workbook.path("grades/pages")).expect("pages").flatten() {
        names.push(page.file_name().to_string_lossy().into_owned());
        text.push_str(&std::fs::read_to_string(page.path()).expect("a page"));
    }
    assert!(!text.contains("<script>") && !text.contains("<img"), "{text}");
    assert!(text.contains("&lt;script&gt;alert(1)&lt;/script&gt;"));
    // The renamed copy is found, and nobody else.
    assert_eq!(names.iter().filter(|name| name.starts_with("alike-ex01-")).count(), 1, "{names:?}");
    let index = workbook.read("grades/pages/index.html");
    assert!(index.contains("Look alike") && index.contains("RACE") && index.contains("DOES NOT COMPILE"), "{index}");
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

#[test]
fn students_get_no_answers_and_can_check_at_home() {
    let workbook = class();
    // A student's work of the teacher's own is not handed out.
    workbook.write("exercises/ex01/kernel.cu", workbook.read("solutions/ex01/solution.cu"));
    let ran = workbook.run(["dist", "out", "--exercise", "ex01"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let tree = list(&workbook.path("out"));
    assert_eq!(
        tree,
        [
            "README.md",
            "exercises/ex01/kernel.cu",
            "exercises/ex01/problem.toml",
            "exercises/ex01/reference.cu",
            "exercises/ex01/starter.cu",
            "kernels/README.md"
        ]
    );
    assert_eq!(workbook.read("out/exercises/ex01/kernel.cu"), workbook.read("exercises/ex01/starter.cu"));
    let home = workbook.path("out");
    let at_home = |args: &[&str]| -> Ran {
        workbook.command().args(args).env("WARPBOOK_ROOT", &home).current_dir(&home).output().expect("it starts").into()
    };
    let ran = at_home(&["ex01", "--backend", "sim"]);
    assert!(ran.code == Some(1) && ran.stdout.contains("NOT YET"), "{ran:?}");
    workbook.write("built", "#!/bin/sh\n");
    assert_eq!(workbook.run(["dist", "with", "--exercise", "ex01", "--checker", "built"]).code, Some(0));
    assert!(
        workbook.read("with/README.md").contains("`./checker exNN`") && workbook.read("with/checker") == "#!/bin/sh\n"
    );
    let twice = workbook.run(["dist", "out"]);
    assert!(twice.code == Some(2) && twice.stderr.contains("not empty"), "{twice:?}");
    assert_eq!(workbook.run(["dist", "bare", "--no-hints", "--no-references"]).code, Some(0));
    assert!(!list(&workbook.path("bare")).iter().any(|name| name.contains("reference")), "no oracle");
    assert!(!workbook.read("bare/exercises/ex01/problem.toml").contains("Write 1.5f"), "no hint");
}

/// Files below a folder.
fn list(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(next) = open.pop() {
        for entry in std::fs::read_dir(next).expect("a folder").flatten() {
            match entry.path() {
                path if path.is_dir() => open.push(path),
                path => found.push(path.strip_prefix(folder).expect("inside").to_string_lossy().into_owned()),
            }
        }
    }
    found.sort();
    found
}

/// What a container file says, done in a folder: its files copied, its commands run, with the compiler that is here already. Returns
/// the image's folder and its variables. Any other instruction is an error.
fn image(bundle: &Path, root: &Path, home: &Path) -> (PathBuf, Vec<(String, String)>) {
    const OWN: &str = "/opt/warpbook";
    let text = std::fs::read_to_string(bundle.join("Containerfile")).expect("a container file").replace("\\\n", " ");
    let there = |path: &str| root.join(path.strip_prefix('/').expect("an absolute path"));
    let mut variables: Vec<(String, String)> = Vec::new();
    for line in text.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty()) {
        let (word, rest) = line.split_once(' ').expect("an instruction");
        match word {
            "FROM" => assert_eq!(rest, "python:3-slim"),
            "COPY" => {
                let (from, to) = rest.split_once(' ').expect("two paths");
                let (from, to) = (bundle.join(from), there(to));
                for file in if from.is_dir() { list(&from) } else { vec![String::new()] } {
                    let (from, to) =
                        if file.is_empty() { (from.clone(), to.clone()) } else { (from.join(&file), to.join(&file)) };
                    std::fs::create_dir_all(to.parent().expect("a folder")).expect("a folder");
                    std::fs::copy(&from, &to).unwrap_or_else(|error| panic!("COPY {from:?}: {error}"));
                }
            }
            "ENV" => {
                let (name, value) = rest.split_once('=').expect("a variable");
                let value =
                    if name == "WARPBOOK_HOME" { home.to_string_lossy().into_owned() } else { value.to_owned() };
                variables.push((name.to_owned(), value));
            }
            // Debian's packages are not installed for a test: `make` is here.
            "RUN" if rest.starts_with("apt-get ") => assert!(rest.contains(" make "), "{rest}"),
            "RUN" => {
                let command = rest.replace(OWN, &there(OWN).to_string_lossy());
                let ran: Ran =
                    Command::new("sh").args(["-ec", &command]).envs(variables.clone()).output().expect("sh").into();
                assert_eq!(ran.code, Some(0), "RUN {command}: {ran:?}");
            }
            other => panic!("{other} is not tried"),
        }
    }
    let readable = |name: &String| {
        let about = std::fs::metadata(there(OWN).join(name)).expect("a file");
        std::os::unix::fs::PermissionsExt::mode(&about.permissions()) & 0o004 != 0
    };
    let closed: Vec<String> = list(&there(OWN)).into_iter().filter(|name| !readable(name)).collect();
    assert_eq!(closed, Vec::<String>::new(), "a platform's other user cannot read them");
    (there(OWN), variables)
}

/// Each template's own entry point, in the folders that its platform makes.
#[test]
#[expect(clippy::too_many_lines, reason = "a table: what a platform makes, and what it reads, by platform")]
fn templates_grade_as_they_are() {
    let workbook = class();
    let home = compiler::toolchain::home::Home::from_environment();
    workbook.write("seed", "7");
    // Only Gradescope says when something was handed in: here two days late.
    workbook.write("late.toml", "[late]\ndeadline = \"2026-11-02T12:00:00Z\"\nper_day = 0.1\n");
    // The checker is large; what stands for it starts it.
    workbook.write("checker", format!("#!/bin/sh\nexec \"{}\" \"$@\"\n", env!("CARGO_BIN_EXE_checker")));
    let solution = workbook.read("solutions/ex01/solution.cu");
    for (platform, _) in grade::dist::Platform::ALL {
        let bundle = workbook.path(platform);
        let out = bundle.to_string_lossy().into_owned();
        let ran = workbook.run([
            "dist",
            &out,
            "--for",
            platform,
            "--exercise",
            "ex01",
            "--seed-file",
            "seed",
            "--checker",
            "checker",
            "--rubric",
            "late.toml",
        ]);
        assert_eq!(ran.code, Some(0), "{platform}: {ran:?}");
        assert!(!list(&bundle).iter().any(|name| name.contains("solution") || name.contains("mutants")), "{platform}");
        let root = workbook.path(&format!("root-{platform}"));
        let file = |path: &str, text: &str| {
            let path = root.join(path);
            std::fs::create_dir_all(path.parent().expect("inside")).expect("a folder");
            std::fs::write(path, text).expect("a file");
        };
        let (own, variables) = match bundle.join("Containerfile").exists() {
            true => image(&bundle, &workbook.path(&format!("image-{platform}")), home.root()),
            false => (bundle.clone(), Vec::new()),
        };
        let start = |program: &str, folder: &Path, args: &[&str]| -> Ran {
            let mut command = Command::new(program);
            command.args(args).current_dir(folder).env("WARPBOOK_HOME", home.root()).env("WARPBOOK", &own);
            command.envs(variables.clone());
            command.env("AUTOGRADER", &root).env("GRADE", &root).output().expect("it starts").into()
        };
        let (ran, result) = match platform {
            "gradescope" => {
                file("submission/kernel.cu", &solution);
                std::os::unix::fs::symlink(&bundle, root.join("source")).expect("a link");
                file(
                    "submission_metadata.json",
                    r#"{ "id": 7, "created_at": "2026-11-03T11:00:00.5-07:00", "users": [] }"#,
                );
                (start(&format!("{out}/run_autograder"), &root, &[]), "results/results.json")
            }
            "prairielearn" => {
                file("student/kernel.cu", &solution);
                (start(&format!("{out}/tests/run.sh"), &root, &[]), "results/results.json")
            }
            "classroom50" => {
                file("kernel.cu", &solution);
                (start(&format!("{out}/grade.sh"), &root, &[]), "result.json")
            }
            "autolab" => {
                file("kernel.cu", &solution);
                (
                    start(
                        "make",
                        &root,
                        &["-s", "-f", &format!("{out}/autograde-Makefile"), &format!("OWN={}", own.display())],
                    ),
                    "",
                )
            }
            _ => {
                file("kernel.cu", &solution);
                assert_eq!(start(&format!("{out}/vpl_evaluate.sh"), &root, &[]).code, Some(0));
                (start("./vpl_execution", &root, &[]), "")
            }
        };
        assert_eq!(ran.code, Some(0), "{platform}: {ran:?}");
        let said = if result.is_empty() {
            ran.stdout.clone()
        } else {
            std::fs::read_to_string(root.join(result)).expect("a result")
        };
        let earned = match platform {
            "gradescope" => "\"score\": 8.0",
            "prairielearn" => "\"score\": 1.0",
            "classroom50" => "\"score\": 10",
            "autolab" => "\"scores\":{\"ex01\":10.0}",
            _ => "Grade :=>> 10",
        };
        assert!(said.contains(earned), "{platform}: {said}");
        if platform == "gradescope" {
            // As it is uploaded: one archive.
            let ran = workbook.run(["dist", "autograder.zip", "--for", platform, "--checker", "checker"]);
            assert_eq!(ran.code, Some(0), "{ran:?}");
            assert!(std::fs::read(workbook.path("autograder.zip")).expect("an archive").starts_with(b"PK"));
        }
    }
}
