//! `now`: program time.

use super::prelude::*;

/// The row.
pub static BUILTIN: Builtin = Builtin {
    name: "now",
    takes: "",
    params: (&[], 0),
    gives,
    label: LabelRule::Clock,
    raises: &[],
    doc: "Program time; it moves only in statements that wait. Measure with `ts` instead.",
    example: ("now() - now()", "0s"),
    eval: Eval::Machine(MachineCall::Now),
};

fn gives(types: &[Type]) -> Result<Type, String> {
    match types {
        [] => Ok(Type::Time),
        _ => wanted("nothing"),
    }
}
