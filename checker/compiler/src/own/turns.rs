//! Loops of made lines: what the host launches turn by turn, as many turns of it as are run in a moment.

use super::heads::KernelHead;
use super::host::{Constants, Counting, Value};
use super::launch_lines::Common;
use super::lexer::tokens;

/// Most turns of all of a launch's loops together.
const MOST: usize = 64;

/// A kernel's loops as lines: the beginnings of those that are not open yet. `open` are those around the line before.
pub fn lines(open: &mut Vec<Counting>, wanted: &[Counting]) -> Vec<String> {
    let same = open.iter().zip(wanted).take_while(|(one, other)| one == other).count();
    let mut lines: Vec<String> = Vec::new();
    while open.len() > same {
        open.pop();
        lines.push(format!("//@ {}end", "  ".repeat(open.len())));
    }
    for one in &wanted[same..] {
        let Counting { counter, from, test, next, .. } = one;
        lines.push(format!("//@ {}for ({counter} = {from}; {test}; {counter} = {next})", "  ".repeat(open.len())));
        open.push(one.clone());
    }
    lines
}

/// The loops that a kernel's line stands in; none if a name of theirs is something else's, or if they take too many turns.
pub fn of(kernel: &KernelHead, common: &Common) -> Vec<Counting> {
    let Some(host) = kernel.host.as_ref().filter(|host| host.arguments.len() >= kernel.parameters.len()) else {
        return Vec::new();
    };
    let counted = host.arguments.iter().all(|one| !one.counter || one.counted.is_some());
    let free = host.loops.iter().all(|one| !common.names(&one.counter));
    let few = || turns(&host.loops, &mut Vec::new(), &mut 0).is_some();
    if counted && free && few() { host.loops.clone() } else { Vec::new() }
}

/// Counts the turns of loops in each other; nothing if they are too many.
fn turns(loops: &[Counting], known: &mut Vec<(String, i64)>, all: &mut usize) -> Option<()> {
    let Some((first, inner)) = loops.split_first() else {
        *all += 1;
        return (*all <= MOST).then_some(());
    };
    let mut value = number(&first.from, known)?;
    for _ in 0..=MOST {
        known.push((first.counter.clone(), value));
        let next = match number(&first.test, known)? {
            0 => None,
            _ => {
                turns(inner, known, all)?;
                Some(number(&first.next, known)?)
            }
        };
        known.pop();
        match next {
            Some(next) => value = next,
            None => return Some(()),
        }
    }
    None
}

/// What a piece is worth, counters being what they are.
fn number(text: &str, known: &[(String, i64)]) -> Option<i64> {
    let before: String = known.iter().map(|(name, value)| format!("{name} = {value};\n")).collect();
    let whole = format!("{before}{text}");
    let all = tokens(&whole);
    let from = all.partition_point(|token| token.start < before.len());
    Constants::of(&all[..from], &[]).value(&all[from..]).and_then(Value::number)
}
