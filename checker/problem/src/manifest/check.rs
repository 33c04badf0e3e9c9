//! From `problem.toml` as written to a [`Manifest`]: everything that types alone do not say.

use crate::cursor::{Cursor, is_name_char, is_name_start};
use crate::error::{LineError, did_you_mean};
use crate::expr::Sizes;
use crate::fill;
use crate::formula::{Formula, TomlText};
use crate::goal::{Condition, Goal};
use crate::ladder::{BLOCK, Ladder};
use crate::ladder_check;
use crate::manifest::raw;
use crate::manifest::{
    Axis, BackendName, Drawn, ErrorBound, HARDEST, InputSpec, Manifest, OutputSpec, Quantity, Sweep, magnitude_name,
};
use crate::metric::{CounterRatio, Metric, Unit};
use crate::mutant::Reason;
use crate::planning::DeviceShape;
use crate::types::Types;
use crate::work::{Work, WorkBounds};
use indexmap::IndexMap;
use plan::Fill;
use plan::dtype::DType;
use toml::Spanned;

/// A case is large when the product of its sizes reaches this: many blocks of any shape.
const LARGE: i64 = 4096;
/// Most minutes of an exercise.
const LONGEST: u32 = 240;
/// Fewest staged hints.
const MIN_HINTS: usize = 2;

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

fn check_backends(toml: TomlText, raw: &raw::Manifest) -> Result<Vec<BackendName>, LineError> {
    match &raw.backends {
        None => Ok(vec![BackendName::Sim, BackendName::Gpu]),
        Some(list) if list.get_ref().is_empty() => {
            Err(toml.error(list.span().start, "no backend: the problem would run nowhere"))
        }
        Some(list) => Ok(list.get_ref().clone()),
    }
}

pub(crate) fn non_empty(toml: TomlText, text: &Spanned<String>) -> Result<String, LineError> {
    let trimmed = text.get_ref().trim();
    if trimmed.is_empty() {
        Err(toml.error(text.span().start, "empty: write a sentence"))
    } else {
        Ok(trimmed.to_string())
    }
}

fn slug(toml: TomlText, text: &Spanned<String>) -> Result<String, LineError> {
    let name = text.get_ref();
    let good = !name.is_empty() && name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-');
    if good {
        return Ok(name.clone());
    }
    let message = format!("`{name}` is not a page's name: lower-case letters, digits and hyphens");
    Err(toml.error(text.span().start, message).expected("local-memory, for book/src/local-memory.md"))
}

/// Numbers of topics, each once. Which there are is the workbook's affair, and the audit's.
fn check_topics(toml: TomlText, topics: &[Spanned<u32>]) -> Result<Vec<u32>, LineError> {
    let mut numbers = Vec::new();
    for topic in topics {
        let number = *topic.get_ref();
        if number == 0 || numbers.contains(&number) {
            let message = format!("topic {number}: topics are counted from 1, and each is named once");
            return Err(toml.error(topic.span().start, message));
        }
        numbers.push(number);
    }
    Ok(numbers)
}

fn between(toml: TomlText, value: Option<&Spanned<u32>>, most: u32, name: &str) -> Result<Option<u32>, LineError> {
    match value {
        Some(value) if !(1..=most).contains(value.get_ref()) => {
            Err(toml.error(value.span().start, format!("`{name}` is a number from 1 to {most}")))
        }
        value => Ok(value.map(|value| *value.get_ref())),
    }
}

fn check_hints(toml: TomlText, raw: &raw::Manifest) -> Result<Vec<String>, LineError> {
    let shown = raw.sweep.is_some() || raw.ladder.is_some();
    let hints = match &raw.hints {
        None if shown => return Ok(Vec::new()),
        None => {
            return Err(toml
                .error(0, "`hints` is missing")
                .expected("hints = [\"first nudge\", \"nearly the answer\"]"));
        }
        Some(hints) => hints,
    };
    if !shown && hints.get_ref().len() < MIN_HINTS {
        let message = format!("{} hint; at least {MIN_HINTS}, each closer to the answer", hints.get_ref().len());
        return Err(toml.error(hints.span().start, message));
    }
    hints.get_ref().iter().map(|hint| non_empty(toml, hint)).collect()
}

