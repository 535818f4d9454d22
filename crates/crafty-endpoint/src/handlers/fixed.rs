//! The static handler: a JSON list of actions, in which `{{event.FIELD}}` stands for a field of the event.

use crate::action::{ACTION_FIELDS, ACTIONS};
use crate::event::EVENTS;
use serde_json::{Map, Value};
use std::fmt;

/// Actions with places for fields of the event.
#[derive(Clone, Debug)]
pub struct FixedHandler {
    actions: Value,
}

/// What is wrong with a list of actions, or keeps it from being filled in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FixedError {
    /// The text is not JSON: what the reader says.
    NotJson(String),
    /// It is JSON, and no list.
    NotAList,
    /// An entry of the list is no object.
    NotAnAction,
    /// There is no such type of action.
    UnknownAction(String),
    /// An action of this type has no field of this name.
    UnknownField(String, String),
    /// A text with a place that does not end.
    OpenPlace(String),
    /// No event has a field of this name.
    UnknownPlace(String),
    /// This event has no field of this name.
    Lacking(String),
}

impl fmt::Display for FixedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FixedError::NotJson(error) => write!(f, "it is not JSON: {error}"),
            FixedError::NotAList => f.write_str("it is not a list of actions"),
            FixedError::NotAnAction => f.write_str("an action is a JSON object"),
            FixedError::UnknownAction(kind) => write!(
                f,
                "`{kind}` is not a type of action: send_packet, drop_packet, no_response"
            ),
            FixedError::UnknownField(kind, name) => write!(f, "`{kind}` has no field `{name}`"),
            FixedError::OpenPlace(text) => {
                write!(f, "`{text}` has a place that does not end with `{CLOSING}`")
            }
            FixedError::UnknownPlace(name) => write!(f, "no event has a field `{name}`"),
            FixedError::Lacking(name) => write!(f, "the event has no field `{name}`"),
        }
    }
}

impl std::error::Error for FixedError {}

/// What is before and after the name of a field.
const OPENING: &str = "{{event.";
const CLOSING: &str = "}}";

impl FixedHandler {
    /// Reads a list of actions.
    ///
    /// # Errors
    /// When it is not such a list, or a place names a field that no event has.
    pub fn read(text: &str) -> Result<FixedHandler, FixedError> {
        let actions: Value =
            serde_json::from_str(text).map_err(|error| FixedError::NotJson(error.to_string()))?;
        let Value::Array(list) = &actions else {
            return Err(FixedError::NotAList);
        };
        list.iter().try_for_each(check_action)?;
        Ok(FixedHandler { actions })
    }

    /// The answer to an event.
    ///
    /// # Errors
    /// When the event lacks a field that an action asks for.
    pub fn answer(&self, event: &Value) -> Result<Value, FixedError> {
        filled(&self.actions, event)
    }
}

fn check_action(action: &Value) -> Result<(), FixedError> {
    let Value::Object(fields) = action else {
        return Err(FixedError::NotAnAction);
    };
    let kind = fields.get("type").and_then(Value::as_str).unwrap_or("");
    if ACTIONS.iter().all(|(name, _)| *name != kind) {
        return Err(FixedError::UnknownAction(kind.into()));
    }
    let is_known = |name: &str| {
        let of_packet = || ACTION_FIELDS.iter().any(|row| row.name == name);
        match kind {
            "send_packet" => of_packet(),
            "drop_packet" => name == "reason",
            _ => false,
        }
    };
    let others = fields.keys().filter(|name| *name != "type");
    match others.into_iter().find(|name| !is_known(name)) {
        Some(name) => Err(FixedError::UnknownField(kind.into(), name.clone())),
        None => fields.values().try_for_each(check_places),
    }
}

