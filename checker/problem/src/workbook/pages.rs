//! The book's pages in their order, as `book/src/SUMMARY.md` lists them.

use crate::workbook::Workbook;

/// A page of the book.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// Its name: `book/src/SLUG.md`.
    pub slug: String,
    /// Its title in the summary.
    pub title: String,
    /// Title of the part that it belongs to; empty before the first.
    pub part: String,
}

impl Workbook {
    /// The pages of its book: the summary's lines `- [Title](page.md)` below its headings. Empty without a summary.
    pub fn pages(&self) -> Vec<Page> {
        let text = std::fs::read_to_string(self.root().join("book/src/SUMMARY.md")).unwrap_or_default();
        let mut part = String::new();
        let mut pages = Vec::new();
        for line in text.lines() {
            if let Some(title) = line.strip_prefix("# ") {
                // The first heading is the summary's own.
                part = if title == "Summary" { String::new() } else { title.trim().to_owned() };
            } else if let Some((title, slug)) = entry(line) {
                pages.push(Page { slug, title, part: part.clone() });
            }
        }
        pages
    }
}

/// Title and page of a line.
fn entry(line: &str) -> Option<(String, String)> {
    let (_, rest) = line.split_once('[')?;
    let (title, rest) = rest.split_once("](")?;
    let (page, _) = rest.split_once(".md)")?;
    Some((title.to_owned(), page.trim_start_matches("./").to_owned()))
}
