//! `checker NAME` on kernels that run: verdicts, what is kept, what is said of wrong kernels.

use crate::judging::check::{check, redacted, with_kernel};
use crate::support::{Ran, Workbook, repository};

#[test]
fn a_starter_is_not_there_yet_and_its_solution_passes() {
    let workbook = Workbook::copy("small");
    let starter = check(&workbook, &[]);
    assert_eq!(starter.code, Some(1), "{starter:?}");
    insta::assert_snapshot!("check-starter", redacted(&starter.stdout));
    assert!(!workbook.path(".warpbook/progress.json").exists(), "nothing was solved");

    let solution = check(&workbook, &["--solution"]);
    assert_eq!(solution.code, Some(0), "{solution:?}");
    insta::assert_snapshot!("check-solution", redacted(&solution.stdout));
    assert!(!workbook.path(".warpbook/progress.json").exists(), "looking at the answer is not solving");

    workbook.write("exercises/ex01/kernel.cu", workbook.read("solutions/ex01/solution.cu"));
    let solved = check(&workbook, &[]);
    assert_eq!(solved.code, Some(0), "{solved:?}");
    assert!(solved.stdout.contains("checker ex02"), "what comes next: {}", solved.stdout);
    let progress: serde_json::Value =
        serde_json::from_str(&workbook.read(".warpbook/progress.json")).expect("progress is JSON");
    assert!(progress["solved"]["ex01"]["kernel"].is_string(), "{progress}");
    assert!(workbook.run([] as [&str; 0]).stdout.contains("1 of 2 exercises solved"));
}

/// A kernel that does nothing where it is counted would meet every goal on counts.
#[test]
fn the_size_that_is_counted_is_verified_even_if_it_is_no_case() {
    let workbook = Workbook::copy("small");
    let problem = workbook.read("exercises/ex01/problem.toml");
    workbook.write("exercises/ex01/problem.toml", problem.replace("count = { n = 4097 }", "count = { n = 4096 }"));
    assert_eq!(check(&workbook, &["--solution"]).code, Some(0));
    let honest = workbook.read("solutions/ex01/solution.cu");
    let idle = honest.replace("if (i < n)", "if (i < n && n != 4096)");
    assert_ne!(idle, honest);
    workbook.write("exercises/ex01/kernel.cu", idle);
    let ran = check(&workbook, &[]);
    assert!(ran.code == Some(1) && ran.stdout.contains("at n = 4096"), "{ran:?}");
}

/// README.md shows what a reader sees first. Where the output changes, it changes too.
#[test]
fn the_readme_shows_the_report_of_the_first_exercise() {
    let workbook = Workbook::copy_of_parts(&[
        "exercises/ex01",
        "kernels/local-array",
        "solutions/ex01",
        "book/results",
        "book/src",
    ]);
    let starter = workbook.read("exercises/ex01/starter.cu");
    workbook.write("exercises/ex01/kernel.cu", starter);
    // Not a machine's GPU.
    let shown = workbook.command().args(["ex01", "--seed", "7"]).env("CUDA_VISIBLE_DEVICES", "").output();
    let shown = Ran::from(shown.expect("the binary starts"));
    let readme = std::fs::read_to_string(repository().join("README.md")).expect("README.md");
    let (_, sample) = readme.split_once("$ checker ex01 --seed 7\n").expect("a sample");
    let (sample, _) = sample.split_once("```").expect("its end");
    assert_eq!(redacted(shown.stdout.trim()), redacted(sample.trim()), "{}", shown.stderr);

    // The same as a picture at the top. INSTA_UPDATE=always draws it anew.
    let mut coloured = workbook.command();
    coloured.args(["ex01", "--seed", "7", "--color", "always"]).env("CUDA_VISIBLE_DEVICES", "").env("COLUMNS", "100");
    let coloured = Ran::from(coloured.output().expect("the binary starts")).stdout;
    let file = tempfile::NamedTempFile::new().expect("a file");
    std::fs::write(file.path(), &coloured).expect("written");
    let title = "The report of the first exercise, not solved yet";
    let mut drawn = workbook.command();
    drawn.args(["dev", "screen", "--title", title]).stdin(file.reopen().expect("it is there"));
    let drawn = Ran::from(drawn.output().expect("the binary starts"));
    let picture = repository().join("docs/report.svg");
    if std::env::var_os("INSTA_UPDATE").is_some_and(|value| value == "always") {
        std::fs::write(&picture, &drawn.stdout).expect("written");
    }
    assert!(readme.contains("(docs/report.svg)"));
    let committed = std::fs::read_to_string(&picture).expect("docs/report.svg");
    assert_eq!(drawn.stdout, committed, "README's picture is not the present report: INSTA_UPDATE=always draws it");
}

