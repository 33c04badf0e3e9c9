//! Directives in a chapter: a line `{{NAME ARGUMENT key=value ...}}` on its own, outside code blocks.

use std::collections::BTreeMap;

/// What a chapter can ask for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Both versions of a pair beside each other, with the command that checks them.
    Pair,
    /// The SASS diff of a problem's versions: `arch=sm_75`, `kernel=NAME`.
    Sass,
    /// The machine code of a kernel file's kernels: `kernel=K,L`, `arch=sm_75,sm_90`, `control=yes`.
    Listing,
    /// Compiler facts of both versions in a table: `arch=sm_90`, `metrics=sass.LDL,registers`;
    /// of a ladder `step=VERSION`, `type=int`.
    Evidence,
    /// The times committed under `book/results/`.
    Results,
    /// A sweep's figure and table from `book/results/`; `figure=product`: its cells over row times column;
    /// `figure=roofline roof=A,B`: over operations per byte, below the roofs that A and B are held against.
    Sweep,
    /// A ladder's table of steps, or a figure of it: `figure=roof`, `sizes`, `steps`, `blocks`; `type=int`; `show=A,B`: the lines of
    /// `sizes` and `blocks` that are not grey.
    Ladder,
    /// An exercise's card.
    Exercise,
    /// The verdict on a kernel file: `schedule=its`, `check=none` or `orders`.
    Run,
    /// A whole report, as `checker NAME` prints it without a GPU: `version=baseline` for the unsolved side.
    Report,
    /// A kernel beside libraries that do the same: `type=float`, `cache=cold`, `file=NAME`; `n=1024,4096`
    /// leaves a table of these sizes.
    Peers,
    /// What an experiment that is no problem's wrote under `book/results/`: `columns=a,b`.
    Table,
    /// Which lanes of a kernel file run which line: `schedule=its,pre-volta`, `kernel=K`, `warp=B:W`, `steps=N`.
    Trace,
    /// A reduction's tree as threads by rounds, of kernel files side by side: `size=n:32,block:32`, `type=int`;
    /// `of=blocks`: the blocks of all launches in place of the threads of one block.
    Tree,
    /// Lanes by banks for one access to shared memory; `size=`, `type=`, `warp=B:W`, `launch=N`, `kind=load`, `pick=N`, and for a
    /// page that runs kernels a slider for each size that is named: `slide=stride:1:33,offset:0:8`.
    Banks,
    /// Lanes by sectors for one access to global memory; like [`Kind::Banks`].
    Sectors,
    /// What an SM holds of a launch, and what limits it: `arch=sm_90`, `launch=N`, `size=n:1024`, `type=int`.
    Occupancy,
    /// A launch as waves of blocks over the SMs; like [`Kind::Occupancy`].
    Waves,
    /// Grid, SM, block, warp and lane of a launch with their sizes; like [`Kind::Occupancy`].
    Hierarchy,
    /// Warps of a scheduler along time, a model: `warps=4`, `turns=4` of the innermost loop, `memory=dram`, `kernel=K`, `arch=`,
    /// `size=`, `type=`.
    Timeline,
    /// All `//@` lines, with their forms.
    KernelLines,
    /// Every counter and quotient with its formula.
    Counters,
    /// The topics of a page: `{{topics 1,2}}`.
    Topics,
    /// Every topic with its places.
    TopicList,
    /// A table of problems and exercises that belong to this chapter.
    Contents,
}

const NAMES: [(&str, Kind); 25] = [
    ("pair", Kind::Pair),
    ("sass", Kind::Sass),
    ("listing", Kind::Listing),
    ("evidence", Kind::Evidence),
    ("results", Kind::Results),
    ("sweep", Kind::Sweep),
    ("ladder", Kind::Ladder),
    ("exercise", Kind::Exercise),
    ("report", Kind::Report),
    ("run", Kind::Run),
    ("peers", Kind::Peers),
    ("table", Kind::Table),
    ("trace", Kind::Trace),
    ("timeline", Kind::Timeline),
    ("kernel-lines", Kind::KernelLines),
    ("tree", Kind::Tree),
    ("banks", Kind::Banks),
    ("sectors", Kind::Sectors),
    ("occupancy", Kind::Occupancy),
    ("waves", Kind::Waves),
    ("hierarchy", Kind::Hierarchy),
    ("counters", Kind::Counters),
    ("topics", Kind::Topics),
    ("topic-list", Kind::TopicList),
    ("contents", Kind::Contents),
];

