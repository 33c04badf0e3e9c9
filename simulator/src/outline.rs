//! What stands in PTX text outside of functions' bodies, and what bodies do with constant variables: for those who look at a
//! module without running it. Nothing in a body can be unknown here.

use crate::module::Param;
use crate::ptx::ast::{Function, Instruction, Operand, Statement, Tree, VarSpace};
use std::collections::{BTreeSet, HashSet};

/// An `.entry` up to its body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    /// Name in the PTX.
    pub name: String,
    /// Parameters in order.
    pub params: Vec<Param>,
    /// `.maxntid` or `.reqntid`, as threads a block.
    pub max_threads: Option<u32>,
    /// `.reqntid`: the block's extents, exactly.
    pub required_block: Option<[u32; 3]>,
    /// `.reqnctapercluster`: a cluster's extents in blocks.
    pub cluster: Option<[u32; 3]>,
}

/// A module's declarations.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Outline {
    /// Its kernels.
    pub kernels: Vec<Head>,
    /// Names and bytes of its variables in global memory.
    pub variables: Vec<(String, u64)>,
}

impl Outline {
    /// Of text that cannot be read to its end, what stands before the mistake: who runs it says what is wrong.
    pub fn read(ptx: &str) -> Self {
        let tree = crate::ptx::parse_declarations(ptx);
        let head = |function: &Function| Head {
            name: function.name.clone(),
            params: function.prototype.params.iter().map(Param::of).collect(),
            max_threads: function.max_threads,
            required_block: function.required_block,
            cluster: function.cluster,
        };
        let variables = tree.vars.iter().filter(|var| var.space == VarSpace::Global);
        Self {
            kernels: tree.functions.iter().filter(|function| function.entry).map(head).collect(),
            variables: variables.filter_map(|var| Some((var.name.clone(), var.size?))).collect(),
        }
    }

    /// The kernel of that name.
    pub fn kernel(&self, name: &str) -> Option<&Head> {
        self.kernels.iter().find(|kernel| kernel.name == name)
    }
}

/// What code does with addresses that are made of constant variables'.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ConstantUse {
    /// It reads at most.
    Read,
    /// It gives one to a function.
    Given,
    /// A store or an atomic goes there.
    Written,
}

impl ConstantUse {
    /// Follows registers, instruction by instruction, through moves, additions and conversions, as unoptimised code has them.
    /// Of text that cannot be read it says nothing: [`Self::Read`].
    pub fn of(ptx: &str) -> Self {
        let Ok(tree) = crate::ptx::parse(ptx, &crate::Limits::default()) else { return Self::Read };
        let constants: HashSet<&str> = names(&tree);
        if constants.is_empty() {
            return Self::Read;
        }
        let mut found = Self::Read;
        for body in tree.functions.iter().filter_map(|function| function.body.as_deref()) {
            let mut walk = Walk { constants: &constants, made: HashSet::new(), given: false, found };
            walk.statements(body);
            found = walk.found;
        }
        found
    }
}

/// Does the text have an instruction of that name? True where it cannot be read.
pub fn has_instruction(ptx: &str, mnemonic: &str) -> bool {
    fn any(statements: &[Statement], mnemonic: &str) -> bool {
        statements.iter().any(|statement| match statement {
            Statement::Instruction(instruction) => instruction.opcode.split('.').next() == Some(mnemonic),
            Statement::Block(inner) => any(inner, mnemonic),
            _ => false,
        })
    }
    let Ok(tree) = crate::ptx::parse(ptx, &crate::Limits::default()) else { return true };
    tree.functions.iter().filter_map(|function| function.body.as_deref()).any(|body| any(body, mnemonic))
}

/// The kernels that may make 0 of a subnormal number in single precision: by an instruction with `.ftz`, or by adding to global memory
/// (PTX ISA, `atom`, `red`). A function of the module is any kernel's. Text that cannot be read has no kernels.
pub fn flushing_kernels(ptx: &str) -> BTreeSet<String> {
    fn any(statements: &[Statement]) -> bool {
        statements.iter().any(|statement| match statement {
            Statement::Instruction(instruction) => flushes(&instruction.opcode),
            Statement::Block(inner) => any(inner),
            _ => false,
        })
    }
    let Ok(tree) = crate::ptx::parse(ptx, &crate::Limits::default()) else { return BTreeSet::new() };
    let flushes = |function: &Function| function.body.as_deref().is_some_and(any);
    let shared = tree.functions.iter().any(|function| !function.entry && flushes(function));
    let kernels = tree.functions.iter().filter(|function| function.entry && (shared || flushes(function)));
    kernels.map(|kernel| kernel.name.clone()).collect()
}

