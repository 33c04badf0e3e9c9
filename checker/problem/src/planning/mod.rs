//! From a kernel file, sizes and a device to a [`Plan`]: every expression evaluated, every limit of CUDA checked.

mod device;
mod launch;
mod texture;
mod walk;

use super::error::LineError;
use super::expr::{ActiveBlocks, Binding, Expr, Sizes};
use super::kernel_file::KernelFile;
use super::statement::{ArgExpr, ArgValue, StatementKind};
pub use device::DeviceShape;
use plan::{Buffer, Plan};
pub use walk::MAX_LAUNCHES;
use walk::{MAX_BUFFER_BYTES, Walk};

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
        walk.problems = io.len();
        walk.statements(self.statements())?;
        self.require_launch()?;
        walk.plan.choices = walk.scope.choices();
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
