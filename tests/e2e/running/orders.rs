//! `checker run --schedule`: outputs that depend on the order of threads, loops that never end, what names mean.

use crate::support::{Ran, checker, files_below, repository, rows_in_turn};
use rayon::prelude::*;
use serde_json::Value;

fn run(text: &str, args: &[&str]) -> Ran {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("k.cu"), text).expect("a file");
    let mut command = checker();
    command.args(["run", "k.cu", "--seed", "1"]).args(args).current_dir(folder.path());
    command.output().expect("the binary starts").into()
}

fn report(ran: &Ran) -> Value {
    serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{ran:?}"))
}

/// Orders under which writes that nothing orders come late.
const LATE: &str = "adversarial:1,adversarial:3,adversarial:4,adversarial:5";

/// Enough orders to see each of them, few enough to be quick.
const SOME: &str = "its,adversarial:0,adversarial:4,adversarial:7,pct:3,pct:5";

/// Kernels without a race whose outputs depend on the order: name, lines, body of `k(int* c, int* n)`.
const DEPENDENT: [(&str, &str, &str); 7] = [
    ("tickets", "1, 128", "c[threadIdx.x] = atomicAdd(n, 1);"),
    ("the last writer stays", "1, 64", "atomicExch(&c[7], threadIdx.x);"),
    ("the first block wins", "4, 32", "if (threadIdx.x == 0 && atomicCAS(n, 0, 1) == 0) c[0] = blockIdx.x;"),
    ("who is here", "1, 32", "c[threadIdx.x] = __activemask();"),
    ("who is here after a barrier", "1, 64", "__syncwarp(); c[threadIdx.x] = __popc(__activemask()); __syncwarp();"),
    ("a difference where the sum is the same", "1, 64", "atomicAdd(n, 1); c[threadIdx.x] = atomicAdd(n, 0);"),
    ("a lost update", "1, 64", "int seen = atomicAdd(n, 0); atomicExch(n, seen + 1); if (threadIdx.x == 0) c[1] = 1;"),
];

/// Kernels that talk as much and leave the same under every order.
const INDEPENDENT: [(&str, &str, &str); 5] = [
    ("a sum of integers", "4, 64", "atomicAdd(&c[3], threadIdx.x * blockIdx.x);"),
    ("a maximum", "2, 64", "atomicMax(&c[1], threadIdx.x ^ 21);"),
    ("tickets that nobody sees", "2, 64", "int t = atomicAdd(n, 1); atomicAdd(&c[0], t);"),
    ("a permutation of slots, added up", "1, 64", "atomicAdd(&c[atomicAdd(n, 1) / 64], 1);"),
    ("who is here, meant for all", "1, 32", "if (__activemask() != 0) c[threadIdx.x] = __reduce(threadIdx.x);"),
];

fn kernel(grid: &str, body: &str, counter: &str) -> String {
    let helper = "__device__ int __reduce(int v) { return __popc(__ballot_sync(0xffffffff, v & 1)); }\n";
    format!(
        "//@ inout c: i32[128] = zeros\n//@ {counter}\n//@ launch clear<<<1, 1>>>(n)\n//@ launch k<<<{grid}>>>(c, n)\n{helper}\
         __global__ void clear(int* n) {{ *n = 0; }}\n\
         __global__ void k(int* c, int* n) {{ {body} }}\n"
    )
}

