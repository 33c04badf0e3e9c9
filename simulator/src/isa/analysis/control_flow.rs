//! Where diverged lanes meet again: immediate post-dominators of branches, ways that end the thread halfway left out. A `Join` is
//! inserted before each such place and after each call, and labels become program counters.

use crate::isa::function::Builder;
use crate::isa::op::{Inst, NO_GUARD, NOWHERE, Op, Origin};

/// Marks targets that are label numbers, not yet program counters.
fn resolve(labels: &[u32], label: u32) -> Option<u32> {
    labels.get(label as usize).copied().filter(|&pc| pc != NOWHERE)
}

/// Successors of an operation within its function; `end` is the number of operations.
fn successors(builder: &Builder<'_>, at: u32, end: u32, out: &mut Vec<u32>) {
    let inst = &builder.insts[at as usize];
    out.clear();
    let falls = inst.guard != NO_GUARD;
    match inst.op {
        Op::Bra { target, .. } => {
            out.extend(resolve(&builder.labels, target));
            if falls {
                out.push(at + 1);
            }
        }
        Op::BrIndexed(index) => {
            let targets = &builder.code.indexed[index as usize].targets;
            out.extend(targets.iter().filter_map(|&label| resolve(&builder.labels, label)));
            if falls {
                out.push(at + 1);
            }
        }
        Op::Ret | Op::Exit | Op::Trap | Op::Returned | Op::Unsupported(_) => {
            out.push(end);
            if falls {
                out.push(at + 1);
            }
        }
        _ => out.push(at + 1),
    }
    out.retain(|&pc| pc <= end);
}

/// Finishes the function: appends a final `ret`, finds reconvergence points, inserts joins and places the operations
/// at `base` of the module's code.
pub fn place(builder: &mut Builder<'_>, base: u32) {
    // Falling off the end returns; an entry's return is an exit.
    let origin = builder.origins.last().copied().unwrap_or_default();
    let op = if builder.entry { Op::Exit } else { Op::Ret };
    builder.insts.push(Inst { op, guard: NO_GUARD, counted: 0 });
    builder.origins.push(Origin { ..origin });

    let end = builder.insts.len() as u32;
    let (starts, block_of) = blocks(builder, end);
    let joins = post_dominators(builder, &starts, &block_of, end);

    // Branch positions to their joins; places that need a join before them.
    let mut wanted = vec![false; end as usize + 1];
    for (at, inst) in builder.insts.iter().enumerate() {
        let branches = match inst.op {
            Op::Bra { .. } => inst.guard != NO_GUARD,
            Op::BrIndexed(_) => true,
            Op::Call(_) => {
                wanted[at + 1] = true;
                false
            }
            _ => false,
        };
        if branches && joins[at] != NOWHERE {
            wanted[joins[at] as usize] = true;
        }
    }
    let mut moved = vec![0u32; end as usize + 1];
    let mut next = base;
    for at in 0..=end as usize {
        moved[at] = next;
        next += 1 + u32::from(at < end as usize && wanted[at]);
    }
    let to = |pc: u32| if pc == NOWHERE { NOWHERE } else { moved[pc as usize] };
    let labels = std::mem::take(&mut builder.labels);
    let label_pc = |label: u32| resolve(&labels, label).map_or(NOWHERE, to);
    let (insts, origins) = (std::mem::take(&mut builder.insts), std::mem::take(&mut builder.origins));
    for (at, mut inst) in insts.into_iter().enumerate() {
        if wanted[at] {
            builder.code.insts.push(Inst { op: Op::Join, guard: NO_GUARD, counted: 0 });
            builder.code.origins.push(origins[at]);
        }
        match &mut inst.op {
            Op::Bra { target, join } => {
                *target = label_pc(*target);
                *join = to(joins[at]);
            }
            Op::BrIndexed(index) => {
                let indexed = &mut builder.code.indexed[*index as usize];
                indexed.join = to(joins[at]);
                for target in &mut indexed.targets {
                    *target = label_pc(*target);
                }
            }
            _ => {}
        }
        builder.code.insts.push(inst);
        builder.code.origins.push(origins[at]);
    }
}

/// First operations of basic blocks, and the block of each operation.
fn blocks(builder: &Builder<'_>, end: u32) -> (Vec<u32>, Vec<u32>) {
    let mut leader = vec![false; end as usize + 1];
    leader[0] = true;
    let mut next = Vec::new();
    for at in 0..end {
        let op = builder.insts[at as usize].op;
        let ends = matches!(op, Op::Ret | Op::Exit | Op::Trap | Op::Returned | Op::Unsupported(_));
        if ends || matches!(op, Op::Bra { .. } | Op::BrIndexed(_)) {
            successors(builder, at, end, &mut next);
            for &pc in &next {
                leader[pc as usize] = true;
            }
            leader[at as usize + 1] = true;
        }
    }
    let mut starts = Vec::new();
    let mut block_of = vec![0; end as usize];
    for at in 0..end as usize {
        if leader[at] {
            starts.push(at as u32);
        }
        block_of[at] = starts.len() as u32 - 1;
    }
    (starts, block_of)
}

