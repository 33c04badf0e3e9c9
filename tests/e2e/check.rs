//! `checker NAME` on what a learner may write: every mistake ends in a report with its place and the right status.

use crate::support::{Ran, Workbook};

/// Runs a check on the simulator with a fixed seed.
fn check(workbook: &Workbook, more: &[&str]) -> Ran {
    workbook.run([&["ex01", "--backend", "sim", "--seed", "7"], more].concat())
}

/// The report, with what differs between machines taken out.
fn redacted(text: &str) -> String {
    let line = |line: &str| {
        let version = line.find("NVRTC ").map_or(line.len(), |at| at + "NVRTC ".len());
        let (head, tail) = line.split_at(version);
        match tail.split_once(' ') {
            Some((number, rest)) if !head.is_empty() && number.contains('.') => {
                format!("{head}[version] {}", rest.replace(", from the cache", ""))
            }
            _ => line.to_owned(),
        }
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

fn with_kernel(edit: impl Fn(&str) -> String) -> Workbook {
    let workbook = Workbook::copy("small");
    let text = workbook.read("exercises/ex01/kernel.cu");
    let edited = edit(&text);
    assert_ne!(text, edited, "the edit changes nothing");
    workbook.write("exercises/ex01/kernel.cu", edited);
    workbook
}

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
fn what_does_not_compile_shows_the_learners_line() {
    let ran = check(&with_kernel(|text| text.replace("a[i]", "a[j]")), &[]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    insta::assert_snapshot!("check-does-not-compile", redacted(&ran.stdout));
}

#[test]
fn launches_that_cannot_be_made() {
    let launch = "launch scale<<<ceil_div(n, block), block>>>(a, b, n)";
    for (name, from, to) in [
        ("zero-blocks", launch, "launch scale<<<n / 1000000, block>>>(a, b, n)"),
        ("zero-threads", "block = 128", "block = 0"),
        ("too-many-threads", "block = 128", "block = 2048"),
        ("too-much-shared", launch, "launch scale<<<ceil_div(n, block), block, 300000>>>(a, b, n)"),
        ("no-such-kernel", "launch scale", "launch scole"),
        ("too-few-arguments", "(a, b, n)", "(a, b)"),
        ("wrong-argument", "(a, b, n)", "(n, b, a)"),
        ("no-launch", "//@ launch", "//"),
        ("no-such-buffer", "(a, b, n)", "(a, c, n)"),
        ("unknown-statement", "//@ let ", "//@ lett"),
        ("unbalanced", "block>>>(", "block>>("),
        ("division-by-zero", "block = 128", "block = 128 / (n - n)"),
    ] {
        let ran = check(&with_kernel(|text| text.replace(from, to)), &[]);
        assert_eq!(ran.code, Some(1), "{name}: {ran:?}");
        assert!(!ran.stdout.contains("panicked") && !ran.stderr.contains("panicked"), "{name}: {ran:?}");
        insta::assert_snapshot!(format!("launch-{name}"), redacted(&ran.stdout));
    }
}

#[test]
fn files_that_are_no_kernel() {
    let workbook = Workbook::copy("small");
    for (content, says) in [
        (Vec::new(), "empty"),
        (b"  \n\n".to_vec(), ""),
        (b"//@ launch k<<<1, 1>>>()\n\xff\xfe__global__ void k() {}\n".to_vec(), "UTF-8"),
        (vec![b' '; 3 << 20], "bytes"),
        (b"//@ launch k<<<1, 1>>>()\n__global__ void k() {}\0".to_vec(), ""),
    ] {
        workbook.write("exercises/ex01/kernel.cu", &content);
        let ran = check(&workbook, &[]);
        assert_eq!(ran.code, Some(1), "{says}: {ran:?}");
        assert!(ran.stdout.contains(says), "{says}: {}", ran.stdout);
        assert!(!ran.stderr.contains("panicked"), "{ran:?}");
    }
    std::fs::remove_file(workbook.path("exercises/ex01/kernel.cu")).expect("it was there");
    let gone = check(&workbook, &[]);
    assert_eq!(gone.code, Some(2), "{gone:?}");
    assert!(gone.stderr.contains("checker reset ex01"), "{}", gone.stderr);
}

#[test]
fn sources_that_would_read_what_they_may_not() {
    for target in ["/etc/passwd", "/dev/zero", "../../solutions/ex01/solution.cu", "/proc/self/environ"] {
        let workbook = with_kernel(|text| format!("#include \"{target}\"\n{text}"));
        let ran = check(&workbook, &[]);
        assert_eq!(ran.code, Some(1), "{target}: {ran:?}");
        assert!(ran.stdout.contains("DOES NOT COMPILE"), "{target}: {}", ran.stdout);
        assert!(!ran.stdout.contains("root:"), "{target}: {}", ran.stdout);
    }
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
            if name == "changes-its-input" { text.replace("b[i] = a[i] * 1.7;", "b[i] = a[i] * 1.7f, a[i] = 0;") } else { text }
        });
        let ran = check(&workbook, &[]);
        assert_eq!(ran.code, Some(1), "{name}: {ran:?}");
        insta::assert_snapshot!(format!("wrong-{name}"), redacted(&ran.stdout));
    }
}
