//! What a bare word beside a field may mean: the named values of that field.

use super::layers;
use crate::driven::DrivenOption;
use crafty_wire::{Field, Layer};

/// The field that an expression is a value of, or is compared with: its named values may be written
/// bare.
#[derive(Clone, Copy)]
pub(super) struct Hint {
    pub layer: &'static Layer,
    pub field: &'static Field,
}

impl Hint {
    /// The field whose names an option of a driven layer may use.
    pub fn of_option(option: &DrivenOption) -> Option<Hint> {
        let own = (!option.of.is_session()).then(|| (option.of.name(), option.name));
        let (layer, field) = option.names.or(own)?;
        let layer = layers::find(layer)?;
        layer.field(field).map(|(_, field)| Hint { layer, field })
    }
}
