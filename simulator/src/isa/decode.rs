//! From the syntax tree to flat code: places variables, lowers every function, and dispatches opcodes.

use super::control_flow;
use super::function::{Builder, Lower, Symbol, Unknown};
use super::lower::call::system_function;
use super::op::{Code, FunctionInfo, NO_GUARD, Op, Special, Variable};
use super::parts::Parts;
use super::placement::{self, Placement};
use super::turns::{self, Turn};
use crate::memory::window;
use crate::module::{Kernel, Param};
use crate::ptx::ast::{Function, Init, Instruction, Operand, Statement, Tree, Var, VarSpace};
use std::collections::{HashMap, HashSet};
use std::sync::OnceLock;

/// A decoded module.
pub struct Decoded {
    /// Code of all functions.
    pub code: Code,
    /// Entries.
    pub kernels: Vec<Kernel>,
    /// Function index by kernel.
    pub entries: Vec<u32>,
    /// Global and constant variables.
    pub variables: Vec<Variable>,
    /// Bytes at the beginning of a block's shared memory that are the system's.
    pub reserved_shared: u32,
    /// Shared variables: name, offset, bytes, and the function that owns it.
    pub shared: Vec<(String, u64, u64, Option<u32>)>,
    turns: OnceLock<Vec<Turn>>,
}

impl Decoded {
    /// What is noted of every operation where conditions are.
    pub fn turns(&self) -> &[Turn] {
        self.turns.get_or_init(|| turns::turns(&self.code))
    }
}

/// An instruction as text, for messages.
pub fn written(instruction: &Instruction) -> String {
    let operands: Vec<String> = instruction.operands.iter().map(show).collect();
    let text = format!("{} {}", instruction.opcode, operands.join(", "));
    let mut text = text.trim_end().to_string();
    if text.len() > 200 {
        let cut = (0..=200).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
        text.truncate(cut);
        text.push_str("...");
    }
    text
}

fn show(operand: &Operand) -> String {
    let list = |all: &[Operand]| all.iter().map(show).collect::<Vec<_>>().join(", ");
    match operand {
        Operand::Name(name, 0) => name.clone(),
        Operand::Name(name, offset) => format!("{name}{offset:+}"),
        Operand::Int(value) => format!("{}", *value as i64),
        Operand::F32(bits) => format!("0f{bits:08X}"),
        Operand::F64(bits) => format!("0d{bits:016X}"),
        Operand::Address(all) => format!("[{}]", list(all)),
        Operand::Vector(all) => format!("{{{}}}", list(all)),
        Operand::List(all) => format!("({})", list(all)),
        Operand::Pair(a, b) => format!("{}|{}", show(a), show(b)),
        Operand::Not(inner) => format!("!{}", show(inner)),
        Operand::Negated(inner) => format!("-{}", show(inner)),
        Operand::Sink => "_".into(),
    }
}

/// Lowers one instruction.
pub fn lower(builder: &mut Builder<'_>, instruction: &Instruction) -> Lower<()> {
    let parts = Parts::new(&instruction.opcode);
    let operands = &instruction.operands;
    builder.written = instruction.written;
    if parts.has("uni") {
        builder.promise_uniform();
    }
    let lowered = parts.row.ok_or(Unknown)?.lower(builder, &parts, operands);
    if let (Ok(()), Some(name)) = (&lowered, parts.left()) {
        builder.unknown_modifier = Some(name.to_owned());
        return Err(Unknown);
    }
    lowered
}

fn nested<'t>(statements: &'t [Statement], visit: &mut impl FnMut(&'t Statement)) {
    for statement in statements {
        visit(statement);
        if let Statement::Block(inner) = statement {
            nested(inner, visit);
        }
    }
}

