//! What `STACK[…]` can be asked: one row each, read by the checker, the label pass, the machine and
//! the manual.

use crate::ir::{DrivenKind, Holds, Label, Type};

/// One counter or piece of live state.
#[derive(Debug)]
pub struct LayerCounter {
    /// The layer asked.
    pub of: DrivenKind,
    /// As written.
    pub name: &'static str,
    /// Its type, or that of what it holds.
    ty: Type,
    /// Whether it is one or several.
    holds: Holds,
    /// What it may reveal.
    pub label: Label,
    /// One sentence, with its unit.
    pub doc: &'static str,
}

pub(super) const fn counter(
    of: DrivenKind,
    name: &'static str,
    ty: Type,
    label: Label,
    doc: &'static str,
) -> LayerCounter {
    LayerCounter {
        of,
        name,
        ty,
        holds: Holds::One,
        label,
        doc,
    }
}

/// The newest values, oldest first.
pub(super) const fn samples(
    of: DrivenKind,
    name: &'static str,
    ty: Type,
    label: Label,
    doc: &'static str,
) -> LayerCounter {
    let mut counter = counter(of, name, ty, label, doc);
    counter.holds = Holds::Array;
    counter
}

/// Several values.
pub(super) const fn many(
    of: DrivenKind,
    name: &'static str,
    holds: Holds,
    ty: Type,
    label: Label,
    doc: &'static str,
) -> LayerCounter {
    LayerCounter {
        of,
        name,
        ty,
        holds,
        label,
        doc,
    }
}

impl LayerCounter {
    /// Its type.
    pub fn ty(&self) -> Type {
        self.holds.of(&self.ty)
    }
}
