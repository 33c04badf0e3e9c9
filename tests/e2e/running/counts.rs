//! `checker run --lines` and `--trace`: counts against counts by hand, pictures against the order they must show.

use crate::support::{Ran, checker};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

fn run(folder: &Path, text: &str, args: &[&str]) -> Ran {
    std::fs::write(folder.join("kernel.cu"), text).expect("a file");
    let mut command = checker();
    command.args(["run", "kernel.cu", "--seed", "7", "--backend", "sim"]).args(args).current_dir(folder);
    command.output().expect("the binary starts").into()
}

fn json(folder: &Path, text: &str, args: &[&str]) -> Value {
    let ran = run(folder, text, &[args, &["--json"]].concat());
    assert_eq!(ran.code, Some(0), "{ran:?}");
    serde_json::from_str(&ran.stdout).expect("JSON")
}

/// Two launches, two instances of a template, a function that is inlined and one that is not, a header's functions, a loop
/// that stays one, a branch. 96 threads: three warps, of which the last has lanes beyond `n`.
const KERNEL: &str = "\
//@ size   n = 80
//@ in     a: f32[n] = iota
//@ out    c: f32[n]
//@ out    d: f32[n]
//@ launch sum<3><<<1, 96>>>(a, c, n)
//@ launch sum<5><<<1, 96>>>(a, d, n)
#include <cuda_fp16.h>

__device__ __noinline__ float twice(float x)
{
    return x + x;  // called
}

__device__ float stored(const float* p, int i)
{
    return ((const volatile float*)p)[i];  // inlined load
}

template <int TURNS>
__global__ void sum(const float* a, float* c, int n)
{
    __shared__ float tile[96];
    int i = threadIdx.x;
    tile[i] = 0;  // shared store
    __syncthreads();  // barrier
    if (i < n) {
        float total = tile[95 - i];  // shared load
#pragma unroll 1
        for (int k = 0; k < TURNS; ++k)
            total += stored(a, i);
        total = __half2float(__float2half(total));  // header
        c[i] = twice(twice(total));  // store
    }
}
";

/// Counters of the line that ends in a remark.
fn line<'a>(report: &'a Value, remark: &str) -> &'a Value {
    let lines = report["lines"].as_array().expect("lines");
    let found = lines.iter().find(|line| line["text"].as_str().is_some_and(|text| text.ends_with(remark)));
    &found.unwrap_or_else(|| panic!("no line ends in {remark}"))["counters"]
}

fn counts(counters: &Value, names: &[&str]) -> Vec<u64> {
    names
        .iter()
        .map(|name| counters[name].as_u64().unwrap_or_else(|| panic!("no counter {name}: {counters}")))
        .collect()
}

#[test]
fn lines_count_what_they_do() {
    let folder = tempfile::tempdir().expect("a folder");
    let report = json(folder.path(), KERNEL, &["--lines"]);
    // Both launches: 2 * 3 warps; 80 threads are 2.5 warps, whose requests touch 4 + 4 + 2 sectors.
    assert_eq!(counts(line(&report, "// shared store"), &["shared_store_requests", "shared_store_wavefronts"]), [6, 6]);
    assert_eq!(counts(line(&report, "// barrier"), &["barriers", "instructions", "thread_instructions"]), [6, 6, 192]);
    assert_eq!(counts(line(&report, "// shared load"), &["shared_load_requests", "shared_load_bytes"]), [6, 4 * 160]);
    let loads = counts(
        line(&report, "// inlined load"),
        &["global_load_requests", "global_load_sectors", "global_load_bytes", "thread_memory"],
    );
    assert_eq!(loads, [8 * 3, 8 * 10, 8 * 320, 8 * 80], "3 + 5 turns");
    assert_eq!(counts(line(&report, "// called"), &["flops", "thread_fp32"]), [320, 320], "two calls a thread");
    assert_eq!(counts(line(&report, "// store"), &["global_store_requests", "global_store_sectors"]), [6, 20]);
    // The header's conversions count where they are asked for, there and back.
    assert_eq!(counts(line(&report, "// header"), &["thread_conversion"]), [320]);
    let all = report["lines"].as_array().expect("lines");
    assert!(all.iter().all(|line| line["file"] == "kernel.cu" || line["file"] == ""), "no header has lines of its own");
}

#[test]
fn totals_are_the_sums_of_launches_and_of_lines() {
    let folder = tempfile::tempdir().expect("a folder");
    let report = json(folder.path(), KERNEL, &["--lines"]);
    let sum = |parts: &Value| {
        let mut sum: BTreeMap<String, u64> = BTreeMap::new();
        for counters in parts.as_array().expect("a list").iter().filter_map(|part| part["counters"].as_object()) {
            for (name, value) in counters {
                *sum.entry(name.clone()).or_default() += value.as_u64().expect("a count");
            }
        }
        sum
    };
    let total: BTreeMap<String, u64> =
        serde_json::from_value(report["counters"][0].clone()).expect("the counters of the only version");
    assert!(total["instructions"] > 100 && total["warps"] == 6);
    assert_eq!(sum(&report["lines"]), total);
    assert_eq!(sum(&report["launches"]), total);
    assert_eq!(report["launches"][1]["kernel"], "sum<5>");
    let rows = report["table"].as_array().expect("a table");
    for name in ["count.branch_efficiency", "count.global_load_efficiency", "count.instructions_per_warp"] {
        assert!(rows.iter().any(|row| row["metric"] == name && row["candidate"].is_number()), "{name}");
    }
}