/// Names of functions and variables that a body mentions.
fn mentions(function: &Function) -> Vec<&str> {
    fn operand<'t>(at: &'t Operand, out: &mut Vec<&'t str>) {
        match at {
            Operand::Name(name, _) if !name.starts_with('%') => out.push(name),
            Operand::Address(all) | Operand::Vector(all) | Operand::List(all) => {
                all.iter().for_each(|inner| operand(inner, out));
            }
            _ => {}
        }
    }
    let mut out = Vec::new();
    if let Some(body) = &function.body {
        nested(body, &mut |statement| {
            if let Statement::Instruction(instruction) = statement {
                instruction.operands.iter().for_each(|at| operand(at, &mut out));
            }
        });
    }
    out
}

/// The functions of a module.
struct Functions<'t> {
    all: Vec<&'t Function>,
    /// By name, aliases included.
    index_of: HashMap<&'t str, usize>,
}

impl<'t> Functions<'t> {
    /// Of several declarations of a function the one with a body counts.
    fn of(tree: &'t Tree) -> Self {
        let mut all: Vec<&Function> = Vec::new();
        let mut index_of: HashMap<&str, usize> = HashMap::new();
        for function in &tree.functions {
            match index_of.get(function.name.as_str()) {
                Some(&at) if all[at].body.is_none() => all[at] = function,
                Some(_) => {}
                None => {
                    index_of.insert(&function.name, all.len());
                    all.push(function);
                }
            }
        }
        for (alias, target) in &tree.aliases {
            if let Some(&index) = index_of.get(target.as_str()) {
                index_of.insert(alias, index);
            }
        }
        Self { all, index_of }
    }

    fn symbols(&self) -> HashMap<String, Symbol> {
        let mut symbols = HashMap::new();
        for (name, &index) in &self.index_of {
            // A declaration is the system's; a module that has a function of such a name calls its own.
            if self.all[index].body.is_some() || system_function(name).is_none() {
                symbols.insert((*name).to_owned(), Symbol::Function(index as u32));
            }
        }
        symbols
    }

    /// Those that some declaration says never return.
    fn never_return(&self, tree: &Tree) -> Vec<u32> {
        let never_return = tree.functions.iter().filter(|function| function.prototype.never_returns);
        never_return.filter_map(|function| Some(*self.index_of.get(function.name.as_str())? as u32)).collect()
    }

    /// Variables that are declared in a body and are there once for all.
    fn variables(&self) -> Vec<&'t Var> {
        self.all.iter().copied().flat_map(once_for_all).collect()
    }

    /// Names of such variables that something else has, too: each hides another in its scope, and all are placed by name.
    fn clashing(&self, tree: &'t Tree) -> HashSet<&'t str> {
        let mut known: HashSet<&str> = self.index_of.keys().copied().collect();
        known.extend(tree.vars.iter().map(|var| var.name.as_str()));
        self.variables().into_iter().map(|var| var.name.as_str()).filter(|name| !known.insert(name)).collect()
    }
}

/// Variables that a function's body declares, and that are there once for all.
fn once_for_all(function: &Function) -> Vec<&Var> {
    let mut found = Vec::new();
    if let Some(body) = &function.body {
        nested(body, &mut |statement| {
            if let Statement::Var(var) = statement {
                let shared_of_func = var.space == VarSpace::Shared && !function.entry;
                if matches!(var.space, VarSpace::Global | VarSpace::Const) || shared_of_func {
                    found.push(var);
                }
            }
        });
    }
    found
}

/// Has the module something that may lie in several places: variables, functions that are called, several local variables?
pub fn is_placed(tree: &Tree) -> bool {
    let own = |function: &Function| !function.entry || !once_for_all(function).is_empty() || locals(function).len() > 1;
    let global = |var: &Var| matches!(var.space, VarSpace::Global | VarSpace::Const);
    tree.vars.iter().any(global) || tree.functions.iter().any(own)
}

