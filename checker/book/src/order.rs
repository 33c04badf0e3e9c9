//! One order for readers: pages, parts and the numbers of exercises.
//!
//! The first digits of an exercise's number are its part, so `Part 2: Registers` has `ex21` to `ex29`, and later pages
//! have higher numbers. Books without numbered parts only keep the second rule.

use super::PageError;
use super::directive::{self, DirectiveError, Kind, Piece};
use anyhow::{Context as _, Result};
use mdbook_preprocessor::book::{Book, BookItem};
use problem::{Problem, ProblemId};
use std::collections::BTreeSet;

/// Checks the exercises that the pages show, of which `problems` are all there are.
///
/// # Errors
///
/// The first exercise that is out of order, or one that no page shows.
pub fn check(book: &Book, problems: &[Problem]) -> Result<()> {
    let mut part = None;
    let mut before: Option<u32> = None;
    let mut shown = BTreeSet::new();
    for item in book.iter() {
        match item {
            BookItem::PartTitle(title) => part = number(title),
            BookItem::Chapter(chapter) => {
                let place = chapter.source_path.as_deref().map(|path| path.display().to_string()).unwrap_or_default();
                for piece in directive::cut(&chapter.content).with_context(|| format!("in book/src/{place}"))? {
                    let Piece::Directive(directive) = piece else { continue };
                    let id = ProblemId::from(directive.problem.as_str());
                    let (Kind::Exercise, Some(number)) = (directive.kind, id.exercise_number()) else { continue };
                    let fault = if part.is_some_and(|part| number / 10 != part) {
                        Some(format!("an exercise of part {} has a number that begins with it", part.unwrap_or(0)))
                    } else {
                        let later = before.filter(|before| number <= *before);
                        later.map(|before| format!("it comes after ex{before:02}, and has no higher number"))
                    };
                    if let Some(problem) = fault {
                        let text = format!("{{{{exercise {id}}}}}");
                        let error = DirectiveError { line: directive.line, text, problem };
                        return Err(anyhow::Error::new(error).context(format!("in book/src/{place}")));
                    }
                    before = Some(number);
                    shown.insert(number);
                }
            }
            BookItem::Separator => {}
        }
    }
    let missing = |problem: &&Problem| problem.id.exercise_number().is_some_and(|number| !shown.contains(&number));
    match problems.iter().filter(|problem| problem.kind == problem::Kind::Exercise).find(missing) {
        Some(problem) => {
            Err(PageError(format!("no page shows {}: write {{{{exercise {}}}}} on one", problem.id, problem.id)).into())
        }
        None => Ok(()),
    }
}

/// 2 of "Part 2: Registers".
fn number(title: &str) -> Option<u32> {
    let rest = title.strip_prefix("Part ")?;
    rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}
