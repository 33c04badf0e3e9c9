//! `checker hint NAME`: one hint more each time.

use crate::progress::Store;
use crate::{Context, Exit, Fault, Outcome, workbook};
use clap::Args;
use problem::{Kind, Problem, Workbook};
use report::{Pen, Tone};

/// Options of `checker hint`.
#[derive(Debug, Clone, Args)]
pub struct HintArgs {
    /// Exercise or pair; the next unsolved exercise unless given
    name: Option<String>,
    /// All hints at once
    #[arg(long)]
    all: bool,
}

/// Shows the hints so far and one more.
pub fn run(context: &Context, args: &HintArgs) -> Outcome {
    let workbook = workbook::open(context)?;
    let problem = workbook::find_or_next(context, &workbook, args.name.as_deref())?;
    show(context, &workbook, &problem, args.all)?;
    Ok(Exit::Met)
}

/// One more hint for a problem known to exist.
pub fn one(context: &Context, name: &str) -> Result<(), Fault> {
    let workbook = workbook::open(context)?;
    let problem = workbook::find(&workbook, name)?;
    show(context, &workbook, &problem, false)
}

fn show(context: &Context, workbook: &Workbook, problem: &Problem, all: bool) -> Result<(), Fault> {
    let (name, hints) = (problem.id.as_str(), &problem.manifest.hints);
    let mut shown = hints.len();
    if !all {
        let mut seen = 0;
        let updated = Store::of(workbook.root()).update(|progress| {
            let count = progress.hints.entry(name.to_owned()).or_default();
            *count = (*count + 1).min(hints.len());
            seen = *count;
        });
        match updated {
            Ok((_, warning)) => {
                warning.iter().for_each(|warning| context.note(warning));
                shown = seen;
            }
            // Without memory every call gives the first hint; all of them is the kinder end.
            Err(error) => context.note(&format!("note: {error}; here are all the hints")),
        }
    }
    let hints = &hints[..shown.min(hints.len())];
    if context.json {
        let value = serde_json::json!({
            "schema": report::SCHEMA,
            "name": name,
            "hints": hints,
            "of": problem.manifest.hints.len(),
        });
        return context.print_json(&value);
    }

    let mut pen = Pen::new(context.face);
    let remark = format!("hint {} of {}", hints.len(), problem.manifest.hints.len());
    pen.heading(&format!("{name}  {}", problem.manifest.title), &remark);
    pen.gap();
    for (index, hint) in hints.iter().enumerate() {
        let newest = index + 1 == hints.len();
        let number = format!("  {}  ", index + 1);
        pen.wrapped(&[(Tone::Dim, &number)], if newest || all { Tone::Text } else { Tone::Dim }, hint);
    }
    pen.gap();
    if hints.is_empty() {
        pen.line(&[(Tone::Dim, "  There are no hints for this one here.")]);
    } else if hints.len() < problem.manifest.hints.len() {
        pen.line(&[(Tone::Dim, "  one more   "), (Tone::Accent, &format!("checker hint {name}"))]);
    } else if problem.kind == Kind::Exercise {
        pen.line(&[
            (Tone::Dim, "  that was the last one; a worked answer   "),
            (Tone::Accent, &format!("checker {name} --solution")),
        ]);
    }
    pen.gap();
    context.print(pen.finish())
}