/// The local variables of a function, in the order of its text.
fn locals(function: &Function) -> Vec<&Var> {
    let mut found = Vec::new();
    nested(function.body.as_deref().unwrap_or(&[]), &mut |statement| {
        found.extend(if let Statement::Var(var) = statement { Some(var) } else { None });
    });
    found.retain(|var| var.space == VarSpace::Local);
    found
}

/// Places variables and lowers all functions, of which none may use more than `registers` of a kind.
pub fn decode(tree: &Tree, registers: u32, placement: Placement) -> Decoded {
    let functions = Functions::of(tree);
    let mut symbols = functions.symbols();
    let reserved_shared = if tree.target >= 80 { window::RESERVED_SHARED } else { 0 };
    let (placed, shared) =
        place_variables(tree.vars.iter().chain(functions.variables()), reserved_shared.into(), &mut symbols, placement);
    let end = placed.iter().map(|(var, at)| at.saturating_add(var.size.unwrap_or(0))).max();
    let code = Code {
        files: tree.files.clone(),
        lines: vec![(0, 0)],
        line_of: HashMap::from([((0, 0), 0)]),
        never_return: functions.never_return(tree),
        variables_end: end.unwrap_or(window::VARIABLES),
        addresses: placement.functions(functions.all.len()),
        ..Code::default()
    };
    let mut decoded = Decoded {
        code,
        kernels: Vec::new(),
        entries: Vec::new(),
        variables: Vec::new(),
        reserved_shared,
        shared: shared.iter().map(|(name, at, size)| (name.clone(), *at, *size, None)).collect(),
        turns: OnceLock::new(),
    };
    decoded.variables = initial_values(&placed, &symbols, &decoded.code.addresses);
    let reach = reachable_shared(&functions, &shared, reserved_shared.into());
    let clashing = functions.clashing(tree);
    let lowering =
        Lowering { symbols: &symbols, shared: &shared, reach: &reach, registers, clashing: &clashing, placement };
    for (index, function) in functions.all.iter().enumerate() {
        lowering.function(index, function, &mut decoded);
    }
    let code = &mut decoded.code;
    code.uses_reserved = code.insts.iter().any(|inst| match inst.op {
        Op::Special32 { which, .. } => matches!(which, Special::ReservedSmem | Special::ReservedForTiles),
        _ => false,
    });
    code.fixed = super::analysis::fixed::fixed(code, &decoded.variables);
    super::analysis::clocked::mark(code);
    debug_assert!(code.insts.iter().all(|inst| inst.guard == NO_GUARD || inst.guard >> 1 < u16::MAX >> 1));
    decoded
}

/// What lowering a function has to know of the module.
struct Lowering<'a> {
    symbols: &'a HashMap<String, Symbol>,
    /// Shared variables of the module: name, offset, bytes.
    shared: &'a [(String, u64, u64)],
    /// Where those end that a function reaches, by function.
    reach: &'a [u64],
    /// Most registers of a kind.
    registers: u32,
    /// Names of variables of functions' bodies that stand for something else, too.
    clashing: &'a HashSet<&'a str>,
    /// Where things lie.
    placement: Placement,
}

