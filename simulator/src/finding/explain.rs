//! What a finding says: a sentence, and what helps to see why.

use super::{Access, Finding, FindingKind, MemoryLocation, Poll, Usage, race};
use std::fmt;

/// What a location is called; the number is how many bytes are accessed, where that is known. The simulator says
/// "`_ZE4tile` + 124"; who knows the source says `tile[31]`.
pub type Objects<'o> = dyn Fn(&MemoryLocation, Option<u32>) -> String + 'o;

/// Locations as the simulator calls them.
pub fn as_named(location: &MemoryLocation, _: Option<u32>) -> String {
    location.to_string()
}

/// How warps wait at a barrier that have come to several of that number.
pub(crate) const ELSEWHERE: &str = "in different places";

/// A finding in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Explanation {
    /// What happened, without a full stop.
    pub sentence: String,
    /// Who, why, and what to look at; a sentence each.
    pub details: Vec<String>,
}

/// Turns of a loop that are worth a word when a kernel is stopped in it.
pub(crate) const MANY_TURNS: u64 = 1000;

impl Finding {
    /// The finding in words.
    pub fn explain(&self, objects: &Objects<'_>) -> Explanation {
        let mut explanation = self.kind.explain(objects);
        let tells_lanes = matches!(
            self.kind,
            FindingKind::OutOfBounds { .. }
                | FindingKind::Misaligned { .. }
                | FindingKind::Uninitialised { .. }
                | FindingKind::Trap
        );
        #[cfg(not(target_family = "wasm"))]
        let tells_lanes = tells_lanes || matches!(self.kind, FindingKind::BlockAbsent { .. });
        if tells_lanes && self.place.lanes > 1 {
            explanation.details.insert(0, format!("{} lanes of the warp did the same", self.place.lanes));
        }
        explanation
    }
}