impl Kind {
    /// Settings it takes.
    const fn settings(self) -> &'static [&'static str] {
        match self {
            Self::Sass => &["arch", "kernel"],
            Self::Listing => &["arch", "kernel", "control"],
            Self::Evidence => &["arch", "metrics", "step", "type"],
            Self::Report => &["version"],
            Self::Run => &["schedule", "check"],
            Self::Ladder => &["figure", "type", "show"],
            Self::Sweep => &["figure", "roof"],
            Self::Trace => &["schedule", "kernel", "warp", "steps"],
            Self::Peers => &["type", "cache", "file", "n"],
            Self::Table => &["columns"],
            Self::Timeline => &["warps", "turns", "memory", "kernel", "arch", "size", "type"],
            Self::Tree => &["size", "type", "of"],
            Self::Banks | Self::Sectors => &["size", "type", "warp", "launch", "kind", "pick", "slide"],
            Self::Occupancy | Self::Waves | Self::Hierarchy => &["arch", "launch", "size", "type"],
            Self::Pair
            | Self::Results
            | Self::Exercise
            | Self::Counters
            | Self::KernelLines
            | Self::Topics
            | Self::TopicList
            | Self::Contents => &[],
        }
    }
}

/// One directive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Directive {
    /// What is asked for.
    pub kind: Kind,
    /// The problem, the file of [`Kind::Trace`] or [`Kind::Table`], the numbers of [`Kind::Topics`]; empty where the kind says it all.
    pub problem: String,
    /// `key=value` settings.
    pub settings: BTreeMap<String, String>,
    /// Line in the chapter, from 1.
    pub line: usize,
}

/// A directive that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: `{text}`: {problem}")]
pub struct DirectiveError {
    /// Line in the chapter, from 1.
    pub line: usize,
    /// The line.
    pub text: String,
    /// What is wrong and what was expected.
    pub problem: String,
}

impl Directive {
    /// Are all settings known?
    ///
    /// # Errors
    /// The first that is not.
    pub fn check_settings(&self) -> Result<(), DirectiveError> {
        let known = self.kind.settings();
        match self.settings.keys().find(|key| !known.contains(&key.as_str())) {
            None => Ok(()),
            Some(key) => Err(DirectiveError {
                line: self.line,
                text: format!("{key}="),
                problem: format!("unknown setting; there are: {}", known.join(", ")),
            }),
        }
    }
}

/// A chapter cut at its directives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece<'a> {
    /// Markdown, kept as it is.
    Text(&'a str),
    /// To be replaced.
    Directive(Directive),
    /// A value in a sentence: what stands in `{{= ... }}`.
    Value(&'a str, usize),
    /// A condition on the sentence before it: what stands in a line `{{claim ...}}`.
    Claim(&'a str, usize),
}

/// Cuts a chapter into text and directives. Fenced code blocks are text, so that a page can show a directive.
pub fn cut(chapter: &str) -> Result<Vec<Piece<'_>>, DirectiveError> {
    let mut pieces = Vec::new();
    let mut fence: Option<&str> = None;
    for (index, line) in chapter.split_inclusive('\n').enumerate() {
        let trimmed = line.trim();
        let marker = ["```", "~~~"].into_iter().find(|marker| trimmed.starts_with(marker));
        match (fence, marker) {
            (None, Some(marker)) => fence = Some(marker),
            (Some(open), Some(marker)) if open == marker => fence = None,
            _ => {}
        }
        if fence.is_none()
            && let Some(claim) = trimmed.strip_prefix(CLAIM).and_then(|rest| rest.strip_suffix("}}"))
        {
            pieces.push(Piece::Claim(claim.trim(), index + 1));
        } else if fence.is_none() && (trimmed.starts_with(CLAIM) || line.contains(" {{claim ")) {
            let (text, problem) = (trimmed.to_owned(), "a claim stands in a line of its own".to_owned());
            return Err(DirectiveError { line: index + 1, text, problem });
        } else if fence.is_none() && line.contains(VALUE) {
            values(line, index + 1, &mut pieces)?;
        } else if fence.is_none()
            && let Some(inner) = trimmed.strip_prefix("{{").and_then(|rest| rest.strip_suffix("}}"))
            && !inner.starts_with('#')
        {
            pieces.push(Piece::Directive(parse(inner, trimmed, index + 1)?));
        } else {
            pieces.push(Piece::Text(line));
        }
    }
    Ok(pieces)
}

/// How a condition begins.
const CLAIM: &str = "{{claim ";
/// How a value in a sentence begins.
const VALUE: &str = "{{=";

/// A line with values in it.
fn values<'a>(line: &'a str, number: usize, pieces: &mut Vec<Piece<'a>>) -> Result<(), DirectiveError> {
    let mut rest = line;
    while let Some((before, after)) = rest.split_once(VALUE) {
        let Some((inner, behind)) = after.split_once("}}") else {
            let (text, problem) = (line.trim().to_owned(), "`{{=` without `}}` on its line".to_owned());
            return Err(DirectiveError { line: number, text, problem });
        };
        pieces.push(Piece::Text(before));
        pieces.push(Piece::Value(inner, number));
        rest = behind;
    }
    pieces.push(Piece::Text(rest));
    Ok(())
}

