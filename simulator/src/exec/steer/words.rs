//! The words that a condition is computed from: elements of inputs, sizes, and what was passed on or hangs on a place.

use super::expression::{Expression, Leaf};
use super::search::{Held, Word};
use crate::isa::op::{Code, Op, Reg, Special};
use crate::steer::{Origin, SteerRequest, mask};

/// Words that may change for one condition.
const WORDS: usize = 48;
/// Registers that may be anything for a condition while its words are looked for.
const PLACES: usize = 4;

/// Addresses, and the bytes that stand there.
pub type Changes = Vec<(u64, Vec<u8>)>;

/// What registers hold, perhaps.
pub type Hint = Vec<(Held, u64)>;

/// What changes of some words that come to these values.
pub fn changes(words: &[Word], values: &[u64]) -> Changes {
    let changed = words.iter().zip(values).filter(|(word, value)| word.value != **value);
    changed.map(|(word, value)| (word.address, value.to_le_bytes()[..word.size].to_vec())).collect()
}

/// Leaves that no input holds, as words that may be anything: what somebody made of inputs and passed on.
pub fn unplaced(
    code: &Code,
    request: &SteerRequest,
    expression: &Expression,
    words: &[Word],
    value: impl Fn(Reg) -> u64,
) -> Vec<Word> {
    if request.is_of_sizes() {
        return Vec::new();
    }
    let leaves = expression.leaves.iter().map(|leaf| leaf.register(code));
    let has_none = |reg: &Reg| {
        let held = |word: &Word| word.registers.iter().any(|held| held.reg == *reg);
        matches!(reg, Reg::R32(_)) && !words.iter().any(held)
    };
    let word = |(number, reg): (usize, Reg)| {
        // They lie nowhere.
        let address = u64::MAX / 2 - 8 * number as u64;
        Word { input: request.inputs.len(), address, size: 4, registers: vec![Held::all(reg, 4)], value: value(reg) }
    };
    leaves.filter(has_none).take(PLACES).enumerate().map(word).collect()
}

/// A word that was passed on and has to be another.
pub struct PassedOn {
    /// What it is.
    pub is: u64,
    /// What it has to be.
    pub wanted: u64,
    /// Others that were passed on, and are as they have to be.
    pub others: Vec<u64>,
    /// How the words change that were not passed on.
    pub changes: Changes,
}

/// The only one of the words from the `own`th on that changes, and how the others do.
pub fn passed_on(words: &[Word], values: &[u64], own: usize) -> Option<PassedOn> {
    let mut other = words[own..].iter().zip(&values[own..]).filter(|(word, value)| word.value != **value);
    let (word, wanted) = other.next()?;
    let same = words[own..].iter().zip(&values[own..]).filter(|(word, value)| word.value == **value);
    let others = || same.map(|(_, value)| *value).filter(|value| value != wanted).collect();
    let changes = || changes(&words[..own], &values[..own]);
    other.next().is_none().then(|| PassedOn { is: word.value, wanted: *wanted, others: others(), changes: changes() })
}

/// What the elements of 4 bytes at some addresses may become for a word that they lead to to be another: each different by the same bits, or by
/// the same number. What is only added to, or put together with another, before somebody asks differs as it did.
pub fn by_difference(request: &SteerRequest, mut addresses: Vec<u64>, (is, wanted): (u64, u64)) -> [Changes; 2] {
    addresses.sort_unstable();
    addresses.dedup();
    addresses.truncate(WORDS);
    let of = |new: &dyn Fn(u64) -> u64| {
        let change = |address: &u64| {
            let (input, (at, size)) =
                request.inputs.iter().find_map(|input| Some((input, input.find(*address, 4)?)))?;
            let word = new(input.word(at, size)) & mask(size);
            (size == 4 && input.allows(word, size))
                .then(|| (input.address + at as u64, word.to_le_bytes()[..size].to_vec()))
        };
        addresses.iter().filter_map(change).collect()
    };
    [of(&|word| word ^ is ^ wanted), of(&|word| word.wrapping_add(wanted).wrapping_sub(is))]
}

/// Registers that hang on where a thread is, as words that may be anything.
pub fn places(request: &SteerRequest, expression: &Expression, value: impl Fn(Reg) -> u64) -> Vec<Word> {
    let word = |(number, reg): (usize, &Reg)| {
        let size = match reg {
            Reg::R64(_) => 8,
            Reg::P(_) => 1,
            _ => 4,
        };
        // They lie nowhere.
        let address = u64::MAX - 8 * number as u64;
        Word { input: request.inputs.len(), address, size, registers: vec![Held::all(*reg, size)], value: value(*reg) }
    };
    expression.places.iter().take(PLACES).enumerate().map(word).collect()
}

