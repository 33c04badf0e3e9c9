//! What really changed between two kernels: a diff over normalised instructions.
//!
//! Two instructions are the same if they differ only in register numbers, branch targets, addresses and control fields.
//! An instruction that is removed here and added there is not gone: it moved, and is marked so.

use crate::{
    instruction::Instruction,
    listing::Kernel,
    opcode::Family,
    operand::{Address, File, Operand, Register},
    resources::Resources,
    stats::{Count, family},
};
use serde::Serialize;
use similar::{Algorithm, DiffOp};
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::time::{Duration, Instant};

/// Two kernels of a hundred thousand instructions with nothing in common would take minutes; after this the diff is
/// coarser.
const LONGEST: Duration = Duration::from_secs(5);

/// How a row's two sides compare.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    /// The same on both sides.
    Same,
    /// The same mnemonic with another modifier or operand.
    Changed,
    /// Only on the left.
    Removed,
    /// Only on the right.
    Added,
    /// On the left; the right has it elsewhere.
    MovedAway,
    /// On the right; the left has it elsewhere.
    MovedHere,
}

/// One row: what stands side by side.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Row<'a> {
    /// How they compare.
    pub change: Change,
    /// Before.
    pub old: Option<&'a Instruction>,
    /// After.
    pub new: Option<&'a Instruction>,
}

/// A number before and after.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Delta {
    /// What it counts: `LDL`, `instructions`, `registers`.
    pub of: String,
    /// Before.
    pub old: usize,
    /// After.
    pub new: usize,
}

/// The comparison.
#[derive(Debug, Clone, PartialEq)]
pub struct Diff<'a> {
    /// Of the kernels in full; otherwise of their hottest loops.
    pub whole: bool,
    /// In order of both sides.
    pub rows: Vec<Row<'a>>,
    /// Instructions, registers, stack, shared memory and spills that differ; instructions and registers always.
    pub totals: Vec<Delta>,
    /// Mnemonics whose number differs, local memory first, then the largest change. Moves are left out unless all is
    /// moves: they follow from the rest.
    pub opcodes: Vec<Delta>,
}

impl Diff<'_> {
    /// Whether nothing but register numbers, order, addresses and control fields differs.
    pub fn is_same(&self) -> bool {
        self.rows.iter().all(|r| matches!(r.change, Change::Same | Change::MovedAway | Change::MovedHere))
    }

    /// Number of rows of a kind.
    pub fn count(&self, change: Change) -> usize {
        self.rows.iter().filter(|r| r.change == change).count()
    }
}

/// Compares two kernels in full, without padding.
pub fn diff<'a>(old: &'a Kernel, new: &'a Kernel) -> Diff<'a> {
    let refs = |k: &'a Kernel| k.code().iter().collect::<Vec<_>>();
    compare(&refs(old), &refs(new), &old.resources, &new.resources, true)
}

/// Compares the hot parts: the hottest loops if both have one, otherwise the kernels in full.
pub fn diff_hot<'a>(old: &'a Kernel, new: &'a Kernel) -> Diff<'a> {
    match (hottest_loop(old), hottest_loop(new)) {
        (Some(a), Some(b)) => compare(&a, &b, &old.resources, &new.resources, false),
        _ => diff(old, new),
    }
}

