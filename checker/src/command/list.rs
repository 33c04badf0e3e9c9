//! `checker list`: chapters, their pairs and exercises, what is solved and what is next.

use super::{Context, Exit, Outcome, shelf};
use crate::report::{Pen, Tone, pad};

/// Lists the workbook.
pub fn run(context: &Context) -> Outcome {
    let workbook = shelf::open(context)?;
    let progress = shelf::progress(context)?;
    let next = shelf::next(&workbook, &progress, None).map(|problem| problem.name().to_owned());
    let solved = |name: &str| progress.solved.contains_key(name);
    if context.json {
        let problems: Vec<_> = shelf::problems(&workbook)
            .map(|problem| {
                serde_json::json!({
                    "name": problem.name(),
                    "title": problem.title(),
                    "chapter": problem.chapter(),
                    "kind": problem.kind(),
                    "summary": problem.summary(),
                    "solved": problem.is_exercise().then(|| solved(problem.name())),
                })
            })
            .collect();
        let value = serde_json::json!({ "schema": crate::report::SCHEMA, "next": next, "problems": problems });
        context.print(&format!("{value:#}\n"))?;
        return Ok(Exit::Met);
    }

    let mut pen = Pen::new(context.face);
    let width = shelf::problems(&workbook).map(|problem| problem.name().len()).max().unwrap_or(0);
    for (chapter, problems) in shelf::by_chapter(&workbook) {
        pen.heading(&chapter, "");
        for problem in problems {
            let name = problem.name();
            let is_next = next.as_deref() == Some(name);
            let (tone, mark) = match (problem.is_exercise(), solved(name)) {
                (false, _) => (Tone::Dim, pen.face.glyph(" ", "  ")),
                (true, true) => (Tone::Good, pen.face.glyph("✓", "ok")),
                (true, false) if is_next => (Tone::Accent, pen.face.glyph("→", "->")),
                (true, false) => (Tone::Dim, pen.face.glyph("·", "--")),
            };
            let kind = match problem.kind() {
                "exercise" if is_next => "  next",
                "exercise" => "",
                "sweep" => "  sweep",
                _ => "  pair",
            };
            pen.line(&[
                (Tone::Text, "  "),
                (tone, mark),
                (Tone::Text, " "),
                (if problem.is_exercise() { Tone::Strong } else { Tone::Text }, &pad(name, width, false)),
                (Tone::Text, "  "),
                (Tone::Text, problem.title()),
                (Tone::Dim, kind),
            ]);
        }
    }
    pen.gap();
    context.print(&pen.finish())?;
    Ok(Exit::Met)
}
