//! Clocks know what was told to them and what they were joined with, whatever the order, and share what they have in
//! common.

use super::super::cells::epoch::{Epoch, How};
use super::super::happens_before::clock::{Clock, Fact};
use crate::observe::AccessKind;
use crate::random::Random;

fn fact(block: u32, phase: u32, thread: u32, clock: u32) -> Fact {
    Fact { block, phase, thread, clock, warp_clock: 0, copies: 0 }
}

fn access(block: u32, phase: u32, thread: u32, clock: u32, copy: bool) -> Epoch {
    let how = How { copy, ..How::plain(AccessKind::Store) };
    Epoch::new(u64::from(block), thread, 0, phase, clock, how)
}

fn of(facts: &[Fact]) -> Clock {
    let mut clock = Clock::default();
    facts.iter().for_each(|fact| clock.learn(*fact));
    clock
}

#[test]
fn a_fact_is_known_and_no_more_than_that() {
    let clock = of(&[fact(7, 2, 40, 5)]);
    for (phase, thread, at, known) in [(2, 40, 4, true), (2, 40, 5, false), (2, 41, 4, false), (1, 41, 9, true)] {
        assert_eq!(clock.knows(access(7, phase, thread, at, false)), known, "phase {phase}, thread {thread}, {at}");
    }
    assert!(!clock.knows(access(8, 0, 40, 0, false)), "another block");
    assert!(!clock.knows(access(7, 0, 40, 0, true)), "a copy under way");
    let copied = of(&[Fact { copies: 3, ..fact(7, 0, 40, 5) }]);
    assert!(copied.knows(access(7, 0, 40, 2, true)) && !copied.knows(access(7, 0, 40, 3, true)));
    let warp = of(&[Fact { warp_clock: 4, ..fact(7, 0, 40, 5) }]);
    assert!(warp.knows(access(7, 0, 41, 3, false)) && !warp.knows(access(7, 0, 41, 4, false)));
}

#[test]
fn a_join_knows_what_either_side_knows() {
    let mut state = Random(5);
    let mut known = 0;
    for _ in 0..300 {
        // Near blocks and far ones, so that trees of every height meet.
        let mut facts = |count: u64| {
            let mut one = || {
                let bits = state.below(33);
                let block = (state.below(1 << 32) >> bits) as u32;
                let (phase, warp) = (state.below(2) as u32, state.below(2) as u32);
                let clock = phase * 10 + 1 + state.below(4) as u32;
                Fact { warp_clock: phase * 10 + warp, ..fact(block, phase, state.below(70) as u32, clock) }
            };
            (0..count).map(|_| one()).collect::<Vec<_>>()
        };
        let (x, y) = (facts(6), facts(6));
        let (a, b) = (of(&x), of(&y));
        let (mut both, mut other) = (a.clone(), b.clone());
        both.join(&b);
        other.join(&a);
        for fact in x.iter().chain(&y) {
            // A thread's clock goes up with the phases.
            for (phase, thread, clock) in
                [(0, 0, 0), (0, fact.thread, 2), (1, fact.thread, 12), (1, fact.thread ^ 1, 10)]
            {
                let epoch = access(fact.block, phase, thread, clock, false);
                let either = a.knows(epoch) || b.knows(epoch);
                assert_eq!((both.knows(epoch), other.knows(epoch)), (either, either), "{x:?} {y:?} {epoch:?}");
                known += u32::from(either);
            }
        }
    }
    assert!(known > 1000, "{known}");
}

#[test]
fn a_join_that_brings_nothing_new_takes_no_memory() {
    let all: Vec<Fact> = (0..100).map(|block| fact(block, 0, 0, 3)).collect();
    let (most, few) = (of(&all), of(&all[20..60]));
    let mut joined = most.clone();
    joined.join(&few);
    assert!(joined.is_same(&most));
    // What both know is in two places, and one of them is enough.
    let mut joined = few.clone();
    joined.join(&most);
    assert!(joined.is_same(&most) && joined.knows(access(99, 0, 0, 2, false)));
}