impl FindingKind {
    /// What was caught, in words.
    #[expect(clippy::too_many_lines, reason = "a table: a kind a row")]
    pub fn explain(&self, objects: &Objects<'_>) -> Explanation {
        let object = |access: &Access| match &access.object {
            MemoryLocation::Unknown => String::new(),
            object => format!(": {}", objects(object, Some(access.size))),
        };
        let advise = |advice: &str| vec![advice.to_owned()];
        let (sentence, details) = match self {
            Self::OutOfBounds { access } if access.what == "free" => {
                let whom = match &access.object {
                    MemoryLocation::Heap { offset: 0, freed: Some(_), .. } => "a block that has been freed already",
                    _ => "what malloc has not returned",
                };
                (format!("a free of {whom}{}", object(access)), Vec::new())
            }
            Self::OutOfBounds { access } => {
                let memory = match access.space.as_str() {
                    "const" => "constant",
                    "param" => "parameter",
                    space => space,
                };
                let outside = match &access.object {
                    MemoryLocation::Inside { .. } => {
                        format!("{} goes past its end", object(access).replacen(':', " at", 1))
                    }
                    MemoryLocation::Behind { lies_in: Some(_), .. }
                    | MemoryLocation::Before { lies_in: Some(_), .. } => {
                        format!(" outside of the array that its index is for{}", object(access))
                    }
                    _ => format!(" outside of {memory} memory{}", object(access)),
                };
                (format!("{}{outside}", noun(access)), Vec::new())
            }
            // Accesses have a power of two of bytes, and a bad address: this is a bulk copy of a bad size.
            Self::Misaligned { access } if !access.size.is_multiple_of(16) && access.address.is_multiple_of(16) => (
                format!("a copy of {}, which is not a multiple of 16{}", bytes(access.size), object(access)),
                Vec::new(),
            ),
            Self::Misaligned { access } => (
                format!("{} at an address that is not a multiple of {}{}", noun(access), access.size, object(access)),
                Vec::new(),
            ),
            Self::WriteToConstant { access } => (
                format!("a write to constant memory, which kernels can only read{}", object(access)),
                advise("the host sets it before the launch; what kernels write needs __device__ or a buffer"),
            ),
            Self::InputChanged { access } => (
                format!("{} to an input{}", noun(access), object(access)),
                advise("an input is only read, also where it is put back or gets the value that it has"),
            ),
            Self::Uninitialised { access, usage } => {
                let text = match &access.object {
                    variable @ (MemoryLocation::Register | MemoryLocation::Variable { .. }) => variable.to_string(),
                    #[cfg(not(target_family = "wasm"))]
                    _ if *usage == Usage::NotGiven => {
                        let sentence =
                            format!("printf's format asks for {} that no argument gives", bytes(access.size));
                        return Explanation { sentence, details: advise(ASKED) };
                    }
                    _ => {
                        let (size, space) = (bytes(access.size), &access.space);
                        format!("a read of {size} of {space} memory that nothing has written{}", object(access))
                    }
                };
                let asked = if *usage == Usage::Barrier { NO_BARRIER } else { unwritten(access) };
                (format!("{text}; {}", used_as(usage, objects)), advise(asked))
            }
            Self::Race { first, second, hidden_before_volta } => {
                race::explain(first, second, *hidden_before_volta, objects)
            }
            Self::LateWrite { first, second } => {
                let at = |access: &Access| match access.place.line {
                    0 => format!("PTX line {}", access.place.ptx_line),
                    line => format!("line {line}"),
                };
                let said = match first.what.as_str() {
                    "atomic" => "an atomic whose result nobody uses",
                    _ => "a volatile store",
                };
                let advice = format!(
                    "{} looked{} before the {} of {} in another block had arrived there: without a __threadfence() behind it, \
                     {said} may arrive long after what follows it",
                    at(second),
                    object(second).replacen(':', " at", 1),
                    first.what,
                    at(first),
                );
                ("a write of another block came late".to_owned(), vec![advice])
            }
            Self::OrderDependent { object, .. } => {
                (format!("`{object}` depends on the order in which threads run"), Vec::new())
            }
            Self::Trap => ("the kernel executed a trap".to_owned(), Vec::new()),
            Self::Assert { message } => (format!("an assert failed: {message}"), Vec::new()),
            Self::Deadlock { explanation } => {
                ("the threads wait for each other for ever".to_owned(), explanation.clone())
            }
            Self::Livelock { polls, explanation } => (
                "threads poll memory that nobody is left to change, for ever".to_owned(),
                polled(polls, objects).chain(explanation.iter().cloned()).collect(),
            ),
            Self::DivergentBarrier { explanation } => {
                let all = "not all threads of the block reach this barrier";
                let same = "not all threads of the block wait at the same barrier";
                let said = if explanation.ends_with(ELSEWHERE) { same } else { all };
                (said.to_owned(), advise(explanation))
            }
            #[cfg(not(target_family = "wasm"))]
            Self::BlockAbsent { access, .. } if access.what.starts_with("bulk") => {
                let reads = access.what == "bulk read";
                let (what, object) = (if reads { "reads" } else { "writes" }, object(access).replacen(':', ",", 1));
                (format!("the block ends while a bulk copy still {what} its shared memory{object}"), advise(COPYING))
            }
            #[cfg(not(target_family = "wasm"))]
            Self::BlockAbsent { access, exited } => (
                format!(
                    "{} in the shared memory of another block, which {}{}",
                    noun(access),
                    if *exited { "may have exited" } else { "may not have begun" },
                    object(access)
                ),
                advise(if *exited { EXITED } else { EARLY }),
            ),
            #[cfg(not(target_family = "wasm"))]
            Self::ClusterBarrier { explanation } => {
                ("the barrier of the cluster takes arrivals and waits in turn".to_owned(), advise(explanation))
            }
            Self::SyncMask { explanation, usage } => (
                "the lanes that execute this warp-wide instruction are not those that it names, or reads from"
                    .to_owned(),
                explanation.iter().cloned().chain(usage.as_ref().map(|usage| used_as(usage, objects))).collect(),
            ),
            Self::EndlessLoop { explanation, .. } => (
                "a loop never ends: what it depends on repeats from turn to turn".to_owned(),
                vec![explanation.clone()],
            ),
            Self::StepLimit { limit, turns, polls } => (
                format!("the kernel did not end: no block ended within {limit} warp instructions"),
                went_on(*turns, polls, objects),
            ),
            Self::Interrupted { steps, done, blocks, turns, polls } => (
                format!(
                    "the kernel did not end in the time that it had, {steps} warp instructions and {done} of {blocks} blocks on this machine"
                ),
                match (*done, *turns) {
                    (0, _) => went_on(*turns, polls, objects),
                    (_, 0) => advise(TOO_MUCH),
                    _ => advise(TOO_MUCH).into_iter().chain(went_on(*turns, polls, objects)).collect(),
                },
            ),
            Self::StackOverflow { limit } => (
                format!("a thread needs more than {limit} bytes of stack"),
                advise("look for a recursion without an end"),
            ),
            Self::StateLimit { limit } => (
                format!("the blocks that wait hold more than {limit} bytes of registers, local and shared memory"),
                Vec::new(),
            ),
            Self::BadJump { target } => (format!("a jump to {target:#x}, which is no code"), Vec::new()),
            Self::BadTexture { explanation } => {
                ("a texture or surface is used as what it is not".to_owned(), advise(explanation))
            }
            Self::BrokenPromise { what } => (
                what.clone(),
                advise("the assembler relies on it and leaves out what it rules out: a GPU does something else here"),
            ),
            Self::BadMbarrier { access, what, instead } => {
                (format!("an mbarrier is misused{}: {what}", object(access).replacen(':', ",", 1)), advise(instead))
            }
            Self::Unsupported { instruction } => (format!("the simulator does not know `{instruction}`"), Vec::new()),
            Self::Unwatched { addresses } => (
                format!("threads publish at more than {addresses} addresses: beyond them no races were looked for"),
                Vec::new(),
            ),
            Self::PrintfOverflow { dropped } => (format!("{dropped} bytes of printf output were dropped"), Vec::new()),
            Self::FindingsOverflow { dropped } => (format!("{dropped} more findings were dropped"), Vec::new()),
        };
        Explanation { sentence, details }
    }

