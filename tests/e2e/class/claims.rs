//! What students say of themselves and of others, and what gets lost: names, times, other people's folders, tries that add up.

use crate::class::grade::class;
use crate::support::Workbook;
use std::io::Write;
use std::process::Command;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

/// Grades with a fixed secret, into a book of that name; what was said and `grades.csv`.
fn graded(workbook: &Workbook, what: &str, book: &str, more: &[&str]) -> (String, String) {
    let ran = workbook.run([&["grade", what, "--seed", "7", "--book", book], more].concat());
    assert_eq!(ran.code, Some(0), "{ran:?}");
    (ran.stdout, workbook.read(&format!("{book}/grades.csv")))
}

fn kernels(workbook: &Workbook) -> (String, String) {
    (workbook.read("solutions/ex01/solution.cu"), workbook.read("exercises/ex01/starter.cu"))
}

fn zipped(workbook: &Workbook, name: &str, files: &[(&str, &[u8])]) {
    let mut zip = ZipWriter::new(std::fs::File::create(workbook.path(name)).expect("a file"));
    for (path, bytes) in files {
        zip.start_file(*path, SimpleFileOptions::default()).expect("an entry");
        zip.write_all(bytes).expect("its bytes");
    }
    zip.finish().expect("the end");
}

/// Gradescope's word for who a folder's student is, and when it was handed in, is believed beside its folders only: not from a student,
/// who could take another's work, or a time, with it.
#[test]
fn metadata_that_a_student_hands_in_says_nothing() {
    let workbook = class();
    let (good, bad) = kernels(&workbook);
    let ex01 = ["--exercise", "ex01"];
    let says = |one: &str, other: &str| {
        format!(
            "---\nsubmission_7:\n  :submitters:\n  - :name: {one}\nsubmission_8:\n  :submitters:\n  - :name: {other}\n"
        )
    };
    // A plain folder of students.
    workbook.write("plain/ada/kernel.cu", &bad);
    workbook.write("plain/bob/kernel.cu", &good);
    let takes = "---\nbob:\n  :submitters:\n  - :name: ada\n  :created_at: 2020-01-01 00:00:00 Z\n";
    workbook.write("plain/ada/submission_metadata.yml", takes);
    let (said, points) = graded(&workbook, "plain", "of-plain", &ex01);
    assert_eq!(points, "student,id,ex01,total,of,not_graded\nada,,0,0,10,0\nbob,,10,10,10,0\n");
    assert!(said.contains("passed over: ada/submission_metadata.yml"), "{said}");
    // An export that was unpacked: the student's own file comes first by its name.
    workbook.write("export/submission_metadata.yml", says("Ann", "Bo"));
    workbook.write("export/submission_7/submission_metadata.yml", says("Bo", "Ann"));
    workbook.write("export/submission_7/kernel.cu", &bad);
    workbook.write("export/submission_8/kernel.cu", &good);
    let (_, points) = graded(&workbook, "export", "of-export", &ex01);
    assert_eq!(points, "student,id,ex01,total,of,not_graded\nAnn,,0,0,10,0\nBo,,10,10,10,0\n");
    // A folder below a student's is not Gradescope's, whatever it is called.
    let nobody = "---\nsubmission_7:\n  :submitters: []\nsubmission_8:\n  :submitters:\n  - :name: Bo\n";
    zipped(
        &workbook,
        "export.zip",
        &[
            ("assignment_1_export/submission_metadata.yml", nobody.as_bytes()),
            ("assignment_1_export/submission_7/submission_8/kernel.cu", good.as_bytes()),
            ("assignment_1_export/submission_8/kernel.cu", bad.as_bytes()),
        ],
    );
    let (_, points) = graded(&workbook, "export.zip", "of-zip", &ex01);
    assert_eq!(points, "student,id,ex01,total,of,not_graded\nBo,,0,0,10,0\nsubmission_7,7,10,10,10,0\n");
}

/// Several files of one student are one try on a platform, or none: nothing adds up their points.
#[test]
fn tries_are_not_added_up_on_a_platform() {
    let workbook = class();
    let (good, _) = kernels(&workbook);
    // As Canvas calls files, of which it keeps earlier ones.
    workbook.write("sub/a_1_1_ex01.cu", &good);
    workbook.write("sub/a_1_2_ex01.cu", format!("// again\n{good}"));
    workbook.write("list.csv", "student,exercise,path\nada,ex01,sub/a_1_1_ex01.cu\nada,ex01,sub/a_1_2_ex01.cu\n");
    let score = |what: &str, more: &[&str], most: f64| {
        let book = format!("of-{what}");
        let args = [&["grade", what, "--seed", "7", "--book", &book, "--for", "gradescope"], more].concat();
        let ran = workbook.run(args);
        let results: serde_json::Value = serde_json::from_str(&ran.stdout).expect("JSON");
        assert_eq!(results["score"].as_f64(), Some(most), "{what}: {results}");
    };
    score("sub", &["--student", "ada", "--exercise", "ex01"], 0.0);
    score("list.csv", &[], 10.0);
}

