//! What to try first about a failure, in one question or order.

use report::{Cause, Excerpt, Pattern, Reason, Verdict};
use simulator::finding::FindingName;

fn lanes_at(line: &str) -> String {
    format!("Which lanes of the warp are still there at {line}, and does the mask name those and no others?")
}

/// The one thing to try first about a failure.
pub fn try_first(reason: &Reason) -> Option<String> {
    let named = |excerpt: &Excerpt| format!("{}:{}", excerpt.file, excerpt.line);
    let place = reason.excerpts.last().map(named);
    let line = place.as_deref().unwrap_or("this line");
    let at = || place.as_ref().map(|place| format!(" in {place}")).unwrap_or_default();
    if let Some(cause) = reason.cause {
        return Some(by_cause(cause, line));
    }
    Some(match reason.verdict {
        // The assembler's words, of an exchange that names no lanes.
        Verdict::DoesNotCompile if reason.text.contains("without '.sync'") => format!(
            "Say in {} which lanes take part: `__any_sync(0xffffffff, x)` in the place of `__any(x)`; votes and shuffles all have such a form.",
            place?
        ),
        Verdict::DoesNotCompile | Verdict::BadKernelFile => format!("Correct {}.", place?),
        // Where a byte is wrong there is a place, elsewhere nothing but the sentence.
        Verdict::BadFile => {
            let bad = reason.excerpts.last()?;
            format!("Save {} as UTF-8, or write that character of line {} in another way.", bad.file, bad.line)
        }
        Verdict::BadLaunch => launch_line(reason)?,
        Verdict::OutOfBounds | Verdict::GuardDamaged => {
            format!("Which index does that thread compute{}, and what keeps it below the buffer's length?", at())
        }
        Verdict::Uninitialised => {
            // What is read comes first, what it is used for behind that.
            let read = reason.excerpts.first().map(named);
            let line = read.as_deref().unwrap_or(line);
            format!("Who was to write those bytes, and is it done before {line} runs?")
        }
        Verdict::WrongResult => match (&reason.element, &reason.only_under) {
            _ if reason.suspicion == Some(FindingName::LateWrite) => {
                let write = reason.excerpts.first().map_or(0, |write| write.line);
                format!(
                    "What makes sure that the write of line {write} has arrived before a thread of another block gets to {line}?"
                )
            }
            _ if reason.suspicion == Some(FindingName::SyncMask) => lanes_at(line),
            _ if reason.pattern == Some(Pattern::LongWait) => {
                "Who waits in a loop, and gives up or is let in before what it waits for is done?".to_owned()
            }
            (Some(element), Some(schedule)) => {
                format!("Which threads write {element}, and which of them may come first under {schedule}?")
            }
            (Some(element), None) => wrong_element(element, reason.pattern),
            (None, _) => {
                "Take the smallest size that fails and follow by hand a thread whose output is wrong.".to_owned()
            }
        },
        Verdict::NotVerified => format!(
            "Let what {line} asks come out so at a small size, too, or do without it: only what a size shows that is run whole can be \
             verified."
        ),
        Verdict::SyncMask => lanes_at(line),
        Verdict::Livelock => {
            format!(
                "Who was to change what is polled at {line}: has it ended, or does it wait itself, for something the poller holds?"
            )
        }
        Verdict::Deadlock => {
            format!("Which thread was to come to {line} too, or to go on first, and what does it wait for instead?")
        }
        Verdict::DivergentBarrier => format!(
            "Which if, loop or return on the way to {line} do not all threads of the block take alike? A barrier is for all of them."
        ),
        Verdict::Assert => {
            format!("Which values has the condition in {line} in that thread, and where do they come from?")
        }
        Verdict::Endless => {
            format!("What ends the loop at {}: what of its condition changes from turn to turn?", place?)
        }
        Verdict::Misaligned => "A wide access needs an index that is a multiple of its width.".to_owned(),
        Verdict::OrderDependent => {
            let element = reason.element.as_deref().unwrap_or("the first element that differs");
            format!(
                "Which threads write {element}, and what makes one of them come last? Where each of its values is right (a \
                 list in any order, ticket numbers), --check memory,races,uninitialised,barriers does not compare orders."
            )
        }
        Verdict::Race => race(&reason.excerpts)?,
        Verdict::Impossible => "Which part of the work is not done every time the kernel runs?".to_owned(),
        Verdict::InputChanged => "Write to the outputs only; an input is read by others too.".to_owned(),
        _ => return None,
    })
}

