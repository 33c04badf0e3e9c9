//! `checker grade`: a class from its folder to its points, as a teacher meets it.

use crate::support::{Ran, Workbook, executable, repository};
use std::collections::BTreeMap;
use std::process::Stdio;
use std::time::Duration;

/// A race that no result hangs on.
const RACE: &str = "    __shared__ int seen[128];
    seen[threadIdx.x] = 0;
    __syncthreads();
    seen[threadIdx.x] = i;
    if (seen[(threadIdx.x + 32) % 128] == -1)
        b[0] = 0.0f;
    if (i < n)";

/// A class of the small workbook: who handed in what.
pub fn class() -> Workbook {
    let workbook = Workbook::copy("small");
    let file = |name: &str| workbook.read(name);
    let solution = file("solutions/ex01/solution.cu");
    for (who, exercise, text) in [
        ("ada", "ex01", solution.clone()),
        ("ada", "ex02", file("solutions/ex02/solution.cu")),
        ("bob", "ex01", file("exercises/ex01/starter.cu")),
        ("cyd", "ex01", file("solutions/ex01/mutants/tail.cu")),
        ("cyd", "ex02", file("solutions/ex02/mutants/once.cu")),
        ("dan", "ex01", solution.replace("a[i]", "a[j]")),
        ("eve", "ex02", format!("// mine\n{}", file("solutions/ex02/solution.cu"))),
        // The same as Ada's.
        ("fay", "ex01", solution.clone()),
        // As good as Ada's, but for a race that changes nothing.
        ("gil", "ex01", solution.replace("    if (i < n)", RACE)),
    ] {
        workbook.write(&format!("class/{who}/{exercise}/kernel.cu"), text);
    }
    workbook
}

/// Of the class nobody is left, or one alone.
pub fn only(workbook: &Workbook, one: Option<&str>) {
    for who in std::fs::read_dir(workbook.path("class")).expect("a class").flatten() {
        if one.is_none_or(|one| who.file_name() != one) {
            std::fs::remove_dir_all(who.path()).expect("removed");
        }
    }
}

/// Grades a class into `grades` with a fixed secret.
pub fn grade(workbook: &Workbook, more: &[&str]) -> Ran {
    workbook.run([&["grade", "class", "--seed", "7"], more].concat())
}

