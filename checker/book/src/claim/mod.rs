//! Sentences that the evidence has to bear out: `{{= speedup(fuse) | x}}` puts a value into a sentence, and the line
//! `{{claim speedup(fuse) > 2.5}}` after a sentence says what must hold for it to be true. docs/book.md lists the facts.

mod eval;
mod expr;
mod facts;
mod recorded;
#[cfg(test)]
mod tests;

pub use facts::Workshop;

use super::PageError;
use super::listing::Wanted;
use eval::Evaluation;
use expr::Fact;

/// The text of `{{= EXPR | FORMAT}}`.
///
/// # Errors
/// An expression that cannot be read, a fact that nobody knows.
pub fn value(facts: &Workshop<'_>, text: &str) -> anyhow::Result<String> {
    let (expr, format) = text.rsplit_once('|').unwrap_or((text, ""));
    let expr = expr::parse(expr.trim()).map_err(|fault| PageError(format!("`{{{{={text}}}}}`: {fault}")))?;
    let value = Evaluation::new(facts).of(&expr).map_err(|error| unknown(text, &error))?;
    Ok(eval::shown(&value, format.trim()).map_err(|error| unknown(text, &error))?)
}

/// Checks `{{claim EXPR}}` of a sentence.
///
/// # Errors
/// As [`value`]; the sentence with what was found when the condition does not hold.
pub fn check(facts: &Workshop<'_>, text: &str, sentence: &str) -> anyhow::Result<()> {
    let expr = expr::parse(text).map_err(|fault| PageError(format!("`{{{{claim {text}}}}}`: {fault}")))?;
    let mut evaluation = Evaluation::new(facts);
    if evaluation.truth(&expr).map_err(|error| unknown(text, &error))? {
        return Ok(());
    }
    let found = evaluation.found.join(", ");
    Err(PageError(format!("\"{sentence}\" is not so: `{text}` does not hold; {found}")).into())
}

/// The kernel files whose machine code a condition, or a value with its format, asks about; none where it cannot be read.
pub(crate) fn listed(text: &str) -> Vec<Wanted> {
    let (expr, _) = text.rsplit_once('|').unwrap_or((text, ""));
    let Ok(expr) = expr::parse(expr.trim()) else { return Vec::new() };
    let of_files = |fact: &&Fact| matches!(fact.name.as_str(), "code" | "listed" | "resource");
    expr.facts().into_iter().filter(of_files).filter_map(|fact| facts::wanted(fact).ok()).collect()
}

fn unknown(text: &str, error: &anyhow::Error) -> PageError {
    PageError(format!("`{text}`: {error:#}"))
}

/// The sentence that ends, or has not ended, where `before` does.
pub fn sentence(before: &str) -> String {
    let paragraph = before.trim_end().rsplit("\n\n").next().unwrap_or_default();
    let words: Vec<&str> = paragraph.split_whitespace().collect();
    let ends = |word: &&str| word.ends_with(['.', '?', '!']) || word.ends_with(".)");
    let body = words.split_last().map_or(&[][..], |(_, body)| body);
    let start = body.iter().rposition(ends).map_or(0, |at| at + 1);
    words[start..].join(" ")
}