/// What the registers hold if the words come to these values.
pub fn hint(words: &[Word], values: &[u64]) -> Hint {
    let words = words.iter().zip(values);
    words.flat_map(|(word, value)| word.registers.iter().map(|held| (*held, *value))).collect()
}

/// What changes of some words that come to what is known of their registers; nothing where it is not known of each.
pub fn as_known(words: &[Word], known: &[(Held, u64)]) -> Option<Changes> {
    let value = |word: &Word| known.iter().find(|(held, _)| word.registers.iter().any(|own| own.reg == held.reg));
    let values: Option<Vec<u64>> = words.iter().map(|word| value(word).map(|(_, value)| *value)).collect();
    Some(changes(words, &values?))
}

/// The words of inputs that a lane's condition is computed from.
pub fn words(
    code: &Code,
    expression: &Expression,
    request: &SteerRequest,
    address: impl Fn(u32) -> Option<u64>,
    value: impl Fn(Reg) -> u64,
) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    for leaf in &expression.leaves {
        let reg = leaf.register(code);
        let held = value(reg);
        let place = match *leaf {
            Leaf::Loaded { at, part } => loaded(code, request, (at, part), reg, &address),
            Leaf::Parameter(at) => parameter(code, request, at, reg),
            Leaf::Gathered(_) => None,
            Leaf::Passed(_) if words.iter().any(|word| word.registers.iter().any(|held| held.reg == reg)) => None,
            Leaf::Passed(_) => passed(request, held).map(|(input, at)| Place::new(input, (at, 4), Held::all(reg, 4))),
        };
        let Some(Place { input, at, size, register }) = place else { continue };
        let word = request.inputs[input].word(at, size);
        // What was loaded has been changed since, or is another load's by now.
        if (register.holds(word) ^ held) & mask(register.size) != 0 {
            continue;
        }
        let address = request.inputs[input].address + at as u64;
        if let Some(known) = words.iter_mut().find(|known| (known.address, known.size) == (address, size)) {
            known.registers.push(register);
        } else if words.len() < WORDS {
            words.push(Word { input, address, size, registers: vec![register], value: word });
        }
    }
    words
}

/// Where a word stands in an input, and the register that holds some of it.
struct Place {
    input: usize,
    at: usize,
    size: usize,
    register: Held,
}

impl Place {
    fn new(input: usize, (at, size): (usize, usize), register: Held) -> Self {
        Self { input, at, size, register }
    }
}

/// The elements that a load has brought.
fn loaded(
    code: &Code,
    request: &SteerRequest,
    (at, part): (u32, u32),
    reg: Reg,
    address: &impl Fn(u32) -> Option<u64>,
) -> Option<Place> {
    let Op::Load(index) = code.insts[at as usize].op else { return None };
    let access = &code.accesses[index as usize];
    let size = access.size as usize;
    let address = address(at)? + u64::from(part) * size as u64;
    let mut inputs = request.inputs.iter().enumerate();
    let (input, place) = inputs.find_map(|(index, input)| Some((index, input.find(address, size)?)))?;
    let from = (address - request.inputs[input].address) as usize - place.0;
    Some(Place::new(input, place, Held { from, signed: access.signed, ..Held::all(reg, size) }))
}

/// The size that a parameter, or a number of blocks, is made of.
fn parameter(code: &Code, request: &SteerRequest, at: u32, reg: Reg) -> Option<Place> {
    let (from, size) = match code.insts[at as usize].op {
        Op::Param32 { offset, .. } => (Origin::Offset(offset), 4),
        Op::Param64 { offset, .. } => (Origin::Offset(offset), 8),
        Op::Special32 { which: Special::Nctaid(axis), .. } => (Origin::Blocks(axis), 4),
        _ => return None,
    };
    let found = request.parameters.iter().find(|parameter| parameter.from == from)?;
    Some(Place::new(found.input, (0, 8), Held { made: found.made, ..Held::all(reg, size) }))
}

/// Where the only element of all inputs stands that is this one.
fn passed(request: &SteerRequest, word: u64) -> Option<(usize, usize)> {
    if word == 0 {
        return None;
    }
    let mut found = None;
    for (index, input) in request.inputs.iter().enumerate().filter(|(_, input)| input.element.size() == 4) {
        for (at, bytes) in input.bytes.as_chunks::<4>().0.iter().enumerate() {
            if u64::from(u32::from_le_bytes(*bytes)) == word {
                if found.is_some() {
                    return None;
                }
                found = Some((index, 4 * at));
            }
        }
    }
    found
}
