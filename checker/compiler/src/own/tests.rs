//! What is found in texts, form by form.

mod ends;
mod flow;
mod hosts;
mod launches;
mod libraries;
mod macros;
mod parameters;
mod parts;
mod shapes;
mod templates;
mod types;
mod wrappers;
mod writes;

use super::part::{Include, Part, Skipped};
use super::{OwnCode, lexer, macros::Macros};

fn part(text: &str) -> (Part, Vec<Skipped>) {
    let mut macros = Macros::default();
    macros.add(&lexer::tokens(text));
    let mut skipped = Vec::new();
    let mut include = |name: &str| if name.contains("cuda") { Include::Cuda } else { Include::Absent };
    (Part::new("", text, &macros, &mut include, &mut skipped), skipped)
}

/// The names that are skipped, in order.
fn skipped(text: &str) -> String {
    part(text).1.iter().map(|skipped| skipped.name.as_str()).collect::<Vec<_>>().join(" ")
}

/// The lines that are made of a text.
fn lines(text: &str) -> Vec<String> {
    let (part, skipped) = part(text);
    OwnCode { parts: vec![part], every_kernel: false, skipped }.launch_lines()
}

/// Every line of `wanted` is made, or the beginning of one.
#[track_caller]
fn has(text: &str, wanted: &[&str]) {
    let made = lines(text);
    let missed: Vec<_> = wanted.iter().filter(|want| !made.iter().any(|line| line.starts_with(*want))).collect();
    assert!(missed.is_empty(), "{text}\nmissed {missed:#?} in {made:#?}");
}
