//! `checker` alone: where you are, what comes next, what to type.

use crate::{Context, Exit, Outcome, workbook};
use problem::Kind;
use report::{Pen, Tone};

/// Shows progress and the next step.
pub fn run(context: &Context) -> Outcome {
    let workbook = workbook::open(context)?;
    let progress = workbook::progress(context, &workbook);
    let problems = workbook::problems(context, &workbook);
    let exercises = problems.iter().filter(|problem| problem.kind == Kind::Exercise);
    let (solved, exercises) = exercises.fold((0, 0), |(solved, all), problem| {
        (solved + usize::from(progress.solved.contains_key(problem.id.as_str())), all + 1)
    });
    let next = workbook::next(&problems, &progress);
    if context.json {
        let value = serde_json::json!({
            "schema": report::SCHEMA,
            "solved": solved,
            "exercises": exercises,
            "next": next.map(|problem| problem.id.as_str()),
        });
        context.print_json(&value)?;
        return Ok(Exit::Met);
    }

    let mut pen = Pen::new(context.face);
    pen.blank();
    pen.line(&[(Tone::Strong, "  Warpbook"), (Tone::Dim, &format!("   {solved} of {} exercises solved", exercises))]);
    if context.face.drawing && exercises > 0 {
        let width = 40;
        let done = width * solved / exercises;
        pen.line(&[(Tone::Text, "  "), (Tone::Good, &"━".repeat(done)), (Tone::Dim, &"─".repeat(width - done))]);
    }
    pen.gap();
    match next {
        None => pen.wrapped(
            &[(Tone::Text, "  ")],
            Tone::Text,
            "Every exercise is solved. `checker list` has them all, and the book's pairs to compare.",
        ),
        Some(problem) => {
            let name = problem.id.as_str();
            let file = workbook::shown(&workbook::candidate(problem));
            let chapter = format!("chapter: {}", workbook::chapter_title(&workbook, &problem.manifest.chapter));
            let title = format!("  {}", problem.manifest.title);
            pen.line(&[(Tone::Dim, "  next   "), (Tone::Strong, name), (Tone::Text, &title)]);
            pen.line(&[(Tone::Text, "         "), (Tone::Dim, &chapter)]);
            pen.gap();
            pen.line(&[(Tone::Dim, "  edit   "), (Tone::Accent, &file)]);
            let hint = (format!("checker hint {name}"), "a hint, one more each time");
            let commands: Vec<(String, &str)> =
                [(format!("checker {name}"), "check it"), ("checker watch".to_owned(), "check it whenever you save")]
                    .into_iter()
                    .chain((!problem.manifest.hints.is_empty()).then_some(hint))
                    .chain([("checker list".to_owned(), "everything there is")])
                    .collect();
            let width = commands.iter().map(|(command, _)| command.len()).max().unwrap_or(0);
            for (index, (command, what)) in commands.iter().enumerate() {
                let label = if index == 0 { "  type   " } else { "         " };
                let command = report::pad(command, width, false);
                pen.line(&[(Tone::Dim, label), (Tone::Accent, &command), (Tone::Text, "   "), (Tone::Dim, what)]);
            }
        }
    }
    pen.gap();
    context.print(pen.finish())?;
    Ok(Exit::Met)
}