fn parse(inner: &str, text: &str, line: usize) -> Result<Directive, DirectiveError> {
    let error = |problem: String| DirectiveError { line, text: text.to_owned(), problem };
    let mut words = inner.split_whitespace();
    let name = words.next().unwrap_or_default();
    let Some((_, kind)) = NAMES.iter().find(|(known, _)| *known == name) else {
        let known = NAMES.map(|(name, _)| name).join(", ");
        return Err(error(format!("unknown directive `{name}`; there are: {known}")));
    };
    let mut problem = String::new();
    let mut settings = BTreeMap::new();
    for word in words {
        if let Some((key, value)) = word.split_once('=') {
            settings.insert(key.to_owned(), value.to_owned());
        } else if problem.is_empty() {
            problem = word.to_owned();
        } else {
            return Err(error(format!("unexpected `{word}`; settings have the form key=value")));
        }
    }
    if problem.is_empty() && !matches!(kind, Kind::Contents | Kind::Counters | Kind::KernelLines | Kind::TopicList) {
        return Err(error(format!("which problem? write {{{{{name} NAME}}}}")));
    }
    Ok(Directive { kind: *kind, problem, settings, line })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_claim_with_text_beside_it_is_a_fault() {
        for line in ["{{claim 1 < 2}} So it is.\n", "So it is. {{claim 1 < 2}}\n"] {
            let error = cut(line).unwrap_err();
            assert_eq!((error.line, error.problem.as_str()), (1, "a claim stands in a line of its own"));
        }
        assert_eq!(cut("{{claim 1 < 2}}\n").unwrap(), [Piece::Claim("1 < 2", 1)]);
    }

    #[test]
    fn directives_stand_alone_and_outside_code() {
        let chapter =
            "# T\n{{pair local-array}}\n```\n{{pair not-me}}\n```\n{{#include x}}\n  {{sass a arch=sm_75}}  \n";
        let found: Vec<_> = cut(chapter)
            .unwrap()
            .into_iter()
            .filter_map(|piece| match piece {
                Piece::Directive(directive) => Some(directive),
                Piece::Text(_) | Piece::Value(..) | Piece::Claim(..) => None,
            })
            .collect();
        assert_eq!(found.len(), 2);
        assert_eq!((found[0].kind, found[0].problem.as_str(), found[0].line), (Kind::Pair, "local-array", 2));
        assert_eq!(found[1].settings["arch"], "sm_75");
    }

    #[test]
    fn malformed_directives_name_their_line() {
        assert!(cut("a\n{{pear x}}\n").unwrap_err().to_string().starts_with("line 2: `{{pear x}}`: unknown directive"));
        assert!(cut("{{pair}}").unwrap_err().to_string().contains("which problem"));
        assert!(cut("{{pair a b}}").unwrap_err().to_string().contains("unexpected `b`"));
    }
}
