//! What the pages are going to need of the compiler, found out before the first of them is written: so nvdisasm starts once for
//! dozens of kernels, and not once for each.

use super::claim;
use super::directive::{Kind, Piece, cut};
use super::kept::{Kept, folders_of};
use super::listing::{self, Wanted};
use anyhow::Result;
use compiler::toolchain::Toolchain;
use problem::{Problem, Version, Workbook};
use std::collections::{BTreeMap, BTreeSet};

/// Compiles it where it has changed since the last time. What cannot be compiled is for its page to tell.
///
/// # Errors
/// There is no toolchain.
pub fn compile(
    (kept, toolchain, workbook): (&Kept, &Toolchain, &Workbook),
    problems: &[Problem],
    pages: &[String],
) -> Result<()> {
    const QUESTION: &str = "compiled ahead";
    let done = || Ok(String::new());
    let folders = |problem: &Problem| folders_of(problem.id.as_str());
    let is_new = |problem: &&Problem| !kept.has(QUESTION, &folders(problem).each_ref().map(String::as_str));
    let new: Vec<&Problem> = problems.iter().filter(is_new).collect();
    let both = |problem| [Version::Baseline, Version::Solution].map(|version| (problem, version));
    let versions: Vec<(&Problem, Version)> = new.iter().copied().flat_map(both).collect();
    if !versions.is_empty() {
        check::ahead(&versions, &check::CheckOptions::default())?;
    }
    for problem in new {
        kept.text(QUESTION, &folders(problem).each_ref().map(String::as_str), done)?;
    }
    let files: BTreeSet<Wanted> = pages.iter().flat_map(|page| wanted(page)).collect();
    let question = format!("{QUESTION}: {files:?}");
    if !files.is_empty() && !kept.has(&question, &FOLDERS) {
        listing::prepare(workbook, toolchain, &files.into_iter().collect::<Vec<_>>());
        kept.text(&question, &FOLDERS, done)?;
    }
    Ok(())
}

/// Where pages have kernel files from.
const FOLDERS: [&str; 2] = ["kernels", "book/kernels"];

/// The kernel files that a page lists, or asks about in a sentence.
fn wanted(page: &str) -> Vec<Wanted> {
    let mut all = Vec::new();
    // What cannot be read is told when the page is written.
    for piece in cut(page).unwrap_or_default() {
        match piece {
            Piece::Text(_) => {}
            Piece::Directive(directive) if directive.kind == Kind::Listing => {
                for arch in listing::architectures(&directive.settings) {
                    all.push(Wanted { file: directive.problem.clone(), arch: arch.to_owned(), given: BTreeMap::new() });
                }
            }
            Piece::Directive(_) => {}
            Piece::Value(text, _) | Piece::Claim(text, _) => all.extend(claim::listed(text)),
        }
    }
    all
}
