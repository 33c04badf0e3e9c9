//! Lowering one function: scopes, registers, constants and the emission of operations. What each opcode becomes is in
//! the `lower_*` modules.

use super::op::{CallValue, Code, FunctionInfo, Inst, MapFn, MapOp, NO_GUARD, NOWHERE, Op, Origin, R, Reg, Special};
use crate::memory::window;
use crate::ptx::ast::{Instruction, Loc, Operand, Statement, Ty, Var, VarSpace};
use std::collections::HashMap;

/// Why an instruction cannot be lowered; it becomes [`Op::Unsupported`].
pub struct Unknown;

/// Result of lowering.
pub type Lower<T> = Result<T, Unknown>;

/// What a module-level name stands for.
#[derive(Debug, Clone)]
pub enum Symbol {
    /// A generic address.
    Address(u64),
    /// An offset in shared memory.
    Shared(u64),
    /// Dynamic shared memory.
    SharedDynamic,
    /// A function by index.
    Function(u32),
}

/// What a name inside a function stands for.
#[derive(Debug, Clone)]
enum Local {
    Register(Reg),
    /// A vector register's elements.
    Vector(Vec<Reg>),
    /// Bytes of the frame.
    Frame(u32),
    /// Bytes of a kernel's parameters.
    KernelParam(u32),
    Shared(u64),
}

#[derive(Default)]
struct Scope {
    names: HashMap<String, Local>,
    ranges: Vec<(String, u32, Ty)>,
    labels: HashMap<String, u32>,
    targets: HashMap<String, Vec<String>>,
}

/// A function on its way to flat code. Program counters are local to it until [`super::control_flow`] places it.
pub struct Builder<'m> {
    /// Module-level names.
    pub symbols: &'m HashMap<String, Symbol>,
    /// Side tables.
    pub code: &'m mut Code,
    /// The function's frame.
    pub info: FunctionInfo,
    /// Its operations.
    pub insts: Vec<Inst>,
    /// Parallel to `insts`.
    pub origins: Vec<Origin>,
    /// Positions of labels; `NOWHERE` until seen.
    pub labels: Vec<u32>,
    /// Shared memory of function-level variables starts here.
    pub shared: u64,
    /// Its shared variables: name, offset, bytes.
    pub own_shared: Vec<(String, u64, u64)>,
    /// The function is an entry.
    pub entry: bool,
    scopes: Vec<Scope>,
    constants32: HashMap<u32, R>,
    constants64: HashMap<u64, R>,
    guard: u16,
    counted: bool,
    post: Vec<Op>,
    inlined: HashMap<Loc, Loc>,
    lines: HashMap<(u32, u32), u32>,
    own_file: Option<u32>,
    origin: Origin,
    too_many: bool,
    carry: Option<R>,
}

impl<'m> Builder<'m> {
    /// A builder for the function of that index.
    pub fn new(symbols: &'m HashMap<String, Symbol>, code: &'m mut Code, index: u32, entry: bool, shared: u64) -> Self {
        let lines = code.lines.iter().enumerate().map(|(at, &key)| (key, at as u32)).collect();
        Self {
            symbols,
            code,
            info: FunctionInfo::default(),
            insts: Vec::new(),
            origins: Vec::new(),
            labels: Vec::new(),
            shared,
            own_shared: Vec::new(),
            entry,
            scopes: vec![Scope::default()],
            constants32: HashMap::new(),
            constants64: HashMap::new(),
            guard: NO_GUARD,
            counted: false,
            post: Vec::new(),
            inlined: HashMap::new(),
            lines,
            own_file: None,
            origin: Origin { ptx_line: 0, line: 0, function: index },
            too_many: false,
            carry: None,
        }
    }

    /// More registers than an operation can name.
    pub fn too_many_registers(&self) -> bool {
        self.too_many
    }

    // Registers and constants.

    fn slot(count: &mut u32, too_many: &mut bool) -> R {
        let slot = *count;
        if slot >= u32::from(u16::MAX >> 1) {
            *too_many = true;
            return 0;
        }
        *count += 1;
        slot as R
    }

    /// A fresh 32-bit register.
    pub fn temp32(&mut self) -> R {
        Self::slot(&mut self.info.registers32, &mut self.too_many)
    }

    /// A fresh 64-bit register.
    pub fn temp64(&mut self) -> R {
        Self::slot(&mut self.info.registers64, &mut self.too_many)
    }

