//! `checker run --schedule`: orders that fail, the shortest of them, and loops that never end.

use crate::support::{Ran, checker};
use serde_json::Value;

/// Two warps count with a read and a write: one of them may be lost.
const LOST: &str = "\
//@ inout  c: i32[2] = zeros
//@ launch k<<<1, 64>>>(c)
#include <cassert>
__global__ void k(int* c)
{
    if (threadIdx.x % 32 == 0) {
        int seen = atomicAdd(&c[0], 0);
        atomicExch(&c[0], seen + 1);
        __threadfence();
        if (atomicAdd(&c[1], 1) == 1)
            assert(atomicAdd(&c[0], 0) == 2);
    }
}
";

/// Each lane of a warp takes the lock.
const LOCK: &str = "\
//@ inout  lock: i32[1] = zeros
//@ inout  sum: i32[1] = zeros
//@ launch k<<<1, 32>>>(lock, sum)
__global__ void k(int* lock, int* sum)
{
    while (atomicCAS(lock, 0, 1) != 0) {
    }
    *(volatile int*)sum += 1;
    __threadfence();
    atomicExch(lock, 0);
}
";

fn run(text: &str, args: &[&str]) -> Ran {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("k.cu"), text).expect("a file");
    std::fs::write(folder.path().join("order.txt"), "b0.w0.l0@1\n").expect("a file");
    let mut command = checker();
    command.args(["run", "k.cu", "--seed", "1"]).args(args).current_dir(folder.path());
    command.output().expect("the binary starts").into()
}

fn report(ran: &Ran) -> Value {
    serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{ran:?}"))
}

#[test]
fn all_orders_find_a_lost_update_and_the_shortest_way_to_it() {
    let ran = run(LOST, &["--schedule", "all", "--json"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    let report = report(&ran);
    let orders = report["orders"].as_array().expect("orders");
    let names: Vec<&str> = orders.iter().filter_map(|order| order["schedule"].as_str()).collect();
    assert_eq!((names.len(), names[0], names[1], names[2]), (36, "its", "pre-volta", "adversarial:0"));
    assert_eq!((names[10], names[18], names[20], names[35]), ("adversarial:9", "patient:1", "pct:1:2", "pct:16"));
    // The orders of hardware and the fixed extremes miss it.
    assert!(orders[..10].iter().all(|order| order["verdict"] == "finished" && order["repeat"] == ""), "{orders:?}");
    let wrong: Vec<&Value> = orders.iter().filter(|order| order["verdict"] == "assert").collect();
    assert!(!wrong.is_empty());
    for order in wrong {
        let name = order["schedule"].as_str().expect("a name");
        assert_eq!(order["repeat"], format!("checker run k.cu --seed 1 --schedule {name}"));
    }
    let shortest = &report["shortest_order"];
    assert_eq!(shortest["witness"], "b0.w0.l0@1", "{shortest}");
    assert_eq!(shortest["minimal"], true);
    let step = "lane 0 of warp 0 in block 0 stops before line 8; it goes on when nobody else can";
    assert_eq!(shortest["steps"], serde_json::json!([step]));
    assert_eq!(shortest["repeat"], "checker run k.cu --seed 1 --schedule replay:b0.w0.l0@1");
}

#[test]
fn a_witness_is_replayed_from_a_text_or_a_file() {
    for args in [["--schedule", "replay:b0.w0.l0@1"], ["--witness", "b0.w0.l0@1"], ["--witness", "order.txt"]] {
        let ran = run(LOST, &args);
        assert_eq!(ran.code, Some(1), "{ran:?}");
        assert!(ran.stdout.contains("ASSERT FAILED"), "{}", ran.stdout);
        assert!(ran.stdout.contains("--schedule replay:b0.w0.l0@1"), "{}", ran.stdout);
    }
    let plain = run(LOST, &["--witness", "plain"]);
    assert_eq!(plain.code, Some(0), "{plain:?}");
    let bad = run(LOST, &["--witness", "b0.w0.l32@1"]);
    assert_eq!(bad.code, Some(2), "{bad:?}");
    assert!(bad.stderr.contains("`b0.w0.l32@1` is no part of a witness"), "{}", bad.stderr);
}

#[test]
fn a_lock_of_lanes_never_ends_before_volta_and_the_report_says_why() {
    for arch in ["sm_75", "sm_90", "sm_120"] {
        let ran = run(LOCK, &["--schedule", "pre-volta", "--arch", arch]);
        assert_eq!(ran.code, Some(1), "{arch}: {ran:?}");
        let text = ran.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
        for part in [
            "LIVELOCK",
            "lanes 1-31 of warp 0 go round a loop in line 6 and poll `lock[0]`, which lane 0 of warp 0 changed last",
            "lane 0 of warp 0 waits in line",
            "at the reconvergence point for lanes 1-31 of warp 0",
        ] {
            assert!(text.contains(part), "{arch}: {part}: {}", ran.stdout);
        }
        let its = run(LOCK, &["--schedule", "its,adversarial:0,pct:3", "--arch", arch, "--check", "none"]);
        assert_eq!(its.code, Some(0), "{arch}: {its:?}");
    }
}

/// Somebody adds up in order, without a barrier: a race, and under some orders a wrong sum.
const TREE: &str = r"//@ in     x: i32[32] = integers(1, 99)
//@ out    sum: i32[1]
//@ launch total<<<1, 32>>>(x, sum)
__global__ void total(const int* x, int* sum)
{
    __shared__ volatile int s[32];
    int lane = threadIdx.x;
    s[lane] = x[lane];
    for (int k = 16; k > 0; k /= 2)
        if (lane < k) s[lane] += s[lane + k];
    if (lane == 0) *sum = s[0];
}
";

#[test]
fn what_a_report_names_repeats_it_with_all_that_was_asked_for() {
    for (args, verdict) in [
        (&["--schedule", "all", "--check", "orders"][..], "order-dependent"),
        (&["--check", "none", "--schedule", "adversarial:1"], "finished"),
        (&["--check", "uninitialised, barriers"], "finished"),
        (&["--steps", "20"], "endless"),
        (&[], "race"),
    ] {
        let first = report(&run(TREE, &[args, &["--json"]].concat()));
        assert_eq!(first["verdict"], verdict, "{args:?}");
        let repeat = first["repeat"].as_str().expect("a command");
        let words = repeat.strip_prefix("checker run k.cu --seed 1").expect("the same file and seed");
        let words: Vec<String> = words
            .split(" --")
            .filter(|option| !option.is_empty())
            .map(|option| {
                let (name, value) = option.trim().split_once(' ').expect("an option and its value");
                format!("--{name}={}", value.trim_matches('\''))
            })
            .collect();
        let words: Vec<&str> = words.iter().map(String::as_str).chain(["--json"]).collect();
        assert_eq!(report(&run(TREE, &words))["verdict"], verdict, "{repeat}");
    }
}
