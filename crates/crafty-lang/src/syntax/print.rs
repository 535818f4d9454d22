//! layout
use super::Parsed;
pub(super) fn program(source: &str, _parsed: &Parsed) -> String { source.to_string() }
