//! Snapshots of whole reports in both text faces.

use super::*;
use simulator::Counters;
use simulator::trace::{Step, Trace, TracePlace, TracedWarp};

fn sizes(n: i64) -> Sizes {
    Sizes::from([("n".to_owned(), n)])
}

fn subject() -> Subject {
    Subject {
        name: "local-array".into(),
        title: "Local arrays".into(),
        chapter: Some("registers".into()),
        kind: SubjectKind::Pair,
    }
}

fn excerpt(line: u32, text: &str, label: &str) -> Excerpt {
    Excerpt {
        file: "kernels/local-array/optimised.cu".into(),
        line,
        column: None,
        length: None,
        label: label.into(),
        first: line - 1,
        lines: vec!["    if (i < n)".into(), text.into()],
    }
}

fn row(metric: &str, quantity: &str, unit: &str, values: (f64, f64), better: Better, provenance: Provenance) -> Row {
    Row {
        metric: metric.into(),
        quantity: quantity.into(),
        unit: unit.into(),
        baseline: Some(values.0),
        candidate: Some(values.1),
        better,
        provenance,
        note: if metric == "occupancy" { "limited by threads".into() } else { String::new() },
        detail: false,
    }
}

#[expect(clippy::too_many_lines, reason = "a report with everything in it")]
fn passed() -> Report {
    let mut report = Report::new(subject(), RanOn::Sim { schedules: vec!["its".into(), "pre-volta".into()] }, 7);
    report.verdict = Verdict::Passed;
    report.versions = [("naive", "kernels/local-array/naive.cu"), ("optimised", "kernels/local-array/optimised.cu")]
        .map(|(label, file)| Version { label: label.into(), file: file.into() })
        .to_vec();
    report.repeat = "checker local-array --seed 7".into();
    report.stages = vec![
        Stage { name: StageName::Compile, status: StageStatus::Passed, summary: "NVRTC 13.5 for sm_90".into() },
        Stage {
            name: StageName::Results,
            status: StageStatus::Passed,
            summary: "right at n = 1, 33, 1000, 8192, in 6 runs each".into(),
        },
        Stage { name: StageName::Time, status: StageStatus::Skipped, summary: "no GPU here".into() },
    ];
    report.table = vec![
        row("count.local_loads", "local loads", "", (16384.0, 0.0), Better::Less, Provenance::Simulated),
        row(
            "count.instructions",
            "warp instructions",
            "",
            (1_048_576.0, 262_144.0),
            Better::Less,
            Provenance::Simulated,
        ),
        row("count.lane_efficiency", "lane efficiency", "%", (100.0, 100.0), Better::More, Provenance::Simulated),
        row("registers", "registers", "", (16.0, 22.0), Better::Less, Provenance::Compiler),
        row("stack", "stack", "bytes", (32.0, 0.0), Better::Less, Provenance::Compiler),
        row("occupancy", "occupancy", "%", (100.0, 100.0), Better::More, Provenance::Compiler),
    ];
    let line = |change, line, text: &str| DiffLine { change, text: text.into(), line };
    report.diff = Some(SassDiff {
        arch: "sm_90".into(),
        baseline_kernel: "ring".into(),
        candidate_kernel: "ring".into(),
        removed: 3,
        added: 1,
        same: 61,
        lines: vec![
            line(Change::Same, Some(12), "LDG.E R2, [R4.64]"),
            line(Change::Removed, Some(13), "STL [R3], R2"),
            line(Change::Removed, Some(14), "LDL R6, [R5]"),
            line(Change::Skipped, None, "58 instructions in common"),
            line(Change::Added, Some(19), "IADD3 R2, R6, R7, RZ"),
        ],
        omitted: 0,
    });
    report.goals = vec![
        GoalResult {
            metric: "sass.LDL".into(),
            text: "`LDL` instructions: at most 0".into(),
            quantity: "`LDL` instructions".into(),
            demand: "at most 0".into(),
            bounds: "at most 0".into(),
            at_most: true,
            why: "every index is a constant, so no element has to be loaded from local memory".into(),
            status: GoalStatus::Met,
            value: Some(0.0),
            value_text: Some("0".into()),
            baseline: Some(1.0),
            baseline_text: Some("1".into()),
            provenance: Some(Provenance::Compiler),
            unexecuted: None,
            elsewhere: None,
        },
        GoalResult {
            metric: "speedup".into(),
            text: "speedup: at least 2.00x".into(),
            quantity: "speedup".into(),
            demand: "at least 2.00x".into(),
            bounds: "at least 2.00x".into(),
            at_most: false,
            why: String::new(),
            status: GoalStatus::NotJudged,
            value: None,
            value_text: None,
            baseline: None,
            baseline_text: None,
            provenance: None,
            unexecuted: None,
            elsewhere: None,
        },
    ];
    report.recorded = Some(Speedup {
        ratio: 3.25,
        low: 3.21,
        high: 3.28,
        verdict: Pace::Faster,
        sizes: sizes(33_554_432),
        samples: 40,
        provenance: Provenance::Recorded {
            device: "NVIDIA H200".into(),
            driver: "580.95".into(),
            date: "2026-11-21".into(),
        },
    });
    report.learned = Some("Registers cannot be indexed. When every index is a constant, the array disappears.".into());
    report.next = Some(Next { command: "checker ex03".into(), text: "chapter: Registers".into() });
    report
}

