//! Executes the statements of a kernel file, one after the other: names, buffers, loops, and what they add to the plan.

use super::check_len;
use super::device::DeviceShape;
use crate::error::{LineError, SourceLine};
use crate::expr::{ActiveBlocks, Binding, EvalError, Expr, Scope, Sizes};
use crate::kernel_file::KernelFile;
use crate::kernel_name::KernelName;
use crate::statement::{ArgExpr, ArgValue, Assignment, BufferStatement, ForStatement, Named, Statement, StatementKind};
use plan::dtype::DType;
use plan::{Arg, Buffer, Constant, ConstantValue, HostSum, Plan, Role};

/// Most launches of one plan.
pub const MAX_LAUNCHES: usize = 4096;

/// Most turns of all loops of one plan together.
const MAX_TURNS: u32 = 1 << 14;

/// Most different kernels that one file launches or asks about.
const MAX_KERNELS: usize = 256;

/// Most bytes that a variable gets of a problem's inputs: constant memory has no more, and a `__device__` variable is not to be a copy of an
/// input that was made before the time is taken.
const MAX_CONSTANT_BYTES: u64 = 64 << 10;

/// Most bytes of one buffer (1 TiB): beyond it a length is a mistake, not a wish.
pub(super) const MAX_BUFFER_BYTES: u64 = 1 << 40;

/// One walk over the statements. Before compilation (`scope.active_blocks` is None) it collects names only.
pub(super) struct Walk<'a> {
    file: &'a KernelFile,
    pub(super) device: &'a DeviceShape,
    pub(super) scope: Scope<'a>,
    /// Names that were in scope before the file's first line.
    given: usize,
    /// The first so many buffers are the problem's.
    pub(super) problems: usize,
    sizes: &'a Sizes,
    pub(super) plan: Plan,
    pub(super) names: Vec<String>,
    turns: u32,
    pub(super) launches: usize,
    /// The host's sum was there.
    pub(super) host: bool,
}

impl<'a> Walk<'a> {
    pub(super) fn new(
        file: &'a KernelFile,
        sizes: &'a Sizes,
        device: &'a DeviceShape,
        active_blocks: Option<ActiveBlocks<'a>>,
    ) -> Self {
        let mut scope = Scope::asking(active_blocks);
        for (name, value) in DeviceShape::NAMES.into_iter().zip(device.values()) {
            scope.bind(name, Binding::Device(value));
        }
        // A stand-alone file binds its own sizes where it declares them.
        let own: Vec<&str> = file
            .statements()
            .iter()
            .filter_map(|s| if let StatementKind::Size(size) = &s.kind { Some(size.name.as_str()) } else { None })
            .collect();
        for (name, value) in sizes.iter().filter(|(name, _)| !own.contains(&name.as_str())) {
            scope.bind(name, Binding::Value(*value));
        }
        let given = scope.len();
        let (plan, names) = (Plan::default(), Vec::new());
        Self { file, device, scope, given, sizes, plan, names, turns: 0, launches: 0, host: false, problems: 0 }
    }

    pub(super) fn compiled(&self) -> bool {
        self.scope.active_blocks.is_some()
    }

    pub(super) fn statements(&mut self, statements: &[Statement]) -> Result<(), LineError> {
        for statement in statements {
            let source = &statement.source;
            self.scope.on_line(source.line);
            match &statement.kind {
                StatementKind::Size(size) => self.size(source, size)?,
                StatementKind::Let(assignment) => self.bind(source, assignment)?,
                StatementKind::Buffer(buffer) => self.buffer(source, buffer)?,
                StatementKind::Launch(launch) => self.launch(source, launch)?,
                StatementKind::For(inner) => self.repeat(source, inner)?,
                StatementKind::Swap(names) => self.swap(source, names)?,
                StatementKind::Texture(texture) => self.texture(source, texture)?,
                StatementKind::Constant(variable, value) => self.constant(source, variable, value)?,
                StatementKind::Host(names) => self.host(source, names)?,
                StatementKind::Mutant(..) | StatementKind::Blocks(_) => {}
            }
        }
        Ok(())
    }