/// For each operation that ends a block: the first operation of the block where its ways meet again.
///
/// That is the block's immediate post-dominator, but not if one of its ways ends the thread halfway: the others still meet, as on a
/// GPU, where a barrier for their warp knows who has left. So ways that only end are left out where others go on. A branch that decides
/// itself who ends has no place to meet but the end: the rest goes on at once, together.
fn post_dominators(builder: &Builder<'_>, starts: &[u32], block_of: &[u32], end: u32) -> Vec<u32> {
    let count = starts.len();
    let last = |block: usize| starts.get(block + 1).copied().unwrap_or(end) - 1;
    let mut edges: Vec<Vec<usize>> = vec![Vec::new(); count];
    let mut next = Vec::new();
    for (block, edges) in edges.iter_mut().enumerate() {
        successors(builder, last(block), end, &mut next);
        edges.extend(next.iter().map(|&pc| if pc >= end { count } else { block_of[pc as usize] as usize }));
    }
    let parent = nearest(&edges);
    let going_on = going_on(builder, starts, &edges, &parent);
    let among_them = if going_on == edges { parent.clone() } else { nearest(&going_on) };
    let mut joins = vec![NOWHERE; end as usize];
    for block in 0..count {
        let meets = if going_on[block] == edges[block] { among_them[block] } else { parent[block] };
        if meets < count {
            joins[last(block) as usize] = starts[meets];
        }
    }
    joins
}

/// The edges without those into blocks that only end the thread. Blocks from where nothing else can be reached keep theirs, so that
/// whatever got to the end still does.
fn going_on(builder: &Builder<'_>, starts: &[u32], edges: &[Vec<usize>], parent: &[usize]) -> Vec<Vec<usize>> {
    let count = edges.len();
    let ends = |block: usize| {
        let one = builder.insts.get(starts[block] as usize);
        one.is_some_and(|inst| inst.guard == NO_GUARD && matches!(inst.op, Op::Exit | Op::Trap))
    };
    let leaves = |&to: &usize| to < count && ends(to);
    let mut kept = edges.to_vec();
    for to in kept.iter_mut().filter(|to| !to.iter().all(leaves)) {
        to.retain(|to| !leaves(to));
    }
    loop {
        let now = nearest(&kept);
        let cut =
            |block: &usize| now[*block] == usize::MAX && parent[*block] != usize::MAX && kept[*block] != edges[*block];
        let cut: Vec<usize> = (0..count).filter(cut).collect();
        if cut.is_empty() {
            return kept;
        }
        for block in cut {
            kept[block].clone_from(&edges[block]);
        }
    }
}

/// Each block's immediate post-dominator, the number of blocks for the end, and `usize::MAX` where the end cannot be reached.
/// After Cooper, Harvey, Kennedy, "A Simple, Fast Dominance Algorithm", on the reversed graph.
fn nearest(edges: &[Vec<usize>]) -> Vec<usize> {
    let exit = edges.len();
    let mut reverse: Vec<Vec<usize>> = vec![Vec::new(); exit + 1];
    for (block, to) in edges.iter().enumerate() {
        to.iter().for_each(|&to| reverse[to].push(block));
    }
    // Post-order of the reversed graph from the exit, without recursion.
    let mut order = vec![usize::MAX; exit + 1];
    let mut sequence = Vec::new();
    let mut seen = vec![false; exit + 1];
    let mut stack = vec![(exit, 0)];
    seen[exit] = true;
    while let Some((node, child)) = stack.pop() {
        if let Some(&to) = reverse[node].get(child) {
            stack.push((node, child + 1));
            if !seen[to] {
                seen[to] = true;
                stack.push((to, 0));
            }
        } else {
            order[node] = sequence.len();
            sequence.push(node);
        }
    }
    let mut parent = vec![usize::MAX; exit + 1];
    parent[exit] = exit;
    let mut changed = true;
    while changed {
        changed = false;
        for &node in sequence.iter().rev().filter(|&&node| node != exit) {
            let mut best = usize::MAX;
            for &to in edges[node].iter().filter(|&&to| parent[to] != usize::MAX) {
                best = if best == usize::MAX { to } else { common_ancestor(&parent, &order, best, to) };
            }
            if best != parent[node] {
                parent[node] = best;
                changed = true;
            }
        }
    }
    parent
}

/// The nearest block that both are in the tree below.
fn common_ancestor(parent: &[usize], order: &[usize], mut a: usize, mut b: usize) -> usize {
    while a != b {
        while order[a] < order[b] {
            a = parent[a];
        }
        while order[b] < order[a] {
            b = parent[b];
        }
    }
    a
}
