//! `frames`: how many frames a send became.

use super::prelude::*;

/// The row.
pub static BUILTIN: Builtin = Builtin {
    name: "frames",
    takes: "p",
    params: (&["p"], 1),
    gives,
    reads: Reads::Nothing,
    label: LabelRule::Content,
    raises: &[],
    doc: "The number of frames that this send produced.",
    example: ("", ""),
    eval: Eval::Machine(MachineCall::Frames),
};

fn gives(types: &[Type]) -> Result<Type, ExpectedArguments> {
    match types {
        [Type::Packet] => Ok(Type::Int),
        _ => expected("a sent packet"),
    }
}