fn check_flaw(toml: TomlText, flaw: Option<&Spanned<String>>) -> Result<Option<Reason>, LineError> {
    let Some(flaw) = flaw else { return Ok(None) };
    let possible = || Reason::ALL.into_iter().filter(|reason| reason.is_finding() || *reason == Reason::WrongResult);
    let name = flaw.get_ref();
    match possible().find(|reason| reason.name() == name) {
        Some(reason) => Ok(Some(reason)),
        None => {
            let names: Vec<&str> = possible().map(Reason::name).collect();
            let message = format!("unknown flaw `{name}`{}", did_you_mean(name, names.iter().copied()));
            Err(toml.error(flaw.span().start, message).expected(format!("one of {}", names.join(", "))))
        }
    }
}

fn check_arch(toml: TomlText, arch: Option<&Spanned<String>>) -> Result<String, LineError> {
    let Some(arch) = arch else { return Ok("sm_90".to_string()) };
    let name = arch.get_ref();
    let digits = name.strip_prefix("sm_").map(|rest| rest.trim_end_matches(['a', 'f'])).unwrap_or("");
    let number = digits.parse::<u32>().unwrap_or(0);
    if (75..1000).contains(&number) {
        return Ok(name.clone());
    }
    Err(toml.error(arch.span().start, format!("`{name}` is no architecture")).expected("sm_75, sm_90, ..."))
}

/// Cases and named sizes.
struct Sized {
    names: Vec<String>,
    cases: Vec<Sizes>,
    drawn: Vec<Drawn>,
    count: Sizes,
    time: Sizes,
}

impl Sized {
    fn check(
        toml: TomlText,
        raw: &raw::Manifest,
        sweep: Option<&Sweep>,
        ladder: Option<&Ladder>,
    ) -> Result<Self, LineError> {
        let cases = raw.cases.get_ref();
        let Some(last) = cases.last() else {
            return Err(toml.error(raw.cases.span().start, "no cases: nothing would be verified"));
        };
        let mut axes: Vec<&str> =
            sweep.map(|s| vec![s.rows.name.as_str(), s.columns.name.as_str()]).unwrap_or_default();
        axes.extend(ladder.map(|_| BLOCK));
        // Row and column may be given in a case or not; every other size must be everywhere.
        let own = |sizes: &Sizes| -> Vec<String> {
            sizes.keys().filter(|name| !axes.contains(&name.as_str())).cloned().collect()
        };
        let names = own(last.get_ref());
        let count = raw.count.as_ref().unwrap_or(last);
        let time = raw.time.as_ref().unwrap_or(count);
        let gpu_cases = raw.ladder.iter().flat_map(|ladder| &ladder.get_ref().gpu_cases);
        for sizes in cases.iter().chain([count, time]).chain(gpu_cases) {
            let at = sizes.span().start;
            for name in sizes.get_ref().keys() {
                identifier(name).map_err(|message| toml.error(at, message))?;
            }
            if !same(&own(sizes.get_ref()), &names) {
                let message = format!(
                    "the sizes here are `{}`, elsewhere `{}`; every case, `count` and `time` give the same ones",
                    own(sizes.get_ref()).join("`, `"),
                    names.join("`, `")
                );
                return Err(toml.error(at, message));
            }
            if let Some((name, value)) = sizes.get_ref().iter().find(|(_, value)| **value < 0) {
                return Err(toml.error(at, format!("size `{name}` is {value}")));
            }
        }
        if names.is_empty() && axes.is_empty() {
            return Err(toml.error(last.span().start, "a case without sizes").expected("{ n = 1000 }"));
        }
        if sweep.is_none() {
            variety(cases).map_err(|message| {
                toml.error(raw.cases.span().start, message)
                    .expected("cases with a 1, an odd size, a power of two and a large one")
            })?;
        }
        let drawn = raw.drawn.iter().map(|row| drawn(toml, row, &names)).collect::<Result<Vec<_>, _>>()?;
        if let (Some(first), false) = (raw.drawn.first(), axes.is_empty()) {
            return Err(toml.error(first.span().start, "only exercises and pairs have drawn cases"));
        }
        let mut names = names;
        names.extend(axes.iter().map(ToString::to_string));
        // A ladder's case that gives no block size is run at all of them; counts and times are taken at its own.
        let every = |case: &Sizes| -> Vec<Sizes> {
            match ladder {
                Some(ladder) if !case.contains_key(BLOCK) => {
                    ladder.blocks.iter().map(|block| Ladder::with_block(case, *block)).collect()
                }
                _ => vec![case.clone()],
            }
        };
        let own_block = |sizes: &Sizes| match ladder {
            Some(ladder) if !sizes.contains_key(BLOCK) => Ladder::with_block(sizes, ladder.block),
            _ => sizes.clone(),
        };
        Ok(Self {
            names,
            cases: cases.iter().flat_map(|case| every(case.get_ref())).collect(),
            drawn,
            count: own_block(count.get_ref()),
            time: own_block(time.get_ref()),
        })
    }
}