/// Commands in reports are for pasting: a name in one is a name, and the command finds it.
#[test]
fn a_name_in_a_command_stays_a_name() {
    let workbook = class();
    let names = ["$(touch pwned)", "`touch pwned`", "it's; touch pwned", "--json", "a\"b\nc", "Jane Doe"];
    let rows = names
        .map(|name| serde_json::json!({ "student": name, "exercise": "ex01", "path": "class/ada/ex01/kernel.cu" }));
    workbook.write("list.json", serde_json::to_string(&rows).expect("JSON"));
    graded(&workbook, "list.json", "grades", &[]);
    let program = format!("'{}'", env!("CARGO_BIN_EXE_checker"));
    for file in std::fs::read_dir(workbook.path("grades/grades/ex01")).expect("grades").flatten() {
        let text = std::fs::read_to_string(file.path()).expect("a grade");
        let grade: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        let (name, again) = (&grade["student"]["name"], grade["report"]["repeat"].as_str().expect("a command"));
        assert!(!again.contains('\n'), "{again}");
        let told = again.replacen("checker grade again", &format!("{program} grade explain"), 1);
        let ran = Command::new("sh").args(["-c", &told]).current_dir(workbook.path("")).output().expect("a shell");
        assert!(ran.status.success(), "{name}: {again}: {}", String::from_utf8_lossy(&ran.stderr));
        let said = String::from_utf8_lossy(&ran.stdout).into_owned();
        assert!(said.contains(again) && said.lines().next().is_some_and(|line| line.contains(" ex01: ")), "{said}");
        assert!(!workbook.path("pwned").exists(), "{again}");
    }
}

/// A deadline says something of submissions whose time is known; of others it is said that it does not.
#[test]
#[ignore = "long"]
fn times_that_nobody_knows() {
    let workbook = class();
    let (good, bad) = kernels(&workbook);
    workbook.write("one/ada/ex01/kernel.cu", &good);
    workbook.write("late.toml", "[late]\ndeadline = \"2020-01-01T00:00:00Z\"\nper_day = 1.0\n");
    let late = ["--rubric", "late.toml"];
    let (said, points) = graded(&workbook, "one", "grades", &late);
    assert!(points.contains("ada,,10,") && said.contains("of 1 submissions that count nobody said when"), "{said}");
    // What was graded before its time was known is no second submission.
    let (said, points) = graded(&workbook, "one", "grades", &["--file-times"]);
    assert!(points.contains("ada,,0,") && !said.contains("note:"), "{said}{points}");
    zipped(&workbook, "one.zip", &[("ada/ex01/kernel.cu", good.as_bytes())]);
    let (said, _) = graded(&workbook, "one.zip", "of-zip", &["--file-times"]);
    assert!(said.contains("note: --file-times found none"), "{said}");
    // The last of two of which nobody knows which that is.
    workbook.write("b.cu", &bad);
    workbook.write("a.cu", &good);
    workbook.write("list.csv", "student,exercise,path\nada,ex01,b.cu\nada,ex01,a.cu\n");
    workbook.write("last.toml", "[attempts]\ncount = \"last\"\n");
    let (said, _) = graded(&workbook, "list.csv", "of-list", &["--rubric", "last.toml"]);
    assert!(said.contains("note: ada ex01: 2 submissions without a time"), "{said}");
    // Whoever hands in after the release may know the inputs.
    assert!(!said.contains("released"), "{said}");
    assert_eq!(workbook.run(["grade", "release", "--book", "of-list"]).code, Some(0));
    let (said, _) = graded(&workbook, "list.csv", "of-list", &[]);
    assert!(said.contains("note: the secret of this grade book is released"), "{said}");
}

/// Whoever handed something in is graded or named.
#[test]
fn nobody_is_lost_without_a_word() {
    let workbook = class();
    let (good, _) = kernels(&workbook);
    for path in [
        "ada/ex01/kernel.cu",
        "cyd/solutions/ex01/kernel.cu",
        "Target/ex01/kernel.cu",
        "eve_ex01.cpp",
        "fay/ex09/kernel.cu",
    ] {
        workbook.write(&format!("some/{path}"), &good);
    }
    workbook.write("some/bob/ex01/kernel.txt", &good);
    workbook.write("some/gil/work.rar", "Rar!");
    workbook.write("some/README.md", "of the teacher");
    std::os::unix::fs::symlink("ada", workbook.path("some/hal")).expect("a link");
    let (said, points) = graded(&workbook, "some", "grades", &[]);
    let students = ["Target", "ada", "bob", "cyd", "eve", "fay", "gil", "hal"];
    let row = |who: &str| if who == "ada" { "ada,,10,10,10,0\n".to_owned() } else { format!("{who},,,0,10,0\n") };
    assert_eq!(points, format!("student,id,ex01,total,of,not_graded\n{}", students.map(row).concat()));
    let named: Vec<&str> = said.lines().filter_map(|line| line.strip_prefix("passed over: ")).collect();
    for who in ["bob", "cyd", "Target", "eve", "fay", "gil", "hal"] {
        assert_eq!(named.iter().filter(|line| line.starts_with(who)).count(), 1, "{who}: {said}");
    }
    assert_eq!(named.len(), 7, "{said}");
    // Canvas calls archives as it calls files, and their numbers are the students'.
    zipped(&workbook, "ann.zip", &[("kernel.cu", good.as_bytes())]);
    let inner = std::fs::read(workbook.path("ann.zip")).expect("an archive");
    zipped(&workbook, "canvas.zip", &[("annlee_11_22_ex01.zip", &inner), ("roe_LATE_12_23_ex01.zip", b"no archive")]);
    let (said, points) = graded(&workbook, "canvas.zip", "of-canvas", &[]);
    assert_eq!(points, "student,id,ex01,total,of,not_graded\nannlee,11,10,10,10,0\nroe,12,,0,10,0\n");
    assert!(said.contains("passed over: roe_LATE_12_23_ex01.zip"), "{said}");
}

