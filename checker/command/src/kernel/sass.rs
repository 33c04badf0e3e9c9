//! `checker sass`: the machine code of a kernel file or a problem's version: listing, statistics, or a diff of two.

mod json;
mod model;
mod subject;

use crate::{Context, Exit, Fault, Outcome, usage};
use compiler::toolchain;
use sass::{
    Kernel, Module, Stats,
    diff::{diff, diff_hot, pair},
    render,
};
use subject::{Loaded, Loader};
use system::text::Screen;

/// The machine code of a kernel: listing, statistics, diff
#[derive(Debug, Clone, clap::Args)]
pub struct Args {
    /// A kernel file (.cu), a compiled one (.cubin), or a problem: `local-array`, `ex03`
    #[arg(value_name = "FILE|NAME")]
    subject: String,
    /// Architecture to compile for, sm_75 to sm_121 [default: the problem's, else sm_90]
    #[arg(long, value_name = "ARCH")]
    arch: Option<String>,
    /// Counts by family, opcode and loop; resources; occupancy
    #[arg(long, conflicts_with = "diff")]
    stats: bool,
    /// Scheduling in front of each instruction: scoreboards, yield, stall, and live registers
    #[arg(long, conflicts_with_all = ["stats", "diff"])]
    control: bool,
    /// What changed, against another file or problem; without one, a problem's baseline against its candidate
    #[arg(long, value_name = "OTHER", num_args = 0..=1)]
    diff: Option<Option<String>>,
    /// A turn of each innermost loop cycle by cycle, one warp alone: what it waits for, modelled for an H200
    #[arg(long, conflicts_with_all = ["stats", "diff", "control", "lines"])]
    model: bool,
    /// With --model: where loads from global memory find what they ask for
    #[arg(long, value_name = "PLACE", requires = "model", value_enum, default_value_t)]
    memory: model::Memory,
    /// Source lines between the instructions
    #[arg(long, conflicts_with_all = ["stats", "diff"])]
    lines: bool,
    /// Only this kernel; a template instance (`fma<4>`) is compiled for it
    #[arg(long, value_name = "NAME")]
    kernel: Option<String>,
    /// A problem's baseline instead of its candidate
    #[arg(long, conflicts_with_all = ["solution", "diff"])]
    baseline: bool,
    /// A problem's worked answer instead of its candidate
    #[arg(long)]
    solution: bool,
    /// With --diff: the hottest loops only
    #[arg(long, requires = "diff")]
    hot: bool,
    /// With --stats: threads a block, for occupancy
    #[arg(long, value_name = "THREADS", requires = "stats")]
    block: Option<u32>,
    /// With --stats: dynamic shared memory a block in bytes, for occupancy
    #[arg(long, value_name = "BYTES", requires = "stats", default_value_t = 0)]
    shared: u32,
    /// With --stats: elements a thread handles, for instructions per element
    #[arg(long, value_name = "N", requires = "stats")]
    elements: Option<u32>,
}

/// Narrowest terminal for two columns.
const SIDE_BY_SIDE: usize = 120;

/// Runs the command.
pub fn run(context: &Context, args: &Args) -> Outcome {
    let toolchain = toolchain::locate(&toolchain::ToolchainOptions::default())
        .map_err(|error| Fault { exit: Exit::Environment, error: error.into() })?;
    let loader = Loader {
        toolchain: &toolchain,
        context,
        arch: args.arch.as_deref(),
        instance: args.kernel.as_deref().filter(|k| k.contains('<')),
        live: args.stats || args.control || context.json,
    };
    let text = match &args.diff {
        Some(other) => compare(context, args, &loader, other.as_deref())?,
        None => {
            let version = subject::version(args.baseline, args.solution);
            let loaded = loader.load(&args.subject, &version)?;
            let text = show(context, args, &loaded)?;
            if !context.json && !loaded.notes.is_empty() {
                context.print(text)?;
                Screen::from(format!("\n{}\n", loaded.notes.join("\n")))
            } else {
                text
            }
        }
    };
    context.print(text)?;
    Ok(Exit::Met)
}

/// Listing, statistics or JSON of one subject.
fn show(context: &Context, args: &Args, loaded: &Loaded) -> Result<Screen, Fault> {
    let kernels = wanted(args.kernel.as_deref(), loaded)?;
    let device = args.model.then(::model::Device::h200).transpose().map_err(anyhow::Error::from)?;
    if context.json {
        return json::document(loaded, &kernels, None, device.as_ref().map(|device| (device, args.memory)));
    }
    if let Some(device) = &device {
        let texts: Vec<String> =
            kernels.iter().map(|kernel| model::told(&loaded.module, kernel, device, args.memory)).collect();
        return Ok(Screen::from(texts.join("\n")));
    }
    let colour = context.face.colour;
    let texts: Vec<String> = kernels
        .iter()
        .map(|kernel| {
            if args.stats {
                let question = render::StatsOptions { block: args.block, shared: args.shared, elements: args.elements };
                render::stats(&loaded.module, kernel, &Stats::of(kernel), question, colour)
            } else {
                let source = loaded.source.as_deref();
                let options = render::ListingOptions { control: args.control, lines: args.lines, source, colour };
                render::listing(&loaded.module, kernel, options)
            }
        })
        .collect();
    Ok(Screen::painted(&texts.join("\n")))
}

