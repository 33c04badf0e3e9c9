//! `problem.toml`, well formed and malformed.

use crate::cursor::Cursor;
use crate::error::{LineError, SourceLine};
use crate::*;
use plan::dtype::DType;
use plan::{Fill, Role};
use std::path::Path;

pub(super) const GOOD: &str = r#"title    = "Block sums"
chapter  = "reduction"
summary  = "Every thread adds to one place."
learned  = "Sum in registers first."
hints    = ["look at the atomics", "sum in shared memory first"]
order    = 3
cases    = [{ n = 1 }, { n = 33 }, { n = 1000 }, { n = 65536 }]
count    = { n = 65536 }
time     = { n = 268435456 }
cache    = "warm"
bytes    = "4 * n"
flops    = "n"

[[in]]
name = "a"
type = "f32"
len  = "n"
fill = "uniform(-1, 1)"

[[out]]
name  = "sum"
type  = "f16"
len   = "ceil_div(n, 256)"
error = { ops = "log2(n) + 20", unit = "f32" }

[[out]]
name  = "where"
type  = "i32"
len   = "1"
error = "exact"

[[out]]
name  = "state"
type  = "f32"
len   = "n"
inout = true
fill  = "zeros"
error = { unit = "f32", ops = "n" }

[[goal]]
metric = "sass.LDG.E.128"
min    = 1
why    = "loads are wide"

[[goal]]
metric    = "count.global_load_sectors"
ratio_max = 0.5
why       = "half the sectors"
"#;

const SWEEP: &str = r#"title    = "ILP against TLP"
chapter  = "ilp"
summary  = "One chain waits for itself."
learned  = "Either kind of parallelism hides latency."
kind     = "sweep"
cases    = [{ blocks = 1, threads = 32, ilp = 2 }, { blocks = 3, threads = 64 }]
count    = { blocks = 1 }
time     = { blocks = 132 }
flops    = "2 * blocks * threads * ilp"

[sweep]
rows     = { name = "threads", values = [32, 64, 128] }
columns  = { name = "ilp", values = [1, 2] }
quantity = "GFLOP/s"
counter  = "instructions per flop"

[[out]]
name  = "y"
type  = "f32"
len   = "blocks * threads"
error = { ops = "10", unit = "f32" }
"#;

fn parse(text: &str) -> Result<Manifest, LineError> {
    Manifest::parse(Path::new("problem.toml"), text)
}

fn sizes(pairs: &[(&str, i64)]) -> Sizes {
    pairs.iter().map(|(name, value)| (name.to_string(), *value)).collect()
}

#[test]
fn a_manifest_gives_buffers_for_the_problem_and_for_its_oracle() {
    let manifest = parse(GOOD).unwrap();
    let shape = |buffers: Vec<plan::Buffer>| -> Vec<(String, DType, u64, Role)> {
        buffers.into_iter().map(|b| (b.name, b.dtype, b.len, b.role)).collect()
    };
    let named = |name: &str, dtype, len, role| (name.to_string(), dtype, len, role);
    let io = manifest.io(&sizes(&[("n", 1000)])).unwrap();
    assert_eq!(io[0].fill, Some(Fill::Uniform { lo: -1.0, hi: 1.0 }));
    assert_eq!(io[3].fill, Some(Fill::Zeros));
    assert_eq!(
        shape(io),
        [
            named("a", DType::F32, 1000, Role::In),
            named("sum", DType::F16, 4, Role::Out),
            named("where", DType::I32, 1, Role::Out),
            named("state", DType::F32, 1000, Role::InOut)
        ]
    );
    let oracle = manifest.reference_io(&sizes(&[("n", 1000)]), |name| name == "sum_magnitude").unwrap();
    assert_eq!(
        shape(oracle),
        [
            named("a", DType::F32, 1000, Role::In),
            named("sum", DType::F64, 4, Role::Out),
            named("sum_magnitude", DType::F64, 4, Role::Out),
            named("where", DType::I32, 1, Role::Out),
            named("state", DType::F64, 1000, Role::InOut)
        ]
    );
    let Some(OutputSpec { error: ErrorBound::Ops { ops, unit }, .. }) = manifest.output("sum") else { panic!() };
    assert_eq!((ops.eval(&sizes(&[("n", 1000)])).unwrap(), *unit), (29, DType::F32));
    assert_eq!(manifest.output("where").unwrap().error, ErrorBound::Exact);
    assert_eq!(manifest.bytes.unwrap().eval(&manifest.time).unwrap(), 1 << 30);
    assert_eq!((manifest.arch.as_str(), manifest.cache), ("sm_90", CacheState::Warm));
    assert_eq!(manifest.backends, [BackendName::Sim, BackendName::Gpu]);
    assert_eq!(manifest.goals[0].metric, Metric::Opcode("LDG.E.128".into()));
    assert_eq!(manifest.goals[1].metric.source(), MetricSource::Counters);
}

