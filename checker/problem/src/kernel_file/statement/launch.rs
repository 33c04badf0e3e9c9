//! A launch, read: extents and arguments; and loops around launches.

use super::line::parse_assignment;
use super::{ArgExpr, ArgValue, Comparison, Extent, ForStatement, LaunchStatement, MemberExpr, Named};
use crate::cursor::{Cursor, Number};
use crate::error::LineError;
use crate::expr::Expr;
use crate::kernel_name::KernelName;

fn parse_extent(cursor: &mut Cursor) -> Result<Extent, LineError> {
    let column = cursor.column();
    let mark = cursor.mark();
    // `(x, y)` is a tuple, `(a + b) * c` an expression: only the comma tells. A host has `dim3(x)`, too.
    let named = cursor.take("dim3");
    if cursor.take("(")
        && let Ok(first) = Expr::parse(cursor)
        && (named || cursor.starts_with(","))
    {
        let mut dims = vec![first];
        while cursor.starts_with(",") {
            if dims.len() == 3 {
                return Err(cursor.error("more than three dimensions"));
            }
            cursor.require(",")?;
            dims.push(Expr::parse(cursor)?);
        }
        cursor.require(")")?;
        return Ok(Extent { column, dims });
    }
    cursor.reset(mark);
    Ok(Extent { column, dims: vec![Expr::parse(cursor)?] })
}

pub(super) fn parse_launch(cursor: &mut Cursor) -> Result<LaunchStatement, LineError> {
    let cooperative = takes(cursor, "cooperative");
    // A page's module has no clusters.
    let clustered = cfg!(not(target_family = "wasm")) && takes(cursor, "cluster");
    let cluster = if clustered { Some(parse_extent(cursor)?) } else { None };
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
    Ok(LaunchStatement { cooperative, cluster, kernel, grid, block, shared, args })
}

/// Is the next word this one? A kernel may itself be called so.
fn takes(cursor: &mut Cursor, wanted: &str) -> bool {
    let mark = cursor.mark();
    let found = cursor.take_name().is_some_and(|word| word == wanted);
    let taken = found && !cursor.starts_with("<") && !cursor.starts_with("::");
    if !taken {
        cursor.reset(mark);
    }
    taken
}

fn parse_arg(cursor: &mut Cursor) -> Result<ArgExpr, LineError> {
    parse_value(cursor, 0)
}

pub(super) fn parse_value(cursor: &mut Cursor, depth: u32) -> Result<ArgExpr, LineError> {
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

/// Deepest nesting of structures in a launch.
const MAX_STRUCTURES: u32 = 8;

/// Most members that one `TYPE[COUNT]` stands for: bytes of all parameters together.
const MAX_MEMBERS: i64 = 32764;

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

pub(super) fn parse_for(cursor: &mut Cursor) -> Result<ForStatement, LineError> {
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
