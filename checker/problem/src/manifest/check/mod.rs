//! From `problem.toml` as written to a [`Manifest`]: everything that types alone do not say.

mod goal;
mod output;
mod size;
mod text;

use crate::cursor::{is_name_char, is_name_start};
use crate::error::LineError;
use crate::expr::Sizes;
use crate::formula::{Formula, TomlText};
use crate::ladder_check;
use crate::manifest::raw;
use crate::manifest::{BackendName, HARDEST, InputSpec, Manifest, Quantity, magnitude_name};
use crate::metric::Metric;
use crate::planning::DeviceShape;
use crate::types::Types;
use goal::{check_goal, check_sweep, check_work, evaluate};
use output::{check_kind, check_output, input_fill};
pub(crate) use output::{error_bound, parse_dtype, parse_fill};
use size::{LONGEST, Sized};
pub(crate) use text::non_empty;
use text::{between, check_arch, check_backends, check_flaw, check_hints, check_topics, slug};
use toml::Spanned;

/// Checks a manifest, a ladder's for one of its element types.
pub(crate) fn check(toml: TomlText, raw: &raw::Manifest, element: usize) -> Result<Manifest, LineError> {
    let sentence = |text: &Spanned<String>| non_empty(toml, text);
    let sweep = raw.sweep.as_ref().map(|sweep| check_sweep(toml, sweep)).transpose()?;
    check_kind(toml, raw)?;
    let ladder = raw.ladder.as_ref().map(|ladder| ladder_check::check(toml, ladder, element)).transpose()?;
    let types = ladder.as_ref().map_or_else(Types::default, |ladder| ladder.element().types.clone());

    let sizes = Sized::check(toml, raw, sweep.as_ref(), ladder.as_ref())?;
    let mut names: Vec<String> = sizes.names.clone();
    let mut inputs = Vec::new();
    for input in &raw.inputs {
        inputs.push(InputSpec {
            name: buffer_name(toml, &input.name, &mut names)?,
            dtype: parse_dtype(toml, &input.dtype, &types)?,
            len: formula(toml, &input.len, &types)?,
            fill: input_fill(toml, input, ladder.as_ref())?,
        });
    }
    let mut outputs = Vec::new();
    for output in &raw.outputs {
        outputs.push(check_output(toml, output, &mut names, &types, ladder.as_ref())?);
    }
    if outputs.is_empty() {
        return Err(toml.error(0, "no `[[out]]`: a problem has at least one output to verify"));
    }

    let backends = check_backends(toml, raw)?;
    let bytes = raw.bytes.as_ref().map(|text| formula(toml, text, &types)).transpose()?;
    let flops = raw.flops.as_ref().map(|text| formula(toml, text, &types)).transpose()?;
    let goals = raw.goals.iter().map(|goal| check_goal(toml, goal)).collect::<Result<Vec<_>, _>>()?;
    for (goal, written) in goals.iter().zip(&raw.goals) {
        let at = written.get_ref().metric.span().start;
        if goal.metric.needs_gpu() && !backends.contains(&BackendName::Gpu) {
            return Err(toml.error(at, format!("`{}` needs a GPU, but `backends` has no \"gpu\"", goal.metric)));
        }
        if goal.metric == Metric::Roof && bytes.is_none() && flops.is_none() {
            return Err(toml.error(at, "`roof` needs `bytes` or `flops`"));
        }
    }
    if let (Some(sweep), Some(written)) = (&sweep, &raw.sweep) {
        let (missing, field) = match sweep.quantity {
            Quantity::Gflops => (flops.is_none(), "flops"),
            Quantity::GBytes => (bytes.is_none(), "bytes"),
        };
        if missing {
            let at = written.get_ref().quantity.span().start;
            return Err(toml.error(at, format!("`{}` needs `{field}`", sweep.quantity.unit())));
        }
    }
    let manifest = Manifest {
        title: sentence(&raw.title)?,
        chapter: slug(toml, &raw.chapter)?,
        summary: sentence(&raw.summary)?,
        learned: sentence(&raw.learned)?,
        hints: check_hints(toml, raw)?,
        topics: check_topics(toml, &raw.topics)?,
        difficulty: between(toml, raw.difficulty.as_ref(), HARDEST, "difficulty")?,
        minutes: between(toml, raw.minutes.as_ref(), LONGEST, "minutes")?,
        order: raw.order,
        flaw: check_flaw(toml, raw.flaw.as_ref())?,
        backends,
        cases: sizes.cases,
        drawn: sizes.drawn,
        count: sizes.count,
        time: sizes.time,
        cache: raw.cache,
        bytes,
        flops,
        inputs,
        outputs,
        goals,
        work: check_work(toml, raw)?,
        arch: check_arch(toml, raw.arch.as_ref())?,
        sweep,
        ladder,
    };
    evaluate(&manifest)?;
    Ok(manifest)
}

/// Names that `//@` lines give a meaning of their own.
pub(crate) fn identifier(name: &str) -> Result<(), String> {
    let shape = name.starts_with(is_name_start) && name.chars().all(is_name_char);
    if !shape {
        return Err(format!("`{name}` is not a name: letters, digits and _, a letter first"));
    }
    if DeviceShape::NAMES.contains(&name) {
        return Err(format!("`{name}` is a figure of the device; choose another name"));
    }
    Ok(())
}

fn buffer_name(toml: TomlText, name: &Spanned<String>, taken: &mut Vec<String>) -> Result<String, LineError> {
    let at = name.span().start;
    let text = name.get_ref();
    identifier(text).map_err(|message| toml.error(at, message))?;
    if text.ends_with(&magnitude_name("")) {
        return Err(toml.error(at, format!("`{text}`: names that end in _magnitude are the oracle's")));
    }
    if taken.contains(text) {
        return Err(toml.error(at, format!("`{text}` is a buffer or a size already")));
    }
    taken.push(text.clone());
    Ok(text.clone())
}

pub(crate) fn formula(toml: TomlText, text: &Spanned<String>, types: &Types) -> Result<Formula, LineError> {
    Formula::parse(toml, &text.span(), text.get_ref(), types)
}

/// Sizes as messages show them: `n = 33, k = 4`.
pub(crate) fn written(sizes: &Sizes) -> String {
    sizes.iter().map(|(name, value)| format!("{name} = {value}")).collect::<Vec<_>>().join(", ")
}
