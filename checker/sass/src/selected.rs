//! Branches of the PTX of which the machine code has none: the assembler has the instructions of both ways run by all lanes, those of a
//! way that a lane does not go with a false guard, and selects. No warp parts there.
//! (Where a way reads memory or asks other lanes, the others wait for what comes of that, branch or guard: that counts as before. A lone
//! store keeps nobody waiting.)
//!
//! A branch is such a one only where the machine code shows it. What stands between it and where its ways meet is all in one basic
//! block of the machine code, and jumps nowhere; and so is something that every lane comes to behind that: a store, say, of which there
//! is one. Else the lanes may have parted somewhere before that block: two branches become one, which has the line of either.

use super::flow::Graph;
use super::kept::MadeOf;
use super::listing::Kernel;
use std::collections::{BTreeMap, BTreeSet};

/// What a line of the PTX is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Line {
    /// None, or a directive.
    Nothing,
    /// An instruction that does no more than compute.
    Plain,
    /// One that reads memory, or asks other lanes behind a guard.
    Load,
    /// One that is done in its place, once for each lane that comes there.
    Fixed,
    /// The same that brings nothing back.
    Store,
    /// A jump to a line, for all lanes or for some.
    Jump { to: usize, guarded: bool },
    /// The end of what can be followed.
    Stop,
}

/// The lines of the PTX with branches of which the machine code has none.
pub fn selected(made: &MadeOf, ptx: &str, kernels: &[Kernel]) -> BTreeSet<u32> {
    let lines = read(ptx);
    let places = Places::of(made, kernels);
    let guarded = lines.iter().enumerate().filter(|(_, line)| matches!(line, Line::Jump { guarded: true, .. }));
    let chosen = guarded.filter(|(at, _)| places.holds_all(&lines, *at));
    chosen.filter_map(|(at, _)| u32::try_from(at).ok()).collect()
}

/// Each line, counted from one.
fn read(ptx: &str) -> Vec<Line> {
    let text = |line: &'_ str| line.split("//").next().unwrap_or_default().trim().to_owned();
    let texts: Vec<String> = std::iter::once(String::new()).chain(ptx.lines().map(text)).collect();
    let mut labels: BTreeMap<&str, Option<usize>> = BTreeMap::new();
    for (at, text) in texts.iter().enumerate() {
        if let Some(label) = text.strip_suffix(':') {
            // Of two with a name nobody knows which is meant.
            labels.entry(label).and_modify(|known| *known = None).or_insert(Some(at));
        }
    }
    texts.iter().map(|text| line(text, &labels)).collect()
}

fn line(text: &str, labels: &BTreeMap<&str, Option<usize>>) -> Line {
    if text.is_empty() || text.starts_with('.') || text.ends_with(':') {
        return Line::Nothing;
    }
    let Some(statement) = text.strip_suffix(';').filter(|statement| !statement.contains([';', '{', '}', ':'])) else {
        // A brace, part of a list, or what somebody wrote himself, which may have anything in it. Lists of a vector are no such thing.
        return if is_vector(text) { of_opcode(text) } else { Line::Stop };
    };
    let mut words = statement.split_whitespace().peekable();
    let guarded = words.next_if(|word| word.starts_with('@')).is_some();
    let opcode = words.next().unwrap_or_default();
    match opcode.split('.').next().unwrap_or_default() {
        "bra" => match words.next().and_then(|label| labels.get(label).copied().flatten()) {
            Some(to) => Line::Jump { to, guarded },
            None => Line::Stop,
        },
        "brx" | "call" | "ret" | "exit" | "trap" | "brkpt" => Line::Stop,
        _ => match of_opcode(opcode) {
            Line::Fixed if guarded => Line::Load,
            Line::Store if guarded => Line::Plain,
            line => line,
        },
    }
}

/// One statement with a vector of registers in braces.
fn is_vector(text: &str) -> bool {
    let one = text.strip_suffix(';').is_some_and(|statement| !statement.contains([';', ':']));
    one && text.contains('{') && text.contains('}') && !text.starts_with(['{', '}', '@'])
}

fn of_opcode(opcode: &str) -> Line {
    let of_parameters = || opcode.split('.').nth(1).is_some_and(|space| space.starts_with("param"));
    match opcode.split('.').next().unwrap_or_default() {
        "ld" | "ldu" | "tex" | "tld4" if !of_parameters() => Line::Load,
        "st" | "red" => Line::Store,
        "atom" | "shfl" | "vote" | "match" | "redux" | "bar" | "barrier" => Line::Fixed,
        _ => Line::Plain,
    }
}

