//! Problems as their authors meet them: `checker dev new`, `checker dev check`, and what malformed files say.

use crate::support::{Workbook, run};

#[test]
fn a_new_exercise_and_a_new_pair_are_well_formed() {
    let workbook = Workbook::copy("bare");
    let exercise = workbook.run(["dev", "new", "exercise", "ex01", "--chapter", "first"]);
    assert_eq!(exercise.code, Some(0), "{exercise:?}");
    assert!(exercise.stdout.contains("exercises/ex01/starter.cu"), "{}", exercise.stdout);
    assert!(exercise.stdout.contains("checker dev check ex01"), "{}", exercise.stdout);
    assert_eq!(workbook.read("exercises/ex01/kernel.cu"), workbook.read("exercises/ex01/starter.cu"));
    let pair = workbook.run(["dev", "new", "pair", "wide-loads", "--chapter", "first.md"]);
    assert_eq!(pair.code, Some(0), "{pair:?}");
    assert!(workbook.read("kernels/wide-loads/problem.toml").starts_with("title    = \"Wide loads\""));
    // The chapter of the last problem of the kind is the default.
    assert_eq!(workbook.run(["dev", "new", "exercise", "ex02"]).code, Some(0));
    assert!(workbook.read("exercises/ex02/problem.toml").contains("chapter  = \"first\""));

    let check = workbook.run(["dev", "check", "--files"]);
    assert_eq!(check.code, Some(0), "{check:?}");
    assert!(check.stdout.contains("3 problems hold"), "{}", check.stdout);
    for file in ["exercises/ex01/problem.toml", "kernels/wide-loads/optimised.cu", "solutions/ex01/solution.cu"] {
        let text = workbook.read(file);
        assert!(!text.contains("TODO") && !text.contains("TITLE") && !text.contains("CHAPTER"), "{file}: {text}");
    }
}

#[test]
fn names_that_cannot_be_are_refused_and_nothing_is_written() {
    let workbook = Workbook::copy("bare");
    for (args, says) in [
        (["exercise", "third", "first"], "the next one is ex01"),
        (["exercise", "ex1", "first"], "the next one is ex01"),
        (["pair", "ex01", "first"], "no pair's name"),
        (["pair", "../../evil", "first"], "no pair's name"),
        (["pair", "Wide", "first"], "no pair's name"),
        (["pair", "wide", "second"], "no book/src/second.md"),
        (["pair", "wide", "../src/first"], "no book/src/"),
    ] {
        let [kind, name, chapter] = args;
        let ran = workbook.run(["dev", "new", kind, name, "--chapter", chapter]);
        assert_eq!(ran.code, Some(2), "{args:?}: {ran:?}");
        assert!(ran.stderr.contains(says), "{args:?}: {}", ran.stderr);
    }
    assert_eq!(workbook.run(["dev", "new", "pair", "wide"]).code, Some(2));
    assert_eq!(workbook.run(["dev", "new", "pair", "wide", "--chapter", "first"]).code, Some(0));
    let before = workbook.read("kernels/wide/naive.cu");
    workbook.write("kernels/wide/naive.cu", "// mine\n");
    let again = workbook.run(["dev", "new", "pair", "wide", "--chapter", "first"]);
    assert_eq!(again.code, Some(2), "{again:?}");
    assert!(again.stderr.contains("kernels/wide is there already"), "{}", again.stderr);
    assert_ne!(workbook.read("kernels/wide/naive.cu"), before, "the author's file was overwritten");
}

/// Every kind of malformed problem ends with status 1, the file, the line and the column.
#[test]
fn dev_check_shows_the_place_of_every_fault() {
    let workbook = Workbook::copy("bare");
    assert_eq!(workbook.run(["dev", "new", "exercise", "ex01", "--chapter", "first"]).code, Some(0));
    let launch = "//@ launch  scale<<<ceil_div(n, block), block>>>(x, scaled, n)";
    let edits = [
        (
            "exercises/ex01/problem.toml",
            "cases = [{ n = 1 }, ",
            "cases = [",
            "problem.toml:17:9: no case with a size of 1",
        ),
        (
            "exercises/ex01/problem.toml",
            "fill = ",
            "fil = ",
            "problem.toml:27:1: unknown key `fil`; did you mean `fill`?",
        ),
        ("exercises/ex01/problem.toml", "\"first\"", "\"second\"", "there is no book/src/second.md"),
        (
            "exercises/ex01/starter.cu",
            launch,
            "//@ lunch scale",
            "starter.cu:21:5: unknown statement `lunch`; did you mean `launch`?",
        ),
        ("exercises/ex01/starter.cu", "ceil_div(n, block), block>>>(x", "n / block, block>>>(x", "a grid of 0 blocks"),
        ("exercises/ex01/starter.cu", "scale<<<", "scal<<<", "no kernel `scal` in this file; did you mean `scale`?"),
        ("exercises/ex01/starter.cu", "block = 256", "block = 2048", "a block of 2048 threads in x; at most 1024"),
        (
            "exercises/ex01/reference.cu",
            "(x, y, y_magnitude, n)",
            "(x, z, y_magnitude, n)",
            "reference.cu:13:52: unknown name `z`",
        ),
        ("solutions/ex01/solution.cu", "//@ launch", "// launch", "the file has no `//@ launch` line"),
        (
            "solutions/ex01/mutants/tail.cu",
            "wrong-result",
            "wrong-resutl",
            "unknown reason `wrong-resutl`; did you mean `wrong-result`?",
        ),
        ("solutions/ex01/mutants/tail.cu", "//@ mutant", "//", "mutant tail: it states no reason"),
        ("exercises/ex01/kernel.cu", "3.0f", "4.0f", "kernel.cu is committed different from starter.cu"),
    ];
    for (file, from, to, says) in edits {
        let good = workbook.read(file);
        assert!(good.contains(from), "{file}: {from}");
        workbook.write(file, good.replacen(from, to, 1));
        let ran = workbook.run(["dev", "check", "--files", "ex01"]);
        assert_eq!(ran.code, Some(1), "{file}: {to}: {ran:?}");
        assert!(ran.stdout.contains(says), "{file}: {to}: {}", ran.stdout);
        workbook.write(file, good);
    }
    workbook.write("solutions/ex01/solution.cu", b"int x;\n// caf\xe9\n");
    let ran = workbook.run(["dev", "check", "--files"]);
    assert!(ran.stdout.contains("solution.cu:2:7: byte 0xe9 is not UTF-8"), "{}", ran.stdout);
    workbook.write("solutions/ex01/solution.cu", "");
    let ran = workbook.run(["dev", "check", "--files"]);
    assert!(ran.stdout.contains("solution.cu:1:1: the file is empty"), "{}", ran.stdout);
    std::fs::remove_file(workbook.path("solutions/ex01/solution.cu")).expect("removed");
    let ran = workbook.run(["dev", "check", "--files"]);
    assert!(ran.stdout.contains("solution.cu: No such file"), "{}", ran.stdout);
}

