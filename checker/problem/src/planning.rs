//! From a kernel file, sizes and a device to a [`Plan`]: every expression evaluated, every limit of CUDA checked.

use super::error::{LineError, SourceLine};
use super::expr::{ActiveBlocks, Binding, EvalError, Expr, Node, Op, Scope, Sizes};
use super::kernel_file::KernelFile;
use super::kernel_name::KernelName;
use super::statement::{
    ArgExpr, ArgValue, Assignment, BufferStatement, Extent, ForStatement, LaunchStatement, MemberExpr, Named,
    Statement, StatementKind,
};
use plan::MOST_BYTES;
use plan::dtype::DType;
use plan::{Arg, Buffer, Constant, HostSum, Launch, Member, Plan, Role, Structure};

/// Most launches of one plan.
pub const MAX_LAUNCHES: usize = 4096;
/// Most turns of all loops of one plan together.
const MAX_TURNS: u32 = 1 << 14;
/// Most different kernels that one file launches or asks about.
const MAX_KERNELS: usize = 256;
/// Most bytes of one buffer (1 TiB): beyond it a length is a mistake, not a wish.
const MAX_BUFFER_BYTES: u64 = 1 << 40;

/// The figures of a device that launch lines may use and must respect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct DeviceShape {
    /// Streaming multiprocessors.
    pub sms: i64,
    /// Threads a warp.
    pub warp: i64,
    /// Resident threads an SM.
    pub max_threads_per_sm: i64,
    /// Bytes of shared memory an SM.
    pub shared_per_sm: i64,
    /// Bytes of shared memory a block can ask for (opt-in).
    pub shared_per_block: i64,
    /// Bytes of device memory.
    pub memory: i64,
}

impl DeviceShape {
    /// The H200 (sm_90), which the simulator plays: CUDA C++ Programming Guide, "Technical Specifications per Compute
    /// Capability", 132 SMs, and 143,771 MiB as its driver says.
    pub const H200: Self = Self {
        sms: 132,
        warp: 32,
        max_threads_per_sm: 2048,
        shared_per_sm: 233_472,
        shared_per_block: 232_448,
        memory: 143_771 << 20,
    };

    /// The names that expressions may use.
    pub const NAMES: [&str; 4] = ["sms", "warp", "max_threads_per_sm", "shared_per_sm"];

    fn values(&self) -> [i64; 4] {
        [self.sms, self.warp, self.max_threads_per_sm, self.shared_per_sm]
    }
}

/// What a plan depends on besides the file.
#[derive(Clone)]
pub struct PlanContext<'a> {
    /// Sizes by name; for a sweep with its row and column.
    pub sizes: Sizes,
    /// The device.
    pub device: DeviceShape,
    /// Resident blocks an SM for (name expression, threads a block, dynamic shared bytes).
    pub active_blocks: ActiveBlocks<'a>,
}

impl KernelFile {
    /// Buffers and launches at the given sizes. `io` are the problem's inputs and outputs; a stand-alone file, which
    /// declares its own, is given none, and its sizes come from [`KernelFile::sizes`].
    ///
    /// # Errors
    ///
    /// The first line that is wrong at these sizes on this device.
    pub fn plan(&self, ctx: &PlanContext, io: &[Buffer]) -> Result<Plan, LineError> {
        let mut walk = Walk::new(self, &ctx.sizes, &ctx.device, Some(ctx.active_blocks));
        for buffer in io {
            walk.scope.bind(&buffer.name, Binding::Buffer(walk.plan.buffers.len()));
            walk.plan.buffers.push(buffer.clone());
        }
        walk.statements(self.statements())?;
        self.require_launch()?;
        Ok(walk.plan)
    }

    /// Name expressions of all kernels that are launched or asked about at these sizes, each once, in order: what the
    /// compiler must instantiate. Only what template arguments depend on is evaluated.
    ///
    /// # Errors
    ///
    /// A template argument that has no value before compilation, a kernel that certainly does not exist, no launch.
    pub fn name_expressions(&self, sizes: &Sizes, device: &DeviceShape) -> Result<Vec<String>, LineError> {
        let mut walk = Walk::new(self, sizes, device, None);
        walk.statements(self.statements())?;
        self.require_launch()?;
        Ok(walk.names)
    }

    fn require_launch(&self) -> Result<(), LineError> {
        let launches = self.statements_flat().iter().any(|s| matches!(s.kind, StatementKind::Launch(_)));
        if launches {
            return Ok(());
        }
        let message = "the file has no `//@ launch` line, so nothing would run";
        Err(self.line(1).error(1, message).expected("//@ launch KERNEL<<<GRID, BLOCK[, SHARED]>>>(ARG, ...)"))
    }
}