    /// A fresh predicate.
    pub fn temp_p(&mut self) -> R {
        Self::slot(&mut self.info.predicates, &mut self.too_many)
    }

    fn fresh(&mut self, ty: Ty) -> Local {
        match ty {
            Ty::Pred => Local::Register(Reg::P(self.temp_p())),
            Ty::B128 => {
                let low = Reg::R64(self.temp64());
                Local::Vector(vec![low, Reg::R64(self.temp64())])
            }
            _ if ty.size() == 8 => Local::Register(Reg::R64(self.temp64())),
            _ => Local::Register(Reg::R32(self.temp32())),
        }
    }

    /// The function's condition code (`CC.CF`).
    pub fn carry_flag(&mut self) -> R {
        match self.carry {
            Some(flag) => flag,
            None => {
                let flag = self.temp_p();
                self.carry = Some(flag);
                flag
            }
        }
    }

    /// A register that holds a 32-bit constant.
    pub fn const32(&mut self, value: u32) -> R {
        if let Some(&r) = self.constants32.get(&value) {
            return r;
        }
        let r = self.temp32();
        self.constants32.insert(value, r);
        self.info.constants32.push((r, value));
        r
    }

    /// A register that holds a 64-bit constant.
    pub fn const64(&mut self, value: u64) -> R {
        if let Some(&r) = self.constants64.get(&value) {
            return r;
        }
        let r = self.temp64();
        self.constants64.insert(value, r);
        self.info.constants64.push((r, value));
        r
    }

    /// A constant in a register as wide as the type.
    pub fn constant(&mut self, ty: Ty, value: u64) -> Reg {
        match ty.size() {
            8 | 16 => Reg::R64(self.const64(value)),
            4 => Reg::R32(self.const32(value as u32)),
            2 => Reg::R32(self.const32(value as u32 & 0xffff)),
            _ => Reg::R32(self.const32(value as u32 & 0xff)),
        }
    }

    // Names.

    fn find(&mut self, name: &str) -> Option<Local> {
        for depth in (0..self.scopes.len()).rev() {
            if let Some(local) = self.scopes[depth].names.get(name) {
                return Some(local.clone());
            }
            let prefix = name.trim_end_matches(|c: char| c.is_ascii_digit());
            if prefix.len() < name.len() {
                let number: u32 = name[prefix.len()..].parse().ok()?;
                let found = self.scopes[depth].ranges.iter().find(|(p, count, _)| p == prefix && number < *count);
                if let Some(&(_, _, ty)) = found {
                    let local = self.fresh(ty);
                    self.scopes[depth].names.insert(name.to_string(), local.clone());
                    return Some(local);
                }
            }
        }
        // A component of a vector register, or of a special register.
        let (base, part) = name.rsplit_once('.')?;
        let index = match part {
            "x" | "r" => 0,
            "y" | "g" => 1,
            "z" | "b" => 2,
            "w" | "a" => 3,
            _ => return None,
        };
        match self.find(base)? {
            Local::Vector(parts) => parts.get(index).map(|&reg| Local::Register(reg)),
            _ => None,
        }
    }

    /// The register of that name.
    pub fn register(&mut self, name: &str) -> Option<Reg> {
        match self.find(name) {
            Some(Local::Register(reg)) => Some(reg),
            _ => None,
        }
    }

    /// Two 64-bit halves of a b128 register.
    pub fn register128(&mut self, operand: &Operand) -> Lower<[Reg; 2]> {
        let Operand::Name(name, 0) = operand else { return Err(Unknown) };
        match self.find(name) {
            Some(Local::Vector(parts)) if parts.len() == 2 => Ok([parts[0], parts[1]]),
            _ => Err(Unknown),
        }
    }

    /// The elements of a vector register, if the operand is one.
    pub fn vector_register(&mut self, operand: &Operand) -> Option<Vec<Reg>> {
        let Operand::Name(name, 0) = operand else { return None };
        match self.find(name) {
            Some(Local::Vector(parts)) => Some(parts),
            _ => None,
        }
    }

    /// Offset in the frame of a variable of that name.
    pub fn frame_offset(&mut self, name: &str) -> Option<u32> {
        match self.find(name) {
            Some(Local::Frame(offset)) => Some(offset),
            _ => None,
        }
    }

    /// Offset of a kernel's parameter.
    pub fn kernel_param(&mut self, name: &str) -> Option<u32> {
        match self.find(name) {
            Some(Local::KernelParam(offset)) => Some(offset),
            _ => None,
        }
    }

