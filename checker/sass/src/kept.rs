//! How much of the PTX that ran is in the machine code. The simulator runs PTX and judges are shown machine code: where the assembler
//! works out a branch in another way than the simulator does, one program runs and another one is judged.
//!
//! The assembler says of every machine instruction on which line of the PTX it was (`.nv_debug_line_sass`, a line table as in DWARF 2).

use super::SassError;
use super::elf::Elf;
use simulator::LineCoverage;
use std::collections::BTreeMap;

/// Bytes of a machine instruction.
const INSTRUCTION: u64 = 16;

/// What machine code was made of.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MadeOf {
    /// Machine instructions by the line of the PTX.
    made: BTreeMap<u32, u64>,
    /// The rows of each function, by its name: from which address on which line.
    rows: BTreeMap<String, BTreeMap<u64, u32>>,
    /// The block of each line of the PTX, counted from one as its lines are.
    block: Vec<u32>,
}

impl MadeOf {
    /// Reads it from a CUBIN and the PTX that it was made of. Nothing without a table of lines.
    ///
    /// # Errors
    /// It is no CUBIN, or its table is cut off.
    pub fn read(cubin: &[u8], ptx: &str) -> Result<Option<Self>, SassError> {
        let elf = Elf::parse(cubin)?;
        let Some(section) = elf.section(".nv_debug_line_sass") else { return Ok(None) };
        let mut table = Table { left: section.data.len(), functions: elf.relocated(section.name), ..Table::default() };
        let mut bytes = Bytes(section.data);
        while !bytes.0.is_empty() {
            let length = u64::from(bytes.u32()?);
            let mut unit = Bytes(bytes.take(length)?);
            table.behind = bytes.0.len();
            table.unit(&mut unit)?;
        }
        Ok(Some(Self { made: table.made, rows: table.rows, block: blocks(ptx) }))
    }

    /// The line of the PTX of which an instruction of a function was made.
    pub fn line(&self, function: &str, address: u64) -> Option<u32> {
        self.rows.get(function)?.range(..=address).next_back().map(|(_, line)| *line)
    }

    /// Of one function, rows alone.
    #[cfg(test)]
    pub(crate) fn with_rows(function: &str, rows: impl IntoIterator<Item = (u64, u32)>) -> Self {
        let rows = BTreeMap::from([(function.to_owned(), rows.into_iter().collect())]);
        Self { rows, ..Self::default() }
    }

    /// What of a run is there.
    pub fn parts(&self, coverage: &[LineCoverage]) -> Parts {
        let all = self.by_line(coverage, |opcode| !is_moved(opcode));
        let mut by_block: BTreeMap<u32, (f64, f64)> = BTreeMap::new();
        for (line, (there, weight)) in &all {
            let block = self.block.get(*line as usize).copied().unwrap_or(0);
            let entry = by_block.entry(block).or_default();
            *entry = (entry.0.max(*there), entry.1 + weight);
        }
        Parts {
            needed: part(self.by_line(coverage, stays).values()),
            blocks: part(by_block.values()),
            lines: part(all.values()),
            ran: all.values().map(|(_, weight)| weight).sum(),
        }
    }

    /// The source lines most of whose work is not there, as (file, line), those first of which most is missing.
    pub fn missing(&self, coverage: &[LineCoverage]) -> Vec<(String, u32)> {
        let ran = self.by_line(coverage, |opcode| !is_moved(opcode));
        let mut sources: BTreeMap<(&str, u32), (f64, f64)> = BTreeMap::new();
        for covered in coverage.iter().filter(|covered| covered.line > 0 && !is_moved(&covered.opcode)) {
            for (line, warps) in covered.ptx_lines.iter().zip(&covered.warps) {
                let Some((there, _)) = ran.get(line) else { continue };
                let weight = *warps as f64;
                let entry = sources.entry((&covered.file, covered.line)).or_default();
                *entry = (entry.0 + weight * (1.0 - there), entry.1 + weight);
            }
        }
        let mut missing: Vec<_> = sources.into_iter().filter(|(_, (gone, all))| *gone > 0.5 * all).collect();
        missing.sort_by(|a, b| b.1.0.total_cmp(&a.1.0));
        missing.into_iter().map(|((file, line), _)| (file.to_owned(), line)).collect()
    }

