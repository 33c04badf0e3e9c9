//! NVRTC's log as typed messages about the learner's file.

use super::Request;
use super::error::{Diagnostic, Severity};
use std::path::PathBuf;

/// Reads the log. `name` is what NVRTC called the file; `includes` are cut from the names of headers.
pub fn parse(log: &str, request: &Request, name: &str, includes: &[PathBuf]) -> Vec<Diagnostic> {
    let mut found: Vec<Diagnostic> = Vec::new();
    let mut body: Vec<&str> = Vec::new();
    for line in log.lines() {
        if let Some(head) = head(line, request, name, includes) {
            attach(&mut found, &mut body, request);
            found.push(head);
        } else if !found.is_empty() {
            body.push(line);
        }
    }
    attach(&mut found, &mut body, request);
    found
}

/// `FILE(LINE): error: MESSAGE`, `FILE(LINE): warning #177-D: MESSAGE`, or `ptxas ... ; error : MESSAGE`.
fn head(line: &str, request: &Request, name: &str, includes: &[PathBuf]) -> Option<Diagnostic> {
    let diagnostic = |severity, file: String, line, message: &str| Diagnostic {
        severity,
        file,
        line,
        column: None,
        message: message.trim().to_owned(),
        notes: Vec::new(),
        text: None,
    };
    let shown = request.file.display().to_string();
    if let Some(rest) = line.strip_prefix("ptxas") {
        let (_, message) = rest.split_once("error   :").or_else(|| rest.split_once("fatal   :"))?;
        return Some(diagnostic(Severity::Error, shown, None, &format!("in the generated PTX: {}", message.trim())));
    }
    let (place, rest) = line.split_once("): ")?;
    let (file, number) = place.rsplit_once('(')?;
    let number = number.parse().ok()?;
    let (kind, message) = rest.split_once(": ").unwrap_or((rest, ""));
    let severity = match kind.split(" #").next().unwrap_or(kind) {
        "error" | "catastrophic error" | "internal error" => Severity::Error,
        "warning" => Severity::Warning,
        "remark" => Severity::Remark,
        _ => return None,
    };
    let file = if file == name {
        shown
    } else {
        let short = includes.iter().find_map(|dir| file.strip_prefix(dir.to_str()?)?.strip_prefix('/'));
        short.unwrap_or(file).to_owned()
    };
    Some(diagnostic(severity, file, Some(number), message))
}

/// Gives the lines after a head to it: the source line with its caret, and notes.
fn attach(found: &mut [Diagnostic], body: &mut Vec<&str>, request: &Request) {
    let lines = std::mem::take(body);
    let Some(diagnostic) = found.last_mut() else { return };
    let own = diagnostic.file == request.file.display().to_string();
    let source = diagnostic.line.filter(|_| own).and_then(|line| request.source.lines().nth(line as usize - 1));
    diagnostic.text = source.map(str::to_owned);
    if let (Some(source), Some(caret)) = (source, lines.iter().position(|line| line.trim() == "^")) {
        let printed = caret.checked_sub(1).and_then(|index| lines.get(index)).copied().unwrap_or_default();
        let trimmed = printed.trim();
        let indent = printed.len() - printed.trim_start().len();
        let position = lines[caret].find('^').unwrap_or(0);
        // The log shows the line without its indentation.
        if let Some(start) = source.find(trimmed).filter(|_| position >= indent && !trimmed.is_empty()) {
            let offset = (start + position - indent).min(source.len());
            let column = source.get(..offset).map_or(offset, |before| before.chars().count());
            diagnostic.column = Some(column as u32 + 1);
        }
    }
}