fn race() -> Report {
    let mut report = passed();
    report.verdict = Verdict::Race;
    report.table.clear();
    report.goals.clear();
    (report.diff, report.recorded, report.learned) = (None, None, None);
    let text = "two threads use the same 4 bytes of `tile` and nothing orders them";
    report.reasons = vec![
        Reason::new(Verdict::Race, text)
            .with_details(
                ["n = 33, schedule its, seen 31 times", "add a __syncthreads() between the two"].map(str::to_owned),
            )
            .with_excerpts([
                excerpt(9, "        tile[t] = a[i];", "write by thread (3,0,0) of block (0,0,0)"),
                excerpt(11, "    c[i] = tile[t ^ 1];", "read by thread (2,0,0) of block (0,0,0)"),
            ]),
    ];
    report.try_first = Some("checker hint local-array".into());
    report.notes = vec!["3 schedules were not tried: the first one failed.".into()];
    report
}

fn sweep() -> Report {
    let mut report = Report::new(
        Subject { name: "ilp".into(), title: "ILP and TLP".into(), chapter: None, kind: SubjectKind::Sweep },
        RanOn::Gpu { device: "NVIDIA H200".into(), driver: "580.95".into() },
        7,
    );
    report.sweep = Some(SweepTable {
        quantity: "GFLOP/s".into(),
        row: "threads".into(),
        rows: vec![32, 1024],
        column: "ilp".into(),
        columns: vec![1, 2, 4],
        legend: vec!["ilp: independent chains of FMAs per thread".into()],
        values: vec![vec![Some(27.0), Some(55.5), Some(105.2)], vec![Some(421.0), Some(462.0), None]],
        provenance: Provenance::Measured { device: "NVIDIA H200".into(), driver: "580.95".into() },
    });
    report.lines = vec![SourceLine {
        file: "ilp.cu".into(),
        line: 7,
        text: "  x = fma(x, a, b);".into(),
        counters: Some(Counters { instructions: 1024, thread_instructions: 16384, ..Counters::default() }),
    }];
    report.printf = "hello\n\x1b[31mred\n".into();
    report
}

#[test]
fn plain_faces() {
    for (name, report) in [("passed", passed()), ("race", race()), ("sweep", sweep())] {
        insta::assert_snapshot!(format!("plain-{name}"), render(&report, Face::plain(), Detail::Normal));
    }
}

#[test]
fn terminal_faces() {
    for (name, report) in [("passed", passed()), ("race", race()), ("sweep", sweep())] {
        let text = render(&report, Face::terminal(80, true), Detail::Normal);
        for line in text.lines() {
            assert!(console::measure_text_width(line) <= 80, "wider than the terminal: {line}");
        }
        insta::assert_snapshot!(format!("terminal-{name}"), text);
    }
}

