//! Arguments of tools as rows: what the input schema says and what a call is read by are the same.

use crate::tool_error::ToolError;
use crafty_run::GivenParam;
use serde_json::{Map, Value, json};

/// An argument of a tool.
pub struct Argument {
    /// Its name.
    pub name: &'static str,
    /// What it is.
    pub kind: ArgumentKind,
    /// One sentence, for the model that calls.
    pub about: &'static str,
}

/// What an argument is.
#[derive(Clone, Copy)]
pub enum ArgumentKind {
    /// Text of at most so many bytes.
    Text(usize),
    /// The same, which must be given.
    RequiredText(usize),
    /// A whole number: the lowest, the highest, and what it is when not given.
    Number(u64, u64, u64),
    /// Whether; not, when not given.
    Flag,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// Values of a program's params, by name.
    Params,
    /// At most so many texts.
    Texts(usize),
}

/// Bytes of a param's value at most, and of a text in a list.
const MAX_WORD: usize = 1_024;

/// The arguments of a call, each of its kind; numbers and flags have their values.
#[derive(Debug, Default)]
pub struct Arguments(Map<String, Value>);

impl ArgumentKind {
    fn schema(self) -> Value {
        match self {
            ArgumentKind::Text(most) | ArgumentKind::RequiredText(most) => {
                json!({ "type": "string", "maxLength": most })
            }
            ArgumentKind::Number(low, high, unset) => {
                json!({ "type": "integer", "minimum": low, "maximum": high, "default": unset })
            }
            ArgumentKind::Flag => json!({ "type": "boolean", "default": false }),
            ArgumentKind::Choice(words) => json!({ "type": "string", "enum": words }),
            ArgumentKind::Params => json!({
                "type": "object",
                "additionalProperties": { "type": ["string", "number", "boolean"] },
            }),
            ArgumentKind::Texts(most) => {
                json!({ "type": "array", "items": { "type": "string" }, "maxItems": most })
            }
        }
    }

    /// What it must be, in words.
    fn wanted(self) -> String {
        match self {
            ArgumentKind::Text(most) | ArgumentKind::RequiredText(most) => {
                format!("a string of at most {most} bytes")
            }
            ArgumentKind::Number(low, high, _) => format!("a whole number from {low} to {high}"),
            ArgumentKind::Flag => "true or false".into(),
            ArgumentKind::Choice(words) => format!("one of {}", words.join(", ")),
            ArgumentKind::Params => {
                "an object of names and values, such as {\"target\": \"192.0.2.1\"}".into()
            }
            ArgumentKind::Texts(most) => format!("a list of at most {most} strings"),
        }
    }

    fn accepts(self, value: &Value) -> bool {
        let fits = |text: &Value, most| text.as_str().is_some_and(|text| text.len() <= most);
        match self {
            ArgumentKind::Text(most) | ArgumentKind::RequiredText(most) => fits(value, most),
            ArgumentKind::Number(low, high, _) => value
                .as_u64()
                .is_some_and(|number| (low..=high).contains(&number)),
            ArgumentKind::Flag => value.is_boolean(),
            ArgumentKind::Choice(words) => value.as_str().is_some_and(|word| words.contains(&word)),
            ArgumentKind::Params => value
                .as_object()
                .is_some_and(|map| map.iter().all(|(name, value)| is_param(name, value))),
            ArgumentKind::Texts(most) => value.as_array().is_some_and(|list| {
                list.len() <= most && list.iter().all(|text| fits(text, MAX_WORD))
            }),
        }
    }

    fn unset(self) -> Option<Value> {
        match self {
            ArgumentKind::Number(_, _, unset) => Some(unset.into()),
            ArgumentKind::Flag => Some(false.into()),
            _ => None,
        }
    }
}

fn is_param(name: &str, value: &Value) -> bool {
    let is_value = match value {
        Value::String(text) => text.len() <= MAX_WORD,
        Value::Number(_) | Value::Bool(_) => true,
        _ => false,
    };
    is_value && GivenParam::parse(&format!("{name}=")).is_some()
}

/// The input schema of a tool with these arguments.
pub fn input_schema(rows: &[Argument]) -> Map<String, Value> {
    let mut properties = Map::new();
    let mut required: Vec<&str> = Vec::new();
    for row in rows {
        let mut schema = row.kind.schema();
        schema["description"] = row.about.into();
        properties.insert(row.name.into(), schema);
        if matches!(row.kind, ArgumentKind::RequiredText(_)) {
            required.push(row.name);
        }
    }
    let mut schema = Map::new();
    schema.insert("type".into(), "object".into());
    schema.insert("properties".into(), properties.into());
    if !required.is_empty() {
        schema.insert("required".into(), required.into());
    }
    schema.insert("additionalProperties".into(), false.into());
    schema
}