/// The same names, in whatever order.
fn same(given: &[String], names: &[String]) -> bool {
    given.len() == names.len() && given.iter().all(|name| names.contains(name))
}

/// A drawn case: it gives every size, and at least one of them is an interval.
fn drawn(toml: TomlText, row: &Spanned<IndexMap<String, raw::Extent>>, names: &[String]) -> Result<Drawn, LineError> {
    let fault = |message: String| toml.error(row.span().start, message).expected("{ n = [2, 70000] }");
    if !same(&row.get_ref().keys().cloned().collect::<Vec<_>>(), names) {
        return Err(fault(format!("a drawn case gives every size: `{}`", names.join("`, `"))));
    }
    let ends = |extent: &raw::Extent| match *extent {
        raw::Extent::Fixed(value) => (value, value),
        raw::Extent::Between([lo, hi]) => (lo, hi),
    };
    let drawn: Drawn = row.get_ref().iter().map(|(name, extent)| (name.clone(), ends(extent))).collect();
    match drawn.iter().find(|(_, (lo, hi))| *lo < 0 || lo > hi) {
        Some((name, (lo, hi))) => Err(fault(format!("`{name}` from {lo} to {hi}: no interval of sizes"))),
        None if drawn.values().all(|(lo, hi)| lo == hi) => Err(fault("nothing is drawn".into())),
        None => Ok(drawn),
    }
}

