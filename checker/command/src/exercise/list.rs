//! `checker list`: chapters, their pairs and exercises, what is solved and what is next.

use crate::{Context, Exit, Outcome, workbook};
use problem::{HARDEST, Kind, Problem};
use report::{Pen, Tone, pad};

/// Lists the workbook.
pub fn run(context: &Context) -> Outcome {
    let workbook = workbook::open(context)?;
    let progress = workbook::progress(context, &workbook);
    let all = workbook::problems(context, &workbook);
    let next = workbook::next(&all, &progress).map(|problem| problem.id.as_str());
    let solved = |name: &str| progress.solved.contains_key(name);
    if context.json {
        let problems: Vec<_> = all
            .iter()
            .map(|problem| {
                serde_json::json!({
                    "name": problem.id,
                    "title": problem.manifest.title,
                    "chapter": problem.manifest.chapter,
                    "topics": problem.manifest.topics,
                    "difficulty": problem.manifest.difficulty,
                    "minutes": problem.manifest.minutes,
                    "kind": problem.kind,
                    "summary": problem.manifest.summary,
                    "solved": (problem.kind == Kind::Exercise).then(|| solved(problem.id.as_str())),
                })
            })
            .collect();
        let value = serde_json::json!({ "schema": report::SCHEMA, "next": next, "problems": problems });
        context.print_json(&value)?;
        return Ok(Exit::Met);
    }

    let mut pen = Pen::new(context.face);
    let width = all.iter().map(|problem| problem.id.as_str().len()).max().unwrap_or(0);
    for chapter in workbook::chapters(&workbook, &all) {
        pen.heading(&chapter.title, "");
        for problem in chapter.problems {
            let name = problem.id.as_str();
            let is_exercise = problem.kind == Kind::Exercise;
            let is_next = next == Some(name);
            let (tone, mark) = match (is_exercise, solved(name)) {
                (false, _) => (Tone::Dim, pen.face.glyph(" ", "  ")),
                (true, true) => (Tone::Good, pen.face.glyph("✓", "ok")),
                (true, false) if is_next => (Tone::Accent, pen.face.glyph("→", "->")),
                (true, false) => (Tone::Dim, pen.face.glyph("·", "--")),
            };
            let kind = match problem.kind {
                Kind::Exercise if is_next => format!("{}  next", effort(&pen, problem)),
                Kind::Exercise => effort(&pen, problem),
                Kind::Sweep => "  sweep".to_owned(),
                Kind::Pair => "  pair".to_owned(),
                Kind::Ladder => "  ladder".to_owned(),
            };
            pen.line(&[
                (Tone::Text, "  "),
                (tone, mark),
                (Tone::Text, " "),
                (if is_exercise { Tone::Strong } else { Tone::Text }, &pad(name, width, false)),
                (Tone::Text, "  "),
                (Tone::Text, &problem.manifest.title),
                (Tone::Dim, &kind),
            ]);
        }
    }
    pen.gap();
    context.print(pen.finish())?;
    Ok(Exit::Met)
}

/// How hard an exercise is and how long it takes: "  ●○○ 10 min", or "  difficulty 1/3, 10 min" where nothing is drawn.
fn effort(pen: &Pen, problem: &Problem) -> String {
    let of = problem.manifest.difficulty.map(|difficulty| {
        let rest = HARDEST.saturating_sub(difficulty);
        let dots = "●".repeat(difficulty as usize) + &"○".repeat(rest as usize);
        if pen.face.drawing { dots } else { format!("difficulty {difficulty}/{HARDEST},") }
    });
    let minutes = problem.manifest.minutes.map(|minutes| format!("{minutes} min"));
    let words: Vec<String> = [of, minutes].into_iter().flatten().collect();
    if words.is_empty() { String::new() } else { format!("  {}", words.join(" ")) }
}
