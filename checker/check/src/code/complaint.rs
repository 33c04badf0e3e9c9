//! What the compiler objects to, as reasons of a report.

use compiler::compile::{self, CompileError};
use report::{Reason, Sources, Verdict};
use std::path::Path;
use system::text;

/// What a compile error says, one reason a message.
pub fn of(error: &CompileError, sources: &mut Sources) -> Vec<Reason> {
    let plain = |text: String| Reason::new(Verdict::DoesNotCompile, text);
    let CompileError::Rejected { diagnostics, log } = error else {
        let mut text = error.finding();
        if let CompileError::TooSlow { file, .. }
        | CompileError::GaveUp { file, .. }
        | CompileError::Unlisted { file, .. } = error
        {
            text = text.replacen(&text::path(file), &sources.name(file), 1);
        }
        return vec![plain(text).with_details(error.next_step().map(str::to_owned))];
    };
    let errors = diagnostics.iter().filter(|diagnostic| diagnostic.severity == compile::Severity::Error);
    let reasons: Vec<Reason> = errors
        .map(|diagnostic| {
            let mut excerpts = Vec::new();
            if let Some(line) = diagnostic.line {
                let mut excerpt = sources.excerpt(Path::new(&diagnostic.file), line, diagnostic.column, "");
                if let Some(text) = &diagnostic.text {
                    let text = text::line(&text.replace('\t', "    ")).into_owned();
                    // The file may have been saved again since it was compiled.
                    if excerpt.lines.last() != Some(&text) {
                        (excerpt.first, excerpt.lines) = (line, vec![text]);
                    }
                }
                excerpts.push(excerpt);
            }
            plain(diagnostic.message.clone()).with_details(diagnostic.notes.iter().cloned()).with_excerpts(excerpts)
        })
        .collect();
    if reasons.is_empty() {
        vec![plain(log.lines().next().unwrap_or("the compiler gave no reason").to_owned())]
    } else {
        reasons
    }
}
