//! nvdisasm's text (`-c -hex -g`) as typed functions. Total: lines it does not know are skipped, opcodes it does not know
//! stay text.

pub mod control;
pub(crate) mod explain;
pub mod instruction;
pub mod opcode;
pub mod operand;
pub(crate) mod origin;

use super::{
    control::Control,
    instruction::{Guard, Instruction, Live, SourceLine},
    limits::Limits,
    occupancy::{Occupancy, Settings, Usage, occupancy},
    opcode::Opcode,
    operand::{File, Operand},
    resources::Resources,
};
use serde::Serialize;
use std::collections::{BTreeSet, HashMap};

/// A place in a function that branches can name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Label {
    /// `.L_x_0`, or the name of a function inside the section (`$__internal_0_...`).
    pub name: String,
    /// Byte offset.
    pub address: u64,
    /// Whether a function begins here: a `__noinline__` one or a compiler's own (division, square root, ...).
    pub function: bool,
}

/// One code section: a kernel with the functions it calls, or a function of its own.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Kernel {
    /// As linked: `_Z9addKerneliPKiPi`.
    pub name: String,
    /// As written: `addKernel(int, int const*, int*)`.
    pub demangled: String,
    /// A kernel, callable from the host; otherwise a function.
    pub entry: bool,
    /// From the CUBIN.
    pub resources: Resources,
    /// In address order, padding included.
    pub instructions: Vec<Instruction>,
    /// In address order.
    pub labels: Vec<Label>,
}

impl Kernel {
    fn new(name: String) -> Self {
        let demangled = cpp_demangle::Symbol::new(&name)
            .ok()
            .and_then(|s| s.demangle_with_options(&cpp_demangle::DemangleOptions::new().no_return_type()).ok())
            .unwrap_or_else(|| name.clone());
        let (instructions, labels) = (Vec::new(), Vec::new());
        Self { name, demangled, entry: false, resources: Resources::default(), instructions, labels }
    }

    /// The demangled name without parameters and template arguments: `addKernel`.
    pub fn short_name(&self) -> &str {
        let end = self.demangled.find(['<', '(']).unwrap_or(self.demangled.len());
        self.demangled[..end].trim()
    }

    /// Theoretical occupancy of a launch with so many threads and bytes of dynamic shared memory a block. More than 48 KiB
    /// of shared memory is taken to be opted into, as the checker does. A block larger than `__launch_bounds__` is none.
    pub fn occupancy(&self, device: &Limits, threads: u32, shared_dynamic: u32) -> Occupancy {
        let r = &self.resources;
        // A block over the bound is turned away like one over the device's limit.
        let bound = r.max_threads.unwrap_or(u32::MAX).min(device.threads_per_block);
        let device = Limits { threads_per_block: bound, ..*device };
        let shared = r.shared.saturating_add(shared_dynamic);
        let usage = Usage { threads, registers: r.registers, shared, barriers: r.barriers };
        occupancy(&device, &usage, Settings { carveout: None, opt_in: true })
    }

    /// The instructions before the padding.
    pub fn code(&self) -> &[Instruction] {
        &self.instructions[..super::flow::code_len(self)]
    }
}

/// What a text holds.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Listing {
    /// `sm_75`
    pub target: String,
    /// Source files of the line table.
    pub files: Vec<String>,
    /// Code sections in the text's order.
    pub kernels: Vec<Kernel>,
}

