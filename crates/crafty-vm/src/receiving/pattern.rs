//! Patterns being matched: operands computed once, tried on one packet or on the bytes of a stream. Never
//! fails: what is absent does not match.

use crate::receiving::admitted::{FrameMetadata, StreamView};
use crate::receiving::layers;
use crate::receiving::search::{StreamSearch, relation};
use crate::receiving::view::DecodedPacket;
use crate::stacks::peer::ConnectionId;
use core::ops::Range;
use crafty_lang::eval::{compare, slice};
use crafty_lang::ir::{DrivenKind, FieldRef, RelOp, StackId};
use crafty_lang::labels::presence::{fixed_end, is_promised};
use crafty_value::Value;
use crafty_wire::{Field, Layer, LayerRole, Scan};
use std::collections::BTreeMap;

/// A pattern with its operands.
#[derive(Debug, Default)]
pub(crate) struct EvaluatedPattern {
    pub elements: Vec<EvaluatedElement>,
    /// The driven block whose deliveries it sees.
    pub stack: Option<StackId>,
    /// The layer that frames the messages which it takes from a stream.
    pub message: Option<&'static Layer>,
    /// Up to where it has been tried on the messages of each stream.
    pub tried: BTreeMap<ConnectionId, StreamPosition>,
    /// How far each test has looked through each stream, by condition and alternative of `Bytes`,
    /// which is once in a pattern.
    pub searched: BTreeMap<(ConnectionId, usize, usize), StreamSearch>,
}

/// The bytes of a stream that a watcher has not taken.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StreamBytes<'s> {
    pub connection: ConnectionId,
    /// Place in the stream of the first of them.
    pub start: u64,
    pub bytes: &'s [u8],
}

/// A place in a stream where a message begins, and how far that has been looked through.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StreamPosition {
    pub start: u64,
    pub scan: Scan,
}

/// An element; of each list of tests one must hold.
#[derive(Debug)]
pub(crate) enum EvaluatedElement {
    Layer(&'static Layer, Vec<Vec<EvaluatedTest>>),
    Driven(DrivenKind, Vec<Vec<EvaluatedTest>>),
    Any,
    End,
}

/// `[not] field op operand`.
#[derive(Debug)]
pub(crate) struct EvaluatedTest {
    pub negated: bool,
    pub field: FieldRef,
    pub slice: Option<(Option<i64>, Option<i64>)>,
    pub op: RelOp,
    pub operand: EvaluatedOperand,
}

/// The right side.
#[derive(Debug)]
pub(crate) enum EvaluatedOperand {
    Value(Value),
    Range(Value, Value),
    Checksum(&'static str),
    Option(&'static str),
}

/// What a match found out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct PatternMatch {
    /// The bytes that `Bytes` stands for.
    pub bytes: Option<Range<usize>>,
}

impl EvaluatedPattern {
    /// Whether it listens to a stream (or to changes of a connection) and not to packets.
    pub fn is_stream(&self) -> bool {
        self.elements
            .iter()
            .any(|e| matches!(e, EvaluatedElement::Driven(DrivenKind::Tcp, _)))
    }

    /// Whether it takes data of a stream: `Bytes` is in it, or nothing is after `TCP!` and no state
    /// is asked for.
    pub fn wants_data(&self) -> bool {
        let asks_state = |tests: &Vec<Vec<EvaluatedTest>>| {
            tests
                .iter()
                .flatten()
                .any(|t| matches!(t.field, FieldRef::Meta(_)))
        };
        let state = self.elements.iter().any(
            |e| matches!(e, EvaluatedElement::Driven(DrivenKind::Tcp, tests) if asks_state(tests)),
        );
        let bytes = self
            .elements
            .iter()
            .any(|e| matches!(e, EvaluatedElement::Layer(layer, _) if layers::is_bytes(layer)));
        bytes || !state
    }

    /// Tries it on a packet.
    pub fn on_packet(&self, view: &DecodedPacket, about: &FrameMetadata) -> Option<PatternMatch> {
        let first = match self.elements.first() {
            Some(EvaluatedElement::Layer(layer, _)) if layers::is_link(layer) => 0,
            Some(EvaluatedElement::Any) | None => 0,
            _ => view.first_network(),
        };
        MatchAttempt {
            elements: &self.elements,
            view,
            about,
        }
        .from(0, first)
    }

    /// Whether it takes a change of a connection; bytes it has none.
    pub fn on_state(&self, seen: &StreamView) -> bool {
        self.elements.iter().all(|element| match element {
            EvaluatedElement::Driven(kind, tests) => of_stream(seen, *kind, tests),
            EvaluatedElement::Layer(layer, tests) => !layers::is_bytes(layer) && tests.is_empty(),
            EvaluatedElement::Any | EvaluatedElement::End => true,
        })
    }

