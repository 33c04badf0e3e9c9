//! EXPR: checked 64-bit integer arithmetic over sizes, `let`s and the device's figures.
//!
//! Every evaluation ends and fits on any stack: there are no loops, and a line has few values.

mod choices;
pub(crate) mod cursor;
pub(crate) mod formula;

use super::error::{LineError, SourceLine, did_you_mean};
use super::kernel_name::KernelName;
use choices::Choices;
use cursor::{Cursor, Number};
use plan::{Choice, ChoiceKind};
use serde::{Deserialize, Serialize};
use std::cell::Cell;
use std::collections::HashMap;

pub use plan::Sizes;

/// An expression with the place it was written at.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Expr {
    /// Column of its operator or first character, from 1.
    pub column: u32,
    /// What it is.
    pub node: Node,
}

/// Kinds of expression.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Node {
    /// A literal.
    Int(i64),
    /// A size, `let` or figure of the device.
    Name(String),
    /// Unary minus.
    Neg(Box<Expr>),
    /// `a OP b`.
    Binary(Op, Box<Expr>, Box<Expr>),
    /// `ceil_div(a, b)` and the like.
    Call(Function, Vec<Expr>),
    /// `active_blocks(kernel, block, shared)`: in kernel files, of which nobody writes an expression down.
    #[serde(skip)]
    ActiveBlocks(Box<KernelName>, Box<[Expr; 2]>),
}

/// Binary operators.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum Op {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Shl,
    Shr,
}

/// Functions of integers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum Function {
    CeilDiv,
    Min,
    Max,
    Log2,
}

/// Names that look like functions, for suggestions.
const FUNCTIONS: [&str; 6] = ["ceil_div", "min", "max", "log2", "sizeof", "active_blocks"];
/// Deepest nesting of parentheses, calls and signs.
const MAX_DEPTH: u32 = 64;

/// What a name stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Binding {
    /// A size or `let`.
    Value(i64),
    /// A figure of the device: usable in expressions, never substituted into template arguments.
    Device(i64),
    /// A `let` that needs `active_blocks` while the kernels are not compiled yet.
    Unavailable,
    /// A buffer, by its index.
    Buffer(usize),
    /// A texture or surface, by its index.
    Texture(usize),
}

/// Returns what cudaOccupancyMaxActiveBlocksPerMultiprocessor would, for (name expression, threads a block, dynamic
/// shared bytes); the message of an error is shown to the learner.
pub type ActiveBlocks<'a> = &'a dyn Fn(&str, i64, i64) -> Result<i64, String>;

/// Most operations that all expressions of one plan may take together. 4096 launches of thirty values each
/// take a quarter of it.
pub const MAX_OPERATIONS: u32 = 1 << 19;

/// Names in scope, in the order of their definition. No name is in it twice: whoever binds one has looked.
#[derive(Clone, Default)]
pub struct Scope<'a> {
    order: Vec<String>,
    bindings: HashMap<String, Binding>,
    /// None while the kernels are not compiled yet.
    pub active_blocks: Option<ActiveBlocks<'a>>,
    operations: Cell<u32>,
    choices: Choices,
}

impl<'a> Scope<'a> {
    /// A scope with sizes only.
    pub fn of_sizes(sizes: &Sizes) -> Self {
        let mut scope = Self::default();
        sizes.iter().for_each(|(name, value)| scope.bind(name, Binding::Value(*value)));
        scope
    }

    /// An empty scope that asks `active_blocks`, if the kernels are compiled.
    pub fn asking(active_blocks: Option<ActiveBlocks<'a>>) -> Self {
        Self { active_blocks, ..Self::default() }
    }

    /// What is evaluated from now on stands in this line.
    pub fn on_line(&self, line: u32) {
        self.choices.line.set(line);
    }

    /// Which way the expressions went so far.
    pub fn choices(&self) -> Vec<Choice> {
        self.choices.all()
    }

    /// What `name` stands for.
    pub fn get(&self, name: &str) -> Option<Binding> {
        self.bindings.get(name).copied()
    }

    /// Adds a name; the caller has checked that it is new.
    pub fn bind(&mut self, name: &str, binding: Binding) {
        if self.bindings.insert(name.to_string(), binding).is_none() {
            self.order.push(name.to_string());
        }
    }

    /// Number of names, for [`Scope::truncate`].
    pub fn len(&self) -> usize {
        self.order.len()
    }

    /// Is nothing in scope?
    pub fn is_empty(&self) -> bool {
        self.order.is_empty()
    }

    /// Forgets all but the first `len` names.
    pub fn truncate(&mut self, len: usize) {
        for name in self.order.drain(len.min(self.order.len())..) {
            self.bindings.remove(&name);
        }
    }

