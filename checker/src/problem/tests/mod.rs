//! Tests of the module as its users see it.

mod lines;
mod manifest;
mod workbook;