/// Where the instructions that were made of a line are.
#[derive(Debug, Default)]
struct Places {
    /// By the line: the basic blocks, each of a kernel, and whether one of the instructions jumps, or has to do with who goes with whom.
    of_line: BTreeMap<usize, (BTreeSet<(usize, usize)>, bool)>,
}

impl Places {
    fn of(made: &MadeOf, kernels: &[Kernel]) -> Self {
        let mut places = Self::default();
        for (number, kernel) in kernels.iter().enumerate() {
            let graph = Graph::of(kernel);
            for (at, instruction) in kernel.code().iter().enumerate() {
                let Some(line) = made.line(&kernel.name, instruction.address) else { continue };
                let block = graph.starts.partition_point(|start| *start <= at);
                let entry = places.of_line.entry(line as usize).or_default();
                entry.0.insert((number, block));
                entry.1 |= steers(instruction.opcode.mnemonic());
            }
        }
        places
    }

    /// Is all that a branch decides in one block, with something that every lane comes to behind it?
    fn holds_all(&self, lines: &[Line], branch: usize) -> bool {
        let Some(mut end) = region(lines, branch, branch) else { return false };
        let mut at = end;
        loop {
            match lines.get(at) {
                Some(Line::Nothing | Line::Plain | Line::Load) => at += 1,
                Some(Line::Fixed | Line::Store) if self.of_line.contains_key(&at) => break,
                Some(Line::Fixed | Line::Store) => at += 1,
                Some(Line::Jump { to, guarded: true }) if *to > at => {
                    // The next such branch: both together, or neither.
                    let Some(next) = region(lines, branch, at) else { return false };
                    (end, at) = (next, next);
                }
                // The end of a loop.
                Some(Line::Jump { guarded: true, .. }) => break,
                Some(Line::Jump { to, guarded: false }) if *to > at => at = *to,
                _ => return false,
            }
        }
        if lines[branch..end].iter().any(|line| matches!(line, Line::Load | Line::Fixed)) {
            return false;
        }
        let Some((last, _)) = self.of_line.get(&at).filter(|(blocks, _)| blocks.len() == 1) else { return false };
        let decided = || self.of_line.range(branch..end);
        decided().next().is_some() && decided().all(|(_, (blocks, steers))| blocks == last && !steers)
    }
}

/// Where the ways of a branch, and of those on them, have met: all jump on, and none from what stands between to what stands before.
fn region(lines: &[Line], first: usize, branch: usize) -> Option<usize> {
    let (mut at, mut end) = (branch, branch + 1);
    while at < end {
        match lines.get(at)? {
            Line::Stop => return None,
            Line::Jump { to, .. } if *to <= at || *to <= first => return None,
            Line::Jump { to, .. } => end = end.max(*to),
            Line::Nothing | Line::Plain | Line::Load | Line::Fixed | Line::Store => {}
        }
        at += 1;
    }
    Some(end)
}

