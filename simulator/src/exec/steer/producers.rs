//! Who makes what others ask about.

use super::expression::{Writers, is_gathering, writers_around};
use crate::isa::decode::Decoded;
use crate::isa::op::{AddressSpace, Code, Op, Reg};
use std::collections::{BTreeSet, HashMap};

/// Operations that write what is passed on, at most.
const PRODUCERS: usize = 4;

/// Operations that make what is exchanged, passed to a function or stored for the block; where nothing is, what is stored for the next
/// launch.
pub fn producers(decoded: &Decoded, all: &mut HashMap<u32, Writers>) -> BTreeSet<u32> {
    let code = &decoded.code;
    let (mut near, mut far) = (BTreeSet::new(), BTreeSet::new());
    for (at, inst) in code.insts.iter().enumerate() {
        let (passes, producers) = match inst.op {
            Op::Store(index) if code.accesses[index as usize].space == AddressSpace::Global => {
                (code.accesses[index as usize].regs.clone(), &mut far)
            }
            Op::Store(index) => (code.accesses[index as usize].regs.clone(), &mut near),
            Op::Collective(_) => (code.sources(at as u32), &mut near),
            _ => continue,
        };
        let writers = writers_around(all, code, at as u32);
        for reg in passes.iter().filter(|reg| matches!(reg, Reg::R32(_))) {
            producers.extend(writers.get(reg).into_iter().flatten().take(PRODUCERS));
        }
    }
    if near.is_empty() { far } else { near }
}

/// Is what an operation makes put together with what it makes for other lanes: a vote, or a number of all of them?
pub fn is_gathered(code: &Code, at: u32) -> bool {
    let made = code.results(at);
    let info = &code.functions[code.origins[at as usize].function as usize];
    let mut others = info.start..info.start + info.len;
    others.any(|other| is_gathering(code, other) && code.sources(other).iter().any(|reg| made.contains(reg)))
}