/// Reads nvdisasm's text.
pub fn parse(text: &str) -> Listing {
    let mut listing = Listing::default();
    let mut source = None;
    // Set by an instruction's line, for the second half of its encoding on the next.
    let mut half = false;
    for line in text.lines() {
        let trimmed = line.trim();
        if let Some(target) = trimmed.strip_prefix(".target") {
            listing.target = target.trim().to_owned();
        } else if let Some(flags) = trimmed.strip_prefix(".headerflags") {
            listing.target = target_of_flags(flags).unwrap_or(listing.target);
        } else if let Some(name) =
            trimmed.strip_prefix(".section\t.text.").or_else(|| trimmed.strip_prefix(".section .text."))
        {
            let name = name.split_once(",\"").map_or(name, |(n, _)| n).trim_matches('"').to_owned();
            listing.kernels.push(Kernel::new(name));
            source = None;
        } else if let Some(place) = trimmed.strip_prefix("//## File ") {
            source = source_line(place, &mut listing.files).or(source);
        } else if let Some(kernel) = listing.kernels.last_mut() {
            if let Some(instruction) = instruction(trimmed, source) {
                half = true;
                kernel.instructions.push(instruction);
                continue;
            } else if let (true, Some(high), Some(last)) = (half, encoding(trimmed), kernel.instructions.last_mut()) {
                last.encoding[1] = high;
                last.control = Control::decode(high);
            } else if let Some(other) = trimmed.strip_prefix(".other") {
                let (name, flags) = other.split_once(",@").unwrap_or((other, ""));
                kernel.entry |= name.trim() == kernel.name && flags.contains("STO_CUDA_ENTRY");
            } else if let Some(name) = label(line) {
                let address = kernel.instructions.last().map_or(0, |i| i.address + 16);
                if name != kernel.name && !name.starts_with(".text.") {
                    let function_label = !name.starts_with('.');
                    kernel.labels.push(Label { name: name.to_owned(), address, function: function_label });
                }
            }
        }
        half = false;
    }
    listing
}

/// The text with its labels (`.L_x_7`) numbered without gaps: which numbers nvdisasm leaves out depends on what it lists besides.
pub fn numbered(text: &str) -> String {
    const LABEL: &str = ".L_x_";
    fn number(behind: &str) -> Option<(u64, &str)> {
        let digits = behind.find(|c: char| !c.is_ascii_digit()).unwrap_or(behind.len());
        Some((behind[..digits].parse().ok()?, &behind[digits..]))
    }
    let numbers: BTreeSet<u64> = text.split(LABEL).skip(1).filter_map(number).map(|(number, _)| number).collect();
    let ranks: HashMap<u64, usize> = numbers.into_iter().zip(0..).collect();
    let mut pieces = text.split(LABEL);
    let mut all = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        all.push_str(LABEL);
        match number(piece).and_then(|(number, behind)| Some((ranks.get(&number)?, behind))) {
            Some((rank, behind)) => {
                all.push_str(&rank.to_string());
                all.push_str(behind);
            }
            None => all.push_str(piece),
        }
    }
    all
}

/// Adds the numbers of live registers from a second text (`-c -lrm count`). Its comment columns are named by a header:
/// `// | GPR | PRED | UGPR | UPRED |`.
pub fn add_live(kernels: &mut [Kernel], text: &str) {
    let mut columns: Vec<String> = Vec::new();
    let mut current: Option<(usize, HashMap<u64, usize>)> = None;
    for line in text.lines() {
        if let Some(name) =
            line.trim_start().strip_prefix(".section").map(str::trim_start).and_then(|l| l.strip_prefix(".text."))
        {
            let name = name.split_once(",\"").map_or(name, |(n, _)| n);
            current = kernels
                .iter()
                .position(|f| f.name == name)
                .map(|at| (at, kernels[at].instructions.iter().enumerate().map(|(n, i)| (i.address, n)).collect()));
        }
        let Some((code, comment)) = line.rsplit_once("// |") else { continue };
        let cells: Vec<&str> = comment.split('|').map(str::trim).collect();
        if cells.contains(&"GPR") {
            columns = cells.iter().map(|c| (*c).to_owned()).collect();
            continue;
        }
        let (Some((at, addresses)), Some((address, _))) = (&current, address(code.trim())) else { continue };
        let mut live = Live::default();
        for (column, cell) in columns.iter().zip(&cells) {
            let count = cell.parse().unwrap_or(0);
            match column.as_str() {
                "GPR" => live.registers = count,
                "PRED" => live.predicates = count,
                "UGPR" => live.uniform = count,
                "UPRED" => live.uniform_predicates = count,
                _ => {}
            }
        }
        if let Some(&n) = addresses.get(&address) {
            kernels[*at].instructions[n].live = Some(live);
        }
    }
}

/// `/*0010*/   rest` -> (0x10, rest)
fn address(line: &str) -> Option<(u64, &str)> {
    let (hex, rest) = line.strip_prefix("/*")?.split_once("*/")?;
    if hex.starts_with([' ', '\t']) {
        return None;
    }
    Some((u64::from_str_radix(hex, 16).ok()?, rest.trim_start()))
}