    pub(super) fn require_new(&self, source: &SourceLine, column: u32, name: &str) -> Result<(), LineError> {
        let Some(binding) = self.scope.get(name) else { return Ok(()) };
        let what = match binding {
            Binding::Device(_) => "a figure of the device",
            Binding::Buffer(_) => "a buffer",
            Binding::Texture(_) => "a texture or surface",
            _ if self.scope.names().take(self.given).any(|given| given == name) => "a size of the problem",
            _ => "defined",
        };
        Err(source.error(column, format!("`{name}` is already {what}; choose another name")))
    }

    pub(super) fn eval(&self, source: &SourceLine, expr: &Expr) -> Result<i64, LineError> {
        expr.eval(&self.scope).map_err(|error| error.at(source))
    }

    /// The binding of a value: unavailable if it needs a compiled kernel and there is none yet.
    fn binding(&self, source: &SourceLine, value: Result<i64, EvalError>) -> Result<Binding, LineError> {
        match value {
            Ok(value) => Ok(Binding::Value(value)),
            Err(error) if error.needs_compiler && !self.compiled() => Ok(Binding::Unavailable),
            Err(error) => Err(error.at(source)),
        }
    }

    fn size(&mut self, source: &SourceLine, size: &Assignment) -> Result<(), LineError> {
        self.require_new(source, size.column, &size.name)?;
        let value = match self.sizes.get(&size.name) {
            Some(value) => *value,
            None => self.eval(source, &size.value)?,
        };
        self.scope.bind(&size.name, Binding::Value(value));
        Ok(())
    }

    fn bind(&mut self, source: &SourceLine, assignment: &Assignment) -> Result<(), LineError> {
        self.require_new(source, assignment.column, &assignment.name)?;
        self.ask_about(source, &assignment.value)?;
        let binding = self.binding(source, assignment.value.eval(&self.scope))?;
        self.scope.bind(&assignment.name, binding);
        Ok(())
    }

    /// Notes the kernels of `active_blocks(...)` for compilation.
    pub(super) fn ask_about(&mut self, source: &SourceLine, expr: &Expr) -> Result<(), LineError> {
        let mut kernels = Vec::new();
        expr.kernels(&mut |kernel| kernels.push(kernel));
        for kernel in kernels {
            self.kernel(source, kernel)?;
        }
        Ok(())
    }

    /// The name expression of a kernel, noted for compilation. One that certainly does not exist is an error: its name
    /// occurs nowhere in the code.
    pub(super) fn kernel(&mut self, source: &SourceLine, kernel: &KernelName) -> Result<String, LineError> {
        if !self.file.may_name(kernel.simple()) {
            return Err(self.file.no_kernel(source, kernel.column, &kernel.base));
        }
        let name = kernel.instantiate(&self.scope).map_err(|error| error.at(source))?;
        if !self.names.contains(&name) {
            if self.names.len() == MAX_KERNELS {
                return Err(source.error(kernel.column, format!("more than {MAX_KERNELS} different kernels")));
            }
            self.names.push(name.clone());
        }
        Ok(name)
    }

    fn buffer(&mut self, source: &SourceLine, buffer: &BufferStatement) -> Result<(), LineError> {
        self.require_new(source, buffer.column, &buffer.name)?;
        let index = self.plan.buffers.len();
        if !self.compiled() {
            self.ask_about(source, &buffer.len)?;
            self.scope.bind(&buffer.name, Binding::Buffer(index));
            return Ok(());
        }
        let len = self.eval(source, &buffer.len)?;
        let len = check_len(&buffer.name, len, buffer.dtype.size()).map_err(|m| source.error(buffer.len.start(), m))?;
        self.plan.buffers.push(Buffer {
            name: buffer.name.clone(),
            dtype: buffer.dtype,
            len,
            role: buffer.role,
            fill: buffer.fill.clone(),
        });
        self.scope.bind(&buffer.name, Binding::Buffer(index));
        Ok(())
    }

