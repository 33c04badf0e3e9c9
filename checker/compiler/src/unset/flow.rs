//! Is a variable read where not every way to it has set it? As Java's definite assignment, but what is not understood counts
//! as an assignment, and an array as set by a loop over it.

use super::declared::{Local, Shape};
use super::text::Text;
use super::uses::{self, Does};
use crate::own::lexer::Kind;
use std::cell::Cell;
use std::collections::BTreeSet;
use std::ops::Range;

/// Functions that are looked into, one out of the other.
const DEEPEST: u32 = 3;
/// Statements and expressions inside of each other that are followed: compilers take more, and stacks are small.
const NESTED: u32 = 100;
/// Tokens that are looked at for all variables of a file: some hundredths of a second.
pub const ENOUGH: u64 = 1 << 22;

/// What is set of a variable.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Set {
    /// All of it; so it is where nothing comes to.
    all: bool,
    parts: BTreeSet<String>,
}

impl Set {
    fn whole() -> Self {
        Self { all: true, ..Self::default() }
    }

    /// What is set on both ways.
    fn meet(self, other: Self) -> Self {
        match (self.all, other.all) {
            (true, _) => other,
            (_, true) => self,
            _ => Self { all: false, parts: self.parts.intersection(&other.parts).cloned().collect() },
        }
    }
}

/// The walk over a variable's scope.
pub struct Flow<'t, 'a> {
    text: &'t Text<'a>,
    name: &'a str,
    shape: Shape<'a>,
    /// It is a pointer to what is asked for.
    pointer: bool,
    depth: u32,
    suspect: bool,
    /// What is set where a loop or a `switch` is left, by how they are nested.
    breaks: Vec<Set>,
    /// What is set where a `switch` begins; whether it has a `default`.
    switches: Vec<(Set, bool)>,
    returns: Set,
    /// Statements and expressions around the one that is looked at.
    nested: u32,
    /// Tokens that may still be looked at.
    left: &'t Cell<u64>,
}

impl<'t, 'a> Flow<'t, 'a> {
    /// May the variable be read before it is set? Takes what it looks at from what is `left`; of what nothing is left for nobody knows.
    pub fn suspects(text: &'t Text<'a>, local: &Local<'a>, left: &'t Cell<u64>) -> bool {
        let mut flow = Self::new(text, local.name, local.shape.clone(), (0, left));
        flow.list(local.scope.clone(), Set::default());
        flow.suspect && left.get() > 0
    }

