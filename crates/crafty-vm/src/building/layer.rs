//! One header to be: what the program wrote, what the live state fills in.

use crate::receiving::layers;
use core::net::IpAddr;
use crafty_lang::ir::VarId;
use crafty_wire::{FieldValue, Header, Layer};

/// What a literal field is set to.
#[derive(Clone, Debug)]
pub(crate) enum LiteralValue {
    Set(FieldValue),
    /// What the stack would write, and so much more.
    Auto(i64),
}

/// A literal layer with its values.
#[derive(Clone, Debug)]
pub(crate) struct EvaluatedLayer {
    pub layer: &'static Layer,
    pub fields: Vec<(usize, LiteralValue)>,
    pub advance: bool,
}

/// One header to be.
#[derive(Clone, Debug)]
pub(crate) struct FrameLayer {
    pub layer: &'static Layer,
    pub fields: Vec<(usize, FieldValue)>,
    /// Fields set to `auto` that no block could fill.
    pub autos: Vec<(usize, i64)>,
    /// Whether the program wrote it.
    pub literal: bool,
    /// Whether its identification is counted by the machine.
    pub own_id: bool,
    pub advance: bool,
}

/// Fields with the values that the live state gives them.
pub(crate) type LiveFields = Vec<(&'static str, FieldValue)>;

impl FrameLayer {
    pub(crate) fn literal(written: EvaluatedLayer, live: &LiveFields) -> FrameLayer {
        let layer = written.layer;
        let mut part = FrameLayer {
            advance: written.advance,
            literal: true,
            ..FrameLayer::of(layer)
        };
        for (index, fill) in written.fields {
            match fill {
                LiteralValue::Set(value) => part.fields.push((index, value)),
                LiteralValue::Auto(offset) => part.autos.push((index, offset)),
            }
        }
        part.fill_autos(live);
        for (name, value) in live {
            part.put_unset(name, value.clone());
        }
        part
    }

    /// A header with nothing set.
    pub(crate) fn of(layer: &'static Layer) -> FrameLayer {
        FrameLayer {
            layer,
            fields: Vec::new(),
            autos: Vec::new(),
            literal: false,
            own_id: false,
            advance: false,
        }
    }

    /// A header with these fields set.
    pub(crate) fn with(layer: &'static Layer, fields: Vec<(usize, FieldValue)>) -> FrameLayer {
        FrameLayer {
            fields,
            ..FrameLayer::of(layer)
        }
    }

    /// `auto` and `auto ± n`, modulo the width of the field.
    pub fn fill_autos(&mut self, live: &LiveFields) {
        let layer = self.layer;
        for (index, offset) in core::mem::take(&mut self.autos) {
            let field = &layer.fields[index];
            match live.iter().find(|(name, _)| *name == field.name) {
                Some((_, FieldValue::Uint(n))) => {
                    let width = u32::from(field.width()).clamp(1, 64);
                    let moved = n.wrapping_add_signed(offset) & (u64::MAX >> (64 - width));
                    self.fields.push((index, FieldValue::Uint(moved)));
                }
                Some((_, value)) => self.fields.push((index, value.clone())),
                None => self.autos.push((index, offset)),
            }
        }
    }

    pub(crate) fn get(&self, name: &str) -> Option<&FieldValue> {
        let (index, _) = self.layer.field(name)?;
        self.fields
            .iter()
            .find(|(i, _)| *i == index)
            .map(|(_, v)| v)
    }

    pub(crate) fn number(&self, name: &str) -> Option<u64> {
        if let Some(FieldValue::Uint(n)) = self.get(name) {
            Some(*n)
        } else {
            None
        }
    }

    pub(crate) fn address(&self, name: &str) -> Option<IpAddr> {
        match self.get(name)? {
            FieldValue::Uint(n) => u32::try_from(*n)
                .ok()
                .map(|n| IpAddr::from(n.to_be_bytes())),
            FieldValue::Wide(n) => Some(IpAddr::from(n.to_be_bytes())),
            _ => None,
        }
    }

    /// Where a datagram goes; nowhere if it does not say.
    pub fn destination(&self) -> IpAddr {
        self.address("dst").unwrap_or(IpAddr::from([0; 4]))
    }

    pub(crate) fn put(&mut self, name: &str, value: FieldValue) {
        if let Some((index, _)) = self.layer.field(name) {
            self.fields.retain(|(i, _)| *i != index);
            self.fields.push((index, value));
        }
    }

    pub(crate) fn put_unset(&mut self, name: &str, value: FieldValue) {
        if self.get(name).is_none() {
            self.put(name, value);
        }
    }

    pub(crate) fn put_flags(&mut self, flag: &str) {
        if let Some(bit) = self
            .layer
            .field("flags")
            .and_then(|(_, f)| layers::flag_bit(f, flag))
        {
            self.put("flags", FieldValue::Uint(bit));
        }
    }

    pub fn header(&self) -> Header {
        let mut header = Header::new(self.layer);
        for (index, value) in &self.fields {
            // The values were made for these fields; one that does not fit after all is left to its
            // default.
            let _ = header.set(*index, value.clone());
        }
        header
    }

    pub fn data_len(&self) -> usize {
        match self.fields.first() {
            Some((_, FieldValue::Bytes(data))) if layers::is_bytes(self.layer) => data.len(),
            _ => 0,
        }
    }
}

/// Whether a variable will hold the packet that a send makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KeepPacket {
    Keep,
    Forget,
}

impl KeepPacket {
    /// A packet is kept if the send assigns it.
    pub fn of(into: Option<VarId>) -> KeepPacket {
        match into {
            Some(_) => KeepPacket::Keep,
            None => KeepPacket::Forget,
        }
    }

    /// What is made of a packet that is kept.
    pub fn then<T>(self, make: impl FnOnce() -> T) -> Option<T> {
        (self == KeepPacket::Keep).then(make)
    }
}