impl Lowering<'_> {
    fn function(&self, index: usize, function: &Function, decoded: &mut Decoded) {
        let code = &mut decoded.code;
        let base = code.insts.len() as u32;
        let Some(body) = &function.body else {
            code.functions.push(FunctionInfo { name: function.name.clone(), ..FunctionInfo::default() });
            return;
        };
        let (accesses, atomics) = (code.accesses.len(), code.atomics.len());
        let reach = (self.reach[index], self.shared);
        let mut builder = Builder::new(self.symbols, code, index as u32, function.entry, reach, self.registers);
        for var in once_for_all(function).iter().filter(|var| self.clashing.contains(var.name.as_str())) {
            refuse(&mut builder, format!("a variable `{}` that hides another of its name", var.name));
        }
        builder.place_locals(&locals(function), self.placement);
        lower_body(&mut builder, function, body);
        super::analysis::contract::contract(&mut builder);
        control_flow::place(&mut builder, base);
        let (mut info, shared_end_of) = (std::mem::take(&mut builder.info), builder.shared);
        let arrays: Vec<_> = builder.arrays.drain(..).map(|(reg, array, _)| (reg, array)).collect();
        for (name, at, size) in builder.own_shared.drain(..) {
            decoded.shared.push((name, at, size, Some(index as u32)));
        }
        super::marks::mark(code, function, &info, (base, accesses, atomics));
        info.name = function.name.clone();
        info.defined = true;
        info.entry = function.entry;
        info.start = base;
        info.len = code.insts.len() as u32 - base;
        // Not rounded up further: the last array's end is the end.
        info.local = info.local.next_multiple_of(4);
        if function.entry {
            decoded.entries.push(index as u32);
            decoded.kernels.push(Kernel {
                name: function.name.clone(),
                params: function.prototype.params.iter().map(Param::of).collect(),
                static_shared: u32::try_from(shared_end_of - u64::from(decoded.reserved_shared)).unwrap_or(u32::MAX),
                local: info.local,
                max_threads: function.max_threads,
                required_block: function.required_block,
                cluster: function.cluster,
            });
        }
        super::provenance::bound(code, &info, &arrays);
        super::analysis::unused::mark(code, &info);
        info.unassigned = super::liveness::unassigned(code, &info);
        code.functions.push(info);
    }
}

/// Parameters and statements. What the simulator cannot do becomes an operation that says so.
fn lower_body(builder: &mut Builder<'_>, function: &Function, body: &[Statement]) {
    builder.formals(&function.prototype.params, false);
    builder.formals(&function.prototype.returns, true);
    #[cfg(target_family = "wasm")]
    if function.cluster.is_some_and(|cluster| cluster != [1; 3]) {
        refuse(builder, "clusters of several blocks (__cluster_dims__)".to_owned());
    }
    for what in function.unknown.iter().cloned() {
        refuse(builder, what);
    }
    builder.note_reads(body);
    builder.statements(body);
    if builder.too_many_registers() {
        builder.insts.clear();
        builder.origins.clear();
        builder.labels.clear();
        let limit = builder.most_registers();
        refuse(builder, format!("{}: more registers than the limit `registers`, {limit}", function.name));
    }
}

fn refuse(builder: &mut Builder<'_>, what: String) {
    builder.code.unsupported.push(what);
    let at = builder.code.unsupported.len() as u32 - 1;
    builder.emit(Op::Unsupported(at));
}

type Placed<'t> = Vec<(&'t Var, u64)>;

/// Gives every module-level variable its address.
fn place_variables<'t>(
    vars: impl Iterator<Item = &'t Var>,
    reserved: u64,
    symbols: &mut HashMap<String, Symbol>,
    placement: Placement,
) -> (Placed<'t>, Vec<(String, u64, u64)>) {
    let mut shared_next = reserved;
    let (mut found, mut shared): (Vec<&Var>, _) = (Vec::new(), Vec::new());
    for var in vars {
        if symbols.contains_key(&var.name) {
            continue;
        }
        let size = var.size.unwrap_or(0);
        let symbol = match var.space {
            VarSpace::Shared if var.size.is_none() => Symbol::SharedDynamic,
            VarSpace::Shared => {
                let at = shared_next.next_multiple_of(u64::from(var.align));
                shared_next = at.saturating_add(size).min(1 << 40);
                shared.push((var.name.clone(), at, size));
                Symbol::Shared(at)
            }
            VarSpace::Global | VarSpace::Const => {
                found.push(var);
                Symbol::Address(0)
            }
            _ => continue,
        };
        symbols.insert(var.name.clone(), symbol);
    }
    let to_place = |var: &&Var| placement::Placed {
        size: var.size.unwrap_or(0),
        align: var.align.into(),
        constant: var.space == VarSpace::Const,
        valued: !var.init.is_empty(),
    };
    let addresses = placement.variables(&found.iter().map(to_place).collect::<Vec<_>>());
    let placed: Placed<'_> = found.into_iter().zip(addresses).collect();
    symbols.extend(placed.iter().map(|(var, at)| (var.name.clone(), Symbol::Address(*at))));
    (placed, shared)
}

