//! `problem.toml` as it is written: the shape that serde checks, with the span of everything that is checked later.

use crate::expr::Sizes;
use crate::manifest::{BackendName, CacheState, Quantity};
use indexmap::IndexMap;
use plan::dtype::DType;
use serde::Deserialize;
use std::collections::BTreeMap;
use toml::Spanned;

type Text = Spanned<String>;

/// A size of a drawn case: the same in every check, or from an interval, both ends included.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(untagged)]
pub(crate) enum Extent {
    Fixed(i64),
    Between([i64; 2]),
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Manifest {
    pub title: Text,
    pub chapter: Text,
    pub summary: Text,
    pub learned: Text,
    #[serde(default)]
    pub hints: Option<Spanned<Vec<Text>>>,
    #[serde(default)]
    pub topics: Vec<Spanned<u32>>,
    pub difficulty: Option<Spanned<u32>>,
    pub minutes: Option<Spanned<u32>>,
    pub order: Option<i64>,
    pub flaw: Option<Text>,
    pub backends: Option<Spanned<Vec<BackendName>>>,
    pub kind: Option<Spanned<Kind>>,
    pub arch: Option<Text>,
    pub cases: Spanned<Vec<Spanned<Sizes>>>,
    #[serde(default)]
    pub drawn: Vec<Spanned<IndexMap<String, Extent>>>,
    pub count: Option<Spanned<Sizes>>,
    pub time: Option<Spanned<Sizes>>,
    #[serde(default)]
    pub cache: CacheState,
    pub bytes: Option<Text>,
    pub flops: Option<Text>,
    #[serde(default, rename = "in")]
    pub inputs: Vec<Input>,
    #[serde(default, rename = "out")]
    pub outputs: Vec<Output>,
    #[serde(default, rename = "goal")]
    pub goals: Vec<Spanned<Goal>>,
    #[serde(default)]
    pub work: BTreeMap<Spanned<String>, f64>,
    pub sweep: Option<Spanned<Sweep>>,
    pub ladder: Option<Spanned<Ladder>>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Kind {
    Sweep,
    Ladder,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    pub name: Text,
    #[serde(rename = "type")]
    pub dtype: Text,
    pub len: Text,
    pub fill: Option<Text>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Output {
    pub name: Text,
    #[serde(rename = "type")]
    pub dtype: Text,
    pub len: Text,
    #[serde(default)]
    pub inout: Option<Spanned<bool>>,
    pub fill: Option<Text>,
    pub error: Option<Spanned<ErrorSpec>>,
}

#[derive(Debug, Deserialize)]
#[serde(untagged, expecting = "expected error = \"exact\" or error = { ops = \"EXPR\", unit = \"TYPE\" }")]
pub(crate) enum ErrorSpec {
    Word(Exact),
    Ops(Ops),
}

#[derive(Debug, Deserialize)]
pub(crate) enum Exact {
    #[serde(rename = "exact")]
    Exact,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Ops {
    pub ops: String,
    pub unit: DType,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Goal {
    pub metric: Text,
    pub min: Option<f64>,
    pub max: Option<f64>,
    pub equals: Option<f64>,
    pub ratio_max: Option<f64>,
    pub ratio_min: Option<f64>,
    pub why: Text,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Sweep {
    pub rows: Spanned<Axis>,
    pub columns: Spanned<Axis>,
    pub quantity: Spanned<Quantity>,
    pub counter: Text,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Axis {
    pub name: Text,
    pub values: Spanned<Vec<i64>>,
    pub means: Option<Text>,
    pub labels: Option<Spanned<Vec<String>>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Ladder {
    pub versions: Spanned<Vec<Text>>,
    pub blocks: Spanned<Vec<i64>>,
    pub block: Spanned<i64>,
    pub sizes: Spanned<BTreeMap<String, Spanned<Vec<i64>>>>,
    #[serde(default)]
    pub gpu_cases: Vec<Spanned<Sizes>>,
    #[serde(default)]
    pub ops: BTreeMap<Text, Text>,
    #[serde(rename = "type")]
    pub types: Vec<ElementType>,
    pub published: Option<Published>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ElementType {
    pub name: Text,
    pub types: BTreeMap<Text, Text>,
    pub fill: Text,
    pub error: Spanned<ErrorSpec>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Published {
    pub source: Text,
    pub device: Text,
    #[serde(rename = "type")]
    pub element: Text,
    pub at: Spanned<i64>,
    pub ms: BTreeMap<Text, f64>,
}