/// Which kernels to compare: those of the same name, then the rest in order.
pub fn pair<'a>(old: &[&'a Kernel], new: &[&'a Kernel]) -> Vec<(&'a Kernel, &'a Kernel)> {
    let entries = |side: &[&'a Kernel]| side.iter().copied().filter(|k| k.entry).collect::<Vec<_>>();
    let (mut old, mut new) = (entries(old), entries(new));
    let order: Vec<&str> = old.iter().map(|k| k.name.as_str()).collect();
    let mut pairs: Vec<(&Kernel, &Kernel)> = Vec::new();
    let same_name: [fn(&Kernel, &Kernel) -> bool; 3] =
        [|a, b| a.name == b.name, |a, b| a.short_name() == b.short_name(), |_, _| true];
    for same in same_name {
        old.retain(|a| match new.iter().position(|b| same(a, b)) {
            Some(n) => {
                pairs.push((*a, new.remove(n)));
                false
            }
            None => true,
        });
    }
    pairs.sort_by_key(|(a, _)| order.iter().position(|n| *n == a.name));
    pairs
}

/// The body of a kernel's hottest loop.
fn hottest_loop(kernel: &Kernel) -> Option<Vec<&Instruction>> {
    let loops = crate::flow::loops(kernel);
    let hottest = crate::flow::hottest(&loops)?;
    Some(hottest.body.iter().map(|n| &kernel.instructions[*n]).collect())
}

fn compare<'a>(
    old: &[&'a Instruction],
    new: &[&'a Instruction],
    before: &Resources,
    after: &Resources,
    whole: bool,
) -> Diff<'a> {
    let keys = |side: &[&Instruction]| side.iter().map(|i| normalised(i)).collect::<Vec<_>>();
    let (old_keys, new_keys) = (keys(old), keys(new));
    let deadline = Some(Instant::now() + LONGEST);
    let mut rows = Vec::new();
    for op in similar::capture_diff_slices_deadline(Algorithm::Patience, &old_keys, &new_keys, deadline) {
        match op {
            DiffOp::Equal { old_index, new_index, len } => {
                let same = (0..len).map(|n| (old[old_index + n], new[new_index + n]));
                rows.extend(same.map(|(o, n)| Row { change: Change::Same, old: Some(o), new: Some(n) }));
            }
            DiffOp::Delete { old_index, old_len, .. } => removed(&old[old_index..old_index + old_len], &mut rows),
            DiffOp::Insert { new_index, new_len, .. } => added(&new[new_index..new_index + new_len], &mut rows),
            DiffOp::Replace { old_index, old_len, new_index, new_len } => {
                replaced(
                    &old[old_index..old_index + old_len],
                    &new[new_index..new_index + new_len],
                    deadline,
                    &mut rows,
                );
            }
        }
    }
    mark_moves(&mut rows);
    Diff { whole, rows, totals: totals(old.len(), new.len(), before, after), opcodes: opcode_deltas(old, new) }
}

fn removed<'a>(side: &[&'a Instruction], rows: &mut Vec<Row<'a>>) {
    rows.extend(side.iter().map(|i| Row { change: Change::Removed, old: Some(i), new: None }));
}

fn added<'a>(side: &[&'a Instruction], rows: &mut Vec<Row<'a>>) {
    rows.extend(side.iter().map(|i| Row { change: Change::Added, old: None, new: Some(i) }));
}

