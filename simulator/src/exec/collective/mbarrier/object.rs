//! What an `mbarrier` object holds: 64 bits, which PTX leaves open. Ours, from the top: phase (1 bit), transactions pending (21 bits,
//! biased), copies (1 bit), unseen (1 bit), arrivals pending (20 bits), arrivals expected (20 bits).

use crate::isa::op::{Arrival, MbarrierKind};

const FIELD: u64 = (1 << 21) - 1;
const COUNT: u64 = (1 << 20) - 1;
const BIAS: u64 = 1 << 20;
const COPIES: u64 = 1 << 41;
/// The bit of [`Object::unseen`].
pub const UNSEEN: u64 = 1 << 40;

/// What must not be done with an object, and what to do instead.
pub type Misuse = (String, &'static str);

/// An object.
#[derive(Clone, Copy)]
pub struct Object {
    phase: u64,
    transactions: u64,
    /// An asynchronous copy has arrived, or brought bytes, in the phase under way.
    pub copies: bool,
    /// One had in the phase before, and nobody has asked yet whether that has ended.
    pub unseen: bool,
    pub pending: u64,
    expected: u64,
}

impl Object {
    /// From memory.
    pub fn unpack(bits: u64) -> Self {
        Self {
            phase: bits >> 63,
            transactions: bits >> 42 & FIELD,
            copies: bits & COPIES != 0,
            unseen: bits & UNSEEN != 0,
            pending: bits >> 20 & COUNT,
            expected: bits & COUNT,
        }
    }

    /// To memory.
    pub fn pack(self) -> u64 {
        let marks = if self.copies { COPIES } else { 0 } | if self.unseen { UNSEEN } else { 0 };
        let counts = (self.pending & COUNT) << 20 | self.expected & COUNT;
        self.phase << 63 | (self.transactions & FIELD) << 42 | marks | counts
    }

    /// What an operation with that operand, and of so many arrivals, changes; or why it must not be done.
    pub fn change(&mut self, kind: MbarrierKind, operand: u64, count: u64) -> Result<(), Misuse> {
        use MbarrierKind as Kind;
        let bytes = i64::from(operand as u32);
        match kind {
            Kind::Init => {
                if !(1..BIAS).contains(&count) {
                    return Err((format!("it is initialised with a count of {count}"), "it has to be 1 to 1048575"));
                }
                let (copies, unseen) = (false, false);
                *self = Self { phase: 0, transactions: BIAS, copies, unseen, pending: count, expected: count };
            }
            Kind::Arrive(Arrival { expects, drops, no_complete }) => {
                let count = if expects { 1 } else { count };
                self.expect(if expects { bytes } else { 0 })?;
                self.arrive(count)?;
                if drops {
                    self.expected = self.expected.wrapping_sub(count);
                }
                if no_complete && self.is_complete() {
                    let said = "the last arrival of a phase is made with .noComplete".to_owned();
                    return Err((said, "leave the modifier out"));
                }
            }
            Kind::CpAsyncArrive => self.arrive(count)?,
            Kind::ExpectTx => self.expect(bytes)?,
            Kind::CompleteTx => self.expect(-bytes)?,
            // One adds the arrival that it makes, the others change nothing.
            _ => {}
        }
        Ok(())
    }

    fn arrive(&mut self, count: u64) -> Result<(), Misuse> {
        if count == 0 {
            return Err(("an arrival counts 0".into(), "it has to count 1 at least"));
        }
        let Some(left) = self.pending.checked_sub(count) else {
            let many = if count == 1 { String::new() } else { format!(" that counts {count}") };
            return Err(match self.pending {
                0 if self.expected == 0 => (
                    format!("an arrival{many} where nobody is expected any more"),
                    "all have dropped out of it with mbarrier.arrive_drop",
                ),
                wanted => (
                    format!(
                        "an arrival{many} in a phase that wants {}",
                        if wanted == 0 { "no more".to_owned() } else { counted(wanted, "more arrival") }
                    ),
                    "a phase takes as many arrivals as the mbarrier was initialised with; who arrives again has to wait for its end first",
                ),
            });
        };
        self.pending = left;
        Ok(())
    }

    fn expect(&mut self, bytes: i64) -> Result<(), Misuse> {
        let expected = self.transactions.cast_signed() - BIAS.cast_signed() + bytes;
        if expected.unsigned_abs() >= BIAS {
            return Err((format!("a phase is to expect {expected} bytes"), "it can 1048575 at most"));
        }
        self.transactions = BIAS.wrapping_add_signed(expected);
        Ok(())
    }

    fn is_complete(self) -> bool {
        self.pending == 0 && self.transactions == BIAS
    }

    /// Has the phase ended that such a wait names by its parity, or by a state of it?
    pub fn has_ended(self, kind: MbarrierKind, operand: u64) -> bool {
        let parity = matches!(kind, MbarrierKind::TestWaitParity | MbarrierKind::TryWaitParity);
        self.phase != if parity { operand & 1 } else { operand >> 63 }
    }

    /// Ends the phase if nothing is missing; says whether it did.
    pub fn settle(&mut self) -> bool {
        let ends = self.is_complete();
        if ends {
            self.phase ^= 1;
            self.pending = self.expected;
            self.unseen = std::mem::take(&mut self.copies);
        }
        ends
    }
}

fn counted(count: u64, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// Why the phase of such an object does not end: "still wants 1 arrival and 512 bytes".
pub fn lacks(bits: u64) -> String {
    let object = Object::unpack(bits);
    let arrivals = (object.pending > 0).then(|| counted(object.pending, "arrival"));
    let early = BIAS.saturating_sub(object.transactions);
    let bytes = (object.transactions > BIAS).then(|| counted(object.transactions - BIAS, "byte"));
    let wanted: Vec<String> = arrivals.into_iter().chain(bytes).collect();
    match (wanted.as_slice(), early) {
        ([], 0) => "has ended already: the loop waits for another one".to_owned(),
        ([], early) => format!("got {} more than it was told to expect", counted(early, "byte")),
        (wanted, 0) => format!("still wants {}", wanted.join(" and ")),
        (wanted, early) => format!("still wants {}, and got {} too many", wanted.join(" and "), counted(early, "byte")),
    }
}
