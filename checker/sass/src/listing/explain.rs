//! What an instruction does and how it is scheduled, in a sentence each, for who does not read machine code every day.

use crate::{Control, Instruction};

/// Mnemonics in words. What is not here is told by its family.
const WORDS: &[(&str, &str)] = &[
    ("LDG", "loads from global memory"),
    ("LD", "loads from wherever the address lies"),
    ("LDS", "loads from shared memory"),
    ("LDL", "loads from local memory: a spilled register, or an array that is not in registers"),
    ("LDC ULDC", "loads from the constant bank: parameters and __constant__ variables"),
    ("LDSM", "loads 8 by 8 matrices from shared memory, spread over the lanes"),
    ("LDGSTS", "copies from global to shared memory without a register in between"),
    ("LDGDEPBAR", "closes a group of such copies"),
    ("STG", "stores to global memory"),
    ("ST", "stores to wherever the address lies"),
    ("STS", "stores to shared memory"),
    ("STL", "stores to local memory: a spilled register, or an array that is not in registers"),
    ("ATOM ATOMG", "reads, changes and writes global memory in one step, and returns what was there"),
    ("ATOMS", "reads, changes and writes shared memory in one step, and returns what was there"),
    ("RED REDG", "changes global memory in one step and returns nothing"),
    ("FADD", "adds in single precision"),
    ("FMUL", "multiplies in single precision"),
    ("FFMA", "multiplies and adds in single precision, rounded once"),
    ("FSETP", "compares floats; the answer is a predicate"),
    ("FSEL SEL USEL", "takes one of two values, by a predicate"),
    ("FMNMX", "the smaller or the larger of two floats"),
    ("FCHK", "asks whether a division needs the slow way"),
    ("MUFU", "a function on the special unit: reciprocal, square root, sine, 2 to the power, logarithm"),
    ("DADD", "adds in double precision"),
    ("DMUL", "multiplies in double precision"),
    ("DFMA", "multiplies and adds in double precision, rounded once"),
    ("DSETP", "compares doubles; the answer is a predicate"),
    ("HADD2", "adds two pairs of half precision numbers"),
    ("HMUL2", "multiplies two pairs of half precision numbers"),
    ("HFMA2", "multiplies and adds two pairs of half precision numbers; also used as a move"),
    ("HSETP2", "compares two pairs of half precision numbers"),
    ("IMAD UIMAD", "multiplies and adds integers; also used as a move"),
    ("IADD3 UIADD3", "adds three integers"),
    ("LEA ULEA", "shifts and adds: an address"),
    ("LOP3 ULOP3", "any function of three bits, bit by bit: and, or, exclusive or, and all others"),
    ("PLOP3 UPLOP3", "any function of three predicates"),
    ("SHF USHF", "shifts a pair of registers"),
    ("ISETP UISETP", "compares integers; the answer is a predicate"),
    ("IMNMX VIMNMX", "the smaller or the larger of two integers"),
    ("IABS", "the absolute value of an integer"),
    ("PRMT UPRMT", "puts bytes of two registers in a new order"),
    ("POPC UPOPC", "counts the bits that are set"),
    ("FLO UFLO", "finds the highest bit that is set"),
    ("BREV UBREV", "reverses the order of bits"),
    ("SGXT", "extends a sign"),
    ("BMSK", "makes a mask of bits"),
    ("I2F I2FP", "makes a float of an integer"),
    ("F2I", "makes an integer of a float"),
    ("F2F", "changes a float's precision"),
    ("F2FP", "makes a pair of half precision numbers of two floats"),
    ("MOV UMOV", "copies a register or a constant"),
    ("S2R S2UR", "reads a special register: a thread's or a block's number, the lane, the clock"),
    ("CS2R", "reads a special register, or puts 0 into a pair"),
    ("R2UR", "puts a value that all lanes share into a uniform register"),
    ("P2R", "packs predicates into a register"),
    ("R2P", "unpacks predicates from a register"),
    ("SHFL", "gives each lane the value of another lane"),
    ("VOTE VOTEU", "asks all lanes: any, all, or a bit for each"),
    ("MATCH", "finds the lanes that have the same value"),
    ("REDUX", "adds up, or compares, over all lanes at once"),
    ("HMMA HGMMA QGMMA", "multiplies matrices of half precision on a tensor core"),
    ("IMMA IGMMA", "multiplies matrices of integers on a tensor core"),
    ("DMMA", "multiplies matrices of double precision on a tensor core"),
    ("BAR", "waits for all threads of the block"),
    ("SYNCS", "works on a barrier object in shared memory"),
    ("MEMBAR", "makes what was written before visible before what is written after"),
    ("ERRBAR CCTL", "belongs to a fence"),
    ("DEPBAR", "waits until a scoreboard has counted down"),
    ("WARPSYNC", "waits for the lanes of a mask"),
    ("BSSY", "names the place where lanes that part here meet again"),
    ("BSYNC", "lanes that have parted meet again"),
    ("BREAK", "takes lanes out of such a meeting"),
    ("BRA BRX JMP", "goes on elsewhere"),
    ("CALL", "calls a function"),
    ("RET", "returns from a function"),
    ("EXIT", "the thread ends"),
    ("NANOSLEEP", "pauses"),
    ("YIELD", "lets other lanes go first"),
    ("NOP", "does nothing"),
];