    /// The constant address that a name of shared, global or constant memory stands for.
    pub fn fixed_address(&mut self, name: &str) -> Option<u64> {
        if let Some(local) = self.find(name) {
            return if let Local::Shared(offset) = local { Some(offset) } else { None };
        }
        match self.symbols.get(name)? {
            Symbol::Address(address) | Symbol::Shared(address) => Some(*address),
            Symbol::Function(index) => Some(window::function_address(*index)),
            Symbol::SharedDynamic => None,
        }
    }

    /// Dynamic shared memory by that name?
    pub fn is_dynamic_shared(&mut self, name: &str) -> bool {
        self.find(name).is_none() && matches!(self.symbols.get(name), Some(Symbol::SharedDynamic))
    }

    /// The function of that name.
    pub fn function(&self, name: &str) -> Option<u32> {
        match self.symbols.get(name) {
            Some(Symbol::Function(index)) => Some(*index),
            _ => None,
        }
    }

    /// A label's number.
    pub fn label(&mut self, name: &str) -> Option<u32> {
        self.scopes.iter().rev().find_map(|scope| scope.labels.get(name).copied())
    }

    /// A `.branchtargets` list.
    pub fn targets(&self, name: &str) -> Option<Vec<String>> {
        self.scopes.iter().rev().find_map(|scope| scope.targets.get(name).cloned())
    }

    // Sources and destinations.

    /// The register that holds an operand, as the operand is (its width may differ from the type's).
    pub fn source(&mut self, operand: &Operand, ty: Ty) -> Lower<Reg> {
        match operand {
            Operand::Name(name, offset) => {
                if let Some(reg) = self.register(name) {
                    return if *offset == 0 { Ok(reg) } else { Err(Unknown) };
                }
                if name == "WARP_SZ" && *offset == 0 {
                    return Ok(self.constant(ty, 32));
                }
                if name.starts_with('%') {
                    return self.special(name);
                }
                self.address_of(name, *offset, ty)
            }
            Operand::Int(value) if ty == Ty::Pred => Ok(Reg::P(self.const_predicate(*value != 0))),
            Operand::Int(value) if ty == Ty::F32 => Ok(Reg::R32(self.const32((*value as i64 as f32).to_bits()))),
            Operand::Int(value) if ty == Ty::F64 => Ok(Reg::R64(self.const64((*value as i64 as f64).to_bits()))),
            Operand::Int(value) => Ok(self.constant(ty, *value)),
            Operand::F32(bits) if ty.size() == 8 => {
                Ok(Reg::R64(self.const64(f64::from(f32::from_bits(*bits)).to_bits())))
            }
            Operand::F32(bits) => Ok(self.constant(ty, u64::from(*bits))),
            Operand::F64(bits) if ty.size() == 8 => Ok(Reg::R64(self.const64(*bits))),
            Operand::F64(bits) if ty.size() == 4 => {
                Ok(Reg::R32(self.const32((f64::from_bits(*bits) as f32).to_bits())))
            }
            Operand::Not(inner) if ty == Ty::Pred => {
                let Reg::P(a) = self.source(inner, ty)? else { return Err(Unknown) };
                let d = self.temp_p();
                self.emit(Op::NotP { d, a });
                Ok(Reg::P(d))
            }
            Operand::Address(inner) if inner.len() == 1 => self.source(&inner[0], ty),
            _ => Err(Unknown),
        }
    }

    fn const_predicate(&mut self, value: bool) -> R {
        let one = self.const32(u32::from(value));
        let zero = self.const32(0);
        let d = self.temp_p();
        self.emit(Op::SetU32 { d, a: one, b: zero, cmp: super::op::Cmp::Ne });
        d
    }

    fn address_of(&mut self, name: &str, offset: i64, ty: Ty) -> Lower<Reg> {
        if let Some(at) = self.frame_offset(name) {
            let d = self.temp64();
            self.emit(Op::LocalAddress64 { d, offset: at.wrapping_add(offset as u32) });
            return Ok(self.narrow(Reg::R64(d), ty));
        }
        if let Some(at) = self.kernel_param(name) {
            return Ok(self.constant(ty, window::PARAM.wrapping_add(u64::from(at)).wrapping_add(offset as u64)));
        }
        if self.is_dynamic_shared(name) {
            let d = self.temp32();
            self.emit(Op::Special32 { d, which: Special::DynamicSmemBase });
            if offset != 0 {
                let b = self.const32(offset as u32);
                self.emit(Op::Add32 { d, a: d, b });
            }
            if ty.size() == 8 {
                let wide = self.temp64();
                self.emit(Op::Zext { d: wide, a: d });
                return Ok(Reg::R64(wide));
            }
            return Ok(Reg::R32(d));
        }
        let address = self.fixed_address(name).ok_or(Unknown)?;
        Ok(self.constant(ty, address.wrapping_add(offset as u64)))
    }

