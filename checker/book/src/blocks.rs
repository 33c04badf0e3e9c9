//! The blocks that directives become. Each is Markdown with a little HTML around it; styles are in
//! `book/theme/warpbook.css`.

use super::PageError;
use super::ahead;
use super::claim::Workshop;
use super::counters;
use super::directive::{Directive, Kind};
use super::evidence;
use super::kept::{Kept, folders_of};
use super::kernel_lines;
use super::ladder;
use super::listing;
use super::live::{Listing, PageKernels};
use super::peers;
use super::picture;
use super::results;
use super::sass;
use super::simulated;
use super::source::kernel_text;
use super::svg::escape;
use super::table;
use super::topics;
use super::trace;
use anyhow::{Context as _, Result, bail};
use compiler::toolchain::{self, Toolchain};
use problem::{self, HARDEST, Problem, Version, Workbook};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;

/// Writes blocks for one workbook.
#[derive(Debug)]
pub struct Writer<'a> {
    workbook: &'a Workbook,
    problems: Vec<Problem>,
    toolchain: Toolchain,
    kept: Kept,
    page_kernels: Option<&'a PageKernels>,
}

impl<'a> Writer<'a> {
    /// A writer over all problems; kernels that run on their page go to `page_kernels`.
    ///
    /// # Errors
    ///
    /// The first malformed problem, or no toolchain.
    pub fn new(workbook: &'a Workbook, page_kernels: Option<&'a PageKernels>) -> Result<Self> {
        let toolchain = toolchain::locate(&toolchain::ToolchainOptions::default())?;
        let kept = Kept::new(workbook, &toolchain);
        Ok(Self { workbook, problems: workbook.problems()?, toolchain, kept, page_kernels })
    }

    /// Compiles what these pages are going to need.
    ///
    /// # Errors
    /// There is no toolchain.
    pub fn prepare(&self, pages: &[String]) -> Result<()> {
        ahead::compile((&self.kept, &self.toolchain, self.workbook), &self.problems, pages)
    }