/// One walk over the statements. Before compilation (`scope.active_blocks` is None) it collects names only.
struct Walk<'a> {
    file: &'a KernelFile,
    device: &'a DeviceShape,
    scope: Scope<'a>,
    /// Names that were in scope before the file's first line.
    given: usize,
    sizes: &'a Sizes,
    plan: Plan,
    names: Vec<String>,
    turns: u32,
    launches: usize,
    /// The host's sum was there.
    host: bool,
}

impl<'a> Walk<'a> {
    fn new(
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
        Self { file, device, scope, given, sizes, plan, names, turns: 0, launches: 0, host: false }
    }

    fn compiled(&self) -> bool {
        self.scope.active_blocks.is_some()
    }

    fn statements(&mut self, statements: &[Statement]) -> Result<(), LineError> {
        for statement in statements {
            let source = &statement.source;
            match &statement.kind {
                StatementKind::Size(size) => self.size(source, size)?,
                StatementKind::Let(assignment) => self.bind(source, assignment)?,
                StatementKind::Buffer(buffer) => self.buffer(source, buffer)?,
                StatementKind::Launch(launch) => self.launch(source, launch)?,
                StatementKind::For(inner) => self.repeat(source, inner)?,
                StatementKind::Swap(names) => self.swap(source, names)?,
                StatementKind::Constant(names) => self.constant(source, names)?,
                StatementKind::Host(names) => self.host(source, names)?,
                StatementKind::Mutant(..) | StatementKind::Blocks(_) => {}
            }
        }
        Ok(())
    }

    fn require_new(&self, source: &SourceLine, column: u32, name: &str) -> Result<(), LineError> {
        let Some(binding) = self.scope.get(name) else { return Ok(()) };
        let what = match binding {
            Binding::Device(_) => "a figure of the device",
            Binding::Buffer(_) => "a buffer",
            _ if self.scope.names().take(self.given).any(|given| given == name) => "a size of the problem",
            _ => "defined",
        };
        Err(source.error(column, format!("`{name}` is already {what}; choose another name")))
    }

