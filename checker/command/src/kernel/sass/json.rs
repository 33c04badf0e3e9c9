//! `checker sass --json`. The schema is `warpbook.sass/1`; a field's meaning changes only with the number.
//!
//! ```text
//! { schema, subject, arch, compiler, files: [path],
//!   kernels: [{ name, demangled, entry, resources: {registers, shared, stack, spill_stores, spill_loads, barriers,
//!               parameters, constant, max_threads}, labels: [{name, address, function}],
//!               instructions: [{address, guard, opcode, operands, text, notes, control: {stall, yields, write_barrier,
//!               read_barrier, wait_mask, reuse}, encoding: [low, high], source: {file, line}, live}],
//!               stats: {instructions, disguised_moves, families, opcodes, memory, loops, load_run, live_registers},
//!               turns: [{from, to, cycles, steps: [{address, cycle, waited, for, of}]}] }],
//!   diff: { subject, arch, pairs: [{ old, new, totals, opcodes, kinds, rows: [{change, old, new}] }] } }
//! ```
//!
//! `turns` are those of innermost loops, with `--model`; `of` is the address of the instruction that is waited for. `source.file` is
//! an index into `files`; `control.wait_mask` and `control.reuse` are bit masks; `diff` is there only with `--diff`, and its rows name
//! instructions by text and address.

use super::Loaded;
use super::model::{Looped, Memory, TurnDocument};
use crate::Fault;
use ::model::Device;
use anyhow::Context as _;
use sass::{
    Kernel, Stats,
    diff::{Change, Delta, Diff, diff, diff_hot, kinds},
    instruction::Instruction,
    stats::Count,
};
use serde::Serialize;
use system::text::Screen;

const SCHEMA: &str = "warpbook.sass/1";

/// The other side of a diff.
pub struct Second<'a> {
    pub loaded: &'a Loaded,
    pub pairs: &'a [(&'a Kernel, &'a Kernel)],
    pub hot: bool,
}

#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    subject: &'a str,
    arch: &'a str,
    compiler: Option<&'a str>,
    files: &'a [String],
    kernels: Vec<KernelDocument<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    diff: Option<DiffDocument<'a>>,
}

#[derive(Serialize)]
struct KernelDocument<'a> {
    #[serde(flatten)]
    kernel: &'a Kernel,
    stats: Stats,
    /// With `--model`.
    #[serde(skip_serializing_if = "Option::is_none")]
    turns: Option<Vec<TurnDocument>>,
}

#[derive(Serialize)]
struct DiffDocument<'a> {
    subject: &'a str,
    arch: &'a str,
    pairs: Vec<Pair<'a>>,
}

#[derive(Serialize)]
struct Pair<'a> {
    old: &'a str,
    new: &'a str,
    totals: Vec<Delta>,
    opcodes: Vec<Delta>,
    kinds: Vec<Count<Change>>,
    rows: Vec<Row<'a>>,
}

#[derive(Serialize)]
struct Row<'a> {
    change: Change,
    old: Option<Side<'a>>,
    new: Option<Side<'a>>,
}

#[derive(Serialize)]
struct Side<'a> {
    address: u64,
    text: &'a str,
    line: Option<u32>,
}

/// The whole answer as JSON, with a newline at its end.
pub fn document(
    loaded: &Loaded,
    kernels: &[&Kernel],
    second: Option<Second>,
    modelled: Option<(&Device, Memory)>,
) -> Result<Screen, Fault> {
    let modelled = modelled.filter(|(device, _)| loaded.module.target == device.arch);
    let turns = |kernel: &Kernel| {
        modelled.map(|(device, memory)| Looped::all(kernel, device, memory).iter().map(Looped::document).collect())
    };
    let document = Document {
        schema: SCHEMA,
        subject: &loaded.label,
        arch: &loaded.module.target,
        compiler: loaded.compiler.as_deref(),
        files: &loaded.module.files,
        kernels: kernels
            .iter()
            .map(|kernel| KernelDocument { kernel, stats: Stats::of(kernel), turns: turns(kernel) })
            .collect(),
        diff: second.as_ref().map(|second| DiffDocument {
            subject: &second.loaded.label,
            arch: &second.loaded.module.target,
            pairs: second.pairs.iter().map(|(a, b)| pair(a, b, second.hot)).collect(),
        }),
    };
    let mut text = serde_json::to_string_pretty(&document).context("writing the listing as JSON")?;
    text.push('\n');
    Ok(Screen::json(&text))
}

fn pair<'a>(old: &'a Kernel, new: &'a Kernel, hot: bool) -> Pair<'a> {
    let d: Diff<'a> = if hot { diff_hot(old, new) } else { diff(old, new) };
    let side = |i: Option<&'a Instruction>| {
        i.map(|i| Side { address: i.address, text: &i.text, line: i.source.map(|s| s.line) })
    };
    Pair {
        old: &old.demangled,
        new: &new.demangled,
        kinds: kinds(&d),
        rows: d.rows.iter().map(|r| Row { change: r.change, old: side(r.old), new: side(r.new) }).collect(),
        totals: d.totals,
        opcodes: d.opcodes,
    }
}