    /// How much of each line is there, and how often warps executed those of its instructions that count. A line that somebody wrote
    /// himself (`asm`) may have several.
    fn by_line(&self, coverage: &[LineCoverage], counts: fn(&str) -> bool) -> BTreeMap<u32, (f64, f64)> {
        let mut instructions: BTreeMap<u32, (u64, f64)> = BTreeMap::new();
        for covered in coverage {
            let counts = counts(&covered.opcode);
            for (&warps, &line) in covered.warps.iter().zip(&covered.ptx_lines).filter(|(warps, _)| **warps > 0) {
                let entry = instructions.entry(line).or_default();
                if counts {
                    *entry = (entry.0 + 1, entry.1 + warps as f64);
                }
            }
        }
        let there = |line: &u32, instructions: u64| {
            let made = self.made.get(line).copied().unwrap_or(0);
            (made as f64 / instructions.max(1) as f64).min(1.0)
        };
        instructions.into_iter().map(|(line, (number, weight))| (line, (there(&line, number), weight))).collect()
    }
}

/// Of what ran, the parts that are in the machine code, each instruction as often as warps executed it. Nothing where there are none.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Parts {
    /// Of the instructions that the assembler does not leave out while somebody needs what they do.
    pub needed: Option<f64>,
    /// Of all that are not merely moved or converted values, those in a block of which anything is there. A block ends at a label, at a
    /// jump, and where another guard begins.
    pub blocks: Option<f64>,
    /// Of the same, those of whose line anything is there: the assembler makes one instruction of several, and of an array registers.
    pub lines: Option<f64>,
    /// How many of these warps executed.
    pub ran: f64,
}

/// How much of all is there, of parts and weights.
fn part<'a>(parts: impl Iterator<Item = &'a (f64, f64)>) -> Option<f64> {
    let (kept, all) = parts.fold((0.0, 0.0), |(kept, all), (there, weight)| (kept + there * weight, all + weight));
    (all > 0.0).then(|| kept / all)
}

/// The block of each line of the PTX, and of none before the first.
fn blocks(ptx: &str) -> Vec<u32> {
    let (mut block, mut guard) = (0, None);
    let mut of_line = vec![0];
    for line in ptx.lines() {
        let mut words = line.split_whitespace().peekable();
        let own = words.next_if(|word| word.starts_with('@'));
        let first = words.next().unwrap_or_default();
        // A line that somebody wrote himself may have anything in it.
        let several = line.matches(';').nth(1).is_some();
        if own != guard || several || first.ends_with(':') || first == "{" || first == "}" {
            block += 1;
        }
        guard = own;
        of_line.push(block);
        let base = first.split(['.', ';']).next().unwrap_or_default();
        if several || matches!(base, "bra" | "brx" | "call" | "ret" | "exit" | "trap") {
            block += 1;
        }
    }
    of_line
}

/// Does an instruction only hand a value on? Such a one goes into others, or nowhere.
fn is_moved(opcode: &str) -> bool {
    let base = opcode.split('.').next().unwrap_or_default();
    matches!(base, "mov" | "cvt" | "cvta" | "bra") || opcode.starts_with("ld.param") || opcode.starts_with("st.param")
}

/// Is a PTX instruction one that machine code has, too, whatever else was made of it? Moves, address arithmetic and conversions go
/// into others, and an array in local memory into registers.
fn stays(opcode: &str) -> bool {
    let mut parts = opcode.split('.');
    let base = parts.next().unwrap_or_default();
    let has = |wanted: &[&str]| opcode.split('.').any(|part| wanted.contains(&part));
    match base {
        "ld" | "st" => !has(&["param", "local", "const"]),
        "atom" | "red" | "shfl" | "vote" | "match" | "redux" | "bar" | "barrier" | "mma" | "wmma" | "ldmatrix" => true,
        "add" | "sub" | "mul" | "fma" | "mad" => has(&["f32", "f64", "f16", "f16x2", "bf16", "bf16x2"]),
        "ex2" | "lg2" | "sin" | "cos" | "tanh" | "rcp" | "rsqrt" | "sqrt" | "div" | "rem" | "dp4a" => true,
        _ => false,
    }
}

/// What is read of the table so far.
#[derive(Default)]
struct Table {
    made: BTreeMap<u32, u64>,
    rows: BTreeMap<String, BTreeMap<u64, u32>>,
    /// Functions by where in the section their addresses stand.
    functions: BTreeMap<u64, String>,
    /// The function whose rows are read.
    function: Option<String>,
    /// Bytes of the section, and those behind the unit that is read.
    left: usize,
    behind: usize,
}

/// A row: from this address on.
#[derive(Clone, Copy)]
struct Row {
    address: u64,
    line: i64,
}

