//! Module variables in PTX text: how large they are, and whether constant ones are written to.

use std::collections::BTreeSet;

/// Names and bytes of the variables in global memory.
pub fn variables(ptx: &str) -> Vec<(String, u64)> {
    ptx.lines().filter(|line| declaration(line, ".global")).filter_map(array).collect()
}

/// Is the line a variable's declaration in that space, outside of functions?
fn declaration(line: &str, space: &str) -> bool {
    line.starts_with('.') && line.split_whitespace().take(3).any(|word| word == space)
}

/// `.global .align 1 .b8 g[68719476736];`
fn array(line: &str) -> Option<(String, u64)> {
    let (before, after) = line.split_once('[')?;
    let mut words = before.split_whitespace().rev();
    let name = words.next()?.to_owned();
    let size = words.next()?.trim_start_matches(|c: char| !c.is_ascii_digit()).parse::<u64>().ok()? / 8;
    let count = after.split(']').next()?.trim().parse::<u64>().ok()?;
    Some((name, count.saturating_mul(size)))
}

/// What code does with addresses that are made of constant variables'.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Use {
    /// It reads at most.
    Read,
    /// It gives one to a function.
    Given,
    /// A store or an atomic goes there.
    Written,
}

/// Follows registers line by line through moves, additions and conversions, as unoptimised code has them.
pub fn usage(ptx: &str) -> Use {
    let constant = |line: &&str| declaration(line, ".const");
    let name = |line: &str| {
        let before = line.split(['[', '=', ';']).next()?;
        before.split_whitespace().last().map(str::to_owned)
    };
    let constants: BTreeSet<String> = ptx.lines().filter(constant).filter_map(name).collect();
    if constants.is_empty() {
        return Use::Read;
    }
    let (mut usage, mut given) = (Use::Read, false);
    let mut tainted: BTreeSet<String> = BTreeSet::new();
    for line in ptx.lines() {
        if line.starts_with(['}', '{']) {
            tainted.clear();
            given = false;
        }
        let (opcode, operands) = line.trim().split_once(char::is_whitespace).unwrap_or((line.trim(), ""));
        let words: Vec<&str> =
            operands.split(|c: char| !c.is_alphanumeric() && !"_%$".contains(c)).filter(|w| !w.is_empty()).collect();
        let from = |word: &&&str| tainted.contains(**word) || constants.contains(**word);
        match opcode.split('.').next().unwrap_or_default() {
            "st" if opcode.starts_with("st.param") => {
                let value = words.last().is_some_and(|word| tainted.contains(*word));
                given |= value;
                usage = if value { usage.max(Use::Given) } else { usage };
            }
            // The built-in atomics are functions where nothing is optimised: their name stands in a line of its own.
            name if given && name.contains("tomic") => return Use::Written,
            "st" | "red" | "atom" => {
                let address = operands.split_once('[').and_then(|(_, rest)| rest.split([']', '+']).next());
                if address.is_some_and(|word| tainted.contains(word.trim()) || constants.contains(word.trim())) {
                    return Use::Written;
                }
            }
            "mov" | "cvta" | "add" | "sub" | "selp" => {
                if let [to, rest @ ..] = words.as_slice()
                    && rest.iter().any(|word| from(&word))
                {
                    tainted.insert((*to).to_owned());
                }
            }
            _ => {}
        }
    }
    usage
}

#[cfg(test)]
mod tests {
    use super::{Use, usage, variables};

    #[test]
    fn sizes_of_variables() {
        let ptx = ".version 9.0\n.global .align 1 .b8 g[68719476736];\n.visible .global .align 4 .f32 x;\n\
                   .visible .global .align 8 .b64 table[4] = {1};\n\t.shared .align 4 .b8 s[256];\n";
        assert_eq!(variables(ptx), [("g".to_owned(), 1 << 36), ("table".to_owned(), 32)]);
    }

    #[test]
    fn a_store_through_a_constants_address() {
        let head = ".const .align 4 .b8 table[128] = {1, 0};\n.entry k()\n{\n\tmov.b64 %rd3, table;\n\tcvta.const.u64 %rd4, %rd3;\n\
                    \tmov.b64 %rd1, %rd4;\n\tadd.s64 %rd7, %rd1, %rd6;\n";
        assert_eq!(usage(&format!("{head}\tst.b32 [%rd7], %r1;\n}}\n")), Use::Written);
        assert_eq!(usage(&format!("{head}\tatom.add.u32 %r2, [%rd7+4], %r1;\n}}\n")), Use::Written);
        let call = "\tst.param.b64 [param0+0], %rd7;\n\tcall.uni (r),\n";
        assert_eq!(usage(&format!("{head}{call}\t_Z9atomicAddPii,\n")), Use::Written);
        assert_eq!(usage(&format!("{head}{call}\t_Z3getPi,\n")), Use::Given);
        assert_eq!(usage(&format!("{head}\tld.b32 %r6, [%rd7];\n\tst.b32 [%rd8], %r6;\n}}\n")), Use::Read);
        assert_eq!(usage(".entry k()\n{\n\tst.b32 [%rd7], %r1;\n}\n"), Use::Read);
    }
}