    /// Whether it takes these bytes of a stream, and how many of them it looked at.
    pub fn on_bytes(&mut self, seen: &StreamView, held: StreamBytes<'_>) -> (bool, usize) {
        let mut looked = 0;
        let takes = self.elements.iter().all(|element| match element {
            EvaluatedElement::Driven(kind, tests) => of_stream(seen, *kind, tests),
            EvaluatedElement::Layer(layer, tests) if layers::is_bytes(layer) => {
                tests.iter().enumerate().all(|(condition, any)| {
                    any.iter().enumerate().any(|(alternative, test)| {
                        let number = (held.connection, condition, alternative);
                        let search = self.searched.entry(number).or_default();
                        let (holds, read) = test.holds_in_stream(held, search);
                        looked += read;
                        holds
                    })
                })
            }
            EvaluatedElement::Layer(_, tests) => tests.is_empty(),
            EvaluatedElement::Any | EvaluatedElement::End => true,
        });
        (takes, looked)
    }

    /// Tries it on a message of a stream, whose first layer is the one that frames it; the pattern
    /// need not name that.
    pub fn on_message(&self, seen: &StreamView, view: &DecodedPacket) -> Option<PatternMatch> {
        let stream = self
            .elements
            .iter()
            .rposition(|e| matches!(e, EvaluatedElement::Driven(..)))?;
        let (below, above) = self.elements.split_at(stream + 1);
        let below_fits = below.iter().all(|e| match e {
            EvaluatedElement::Driven(kind, tests) => of_stream(seen, *kind, tests),
            _ => true,
        });
        let framed = |e: &EvaluatedElement| matches!(e, EvaluatedElement::Layer(layer, _) if !core::ptr::eq(*layer, view.layer(0)));
        let first = usize::from(above.first().is_some_and(framed));
        below_fits.then(|| {
            MatchAttempt {
                elements: above,
                view,
                about: &seen.about,
            }
            .from(0, first)
        })?
    }
}

/// Whether a stream passes the tests of a driven layer.
fn of_stream(seen: &StreamView, kind: DrivenKind, tests: &[Vec<EvaluatedTest>]) -> bool {
    hold(tests, |test| test.holds(seen.field(kind, &test.field)))
}

fn hold(tests: &[Vec<EvaluatedTest>], holds: impl Fn(&EvaluatedTest) -> bool) -> bool {
    tests.iter().all(|any| any.iter().any(&holds))
}

/// One attempt at one packet.
pub(crate) struct MatchAttempt<'a> {
    pub elements: &'a [EvaluatedElement],
    pub view: &'a DecodedPacket,
    pub about: &'a FrameMetadata,
}

impl MatchAttempt<'_> {
    /// Whether the elements from `element` on match the layers from `layer` on. At most 16 of each.
    fn from(&self, element: usize, layer: usize) -> Option<PatternMatch> {
        let rest = element + 1;
        match self.elements.get(element) {
            None => Some(PatternMatch::default()),
            Some(EvaluatedElement::End) => self
                .view
                .left_at(layer)
                .is_empty()
                .then(PatternMatch::default),
            // As few layers as possible.
            Some(EvaluatedElement::Any) => {
                (layer..=self.view.layers()).find_map(|from| self.from(rest, from))
            }
            Some(EvaluatedElement::Layer(wanted, tests)) if layers::is_bytes(wanted) => {
                self.bytes(layer, tests)
            }
            Some(EvaluatedElement::Layer(wanted, tests)) => {
                let at = self.skip_extensions(layer, wanted);
                let fits = at < self.view.layers()
                    && core::ptr::eq(self.view.layer(at), *wanted)
                    && self.hold(tests, at)
                    && self.is_whole(element, wanted, at);
                if fits { self.from(rest, at + 1) } else { None }
            }
            Some(EvaluatedElement::Driven(kind, tests)) => {
                let at = if *kind == DrivenKind::Ip {
                    layer
                } else {
                    self.view.after_extensions(layer)
                };
                let fits = at < self.view.layers()
                    && layers::is_driven(self.view.layer(at), *kind)
                    && self.hold(tests, at);
                if fits { self.from(rest, at + 1) } else { None }
            }
        }
    }

    /// Whether a header has all the fields that the pattern promises to those who read them: in one
    /// that is cut, reading would fail by what the packet says of its lengths.
    fn is_whole(&self, element: usize, wanted: &Layer, at: usize) -> bool {
        let quoted = self.elements[..element].iter().any(
            |e| matches!(e, EvaluatedElement::Layer(layer, _) if layer.role == LayerRole::Control),
        );
        let promised = |row: &Field| is_promised(wanted, row, quoted);
        let fields = wanted.fields.iter().enumerate();
        let fixed = fields
            .clone()
            .filter(|(_, row)| promised(row) && !row.moves);
        let last = fixed.max_by_key(|(_, row)| fixed_end(row));
        let moving = fields.filter(|(_, row)| promised(row) && row.moves);
        last.into_iter()
            .chain(moving)
            .all(|(field, _)| self.view.value(at, field).is_some())
    }

