//! Configuration files: TOML with the names of the options.

use crate::option::{OptionError, Repeats, check_option, endpoint_option};
use toml::{Table, Value};

/// The options that a file sets, by names and values in their order.
///
/// # Errors
/// When it is not TOML, there is no such option, it does not take the value, or a value is neither a text, a number nor a list of them where lists are
/// allowed.
pub fn read_configuration(text: &str) -> Result<Vec<(String, String)>, OptionError> {
    let table = text.parse::<Table>().map_err(|error| OptionError {
        name: "the file".into(),
        why: format!("it is not TOML: {}", error.to_string().trim_end()),
        fix: "write lines as `packet_filter = \"icmp\"`".into(),
    })?;
    let mut given = Vec::new();
    for (name, value) in table {
        let values = match value {
            Value::Array(list) if is_list(&name) => list,
            other => vec![other],
        };
        for value in values {
            let value = plain(&name, value)?;
            check_option(&name, &value)?;
            given.push((name.clone(), value));
        }
    }
    Ok(given)
}

fn is_list(name: &str) -> bool {
    endpoint_option(name).is_some_and(|row| row.repeats == Repeats::Many)
}

fn plain(name: &str, value: Value) -> Result<String, OptionError> {
    match value {
        Value::String(text) => Ok(text),
        Value::Integer(number) => Ok(number.to_string()),
        other => Err(OptionError {
            name: name.into(),
            why: format!("it cannot be a value of the type {}", other.type_str()),
            fix: "write a text in quotes or a whole number".into(),
        }),
    }
}
