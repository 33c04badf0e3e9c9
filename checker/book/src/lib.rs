//! The mdBook preprocessor: listings, diffs and tables from the workbook itself, so that no page holds a number or a
//! listing that somebody typed.

pub mod blocks;
pub mod claim;
pub mod directive;
mod evidence;
mod figures;
mod kept;
mod listing;
mod live;
mod measured;
mod order;
mod picture;
mod reference;
mod sass;
mod simulated;
mod trace;

pub use figures::svg;
use figures::{bars, ladder_figures, product};
use measured::{ladder, peers, results, table};
use reference::{counters, kernel_lines, topics};

use anyhow::Context as _;
pub use directive::DirectiveError;
use directive::Piece;
pub use live::PageKernels;
use mdbook_preprocessor::book::{Book, BookItem, Chapter};
use mdbook_preprocessor::errors::{Error, Result};
use mdbook_preprocessor::{Preprocessor, PreprocessorContext};
use problem::Workbook;
use std::sync::Arc;

/// Name of the preprocessor in `book.toml`.
pub const NAME: &str = "warpbook";

/// What the pages say that the workbook contradicts: the author's fault, not the machine's.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct PageError(pub String);

/// Replaces the directives of every chapter.
#[derive(Debug, Default)]
pub struct Warpbook {
    /// Where kernels go that run on their page; without it none does.
    pub page_kernels: Option<Arc<PageKernels>>,
}

impl Preprocessor for Warpbook {
    fn name(&self) -> &str {
        NAME
    }

    fn run(&self, context: &PreprocessorContext, mut book: Book) -> Result<Book> {
        let workbook = Workbook::find(&context.root)?;
        let writer = blocks::Writer::new(&workbook, self.page_kernels.as_deref())?;
        order::check(&book, writer.problems())?;
        let mut failure: Option<Error> = None;
        let mut untrue = Vec::new();
        book.for_each_mut(|item| {
            if let BookItem::Chapter(chapter) = item
                && failure.is_none()
            {
                let place = chapter.source_path.as_deref().map(|path| path.display().to_string()).unwrap_or_default();
                match rewrite(chapter, &writer) {
                    Ok(claims) => untrue.extend(claims.into_iter().map(|claim| format!("book/src/{place}: {claim}"))),
                    Err(error) => failure = Some(error.context(format!("in book/src/{place}"))),
                }
            }
        });
        match failure {
            Some(failure) => Err(failure),
            None if untrue.is_empty() => Ok(book),
            // All of them: a new results file may contradict several sentences.
            None => Err(PageError(untrue.join("\n")).into()),
        }
    }
}

/// What the sentences of all pages say that is not so, with file, line, sentence and what was found: as a build does,
/// without one.
///
/// # Errors
/// No toolchain, a malformed problem or page.
pub fn untrue(workbook: &Workbook) -> Result<Vec<String>> {
    let writer = blocks::Writer::new(workbook, None)?;
    let mut untrue = Vec::new();
    for page in workbook.pages() {
        let path = workbook.root().join("book/src").join(format!("{}.md", page.slug));
        let text = std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let mut before = String::new();
        for piece in directive::cut(&text).with_context(|| format!("in book/src/{}.md", page.slug))? {
            let (line, found) = match piece {
                Piece::Text(text) => {
                    before.push_str(text);
                    continue;
                }
                Piece::Directive(_) => continue,
                Piece::Value(text, line) => {
                    (line, claim::value(&writer.workshop(), text).map(|value| before += &value))
                }
                Piece::Claim(text, line) => (line, claim::check(&writer.workshop(), text, &claim::sentence(&before))),
            };
            if let Err(error) = found {
                untrue.push(format!("book/src/{}.md: line {line}: {error:#}", page.slug));
            }
        }
    }
    Ok(untrue)
}

/// Replaces a chapter's directives; gives the claims that do not hold, with their lines.
fn rewrite(chapter: &mut Chapter, writer: &blocks::Writer<'_>) -> Result<Vec<String>> {
    let slug =
        chapter.source_path.as_deref().and_then(|path| path.file_stem()?.to_str()).unwrap_or_default().to_owned();
    let mut out = String::with_capacity(2 * chapter.content.len());
    let mut untrue = Vec::new();
    for piece in directive::cut(&chapter.content)? {
        match piece {
            Piece::Text(text) => out.push_str(text),
            Piece::Value(text, line) => match claim::value(&writer.workshop(), text) {
                Ok(value) => out.push_str(&value),
                Err(error) => untrue.push(format!("line {line}: {error:#}")),
            },
            Piece::Claim(text, line) => {
                if let Err(error) = claim::check(&writer.workshop(), text, &claim::sentence(&out)) {
                    untrue.push(format!("line {line}: {error:#}"));
                }
            }
            Piece::Directive(directive) => {
                let block = writer.write(&directive, &slug);
                out.push_str(&block.map_err(|error| match error.is::<DirectiveError>() {
                    true => error,
                    false => error.context(format!("line {}", directive.line)),
                })?);
            }
        }
    }
    chapter.content = out;
    Ok(untrue)
}
