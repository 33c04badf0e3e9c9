//! Trees of traces that are written by hand, as the simulator records them.

use super::flow::Flow;
use super::{Grain, Line, Tree};
use simulator::observe::{AccessKind, Space};
use simulator::trace::{Event, Step, Trace, TracedWarp, What};

/// What warps do, an instruction each.
#[derive(Default)]
struct Script {
    trace: Trace,
    texts: Vec<String>,
}

impl Script {
    fn warps(warps: &[(u64, u32)]) -> Self {
        let warps = warps.iter().map(|&(block, warp)| TracedWarp { block, warp, lanes: 0xf }).collect();
        Self { trace: Trace { warps, ..Trace::default() }, texts: Vec::new() }
    }

    /// An instruction of a warp with what it does.
    fn does(mut self, warp: u32, text: &str, lanes: u32, what: What) -> Self {
        let place = self.texts.len() as u32;
        self.texts.push(text.to_owned());
        let step = self.trace.steps.len() as u32;
        let new = Step { warp, place, lanes, active: lanes, waiting: 0, live: 0xf, instructions: 1 };
        self.trace.steps.push(new);
        self.trace.events.push(Event { step, warp, place, lanes, what });
        self
    }

    fn memory(self, (warp, lanes): (u32, u32), space: Space, kind: AccessKind, addresses: &[u64]) -> Self {
        self.does(warp, "", lanes, What::Memory { space, kind, bytes: 4, addresses: addresses.to_vec() })
    }

    fn global(self, of: (u32, u32), kind: AccessKind, addresses: &[u64]) -> Self {
        self.memory(of, Space::Global, kind, addresses)
    }

    fn shared(self, of: (u32, u32), kind: AccessKind, addresses: &[u64]) -> Self {
        self.memory(of, Space::Shared, kind, addresses)
    }

    fn meet(self, warp: u32, text: &str) -> Self {
        self.does(warp, text, 0xf, What::Barrier)
    }

    fn tree(self, grain: Grain) -> Tree {
        let mut flow = Flow::new(grain);
        flow.launch(&self.trace, &self.texts);
        flow.finish()
    }
}

use AccessKind::{Atomic, Load, Store};

/// Four elements; lane 0 adds word 1 to 0 and lane 2 word 3 to 2, then lane 0 word 2 to 0, and stores that.
fn neighbours(barrier: &str) -> Script {
    Script::warps(&[(0, 0)])
        .global((0, 0xf), Load, &[512, 516, 520, 524])
        .shared((0, 0xf), Store, &[64, 68, 72, 76])
        .meet(0, barrier)
        .shared((0, 0b101), Load, &[68, 76])
        .shared((0, 0b101), Load, &[64, 72])
        .shared((0, 0b101), Store, &[64, 72])
        .meet(0, barrier)
        .shared((0, 1), Load, &[72])
        .shared((0, 1), Load, &[64])
        .shared((0, 1), Store, &[64])
        .meet(0, barrier)
        .shared((0, 1), Load, &[64])
        .global((0, 1), Store, &[4096])
}

#[test]
fn a_tree_in_shared_memory_is_what_its_lanes_touched() {
    let tree = neighbours("bar.sync 0;").tree(Grain::Threads);
    assert_eq!((tree.columns, tree.rounds(), tree.adds()), (4, 2, (3, 0)));
    assert_eq!(
        tree.words(),
        "Each thread loads one element. \
         Then: thread 0 stores word 0, thread 1 stores word 1, thread 2 stores word 2, thread 3 stores word 3. \
         A barrier of the block. Round 1: thread 0 adds 1 to 0, thread 2 adds 3 to 2. A barrier of the block. \
         Round 2: thread 0 adds 2 to 0. A barrier of the block. Then: thread 0 copies word 0 to word 0."
    );
    let instructions: Vec<u64> = tree.rows.iter().map(|row| row.instructions).collect();
    assert_eq!(instructions, [0, 3, 4, 4, 2]);
    let svg = tree.draw("t", "x");
    assert_eq!((svg.matches("class=\"busy\"").count(), svg.matches("class=\"idle\"").count()), (3, 5));
    // Lines, sums and threads at work of each round, so that a script can show them one by one.
    let steps = |round: usize| svg.matches(&format!("<g data-step=\"{round}\"")).count();
    assert_eq!((steps(1), steps(2), steps(3), steps(4), steps(5)), (2, 3, 3, 2, 0));
    assert!(svg.contains("data-says=\"Round 2: thread 0 adds 2 to 0. A barrier of the block.\""), "{svg}");
    assert!(!svg.contains("\n\n"));
}

/// Words 0 and 1 before a barrier, 2 and 3 after it: two rounds, although neither needs the other.
#[test]
fn what_comes_after_a_barrier_is_drawn_below_it() {
    let pair = |script: Script, lane: u32, words: [u64; 2]| {
        let script = script.shared((0, lane), Load, &words[1..]).shared((0, lane), Load, &words[..1]);
        script.shared((0, lane), Store, &words[..1])
    };
    let script = Script::warps(&[(0, 0)]).global((0, 0xf), Load, &[512, 516, 520, 524]).shared(
        (0, 0xf),
        Store,
        &[64, 68, 72, 76],
    );
    let script = pair(script, 0b1, [64, 68]).meet(0, "bar.sync 0;");
    let tree = pair(script, 0b100, [72, 76]).tree(Grain::Threads);
    assert_eq!(tree.rounds(), 2, "{}", tree.words());
}

