//! Statements, driven blocks and sends.

use super::*;

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

impl Statement {
    /// The blocks in it, in order of the text.
    pub fn blocks(&self) -> Vec<&Block> {
        match &self.kind {
            StatementKind::Open {
                body, otherwise, ..
            } => std::iter::once(body)
                .chain(otherwise.iter().map(|(_, block)| block))
                .collect(),
            StatementKind::If { arms, otherwise } => {
                arms.iter().map(|(_, b)| b).chain(otherwise).collect()
            }
            StatementKind::Foreach { body, .. }
            | StatementKind::Repeat { body, .. }
            | StatementKind::On { body, .. } => vec![body],
            StatementKind::Out(out) => out.body.iter().collect(),
            StatementKind::Expect {
                arms, otherwise, ..
            } => arms.iter().map(|(_, b)| b).chain(otherwise).collect(),
            StatementKind::Try {
                body, otherwise, ..
            } => vec![body, otherwise],
            _ => Vec::new(),
        }
    }

    /// The expressions of the statement itself, without those of the blocks in it.
    pub fn expressions(&self) -> Vec<&Expr> {
        match &self.kind {
            StatementKind::Set { value, .. } => vec![value],
            StatementKind::Update { path, value, .. } => path.iter().chain([value]).collect(),
            StatementKind::Send { send, .. } => {
                send.layers.iter().flat_map(Literal::expressions).collect()
            }
            StatementKind::If { arms, .. } => arms.iter().map(|(test, _)| test).collect(),
            StatementKind::Foreach { over, pace, .. } => over
                .expressions()
                .into_iter()
                .chain(pace.expressions())
                .collect(),
            StatementKind::Repeat { count, pace, .. } => {
                count.iter().chain(pace.expressions()).collect()
            }
            StatementKind::Wait(value)
            | StatementKind::Fail(value)
            | StatementKind::Print(value) => {
                vec![value]
            }
            StatementKind::On {
                linger, count, arm, ..
            } => linger
                .iter()
                .chain(count)
                .chain(arm.expressions())
                .collect(),
            StatementKind::Out(out) => out.count.iter().chain(out.arm.expressions()).collect(),
            StatementKind::Expect { timeout, arms, .. } => std::iter::once(timeout)
                .chain(arms.iter().flat_map(|(arm, _)| arm.expressions()))
                .collect(),
            StatementKind::Record { value, labels, .. } => std::iter::once(value)
                .chain(labels.iter().map(|(_, label)| label))
                .collect(),
            StatementKind::Assert(test, message) => std::iter::once(test).chain(message).collect(),
            StatementKind::Open { .. }
            | StatementKind::Release(_)
            | StatementKind::Try { .. }
            | StatementKind::Stop
            | StatementKind::Exit
            | StatementKind::Close(_)
            | StatementKind::Abort(_) => Vec::new(),
        }
    }
}

impl Over {
    fn expressions(&self) -> Vec<&Expr> {
        match self {
            Over::Range(low, high) => vec![low, high],
            Over::Value(value) => vec![value],
        }
    }
}

impl LoopPace {
    fn expressions(&self) -> impl Iterator<Item = &Expr> {
        self.every.iter().chain(&self.until).chain(&self.span)
    }
}

impl Literal {
    /// The expressions in its fields.
    pub fn expressions(&self) -> Vec<&Expr> {
        self.fields
            .iter()
            .flat_map(|(_, value)| value.expressions())
            .collect()
    }
}