impl Table {
    fn row(&mut self, before: Option<Row>, address: u64) {
        let Some(before) = before else { return };
        if let Ok(line) = u32::try_from(before.line) {
            *self.made.entry(line).or_default() += address.saturating_sub(before.address) / INSTRUCTION;
            if let Some(function) = self.function.as_ref().filter(|_| address > before.address) {
                self.rows.entry(function.clone()).or_default().insert(before.address, line);
            }
        }
    }

    /// The program of one unit, as DWARF 2 has it (6.2).
    fn unit(&mut self, unit: &mut Bytes<'_>) -> Result<(), SassError> {
        let _version = unit.u16()?;
        let header = u64::from(unit.u32()?);
        let mut head = Bytes(unit.take(header)?);
        let (least, _is_statement) = (u64::from(head.u8()?), head.u8()?);
        let (line_base, line_range, opcode_base) = (i64::from(head.u8()? as i8), head.u8()?, head.u8()?);
        let (range, base) = (u64::from(line_range.max(1)), opcode_base.max(1));
        let arguments = (1..base).map(|_| head.u8()).collect::<Result<Vec<u8>, _>>()?;
        let start = Row { address: 0, line: 1 };
        let (mut now, mut last) = (start, None);
        while !unit.0.is_empty() {
            let opcode = unit.u8()?;
            match opcode {
                0 => {
                    let length = unit.uleb()?;
                    let mut inside = Bytes(unit.take(length)?);
                    match inside.u8()? {
                        // The end of a function.
                        1 => {
                            self.row(last, now.address);
                            (now, last) = (start, None);
                        }
                        // Where a function begins; addresses are its own.
                        2 => {
                            let at = self.left.saturating_sub(self.behind + unit.0.len() + inside.0.len());
                            self.function = self.functions.get(&(at as u64)).cloned();
                            (now.address, last) = (0, None);
                        }
                        _ => {}
                    }
                }
                1 => {
                    self.row(last, now.address);
                    last = Some(now);
                }
                2 => now.address = now.address.wrapping_add(unit.uleb()?.wrapping_mul(least)),
                3 => now.line = now.line.wrapping_add(unit.sleb()?),
                8 => now.address = now.address.wrapping_add(u64::from(255 - base) / range * least),
                9 => now.address = now.address.wrapping_add(unit.u16()?.into()),
                opcode if opcode < base => {
                    for _ in 0..arguments[usize::from(opcode) - 1] {
                        unit.uleb()?;
                    }
                }
                opcode => {
                    let step = u64::from(opcode - base);
                    now.address = now.address.wrapping_add(step / range * least);
                    now.line = now.line.wrapping_add(line_base + (step % range) as i64);
                    self.row(last, now.address);
                    last = Some(now);
                }
            }
        }
        Ok(())
    }
}

/// What is left to read.
struct Bytes<'a>(&'a [u8]);

