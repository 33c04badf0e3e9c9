//! Variables of a module that hold what their text gives them, whatever runs: what is loaded from them is no data, but a number like
//! one that stands in the code.

use crate::isa::op::{AccessOp, AddressSpace, Code, Op, Reg, Variable};

/// A variable's address, and what it holds.
pub type Fixed = (u64, Vec<u8>);

/// Of the variables with values of their own those in constant memory, and those in global memory to which no address leads but those
/// of loads. (A variable without any may be filled by the host.)
pub fn fixed(code: &Code, variables: &[Variable]) -> Vec<Fixed> {
    let is_fixed =
        |variable: &&Variable| !variable.init.is_empty() && (variable.constant || !leads_to(code, variables, variable));
    let held = |variable: &Variable| {
        let mut bytes = variable.init.clone();
        bytes.resize(variable.size as usize, 0);
        (variable.address, bytes)
    };
    variables.iter().filter(is_fixed).map(held).collect()
}

/// Does an address lead there other than that of a load?
fn leads_to(code: &Code, variables: &[Variable], to: &Variable) -> bool {
    let within = |address: u64| (to.address..to.address + to.size).contains(&address);
    let accessed = |access: &AccessOp| access.base == Reg::None && within(access.offset as u64);
    let words = |variable: &Variable| {
        let mut words = variable.init.windows(8).map(|word| word.try_into().map_or(0, u64::from_le_bytes));
        words.any(within)
    };
    code.functions.iter().any(|info| info.constants64.iter().any(|(_, value)| within(*value)))
        || variables.iter().any(words)
        || code.insts.iter().any(|inst| match inst.op {
            Op::Store(index) => accessed(&code.accesses[index as usize]),
            Op::Atomic(index) => {
                let atomic = &code.atomics[index as usize];
                atomic.base == Reg::None && within(atomic.offset as u64)
            }
            _ => false,
        })
}

/// What an operation loads from such a variable, register by register; nothing if it is none that does.
pub fn loads(code: &Code, op: &Op) -> Option<Vec<(Reg, u64)>> {
    let Op::Load(index) = *op else { return None };
    let access = &code.accesses[index as usize];
    let near = matches!(access.space, AddressSpace::Const | AddressSpace::Global) && !access.frame;
    if access.base != Reg::None || !near || access.size > 8 {
        return None;
    }
    let address = access.offset as u64;
    let (from, bytes) =
        code.fixed.iter().find(|(from, bytes)| (*from..from + bytes.len() as u64).contains(&address))?;
    let size = access.size as usize;
    let one = |(number, reg): (usize, &Reg)| {
        let at = (address - from) as usize + number * size;
        let mut word = [0; 8];
        word[..size].copy_from_slice(bytes.get(at..at + size)?);
        let (unused, word) = (64 - 8 * size as u32, u64::from_le_bytes(word));
        let word = if access.signed { ((word << unused) as i64 >> unused) as u64 } else { word };
        Some((*reg, word))
    };
    access.regs.iter().enumerate().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::loads;
    use crate::Module;

    /// What the loads of a kernel are known to bring.
    fn known(variables: &str, body: &str) -> Vec<Option<u64>> {
        let ptx = format!(
            ".version 8.0\n.target sm_90\n.address_size 64\n{variables}\n.visible .entry k(.param .u64 p)\n{{\n\
             .reg .b32 %r<9>; .reg .b64 %d<9>;\nld.param.u64 %d1, [p];\n{body}\nret;\n}}\n"
        );
        let module = Module::parse(&ptx).expect("PTX");
        let code = &module.decoded().code;
        let of = |inst: &crate::isa::op::Inst| Some(loads(code, &inst.op)?[0].1);
        code.insts.iter().filter(|inst| matches!(inst.op, crate::isa::op::Op::Load(_))).map(of).collect()
    }

    #[test]
    fn what_nobody_writes_to_holds_what_it_was_given() {
        let table = ".const .align 4 .b32 c[3] = {3, -7, 11};\n.global .align 4 .b32 g[2] = {5, 6};\n.const .align 4 .b32 e[2];";
        let body = "ld.const.s32 %r1, [c+4];\nld.global.u32 %r2, [g+4];\nld.const.u32 %r3, [e];";
        assert_eq!(known(table, body), [Some(-7_i64 as u64), Some(6), None], "the host fills what has no value");
        for writes in
            ["st.global.u32 [g], %r1;", "mov.u64 %d2, g;\nst.global.u32 [%d2], %r1;", "red.global.add.u32 [g], 1;"]
        {
            assert_eq!(known(table, &format!("ld.global.u32 %r2, [g+4];\n{writes}")), [None], "{writes}");
        }
        let pointer = format!("{table}\n.global .align 8 .u64 q = g;");
        assert_eq!(known(&pointer, "ld.global.u32 %r2, [g+4];"), [None], "a pointer to it");
    }
}
