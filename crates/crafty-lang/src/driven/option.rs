//! Options of driven layers (`TCP!(dst=80, mss=536)`): one row each, read by the checker, the
//! machine and the manual.

use super::Unset;
use crate::ir::{DrivenKind, Holds, Type};
use crafty_value::Value;

/// One option of a driven layer.
#[derive(Debug)]
pub struct DrivenOption {
    /// The layer.
    pub of: DrivenKind,
    /// As written.
    pub name: &'static str,
    /// Its type, or that of what it holds.
    ty: Type,
    /// Whether it is one or several.
    holds: Holds,
    /// The layer and field whose named values may be written bare; its own layer's field of the
    /// same name, unless told.
    pub names: Option<(&'static str, &'static str)>,
    /// What leaving it out means.
    pub unset: Unset,
    /// One sentence.
    pub doc: &'static str,
    /// Whether it appears in what is sent (then its label counts as content of a send).
    pub on_wire: bool,
}

/// An option that appears in what is sent.
pub(super) const fn sent_option(
    of: DrivenKind,
    name: &'static str,
    ty: Type,
    unset: Unset,
    doc: &'static str,
) -> DrivenOption {
    DrivenOption {
        of,
        name,
        ty,
        holds: Holds::One,
        names: None,
        unset,
        doc,
        on_wire: true,
    }
}

/// An option that only this host heeds.
pub(super) const fn local_option(
    of: DrivenKind,
    name: &'static str,
    ty: Type,
    unset: Unset,
    doc: &'static str,
) -> DrivenOption {
    let mut option = sent_option(of, name, ty, unset, doc);
    option.on_wire = false;
    option
}

/// A list; it always appears in what is sent.
pub(super) const fn list(
    of: DrivenKind,
    name: &'static str,
    ty: Type,
    unset: Unset,
    doc: &'static str,
) -> DrivenOption {
    let mut option = sent_option(of, name, ty, unset, doc);
    option.holds = Holds::Array;
    option
}

/// A number whose values have the names of a field.
pub(super) const fn named(
    of: DrivenKind,
    name: &'static str,
    field: (&'static str, &'static str),
    unset: Unset,
    doc: &'static str,
) -> DrivenOption {
    let mut option = sent_option(of, name, Type::Int, unset, doc);
    option.names = Some(field);
    option
}

impl DrivenOption {
    /// Its type.
    pub fn ty(&self) -> Type {
        self.holds.of(&self.ty)
    }

    /// The value that it has when it is left out, if that is one value.
    pub fn default_value(&self) -> Option<Value> {
        match self.unset {
            Unset::Int(n) => Some(Value::Int(n)),
            Unset::Bool(b) => Some(Value::Bool(b)),
            Unset::Time(duration) => Some(Value::Duration(duration)),
            Unset::Text(text) => Some(Value::text(text)),
            Unset::Named(name) => {
                let (layer, field) = self.names?;
                let (_, field) = crafty_wire::layer(layer)?.field(field)?;
                field.named(name).map(|n| Value::Int(n as i64))
            }
            Unset::Says(_) => None,
        }
    }
}