    /// Exchanges what two names of scratch buffers stand for. What is in the one must fit into the other.
    fn swap(&mut self, source: &SourceLine, names: &[Named; 2]) -> Result<(), LineError> {
        let index = |named: &Named| match self.scope.get(&named.name) {
            Some(Binding::Buffer(index)) => Ok(index),
            _ => Err(source.error(named.column, format!("`{}` is no scratch buffer", named.name))),
        };
        let [first, second] = [index(&names[0])?, index(&names[1])?];
        if let (Some(a), Some(b)) = (self.plan.buffers.get(first), self.plan.buffers.get(second)) {
            let shape = |buffer: &Buffer| (buffer.role, buffer.dtype, buffer.len);
            if let Some(named) = names.iter().zip([a, b]).find(|(_, buffer)| buffer.role != Role::Scratch) {
                return Err(source.error(named.0.column, format!("`{}` is no scratch buffer", named.0.name)));
            }
            if shape(a) != shape(b) {
                let message = format!("`{}` and `{}` differ in type or length", names[0].name, names[1].name);
                return Err(source.error(names[1].column, message));
            }
        }
        self.scope.bind(&names[0].name, Binding::Buffer(second));
        self.scope.bind(&names[1].name, Binding::Buffer(first));
        Ok(())
    }

    /// A variable that is filled before the launches. The compiler is asked for its name as for a kernel's.
    fn constant(&mut self, source: &SourceLine, variable: &Named, value: &ArgExpr) -> Result<(), LineError> {
        let simple = variable.name.rsplit("::").next().unwrap_or_default();
        if !self.file.may_name(simple) {
            let message = format!("no variable `{}` in this file", variable.name);
            return Err(source.error(variable.column, message));
        }
        let name = format!("&{}", variable.name);
        if !self.names.contains(&name) {
            self.names.push(name.clone());
        }
        let value = match &value.value {
            ArgValue::Structure(_) if !self.compiled() => return Ok(()),
            ArgValue::Structure(_) => match self.arg(source, value)? {
                Arg::Structure(index) => ConstantValue::Structure(index),
                _ => return Err(source.error(value.column, "expected a buffer or a structure")),
            },
            // A problem's buffers are not known before the file is compiled.
            ArgValue::Expr(expr) if expr.as_name().is_some() && self.knows_buffers() => {
                self.constant_buffer(source, value.column, expr)?
            }
            ArgValue::Expr(expr) if expr.as_name().is_some() => return Ok(()),
            ArgValue::Expr(_) | ArgValue::Real(_) => {
                let message = "a number's type is not known here: write it as a structure of one member";
                return Err(source.error(value.column, message).expected("constant VARIABLE = {f32 0.5}"));
            }
        };
        if self.compiled() {
            self.plan.constants.push(Constant { variable: name, value, line: source.line });
        }
        Ok(())
    }

    /// Are all buffers known that a line may name? A file that stands alone has declared its own.
    fn knows_buffers(&self) -> bool {
        self.compiled() || self.file.stand_alone_statement().is_some()
    }

    /// The buffer that an expression names, if it has values before the launches.
    fn constant_buffer(&self, source: &SourceLine, column: u32, expr: &Expr) -> Result<ConstantValue, LineError> {
        let name = expr.as_name().unwrap_or_default();
        let Some(Binding::Buffer(index)) = self.scope.get(name) else {
            return Err(source.error(column, format!("`{name}` is no buffer; its value is `{{{name}}}`")));
        };
        let Some(buffer) = self.plan.buffers.get(index) else { return Ok(ConstantValue::Buffer(index)) };
        let fault = if index >= self.problems {
            let empty = buffer.fill.is_none();
            empty.then(|| format!("`{name}` has no values before the launches: name an `in` or `inout` buffer"))
        } else if buffer.role != Role::In {
            Some(format!("`{name}` is no input: a variable gets what is there before the launches and stays as it is"))
        } else {
            let (bytes, most) = (buffer.bytes(), MAX_CONSTANT_BYTES);
            (bytes > most)
                .then(|| format!("`{name}` has {bytes} bytes here; a variable can get an input of {most} at most"))
        };
        match fault {
            Some(message) => Err(source.error(column, message)),
            None => Ok(ConstantValue::Buffer(index)),
        }
    }

