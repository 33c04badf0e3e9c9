//! PTX text to a syntax tree. Nothing here knows what an instruction means: an unknown opcode parses like any other.

pub mod ast;
mod lexer;
mod parser;

pub use parser::{parse, parse_declarations};