    /// The block of a directive on the page `chapter`.
    ///
    /// # Errors
    ///
    /// An unknown problem, a version that cannot be read or compiled, a malformed results file.
    pub fn write(&self, directive: &Directive, chapter: &str) -> Result<String> {
        directive.check_settings()?;
        let settings = &directive.settings;
        match directive.kind {
            Kind::Contents => return Ok(self.contents()),
            Kind::Counters => return Ok(counters::tables()),
            Kind::KernelLines => return kernel_lines::table(),
            Kind::Table => return table::block(&self.results(), &directive.problem, settings),
            Kind::Topics => return topics::line(self.workbook, directive),
            Kind::TopicList => return topics::table(self.workbook, &self.problems),
            Kind::Tree
            | Kind::Banks
            | Kind::Sectors
            | Kind::Occupancy
            | Kind::Waves
            | Kind::Hierarchy
            | Kind::Timeline => {
                let made = (&self.kept, &self.toolchain, self.workbook);
                let sliders: picture::Sliders<'_> = &|file, wish, ranges| {
                    self.page_kernels.map_or_else(|| Ok(String::new()), |all| all.sliders(made, file, wish, ranges))
                };
                let parts = self.page_kernels.map(PageKernels::parts);
                return picture::block(&self.toolchain, self.workbook, directive, sliders, parts.as_deref());
            }
            Kind::Listing => {
                let file = &directive.problem;
                let folder = file.rsplit_once('/').map_or("", |(folder, _)| folder);
                return self.kept.text(&format!("listing {file} {settings:?}"), &[folder], || {
                    listing::block(self.workbook, &self.toolchain, file, settings)
                });
            }
            Kind::Trace | Kind::Run => {
                let folder = directive.problem.rsplit_once('/').map_or("", |(folder, _)| folder);
                let block = self.kept.text(&format!("{directive:?}"), &[folder], || match directive.kind {
                    Kind::Trace => trace::block(self.workbook, &directive.problem, settings, directive.line),
                    _ => simulated::report(self.workbook, &directive.problem, settings),
                })?;
                let order = settings
                    .get("schedule")
                    .and_then(|list| list.split(',').next())
                    .filter(|one| *one != "all")
                    .unwrap_or("its");
                return Ok(block + &self.live(&directive.problem, Listing::Own(order))?);
            }
            _ => {}
        }
        let problem = self.workbook.get(&directive.problem)?;
        // A ladder's steps may belong to several chapters.
        let anywhere = matches!(directive.kind, Kind::Report | Kind::Sass) || problem.ladder().is_some();
        if !anywhere && problem.manifest.chapter != chapter {
            // A pair is explained in one place; elsewhere a link is enough.
            bail!(PageError(format!("`{}` belongs to the chapter `{}`", problem.id, problem.manifest.chapter)));
        }
        let made = || match directive.kind {
            Kind::Pair => self.pair(&problem),
            Kind::Exercise => self.exercise(&problem),
            Kind::Report => evidence::report(&problem, settings),
            Kind::Sass => sass::block(&self.toolchain, &problem, settings),
            Kind::Evidence => evidence::block(&self.kept, &self.toolchain, &problem, settings),
            Kind::Results => results::table(&self.results(), &problem),
            Kind::Sweep => self.sweep(&problem, settings),
            Kind::Ladder => ladder::block(&self.kept, &self.toolchain, &self.results(), &problem, settings),
            Kind::Peers => peers::block(&self.results(), problem.id.as_str(), settings),
            _ => {
                bail!("`{}` is of no problem", directive.problem)
            }
        };
        if !matches!(directive.kind, Kind::Report | Kind::Sass | Kind::Evidence | Kind::Ladder) {
            return made();
        }
        let folders = folders_of(problem.id.as_str());
        let mut folders: Vec<&str> = folders.iter().map(String::as_str).collect();
        if matches!(directive.kind, Kind::Report | Kind::Ladder) {
            folders.push("book/results");
        }
        let text = self.kept.text(&format!("{:?} {} {settings:?}", directive.kind, problem.id), &folders, made)?;
        Ok(match (directive.kind, self.page_kernels) {
            (Kind::Sass, Some(page_kernels)) => page_kernels.alive(&text),
            _ => text,
        })
    }

    fn results(&self) -> PathBuf {
        self.workbook.root().join("book/results")
    }

    /// What claims are checked by.
    pub fn workshop(&self) -> Workshop<'_> {
        Workshop { workbook: self.workbook, toolchain: &self.toolchain, kept: &self.kept }
    }

    /// All problems.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// Both versions beside each other, and the command.
    fn pair(&self, problem: &Problem) -> Result<String> {
        let mut out = String::from("<div class=\"wb-pair\">\n");
        for version in [Version::Baseline, Version::Solution] {
            let path = problem.version_path(&version).with_context(|| format!("`{}` is no pair", problem.id))?;
            let file = problem.version(&version)?;
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let shown = format!("kernels/{}/{name}", problem.id);
            let _ = write!(
                out,
                "<div>\n<p class=\"wb-name\"><b>{}</b> {shown}</p>\n{}{}</div>\n",
                name.trim_end_matches(".cu"),
                kernel_text(file.text()),
                self.live(&shown, Listing::Above)?
            );
        }
        out.push_str("</div>\n\n");
        out.push_str(&self.run_line(problem));
        Ok(out)
    }

    /// An exercise's card.
    fn exercise(&self, problem: &Problem) -> Result<String> {
        if problem.kind != problem::Kind::Exercise {
            bail!("`{}` is no exercise", problem.id);
        }
        let difficulty = problem.manifest.difficulty.map(|difficulty| format!("difficulty {difficulty} of {HARDEST}"));
        let minutes = problem.manifest.minutes.map(|minutes| format!("about {minutes} minutes"));
        let effort: Vec<String> = [difficulty, minutes].into_iter().flatten().collect();
        Ok(format!(
            "<div class=\"wb-exercise\"{}>\n<h4>Your turn: {} ({})</h4>\n<p>{} <span class=\"wb-effort\">{}</span></p>\n\
             <p class=\"wb-by-hand\">Edit <code>exercises/{}/kernel.cu</code>, then <code>checker {}</code></p>\n</div>\n\n{}",
            self.served("exercise", problem),
            escape(&problem.manifest.title),
            problem.id,
            escape(&problem.manifest.summary),
            effort.join(", "),
            problem.id,
            problem.id,
            self.starter(problem)?
        ))
    }

    /// What a script brings to life where the page is served by somebody who answers: an exercise, a check.
    fn served(&self, what: &str, problem: &Problem) -> String {
        let attributes = |page_kernels: &PageKernels| {
            format!(" data-{what}=\"{}\" data-parts=\"{}\"", problem.id, page_kernels.parts())
        };
        self.page_kernels.map(attributes).unwrap_or_default()
    }

    /// What a sweep measured and, below the table, its kernel.
    fn sweep(&self, problem: &Problem, settings: &BTreeMap<String, String>) -> Result<String> {
        let measured = results::sweep(&self.results(), problem, settings)?;
        if settings.contains_key("figure") {
            // Beside the table, which has it.
            return Ok(measured);
        }
        let file = problem.version(&Version::Sweep)?;
        let (shown, text) = (format!("kernels/{}/sweep.cu", problem.id), kernel_text(file.text()));
        Ok(format!("{measured}<details>\n<summary>{shown}</summary>\n{text}</details>\n\n"))
    }

    /// The command that compares a pair.
    fn run_line(&self, problem: &Problem) -> String {
        let (served, summary) = (self.served("check", problem), escape(&problem.manifest.summary));
        format!("<div class=\"wb-run\"{served}>{summary} <code>checker {}</code></div>\n\n", problem.id)
    }

    /// An exercise's starter, folded, where it can be run.
    fn starter(&self, problem: &Problem) -> Result<String> {
        if self.page_kernels.is_none_or(|page_kernels| !page_kernels.runs()) {
            return Ok(String::new());
        }
        let (Some(path), file) = (problem.version_path(&Version::Baseline), problem.version(&Version::Baseline)?)
        else {
            return Ok(String::new());
        };
        let shown = path.strip_prefix(self.workbook.root()).unwrap_or(&path).display().to_string();
        Ok(format!(
            "<details class=\"wb-starter\">\n<summary>The kernel you start from</summary>\n{}{}</details>\n\n",
            kernel_text(file.text()),
            self.live(&shown, Listing::Above)?
        ))
    }

    /// What runs a kernel file on its page; nothing where no page runs any.
    fn live(&self, file: &str, listing: Listing<'_>) -> Result<String> {
        let Some(page_kernels) = self.page_kernels else { return Ok(String::new()) };
        page_kernels.block((&self.kept, &self.toolchain, self.workbook), file, listing)
    }

    /// Pages with their pairs and exercises, in the order of the book.
    fn contents(&self) -> String {
        let mut out = String::from("| part | page | pairs | exercises |\n|---|---|---|---|\n");
        let mut part = String::new();
        for page in self.workbook.pages() {
            let of = |exercise: bool| -> String {
                let names: Vec<_> = self
                    .problems
                    .iter()
                    .filter(|problem| problem.manifest.chapter == page.slug)
                    .filter(|problem| (problem.kind == problem::Kind::Exercise) == exercise)
                    .map(|problem| format!("`{}`", problem.id))
                    .collect();
                names.join(", ")
            };
            let (pairs, exercises) = (of(false), of(true));
            if pairs.is_empty() && exercises.is_empty() && !page.part.starts_with("Part ") {
                continue;
            }
            let shown = if page.part == part { "" } else { page.part.as_str() };
            let _ = writeln!(out, "| {shown} | [{}]({}.md) | {pairs} | {exercises} |", page.title, page.slug);
            part.clone_from(&page.part);
        }
        out
    }
}