/// Within a replaced stretch, the same mnemonics stand side by side.
fn replaced<'a>(old: &[&'a Instruction], new: &[&'a Instruction], deadline: Option<Instant>, rows: &mut Vec<Row<'a>>) {
    let mnemonics = |side: &[&'a Instruction]| side.iter().map(|i| i.opcode.mnemonic()).collect::<Vec<_>>();
    for op in similar::capture_diff_slices_deadline(Algorithm::Myers, &mnemonics(old), &mnemonics(new), deadline) {
        match op {
            DiffOp::Equal { old_index, new_index, len } => {
                let pairs = (0..len).map(|n| (old[old_index + n], new[new_index + n]));
                rows.extend(pairs.map(|(o, n)| Row { change: Change::Changed, old: Some(o), new: Some(n) }));
            }
            DiffOp::Delete { old_index, old_len, .. } => removed(&old[old_index..old_index + old_len], rows),
            DiffOp::Insert { new_index, new_len, .. } => added(&new[new_index..new_index + new_len], rows),
            DiffOp::Replace { old_index, old_len, new_index, new_len } => {
                removed(&old[old_index..old_index + old_len], rows);
                added(&new[new_index..new_index + new_len], rows);
            }
        }
    }
}

/// Pairs each removed instruction with an added one that is the same, in order.
fn mark_moves(rows: &mut [Row]) {
    let mut waiting: HashMap<String, VecDeque<usize>> = HashMap::new();
    for (n, row) in rows.iter().enumerate() {
        if let (Change::Removed, Some(i)) = (row.change, row.old) {
            waiting.entry(normalised(i)).or_default().push_back(n);
        }
    }
    let added: Vec<usize> = (0..rows.len()).filter(|n| rows[*n].change == Change::Added).collect();
    for n in added {
        let from = rows[n].new.and_then(|i| waiting.get_mut(&normalised(i))?.pop_front());
        if let Some(from) = from {
            rows[n].change = Change::MovedHere;
            rows[from].change = Change::MovedAway;
        }
    }
}

fn totals(old: usize, new: usize, before: &Resources, after: &Resources) -> Vec<Delta> {
    let numbers = [
        ("instructions", old, new, true),
        ("registers", before.registers as usize, after.registers as usize, true),
        ("stack", before.stack as usize, after.stack as usize, false),
        ("shared", before.shared as usize, after.shared as usize, false),
        ("spills", before.spills() as usize, after.spills() as usize, false),
    ];
    let shown = numbers.into_iter().filter(|(_, a, b, always)| *always || a != b);
    shown.map(|(of, old, new, _)| Delta { of: of.to_owned(), old, new }).collect()
}

fn opcode_deltas(old: &[&Instruction], new: &[&Instruction]) -> Vec<Delta> {
    let mut counts: BTreeMap<&str, (usize, usize, Family)> = BTreeMap::new();
    for i in old {
        counts.entry(i.opcode.mnemonic()).or_insert((0, 0, family(i))).0 += usize::from(family(i) != Family::Move);
    }
    for i in new {
        counts.entry(i.opcode.mnemonic()).or_insert((0, 0, family(i))).1 += usize::from(family(i) != Family::Move);
    }
    let mut changed: Vec<_> = counts.into_iter().filter(|(_, (a, b, _))| a != b).collect();
    changed.sort_by_key(|(_, (a, b, family))| {
        let local = matches!(family, Family::Memory(crate::opcode::Space::Local, _));
        (!local, std::cmp::Reverse(a.abs_diff(*b)))
    });
    changed.into_iter().map(|(of, (old, new, _))| Delta { of: of.to_owned(), old, new }).collect()
}

/// The instruction with everything dropped that a compiler may change without changing what is computed: register numbers
/// (but not constant registers and the stack pointer R1), labels, `.reuse`.
pub fn normalised(i: &Instruction) -> String {
    let mut text = String::new();
    if let Some(g) = i.guard {
        text += match (g.negated, g.uniform) {
            (false, false) => "@P ",
            (true, false) => "@!P ",
            (false, true) => "@UP ",
            (true, true) => "@!UP ",
        };
    }
    text += i.opcode.as_str();
    let branch = i.opcode.family() == Family::Control;
    for o in &i.operands {
        text.push(' ');
        match o {
            Operand::Register(r) => register(r, &mut text),
            Operand::Integer(_) if branch => text.push('#'),
            Operand::Integer(n) => text += &n.to_string(),
            Operand::Float(s) | Operand::Special(s) | Operand::Text(s) => text += s,
            Operand::Label(l) if l.starts_with(['.', '(']) => text += "label",
            Operand::Label(l) => text += l,
            Operand::Constant { bank, address, negated, absolute } => {
                text += if *negated { "-" } else { "" };
                text += if *absolute { "|c|" } else { "c" };
                text += &bank.map_or("x".to_owned(), |b| b.to_string());
                location(address, &mut text);
            }
            Operand::Memory { descriptor, address } => {
                text += if descriptor.is_some() { "desc" } else { "" };
                location(address, &mut text);
            }
        }
    }
    text
}

fn location(a: &Address, text: &mut String) {
    text.push('[');
    for r in &a.registers {
        register(r, text);
        text.push('+');
    }
    *text += &a.offset.to_string();
    text.push(']');
}

fn register(r: &Register, text: &mut String) {
    *text += if r.negated { "-" } else { "" };
    *text += if r.absolute { "|" } else { "" };
    *text += match r.file {
        File::General => "R",
        File::Uniform => "UR",
        File::Predicate => "P",
        File::UniformPredicate => "UP",
        File::Barrier => "B",
        File::Scoreboard => "SB",
    };
    match (r.index, r.file) {
        (None, _) => text.push('Z'),
        (Some(1), File::General) => text.push('1'),
        _ => {}
    }
    if !r.suffix.is_empty() {
        text.push('.');
        *text += &r.suffix;
    }
}

/// Most deltas on a line; more say less.
const SHOWN: usize = 12;

/// Deltas as one line: `LDL 2 -> 0, STL 2 -> 0, instructions 21 -> 14`.
pub fn summary(deltas: &[Delta]) -> String {
    let mut parts: Vec<String> = deltas
        .iter()
        .take(SHOWN)
        .map(
            |d| if d.old == d.new { format!("{} {}", d.of, d.old) } else { format!("{} {} -> {}", d.of, d.old, d.new) },
        )
        .collect();
    if deltas.len() > SHOWN {
        parts.push(format!("and {} more", deltas.len() - SHOWN));
    }
    parts.join(", ")
}

/// The deltas of a diff as [`Count`]s of rows by kind, for JSON.
pub fn kinds(diff: &Diff) -> Vec<Count<Change>> {
    use Change::{Added, Changed, MovedAway, MovedHere, Removed, Same};
    [Same, Changed, Removed, Added, MovedAway, MovedHere].map(|of| Count { of, count: diff.count(of) }).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::listing::parse;

    fn kernel(lines: &[&str]) -> Kernel {
        let mut text = "\t.section\t.text.k,\"ax\"\n".to_owned();
        for (n, line) in lines.iter().enumerate() {
            text += &format!("/*{:04x}*/ {line} ;\n", n * 16);
        }
        parse(&text).kernels.remove(0)
    }

    fn shape(d: &Diff) -> String {
        let letter = |r: &Row| match r.change {
            Change::Same => '=',
            Change::Changed => '~',
            Change::Removed => '-',
            Change::Added => '+',
            Change::MovedAway => '<',
            Change::MovedHere => '>',
        };
        d.rows.iter().map(letter).collect()
    }

    #[test]
    fn register_numbers_and_labels_do_not_matter() {
        let a = kernel(&["IADD3 R5, R6.reuse, -R7, RZ", "LDG.E R2, [R4.64+0x10]", "@!P0 BRA `(.L_x_1)", "EXIT"]);
        let b = kernel(&["IADD3 R9, R2, -R3, RZ", "LDG.E R8, [R6.64+0x10]", "@!P3 BRA `(.L_x_7)", "EXIT"]);
        assert!(diff(&a, &b).is_same());
        assert_eq!(shape(&diff(&a, &b)), "====");
        // A sign, an offset, RZ for a register, the stack pointer: these do.
        for other in
            ["IADD3 R9, R2, R3, RZ", "IADD3 R9, R2, -R3, R4", "IADD3 R9, R1, -R3, RZ", "IADD3.X R9, R2, -R3, RZ"]
        {
            let c = kernel(&[other, "LDG.E R8, [R6.64+0x10]", "@!P3 BRA `(.L_x_7)", "EXIT"]);
            assert_eq!(shape(&diff(&a, &c)), "~===", "{other}");
        }
    }

    #[test]
    fn moved_is_not_removed() {
        let a = kernel(&["MOV R1, c[0x0][0x28]", "STL [R0], R10", "FADD R5, R5, R2", "FMUL R3, R3, R4", "EXIT"]);
        let b = kernel(&["MOV R1, c[0x0][0x28]", "FMUL R8, R8, R9", "FADD R6, R6, R2", "EXIT"]);
        let d = diff(&a, &b);
        assert_eq!((d.count(Change::Removed), d.count(Change::MovedAway), d.count(Change::MovedHere)), (1, 1, 1));
        assert_eq!(summary(&d.opcodes), "STL 1 -> 0");
        assert_eq!(summary(&d.totals), "instructions 5 -> 4, registers 0");
        assert_eq!(d.rows.iter().filter(|r| r.old.is_some()).count(), 5);
        assert_eq!(d.rows.iter().filter(|r| r.new.is_some()).count(), 4);
    }
}
