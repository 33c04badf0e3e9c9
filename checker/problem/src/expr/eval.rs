//! The value of an expression.

use super::{Binding, Expr, Function, Node, Op, Scope};
use crate::error::{LineError, SourceLine, did_you_mean};
use plan::ChoiceKind;

/// Most operations that all expressions of one plan may take together. 4096 launches of thirty values each
/// take a quarter of it.
pub const MAX_OPERATIONS: u32 = 1 << 19;

/// Why an expression has no value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EvalError {
    /// Where, from 1.
    pub column: u32,
    /// What is wrong.
    pub message: String,
    /// Only because `active_blocks` cannot be answered before the kernels are compiled.
    pub needs_compiler: bool,
}

impl EvalError {
    /// An ordinary error.
    pub fn new(column: u32, message: impl Into<String>) -> Self {
        Self { column, message: message.into(), needs_compiler: false }
    }

    /// The error of a template argument that depends on `active_blocks`.
    pub fn needs_compiler(column: u32) -> Self {
        let message = "this depends on `active_blocks`, which is known only once the kernels are compiled";
        Self { column, message: message.into(), needs_compiler: true }
    }

    /// As an error of a line.
    pub fn at(self, source: &SourceLine) -> LineError {
        source.error(self.column, self.message)
    }
}

impl Expr {
    /// The value of the expression.
    pub fn eval(&self, scope: &Scope) -> Result<i64, EvalError> {
        let fail = |message: String| EvalError::new(self.column, message);
        let operations = scope.operations.get() + 1;
        if operations > MAX_OPERATIONS {
            return Err(fail(format!("the expressions take more than {MAX_OPERATIONS} operations in all")));
        }
        scope.operations.set(operations);
        match &self.node {
            Node::Int(value) => Ok(*value),
            Node::Name(name) => match scope.get(name) {
                Some(Binding::Value(value) | Binding::Device(value)) => Ok(value),
                Some(Binding::Unavailable) => Err(EvalError::needs_compiler(self.column)),
                Some(Binding::Buffer(_)) => Err(fail(format!(
                    "`{name}` is a buffer; only a launch's arguments have buffers, as `{name}` or `{name} + EXPR`"
                ))),
                Some(Binding::Texture(_)) => Err(fail(format!(
                    "`{name}` is a texture or surface; only a launch's arguments have one, by itself"
                ))),
                None => Err(fail(format!("unknown name `{name}`{}", did_you_mean(name, scope.names())))),
            },
            Node::Neg(inner) => {
                let value = inner.eval(scope)?;
                value.checked_neg().ok_or_else(|| fail(format!("-({value}) does not fit into 64 bits")))
            }
            Node::Binary(op, left, right) => {
                let (left, right) = (left.eval(scope)?, right.eval(scope)?);
                let value = apply(*op, left, right).map_err(fail)?;
                if matches!(op, Op::Div | Op::Rem | Op::Shr) {
                    scope.choices.note(self.column, ChoiceKind::NotZero, value != 0);
                }
                if *op == Op::Rem {
                    scope.choices.note(self.column, ChoiceKind::First, value == left);
                }
                Ok(value)
            }
            Node::Call(function, args) => {
                let values = args.iter().map(|arg| arg.eval(scope)).collect::<Result<Vec<_>, _>>()?;
                let value = call(*function, &values).map_err(fail)?;
                let several = values.iter().any(|other| *other != values[0]);
                if matches!(function, Function::Min | Function::Max)
                    && several
                    && !args.iter().any(|arg| arg.asks_device(scope))
                {
                    scope.choices.note(self.column, ChoiceKind::First, value == values[0]);
                }
                Ok(value)
            }
            Node::ActiveBlocks(kernel, operands) => {
                let name = kernel.instantiate(scope)?;
                let [block, shared] = [operands[0].eval(scope)?, operands[1].eval(scope)?];
                let ask = scope.active_blocks.ok_or_else(|| EvalError::needs_compiler(self.column))?;
                ask(&name, block, shared).map_err(fail)
            }
        }
    }

    /// Does a figure of the device stand in it?
    fn asks_device(&self, scope: &Scope) -> bool {
        match &self.node {
            Node::Int(_) => false,
            Node::Name(name) => matches!(scope.get(name), Some(Binding::Device(_))),
            Node::Neg(inner) => inner.asks_device(scope),
            Node::Binary(_, left, right) => left.asks_device(scope) || right.asks_device(scope),
            Node::Call(_, args) => args.iter().any(|arg| arg.asks_device(scope)),
            Node::ActiveBlocks(..) => true,
        }
    }
}

fn apply(op: Op, a: i64, b: i64) -> Result<i64, String> {
    let (sign, value) = match op {
        Op::Add => ("+", a.checked_add(b)),
        Op::Sub => ("-", a.checked_sub(b)),
        Op::Mul => ("*", a.checked_mul(b)),
        Op::Div | Op::Rem if b == 0 => {
            return Err(format!("division by zero: {a} {} 0", if op == Op::Div { "/" } else { "%" }));
        }
        Op::Div => ("/", a.checked_div(b)),
        Op::Rem => ("%", a.checked_rem(b)),
        Op::Shl | Op::Shr if !(0..=62).contains(&b) => return Err(format!("a shift by {b}: 0 to 62 are possible")),
        Op::Shl => ("<<", a.checked_mul(1 << b)),
        Op::Shr => (">>", Some(a >> b)),
    };
    value.ok_or_else(|| format!("{a} {sign} {b} does not fit into 64 bits"))
}

fn call(function: Function, values: &[i64]) -> Result<i64, String> {
    match (function, values) {
        (Function::CeilDiv, &[a, 0]) => Err(format!("division by zero: ceil_div({a}, 0)")),
        (Function::CeilDiv, &[a, b]) => {
            let floor =
                a.checked_div_euclid(b).ok_or_else(|| format!("ceil_div({a}, {b}) does not fit into 64 bits"))?;
            // Euclidean division rounds down for b > 0 and up for b < 0.
            Ok(if b > 0 && a.rem_euclid(b) != 0 { floor + 1 } else { floor })
        }
        (Function::Log2, &[a]) if a > 0 => Ok(i64::from(a.ilog2())),
        (Function::Log2, &[a]) => Err(format!("log2({a}): only positive numbers have a logarithm")),
        (Function::Min, values) => values.iter().copied().min().ok_or_else(|| "min of nothing".to_string()),
        (Function::Max, values) => values.iter().copied().max().ok_or_else(|| "max of nothing".to_string()),
        _ => Err("wrong number of arguments".to_string()),
    }
}