/// Numbers of another size stand beside the bound of the one that is counted, however little room there is: they may seem to meet it.
#[test]
fn whose_bound_it_is_is_said_where_numbers_are_of_another_size() {
    let mut report = passed();
    report.verdict = Verdict::NotYet;
    report.goals[0] = GoalResult {
        quantity: "warp instructions that a goal is about".into(),
        demand: "at most 25,344 (2 times the starter's)".into(),
        bounds: "at most 25,344".into(),
        status: GoalStatus::NotMet,
        elsewhere: Some(Elsewhere {
            sizes: problem::Sizes::from([("rows".to_owned(), 96)]),
            value: Some(13976.0),
            value_text: "13,976".into(),
            baseline: 4800.0,
            baseline_text: "4,800".into(),
        }),
        ..report.goals[0].clone()
    };
    for width in [60, 100] {
        let text = render(&report, Face::terminal(width, true), Detail::Full);
        let plain = console::strip_ansi_codes(&text).into_owned();
        let words = plain.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains("these are at rows = 96; at most 25,344 where it is counted"), "{plain}");
    }
}

/// Reports with more to say than a screen holds: goals, reasons with places, orders, printf, notes.
fn crowded() -> Vec<Report> {
    let mut unmet = passed();
    unmet.verdict = Verdict::NotYet;
    unmet.subject.kind = SubjectKind::Exercise;
    let goal = unmet.goals[0].clone();
    let numbered = |index: usize| {
        let status = if index < 9 { GoalStatus::NotMet } else { GoalStatus::Met };
        let value_text = Some(format!("{}", 7001 + index));
        GoalResult {
            text: format!("quantity {index}: at most 12 (0.5 times the starter's)"),
            quantity: format!("quantity {index}"),
            demand: "at most 12 (0.5 times the starter's)".into(),
            bounds: "at most 12".into(),
            status,
            value_text,
            ..goal.clone()
        }
    };
    unmet.goals = (0..15).map(numbered).chain([unmet.goals[1].clone()]).collect();
    let reason = |index: usize| {
        let text = format!("quantity {index}: {}, and the goal is at most 12", 7001 + index);
        Reason::new(Verdict::NotYet, text)
            .with_details(["4 more stand in the machine code, but nothing executed them".into()])
            .with_excerpts([excerpt(index as u32 + 3, "    c[i] = a[i];", "all of them come from here")])
    };
    unmet.reasons = (0..9).map(reason).collect();
    unmet.learned = None;
    unmet.try_first = Some("Why does k.cu:3 become this? The goal: ".to_owned() + &"nothing is ".repeat(12));

    let mut wrong = race();
    wrong.next = None;
    let long = "the threads of a block run in any order: a __syncthreads() that all of them pass would order them";
    wrong.reasons[0].details = vec![long.into(); 6];
    wrong.reasons = vec![wrong.reasons[0].clone(); 7];
    wrong.notes = vec![long.into(); 5];
    wrong.printf = "a line\n".repeat(50);
    let order = |index: usize| TriedOrder {
        schedule: format!("adversarial:{index}"),
        verdict: Verdict::Race,
        repeat: format!("checker run k.cu --seed 7 --schedule adversarial:{index}"),
    };
    wrong.orders = (0..30).map(order).collect();
    wrong.meanings = vec!["its: usual".into(), "adversarial: not".into()];
    vec![unmet, wrong]
}

/// The last detail of a reason says at what size and in which order; advice gives way first.
#[test]
fn where_it_failed_stays_on_the_screen() {
    let mut report = race();
    let long = "a __syncthreads() that all of them pass between the two would order them, and so would a fence";
    report.reasons[0].details = vec![long.into(); 12];
    report.reasons[0].details.push("at n = 33, schedule its (usual order)".into());
    (report.try_first, report.next) = (Some("Who writes it?".into()), None);
    let text = render(&report, Face::terminal(80, false), Detail::Normal);
    assert!(text.matches("would order them").count() < 12, "nothing was left out: {text}");
    assert!(text.contains("at n = 33"), "{text}");
}