    fn narrow(&mut self, reg: Reg, ty: Ty) -> Reg {
        match (reg, ty.size() == 8) {
            (Reg::R64(a), false) => {
                let d = self.temp32();
                self.emit(Op::Trunc { d, a });
                Reg::R32(d)
            }
            _ => reg,
        }
    }

    fn special(&mut self, name: &str) -> Lower<Reg> {
        let (which, wide) = special_register(name).ok_or(Unknown)?;
        if wide {
            let d = self.temp64();
            self.emit(Op::Special64 { d, which });
            Ok(Reg::R64(d))
        } else {
            let d = self.temp32();
            self.emit(Op::Special32 { d, which });
            Ok(Reg::R32(d))
        }
    }

    /// A 32-bit source.
    pub fn source32(&mut self, operand: &Operand, ty: Ty) -> Lower<R> {
        match self.source(operand, ty)? {
            Reg::R32(r) => Ok(r),
            Reg::R64(a) => {
                let d = self.temp32();
                self.emit(Op::Trunc { d, a });
                Ok(d)
            }
            _ => Err(Unknown),
        }
    }

    /// A 64-bit source.
    pub fn source64(&mut self, operand: &Operand, ty: Ty) -> Lower<R> {
        match self.source(operand, ty)? {
            Reg::R64(r) => Ok(r),
            Reg::R32(a) => {
                let d = self.temp64();
                self.emit(if ty.signed() { Op::Sext { d, a } } else { Op::Zext { d, a } });
                Ok(d)
            }
            _ => Err(Unknown),
        }
    }

    /// A predicate source.
    pub fn source_p(&mut self, operand: &Operand) -> Lower<R> {
        match self.source(operand, Ty::Pred)? {
            Reg::P(r) => Ok(r),
            _ => Err(Unknown),
        }
    }

    /// The register an operand names as destination; `_` is none.
    pub fn destination(&mut self, operand: &Operand) -> Lower<Reg> {
        match operand {
            Operand::Sink => Ok(Reg::None),
            Operand::Name(name, 0) => self.register(name).ok_or(Unknown),
            _ => Err(Unknown),
        }
    }

    /// A 32-bit destination; a wider register gets the zero-extended result.
    pub fn destination32(&mut self, operand: &Operand) -> Lower<R> {
        match self.destination(operand)? {
            Reg::R32(r) => Ok(r),
            Reg::R64(d) => {
                let a = self.temp32();
                self.post.push(Op::Zext { d, a });
                Ok(a)
            }
            Reg::None => Ok(self.temp32()),
            Reg::P(_) => Err(Unknown),
        }
    }

    /// A 64-bit destination; a narrower register gets the low half.
    pub fn destination64(&mut self, operand: &Operand) -> Lower<R> {
        match self.destination(operand)? {
            Reg::R64(r) => Ok(r),
            Reg::R32(d) => {
                let a = self.temp64();
                self.post.push(Op::Trunc { d, a });
                Ok(a)
            }
            Reg::None => Ok(self.temp64()),
            Reg::P(_) => Err(Unknown),
        }
    }

    /// A predicate destination.
    pub fn destination_p(&mut self, operand: &Operand) -> Lower<R> {
        match self.destination(operand)? {
            Reg::P(r) => Ok(r),
            Reg::None => Ok(self.temp_p()),
            _ => Err(Unknown),
        }
    }

    // Emission.

    /// Appends an operation under the instruction's guard.
    pub fn emit(&mut self, op: Op) {
        self.insts.push(Inst { op, guard: self.guard, counted: u8::from(!self.counted) });
        self.origins.push(self.origin);
        self.counted = true;
    }

    /// A pure function of lanes.
    pub fn emit_map(&mut self, d: Reg, sources: &[Reg], flops: u8, f: MapFn) {
        let mut all = [Reg::None; 4];
        all[..sources.len()].copy_from_slice(sources);
        self.code.maps.push(MapOp { d, sources: all, f, flops });
        self.emit(Op::Map(self.code.maps.len() as u32 - 1));
    }

