//! The mdBook preprocessor: listings, diffs and tables from the workbook itself, so that no page holds a number or a
//! listing that somebody typed.

mod bars;
pub mod blocks;
mod counters;
pub mod directive;
mod evidence;
mod kernel_lines;
mod ladder;
mod ladder_figures;
mod order;
mod peers;
mod picture;
mod results;
mod sass;
mod simulated;
pub mod svg;
mod topics;
mod trace;

pub use directive::DirectiveError;
use directive::Piece;
use mdbook_preprocessor::book::{Book, BookItem, Chapter};
use mdbook_preprocessor::errors::{Error, Result};
use mdbook_preprocessor::{Preprocessor, PreprocessorContext};
use problem::Workbook;

/// Name of the preprocessor in `book.toml`.
pub const NAME: &str = "warpbook";

/// What the pages say that the workbook contradicts: the author's fault, not the machine's.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct PageError(pub String);

/// Replaces the directives of every chapter.
#[derive(Debug)]
pub struct Warpbook;

impl Preprocessor for Warpbook {
    fn name(&self) -> &str {
        NAME
    }

    fn run(&self, context: &PreprocessorContext, mut book: Book) -> Result<Book> {
        let workbook = Workbook::find(&context.root)?;
        let mut failure: Option<Error> = None;
        let writer = blocks::Writer::new(&workbook)?;
        order::check(&book, writer.problems())?;
        book.for_each_mut(|item| {
            if let BookItem::Chapter(chapter) = item
                && failure.is_none()
                && let Err(error) = rewrite(chapter, &writer)
            {
                let place = chapter.source_path.as_deref().map(|path| path.display().to_string()).unwrap_or_default();
                failure = Some(error.context(format!("in book/src/{place}")));
            }
        });
        failure.map_or(Ok(book), Err)
    }
}

fn rewrite(chapter: &mut Chapter, writer: &blocks::Writer<'_>) -> Result<()> {
    let slug =
        chapter.source_path.as_deref().and_then(|path| path.file_stem()?.to_str()).unwrap_or_default().to_owned();
    let mut out = String::with_capacity(2 * chapter.content.len());
    for piece in directive::cut(&chapter.content)? {
        match piece {
            Piece::Text(text) => out.push_str(text),
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
    Ok(())
}
