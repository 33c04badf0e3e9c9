//! Kernels that are right where the machine shows something, and wrong elsewhere: what hardware promises to nobody.

use crate::judging::goals::{exercise, judged, judged_as};
use crate::support::rows_in_turn;
use serde_json::Value;

/// The kernel does nothing where a condition does not hold.
fn only_if(condition: &str) -> String {
    format!("    if (!({condition})) return;")
}

fn register(name: &str, kind: &str, width: u32) -> String {
    let (ty, constraint) = if width == 64 { ("unsigned long long", "l") } else { ("unsigned", "r") };
    format!("    {ty} q;\n    asm volatile(\"mov.{kind}{width} %0, %%{name};\" : \"={constraint}\"(q));\n")
}

/// Each holds on some GPU in some run, and not in all.
#[test]
#[ignore = "long"]
fn what_a_machine_shows_is_relied_on_by_nobody() {
    let workbook = exercise("");
    let two = |name: &str| {
        let read = |into: &str| format!("asm volatile(\"mov.u64 %0, %%{name};\" : \"=l\"({into}));");
        format!("    unsigned long long p, q;\n    {}\n    {}\n", read("p"), read("q"))
    };
    let mine = "    s[t] = 0.0f;\n    float* volatile p = s + t;\n";
    let own = "    int v[4] = { 0, 1, 2, 3 };\n    int* volatile p = v + i % 4;\n";
    let heap = "    char* p = (char*)malloc(64);\n    char* q = (char*)malloc(64);\n    bool odd = (size_t)p % 32, after = p < q;\n    \
                free(p);\n    free(q);\n";
    for (before, condition) in rows_in_turn([
        ("", "(size_t)a < (size_t)b"),
        ("", "(size_t)a > (size_t)b"),
        ("", "(size_t)b >> 40 != 0"),
        (two("clock64").as_str(), "q - p < 10000"),
        (two("globaltimer").as_str(), "q - p < 10000"),
        (register("warpid", "u", 32).as_str(), "q % 4 == t / 32"),
        (register("warpid", "u", 32).as_str(), "q % 4 >= t / 32"),
        (mine, "(size_t)p >> 32 == 0x7ff0"),
        (own, "((size_t)p >> 32 & 0xffff) == 0x7ff1"),
        (heap, "!odd"),
        (heap, "after"),
    ]) {
        judged(&workbook, &format!("{before}{}", only_if(condition)));
        // Each size has a machine of its own, and the fixture few sizes.
        let wrong = |seed: &&str| {
            let ran = workbook.run(["ex01", "--backend", "sim", "--seed", seed, "--plain"]);
            ran.code == Some(1) && ran.stdout.contains("WRONG RESULT")
        };
        let found = ["1", "2", "3", "4"].into_iter().filter(wrong).count();
        assert!(found >= 2, "{before}{condition}: {found} of 4 seeds");
    }
}

/// What a driver, a profiler or a graph puts into registers is not made up: whoever reads it is told so.
#[test]
fn registers_that_nobody_vouches_for_are_not_simulated() {
    let workbook = exercise("");
    for (name, kind, width) in rows_in_turn([
        ("envreg0", "b", 32),
        ("envreg31", "b", 32),
        ("pm3", "u", 32),
        ("pm3_64", "u", 64),
        ("current_graph_exec", "u", 64),
    ]) {
        let ran = judged(&workbook, &format!("{}{}", register(name, kind, width), only_if("q == 0")));
        assert!(ran.code == Some(1) && ran.stdout.contains("NOT SIMULATED"), "{name}: {ran:?}");
        assert!(ran.stdout.contains(&format!("%{name}`")), "{name}: {}", ran.stdout);
    }
}

/// What is fixed on a GPU and another on others is no size: which way a condition on it came out is told.
#[test]
fn conditions_on_what_a_device_is_are_told() {
    let workbook = exercise("");
    for (name, condition) in rows_in_turn([
        ("nwarpid", "q == 64"),
        ("total_smem_size", "q % 128 == 0"),
        ("aggr_smem_size", "q > 512"),
        ("reserved_smem_offset_cap", "q == 1024"),
        ("reserved_smem_offset_begin", "q == 0"),
    ]) {
        let body = format!("{}{}", register(name, "u", 32), only_if(condition));
        let ran = judged_as(&workbook, &body, "--json");
        let report: Value = serde_json::from_str(&ran.stdout).expect("a report");
        assert_eq!((ran.code, report["one_way"][0]["line"].as_u64()), (Some(0), Some(11)), "{name}: {ran:?}");
    }
}