#[test]
fn the_same_seed_gives_the_same_report() {
    let workbook = Workbook::copy("small");
    assert_eq!(check(&workbook, &["--json"]).stdout, check(&workbook, &["--json"]).stdout);
}

#[test]
fn every_number_of_the_json_says_where_it_comes_from() {
    let workbook = Workbook::copy("small");
    let ran = workbook.run(["twice", "--backend", "sim", "--json"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let json: serde_json::Value = serde_json::from_str(&ran.stdout).expect("JSON");
    assert_eq!((&json["schema"], &json["verdict"]), (&1.into(), &"passed".into()));
    let rows = json["table"].as_array().expect("a table");
    assert!(rows.iter().any(|row| row["metric"] == "count.instructions"), "{json:#}");
    for row in rows {
        let source = row["provenance"]["source"].as_str().expect("a source");
        assert!(["simulated", "compiler"].contains(&source), "{row}");
    }
    for goal in json["goals"].as_array().expect("goals") {
        assert_eq!(goal["status"], "met", "{goal}");
        assert!(goal["provenance"]["source"].is_string(), "{goal}");
    }
}

#[test]
fn quiet_says_the_verdict_and_verbose_every_case() {
    let workbook = Workbook::copy("small");
    let quiet = check(&workbook, &["--quiet", "--solution"]).stdout;
    let verbose = check(&workbook, &["--verbose", "--solution"]).stdout;
    assert!(quiet.contains("PASSED") && !quiet.contains("registers"), "{quiet}");
    assert!(verbose.contains("n = 4097") && verbose.contains("registers"), "{verbose}");
}

#[test]
fn wrong_kernels_are_told_what_is_wrong_and_where() {
    for (name, from, to) in [
        ("skips-the-tail", "i < n", "i < n - 1"),
        ("never-writes", "b[i] = a[i] * 1.7", "if (n < 0) b[i] = a[i]"),
        ("out-of-bounds", "if (i < n)", ""),
        ("changes-its-input", "const float* a", "float* a"),
    ] {
        let workbook = with_kernel(|text| {
            let text = text.replace(from, to);
            if name == "changes-its-input" {
                text.replace("b[i] = a[i] * 1.7;", "b[i] = a[i] * 1.7f, a[i] = 0;")
            } else {
                text
            }
        });
        let ran = check(&workbook, &[]);
        assert_eq!(ran.code, Some(1), "{name}: {ran:?}");
        insta::assert_snapshot!(format!("wrong-{name}"), redacted(&ran.stdout));
    }
}

#[test]
fn two_checkers_at_once_both_report() {
    let workbook = Workbook::copy("small");
    for (name, solution) in [("ex01", "solutions/ex01/solution.cu"), ("ex02", "solutions/ex02/solution.cu")] {
        workbook.write(&format!("exercises/{name}/kernel.cu"), workbook.read(solution));
    }
    std::thread::scope(|scope| {
        for name in ["ex01", "ex02", "ex01", "ex02"] {
            let workbook = &workbook;
            scope.spawn(move || {
                let ran = workbook.run([name, "--backend", "sim"]);
                assert_eq!(ran.code, Some(0), "{name}: {ran:?}");
            });
        }
    });
    let progress: serde_json::Value =
        serde_json::from_str(&workbook.read(".warpbook/progress.json")).expect("progress is JSON");
    for name in ["ex01", "ex02"] {
        assert!(progress["solved"][name].is_object(), "{progress}");
    }
}

#[test]
fn progress_that_cannot_be_kept_does_not_spoil_a_check() {
    let workbook = Workbook::copy("small");
    workbook.write("exercises/ex01/kernel.cu", workbook.read("solutions/ex01/solution.cu"));
    workbook.write(".warpbook", "in the way");
    let ran = check(&workbook, &[]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.stdout.contains("PASSED") && ran.stdout.contains("progress is not kept"), "{}", ran.stdout);
}

#[test]
fn a_kernel_of_its_own_for_the_counted_size_does_not_meet_the_goals() {
    let workbook = with_kernel(|text| {
        let launch = "//@ launch scale<<<ceil_div(n, block), block>>>(a, b, n)\n";
        let fast = text.split_once("__global__").map(|(_, kernel)| kernel.replace("1.7", "1.7f"));
        let lines = format!(
            "//@ for (k = 0; k < n / 4097; k = k + 1)\n{}//@ end\n//@ for (k = n; k != 4097; k = 4097)\n{launch}//@ end\n",
            launch.replace("scale", "fast")
        );
        let fast = fast.expect("a kernel").replace("scale", "fast");
        format!("{}\n__global__{fast}", text.replace(launch, &lines))
    });
    let ran = check(&workbook, &[]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.stdout.contains("NOT YET") && ran.stdout.contains("DMUL"), "{}", ran.stdout);
}
