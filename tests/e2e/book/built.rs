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
#[ignore = "long"]
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
    pictures(&pages(&dest));
    // A kernel is on its page as its file has it, and its counts are there.
    let page = std::fs::read_to_string(dest.join("local-memory.html")).unwrap();
    assert!(page.contains("lagged") && page.contains("simulated"), "no evidence on the page");
    let topics = std::fs::read_to_string(dest.join("topics.html")).unwrap();
    let missing: usize = attributes(&topics, "data-missing").concat().parse().expect("a count");
    assert!(missing == 0 && !topics.contains("to come"), "{missing} topics have no place");
}

/// Chapters of a fixture that differ from what it has in one file.
fn built(files: &[(&str, &str)]) -> crate::support::Ran {
    let workbook = Workbook::copy("small");
    workbook.write("book/book.toml", "[book]\ntitle = \"Small\"\n");
    for (path, text) in files {
        workbook.write(path, text);
    }
    workbook.run(["book", "build"])
}

#[test]
fn pages_and_exercises_have_one_order() {
    const SUMMARY: &str = "# Summary\n\n# Part 0: Start\n\n- [First](first.md)\n- [Second](second.md)\n";
    let pages = |summary, first, second| {
        built(&[("book/src/SUMMARY.md", summary), ("book/src/first.md", first), ("book/src/second.md", second)])
    };
    let (one, two) = ("# First\n\n{{exercise ex01}}\n", "# Second\n\n{{exercise ex02}}\n");
    let right = pages(SUMMARY, one, two);
    assert_eq!(right.code, Some(0), "{}", right.stderr);
    let part = SUMMARY.replace("Part 0", "Part 3");
    for (summary, first, second, want) in [
        (SUMMARY, two, one, "in book/src/second.md: line 3: `{{exercise ex01}}`: it comes after ex02"),
        (
            part.as_str(),
            one,
            two,
            "line 3: `{{exercise ex01}}`: an exercise of part 3 has a number that begins with it",
        ),
        (SUMMARY, one, "# Second\n", "no page shows ex02"),
    ] {
        let ran = pages(summary, first, second);
        assert!(ran.code == Some(2) && ran.stderr.contains(want), "{want}: {}", ran.stderr);
    }
}

#[test]
fn topics_have_places() {
    const TOPICS: &str = "[[group]]\ntitle = \"All\"\ntopics = [\"`BRX`\", \"Types\", \"Spills\"]\n";
    let page = |topics: &str, own: &str| {
        built(&[
            ("book/topics.toml", TOPICS),
            ("book/src/SUMMARY.md", "# Summary\n\n- [First](first.md)\n- [Second](second.md)\n- [Topics](topics.md)\n"),
            ("book/src/first.md", &format!("# First\n\n{topics}\n\n{{{{exercise ex01}}}}\n")),
            ("book/src/second.md", "# Second\n\n{{exercise ex02}}\n"),
            ("book/src/topics.md", "# Topics\n\n{{topic-list}}\n"),
            ("kernels/twice/problem.toml", &format!("topics = [{own}]\n{}", twice())),
        ])
    };
    let right = page("{{topics 1,2}}", "2");
    assert_eq!(right.code, Some(0), "{}", right.stderr);
    for (topics, own, want) in [
        ("{{topics 1,4}}", "", "in book/src/first.md: line 3: `{{topics 1,4}}`: topic 4: book/topics.toml has 1 to 3"),
        ("{{topics one}}", "", "`one` is no topic's number"),
        ("{{topics 1}}", "2", "twice: no page has its topic 2"),
        ("{{topics 1}}", "0", "topics are counted from 1"),
        ("{{topics 1}}", "1, 1", "each is named once"),
    ] {
        let ran = page(topics, own);
        assert!(ran.code == Some(2) && ran.stderr.contains(want), "{want}: {}", ran.stderr);
    }
}

/// The fixture's pair.
fn twice() -> String {
    Workbook::copy("small").read("kernels/twice/problem.toml")
}

