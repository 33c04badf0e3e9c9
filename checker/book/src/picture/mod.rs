//! Pictures, one kind in each file, made of what a run or the compiler says: `{{tree A.cu,B.cu size=n:16}}` and its relatives. Each
//! stands in a `<figure>`; several files stand beside each other.

mod hierarchy;
mod occupancy;
mod record;
mod timeline;
mod tree;
mod waves;

use crate::directive::{Directive, Kind};
use crate::live::Range;
use crate::simulated;
use crate::svg::escape;
use anyhow::{Context as _, Result, anyhow, bail};
use check::evidence::{LaunchShape, MachineCode, machine_code_of};
use compiler::toolchain::Toolchain;
use draw::{Of, Wish};
use problem::Workbook;
use record::Whole;
use simulator::observe::AccessKind;
use std::fmt::Write as _;

/// Writes what stands under the picture of a file and moves it: of the access of this warp, sliders for these sizes.
pub type Sliders<'a> = &'a dyn Fn(&str, (u64, u32, Wish), &[Range]) -> Result<String>;

/// The pictures of a directive's files. `parts` is where the pages' scripts are, if there are any.
pub fn block(
    toolchain: &Toolchain,
    workbook: &Workbook,
    directive: &Directive,
    sliders: Sliders<'_>,
    parts: Option<&str>,
) -> Result<String> {
    // A script adds the slider that shows the rows one by one.
    let steps = match (directive.kind, parts) {
        (Kind::Tree, Some(parts)) => {
            format!("<div class=\"wb-steps\" data-parts=\"{parts}\" data-step=\"row\" hidden></div>\n")
        }
        _ => String::new(),
    };
    let trees = if directive.kind == Kind::Tree { " wb-trees" } else { "" };
    let mut out = format!("<div class=\"wb-pictures{trees}\">\n");
    for (index, file) in directive.problem.split(',').enumerate() {
        let id = format!("picture-{}-{index}", directive.line);
        let (svg, caption) = picture(toolchain, workbook, directive, file, &id).with_context(|| file.to_owned())?;
        let _ = writeln!(
            out,
            "<figure class=\"wb-figure\">\n<p class=\"wb-name\"><b>{}</b></p>\n{svg}<figcaption>{}</figcaption>\n{steps}{}</figure>",
            escape(file),
            escape(&caption),
            moved(directive, file, sliders)?,
            steps = if svg.contains("data-step") { steps.as_str() } else { "" },
        );
    }
    out.push_str("</div>\n\n");
    Ok(out)
}

/// The sliders that `slide=` asks for.
fn moved(directive: &Directive, file: &str, sliders: Sliders<'_>) -> Result<String> {
    let Some(text) = directive.settings.get("slide") else { return Ok(String::new()) };
    let (block, warp) = directive.settings.get("warp").map_or(Ok((0, 0)), |text| crate::trace::warp(text))?;
    sliders(file, (block, warp, wish(directive)?), &Range::list(text)?)
}

