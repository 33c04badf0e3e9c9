//! Finding one's way: `checker`, `list`, `hint`, `reset`, names that are not there, progress that survives.

use crate::support::{Workbook, checker, run};
use std::fs;
use std::io::Write;
use std::process::Stdio;

#[test]
fn where_you_are() {
    let workbook = Workbook::copy("small");
    let home = workbook.run([] as [&str; 0]);
    assert_eq!(home.code, Some(0), "{home:?}");
    insta::assert_snapshot!("home", home.stdout);
    let list = workbook.run(["list"]);
    assert_eq!(list.code, Some(0), "{list:?}");
    insta::assert_snapshot!("list", list.stdout);
    let json: serde_json::Value = serde_json::from_str(&workbook.run(["list", "--json"]).stdout).expect("JSON");
    assert_eq!(json["schema"], 1);
    assert_eq!(json["next"], "ex01");
    assert_eq!(json["problems"][0]["solved"], false);
}

#[test]
fn an_unknown_name_suggests_the_nearest() {
    let workbook = Workbook::copy("small");
    for (args, near) in [
        (vec!["ex10"], "ex01"),
        (vec!["twcie"], "twice"),
        (vec!["hint", "ex10"], "ex01"),
        (vec!["reset", "--yes", "twce"], "twice"),
        (vec!["lsit"], "list"),
        (vec!["zzzzzz"], "checker list"),
        (vec!["some/kernel.cu"], "checker run some/kernel.cu"),
    ] {
        let ran = workbook.run(&args);
        assert_eq!(ran.code, Some(2), "{args:?}: {ran:?}");
        assert!(ran.stderr.contains(near), "{args:?}: {}", ran.stderr);
        assert_eq!(ran.stdout, "", "{args:?}");
    }
    workbook.write("exercises/renamed.toml", "ex77 = \"ex02\"\n");
    assert!(workbook.run(["ex77"]).stderr.contains("checker ex02"), "what it is called today");
    // Short ways to say it.
    for name in ["EX01", "ex1", "1", "exercises/ex01/"] {
        assert!(workbook.run(["hint", name]).stdout.contains("ex01  One letter"), "{name}");
    }
}

#[test]
fn outside_of_a_workbook_the_next_step_is_named() {
    let nowhere = tempfile::tempdir().expect("a folder");
    let ran: crate::support::Ran = checker()
        .arg("list")
        .current_dir(nowhere.path())
        .env("WARPBOOK_ROOT", nowhere.path())
        .output()
        .expect("the binary starts")
        .into();
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(ran.stderr.contains("WARPBOOK_ROOT"), "{}", ran.stderr);
}

#[test]
fn hints_come_one_by_one_and_are_remembered() {
    let workbook = Workbook::copy("small");
    let shown = |args: &[&str]| {
        let ran = workbook.run([&["hint"], args].concat());
        assert_eq!(ran.code, Some(0), "{ran:?}");
        ["Which instructions", "What is the type", "Write 1.5f"].map(|hint| ran.stdout.contains(hint))
    };
    assert_eq!(shown(&["ex01"]), [true, false, false]);
    assert_eq!(shown(&["ex01"]), [true, true, false]);
    assert_eq!(shown(&["ex01"]), [true, true, true]);
    assert_eq!(shown(&["ex01"]), [true, true, true]);
    assert!(workbook.run(["hint", "ex01"]).stdout.contains("checker ex01 --solution"));
    assert_eq!(shown(&["twice", "--all"]), [false, false, false]);
    let progress: serde_json::Value =
        serde_json::from_str(&workbook.read(".warpbook/progress.json")).expect("progress is JSON");
    assert_eq!(progress["hints"]["ex01"], 3);
}

