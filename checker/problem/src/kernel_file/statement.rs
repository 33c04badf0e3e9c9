//! The statements of a kernel file: `//@` lines, each parsed into data with the places it was written at.

use crate::cursor::{Cursor, MAX_LINE, Number};
use crate::error::{LineError, SourceLine, did_you_mean};
use crate::expr::Expr;
use crate::kernel_name::KernelName;
use crate::mutant::Reason;
use crate::types::Types;
use plan::dtype::DType;
use plan::{Fill, Role};

/// One `//@` line.
#[derive(Debug, Clone, PartialEq)]
pub struct Statement {
    /// The line, for messages.
    pub source: SourceLine,
    /// What it says.
    pub kind: StatementKind,
}

/// What a `//@` line says.
#[derive(Debug, Clone, PartialEq)]
pub enum StatementKind {
    /// `in`, `out`, `inout` (stand-alone files) or `scratch`.
    Buffer(BufferStatement),
    /// `size NAME = EXPR` (stand-alone files): a default.
    Size(Assignment),
    /// `let NAME = EXPR`.
    Let(Assignment),
    /// `launch ...`.
    Launch(LaunchStatement),
    /// `for (NAME = EXPR; CONDITION; NAME = EXPR)` up to its `end`.
    For(Box<ForStatement>),
    /// `swap A, B`: from here on the two scratch buffers have each other's names.
    Swap([Named; 2]),
    /// `constant NAME = BUFFER` (stand-alone files): the variable with its namespaces, then the buffer.
    Constant([Named; 2]),
    /// `host OUT = sum(BUFFER)`, after all launches: OUT, then BUFFER.
    Host([Named; 2]),
    /// `blocks N, N, ...` (a ladder's versions): the block sizes it claims.
    Blocks(Vec<i64>),
    /// `mutant REASON: SENTENCE`.
    Mutant(Reason, String),
}

/// A name and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    /// Column of the name.
    pub column: u32,
    /// The name.
    pub name: String,
}

/// A buffer's declaration.
#[derive(Debug, Clone, PartialEq)]
pub struct BufferStatement {
    /// Its part.
    pub role: Role,
    /// Column of the name.
    pub column: u32,
    /// Its name.
    pub name: String,
    /// Element type.
    pub dtype: DType,
    /// Elements.
    pub len: Expr,
    /// For `in` and `inout`.
    pub fill: Option<Fill>,
}

/// `NAME = EXPR`.
#[derive(Debug, Clone, PartialEq)]
pub struct Assignment {
    /// Column of the name.
    pub column: u32,
    /// The name.
    pub name: String,
    /// Its value.
    pub value: Expr,
}

/// A launch.
#[derive(Debug, Clone, PartialEq)]
pub struct LaunchStatement {
    /// `launch cooperative ...`
    pub cooperative: bool,
    /// What is launched.
    pub kernel: KernelName,
    /// Blocks.
    pub grid: Extent,
    /// Threads a block.
    pub block: Extent,
    /// Dynamic shared memory in bytes.
    pub shared: Option<Expr>,
    /// Arguments in order.
    pub args: Vec<ArgExpr>,
}

/// GRID or BLOCK: one to three expressions for x, y, z.
#[derive(Debug, Clone, PartialEq)]
pub struct Extent {
    /// Column of its first character.
    pub column: u32,
    /// One to three expressions.
    pub dims: Vec<Expr>,
}

/// An argument of a launch.
#[derive(Debug, Clone, PartialEq)]
pub struct ArgExpr {
    /// Column of its first character.
    pub column: u32,
    /// What it is.
    pub value: ArgValue,
}

/// What an argument is written as.
#[derive(Debug, Clone, PartialEq)]
pub enum ArgValue {
    /// An expression, or a buffer's name by itself.
    Expr(Expr),
    /// A real literal.
    Real(f64),
    /// `{...}`: a structure by value.
    Structure(Vec<MemberExpr>),
}

