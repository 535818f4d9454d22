//! A checked program: every name resolved, every type known, every mistake already reported. The checker makes it, the label pass
//! and the machine read it.
//!
//! There are no functions and no recursion, so each variable of the text has one cell ([`VarId`]) for the whole run. Expressions have
//! no effects and each has a number ([`ExprId`]), under which the label pass notes what it may reveal.

use crate::builtins::Builtin;
pub use crate::syntax::ast::{Align, AssignOp, BinaryOp, Format, RelOp, Span};
use crafty_policy::Setting;
use crafty_value::{FlagNames, Value};
use crafty_wire::Layer;
use std::sync::Arc;

/// The cell of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct VarId(pub u32);

/// The number of an expression, dense from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ExprId(pub u32);

/// The number of a driven block in the text, dense from 0: index into [`Program::stacks`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StackId(pub u32);

/// The number of a place that sends, dense from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SiteId(pub u32);

/// The number of a handler (`on`), dense from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HandlerId(pub u32);

/// What a value may reveal about the network.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Label {
    /// Nothing: constants, the schedule, time stamps of own frames.
    #[default]
    Clean,
    /// That something matched, when, how many, how long.
    Event,
    /// Received octets and what is computed from them.
    Content,
}

/// Types of the language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Type {
    /// 64-bit checked integer.
    Int,
    /// Finite float.
    Float,
    /// Truth value.
    Bool,
    /// Text.
    Str,
    /// Octets.
    Bytes,
    /// Span of time.
    Duration,
    /// Point in time.
    Time,
    /// Address of either family.
    Ip,
    /// Address prefix.
    Net,
    /// Link address.
    Mac,
    /// Bits of one field.
    Flags(FlagNames),
    /// Elements of one type.
    Array(Arc<Type>),
    /// Keys and values of one type each.
    Map(Arc<Type>, Arc<Type>),
    /// A packet; which layers may be read is settled by the checker.
    Packet,
    /// A caught error.
    Error,
}

/// A whole program.
#[derive(Clone, Debug)]
pub struct Program {
    /// The text, as checked.
    pub source: Arc<str>,
    /// What the command line may set, in order; bound before [`Program::constants`].
    pub params: Vec<Param>,
    /// Constants in order, evaluated after the params and before the settings. Not repeated in the body.
    pub constants: Vec<(VarId, Expr)>,
    /// `BUDGET`, `PORTS`, `PERMISSIONS`; keys are resolved to rows of the gate's table.
    pub settings: Vec<SettingEntry>,
    /// All variables, params, constants, loop variables and packets: index is [`VarId`].
    pub variables: Vec<Variable>,
    /// All driven blocks: index is [`StackId`].
    pub stacks: Vec<StackInfo>,
    /// How many sites, handlers and expressions there are.
    pub sites: u32,
    /// Handlers.
    pub handlers: u32,
    /// Expressions; the length of [`Program::labels`].
    pub expressions: u32,
    /// The statements.
    pub body: Block,
    /// What each expression may reveal; filled in by the label pass.
    pub labels: Vec<Label>,
}

/// `param name: type = default`.
#[derive(Clone, Debug)]
pub struct Param {
    /// Its cell.
    pub var: VarId,
    /// The default; without one the command line must give a value.
    pub default: Option<Expr>,
    /// Where it is declared.
    pub span: Span,
}

/// What is known of a variable.
#[derive(Clone, Debug)]
pub struct Variable {
    /// As written; `MATCH` for the packet of an arm without `as`.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// Where it is declared.
    pub span: Span,
    /// What kind of variable.
    pub kind: VariableKind,
}

/// Kinds of variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VariableKind {
    /// `param`.
    Param,
    /// Known before the start.
    Constant,
    /// Assigned in the body.
    Local,
    /// Of a loop.
    Loop,
    /// The packet of an arm or handler.
    Match,
    /// A sent packet.
    Sent,
    /// `else e`.
    Error,
}

/// One `key: value` of a setting.
#[derive(Clone, Debug)]
pub struct SettingEntry {
    /// The row that defines section, key and type.
    pub setting: &'static Setting,
    /// The value.
    pub value: SettingValue,
    /// The whole entry.
    pub span: Span,
}

/// The value of a setting.
#[derive(Clone, Debug)]
pub enum SettingValue {
    /// `{ tcp: [80] }`
    Group(Vec<(String, SettingValue, Span)>),
    /// `[a, !b]`: whether excluded.
    List(Vec<(bool, SettingValue)>, Span),
    /// A constant expression.
    Scalar(Expr),
    /// A bare word of a closed list (a power, `none`).
    Word(String, Span),
}

