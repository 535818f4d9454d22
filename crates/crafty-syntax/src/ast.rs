//! The tree of a program as written. One type for each production of the grammar; nothing is
//! resolved or checked here.

mod expression;

pub use expression::*;

/// A range of bytes in the source text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The span from the start of `self` to the end of `other`.
    pub fn to(self, other: Span) -> Span {
        Span {
            start: self.start.min(other.start),
            end: self.end.max(other.end),
        }
    }
}

/// A name with its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Name {
    /// The word as written.
    pub text: String,
    /// Where it is.
    pub span: Span,
}

/// Statements between braces, or the whole program.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct BlockSyntax {
    /// In order.
    pub statements: Vec<StatementSyntax>,
    /// Braces included.
    pub span: Span,
}

/// One statement.
#[derive(Clone, Debug, PartialEq)]
pub struct StatementSyntax {
    /// What it is.
    pub kind: StatementKindSyntax,
    /// All of it, blocks included.
    pub span: Span,
}

/// The productions of `statement`.
#[derive(Clone, Debug, PartialEq)]
pub enum StatementKindSyntax {
    /// `BUDGET = { … }` and its two siblings: `name` is one of them.
    Setting {
        /// `BUDGET`, `PORTS` or `PERMISSIONS`.
        name: Name,
        /// The braces.
        group: Group,
    },
    /// `param target = 192.0.2.1`, `param target: ip`.
    Param {
        /// What the command line sets.
        name: Name,
        /// The type, where written.
        ty: Option<Name>,
        /// The default, where written.
        default: Option<ExprSyntax>,
    },
    /// `name = rhs`.
    Declare {
        /// The new variable.
        name: Name,
        /// Its first value.
        value: Rhs,
    },
    /// `name := rhs`, `name[key] := expr`, `+=`, `-=`.
    Assign {
        /// The variable.
        name: Name,
        /// Keys and parts, outermost first.
        path: Vec<StepSyntax>,
        /// Which sign.
        op: AssignOp,
        /// The right side; a stack only with `:=` and no path.
        value: Rhs,
    },
    /// A stack that is sent.
    Send(Stack),
    /// A stack with a block.
    Open {
        /// The layers.
        stack: Stack,
        /// `as web`.
        name: Option<Name>,
        /// The block.
        body: BlockSyntax,
        /// `else e { }`.
        otherwise: Option<(Option<Name>, BlockSyntax)>,
    },
    /// `if … else if … else …`.
    If {
        /// Conditions with their blocks.
        arms: Vec<(ExprSyntax, BlockSyntax)>,
        /// The last `else`.
        otherwise: Option<BlockSyntax>,
    },
    /// `foreach x xs every=1ms { }`, `foreach i, x xs { }`.
    Foreach {
        /// The loop variable.
        variable: Name,
        /// The element behind a position, the value behind a key.
        second: Option<Name>,
        /// A value, or the lower end of a range.
        over: ExprSyntax,
        /// The upper end of a range.
        to: Option<ExprSyntax>,
        /// `every=`, `until=`, `for=`.
        options: Vec<Opt>,
        /// The block.
        body: BlockSyntax,
    },
    /// `repeat count=5 every=10ms as n { }`.
    Repeat {
        /// `count=`, `every=`, `until=`, `for=`.
        options: Vec<Opt>,
        /// Counts from 1.
        counter: Option<Name>,
        /// The block.
        body: BlockSyntax,
    },
    /// `wait 200ms`.
    Wait(ExprSyntax),
    /// `on linger=2s count=1 PATTERN as m { }`.
    On {
        /// `linger=`, `count=`.
        options: Vec<Opt>,
        /// What it listens for.
        arm: ArmSyntax,
        /// The block.
        body: BlockSyntax,
    },
    /// `on out drop count=1 PATTERN as m { }`: the stack's own segments, before they leave.
    Out {
        /// `drop`, `hold`, `duplicate`: words that are alone.
        words: Vec<Name>,
        /// `delay=`, `split=`, `count=`.
        options: Vec<Opt>,
        /// Which segments.
        arm: ArmSyntax,
        /// The block, where one is written.
        body: Option<BlockSyntax>,
    },
    /// `release`.
    Release,
    /// `expect timeout=1s PATTERN { } or PATTERN { } else { }`.
    Expect {
        /// `timeout=`.
        options: Vec<Opt>,
        /// Each pattern with its block.
        arms: Vec<(ArmSyntax, BlockSyntax)>,
        /// When nothing matched in time.
        otherwise: Option<BlockSyntax>,
    },
    /// `ask tries=3 as n { } expect timeout=1s PATTERN { } or PATTERN { } else { }`.
    Ask {
        /// `tries=`.
        options: Vec<Opt>,
        /// The number of the try, from 1.
        counter: Option<Name>,
        /// What asks: it runs once a try.
        body: BlockSyntax,
        /// The word `expect`.
        expects: Span,
        /// `timeout=`, of each try.
        waiting: Vec<Opt>,
        /// Each pattern of an answer with its block.
        arms: Vec<(ArmSyntax, BlockSyntax)>,
        /// When no try was answered.
        otherwise: Option<BlockSyntax>,
    },
    /// `try { } else e { }`.
    Try {
        /// The block that may fail.
        body: BlockSyntax,
        /// Holds the error.
        error: Option<Name>,
        /// What then happens.
        otherwise: BlockSyntax,
    },
    /// `stop`.
    Stop,
    /// `exit`.
    Exit,
    /// `close`.
    Close,
    /// `abort`.
    Abort,
    /// `fail "why"`.
    Fail(ExprSyntax),
    /// `print(x)`.
    Print(ExprSyntax),
    /// `record rtt = expr, size=n`.
    Record {
        /// The measurement first, then its labels.
        fields: Vec<(Name, ExprSyntax)>,
    },
    /// `assert cond, "message"`.
    Assert(ExprSyntax, Option<ExprSyntax>),
    /// What could not be read; its mistakes were reported. Never in a program that has no errors.
    Broken,
}

