//! Patterns, and what can be read of a packet.

use super::*;

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

impl Arm {
    /// Its filter, and what its tests compare with.
    pub fn expressions(&self) -> Vec<&Expr> {
        let tests = self
            .pattern
            .elements
            .iter()
            .filter_map(|element| match element {
                Element::Layer { conditions, .. } | Element::Driven { conditions, .. } => {
                    Some(conditions.iter().flatten())
                }
                Element::Any | Element::End => None,
            });
        let operands = tests.flatten().flat_map(|test| match &test.operand {
            Operand::Value(value) => vec![value],
            Operand::Range(low, high) => vec![low, high],
            Operand::Checksum(_) | Operand::Option(_) => Vec::new(),
        });
        operands.chain(&self.filter).collect()
    }
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

impl Pattern {
    /// Whether it sees data of a stream and not packets.
    pub fn is_stream(&self) -> bool {
        self.elements.iter().any(|e| {
            matches!(
                e,
                Element::Driven {
                    kind: DrivenKind::Tcp,
                    ..
                }
            )
        })
    }

    /// The layer that frames the messages which it takes from a stream: one other than `Bytes` is
    /// on `TCP!` or `TLS!`.
    pub fn message(&self) -> Option<&'static Layer> {
        let stream = self
            .elements
            .iter()
            .rposition(|e| matches!(e, Element::Driven { .. }))?;
        let on_stream =
            matches!(self.elements[stream], Element::Driven { kind, .. } if kind.is_stream());
        self.elements[stream + 1..]
            .iter()
            .filter(|_| on_stream)
            .find_map(|element| match element {
                Element::Layer { layer, .. } => Some(crafty_wire::framed_by(layer)),
                _ => None,
            })?
    }
}

/// One element of a pattern.
#[derive(Clone, Debug)]
pub enum Element {
    /// A layer of the table on the frame as it was on the wire (`Bytes` included: whatever is left,
    /// at least one byte).
    Layer {
        /// The table.
        layer: &'static Layer,
        /// All must hold; of each list one must.
        conditions: Vec<Vec<FieldTest>>,
    },
    /// As delivered by the driven stack.
    Driven {
        /// Which.
        kind: DrivenKind,
        /// All must hold; of each list one must.
        conditions: Vec<Vec<FieldTest>>,
    },
    /// `*`: any layers, as few as possible.
    Any,
    /// Nothing follows.
    End,
}

/// `[not] field op operand`.
#[derive(Clone, Debug)]
pub struct FieldTest {
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
        /// Where that field is a list of options itself: the option in it and which of its fields,
        /// and so on inwards.
        inner: Vec<(&'static str, Option<&'static str>)>,
    },
    /// What a list of options says as a whole.
    OptionList {
        /// The table.
        layer: &'static Layer,
        /// Number of the options field.
        field: usize,
        /// What is asked of it.
        question: OptionQuestion,
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

/// What is asked of a list of options.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OptionQuestion {
    /// Whether it has the option of this name (bool).
    Has(&'static str),
    /// How the language writes it (string).
    Shown,
}

/// What is known of a packet beside its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meta {
    /// When it was on the wire (time).
    Ts,
    /// Which clock says so (string).
    TsSource,
    /// When the last of its frames was on the wire (time).
    LastTs,
    /// Bytes of the frame on the wire (int).
    Len,
    /// Name of the interface (string).
    Interface,
    /// State of the connection that changed (string), of `TCP!`.
    State,
}

impl Meta {
    /// As it is written.
    pub fn word(self) -> &'static str {
        match self {
            Meta::Ts => "ts",
            Meta::TsSource => "ts_source",
            Meta::LastTs => "last_ts",
            Meta::Len => "len",
            Meta::Interface => "interface",
            Meta::State => "state",
        }
    }

    /// Whether it tells of a frame's being on the wire: what was not sent lacks it.
    pub fn is_of_departure(self) -> bool {
        matches!(self, Meta::Ts | Meta::TsSource | Meta::LastTs)
    }
}
