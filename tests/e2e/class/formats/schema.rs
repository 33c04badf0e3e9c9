//! Whether a value is as a schema says: the parts of JSON Schema that ours use.

use crate::support::repository;
use serde_json::Value;

/// Does a value fit a schema? The part of JSON Schema that the schemas in `tests/fixtures/grade/schema` use; any other word in one is
/// an error.
pub(super) fn fits(schema: &Value, top: &Value, value: &Value, at: &str) -> Result<(), String> {
    if let Some(name) = schema["$ref"].as_str() {
        return fits(&top["$defs"][name.trim_start_matches("#/$defs/")], top, value, at);
    }
    let wrong = |what: &str| Err(format!("{at}: {what}: {value}"));
    let words = schema.as_object().ok_or_else(|| format!("{at}: no schema"))?;
    for (word, demand) in words {
        let holds = match word.as_str() {
            "type" => {
                let one = |name: &Value| match name.as_str().unwrap_or_default() {
                    "object" => Ok(value.is_object()),
                    "array" => Ok(value.is_array()),
                    "string" => Ok(value.is_string()),
                    "number" => Ok(value.is_number()),
                    "integer" => Ok(value.is_i64() || value.is_u64()),
                    "boolean" => Ok(value.is_boolean()),
                    "null" => Ok(value.is_null()),
                    other => Err(format!("{at}: no type is called {other}")),
                };
                let names = demand.as_array().cloned().unwrap_or_else(|| vec![demand.clone()]);
                let held: Result<Vec<bool>, String> = names.iter().map(one).collect();
                held?.contains(&true)
            }
            "$schema" | "$id" | "title" | "description" => true,
            "enum" => demand.as_array().is_some_and(|allowed| allowed.contains(value)),
            "minimum" => value.as_f64() >= demand.as_f64(),
            "maximum" => value.as_f64() <= demand.as_f64(),
            "minItems" => value.as_array().map(|items| items.len() as u64) >= demand.as_u64(),
            // Of what is no object the word says nothing.
            "required" if !value.is_object() => true,
            "required" => demand
                .as_array()
                .is_some_and(|names| names.iter().all(|name| value.get(name.as_str().unwrap_or_default()).is_some())),
            "items" => {
                for (index, item) in value.as_array().into_iter().flatten().enumerate() {
                    fits(demand, top, item, &format!("{at}[{index}]"))?;
                }
                true
            }
            "properties" | "additionalProperties" | "$defs" => true,
            other => return Err(format!("{at}: the schema's word {other} is not known here")),
        };
        if !holds {
            return wrong(&format!("{word} {demand}"));
        }
    }
    for (name, property) in value.as_object().into_iter().flatten() {
        let at = format!("{at}.{name}");
        match (schema["properties"].get(name), schema.get("additionalProperties")) {
            (Some(own), _) => fits(own, top, property, &at)?,
            (None, Some(Value::Bool(false))) => return Err(format!("{at}: no such field")),
            (None, Some(others)) => fits(others, top, property, &at)?,
            (None, None) => {}
        }
    }
    Ok(())
}

pub(super) fn check(name: &str, value: &Value) {
    let path = repository().join(format!("tests/fixtures/grade/schema/{name}.json"));
    let schema: Value = serde_json::from_str(&std::fs::read_to_string(path).expect("a schema")).expect("JSON");
    fits(&schema, &schema, value, name).unwrap_or_else(|why| panic!("{why}\n{value:#}"));
}

#[test]
fn the_schemas_refuse_what_they_should() {
    let schema: Value = serde_json::json!({ "type": "object", "required": ["a"], "additionalProperties": false,
        "properties": { "a": { "type": "integer", "minimum": 1 }, "b": { "enum": ["x"] } } });
    for (value, fine) in [
        (serde_json::json!({ "a": 1, "b": "x" }), true),
        (serde_json::json!({ "a": 0 }), false),
        (serde_json::json!({ "a": 1.5 }), false),
        (serde_json::json!({ "b": "x" }), false),
        (serde_json::json!({ "a": 1, "b": "y" }), false),
        (serde_json::json!({ "a": 1, "c": 1 }), false),
    ] {
        assert_eq!(fits(&schema, &schema, &value, "").is_ok(), fine, "{value}");
    }
}