/// Where a launch cannot be made, unless the place is none of the lines that say how.
fn launch_line(reason: &Reason) -> Option<String> {
    let shown = reason.excerpts.last()?;
    let says_how = own_line(shown).is_none_or(|line| line.trim_start().starts_with("//@"));
    says_how.then(|| format!("Look at the `//@` line in {}:{}.", shown.file, shown.line))
}

/// What is to put two accesses in order.
fn race(excerpts: &[Excerpt]) -> Option<String> {
    let [one, other, ..] = excerpts else { return None };
    let named = |excerpt: &Excerpt| format!("{}:{}", excerpt.file, excerpt.line);
    Some(if (&one.file, one.line) == (&other.file, other.line) {
        if reads_another(one) {
            return Some(format!(
                "In {} a thread reads an element that another one writes: which barrier do all of them meet at, after one round and before \
                 the next?",
                named(one)
            ));
        }
        format!(
            "Several threads are in {} at once. Do they all update one place? Then one atomic has to do it (atomicAdd for +=); else what \
             makes one of them wait for the other?",
            named(one)
        )
    } else {
        format!("What makes {} of one thread come before or after {} of the other?", named(one), named(other))
    })
}

/// The line that an excerpt is about, of those that it shows.
fn own_line(excerpt: &Excerpt) -> Option<&str> {
    excerpt.lines.get(excerpt.line.saturating_sub(excerpt.first) as usize).map(String::as_str)
}