/// Does an instruction of that name? An address without a space may be one of global memory.
fn flushes(opcode: &str) -> bool {
    let mut parts = opcode.split('.');
    let base = parts.next().unwrap_or_default();
    let has = |wanted: &str| opcode.split('.').any(|part| part == wanted);
    let adds = match base {
        // Shared memory's numbers stay as small as they are.
        "atom" | "red" => !parts.any(|part| part.starts_with("shared")),
        "multimem" => true,
        "cp" => has("reduce"),
        _ => false,
    };
    has("ftz") || adds && has("add") && (has("f32") || has("f32x2"))
}

fn names(tree: &Tree) -> HashSet<&str> {
    tree.vars.iter().filter(|var| var.space == VarSpace::Const).map(|var| var.name.as_str()).collect()
}

/// One function's registers.
struct Walk<'t> {
    constants: &'t HashSet<&'t str>,
    /// Registers whose value is made of a constant variable's address.
    made: HashSet<&'t str>,
    /// One of them was given to a function.
    given: bool,
    found: ConstantUse,
}

impl<'t> Walk<'t> {
    fn statements(&mut self, statements: &'t [Statement]) {
        for statement in statements {
            match statement {
                Statement::Instruction(instruction) => self.instruction(instruction),
                Statement::Block(inner) => self.statements(inner),
                Statement::Label(_)
                | Statement::Loc(..)
                | Statement::Reg { .. }
                | Statement::Var(_)
                | Statement::Targets(..)
                | Statement::UsedBytes(_)
                | Statement::Prototype(..) => {}
            }
        }
    }

    fn instruction(&mut self, instruction: &'t Instruction) {
        let operands = instruction.operands.as_slice();
        let mut parts = instruction.opcode.split('.');
        let base = parts.next().unwrap_or_default();
        match (base, operands) {
            ("st", [_, value, ..])
                if parts.next().is_some_and(|space| space.starts_with("param")) && self.is_made(value) =>
            {
                self.given = true;
                self.found = self.found.max(ConstantUse::Given);
            }
            ("st" | "red" | "atom", operands) => {
                let address = operands.iter().find(|operand| matches!(operand, Operand::Address(_)));
                if address.is_some_and(|address| self.is_made(address)) {
                    self.found = ConstantUse::Written;
                }
            }
            // The built-in atomics are functions where nothing is optimised.
            ("call", operands) => {
                let atomic = |operand: &Operand| matches!(operand, Operand::Name(name, _) if name.contains("tomic"));
                if self.given && operands.iter().any(atomic) {
                    self.found = ConstantUse::Written;
                }
            }
            ("mov" | "cvta" | "add" | "sub" | "selp", [Operand::Name(to, _), sources @ ..])
                if sources.iter().any(|source| self.is_made(source)) =>
            {
                self.made.insert(to);
            }
            _ => {}
        }
    }