/// `/* 0x000fe400078e00ff */` -> the number
fn encoding(text: &str) -> Option<u64> {
    let hex = text.strip_prefix("/*")?.strip_suffix("*/")?.trim().strip_prefix("0x")?;
    u64::from_str_radix(hex, 16).ok()
}

fn instruction(line: &str, source: Option<SourceLine>) -> Option<Instruction> {
    let (address, rest) = address(line)?;
    let (code, tail) = rest.rsplit_once(';')?;
    let low = encoding(tail.trim()).unwrap_or(0);
    let (code, notes) = split_notes(code);
    let (guard, text) = match code.strip_prefix('@') {
        Some(guarded) => {
            let (guard, text) = guarded.split_once(char::is_whitespace)?;
            (Some(parse_guard(guard)?), text.trim())
        }
        None => (None, code),
    };
    let (opcode, operands) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    if opcode.is_empty() {
        return None;
    }
    Some(Instruction {
        address,
        guard,
        opcode: Opcode::new(opcode),
        operands: Operand::parse_list(operands),
        text: text.to_owned(),
        notes,
        control: Control::default(),
        encoding: [low, 0],
        source,
        live: None,
    })
}

/// CUDA 12's way to say it: `@"... EF_CUDA_ACCELERATORS EF_CUDA_SM90 EF_CUDA_VIRTUAL_SM(EF_CUDA_SM90)"` is sm_90a.
fn target_of_flags(flags: &str) -> Option<String> {
    let mut words = flags.split([' ', '"', '(']);
    let number = words.find_map(|w| w.strip_prefix("EF_CUDA_SM"))?.trim_end_matches(')');
    let suffix = if flags.contains("EF_CUDA_ACCELERATORS") { "a" } else { "" };
    Some(format!("sm_{number}{suffix}"))
}

/// Takes the compiler's notes, `(*"..."*)`, off the text.
fn split_notes(code: &str) -> (&str, Vec<String>) {
    let Some((text, rest)) = code.split_once("(*\"") else { return (code.trim(), Vec::new()) };
    let notes = rest.split("(*\"").filter_map(|n| n.split_once("\"*)")).map(|(n, _)| n.to_owned()).collect();
    (text.trim(), notes)
}

fn parse_guard(text: &str) -> Option<Guard> {
    match Operand::parse(text) {
        Operand::Register(r) if matches!(r.file, File::Predicate | File::UniformPredicate) => {
            Some(Guard { negated: r.negated, uniform: r.file == File::UniformPredicate, index: r.index })
        }
        _ => None,
    }
}

/// A label stands at the start of its line.
fn label(line: &str) -> Option<&str> {
    let name = line.trim_end().strip_suffix(':')?;
    (!name.is_empty() && !name.contains(char::is_whitespace)).then_some(name)
}