/// Statements in order.
#[derive(Clone, Debug, Default)]
pub struct Block {
    /// In order.
    pub statements: Vec<Statement>,
    /// Braces included.
    pub span: Span,
}

/// One statement.
#[derive(Clone, Debug)]
pub struct Statement {
    /// What it does.
    pub kind: StatementKind,
    /// All of it.
    pub span: Span,
}

/// What statements do.
#[derive(Clone, Debug)]
pub enum StatementKind {
    /// `x = e`, `x := e`.
    Set {
        /// The cell.
        var: VarId,
        /// The value.
        value: Expr,
    },
    /// `x += e`, `x[k] := e`, `x[k] -= e`. `path` may be empty only for `+=` and `-=`.
    Update {
        /// The cell.
        var: VarId,
        /// Keys, outermost first.
        path: Vec<Expr>,
        /// The sign.
        op: AssignOp,
        /// The value; with `+=` on an array an element is appended, an array is concatenated (types tell).
        value: Expr,
    },
    /// A literal stack; `into` keeps the packet.
    Send {
        /// What is sent.
        send: Send,
        /// `p = …`, `p := …`.
        into: Option<VarId>,
    },
    /// A driven block.
    Open {
        /// Which; [`Program::stacks`] has its layers.
        stack: StackId,
        /// The block.
        body: Block,
        /// `else e { }`: takes the stack errors of this stack.
        otherwise: Option<(Option<VarId>, Block)>,
    },
    /// Conditions with their blocks.
    If {
        /// In order.
        arms: Vec<(Expr, Block)>,
        /// When none holds.
        otherwise: Option<Block>,
    },
    /// `foreach`.
    Foreach {
        /// The loop variable.
        var: VarId,
        /// What it runs over.
        over: Over,
        /// `every=`, `until=`, `for=`.
        pace: Pace,
        /// The block.
        body: Block,
    },
    /// `repeat`.
    Repeat {
        /// `count=`.
        count: Option<Expr>,
        /// Counts from 1.
        counter: Option<VarId>,
        /// `every=`, `until=`, `for=`.
        pace: Pace,
        /// The block.
        body: Block,
    },
    /// `wait d`.
    Wait(Expr),
    /// A handler until the end of the enclosing block.
    On {
        /// Which.
        handler: HandlerId,
        /// `linger=`.
        linger: Option<Expr>,
        /// `count=`.
        count: Option<Expr>,
        /// What it listens for.
        arm: Arm,
        /// The block.
        body: Block,
    },
    /// Wait for the first that matches.
    Expect {
        /// `timeout=`.
        timeout: Expr,
        /// In order.
        arms: Vec<(Arm, Block)>,
        /// When nothing matched.
        otherwise: Option<Block>,
    },
    /// `try`.
    Try {
        /// May fail.
        body: Block,
        /// Holds the error.
        error: Option<VarId>,
        /// What then happens.
        otherwise: Block,
    },
    /// Ends the nearest loop.
    Stop,
    /// Ends the program well.
    Exit,
    /// Ends this driven stack with FIN.
    Close(StackId),
    /// Ends this driven stack with the RST that fits.
    Abort(StackId),
    /// Ends the program with status 1.
    Fail(Expr),
    /// One line on standard output.
    Print(Expr),
    /// A named measurement with labels.
    Record {
        /// The name.
        name: String,
        /// The measurement.
        value: Expr,
        /// More names and values.
        labels: Vec<(String, Expr)>,
    },
    /// Ends the program with status 1 unless the condition holds.
    Assert(Expr, Option<Expr>),
}

/// What a `foreach` runs over.
#[derive(Clone, Debug)]
pub enum Over {
    /// Both ends included.
    Range(Expr, Expr),
    /// Elements of an array, keys of a map.
    Value(Expr),
}

/// When and how long a loop runs.
#[derive(Clone, Debug, Default)]
pub struct Pace {
    /// Grid of the iterations, a duration.
    pub every: Option<Expr>,
    /// Tested before each iteration, a bool.
    pub until: Option<Expr>,
    /// No iteration starts at or after this duration.
    pub span: Option<Expr>,
}

/// A driven block: what its stack is made of.
#[derive(Clone, Debug)]
pub struct StackInfo {
    /// `as web`.
    pub name: Option<String>,
    /// The enclosing block whose stack it continues; none if it starts at the bottom.
    pub parent: Option<StackId>,
    /// Its own layers, outermost first. Those of the parents come before them.
    pub layers: Vec<StackLayer>,
    /// The head, without the block.
    pub span: Span,
    /// The place that counts as sending what the opening and the closing send.
    pub site: SiteId,
}

