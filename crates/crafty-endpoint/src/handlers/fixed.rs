//! The static handler: a JSON list of actions, in which `{{event.FIELD}}` stands for a field of the event.

use crate::action::{ACTION_FIELDS, ACTIONS};
use crate::event::EVENTS;
use serde_json::{Map, Value};

/// Actions with places for fields of the event.
#[derive(Clone, Debug)]
pub struct FixedHandler {
    actions: Value,
}

/// What is before and after the name of a field.
const OPENING: &str = "{{event.";
const CLOSING: &str = "}}";

impl FixedHandler {
    /// Reads a list of actions.
    ///
    /// # Errors
    /// When it is not such a list, or a place names a field that no event has: a sentence.
    pub fn read(text: &str) -> Result<FixedHandler, String> {
        let actions: Value =
            serde_json::from_str(text).map_err(|error| format!("it is not JSON: {error}"))?;
        let Value::Array(list) = &actions else {
            return Err("it is not a list of actions".into());
        };
        list.iter().try_for_each(check_action)?;
        Ok(FixedHandler { actions })
    }

    /// The answer to an event.
    ///
    /// # Errors
    /// When the event lacks a field that an action asks for: a sentence.
    pub fn answer(&self, event: &Value) -> Result<Value, String> {
        filled(&self.actions, event)
    }
}

fn check_action(action: &Value) -> Result<(), String> {
    let Value::Object(fields) = action else {
        return Err("an action is a JSON object".into());
    };
    let kind = fields.get("type").and_then(Value::as_str).unwrap_or("");
    if ACTIONS.iter().all(|(name, _)| *name != kind) {
        return Err(format!(
            "`{kind}` is not a type of action: send_packet, drop_packet, no_response"
        ));
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
        Some(name) => Err(format!("`{kind}` has no field `{name}`")),
        None => fields.values().try_for_each(check_places),
    }
}

/// Every place names a field that `packet_received` has.
fn check_places(value: &Value) -> Result<(), String> {
    match value {
        Value::String(text) => {
            let places = text.split(OPENING).skip(1);
            for place in places {
                let Some((name, _)) = place.split_once(CLOSING) else {
                    return Err(format!(
                        "`{text}` has a place that does not end with `}}}}`"
                    ));
                };
                let first = name.split('.').next().unwrap_or(name);
                let rows = EVENTS.iter().flat_map(|event| event.fields);
                if rows.into_iter().all(|(field, _)| *field != first) {
                    return Err(format!("no event has a field `{name}`"));
                }
            }
            Ok(())
        }
        Value::Array(list) => list.iter().try_for_each(check_places),
        _ => Ok(()),
    }
}

fn filled(value: &Value, event: &Value) -> Result<Value, String> {
    match value {
        Value::String(text) => filled_text(text, event),
        Value::Array(list) => list.iter().map(|value| filled(value, event)).collect(),
        Value::Object(fields) => fields
            .iter()
            .map(|(name, value)| Ok((name.clone(), filled(value, event)?)))
            .collect::<Result<Map<_, _>, String>>()
            .map(Value::Object),
        other => Ok(other.clone()),
    }
}

/// A text that is one place becomes the field as it is, a number a number; in other texts fields are
/// written out. What is filled in is not looked through for places again.
fn filled_text(text: &str, event: &Value) -> Result<Value, String> {
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

fn found<'a>(name: &str, event: &'a Value) -> Result<&'a Value, String> {
    let mut parts = name.split('.');
    let value = parts.try_fold(event, |value, part| value.get(part));
    value
        .filter(|value| !value.is_null())
        .ok_or_else(|| format!("the event has no field `{name}`"))
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
        assert_eq!(lacking, Err("the event has no field `icmp_id`".into()));
    }

    #[track_caller]
    fn check(text: &str, wanted: &str) {
        assert_eq!(
            FixedHandler::read(text).err().unwrap_or_default(),
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
