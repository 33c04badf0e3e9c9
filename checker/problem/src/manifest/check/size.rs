//! The sizes of a problem: enough of them, of every kind, and none too large.

use super::identifier;
use crate::error::LineError;
use crate::expr::Sizes;
use crate::formula::TomlText;
use crate::ladder::{BLOCK, Ladder};
use crate::manifest::raw;
use crate::manifest::{Drawn, Sweep};
use indexmap::IndexMap;
use toml::Spanned;

/// A case is large when the product of its sizes reaches this: many blocks of any shape.
const LARGE: i64 = 4096;

/// Most minutes of an exercise.
pub(super) const LONGEST: u32 = 240;

/// Cases and named sizes.
pub(super) struct Sized {
    pub(super) names: Vec<String>,
    pub(super) cases: Vec<Sizes>,
    pub(super) drawn: Vec<Drawn>,
    pub(super) count: Sizes,
    pub(super) time: Sizes,
}

impl Sized {
    pub(super) fn check(
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