/// One layer of a driven block.
#[derive(Clone, Debug)]
pub enum StackLayer {
    /// Fixed encapsulation.
    Literal(Literal),
    /// Run by the stack.
    Driven(Driven),
}

/// A driven layer with its options.
#[derive(Clone, Debug)]
pub struct Driven {
    /// Which.
    pub kind: DrivenKind,
    /// Option (row of [`crate::driven::OPTIONS`]) and value, in the order written.
    pub options: Vec<(&'static crate::driven::DrivenOption, FieldValue)>,
    /// All of it.
    pub span: Span,
}

/// Layers that the stack can run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DrivenKind {
    /// `IP!`, either family.
    Ip,
    /// `UDP!`.
    Udp,
    /// `TCP!`.
    Tcp,
}

/// A literal stack that is sent.
#[derive(Clone, Debug)]
pub struct Send {
    /// Its number.
    pub site: SiteId,
    /// Where its first layer goes.
    pub onto: Onto,
    /// The layers, outermost first; at least one.
    pub layers: Vec<Literal>,
    /// All of it.
    pub span: Span,
}

/// Where a sent stack is put. Indices count the layers of the stack with those of its parents before them, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Onto {
    /// It stands at the bottom; what is missing below (link, route) is filled in.
    Bottom,
    /// It replaces layer `at` of the stack and what is above, for this packet; unset fields come from the live state.
    Replace(StackId, usize),
    /// It is put on driven layer `at` of the stack, replacing what is above.
    Above(StackId, usize),
}

/// `Layer(field=value, …)`.
#[derive(Clone, Debug)]
pub struct Literal {
    /// The table.
    pub layer: &'static Layer,
    /// Field number in the table and value, in the order written.
    pub fields: Vec<(usize, FieldValue)>,
    /// `advance=true`: the stack's own state moves with this packet.
    pub advance: bool,
    /// All of it.
    pub span: Span,
}

/// What a field is set to.
#[derive(Clone, Debug)]
pub enum FieldValue {
    /// A value of the field's type (flags fields also take ints, `Bytes` also takes... bytes only).
    Value(Expr),
    /// `auto`, `auto + n`, `auto - n` (then the expression is negated): what the stack would send now.
    Auto(Option<Expr>, Span),
    /// `[mss(1460), nop, raw(#0203)]`.
    Options(Vec<OptionLiteral>, Span),
}

/// One option in a list.
#[derive(Clone, Debug)]
pub struct OptionLiteral {
    /// The option's name in the table, or `raw`.
    pub name: String,
    /// Its values, in the table's order; for `raw` one value of bytes.
    pub args: Vec<Expr>,
    /// All of it.
    pub span: Span,
}

/// `PATTERN where expr as m`.
#[derive(Clone, Debug)]
pub struct Arm {
    /// The stack of conditions.
    pub pattern: Pattern,
    /// `where`: evaluated for each packet with [`Arm::packet`] set.
    pub filter: Option<Expr>,
    /// The matched packet.
    pub packet: VarId,
    /// All of it.
    pub span: Span,
}

/// A pattern, written out from the bottom.
#[derive(Clone, Debug)]
pub struct Pattern {
    /// In order; a pattern of a block that continues its stack has the stack's driven layers first.
    pub elements: Vec<Element>,
    /// The driven block whose deliveries it sees; set if any element is driven.
    pub stack: Option<StackId>,
    /// All of it.
    pub span: Span,
}

/// One element of a pattern.
#[derive(Clone, Debug)]
pub enum Element {
    /// A layer of the table on the frame as it was on the wire (`Bytes` included: whatever is left, at least one octet).
    Layer {
        /// The table.
        layer: &'static Layer,
        /// All must hold; of each list one must.
        conditions: Vec<Vec<Test>>,
    },
    /// As delivered by the driven stack.
    Driven {
        /// Which.
        kind: DrivenKind,
        /// All must hold; of each list one must.
        conditions: Vec<Vec<Test>>,
    },
    /// `*`: any layers, as few as possible.
    Any,
    /// Nothing follows.
    End,
}

/// `[not] field op operand`.
#[derive(Clone, Debug)]
pub struct Test {
    /// `not` before it. A test of something absent is false with `not` too.
    pub negated: bool,
    /// What is tested.
    pub field: FieldRef,
    /// `data[a:b]`; `data[i]` is `i:i+1`.
    pub slice: Option<(Option<Expr>, Option<Expr>)>,
    /// The relation.
    pub op: RelOp,
    /// The right side, computed once when the `on` or `expect` starts.
    pub operand: Operand,
    /// All of it.
    pub span: Span,
}

