//! `checker run FILE.cu`: stand-alone files, and every way a kernel can go wrong while it runs.

use crate::support::{Ran, checker};
use std::path::Path;

fn run(folder: &Path, text: &str, args: &[&str]) -> Ran {
    std::fs::write(folder.join("kernel.cu"), text).expect("a file");
    let mut command = checker();
    command.args(["run", "kernel.cu", "--seed", "7", "--backend", "sim"]).args(args).current_dir(folder);
    command.output().expect("the binary starts").into()
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a folder")
}

/// A kernel with this body over `c: f32[n]`.
fn kernel(body: &str) -> String {
    format!(
        "//@ size   n = 256\n//@ in     a: f32[n] = iota\n//@ out    c: f32[n]\n\
         //@ launch k<<<n / 64, 64>>>(a, c, n)\n#include <cassert>\n#include <cstdio>\n\
         __global__ void k(const float* a, float* c, int n)\n{{\n    int i = blockIdx.x * blockDim.x + threadIdx.x;\n{body}\n}}\n"
    )
}

#[test]
fn a_good_file_shows_outputs_counters_and_code() {
    let folder = folder();
    let ran =
        run(folder.path(), &kernel("    c[i] = 2 * a[i];"), &["--dump", "c=out.npy", "--lines", "--size", "n=128"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.stdout.contains("FINISHED") && ran.stdout.contains("c: f32[128]"), "{}", ran.stdout);
    assert!(ran.stdout.contains("0 2 4 6"), "{}", ran.stdout);
    let dumped = std::fs::read(folder.path().join("out.npy")).expect("dumped");
    assert!(dumped.starts_with(b"\x93NUMPY"));
    let last = f32::from_le_bytes(dumped[dumped.len() - 4..].try_into().expect("four bytes"));
    assert_eq!(last, 254.0);
    let line = ran.stdout.lines().find(|line| line.contains("c[i] = 2 * a[i];")).expect("the source");
    assert!(line.contains("100 %"), "{line}");
}

/// What is allocated on the device heap and left there is told; what is freed, or never was there, is not.
#[test]
fn blocks_of_the_heap_that_nobody_frees_are_told() {
    let folder = folder();
    let body = |freed: &str| {
        kernel(&format!("    float* own = new float[2];\n    own[1] = a[i];\n    c[i] = own[1];\n{freed}"))
    };
    let ran = run(folder.path(), &body("    if (i >= 3) delete[] own;"), &[]);
    assert!(ran.code == Some(0) && ran.stdout.contains("3 blocks of the device heap, 24 bytes together"), "{ran:?}");
    let ran = run(folder.path(), &body("    if (i != 5) delete[] own;"), &[]);
    assert!(ran.stdout.contains("a block of the device heap, 8 bytes, was never freed"), "{ran:?}");
    let ran = run(folder.path(), &body("    delete[] own;"), &[]);
    assert!(ran.code == Some(0) && !ran.stdout.contains("device heap"), "{ran:?}");
}

#[test]
fn every_fault_ends_in_a_report() {
    let folder = folder();
    for (name, body, verdict) in [
        ("endless", "    for (unsigned long long x = 1; x < 1ull << 50; x += a[i] < 1e9f) c[i] = x;", "DID NOT END"),
        ("waits", "    while (((volatile float*)a)[0] == 0) { c[i] = 1; }", "LIVELOCK"),
        ("reads an input again", "    while (a[0] == 0) { c[i] = 1; }", "DID NOT END"),
        ("out-of-bounds", "    c[i + n] = a[i];", "OUT OF BOUNDS"),
        ("misaligned", "    *(float*)((char*)c + 2 * i + 1) = a[i];", "MISALIGNED"),
        ("trap", "    if (i == 70) __trap(); c[i] = 1;", "TRAP"),
        ("assert", "    assert(a[i] < 100); c[i] = 1;", "ASSERT FAILED"),
        ("race", "    __shared__ float s[64]; s[threadIdx.x] = a[i]; c[i] = s[threadIdx.x ^ 33];", "RACE"),
        ("divergent-barrier", "    if (threadIdx.x < 32) __syncthreads(); else asm(\"bar.sync 1;\"); c[i] = 1;", ""),
        ("uninitialised", "    __shared__ float s[64]; c[i] = s[threadIdx.x];", "UNINITIALISED READ"),
        ("deadlock", "    if (threadIdx.x == 0) { while (((volatile float*)c)[n - 1] != 5.0f); } c[i] = 1;", ""),
    ] {
        let ran = run(folder.path(), &kernel(body), &["--steps", "2000000"]);
        assert_eq!(ran.code, Some(1), "{name}: {ran:?}");
        assert!(ran.stdout.contains(verdict), "{name}: {}", ran.stdout);
        assert!(ran.stdout.contains("kernel.cu:"), "{name} names no line: {}", ran.stdout);
        assert!(!ran.stderr.contains("panicked"), "{name}: {ran:?}");
    }
}

#[test]
fn a_flood_of_printf_is_cut() {
    let folder = folder();
    let body = "    if (i == 0) for (int k = 0; k < 300000; ++k) printf(\"line %d\\n\", k);\n    c[i] = 1;";
    let ran = run(folder.path(), &kernel(body), &["--json"]);
    assert!(ran.code.is_some_and(|code| code <= 1), "{:?}", ran.code);
    assert!(ran.stdout.len() < 4 << 20, "{} bytes of report", ran.stdout.len());
    let json: serde_json::Value = serde_json::from_str(&ran.stdout).expect("JSON");
    assert!(json["printf"].as_str().is_some_and(|text| text.starts_with("line 0\n")), "{}", &ran.stdout[..2000]);
}

#[test]
fn schedules_tell_right_from_lucky() {
    let folder = folder();
    let body = "    __shared__ volatile float s[64];\n    s[threadIdx.x] = a[i];\n    c[i] = s[threadIdx.x ^ 1];";
    let lucky = run(folder.path(), &kernel(body), &["--check", "none"]);
    assert_eq!(lucky.code, Some(0), "{lucky:?}");
    let all = run(folder.path(), &kernel(body), &["--schedule", "all"]);
    assert_eq!(all.code, Some(1), "{all:?}");
    assert!(all.stdout.contains("RACE"), "{}", all.stdout);
}

#[test]
fn bad_options_are_bad_usage() {
    let folder = folder();
    let good = kernel("    c[i] = 1;");
    for (args, says) in [
        (vec!["--schedule", "random"], "adversarial"),
        (vec!["--check", "everything"], "uninitialised"),
        (vec!["--size", "n"], "NAME=N"),
        (vec!["--dump", "c"], "BUFFER=FILE"),
        (vec!["--dump", "c=other.cu"], "BUFFER=FILE.npy"),
        (vec!["--arch", "sm_12"], "sm_90"),
    ] {
        let ran = run(folder.path(), &good, &args);
        assert_eq!(ran.code, Some(2), "{args:?}: {ran:?}");
        assert!(ran.stderr.contains(says), "{args:?}: {}", ran.stderr);
    }
    let ran = run(folder.path(), &good, &["--size", "m=3"]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(ran.stderr.contains("--size m: kernel.cu has no such size; it has n"), "{}", ran.stderr);
    let gone: Ran = checker().args(["run", "gone.cu"]).current_dir(folder.path()).output().expect("it starts").into();
    assert_eq!(gone.code, Some(2), "{gone:?}");
    assert!(gone.stderr.contains("gone.cu"), "{}", gone.stderr);
}

/// A device is no file to put in place, and nothing is where there is no folder. Nothing is run for either.
#[test]
fn a_dump_that_cannot_be_written_is_bad_usage() {
    let folder = folder();
    let device = folder.path().join("full.npy");
    std::os::unix::fs::symlink("/dev/full", &device).expect("a link");
    for file in [device.to_str().expect("UTF-8"), "nowhere/c.npy"] {
        let ran = run(folder.path(), &kernel("    c[i] = 1;"), &["--dump", &format!("c={file}")]);
        assert_eq!(ran.code, Some(2), "{ran:?}");
        assert!(ran.stderr.contains(file), "{}", ran.stderr);
    }
    let ran = run(folder.path(), &kernel("    c[i] = 1;"), &["--dump", "nosuch=c.npy"]);
    assert!(ran.code == Some(2) && ran.stderr.contains("has no buffer `nosuch`"), "{ran:?}");
}

/// The rows under "schedules" as (schedule, verdict word or "ok").
fn orders(file: &str) -> Vec<(String, String)> {
    let ran = crate::support::run(["run", file, "--schedule", "all", "--seed", "5", "--json"]);
    let report: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{}", ran.stderr));
    let orders = report["orders"].as_array().expect("orders of a run under all schedules").clone();
    orders
        .iter()
        .map(|order| (order["schedule"].as_str().unwrap().to_owned(), order["verdict"].as_str().unwrap().to_owned()))
        .collect()
}

#[test]
#[ignore = "long"]
fn a_pairs_kernel_runs_with_its_problems_buffers_and_oracle() {
    for (file, wrong) in [("kernels/last-warp/naive.cu", "race"), ("kernels/active-mask/naive.cu", "wrong-result")] {
        for (schedule, verdict) in orders(file) {
            let adversarial = schedule.starts_with("adversarial");
            if schedule == "pre-volta" {
                assert_eq!(verdict, "finished", "{file}: lockstep made it right");
            } else if adversarial || wrong == "race" {
                assert_eq!(verdict, wrong, "{file} under {schedule}");
            }
        }
    }
    for file in ["kernels/last-warp/optimised.cu", "kernels/active-mask/optimised.cu"] {
        assert!(orders(file).iter().all(|(_, verdict)| verdict == "finished"), "{file}: {:?}", orders(file));
    }
}

#[test]
fn a_ladders_version_runs_at_any_of_its_types() {
    let run = |more: &[&str]| {
        let file = "tests/fixtures/ladder/kernels/total/queue.cu";
        let workbook = ["--workbook", "tests/fixtures/ladder"];
        crate::support::run([&["run", file, "--size", "n=1024", "--seed", "5", "--json"], &workbook[..], more].concat())
    };
    for (more, kind) in [(&[][..], "float"), (&["--type", "float"], "float"), (&["--type", "int"], "int")] {
        let ran = run(more);
        assert_eq!(ran.code, Some(0), "{ran:?}");
        let report: serde_json::Value = serde_json::from_str(&ran.stdout).expect("JSON");
        assert!(report["launches"][1]["kernel"].as_str().unwrap().starts_with(&format!("total<{kind}")), "{report}");
        assert_eq!(report["stages"][1]["summary"], "right at n = 1024, block = 64");
        assert_eq!(report["repeat"].as_str().unwrap().contains("--type int"), kind == "int");
    }
    let ran = run(&["--type", "short"]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(ran.stderr.contains("total has float, int"), "{}", ran.stderr);
    let ran = crate::support::run(["run", "kernels/last-warp/naive.cu", "--type", "int"]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(ran.stderr.contains("last-warp is no ladder"), "{}", ran.stderr);
}

/// What ends block after block and is too much for its time is no endless loop, and says how far it came.
#[test]
fn a_launch_that_is_only_large_says_how_far_it_came() {
    let folder = folder();
    let large = kernel("    if (i >= 0 && i < n) c[i] = a[i];").replace("n / 64, 64", "33554432, 64");
    let endless = kernel("    while (i >= 0) { i = i / 2 + 1; c[0] = i; }");
    for (text, done) in [(large, true), (endless, false)] {
        let ran = run(folder.path(), &text, &["--limit", "4", "--json"]);
        let report: serde_json::Value = serde_json::from_str(&ran.stdout).expect("JSON");
        let reason = &report["reasons"][0];
        assert_eq!(report["verdict"], "endless", "{ran:?}");
        let said = reason["text"].as_str().expect("a sentence");
        let blocks = said.split(" of ").next().and_then(|said| said.rsplit(' ').next()).map(str::parse::<u64>);
        assert_eq!(matches!(blocks, Some(Ok(1..))), done, "{ran:?}");
        assert_eq!(reason["details"].to_string().contains("blocks do end"), done, "{ran:?}");
    }
}
