//! The profiler's values as a table, and which of the simulator's counters each is.

use simulator::Counters;
use std::collections::HashMap;
use std::fmt::Write as _;

/// What the GPU's number has to be.
enum Relation {
    Equal,
    AtMostOurs,
    AtLeastOurs,
}

/// A counter of ours and the profiler's metrics, each with its weight, whose sum it is.
struct Pair {
    counter: &'static str,
    relation: Relation,
    metrics: &'static [(&'static str, u64)],
}

const fn pair(counter: &'static str, metrics: &'static [(&'static str, u64)]) -> Pair {
    Pair { counter, relation: Relation::Equal, metrics }
}

/// What is compared. Not compared, because PTX and the machine's code are no longer the same things there: instructions,
/// and thread instructions on memory (the machine loads parameters from constant memory; bytes say as much).
const PAIRS: &[Pair] = &[
    pair("warps", &[("smsp__warps_launched.sum", 1)]),
    pair("global_load_requests", &[("l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", 1)]),
    pair("global_load_sectors", &[("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", 1)]),
    pair("global_load_bytes", &[("smsp__sass_data_bytes_mem_global_op_ld.sum", 1)]),
    pair("global_store_requests", &[("l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", 1)]),
    pair("global_store_sectors", &[("l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", 1)]),
    pair("global_store_bytes", &[("smsp__sass_data_bytes_mem_global_op_st.sum", 1)]),
    pair(
        "global_atomic_requests",
        &[
            ("l1tex__t_requests_pipe_lsu_mem_global_op_red.sum", 1),
            ("l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum", 1),
        ],
    ),
    // The GPU takes lanes that meet at one address one by one, each with a sector of its own.
    Pair {
        counter: "global_atomic_sectors",
        relation: Relation::AtLeastOurs,
        metrics: &[
            ("l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum", 1),
            ("l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum", 1),
        ],
    },
    pair("shared_load_requests", &[("smsp__inst_executed_op_shared_ld_pred_on_any.sum", 1)]),
    pair("shared_load_wavefronts", &[("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", 1)]),
    pair("shared_load_bytes", &[("smsp__sass_data_bytes_mem_shared_op_ld.sum", 1)]),
    pair("shared_store_requests", &[("smsp__inst_executed_op_shared_st_pred_on_any.sum", 1)]),
    pair("shared_store_wavefronts", &[("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum", 1)]),
    pair("shared_store_bytes", &[("smsp__sass_data_bytes_mem_shared_op_st.sum", 1)]),
    pair(
        "shared_bank_conflicts",
        &[
            ("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum", 1),
            ("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum", 1),
        ],
    ),
    pair("shared_atomic_requests", &[("smsp__inst_executed_op_shared_atom_pred_on_any.sum", 1)]),
    pair("local_loads", &[("smsp__inst_executed_op_local_ld_pred_on_any.sum", 1)]),
    pair("local_stores", &[("smsp__inst_executed_op_local_st_pred_on_any.sum", 1)]),
    pair(
        "flops_fp32",
        &[
            ("smsp__sass_thread_inst_executed_op_fadd_pred_on.sum", 1),
            ("smsp__sass_thread_inst_executed_op_fmul_pred_on.sum", 1),
            ("smsp__sass_thread_inst_executed_op_ffma_pred_on.sum", 2),
        ],
    ),
    pair(
        "flops_fp64",
        &[
            ("smsp__sass_thread_inst_executed_op_dadd_pred_on.sum", 1),
            ("smsp__sass_thread_inst_executed_op_dmul_pred_on.sum", 1),
            ("smsp__sass_thread_inst_executed_op_dfma_pred_on.sum", 2),
        ],
    ),
    // The assembler turns short branches into predicates, so only some of PTX's branches are left.
    Pair {
        counter: "divergent_branches",
        relation: Relation::AtMostOurs,
        metrics: &[("smsp__sass_branch_targets_threads_divergent.sum", 1)],
    },
];

/// The profiler's metrics that are compared.
pub fn metrics() -> impl Iterator<Item = &'static str> {
    PAIRS.iter().flat_map(|pair| pair.metrics).map(|(metric, _)| *metric)
}

/// What the profiler read, run after run: the lowest and the highest.
#[derive(Clone, Copy)]
struct Seen {
    low: u64,
    high: u64,
}

impl Seen {
    /// `7`, or `7-9`.
    fn parse(text: &str) -> Self {
        let (low, high) = text.split_once('-').unwrap_or((text, text));
        Self { low: low.parse().unwrap(), high: high.parse().unwrap() }
    }

    fn written(self) -> String {
        if self.low == self.high { self.low.to_string() } else { format!("{}-{}", self.low, self.high) }
    }
}

/// A version's values, by metric.
pub struct Row {
    pub name: String,
    pub fingerprint: u64,
    values: HashMap<String, Seen>,
}

/// The committed table: a comment with the device, then a line of metrics, then a line a version.
pub fn read(text: &str) -> Vec<Row> {
    let mut lines = text.lines().filter(|line| !line.starts_with('#')).map(|line| line.split(',').collect::<Vec<_>>());
    let header = lines.next().unwrap();
    let row = |line: Vec<&str>| Row {
        name: line[0].to_owned(),
        fingerprint: u64::from_str_radix(line[1], 16).unwrap(),
        values: header
            .iter()
            .zip(&line)
            .skip(2)
            .map(|(metric, value)| (metric.to_string(), Seen::parse(value)))
            .collect(),
    };
    lines.map(row).collect()
}

/// What a comparison found.
pub struct Compared {
    pub counter: &'static str,
    pub ours: u64,
    pub theirs: u64,
    /// Of one run and another the GPU says something else: it depends on time (attempts to take a lock, who comes first, what meets in a
    /// memory pipe), and no number of ours can be right.
    pub varies: bool,
    pub agrees: bool,
}

/// Every pair.
pub fn compare(counters: &Counters, row: &Row) -> Vec<Compared> {
    let compare = |pair: &Pair| {
        let seen = || pair.metrics.iter().map(|(metric, weight)| (row.values[*metric], weight));
        let theirs: u64 = seen().map(|(seen, weight)| seen.low * weight).sum();
        let varies = seen().any(|(seen, _)| seen.low != seen.high);
        let ours = counters.get(pair.counter).unwrap();
        let agrees = match pair.relation {
            Relation::Equal => theirs == ours,
            Relation::AtMostOurs => theirs <= ours,
            Relation::AtLeastOurs => theirs >= ours,
        };
        Compared { counter: pair.counter, ours, theirs, varies, agrees }
    };
    PAIRS.iter().map(compare).collect()
}

/// How many versions agree, counter by counter.
#[derive(Default)]
pub struct Agreement {
    /// Counter; versions in which it is not 0 on either side, in which both sides have the same number, and in which the GPU has another one
    /// every time.
    rows: Vec<(&'static str, [usize; 3])>,
}

impl Agreement {
    pub fn add(&mut self, counter: &'static str, ours: u64, theirs: u64, varies: bool) {
        let at = self.rows.iter().position(|(name, ..)| *name == counter).unwrap_or_else(|| {
            self.rows.push((counter, [0; 3]));
            self.rows.len() - 1
        });
        let [all, same, varied] = &mut self.rows[at].1;
        *all += usize::from(ours > 0 || theirs > 0 || varies);
        *same += usize::from(ours == theirs && ours > 0 && !varies);
        *varied += usize::from(varies);
    }

    /// As a table of the book.
    pub fn written(&self, device: &str) -> String {
        let rows = self.rows.iter().filter(|(_, [all, ..])| *all > 0);
        let rows = rows.map(|(name, [all, same, varied])| {
            serde_json::json!({ "name": name, "values": [all, same, varied, all - same - varied] })
        });
        let columns = ["versions", "the same number", "differs from run to run", "another number"]
            .map(|name| serde_json::json!({ "name": name }));
        let table = serde_json::json!({
            "schema": 1,
            "title": "The simulator's counters beside the GPU's own",
            "device": device,
            "command": "scripts/ncu.sh",
            "row": "counter",
            "columns": columns,
            "rows": rows.collect::<Vec<_>>(),
        });
        serde_json::to_string_pretty(&table).unwrap() + "\n"
    }
}

/// The table from the profiler's output of several runs, a row a launch in the manifest's order.
pub fn pack(manifest: &str, profiles: &[String], device: &str) -> String {
    let runs: Vec<Vec<Vec<u64>>> = profiles.iter().map(|profile| sums(manifest, profile)).collect();
    let mut out = format!("# {device}\nversion,fingerprint");
    metrics().for_each(|metric| write!(out, ",{metric}").unwrap());
    let cases = manifest.lines().filter_map(|line| line.strip_prefix("case "));
    for (at, case) in cases.enumerate() {
        let words: Vec<&str> = case.split(' ').collect();
        write!(out, "\n{},{}", words[0], words[1]).unwrap();
        for metric in 0..metrics().count() {
            let values = || runs.iter().map(|run| run[at][metric]);
            let (low, high) = (values().min().unwrap(), values().max().unwrap());
            write!(out, ",{}", Seen { low, high }.written()).unwrap();
        }
    }
    out + "\n"
}

/// The metrics of each case in one run, its launches together.
fn sums(manifest: &str, profile: &str) -> Vec<Vec<u64>> {
    let rows: Vec<Vec<String>> = profile.lines().filter(|line| line.starts_with('"')).map(fields).collect();
    // The second line has the units.
    let (header, launches) = (&rows[0], &rows[2..]);
    let column = |metric| (header.iter().position(|name| name == metric).expect(metric), metric);
    let metrics: Vec<(usize, &str)> = metrics().map(column).collect();
    let mut launches = launches.iter();
    let mut cases: Vec<Vec<u64>> = Vec::new();
    for line in manifest.lines() {
        match line.split(' ').next() {
            Some("case") => cases.push(vec![0; metrics.len()]),
            Some("launch") => {
                let row = launches.next().expect("a row a launch");
                for (sum, (at, metric)) in cases.last_mut().expect("a case first").iter_mut().zip(&metrics) {
                    let value = row[*at].replace(',', "");
                    *sum += value.parse::<f64>().unwrap_or_else(|_| panic!("{metric}: {value}")).round() as u64;
                }
            }
            _ => {}
        }
    }
    assert!(launches.next().is_none(), "more launches than the manifest has");
    cases
}

/// Fields of a line, all in quotes.
fn fields(line: &str) -> Vec<String> {
    line.trim_matches('"').split("\",\"").map(str::to_owned).collect()
}
