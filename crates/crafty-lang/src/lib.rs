//! From text to a checked packet program. Never runs one, never touches a network, and always gives
//! a result: any text gets a tree and a list of mistakes.
#![forbid(unsafe_code)]

pub mod builtins;
pub mod check;
pub mod diagnostics;
pub mod driven;
pub mod eval;
pub mod ir;
pub mod judge;
pub mod labels;
pub mod traffic;
pub mod wire_values;
pub mod worst;

use crafty_syntax::diagnostic;
