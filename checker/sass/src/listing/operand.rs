//! Operands. The parser is total: what it does not know stays text.

use serde::Serialize;

/// Which file a register belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum File {
    /// `R0`, a 32-bit register of each thread.
    General,
    /// `UR0`, a 32-bit register of the warp.
    Uniform,
    /// `P0`
    Predicate,
    /// `UP0`
    UniformPredicate,
    /// `B0`, a convergence barrier.
    Barrier,
    /// `SB0`, a scoreboard.
    Scoreboard,
}

/// A register operand.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
pub struct Register {
    /// Its file.
    pub file: File,
    /// Number; `None` is the constant one: `RZ`, `URZ`, `PT`, `UPT`.
    pub index: Option<u8>,
    /// `-`, or `!` of a predicate, or `~`.
    #[serde(skip_serializing_if = "is_false")]
    pub negated: bool,
    /// `|R0|`
    #[serde(skip_serializing_if = "is_false")]
    pub absolute: bool,
    /// `.reuse`
    #[serde(skip_serializing_if = "is_false")]
    pub reuse: bool,
    /// Other suffixes: `64`, `H0_H0`, `X4`.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub suffix: String,
}

/// An address: registers and an offset added up.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize)]
pub struct Address {
    /// Registers, each with its suffix (`R2.64`, `R0.X4`, `UR4`).
    pub registers: Vec<Register>,
    /// Bytes.
    pub offset: i64,
}

/// An operand.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Operand {
    /// `R5.reuse`, `-UR4`, `!P0`, `PT`, `B0`
    Register(Register),
    /// `0x4`, `-0x8`
    Integer(i64),
    /// `1.5`, `-126`, `+INF`, as written.
    Float(String),
    /// `c[0x0][0x160]`
    Constant {
        /// Bank number, when it is one.
        bank: Option<u8>,
        /// Inside the bank.
        address: Address,
        /// `-`
        negated: bool,
        /// `|c[..][..]|`
        absolute: bool,
    },
    /// `[R2.64+0x10]`, `desc[UR4][R2.64]`
    Memory {
        /// The uniform register pair with the memory descriptor.
        descriptor: Option<Register>,
        /// The address.
        address: Address,
    },
    /// `` `(.L_x_0) ``: a label or a function.
    Label(String),
    /// `SR_TID.X`, `SRZ`; `PR`, all predicates at once.
    Special(String),
    /// Anything else, as written.
    Text(String),
}

impl Operand {
    /// Whether it is `RZ`, `-RZ` or `URZ`.
    pub fn is_zero_register(&self) -> bool {
        matches!(self, Operand::Register(r) if r.index.is_none() && matches!(r.file, File::General | File::Uniform))
    }

    /// Parses one operand as nvdisasm writes it.
    pub fn parse(text: &str) -> Self {
        let text = text.trim();
        constant(text)
            .or_else(|| memory(text))
            .or_else(|| label(text))
            .or_else(|| register(text).map(Operand::Register))
            .or_else(|| integer(text).map(Operand::Integer))
            .or_else(|| special(text))
            .or_else(|| float(text))
            .unwrap_or_else(|| Operand::Text(text.to_owned()))
    }

    /// Parses an operand list. Operands stand behind commas; a branch also separates its register from its offset or
    /// function by a space (`` RET.REL.NODEC R2 `(f) ``).
    pub fn parse_list(text: &str) -> Vec<Self> {
        let (mut parts, mut depth, mut start) = (Vec::new(), 0i32, 0);
        for (at, c) in text.char_indices() {
            match c {
                '[' | '(' | '{' => depth += 1,
                ']' | ')' | '}' => depth -= 1,
                ',' | ' ' | '\t' if depth <= 0 => {
                    parts.push(&text[start..at]);
                    start = at + 1;
                }
                _ => {}
            }
        }
        parts.push(&text[start..]);
        parts.into_iter().map(str::trim).filter(|p| !p.is_empty()).map(Self::parse).collect()
    }
}