/// One picture with its caption.
fn picture(
    toolchain: &Toolchain,
    workbook: &Workbook,
    directive: &Directive,
    file: &str,
    id: &str,
) -> Result<(String, String)> {
    let settings = &directive.settings;
    let recorded = |whole| record::record(workbook, file, settings, whole);
    match directive.kind {
        Kind::Tree => {
            let (whole, grain) = match settings.get("of").map(String::as_str) {
                None | Some("threads") => (Whole::Block, tree::Grain::Threads),
                Some("blocks") => (Whole::Grid, tree::Grain::Blocks),
                Some(other) => bail!("of={other}: expected threads or blocks"),
            };
            let text = std::fs::read_to_string(simulated::kernel_file(workbook, file)?)?;
            let host = text.lines().any(|line| line.starts_with("//@ host"));
            tree::picture(&recorded(whole)?, grain, host && whole == Whole::Grid, id)
        }
        Kind::Banks | Kind::Sectors => {
            let drawn = draw::picture(wish(directive)?, recorded(Whole::Warp)?.traced(), file, id)
                .map_err(|error| anyhow!(error))?;
            Ok((drawn.svg, drawn.caption))
        }
        Kind::Occupancy => {
            let shape = shape(toolchain, workbook, directive, file)?;
            let bars = occupancy::Bars::of(&shape);
            let caption = format!(
                "{}: {} threads per block, {} registers per thread, {} bytes of shared memory per block",
                shape.kernel, shape.threads, shape.usage.registers, shape.usage.shared
            );
            Ok((bars.draw(id, &format!("What an SM holds of {}", shape.kernel)), caption))
        }
        Kind::Waves => {
            let shape = shape(toolchain, workbook, directive, file)?;
            let waves = waves::Waves::of(&shape);
            let caption = format!("{}: {} A model: all blocks take the same time.", shape.kernel, waves.words());
            Ok((waves.draw(id, &format!("Waves of {}", shape.kernel)), caption))
        }
        Kind::Timeline => {
            let code = code(toolchain, workbook, directive, file)?;
            let kernels = code.kernels();
            let name = settings.get("kernel");
            let wanted = kernels.iter().find(|kernel| name.is_none_or(|name| kernel.short_name() == name.as_str()));
            let kernel = wanted.ok_or_else(|| anyhow!("no such kernel is launched"))?;
            let number = |key: &str, default| -> Result<usize> {
                settings.get(key).map_or(Ok(default), |text| text.parse().with_context(|| format!("{key}={text}")))
            };
            let device = model::Device::h200()?;
            let memory = timeline::latency(&device, settings.get("memory").map_or("dram", String::as_str))?;
            let question = timeline::TimelineOptions {
                warps: number("warps", 4)?.clamp(1, 16),
                turns: number("turns", 4)?,
                memory,
            };
            let line = timeline::Line::of(kernel, question, &device)?;
            let caption = format!(
                "{}: {} A model from the machine code's control fields and measured latencies, {memory} cycles for a \
                 load from global memory.",
                kernel.short_name(),
                line.words()
            );
            Ok((line.draw(id, &format!("Warps along time in {}", kernel.short_name())), caption))
        }
        Kind::Hierarchy => {
            let shape = shape(toolchain, workbook, directive, file)?;
            let caption = format!("the launch of {} on an H200", shape.kernel);
            Ok((hierarchy::draw(&shape, id, &format!("Who is inside whom: {caption}")), caption))
        }
        _ => bail!("that is no picture"),
    }
}

/// Which access: `kind=load`, `pick=2` (the second one of that kind, from 1).
fn wish(directive: &Directive) -> Result<Wish> {
    let settings = &directive.settings;
    let kind = match settings.get("kind").map(String::as_str) {
        None => None,
        Some("load") => Some(AccessKind::Load),
        Some("store") => Some(AccessKind::Store),
        Some(other) => bail!("kind={other}: expected load or store"),
    };
    let pick = settings.get("pick").map(|text| text.parse().with_context(|| format!("pick={text}"))).transpose()?;
    let of = if directive.kind == Kind::Banks { Of::Banks } else { Of::Sectors };
    Ok(Wish { of, kind, pick })
}

/// The machine code of a file: `arch=sm_90`, `size=`, `type=`.
fn code(toolchain: &Toolchain, workbook: &Workbook, directive: &Directive, file: &str) -> Result<MachineCode> {
    let settings = &directive.settings;
    let path = simulated::kernel_file(workbook, file)?;
    let arch = settings.get("arch").map_or("sm_90", String::as_str);
    let element = settings.get("type").map(String::as_str);
    Ok(machine_code_of(toolchain, workbook, &path, &record::sizes(settings)?, element, arch)?)
}

/// The launch that is asked for: `launch=N` from 0.
fn shape(toolchain: &Toolchain, workbook: &Workbook, directive: &Directive, file: &str) -> Result<LaunchShape> {
    let settings = &directive.settings;
    let code = code(toolchain, workbook, directive, file)?;
    let number: usize = settings.get("launch").map_or(Ok(0), |text| text.parse()).context("launch=")?;
    let launches = code.launches();
    let count = launches.len();
    launches.into_iter().nth(number).ok_or_else(|| anyhow!("launch {number} of {count}: no such launch"))
}
