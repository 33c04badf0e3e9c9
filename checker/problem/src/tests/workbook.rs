//! Finding problems and their versions in a folder tree.

use crate::*;
use std::path::Path;

const MANIFEST: &str = r#"title = "T"
chapter = "c"
summary = "S"
learned = "L"
hints = ["a", "b"]
cases = [{ n = 1 }, { n = 33 }, { n = 65536 }]
[[out]]
name = "y"
type = "f32"
len = "n"
error = "exact"
"#;

const KERNEL: &str = "__global__ void k(float *y, int n) {}\n//@ launch k<<<ceil_div(n, 256), 256>>>(y, n)\n";

fn write(root: &Path, path: &str, text: &str) {
    let path = root.join(path);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

fn workbook(root: &Path) -> Workbook {
    for dir in ["exercises", "kernels", "solutions"] {
        std::fs::create_dir_all(root.join(dir)).unwrap();
    }
    for name in ["ex01", "ex02", "ex10"] {
        write(root, &format!("exercises/{name}/problem.toml"), MANIFEST);
        write(root, &format!("exercises/{name}/kernel.cu"), KERNEL);
        write(root, &format!("exercises/{name}/starter.cu"), KERNEL);
        write(root, &format!("solutions/{name}/solution.cu"), KERNEL);
        write(root, &format!("solutions/{name}/mutants/tail.cu"), KERNEL);
        write(root, &format!("solutions/{name}/mutants/racy.cu"), KERNEL);
    }
    write(root, "kernels/local-array/problem.toml", &format!("order = 2\n{MANIFEST}"));
    write(root, "kernels/wide-loads/problem.toml", &format!("order = 1\n{MANIFEST}"));
    write(root, "kernels/notes/README", "not a problem");
    Workbook::around(root).unwrap()
}

#[test]
fn problems_are_found_in_order_and_by_what_people_type() {
    let dir = tempfile::tempdir().unwrap();
    let workbook = workbook(dir.path());
    let names: Vec<String> = workbook.problems().unwrap().iter().map(|p| p.id.to_string()).collect();
    assert_eq!(names, ["ex01", "ex02", "ex10", "wide-loads", "local-array"]);
    for (typed, meant) in [
        ("ex02", "ex02"),
        ("ex2", "ex02"),
        ("2", "ex02"),
        ("EX10", "ex10"),
        ("Local-Array", "local-array"),
        ("exercises/ex01/", "ex01"),
    ] {
        assert_eq!(workbook.get(typed).unwrap().id.as_str(), meant, "{typed}");
    }
    for (typed, message) in [
        ("local-aray", "no problem is called `local-aray`; did you mean `local-array`?"),
        ("ex77", "no problem is called `ex77`; `checker list`"),
        ("nonsense", "no problem is called `nonsense`; `checker list` shows them all"),
        ("../ex01/../..", "no problem is called"),
    ] {
        let error = workbook.get(typed).unwrap_err().to_string();
        assert!(error.starts_with(message), "{error}");
    }
}

#[test]
fn versions_and_mutants_lie_where_the_layout_says() {
    let dir = tempfile::tempdir().unwrap();
    let workbook = workbook(dir.path());
    let exercise = workbook.get("ex01").unwrap();
    assert_eq!(exercise.kind, Kind::Exercise);
    assert_eq!(exercise.mutants(), ["racy", "tail"]);
    let relative = |problem: &Problem, version: Version| -> Option<String> {
        let path = problem.version_path(&version)?;
        Some(path.strip_prefix(workbook.root()).unwrap().to_string_lossy().into_owned())
    };
    let is = |path: &str| Some(path.to_string());
    assert_eq!(relative(&exercise, Version::Baseline), is("exercises/ex01/starter.cu"));
    assert_eq!(relative(&exercise, Version::Candidate), is("exercises/ex01/kernel.cu"));
    assert_eq!(relative(&exercise, Version::Solution), is("solutions/ex01/solution.cu"));
    assert_eq!(relative(&exercise, Version::Mutant("tail".into())), is("solutions/ex01/mutants/tail.cu"));
    assert_eq!(relative(&exercise, Version::Sweep), None);
    let pair = workbook.get("local-array").unwrap();
    assert_eq!(pair.kind, Kind::Pair);
    assert_eq!(relative(&pair, Version::Baseline), is("kernels/local-array/naive.cu"));
    assert_eq!(relative(&pair, Version::Solution), is("kernels/local-array/optimised.cu"));
    assert_eq!(exercise.version(&Version::Solution).unwrap().global_functions(), ["k"]);
    assert!(matches!(pair.version(&Version::Baseline), Err(ProblemError::Read { .. })));
}

#[test]
fn a_version_cannot_bring_its_own_inputs() {
    let dir = tempfile::tempdir().unwrap();
    let workbook = workbook(dir.path());
    write(dir.path(), "exercises/ex01/kernel.cu", &format!("//@ in a: f32[n] = zeros\n{KERNEL}"));
    let error = workbook.get("ex01").unwrap().version(&Version::Candidate).unwrap_err().to_string();
    assert!(
        error
            .contains("kernel.cu:1:1: `in`, `out`, `inout`, `size`, `texture` and `surface` are for stand-alone files"),
        "{error}"
    );
}

#[test]
fn a_malformed_problem_is_named_and_leaves_the_others_alone() {
    let dir = tempfile::tempdir().unwrap();
    let workbook = workbook(dir.path());
    write(dir.path(), "exercises/ex02/problem.toml", "title = 3\n");
    let error = workbook.get("ex02").unwrap_err().to_string();
    assert!(error.contains("ex02/problem.toml:1:9: invalid type: integer `3`, expected a string"), "{error}");
    assert_eq!(workbook.get("ex01").unwrap().id.as_str(), "ex01");
    assert!(workbook.problems().is_err());
    write(dir.path(), "exercises/first/problem.toml", MANIFEST);
    assert!(workbook.get("first").unwrap_err().to_string().contains("named exNN"));
}

#[test]
fn no_workbook_is_said_with_what_to_do() {
    let dir = tempfile::tempdir().unwrap();
    let error = Workbook::around(dir.path()).unwrap_err().to_string();
    assert!(error.contains("--workbook FOLDER or WARPBOOK_ROOT"), "{error}");
    let inner = dir.path().join("book/src");
    workbook(dir.path());
    std::fs::create_dir_all(&inner).unwrap();
    assert_eq!(Workbook::around(&inner).unwrap().root(), dir.path());
}

#[test]
fn drawn_cases_follow_the_seed_and_stay_in_their_intervals() {
    let dir = tempfile::tempdir().unwrap();
    let workbook = workbook(dir.path());
    let rows = "drawn = [{ n = [2, 70000] }, { n = [2, 70000] }, { n = [5, 6] }]\ncases";
    write(dir.path(), "exercises/ex01/problem.toml", &MANIFEST.replace("cases", rows));
    let problem = workbook.get("ex01").unwrap();
    let cases = |seed: u64| -> Vec<i64> { problem.drawn(seed).cases().iter().map(|c| c["n"]).collect() };
    assert_eq!(problem.cases().len(), 3, "nothing is drawn before a seed is there");
    let mut all = std::collections::BTreeSet::new();
    for seed in 0..50 {
        let drawn = cases(seed);
        assert_eq!((&drawn[..3], drawn.len()), (&[1, 33, 65536][..], 6));
        assert_eq!(drawn, cases(seed));
        assert!((2..=70000).contains(&drawn[3]) && (2..=70000).contains(&drawn[4]) && (5..=6).contains(&drawn[5]));
        all.extend(drawn[3..5].iter().copied());
    }
    assert!(all.len() > 95 && all.iter().any(|n| *n < 7000) && all.iter().any(|n| *n > 63000), "{all:?}");
    assert_eq!(problem.drawn(1).manifest.count["n"], 65536, "counts are taken at the last fixed case");
}

#[test]
fn a_sweeps_case_covers_the_values_it_leaves_out() {
    let dir = tempfile::tempdir().unwrap();
    let workbook = workbook(dir.path());
    let sweep = MANIFEST.replace(
        "cases = [{ n = 1 }, { n = 33 }, { n = 65536 }]",
        "kind = \"sweep\"\nflops = \"n\"\ncases = [{ n = 7, t = 32 }, { n = 9 }]",
    ) + "[sweep]\nrows = { name = \"t\", values = [32, 64] }\ncolumns = { name = \"u\", values = [1, 2] }\n\
           quantity = \"GFLOP/s\"\ncounter = \"instructions\"\n";
    write(dir.path(), "kernels/ilp/problem.toml", &sweep);
    let problem = workbook.get("ilp").unwrap();
    assert_eq!(problem.kind, Kind::Sweep);
    let cases: Vec<(i64, i64, i64)> = problem.cases().iter().map(|c| (c["n"], c["t"], c["u"])).collect();
    assert_eq!(cases, [(7, 32, 1), (7, 32, 2), (9, 32, 1), (9, 32, 2), (9, 64, 1), (9, 64, 2)]);
}

#[test]
fn an_audit_names_what_is_missing() {
    let dir = tempfile::tempdir().unwrap();
    let workbook = workbook(dir.path());
    write(dir.path(), "kernels/local-array/naive.cu", &KERNEL.replace("ceil_div(n, 256)", "n / 256"));
    write(dir.path(), "kernels/local-array/optimised.cu", &format!("{KERNEL}//@ mutant race: it races\n"));
    write(dir.path(), "kernels/local-array/mutants/racy.cu", KERNEL);
    write(dir.path(), "kernels/local-array/reference.cu", "__global__ void k(int n) {}\n//@ launch k<<<1, 1>>>(n)\n");
    let faults = audit::audit(&workbook, &workbook.get("local-array").unwrap());
    let root = dir.path().to_string_lossy().into_owned();
    insta::assert_snapshot!(faults.join("\n\n").replace(&root, "ROOT"));
}

#[test]
fn an_audit_sees_a_committed_kernel_that_is_not_the_starter() {
    let dir = tempfile::tempdir().unwrap();
    let workbook = workbook(dir.path());
    let problem = workbook.get("ex01").unwrap();
    let says =
        |workbook: &Workbook| audit::audit(workbook, &problem).iter().any(|f| f.contains("different from starter.cu"));
    assert!(!says(&workbook));
    write(dir.path(), "exercises/ex01/kernel.cu", &format!("{KERNEL}// solved\n"));
    assert!(says(&workbook));
}

/// The workbook as it is shipped.
#[test]
fn every_shipped_problem_is_well_formed() {
    let workbook = Workbook::around(Path::new(env!("CARGO_MANIFEST_DIR"))).unwrap();
    let mut faults = Vec::new();
    let ids = workbook.ids();
    for id in &ids {
        match workbook.load(id) {
            Ok(problem) => faults.extend(audit::audit(&workbook, &problem).into_iter().map(|f| format!("{id}: {f}"))),
            Err(error) => faults.push(format!("{id}: {error}")),
        }
    }
    assert!(ids.len() >= 10, "only {} problems", ids.len());
    assert!(faults.is_empty(), "{}", faults.join("\n\n"));
}