#[test]
fn a_class_is_graded_and_each_point_explained() {
    let workbook = class();
    let ran = grade(&workbook, &[]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    insta::assert_snapshot!("grade-class", ran.stdout);
    insta::assert_snapshot!("grade-points", workbook.read("grades/grades.csv"));
    insta::assert_snapshot!("grade-submissions", workbook.read("grades/submissions.csv"));
    for who in ["ada", "bob", "dan", "gil"] {
        let ran = workbook.run(["grade", "explain", who, "ex01"]);
        assert_eq!(ran.code, Some(0), "{ran:?}");
        let told: String =
            ran.stdout.lines().filter(|line| !line.contains("NVRTC")).map(|line| format!("{line}\n")).collect();
        insta::assert_snapshot!(format!("grade-explain-{who}"), told);
    }
    // What a grade says of itself can be had again, and what it hangs on is there.
    let again = workbook.run(["grade", "again", "gil", "ex01"]);
    assert_eq!(again.code, Some(1), "{again:?}");
    assert!(again.stdout.contains("RACE") && again.stdout.contains("kernel.cu:"), "{}", again.stdout);
    assert!(!again.stdout.contains("grades/kernels"), "{}", again.stdout);

    // The second time nothing is checked, and nothing changes.
    let before = contents(&workbook);
    let ran = grade(&workbook, &["--jobs", "1"]);
    assert!(ran.stdout.contains("0 checked, 9 known already"), "{}", ran.stdout);
    assert_eq!(contents(&workbook), before);

    // A part that changed is graded again, the rest is not.
    workbook.write("class/bob/ex01/kernel.cu", workbook.read("solutions/ex01/solution.cu").replace("128", "64"));
    let ran = grade(&workbook, &[]);
    assert!(ran.stdout.contains("1 checked, 8 known already"), "{}", ran.stdout);
    assert!(workbook.read("grades/grades.csv").contains("\nbob,,10,"), "{}", workbook.read("grades/grades.csv"));
    let manifest = workbook.read("exercises/ex02/problem.toml");
    workbook.write("exercises/ex02/problem.toml", manifest.replace("n = 33 }", "n = 34 }"));
    let ran = grade(&workbook, &[]);
    assert!(ran.stdout.contains("3 checked, 6 known already"), "{}", ran.stdout);
}

/// Grades by file, without what a clock says.
fn contents(workbook: &Workbook) -> BTreeMap<String, serde_json::Value> {
    let mut found = BTreeMap::new();
    for folder in std::fs::read_dir(workbook.path("grades/grades")).expect("grades").flatten() {
        for file in std::fs::read_dir(folder.path()).expect("a folder").flatten() {
            let name = file.file_name().to_string_lossy().into_owned();
            assert!(name.ends_with(".json"), "{name} is left");
            let text = std::fs::read_to_string(file.path()).expect("a grade");
            let mut grade: serde_json::Value = serde_json::from_str(&text).expect("whole");
            grade["seconds"] = 0.into();
            // Whether the compiler's answer was kept is not what it says.
            grade["report"]["stages"][0]["summary"] = "".into();
            found.insert(name, grade);
        }
    }
    found
}

#[test]
#[ignore = "long"]
fn points_are_the_same_in_any_order_and_whoever_else_is_there() {
    let workbook = class();
    assert_eq!(grade(&workbook, &["--jobs", "3", "--book", "one"]).code, Some(0));
    let all = workbook.read("one/grades.csv");
    // Each by themselves, the last first, into one book.
    for who in ["gil", "fay", "eve", "dan", "cyd", "bob", "ada"] {
        let others = workbook.path("others");
        let _ = std::fs::remove_dir_all(&others);
        std::fs::create_dir(&others).expect("a folder");
        std::fs::rename(workbook.path(&format!("class/{who}")), others.join(who)).expect("moved");
        let ran = workbook.run(["grade", "others", "--seed", "7", "--jobs", "1", "--book", "two"]);
        assert_eq!(ran.code, Some(0), "{ran:?}");
    }
    assert_eq!(workbook.read("two/grades.csv"), all);
}

#[test]
#[ignore = "long"]
fn killed_at_any_point_it_goes_on_and_loses_nothing() {
    let workbook = class();
    assert_eq!(grade(&workbook, &["--book", "whole"]).code, Some(0));
    let whole = workbook.read("whole/grades.csv");
    let mut finished = 0;
    for round in 0..12_u64 {
        let mut child = workbook
            .command()
            .args(["grade", "class", "--seed", "7", "--book", "killed", "--jobs", "2"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the binary starts");
        // Spread over what it takes to begin, to check, and to write.
        std::thread::sleep(Duration::from_millis(5 + round * round * 7 % 400));
        child.kill().expect("it was there");
        finished += usize::from(child.wait().expect("it ends").success());
        let damaged = workbook.path("killed/grades");
        for folder in std::fs::read_dir(damaged).into_iter().flatten().flatten() {
            for file in std::fs::read_dir(folder.path()).expect("a folder").flatten() {
                let name = file.file_name().to_string_lossy().into_owned();
                let text = std::fs::read(file.path()).expect("a file");
                let whole = name.ends_with(".new") || serde_json::from_slice::<serde_json::Value>(&text).is_ok();
                assert!(whole, "{name} is half-written after kill {round}");
            }
        }
    }
    assert!(finished < 12, "no kill came in time");
    let ran = grade(&workbook, &["--book", "killed"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_eq!(workbook.read("killed/grades.csv"), whole);
    let left = std::fs::read_dir(workbook.path("killed/grades/ex01")).expect("grades").flatten();
    let names: Vec<_> = left.map(|file| file.file_name().to_string_lossy().into_owned()).collect();
    assert!(names.iter().all(|name| name.ends_with(".json")), "{names:?}");
}

#[test]
fn a_rubric_says_what_is_worth_what() {
    let workbook = class();
    assert_eq!(grade(&workbook, &[]).code, Some(0));
    let with = |rubric: &str| {
        workbook.write("rubric.toml", rubric);
        grade(&workbook, &["--rubric", "rubric.toml"])
    };
    let ran = with(
        "[default]\nresults = 1\nfindings = 2\nprogress = false\n\
         [exercise.ex01]\nresults = 1\ngoals = 1\ngoal.\"sass.DMUL\" = 5.5\n",
    );
    assert!(ran.stdout.contains(" 0 checked"), "points are given anew, and nothing is checked: {}", ran.stdout);
    insta::assert_snapshot!("grade-rubric-points", workbook.read("grades/grades.csv"));
    for (rubric, says) in [
        ("[exercise.ex01]\ngoal.\"sass.DMULL\" = 1\n", "ex01 has no such goal; it has sass.DMUL"),
        ("[exercise.ex1]\nresults = 1\n", "did you mean ex01"),
        ("[default]\nresult = 1\n", "unknown field `result`"),
        ("[default]\nresults = -1\n", "points are 0 or more"),
        ("[default]\nresults = 1e7\n", "up to 1000000"),
        ("[default]\nresults = 0.004\n", "hundredths"),
        ("[default]\nresults = 1\ngoal.\"sass\" = 1\n", "[default] goal.\"sass\""),
        ("[exercise.ex01]\n[[exercise.ex01.speed]]\nat_least = inf\npoints = 1\n", "a ratio is a number above 0"),
        ("[late]\ndeadline = \"tomorrow\"\nper_day = 0.1\n", "deadline"),
        ("[late]\ndeadline = \"2026-11-01T12:00:00Z\"\nper_day = 1.5\n", "from 0 to 1"),
        ("results = ", "rubric.toml"),
    ] {
        let ran = with(rubric);
        assert_eq!(ran.code, Some(2), "{rubric}: {ran:?}");
        assert!(ran.stderr.contains(says), "{rubric}: {}", ran.stderr);
    }
    // A wrong rubric has changed nothing.
    insta::assert_snapshot!("grade-rubric-points", workbook.read("grades/grades.csv"));
}

#[test]
fn the_best_of_several_counts_and_coming_late_costs() {
    let workbook = class();
    workbook.write(
        "list.csv",
        "student,exercise,path,id,time\n\
         ada,ex01,class/bob/ex01/kernel.cu,1,2026-11-01T11:00:00Z\n\
         ada,ex01,class/ada/ex01/kernel.cu,1,2026-11-03T13:00:00Z\n\
         ada,ex01,class/ada/ex01/kernel.cu,2,2026-11-01T13:00:00+02:00\n\
         bob,ex01,class/ada/ex01/kernel.cu,3,2026-11-01T11:00:00Z\n\
         bob,ex01,class/bob/ex01/kernel.cu,3,2026-11-01T11:30:00Z\n",
    );
    let late = "[late]\ndeadline = \"2026-11-01T12:00:00Z\"\ngrace_minutes = 10\nper_day = 0.1\nat_most = 0.5\n";
    let points = |rubric: String| {
        workbook.write("rubric.toml", rubric);
        let ran = workbook.run(["grade", "list.csv", "--seed", "7", "--rubric", "rubric.toml"]);
        assert_eq!(ran.code, Some(0), "{ran:?}");
        workbook.read("grades/grades.csv")
    };
    // Two students of one name stay two.
    let best = points(late.to_owned());
    assert_eq!(best, "student,id,ex01,total,of,not_graded\nada,1,7,7,10,0\nada,2,10,10,10,0\nbob,3,10,10,10,0\n");
    let each = workbook.read("grades/submissions.csv");
    assert!(each.contains("PASSED,7,10,3 days late: -3 points"), "{each}");
    let last = points(format!("{late}[attempts]\ncount = \"last\"\n"));
    assert_eq!(last, "student,id,ex01,total,of,not_graded\nada,1,7,7,10,0\nada,2,10,10,10,0\nbob,3,0,0,10,0\n");
    let ambiguous = workbook.run(["grade", "explain", "ada", "ex01"]);
    assert_eq!(ambiguous.code, Some(2), "{ambiguous:?}");
    assert!(ambiguous.stderr.contains("ada (1) or ada (2)"), "{}", ambiguous.stderr);
    let late = workbook.run(["grade", "explain", "1", "ex01"]);
    assert!(late.stdout.contains("3 days late") && late.stdout.contains("which counts"), "{}", late.stdout);
}

#[test]
fn what_the_clock_ends_is_not_graded() {
    let workbook = class();
    // Millions of blocks of thousands of steps: it ends, but on no machine within a second.
    let endless = workbook.read("solutions/ex01/solution.cu").replace(
        "if (i < n)",
        "for (int k = 0; k < 100000 + n; ++k)\n        if (k % 2 > 2 || clock() == 1)\n            b[0] = 0;\n    if (i < n)",
    );
    only(&workbook, None);
    workbook.write("class/slow/ex01/kernel.cu", endless);
    let ran = grade(&workbook, &["--limit", "1"]);
    assert_eq!(ran.code, Some(3), "{ran:?}");
    assert!(ran.stdout.contains("not graded: slow ex01"), "{}", ran.stdout);
    assert_eq!(workbook.read("grades/grades.csv"), "student,id,ex01,total,of,not_graded\nslow,,not graded,0,,1\n");
}

/// A condition that no search turns: a word whose hash is a certain one. The results are right, and the teacher is told where to look.
#[test]
fn what_hangs_on_a_condition_that_never_held_is_to_be_looked_at() {
    let workbook = class();
    let solution = workbook.read("solutions/ex01/solution.cu");
    only(&workbook, None);
    let function = "__device__ unsigned stirred(float x)\n{\n    unsigned s = __float_as_uint(x);\n    for (int k = 0; k < 3; ++k) { s ^= s << 13; s ^= s >> 17; \
                    s ^= s << 5; s *= 2654435761u; }\n    return s;\n}\n__global__";
    let hashed = solution
        .replace("__global__", function)
        .replace("if (i < n)", "if (i < n && stirred(a[i]) == 0x12345678u)\n        b[i] = 0.0f;\n    else if (i < n)");
    workbook.write("class/hal/ex01/kernel.cu", &hashed);
    workbook.write("class/ida/ex01/kernel.cu", &solution);
    let ran = grade(&workbook, &[]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    // Right as far as anybody saw, whatever it takes.
    let table = workbook.read("grades/grades.csv");
    let earned = table.lines().find_map(|line| line.strip_prefix("hal,,")?.split(',').next()?.parse().ok());
    assert!(earned.is_some_and(|points: f64| points > 0.0), "{table}");
    let line = 1 + hashed.lines().position(|line| line.contains("stirred(a[i])")).expect("the condition");
    let page = workbook.read("grades/pages/index.html");
    let told = format!("<td>hal</td><td>ex01</td><td>not seen</td><td>line {line}: a condition came out one way");
    assert!(page.contains(&told) && page.matches("<td>not seen</td>").count() == 1, "{told}\n{page}");
}

/// Right at some sizes: their part of the points, all of them tried.
#[test]
fn partial_credit_counts_sizes() {
    let workbook = class();
    let solution = workbook.read("solutions/ex01/solution.cu");
    workbook.write("part/some/ex01/kernel.cu", solution.replace("if (i < n)", "if (i < n && n != 1)"));
    workbook.write("part/none/ex01/kernel.cu", solution.replace("1.7f", "1.8f"));
    workbook.write("part/all/ex01/kernel.cu", &solution);
    workbook.write("rubric.toml", "[default]\nresults = 100\npartial = true\nprogress = false\n");
    let ran = workbook.run(["grade", "part", "--seed", "7", "--rubric", "rubric.toml"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let table = workbook.read("grades/grades.csv");
    let points = |who: &str| -> f64 {
        let row = table.lines().find(|line| line.starts_with(&format!("{who},"))).expect("a row");
        row.split(',').nth(2).and_then(|cell| cell.parse().ok()).expect("points")
    };
    assert!(points("all") == 100.0 && points("none") == 0.0, "{table}");
    assert!((60.0..100.0).contains(&points("some")), "all sizes but one: {table}");
    let explained = workbook.run(["grade", "explain", "some", "ex01"]);
    assert!(
        explained.stdout.contains("right at ") && explained.stdout.contains(" sizes: WRONG RESULT"),
        "{explained:?}"
    );
    workbook.write("rubric.toml", "[default]\nresults = 100\npartial = true\n");
    let ran = workbook.run(["grade", "part", "--seed", "7", "--rubric", "rubric.toml"]);
    assert!(ran.code == Some(2) && ran.stderr.contains("goes with progress = false"), "{ran:?}");
}

/// `scripts/class/kill.sh`, which kills at points of a run that it draws; as many as a test may take.
#[test]
fn killed_by_the_script() {
    if !crate::support::long() {
        return eprintln!("not tried: WARPBOOK_LONG=1 tries it");
    }
    let script = repository().join("scripts/class/kill.sh");
    let mut command = std::process::Command::new("bash");
    command.arg(script).args(["20", "1"]).env("CHECKER", env!("CARGO_BIN_EXE_checker"));
    let ran: Ran = command.output().expect("bash").into();
    assert!(ran.code == Some(0) && ran.stdout.contains("20 kills"), "{ran:?}");
}

/// A rubric is for everybody in the book, also for those who are not among the submissions now; and who was checked by other means is
/// said.
#[test]
fn earlier_submissions_get_their_points_by_the_same_rubric() {
    let workbook = class();
    let hand_in = |who: &str, more: &[&str]| {
        let folder = format!("class/{who}");
        let ran = workbook.run([&["grade", &folder, "--student", who, "--seed", "7"], more].concat());
        assert_eq!(ran.code, Some(0), "{ran:?}");
        ran.stdout
    };
    hand_in("ada", &[]);
    workbook.write("rubric.toml", "[default]\nresults = 1\n");
    let said = hand_in("bob", &["--rubric", "rubric.toml"]);
    assert!(!said.contains("note:"), "{said}");
    assert_eq!(
        workbook.read("grades/grades.csv"),
        "student,id,ex01,ex02,total,of,not_graded\nada,,1,1,2,2,0\nbob,,0,,0,2,0\n"
    );
    let manifest = workbook.read("exercises/ex02/problem.toml");
    workbook.write("exercises/ex02/problem.toml", manifest.replace("n = 33 }", "n = 34 }"));
    let said = hand_in("bob", &[]);
    assert!(said.contains("note: 1 earlier submissions"), "{said}");
}

/// The clock is over all of a check: a compiler that does not come to its end is no mistake of the kernel, as far as anybody knows.
#[test]
fn the_clock_is_over_the_compiler_too() {
    let workbook = class();
    // 2^24 instances: minutes, or until the compiler is stopped.
    let long = "template <int depth, int at> struct Tree { static constexpr int sum = Tree<depth - 1, 2 * at>::sum + \
                Tree<depth - 1, 2 * at + 1>::sum; };\ntemplate <int at> struct Tree<0, at> { static constexpr int sum = at & 1; };\n\
                constexpr int much = Tree<24, 0>::sum;\n";
    let solution = workbook.read("solutions/ex01/solution.cu");
    let kernel = solution.replace("__global__", &format!("{long}__global__"));
    workbook.write("long/ada/ex01/kernel.cu", kernel.replace("1.7f", "1.7f + 0 * much"));
    let ran = workbook.run(["grade", "long", "--seed", "7", "--limit", "1", "--jobs", "1", "--book", "long-book"]);
    assert_eq!(ran.code, Some(3), "{ran:?}");
    assert!(
        ran.stdout.contains("not graded: ada ex01: ") && ran.stdout.contains("the compiler was stopped after"),
        "{ran:?}"
    );
    assert_eq!(workbook.read("long-book/grades.csv"), "student,id,ex01,total,of,not_graded\nada,,not graded,0,,1\n");
}

#[test]
fn a_grade_book_keeps_its_secret_and_what_it_is() {
    let workbook = class();
    let drawn = |book: &str| {
        let ran = workbook.run(["grade", "class/ada", "--student", "ada", "--book", book]);
        assert_eq!(ran.code, Some(0), "{ran:?}");
        let released = workbook.run(["grade", "release", "--book", book]);
        assert_eq!(released.code, Some(0), "{released:?}");
        let secret = workbook.read(&format!("{book}/secret"));
        assert!(released.stdout.contains(secret.trim()), "{}", released.stdout);
        assert!(
            !ran.stdout.contains(secret.trim())
                && !workbook.read(&format!("{book}/grades.csv")).contains(secret.trim())
        );
        secret
    };
    assert_ne!(drawn("one"), drawn("two"));
    let other = workbook.run(["grade", "class", "--book", "one", "--seed", "7"]);
    assert_eq!(other.code, Some(3), "{other:?}");
    assert!(other.stderr.contains("a seed of its own"), "{}", other.stderr);

    // A folder of something else is left alone.
    let folder = workbook.run(["grade", "class", "--book", "exercises"]);
    assert_eq!(folder.code, Some(2), "{folder:?}");
    assert!(
        folder.stderr.contains("no grade book") && !workbook.path("exercises/grade-book.json").exists(),
        "{folder:?}"
    );
    // A damaged grade is said and made again; a newer checker's is not touched.
    let grades = workbook.path("one/grades/ex01");
    let file = std::fs::read_dir(&grades).expect("grades").flatten().next().expect("one").path();
    let whole = std::fs::read_to_string(&file).expect("a grade");
    std::fs::write(&file, &whole[..whole.len() / 2]).expect("written");
    let ran = workbook.run(["grade", "class/ada", "--student", "ada", "--book", "one"]);
    assert!(ran.code == Some(0) && ran.stdout.contains(" 1 checked, 1 known"), "{ran:?}");
    std::fs::write(&file, whole.replacen("\"schema\": 1", "\"schema\": 9", 1)).expect("written");
    let newer = workbook.run(["grade", "class/ada", "--student", "ada", "--book", "one"]);
    assert_eq!(newer.code, Some(3), "{newer:?}");
    assert!(newer.stderr.contains("of version 9"), "{}", newer.stderr);
}

/// A stand-in for `sbatch` runs the tasks of the array, but for one whose node is lost.
#[test]
#[ignore = "long"]
fn a_job_array_grades_shares_and_what_is_left_is_made_up_for() {
    let workbook = class();
    assert_eq!(grade(&workbook, &["--book", "alone"]).code, Some(0));
    std::fs::create_dir(workbook.path("bin")).expect("a folder");
    executable(
        &workbook.path("bin/sbatch"),
        "#!/bin/sh\n[ \"$1\" = --wait ] || exit 9\ngrep -q '^#SBATCH --array=0-2$' \"$2\" || exit 8\n\
         for task in 0 2; do SLURM_ARRAY_TASK_ID=$task sh \"$2\" || exit 7; done\n\
         ls grades/grades/*/*.json | wc -l > graded-by-tasks\nexit 1\n",
    );
    let path = format!("{}:{}", workbook.path("bin").display(), std::env::var("PATH").unwrap_or_default());
    let ran: Ran = workbook
        .command()
        .args(["grade", "class", "--seed", "7", "--slurm", "3"])
        .env("PATH", path)
        .output()
        .expect("it starts")
        .into();
    assert_eq!(ran.code, Some(0), "{ran:?}");
    // Nine submissions: three each.
    assert_eq!(workbook.read("graded-by-tasks").trim(), "6", "{ran:?}");
    assert!(ran.stdout.contains("known already") && !ran.stdout.contains("0 checked"), "{}", ran.stdout);
    assert_eq!(workbook.read("grades/grades.csv"), workbook.read("alone/grades.csv"));
    let none = workbook
        .command()
        .args(["grade", "class", "--slurm", "3"])
        .env("PATH", "/nowhere")
        .output()
        .expect("it starts");
    assert_eq!(none.status.code(), Some(3), "{none:?}");
    assert!(String::from_utf8_lossy(&none.stderr).contains("sbatch cannot be started"), "{none:?}");
}

/// The rubrics that the documents show are rubrics, and fit the exercises that they name; the example course's assignments can be handed
/// out, and say of each exercise the minutes that its manifest says.
#[test]
fn rubrics_of_the_documents() {
    let workbook = problem::Workbook::at(repository()).expect("the workbook");
    let ids = workbook.ids();
    let folder = tempfile::tempdir().expect("a folder");
    let fits = |name: &str, path: &std::path::Path| {
        let rubric = grade::Rubric::read(path).unwrap_or_else(|error| panic!("{name}: {error}"));
        rubric.known(ids.iter().map(problem::ProblemId::as_str)).unwrap_or_else(|error| panic!("{name}: {error}"));
        for id in ids.iter().filter(|id| id.exercise_number().is_some()) {
            let problem = workbook.load(id).expect("a problem");
            rubric.scheme(&problem).unwrap_or_else(|error| panic!("{name}: {error}"));
        }
    };
    let text = std::fs::read_to_string(repository().join("docs/grading.md")).expect("a document");
    let block = text.split("```toml\n").nth(1).and_then(|block| block.split("```").next()).expect("a rubric");
    let path = folder.path().join("rubric.toml");
    std::fs::write(&path, block).expect("a file");
    fits("docs/grading.md", &path);
    let chapter = std::fs::read_to_string(repository().join("book/src/teachers.md")).expect("a chapter");
    for lab in ["lab1", "lab2", "lab3"] {
        let course = repository().join("docs/course").join(lab);
        fits(lab, &course.join("rubric.toml"));
        assert!(chapter.contains(&format!("docs/course/{lab}/rubric.toml")), "the chapter shows {lab}");
        let said = std::fs::read_to_string(course.join("README.md")).expect("what students read");
        let rubric = std::fs::read_to_string(course.join("rubric.toml")).expect("a rubric");
        let named: Vec<&str> = said
            .lines()
            .filter_map(|line| line.strip_prefix("| ex")?.split(' ').next())
            .filter(|number| number.parse::<u32>().is_ok())
            .collect();
        let out = folder.path().join(lab);
        let mut args = vec!["dist".to_owned(), out.to_string_lossy().into_owned()];
        for number in &named {
            let name = format!("ex{number}");
            let problem = workbook.load(&name.as_str().into()).expect("an exercise");
            let minutes = problem.manifest.minutes.map(|minutes| minutes.to_string()).unwrap_or_default();
            assert!(said.contains(&format!("| {name} | {minutes} |")), "{lab}: {name} takes {minutes} minutes");
            assert!(rubric.contains(&format!("[exercise.{name}]")), "{lab}: {name} has points");
            args.extend(["--exercise".to_owned(), name]);
        }
        assert!(named.len() >= 2, "{lab}");
        let ran = crate::support::run(&args);
        assert_eq!(ran.code, Some(0), "{ran:?}");
    }
}

/// A kernel may meet each goal of its exercise and do many times the work for it. The bounds that every check has are worth no points, but
/// goals are worth none without them.
#[test]
fn goals_are_worth_nothing_where_a_bound_of_every_check_is_broken() {
    let workbook = Workbook::copy("small");
    let solution = workbook.read("solutions/ex01/solution.cu");
    let again = solution.replace("a[i]", "(((volatile const float*)a)[i] + 0.0f * ((volatile const float*)a)[i] + 0.0f * ((volatile const float*)a)[i] + 0.0f * ((volatile const float*)a)[i])");
    assert_ne!(solution, again);
    workbook.write("class/ada/ex01/kernel.cu", &solution);
    workbook.write("class/ben/ex01/kernel.cu", again);
    assert_eq!(grade(&workbook, &[]).code, Some(0));
    let points = workbook.read("grades/grades.csv");
    let of =
        |who: &str| points.lines().find(|line| line.starts_with(who)).unwrap_or_else(|| panic!("{points}")).to_owned();
    assert!(of("ada").contains(",10,"), "{points}");
    assert!(of("ben").contains(",6,"), "right and clean, and no more: {points}");
    let told = workbook.run(["grade", "explain", "ben", "ex01"]).stdout;
    assert!(told.contains("but global load") || told.contains("but global"), "{told}");
}