#[test]
fn a_flaw_is_a_reason() {
    assert_eq!(parse(GOOD).unwrap().flaw, None);
    let text = GOOD.replace("order    = 3", "flaw = \"race\"");
    assert_eq!(parse(&text).unwrap().flaw, Some(Reason::Finding(simulator::FindingName::Race)));
}

#[test]
fn bounds_on_work_and_on_a_time_that_atomics_bind() {
    let with = |line: &str| parse(&format!("{GOOD}[work]\n{line}\n"));
    let bounds = with("atomics = 0\nqueueing = 40").unwrap().work;
    assert_eq!((bounds.changed, bounds.queueing), (vec![(WorkKind::Atomics, 0.0)], Some(40.0)));
    // Some kernels do no atomics, and none takes no time.
    for (line, says) in [("queueing = 0", "no bound for `queueing`"), ("queuing = 4", "unknown work `queuing`")] {
        let error = with(line).unwrap_err().to_string();
        assert!(error.contains(says), "{error}");
    }
}

#[test]
fn count_and_time_have_defaults() {
    let text = GOOD.replace("count    = { n = 65536 }\n", "").replace("time     = { n = 268435456 }\n", "");
    let manifest = parse(&text).unwrap();
    assert_eq!((manifest.count, manifest.time), (sizes(&[("n", 65536)]), sizes(&[("n", 65536)])));
}

#[test]
fn a_sweep_has_a_cell_for_every_pair_of_values() {
    let manifest = parse(SWEEP).unwrap();
    let sweep = manifest.sweep.as_ref().unwrap();
    let cells = sweep.cells(&manifest.time);
    assert_eq!(
        cells.iter().map(|cell| (cell.row, cell.column)).collect::<Vec<_>>(),
        [(32, 1), (32, 2), (64, 1), (64, 2), (128, 1), (128, 2)]
    );
    assert_eq!(cells[3].sizes, sizes(&[("blocks", 132), ("threads", 64), ("ilp", 2)]));
    let counters = simulator::Counters { instructions: 30, flops: 120, ..Default::default() };
    assert_eq!(sweep.counter.of(&counters), Some(0.25));
    assert_eq!(sweep.counter.of(&simulator::Counters::default()), None);
    assert_eq!(sweep.counter.words(), "instructions per flop");
}