    /// Is it, or is something in it, made of a constant variable's address?
    fn is_made(&self, operand: &Operand) -> bool {
        match operand {
            Operand::Name(name, _) => self.made.contains(name.as_str()) || self.constants.contains(name.as_str()),
            Operand::Address(all) | Operand::Vector(all) | Operand::List(all) => {
                all.iter().any(|inner| self.is_made(inner))
            }
            Operand::Pair(a, b) => self.is_made(a) || self.is_made(b),
            Operand::Not(inner) | Operand::Negated(inner) => self.is_made(inner),
            Operand::Int(_) | Operand::F32(_) | Operand::F64(_) | Operand::Sink => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{ConstantUse, Outline, flushing_kernels, has_instruction};

    /// Heads as NVRTC 13 writes them.
    const PTX: &str = ".version 9.3\n.target sm_90\n.address_size 64\n.global .align 1 .b8 g[68719476736];\n\
        .visible .global .align 4 .f32 x;\n.visible .global .align 8 .b64 table[4] = {1};\n.const .align 4 .b8 c[8];\n\
        .visible .entry _Z4treePKfPfi8(\n\t.param .u64 .ptr .align 1 _Z4treePKfPfi8_param_0\n)\n{\n\tret;\n}\n\
        .visible .entry _Z4treePKfPfi(\n\
        \t.param .u64 .ptr .align 1 _Z4treePKfPfi_param_0,\n\
        \t.param .u32 _Z4treePKfPfi_param_1\n)\n.maxntid 256\n.minnctapersm 2\n{\n\t.shared .b8 s[256];\n\t{ // }\n\tnobody.knows \
        this; }\n}\n\
        .visible .entry plain(\n\t.param .f64 plain_param_0,\n\t.param .align 4 .b8 plain_param_1[12]\n)\n\
        .reqntid 8, 4, 1\n{\n}\n\
        .visible .entry _Z4nonev()\n{\n}\n";

    #[test]
    fn heads_and_variables_without_a_look_at_bodies() {
        let outline = Outline::read(PTX);
        let variables = [("g", 1 << 36), ("x", 4), ("table", 32)].map(|(name, bytes)| (name.to_owned(), bytes));
        assert_eq!(outline.variables, variables);
        let of = |name| {
            let head = outline.kernel(name)?;
            let params: Vec<_> = head.params.iter().map(|param| (param.ty.as_str(), param.size)).collect();
            Some((params, head.max_threads, head.required_block))
        };
        assert_eq!(of("_Z4treePKfPfi"), Some((vec![("u64", 8), ("u32", 4)], Some(256), None)));
        assert_eq!(of("plain"), Some((vec![("f64", 8), ("b8", 12)], Some(32), Some([8, 4, 1]))));
        assert_eq!(of("_Z4nonev"), Some((vec![], None, None)));
        assert_eq!(of("_Z4tree"), None);
        let cut = &PTX[..PTX.find(".reqntid").unwrap_or(0)];
        assert_eq!(Outline::read(cut).kernels.len(), 2, "what stands before the mistake");
        assert_eq!(Outline::read(""), Outline::default());
    }

    #[test]
    fn a_store_through_a_constants_address() {
        let start = ".version 9.0\n.target sm_90\n.address_size 64\n";
        let head = format!(
            "{start}.const .align 4 .b8 table[128] = {{1, 0}};\n.entry k()\n{{\n\tmov.b64 %rd3, table;\n\
             \tcvta.const.u64 %rd4, %rd3;\n\tmov.b64 %rd1, %rd4;\n\tadd.s64 %rd7, %rd1, %rd6;\n"
        );
        let of = |text: &str| ConstantUse::of(&format!("{head}{text}}}\n"));
        assert_eq!(of("\tst.b32 [%rd7], %r1;\n"), ConstantUse::Written);
        assert_eq!(of("\tatom.add.u32 %r2, [%rd7+4], %r1;\n"), ConstantUse::Written);
        assert_eq!(of("\tst.b32 [table+4], %r1;\n"), ConstantUse::Written);
        let call = "\tst.param.b64 [param0+0], %rd7;\n\tcall.uni (r),\n";
        assert_eq!(of(&format!("{call}\t_Z9atomicAddPii,\n(param0);\n")), ConstantUse::Written);
        assert_eq!(of(&format!("{call}\t_Z3getPi,\n(param0);\n")), ConstantUse::Given);
        assert_eq!(of("\tld.b32 %r6, [%rd7];\n\tst.b32 [%rd8], %r6;\n"), ConstantUse::Read);
        let trap = format!("{start}.entry k()\n{{\n\t{{ trap; }}\n}}\n");
        assert!(has_instruction(&trap, "trap") && !has_instruction(&trap, "tra"));
        let other = format!("{start}.entry k()\n{{\n\tst.b32 [%rd7], %r1;\n}}\n");
        assert_eq!(ConstantUse::of(&other), ConstantUse::Read);
    }

    #[test]
    fn kernels_that_flush() {
        let module = |function: &str, one: &str| {
            let start = ".version 9.0\n.target sm_90\n.address_size 64\n.func f()\n{\n\t";
            let text = format!(
                "{start}{function}\n\tret;\n}}\n.entry a()\n{{\n\t{{ {one} }}\n}}\n.entry b()\n{{\n\tret;\n}}\n"
            );
            flushing_kernels(&text).into_iter().collect::<Vec<_>>()
        };
        let flushing = [
            "atom.global.add.f32 %f1, [%rd1], %f2;",
            "red.global.gpu.relaxed.add.f32 [%rd1], %f2;",
            "red.add.f32 [%rd1], %f2;",
            "mul.ftz.f32 %f1, %f2, %f3;",
            "ex2.approx.ftz.f32 %f1, %f2;",
            "red.global.add.v2.f32 [%rd1], {%f1, %f2};",
        ];
        for one in flushing {
            assert_eq!(module("", one), ["a"], "{one}");
            assert_eq!(module(one, ""), ["a", "b"], "{one}");
        }
        let others = [
            "atom.shared.add.f32 %f1, [%r1], %f2;",
            "atom.shared::cta.add.f32 %f1, [%r1], %f2;",
            "red.global.add.u32 [%rd1], %r2;",
            "red.global.add.noftz.f16x2 [%rd1], %r2;",
            "atom.global.exch.b32 %r1, [%rd1], %r2;",
            "add.f32 %f1, %f2, %f3;",
        ];
        for one in others {
            assert!(module(one, one).is_empty(), "{one}");
        }
        assert!(flushing_kernels("no text of PTX .ftz").is_empty());
    }
}