/// `"kernel.cu", line 6` with or without `inlined at ...` behind it.
fn source_line(place: &str, files: &mut Vec<String>) -> Option<SourceLine> {
    let (name, rest) = place.strip_prefix('"')?.split_once('"')?;
    let digits = rest.split_once("line ")?.1;
    let line = digits.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()?;
    let file = files.iter().position(|f| f == name).unwrap_or_else(|| {
        files.push(name.to_owned());
        files.len() - 1
    });
    Some(SourceLine { file, line })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"
	.target	sm_75
//--------------------- .text._Z1kPi --------------------------
	.section	.text._Z1kPi,"ax",@progbits
        .global         _Z1kPi
        .other          _Z1kPi,@"STO_CUDA_ENTRY STV_DEFAULT"
_Z1kPi:
.text._Z1kPi:
	//## File "k.cu", line 6
        /*0000*/                   IMAD.MOV.U32 R1, RZ, RZ, c[0x0][0x28] ;       /* 0x00000a00ff017624 */
                                                                                 /* 0x000fe400078e00ff */
        /*0010*/              @!P1 STL.64 [R1+0x8], R42                          (*"SpillRefill"*);  /* 0x0000000002037381 */
                                                                                 /* 0x000ea200001ee900 */
	//## File "k.cu", line 9 inlined at "h.cuh", line 3
.L_x_0:
        /*0020*/                   FROB.ZAP {R2}, 3D, weird(a, b) ;  /* 0x1 */
                                                                                 /* 0x2 */
        /*0030*/                   BRA `(.L_x_0);
        /*0040*/                   NOP;
.L_x_1:
"#;

    #[test]
    fn a_small_listing() {
        let listing = parse(TEXT);
        assert_eq!(listing.target, "sm_75");
        let [kernel] = listing.kernels.as_slice() else { panic!("{listing:?}") };
        assert!(kernel.entry);
        assert_eq!(kernel.name, "_Z1kPi");
        let addresses: Vec<u64> = kernel.instructions.iter().map(|i| i.address).collect();
        assert_eq!(addresses, [0, 0x10, 0x20, 0x30, 0x40]);
        let store = &kernel.instructions[1];
        assert_eq!(store.guard, Some(Guard { negated: true, uniform: false, index: Some(1) }));
        assert_eq!(store.text, "STL.64 [R1+0x8], R42");
        assert!(store.is_spill());
        assert_eq!(store.control.write_barrier, Some(2));
        assert_eq!(kernel.instructions[0].encoding, [0x0000_0a00_ff01_7624, 0x000f_e400_078e_00ff]);
        assert_eq!(store.source, Some(SourceLine { file: 0, line: 6 }));
        assert_eq!(kernel.instructions[2].source, Some(SourceLine { file: 0, line: 9 }));
        assert_eq!(kernel.instructions[2].operands.len(), 3);
        assert_eq!(kernel.instructions[3].targets().collect::<Vec<_>>(), [".L_x_0"]);
        assert_eq!(kernel.labels[0], Label { name: ".L_x_0".into(), address: 0x20, function: false });
    }

    #[test]
    fn the_architecture_in_both_dialects() {
        let of = |line: &str| parse(line).target;
        assert_eq!(of("\t.target\tsm_120"), "sm_120");
        let flags = "EF_CUDA_SM90 EF_CUDA_VIRTUAL_SM(EF_CUDA_SM90)\"";
        assert_eq!(of(&format!("\t.headerflags\t@\"EF_CUDA_64BIT_ADDRESS {flags}")), "sm_90");
        assert_eq!(of(&format!("\t.headerflags\t@\"EF_CUDA_ACCELERATORS {flags}")), "sm_90a");
    }

    #[test]
    fn anything_at_all_is_read_without_a_panic() {
        for text in
            ["", "\n\n", "/*", "/**/;", "/*0*/;", "/*zz*/ A;", ".section\t.text.", ":", "//## File \"", "/*0*/@P ;"]
        {
            parse(text);
            parse(&format!("\t.section\t.text.k,\"ax\"\n{text}\n"));
        }
    }

    #[test]
    fn a_text_cut_or_garbled_anywhere_is_read_without_a_panic() {
        let whole = TEXT.chars().collect::<Vec<_>>();
        for n in 0..whole.len() {
            let cut: String = whole[..n].iter().collect();
            let mut listing = parse(&cut);
            add_live(&mut listing.kernels, &cut);
            for odd in ['é', '\n', ';'] {
                let mut garbled = whole.clone();
                garbled[n] = odd;
                for kernel in &parse(&garbled.iter().collect::<String>()).kernels {
                    crate::Stats::of(kernel);
                    let _ = crate::diff::diff(kernel, kernel);
                }
            }
        }
    }

    #[test]
    fn live_registers_by_their_header() {
        let mut listing = parse(TEXT);
        let live = "\t.section\t.text._Z1kPi,\"ax\",@progbits\n // | GPR   | PRED   | UGPR   |\n // |   #   |   #    |    #   |\n\
                    /*0010*/ @!P1 STL.64 [R1+0x8], R42 ;  // |  12   |   1    |        |\n";
        add_live(&mut listing.kernels, live);
        let got = listing.kernels[0].instructions[1].live;
        assert_eq!(got, Some(Live { registers: 12, predicates: 1, uniform: 0, uniform_predicates: 0 }));
        assert_eq!(listing.kernels[0].instructions[0].live, None);
    }
}
