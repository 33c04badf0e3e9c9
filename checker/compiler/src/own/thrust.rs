//! Thrust in kernels: most of its headers hold functions of the host, which the compiler refuses one by one.

use super::OwnCode;
use super::part::Why;
use crate::compile::{Diagnostic, Severity};
use std::collections::HashSet;
use std::path::Path;

impl OwnCode {
    /// Apart what is said inside of Thrust, and on the lines that miss what a header of Thrust's that was left out declares.
    pub(super) fn of_thrust(&self, diagnostics: Vec<Diagnostic>) -> (Vec<Diagnostic>, Vec<Diagnostic>) {
        let left_out = self.skipped.iter().any(|skipped| skipped.why == Why::Header && is_thrust(&skipped.name));
        let misses = |said: &&Diagnostic| {
            let unknown =
                ["namespace \"thrust\" has no member", "must be a class or namespace name", "identifier \"thrust\""];
            let uses = said.text.as_ref().is_some_and(|text| text.contains("thrust::"));
            left_out && uses && unknown.iter().any(|words| said.message.contains(words))
        };
        let lines: HashSet<_> = diagnostics.iter().filter(misses).map(|said| (said.file.clone(), said.line)).collect();
        let of_thrust = |said: &Diagnostic| is_thrust(&said.file) || lines.contains(&(said.file.clone(), said.line));
        diagnostics.into_iter().partition(of_thrust)
    }

    /// One sentence for all of them, at the first `#include` of the header in question, else of any of Thrust's.
    pub(super) fn thrust(&self, said: &Diagnostic, file: &Path) -> Option<Diagnostic> {
        let kept =
            self.parts.iter().flat_map(|part| part.thrust().map(|(line, name)| (part.file.as_str(), line, name)));
        let gone = self.skipped.iter().filter(|skipped| is_thrust(&skipped.name));
        let gone = gone.map(|skipped| (skipped.file.as_str(), skipped.line, skipped.name.as_str()));
        let all: Vec<_> = kept.chain(gone).collect();
        let named = all.iter().find(|(_, _, name)| name.trim_matches(['<', '>', '"']) == said.file);
        let (of, line, _) = *named.or(all.first())?;
        let text =
            self.parts.iter().find(|part| part.file == of)?.original().lines().nth((line as usize).checked_sub(1)?)?;
        let complex = text.contains("thrust/complex.h");
        let note = if complex {
            "`cuda::std::complex` (`#include <cuda/std/complex>`) is its like, which kernels can use"
        } else {
            "write the loop, or use CUB inside warps and blocks (`#include <cub/cub.cuh>`)"
        };
        Some(Diagnostic {
            severity: Severity::Error,
            file: if of.is_empty() { system::text::path(file) } else { of.to_owned() },
            line: Some(line),
            column: text.find(['<', '"']).map(|at| text[..at].chars().count() as u32 + 1),
            message: "this header of Thrust's cannot be used in kernels, not for `thrust::seq` either: it holds functions of the host, which \
                      NVRTC refuses"
                .to_owned(),
            notes: vec![note.to_owned()],
            text: Some(text.to_owned()),
        })
    }
}

/// Is it a header of Thrust's, as its `#include` has it?
pub fn is_thrust(name: &str) -> bool {
    name.trim_start_matches(['<', '"']).starts_with("thrust/")
}

/// Is it one of Thrust's headers that hold nothing of the host?
pub fn is_taken(name: &str) -> bool {
    const TAKEN: [&str; 3] = ["thrust/functional.h", "thrust/pair.h", "thrust/tuple.h"];
    TAKEN.contains(&name.trim_matches(['<', '>', '"']))
}
