//! Expressions as written.

use super::{Name, Span};
use core::net::IpAddr;
use crafty_value::{Duration, Mac, Net};

/// What stands right of a relation.
#[derive(Clone, Debug, PartialEq)]
pub enum Operand {
    /// One value.
    Value(Expr),
    /// `1..30`, both ends included; only after `in`.
    Range(Expr, Expr),
}

/// Relations. `in` and `has` may be negated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RelOp {
    /// `==`
    Eq,
    /// `!=`
    Ne,
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `>`
    Gt,
    /// `>=`
    Ge,
    /// `in`
    In,
    /// `not in`
    NotIn,
    /// `has`
    Has,
    /// `not has`
    NotHas,
}

/// Arithmetic and logic of two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BinaryOp {
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`
    Divide,
    /// `%`
    Remainder,
    /// `and`
    And,
    /// `or`
    Or,
}

/// An expression with its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// All of it.
    pub span: Span,
}

/// The productions of `expr`.
#[derive(Clone, Debug, PartialEq)]
pub enum ExprKind {
    /// Whole number (`42`, `0x1f`). Sizes (`1MB`) are whole numbers too: `size` tells.
    Int {
        /// The value.
        value: i64,
        /// Whether written with a unit of size.
        size: bool,
    },
    /// `0.5`
    Float(f64),
    /// `10ms`
    Duration(Duration),
    /// `true`, `false`
    Bool(bool),
    /// `"…"`: literal pieces and holes.
    String(Vec<Piece>),
    /// `#dead`
    Bytes(Vec<u8>),
    /// `10.0.0.1`, `fe80::1%eth0`
    Ip(IpAddr, Option<String>),
    /// `10.0.0.0/8`
    Net(Net),
    /// `aa:bb:cc:dd:ee:ff`
    Mac(Mac),
    /// A variable, or a named value where a field is set.
    Name(String),
    /// `f(a, key=b, VLAN)`
    Call {
        /// The function.
        name: Name,
        /// In order.
        args: Vec<Arg>,
    },
    /// `MATCH`
    Match,
    /// `STACK`
    Stack,
    /// `auto`
    Auto,
    /// `ICMP.echo_reply`
    Named {
        /// The layer.
        layer: Name,
        /// The value's name.
        value: Name,
    },
    /// `[1, 2]`
    Array(Vec<Expr>),
    /// `( … )`: kept, for the formatter.
    Paren(Box<Expr>),
    /// `p[IP]`, `b[0]`, `b[2:6]`
    Index(Box<Expr>, Box<Index>),
    /// `p[IP].ttl`, `e.kind`
    Member(Box<Expr>, Name),
    /// `-x`
    Negate(Box<Expr>),
    /// `not x`
    Not(Box<Expr>),
    /// `a + b`, `a and b`
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `a < b`
    Compare(RelOp, Box<Expr>, Box<Operand>),
    /// What could not be read.
    Broken,
}

/// A piece of a string.
#[derive(Clone, Debug, PartialEq)]
pub enum Piece {
    /// Bytes of the literal with escapes applied; UTF-8 unless `\xNN` above 7f stands in it.
    Text(Vec<u8>),
    /// `${expr:format}`
    Hole(Box<Expr>, Format),
}

/// `:>8.2` of a hole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Format {
    /// `>8` is right, `<8` left.
    pub align: Option<(Align, u16)>,
    /// `.2`
    pub digits: Option<u8>,
    /// `%` behind the digits: a share of one, times a hundred.
    pub percent: bool,
}

/// To which side a hole is aligned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    /// `<`
    Left,
    /// `>`
    Right,
}

/// One argument of a call.
#[derive(Clone, Debug, PartialEq)]
pub enum Arg {
    /// A value.
    Value(Expr),
    /// `key=value`
    Named(Name, Expr),
    /// `VLAN` in `has(p, VLAN)`
    Layer(Name),
}

/// What stands in brackets.
#[derive(Clone, Debug, PartialEq)]
pub enum Index {
    /// `[IP]`, `[IP, 1]`, `[IP, -1]`
    Layer(Name, Option<i64>),
    /// `[i]`
    At(Expr),
    /// `[a:b]`, either end left out
    Slice(Option<Expr>, Option<Expr>),
}
