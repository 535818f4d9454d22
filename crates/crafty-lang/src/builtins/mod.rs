//! Every function of the language, one file each. To add one: write the file, then add its name to the list below.

use crate::eval::Raise;
use crate::ir::Type;
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
    /// The type of the result for these argument types, or a sentence that says what is wanted.
    pub gives: fn(&[Type]) -> Result<Type, String>,
    /// What the result may reveal.
    pub label: LabelRule,
    /// One sentence.
    pub doc: &'static str,
    /// An expression and what it prints; run by the laws.
    pub example: (&'static str, &'static str),
    /// How it is computed.
    pub eval: Eval,
}

/// How a function's result is labelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LabelRule {
    /// The join of its arguments.
    Join,
    /// `length`: of received octets only that there were so many; of own containers their structure.
    Length,
    /// `now()`: what moved the clock.
    Clock,
    /// `choose`, `one_of`: content becomes event, metered by the list.
    Lowers,
    /// Nothing: start conditions (`source_for`).
    Clean,
    /// `frames(p)`: how the gate cut, hence event.
    Event,
}

/// How a function is computed.
#[derive(Clone, Copy, Debug)]
pub enum Eval {
    /// From its arguments alone.
    Pure(fn(&[Value]) -> Result<Value, Raise>),
    /// By the machine, which knows clock, routes and packets.
    Machine(MachineCall),
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
    /// `length(p)` of a packet (of anything else it is pure).
    PacketLength,
}
