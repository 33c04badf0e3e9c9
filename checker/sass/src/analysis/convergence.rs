//! Which `BSSY` a `BSYNC` belongs to. There are few convergence barriers, so that one after the other uses the same: a
//! `BSYNC` goes to the labels of those `BSSY` of its barrier that reach it, not of all of them.

use crate::{flow::Exits, instruction::Instruction, listing::Kernel, operand::File, operand::Operand};
use std::collections::{BTreeSet, HashMap};

/// The convergence barrier among an instruction's operands.
pub fn barrier(i: &Instruction) -> Option<u8> {
    i.operands.iter().find_map(|o| match o {
        Operand::Register(r) if r.file == File::Barrier => r.index,
        _ => None,
    })
}

/// Barriers that are armed: by the `BSSY` of that index, or by something else (`BMOV` puts a saved one back).
type Armed = BTreeSet<(u8, Option<usize>)>;

/// By the index of every `BSYNC` that is reached: where it goes. `starts` are the first instructions of the basic blocks,
/// `roots` the blocks where functions begin, `end` is one behind the last instruction.
pub fn joins(
    f: &Kernel,
    (starts, roots, end): (&[usize], &[usize], usize),
    exits: &[Exits],
    labels: &HashMap<&str, usize>,
) -> HashMap<usize, Vec<usize>> {
    let mut armed: Vec<Option<Armed>> = vec![None; starts.len()];
    let mut joins = HashMap::new();
    let mut work: Vec<usize> = roots.to_vec();
    for &root in roots {
        armed[root] = Some(Armed::new());
    }
    while let Some(block) = work.pop() {
        let mut here = armed[block].clone().unwrap_or_default();
        let range = starts[block]..starts.get(block + 1).copied().unwrap_or(end);
        let last = range.end - 1;
        for n in range {
            let i = &f.instructions[n];
            let (Some(barrier), mnemonic) = (barrier(i), i.opcode.mnemonic()) else { continue };
            let restored = mnemonic == "BMOV"
                && matches!(i.operands.first(), Some(Operand::Register(r)) if r.file == File::Barrier);
            if mnemonic == "BSSY" || restored {
                here.retain(|(armed, _)| *armed != barrier);
                here.insert((barrier, (!restored).then_some(n)));
            }
        }
        let i = &f.instructions[last];
        let mut targets = exits[last].targets.clone();
        if i.opcode.mnemonic() == "BSYNC" {
            let by: Vec<Option<usize>> =
                here.iter().filter(|(armed, _)| barrier(i) == Some(*armed)).map(|(_, by)| *by).collect();
            // Of one that is not known all labels are possible.
            if let (false, Some(by)) = (by.is_empty(), by.iter().copied().collect::<Option<Vec<usize>>>()) {
                let label = |n: usize| f.instructions[n].targets().filter_map(|t| labels.get(t).copied());
                targets = by.into_iter().flat_map(label).collect();
            }
            joins.insert(last, targets.clone());
        }
        if exits[last].falls_through && last + 1 < end {
            targets.push(last + 1);
        }
        for next in targets.iter().filter_map(|target| starts.binary_search(target).ok()) {
            let known = armed[next].get_or_insert_with(|| {
                work.push(next);
                Armed::new()
            });
            let before = known.len();
            known.extend(here.iter().copied());
            if known.len() > before {
                work.push(next);
            }
        }
    }
    joins
}

#[cfg(test)]
mod tests {
    use crate::{flow::loops, listing::parse};

    #[test]
    fn a_barrier_that_is_used_again_makes_no_loop() {
        let text = "\t.section\t.text.k,\"ax\"
/*0000*/ BSSY B0, `(.a) ;
/*0010*/ @P0 BRA `(.b) ;
/*0020*/ FADD R1, R1, R1 ;
.b:
/*0030*/ BSYNC B0 ;
.a:
/*0040*/ BSSY B0, `(.c) ;
/*0050*/ @P1 BRA `(.d) ;
/*0060*/ FADD R1, R1, R1 ;
.d:
/*0070*/ BSYNC B0 ;
.c:
/*0080*/ EXIT ;
";
        assert_eq!(loops(&parse(text).kernels.remove(0)), []);
        // The second round's branch goes back: now there is one, around both.
        let text = text.replace("EXIT", "@P2 BRA `(.a)");
        let found = loops(&parse(&text).kernels.remove(0));
        assert_eq!(found.iter().map(|l| (l.header, l.body.len())).collect::<Vec<_>>(), [(4, 5)]);
    }
}