#[test]
fn goals_judge_and_say_what_they_found() {
    let goal = |metric: &str, condition| Goal {
        metric: Metric::parse(metric).unwrap(),
        conditions: vec![condition],
        why: String::new(),
    };
    let cases = [
        (goal("sass.LDL", Condition::Max(0.0)), Some(12.0), 0.0, true),
        (goal("sass.LDL", Condition::Max(0.0)), Some(12.0), 4.0, false),
        (goal("registers", Condition::Min(60.0)), None, 60.0, true),
        (goal("launches", Condition::Equals(1.0)), Some(3.0), 2.0, false),
        (goal("count.barriers", Condition::RatioMax(0.25)), Some(100.0), 25.0, true),
        (goal("count.barriers", Condition::RatioMax(0.25)), Some(100.0), 26.0, false),
        (goal("count.barriers", Condition::RatioMax(0.25)), None, 0.0, false),
        (goal("count.barriers", Condition::RatioMax(0.5)), Some(0.0), 0.0, true),
        (goal("occupancy", Condition::RatioMin(2.0)), Some(0.25), 0.5, true),
        (goal("speedup", Condition::Min(1.5)), None, f64::NAN, false),
        (goal("count.lane_efficiency", Condition::Min(0.9)), Some(0.5), 0.95, true),
    ];
    let mut sentences = String::new();
    for (goal, baseline, candidate, met) in cases {
        let sentence = format!("{}: {}", goal.metric.words(), goal.demand("starter", baseline));
        assert_eq!(goal.judge(baseline, candidate), met, "{sentence}");
        sentences.push_str(&format!("{sentence}\n"));
    }
    insta::assert_snapshot!(sentences);
}

#[test]
fn every_metric_parses_back_to_itself() {
    let names = [
        "sass.LDG.E.128",
        "sass.F2F",
        "sass.instructions",
        "sass.load_run",
        "sass.bytes_in_flight",
        "sass.loop_instructions",
        "registers",
        "spills",
        "stack",
        "shared",
        "occupancy",
        "launches",
        "count.global_load_sectors",
        "count.lane_efficiency",
        "speedup",
        "roof",
    ];
    for name in names {
        assert_eq!(Metric::parse(name).unwrap().to_string(), name);
    }
    let counters = simulator::Counters { shared_bank_conflicts: 7, ..Default::default() };
    assert_eq!(Counter::parse("shared_bank_conflicts").unwrap().of(&counters), Some(7.0));
}

