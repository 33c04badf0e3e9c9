//! Tests of the module as its users see it.

mod garbled;
mod ladder;
mod lines;
mod manifest;
mod workbook;