    fn eval(&self, source: &SourceLine, expr: &Expr) -> Result<i64, LineError> {
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
    fn ask_about(&mut self, source: &SourceLine, expr: &Expr) -> Result<(), LineError> {
        let mut kernels = Vec::new();
        expr.kernels(&mut |kernel| kernels.push(kernel));
        for kernel in kernels {
            self.kernel(source, kernel)?;
        }
        Ok(())
    }

    /// The name expression of a kernel, noted for compilation. One that certainly does not exist is an error: its name
    /// occurs nowhere in the code.
    fn kernel(&mut self, source: &SourceLine, kernel: &KernelName) -> Result<String, LineError> {
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
    fn constant(&mut self, source: &SourceLine, names: &[Named; 2]) -> Result<(), LineError> {
        let [variable, buffer] = names;
        let simple = variable.name.rsplit("::").next().unwrap_or_default();
        if !self.file.may_name(simple) {
            let message = format!("no variable `{}` in this file", variable.name);
            return Err(source.error(variable.column, message));
        }
        let Some(Binding::Buffer(index)) = self.scope.get(&buffer.name) else {
            return Err(source.error(buffer.column, format!("`{}` is no buffer", buffer.name)));
        };
        let name = format!("&{}", variable.name);
        if !self.names.contains(&name) {
            self.names.push(name.clone());
        }
        if self.compiled() {
            if self.plan.buffers[index].fill.is_none() {
                let message =
                    format!("`{}` has no values before the launches: name an `in` or `inout` buffer", buffer.name);
                return Err(source.error(buffer.column, message));
            }
            self.plan.constants.push(Constant { variable: name, buffer: index, line: source.line });
        }
        Ok(())
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

    fn launch(&mut self, source: &SourceLine, launch: &LaunchStatement) -> Result<(), LineError> {
        if self.host {
            return Err(source.error(1, "no launch comes after the host's sum"));
        }
        self.launches += 1;
        if self.launches > MAX_LAUNCHES {
            return Err(source.error(launch.kernel.column, format!("more than {MAX_LAUNCHES} launches")));
        }
        let kernel = self.kernel(source, &launch.kernel)?;
        if !self.compiled() {
            let extents = launch.grid.dims.iter().chain(&launch.block.dims).chain(&launch.shared);
            let mut args = Vec::new();
            launch.args.iter().for_each(|arg| arg.expressions(&mut args));
            return extents.chain(args).try_for_each(|expr| self.ask_about(source, expr));
        }
        let grid = self.extent(source, &launch.grid, "grid", "blocks", GRID_LIMITS)?;
        let block = self.extent(source, &launch.block, "block", "threads", BLOCK_LIMITS)?;
        let threads: u64 = block.iter().map(|d| u64::from(*d)).product();
        if threads > MAX_BLOCK_THREADS {
            let [x, y, z] = block;
            let message = format!(
                "a block of {x} x {y} x {z} = {threads} threads; a block has at most {MAX_BLOCK_THREADS} threads"
            );
            return Err(source.error(launch.block.column, message));
        }
        let shared = self.shared(source, launch)?;
        if launch.cooperative
            && let Some(ask) = self.scope.active_blocks
        {
            let resident = ask(&kernel, threads as i64, i64::from(shared))
                .map_err(|message| source.error(launch.kernel.column, message))?;
            let blocks: u64 = grid.iter().map(|d| u64::from(*d)).product();
            let most = resident.saturating_mul(self.device.sms);
            if i128::from(blocks) > i128::from(most) {
                let message = format!(
                    "a cooperative launch of {blocks} blocks; all must be resident at once, and the device holds \
                     {most} ({} SMs, {resident} each)",
                    self.device.sms
                );
                return Err(source.error(launch.grid.column, message));
            }
        }
        let mut args = Vec::new();
        for arg in &launch.args {
            args.push(self.arg(source, arg)?);
        }
        let cooperative = launch.cooperative;
        self.plan.launches.push(Launch {
            kernel,
            grid,
            block,
            shared,
            args,
            cooperative,
            resident: None,
            line: source.line,
        });
        Ok(())
    }

    fn extent(
        &self,
        source: &SourceLine,
        extent: &Extent,
        what: &str,
        of: &str,
        limits: [i64; 3],
    ) -> Result<[u32; 3], LineError> {
        let mut dims = [1; 3];
        for (axis, expr) in extent.dims.iter().enumerate() {
            let value = self.eval(source, expr)?;
            let column = expr.start();
            let name = ["x", "y", "z"][axis];
            if value < 1 {
                let message = format!("a {what} of {value} {of} in {name}; at least 1 is needed");
                let message = if value == 0 { format!("{message}: `max(1, ...)` keeps it from 0") } else { message };
                return Err(source.error(column, message));
            }
            if value > limits[axis] {
                let message = format!("a {what} of {value} {of} in {name}; at most {} are possible", limits[axis]);
                return Err(source.error(column, message));
            }
            dims[axis] = value as u32;
        }
        Ok(dims)
    }

    fn shared(&self, source: &SourceLine, launch: &LaunchStatement) -> Result<u32, LineError> {
        let Some(expr) = &launch.shared else { return Ok(0) };
        let bytes = self.eval(source, expr)?;
        let limit = self.device.shared_per_block;
        if bytes < 0 {
            return Err(source.error(expr.start(), format!("{bytes} bytes of shared memory")));
        }
        if bytes > limit {
            let message =
                format!("{bytes} bytes of dynamic shared memory; a block can have at most {limit} on this device");
            return Err(source.error(expr.start(), message));
        }
        u32::try_from(bytes).map_err(|_| source.error(expr.start(), format!("{bytes} bytes of shared memory")))
    }

    fn arg(&mut self, source: &SourceLine, arg: &ArgExpr) -> Result<Arg, LineError> {
        match &arg.value {
            ArgValue::Real(value) => Ok(Arg::Real(*value)),
            ArgValue::Expr(expr) => match self.place(source, expr)? {
                Some((buffer, 0)) => Ok(Arg::Buffer(buffer)),
                Some((buffer, bytes)) => Ok(Arg::Offset { buffer, bytes }),
                None => Ok(Arg::Int(self.eval(source, expr)?)),
            },
            ArgValue::Structure(members) => {
                let structure = self.structure(source, members)?;
                if structure.size() > MOST_BYTES {
                    let message =
                        format!("{} bytes; a kernel's parameters have {MOST_BYTES} at most", structure.size());
                    return Err(source.error(arg.column, message));
                }
                self.plan.structures.push(structure);
                Ok(Arg::Structure(self.plan.structures.len() - 1))
            }
        }
    }

    /// A buffer, or `buffer + EXPR`: which, and the bytes from its start. Nothing for an expression without a buffer.
    fn place(&self, source: &SourceLine, expr: &Expr) -> Result<Option<(usize, u64)>, LineError> {
        // The sum's first term is the buffer; the others are elements.
        let (mut first, mut terms) = (expr, Vec::new());
        while let Node::Binary(op @ (Op::Add | Op::Sub), left, right) = &first.node {
            terms.push((*op, right));
            first = left;
        }
        let Some(Binding::Buffer(index)) = first.as_name().and_then(|name| self.scope.get(name)) else {
            return Ok(None);
        };
        let mut elements = 0_i64;
        for (op, term) in terms.iter().rev() {
            let value = self.eval(source, term)?;
            let sum = if *op == Op::Add { elements.checked_add(value) } else { elements.checked_sub(value) };
            elements = sum.ok_or_else(|| source.error(term.start(), "the offset overflows 64 bits"))?;
        }
        let Some(buffer) = self.plan.buffers.get(index) else { return Ok(Some((index, 0))) };
        match u64::try_from(elements).ok().filter(|elements| *elements <= buffer.len) {
            Some(elements) => Ok(Some((index, elements * buffer.dtype.size() as u64))),
            None => {
                let message = format!("`{}` has {} elements; element {elements} is not in it", buffer.name, buffer.len);
                Err(source.error(expr.start(), message))
            }
        }
    }

    /// A structure by value. A member without a type has that of a C++ literal; a name or an expression is an `int`.
    fn structure(&self, source: &SourceLine, members: &[MemberExpr]) -> Result<Structure, LineError> {
        let mut structure = Structure::default();
        for MemberExpr { dtype, single, value } in members {
            let (ty, count) = dtype.map_or((None, 1), |(dtype, count)| (Some(dtype), count));
            let member = match &value.value {
                ArgValue::Structure(_) if ty.is_some() => {
                    return Err(source.error(value.column, "a type stands before a number, not before `{`"));
                }
                ArgValue::Structure(inner) => Member::Structure(self.structure(source, inner)?),
                ArgValue::Real(value) => {
                    Member::Real(ty.unwrap_or(if *single { DType::F32 } else { DType::F64 }), *value)
                }
                ArgValue::Expr(expr) => match self.place(source, expr)? {
                    Some(_) if ty.is_some() => {
                        return Err(source.error(value.column, "a buffer is a pointer: it has no type here"));
                    }
                    Some((buffer, bytes)) => Member::Pointer(buffer, bytes),
                    None => {
                        let (number, ty) = (self.eval(source, expr)?, ty.unwrap_or(DType::I32));
                        if !ty.holds(number) {
                            let message = format!("{number} does not fit into {ty}; `i64 {number}` does");
                            return Err(source.error(value.column, message));
                        }
                        Member::Int(ty, number)
                    }
                },
            };
            if structure.members.len() + count as usize > MOST_BYTES {
                return Err(source.error(value.column, format!("more than {MOST_BYTES} members")));
            }
            structure.members.extend(std::iter::repeat_n(member, count as usize));
        }
        Ok(structure)
    }
}

/// Blocks of a grid in x, y, z (CUDA C++ Programming Guide, "Technical Specifications per Compute Capability").
const GRID_LIMITS: [i64; 3] = [i32::MAX as i64, 65535, 65535];
/// Threads of a block in x, y, z (same table).
const BLOCK_LIMITS: [i64; 3] = [1024, 1024, 64];
/// Threads of a block in all (same table).
const MAX_BLOCK_THREADS: u64 = 1024;

/// A buffer's length as it may be, or what is wrong with it.
pub(super) fn check_len(name: &str, len: i64, element: usize) -> Result<u64, String> {
    let Ok(elements) = u64::try_from(len) else {
        return Err(format!("`{name}` would have {len} elements"));
    };
    match elements.checked_mul(element as u64) {
        Some(bytes) if bytes <= MAX_BUFFER_BYTES => Ok(elements),
        _ => {
            Err(format!("`{name}` would have {len} elements of {element} bytes; {MAX_BUFFER_BYTES} bytes are possible"))
        }
    }
}

impl Expr {
    /// Column at which the expression starts; [`Expr::column`] is that of its operator.
    pub fn start(&self) -> u32 {
        let mut expr = self;
        while let super::expr::Node::Binary(_, left, _) = &expr.node {
            expr = left;
        }
        expr.column
    }

    /// The name, if the expression is one by itself.
    pub fn as_name(&self) -> Option<&str> {
        match &self.node {
            super::expr::Node::Name(name) => Some(name),
            _ => None,
        }
    }
}

impl ArgExpr {
    /// The expressions in it.
    fn expressions<'a>(&'a self, all: &mut Vec<&'a Expr>) {
        match &self.value {
            ArgValue::Expr(expr) => all.push(expr),
            ArgValue::Real(_) => {}
            ArgValue::Structure(members) => members.iter().for_each(|member| member.value.expressions(all)),
        }
    }

    /// Is the argument the name `name` by itself?
    pub fn is_name(&self, name: &str) -> bool {
        matches!(&self.value, ArgValue::Expr(expr) if expr.as_name() == Some(name))
    }
}
