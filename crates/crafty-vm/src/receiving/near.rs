//! Frames that a pattern nearly took: all layers are there, and all conditions but one hold.

use crate::receiving::admitted::FrameMetadata;
use crate::receiving::layers;
use crate::receiving::pattern::{EvaluatedElement, EvaluatedPattern, EvaluatedTest, MatchAttempt};
use crate::receiving::view::DecodedPacket;
use crafty_lang::eval::show;
use crafty_lang::ir::FieldRef;
use crafty_value::Value;
use crafty_wire::Layer;

/// Bytes of a received value that are shown.
const SHOWN: usize = 16;

/// The one condition that did not hold.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct FailedCondition {
    /// `ICMP.id`.
    pub field: String,
    /// What the frame has there; none if it has nothing.
    pub is: Option<String>,
}

impl EvaluatedPattern {
    /// The one condition because of which it does not take a packet; none if it takes it, or if
    /// more than one, or a layer, is in the way.
    pub fn nearly(&self, view: &DecodedPacket, about: &FrameMetadata) -> Option<FailedCondition> {
        let attempt = MatchAttempt {
            elements: &self.elements,
            view,
            about,
        };
        let mut at = match self.elements.first()? {
            EvaluatedElement::Layer(layer, _) if layers::is_link(layer) => 0,
            _ => view.first_network(),
        };
        let mut failed = None;
        for element in &self.elements {
            let tests = match element {
                EvaluatedElement::Layer(wanted, tests) if layers::is_bytes(wanted) => {
                    let left = view.left_at(at);
                    let data = view.octets.get(left).filter(|bytes| !bytes.is_empty())?;
                    let data = Value::bytes(data.to_vec());
                    let holds = |test: &EvaluatedTest| test.holds(Some(data.clone()));
                    if !tests.iter().all(|any| any.iter().any(holds)) {
                        note(&mut failed, "Bytes.data".into(), Some(data))?;
                    }
                    break;
                }
                EvaluatedElement::Layer(wanted, tests) => {
                    at = attempt.skip_extensions(at, wanted);
                    let fits = at < view.layers() && core::ptr::eq(view.layer(at), *wanted);
                    fits.then_some(tests)?
                }
                EvaluatedElement::Driven(kind, tests) => {
                    let fits = at < view.layers() && layers::is_driven(view.layer(at), *kind);
                    fits.then_some(tests)?
                }
                EvaluatedElement::Any => return None,
                EvaluatedElement::End => return failed.filter(|_| view.left_at(at).is_empty()),
            };
            for any in tests {
                if !attempt.hold(core::slice::from_ref(any), at) {
                    let field = &any.first()?.field;
                    let is = match field {
                        FieldRef::Meta(meta) => about.meta(*meta),
                        field => view.read(at, field),
                    };
                    note(&mut failed, named(view.layer(at), field), is)?;
                }
            }
            at += 1;
        }
        failed
    }
}

/// Takes note of a condition that fails; none if it is the second.
fn note(failed: &mut Option<FailedCondition>, field: String, is: Option<Value>) -> Option<()> {
    let first = failed.is_none();
    *failed = Some(FailedCondition {
        field,
        is: is.map(|value| show::marked(&value, SHOWN)),
    });
    first.then_some(())
}

fn named(layer: &Layer, field: &FieldRef) -> String {
    let name = match field {
        FieldRef::Wire { layer, field } | FieldRef::OptionList { layer, field, .. } => {
            layer.fields.get(*field).map_or("field", |f| f.name)
        }
        FieldRef::Option { option, inner, .. } => inner.last().map_or(option, |(option, _)| option),
        FieldRef::Either { name, .. } => name,
        FieldRef::Meta(meta) => meta.word(),
    };
    format!("{}.{name}", layer.name)
}
