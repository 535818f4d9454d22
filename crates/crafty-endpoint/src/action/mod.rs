//! What handlers and the model may say: a fixed list of actions with fixed fields, each checked. Nothing
//! is guessed from the packet that is answered, and there is no way to hand in bytes of a header.

mod build;
mod fields;
mod packet;

pub use build::build;
pub use fields::{ACTION_FIELDS, ActionField, FieldShape};
pub use packet::NewPacket;

use serde_json::{Map, Value};
use std::fmt;

/// Actions that one answer may have.
pub const MAX_ACTIONS: usize = 16;

/// One action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EndpointAction {
    /// Write a packet to the interface.
    SendPacket(Box<NewPacket>),
    /// Drop the packet, and say why.
    DropPacket {
        /// For the log.
        reason: String,
    },
    /// Say nothing.
    NoResponse,
}

/// The words of `type`, with what they mean.
pub static ACTIONS: &[(&str, &str)] = &[
    (
        "send_packet",
        "write one packet to the interface; lengths and checksums are computed, and what is not named has its documented default",
    ),
    ("drop_packet", "drop the packet; `reason` goes to the log"),
    ("no_response", "answer nothing"),
];

/// Why an action cannot be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ActionError {
    /// It is not an action at all: not JSON, no list, no object, an unknown `type` or field.
    Form(String),
    /// A field breaks its rule.
    Field {
        /// The field.
        name: &'static str,
        /// What is wrong, and what is allowed.
        why: String,
    },
}

impl fmt::Display for ActionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ActionError::Form(why) => f.write_str(why),
            ActionError::Field { name, why } => write!(f, "`{name}` {why}"),
        }
    }
}

impl std::error::Error for ActionError {}

/// A mistake in a field.
fn field<T>(name: &'static str, why: impl Into<String>) -> Result<T, ActionError> {
    Err(ActionError::Field {
        name,
        why: why.into(),
    })
}

/// Where an answer is to be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnswerLink {
    /// To an interface without a link layer.
    Packets,
    /// To one with Ethernet.
    Frames,
}

/// Reads an answer: one action, a list of them, or an object with such a list under `actions`.
///
/// # Errors
/// When any of them is wrong: an answer is done as a whole, or not at all.
pub fn read_answer(answer: &Value, link: AnswerLink) -> Result<Vec<EndpointAction>, ActionError> {
    let list = match answer {
        Value::Array(list) => list.as_slice(),
        Value::Object(object) => match object.get("actions") {
            Some(Value::Array(list)) if object.len() == 1 => list.as_slice(),
            Some(_) => return form("`actions` stands alone, and is a list"),
            None => std::slice::from_ref(answer),
        },
        _ => return form("an answer is an action or a list of actions"),
    };
    if list.len() > MAX_ACTIONS {
        return form(&format!("an answer has at most {MAX_ACTIONS} actions"));
    }
    list.iter()
        .map(|action| read_action(action, link))
        .collect()
}

fn form<T>(why: &str) -> Result<T, ActionError> {
    Err(ActionError::Form(why.into()))
}

fn read_action(action: &Value, link: AnswerLink) -> Result<EndpointAction, ActionError> {
    let Value::Object(object) = action else {
        return form("an action is a JSON object");
    };
    match object.get("type").and_then(Value::as_str) {
        Some("send_packet") => {
            check_fields(object, |name| {
                ACTION_FIELDS.iter().any(|row| row.name == name)
            })?;
            Ok(EndpointAction::SendPacket(Box::new(packet::read(
                object, link,
            )?)))
        }
        Some("drop_packet") => {
            check_fields(object, |name| name == "reason")?;
            Ok(EndpointAction::DropPacket {
                reason: reason(object)?,
            })
        }
        Some("no_response") => {
            check_fields(object, |_| false)?;
            Ok(EndpointAction::NoResponse)
        }
        Some(other) => form(&format!(
            "`{}` is not a type of action: send_packet, drop_packet, no_response",
            shown(other)
        )),
        None => form("an action has a `type`: send_packet, drop_packet or no_response"),
    }
}

/// A field that is null is not there: strict schemas know no optional fields.
fn check_fields(
    object: &Map<String, Value>,
    is_known: impl Fn(&str) -> bool,
) -> Result<(), ActionError> {
    let mut given = object.iter().filter(|(_, value)| !value.is_null());
    match given.find(|(name, _)| *name != "type" && !is_known(name)) {
        Some((name, _)) => form(&format!("this action has no field `{}`", shown(name))),
        None => Ok(()),
    }
}

fn reason(object: &Map<String, Value>) -> Result<String, ActionError> {
    match object.get("reason") {
        None | Some(Value::Null) => Ok(String::new()),
        Some(Value::String(text)) => Ok(shown(text)),
        Some(_) => field("reason", "is a text"),
    }
}

/// What somebody else wrote, for a line of the log.
pub fn shown(text: &str) -> String {
    const MOST: usize = 120;
    let mut all = text.chars();
    let mut shown: String = all
        .by_ref()
        .take(MOST)
        .flat_map(char::escape_default)
        .collect();
    if all.next().is_some() {
        shown.push('…');
    }
    shown
}

#[cfg(test)]
mod tests;
