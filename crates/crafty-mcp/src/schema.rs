//! Parts of output schemas (JSON Schema, draft 2020-12).

use crate::tool_error::error_schema;
use serde_json::{Map, Value, json};

/// What a tool answers: an object with these keys and no others, or an error. A key that ends in `?`
/// may be missing.
pub fn output(keys: impl IntoIterator<Item = (&'static str, Value)>) -> Map<String, Value> {
    let mut schema = Map::new();
    // Clients of the older protocol want an object at the top.
    schema.insert("type".into(), "object".into());
    schema.insert("anyOf".into(), json!([object(keys), error_schema()]));
    schema
}

/// An object with these keys and no others.
pub fn object(keys: impl IntoIterator<Item = (&'static str, Value)>) -> Value {
    let (mut properties, mut required) = (Map::new(), Vec::new());
    for (key, schema) in keys {
        let name = key.trim_end_matches('?');
        if name == key {
            required.push(name);
        }
        properties.insert(name.into(), schema);
    }
    json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false })
}

/// A list.
pub fn list(of: Value) -> Value {
    json!({ "type": "array", "items": of })
}

/// A text.
pub fn text(about: &str) -> Value {
    described("string", about)
}

/// A number from 0 on.
pub fn count(about: &str) -> Value {
    let mut schema = described("integer", about);
    schema["minimum"] = 0.into();
    schema
}

/// True or false.
pub fn flag(about: &str) -> Value {
    described("boolean", about)
}

/// An object whose keys are reported elsewhere.
pub fn open(about: &str) -> Value {
    described("object", about)
}

/// Where to continue.
pub fn cursor() -> Value {
    count("the answer is not complete: call again with this")
}

/// A type with its sentence, where its name does not say it all.
fn described(kind: &str, about: &str) -> Value {
    match about.is_empty() {
        true => json!({ "type": kind }),
        false => json!({ "type": kind, "description": about }),
    }
}