/// A member of a structure in a launch.
#[derive(Debug, Clone, PartialEq)]
pub struct MemberExpr {
    /// Its type, where it is written: `f32 1`, and how often it comes: `f32[16] 0`.
    pub dtype: Option<(DType, u32)>,
    /// A real that is written `1.0f`: `float`, as in C++.
    pub single: bool,
    /// The value.
    pub value: ArgExpr,
}

/// A loop of launches.
#[derive(Debug, Clone, PartialEq)]
pub struct ForStatement {
    /// The loop's variable.
    pub variable: Named,
    /// Its first value; without one it is a `let` from before the loop, which goes on from its value and keeps its last.
    pub start: Option<Expr>,
    /// Goes on while `left COMPARISON right`.
    pub condition: (Expr, Comparison, Expr),
    /// The variable's next value.
    pub step: Expr,
    /// `let`s, launches, swaps and loops.
    pub body: Vec<Statement>,
}

/// Comparison in a loop's condition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Comparison {
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Equal,
    NotEqual,
}

impl Comparison {
    /// Does it hold?
    pub fn holds(self, a: i64, b: i64) -> bool {
        match self {
            Self::Less => a < b,
            Self::LessEqual => a <= b,
            Self::Greater => a > b,
            Self::GreaterEqual => a >= b,
            Self::Equal => a == b,
            Self::NotEqual => a != b,
        }
    }
}

/// The words a `//@` line may begin with, each with the form expected after it.
pub const DIRECTIVES: [(&str, &str); 14] = [
    ("in", "in NAME: TYPE[LENGTH] = FILL"),
    ("out", "out NAME: TYPE[LENGTH]"),
    ("inout", "inout NAME: TYPE[LENGTH] = FILL"),
    ("size", "size NAME = EXPR"),
    ("let", "let NAME = EXPR"),
    ("scratch", "scratch NAME: TYPE[LENGTH]"),
    ("launch", "launch KERNEL<<<GRID, BLOCK[, SHARED]>>>(ARG, ...)"),
    ("for", "for ([NAME = EXPR]; EXPR < EXPR; NAME = EXPR)"),
    ("swap", "swap SCRATCH, SCRATCH"),
    ("constant", "constant VARIABLE = BUFFER"),
    ("host", "host OUT = sum(BUFFER)"),
    ("end", "end"),
    ("blocks", "blocks N, N, ..."),
    ("mutant", "mutant REASON: SENTENCE"),
];

/// What one line is before loops are put together.
#[derive(Debug)]
pub enum Line {
    /// Complete by itself.
    Whole(Statement),
    /// Opens a loop.
    For(SourceLine, ForStatement),
    /// Closes a loop.
    End(SourceLine),
}