#[test]
#[ignore = "long"]
fn an_output_that_depends_on_the_order_is_a_finding() {
    let wrong: Vec<String> = DEPENDENT
        .par_iter()
        .filter_map(|(name, grid, body)| {
            // The lost update is seen in the counter itself.
            let counter = if name.starts_with("a lost") { "inout n: i32[1] = zeros" } else { "scratch n: i32[1]" };
            let ran = run(&kernel(grid, body, counter), &["--schedule", SOME, "--json"]);
            let report = report(&ran);
            let found = report["findings"].as_array()?.iter().find(|found| found["kind"] == "order-dependent");
            let complete = found.is_some_and(|found| {
                found["first"]["value"] != found["second"]["value"]
                    && found["first"]["schedule"] == "its"
                    && found["second"]["schedule"] != "its"
                    && found["differing"].as_u64() > Some(0)
                    && found["index"].is_u64()
                    && found["place"]["line"].as_u64() > Some(0)
            });
            let right = ran.code == Some(1) && report["verdict"] == "order-dependent" && complete;
            (!right).then(|| format!("{name}: {} {} {}", report["verdict"], report["reasons"], report["findings"]))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
#[ignore = "long"]
fn what_is_the_same_under_every_order_is_none() {
    let wrong: Vec<String> = INDEPENDENT
        .par_iter()
        .filter_map(|(name, grid, body)| {
            let ran = run(&kernel(grid, body, "scratch n: i32[1]"), &["--schedule", SOME, "--json"]);
            let report = report(&ran);
            (ran.code != Some(0)).then(|| format!("{name}: {} {}", report["verdict"], report["reasons"]))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_report_has_both_values_and_the_shortest_way_to_the_other() {
    let text = kernel("1, 64", "if (threadIdx.x % 32 == 0) atomicExch(&c[7], threadIdx.x);", "scratch n: i32[1]");
    let ran = run(&text, &["--schedule", "all", "--json"]);
    let found = report(&ran);
    let finding = &found["findings"][0];
    assert_eq!((&finding["object"], &finding["index"]), (&"c".into(), &7.into()), "{finding}");
    assert_eq!((&finding["first"]["value"], &finding["second"]["value"]), (&"32".into(), &"0".into()), "{finding}");
    let shortest = &found["shortest_order"];
    assert_eq!(shortest["minimal"], true, "{shortest}");
    // The command shows the same difference again.
    let repeat = shortest["repeat"].as_str().expect("a command");
    let list = repeat.split("--schedule ").nth(1).expect("a list");
    assert!(list.starts_with("its,replay:"), "{repeat}");
    let again = run(&text, &["--schedule", list]);
    assert_eq!(again.code, Some(1), "{again:?}");
    for words in ["ORDER DEPENDENT", "c[7] is 32 under its and 0 under replay", "--check", "pre-volta"] {
        assert_eq!(again.stdout.contains(words), words != "pre-volta", "{words}: {}", again.stdout);
    }
    // Who says that any order will do is not asked again.
    let any = run(&text, &["--schedule", "all", "--check", "memory,races,uninitialised,barriers"]);
    assert_eq!(any.code, Some(0), "{any:?}");
}

/// A sum of reals by atomics, and the same with updates that get lost.
fn sum(update: &str, fill: &str) -> String {
    format!(
        "//@ in x: f32[256] = {fill}\n//@ inout s: f32[1] = zeros\n//@ launch k<<<2, 128>>>(x, s)\n\
         __global__ void k(const float* x, float* s)\n{{\n    float v = x[blockIdx.x * 128 + threadIdx.x];\n    {update}\n}}\n"
    )
}

#[test]
fn rounding_is_a_note_and_a_lost_term_a_finding() {
    let atomic = "atomicAdd(s, v);";
    let root = "atomicAdd(s, sqrtf(v + 2.0f));";
    let lost = "float seen = atomicAdd(s, 0.0f); atomicExch(s, seen + v);";
    let last = "atomicExch(s, v);";
    for (update, fill, fails) in [
        (atomic, "uniform(-1, 1)", false),
        (atomic, "uniform(0, 1000)", false),
        (atomic, "scaled(-6, 6, 8)", false),
        (root, "uniform(0, 1)", false),
        (lost, "uniform(-1, 1)", true),
        (last, "uniform(-1, 1)", true),
        (last, "uniform(1, 1.001)", true),
    ] {
        let ran = run(&sum(update, fill), &["--schedule", SOME, "--json"]);
        let report = report(&ran);
        assert_eq!(ran.code, Some(i32::from(fails)), "{update} {fill}: {} {}", report["verdict"], report["reasons"]);
        let notes = report["notes"].to_string();
        assert_eq!(notes.contains("`s` differs between orders by rounding only"), !fails, "{update} {fill}: {notes}");
    }
}

/// Loops that never end: the body of `k(const int* a, int* c)` with `a[i] == i`.
const ENDLESS: [(&str, &str); 8] = [
    ("nothing in it", "for (;;) { }"),
    ("one lane, registers only", "if (i == 5) { int x = i; do { x ^= 1; x ^= 1; } while (x == 5); c[0] = x; }"),
    (
        "a bisection that is stuck",
        "int lo = 0, hi = 32; while (lo < hi) { int m = (lo + hi) / 2; if (a[m] <= i) lo = m; else hi = m; } c[i] = lo;",
    ),
    (
        "a generator whose seed is 0",
        "unsigned x = i == 3 ? 0 : i + 1; while (x % 7 != 3) { x ^= x << 13; x ^= x >> 17; x ^= x << 5; } c[i] = x;",
    ),
    (
        "a loop inside",
        "int x = i; do { for (int t = 0; t < 300; t++) x = (x * 5 + 3) & 255; } while (x < 256); c[i] = x;",
    ),
    (
        "a shuffle in it",
        "int x = i; do { x = __shfl_xor_sync(0xffffffff, x, 1); } while (__any_sync(0xffffffff, x == 9)); c[i] = x;",
    ),
    ("it writes the same again and again", "int x = i + 1; while (x > 0) { c[i] = x; x = a[i] + 1; }"),
    ("a step that is lost in rounding", "float f = 16777216.0f + i; while (f < 2e8f) f += 0.25f; c[i] = (int)f;"),
];

/// Loops that look much like those and end.
const ENDING: [(&str, &str); 4] = [
    ("it counts far", "unsigned x = 1; for (unsigned n = 0; n < 300000; n++) x = x * 1664525 + 1013904223; c[i] = x;"),
    (
        "a long cycle with an exit",
        "unsigned x = i + 1; int n = 0; while (x != 0x8000 && n < 100000) { x = x * 5 & 0xffff; n++; } c[i] = n;",
    ),
    (
        "a flag that another warp sets late",
        "volatile int* f = c + 64; if (i >= 32) { unsigned x = 1; for (int n = 0; n < 90000; n++) x = x * 5 + 1; c[i] = x; __threadfence(); *f = 1; } else { while (*f == 0) { } c[i] = 1; }",
    ),
    ("an array that goes by", "int s = 0; for (int n = 0; n < 200000; n++) s += a[n & 31]; c[i] = s;"),
];

fn looping(body: &str, threads: u32) -> String {
    format!(
        "//@ in a: i32[64] = iota\n//@ inout c: i32[128] = zeros\n//@ launch k<<<1, {threads}>>>(a, c)\n\
         __global__ void k(const int* a, int* c)\n{{\n    int i = threadIdx.x;\n    {body}\n}}\n"
    )
}

#[test]
#[ignore = "long"]
fn a_loop_whose_state_repeats_is_proven_endless() {
    let cases: Vec<_> = ["its", "pre-volta", "adversarial:0", "pct:1"]
        .into_iter()
        .flat_map(|schedule| ["all", "none"].map(|check| (schedule, check)))
        .flat_map(|how| rows_in_turn(ENDLESS).map(move |(name, body)| (how, name, body)))
        // All of them under the usual order, every order for some.
        .filter(|((schedule, check), name, _)| (*schedule == "its" && *check == "all") || name.contains(" in it"))
        .collect();
    let wrong: Vec<String> = cases
        .par_iter()
        .filter_map(|((schedule, check), name, body)| {
            let ran = run(&looping(body, 32), &["--schedule", schedule, "--check", check, "--json"]);
            let report = report(&ran);
            let proven = |found: &Value| found["kind"] == "endless-loop" || found["kind"] == "livelock";
            let found = report["findings"].as_array().is_some_and(|all| all.iter().any(proven));
            (ran.code != Some(1) || !found)
                .then(|| format!("{name} {schedule} {check}: {} {}", report["verdict"], report["reasons"]))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
#[ignore = "long"]
fn right_locks_end_whatever_comes_late() {
    let files: Vec<String> = ["kernels/back-off", "kernels/lock", "solutions/ex54/styles", "solutions/ex57/styles"]
        .into_iter()
        .flat_map(|folder| {
            let files = files_below(&repository().join(folder)).into_iter();
            let right = |file: &String| file.ends_with(".cu") && file != "spin.cu" && !file.starts_with("mutants");
            files.filter(right).map(move |file| format!("{folder}/{file}"))
        })
        .collect();
    let wrong: Vec<String> = files
        .par_iter()
        .filter_map(|file| {
            let ran = crate::support::run(["run", file, "--schedule", LATE, "--seed", "1", "--json"]);
            (ran.code != Some(0)).then(|| format!("{file}: {} {}", report(&ran)["verdict"], report(&ran)["reasons"]))
        })
        .collect();
    assert!(files.len() > 8 && wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
#[ignore = "long"]
fn a_long_loop_is_not_called_endless() {
    let wrong: Vec<String> = rows_in_turn(ENDING)
        .collect::<Vec<_>>()
        .par_iter()
        .flat_map_iter(|case| ["its", "adversarial:0"].map(|schedule| (case, schedule)))
        .filter_map(|((name, body), schedule)| {
            let threads = if body.contains("volatile") { 64 } else { 32 };
            let ran = run(&looping(body, threads), &["--schedule", schedule, "--check", "none", "--json"]);
            let report = report(&ran);
            (ran.code != Some(0)).then(|| format!("{name} {schedule}: {} {}", report["verdict"], report["reasons"]))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_loop_stopped_by_the_limit_says_how_often_it_went_round() {
    let body = "unsigned long long n = 0; while (n < 1ull << 40) n += i + 1; c[i] = (int)n;";
    let ran = run(&looping(body, 32), &["--steps", "2000000"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    let text = ran.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("DID NOT END") && text.contains("it was stopped in this loop, after "), "{text}");
}

#[test]
fn schedule_names_are_explained() {
    let text = looping("c[i] = a[i];", 32);
    let one = run(&text, &[]);
    assert!(one.stdout.contains("schedule its (usual order)"), "{}", one.stdout);
    let many = run(&text, &["--schedule", "its,pre-volta,adversarial:3,pct:1"]);
    for name in ["its: ", "pre-volta: the lanes of a warp in lockstep", "adversarial:0 to 7: ", "pct:SEED: random"] {
        assert!(many.stdout.contains(name), "{name}: {}", many.stdout);
    }
}

#[test]
fn a_lock_that_only_lockstep_hangs_is_said_to_be_one() {
    let text = "//@ inout lock: i32[1] = zeros\n//@ inout sum: i32[1] = zeros\n//@ launch k<<<1, 32>>>(lock, sum)\n\
         __global__ void k(int* lock, int* sum)\n{\n    while (atomicCAS(lock, 0, 1) != 0) { }\n\
         *(volatile int*)sum += 1;\n    __threadfence();\n    atomicExch(lock, 0);\n}\n";
    let words = "only pre-volta fails: since Volta the lanes of a warp can wait for each other";
    let report = report(&run(text, &["--schedule", "its,pre-volta,adversarial:0", "--json"]));
    assert_eq!(report["verdict"], "livelock");
    assert!(report["reasons"][0]["details"].to_string().contains(words), "{}", report["reasons"]);
}

/// A lock, its clearing launch, and what is told first.
const LOCKS: [(&str, &str, &str); 3] = [
    ("nobody has cleared it", "", "uninitialised"),
    ("it was cleared", "//@ launch clear<<<1, 1>>>(lock)\n", "livelock"),
    ("only its neighbour was", "//@ launch clear<<<1, 1>>>(lock + 1)\n", "uninitialised"),
];

#[test]
fn a_lock_that_holds_just_anything_is_told_before_those_who_wait_for_it() {
    for (name, clears, verdict) in LOCKS {
        let text = format!(
            "//@ scratch lock: i32[2]\n//@ inout sum: i32[1] = zeros\n{clears}//@ launch k<<<1, 64>>>(lock, sum)\n\
             __global__ void clear(int* lock)\n{{\n    *lock = 0;\n}}\n__global__ void k(int* lock, int* sum)\n{{\n    \
             while (atomicCAS(lock, 0, 1) != 0) {{ }}\n    atomicAdd(sum, 1);\n}}\n"
        );
        let report = report(&run(&text, &["--json"]));
        assert_eq!(report["verdict"], verdict, "{name}: {}", report["reasons"]);
        let asks = if verdict == "livelock" { "Who was to change" } else { "Who was to write those bytes" };
        assert!(report["try_first"].as_str().is_some_and(|words| words.starts_with(asks)), "{name}: {report}");
        let told =
            report["reasons"].as_array().is_some_and(|all| all.iter().any(|reason| reason["verdict"] == "livelock"));
        assert!(told, "{name}: {}", report["reasons"]);
    }
}

/// Waits that give up after some attempts, as bodies of `k(int* c, int* n)`, and the same without an end to their patience.
const GIVES_UP: [(&str, &str, &str); 4] = [
    (
        "a lock",
        "2, 32",
        "for (int t = 0; t < LIMIT; ++t) if (atomicCAS(n, 0, 1) == 0) { __threadfence(); ((volatile int*)c)[3] += 1; __threadfence(); \
         atomicExch(n, 0); break; }",
    ),
    (
        "a flag of another block",
        "2, 32",
        "if (threadIdx.x == 0) { if (blockIdx.x == 0) { c[1] = 5; __threadfence(); atomicExch(n, 1); } else { int t = 0; \
         while (atomicAdd(n, 0) == 0 && ++t < LIMIT) {} __threadfence(); if (t < LIMIT) c[2] = c[1]; } }",
    ),
    (
        "a flag of another warp, with naps",
        "1, 64",
        "if (threadIdx.x == 32) { c[1] = 5; __threadfence(); *(volatile int*)n = 1; } if (threadIdx.x == 0) { int t = 0; \
         while (*(volatile int*)n == 0 && ++t < LIMIT) __nanosleep(20); __threadfence(); c[2] = t < LIMIT ? 7 : 0; }",
    ),
    (
        "barging in after a while",
        "1, 64",
        "int t = 0; while (atomicCAS(n, 0, 1) != 0 && ++t < LIMIT) {} __threadfence(); int seen = ((volatile int*)c)[3]; \
         ((volatile int*)c)[3] = seen + 1; __threadfence(); atomicExch(n, 0);",
    ),
];

#[test]
#[ignore = "long"]
fn a_wait_that_gives_up_is_found_and_one_that_does_not_is_not_blamed() {
    let text = |grid: &str, body: &str, limit: &str| kernel(grid, &body.replace("LIMIT", limit), "scratch n: i32[1]");
    let schedules = "its,patient:1,patient:2,patient:3,patient:4";
    let wrong: Vec<String> = GIVES_UP
        .par_iter()
        .flat_map(|(name, grid, body)| [(name, grid, body, "700", Some(1)), (name, grid, body, "2000000000", Some(0))])
        .filter_map(|(name, grid, body, limit, code)| {
            let ran = run(&text(grid, body, limit), &["--schedule", schedules, "--json"]);
            let report = report(&ran);
            (ran.code != code).then(|| format!("{name}, {limit}: {} {}", report["verdict"], report["reasons"]))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    // The other orders let those go on that somebody waits for.
    let (_, grid, body) = GIVES_UP[1];
    let ran = run(&text(grid, body, "700"), &["--schedule", SOME]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
}

/// Two threads may see the same lock free before either takes it: who has seen it is stopped before it acts.
#[test]
fn a_lock_that_is_looked_at_and_then_taken_is_found() {
    let taken = |take: &str| {
        let body = format!(
            "if (threadIdx.x == 0) {{ {take} __threadfence(); c[1] = ((volatile int*)c)[1] + 1; __threadfence(); atomicExch(n, 0); }}"
        );
        run(&kernel("11, 32", &body, "scratch n: i32[1]"), &["--schedule", "its,patient:1,patient:2,patient:3"])
    };
    let looks = ["atomicAdd(n, 0)", "*(volatile int*)n", "atomicCAS(n, 1, 1)"];
    let found = |look: &str| taken(&format!("while ({look} != 0) {{}} atomicExch(n, 1);")).code == Some(1);
    let missed: Vec<&str> = looks.into_iter().filter(|look| !found(look)).collect();
    assert!(missed.is_empty(), "{missed:?}");
    for right in
        ["while (atomicCAS(n, 0, 1) != 0) {}", "do while (*(volatile int*)n != 0) {} while (atomicExch(n, 1) != 0);"]
    {
        let ran = taken(right);
        assert_eq!(ran.code, Some(0), "{right}: {ran:?}");
    }
}

/// A lock with back-off never comes back to a state that it had: nobody proves that it waits, and an order that lets each wait for long
/// takes longer than anybody has. That is the order's doing.
#[test]
fn back_off_is_not_blamed_for_an_order_without_end() {
    let body = "int w = 0, pause = 1; bool done = false; while (!done) { if (w > 0) --w; else if (atomicCAS(n, 0, 1) == 0) { \
                __threadfence(); c[1] = ((volatile int*)c)[1] + 1; __threadfence(); atomicExch(n, 0); done = true; } \
                else { w = pause + threadIdx.x % 32; pause = min(2 * pause, 64); } }";
    let text = kernel("64, 128", body, "scratch n: i32[1]");
    let among_others = run(&text, &["--schedule", "its,patient:1,patient:2"]);
    assert_eq!(among_others.code, Some(0), "{among_others:?}");
}