#[test]
fn dev_check_has_json_and_names_unknown_problems() {
    let workbook = Workbook::copy("bare");
    assert_eq!(workbook.run(["dev", "new", "exercise", "ex01", "--chapter", "first"]).code, Some(0));
    let ran = workbook.run(["dev", "check", "--files", "--json", "ex01"]);
    let value: serde_json::Value = serde_json::from_str(&ran.stdout).expect("JSON");
    assert_eq!(value["problems"][0]["name"], "ex01");
    assert_eq!(value["problems"][0]["faults"], serde_json::json!([]));
    let ran = workbook.run(["dev", "check", "--files", "ex1", "nonsense"]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(ran.stderr.contains("`nonsense`"), "{}", ran.stderr);
}

#[test]
#[ignore = "long"]
fn the_shipped_workbook_is_well_formed() {
    let ran = run(["dev", "check", "--files"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stdout);
}

/// Launch lines that only the compiled kernels can prove wrong, and those that no compiler is needed for.
#[test]
fn a_launch_that_cannot_be_made_is_shown_with_its_line() {
    let workbook = Workbook::copy("bare");
    assert_eq!(workbook.run(["dev", "new", "exercise", "ex01", "--chapter", "first"]).code, Some(0));
    let code = "__device__ float helper(float x) { return 3.0f * x; }\n\
                template <int B> __global__ void k(const float* x, float* y, int n)\n\
                {\n    int i = blockIdx.x * B + threadIdx.x;\n    if (i < n) { y[i] = helper(x[i]) + 1.0f; }\n}\n\
                __global__ void __launch_bounds__(128) small(const float* x, float* y, int n) { y[0] = x[0] + n; }\n";
    let cases = [
        ("k<256><<<ceil_div(n, 256), 256>>>(x, y)", "`k<256>` takes 3 arguments, the launch gives 2"),
        ("k<256><<<ceil_div(n, 256), 256>>>(x, n, y)", "argument 2 of `k<256>` is `float*`, but 1 is an integer"),
        ("k<256><<<ceil_div(n, 256), 256>>>(x, y, y)", "argument 3 of `k<256>` is `int`, but `y` is a buffer of f32"),
        ("k<256><<<ceil_div(n, 256), 256>>>(x, y, 1 << 40)", "1099511627776 does not fit into it"),
        ("small<<<1, 256>>>(x, y, n)", "a block of 256 threads, but `small` is compiled for at most 128"),
        ("helper<<<1, 256>>>(x, y, n)", "no kernel `helper` in this file; it has `k`, `small`"),
        ("kk<256><<<1, 256>>>(x, y, n)", "no kernel `kk` in this file"),
        ("k<256><<<1, 2048>>>(x, y, n)", "a block of 2048 threads in x; at most 1024 are possible"),
        (
            "k<256><<<1, 256, 1 << 20>>>(x, y, n)",
            "1048576 bytes of dynamic shared memory; a block can have at most 232448",
        ),
        ("k<256><<<0, 256>>>(x, y, n)", "a grid of 0 blocks in x"),
    ];
    for (launch, says) in cases {
        workbook.write("exercises/ex01/kernel.cu", format!("{code}//@ launch {launch}\n"));
        let ran = workbook.run(["ex01", "--backend", "sim"]);
        assert_eq!(ran.code, Some(1), "{launch}: {ran:?}");
        let said = ran.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(said.contains(says), "{launch}: {}", ran.stdout);
        assert!(said.contains("kernel.cu:8"), "{launch}: {}", ran.stdout);
    }
}