/// The right side of a relation.
#[derive(Clone, Debug)]
pub enum Operand {
    /// One value.
    Value(Expr),
    /// Both ends included.
    Range(Expr, Expr),
    /// `checksum == bad`: a word of [`CHECKSUM_STATES`].
    Checksum(&'static str),
    /// `options has mss`: the option's name.
    Option(&'static str),
}

/// What a checksum can be found to be.
pub const CHECKSUM_STATES: &[&str] = &["good", "bad", "absent", "not_computed", "not_verifiable"];

/// Something that can be read of a packet.
#[derive(Clone, Debug)]
pub enum FieldRef {
    /// A field of the table.
    Wire {
        /// The table.
        layer: &'static Layer,
        /// Number of the field.
        field: usize,
    },
    /// A field of an option.
    Option {
        /// The table.
        layer: &'static Layer,
        /// Number of the options field.
        field: usize,
        /// The option's name.
        option: &'static str,
        /// Which of its fields, where it has several.
        part: Option<&'static str>,
    },
    /// A field that both families of IP have: number in `IP` and in `IP6`.
    Either {
        /// Field number in the table of `IP`.
        v4: usize,
        /// Field number in the table of `IP6`.
        v6: usize,
        /// As written.
        name: &'static str,
    },
    /// What is not on the wire.
    Meta(Meta),
}

/// What is known of a packet beside its octets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meta {
    /// When it was on the wire (time).
    Ts,
    /// Which clock says so (string).
    TsSource,
    /// When the last of its frames was on the wire (time).
    LastTs,
    /// Octets of the frame on the wire (int).
    Len,
    /// Name of the interface (string).
    Interface,
    /// State of the connection that changed (string), of `TCP!`.
    State,
}

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

/// What expressions compute. Literal adaptation (2.4) is done by the checker: types match here.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// A literal, a named value, folded constants.
    Constant(Value),
    /// A variable.
    Var(VarId),
    /// A string with holes; gives a string, or bytes if [`Expr::ty`] says so.
    Interpolate(Vec<Piece>),
    /// `[a, b]`.
    Array(Vec<Expr>),
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
        counter: &'static crate::counters::Counter,
    },
    /// `e.kind`, `e.message`.
    ErrorPart {
        /// The error's cell.
        error: VarId,
        /// Whether the message is meant.
        message: bool,
    },
    /// `a[i]` of an array (index), a map (key), bytes (one-octet bytes).
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
pub enum Piece {
    /// As it is.
    Text(Arc<[u8]>),
    /// A value with its format.
    Hole(Expr, Format),
}

/// Kinds of errors (2.9).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ErrorKind {
    /// An index or slice outside.
    Index,
    /// A value that does not fit.
    Range,
    /// Beyond 64 bits.
    Overflow,
    /// By zero.
    Divide,
    /// A field or layer that this packet lacks.
    Absent,
    /// Statistics of nothing.
    Empty,
    /// No route to the destination.
    NoRoute,
    /// The neighbour does not answer.
    NoNeighbour,
    /// Reset while opening.
    Refused,
    /// Not in time.
    Timeout,
    /// An ICMP error while opening.
    Unreachable,
    /// Reset by the peer.
    Reset,
    /// Closed by the peer.
    Closed,
    /// In use, or too much unsent.
    Busy,
    /// `max_duration` is over.
    Deadline,
}

impl ErrorKind {
    /// All kinds with the words that `e.kind` gives; value errors first, then stack errors, then the deadline.
    pub const ALL: &'static [(ErrorKind, &'static str)] = &[
        (ErrorKind::Index, "index"),
        (ErrorKind::Range, "range"),
        (ErrorKind::Overflow, "overflow"),
        (ErrorKind::Divide, "divide"),
        (ErrorKind::Absent, "absent"),
        (ErrorKind::Empty, "empty"),
        (ErrorKind::NoRoute, "no_route"),
        (ErrorKind::NoNeighbour, "no_neighbour"),
        (ErrorKind::Refused, "refused"),
        (ErrorKind::Timeout, "timeout"),
        (ErrorKind::Unreachable, "unreachable"),
        (ErrorKind::Reset, "reset"),
        (ErrorKind::Closed, "closed"),
        (ErrorKind::Busy, "busy"),
        (ErrorKind::Deadline, "deadline"),
    ];

    /// The word.
    pub fn word(self) -> &'static str {
        ErrorKind::ALL[self as usize].1
    }

    /// Whether it is a value error, which ends its block.
    pub fn is_value_error(self) -> bool {
        self <= ErrorKind::Empty
    }
}
