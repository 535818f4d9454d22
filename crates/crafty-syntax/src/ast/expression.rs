//! Expressions as written.

use super::{Name, Span};
use core::net::IpAddr;
use crafty_value::{Duration, Mac, Net};

/// What stands right of a relation.
#[derive(Clone, Debug, PartialEq)]
pub enum OperandSyntax {
    /// One value.
    Value(ExprSyntax),
    /// `1..30`, both ends included; only after `in`.
    Range(ExprSyntax, ExprSyntax),
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
pub struct ExprSyntax {
    /// What it is.
    pub kind: ExprKindSyntax,
    /// All of it.
    pub span: Span,
}

/// The productions of `expr`.
#[derive(Clone, Debug, PartialEq)]
pub enum ExprKindSyntax {
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
    String(Vec<StringPieceSyntax>),
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
    Array(Vec<ExprSyntax>),
    /// `{state: "open", ttl: 3}`
    Record(Vec<(Name, ExprSyntax)>),
    /// `( … )`: kept, for the formatter.
    Paren(Box<ExprSyntax>),
    /// `p[IP]`, `b[0]`, `b[2:6]`
    Index(Box<ExprSyntax>, Box<Index>),
    /// `p[IP].ttl`, `e.kind`
    Member(Box<ExprSyntax>, Name),
    /// `-x`
    Negate(Box<ExprSyntax>),
    /// `not x`
    Not(Box<ExprSyntax>),
    /// `a + b`, `a and b`
    Binary(BinaryOp, Box<ExprSyntax>, Box<ExprSyntax>),
    /// `a < b`
    Compare(RelOp, Box<ExprSyntax>, Box<OperandSyntax>),
    /// What could not be read.
    Broken,
}

/// A piece of a string.
#[derive(Clone, Debug, PartialEq)]
pub enum StringPieceSyntax {
    /// Bytes of the literal with escapes applied; UTF-8 unless `\xNN` above 7f is in it.
    Text(Vec<u8>),
    /// `${expr:format}`
    Hole(Box<ExprSyntax>, FormatSpec),
}

/// `:>8.2` of a hole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FormatSpec {
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
    Value(ExprSyntax),
    /// `key=value`
    Named(Name, ExprSyntax),
    /// `VLAN` in `has(p, VLAN)`
    Layer(Name),
}

/// A step from a variable to what is assigned in it.
#[derive(Clone, Debug, PartialEq)]
pub enum StepSyntax {
    /// `[key]`
    At(ExprSyntax),
    /// `.part`
    Part(Name),
}

/// What is in brackets.
#[derive(Clone, Debug, PartialEq)]
pub enum Index {
    /// `[IP]`, `[IP, 1]`, `[IP, -1]`
    Layer(Name, Option<i64>),
    /// `[i]`
    At(ExprSyntax),
    /// `[a:b]`, either end left out
    Slice(Option<ExprSyntax>, Option<ExprSyntax>),
}
