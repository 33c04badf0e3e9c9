//! From `[ladder]` as written to a [`Ladder`].

use crate::error::LineError;
use crate::formula::TomlText;
use crate::ladder::{BLOCK, ElementType, Ladder, Published};
use crate::manifest::check::{error_bound, formula, identifier, non_empty, parse_dtype, parse_fill};
use crate::manifest::raw;
use crate::types::Types;
use plan::dtype::DType;
use std::collections::BTreeMap;
use toml::Spanned;

/// Largest block in threads.
const MAX_BLOCK: i64 = 1024;
/// Files of the folder that are no versions.
const TAKEN: [&str; 1] = ["reference"];

/// Checks the table for the element type number `element`.
pub(crate) fn check(toml: TomlText, ladder: &Spanned<raw::Ladder>, element: usize) -> Result<Ladder, LineError> {
    let raw = ladder.get_ref();
    if raw.types.is_empty() {
        return Err(toml.error(ladder.span().start, "no `[[ladder.type]]`: at least one element type"));
    }
    let types = raw.types.iter().map(|row| check_type(toml, row)).collect::<Result<Vec<_>, _>>()?;
    let own = types[element].types.clone();
    let names = |row: &raw::ElementType| row.types.keys().map(|name| name.get_ref().clone()).collect::<Vec<_>>();
    for row in &raw.types {
        if names(row) != names(&raw.types[0]) {
            return Err(toml.error(row.name.span().start, "every `[[ladder.type]]` gives the same names of types"));
        }
        if raw.types.iter().filter(|other| other.name.get_ref() == row.name.get_ref()).count() > 1 {
            let message = format!("two element types are called `{}`", row.name.get_ref());
            return Err(toml.error(row.name.span().start, message));
        }
    }
    let blocks = increasing(toml, &raw.blocks, "blocks")?;
    if blocks.iter().any(|block| !(1..=MAX_BLOCK).contains(block)) {
        return Err(toml.error(raw.blocks.span().start, format!("block sizes are 1 to {MAX_BLOCK}")));
    }
    let block = *raw.block.get_ref();
    if !blocks.contains(&block) {
        return Err(toml.error(raw.block.span().start, format!("{block} is not one of `blocks`")));
    }
    let versions = check_versions(toml, raw)?;
    let known = |name: &Spanned<String>| match versions.contains(name.get_ref()) {
        true => Ok(name.get_ref().clone()),
        false => Err(toml.error(name.span().start, format!("no version is called `{}`", name.get_ref()))),
    };
    let ops = raw.ops.iter().map(|(name, text)| Ok((known(name)?, formula(toml, text, &own)?)));
    let ops = ops.collect::<Result<BTreeMap<_, _>, LineError>>()?;
    let published = raw.published.as_ref().map(|published| -> Result<Published, LineError> {
        let mut ms: Vec<(String, f64)> = Vec::new();
        for (name, time) in &published.ms {
            if !(time.is_finite() && *time > 0.0) {
                return Err(toml.error(name.span().start, format!("{time} is no time in milliseconds")));
            }
            ms.push((known(name)?, *time));
        }
        ms.sort_by_key(|(name, _)| versions.iter().position(|version| version == name));
        let element = types.iter().position(|kind| kind.name == *published.element.get_ref()).ok_or_else(|| {
            let message = format!("no element type is called `{}`", published.element.get_ref());
            toml.error(published.element.span().start, message)
        })?;
        let at = *published.at.get_ref();
        if !raw.sizes.get_ref().values().any(|values| values.get_ref().contains(&at)) {
            return Err(toml.error(published.at.span().start, format!("{at} is not among `sizes`")));
        }
        let (source, device) = (non_empty(toml, &published.source)?, non_empty(toml, &published.device)?);
        Ok(Published { source, device, element, at, ms })
    });
    let gpu_cases = raw.gpu_cases.iter().map(|case| {
        let case = case.get_ref();
        if case.contains_key(BLOCK) { case.clone() } else { Ladder::with_block(case, block) }
    });
    Ok(Ladder {
        blocks,
        block,
        element,
        sizes: check_sizes(toml, raw)?,
        gpu_cases: gpu_cases.collect(),
        ops,
        published: published.transpose()?,
        versions,
        types,
    })
}

fn check_versions(toml: TomlText, raw: &raw::Ladder) -> Result<Vec<String>, LineError> {
    let mut versions: Vec<String> = Vec::new();
    for version in raw.versions.get_ref() {
        let (name, at) = (version.get_ref(), version.span().start);
        let shape = name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-');
        if name.is_empty() || !shape || TAKEN.contains(&name.as_str()) {
            let message = format!("`{name}` is no version's name: lower-case letters, digits and hyphens");
            return Err(toml.error(at, message).expected("shuffle, for shuffle.cu"));
        }
        if versions.contains(name) {
            return Err(toml.error(at, format!("`{name}` is there twice")));
        }
        versions.push(name.clone());
    }
    if versions.len() < 2 {
        return Err(toml.error(raw.versions.span().start, "a ladder has two versions or more"));
    }
    Ok(versions)
}

fn check_sizes(toml: TomlText, raw: &raw::Ladder) -> Result<(String, Vec<i64>), LineError> {
    let at = raw.sizes.span().start;
    let mut sizes = raw.sizes.get_ref().iter();
    let (Some((name, values)), None) = (sizes.next(), sizes.next()) else {
        return Err(toml.error(at, "one size is varied").expected("sizes = { n = [1024, 4096] }"));
    };
    if name == BLOCK {
        return Err(toml.error(at, "`blocks` has the block sizes"));
    }
    identifier(name).map_err(|message| toml.error(at, message))?;
    Ok((name.clone(), increasing(toml, values, name)?))
}

fn check_type(toml: TomlText, row: &raw::ElementType) -> Result<ElementType, LineError> {
    let none = Types::default();
    let mut names = Vec::new();
    for (name, dtype) in &row.types {
        let (text, at) = (name.get_ref(), name.span().start);
        identifier(text).map_err(|message| toml.error(at, message))?;
        if DType::from_name(text).is_some() || text == BLOCK {
            return Err(toml.error(at, format!("`{text}` has a meaning already; choose another name")));
        }
        names.push((text.clone(), parse_dtype(toml, dtype, &none)?));
    }
    let types = Types::new(names);
    Ok(ElementType {
        name: non_empty(toml, &row.name)?,
        fill: parse_fill(toml, &row.fill)?,
        // Whether the output is a float is checked where the output is.
        error: error_bound(toml, &row.error, "the output", DType::F32, &types)?,
        types,
    })
}

fn increasing(toml: TomlText, values: &Spanned<Vec<i64>>, name: &str) -> Result<Vec<i64>, LineError> {
    let list = values.get_ref();
    if list.is_empty() || list.windows(2).any(|pair| pair[0] >= pair[1]) {
        return Err(toml.error(values.span().start, format!("`{name}` is a list of increasing numbers")));
    }
    Ok(list.clone())
}
