//! What memory holds before the first launch, where the text says so: what the host sets it to, and what a lock begins with.

use super::guess::scalar;
use super::host::{Constants, Value, arguments, matching};
use super::lexer::{Kind, Token};
use std::collections::HashMap;
use std::ops::Range;

/// Numbers by the names of pointers.
pub type Begins = HashMap<String, i64>;

/// What locks begin with, by the names of the pointers to them: a lock that holds anything else is taken for ever.
pub fn locks(texts: &[Vec<Token>], constants: &Constants) -> Begins {
    let mut found = Begins::new();
    let mut functions: Vec<(&str, usize, i64)> = Vec::new();
    for text in texts {
        let definitions = definitions(text);
        for at in 0..text.len() {
            let Some((lock, value)) = lock(text, at, constants) else { continue };
            found.entry(lock.to_owned()).or_insert(value);
            let around = definitions.iter().filter(|definition| definition.body.contains(&at));
            functions.extend(around.filter_map(|definition| {
                let index = definition.parameters.iter().position(|parameter| *parameter == lock)?;
                Some((definition.name, index, value))
            }));
        }
    }
    // What a function locks is what it is called with.
    for text in texts {
        for at in 0..text.len() {
            for (_, index, value) in functions.iter().filter(|(name, ..)| text[at].is(name)) {
                let given = arguments(text, at).and_then(|all| pointer(all.get(*index)?));
                if let Some(given) = given {
                    found.entry(given.to_owned()).or_insert(*value);
                }
            }
        }
    }
    found
}

/// The pointer of a lock that is asked for at a place, with what it has to hold: what `atomicCAS` compares with, 0 where that number is not
/// known; 0 for an `atomicExch` that a loop waits for.
fn lock<'a>(text: &[Token<'a>], at: usize, constants: &Constants) -> Option<(&'a str, i64)> {
    let function = text[at].text;
    if text[at].kind != Kind::Name || !function.starts_with("atomic") {
        return None;
    }
    let all = || arguments(text, at);
    if function.starts_with("atomicCAS") {
        let all = all()?;
        let value = constants.value(all.get(1)?).and_then(Value::number).unwrap_or(0);
        return Some((pointer(all[0])?, value));
    }
    let before = &text[at.saturating_sub(5)..at];
    let waits = before
        .iter()
        .rposition(|token| token.is("while"))
        .is_some_and(|from| before[from..].iter().all(|token| ![";", ")", "{"].iter().any(|end| token.is(end))));
    if function.starts_with("atomicExch") && waits { Some((pointer(all()?[0])?, 0)) } else { None }
}

/// The pointer of `&keys[i]`, `keys + i` or `lock->mutex`.
fn pointer<'a>(piece: &[Token<'a>]) -> Option<&'a str> {
    let end = piece.iter().position(|token| token.is("[") || token.is("+")).unwrap_or(piece.len());
    piece[..end].iter().rfind(|token| token.kind == Kind::Name).map(|token| token.text)
}

/// What looks like a function, `NAME(...) { ... }`; loops do, too, and have no parameters.
struct Definition<'a> {
    name: &'a str,
    parameters: Vec<&'a str>,
    body: Range<usize>,
}

fn definitions<'a>(text: &[Token<'a>]) -> Vec<Definition<'a>> {
    let definition = |at: usize| {
        let close = Some(at + 1).filter(|_| text[at].kind == Kind::Name).and_then(|open| matching(text, open))?;
        let open = Some(close + 1).filter(|open| text.get(*open).is_some_and(|token| token.is("{")))?;
        let parameter = |piece: &[Token<'a>]| {
            let declared = piece.len() > 1 && piece.iter().any(|token| token.is("*"));
            piece.last().filter(|_| declared).map_or("", |token| token.text)
        };
        let parameters = arguments(text, at)?.into_iter().map(parameter).collect();
        Some(Definition { name: text[at].text, parameters, body: open..matching(text, open)? })
    };
    (0..text.len()).filter_map(definition).collect()
}

/// The fill of a buffer whose every byte is set; of reals only zeros are numbers that anybody means.
pub fn set(byte: u8, ty: &str) -> Option<String> {
    let bits = 64 - 8 * scalar(ty).clamp(1, 8) as u32;
    let all = i64::from_ne_bytes([byte; 8]);
    let value = if ty.starts_with('u') { ((all as u64) >> bits) as i64 } else { all >> bits };
    number(value, ty)
}

/// The fill of a buffer that holds one number; nothing if its elements cannot, or no line can say it.
pub fn number(value: i64, ty: &str) -> Option<String> {
    if value == 0 {
        return Some("zeros".to_owned());
    }
    let bits = 64 - 8 * scalar(ty).clamp(1, 8) as u32;
    let value = match ty.as_bytes().first()? {
        b'i' => i128::from(value << bits >> bits),
        // -1 is what all bits are.
        b'u' => i128::from((value as u64) << bits >> bits),
        _ => return None,
    };
    // Fills are reals.
    (value as f64 as i128 == value).then(|| format!("constant({value})"))
}

#[cfg(test)]
mod tests {
    use super::{number, set};

    #[test]
    fn numbers_are_as_their_types_hold_them() {
        for (value, ty, want) in [
            (0, "f32", Some("zeros")),
            (1, "f32", None),
            (-1, "i32", Some("constant(-1)")),
            (-1, "u32", Some("constant(4294967295)")),
            (0xffff_ffff, "i32", Some("constant(-1)")),
            (-1, "u64", None),
            (-1, "i64", Some("constant(-1)")),
            (i64::MAX, "i64", None),
            (i64::MIN, "i64", Some("constant(-9223372036854775808)")),
        ] {
            assert_eq!(number(value, ty).as_deref(), want, "{value} {ty}");
        }
        for (byte, ty, want) in [
            (0, "bf16", Some("zeros")),
            (0xff, "u8", Some("constant(255)")),
            (0xff, "i16", Some("constant(-1)")),
            (1, "u32", Some("constant(16843009)")),
            (0x80, "i8", Some("constant(-128)")),
            (1, "f64", None),
            (1, "i64", None),
        ] {
            assert_eq!(set(byte, ty).as_deref(), want, "{byte} {ty}");
        }
    }
}