    fn new(text: &'t Text<'a>, name: &'a str, shape: Shape<'a>, (depth, left): (u32, &'t Cell<u64>)) -> Self {
        let returns = Set::whole();
        let (breaks, switches) = (vec![Set::whole()], Vec::new());
        Self { text, name, shape, pointer: false, depth, suspect: false, breaks, switches, returns, nested: 0, left }
    }

    fn spend(&self, tokens: usize) {
        self.left.set(self.left.get().saturating_sub(tokens as u64));
    }

    /// May one more be looked at, inside of those around it?
    fn goes_on(&self) -> bool {
        self.spend(1);
        self.nested < NESTED && self.left.get() > 0
    }

    fn list(&mut self, range: Range<usize>, mut set: Set) -> Set {
        let mut at = range.start;
        while at < range.end && !self.suspect {
            let (next, after) = self.statement(at, range.end, set);
            at = next.max(at + 1);
            set = after;
        }
        set
    }

    /// Behind the statement that starts there, with what is set then.
    fn statement(&mut self, at: usize, until: usize, set: Set) -> (usize, Set) {
        if !self.goes_on() {
            return (until, Set::whole());
        }
        self.nested += 1;
        let behind = self.one(at, until, set);
        self.nested -= 1;
        behind
    }

    fn one(&mut self, at: usize, until: usize, set: Set) -> (usize, Set) {
        let text = self.text;
        let Some(word) = text.tokens.get(at).filter(|_| at < until).map(|token| token.text) else {
            return (until, set);
        };
        match word {
            "{" => {
                let end = text.partner(at).clamp(at + 1, until);
                (end + 1, self.list(at + 1..end, set))
            }
            "if" => self.branch(at, until, set),
            "for" if text.is(at + 1, "(") => self.counted(at, until, set),
            "while" if text.is(at + 1, "(") => {
                let close = text.partner(at + 1).clamp(at + 2, until);
                let endless = close == at + 3 && ["true", "1"].contains(&text.tokens[at + 2].text);
                let set = self.expression(at + 2..close, set);
                self.turns(close + 1, until, set, endless, false)
            }
            "do" => {
                let (next, set) = self.looped(at + 1, until, set);
                let end = text.find(next, until, ";");
                (end + 1, self.expression(next..end, set))
            }
            "switch" if text.is(at + 1, "(") => self.switch(at, until, set),
            "case" | "default" => {
                let colon = text.find(at, until, ":");
                let Some((begins, default)) = self.switches.last_mut() else { return (colon + 1, set) };
                *default |= word == "default";
                (colon + 1, set.meet(begins.clone()))
            }
            "asm" | "__asm__" => {
                let end = text.find(at, until, ";");
                (end + 1, self.assembly(at..end, set))
            }
            _ => self.simple(at, until, set),
        }
    }

    fn simple(&mut self, at: usize, until: usize, set: Set) -> (usize, Set) {
        let end = self.text.find(at, until, ";");
        let set = self.expression(at..end, set);
        let jumps = |word: &str| self.text.is(at, word);
        if jumps("break")
            && let Some(breaks) = self.breaks.last_mut()
        {
            *breaks = std::mem::take(breaks).meet(set);
        } else if jumps("return") {
            self.returns = std::mem::take(&mut self.returns).meet(set);
        } else if !jumps("continue") && !jumps("goto") {
            return (end + 1, set);
        }
        (end + 1, Set::whole())
    }

    fn branch(&mut self, at: usize, until: usize, set: Set) -> (usize, Set) {
        let text = self.text;
        let open = if text.is(at + 1, "constexpr") { at + 2 } else { at + 1 };
        if !text.is(open, "(") {
            return (at + 1, set);
        }
        let close = text.partner(open).clamp(open + 1, until);
        let set = self.expression(open + 1..close, set);
        let (next, then) = self.statement(close + 1, until, set.clone());
        if next < until && text.is(next, "else") {
            let (next, other) = self.statement(next + 1, until, set);
            return (next, then.meet(other));
        }
        (next, then.meet(set))
    }

    /// A loop with a head of three parts, or over a range.
    fn counted(&mut self, at: usize, until: usize, set: Set) -> (usize, Set) {
        let text = self.text;
        let close = text.partner(at + 1).clamp(at + 2, until);
        let parts = text.split(at + 2..close, ";");
        let [begin, condition, step] = parts.as_slice() else {
            let set = self.expression(at + 2..close, set);
            return self.turns(close + 1, until, set, false, false);
        };
        let set = self.expression(begin.clone(), set);
        let set = self.expression(condition.clone(), set);
        // A bound that is a constant is taken for one that is reached.
        let bound = condition.clone().last().map(|at| text.tokens[at]);
        let constant = |name: &str| name.len() > 1 && !name.contains(|c: char| c.is_lowercase());
        let some = bound.is_some_and(|bound| match bound.kind {
            Kind::Literal => bound.text != "0",
            _ => constant(bound.text),
        });
        let (next, set) = self.turns(close + 1, until, set, condition.is_empty(), some);
        (next, self.expression(step.clone(), set))
    }

    /// A loop's body, and what is set behind the loop: `endless` if only a `break` leads there, `some` if the body runs once at least.
    fn turns(&mut self, at: usize, until: usize, set: Set, endless: bool, some: bool) -> (usize, Set) {
        self.breaks.push(Set::whole());
        let (next, body) = self.statement(at, until, set.clone());
        let breaks = self.breaks.pop().unwrap_or_default();
        let behind = match () {
            () if endless => Set::whole(),
            () if some || matches!(self.shape, Shape::Array(_)) => body,
            () => set,
        };
        (next, behind.meet(breaks))
    }

    fn looped(&mut self, at: usize, until: usize, set: Set) -> (usize, Set) {
        self.turns(at, until, set, false, true)
    }

    fn switch(&mut self, at: usize, until: usize, set: Set) -> (usize, Set) {
        let close = self.text.partner(at + 1).clamp(at + 2, until);
        let set = self.expression(at + 2..close, set);
        self.breaks.push(Set::whole());
        self.switches.push((set.clone(), false));
        let (next, end) = self.statement(close + 1, until, Set::whole());
        let default = self.switches.pop().is_some_and(|(_, default)| default);
        let breaks = self.breaks.pop().unwrap_or_default();
        let left = end.meet(breaks);
        (next, if default { left } else { left.meet(set) })
    }

    /// Operands behind `"=r"` are written, those behind `"+r"` and `"r"` are read.
    fn assembly(&mut self, range: Range<usize>, mut set: Set) -> Set {
        let text = self.text;
        let operands = range.clone().filter(|at| text.is(*at, "(") && text.tokens[at - 1].kind == Kind::Literal);
        let (written, read): (Vec<usize>, Vec<usize>) =
            operands.partition(|open| text.tokens[open - 1].text.starts_with("\"="));
        for open in read {
            set = self.expression(open + 1..text.partner(open).min(range.end), set);
        }
        for open in written {
            let end = text.partner(open).min(range.end);
            if let Some(name) = (open..end).find(|at| self.names(*at)) {
                let part = uses::at(text, name, end, self.elements(), self.pointer).part;
                self.write(part, &mut set);
            }
        }
        set
    }

    fn elements(&self) -> bool {
        matches!(self.shape, Shape::Array(_)) || self.pointer
    }

    fn names(&self, at: usize) -> bool {
        self.text.names(at, self.name)
    }

    fn expression(&mut self, range: Range<usize>, mut set: Set) -> Set {
        let mut at = range.start;
        while at < range.end && !self.suspect {
            if !self.goes_on() {
                return Set::whole();
            }
            if !self.names(at) {
                at += 1;
                continue;
            }
            let found = uses::at(self.text, at, range.end, self.elements(), self.pointer);
            let next = found.end.max(at + 1);
            match found.does {
                Does::Nothing => {}
                Does::Call => set = Set::whole(),
                Does::Write(value) => {
                    let end = value.end;
                    self.nested += 1;
                    set = self.expression(value, set);
                    self.nested -= 1;
                    self.write(found.part, &mut set);
                    at = end.max(next);
                    continue;
                }
                Does::Address | Does::Read => {
                    let address = found.does == Does::Address;
                    match self.given(at, found.end, range.start, address) {
                        Given::Set => self.write(found.part.filter(|part| !part.is_empty()), &mut set),
                        Given::Unset if !self.has(found.part.as_deref(), &set) => self.suspect = true,
                        Given::No if address || self.elements() && found.end == at + 1 => set = Set::whole(),
                        Given::No if !self.has(found.part.as_deref(), &set) => self.suspect = true,
                        _ => {}
                    }
                }
            }
            at = next;
        }
        set
    }

    fn write(&self, part: Option<String>, set: &mut Set) {
        match part.filter(|part| !part.is_empty()) {
            Some(part) => set.parts.extend([part]),
            None => *set = Set::whole(),
        }
    }

    /// Is that part set?
    fn has(&self, part: Option<&str>, set: &Set) -> bool {
        let every = match &self.shape {
            Shape::Array(Some(many)) => set.parts.len() as u64 >= *many,
            Shape::Members(names) => {
                !names.is_empty() && names.iter().all(|name| set.parts.contains(&format!(".{name}")))
            }
            _ => false,
        };
        let known = |part: &str| set.parts.iter().any(|known| part.starts_with(known.as_str()));
        set.all || every || part.is_some_and(known)
    }

    /// What becomes of the variable as an argument.
    fn given(&self, at: usize, end: usize, from: usize, address: bool) -> Given {
        let text = self.text;
        let begins = if address { at - 1 } else { at };
        self.spend(begins.saturating_sub(from));
        let opens = |open: &usize| text.is(*open, "(") && text.partner(*open) >= end;
        let Some(open) = (from..begins).rev().find(opens) else { return Given::No };
        self.spend(text.partner(open) - from);
        let arguments = text.split(open + 1..text.partner(open), ",");
        let Some(position) = arguments.iter().position(|one| *one == (begins..end)) else { return Given::No };
        let callee = match text.name(open.wrapping_sub(1)) {
            Some(name) => name,
            // `load<4>(v)`
            None if text.is(open.wrapping_sub(1), ">") => {
                let start = (from..open).rev().find(|at| text.is(*at, "<"));
                start.and_then(|at| text.name(at.wrapping_sub(1))).unwrap_or_default()
            }
            None => return Given::No,
        };
        if text.macros.contains(callee) {
            return Given::Set;
        }
        let Some(function) = text.function(callee, arguments.len()) else {
            // Somebody else's function may set whatever it can reach.
            let reaches = address || self.elements() && end == at + 1;
            return if reaches || text.has_function(callee) { Given::Set } else { Given::No };
        };
        let parameter = &function.parameters[position];
        if !parameter.out || self.depth >= DEEPEST {
            return if parameter.out { Given::Set } else { Given::No };
        }
        let shape = match (&self.shape, end == at + 1) {
            _ if address || parameter.elements => Shape::Array(None),
            (shape, true) => shape.clone(),
            _ => Shape::Scalar,
        };
        let mut inside = Flow::new(text, parameter.name, shape, (self.depth + 1, self.left));
        inside.pointer = parameter.elements;
        let set = inside.list(function.body.clone(), Set::default()).meet(inside.returns.clone());
        let whole = inside.has(Some(""), &set) || inside.has(None, &set) || self.elements() && !set.parts.is_empty();
        if inside.suspect || !whole { Given::Unset } else { Given::Set }
    }
}

/// What a function does to an argument.
enum Given {
    /// It sets it, or may do so.
    Set,
    /// It reads it first, or does not set it on every way.
    Unset,
    /// It is no argument, or a value.
    No,
}