impl<'a> Bytes<'a> {
    fn take(&mut self, length: u64) -> Result<&'a [u8], SassError> {
        let split = usize::try_from(length).ok().and_then(|length| self.0.split_at_checked(length));
        let (taken, rest) = split.ok_or(SassError::Cubin("its table of PTX lines is cut off"))?;
        self.0 = rest;
        Ok(taken)
    }

    fn u8(&mut self) -> Result<u8, SassError> {
        Ok(self.take(1)?[0])
    }

    fn u16(&mut self) -> Result<u16, SassError> {
        Ok(u16::from_le_bytes([self.u8()?, self.u8()?]))
    }

    fn u32(&mut self) -> Result<u32, SassError> {
        Ok(u32::from(self.u16()?) | u32::from(self.u16()?) << 16)
    }

    fn uleb(&mut self) -> Result<u64, SassError> {
        let (mut value, mut shift) = (0u64, 0u32);
        loop {
            let byte = self.u8()?;
            value |= u64::from(byte & 0x7f).checked_shl(shift).unwrap_or(0);
            shift = shift.saturating_add(7);
            if byte & 0x80 == 0 {
                return Ok(value);
            }
        }
    }

    fn sleb(&mut self) -> Result<i64, SassError> {
        let (mut value, mut shift) = (0i64, 0u32);
        loop {
            let byte = self.u8()?;
            value |= i64::from(byte & 0x7f).checked_shl(shift).unwrap_or(0);
            shift = shift.saturating_add(7);
            if byte & 0x80 == 0 {
                let negative = byte & 0x40 != 0 && shift < 64;
                return Ok(if negative { value | -1i64 << shift } else { value });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Bytes, MadeOf, Table, blocks};
    use simulator::LineCoverage;
    use std::collections::BTreeMap;

    /// A header as NVRTC writes it, and a program of one function.
    fn unit(program: &[u8]) -> Vec<u8> {
        let header = [1, 1, 0xfb, 14, 10, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0];
        let mut bytes = vec![2, 0, header.len() as u8, 0, 0, 0];
        bytes.extend(header);
        bytes.extend(program);
        bytes
    }

    #[test]
    fn a_line_has_the_instructions_up_to_the_next() {
        let mut program = vec![0, 9, 2, 0, 0, 0, 0, 0, 0, 0, 0];
        // Line 21 at 0; line 23 after two instructions, by one byte and by two; line 22 after one more; three instructions to the end.
        program.extend([3, 20, 1, 2, 32, 3, 2, 1, 10 + 5 - 1 + 14 * 16]);
        program.extend([2, 48, 0, 1, 1]);
        let mut table = Table::default();
        table.unit(&mut Bytes(&unit(&program))).unwrap();
        assert_eq!(table.made, BTreeMap::from([(21, 2), (23, 1), (22, 3)]));
        // Cut off anywhere it is an error, or shorter.
        let whole = unit(&program);
        for length in 0..whole.len() {
            let _error_or_less = Table::default().unit(&mut Bytes(&whole[..length]));
        }
    }

    #[test]
    fn what_ran_counts_as_often_as_it_ran() {
        let ran = |opcode: &str, warps: &[u64], lines: &[u32]| LineCoverage {
            file: "k.cu".into(),
            line: 1,
            opcode: opcode.into(),
            warps: warps.to_vec(),
            parted: vec![0; warps.len()],
            ptx_lines: lines.to_vec(),
        };
        let made = MadeOf { made: BTreeMap::from([(5, 1), (7, 9)]), ..MadeOf::default() };
        let needed = |coverage: &[LineCoverage]| made.parts(coverage).needed;
        // A move may go anywhere, what never ran says nothing.
        assert_eq!(needed(&[ran("mov.u32", &[8], &[6]), ran("ld.global.u32", &[0], &[6])]), None);
        assert_eq!(needed(&[ran("ld.global.u32", &[30, 10], &[5, 6])],), Some(0.75));
        // Two on one line, one instruction.
        assert_eq!(needed(&[ran("st.global.u32", &[8, 8], &[5, 5]), ran("fma.rn.f32", &[16], &[7])]), Some(0.75));
    }

    #[test]
    fn a_block_of_which_nothing_is_there_did_not_run() {
        let ptx = "ld.param.u64 %rd1, [k_param_0];\nsetp.ne.s32 %p1, %r1, 0;\n@%p1 bra $L1;\n\
                   add.s32 %r2, %r2, 1;\nst.local.u32 [%rd1], %r2;\n$L1:\n@%p2 add.s32 %r3, %r3, 1;\nst.global.u32 [%rd2], %r3;\nret;\n";
        let ran = |opcode: &str, line: u32, warps: u64| LineCoverage {
            file: "k.cu".into(),
            line: 1,
            opcode: opcode.into(),
            warps: vec![warps],
            parted: vec![0],
            ptx_lines: vec![line],
        };
        let coverage = [
            ran("ld.param.u64", 1, 9),
            ran("setp.ne.s32", 2, 1),
            ran("bra", 3, 9),
            ran("add.s32", 4, 2),
            ran("st.local.u32", 5, 2),
            ran("add.s32", 7, 3),
            ran("st.global.u32", 8, 2),
        ];
        // Of the second block one line is there; what has the guard is a block for itself.
        let parts = |coverage: &[LineCoverage], made: [u32; 3]| {
            let made = made.into_iter().map(|line| (line, 1)).collect();
            MadeOf { made, block: blocks(ptx), ..MadeOf::default() }.parts(coverage)
        };
        let found = parts(&coverage, [2, 5, 8]);
        assert_eq!((found.blocks, found.lines), (Some(0.7), Some(0.5)));
        assert_eq!(parts(&coverage, [2, 7, 8]).blocks, Some(0.6));
        assert_eq!(parts(&coverage[..1], [2, 5, 8]).blocks, None);
        // One line of many instructions and labels, of which one is there.
        let line = [ran("add.s32", 3, 30), ran("sub.s32", 3, 30), ran("xor.b32", 3, 30), ran("setp.ne.s32", 2, 10)];
        let made = [(2, 1), (3, 1)].into_iter().collect();
        let one_line = "a;\nsetp.ne.s32 %p, %a, 0;\nadd.s32 %a, %a, 1; sub.s32 %a, %a, 1; xor.b32 %a, %a, 1;\n";
        let found = MadeOf { made, block: blocks(one_line), ..MadeOf::default() }.parts(&line);
        assert_eq!((found.blocks, found.lines), (Some(0.4), Some(0.4)));
    }
}
