//! Figures as inline SVG.

pub(crate) mod bars;
pub(crate) mod ladder_figures;
pub(crate) mod product;
pub(crate) mod roofline;
pub mod svg;
