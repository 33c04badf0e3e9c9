//! The mdBook preprocessor: listings, diffs and tables from the workbook itself.

pub mod svg;

pub mod directive;