    /// The limit that was reached, as [`crate::Limits`] calls it, and where it stands if it is known here.
    const fn limit(&self) -> Option<(&'static str, Option<u64>)> {
        Some(match self {
            Self::StepLimit { limit, .. } => ("steps", Some(*limit)),
            Self::StackOverflow { limit } => ("stack", Some(*limit)),
            Self::StateLimit { limit } => ("state", Some(*limit)),
            Self::PrintfOverflow { .. } => ("printf", None),
            Self::FindingsOverflow { .. } => ("findings", None),
            _ => return None,
        })
    }
}

/// The sentence with what a reader of PTX wants beside it: addresses, lines of the text, limits by their names, explanations.
impl fmt::Display for FindingKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.explain(&as_named).sentence)?;
        match self {
            Self::OutOfBounds { access }
            | Self::Misaligned { access }
            | Self::WriteToConstant { access }
            | Self::InputChanged { access }
            | Self::BadMbarrier { access, .. } => write!(f, "; at {:#x}", access.address),
            #[cfg(not(target_family = "wasm"))]
            Self::BlockAbsent { access, .. } => write!(f, "; at {:#x}", access.address),
            #[cfg(not(target_family = "wasm"))]
            Self::ClusterBarrier { explanation } => write!(f, "; {explanation}"),
            Self::Uninitialised { access, .. } => write!(f, "; read in PTX line {}", access.place.ptx_line),
            Self::Race { first, second, .. } | Self::LateWrite { first, second } => {
                write!(f, "; PTX lines {} and {}", first.place.ptx_line, second.place.ptx_line)
            }
            Self::Deadlock { explanation } | Self::SyncMask { explanation, .. } => {
                write!(f, "; {}", explanation.join("; "))
            }
            Self::Livelock { polls, explanation } => {
                let all: Vec<String> = polled(polls, &as_named).chain(explanation.iter().cloned()).collect();
                write!(f, "; {}", all.join("; "))
            }
            Self::DivergentBarrier { explanation } | Self::EndlessLoop { explanation, .. } => {
                write!(f, "; {explanation}")
            }
            _ => match self.limit() {
                Some((name, Some(limit))) => write!(f, "; the limit `{name}` is {limit}"),
                Some((name, None)) => write!(f, ": beyond the limit `{name}`"),
                None => Ok(()),
            },
        }
    }
}

/// "a load of 4 bytes", "an atomic of 8 bytes".
fn noun(access: &Access) -> String {
    let article = if access.what.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    format!("{article} {} of {}", access.what, bytes(access.size))
}

/// "1 byte", "4 bytes".
fn bytes(size: u32) -> String {
    if size == 1 { "1 byte".to_owned() } else { format!("{size} bytes") }
}