/// Nobody has the points of another of the same name.
#[test]
fn two_rows_of_one_name_in_a_canvas_gradebook() {
    let workbook = class();
    let rows = ["Ann", "Points Possible", "Bo"]
        .map(|name| serde_json::json!({ "student": name, "exercise": "ex01", "path": "class/ada/ex01/kernel.cu" }));
    workbook.write("list.json", serde_json::to_string(&rows).expect("JSON"));
    graded(&workbook, "list.json", "grades", &[]);
    let gradebook = "Student,ID,SIS Login ID,Section,Lab (9)\n    Points Possible,,,,50\nAnn,1,,,\nAnn,2,,,\nBo,3,,,\n";
    workbook.write("gradebook.csv", gradebook);
    let ran = workbook.run(["grade", "canvas", "gradebook.csv", "--assignment", "Lab"]);
    assert_eq!(ran.stdout, gradebook.replace("Bo,3,,,\n", "Bo,3,,,10\n"), "{ran:?}");
    assert!(ran.stderr.contains("Ann has 2 rows") && ran.stderr.contains("Points Possible has no row"), "{ran:?}");
}

/// What editors leave beside a starter may be an answer.
#[test]
fn students_get_no_copies_that_editors_made() {
    let workbook = class();
    for name in ["kernel.cu~", "kernel.cu.orig", "#kernel.cu#", ".kernel.cu.swp", "mine.cu", "kernel.cu", "common.cuh"]
    {
        workbook.write(&format!("exercises/ex01/{name}"), "// the answer\n");
    }
    assert_eq!(workbook.run(["dist", "out", "--exercise", "ex01"]).code, Some(0));
    let mut names: Vec<String> = std::fs::read_dir(workbook.path("out/exercises/ex01"))
        .expect("a folder")
        .flatten()
        .map(|file| file.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    assert_eq!(names, ["common.cuh", "kernel.cu", "problem.toml", "reference.cu", "starter.cu"]);
    assert!(!workbook.read("out/exercises/ex01/kernel.cu").contains("the answer"));
}

/// Of an assignment of two exercises one is not all of it, and who hands in no kernel is told so where the platform shows it.
#[test]
#[ignore = "long"]
fn what_is_missing_of_an_assignment_counts() {
    let workbook = class();
    let (good, _) = kernels(&workbook);
    let bundled = ["dist", "out", "--for", "prairielearn", "--exercise", "ex01", "--exercise", "ex02"];
    assert_eq!(workbook.run(bundled).code, Some(0));
    assert!(workbook.read("out/tests/run.sh").contains("--assigned ex01,ex02"));
    let graded = |folder: &str| {
        let book = format!("of-{folder}");
        let args = ["grade", folder, "--student", "ada", "--assigned", "ex01,ex02", "--seed", "7", "--book", &book];
        let ran = workbook.run([&args[..], &["--for", "prairielearn"]].concat());
        assert_eq!(ran.code, Some(0), "{ran:?}");
        serde_json::from_str::<serde_json::Value>(&ran.stdout).expect("JSON")
    };
    workbook.write("half/ex01.cu", &good);
    let half = graded("half");
    assert!(
        half["score"].as_f64() == Some(0.5)
            && half["output"].as_str().is_some_and(|said| said.contains("ex02: NO KERNEL")),
        "{half}"
    );
    workbook.write("none/kernel.cpp", &good);
    let none = graded("none");
    assert!(
        none["score"].as_f64() == Some(0.0)
            && none["output"].as_str().is_some_and(|said| said.contains("no kernel file")),
        "{none}"
    );
    // A folder around everything is a student's, or nobody's: it is said.
    zipped(&workbook, "one.zip", &[("ada/bob/kernel.cu", good.as_bytes())]);
    let (said, _) = self::graded(&workbook, "one.zip", "of-one", &["--exercise", "ex01"]);
    assert!(said.contains("note: everything lies in the folder ada"), "{said}");
}
