//! The book as a reader gets it: it builds, every link leads somewhere, and nothing is left unwritten.

use crate::support::{Workbook, repository, run};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Values of an attribute in a page.
fn attributes<'a>(page: &'a str, name: &str) -> Vec<&'a str> {
    let start = format!(" {name}=\"");
    page.split(start.as_str()).skip(1).filter_map(|rest| rest.split('"').next()).collect()
}

/// Pages by path relative to `folder`.
fn pages(folder: &Path) -> BTreeMap<PathBuf, String> {
    let mut pages = BTreeMap::new();
    for entry in std::fs::read_dir(folder).expect("a built book").flatten() {
        let path = entry.path();
        if path.extension().is_some_and(|extension| extension == "html") {
            let name = path.strip_prefix(folder).expect("below it").to_path_buf();
            pages.insert(name, std::fs::read_to_string(&path).expect("a page"));
        }
    }
    pages
}

/// Links that lead nowhere, as "page: link".
fn broken(folder: &Path) -> Vec<String> {
    let pages = pages(folder);
    assert!(pages.len() > 5, "{pages:?}");
    let anchors: BTreeMap<&PathBuf, BTreeSet<&str>> =
        pages.iter().map(|(path, page)| (path, attributes(page, "id").into_iter().collect())).collect();
    let mut broken = Vec::new();
    for (path, page) in &pages {
        for link in attributes(page, "href").into_iter().chain(attributes(page, "src")) {
            if link.contains(':') || link.starts_with("//") || link.is_empty() {
                continue;
            }
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let target = if file.is_empty() { path.clone() } else { PathBuf::from(file) };
            let there = folder.join(&target).is_file();
            let anchored = anchor.is_empty() || anchors.get(&target).is_some_and(|known| known.contains(anchor));
            // The 404 page's links start at the site's root.
            if !(there && anchored) && path != Path::new("404.html") {
                broken.push(format!("{}: {link}", path.display()));
            }
        }
    }
    broken
}

#[test]
fn the_book_builds_and_every_link_leads_somewhere() {
    let folder = tempfile::tempdir().unwrap();
    let dest = folder.path().join("book");
    let built = run(["book", "build", "--dest", dest.to_str().unwrap()]);
    assert_eq!(built.code, Some(0), "{}", built.stderr);
    assert_eq!(broken(&dest), Vec::<String>::new());
    for (path, page) in pages(&dest) {
        // A directive that was not replaced. Two braces in a row are no CUDA.
        let main = page.split("<main>").nth(1).unwrap_or_default().split("</main>").next().unwrap_or_default();
        assert!(!main.contains("{{"), "{}", path.display());
    }
    // A kernel is on its page as its file has it, and its counts are there.
    let registers = std::fs::read_to_string(dest.join("registers.html")).unwrap();
    assert!(registers.contains("lagged") && registers.contains("simulated"), "no evidence on the page");
}

#[test]
fn a_chapter_with_a_mistake_is_named_with_its_line() {
    let workbook = Workbook::copy("book");
    let built = crate::support::Ran::from(workbook.command().args(["book", "build"]).output().unwrap());
    assert_eq!(built.code, Some(2), "{}", built.stderr);
    assert!(built.stderr.contains("book/src/start.md"), "{}", built.stderr);
    assert!(built.stderr.contains("line 3: `{{pear nothing}}`: unknown directive `pear`"), "{}", built.stderr);
}

#[test]
fn the_shipped_chapters_hold_no_numbers_of_other_machines() {
    // Times come from results files only: a chapter's own text has no measured unit after a number.
    for entry in std::fs::read_dir(repository().join("book/src")).unwrap().flatten() {
        let text = std::fs::read_to_string(entry.path()).unwrap();
        for (number, line) in text.lines().enumerate() {
            for unit in [" GB/s", " µs", " GFLOP/s", " TFLOP/s"] {
                let measured = line
                    .split(unit)
                    .next()
                    .filter(|before| line.contains(unit) && before.ends_with(|c: char| c.is_ascii_digit()));
                assert!(measured.is_none(), "{}:{}: {line}", entry.path().display(), number + 1);
            }
        }
    }
}