/// Does a machine instruction jump, end threads, or say who waits for whom?
fn steers(mnemonic: &str) -> bool {
    const STEERING: [&str; 11] = ["BRA", "BRX", "JMP", "JMX", "CALL", "RET", "EXIT", "KILL", "BSSY", "BSYNC", "BREAK"];
    mnemonic == "WARPSYNC" || mnemonic == "YIELD" || STEERING.iter().any(|known| mnemonic.starts_with(known))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::listing::parse;

    /// A kernel `k` of machine instructions, each of a line of the PTX; labels have none.
    fn chosen(ptx: &str, machine: &[(u32, &str)]) -> Vec<u32> {
        let (mut text, mut rows) = ("\t.section\t.text.k,\"ax\"\n".to_owned(), Vec::new());
        for (line, instruction) in machine {
            if *line == 0 {
                text += &format!("{instruction}:\n");
            } else {
                text += &format!("/*{:04x}*/ {instruction} ;\n", 16 * rows.len());
                rows.push((16 * rows.len() as u64, *line));
            }
        }
        let made = MadeOf::with_rows("k", rows);
        selected(&made, ptx, &parse(&text).kernels).into_iter().collect()
    }

    /// A branch around `way`, and a store behind it.
    fn around(way: &str, machine: &[(u32, &str)]) -> Vec<u32> {
        chosen(&format!("@%p1 bra $L1;\n{way}\n$L1:\nst.shared.u32 [%r5], %r2;\nret;\n"), machine)
    }

    const SHORT_CIRCUIT: &str = "setp.gt.s32 %p1, %r1, %r2;\n@%p1 bra $L2;\nsetp.ne.s32 %p2, %r1, %r2;\n@%p2 bra $L3;\n\
                                 setp.ge.s32 %p3, %r3, %r4;\n@%p3 bra $L3;\n$L2:\nmov.u32 %r2, %r1;\n$L3:\nst.shared.u32 [%r5], %r2;\nret;\n";

    #[test]
    fn what_is_selected_before_a_store_parts_nobody() {
        let ways = [(1, "ISETP.GT.AND P0, PT, R1, R2, PT"), (3, "ISETP.NE.AND P1, PT, R1, R2, PT")];
        let selects = [(6, "SEL R2, R1, R2, P0"), (10, "STS [R5], R2"), (11, "EXIT")];
        assert_eq!(chosen(SHORT_CIRCUIT, &[&ways[..], &selects].concat()), [2, 4, 6]);
        // A jump over it, of whatever line: all branches stay.
        for line in [1, 2, 4, 6] {
            let jumps = [(line, "@P0 BRA `(.L_x)"), (8, "MOV R2, R1"), (0, ".L_x"), (10, "STS [R5], R2"), (11, "EXIT")];
            let left = chosen(SHORT_CIRCUIT, &[&ways[..], &jumps].concat());
            assert!(left.is_empty(), "{line}: {left:?}");
        }
        // Of two stores one is on either way.
        let twice = [
            (1, "@P0 BRA `(.L_x)"),
            (8, "MOV R2, R1"),
            (10, "STS [R5], R2"),
            (11, "EXIT"),
            (0, ".L_x"),
            (10, "STS [R5], R2"),
        ];
        assert!(chosen(SHORT_CIRCUIT, &twice).is_empty());
    }

    /// Adding up in shared memory for some lanes is work for a part of the warp, with a guard as with a branch.
    #[test]
    fn what_reads_memory_for_some_lanes_counts() {
        let machine = [(1, "ISETP.GT.AND P0, PT, R1, R2, PT"), (2, "@P0 LDS R2, [R4]"), (4, "STS [R5], R2")];
        let of = |way: &str| around(way, &machine);
        assert_eq!(of("add.s32 %r2, %r2, 1;"), [1]);
        assert_eq!(of("ld.param.u32 %r2, [k_param_0];"), [1]);
        assert_eq!(of("st.shared.u32 [%r4], %r2;"), [1]);
        for way in [
            "ld.shared.u32 %r2, [%r4];",
            "@%p2 ld.shared.u32 %r2, [%r4];",
            "atom.shared.add.u32 %r2, [%r4], 1;",
            "shfl.sync.down.b32 %r2, %r2, 1, 31, -1;",
        ] {
            assert!(of(way).is_empty(), "{way}");
        }
    }

    #[test]
    fn what_nobody_can_follow_counts() {
        let machine = [(2, "SEL R2, R1, R2, P0"), (4, "STS [R5], R2")];
        let of = |way: &str| around(way, &machine);
        assert_eq!(of("mov.u32 %r2, %r1;"), [1]);
        for way in [
            "call.uni f, ();",
            "{ mov.u32 %r2, %r1; }",
            "mov.u32 %r2, %r1; mov.u32 %r2, %r1;",
            "bra.uni $L9;",
            "exit;",
            "$L1:",
        ] {
            assert!(of(way).is_empty(), "{way}");
        }
        // A loop, and a branch with nothing behind it.
        assert!(
            chosen(
                "$L1:\nadd.s32 %r1, %r1, 1;\n@%p1 bra $L1;\nst.shared.u32 [%r5], %r1;\n",
                &[(2, "IADD3 R1, R1, 0x1, RZ"), (4, "STS [R5], R1")]
            )
            .is_empty()
        );
        assert!(
            chosen("@%p1 bra $L1;\nmov.u32 %r2, %r1;\n$L1:\nret;\n", &[(2, "SEL R2, R1, R2, P0"), (4, "EXIT")])
                .is_empty()
        );
    }
}
