//! `source_for`: the own address towards another.

use super::prelude::*;

/// The row.
pub static BUILTIN: Builtin = Builtin {
    name: "source_for",
    takes: "ip",
    params: (&["ip"], 1),
    gives,
    reads: Reads::Nothing,
    label: LabelRule::Clean,
    raises: &[],
    doc: "The local address that the route to `ip` uses.",
    example: ("source_for(192.0.2.1) == source_for(192.0.2.1)", "true"),
    eval: Eval::Machine(MachineCall::SourceFor),
};

fn gives(types: &[Type]) -> Result<Type, ExpectedArguments> {
    match types {
        [Type::Ip] => Ok(Type::Ip),
        _ => expected("an address"),
    }
}
