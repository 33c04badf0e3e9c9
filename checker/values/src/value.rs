//! Numbers that travel as JSON without loss.

use serde::{Deserialize, Serialize};

/// A number as it stood in a buffer, without loss.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Value {
    /// Of a float type.
    Real(#[serde(with = "real")] f64),
    /// Of a signed type.
    Signed(i64),
    /// Of an unsigned type.
    Unsigned(u64),
}

impl std::fmt::Display for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match *self {
            Self::Real(x) if x == 0.0 || (1e-4..1e9).contains(&x.abs()) || !x.is_finite() => write!(f, "{x}"),
            Self::Real(x) => write!(f, "{x:e}"),
            Self::Signed(x) => write!(f, "{x}"),
            Self::Unsigned(x) => write!(f, "{x}"),
        }
    }
}

/// JSON has no NaN and no infinities: they travel as strings.
pub mod real {
    use serde::{Deserialize, Deserializer, Serializer};

    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Either {
        Number(f64),
        Text(String),
    }

    /// Finite values as numbers, others as "NaN", "inf", "-inf".
    pub fn serialize<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
        if value.is_finite() { serializer.serialize_f64(*value) } else { serializer.serialize_str(&value.to_string()) }
    }

    /// The reverse.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
        match Either::deserialize(deserializer)? {
            Either::Number(value) => Ok(value),
            Either::Text(text) => text.parse().map_err(serde::de::Error::custom),
        }
    }
}
