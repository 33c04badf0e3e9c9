//! How an expression is written.

use super::cursor::{Cursor, Number};
use super::{Expr, Function, Node, Op};
use crate::error::{LineError, did_you_mean};
use crate::kernel_name::KernelName;
use crate::statement::parse_bytes;

/// Names that look like functions, for suggestions.
const FUNCTIONS: [&str; 6] = ["ceil_div", "min", "max", "log2", "sizeof", "active_blocks"];
/// Names of integer types of 32 bits or more that are one word, ...
const INTEGERS: [&str; 6] = ["size_t", "ptrdiff_t", "int32_t", "uint32_t", "int64_t", "uint64_t"];
/// ... and words of which the others are made.
const INTEGER_WORDS: [&str; 4] = ["int", "unsigned", "signed", "long"];
/// Deepest nesting of parentheses, calls and signs.
const MAX_DEPTH: u32 = 64;

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
        if Self::take_cast(cursor) {
            return Self::parse_unary(cursor, depth + 1);
        }
        if is_cast_of_pointer(cursor) {
            return Err(
                cursor.error_at(column, "a buffer needs no cast: its name alone is a pointer of the kernel's type")
            );
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
        // `std::min` is `min`.
        let name = if name == "std" && cursor.take("::") { cursor.name("function")? } else { name };
        let cast = match name.as_str() {
            "static_cast" => {
                cursor.require("<")?;
                let column = cursor.column();
                if !take_integer_type(cursor) {
                    return Err(cursor.error_at(column, "no integer type here: expressions are of integers"));
                }
                cursor.require(">")?;
                true
            }
            name => INTEGERS.contains(&name) || INTEGER_WORDS.contains(&name),
        };
        let open = cursor.column();
        if !cursor.take("(") {
            return Ok(Self { column, node: Node::Name(name) });
        }
        if cast {
            let inner = Self::parse_shift(cursor, depth + 1)?;
            Self::close(cursor, open)?;
            return Ok(inner);
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
                let bytes = parse_bytes(cursor)?;
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

    /// Takes `(int)` and the like. It changes nothing: expressions have 64 bits, and what does not fit into a parameter is an error there.
    fn take_cast(cursor: &mut Cursor) -> bool {
        let mark = cursor.mark();
        let taken = cursor.take("(") && take_integer_type(cursor) && cursor.take(")");
        if !taken {
            cursor.reset(mark);
        }
        taken
    }

    fn close(cursor: &mut Cursor, open: u32) -> Result<(), LineError> {
        if cursor.take(")") {
            return Ok(());
        }
        let found = cursor.found();
        Err(cursor.error(format!("expected `)` for the `(` in column {open}, found {found}")))
    }
}

/// Takes the name of an integer type of 32 bits or more, as C++ has it.
fn take_integer_type(cursor: &mut Cursor) -> bool {
    let begin = cursor.mark();
    let mut name = cursor.take_name();
    if name.as_deref() == Some("std") && cursor.take("::") {
        name = cursor.take_name();
    }
    let is_word = |name: &Option<String>| name.as_deref().is_some_and(|name| INTEGER_WORDS.contains(&name));
    if name.as_deref().is_some_and(|name| INTEGERS.contains(&name)) {
        return true;
    }
    if !is_word(&name) {
        cursor.reset(begin);
        return false;
    }
    loop {
        let end = cursor.mark();
        if !is_word(&cursor.take_name()) {
            cursor.reset(end);
            return true;
        }
    }
}

/// Does `(float4*)` come next, or `reinterpret_cast`?
fn is_cast_of_pointer(cursor: &mut Cursor) -> bool {
    let mark = cursor.mark();
    let is_one = cursor.starts_with("reinterpret_cast")
        || cursor.take("(") && {
            while cursor.take_name().is_some() {}
            cursor.take("*") && cursor.starts_with(")")
        };
    cursor.reset(mark);
    is_one
}