#[test]
fn what_passed_on_both_platforms_is_said_once() {
    let mut report = passed();
    let stage = |status| Stage { name: StageName::Results, status, summary: "right at 9 sizes".into() };
    let times = |report: &Report| {
        let text = render(report, Face::plain(), Detail::Normal);
        text.lines().find(|line| line.contains(" results")).map_or(0, |line| line.matches("results").count())
    };
    report.stages = vec![stage(StageStatus::Passed), stage(StageStatus::Passed)];
    assert_eq!(times(&report), 1);
    report.stages = vec![stage(StageStatus::Passed), stage(StageStatus::Failed)];
    assert_eq!(times(&report), 2, "right on one and wrong on the other");
}

#[test]
fn verdict_reason_and_what_to_try_fit_on_a_screen_of_24_rows() {
    for mut report in crowded().into_iter().chain([passed(), race()]) {
        report.stages =
            [StageName::Compile, StageName::Results, StageName::Findings, StageName::Sass, StageName::Counters]
                .map(|name| Stage { name, status: StageStatus::Failed, summary: "something".into() })
                .into_iter()
                .chain(report.stages.pop())
                .collect();
        for face in [Face::terminal(80, false), Face::terminal(100, true), Face::plain()] {
            let text = render(&report, face, Detail::Normal);
            assert!(text.lines().count() <= super::room::ROWS, "{} rows: {text}", text.lines().count());
            let widest = text.lines().map(console::measure_text_width).max().unwrap_or(0);
            assert!(widest <= face.width, "{widest} columns: {text}");
            assert!(text.lines().nth(1).is_some_and(|line| line.contains(report.verdict.label())), "{text}");
            if let Some(try_first) = &report.try_first {
                assert!(text.contains(&try_first[..20]) && text.contains("try first"), "{text}");
            }
            if let Some(reason) = report.reasons.first() {
                let name = reason.text.split(": ").next().unwrap_or_default();
                assert!(text.contains(&name[..20.min(name.len())]), "{text}");
                let place = format!("{}:{}", reason.excerpts[0].file, reason.excerpts[0].line);
                assert!(text.contains(&place), "{text}");
            }
        }
    }
}

#[test]
fn a_fact_is_told_once() {
    let report = &crowded()[0];
    for detail in [Detail::Normal, Detail::Full] {
        let text = render(report, Face::plain(), detail);
        assert_eq!(text.matches("7001").count(), 1, "{text}");
        let text = render(&passed(), Face::plain(), detail);
        assert_eq!(text.matches("3.25").count(), 1, "{text}");
    }
    let full = render(report, Face::plain(), Detail::Full);
    assert!((0..15).all(|index| full.contains(&format!("quantity {index} "))), "{full}");
}

#[test]
fn colour_is_the_only_difference_that_colour_makes() {
    let coloured = render(&passed(), Face::terminal(80, true), Detail::Normal);
    let bare = render(&passed(), Face::terminal(80, false), Detail::Normal);
    // The coloured badge has a blank on either side of its word.
    assert_eq!(console::strip_ansi_codes(&coloured).replacen("   PASSED ", "  PASSED", 1), *bare);
}

#[test]
fn a_report_survives_json() {
    for report in [passed(), race(), sweep(), run()] {
        let back: Report = serde_json::from_str(&report.to_json()).unwrap();
        assert_eq!(back, report);
    }
}