    /// The host's sum: the last thing of a plan.
    fn host(&mut self, source: &SourceLine, names: &[Named; 2]) -> Result<(), LineError> {
        if self.host {
            return Err(source.error(1, "the host adds up once"));
        }
        self.host = true;
        if !self.compiled() {
            return Ok(());
        }
        let find = |named: &Named| match self.scope.get(&named.name) {
            Some(Binding::Buffer(index)) => Ok((index, &self.plan.buffers[index])),
            _ => Err(source.error(named.column, format!("`{}` is no buffer", named.name))),
        };
        let [(to, out), (from, added)] = [find(&names[0])?, find(&names[1])?];
        let fault = if !matches!(out.role, Role::Out | Role::InOut) || out.len != 1 {
            Some((&names[0], "an output of one element takes the sum".to_string()))
        } else if added.role == Role::In {
            Some((&names[1], "the host adds up what kernels wrote, not an input".to_string()))
        } else if out.dtype != added.dtype || !DType::SUMMABLE.contains(&out.dtype) {
            let types = DType::SUMMABLE.map(DType::name).join(", ");
            Some((&names[1], format!("both are of the same type, one of {types}")))
        } else {
            None
        };
        if let Some((named, message)) = fault {
            return Err(source.error(named.column, message));
        }
        self.plan.host = Some(HostSum { from, to });
        Ok(())
    }

    /// The first value of a loop's variable: its own, or that of the `let` it goes on from.
    fn first_value(&self, source: &SourceLine, repeat: &ForStatement) -> Result<Binding, LineError> {
        let Named { column, name } = &repeat.variable;
        if let Some(start) = &repeat.start {
            self.require_new(source, *column, name)?;
            return self.binding(source, start.eval(&self.scope));
        }
        let own = !self.scope.names().take(self.given).any(|given| given == name);
        match self.scope.get(name) {
            Some(binding @ (Binding::Value(_) | Binding::Unavailable)) if own => Ok(binding),
            _ => Err(source.error(*column, format!("`{name}` is no `let` from before the loop"))),
        }
    }

    fn repeat(&mut self, source: &SourceLine, repeat: &ForStatement) -> Result<(), LineError> {
        let variable = &repeat.variable.name;
        let mut value = self.first_value(source, repeat)?;
        let outside = self.scope.len();
        loop {
            self.turns += 1;
            if self.turns > MAX_TURNS {
                let message = format!("the loops go round more than {MAX_TURNS} times");
                return Err(source.error(repeat.variable.column, message));
            }
            self.scope.bind(variable, value);
            self.scope.on_line(source.line);
            let (left, comparison, right) = &repeat.condition;
            let left = self.binding(source, left.eval(&self.scope))?;
            let right = self.binding(source, right.eval(&self.scope))?;
            let (known, go_on) = match (left, right) {
                (Binding::Value(left), Binding::Value(right)) => (true, comparison.holds(left, right)),
                // The compiler is needed to know how often: once round is enough to collect names.
                _ => (false, true),
            };
            if !go_on {
                break;
            }
            let inside = self.scope.len();
            self.statements(&repeat.body)?;
            self.scope.truncate(inside);
            self.scope.on_line(source.line);
            let next = self.binding(source, repeat.step.eval(&self.scope))?;
            if !known || next == Binding::Unavailable {
                if repeat.start.is_none() {
                    self.scope.bind(variable, Binding::Unavailable);
                }
                break;
            }
            if next == value {
                let message = format!("the loop never ends: `{variable}` does not change");
                return Err(source.error(repeat.step.column, message));
            }
            value = next;
            self.scope.truncate(outside);
        }
        self.scope.truncate(outside);
        Ok(())
    }
}
