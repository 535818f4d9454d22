//! What operations cost: about a nanosecond of a processor a unit, by what they read and write.
//! Counted, never measured, so that the same program costs the same in every run.
//!
//! No operation costs more than a constant factor times the bytes that it reads, sorting a factor
//! that grows with their logarithm, and no value holds more than [`super::MAX_NESTED`] bytes. So
//! each operation is short, and who charges between them can end a run at any time.

use crate::ir::RelOp;
use crafty_value::Value;

/// A node of an expression, whatever it does.
pub const NODE: u64 = 8;
/// A statement, besides its expressions.
pub const STATEMENT: u64 = 32;
/// How much longer it takes to spell a byte than to copy it.
const SPELLED: u64 = 4;
/// Bytes that are read or written in one unit.
const BYTES: usize = 8;

/// How much of its arguments a function reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reads {
    /// As much whatever their size.
    Nothing,
    /// The key, the last argument, once for each level of a map.
    Key,
    /// All of them, once.
    Whole,
    /// All of them, and writes text for each byte.
    Spelled,
    /// All of them, once for each doubling of their number.
    Sorted,
    /// The first, as often as the second says.
    Repeated,
}

impl Reads {
    /// What a call with these arguments costs.
    pub fn cost(self, args: &[Value]) -> u64 {
        let whole = || args.iter().map(Value::size).sum::<usize>();
        match (self, args) {
            (Reads::Nothing, _) => 0,
            (Reads::Key, [.., key]) => of_bytes(key.size()).saturating_mul(16),
            (Reads::Spelled, _) => of_bytes(whole()).saturating_mul(SPELLED),
            (Reads::Sorted, [Value::Array(items), ..]) => {
                of_bytes(whole()).saturating_mul(u64::from(items.len().max(2).ilog2()))
            }
            (Reads::Repeated, [one, Value::Int(times)]) => {
                of_bytes(one.size()).saturating_mul(u64::try_from(*times).unwrap_or(0))
            }
            _ => of_bytes(whole()),
        }
    }
}

/// Reading or writing so many bytes.
pub fn of_bytes(bytes: usize) -> u64 {
    bytes.div_ceil(BYTES) as u64
}

/// Whether two values are in this relation: a search looks at each byte, and at many twice.
pub fn of_relation(op: RelOp, left: &Value, right: &Value) -> u64 {
    match op {
        RelOp::Has | RelOp::NotHas => of_search(left.size().saturating_add(right.size())),
        _ => of_comparison(left, right),
    }
}

/// Searching so many bytes.
pub fn of_search(bytes: usize) -> u64 {
    bytes as u64
}

/// Comparing two values.
pub fn of_comparison(left: &Value, right: &Value) -> u64 {
    of_bytes(left.size().saturating_add(right.size()))
}

/// Writing a value as text: a digit takes longer than a byte that is copied.
pub fn of_text(value: &Value) -> u64 {
    of_bytes(value.size()).saturating_mul(SPELLED)
}

/// What may still be computed before a run starts: the values of constants, params and settings
/// are known to `check`, which must end soon whatever they say.
#[derive(Debug)]
pub struct Allowance(core::cell::Cell<u64>);

impl Default for Allowance {
    fn default() -> Allowance {
        Allowance::of(Self::MOST)
    }
}

impl Allowance {
    /// About a tenth of a second.
    pub const MOST: u64 = 100_000_000;

    /// So much.
    pub fn of(units: u64) -> Allowance {
        Allowance(core::cell::Cell::new(units))
    }

    /// Takes so much away.
    ///
    /// # Errors
    /// So much is not left.
    pub fn spend(&self, cost: u64) -> Result<(), super::Stop> {
        let left = self.0.get().checked_sub(cost);
        self.0.set(left.unwrap_or(0));
        left.map(drop)
            .ok_or(super::Stop::End(super::EvalInterruption::Deadline))
    }
}
