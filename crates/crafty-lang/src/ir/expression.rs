//! Expressions.

use super::*;

/// An expression: no effects, a type, a number and a place.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it computes.
    pub kind: ExprKind,
    /// Its type.
    pub ty: Type,
    /// Its number.
    pub id: ExprId,
    /// All of it.
    pub span: Span,
}

impl Expr {
    /// The name of a part that this expression is, as a step to it.
    pub fn part_name(&self) -> Option<&str> {
        match &self.kind {
            ExprKind::Constant(Value::Str(name)) => Some(name),
            _ => None,
        }
    }
}

/// What expressions compute. Literal adaptation is done by the checker: types match here.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// A literal, a named value, folded constants.
    Constant(Value),
    /// A variable.
    Var(VarId),
    /// A string with holes; gives a string, or bytes if [`Expr::ty`] says so.
    Interpolate(Vec<StringPiece>),
    /// `[a, b]`.
    Array(Vec<Expr>),
    /// `{a: 1, b: 2}`: names, ascending, and their values.
    Record(Arc<[Arc<str>]>, Vec<Expr>),
    /// A function.
    Call {
        /// Its row.
        builtin: &'static Builtin,
        /// Positional, in the row's order; absent optional ones are left out at the end.
        args: Vec<Expr>,
    },
    /// `has(p, VLAN)`.
    HasLayer {
        /// The packet's cell.
        packet: VarId,
        /// The table.
        layer: &'static Layer,
    },
    /// `p[IP, 1].ttl`.
    Field {
        /// The packet's cell.
        packet: VarId,
        /// The layer asked for, by name (`Eth` also for [`Meta`] on links without it).
        layer: &'static Layer,
        /// Which one, from outside; negative from inside.
        nth: i64,
        /// What is read of it.
        field: FieldRef,
    },
    /// `STACK[TCP].srtt`, `web[TCP].srtt`.
    Counter {
        /// The block.
        stack: StackId,
        /// The row.
        counter: &'static crate::driven::LayerCounter,
    },
    /// `e.kind`, `e.message`.
    ErrorPart {
        /// The error's cell.
        error: VarId,
        /// Whether the message is meant.
        message: bool,
    },
    /// `a[i]` of an array (index), a map (key), bytes (one-byte bytes); `r.part` of a record (its
    /// name, a constant).
    At(Box<Expr>, Box<Expr>),
    /// `b[i:j]` of bytes.
    Slice(Box<Expr>, Option<Box<Expr>>, Option<Box<Expr>>),
    /// `-x`.
    Negate(Box<Expr>),
    /// `not x`.
    Not(Box<Expr>),
    /// `a + b`; types as in the language's tables, `and` and `or` short-circuit.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `a < b`.
    Compare(RelOp, Box<Expr>, Box<Expr>),
    /// `x in a..b`, `x not in a..b`.
    InRange {
        /// The value.
        value: Box<Expr>,
        /// Lower end, included.
        low: Box<Expr>,
        /// Upper end, included.
        high: Box<Expr>,
        /// `not in`.
        negated: bool,
    },
}

/// A piece of a string.
#[derive(Clone, Debug)]
pub enum StringPiece {
    /// As it is.
    Text(Arc<[u8]>),
    /// A value with its format.
    Hole(Expr, FormatSpec),
}