/// Parses a line whose `//@` starts at character `from`.
pub fn parse_line(source: SourceLine, from: usize, types: &Types) -> Result<Line, LineError> {
    let length = source.text.chars().count();
    if length > MAX_LINE {
        return Err(source.error(1, format!("a `//@` line of {length} characters; {MAX_LINE} are possible")));
    }
    let mut cursor = Cursor::new(&source, from + 3, length).with_types(types);
    let column = cursor.column();
    let word = cursor.take_name().unwrap_or_default();
    let Some((_, form)) = DIRECTIVES.iter().find(|(known, _)| *known == word) else {
        let words = DIRECTIVES.map(|(word, _)| word);
        let message = match word.as_str() {
            "" => "no statement after `//@`".to_string(),
            _ => format!("unknown statement `{word}`{}", did_you_mean(&word, words)),
        };
        return Err(source.error(column, message).expected(format!("one of {}", words.join(", "))));
    };
    cursor.set_form(form);
    let kind = match word.as_str() {
        "in" => StatementKind::Buffer(parse_buffer(&mut cursor, Role::In)?),
        "out" => StatementKind::Buffer(parse_buffer(&mut cursor, Role::Out)?),
        "inout" => StatementKind::Buffer(parse_buffer(&mut cursor, Role::InOut)?),
        "scratch" => StatementKind::Buffer(parse_buffer(&mut cursor, Role::Scratch)?),
        "size" => StatementKind::Size(parse_assignment(&mut cursor, "size's name")?),
        "let" => StatementKind::Let(parse_assignment(&mut cursor, "name")?),
        "launch" => StatementKind::Launch(parse_launch(&mut cursor)?),
        "swap" => {
            let first = parse_named(&mut cursor)?;
            cursor.require(",")?;
            StatementKind::Swap([first, parse_named(&mut cursor)?])
        }
        "constant" => {
            let column = cursor.column();
            let mut name = cursor.name("variable's name")?;
            while cursor.take("::") {
                name = format!("{name}::{}", cursor.name("variable's name")?);
            }
            cursor.require("=")?;
            StatementKind::Constant([Named { column, name }, parse_named(&mut cursor)?])
        }
        "host" => {
            let to = parse_named(&mut cursor)?;
            for text in ["=", "sum", "("] {
                cursor.require(text)?;
            }
            let from = parse_named(&mut cursor)?;
            cursor.require(")")?;
            StatementKind::Host([to, from])
        }
        "blocks" => StatementKind::Blocks(parse_blocks(&mut cursor)?),
        "for" => {
            let header = parse_for(&mut cursor)?;
            cursor.finish()?;
            return Ok(Line::For(source, header));
        }
        "end" => {
            cursor.finish()?;
            return Ok(Line::End(source));
        }
        _ => {
            let (reason, sentence) = parse_mutant(&mut cursor)?;
            StatementKind::Mutant(reason, sentence)
        }
    };
    cursor.finish()?;
    Ok(Line::Whole(Statement { source, kind }))
}

fn parse_named(cursor: &mut Cursor) -> Result<Named, LineError> {
    let column = cursor.column();
    Ok(Named { column, name: cursor.name("buffer's name")? })
}

fn parse_blocks(cursor: &mut Cursor) -> Result<Vec<i64>, LineError> {
    let mut blocks = Vec::new();
    loop {
        let column = cursor.column();
        match cursor.take_number()? {
            Some(Number::Int(block @ 1..=1024)) if blocks.last().is_none_or(|last| *last < block) => blocks.push(block),
            Some(_) => {
                return Err(cursor.error_at(column, "block sizes are whole numbers from 1 to 1024, and increase"));
            }
            None => {
                let found = cursor.found();
                return Err(cursor.error(format!("expected a block size, found {found}")));
            }
        }
        if !cursor.take(",") {
            return Ok(blocks);
        }
    }
}

fn parse_assignment(cursor: &mut Cursor, what: &str) -> Result<Assignment, LineError> {
    let column = cursor.column();
    let name = cursor.name(what)?;
    if cursor.types().given(&name).is_some() {
        return Err(cursor.error_at(column, format!("`{name}` is a type here; choose another name")));
    }
    cursor.require("=")?;
    Ok(Assignment { column, name, value: Expr::parse(cursor)? })
}

fn parse_buffer(cursor: &mut Cursor, role: Role) -> Result<BufferStatement, LineError> {
    let column = cursor.column();
    let name = cursor.name("buffer's name")?;
    cursor.require(":")?;
    let dtype = parse_dtype(cursor)?;
    cursor.require("[")?;
    let len = Expr::parse(cursor)?;
    cursor.require("]")?;
    let filled = matches!(role, Role::In | Role::InOut);
    let fill = if filled {
        cursor.require("=")?;
        Some(crate::fill::parse(cursor)?)
    } else if cursor.starts_with("=") {
        return Err(cursor.error(format!("`{name}` is written by the kernels, so it has no fill")));
    } else {
        None
    };
    Ok(BufferStatement { role, column, name, dtype, len, fill })
}

