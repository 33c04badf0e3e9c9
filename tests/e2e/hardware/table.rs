//! The profiler's values as a table, which of the simulator's counters each is, and where the two differ for a reason.

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

/// Versions, their counters that differ, and why.
struct Exception {
    versions: &'static [&'static str],
    counters: &'static [&'static str],
    why: &'static str,
}

/// An exception that is not needed fails the test.
const EXCEPTIONS: &[Exception] = &[
    Exception {
        versions: &[
            "atomics/solution",
            "ex94/baseline",
            "ex95/baseline",
            "ex95/solution",
            "single-pass/baseline",
            "single-pass/solution",
        ],
        counters: &["shared_load_requests", "shared_load_wavefronts", "shared_load_bytes"],
        why: "the assembler merges the loads of the warps' partial sums into LDS.128",
    },
    Exception {
        versions: &["reduction/full-unroll"],
        counters: &["shared_load_requests", "shared_load_wavefronts"],
        why: "the assembler merges the last two loads into LDS.64",
    },
    Exception {
        versions: &["reduction/ticket", "reduction/best", "ex94/solution"],
        counters: &["shared_load_bytes"],
        why: "the profiler counts the bytes of a word once for all lanes that read it, the simulator once a lane",
    },
    Exception {
        versions: &["coefficients/baseline", "ex95/baseline"],
        counters: &["global_load_bytes"],
        why: "the profiler counts the bytes of a word once for all lanes that read it, the simulator once a lane",
    },
    Exception {
        versions: &["reduction/modulo", "reduction/mask", "reduction/sequential"],
        counters: &["shared_load_requests", "shared_store_requests"],
        why: "the cause is not found: the H200 counts up to 0.6 % more requests; wavefronts and bytes agree",
    },
    Exception {
        versions: &["reduction/strided"],
        counters: &["shared_store_requests"],
        why: "the cause is not found: the H200 counts up to 0.6 % more requests; wavefronts and bytes agree",
    },
    Exception {
        versions: &["trip-counts/solution"],
        counters: &[
            "global_load_sectors",
            "global_store_sectors",
            "shared_load_requests",
            "shared_load_wavefronts",
            "shared_load_bytes",
            "shared_store_requests",
            "shared_store_wavefronts",
            "shared_bank_conflicts",
        ],
        why: "which thread works on which element depends on the order of atomics: two runs on the H200 differ as well",
    },
    Exception {
        versions: &[
            "atomics/baseline",
            "atomics/solution",
            "reduction/atomic",
            "reduction/block-atomic",
            "ex82/baseline",
        ],
        counters: &["flops_fp32"],
        why: "an atomic add is a flop here; the GPU adds in its L2 cache, which is no instruction",
    },
    Exception {
        versions: &[
            "ex61/solution",
            "ex62/solution",
            "ex82/solution",
            "ex84/baseline",
            "ex84/solution",
            "shuffle/solution",
            "which-tree/solution",
        ],
        counters: &["flops_fp32"],
        why: "the assembler makes an addition whose sum only some lanes use a predicated one",
    },
    Exception {
        versions: &[
            "fuse/baseline",
            "fuse/solution",
            "ex85/baseline",
            "ex85/solution",
            "ex95/baseline",
            "ex95/solution",
        ],
        counters: &["flops_fp32"],
        why: "divisions, roots and exponentials become multiplications and additions in the machine's code",
    },
];

/// Why a version's counter may differ.
pub fn exception(version: &str, counter: &str) -> Option<&'static str> {
    let excepted = |known: &&Exception| known.versions.contains(&version) && known.counters.contains(&counter);
    EXCEPTIONS.iter().find(excepted).map(|known| known.why)
}

/// A version's values, by metric.
pub struct Row {
    pub name: String,
    pub fingerprint: u64,
    values: HashMap<String, u64>,
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
            .map(|(metric, value)| (metric.to_string(), value.parse().unwrap()))
            .collect(),
    };
    lines.map(row).collect()
}

/// What a comparison found.
pub struct Compared {
    pub counter: &'static str,
    pub ours: u64,
    pub theirs: u64,
    pub agrees: bool,
}

/// Every pair.
pub fn compare(counters: &Counters, row: &Row) -> Vec<Compared> {
    let compare = |pair: &Pair| {
        let theirs: u64 = pair.metrics.iter().map(|(metric, weight)| row.values[*metric] * weight).sum();
        let ours = counters.get(pair.counter).unwrap();
        let agrees = match pair.relation {
            Relation::Equal => theirs == ours,
            Relation::AtMostOurs => theirs <= ours,
            Relation::AtLeastOurs => theirs >= ours,
        };
        Compared { counter: pair.counter, ours, theirs, agrees }
    };
    PAIRS.iter().map(compare).collect()
}

/// How many versions agree, counter by counter.
#[derive(Default)]
pub struct Agreement {
    /// Counter; versions in which it is not 0 on either side; versions in which both sides have the same number.
    rows: Vec<(&'static str, usize, usize)>,
}

impl Agreement {
    pub fn add(&mut self, counter: &'static str, ours: u64, theirs: u64) {
        let at = self.rows.iter().position(|(name, ..)| *name == counter).unwrap_or_else(|| {
            self.rows.push((counter, 0, 0));
            self.rows.len() - 1
        });
        self.rows[at].1 += usize::from(ours > 0 || theirs > 0);
        self.rows[at].2 += usize::from(ours == theirs && ours > 0);
    }

    /// As a table of the book.
    pub fn written(&self, device: &str) -> String {
        let rows = self.rows.iter().filter(|(_, all, _)| *all > 0);
        let rows = rows.map(|(name, all, same)| serde_json::json!({ "name": name, "values": [all, same, all - same] }));
        let columns = ["versions", "the same number", "another number"].map(|name| serde_json::json!({ "name": name }));
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

/// The table from the profiler's output, a row a launch in the manifest's order.
pub fn pack(manifest: &str, profile: &str, device: &str) -> String {
    let rows: Vec<Vec<String>> = profile.lines().filter(|line| line.starts_with('"')).map(fields).collect();
    // The second line has the units.
    let (header, launches) = (&rows[0], &rows[2..]);
    let column = |metric| (header.iter().position(|name| name == metric).expect(metric), metric);
    let metrics: Vec<(usize, &str)> = metrics().map(column).collect();
    let mut launches = launches.iter();
    let mut out = format!("# {device}\nversion,fingerprint");
    metrics.iter().for_each(|(_, metric)| write!(out, ",{metric}").unwrap());
    let mut sums: Vec<u64> = Vec::new();
    for line in manifest.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        match words[0] {
            "case" => {
                sums.iter().for_each(|sum| write!(out, ",{sum}").unwrap());
                write!(out, "\n{},{}", words[1], words[2]).unwrap();
                sums = vec![0; metrics.len()];
            }
            "launch" => {
                let row = launches.next().expect("a row a launch");
                for (sum, (at, metric)) in sums.iter_mut().zip(&metrics) {
                    let value = row[*at].replace(',', "");
                    *sum += value.parse::<f64>().unwrap_or_else(|_| panic!("{metric}: {value}")).round() as u64;
                }
            }
            _ => {}
        }
    }
    sums.iter().for_each(|sum| write!(out, ",{sum}").unwrap());
    assert!(launches.next().is_none(), "more launches than the manifest has");
    out.push('\n');
    out
}

/// Fields of a line, all in quotes.
fn fields(line: &str) -> Vec<String> {
    line.trim_matches('"').split("\",\"").map(str::to_owned).collect()
}
