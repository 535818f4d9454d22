//! `now`: program time.

use super::prelude::*;

/// The row.
pub static BUILTIN: Builtin = Builtin {
    name: "now",
    takes: "",
    params: (&[], 0),
    gives,
    reads: Reads::Nothing,
    label: LabelRule::Clock,
    raises: &[],
    doc: "The program's time, which advances only while a statement waits. To measure, use `ts`.",
    example: ("now() - now()", "0s"),
    eval: Eval::Machine(MachineCall::Now),
};

fn gives(types: &[Type]) -> Result<Type, ExpectedArguments> {
    match types {
        [] => Ok(Type::Time),
        _ => expected("nothing"),
    }
}
