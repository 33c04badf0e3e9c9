//! Which operations compute with nothing but a kernel's parameters and where a thread is: their results hang on the size, and on
//! no data.
//!
//! As with [`super::provenance`], no order is asked: a register is data if anything that writes it makes it so. One that is written in
//! several places is data, too, if a condition on data tells which of them was the last.

use super::fixed;
use crate::isa::op::{
    CallValue, Callee, Code, CollectiveFn, FunctionInfo, NO_GUARD, NOWHERE, Op, Reg, RegisterUse, Special, guard,
};
use crate::opcodes::Effect;
use std::ops::Range;

/// By operation of a module: is its result such a number?
pub fn by_size(code: &Code) -> Vec<bool> {
    let mut all = vec![false; code.insts.len()];
    let range = |info: &FunctionInfo| info.start as usize..(info.start + info.len) as usize;
    let functions = |passed: bool| -> Vec<Registers> {
        code.functions.iter().map(|info| data(code, info, range(info), passed)).collect()
    };
    // Where one function passes data to another, none of them knows its parameters.
    let alone = functions(false);
    let passes = |(info, data): (&FunctionInfo, &Registers)| range(info).any(|at| passes_any(code, at, data));
    let passed = code.functions.iter().zip(&alone).any(passes);
    let all_data = if passed { functions(true) } else { alone };
    for (info, data) in code.functions.iter().zip(all_data) {
        let range = range(info);
        for at in range {
            let mut results = 0;
            let op = &code.insts[at].op;
            let mut known = op.effect(code) == Effect::Pure || fixed::loads(code, op).is_some();
            code.insts[at].op.registers(code, &mut |reg, role| {
                if role == RegisterUse::Result && reg != Reg::None {
                    results += 1;
                    known &= !data.contains(reg);
                }
            });
            all[at] = known && results > 0;
        }
    }
    all
}

/// Registers of a function.
#[derive(Default)]
struct Registers {
    /// By kind, 64 in a word.
    words: [Vec<u64>; 3],
    len: usize,
}

impl Registers {
    /// Its kind, its word, and its bit there; nothing for [`Reg::None`].
    fn place(reg: Reg) -> Option<(usize, usize, u64)> {
        let (kind, number) = match reg {
            Reg::R32(number) => (0, number),
            Reg::R64(number) => (1, number),
            Reg::P(number) => (2, number),
            Reg::None => return None,
        };
        Some((kind, usize::from(number) / 64, 1 << (number % 64)))
    }

    fn contains(&self, reg: Reg) -> bool {
        let Some((kind, word, bit)) = Self::place(reg) else { return false };
        self.words[kind].get(word).is_some_and(|bits| bits & bit != 0)
    }

    /// Puts it there. Was it not before?
    fn insert(&mut self, reg: Reg) -> bool {
        let Some((kind, word, bit)) = Self::place(reg) else { return false };
        let words = &mut self.words[kind];
        if words.len() <= word {
            words.resize(word + 1, 0);
        }
        let fresh = words[word] & bit == 0;
        words[word] |= bit;
        self.len += usize::from(fresh);
        fresh
    }
}

/// The registers of a function that may hold data.
fn data(code: &Code, info: &FunctionInfo, range: Range<usize>, passed: bool) -> Registers {
    let insts = &code.insts[range.clone()];
    let (mut written, mut several) = (Registers::default(), Registers::default());
    let mut data = Registers::default();
    // Who calls a function with what is not asked.
    for value in &info.params {
        if let CallValue::Register(reg) = value {
            data.insert(*reg);
        }
    }
    for inst in insts {
        let fetched = fetches(code, &inst.op, passed);
        inst.op.registers(code, &mut |reg, role| {
            if role == RegisterUse::Result {
                if !written.insert(reg) {
                    several.insert(reg);
                }
                if fetched {
                    data.insert(reg);
                }
            }
        });
    }
    loop {
        let before = data.len;
        // Where operations begin, and cease, to be decided on by data: many branches may lie around one.
        let mut decides = vec![0i32; insts.len() + 1];
        for (at, inst) in insts.iter().enumerate() {
            let by_guard = data.contains(guard(inst.guard));
            let mut from_data = false;
            inst.op.registers(code, &mut |reg, role| from_data |= role != RegisterUse::Result && data.contains(reg));
            if from_data || by_guard {
                inst.op.registers(code, &mut |reg, role| {
                    if role == RegisterUse::Result && (from_data || several.contains(reg)) {
                        data.insert(reg);
                    }
                });
            }
            if let Op::Bra { target, join } = inst.op
                && by_guard
                && inst.guard != NO_GUARD
            {
                let Range { start, end } = decided(at, &[target, join], &range);
                if start < end {
                    decides[start] += 1;
                    decides[end] -= 1;
                }
            }
        }
        let mut around = 0;
        for (inst, more) in insts.iter().zip(&decides) {
            around += more;
            if around > 0 {
                inst.op.registers(code, &mut |reg, role| {
                    if role == RegisterUse::Result && several.contains(reg) {
                        data.insert(reg);
                    }
                });
            }
        }
        if data.len == before {
            return data;
        }
    }
}

