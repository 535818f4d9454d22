//! Every function of the language, one file each. To add one: write the file, then add its name to
//! the list below.

pub mod prelude;

macro_rules! builtins {
    ($($name:ident)*) => {
        $(mod $name;)*
        /// All rows, by name.
        pub static ALL: &[&Builtin] = &[$(&$name::BUILTIN),*];
    };
}

builtins! {
    abs
    array
    bit_and
    bit_or
    bit_xor
    bits
    byte
    bytes
    choose
    div
    float
    frames
    has
    hex
    int
    keys
    length
    map
    max
    mean
    median
    min
    now
    one_of
    quantile
    remove
    round
    seq_diff
    sort
    source_for
    sqrt
    stddev
    sum
    text
    wilson
}

use crate::eval::Raise;
use crate::eval::cost::Reads;
use crate::ir::{ErrorKind, Type};
use crafty_value::Value;

/// A function of the language.
#[derive(Debug)]
pub struct Builtin {
    /// As called.
    pub name: &'static str,
    /// Parameters, as the manual shows them: `x, digits=0`.
    pub takes: &'static str,
    /// Names of the parameters in order, and how many must be given.
    pub params: (&'static [&'static str], usize),
    /// The type of the result for these argument types, or the arguments that it expects.
    pub gives: fn(&[Type]) -> Result<Type, ExpectedArguments>,
    /// How much of its arguments it reads: what it costs.
    pub reads: Reads,
    /// What the result may reveal.
    pub label: LabelRule,
    /// Errors that it can raise.
    pub raises: &'static [ErrorKind],
    /// One sentence.
    pub doc: &'static str,
    /// An expression and what it prints; run by the laws.
    pub example: (&'static str, &'static str),
    /// How it is computed.
    pub eval: Eval,
}

/// What a function expects where it was given arguments of other types: words that go on
/// "`median` expects".
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExpectedArguments(pub String);

/// How a function's result is labelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LabelRule {
    /// The join of its arguments.
    Join,
    /// `length`: of received bytes only that there were so many; of own containers their structure.
    Length,
    /// `now()`: what moved the clock.
    Clock,
    /// `choose`, `one_of`: content becomes event, metered by the list.
    Lowers,
    /// Nothing: start conditions (`source_for`).
    Clean,
    /// `frames(p)`: how it was cut is what routers and peers say they take, so content.
    Content,
}

/// How a function is computed.
#[derive(Clone, Copy, Debug)]
pub enum Eval {
    /// From its arguments alone.
    Pure(fn(&[Value]) -> Result<Value, Raise>),
    /// By the machine, which knows clock, routes and packets.
    Machine(MachineCall),
    /// By the machine if the first argument is a packet, else from the arguments alone.
    OfPacket(fn(&[Value]) -> Result<Value, Raise>, MachineCall),
}

/// What only the machine can tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MachineCall {
    /// `now()`
    Now,
    /// `source_for(ip)`
    SourceFor,
    /// `frames(p)`
    Frames,
    /// `length(p)` of a packet.
    PacketLength,
}

/// The row of a function.
pub fn find(name: &str) -> Option<&'static Builtin> {
    ALL.iter().copied().find(|b| b.name == name)
}

/// The name of a type, as messages and the manual write it.
pub fn type_name(ty: &Type) -> String {
    match ty {
        Type::Int => "int".into(),
        Type::Float => "float".into(),
        Type::Bool => "bool".into(),
        Type::Str => "string".into(),
        Type::Bytes => "bytes".into(),
        Type::Duration => "duration".into(),
        Type::Time => "time".into(),
        Type::Ip => "ip".into(),
        Type::Net => "net".into(),
        Type::Mac => "mac".into(),
        Type::Flags(_) => "flags".into(),
        Type::Array(item) => format!("array of {}", type_name(item)),
        Type::Map(key, value) => format!("map from {} to {}", type_name(key), type_name(value)),
        Type::Record(parts) => {
            let parts = parts
                .iter()
                .map(|(name, ty)| format!("{name}: {}", type_name(ty)));
            format!("{{{}}}", parts.collect::<Vec<_>>().join(", "))
        }
        Type::Packet => "packet".into(),
        Type::Error => "error".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_in_order() {
        for pair in ALL.windows(2) {
            assert!(
                pair[0].name < pair[1].name,
                "`{}` is after `{}`",
                pair[0].name,
                pair[1].name
            );
        }
        for row in ALL {
            assert!(
                row.doc.ends_with('.') && row.params.1 <= row.params.0.len(),
                "{}",
                row.name
            );
        }
    }

    #[test]
    fn every_file_is_in_the_list() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/builtins");
        for entry in std::fs::read_dir(folder).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            let word = name.trim_end_matches(".rs");
            assert!(
                matches!(word, "mod" | "prelude") || find(word).is_some(),
                "add `{word}` to the list in builtins/mod.rs"
            );
        }
    }
}
