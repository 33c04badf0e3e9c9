//! All pages of a book, several at a time: each waits for compilers and for simulators, which are processes of their own.

use super::blocks::Writer;
use super::claim;
use super::directive::{self, DirectiveError, Piece};
use mdbook_preprocessor::book::{Book, BookItem};
use mdbook_preprocessor::errors::{Error, Result};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

/// Bytes of a page's stack: what parses and lowers kernels is recursive, as on a program's first thread.
const STACK: usize = 8 << 20;

/// How far a build is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress<'a> {
    /// Pages that are written.
    pub done: usize,
    /// All pages.
    pub of: usize,
    /// The title of the last one that was.
    pub page: &'a str,
}

/// A page as it was written, and as it becomes.
struct Page {
    title: String,
    /// Its path from `book/src`.
    place: String,
    slug: String,
    text: String,
    written: Mutex<Option<Result<Written>>>,
}

struct Written {
    text: String,
    /// Claims that do not hold, with their lines.
    untrue: Vec<String>,
}

/// Replaces the directives of every page; gives the claims that do not hold, in the order of the book.
///
/// # Errors
/// The first page, in that order, that cannot be written.
pub fn rewrite(book: &mut Book, writer: &Writer<'_>, told: &(dyn Fn(Progress<'_>) + Sync)) -> Result<Vec<String>> {
    let mut pages = Vec::new();
    book.for_each_mut(|item| {
        let BookItem::Chapter(chapter) = item else { return };
        let source = chapter.source_path.as_deref();
        pages.push(Page {
            title: chapter.name.clone(),
            place: source.map(|path| path.display().to_string()).unwrap_or_default(),
            slug: source.and_then(|path| path.file_stem()?.to_str()).unwrap_or_default().to_owned(),
            text: std::mem::take(&mut chapter.content),
            written: Mutex::new(None),
        });
    });
    write_all(&pages, writer, told)?;
    let mut untrue = Vec::new();
    let mut texts = Vec::new();
    for page in pages {
        // Those that a failure has kept from being written come behind it.
        let Some(written) = page.written.into_inner().unwrap_or_else(PoisonError::into_inner) else { continue };
        let written = written.map_err(|error| error.context(format!("in book/src/{}", page.place)))?;
        untrue.extend(written.untrue.into_iter().map(|claim| format!("book/src/{}: {claim}", page.place)));
        texts.push(written.text);
    }
    let mut texts = texts.into_iter();
    book.for_each_mut(|item| {
        if let BookItem::Chapter(chapter) = item {
            chapter.content = texts.next().unwrap_or_default();
        }
    });
    Ok(untrue)
}

/// Writes them on as many threads as there are cores, the first pages first.
fn write_all(pages: &[Page], writer: &Writer<'_>, told: &(dyn Fn(Progress<'_>) + Sync)) -> std::io::Result<()> {
    let (next, done, failed) = (AtomicUsize::new(0), AtomicUsize::new(0), AtomicBool::new(false));
    let work = || {
        while let Some(page) = pages.get(next.fetch_add(1, Ordering::Relaxed)) {
            if failed.load(Ordering::Relaxed) {
                return;
            }
            let written = write(page, writer);
            failed.fetch_or(written.is_err(), Ordering::Relaxed);
            *page.written.lock().unwrap_or_else(PoisonError::into_inner) = Some(written);
            let done = done.fetch_add(1, Ordering::Relaxed) + 1;
            told(Progress { done, of: pages.len(), page: &page.title });
        }
    };
    let cores = thread::available_parallelism().map_or(1, std::num::NonZero::get);
    thread::scope(|scope| {
        for _ in 0..cores.min(pages.len()) {
            thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work)?;
        }
        Ok(())
    })
}

fn write(page: &Page, writer: &Writer<'_>) -> Result<Written> {
    let mut text = String::with_capacity(2 * page.text.len());
    let mut untrue = Vec::new();
    for piece in directive::cut(&page.text)? {
        match piece {
            Piece::Text(plain) => text.push_str(plain),
            Piece::Value(fact, line) => match claim::value(&writer.workshop(), fact) {
                Ok(value) => text.push_str(&value),
                Err(error) => untrue.push(format!("line {line}: {error:#}")),
            },
            Piece::Claim(condition, line) => {
                if let Err(error) = claim::check(&writer.workshop(), condition, &claim::sentence(&text)) {
                    untrue.push(format!("line {line}: {error:#}"));
                }
            }
            Piece::Directive(directive) => {
                let block = writer.write(&directive, &page.slug);
                let placed = |error: Error| match error.is::<DirectiveError>() {
                    true => error,
                    false => error.context(format!("line {}", directive.line)),
                };
                text.push_str(&block.map_err(placed)?);
            }
        }
    }
    Ok(Written { text, untrue })
}
