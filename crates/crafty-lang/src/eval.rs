//! Values of expressions: everything but the machine's own knowledge, which it gives through
//! [`World`]. Pure: evaluating twice gives the same, so a machine may evaluate a statement again
//! once a time stamp has come.

pub mod arithmetic;
pub mod compare;
pub mod cost;
pub mod show;
mod size_limit;

use crate::builtins::{Builtin, Eval, LabelRule, MachineCall};
use crate::driven::LayerCounter;
use crate::ir::{
    BinaryOp, ErrorKind, Expr, ExprId, ExprKind, FieldRef, Span, StackId, StringPiece, Type, VarId,
};
use crafty_value::{NamedParts, Value};
use crafty_wire::Layer;
use std::sync::Arc;

pub use size_limit::{SizeExcess, SizeLimit};

/// Bytes that one value may hold.
pub const MAX_VALUE: usize = 1 << 20;
/// Bytes that one value may hold with all that is in it: arrays of arrays, of texts.
pub const MAX_NESTED: usize = 4 << 20;
/// Elements that one array or map may hold.
pub const MAX_ELEMENTS: usize = 65_536;

/// An error raised by an operation of the program.
#[derive(Clone, Debug, PartialEq)]
pub struct Raise {
    /// Which kind: a word of the language's list.
    pub kind: ErrorKind,
    /// What happened, for a human.
    pub message: String,
    /// Where, once known.
    pub span: Option<Span>,
}

impl Raise {
    /// An error of this kind.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Raise {
        Raise {
            kind,
            message: message.into(),
            span: None,
        }
    }
}

/// Why an expression has no value now.
#[derive(Clone, Debug, PartialEq)]
pub enum Stop {
    /// It raised an error.
    Raise(Raise),
    /// It reads when a packet of ours was on the wire, and that is not known yet. Evaluate again
    /// later.
    NeedStamp(u64),
    /// The value would go over its cap: what needs it is skipped and counted, and nothing is
    /// raised.
    TooLarge(SizeExcess),
    /// The run is over, or must end now: no `try` takes it.
    End(EvalInterruption),
}

/// Why a run must end in the middle of a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EvalInterruption {
    /// `max_duration` is over, or computing took as much as it.
    Deadline,
    /// From outside.
    Cancelled,
    /// The variables would hold more than they may.
    OutOfMemory {
        /// Whether it is the memory for what received data decides over.
        received: bool,
        /// Bytes that they may hold.
        most: usize,
    },
}

impl From<Raise> for Stop {
    fn from(raise: Raise) -> Stop {
        Stop::Raise(raise)
    }
}