fn is_false(b: &bool) -> bool {
    !b
}

/// Strips `-`, `+`, `~`, `!` and bars: (negated, absolute, inside, suffixes behind the bars).
fn signs(text: &str) -> (bool, bool, &str, &str) {
    let negated = text.starts_with(['-', '!', '~']);
    let rest = text.strip_prefix(['-', '!', '~', '+']).unwrap_or(text);
    match rest.strip_prefix('|').and_then(|inner| inner.split_once('|')) {
        Some((inside, behind)) => (negated, true, inside, behind),
        None => (negated, false, rest, ""),
    }
}

fn register(text: &str) -> Option<Register> {
    let (negated, absolute, inside, behind) = signs(text);
    let (name, suffixes) = inside.split_once('.').map_or((inside, ""), |(n, s)| (n, s));
    if !(behind.is_empty() || behind.starts_with('.')) {
        return None;
    }
    let (file, index) = match name {
        "RZ" => (File::General, None),
        "URZ" => (File::Uniform, None),
        "PT" => (File::Predicate, None),
        "UPT" => (File::UniformPredicate, None),
        _ => {
            let digits = name.find(|c: char| c.is_ascii_digit())?;
            let file = match &name[..digits] {
                "R" => File::General,
                "UR" => File::Uniform,
                "P" => File::Predicate,
                "UP" => File::UniformPredicate,
                "B" => File::Barrier,
                "SB" => File::Scoreboard,
                _ => return None,
            };
            (file, Some(name[digits..].parse().ok()?))
        }
    };
    let all = || suffixes.split('.').chain(behind.split('.')).filter(|s| !s.is_empty());
    let reuse = all().any(|s| s == "reuse");
    let suffix = all().filter(|s| *s != "reuse").collect::<Vec<_>>().join(".");
    Some(Register { file, index, negated, absolute, reuse, suffix })
}

fn integer(text: &str) -> Option<i64> {
    let (negative, rest) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    // Two's complement: a 64-bit immediate keeps its bits.
    let magnitude = u64::from_str_radix(rest.strip_prefix("0x")?, 16).ok()?.cast_signed();
    Some(if negative { magnitude.wrapping_neg() } else { magnitude })
}

fn float(text: &str) -> Option<Operand> {
    let unsigned = text.trim_start_matches(['-', '+']);
    let number = unsigned.parse::<f64>().is_ok() && unsigned.starts_with(|c: char| c.is_ascii_digit());
    let named = matches!(unsigned, "INF" | "QNAN" | "SNAN" | "NAN");
    (number || named).then(|| Operand::Float(text.to_owned()))
}

fn special(text: &str) -> Option<Operand> {
    (text.starts_with("SR_") || matches!(text, "SRZ" | "PR" | "UPR")).then(|| Operand::Special(text.to_owned()))
}

fn label(text: &str) -> Option<Operand> {
    let inner = text.strip_prefix("`(").and_then(|t| t.strip_suffix(')'))?;
    Some(Operand::Label(inner.to_owned()))
}

fn bracketed(text: &str) -> Option<(&str, &str)> {
    text.strip_prefix('[')?.split_once(']')
}

fn constant(text: &str) -> Option<Operand> {
    let (negated, absolute, rest, _suffix) = signs(text);
    let (bank, rest) = bracketed(rest.strip_prefix("cx").or_else(|| rest.strip_prefix('c'))?)?;
    let (inside, _suffix) = bracketed(rest)?;
    let bank = integer(bank).and_then(|b| u8::try_from(b).ok());
    Some(Operand::Constant { bank, address: address(inside)?, negated, absolute })
}

fn memory(text: &str) -> Option<Operand> {
    let (descriptor, rest) = match text.strip_prefix("desc") {
        Some(rest) => {
            let (inside, rest) = bracketed(rest)?;
            (Some(register(inside)?), rest)
        }
        None => (None, text),
    };
    let (inside, _suffix) = bracketed(rest)?;
    Some(Operand::Memory { descriptor, address: address(inside)? })
}