impl FieldSetting {
    /// The expressions in it.
    pub fn expressions(&self) -> Vec<&Expr> {
        match self {
            FieldSetting::Value(expr) => vec![expr],
            FieldSetting::Auto(offset, _) => offset.iter().collect(),
            FieldSetting::Options(list, _) => list.iter().flat_map(OptionLiteral::exprs).collect(),
        }
    }
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
        /// The value; with `+=` on an array an element is appended, an array is concatenated (types
        /// tell).
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
        /// The loop variable: an element, a key or a number; with a second one, a position or a
        /// key.
        var: VarId,
        /// The element at the position, the value of the key.
        second: Option<VarId>,
        /// What it runs over.
        over: Over,
        /// `every=`, `until=`, `for=`.
        pace: LoopPace,
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
        pace: LoopPace,
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
    /// `on out`: what becomes of the stack's own segments before they leave.
    Out(Box<Out>),
    /// `release`: all that is held leaves.
    Release(SiteId),
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

/// A rule about the stack's own segments, until its block has ended.
#[derive(Clone, Debug)]
pub struct Out {
    /// Its block, as a handler.
    pub handler: HandlerId,
    /// The place that counts as sending what it changes.
    pub site: SiteId,
    /// The driven block whose segments it takes, those of blocks that continue it included.
    pub stack: StackId,
    /// What becomes of them.
    pub action: OutAction,
    /// `count=`: at most so many.
    pub count: Option<Expr>,
    /// Which.
    pub arm: Arm,
    /// What runs at the next wait, with the segment as `MATCH`.
    pub body: Option<Block>,
}

/// What becomes of a segment.
#[derive(Clone, Debug)]
pub enum OutAction {
    /// It never leaves.
    Drop,
    /// It leaves at `release`, or at the end of the block.
    Hold,
    /// It leaves twice.
    Duplicate,
    /// It leaves later by this duration.
    Delay(Expr),
    /// It leaves as two, cut after this many bytes of its payload.
    Split(Expr),
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
pub struct LoopPace {
    /// Grid of the iterations, a duration.
    pub every: Option<Expr>,
    /// Tested before each iteration, a bool.
    pub until: Option<Expr>,
    /// No iteration starts at or after this duration.
    pub span: Option<Expr>,
    /// What ends it before its last round.
    pub ended_by: LoopEnd,
}

/// What ends a loop early.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LoopEnd {
    /// A `stop` in it.
    #[default]
    Stop,
    /// An answer: the loop of an `ask`. A `stop` in it ends the loop around.
    Answer,
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

impl StackLayer {
    /// The expressions in its fields or options.
    pub fn expressions(&self) -> Vec<&Expr> {
        match self {
            StackLayer::Literal(literal) => literal.expressions(),
            StackLayer::Driven(driven) => driven
                .options
                .iter()
                .flat_map(|(_, value)| value.expressions())
                .collect(),
        }
    }
}

/// A driven layer with its options.
#[derive(Clone, Debug)]
pub struct Driven {
    /// Which.
    pub kind: DrivenKind,
    /// Option (row of its layer) and value, in the order written.
    pub options: Vec<(&'static crate::driven::DrivenOption, FieldSetting)>,
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
    /// `TLS!`, on a connection.
    Tls,
    /// `HTTP!`, on a connection or TLS.
    Http,
    /// `DNS!`, on datagrams, a connection or TLS.
    Dns,
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

/// Where a sent stack is put. Indices count the layers of the stack with those of its parents
/// before them, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Onto {
    /// It is at the bottom; what is missing below (link, route) is filled in.
    Bottom,
    /// It replaces layer `at` of the stack and what is above, for this packet; unset fields come
    /// from the live state.
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
    pub fields: Vec<(usize, FieldSetting)>,
    /// `advance=true`: the stack's own state moves with this packet.
    pub advance: bool,
    /// All of it.
    pub span: Span,
}

/// What a field is set to.
#[derive(Clone, Debug)]
pub enum FieldSetting {
    /// A value of the field's type (flags fields also take ints, `Bytes` also takes... bytes only).
    Value(Expr),
    /// `auto`, `auto + n`, `auto - n` (then the expression is negated): what the stack would send
    /// now.
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
    pub args: Vec<OptionArg>,
    /// All of it.
    pub span: Span,
}

/// A value of an option.
#[derive(Clone, Debug)]
pub enum OptionArg {
    /// Of its field's type.
    Value(Expr),
    /// `relay([circuit_id("ge-1")])`: options in the option.
    Options(Vec<OptionLiteral>),
}

impl OptionLiteral {
    /// All expressions in it, also those of options inside.
    pub fn exprs(&self) -> Vec<&Expr> {
        let mut all = Vec::new();
        for arg in &self.args {
            match arg {
                OptionArg::Value(expr) => all.push(expr),
                OptionArg::Options(list) => all.extend(list.iter().flat_map(OptionLiteral::exprs)),
            }
        }
        all
    }
}
