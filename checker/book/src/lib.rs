//! The mdBook preprocessor: listings, diffs and tables from the workbook itself, so that no page holds a number or a
//! listing that somebody typed.

mod ahead;
pub mod blocks;
pub mod claim;
pub mod directive;
mod figures;
mod kept;
mod kernels;
mod live;
mod measured;
mod order;
mod pages;
mod picture;
mod reference;

pub use figures::svg;
use figures::{bars, ladder_figures, product, roofline};
use kernels::{evidence, listing, sass, simulated, source, trace};
use measured::{ladder, peers, results, table};
use reference::{counters, kernel_lines, topics};

use anyhow::Context as _;
pub use directive::DirectiveError;
use directive::Piece;
pub use kept::is_learners;
pub use live::{FOLDER as LIVE, PageKernels};
use mdbook_preprocessor::book::{Book, BookItem};
use mdbook_preprocessor::errors::Result;
use mdbook_preprocessor::{Preprocessor, PreprocessorContext};
pub use pages::Progress;
use problem::Workbook;
use std::sync::Arc;

/// Name of the preprocessor in `book.toml`.
pub const NAME: &str = "warpbook";

/// What the pages say that the workbook contradicts: the author's fault, not the machine's.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct PageError(pub String);

/// Replaces the directives of every chapter.
#[derive(Default)]
pub struct Warpbook {
    /// Where kernels go that run on their page; without it none does.
    pub page_kernels: Option<Arc<PageKernels>>,
    /// Who is told of each page that is done.
    pub told: Option<Arc<OnProgress>>,
}

/// Hears how far a build is, from several threads.
pub type OnProgress = dyn Fn(Progress<'_>) + Send + Sync;

impl Preprocessor for Warpbook {
    fn name(&self) -> &str {
        NAME
    }

    fn run(&self, context: &PreprocessorContext, mut book: Book) -> Result<Book> {
        let workbook = Workbook::find(&context.root)?;
        let writer = blocks::Writer::new(&workbook, self.page_kernels.as_deref())?;
        order::check(&book, writer.problems())?;
        let texts = book.iter().filter_map(|item| match item {
            BookItem::Chapter(chapter) => Some(chapter.content.clone()),
            _ => None,
        });
        writer.prepare(&texts.collect::<Vec<_>>())?;
        let untrue = pages::rewrite(&mut book, &writer, &|progress| {
            if let Some(told) = &self.told {
                told(progress);
            }
        })?;
        // All of them: a new results file may contradict several sentences.
        if untrue.is_empty() { Ok(book) } else { Err(PageError(untrue.join("\n")).into()) }
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