/// `R2.64+UR4+-0x10`
fn address(text: &str) -> Option<Address> {
    let mut address = Address::default();
    for term in text.split('+').map(str::trim).filter(|t| !t.is_empty()) {
        match integer(term) {
            Some(offset) => address.offset = address.offset.wrapping_add(offset),
            None => address.registers.push(register(term)?),
        }
    }
    Some(address)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn general(index: u8) -> Register {
        Register {
            file: File::General,
            index: Some(index),
            negated: false,
            absolute: false,
            reuse: false,
            suffix: String::new(),
        }
    }

    #[test]
    fn registers_and_their_decorations() {
        assert_eq!(Operand::parse("R5"), Operand::Register(general(5)));
        assert_eq!(Operand::parse("R5.reuse"), Operand::Register(Register { reuse: true, ..general(5) }));
        let expected = Register { negated: true, absolute: true, ..general(12) };
        assert_eq!(Operand::parse("-|R12|"), Operand::Register(expected));
        let expected = Register { absolute: true, reuse: true, ..general(5) };
        assert_eq!(Operand::parse("|R5|.reuse"), Operand::Register(expected));
        let expected = Register { suffix: "H0_H0".into(), reuse: true, ..general(4) };
        assert_eq!(Operand::parse("R4.H0_H0.reuse"), Operand::Register(expected));
        assert!(Operand::parse("-RZ").is_zero_register() && Operand::parse("URZ").is_zero_register());
        assert!(!Operand::parse("PT").is_zero_register() && !Operand::parse("R0").is_zero_register());
        assert!(matches!(
            Operand::parse("!UP3"),
            Operand::Register(Register { file: File::UniformPredicate, negated: true, .. })
        ));
    }

    #[test]
    fn immediates() {
        assert_eq!(Operand::parse("-0x8"), Operand::Integer(-8));
        assert_eq!(Operand::parse("0xffffffffffffffff"), Operand::Integer(-1));
        assert_eq!(Operand::parse("1.4426950216293334961"), Operand::Float("1.4426950216293334961".into()));
        assert_eq!(Operand::parse("-126"), Operand::Float("-126".into()));
        assert_eq!(Operand::parse("+INF"), Operand::Float("+INF".into()));
    }

    #[test]
    fn memory_and_constants() {
        let Operand::Memory { descriptor: Some(d), address } = Operand::parse("desc[UR4][R2.64+0x10]") else {
            panic!()
        };
        assert_eq!((d.file, d.index), (File::Uniform, Some(4)));
        assert_eq!(address, Address { registers: vec![Register { suffix: "64".into(), ..general(2) }], offset: 16 });
        let Operand::Memory { address, .. } = Operand::parse("[R0.X4+UR4+-0x20]") else { panic!() };
        assert_eq!((address.registers.len(), address.offset), (2, -32));
        let Operand::Constant { bank, address, negated, .. } = Operand::parse("-c[0x3][R4+0x8]") else { panic!() };
        assert_eq!((bank, negated, address.offset, address.registers), (Some(3), true, 8, vec![general(4)]));
    }

    #[test]
    fn lists_and_the_unknown() {
        let list = Operand::parse_list("R2 `($_Z5callsPfi$_Z6helperfi)");
        assert_eq!(list, [Operand::Register(general(2)), Operand::Label("$_Z5callsPfi$_Z6helperfi".into())]);
        assert_eq!(Operand::parse_list("SB0, {0,1}").len(), 2);
        for odd in
            ["", "[", "c[", "c[0x0]", "desc[UR4]", "|", "-", "R999", "[R2", "`(", "{0,1}", "32@lo(f)", "é[ü]", "0x"]
        {
            Operand::parse_list(odd);
        }
        assert_eq!(Operand::parse("gdesc[UR8]"), Operand::Text("gdesc[UR8]".into()));
    }
}
