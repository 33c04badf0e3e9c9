//! Launches: extents, shared memory, arguments.

use super::walk::{MAX_LAUNCHES, Walk};
use crate::error::{LineError, SourceLine};
use crate::expr::{Binding, Expr, Node, Op};
use crate::statement::{ArgExpr, ArgValue, Extent, LaunchStatement, MemberExpr};
use plan::MOST_BYTES;
use plan::dtype::DType;
use plan::{Arg, Launch, Member, Structure};

/// Blocks of a grid in x, y, z (CUDA C++ Programming Guide, "Technical Specifications per Compute Capability").
const GRID_LIMITS: [i64; 3] = [i32::MAX as i64, 65535, 65535];

/// Threads of a block in x, y, z (same table).
const BLOCK_LIMITS: [i64; 3] = [1024, 1024, 64];

/// Blocks of a cluster in x, y, z, whichever device that knows clusters it is.
const CLUSTER_LIMITS: [i64; 3] = [8; 3];

/// Threads of a block in all (same table).
const MAX_BLOCK_THREADS: u64 = 1024;

impl<'a> Walk<'a> {
    pub(super) fn launch(&mut self, source: &SourceLine, launch: &LaunchStatement) -> Result<(), LineError> {
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
            #[cfg(not(target_family = "wasm"))]
            let extents = extents.chain(launch.cluster.iter().flat_map(|cluster| &cluster.dims));
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
        let cluster = match &launch.cluster {
            Some(cluster) if cfg!(not(target_family = "wasm")) => {
                Some(self.extent(source, cluster, "cluster", "blocks", CLUSTER_LIMITS)?)
            }
            _ => None,
        };
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
            cluster,
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

    pub(super) fn arg(&mut self, source: &SourceLine, arg: &ArgExpr) -> Result<Arg, LineError> {
        match &arg.value {
            ArgValue::Real(value) => Ok(Arg::Real(*value)),
            ArgValue::Expr(expr) => match (self.texture_named(expr), self.place(source, expr)?) {
                (Some(texture), _) => Ok(Arg::Texture(texture)),
                (_, Some((buffer, 0))) => Ok(Arg::Buffer(buffer)),
                (_, Some((buffer, bytes))) => Ok(Arg::Offset { buffer, bytes }),
                _ => Ok(Arg::Int(self.eval(source, expr)?)),
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

    /// The texture or surface that an expression names.
    fn texture_named(&self, expr: &Expr) -> Option<usize> {
        match self.scope.get(expr.as_name()?) {
            Some(Binding::Texture(index)) => Some(index),
            _ => None,
        }
    }

    /// A buffer, or `buffer + EXPR`: which, and the bytes from its start. Nothing for an expression without a buffer.
    pub(super) fn place(&self, source: &SourceLine, expr: &Expr) -> Result<Option<(usize, u64)>, LineError> {
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
                ArgValue::Expr(expr) => match (self.texture_named(expr), self.place(source, expr)?) {
                    (Some(_), _) if ty.is_some() => {
                        return Err(source.error(value.column, "a texture is an object: it has no type here"));
                    }
                    (Some(texture), _) => Member::Texture(texture),
                    (_, Some(_)) if ty.is_some() => {
                        return Err(source.error(value.column, "a buffer is a pointer: it has no type here"));
                    }
                    (_, Some((buffer, bytes))) => Member::Pointer(buffer, bytes),
                    (_, None) => {
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