    /// All names in the order of their definition.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.order.iter().map(String::as_str)
    }
}

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
    /// Parses one expression; leaves what follows to the caller.
    pub fn parse(cursor: &mut Cursor) -> Result<Self, LineError> {
        Self::parse_shift(cursor, 0)
    }

    fn parse_shift(cursor: &mut Cursor, depth: u32) -> Result<Self, LineError> {
        let mut left = Self::parse_sum(cursor, depth)?;
        loop {
            let column = cursor.column();
            // `<<<` and `>>>` enclose a launch configuration; they are never shifts.
            let op = if cursor.starts_with("<<<") || cursor.starts_with(">>>") {
                return Ok(left);
            } else if cursor.take("<<") {
                Op::Shl
            } else if cursor.take(">>") {
                Op::Shr
            } else {
                return Ok(left);
            };
            let right = Self::parse_sum(cursor, depth)?;
            left = Self { column, node: Node::Binary(op, Box::new(left), Box::new(right)) };
        }
    }

    fn parse_sum(cursor: &mut Cursor, depth: u32) -> Result<Self, LineError> {
        let mut left = Self::parse_product(cursor, depth)?;
        loop {
            let column = cursor.column();
            let op = match cursor.peek() {
                Some('+') => Op::Add,
                Some('-') => Op::Sub,
                _ => return Ok(left),
            };
            cursor.next_raw();
            let right = Self::parse_product(cursor, depth)?;
            left = Self { column, node: Node::Binary(op, Box::new(left), Box::new(right)) };
        }
    }

    fn parse_product(cursor: &mut Cursor, depth: u32) -> Result<Self, LineError> {
        let mut left = Self::parse_unary(cursor, depth)?;
        loop {
            let column = cursor.column();
            let op = match cursor.peek() {
                Some('*') => Op::Mul,
                Some('/') => Op::Div,
                Some('%') => Op::Rem,
                _ => return Ok(left),
            };
            cursor.next_raw();
            let right = Self::parse_unary(cursor, depth)?;
            left = Self { column, node: Node::Binary(op, Box::new(left), Box::new(right)) };
        }
    }

    fn parse_unary(cursor: &mut Cursor, depth: u32) -> Result<Self, LineError> {
        let column = cursor.column();
        if depth >= MAX_DEPTH {
            return Err(cursor.error(format!("nested more than {MAX_DEPTH} deep")));
        }
        if cursor.take("-") {
            let inner = Self::parse_unary(cursor, depth + 1)?;
            return Ok(Self { column, node: Node::Neg(Box::new(inner)) });
        }
        if cursor.take("(") {
            let inner = Self::parse_shift(cursor, depth + 1)?;
            Self::close(cursor, column)?;
            return Ok(inner);
        }
        cursor.count_value()?;
        match cursor.take_number()? {
            Some(Number::Int(value)) => return Ok(Self { column, node: Node::Int(value) }),
            Some(Number::Real(_)) => {
                return Err(cursor.error_at(column, "a real number here: expressions are of integers"));
            }
            None => {}
        }
        let Some(name) = cursor.take_name() else {
            let found = cursor.found();
            return Err(cursor.error(format!("expected a number, a name or `(`, found {found}")));
        };
        let open = cursor.column();
        if !cursor.take("(") {
            return Ok(Self { column, node: Node::Name(name) });
        }
        Self::parse_call(cursor, column, open, &name, depth + 1)
    }

    fn parse_call(cursor: &mut Cursor, column: u32, open: u32, name: &str, depth: u32) -> Result<Self, LineError> {
        let function = match name {
            "ceil_div" => Function::CeilDiv,
            "min" => Function::Min,
            "max" => Function::Max,
            "log2" => Function::Log2,
            "sizeof" => {
                let bytes = super::statement::parse_bytes(cursor)?;
                Self::close(cursor, open)?;
                return Ok(Self { column, node: Node::Int(bytes) });
            }
            "active_blocks" => {
                let kernel = KernelName::parse(cursor)?;
                cursor.require(",")?;
                let block = Self::parse_shift(cursor, depth)?;
                cursor.require(",")?;
                let shared = Self::parse_shift(cursor, depth)?;
                Self::close(cursor, open)?;
                let node = Node::ActiveBlocks(Box::new(kernel), Box::new([block, shared]));
                return Ok(Self { column, node });
            }
            _ => {
                let hint = did_you_mean(name, FUNCTIONS);
                return Err(cursor.error_at(column, format!("unknown function `{name}`{hint}")));
            }
        };
        let mut args = Vec::new();
        if !cursor.starts_with(")") {
            args.push(Self::parse_shift(cursor, depth)?);
            while cursor.take(",") {
                args.push(Self::parse_shift(cursor, depth)?);
            }
        }
        Self::close(cursor, open)?;
        let right_count = match function {
            Function::CeilDiv => args.len() == 2,
            Function::Log2 => args.len() == 1,
            Function::Min | Function::Max => args.len() >= 2,
        };
        if !right_count {
            let wants = match function {
                Function::CeilDiv => "ceil_div(a, b)",
                Function::Log2 => "log2(a)",
                Function::Min => "min(a, b, ...)",
                Function::Max => "max(a, b, ...)",
            };
            let given = args.len();
            return Err(cursor.error_at(column, format!("`{name}` is written `{wants}`; {given} given")));
        }
        Ok(Self { column, node: Node::Call(function, args) })
    }

    fn close(cursor: &mut Cursor, open: u32) -> Result<(), LineError> {
        if cursor.take(")") {
            return Ok(());
        }
        let found = cursor.found();
        Err(cursor.error(format!("expected `)` for the `(` in column {open}, found {found}")))
    }

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

    /// Calls `visit` with every kernel that `active_blocks` asks about.
    pub fn kernels<'e>(&'e self, visit: &mut dyn FnMut(&'e KernelName)) {
        match &self.node {
            Node::Int(_) | Node::Name(_) => {}
            Node::Neg(inner) => inner.kernels(visit),
            Node::Binary(_, left, right) => {
                left.kernels(visit);
                right.kernels(visit);
            }
            Node::Call(_, args) => args.iter().for_each(|arg| arg.kernels(visit)),
            Node::ActiveBlocks(kernel, operands) => {
                visit(kernel);
                operands.iter().for_each(|operand| operand.kernels(visit));
            }
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
