//! The schema of an answer, as the strictest of servers takes it: every property required and nullable,
//! nothing else allowed, no ranges. Ranges are checked when the answer is here.

use crate::action::{ACTION_FIELDS, ACTIONS, ActionField, FieldShape};
use serde_json::{Map, Value, json};

/// JSON Schema of `{"actions": […]}`.
pub fn answer_schema() -> Value {
    let kinds: Vec<&str> = ACTIONS.iter().map(|(name, _)| *name).collect();
    let mut properties = Map::new();
    properties.insert("type".into(), json!({ "type": "string", "enum": kinds }));
    properties.insert("reason".into(), json!({ "type": ["string", "null"] }));
    for row in ACTION_FIELDS {
        properties.insert(row.name.into(), property(row));
    }
    let required: Vec<&String> = properties.keys().collect();
    json!({
        "type": "object",
        "properties": {
            "actions": {
                "type": "array",
                "items": {
                    "type": "object",
                    "required": required,
                    "properties": properties,
                    "additionalProperties": false,
                },
            },
        },
        "required": ["actions"],
        "additionalProperties": false,
    })
}

fn property(row: &ActionField) -> Value {
    match row.shape {
        FieldShape::Text | FieldShape::NameOrNumber => {
            json!({ "type": ["string", "null"], "description": row.doc })
        }
        FieldShape::Number(_) => json!({ "type": ["integer", "null"], "description": row.doc }),
        FieldShape::Flags => {
            json!({ "type": ["array", "null"], "items": { "type": "string" }, "description": row.doc })
        }
        FieldShape::OneOf(words) => {
            let words = words.iter().map(|word| json!(word)).chain([Value::Null]);
            json!({ "type": ["string", "null"], "enum": words.collect::<Vec<_>>(), "description": row.doc })
        }
    }
}
