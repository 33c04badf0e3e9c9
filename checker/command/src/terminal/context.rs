//! What every command needs to know: where the workbook is and how to talk to the reader.

use crate::exit::Fault;
use clap::{Args, ValueEnum};
use report::Face;
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use system::text::{self, Screen};

/// Options that every command takes.
#[derive(Debug, Clone, Default, Args)]
pub struct GlobalArgs {
    /// Print the report as JSON (schema in README.md)
    #[arg(long, global = true, conflicts_with = "plain")]
    pub json: bool,
    /// Plain text: no colour, no drawing characters, as when piped
    #[arg(long, global = true)]
    pub plain: bool,
    /// When to use colour
    #[arg(long, global = true, value_enum, default_value_t, hide_possible_values = false)]
    pub color: ColorWhen,
    /// The workbook: a folder with exercises/ and kernels/ [default: the one around the current folder]
    #[arg(long, global = true, value_name = "DIR")]
    pub workbook: Option<PathBuf>,
    /// Say more: every case, every finding, the whole diff
    #[arg(long, short, global = true, conflicts_with = "quiet")]
    pub verbose: bool,
    /// Say only the verdict and its reasons
    #[arg(long, short, global = true)]
    pub quiet: bool,
}

/// `--color`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum ColorWhen {
    /// On a terminal that can, unless NO_COLOR is set; CLICOLOR_FORCE forces it
    #[default]
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// How much to say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verbosity {
    /// `--quiet`
    Quiet,
    /// Neither.
    Normal,
    /// `--verbose`
    Verbose,
}

/// The surroundings of a command.
#[derive(Debug, Clone)]
pub struct Context {
    /// How reports look.
    pub face: Face,
    /// `--json`: print the report as JSON instead of a face.
    pub json: bool,
    /// `--verbose`, `--quiet`.
    pub verbosity: Verbosity,
    /// `--workbook`.
    pub workbook: Option<PathBuf>,
}

impl Context {
    /// Reads the options, the environment and the terminal.
    pub fn new(args: &GlobalArgs) -> Self {
        let terminal = std::io::stdout().is_terminal() && !dumb();
        let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        let forced = set("CLICOLOR_FORCE") && std::env::var_os("CLICOLOR_FORCE").is_some_and(|value| value != "0");
        let colour = match args.color {
            ColorWhen::Always => true,
            ColorWhen::Never => false,
            ColorWhen::Auto => !set("NO_COLOR") && (terminal || forced),
        };
        let face = if args.plain || args.json || !(terminal || colour) {
            Face::plain()
        } else {
            Face::terminal(terminal_width(), colour)
        };
        let verbosity = match (args.verbose, args.quiet) {
            (true, _) => Verbosity::Verbose,
            (_, true) => Verbosity::Quiet,
            _ => Verbosity::Normal,
        };
        Self { face, json: args.json, verbosity, workbook: args.workbook.clone() }
    }

    /// The checkout the command was built in: where the program with all commands can be built, too.
    pub fn built_in() -> Option<&'static Path> {
        Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2)
    }

    /// Prints finished text to stdout. A closed pipe (`| head`) is no error.
    pub fn print(&self, text: impl Into<Screen>) -> Result<(), Fault> {
        print(&text.into())
    }

    /// Prints a value as JSON.
    pub fn print_json(&self, value: &impl serde::Serialize) -> Result<(), Fault> {
        let text = serde_json::to_string_pretty(value).map_err(anyhow::Error::from)? + "\n";
        print(&Screen::json(&text))
    }

    /// A sentence on stderr that is no part of the report.
    pub fn note(&self, text: &str) {
        if self.verbosity > Verbosity::Quiet {
            say(text);
        }
    }

    /// May progress be drawn on stderr?
    pub fn animate(&self) -> bool {
        self.verbosity > Verbosity::Quiet && !self.json && std::io::stderr().is_terminal() && !dumb()
    }
}

/// Lines on stderr, cleaned. Whether anybody reads them is not our affair.
pub fn say(text: &str) {
    let _ = writeln!(std::io::stderr(), "{}", text::clean(text));
}

/// Writes to stdout. A reader that went away (`| head`) is a quiet end, not an error.
fn print(text: &Screen) -> Result<(), Fault> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        Err(error) => Err(anyhow::Error::new(error).context("writing to the standard output").into()),
        Ok(()) => Ok(()),
    }
}

fn dumb() -> bool {
    std::env::var_os("TERM").is_some_and(|term| term == "dumb")
}

/// Columns of the terminal, at least 60 and at most 120: longer lines are hard to read.
fn terminal_width() -> usize {
    let columns = console::Term::stdout().size_checked().map(|(_, columns)| usize::from(columns));
    let wished = std::env::var("COLUMNS").ok().and_then(|text| text.parse().ok());
    columns.or(wished).unwrap_or(80).clamp(60, 120)
}