/// What it does: "loads from global memory; 128 bits per lane; only where P0 is false".
pub fn explain(instruction: &Instruction) -> String {
    let mnemonic = instruction.opcode.mnemonic();
    let known = WORDS.iter().find(|(names, _)| names.split(' ').any(|name| name == mnemonic));
    let mut words = known.map_or_else(|| instruction.opcode.family().to_string(), |(_, words)| (*words).to_owned());
    if matches!(instruction.opcode.family(), crate::Family::Memory(..)) {
        words.push_str(&format!("; {} bits per lane", instruction.opcode.width()));
    }
    if let Some(guard) = instruction.guard.filter(|guard| guard.is_conditional()) {
        let file = if guard.uniform { "UP" } else { "P" };
        let which = guard.index.map_or_else(|| format!("{file}T"), |index| format!("{file}{index}"));
        words.push_str(&format!("; only where {which} is {}", if guard.negated { "false" } else { "true" }));
    }
    words
}

/// How it is scheduled: "waits for scoreboard 0; signals 2 when the result is there; the warp's next in 4 cycles".
pub fn scheduling(control: Control) -> String {
    let mut parts = Vec::new();
    let waits: Vec<String> = (0..6).filter(|&n| control.waits_for(n)).map(|n| n.to_string()).collect();
    if !waits.is_empty() {
        let boards = if waits.len() == 1 { "scoreboard" } else { "scoreboards" };
        parts.push(format!("waits for {boards} {}", waits.join(", ")));
    }
    parts.extend(control.write_barrier.map(|n| format!("signals {n} when the result is there")));
    parts.extend(control.read_barrier.map(|n| format!("signals {n} when its sources have been read")));
    parts.push(match control.stall {
        1 => "the warp's next in 1 cycle at the earliest".to_owned(),
        stall => format!("the warp's next in {stall} cycles at the earliest"),
    });
    if control.yields {
        parts.push("another warp may be preferred".to_owned());
    }
    parts.join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Family, Opcode};

    #[test]
    fn what_has_words_has_a_family() {
        for name in WORDS.iter().flat_map(|(names, _)| names.split(' ')) {
            assert!(Opcode::new(name).family() != Family::Other, "{name}");
        }
    }

    #[test]
    fn every_name_has_one_explanation() {
        let mut names: Vec<&str> = WORDS.iter().flat_map(|(names, _)| names.split(' ')).collect();
        names.sort_unstable();
        let all = names.len();
        names.dedup();
        assert_eq!(names.len(), all);
    }

    #[test]
    fn scheduling_in_words() {
        let control =
            Control { stall: 4, yields: true, write_barrier: Some(2), read_barrier: None, wait_mask: 1, reuse: 0 };
        assert_eq!(
            scheduling(control),
            "waits for scoreboard 0; signals 2 when the result is there; the warp's next in 4 cycles at the earliest; another \
             warp may be preferred"
        );
    }
}
