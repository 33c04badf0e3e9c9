//! What was counted and traced, put beside the source.

use execution::backend::{Checked, LaunchCount, LineCount};
use report::{LaunchCounters, SourceLine, Sources, Traced};
use simulator::Schedule;
use simulator::trace::{Grain, Trace, TracePlace, TraceRequest};
use std::collections::BTreeMap;
use std::path::Path;
use system::text;

/// Counters of one launch.
pub fn launch(count: &LaunchCount) -> LaunchCounters {
    LaunchCounters { kernel: count.kernel.clone(), line: count.line, counters: count.counters }
}

/// The file's lines with what was counted for each; then lines of other files that counted, then code without a line.
/// Every count is in exactly one of them.
pub fn source(counts: &[LineCount], sources: &mut Sources, path: &Path) -> Vec<SourceLine> {
    let name = text::source_name(path);
    let own = |count: &&LineCount| count.line > 0 && count.file == name;
    let mut known: BTreeMap<u32, &LineCount> = counts.iter().filter(own).map(|count| (count.line, count)).collect();
    let file = sources.name(path);
    let mut lines: Vec<SourceLine> = (1..)
        .map_while(|line| {
            let text = sources.line(path, line)?.to_owned();
            let counters = known.remove(&line).map(|count| count.counters);
            Some(SourceLine { file: file.clone(), line, text, counters })
        })
        .collect();
    // `#line` can name lines that the file does not have.
    lines.extend(known.values().map(|count| SourceLine {
        file: file.clone(),
        line: count.line,
        text: String::new(),
        counters: Some(count.counters),
    }));
    let mut others: Vec<&LineCount> = counts.iter().filter(|count| !own(count)).collect();
    others.sort_by_key(|count| (count.line == 0, &count.file, count.line));
    lines.extend(others.into_iter().map(|count| SourceLine {
        file: count.file.clone(),
        line: count.line,
        text: sources.line(Path::new(&count.file), count.line).unwrap_or_default().to_owned(),
        counters: Some(count.counters),
    }));
    lines
}

/// Where the texts of places come from.
pub struct Texts<'a> {
    /// Source files.
    pub sources: &'a mut Sources,
    /// The kernel file.
    pub path: &'a Path,
    /// The PTX that ran.
    pub ptx: &'a str,
}

impl Texts<'_> {
    fn of(&mut self, place: &TracePlace, grain: Grain) -> String {
        if grain == Grain::Line && place.line > 0 {
            let own = place.file == text::source_name(self.path);
            let file = if own { self.path } else { Path::new(&place.file) };
            if let Some(text) = self.sources.line(file, place.line) {
                return text.to_owned();
            }
            return place.file.clone();
        }
        let text = self.ptx.lines().nth((place.ptx_line as usize).wrapping_sub(1)).unwrap_or_default();
        // Blanks between opcode and operands are tabs.
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }
}

/// Every launch's trace under every schedule.
pub fn traces(
    schedules: &[Schedule],
    results: &[Checked],
    (request, limit): &(TraceRequest, usize),
    texts: &mut Texts<'_>,
) -> Vec<Traced> {
    let mut out = Vec::new();
    for (schedule, checked) in schedules.iter().zip(results) {
        let ran = |trace: &&Trace| !trace.warps.is_empty();
        for (count, trace) in
            checked.launches.iter().filter_map(|count| Some((count, count.trace.as_ref().filter(ran)?)))
        {
            out.push(Traced {
                schedule: super::orders::schedule_name(schedule),
                kernel: count.kernel.clone(),
                line: count.line,
                limit: *limit,
                texts: trace.places.iter().map(|place| texts.of(place, request.grain)).collect(),
                trace: trace.clone(),
            });
        }
    }
    out
}

/// Warps that were asked for and that no launch has.
pub fn unknown_warps(request: &TraceRequest, traces: &[Traced]) -> Vec<String> {
    let ran = |(block, warp): &&(u64, u32)| {
        let same = |known: &simulator::trace::TracedWarp| (known.block, known.warp) == (*block, *warp);
        !traces.iter().any(|traced| traced.trace.warps.iter().any(same))
    };
    let missing = request.warps.iter().filter(ran);
    missing.map(|(block, warp)| format!("--trace-warp {block}:{warp}: no launch ran that warp")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use simulator::Counters;

    fn count(file: &str, line: u32, instructions: u64) -> LineCount {
        LineCount { file: file.into(), line, counters: Counters { instructions, ..Counters::default() } }
    }

    #[test]
    fn every_count_has_one_place() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("k.cu");
        let header = folder.path().join("inner/k.cu");
        let mut sources = Sources::new(folder.path());
        sources.hold(&path, "one\ntwo\n");
        sources.hold(&header, "inline\n");
        let counts = [
            count("", 0, 1),
            count("k.cu", 2, 2),
            count("k.cu", 9, 4),
            count(header.to_str().unwrap(), 1, 8),
            count("/nowhere/x.h", 3, 16),
        ];
        let lines = source(&counts, &mut sources, &path);
        let shown: Vec<(u32, &str, u64)> = lines
            .iter()
            .map(|line| (line.line, line.text.as_str(), line.counters.map_or(0, |c| c.instructions)))
            .collect();
        assert_eq!(shown.len(), 6);
        assert_eq!(shown[..3], [(1, "one", 0), (2, "two", 2), (9, "", 4)]);
        assert_eq!(shown.iter().map(|line| line.2).sum::<u64>(), 31);
        assert!(shown.contains(&(1, "inline", 8)) && shown.contains(&(3, "", 16)));
        assert_eq!(shown[5], (0, "", 1), "code without a line is last");
    }
}
