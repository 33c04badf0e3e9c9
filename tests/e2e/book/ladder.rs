//! A ladder: its table, one step, what is wrong with one of its versions, and its pages.

use crate::support::{Ran, Workbook};
use serde_json::json;

fn json(ran: &Ran) -> serde_json::Value {
    serde_json::from_str(&ran.stdout).unwrap_or_else(|error| panic!("{error}: {ran:?}"))
}

#[test]
fn all_versions_are_verified_and_counted() {
    let workbook = Workbook::copy("ladder");
    let ran = workbook.run(["total", "--backend", "sim", "--all", "--seed", "3", "--json"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let report = json(&ran);
    let steps = report["ladder"]["steps"].as_array().expect("steps");
    let of = |index: usize| (&steps[index]["version"], &steps[index]["launches"], &steps[index]["block"]);
    assert_eq!(of(0), (&json!("queue"), &json!(2), &json!(64)));
    // 4096, 64, 1.
    assert_eq!(of(1), (&json!("tree"), &json!(2), &json!(64)));
    assert_eq!(steps[0]["counters"]["global_atomics"], json!(4096));
    assert_eq!(steps[1]["counters"]["global_atomics"], json!(0));
    assert_eq!(steps[0]["heading"], json!("Every thread adds to one word. Flaw: they queue."));
    // Five sizes and two types: the queue at the one block size it claims, the tree at both.
    assert_eq!(report["cases"].as_array().map(Vec::len), Some(5 * 2 * 3));
    // Without --all, a size that is not small is run for the first type and at the ladder's own block size only.
    let fewer = json(&workbook.run(["total", "--backend", "sim", "--json"]));
    let large = |report: &serde_json::Value| {
        report["cases"].as_array().unwrap().iter().filter(|case| case["sizes"]["n"] == json!(5000)).count()
    };
    assert_eq!((large(&report), large(&fewer)), (6, 2));
}

#[test]
fn a_step_is_held_against_the_one_before() {
    let workbook = Workbook::copy("ladder");
    let ran = workbook.run(["total", "tree", "--backend", "sim", "--json"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let report = json(&ran);
    let labels: Vec<&str> =
        report["versions"].as_array().unwrap().iter().filter_map(|version| version["label"].as_str()).collect();
    assert_eq!(labels, ["queue", "tree"]);
    assert!(report["diff"]["added"].as_u64() > Some(0), "{}", report["diff"]);
    let unknown = workbook.run(["total", "twig"]);
    assert_eq!(unknown.code, Some(2), "{unknown:?}");
    assert!(unknown.stderr.contains("total has no version `twig`; it has queue, tree"), "{}", unknown.stderr);
}

#[test]
fn a_version_that_is_wrong_for_one_type_is_named_with_its_place() {
    let workbook = Workbook::copy("ladder");
    let file = "kernels/total/tree.cu";
    let broken = workbook.read(file).replace("A(x[i]) : A(0)", "A(short(x[i])) : A(0)");
    workbook.write(file, broken);
    let ran = workbook.run(["total", "--backend", "sim", "--plain"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    // Integers of one digit survive it, floats do not.
    assert!(ran.stdout.contains("tree: `sum` is wrong") && ran.stdout.contains("float, n = "), "{}", ran.stdout);
}

#[test]
fn what_is_wrong_at_large_sizes_only_is_seen() {
    const LOAD: &str = "s[t] = i < n ? A(x[i]) : A(0);";
    let workbook = Workbook::copy("ladder");
    let file = "kernels/total/tree.cu";
    let right = workbook.read(file);
    let check = |load: &str, global: &str, expected: &[&str]| {
        let broken = right.replace(LOAD, load);
        assert_ne!(broken, right);
        workbook.write(file, broken.replace("template <typename T", &format!("{global}template <typename T")));
        let ran = workbook.run(["total", "--backend", "sim", "--plain"]);
        assert_eq!(ran.code, Some(1), "{load}: {ran:?}");
        for says in expected {
            assert!(ran.stdout.contains(says), "{load}: {says}: {}", ran.stdout);
        }
    };
    // Three thousandths of one element of 5000: less than rounding may do to values as stated.
    check("s[t] = i < n ? A(x[i] * (i == 4100 ? 1.003f : 1)) : A(0);", "", &["tree: `sum` is wrong", "n = 5000"]);
    // A launch at that size finds what the one before it left.
    check(
        "s[t] = i < n ? A(x[i]) : A(0); if (i == 4100) s[t] += left++;",
        "__device__ int left;\n",
        &["tree: `sum` is wrong", "n = 5000", "right at first, wrong when it runs again"],
    );
}

#[test]
fn dev_check_proves_every_version_and_mutant() {
    let workbook = Workbook::copy("ladder");
    let ran = workbook.run(["dev", "check", "total", "--backend", "sim"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.stdout.contains("every version passes, 2 mutants caught"), "{}", ran.stdout);
    // What is known at once waits for what is named before it.
    workbook.write("kernels/unread/problem.toml", "nothing");
    let ran = workbook.run(["dev", "check", "--backend", "sim"]);
    let told: Vec<&str> = ran.stdout.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert!(ran.code == Some(1) && told.starts_with(&["total", "unread"]), "{ran:?}");
    // A file that nothing runs, a claim that the ladder does not make, a version that says nothing of itself.
    workbook.write("kernels/total/stray.cu", "// Stray.\n__global__ void f() {}\n");
    let queue = workbook.read("kernels/total/queue.cu");
    workbook.write("kernels/total/queue.cu", queue.replace("//@ blocks 64", "//@ blocks 64, 128"));
    let tree = workbook.read("kernels/total/tree.cu");
    workbook.write("kernels/total/tree.cu", tree.split_once("small.\n").expect("a heading").1);
    let ran = workbook.run(["dev", "check", "total", "--files"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    for says in
        ["stray.cu is not in `versions`", "queue.cu: it claims blocks of 128", "tree.cu: it begins with no comment"]
    {
        assert!(ran.stdout.contains(says), "{says}: {}", ran.stdout);
    }
}

#[test]
fn run_and_sass_take_its_files() {
    let workbook = Workbook::copy("ladder");
    let ran = workbook.run(["run", "kernels/total/tree.cu", "--size", "block=32", "--size", "n=100", "--plain"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let sass = workbook.run(["sass", "kernels/total/tree.cu"]);
    assert!(sass.code == Some(0) && sass.stdout.contains("LDS"), "{sass:?}");
    let whole = workbook.run(["sass", "total"]);
    assert!(whole.code == Some(2) && whole.stderr.contains("checker sass kernels/total/queue.cu"), "{whole:?}");
}

/// A results file as `checker bench` writes it, for a device that does not exist.
fn results() -> serde_json::Value {
    let point = |version: &str, element: &str, block: i64, n: i64, us: f64| {
        json!({
            "version": version, "element": element, "block": block, "sizes": { "n": n },
            "us": { "median": us, "low": us, "high": us }, "samples": 20, "gb_per_s": 4.0 * n as f64 / us / 1e3,
            "step": { "median": 4.0, "low": 3.9, "high": 4.1 }, "occupancy": 0.5, "clock_mhz": 1000.0, "run": 0
        })
    };
    json!({
        "schema": 1, "kind": "ladder", "problem": "total",
        "device": { "name": "Toy 1", "arch": "sm_90", "sms": 1, "memory_bytes": 1, "l2_bytes": 1, "driver": "0.1" },
        "cache": "cold", "read_roof_gb_per_s": 2.0,
        "runs": [{ "date": "2026-01-01", "command": "checker bench total", "compiler": "NVRTC 0.0" }],
        "points": [
            point("queue", "float", 64, 4096, 16.0), point("tree", "float", 64, 4096, 8.0),
            point("tree", "float", 32, 4096, 12.0),
            point("queue", "int", 64, 1024, 9.0), point("tree", "int", 64, 1024, 6.0),
        ]
    })
}

#[test]
fn pages_show_the_steps_and_what_was_measured() {
    let workbook = Workbook::copy("ladder");
    let build = |workbook: &Workbook| {
        let ran = workbook.run(["book", "build", "--dest", "out"]);
        assert_eq!(ran.code, Some(0), "{ran:?}");
        std::fs::read_to_string(workbook.path("out/first.html"))
            .or_else(|_| std::fs::read_to_string(workbook.path("book/out/first.html")))
            .expect("the page")
    };
    let bare = build(&workbook);
    assert!(bare.contains("<code>tree</code>") && bare.contains("4,096"), "no counts: {bare}");
    assert_eq!(bare.matches("<code>checker bench total</code>").count(), 5, "{bare}");
    assert!(!bare.contains("<svg class=\"chart\""), "a figure of nothing");

    workbook.write("book/results/toy-1/total.json", results().to_string());
    let page = build(&workbook);
    assert_eq!(page.matches("<svg class=\"chart\"").count(), 4, "{page}");
    // 2.05 GB/s for the tree, and 1.02 of a roof of 2.
    assert!(page.contains("102.4 %") && page.contains("reading memory: 2 GB/s"), "{page}");
    // The step: published 8 to 2 ms, measured 9 to 6 us.
    assert!(page.contains("<td>4.00x</td><td>1.50x</td>") && page.contains("Nobody, Nowhere"), "{page}");
    assert!(page.contains("measured on Toy 1") || page.contains("Measured on Toy 1"), "{page}");
    assert!(!page.contains("Grey:") && !page.contains("class=\"quiet\" points"), "{page}");

    // One version by name; the other is grey. A name that is none is a fault.
    workbook.write("book/src/first.md", "# First\n\n{{ladder total figure=sizes show=tree}}\n");
    let page = build(&workbook);
    assert!(page.contains("Grey: queue.") && page.contains("class=\"quiet\" points"), "{page}");
    assert!(page.contains("class=\"name s0\"") && !page.contains("class=\"name s1\""), "{page}");
    workbook.write("book/src/first.md", "# First\n\n{{ladder total figure=blocks show=tree,leaf}}\n");
    let ran = workbook.run(["book", "build", "--dest", "out"]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(ran.stderr.contains("`total` has no version `leaf`; there are queue, tree"), "{}", ran.stderr);

    // And the terminal shows it as recorded, with all the details.
    let ran = workbook.run(["total", "--backend", "sim", "--plain", "--verbose"]);
    assert!(ran.stdout.contains("recorded on Toy 1") && ran.stdout.contains("4.00 x"), "{}", ran.stdout);
}
