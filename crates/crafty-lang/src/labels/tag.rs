//! A label with its path.

use super::price::PriceId;
use crate::ir::{Label, Span};
use std::collections::BTreeSet;
use std::rc::Rc;

/// A label and, if it is not clean, why.
#[derive(Clone, Debug, Default)]
pub struct Tag {
    /// The label.
    pub label: Label,
    /// The last step of the way, which knows the step before it.
    pub why: Option<Rc<ProvenanceStep>>,
    /// The places on the way at which content became an event: a send that this reaches pays for
    /// them.
    pub prices: Prices,
}

/// A set of declassifying places; nearly always empty.
#[derive(Clone, Debug, Default)]
pub struct Prices(Option<Rc<BTreeSet<PriceId>>>);

impl Prices {
    /// The members, in order.
    pub fn iter(&self) -> impl Iterator<Item = PriceId> + '_ {
        self.0.iter().flat_map(|set| set.iter().copied())
    }

    fn holds(&self, other: &Prices) -> bool {
        match (&self.0, &other.0) {
            (_, None) => true,
            (None, Some(_)) => false,
            (Some(a), Some(b)) => Rc::ptr_eq(a, b) || b.is_subset(a),
        }
    }

    fn union(&self, other: &Prices) -> Prices {
        match (&self.0, &other.0) {
            _ if self.holds(other) => self.clone(),
            (Some(a), Some(b)) => Prices(Some(Rc::new(a.union(b).copied().collect()))),
            _ => other.clone(),
        }
    }
}

/// One step of the way from a received packet to where we are.
#[derive(Debug)]
pub struct ProvenanceStep {
    /// Where.
    pub span: Span,
    /// A few words.
    pub text: String,
    /// The step before.
    pub before: Option<Rc<ProvenanceStep>>,
}

/// Longest way that is kept: a variable that feeds itself would make it endless.
const LONGEST: usize = 12;

impl Tag {
    /// Clean.
    pub fn clean() -> Tag {
        Tag::default()
    }

    /// Where received data comes in.
    pub fn source(label: Label, span: Span, text: impl Into<String>) -> Tag {
        Tag {
            label,
            why: Some(Rc::new(ProvenanceStep {
                span,
                text: text.into(),
                before: None,
            })),
            prices: Prices::default(),
        }
    }

    /// The same, having passed a place at which content became an event.
    pub fn at_price(mut self, price: PriceId) -> Tag {
        let one = Prices(Some(Rc::new(BTreeSet::from([price]))));
        self.prices = self.prices.union(&one);
        self
    }

    /// The higher of two; the first of equals, which is the shorter way.
    pub fn join(&self, other: &Tag) -> Tag {
        let higher = if other.label > self.label {
            other
        } else {
            self
        };
        Tag {
            label: higher.label,
            why: higher.why.clone(),
            prices: self.prices.union(&other.prices),
        }
    }

    /// Raises this one; tells whether it rose.
    pub fn raise(&mut self, other: &Tag) -> bool {
        let rises = other.label > self.label || !self.prices.holds(&other.prices);
        if rises {
            *self = self.join(other);
        }
        rises
    }

    /// The same label, one step on.
    pub fn step(&self, span: Span, text: impl Into<String>) -> Tag {
        if self.label == Label::Clean || self.steps() >= LONGEST {
            return self.clone();
        }
        Tag {
            label: self.label,
            why: Some(Rc::new(ProvenanceStep {
                span,
                text: text.into(),
                before: self.why.clone(),
            })),
            prices: self.prices.clone(),
        }
    }

    /// At most this label.
    pub fn capped(&self, most: Label) -> Tag {
        Tag {
            label: self.label.min(most),
            why: if most == Label::Clean {
                None
            } else {
                self.why.clone()
            },
            prices: self.prices.clone(),
        }
    }

    fn steps(&self) -> usize {
        std::iter::successors(self.why.as_ref(), |w| w.before.as_ref()).count()
    }
}

/// The two labels of a value.
#[derive(Clone, Debug, Default)]
pub struct LabelPair {
    /// Of its size and keys. Clean for scalars, whose value is their content.
    pub structure: Tag,
    /// Of what it holds.
    pub content: Tag,
}

impl LabelPair {
    /// A scalar, or a container whose structure tells nothing.
    pub fn scalar(content: Tag) -> LabelPair {
        LabelPair {
            structure: Tag::clean(),
            content,
        }
    }

    /// Both the same.
    pub fn both(tag: Tag) -> LabelPair {
        LabelPair {
            structure: tag.clone(),
            content: tag,
        }
    }

    /// What the whole value may reveal.
    pub fn all(&self) -> Tag {
        self.content.join(&self.structure)
    }

    /// The higher of each.
    pub fn join(&self, other: &LabelPair) -> LabelPair {
        LabelPair {
            structure: self.structure.join(&other.structure),
            content: self.content.join(&other.content),
        }
    }
}