/// The operations, counted within the function, between a branch and where it leads or its ways meet.
fn decided(at: usize, ends: &[u32], range: &Range<usize>) -> Range<usize> {
    let ends = ends.iter().filter(|end| **end != NOWHERE).map(|end| (*end as usize).saturating_sub(range.start));
    let (low, high) = ends.fold((at, at), |(low, high), end| (low.min(end), high.max(end)));
    low..high.min(range.len())
}

/// Does an operation write data to a parameter of another function, or to what it returns?
fn passes_any(code: &Code, at: usize, data: &Registers) -> bool {
    let Op::Store(index) = code.insts[at].op else { return false };
    let access = &code.accesses[index as usize];
    access.parameter && access.regs.iter().any(|reg| data.contains(*reg))
}

/// Does an operation's result come from elsewhere than its sources? `passed`: parameters of functions may be data.
fn fetches(code: &Code, op: &Op, passed: bool) -> bool {
    match *op {
        Op::Load(index) => (passed || !code.accesses[index as usize].parameter) && fixed::loads(code, op).is_none(),
        // What a shuffle passes on is what it was given; a vote counts conditions. Who is elected is asked of the warp.
        Op::Collective(index) => matches!(code.collectives[index as usize].f, CollectiveFn::Elect),
        Op::Call(index) => !matches!(code.calls[index as usize].callee, Callee::Printf),
        Op::Special32 { which, .. } | Op::Special64 { which, .. } => which.is_clock() || shows_machine(which),
        op => op.effect(code) != Effect::Pure,
    }
}

/// Does a register say more about the machine, or how the driver began, than about the launch?
fn shows_machine(which: Special) -> bool {
    matches!(
        which,
        Special::Stopped
            | Special::Smid
            | Special::Nsmid
            | Special::Warpid
            | Special::Nwarpid
            | Special::Gridid
            | Special::Envreg(_)
            | Special::TotalSmemSize
            | Special::AggregateSmemSize
            | Special::ReservedSmem
            | Special::ReservedForTiles
            | Special::Zero
    )
}

#[cfg(test)]
mod tests {
    use crate::Module;

    /// The opcodes of a kernel's operations that compute with sizes only.
    fn told(body: &str) -> Vec<String> {
        let ptx = format!(
            ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p, .param .u32 n)\n{{\n\
             .reg .pred %p<4>; .reg .b32 %r<9>; .reg .b64 %d<4>;\nld.param.u64 %d1, [p];\nld.param.u32 %r1, [n];\n{body}\nret;\n}}\n"
        );
        let module = Module::parse(&ptx).unwrap();
        let code = &module.decoded().code;
        let all = super::by_size(code);
        let known =
            all.iter().zip(&code.insts).zip(&code.origins).filter(|((by_size, inst), _)| **by_size && inst.counted > 0);
        known
            .map(|(_, origin)| code.opcodes[origin.opcode as usize].clone())
            .filter(|name| !name.starts_with("ld."))
            .collect()
    }

    #[test]
    fn parameters_and_places_make_sizes_and_loads_make_data() {
        let sizes = "mov.u32 %r2, %tid.x;\nshr.u32 %r3, %r1, 24;\nadd.u32 %r4, %r2, %r3;";
        assert_eq!(told(sizes), ["mov.u32", "shr.u32", "add.u32"]);
        let data = "ld.global.u32 %r2, [%d1];\nshr.u32 %r3, %r2, 24;\nmin.u32 %r4, %r3, %r1;\nsub.u32 %r5, %r1, 1;";
        assert_eq!(told(data), ["sub.u32"]);
        // A shuffle that asks for no predicate makes nothing data.
        let passed =
            format!("{data}\nshfl.sync.down.b32 %r8, %r2, 1, 31, -1;\nmov.u32 %r6, %tid.x;\npopc.b32 %r7, %r6;");
        assert_eq!(told(&passed), ["sub.u32", "mov.u32", "popc.b32"]);
        for machine in
            ["clock", "nwarpid", "warpid", "total_smem_size", "aggr_smem_size", "reserved_smem_offset_begin", "envreg1"]
        {
            let body = format!("mov.u32 %r2, %{machine};\nadd.u32 %r3, %r2, %r1;");
            assert_eq!(told(&body), <[&str; 0]>::default(), "{machine}");
        }
        assert_eq!(told("mov.u32 %r2, %dynamic_smem_size;\nadd.u32 %r3, %r2, %r1;"), ["mov.u32", "add.u32"]);
    }

    #[test]
    fn what_data_chooses_is_data() {
        let chosen = "ld.global.u32 %r2, [%d1];\nsetp.eq.u32 %p1, %r2, 0;\nmov.u32 %r3, 1;\n@%p1 bra DONE;\nmov.u32 %r3, %r1;\n\
                      shr.u32 %r4, %r1, 20;\nDONE:\nadd.u32 %r5, %r3, 1;\nadd.u32 %r6, %r4, 1;";
        // `r4` is written in one place only: what it holds is known.
        assert_eq!(told(chosen), ["shr.u32", "add.u32"]);
        let by_size = chosen.replace("setp.eq.u32 %p1, %r2, 0", "setp.eq.u32 %p1, %r1, 0");
        assert_eq!(told(&by_size), ["setp.eq.u32", "mov.u32", "mov.u32", "shr.u32", "add.u32", "add.u32"]);
    }
}