/// All messages for malformed manifests, one snapshot: a message is part of the product.
#[test]
#[expect(clippy::too_many_lines, reason = "a table of cases")]
fn malformed_manifests_have_clear_messages() {
    let edits: &[(&str, &str, &str)] = &[
        ("not TOML", "title    = ", "title "),
        ("unknown key", "title    = ", "titel = "),
        ("unknown key in a table", "fill = \"uniform(-1, 1)\"", "fil = \"uniform(-1, 1)\""),
        ("key missing", "chapter  = \"reduction\"\n", ""),
        ("wrong type of value", "order    = 3", "order = \"third\""),
        ("empty title", "\"Block sums\"", "\" \""),
        ("chapter that is no page", "\"reduction\"", "\"Reduction.md\""),
        ("one hint", "[\"look at the atomics\", \"sum in shared memory first\"]", "[\"look at the atomics\"]"),
        ("no hints", "hints    = [\"look at the atomics\", \"sum in shared memory first\"]\n", ""),
        ("unknown backend", "order    = 3", "backends = [\"sim\", \"cpu\"]"),
        ("no backend", "order    = 3", "backends = []"),
        ("unknown flaw", "order    = 3", "flaw = \"raec\""),
        ("a goal is no flaw", "order    = 3", "flaw = \"goal\""),
        ("unknown arch", "order    = 3", "arch = \"sm_12\""),
        ("no cases", "[{ n = 1 }, { n = 33 }, { n = 1000 }, { n = 65536 }]", "[]"),
        ("no case of 1", "{ n = 1 }, { n = 33 }", "{ n = 2 }, { n = 33 }"),
        ("no odd case", "{ n = 1 }, { n = 33 }", "{ n = 1 }, { n = 34 }"),
        ("no power of two", "{ n = 65536 }]", "{ n = 65535 }]"),
        ("no large case", "{ n = 65536 }]", "{ n = 1024 }]"),
        ("other sizes in a case", "{ n = 33 }", "{ m = 33 }"),
        ("other sizes in a drawn case", "order    = 3", "drawn = [{ m = [1, 9] }]"),
        ("nothing drawn", "order    = 3", "drawn = [{ n = 9 }]"),
        ("a drawn interval upside down", "order    = 3", "drawn = [{ n = [9, 1] }]"),
        ("a drawn negative size", "order    = 3", "drawn = [{ n = [-9, 1] }]"),
        ("a formula that fails at a drawn size", "order    = 3", "drawn = [{ n = [0, 9] }]"),
        ("other sizes in time", "{ n = 268435456 }", "{ n = 1, k = 2 }"),
        ("negative size", "{ n = 33 }", "{ n = -33 }"),
        ("size named as the device's figure", "[{ n = 1 }, { n = 33 }, { n = 1000 }, { n = 65536 }]", "[{ sms = 1 }]"),
        ("unknown cache", "\"warm\"", "\"tepid\""),
        ("unknown name in a formula", "bytes    = \"4 * n\"", "bytes    = \"4 * m\""),
        ("malformed formula", "bytes    = \"4 * n\"", "bytes    = \"4 * (n\""),
        ("negative formula", "bytes    = \"4 * n\"", "bytes    = \"4 - n\""),
        ("formula with active_blocks", "bytes    = \"4 * n\"", "bytes    = \"active_blocks(k, 1, 0)\""),
        ("formula with an escape", "bytes    = \"4 * n\"", "bytes    = \"4 \\u002a\""),
        ("unknown type", "type = \"f32\"", "type = \"float\""),
        ("bad buffer name", "name = \"a\"", "name = \"a b\""),
        ("buffer named as a size", "name = \"a\"", "name = \"n\""),
        ("buffer twice", "name  = \"sum\"", "name  = \"a\""),
        ("the oracle's name", "name  = \"sum\"", "name  = \"sum_magnitude\""),
        ("negative length", "len   = \"ceil_div(n, 256)\"", "len   = \"n - 2\""),
        ("unknown fill", "\"uniform(-1, 1)\"", "\"normal(0, 1)\""),
        ("trailing text in a fill", "\"uniform(-1, 1)\"", "\"uniform(-1, 1) twice\""),
        ("no error bound", "error = \"exact\"\n", ""),
        ("unknown error bound", "error = \"exact\"", "error = \"approximate\""),
        ("unknown key in an error bound", "unit = \"f32\" }", "uint = \"f32\" }"),
        ("integer unit", "unit = \"f32\" }", "unit = \"i32\" }"),
        ("bound for an integer output", "error = \"exact\"", "error = { ops = \"1\", unit = \"f32\" }"),
        ("unknown name in an error bound", "log2(n) + 20", "log2(m) + 20"),
        ("inout without a fill", "fill  = \"zeros\"\n", ""),
        ("fill without inout", "inout = true\n", ""),
        ("unknown metric", "\"sass.LDG.E.128\"", "\"speedupp\""),
        ("malformed opcode", "\"sass.LDG.E.128\"", "\"sass.ldg\""),
        ("unknown counter", "count.global_load_sectors", "count.global_load_sector"),
        ("no condition", "min    = 1\n", ""),
        ("two conditions that exclude each other", "min    = 1\n", "min = 2\nmax = 1\n"),
        ("negative bound", "min    = 1\n", "min = -1\n"),
        ("occupancy in per cent", "metric = \"sass.LDG.E.128\"", "metric = \"occupancy\"\nmax = 50"),
        ("ratio of a speedup", "count.global_load_sectors", "speedup"),
        ("no reason", "why    = \"loads are wide\"\n", ""),
        ("kind without its table", "order    = 3", "kind = \"sweep\""),
    ];
    let sweep_edits: &[(&str, &str, &str)] = &[
        ("sweep without its kind", "kind     = \"sweep\"\n", ""),
        ("empty axis", "[32, 64, 128]", "[]"),
        ("axis that does not increase", "[32, 64, 128]", "[32, 128, 64]"),
        ("the same axis twice", "name = \"ilp\"", "name = \"threads\""),
        ("quantity without its formula", "\"GFLOP/s\"", "\"GB/s\""),
        ("unknown quantity", "\"GFLOP/s\"", "\"TFLOP/s\""),
        ("unknown counter of a sweep", "instructions per flop", "instruktions per flop"),
    ];
    let mut all = String::new();
    for (base, edits) in [(GOOD, edits), (SWEEP, sweep_edits)] {
        for (what, from, to) in edits {
            assert!(base.contains(from), "{what}");
            let error = parse(&base.replacen(from, to, 1)).expect_err(what);
            all.push_str(&format!("## {what}\n{error}\n\n"));
        }
    }
    let gpu_only = GOOD.replace("order    = 3", "backends = [\"sim\"]").replace("sass.LDG.E.128", "roof");
    all.push_str(&format!("## roof without a GPU\n{}\n\n", parse(&gpu_only).unwrap_err()));
    all.push_str(&format!("## no output\n{}\n", parse(GOOD.split("[[out]]").next().unwrap()).unwrap_err()));
    insta::assert_snapshot!(all);
}