#[test]
fn a_warp_s_barrier_is_another_line_than_a_block_s() {
    let lines = |tree: &Tree| tree.rows.iter().flat_map(|row| row.lines.clone()).collect::<Vec<_>>();
    let of = |barrier| lines(&neighbours(barrier).tree(Grain::Threads));
    assert_eq!(of("barrier.sync 0;"), [Line::Block; 3]);
    assert_eq!(of("bar.warp.sync -1;"), [Line::Warp; 3]);
    let drawn = neighbours("bar.warp.sync -1;").tree(Grain::Threads).draw("t", "x");
    assert_eq!(
        (drawn.matches("\"meet warp\"").count(), drawn.matches("\"meet\"").count()),
        (3 + 1, 0),
        "with the legend"
    );
}

fn down(from: [u32; 4]) -> What {
    What::Shuffle { from: from.to_vec() }
}

#[test]
fn sums_of_a_shuffle_that_nobody_uses_are_told_apart() {
    let tree = Script::warps(&[(0, 0)])
        .global((0, 0xf), Load, &[512, 516, 520, 524])
        .global((0, 0xf), Load, &[612, 616, 620, 624])
        .does(0, "", 0xf, down([2, 3, 2, 3]))
        .does(0, "", 0xf, down([1, 2, 3, 3]))
        .tree(Grain::Threads);
    assert_eq!(
        tree.words(),
        "Each thread loads 2 elements, 1 per load, and adds them. \
         Round 1: thread 0 takes that of 2, thread 1 takes that of 3. \
         Round 2: thread 0 takes that of 1; 2 more that nobody uses."
    );
    assert_eq!(tree.adds(), (3, 2));
    assert_eq!(tree.draw("t", "x").matches("sum unused").count(), 2);
}

/// Two warps leave a word each; in the first, two lanes take them, and the others begin with nothing.
#[test]
fn a_second_sum_begins_with_the_words_that_are_loaded() {
    let tree = Script::warps(&[(0, 0), (0, 1)])
        .global((0, 0b11), Load, &[512, 516])
        .global((1, 0b11), Load, &[520, 524])
        .does(0, "", 0b11, What::Shuffle { from: vec![1, 1] })
        .does(1, "", 0b11, What::Shuffle { from: vec![1, 1] })
        .shared((0, 1), Store, &[64])
        .shared((1, 1), Store, &[68])
        .meet(0, "bar.sync 0;")
        .meet(1, "bar.sync 0;")
        .shared((0, 0b11), Load, &[64, 68])
        .does(0, "", 0xf, down([1, 2, 3, 3]))
        .tree(Grain::Threads);
    let last = tree.rows.last().expect("rows");
    assert_eq!(last.adds.len(), 1, "lane 1 takes nothing from lane 2: {last:?}");
    assert_eq!((tree.columns, tree.rounds(), tree.adds()), (34, 2, (3, 0)));
    assert!(tree.words().contains("thread 0 stores word 0, thread 32 stores word 1. A barrier of the block."));
}

#[test]
fn blocks_that_add_to_one_word_queue() {
    let blocks = [(0, 0), (1, 0), (2, 0)];
    let each = |mut script: Script, of: fn(Script, u32) -> Script| {
        for block in 0..3 {
            script = of(script.global((block, 1), Load, &[512 + 4 * u64::from(block)]), block);
        }
        script
    };
    let queue =
        each(Script::warps(&blocks), |script, block| script.global((block, 1), Atomic, &[4096])).tree(Grain::Blocks);
    assert_eq!((queue.rounds(), queue.adds()), (3, (3, 0)));
    assert!(queue.words().ends_with("Round 3: block 2 adds its sum to word 0 by an atomic."), "{}", queue.words());
    // With a ticket, the last block adds all words.
    let ticket = each(Script::warps(&blocks), |script, block| {
        let inc = What::Memory { space: Space::Global, kind: Atomic, bytes: 4, addresses: vec![9000] };
        script.global((block, 1), Store, &[4096 + 4 * u64::from(block)]).does(block, "atom.global.inc.u32 %r1", 1, inc)
    });
    let ticket =
        ticket.global((2, 0b111), Load, &[4096, 4100, 4104]).global((2, 1), Store, &[8192]).tree(Grain::Blocks);
    assert!(
        ticket.words().ends_with(
            "Each block takes a ticket; block 2 has the last one. Round 1: block 2 adds 0, 1, 2 and stores word 0."
        ),
        "{}",
        ticket.words()
    );
    assert_eq!(ticket.draw("t", "x").matches("class=\"ticket\"").count(), 3 + 1, "with the legend");
}

#[test]
fn a_launch_s_words_are_no_elements_of_the_next() {
    let first = Script::warps(&[(0, 0)]).global((0, 0b11), Load, &[512, 516]).global((0, 0b11), Store, &[4096, 4100]);
    let second = Script::warps(&[(0, 0)]).global((0, 1), Load, &[4096]).global((0, 1), Load, &[4100]).global(
        (0, 1),
        Store,
        &[4096],
    );
    let mut flow = Flow::new(Grain::Threads);
    flow.launch(&first.trace, &first.texts);
    flow.launch(&second.trace, &second.texts);
    let tree = flow.finish();
    assert!(tree.words().ends_with("The launch ends. Round 1: thread 0 adds 1 to 0."), "{}", tree.words());
}

#[test]
fn a_kernel_that_only_copies_has_no_rounds() {
    let copy =
        Script::warps(&[(0, 0)]).global((0, 0xf), Load, &[0, 4, 8, 12]).global((0, 0xf), Store, &[512, 516, 520, 524]);
    assert_eq!(copy.tree(Grain::Threads).rounds(), 0);
}
