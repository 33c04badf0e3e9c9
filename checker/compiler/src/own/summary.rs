//! What was left out, in words.

use super::OwnCode;
use super::part::{Skipped, Why};
use crate::compile;
use std::collections::HashSet;

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
    parts.extend(of(&|why| *why == Why::Word).first().map(|word| format!("the word `{}`", word.name)));
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

/// Where something undefined may come from: headers that are no host's alone, and that are not there.
pub fn missing(skipped: &[Skipped]) -> Option<String> {
    let bare = |skipped: &Skipped| skipped.name.trim_matches(['<', '>', '"']).to_owned();
    let hosts = |name: &str| !name.contains('.') || compile::is_hosts(name);
    let mut known = HashSet::new();
    let headers: Vec<&Skipped> = skipped
        .iter()
        .filter(|one| one.why == Why::Header && !(one.name.starts_with('<') && hosts(&bare(one))))
        .filter(|one| known.insert(bare(one)))
        .collect();
    let named = |one: &&Skipped| match one.file.as_str() {
        "" => format!("{} (line {})", one.name, one.line),
        file => format!("{} ({file}:{})", one.name, one.line),
    };
    let names = headers.iter().take(SHOWN).map(named).collect::<Vec<_>>().join(", ");
    let more = headers.len().checked_sub(SHOWN).filter(|more| *more > 0);
    let more = more.map(|more| format!(" and {more} more")).unwrap_or_default();
    (!headers.is_empty()).then(|| {
        format!(
            "it may come from a header that was left out: {names}{more}; headers are read from the file's folder and below, without -I or -D: \
             copy what kernels need there"
        )
    })
}

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
                Why::Word => "C++17 does not have this word, here and further on",
                Why::Refused(message) => message,
            };
            format!("{place}:{}: skipped {name}: {why}", skipped.line)
        })
        .collect()
}