/// Every picture says in words what it shows, and what it shows is what the kernels do.
fn pictures(pages: &BTreeMap<PathBuf, String>) {
    let page = |name: &str| pages.get(Path::new(name)).expect("the page").as_str();
    let words = |name: &str| -> Vec<String> {
        let svgs = page(name).split("<svg class=\"picture\"").skip(1);
        let word = |svg: &str, element: &str| {
            let text = svg.split(&format!("<{element} ")).nth(1).and_then(|rest| rest.split_once('>'));
            text.and_then(|(_, rest)| rest.split('<').next()).unwrap_or_default().to_owned()
        };
        let both = svgs.map(|svg| (word(svg, "title"), word(svg, "desc"))).collect::<Vec<_>>();
        assert!(!both.is_empty() && both.iter().all(|(title, desc)| !title.is_empty() && !desc.is_empty()), "{name}");
        both.into_iter().map(|(_, desc)| desc).collect()
    };
    let reduction = words("reduction-trees.html");
    // Over neighbours, over neighbours by the first lanes, over halves.
    for (tree, round) in reduction.iter().zip([
        "Round 3: thread 0 adds 4 to 0, thread 8 adds 12 to 8, thread 16 adds 20 to 16, thread 24 adds 28 to 24.",
        "Round 3: thread 0 adds 4 to 0, thread 1 adds 12 to 8, thread 2 adds 20 to 16, thread 3 adds 28 to 24.",
        "Round 3: thread 0 adds 4 to 0, thread 1 adds 5 to 1, thread 2 adds 6 to 2, thread 3 adds 7 to 3.",
    ]) {
        assert!(tree.contains(round), "{tree}");
    }
    // What a step changes is in its picture.
    let differ = |name: &str, first: &str, second: &str| {
        let trees = words(name);
        assert!(
            trees.iter().any(|tree| tree.contains(first)) && trees.iter().any(|tree| tree.contains(second)),
            "{trees:#?}"
        );
    };
    differ(
        "reduction.html",
        "Round 32: thread 31 adds its sum to word 0 by an atomic",
        "thread 1 adds 17 to 1, … thread 15",
    );
    differ(
        "reduction-roof.html",
        "Each thread loads 2 elements, 1 per load",
        "Each thread loads 16 elements, 4 per load",
    );
    differ("last-warp.html", "63 to 31. Round 2: ", "A barrier of the warp.");
    differ("warps.html", "A barrier of the warp.", "thread 0 takes that of 16");
    differ("templates.html", "thread 0 copies word 0 to word 0", "thread 0 adds 0, 1 and stores word 0");
    differ("last-step.html", "block 0 adds 0, 1, … 15 and stores word 0", "the host adds words 0, 1, … 15");
    differ("last-step.html", "block 15 has the last one", "Round 16: block 15 adds its sum to word 0 by an atomic");
    differ(
        "groups.html",
        "stores word 1. A barrier of the block. Then",
        "Round 6: thread 0 takes that of 1; 31 more that nobody uses",
    );
    assert!(reduction.last().is_some_and(|halves| halves.contains("one pass")), "{reduction:#?}");
    let machine = words("machine.html");
    let shows = |part: &str| assert!(machine.iter().any(|words| words.contains(part)), "{part}: {machine:#?}");
    shows("4,096 blocks of 256 threads");
    shows("4 sectors of 32 bytes, 100 % of them");
    shows("32 sectors of 32 bytes, 12 % of them");
    shows("1 of 32 banks are used, 32 passes in all");
    shows("32 of 32 banks are used, one pass in all");
    shows("5 blocks per SM, 40 of 64 warps");
    shows("4 waves; the last has");
    assert!(words("latency.html").iter().any(|words| words.starts_with("6 warps of one scheduler")));
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

/// A results file that says something else contradicts the pages, for each file that a page cites. The whole book three times: with
/// `WARPBOOK_LONG=1` only.
#[test]
fn swapped_results_contradict_sentences() {
    if !crate::support::long() {
        return eprintln!("not tried: WARPBOOK_LONG=1 tries it");
    }
    let workbook = Workbook::copy_of_parts(&["book", "kernels", "exercises", "solutions"]);
    let folder = workbook.path("book/results/nvidia-h200");
    let read = |name: &str| std::fs::read_to_string(folder.join(format!("{name}.json"))).unwrap();
    // Those that sentences cite, by `speedup(NAME)`, `us(NAME, naive)` and so on.
    let mut cited = BTreeSet::new();
    for entry in std::fs::read_dir(workbook.path("book/src")).unwrap().flatten() {
        let text = std::fs::read_to_string(entry.path()).unwrap();
        for fact in ["speedup(", "speedup-low(", "speedup-high(", "us(", "roof(", "gbps("] {
            cited.extend(text.split(fact).skip(1).filter_map(|rest| rest.split([',', ')']).next().map(str::to_owned)));
        }
    }
    cited.retain(|name| folder.join(format!("{name}.json")).is_file() && name != "reduction");
    assert!(cited.len() > 8, "{cited:?}");
    // What is close to the roof takes the numbers of what is not.
    let roof = |name: &&String| {
        let record: serde_json::Value = serde_json::from_str(&read(name)).unwrap();
        (record["roof"]["candidate_fraction"].as_f64().unwrap_or_default() * 1e6) as u64
    };
    let mut names: Vec<&String> = cited.iter().collect();
    names.sort_by_cached_key(roof);
    let texts: Vec<String> = names.iter().map(|name| read(name)).collect();
    // Another problem's numbers may satisfy a sentence by chance, those of several do not.
    let mut said = String::new();
    for shift in [1, names.len() / 3, names.len() / 2] {
        for (index, name) in names.iter().enumerate() {
            std::fs::write(folder.join(format!("{name}.json")), &texts[(index + shift) % texts.len()]).unwrap();
        }
        let ran = workbook.run(["book", "check"]);
        assert_eq!(ran.code, Some(2), "{}", ran.stderr);
        said += &ran.stderr;
    }
    for name in names {
        let cites = |line: &&str| line.contains(&format!("({name}"));
        let line = said.lines().find(|line| cites(line) && line.contains("is not so"));
        assert!(line.is_some(), "no sentence depends on {name}.json:\n{said}");
    }
}

#[test]
fn a_claim_that_does_not_hold_is_shown_with_its_sentence() {
    let page = |text: &str| {
        built(&[
            ("book/src/SUMMARY.md", "# Summary\n\n- [First](first.md)\n- [Second](second.md)\n"),
            ("book/src/first.md", &format!("# First\n\n{text}\n\n{{{{exercise ex01}}}}\n")),
            ("book/src/second.md", "# Second\n\n{{exercise ex02}}\n"),
        ])
    };
    let right = page(
        "An SM has {{= limit(threads-per-sm)}} threads, {{= limit(threads-per-sm) / 32 | .0}} warps.\n{{claim limit(partitions) == 4}}",
    );
    assert_eq!(right.code, Some(0), "{}", right.stderr);
    for (text, want) in [
        (
            "One.\nAn SM has few threads.\n{{claim limit(threads-per-sm) < 2048}}\nMore.",
            "book/src/first.md: line 5: \"An SM has few threads.\" is not so: `limit(threads-per-sm) < 2048` does not hold; \
             limit(threads-per-sm) = 2,048",
        ),
        (
            "Twice starts one kernel.\n{{claim metric(twice, naive, launches) == 1 and metric(twice, naive, count.warps) == 0}}",
            "is not so: `metric(twice, naive, launches) == 1 and metric(twice, naive, count.warps) == 0` does not hold; \
             metric(twice, naive, count.warps) = ",
        ),
        ("So {{= speedup(twice) | x}}.", "line 3: ` speedup(twice) | x`: speedup(twice): no results file of `twice`"),
        ("So {{= 1 + }}.", "line 3: `{{= 1 + }}`: it ends where"),
        ("So {{= 1.", "`{{=` without `}}` on its line"),
        ("So.\n{{claim verdict(kernels/twice/naive.cu) == \"race\"}}", "kernels/twice/naive.cu"),
        ("So.\n{{claim fast(twice)}}", "there is no fact `fast`"),
        (
            "So.\n{{claim listed(kernels/twice/naive.cu, scale, EXIT, arch=sm_75) == 0}}",
            "does not hold; listed(kernels/twice/naive.cu, scale, EXIT, arch=sm_75) = ",
        ),
        (
            "So.\n{{claim resource(kernels/twice/naive.cu, scale, registers) < 2}}",
            "does not hold; resource(kernels/twice/naive.cu, scale, registers) = ",
        ),
        ("So {{= resource(kernels/twice/naive.cu, scale, wings)}}.", "there is no resource `wings`"),
        ("So {{= listed(kernels/twice/naive.cu, other, EXIT)}}.", "no kernel `other` is launched; there are: scale"),
    ] {
        let ran = page(text);
        assert!(ran.code == Some(2) && ran.stderr.contains(want), "{want}\n{}", ran.stderr);
    }
}