/// Every place names a field that `packet_received` has.
fn check_places(value: &Value) -> Result<(), FixedError> {
    match value {
        Value::String(text) => {
            let places = text.split(OPENING).skip(1);
            for place in places {
                let Some((name, _)) = place.split_once(CLOSING) else {
                    return Err(FixedError::OpenPlace(text.clone()));
                };
                let first = name.split('.').next().unwrap_or(name);
                let rows = EVENTS.iter().flat_map(|event| event.fields);
                if rows.into_iter().all(|(field, _)| *field != first) {
                    return Err(FixedError::UnknownPlace(name.into()));
                }
            }
            Ok(())
        }
        Value::Array(list) => list.iter().try_for_each(check_places),
        _ => Ok(()),
    }
}

fn filled(value: &Value, event: &Value) -> Result<Value, FixedError> {
    match value {
        Value::String(text) => filled_text(text, event),
        Value::Array(list) => list.iter().map(|value| filled(value, event)).collect(),
        Value::Object(fields) => fields
            .iter()
            .map(|(name, value)| Ok((name.clone(), filled(value, event)?)))
            .collect::<Result<Map<_, _>, FixedError>>()
            .map(Value::Object),
        other => Ok(other.clone()),
    }
}

/// A text that is one place becomes the field as it is, a number a number; in other texts fields are
/// written out. What is filled in is not looked through for places again.
fn filled_text(text: &str, event: &Value) -> Result<Value, FixedError> {
    let whole = text
        .strip_prefix(OPENING)
        .and_then(|rest| rest.strip_suffix(CLOSING))
        .filter(|name| !name.contains(['{', '}']));
    if let Some(name) = whole {
        return found(name, event).cloned();
    }
    let mut parts = text.split(OPENING);
    let mut out = parts.next().unwrap_or_default().to_string();
    for part in parts {
        let (name, rest) = part.split_once(CLOSING).unwrap_or((part, ""));
        match found(name, event)? {
            Value::String(text) => out.push_str(text),
            other => out.push_str(&other.to_string()),
        }
        out.push_str(rest);
    }
    Ok(out.into())
}

fn found<'a>(name: &str, event: &'a Value) -> Result<&'a Value, FixedError> {
    let mut parts = name.split('.');
    let value = parts.try_fold(event, |value, part| value.get(part));
    value
        .filter(|value| !value.is_null())
        .ok_or_else(|| FixedError::Lacking(name.into()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn fields_of_the_event_are_filled_in_once() {
        let text = r#"[{"type": "send_packet", "icmp_id": "{{event.icmp_id}}",
            "payload": "to {{event.source}}, {{event.icmp_id}}: {{event.payload_preview}}"}]"#;
        let handler = FixedHandler::read(text).expect("a list of actions");
        let event =
            json!({ "icmp_id": 7, "source": "10.7.0.1", "payload_preview": "{{event.source}}" });
        assert_eq!(
            handler.answer(&event),
            Ok(
                json!([{ "type": "send_packet", "icmp_id": 7, "payload": "to 10.7.0.1, 7: {{event.source}}" }])
            )
        );
        let lacking = handler.answer(&json!({ "source": "10.7.0.1" }));
        assert_eq!(lacking, Err(FixedError::Lacking("icmp_id".into())));
    }

    #[track_caller]
    fn check(text: &str, wanted: &str) {
        assert_eq!(
            FixedHandler::read(text)
                .err()
                .map(|it| it.to_string())
                .unwrap_or_default(),
            wanted,
            "{text}"
        );
    }

    #[test]
    fn mistakes_are_told_before_the_first_packet() {
        check(r#"{"type": "no_response"}"#, "it is not a list of actions");
        check("[7]", "an action is a JSON object");
        check(
            r#"[{"type": "reply"}]"#,
            "`reply` is not a type of action: send_packet, drop_packet, no_response",
        );
        check(
            r#"[{"type": "send_packet", "checksum": 7}]"#,
            "`send_packet` has no field `checksum`",
        );
        check(
            r#"[{"type": "send_packet", "source": "{{event.sauce}}"}]"#,
            "no event has a field `sauce`",
        );
        check(
            r#"[{"type": "send_packet", "source": "{{event.source"}]"#,
            "`{{event.source` has a place that does not end with `}}`",
        );
        check(
            r#"[{"type": "send_packet", "source_mac": "{{event.ethernet.source_mac}}"}]"#,
            "",
        );
    }
}
