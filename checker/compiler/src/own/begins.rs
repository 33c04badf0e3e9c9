//! What memory holds before the first launch, where the text says so: what the host sets it to, and what a lock begins with.

use super::guess::scalar;
use super::host::{Constants, Value, arguments};
use super::lexer::{Kind, Token};
use std::collections::HashMap;

/// Numbers by the names of pointers.
pub type Begins = HashMap<String, i64>;

/// What `atomicCAS` compares with, by the name of its target: a lock that holds anything else is taken for ever. Where that number is not known it
/// is taken for 0.
pub fn compared(texts: &[Vec<Token>], constants: &Constants) -> Begins {
    let mut found = Begins::new();
    for text in texts {
        for at in (0..text.len()).filter(|at| text[*at].kind == Kind::Name && text[*at].text.starts_with("atomicCAS")) {
            let Some(all) = arguments(text, at) else { continue };
            // `&keys[i]`, `keys + i`, `lock->mutex`
            let end = all[0].iter().position(|token| token.is("[") || token.is("+")).unwrap_or(all[0].len());
            let target = all[0][..end].iter().rfind(|token| token.kind == Kind::Name);
            let Some((target, compared)) = target.zip(all.get(1)) else { continue };
            let value = constants.value(compared).and_then(Value::number).unwrap_or(0);
            found.entry(target.text.to_owned()).or_insert(value);
        }
    }
    found
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