    // Statements.

    /// Declares a variable of the frame: `bytes` at that alignment.
    fn frame_bytes(&mut self, bytes: u64, align: u32) -> u32 {
        let align = align.clamp(4, 16);
        let offset = self.info.local.next_multiple_of(align);
        let bytes = u32::try_from(bytes.min(1 << 30)).unwrap_or(1 << 30);
        self.info.local = offset.saturating_add(bytes.next_multiple_of(4)).min(1 << 30);
        offset
    }

    /// Declares the formal parameters.
    pub fn formals(&mut self, vars: &[Var], returns: bool) {
        let mut offset = 0u32;
        for var in vars {
            let size = var.size.unwrap_or(0);
            let (local, value) = if self.entry {
                offset = offset.next_multiple_of(var.align.max(1));
                let at = offset;
                offset = offset.saturating_add(size as u32);
                (Local::KernelParam(at), None)
            } else if var.space == VarSpace::Reg {
                let local = self.fresh(var.ty);
                let value = match &local {
                    Local::Register(reg) => Some(CallValue::Register(*reg)),
                    _ => None,
                };
                (local, value)
            } else {
                let at = self.frame_bytes(size, var.align);
                (Local::Frame(at), Some(CallValue::Memory { offset: at, size: size as u32 }))
            };
            self.scopes[0].names.insert(var.name.clone(), local);
            if let Some(value) = value {
                if returns { self.info.returns.push(value) } else { self.info.params.push(value) }
            }
        }
    }

    fn declare_var(&mut self, var: &Var) {
        let local = match var.space {
            VarSpace::Local | VarSpace::Param => {
                let size = var.size.unwrap_or(0);
                let offset = self.frame_bytes(size, var.align);
                if var.space == VarSpace::Local {
                    self.info.locals.push((var.name.clone(), offset, size.min(1 << 30) as u32));
                }
                Local::Frame(offset)
            }
            VarSpace::Shared if self.entry => {
                let offset = self.shared.next_multiple_of(u64::from(var.align.max(1)));
                let size = var.size.unwrap_or(0).min(1 << 40);
                self.shared = offset + size;
                self.own_shared.push((var.name.clone(), offset, size));
                Local::Shared(offset)
            }
            // Function-level globals and constants, and device functions' shared variables, are placed with the module's.
            _ => return,
        };
        if let Some(scope) = self.scopes.last_mut() {
            scope.names.insert(var.name.clone(), local);
        }
    }

    fn locate(&mut self, at: Loc, inlined: Option<Loc>) {
        if let Some(outer) = inlined {
            self.inlined.insert(at, outer);
        }
        let own = *self.own_file.get_or_insert(at.file);
        // Code inlined from another file (a header) is shown where the user's file calls it.
        let (mut shown, mut hops) = (at, 0);
        let mut next = inlined;
        while let (true, Some(outer), true) = (shown.file != own, next, hops < 64) {
            shown = outer;
            next = self.inlined.get(&outer).copied();
            hops += 1;
        }
        let shown = if shown.file == own { shown } else { at };
        let key = (shown.file, shown.line);
        let lines = &mut self.code.lines;
        self.origin.line = *self.lines.entry(key).or_insert_with(|| {
            lines.push(key);
            lines.len() as u32 - 1
        });
    }

    /// Lowers the statements of a scope.
    pub fn statements(&mut self, statements: &[Statement]) {
        for statement in statements {
            match statement {
                Statement::Label(name) => {
                    let label = self.labels.len() as u32;
                    self.labels.push(NOWHERE);
                    if let Some(scope) = self.scopes.last_mut() {
                        scope.labels.insert(name.clone(), label);
                    }
                }
                Statement::Targets(name, targets) => {
                    if let Some(scope) = self.scopes.last_mut() {
                        scope.targets.insert(name.clone(), targets.clone());
                    }
                }
                _ => {}
            }
        }
        for statement in statements {
            match statement {
                Statement::Label(name) => {
                    if let Some(label) = self.label(name) {
                        self.labels[label as usize] = self.insts.len() as u32;
                    }
                }
                Statement::Loc(at, inlined) => self.locate(*at, *inlined),
                Statement::Reg { ty, lanes, name, count } => self.declare_register(*ty, *lanes, name, *count),
                Statement::Var(var) => self.declare_var(var),
                Statement::Block(inner) => {
                    self.scopes.push(Scope::default());
                    self.statements(inner);
                    self.scopes.pop();
                }
                Statement::Instruction(instruction) => self.instruction(instruction),
                Statement::Targets(..) | Statement::Prototype(..) => {}
            }
        }
    }