/// Who polls what, a sentence each.
fn polled<'p>(polls: &'p [Poll], objects: &'p Objects<'_>) -> impl Iterator<Item = String> + 'p {
    polls.iter().map(|poll| poll.say(|location| objects(location, None)))
}

/// What a value that nobody wrote was used for.
fn used_as(usage: &Usage, objects: &Objects<'_>) -> String {
    match usage {
        Usage::Address => "what it gives is used as an address".to_owned(),
        Usage::Condition => "what it gives decides where threads go".to_owned(),
        Usage::Barrier => "it is used as an mbarrier".to_owned(),
        #[cfg(not(target_family = "wasm"))]
        Usage::Printed | Usage::NotGiven => "printf writes it out".to_owned(),
        Usage::Output { object } => format!("what it gives ends up in {}", objects(object, None)),
    }
}

/// What to ask of a `printf` that writes what nobody gave it.
#[cfg(not(target_family = "wasm"))]
const ASKED: &str = "does the format ask for more arguments than there are, or for wider ones? Then whatever lies behind them is written";

/// What to ask of an mbarrier that is none.
const NO_BARRIER: &str = "does an mbarrier.init come before, ordered by a barrier, and no mbarrier.inval since?";

/// Where bytes that nobody wrote come from.
fn unwritten(access: &Access) -> &'static str {
    if let MemoryLocation::Variable { array, .. } = access.object {
        return if array { UNSET_ARRAY } else { UNSET };
    }
    match access.space.as_str() {
        "shared" => {
            "every block starts with unwritten shared memory: does some thread write these bytes, and is there a barrier \
             between its write and this read?"
        }
        "register" => "is it set on every way that leads here?",
        "local" => "the thread itself has to write them first: is every element set before it is read?",
        _ => {
            "outputs and scratch hold nothing until a kernel writes them: does an earlier launch write them all, or a thread \
             after which this read is ordered?"
        }
    }
}

/// What keeps a block from being there too late.
#[cfg(not(target_family = "wasm"))]
const EXITED: &str = "its memory ends with it: every block has to wait at a cluster.sync() before it leaves, behind the last access by others";

/// What keeps a block there until bulk copies are done.
#[cfg(not(target_family = "wasm"))]
const COPYING: &str = "its memory ends with it, and a copy goes on: the thread that began it has to wait until it has read \
     (cp.async.bulk.wait_group.read 0) before it exits; for one that completes at an mbarrier a thread of the block waits there, or for \
     somebody who has";

/// What keeps an access from coming too early.
#[cfg(not(target_family = "wasm"))]
const EARLY: &str = "blocks of a cluster begin one after the other: a cluster.sync() before the first access to another block makes sure \
     that all are there";

/// What gives a variable its first value.
const UNSET: &str = "a variable of a kernel holds anything until it is set, not 0: give it its first value where it is declared, or on every way";

/// What gives the elements of an array their first values.
const UNSET_ARRAY: &str =
    "an array of a kernel holds anything until it is set, not zeros: `= {}` at its declaration sets all elements to 0";

/// What a loop that does not end needs a look at.
pub const ENDLESS_ADVICE: &str =
    "look for a loop whose condition never changes, or a wait for something that never comes";

/// What a launch needs of which blocks do end.
const TOO_MUCH: &str = "blocks do end: this is more work than fits into that time, and a smaller size or more time may be all that it needs";

/// What a launch that was stopped did, and what to look for.
fn went_on<'p>(turns: u64, polls: &'p [Poll], objects: &'p Objects<'_>) -> Vec<String> {
    let advice = if polls.is_empty() { ENDLESS_ADVICE } else { POLLS_ADVICE };
    let stopped =
        if polls.is_empty() { stopped(turns) } else { format!("it was stopped after {turns} turns of this loop") };
    [stopped].into_iter().chain(polled(polls, objects)).chain([advice.to_owned()]).collect()
}

/// What a wait that does not end needs a look at.
const POLLS_ADVICE: &str = "which thread was to change that, and has it ended, or does it wait itself?";

/// Where a launch was stopped, after so many turns of its loop.
fn stopped(turns: u64) -> String {
    match turns {
        0..MANY_TURNS => "it was stopped in this line".to_owned(),
        turns => format!("it was stopped in this loop, after {turns} turns; how often is it to go round?"),
    }
}