/// What only the machine knows.
pub trait World {
    /// The value of a variable.
    fn var(&self, var: VarId) -> &Value;
    /// Whether a packet has this layer.
    fn has_layer(&mut self, packet: VarId, layer: &'static Layer) -> bool;
    /// A field of a packet; `nth` counts layers of this kind from outside, negative from inside.
    fn field(
        &mut self,
        packet: VarId,
        layer: &'static Layer,
        nth: i64,
        field: &FieldRef,
    ) -> Result<Value, Stop>;
    /// A counter of a driven block.
    fn counter(&mut self, stack: StackId, counter: &'static LayerCounter) -> Result<Value, Stop>;
    /// A function that needs the machine.
    fn call(&mut self, call: MachineCall, args: &[Value]) -> Result<Value, Stop>;
    /// A call of `choose` or `one_of` has a value: who counts what content chooses counts it.
    fn chose(&self, _call: ExprId) {}
    /// An operation is about to cost so much, in the units of [`cost`].
    ///
    /// # Errors
    /// The run must end, or nothing more may be computed.
    fn charge(&self, cost: u64) -> Result<(), Stop>;
}

/// The value of an expression.
pub fn evaluate(expr: &Expr, world: &mut dyn World) -> Result<Value, Stop> {
    compute(expr, world).map_err(|stop| placed(stop, expr.span))
}

/// An error is reported at the innermost expression that raised it.
fn placed(stop: Stop, span: Span) -> Stop {
    match stop {
        Stop::Raise(raise) => Stop::Raise(Raise {
            span: raise.span.or(Some(span)),
            ..raise
        }),
        other => other,
    }
}

fn compute(expr: &Expr, world: &mut dyn World) -> Result<Value, Stop> {
    world.charge(cost::NODE)?;
    match &expr.kind {
        ExprKind::Constant(value) => Ok(value.clone()),
        ExprKind::Var(var) => Ok(world.var(*var).clone()),
        ExprKind::Interpolate(pieces) => interpolate(pieces, &expr.ty, expr.span, world),
        ExprKind::Array(items) => values(items, expr.span, world).map(Value::array),
        ExprKind::Record(names, items) => {
            let parts = values(items, expr.span, world)?;
            let names = Arc::clone(names);
            Ok(Value::Record(Arc::new(NamedParts { names, parts })))
        }
        ExprKind::Call { builtin, args } => {
            let value = call(builtin, args, world)?;
            if builtin.label == LabelRule::Lowers {
                world.chose(expr.id);
            }
            Ok(value)
        }
        ExprKind::HasLayer { packet, layer } => Ok(Value::Bool(world.has_layer(*packet, layer))),
        ExprKind::Field {
            packet,
            layer,
            nth,
            field,
        } => world.field(*packet, layer, *nth, field),
        ExprKind::Counter { stack, counter } => world.counter(*stack, counter),
        ExprKind::ErrorPart { error, message } => Ok(error_part(world.var(*error), *message)),
        ExprKind::At(base, index) => at(&evaluate(base, world)?, &evaluate(index, world)?),
        ExprKind::Slice(base, from, to) => slice_of(base, from.as_deref(), to.as_deref(), world),
        ExprKind::Negate(inner) => Ok(arithmetic::negate(&evaluate(inner, world)?)?),
        ExprKind::Not(inner) => Ok(Value::Bool(!truth(&evaluate(inner, world)?))),
        ExprKind::Binary(op, left, right) => binary(*op, left, right, expr.span, world),
        ExprKind::Compare(op, left, right) => {
            let (left, right) = (evaluate(left, world)?, evaluate(right, world)?);
            world.charge(cost::of_relation(*op, &left, &right))?;
            Ok(Value::Bool(compare::holds(*op, &left, &right)))
        }
        ExprKind::InRange {
            value,
            low,
            high,
            negated,
        } => {
            let value = evaluate(value, world)?;
            world.charge(cost::of_comparison(&value, &value))?;
            let inside = evaluate(low, world)? <= value && value <= evaluate(high, world)?;
            Ok(Value::Bool(inside != *negated))
        }
    }
}

fn too_large(span: Span, limit: SizeLimit, size: usize) -> Stop {
    Stop::TooLarge(SizeExcess { span, limit, size })
}

/// Whether a value is `true`; the checker lets only bools come here.
pub fn truth(value: &Value) -> bool {
    matches!(value, Value::Bool(true))
}

fn binary(
    op: BinaryOp,
    left: &Expr,
    right: &Expr,
    span: Span,
    world: &mut dyn World,
) -> Result<Value, Stop> {
    let left = evaluate(left, world)?;
    match op {
        BinaryOp::And if !truth(&left) => return Ok(Value::Bool(false)),
        BinaryOp::Or if truth(&left) => return Ok(Value::Bool(true)),
        BinaryOp::And | BinaryOp::Or => return evaluate(right, world),
        _ => {}
    }
    let right = evaluate(right, world)?;
    let size = arithmetic::size_after(op, &left, &right);
    if size > MAX_VALUE {
        return Err(too_large(span, SizeLimit::Value, size));
    }
    if nests_too_much(&left, &right) {
        let size = left.size().saturating_add(right.size());
        return Err(too_large(span, SizeLimit::Nested, size));
    }
    world.charge(cost::of_bytes(size))?;
    Ok(arithmetic::apply(op, &left, &right)?)
}

/// Whether arrays that are put together would hold too much with all that is in them.
fn nests_too_much(left: &Value, right: &Value) -> bool {
    matches!((left, right), (Value::Array(_), Value::Array(_)))
        && left.size().saturating_add(right.size()) > MAX_NESTED
}

fn values(items: &[Expr], span: Span, world: &mut dyn World) -> Result<Vec<Value>, Stop> {
    let mut values = Vec::with_capacity(items.len());
    let mut size = 0usize;
    for item in items {
        let value = evaluate(item, world)?;
        let more = value.size();
        size = size.saturating_add(more);
        if size > MAX_NESTED {
            return Err(too_large(span, SizeLimit::Nested, size));
        }
        world.charge(cost::of_bytes(more))?;
        values.push(value);
    }
    Ok(values)
}

fn call(builtin: &Builtin, args: &[Expr], world: &mut dyn World) -> Result<Value, Stop> {
    let args = args
        .iter()
        .map(|e| evaluate(e, world))
        .collect::<Result<Vec<_>, _>>()?;
    world.charge(builtin.reads.cost(&args))?;
    match builtin.eval {
        Eval::OfPacket(_, call) if matches!(args.first(), Some(Value::Packet(_))) => {
            world.call(call, &args)
        }
        Eval::Machine(call) => world.call(call, &args),
        Eval::Pure(compute) | Eval::OfPacket(compute, _) => Ok(compute(&args)?),
    }
}

fn error_part(error: &Value, message: bool) -> Value {
    match error {
        Value::Error(parts) if message => Value::text(parts.1.as_str()),
        Value::Error(parts) => Value::text(parts.0.as_str()),
        _ => Value::text(""),
    }
}

/// Strict: no negative index, no clamping. An absent key of a map reads as its default.
fn at(base: &Value, index: &Value) -> Result<Value, Stop> {
    match (base, index) {
        (Value::Record(record), Value::Str(name)) => record
            .part(name)
            .cloned()
            .ok_or_else(|| Raise::new(ErrorKind::Index, "this value has no such part").into()),
        (Value::Map(map), key) => Ok(map.entries.get(key).unwrap_or(&map.default).clone()),
        (Value::Array(items), Value::Int(i)) => Ok(items[position(*i, items.len())?].clone()),
        (Value::Bytes(octets), Value::Int(i)) => {
            Ok(Value::bytes(vec![octets[position(*i, octets.len())?]]))
        }
        _ => Err(Raise::new(ErrorKind::Index, "this value has no elements").into()),
    }
}

fn position(index: i64, length: usize) -> Result<usize, Raise> {
    usize::try_from(index)
        .ok()
        .filter(|i| *i < length)
        .ok_or_else(|| {
            Raise::new(
                ErrorKind::Index,
                format!("index {index} is out of range for a length of {length}"),
            )
        })
}

fn slice_of(
    base: &Expr,
    from: Option<&Expr>,
    to: Option<&Expr>,
    world: &mut dyn World,
) -> Result<Value, Stop> {
    let Value::Bytes(octets) = evaluate(base, world)? else {
        return Err(Raise::new(ErrorKind::Index, "only bytes can be sliced").into());
    };
    let end = |e: Option<&Expr>, unset: usize, world: &mut dyn World| match e
        .map(|e| evaluate(e, world))
        .transpose()?
    {
        Some(Value::Int(n)) => Ok::<i64, Stop>(n),
        _ => Ok(unset as i64),
    };
    let (from, to) = (end(from, 0, world)?, end(to, octets.len(), world)?);
    let bytes = usize::try_from(to.saturating_sub(from)).unwrap_or(0);
    world.charge(cost::of_bytes(bytes.min(octets.len())))?;
    Ok(slice(&octets, from, to)?)
}

/// `octets[from:to]`, strict.
pub fn slice(octets: &[u8], from: i64, to: i64) -> Result<Value, Raise> {
    let range = usize::try_from(from)
        .ok()
        .zip(usize::try_from(to).ok())
        .map(|(a, b)| a..b);
    let part = range.and_then(|r| octets.get(r));
    let outside = || {
        Raise::new(
            ErrorKind::Index,
            format!("[{from}:{to}] is out of range for {} bytes", octets.len()),
        )
    };
    part.map(|p| Value::bytes(p.to_vec())).ok_or_else(outside)
}

fn interpolate(
    pieces: &[StringPiece],
    ty: &Type,
    span: Span,
    world: &mut dyn World,
) -> Result<Value, Stop> {
    let mut out = Vec::new();
    for piece in pieces {
        match piece {
            StringPiece::Text(text) => out.extend_from_slice(text),
            StringPiece::Hole(expr, format) => {
                let value = evaluate(expr, world)?;
                world.charge(cost::of_text(&value))?;
                out.extend_from_slice(show::formatted(&value, *format).as_bytes())
            }
        }
        if out.len() > MAX_VALUE {
            return Err(too_large(span, SizeLimit::Value, out.len()));
        }
    }
    Ok(match ty {
        Type::Bytes => Value::bytes(out),
        _ => Value::text(String::from_utf8_lossy(&out).into_owned()),
    })
}

/// A value that is only told: none where it reads a field that a packet lacks.
///
/// # Errors
/// Any other than [`ErrorKind::Absent`].
pub fn told(expr: &Expr, world: &mut dyn World) -> Result<Option<Value>, Stop> {
    match evaluate(expr, world) {
        Err(Stop::Raise(raise)) if raise.kind == ErrorKind::Absent => Ok(None),
        other => other.map(Some),
    }
}

/// The line that `print` shows: what the network wrote is escaped, marked and capped, hole by
/// hole; what a packet lacks is `absent`. `from_network` is that of the program, by expression.
pub fn printed(expr: &Expr, from_network: &[bool], world: &mut dyn World) -> Result<String, Stop> {
    let ExprKind::Interpolate(pieces) = &expr.kind else {
        return hole(expr, Default::default(), from_network, world);
    };
    let mut line = String::new();
    for piece in pieces {
        match piece {
            StringPiece::Text(text) => line.push_str(&String::from_utf8_lossy(text)),
            StringPiece::Hole(inner, format) => {
                line.push_str(&hole(inner, *format, from_network, world)?)
            }
        }
    }
    Ok(line)
}

fn hole(
    expr: &Expr,
    format: crate::ir::FormatSpec,
    from_network: &[bool],
    world: &mut dyn World,
) -> Result<String, Stop> {
    let Some(value) = told(expr, world)? else {
        return Ok(show::aligned(show::ABSENT, format));
    };
    world.charge(cost::of_text(&value))?;
    let received = from_network.get(expr.id.0 as usize) == Some(&true);
    Ok(match received {
        true => show::received(&value, shown_bytes(expr, world)?, format),
        false => show::formatted(&value, format),
    })
}

/// 64 bytes of a received value are shown unless `text(b, max=n)` asks for another number.
fn shown_bytes(expr: &Expr, world: &mut dyn World) -> Result<usize, Stop> {
    let asked = match &expr.kind {
        ExprKind::Call { builtin, args } if builtin.name == "text" => args.get(1),
        _ => None,
    };
    match asked.map(|e| evaluate(e, world)).transpose()? {
        Some(Value::Int(n)) => Ok(usize::try_from(n).unwrap_or(0)),
        _ => Ok(show::MARKED_BYTES),
    }
}