#[test]
fn the_source_with_its_counts() {
    let folder = tempfile::tempdir().expect("a folder");
    let ran = run(folder.path(), KERNEL, &["--lines"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let from = ran.stdout.find("  launches\n").expect("the launches");
    let shown = &ran.stdout[from..ran.stdout.find("  repeat").expect("the end")];
    assert!(shown.lines().filter(|line| line.contains('|')).all(|line| line.len() <= 100), "{shown}");
    insta::assert_snapshot!(shown);
}

/// (letter, lanes, warp's steps) of the lines whose remark is one letter, in the order in which they ran.
fn order(report: &Value, kernel: &str, schedule: &str) -> Vec<(char, u64)> {
    let traces = report["traces"].as_array().expect("traces");
    let trace =
        traces.iter().find(|trace| trace["kernel"] == kernel && trace["schedule"] == schedule).expect("a trace");
    let letter = |step: &Value| {
        let text = trace["texts"][step["place"].as_u64()? as usize].as_str()?;
        let letter = if text.trim() == "__syncwarp();" { 'w' } else { text.split_once("// ")?.1.chars().next()? };
        Some((letter, step["active"].as_u64()?))
    };
    trace["steps"].as_array().expect("steps").iter().filter_map(letter).collect()
}

/// The chapter on independent threads shows these pictures.
#[test]
fn a_branch_runs_as_the_chapter_says() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../kernels/active-mask/branch.cu");
    let text = std::fs::read_to_string(file).expect("the kernel");
    let folder = tempfile::tempdir().expect("a folder");
    let random = (8..16).map(|seed| format!("adversarial:{seed}"));
    let seeds: Vec<String> = random.chain((1..9).map(|seed| format!("pct:{seed}"))).collect();
    let schedules = format!("pre-volta,its,{}", seeds.join(","));
    let report = json(folder.path(), &text, &["--trace", "--schedule", &schedules]);
    for schedule in ["pre-volta", "its"] {
        let sides = [('A', 0x0f), ('B', 0x0f), ('X', 0xf0), ('Y', 0xf0)];
        assert_eq!(order(&report, "apart", schedule), [&sides[..], &[('Z', 0xff)]].concat());
        assert_eq!(order(&report, "together", schedule), [&sides[..], &[('w', 0xff), ('Z', 0xff)]].concat());
    }
    let early = |steps: &[(char, u64)]| {
        let first = steps.iter().position(|step| step.0 == 'Z').expect("Z runs");
        steps[first..].iter().any(|step| "ABXY".contains(step.0))
    };
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../book/src/independent-threads.md");
    let page = std::fs::read_to_string(page).expect("the chapter");
    let shown: Vec<&String> =
        seeds.iter().filter(|seed| page.split([' ', ',', '=']).any(|word| word == *seed)).collect();
    assert_eq!(shown.len(), 2, "the chapter shows two of these orders");
    assert!(shown.into_iter().all(|seed| early(&order(&report, "apart", seed))), "Z runs before the other side has");
    assert!(seeds.iter().all(|seed| !early(&order(&report, "together", seed))), "__syncwarp() keeps Z back");
    // A line that other lanes interrupted looks like one, and no other does.
    let rests = |schedule| {
        let ran = run(folder.path(), &text, &["--trace", "--schedule", schedule]);
        ran.stdout.lines().filter(|line| line.contains(" ... ") && line.contains("// A")).count()
    };
    assert_eq!((rests("its"), rests("pre-volta")), (0, 0));
    assert!(rests("adversarial:8") > 0, "line A twice for the same lanes");
}

#[test]
fn a_trace_has_a_limit_and_knows_its_warps() {
    let folder = tempfile::tempdir().expect("a folder");
    let ran =
        run(folder.path(), KERNEL, &["--trace", "--trace-steps", "5", "--trace-warp", "0:2", "--trace-warp", "9:0"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.stdout.contains("block 0, warp 2") && !ran.stdout.contains("warp 0\n"), "{}", ran.stdout);
    assert!(ran.stdout.contains("the limit `--trace-steps` is 5"), "{}", ran.stdout);
    assert!(ran.stdout.contains("--trace-warp 9:0: no launch ran that warp"), "{}", ran.stdout);
    let ptx = run(folder.path(), KERNEL, &["--trace", "--trace-ptx", "--trace-steps", "500"]);
    assert!(ptx.stdout.contains("bar.sync 0;"), "{}", ptx.stdout);
}

#[test]
fn a_trace_goes_into_a_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let ran = run(folder.path(), KERNEL, &["--trace", "out.svg"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.stdout.contains("wrote out.svg") && !ran.stdout.contains("step"), "{}", ran.stdout);
    let svg = std::fs::read_to_string(folder.path().join("out.svg")).expect("the picture");
    assert!(
        svg.starts_with("<svg")
            && svg.contains("its: sum&lt;3&gt;, block 0, warp 0")
            && svg.contains("__syncthreads();")
    );
    // `--trace` in front of the file, and what is wrong.
    let mut command = checker();
    command.args(["run", "--trace", "kernel.cu"]).current_dir(folder.path());
    let ran: Ran = command.output().expect("the binary starts").into();
    assert!(ran.code == Some(0) && ran.stdout.contains("block 0, warp 0"), "{ran:?}");
    for (args, message) in [
        (&["--trace", "out.png"][..], "ends in .svg"),
        (&["--trace", "--trace-warp", "3"], "expected BLOCK:WARP"),
        (&["--trace", "nowhere/out.svg"], "nowhere/out.svg"),
    ] {
        let ran = run(folder.path(), KERNEL, args);
        assert!(ran.code == Some(2) && ran.stderr.contains(message), "{args:?}: {ran:?}");
    }
}