/// Counts and a trace of a file with two launches.
fn run() -> Report {
    let subject = Subject { name: "k.cu".into(), title: String::new(), chapter: None, kind: SubjectKind::File };
    let mut report = Report::new(subject, RanOn::Sim { schedules: vec!["its".into()] }, 7);
    report.versions = vec![Version { label: "value".into(), file: "k.cu".into() }];
    let line = |file: &str, line: u32, text: &str, counters: Option<Counters>| SourceLine {
        file: file.into(),
        line,
        text: text.into(),
        counters,
    };
    let load = Counters {
        instructions: 40_960,
        thread_instructions: 1_310_720,
        global_load_requests: 8192,
        global_load_sectors: 1_048_576,
        divergent_branches: 3,
        flops: 262_144,
        shared_load_wavefronts: 64,
        ..Counters::default()
    };
    let barrier = Counters { instructions: 1024, thread_instructions: 16_384, barriers: 1024, ..Counters::default() };
    report.lines = vec![
        line("k.cu", 1, "// a comment", None),
        line(
            "k.cu",
            98,
            "    for (int i = threadIdx.x; i < n; i += blockDim.x) sum += data[i] * weight[index[i]];",
            Some(load),
        ),
        line("k.cu", 99, "    __syncthreads();", Some(barrier)),
        line("/usr/include/cuda.h", 1234, "", Some(Counters { shared_bank_conflicts: 7, ..barrier })),
        line("", 0, "", Some(Counters { global_atomics: 5, ..barrier })),
    ];
    let launch = |kernel: &str, line, counters| LaunchCounters { kernel: kernel.into(), line, counters };
    report.launches = vec![launch("gather", 4, load), launch("wait<256>", 5, barrier)];
    let step =
        |place, lanes, active, waiting, live| Step { warp: 0, place, lanes, active, waiting, live, instructions: 2 };
    let place = |line, ptx_line| TracePlace { function: "k".into(), file: "k.cu".into(), line, ptx_line, seen: false };
    report.traces = vec![Traced {
        schedule: "adversarial:9".into(),
        kernel: "k<int>".into(),
        line: 4,
        limit: 4,
        texts: vec!["if (lane < 4) {".into(), "    A; // <first> & foremost".into(), "x".repeat(120)],
        trace: Trace {
            places: vec![place(10, 20), place(11, 30), place(12, 40)],
            warps: vec![TracedWarp { block: 2, warp: 1, lanes: 0xfff }],
            steps: vec![
                step(0, 0xfff, 0xfff, 0, 0xfff),
                step(1, 0x00f, 0x007, 0xf00, 0xfff),
                step(2, 0x0f0, 0x0f0, 0xf00, 0xff0),
            ],
            dropped: 39,
            events: Vec::new(),
        },
    }];
    report
}

#[test]
fn counters_beside_the_source_and_traces() {
    insta::assert_snapshot!("plain-run", render(&run(), Face::plain(), Detail::Normal));
    insta::assert_snapshot!("plain-run-verbose", render(&run(), Face::plain(), Detail::Full));
    let text = render(&run(), Face::terminal(80, false), Detail::Normal);
    for line in text.lines() {
        assert!(console::measure_text_width(line) <= 80, "wider than the terminal: {line}");
    }
    insta::assert_snapshot!("terminal-run", text);
}

#[test]
fn a_trace_as_svg_is_well_formed_and_says_what_it_shows() {
    let report = run();
    let picture = standalone(&report.traces);
    let element = figure(&report.traces[0], 0, "wb7", Dress::Page).unwrap();
    assert!(figure(&report.traces[0], 1, "wb7", Dress::Page).is_none());
    for svg in [&picture, &element] {
        well_formed(svg);
        assert!(svg.contains("<title") && svg.contains("step 2: line 11, lanes 0 to 2;"), "{svg}");
        assert!(svg.contains("A; // &lt;first&gt; &amp; foremost"), "{svg}");
        assert!(svg.contains("`--trace-steps` is 4") && !svg.contains("\n\n"), "{svg}");
    }
    // A picture of its own brings its colours, one in a page has the page's.
    assert!(picture.contains("prefers-color-scheme:dark") && !element.contains("<style"));
    assert!(element.contains("aria-labelledby=\"wb7-t wb7-d\""));
}

/// Tags are closed in order, and attributes are quoted.
fn well_formed(text: &str) {
    let mut open = Vec::new();
    for tag in text.split('<').skip(1) {
        let (tag, rest) = tag.split_once('>').expect("a tag ends");
        assert!(!rest.contains('&') || rest.contains(';'), "{rest}");
        assert!(tag.matches('"').count().is_multiple_of(2), "{tag}");
        let name = tag.split_whitespace().next().unwrap_or_default();
        match name.strip_prefix('/') {
            Some(name) => assert_eq!(open.pop(), Some(name), "in {text}"),
            None if tag.ends_with('/') => {}
            None => open.push(name),
        }
    }
    assert!(open.is_empty(), "{open:?}");
}
