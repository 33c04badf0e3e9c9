//! What is handed out, and what platforms grade with: each template through its own entry point.

use crate::class::grade::class;
use crate::support::{Ran, files_below};
use std::path::{Path, PathBuf};
use std::process::Command;

#[test]
fn students_get_no_answers_and_can_check_at_home() {
    let workbook = class();
    // A student's work of the teacher's own is not handed out.
    workbook.write("exercises/ex01/kernel.cu", workbook.read("solutions/ex01/solution.cu"));
    let ran = workbook.run(["dist", "out", "--exercise", "ex01"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let tree = files_below(&workbook.path("out"));
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
    assert!(!files_below(&workbook.path("bare")).iter().any(|name| name.contains("reference")), "no oracle");
    assert!(!workbook.read("bare/exercises/ex01/problem.toml").contains("Write 1.5f"), "no hint");
    // Where there are none, nobody is sent for one.
    let bare = |args: &[&str]| -> Ran {
        let home = workbook.path("bare");
        workbook.command().args(args).env("WARPBOOK_ROOT", &home).current_dir(&home).output().expect("it starts").into()
    };
    assert!(workbook.run(None::<&str>).stdout.contains("checker hint ex01"));
    let begun = bare(&[]);
    assert!(
        begun.code == Some(0) && begun.stdout.contains("checker watch") && !begun.stdout.contains("hint"),
        "{begun:?}"
    );
    let hint = bare(&["hint", "ex01"]);
    assert!(hint.code == Some(0) && hint.stdout.contains("There are no hints"), "{hint:?}");
    // What a class is given has no worked answers, and nothing that would put one back.
    let solution = at_home(&["ex01", "--solution"]);
    assert!(
        solution.code == Some(2) && solution.stderr.contains("this copy has no worked solution of `ex01`"),
        "{solution:?}"
    );
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
                for file in if from.is_dir() { files_below(&from) } else { vec![String::new()] } {
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
    let closed: Vec<String> = files_below(&there(OWN)).into_iter().filter(|name| !readable(name)).collect();
    assert_eq!(closed, Vec::<String>::new(), "a platform's other user cannot read them");
    (there(OWN), variables)
}

/// Each template's own entry point, in the folders that its platform makes.
#[test]
#[ignore = "long"]
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
        assert!(
            !files_below(&bundle).iter().any(|name| name.contains("solution") || name.contains("mutants")),
            "{platform}"
        );
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