/// Parses TYPE.
pub fn parse_dtype(cursor: &mut Cursor) -> Result<DType, LineError> {
    let column = cursor.column();
    let name = cursor.name("type")?;
    cursor.types().find(&name).ok_or_else(|| {
        let names = cursor.types().names();
        let cpp = match name.as_str() {
            "float" => "; `float` is `f32` here".to_string(),
            "double" => "; `double` is `f64` here".to_string(),
            "half" => "; `half` is `f16` here".to_string(),
            "int" => "; `int` is `i32` here".to_string(),
            "unsigned" => "; `unsigned` is `u32` here".to_string(),
            "char" => "; `char` is `i8` here".to_string(),
            _ => did_you_mean(&name, names.iter().copied()),
        };
        cursor.error_at(column, format!("unknown type `{name}`{cpp}")).expected(format!("one of {}", names.join(" ")))
    })
}

fn parse_extent(cursor: &mut Cursor) -> Result<Extent, LineError> {
    let column = cursor.column();
    let mark = cursor.mark();
    // `(x, y)` is a tuple, `(a + b) * c` an expression: only the comma tells.
    if cursor.take("(")
        && let Ok(first) = Expr::parse(cursor)
        && cursor.take(",")
    {
        let mut dims = vec![first, Expr::parse(cursor)?];
        if cursor.take(",") {
            dims.push(Expr::parse(cursor)?);
        }
        if cursor.starts_with(",") {
            return Err(cursor.error("more than three dimensions"));
        }
        cursor.require(")")?;
        return Ok(Extent { column, dims });
    }
    cursor.reset(mark);
    Ok(Extent { column, dims: vec![Expr::parse(cursor)?] })
}

fn parse_launch(cursor: &mut Cursor) -> Result<LaunchStatement, LineError> {
    let mark = cursor.mark();
    let mut cooperative = cursor.take_name().is_some_and(|word| word == "cooperative");
    // A kernel may itself be called `cooperative`.
    if !cooperative || cursor.starts_with("<") || cursor.starts_with("::") {
        cursor.reset(mark);
        cooperative = false;
    }
    let kernel = KernelName::parse(cursor)?;
    cursor.require("<<<")?;
    let grid = parse_extent(cursor)?;
    cursor.require(",")?;
    let block = parse_extent(cursor)?;
    let shared = if cursor.take(",") { Some(Expr::parse(cursor)?) } else { None };
    if cursor.starts_with(",") {
        return Err(cursor.error("streams are the checker's: a launch has no fourth configuration value"));
    }
    cursor.require(">>>")?;
    let open = cursor.column();
    cursor.require("(")?;
    let mut args = Vec::new();
    if !cursor.starts_with(")") {
        args.push(parse_arg(cursor)?);
        while cursor.take(",") {
            args.push(parse_arg(cursor)?);
        }
    }
    if !cursor.take(")") {
        let found = cursor.found();
        return Err(cursor.error(format!("expected `,` or `)` for the `(` in column {open}, found {found}")));
    }
    cursor.take(";");
    Ok(LaunchStatement { cooperative, kernel, grid, block, shared, args })
}

fn parse_arg(cursor: &mut Cursor) -> Result<ArgExpr, LineError> {
    parse_value(cursor, 0)
}

fn parse_value(cursor: &mut Cursor, depth: u32) -> Result<ArgExpr, LineError> {
    let column = cursor.column();
    if cursor.take("{") {
        if depth == MAX_STRUCTURES {
            return Err(cursor.error_at(column, format!("structures nested more than {MAX_STRUCTURES} deep")));
        }
        let mut members = Vec::new();
        while !cursor.starts_with("}") {
            members.push(parse_member(cursor, depth + 1)?);
            if !cursor.take(",") {
                break;
            }
        }
        if !cursor.take("}") {
            let found = cursor.found();
            return Err(cursor.error(format!("expected `,` or `}}` for the `{{` in column {column}, found {found}")));
        }
        return Ok(ArgExpr { column, value: ArgValue::Structure(members) });
    }
    let mark = cursor.mark();
    let negative = cursor.take("-");
    if let Some(Number::Real(value)) = cursor.take_number()? {
        return Ok(ArgExpr { column, value: ArgValue::Real(if negative { -value } else { value }) });
    }
    cursor.reset(mark);
    Ok(ArgExpr { column, value: ArgValue::Expr(Expr::parse(cursor)?) })
}

