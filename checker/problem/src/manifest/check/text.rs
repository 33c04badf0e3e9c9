//! Words of a problem: hints, topics, the flaw, the architecture.

use crate::error::{LineError, did_you_mean};
use crate::formula::TomlText;
use crate::manifest::BackendName;
use crate::manifest::raw;
use crate::mutant::Reason;
use toml::Spanned;

/// Fewest staged hints.
const MIN_HINTS: usize = 2;

pub(super) fn check_backends(toml: TomlText, raw: &raw::Manifest) -> Result<Vec<BackendName>, LineError> {
    match &raw.backends {
        None => Ok(vec![BackendName::Sim, BackendName::Gpu]),
        Some(list) if list.get_ref().is_empty() => {
            Err(toml.error(list.span().start, "no backend: the problem would run nowhere"))
        }
        Some(list) => Ok(list.get_ref().clone()),
    }
}

pub(crate) fn non_empty(toml: TomlText, text: &Spanned<String>) -> Result<String, LineError> {
    let trimmed = text.get_ref().trim();
    if trimmed.is_empty() {
        Err(toml.error(text.span().start, "empty: write a sentence"))
    } else {
        Ok(trimmed.to_string())
    }
}

pub(super) fn slug(toml: TomlText, text: &Spanned<String>) -> Result<String, LineError> {
    let name = text.get_ref();
    let good = !name.is_empty() && name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-');
    if good {
        return Ok(name.clone());
    }
    let message = format!("`{name}` is not a page's name: lower-case letters, digits and hyphens");
    Err(toml.error(text.span().start, message).expected("local-memory, for book/src/local-memory.md"))
}

/// Numbers of topics, each once. Which there are is the workbook's affair, and the audit's.
pub(super) fn check_topics(toml: TomlText, topics: &[Spanned<u32>]) -> Result<Vec<u32>, LineError> {
    let mut numbers = Vec::new();
    for topic in topics {
        let number = *topic.get_ref();
        if number == 0 || numbers.contains(&number) {
            let message = format!("topic {number}: topics are counted from 1, and each is named once");
            return Err(toml.error(topic.span().start, message));
        }
        numbers.push(number);
    }
    Ok(numbers)
}

pub(super) fn between(
    toml: TomlText,
    value: Option<&Spanned<u32>>,
    most: u32,
    name: &str,
) -> Result<Option<u32>, LineError> {
    match value {
        Some(value) if !(1..=most).contains(value.get_ref()) => {
            Err(toml.error(value.span().start, format!("`{name}` is a number from 1 to {most}")))
        }
        value => Ok(value.map(|value| *value.get_ref())),
    }
}

pub(super) fn check_hints(toml: TomlText, raw: &raw::Manifest) -> Result<Vec<String>, LineError> {
    let shown = raw.sweep.is_some() || raw.ladder.is_some();
    let hints = match &raw.hints {
        None if shown => return Ok(Vec::new()),
        None => {
            return Err(toml
                .error(0, "`hints` is missing")
                .expected("hints = [\"first nudge\", \"nearly the answer\"]"));
        }
        Some(hints) => hints,
    };
    // None at all is said on purpose: a class has them from its teacher.
    if !shown && (1..MIN_HINTS).contains(&hints.get_ref().len()) {
        let message = format!("{} hint; at least {MIN_HINTS}, each closer to the answer", hints.get_ref().len());
        return Err(toml.error(hints.span().start, message));
    }
    hints.get_ref().iter().map(|hint| non_empty(toml, hint)).collect()
}

pub(super) fn check_flaw(toml: TomlText, flaw: Option<&Spanned<String>>) -> Result<Option<Reason>, LineError> {
    let Some(flaw) = flaw else { return Ok(None) };
    let possible = || Reason::ALL.into_iter().filter(|reason| reason.is_finding() || *reason == Reason::WrongResult);
    let name = flaw.get_ref();
    match possible().find(|reason| reason.name() == name) {
        Some(reason) => Ok(Some(reason)),
        None => {
            let names: Vec<&str> = possible().map(Reason::name).collect();
            let message = format!("unknown flaw `{name}`{}", did_you_mean(name, names.iter().copied()));
            Err(toml.error(flaw.span().start, message).expected(format!("one of {}", names.join(", "))))
        }
    }
}

pub(super) fn check_arch(toml: TomlText, arch: Option<&Spanned<String>>) -> Result<String, LineError> {
    let Some(arch) = arch else { return Ok("sm_90".to_string()) };
    let name = arch.get_ref();
    let digits = name.strip_prefix("sm_").map(|rest| rest.trim_end_matches(['a', 'f'])).unwrap_or("");
    let number = digits.parse::<u32>().unwrap_or(0);
    if (75..1000).contains(&number) {
        return Ok(name.clone());
    }
    Err(toml.error(arch.span().start, format!("`{name}` is no architecture")).expected("sm_75, sm_90, ..."))
}