/// `=`-like signs of an assignment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AssignOp {
    /// `:=`.
    Set,
    /// `+=`.
    Add,
    /// `-=`.
    Subtract,
}

/// The right side of a declaration or assignment.
#[derive(Clone, Debug, PartialEq)]
pub enum Rhs {
    /// A value.
    Expr(ExprSyntax),
    /// A send, whose value is the sent packet.
    Stack(Stack),
}

/// `name=expr` after a keyword.
#[derive(Clone, Debug, PartialEq)]
pub struct Opt {
    /// The option's word.
    pub name: Name,
    /// Its value.
    pub value: ExprSyntax,
}

/// `{ key: value, … }` of a setting.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    /// In order.
    pub entries: Vec<(Name, SettingValueSyntax)>,
    /// Braces included.
    pub span: Span,
}

/// The value of a key in a setting.
#[derive(Clone, Debug, PartialEq)]
pub enum SettingValueSyntax {
    /// `{ … }`.
    Group(Group),
    /// `[ … ]`: each item with whether `!` is before it.
    List(Vec<(bool, SettingValueSyntax)>, Span),
    /// A literal, a name, or a sum or product of them.
    Scalar(ExprSyntax),
}

/// Layers from the outside in.
#[derive(Clone, Debug, PartialEq)]
pub struct Stack {
    /// Whether it begins with `/`: at the bottom.
    pub from_bottom: bool,
    /// `web/Bytes("x")`: the named block it goes through.
    pub through: Option<Name>,
    /// The layers.
    pub layers: Vec<LayerUse>,
    /// All of it.
    pub span: Span,
}

/// `Layer(field=value, …)` or `Layer!(…)`.
#[derive(Clone, Debug, PartialEq)]
pub struct LayerUse {
    /// The layer's name.
    pub name: Name,
    /// `!`.
    pub driven: bool,
    /// `field=value` (the name) or a positional value (no name).
    pub args: Vec<(Option<Name>, ExprSyntax)>,
    /// All of it.
    pub span: Span,
}

/// `PATTERN where expr as m`.
#[derive(Clone, Debug, PartialEq)]
pub struct ArmSyntax {
    /// The stack of conditions.
    pub pattern: PatternSyntax,
    /// `where`.
    pub filter: Option<ExprSyntax>,
    /// `as`.
    pub name: Option<Name>,
    /// All of it.
    pub span: Span,
}

/// A stack whose parentheses hold conditions.
#[derive(Clone, Debug, PartialEq)]
pub struct PatternSyntax {
    /// Whether it begins with `/`.
    pub from_bottom: bool,
    /// In order.
    pub elements: Vec<ElementSyntax>,
    /// All of it.
    pub span: Span,
}

/// One element of a pattern.
#[derive(Clone, Debug, PartialEq)]
pub enum ElementSyntax {
    /// A layer (also `End` and `Bytes`) with its conditions, comma being "and".
    Layer {
        /// The layer's name.
        name: Name,
        /// `!`.
        driven: bool,
        /// All must hold; each is a list of tests of which one must.
        conditions: Vec<Vec<FieldTestSyntax>>,
        /// A positional value, which is a mistake that the checker explains.
        positional: Option<ExprSyntax>,
        /// All of it.
        span: Span,
    },
    /// `*`.
    Any(Span),
}

/// `[not] field op operand`.
#[derive(Clone, Debug, PartialEq)]
pub struct FieldTestSyntax {
    /// `not` before it.
    pub negated: bool,
    /// `options.mss` is two words.
    pub field: Vec<Name>,
    /// `data[0:4]`, `data[3]`.
    pub slice: Option<Index>,
    /// The relation.
    pub op: RelOp,
    /// The right side.
    pub operand: OperandSyntax,
    /// All of it.
    pub span: Span,
}