#[test]
fn reset_asks_and_keeps_a_backup() {
    let workbook = Workbook::copy("small");
    workbook.write("exercises/ex01/kernel.cu", "// mine\n");
    let answer = |text: &str| {
        let mut child = workbook
            .command()
            .args(["reset", "ex01"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the binary starts");
        child.stdin.take().expect("piped").write_all(text.as_bytes()).expect("it listens");
        child.wait_with_output().expect("it ends")
    };
    assert_eq!(answer("n\n").status.code(), Some(0));
    assert_eq!(workbook.read("exercises/ex01/kernel.cu"), "// mine\n");
    assert_eq!(answer("").status.code(), Some(2));
    assert_eq!(workbook.read("exercises/ex01/kernel.cu"), "// mine\n");

    assert_eq!(answer("y\n").status.code(), Some(0));
    assert_eq!(workbook.read("exercises/ex01/kernel.cu"), workbook.read("exercises/ex01/starter.cu"));
    let backups = || -> Vec<String> {
        let entries = fs::read_dir(workbook.path(".warpbook/backups")).expect("backups");
        entries.map(|entry| fs::read_to_string(entry.expect("an entry").path()).expect("text")).collect()
    };
    assert_eq!(backups(), ["// mine\n"]);
    // Again: nothing to do, nothing kept twice.
    assert_eq!(workbook.run(["reset", "ex01", "--yes"]).code, Some(0));
    assert_eq!(backups().len(), 1);
    // A pair has no version of the reader's.
    assert_eq!(workbook.run(["reset", "twice", "--yes"]).code, Some(2));
}

#[test]
fn reset_that_cannot_keep_a_backup_changes_nothing() {
    let workbook = Workbook::copy("small");
    workbook.write("exercises/ex01/kernel.cu", "// mine\n");
    // A file where the folder would be: what root may not write either.
    workbook.write(".warpbook", "in the way");
    let ran = workbook.run(["reset", "ex01", "--yes"]);
    assert_eq!(ran.code, Some(3), "{ran:?}");
    assert!(ran.stderr.contains(".warpbook"), "{}", ran.stderr);
    assert_eq!(workbook.read("exercises/ex01/kernel.cu"), "// mine\n");
}

#[test]
fn progress_that_cannot_be_kept_is_a_note() {
    let workbook = Workbook::copy("small");
    workbook.write(".warpbook", "in the way");
    let ran = workbook.run(["hint", "ex01"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.stderr.contains("progress is not kept"), "{}", ran.stderr);
    assert!(ran.stdout.contains("Write 1.5f"), "without memory, all hints: {}", ran.stdout);
    assert_eq!(workbook.run(["list"]).code, Some(0));
}

#[test]
fn progress_of_another_kind_is_set_aside() {
    for text in ["{\"schema\": 1, \"solved\": 3}", "\u{0}\u{1}", "{\"schema\": 99, \"new\": true}"] {
        let workbook = Workbook::copy("small");
        workbook.write(".warpbook/progress.json", text);
        let ran = workbook.run(["hint", "ex01"]);
        assert_eq!(ran.code, Some(0), "{ran:?}");
        assert!(ran.stderr.contains("it is kept as"), "{}", ran.stderr);
        let kept = fs::read_dir(workbook.path(".warpbook"))
            .expect("a folder")
            .filter_map(|entry| fs::read_to_string(entry.expect("an entry").path()).ok())
            .any(|content| content == text);
        assert!(kept, "lost: {text}");
    }
}

#[test]
fn a_malformed_problem_does_not_hide_the_others() {
    let workbook = Workbook::copy("small");
    workbook.write("exercises/ex02/problem.toml", "title = ");
    let ran = workbook.run(["list"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.stdout.contains("ex01") && ran.stderr.contains("ex02 is left out"), "{ran:?}");
}

#[test]
fn what_comes_next_is_found_without_reading_the_rest() {
    let workbook = Workbook::copy("small");
    workbook.write("kernels/twice/problem.toml", "title = ");
    let solved = |name: &str| serde_json::json!({"schema": 2, "solved": {name: {"kernel": "0", "at": 1}}}).to_string();
    for (name, first) in [("no exercise", "ex01"), ("ex01", "ex02"), ("ex02", "ex01")] {
        workbook.write(".warpbook/progress.json", solved(name));
        let ran = workbook.run(["hint"]);
        assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{name}");
        assert!(ran.stdout.trim_start().starts_with(first), "{name}: {}", ran.stdout);
    }
    // What stands in the way is said, and everything is looked at before there is nothing more to do.
    workbook.write("exercises/ex01/problem.toml", "title = ");
    workbook.write(".warpbook/progress.json", solved("ex02"));
    let ran = workbook.run(["hint"]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(ran.stderr.contains("ex01 is left out") && ran.stderr.contains("every exercise is solved"), "{ran:?}");
}

#[test]
fn two_at_once_lose_no_progress() {
    let workbook = Workbook::copy("small");
    std::thread::scope(|scope| {
        for name in ["ex01", "ex02", "twice", "ex01", "ex02", "twice"] {
            let workbook = &workbook;
            scope.spawn(move || assert_eq!(workbook.run(["hint", name]).code, Some(0)));
        }
    });
    let progress: serde_json::Value =
        serde_json::from_str(&workbook.read(".warpbook/progress.json")).expect("progress is JSON");
    for name in ["ex01", "ex02", "twice"] {
        assert_eq!(progress["hints"][name], 2, "{progress}");
    }
}

#[test]
fn colour_only_where_it_is_wanted() {
    let workbook = Workbook::copy("small");
    let coloured = |set: &[(&str, &str)], args: &[&str]| {
        let output = workbook.command().args(args).arg("list").envs(set.iter().copied()).output().expect("it starts");
        output.stdout.contains(&0x1b)
    };
    assert!(!coloured(&[], &[]), "a pipe is no terminal");
    assert!(coloured(&[("CLICOLOR_FORCE", "1")], &[]));
    assert!(coloured(&[], &["--color", "always"]));
    assert!(!coloured(&[("CLICOLOR_FORCE", "0")], &[]));
    assert!(!coloured(&[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")], &[]));
    assert!(!coloured(&[("CLICOLOR_FORCE", "1")], &["--plain"]));
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let mut child = checker()
        .args(["list", "--json"])
        .current_dir(crate::support::repository())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(!String::from_utf8_lossy(&output.stderr).contains("panicked"), "{output:?}");
}

#[test]
fn a_full_standard_output_is_the_environments_fault() {
    let full = fs::OpenOptions::new().write(true).open("/dev/full").expect("Linux has it");
    let output = checker()
        .arg("list")
        .current_dir(crate::support::repository())
        .stdout(full)
        .output()
        .expect("the binary starts");
    assert_eq!(output.status.code(), Some(3), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stderr).contains("standard output"), "{output:?}");
}

#[test]
fn a_command_and_a_name_do_not_go_together() {
    assert_eq!(run(["ex01", "list"]).code, Some(2));
    assert_eq!(run(["ex01", "--arch", "pentium"]).code, Some(2));
}