    fn declare_register(&mut self, ty: Ty, lanes: u32, name: &str, count: Option<u32>) {
        let local = match (count, lanes) {
            (Some(count), _) => {
                if let Some(scope) = self.scopes.last_mut() {
                    scope.ranges.push((name.to_string(), count, ty));
                }
                return;
            }
            (None, 1) => self.fresh(ty),
            (None, _) => {
                let mut parts = Vec::new();
                for _ in 0..lanes {
                    if let Local::Register(reg) = self.fresh(ty) {
                        parts.push(reg);
                    }
                }
                Local::Vector(parts)
            }
        };
        if let Some(scope) = self.scopes.last_mut() {
            scope.names.insert(name.to_string(), local);
        }
    }

    fn instruction(&mut self, instruction: &Instruction) {
        self.origin.ptx_line = instruction.line;
        self.guard = NO_GUARD;
        self.counted = false;
        self.post.clear();
        let start = self.insts.len();
        let guard = match &instruction.guard {
            None => Ok(NO_GUARD),
            Some(guard) => match self.register(&guard.name) {
                Some(Reg::P(p)) => Ok(p << 1 | u16::from(guard.negated)),
                _ => Err(Unknown),
            },
        };
        let lowered = guard.and_then(|guard| {
            self.guard = guard;
            super::decode::lower(self, instruction)
        });
        if lowered.is_err() {
            self.insts.truncate(start);
            self.origins.truncate(start);
            self.post.clear();
            self.counted = false;
            self.code.unsupported.push(super::decode::written(instruction));
            self.emit(Op::Unsupported(self.code.unsupported.len() as u32 - 1));
        }
        for op in std::mem::take(&mut self.post) {
            self.emit(op);
        }
        self.guard = NO_GUARD;
    }
}

/// A special register and whether it is 64 bits wide.
fn special_register(name: &str) -> Option<(Special, bool)> {
    let (base, part) = match name.rsplit_once('.') {
        Some((base, "x")) => (base, 0),
        Some((base, "y")) => (base, 1),
        Some((base, "z")) => (base, 2),
        Some((base, "w")) => (base, 3),
        _ => (name, 0),
    };
    let narrow = match base {
        "%tid" => Special::Tid(part),
        "%ntid" => Special::Ntid(part),
        "%ctaid" => Special::Ctaid(part),
        "%nctaid" => Special::Nctaid(part),
        "%laneid" => Special::Laneid,
        "%warpid" => Special::Warpid,
        "%nwarpid" => Special::Nwarpid,
        "%smid" => Special::Smid,
        "%nsmid" => Special::Nsmid,
        "%lanemask_eq" => Special::LanemaskEq,
        "%lanemask_lt" => Special::LanemaskLt,
        "%lanemask_le" => Special::LanemaskLe,
        "%lanemask_gt" => Special::LanemaskGt,
        "%lanemask_ge" => Special::LanemaskGe,
        "%clock" => Special::Clock,
        "%clock_hi" => Special::ClockHi,
        "%globaltimer_lo" => Special::GlobaltimerLo,
        "%globaltimer_hi" => Special::GlobaltimerHi,
        "%dynamic_smem_size" => Special::DynamicSmemSize,
        "%total_smem_size" | "%aggr_smem_size" => Special::TotalSmemSize,
        // A launch without clusters is one of clusters of one block.
        "%clusterid" => Special::Ctaid(part),
        "%nclusterid" => Special::Nctaid(part),
        "%cluster_ctaid" | "%cluster_ctarank" | "%is_explicit_cluster" => Special::Zero,
        "%cluster_nctaid" | "%cluster_nctarank" => Special::One,
        "%clock64" => return Some((Special::Clock64, true)),
        "%globaltimer" => return Some((Special::Globaltimer, true)),
        "%gridid" => return Some((Special::Gridid, true)),
        _ => {
            let number: u8 = base.strip_prefix("%envreg")?.parse().ok()?;
            if number > 31 {
                return None;
            }
            Special::Envreg(number)
        }
    };
    Some((narrow, false))
}
