//! The topics: those of a page in a line at its front, and all of them with their places.

use crate::PageError;
use crate::directive::{self, Directive, DirectiveError, Kind, Piece};
use crate::svg::escape;
use anyhow::{Context as _, Result, bail};
use problem::{Page, Problem, Topics, Workbook};
use std::fmt::Write as _;

/// A topic on a page, or among the topics of a problem of that page.
#[derive(Debug)]
struct Covered {
    page: Page,
    topics: Vec<u32>,
}

/// The topics of one page.
///
/// # Errors
///
/// A number that is none.
pub fn line(workbook: &Workbook, directive: &Directive) -> Result<String> {
    let all = list(workbook)?;
    let names = numbers(directive)?
        .into_iter()
        .map(|number| {
            let Some(topic) = all.get(number) else {
                bail!(fault(directive, format!("topic {number}: book/topics.toml has 1 to {}", all.len())));
            };
            Ok(format!("<a href=\"topics.html#topic-{number}\">{}</a>", inline(topic.name)))
        })
        .collect::<Result<Vec<_>>>()?;
    Ok(format!("<p class=\"wb-topics\">Topics: {}</p>\n\n", names.join(", ")))
}

/// All topics with their pages and problems, and how many still have none.
///
/// # Errors
///
/// A malformed directive on a page, or a problem with a topic that no page explains.
pub fn table(workbook: &Workbook, problems: &[Problem]) -> Result<String> {
    let all = list(workbook)?;
    let pages = workbook.pages().into_iter().map(|page| covered(workbook, page)).collect::<Result<Vec<_>>>()?;
    for problem in problems {
        for number in &problem.manifest.topics {
            if !pages.iter().any(|page| page.topics.contains(number)) {
                bail!(PageError(format!("{}: no page has its topic {number} in {{{{topics ...}}}}", problem.id)));
            }
        }
    }
    let missing = all.all().filter(|topic| !pages.iter().any(|page| page.topics.contains(&topic.number))).count();
    let mut out = format!(
        "<p class=\"wb-topic-count\" data-missing=\"{missing}\">{} of {} topics have a place.</p>\n\n",
        all.len() - missing,
        all.len()
    );
    let mut group = "";
    for topic in all.all() {
        if topic.group != group {
            if !group.is_empty() {
                out.push_str("</table>\n\n");
            }
            group = topic.group;
            let _ = write!(out, "## {group}\n\n<table class=\"wb-topics\">\n");
        }
        let places: Vec<String> = pages
            .iter()
            .filter(|page| page.topics.contains(&topic.number))
            .map(|page| format!("<a href=\"{}.html\">{}</a>", page.page.slug, inline(&page.page.title)))
            .collect();
        let own: Vec<String> = problems
            .iter()
            .filter(|problem| problem.manifest.topics.contains(&topic.number))
            .map(|problem| format!("<code>{}</code>", problem.id))
            .collect();
        let places = if places.is_empty() { "<i>to come</i>".to_owned() } else { places.join(", ") };
        let _ = writeln!(
            out,
            "<tr id=\"topic-{}\"><td>{}</td><td>{}</td><td>{places}</td><td>{}</td></tr>",
            topic.number,
            topic.number,
            inline(topic.name),
            own.join(", ")
        );
    }
    out.push_str("</table>\n\n");
    Ok(out)
}

fn list(workbook: &Workbook) -> Result<Topics> {
    workbook.topics()?.context("there is no book/topics.toml: it lists the topics")
}

/// A page with the topics that it names.
fn covered(workbook: &Workbook, page: Page) -> Result<Covered> {
    let path = workbook.root().join("book/src").join(format!("{}.md", page.slug));
    let text = std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let mut topics = Vec::new();
    for piece in directive::cut(&text).with_context(|| format!("in book/src/{}.md", page.slug))? {
        if let Piece::Directive(directive) = piece
            && directive.kind == Kind::Topics
        {
            topics.extend(numbers(&directive)?);
        }
    }
    Ok(Covered { page, topics })
}

/// `1,2,30`.
fn numbers(directive: &Directive) -> Result<Vec<u32>, DirectiveError> {
    let number = |word: &str| {
        word.parse().map_err(|_| fault(directive, format!("`{word}` is no topic's number; write {{{{topics 1,2}}}}")))
    };
    directive.problem.split(',').map(number).collect()
}

fn fault(directive: &Directive, problem: String) -> DirectiveError {
    DirectiveError { line: directive.line, text: format!("{{{{topics {}}}}}", directive.problem), problem }
}

/// A topic's name as HTML: what stands between backticks is code.
fn inline(name: &str) -> String {
    let pieces = name.split('`').enumerate().map(|(index, piece)| match index % 2 {
        0 => escape(piece),
        _ => format!("<code>{}</code>", escape(piece)),
    });
    pieces.collect()
}
