//! The book: built, its ladders, the tables that documents and the model take from the code.

mod built;
mod documents;
mod ladder;
mod model;
