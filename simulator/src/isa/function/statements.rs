//! Declarations, labels, positions and instructions.

use super::split_loads;
use super::used::{self, used_at_once};
use super::{Builder, Local, Scope, Unknown};
use crate::isa::decode;
use crate::isa::op::{CallValue, NO_GUARD, NOWHERE, Op, Reg};
use crate::isa::placement::Placement;
use crate::ptx::ast::{Instruction, Loc, Operand, Statement, Ty, Var, VarSpace};

impl Builder<'_> {
    /// Declares a variable of the frame: `bytes` at that alignment.
    fn frame_bytes(&mut self, bytes: u64, align: u32) -> u32 {
        let align = align.clamp(4, 16);
        let offset = self.info.local.next_multiple_of(align);
        let bytes = u32::try_from(bytes.min(1 << 30)).unwrap_or(1 << 30);
        self.info.local = offset.saturating_add(bytes.next_multiple_of(4)).min(1 << 30);
        offset
    }

    /// Gives local variables, in the order of the text, their places where that is not the order in which they are declared.
    pub fn place_locals(&mut self, vars: &[&Var], placement: Placement) {
        let Some(order) = placement.locals(vars.len()) else { return };
        let mut offsets = vec![0; vars.len()];
        for (at, words) in order {
            self.info.local = self.info.local.saturating_add(4 * words).min(1 << 30);
            offsets[at] = self.frame_bytes(vars[at].size.unwrap_or(0), vars[at].align);
        }
        self.locals = offsets.into();
    }

    /// Declares the formal parameters.
    pub fn formals(&mut self, vars: &[Var], returns: bool) {
        let mut offset = 0u32;
        for var in vars {
            let size = var.size.unwrap_or(0).min(1 << 30);
            let (local, value) = if self.entry {
                offset = offset.checked_next_multiple_of(var.align.max(1)).unwrap_or(u32::MAX);
                let at = offset;
                offset = offset.saturating_add(size as u32);
                self.info.parameters.push((var.name.clone(), at, size as u32));
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
                self.info.parameters.push((var.name.clone(), at, size as u32));
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
                let placed = if var.space == VarSpace::Local { self.locals.pop_front() } else { None };
                let offset = placed.unwrap_or_else(|| self.frame_bytes(size, var.align));
                if var.space == VarSpace::Local {
                    self.info.locals.push((var.name.clone(), offset, size.min(1 << 30) as u32));
                } else {
                    self.passed.insert(offset, size.min(1 << 30) as u32);
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
        self.at = Some(at);
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
        self.origin.line = self.code.line(shown.file, shown.line);
        self.origin.place = self.code.line(at.file, at.line);
    }

    /// A jump to itself is what the compiler leaves of a loop whose results go nowhere, with the line of something that was inside. What
    /// was inlined there is not what goes on: such a jump is its caller's.
    pub fn at_caller(&mut self, label: u32) {
        if self.labels.get(label as usize) != Some(&(self.insts.len() as u32)) {
            return;
        }
        let calls = std::iter::successors(self.at, |at| self.inlined.get(at).copied());
        if let Some(outermost) = calls.take(64).last() {
            self.origin.line = self.code.line(outermost.file, outermost.line);
        }
    }

    /// Notes what is read, before the function's statements are lowered.
    pub fn note_reads(&mut self, statements: &[Statement]) {
        self.read = used::read_where_asked(statements);
    }

    /// Does an instruction of the function read what is written there?
    pub fn is_read(&self, operand: &Operand) -> bool {
        used::names(operand).into_iter().any(|name| self.read.contains(name))
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
                Statement::Prototype(name, prototype) => {
                    if let Some(scope) = self.scopes.last_mut() {
                        scope.prototypes.insert(name.clone(), prototype.never_returns);
                    }
                }
                _ => {}
            }
        }
        let joined = split_loads::join(statements);
        let statements = &joined[..];
        let mut used_bytes = None;
        for (at, statement) in statements.iter().enumerate() {
            match statement {
                Statement::UsedBytes(mask) => used_bytes = Some(*mask),
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
                Statement::Instruction(instruction) => {
                    if instruction.opcode.starts_with("shfl") {
                        self.fed = self.feeds == Some(instruction.line);
                        (self.used_at_once, self.feeds) = used_at_once(instruction, &statements[at + 1..]);
                        if !instruction.opcode.contains(".down.") {
                            self.feeds = None;
                        }
                    }
                    self.used_bytes = used_bytes.take();
                    self.instruction(instruction);
                }
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
        self.origin.class = crate::isa::class::of(&instruction.opcode);
        self.origin.double = crate::isa::class::is_double(&instruction.opcode, self.origin.class);
        self.origin.opcode = self.code.opcode(&instruction.opcode);
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
            decode::lower(self, instruction)
        });
        if lowered.is_err() {
            self.insts.truncate(start);
            self.origins.truncate(start);
            self.post.clear();
            self.counted = false;
            let mut text = decode::written(instruction);
            if let Some(name) = self.unknown_modifier.take() {
                text.push_str(&format!(" (its modifier .{name})"));
            }
            self.code.unsupported.push(text);
            self.emit(Op::Unsupported(self.code.unsupported.len() as u32 - 1));
        }
        for op in std::mem::take(&mut self.post) {
            self.emit(op);
        }
        self.guard = NO_GUARD;
    }
}