/// Does its line read another element than it writes, as in `s[t] += s[t + k]`? No atomic puts that in order.
fn reads_another(access: &Excerpt) -> bool {
    let Some((written, read)) = own_line(access).and_then(|line| line.split_once('=')) else { return false };
    let Some((name, index)) = written.split_once('[') else { return false };
    let name = name.rsplit(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default();
    let index = index.rsplit_once(']').map_or(index, |(index, _)| index);
    let element = format!("{name}[{index}]");
    !name.is_empty() && read.replace(&element, "").contains(&format!("{name}["))
}

/// What to try about a failure whose cause is known, at the place where it shows.
fn by_cause(cause: Cause, line: &str) -> String {
    match cause {
        Cause::Freed => {
            format!("Which thread frees that block, and what makes sure that nobody uses it any more, as {line} does?")
        }
        Cause::OtherThread => {
            format!(
                "Where does the pointer of {line} come from? A thread's own variables are for that thread alone: share them in __shared__ memory."
            )
        }
        Cause::NullPointer => {
            format!(
                "Where does the pointer of {line} come from, and who makes sure that it is not null (malloc gives null when the heap is full)?"
            )
        }
        Cause::Declared => {
            "What is its value to be before anything sets it? Say so where it is declared: a sum starts at 0, a maximum at the first element."
                .to_owned()
        }
        Cause::Variable => format!("On which way to {line} is that variable not set?"),
        Cause::NotGiven => format!(
            "Compare the format in {line} with its arguments one by one: is there one for each %, and as wide (%d is for an int, %lld for a long long)?"
        ),
        Cause::LeftOut => {
            "What is different at that size: is the grid held to fewer blocks, does a loop end a round early, does a \
                           condition or a short index leave threads idle?"
                .to_owned()
        }
        Cause::NoPointer => format!("Where does the pointer of {line} come from, and were the bytes that it was read from ever a pointer?"),
        Cause::TooMuch => "Take a smaller size, or give it more time (--limit SECONDS).".to_owned(),
        Cause::Mbarrier => format!(
            "What is waited for at {line} has to come: do as many threads arrive as it was initialised with, are as many bytes copied as were announced, and is it the phase \
             that is meant (parity 0, then 1, then 0, ...)?"
        ),
        Cause::BlockScope => format!(
            "Which blocks share what {line} updates? Their atomics need device scope: atomicAdd, not atomicAdd_block; thread_scope_device, not \
             thread_scope_block."
        ),
        Cause::CachedRead => format!(
            "Has {line} to see what this launch writes? Then read by a plain load: no __ldg, no texture, no `const ... __restrict__` of what is \
             written; else write to another buffer."
        ),
        Cause::DynamicShared => format!(
            "How many bytes of dynamic shared memory does {line} need? The launch's third number gives them: `k<<<grid, block, bytes>>>`."
        ),
        Cause::BadFree => format!(
            "Is what {line} frees what malloc returned, unchanged? A pointer that has been moved on, or one to other memory, cannot be freed."
        ),
        Cause::Returned => format!(
            "Where does the pointer of {line} come from? A function's local variables end with it: let its caller hand in the memory, or return values."
        ),
        Cause::Ended => format!(
            "Where does the pointer of {line} come from? Shared memory ends with its block, a local variable with its thread: what outlives them goes \
             to global memory."
        ),
        Cause::CopySize => {
            "Bulk copies take multiples of 16 bytes: round the size up where both sides have room, or copy the rest element by element.".to_owned()
        }
        Cause::NotCooperative => format!(
            "Make the launch cooperative for {line}: `//@ launch cooperative k<<<...>>>(...)`, as cudaLaunchCooperativeKernel does on a GPU."
        ),
    }
}

fn wrong_element(element: &str, pattern: Option<Pattern>) -> String {
    match pattern {
        Some(Pattern::NeverWritten | Pattern::Tail) => {
            format!(
                "Which thread is to write {element}: does the grid have one, and which condition keeps it from that?"
            )
        }
        Some(Pattern::Digits) => {
            format!(
                "Which step on the way to {element} rounds to a shorter type, or once more than it must, or leaves something out?"
            )
        }
        Some(Pattern::SecondRun) => {
            format!(
                "What does the kernel find where {element} comes from, when it runs again, and who was to set that back?"
            )
        }
        Some(Pattern::LongWait) | None => {
            format!("Which thread writes {element}? Follow it by hand: where does its value go wrong?")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(line: &str) -> String {
        let excerpt = |label: &str| Excerpt {
            file: "k.cu".into(),
            line: 7,
            column: None,
            length: None,
            label: label.into(),
            first: 6,
            lines: vec!["__syncthreads();".into(), line.into()],
        };
        race(&[excerpt("read by thread 0"), excerpt("write by thread 32")]).unwrap_or_default()
    }

    #[test]
    fn an_atomic_is_offered_where_it_would_do() {
        for line in
            ["count[0] += 1;", "h[x[i] >= 0 ? 1 : 0] = h[x[i] >= 0 ? 1 : 0] + 1;", "sum[c] = sum[c] + x[i];", "n++;"]
        {
            assert!(asked(line).contains("one atomic"), "{line}: {}", asked(line));
        }
        for line in ["low[t] = min(low[t], low[t + k]);", "s[t] += s[t + k];", "if (t < k) t2[r][c] += t2[r][c + k];"] {
            assert!(asked(line).contains("which barrier"), "{line}: {}", asked(line));
        }
    }

    #[test]
    fn who_does_not_end_or_meet_is_asked_a_question_with_the_place() {
        let excerpt = Excerpt {
            file: "k.cu".into(),
            line: 7,
            column: None,
            length: None,
            label: "thread 0".into(),
            first: 7,
            lines: vec!["while (i < n) {".into()],
        };
        let asked =
            |verdict| try_first(&Reason::new(verdict, "why").with_excerpts([excerpt.clone()])).unwrap_or_default();
        for (verdict, says) in [
            (Verdict::DivergentBarrier, "Which if, loop or return on the way to k.cu:7"),
            (Verdict::Assert, "the condition in k.cu:7"),
            (Verdict::Endless, "What ends the loop at k.cu:7"),
        ] {
            assert!(asked(verdict).contains(says), "{verdict:?}: {}", asked(verdict));
        }
        // Of a GPU there is no line.
        assert_eq!(
            try_first(&Reason::new(Verdict::Endless, "the kernel did not end within 10 s and was stopped")),
            None
        );
    }
}
