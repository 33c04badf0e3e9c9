//! What was left out, in words.

use super::OwnCode;
use super::part::{Skipped, Why};

/// What a report says of a file's host code and headers; with `all` a line for everything that was left out.
pub fn notes(own: &OwnCode, file: &str, all: bool) -> Vec<String> {
    let mut notes = Vec::new();
    if all {
        notes.extend(details(&own.skipped, file));
    } else if let Some(line) = one_line(&own.skipped) {
        notes.push(line);
    }
    let headers: Vec<&str> = own.headers().collect();
    if !headers.is_empty() {
        notes.push(format!("read beside it: {}", headers.join(", ")));
    }
    notes
}

/// `skipped: main, 3 host functions, 2 host variables, <vector>`; nothing if nothing was.
fn one_line(skipped: &[Skipped]) -> Option<String> {
    let of = |why: &dyn Fn(&Why) -> bool| skipped.iter().filter(|skipped| why(&skipped.why)).collect::<Vec<_>>();
    let (mains, functions): (Vec<_>, Vec<_>) =
        of(&|why| *why == Why::HostFunction).into_iter().partition(|skipped| skipped.name == "main");
    let count = |count: usize, what: &str| match count {
        0 => None,
        1 => Some(format!("1 {what}")),
        n => Some(format!("{n} {what}s")),
    };
    let mut parts: Vec<String> = Vec::new();
    parts.extend((!mains.is_empty()).then(|| "main".to_owned()));
    parts.extend(count(functions.len(), "host function"));
    parts.extend(count(of(&|why| *why == Why::HostVariable).len(), "host variable"));
    let mut headers: Vec<&str> = of(&|why| *why == Why::Header).iter().map(|skipped| skipped.name.as_str()).collect();
    headers.dedup();
    parts.extend(headers.iter().take(SHOWN).map(|name| (*name).to_owned()));
    parts.extend(headers.len().checked_sub(SHOWN).and_then(|more| count(more, "more header")));
    for refused in of(&|why| matches!(why, Why::Refused(_))).iter().take(SHOWN) {
        parts.push(match refused.name.as_str() {
            "" => format!("line {}", refused.line),
            name => format!("{name} (line {})", refused.line),
        });
    }
    (!parts.is_empty()).then(|| format!("skipped: {}", parts.join(", ")))
}

/// Most headers that the one line names.
const SHOWN: usize = 4;

/// A line for each thing that was left out, with its place and why.
fn details(skipped: &[Skipped], file: &str) -> Vec<String> {
    skipped
        .iter()
        .map(|skipped| {
            let place = if skipped.file.is_empty() { file } else { &skipped.file };
            let name = if skipped.name.is_empty() { "a declaration" } else { &skipped.name };
            let why = match &skipped.why {
                Why::HostFunction => "host function",
                Why::HostVariable => "host variable",
                Why::Header => "no header for device code",
                Why::Refused(message) => message,
            };
            format!("{place}:{}: skipped {name}: {why}", skipped.line)
        })
        .collect()
}