fn initial_values(placed: &Placed<'_>, symbols: &HashMap<String, Symbol>, functions: &[u64]) -> Vec<Variable> {
    let mut variables = Vec::new();
    for &(var, address) in placed {
        let element = var.ty.size() as usize;
        let mut init = Vec::new();
        for value in &var.init {
            let bits = match value {
                Init::Int(value) => *value,
                Init::F32(bits) => u64::from(*bits),
                Init::F64(bits) if element == 4 => u64::from((f64::from_bits(*bits) as f32).to_bits()),
                Init::F64(bits) => *bits,
                Init::Symbol { name, offset, mask } => {
                    let base = match symbols.get(name) {
                        Some(Symbol::Address(address)) => *address,
                        Some(Symbol::Shared(at)) => window::SHARED + at,
                        Some(Symbol::Function(index)) => functions.get(*index as usize).copied().unwrap_or(0),
                        _ => 0,
                    };
                    let value = base.wrapping_add(*offset as u64);
                    if *mask == u64::MAX || *mask == 0 { value } else { (value & mask) >> mask.trailing_zeros() }
                }
            };
            let mut bytes = [0; 16];
            bytes[..8].copy_from_slice(&bits.to_le_bytes());
            init.extend_from_slice(&bytes[..element]);
        }
        let size = var.size.unwrap_or(0);
        init.truncate(size as usize);
        let constant = var.space == VarSpace::Const;
        variables.push(Variable { name: var.name.clone(), address, size, constant, init });
    }
    variables
}

/// For each function: the end of the module-level shared variables that it and its callees mention.
fn reachable_shared(functions: &Functions<'_>, shared: &[(String, u64, u64)], reserved: u64) -> Vec<u64> {
    let Functions { all: functions, index_of } = functions;
    let mut ends = vec![reserved; functions.len()];
    if shared.is_empty() {
        return ends;
    }
    let end_of: HashMap<&str, u64> = shared.iter().map(|(name, at, size)| (name.as_str(), at + size)).collect();
    // Callers of each function; a call through a pointer may reach any function that is no entry.
    let mut callers = vec![Vec::new(); functions.len()];
    let mut through_pointers = Vec::new();
    for (index, function) in functions.iter().enumerate() {
        for name in mentions(function) {
            ends[index] = end_of.get(name).map_or(ends[index], |&end| end.max(ends[index]));
            if let Some(&callee) = index_of.get(name) {
                callers[callee].push(index);
            }
        }
        if has_prototype(function) {
            through_pointers.push(index);
        }
    }
    // From the largest end on, to all who have not seen a larger one.
    let mut order: Vec<usize> = (0..functions.len()).collect();
    order.sort_by_key(|&index| std::cmp::Reverse(ends[index]));
    let (mut seen, mut pointers_seen) = (vec![false; functions.len()], false);
    for first in order {
        let (end, mut work) = (ends[first], vec![first]);
        while let Some(index) = work.pop() {
            if std::mem::replace(&mut seen[index], true) {
                continue;
            }
            ends[index] = end;
            work.extend(&callers[index]);
            if !functions[index].entry && !std::mem::replace(&mut pointers_seen, true) {
                work.extend(&through_pointers);
            }
        }
    }
    ends
}

fn has_prototype(function: &Function) -> bool {
    let mut found = false;
    if let Some(body) = &function.body {
        nested(body, &mut |statement| found |= matches!(statement, Statement::Prototype(..)));
    }
    found
}
