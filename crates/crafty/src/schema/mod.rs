//! Schemas of the JSON that commands print (JSON Schema, draft 2020-12), one file each. To add one:
//! write the file, then add its name to the list below. They leave nothing open: a key that is in
//! no schema is printed by no command.

use serde_json::{Map, Value, json};

/// A schema.
pub struct Schema {
    /// As asked for.
    pub name: &'static str,
    /// Which command prints it, in a line.
    pub about: &'static str,
    /// The schema without its head.
    pub body: fn() -> Value,
}

macro_rules! schemas {
    ($($name:ident)*) => {
        $(mod $name;)*
        /// All schemas.
        pub static ALL: &[&Schema] = &[$(&$name::SCHEMA),*];
    };
}

schemas! { packet event finding check review }

impl Schema {
    /// The whole document.
    pub fn whole(&self) -> Value {
        let mut document = Map::new();
        document.insert(
            "$schema".into(),
            "https://json-schema.org/draft/2020-12/schema".into(),
        );
        document.insert("title".into(), format!("crafty {}", self.name).into());
        document.insert("description".into(), self.about.into());
        if let Value::Object(body) = (self.body)() {
            document.extend(body);
        }
        document.into()
    }
}

/// An object with these keys and no others; a key that ends in `?` may be missing.
fn object(keys: impl IntoIterator<Item = (&'static str, Value)>) -> Value {
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

fn list(of: Value) -> Value {
    json!({ "type": "array", "items": of })
}

fn text(about: &str) -> Value {
    json!({ "type": "string", "description": about })
}

fn count(about: &str) -> Value {
    json!({ "type": "integer", "minimum": 0, "description": about })
}

/// Times and durations: whole nanoseconds in a string, since numbers of JSON lose digits.
fn nanoseconds(about: &str) -> Value {
    json!({ "type": "string", "pattern": "^-?[0-9]+$", "description": format!("{about}, in nanoseconds") })
}

fn hexadecimal() -> Value {
    json!({ "type": "string", "pattern": "^([0-9a-f]{2})*$" })
}
