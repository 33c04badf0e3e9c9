//! `checker dev screen`: a coloured report as a picture, for pages that cannot run anything.

use super::super::{Context, Exit, Fault, Outcome, usage};
use clap::Args;
use std::io::Read as _;
use system::text::Screen;

/// The largest report that is drawn.
const LIMIT: u64 = 1 << 20;

/// Options of `checker dev screen`.
#[derive(Debug, Clone, Args)]
pub struct ScreenArgs {
    /// What the picture shows, for readers who cannot see it
    #[arg(long, default_value = "a report")]
    title: String,
}

/// Reads a report from the standard input and writes it as SVG.
pub fn run(context: &Context, args: &ScreenArgs) -> Outcome {
    let mut text = String::new();
    let read = std::io::stdin().lock().take(LIMIT).read_to_string(&mut text);
    read.map_err(|error| Fault {
        exit: Exit::Environment,
        error: anyhow::Error::new(error).context("reading the report"),
    })?;
    if text.trim().is_empty() {
        return Err(usage(
            "no report on the standard input: checker ex01 --color always | checker dev screen > FILE.svg",
        ));
    }
    context.print(Screen::from(report::screen(&text, &args.title)))?;
    Ok(Exit::Met)
}
