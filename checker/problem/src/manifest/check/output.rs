//! Inputs and outputs: fills, tolerances, the kind of result.

use super::{buffer_name, formula};
use crate::cursor::Cursor;
use crate::error::LineError;
use crate::fill;
use crate::formula::{Formula, TomlText};
use crate::ladder::Ladder;
use crate::manifest::raw;
use crate::manifest::{ErrorBound, OutputSpec};
use crate::types::Types;
use plan::Fill;
use plan::dtype::DType;
use toml::Spanned;

/// A type's own name, or one that a ladder gives.
pub(crate) fn parse_dtype(toml: TomlText, text: &Spanned<String>, types: &Types) -> Result<DType, LineError> {
    let (source, range) = toml.string(&text.span(), text.get_ref());
    let mut cursor = Cursor::new(&source, range.start, range.end).with_types(types);
    let dtype = crate::statement::parse_dtype(&mut cursor)?;
    cursor.finish()?;
    Ok(dtype)
}

/// An input's own fill, or that of a ladder's element type.
pub(super) fn input_fill(toml: TomlText, input: &raw::Input, ladder: Option<&Ladder>) -> Result<Fill, LineError> {
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
pub(super) fn check_kind(toml: TomlText, raw: &raw::Manifest) -> Result<(), LineError> {
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

pub(super) fn check_output(
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
