//! What is known only at the start: params from the command line, constants, settings. Never sends, never resolves a name.

use crate::diagnostic::Report;
use crate::ir::{Program, Type};
use crafty_policy::Policy;
use crafty_value::Value;
use std::collections::BTreeMap;

/// A program's values before its first statement.
#[derive(Clone, Debug)]
pub struct Bound {
    /// By variable number: params and constants are set, all others are `Value::Nothing`.
    pub values: Vec<Value>,
    /// What its settings ask for; not yet met with the operator's.
    pub policy: Policy,
}

/// Evaluates params, constants and settings. `given` holds what the command line sets, by the param's name.
pub fn bind(program: &Program, given: &BTreeMap<String, Value>) -> Result<Bound, Vec<Report>> {
    let _ = given;
    Ok(Bound { values: vec![Value::Nothing; program.variables.len()], policy: Policy::program() })
}

/// A value of the command line, read as one literal of this type; arrays are separated by commas.
pub fn parse_value(ty: &Type, text: &str) -> Result<Value, String> {
    Err(format!("`{text}` is no {}", crate::builtins::type_name(ty)))
}