/// Tails, single elements and many blocks must all be tried.
fn variety(cases: &[Spanned<Sizes>]) -> Result<(), String> {
    let any = |test: &dyn Fn(i64) -> bool| cases.iter().any(|case| case.get_ref().values().any(|value| test(*value)));
    let large = cases.iter().any(|case| {
        case.get_ref().values().try_fold(1_i64, |product, value| product.checked_mul(*value)).is_none_or(|p| p >= LARGE)
    });
    if !any(&|value| value == 1) {
        Err("no case with a size of 1".to_string())
    } else if !any(&|value| value > 1 && value % 2 == 1) {
        Err("no case with an odd size above 1".to_string())
    } else if !any(&|value| value > 1 && value & (value - 1) == 0) {
        Err("no case with a power of two above 1".to_string())
    } else if !large {
        Err(format!("no large case: one whose sizes multiply to {LARGE} or more"))
    } else {
        Ok(())
    }
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

/// A type's own name, or one that a ladder gives.
pub(crate) fn parse_dtype(toml: TomlText, text: &Spanned<String>, types: &Types) -> Result<DType, LineError> {
    let (source, range) = toml.string(&text.span(), text.get_ref());
    let mut cursor = Cursor::new(&source, range.start, range.end).with_types(types);
    let dtype = crate::statement::parse_dtype(&mut cursor)?;
    cursor.finish()?;
    Ok(dtype)
}

/// An input's own fill, or that of a ladder's element type.
fn input_fill(toml: TomlText, input: &raw::Input, ladder: Option<&Ladder>) -> Result<Fill, LineError> {
    match (&input.fill, ladder) {
        (Some(fill), _) => parse_fill(toml, fill),
        (None, Some(ladder)) => Ok(ladder.element().fill.clone()),
        (None, None) => {
            let message = format!("`{}` has no `fill`", input.name.get_ref());
            Err(toml.error(input.name.span().start, message).expected(fill::FORM))
        }
    }
}

/// The `kind` and the table that goes with it.
fn check_kind(toml: TomlText, raw: &raw::Manifest) -> Result<(), LineError> {
    let kind = raw.kind.as_ref().map(|kind| (kind.get_ref(), kind.span().start));
    let tables = [
        ("sweep", raw.sweep.as_ref().map(|table| table.span().start), matches!(kind, Some((raw::Kind::Sweep, _)))),
        ("ladder", raw.ladder.as_ref().map(|table| table.span().start), matches!(kind, Some((raw::Kind::Ladder, _)))),
    ];
    for (name, table, stated) in tables {
        match (table, stated) {
            (None, true) => {
                let at = kind.map_or(0, |(_, at)| at);
                return Err(toml.error(at, format!("a {name} needs a `[{name}]` table")));
            }
            (Some(at), false) => {
                return Err(toml.error(at, format!("a `[{name}]` table needs kind = \"{name}\" at the top")));
            }
            _ => {}
        }
    }
    Ok(())
}

pub(crate) fn parse_fill(toml: TomlText, text: &Spanned<String>) -> Result<Fill, LineError> {
    // A TOML string is quoted already.
    if text.get_ref().trim().to_lowercase().ends_with(".npy") {
        return Ok(Fill::Npy(text.get_ref().trim().to_string()));
    }
    let (source, range) = toml.string(&text.span(), text.get_ref());
    let mut cursor = Cursor::new(&source, range.start, range.end);
    cursor.set_form(fill::FORM);
    let fill = fill::parse(&mut cursor)?;
    cursor.finish()?;
    Ok(fill)
}

fn check_output(
    toml: TomlText,
    output: &raw::Output,
    names: &mut Vec<String>,
    types: &Types,
    ladder: Option<&Ladder>,
) -> Result<OutputSpec, LineError> {
    let dtype = parse_dtype(toml, &output.dtype, types)?;
    let name = buffer_name(toml, &output.name, names)?;
    let inout = output.inout.as_ref().is_some_and(|inout| *inout.get_ref());
    let fill = match (&output.fill, inout) {
        (Some(fill), true) => Some(parse_fill(toml, fill)?),
        (None, false) => None,
        (Some(fill), false) => {
            let message = format!("`{name}` has a fill but is not in place: add inout = true, or drop the fill");
            return Err(toml.error(fill.span().start, message));
        }
        (None, true) => {
            let message = format!("`{name}` is in place (inout = true), so it needs a fill");
            return Err(toml.error(output.name.span().start, message).expected(fill::FORM));
        }
    };
    let error = match (&output.error, ladder) {
        (Some(error), _) => error_bound(toml, error, &name, dtype, types)?,
        (None, Some(ladder)) => match &ladder.element().error {
            ErrorBound::Ops { .. } if !dtype.is_float() => {
                let message = format!("`{name}` is of {dtype}: an integer output is exact");
                return Err(toml.error(output.name.span().start, message));
            }
            error => error.clone(),
        },
        (None, None) => {
            let message = format!("`{name}` has no `error`: how far may it be from the oracle's?");
            let form = "error = \"exact\" or error = { ops = \"EXPR\", unit = \"f32\" }";
            return Err(toml.error(output.name.span().start, message).expected(form));
        }
    };
    Ok(OutputSpec { name, dtype, len: formula(toml, &output.len, types)?, fill, error })
}

/// How far the output `name` of type `dtype` may be off.
pub(crate) fn error_bound(
    toml: TomlText,
    error: &Spanned<raw::ErrorSpec>,
    name: &str,
    dtype: DType,
    types: &Types,
) -> Result<ErrorBound, LineError> {
    Ok(match error.get_ref() {
        raw::ErrorSpec::Word(raw::Exact::Exact) => ErrorBound::Exact,
        raw::ErrorSpec::Ops(ops) => {
            if !ops.unit.is_float() {
                let message =
                    format!("`{}` has no unit roundoff: name a float type, or use error = \"exact\"", ops.unit);
                return Err(toml.error(error.span().start, message));
            }
            if !dtype.is_float() {
                let message = format!("`{name}` is of {dtype}: an integer output is exact");
                return Err(toml.error(error.span().start, message));
            }
            // The table is read as a whole, so the string's own place is looked for inside it.
            let span = error.span();
            let table = toml.text.get(span.clone()).unwrap_or("");
            let quoted = format!("\"{}\"", ops.ops);
            let start = span.start + table.find(&quoted).unwrap_or(0);
            let ops_formula = Formula::parse(toml, &(start..start + quoted.len()), &ops.ops, types)?;
            ErrorBound::Ops { ops: ops_formula, unit: ops.unit }
        }
    })
}

fn check_work(toml: TomlText, raw: &raw::Manifest) -> Result<WorkBounds, LineError> {
    let change = |(name, times): (&Spanned<String>, &f64)| {
        let (at, name) = (name.span().start, name.get_ref());
        let work = Work::by_name(name).ok_or_else(|| {
            let hint = did_you_mean(name, Work::names());
            toml.error(at, format!("unknown work `{name}`{hint}"))
                .expected(Work::names().collect::<Vec<_>>().join(", "))
        })?;
        if !times.is_finite() || *times < 0.0 {
            return Err(toml.error(at, format!("{times} is no bound for `{name}`: so many times the baseline's")));
        }
        Ok((work, *times))
    };
    Ok(WorkBounds { changed: raw.work.iter().map(change).collect::<Result<_, _>>()? })
}

fn check_goal(toml: TomlText, goal: &Spanned<raw::Goal>) -> Result<Goal, LineError> {
    let raw = goal.get_ref();
    let at = raw.metric.span().start;
    let metric =
        Metric::parse(raw.metric.get_ref()).map_err(|message| toml.error(at, message).expected(Metric::forms()))?;
    let conditions: Vec<Condition> = [
        raw.min.map(Condition::Min),
        raw.max.map(Condition::Max),
        raw.equals.map(Condition::Equals),
        raw.ratio_max.map(Condition::RatioMax),
        raw.ratio_min.map(Condition::RatioMin),
    ]
    .into_iter()
    .flatten()
    .collect();
    if conditions.is_empty() {
        let message = format!("the goal on `{metric}` has no condition");
        return Err(toml.error(at, message).expected("min, max, equals, ratio_max or ratio_min = NUMBER"));
    }
    for condition in &conditions {
        let (Condition::Min(value)
        | Condition::Max(value)
        | Condition::Equals(value)
        | Condition::RatioMax(value)
        | Condition::RatioMin(value)) = *condition;
        if !value.is_finite() || value < 0.0 {
            return Err(toml.error(at, format!("{value} is no bound for `{metric}`: it is never negative")));
        }
        if condition.is_ratio() && matches!(metric, Metric::Speedup | Metric::ModelledSpeedup) {
            return Err(toml.error(at, format!("`{metric}` is a ratio already: use `min`")));
        }
        if matches!(metric.unit(), Unit::Fraction { .. }) && value > 1.0 && !condition.is_ratio() {
            return Err(toml.error(at, format!("`{metric}` is between 0 and 1, not {value}")));
        }
    }
    if let (Some(min), Some(max)) = (raw.min, raw.max)
        && min > max
    {
        return Err(toml.error(at, format!("no value is at least {min} and at most {max}")));
    }
    Ok(Goal { metric, conditions, why: non_empty(toml, &raw.why)? })
}

fn check_sweep(toml: TomlText, sweep: &Spanned<raw::Sweep>) -> Result<Sweep, LineError> {
    let raw = sweep.get_ref();
    let rows = check_axis(toml, raw.rows.get_ref())?;
    let columns = check_axis(toml, raw.columns.get_ref())?;
    if rows.name == columns.name {
        let at = raw.columns.get_ref().name.span().start;
        return Err(toml.error(at, format!("rows and columns are both `{}`", rows.name)));
    }
    let counter = CounterRatio::parse(raw.counter.get_ref())
        .map_err(|message| toml.error(raw.counter.span().start, message).expected("COUNTER or COUNTER per COUNTER"))?;
    Ok(Sweep { rows, columns, quantity: *raw.quantity.get_ref(), counter })
}

fn check_axis(toml: TomlText, axis: &raw::Axis) -> Result<Axis, LineError> {
    identifier(axis.name.get_ref()).map_err(|message| toml.error(axis.name.span().start, message))?;
    let values = axis.values.get_ref();
    let at = axis.values.span().start;
    if values.is_empty() {
        return Err(toml.error(at, format!("`{}` has no values", axis.name.get_ref())));
    }
    if values.windows(2).any(|pair| pair[0] >= pair[1]) {
        return Err(toml.error(at, format!("the values of `{}` do not increase", axis.name.get_ref())));
    }
    Ok(Axis { name: axis.name.get_ref().clone(), values: values.clone() })
}

/// Every formula must have a sensible value at every size that will be run.
fn evaluate(manifest: &Manifest) -> Result<(), LineError> {
    let ends = manifest.ends_of_drawn();
    for sizes in manifest.cases.iter().chain(&ends).chain([&manifest.count, &manifest.time]) {
        // In a sweep the first cell stands for all: names and signs are the same in each.
        let sizes = match &manifest.sweep {
            Some(sweep) => sweep.cells(sizes).swap_remove(0).sizes,
            None => sizes.clone(),
        };
        manifest.io(&sizes)?;
        for formula in manifest.bytes.iter().chain(&manifest.flops) {
            let value = formula.eval(&sizes)?;
            if value < 0 {
                return Err(formula.error(format!("{value} at {}", written(&sizes))));
            }
        }
        for output in &manifest.outputs {
            let own = manifest.ladder.iter().flat_map(|ladder| ladder.ops.values());
            let ErrorBound::Ops { ops, .. } = &output.error else { continue };
            for ops in own.chain([ops]) {
                let value = ops.eval(&sizes)?;
                if value < 0 {
                    return Err(ops.error(format!("{value} operations at {}", written(&sizes))));
                }
            }
        }
    }
    Ok(())
}

/// Sizes as messages show them: `n = 33, k = 4`.
pub(crate) fn written(sizes: &Sizes) -> String {
    sizes.iter().map(|(name, value)| format!("{name} = {value}")).collect::<Vec<_>>().join(", ")
}