/// The diff of two subjects, of a problem's two versions, or of the two kernels of one file.
fn compare(context: &Context, args: &Args, loader: &Loader, other: Option<&str>) -> Result<Screen, Fault> {
    let version = subject::version(false, args.solution);
    let (old, new) = match other {
        Some(other) => {
            let old = loader.load(&args.subject, &version)?;
            (old, Some(loader.load(other, &version)?))
        }
        None if subject::is_file(&args.subject) => (loader.load(&args.subject, &version)?, None),
        None => {
            let old = loader.load(&args.subject, &subject::version(true, false))?;
            (old, Some(loader.load(&args.subject, &version)?))
        }
    };
    let before = wanted(None, &old)?;
    let pairs: Vec<(&Kernel, &Kernel)> = match &new {
        Some(new) => named_pairs(args, &old, new, pair(&before, &wanted(None, new)?))?,
        None => match before.as_slice() {
            [a, b] => vec![(a, b)],
            all => {
                return Err(usage(format!(
                    "{} has {} kernels; --diff without a second file compares the two kernels of one file\n\
                     next: checker sass {} --diff OTHER",
                    old.label,
                    all.len(),
                    args.subject
                )));
            }
        },
    };
    let label = |loaded: &Loaded, kernel: &Kernel, whole: bool| {
        let part = if whole { "" } else { ", hottest loop" };
        format!("{}  {}{part}", loaded.label, kernel.demangled)
    };
    let other = new.as_ref().unwrap_or(&old);
    if context.json {
        return json::document(&old, &before, Some(json::Second { loaded: other, pairs: &pairs, hot: args.hot }), None);
    }
    let layout = side_by_side(context);
    let fold = context.verbosity < crate::Verbosity::Verbose;
    let texts: Vec<String> = pairs
        .iter()
        .map(|(a, b)| {
            let d = if args.hot { diff_hot(a, b) } else { diff(a, b) };
            let names = (label(&old, a, d.whole), label(other, b, d.whole));
            render::diff(&d, (&names.0, &names.1), layout, context.face.colour, fold)
        })
        .collect();
    Ok(Screen::painted(&texts.join("\n")))
}

fn side_by_side(context: &Context) -> Option<render::SideBySide> {
    if !context.face.drawing {
        return None;
    }
    let columns =
        console::Term::stdout().size_checked().map_or(context.face.width, |(_, columns)| usize::from(columns));
    (columns >= SIDE_BY_SIDE).then_some(render::SideBySide { columns })
}

/// The kernels asked for: `--kernel`, else those that are launched, else all. In source order.
fn wanted<'a>(name: Option<&str>, loaded: &'a Loaded) -> Result<Vec<&'a Kernel>, Fault> {
    let module: &Module = &loaded.module;
    let mut kernels = match name {
        Some(name) => loaded.find(name),
        None => {
            let launched: Vec<&str> = loaded.launched.iter().map(String::as_str).collect();
            let found = module.launched(&launched);
            if found.iter().any(|k| k.entry) { found } else { module.kernels.iter().collect() }
        }
    };
    if kernels.is_empty() {
        return Err(match name {
            Some(name) => no_kernel(name, loaded),
            None => usage(loaded.no_kernels()),
        });
    }
    kernels.sort_by_key(|k| (!k.entry, k.instructions.iter().find_map(|i| i.source).map(|s| (s.file, s.line))));
    Ok(kernels)
}

/// Of the pairs, those in which either kernel has the name that `--kernel` gives.
fn named_pairs<'a>(
    args: &Args,
    old: &Loaded,
    new: &Loaded,
    mut pairs: Vec<(&'a Kernel, &'a Kernel)>,
) -> Result<Vec<(&'a Kernel, &'a Kernel)>, Fault> {
    let Some(name) = &args.kernel else { return Ok(pairs) };
    let has = |loaded: &Loaded, kernel: &Kernel| loaded.find(name).iter().any(|k| k.name == kernel.name);
    pairs.retain(|(a, b)| has(old, a) || has(new, b));
    if pairs.is_empty() { Err(no_kernel(name, new)) } else { Ok(pairs) }
}

fn no_kernel(name: &str, loaded: &Loaded) -> Fault {
    let known: Vec<&str> = loaded.module.kernels.iter().map(|k| k.demangled.as_str()).collect();
    usage(format!("{} has no kernel `{name}`; it has {}", loaded.label, list(&known)))
}

fn list(names: &[&str]) -> String {
    if names.is_empty() {
        return "none".to_owned();
    }
    names.iter().map(|n| format!("`{n}`")).collect::<Vec<_>>().join(", ")
}