/// A fill that is all of `text`.
fn fill(text: &str) -> Result<Fill, LineError> {
    let source = SourceLine { path: Path::new("").into(), line: 1, text: text.into() };
    let mut cursor = Cursor::new(&source, 0, text.chars().count());
    cursor.set_form(crate::fill::FORM);
    let fill = crate::fill::parse(&mut cursor)?;
    cursor.finish()?;
    Ok(fill)
}

#[test]
fn a_fill_by_itself_parses() {
    assert_eq!(fill("constant(-2.5)").unwrap(), Fill::Constant(-2.5));
    assert_eq!(fill("\"x.npy\"").unwrap(), Fill::Npy("x.npy".into()));
    assert_eq!(fill(" integers( -3 , 4 )").unwrap(), Fill::Integers { lo: -3, hi: 4 });
    assert_eq!(fill("sorted(100)").unwrap(), Fill::Sorted { run: 100, short: 0 });
    assert_eq!(fill("sorted(100, 4)").unwrap(), Fill::Sorted { run: 100, short: 4 });
    assert_eq!(fill("scaled(-99, 99, 256)").unwrap(), Fill::Scaled { lo: -99, hi: 99, len: 256 });
    assert_eq!(fill("scaled(-30000, 118, 1)").unwrap(), Fill::Scaled { lo: -30000, hi: 118, len: 1 });
    assert_eq!(fill("band(-1, 4, 0.5)").unwrap(), Fill::Band { lo: -1.0, hi: 4.0, width: 0.5, len: 0 });
    assert_eq!(fill("band(-1, 4, 2, 64)").unwrap(), Fill::Band { lo: -1.0, hi: 4.0, width: 2.0, len: 64 });
    let turns = vec![Fill::Zeros, Fill::Few { lo: -9, hi: 9, count: 3 }, Fill::Iota];
    assert_eq!(fill("zeros or few(-9, 9, 3) or iota").unwrap(), Fill::OneOf(turns));
    assert_eq!(fill("few(-9, 9, 3)").unwrap(), Fill::Few { lo: -9, hi: 9, count: 3 });
    for bad in [
        "band(1, 2, 1.5)",
        "band(1, 2, -1)",
        "band(1, 2, 1, -1)",
        "band(1, 2, 1, 0.5)",
        "band(1, 2, 1, 1, 1)",
        "iota or",
        "or iota",
        "few(3, 2, 1)",
        "few(2, 3, 0)",
        "iota iota",
        "sorted(0)",
        "sorted(1.5)",
        "sorted(100, 0)",
        "sorted(100, 101)",
        "sorted(100, 1.5)",
        "scaled(3, 2, 1)",
        "scaled(0, 200, 1)",
        "scaled(-70000, 0, 1)",
    ] {
        assert!(fill(bad).is_err(), "{bad}");
    }
    let text = GOOD.replace("uniform(-1, 1)", "data/a.npy");
    assert_eq!(parse(&text).unwrap().inputs[0].fill, Fill::Npy("data/a.npy".into()));
}