    pub fn skip_extensions(&self, layer: usize, wanted: &Layer) -> usize {
        if layers::is_extension(wanted) {
            layer
        } else {
            self.view.after_extensions(layer)
        }
    }

    /// Whatever is left, if it is at least one byte; nothing but `End` is after it.
    fn bytes(&self, layer: usize, tests: &[Vec<EvaluatedTest>]) -> Option<PatternMatch> {
        let left = self.view.left_at(layer);
        let data = || {
            self.view
                .octets
                .get(left.clone())
                .map(|b| Value::bytes(b.to_vec()))
        };
        (!left.is_empty() && hold(tests, |t| t.holds(data()))).then(|| PatternMatch {
            bytes: Some(left.clone()),
        })
    }

    pub fn hold(&self, tests: &[Vec<EvaluatedTest>], at: usize) -> bool {
        hold(tests, |test| match (&test.operand, &test.field) {
            (EvaluatedOperand::Checksum(wanted), FieldRef::Wire { field, .. }) => {
                let state = self.view.checksum(at, *field, self.about.checksum_ready);
                state.is_some_and(|s| test.agrees(s == *wanted))
            }
            (EvaluatedOperand::Option(name), FieldRef::Wire { field, .. }) => {
                test.agrees(self.view.has_option(at, *field, name))
            }
            (_, FieldRef::Meta(meta)) => test.holds(self.about.meta(*meta)),
            (_, field) => test.holds(self.view.read(at, field)),
        })
    }
}

impl EvaluatedTest {
    /// A test that is not a comparison of values: `==` and `has` ask for it, `!=` and `not has`
    /// against it.
    fn agrees(&self, is: bool) -> bool {
        let against = matches!(self.op, RelOp::Ne | RelOp::NotHas | RelOp::NotIn);
        (is != against) != self.negated
    }

    /// What is absent makes it false, with `not` too.
    pub fn holds(&self, value: Option<Value>) -> bool {
        let Some(value) = value.and_then(|v| self.sliced(v)) else {
            return false;
        };
        let holds = match &self.operand {
            EvaluatedOperand::Value(operand) => compare::holds(self.op, &value, operand),
            EvaluatedOperand::Range(low, high) => {
                (*low <= value && value <= *high) == (self.op != RelOp::NotIn)
            }
            EvaluatedOperand::Checksum(_) | EvaluatedOperand::Option(_) => return false,
        };
        holds != self.negated
    }

    /// The same on bytes of a stream; a search continues where it stopped.
    fn holds_in_stream(&self, held: StreamBytes<'_>, search: &mut StreamSearch) -> (bool, usize) {
        let length = i64::try_from(held.bytes.len()).unwrap_or(i64::MAX);
        let (from, to) = self.slice.unwrap_or_default();
        let range = usize::try_from(from.unwrap_or(0))
            .ok()
            .zip(usize::try_from(to.unwrap_or(length)).ok());
        let Some(part) = range.and_then(|(from, to)| held.bytes.get(from..to)) else {
            return (false, 0);
        };
        let start = held.start + from.unwrap_or(0).unsigned_abs();
        let (holds, read) = match (&self.operand, self.op) {
            (EvaluatedOperand::Value(Value::Bytes(wanted)), RelOp::Has | RelOp::NotHas) => {
                let (found, read) = search.find(start, part, wanted);
                (found == (self.op == RelOp::Has), read)
            }
            (EvaluatedOperand::Value(operand), op) => match relation(op, part, operand) {
                Some(holds) => (holds, operand.size()),
                None => return (false, 0),
            },
            (EvaluatedOperand::Range(low, high), op) => {
                let inside = relation(RelOp::Ge, part, low) == Some(true)
                    && relation(RelOp::Le, part, high) == Some(true);
                (inside == (op != RelOp::NotIn), low.size() + high.size())
            }
            (EvaluatedOperand::Checksum(_) | EvaluatedOperand::Option(_), _) => return (false, 0),
        };
        (holds != self.negated, read)
    }

    fn sliced(&self, value: Value) -> Option<Value> {
        let (Some((from, to)), Value::Bytes(octets)) = (&self.slice, &value) else {
            return Some(value);
        };
        let end = i64::try_from(octets.len()).ok()?;
        slice(octets, from.unwrap_or(0), to.unwrap_or(end)).ok()
    }
}