impl Arguments {
    /// Reads the arguments of a call.
    ///
    /// # Errors
    /// One that is unknown, missing or of another kind: which, and what it should be.
    pub fn read(rows: &[Argument], given: Map<String, Value>) -> Result<Arguments, ToolError> {
        let mut arguments = Map::new();
        for (name, value) in given {
            let Some(row) = rows.iter().find(|row| row.name == name) else {
                return Err(unknown(rows, &name));
            };
            // Some clients write `null` for what they leave out.
            if value.is_null() {
                continue;
            }
            if !row.kind.accepts(&value) {
                return Err(ToolError::argument(
                    format!("argument `{}` must be {}", row.name, row.kind.wanted()),
                    row.about,
                ));
            }
            arguments.insert(name, value);
        }
        for row in rows {
            if arguments.contains_key(row.name) {
                continue;
            }
            if matches!(row.kind, ArgumentKind::RequiredText(_)) {
                return Err(ToolError::argument(
                    format!("argument `{}` is missing", row.name),
                    row.about,
                ));
            }
            if let Some(unset) = row.kind.unset() {
                arguments.insert(row.name.into(), unset);
            }
        }
        Ok(Arguments(arguments))
    }

    /// A text or a chosen word.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.0.get(name).and_then(Value::as_str)
    }

    /// A number.
    pub fn number(&self, name: &str) -> u64 {
        self.0.get(name).and_then(Value::as_u64).unwrap_or_default()
    }

    /// A flag.
    pub fn flag(&self, name: &str) -> bool {
        self.0.get(name) == Some(&Value::Bool(true))
    }

    /// A list of texts.
    pub fn texts(&self, name: &str) -> Vec<&str> {
        let list = self.0.get(name).and_then(Value::as_array);
        list.into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect()
    }

    /// Values of params.
    pub fn params(&self, name: &str) -> Vec<GivenParam> {
        let map = self.0.get(name).and_then(Value::as_object);
        map.into_iter()
            .flatten()
            .map(|(name, value)| GivenParam {
                name: name.clone(),
                value: match value {
                    Value::String(text) => text.clone(),
                    other => other.to_string(),
                },
            })
            .collect()
    }
}

fn unknown(rows: &[Argument], name: &str) -> ToolError {
    let known: Vec<&str> = rows.iter().map(|row| row.name).collect();
    let fix = match known.is_empty() {
        true => "leave it out: this tool takes no arguments".into(),
        false => format!("its arguments are {}", known.join(", ")),
    };
    ToolError::argument(
        format!("there is no argument `{}`", crate::answer::short(name)),
        fix,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROWS: &[Argument] = &[
        Argument {
            name: "program",
            kind: ArgumentKind::RequiredText(10),
            about: "the text",
        },
        Argument {
            name: "wait_s",
            kind: ArgumentKind::Number(0, 25, 20),
            about: "how long",
        },
        Argument {
            name: "hex",
            kind: ArgumentKind::Flag,
            about: "bytes",
        },
        Argument {
            name: "params",
            kind: ArgumentKind::Params,
            about: "values",
        },
        Argument {
            name: "fields",
            kind: ArgumentKind::Texts(2),
            about: "columns",
        },
        Argument {
            name: "mode",
            kind: ArgumentKind::Choice(&["a", "b"]),
            about: "which",
        },
    ];

    fn read(given: Value) -> Result<Arguments, ToolError> {
        Arguments::read(ROWS, given.as_object().cloned().unwrap_or_default())
    }

    #[test]
    fn what_is_not_given_has_its_value() {
        let read = read(json!({ "program": "x", "mode": null })).expect("arguments");
        assert_eq!((read.number("wait_s"), read.flag("hex")), (20, false));
        assert_eq!(read.text("mode"), None);
    }

    #[test]
    fn params_are_text_as_the_language_writes_it() {
        let given = json!({ "program": "x", "params": { "n": 5, "on": true, "t": "192.0.2.1" } });
        let params = read(given).expect("arguments").params("params");
        let words: Vec<String> = params
            .iter()
            .map(|p| format!("{}={}", p.name, p.value))
            .collect();
        assert_eq!(words, ["n=5", "on=true", "t=192.0.2.1"]);
    }

    #[test]
    fn a_wrong_argument_is_named_with_what_it_should_be() {
        let check = |given: Value, words: &[&str]| {
            let error = read(given.clone()).expect_err("wrong");
            let told = format!("{} {}", error.message, error.fix);
            let missing: Vec<_> = words.iter().filter(|word| !told.contains(**word)).collect();
            assert!(missing.is_empty(), "{given}: {told}");
        };
        check(json!({}), &["`program` is missing"]);
        check(json!({ "program": 1 }), &["a string of at most 10 bytes"]);
        check(json!({ "program": "x".repeat(11) }), &["at most 10 bytes"]);
        check(
            json!({ "program": "x", "wait_s": 26 }),
            &["`wait_s`", "0 to 25"],
        );
        check(json!({ "program": "x", "wait_s": -1 }), &["`wait_s`"]);
        check(json!({ "program": "x", "hex": "yes" }), &["true or false"]);
        check(json!({ "program": "x", "mode": "c" }), &["one of a, b"]);
        check(
            json!({ "program": "x", "fields": ["a", "b", "c"] }),
            &["at most 2"],
        );
        check(
            json!({ "program": "x", "params": { "--iface": "x" } }),
            &["`params`"],
        );
        check(
            json!({ "program": "x", "params": { "a": [1] } }),
            &["`params`"],
        );
        check(
            json!({ "program": "x", "progam": "y" }),
            &["no argument `progam`", "wait_s"],
        );
    }
}