/// `[TYPE[[COUNT]]] VALUE`
fn parse_member(cursor: &mut Cursor, depth: u32) -> Result<MemberExpr, LineError> {
    let mark = cursor.mark();
    let named = cursor.take_name().and_then(|name| cursor.types().find(&name));
    let mut dtype = None;
    if let Some(named) = named {
        let mut count = 1;
        if cursor.take("[") {
            let column = cursor.column();
            count = match cursor.take_number()? {
                Some(Number::Int(count @ 1..=MAX_MEMBERS)) => count as u32,
                _ => {
                    return Err(
                        cursor.error_at(column, format!("expected a number from 1 to {MAX_MEMBERS} of members"))
                    );
                }
            };
            cursor.require("]")?;
        }
        dtype = Some((named, count));
    } else {
        cursor.reset(mark);
    }
    let value = parse_value(cursor, depth)?;
    let single = matches!(value.value, ArgValue::Real(_)) && cursor.ends_with(['f', 'F']);
    Ok(MemberExpr { dtype, single, value })
}

/// Deepest nesting of structures in a launch.
const MAX_STRUCTURES: u32 = 8;
/// Most members that one `TYPE[COUNT]` stands for: bytes of all parameters together.
const MAX_MEMBERS: i64 = 32764;

fn parse_for(cursor: &mut Cursor) -> Result<ForStatement, LineError> {
    cursor.require("(")?;
    let start = if cursor.starts_with(";") { None } else { Some(parse_assignment(cursor, "name")?) };
    cursor.require(";")?;
    let left = Expr::parse(cursor)?;
    let comparison = if cursor.take("<=") {
        Comparison::LessEqual
    } else if cursor.take(">=") {
        Comparison::GreaterEqual
    } else if cursor.take("==") {
        Comparison::Equal
    } else if cursor.take("!=") {
        Comparison::NotEqual
    } else if cursor.take("<") {
        Comparison::Less
    } else if cursor.take(">") {
        Comparison::Greater
    } else {
        let found = cursor.found();
        return Err(cursor.error(format!("expected `<`, `<=`, `>`, `>=`, `==` or `!=`, found {found}")));
    };
    let right = Expr::parse(cursor)?;
    cursor.require(";")?;
    let step = parse_assignment(cursor, "name")?;
    let variable = match &start {
        Some(start) if step.name != start.name => {
            let message = format!("the loop's variable is `{}`, but `{}` is assigned", start.name, step.name);
            return Err(cursor.error_at(step.column, message));
        }
        Some(start) => Named { column: start.column, name: start.name.clone() },
        None => Named { column: step.column, name: step.name.clone() },
    };
    cursor.require(")")?;
    let (start, condition) = (start.map(|start| start.value), (left, comparison, right));
    Ok(ForStatement { variable, start, condition, step: step.value, body: Vec::new() })
}

fn parse_mutant(cursor: &mut Cursor) -> Result<(Reason, String), LineError> {
    let column = cursor.column();
    let mut written = cursor.name("reason")?;
    while cursor.take_raw("-") {
        written.push('-');
        written.push_str(&cursor.take_name().unwrap_or_default());
    }
    let names = Reason::ALL.map(Reason::name);
    let Some(reason) = Reason::from_name(&written) else {
        let message = format!("unknown reason `{written}`{}", did_you_mean(&written, names));
        return Err(cursor.error_at(column, message).expected(format!("one of {}", names.join(", "))));
    };
    cursor.require(":")?;
    let sentence = cursor.rest();
    if sentence.is_empty() {
        return Err(cursor.error("a sentence is missing that says what is wrong with this kernel"));
    }
    Ok((reason, sentence))
}
