//! Checks the table of a layer and derives what the codec wants ready, at build time.

use crate::auto::{Auto, Of};
use crate::field::{Extent, Field, FieldKind, Part, When, same};
use crate::layer::{FragmentFields, HeaderEnd, Layer, NextLayer};
use crate::layout::{Measure, contains};
use crate::protocols::MODULES;

impl Layer {
    /// Checks the table and derives what the codec wants ready, at build time: a wrong table does
    /// not build.
    ///
    /// # Panics
    /// At build time, with the rule that the table breaks.
    pub const fn seal(mut self) -> Layer {
        assert!(self.fields.len() <= 128, "a layer has at most 128 fields");
        self.id = number(self.name);
        let (mut i, mut bits) = (0, 0);
        while i < self.fields.len() {
            check_field(self.fields, i);
            self.take_auto(i);
            self.take_place(i);
            if always_there(&self.fields[i]) && !self.fields[i].moves {
                bits += self.fields[i].slot.width as usize;
            }
            i += 1;
        }
        assert!(bits % 8 == 0, "a layer must be a whole number of bytes");
        self.fixed_len = bits / 8;
        self.resolve();
        self.take_kinds();
        self
    }

    const fn take_auto(&mut self, i: usize) {
        let field = &self.fields[i];
        match field.auto {
            Auto::Default(value) => {
                let fits = field.slot.width >= 64 || value >> field.slot.width == 0;
                assert!(fits, "a default does not fit its field");
                if value != 0 && matches!(field.part, Part::Header) {
                    self.defaults |= 1 << i;
                }
            }
            Auto::Length { of, unit, add } => {
                let measure = Measure {
                    slot: field.slot,
                    unit,
                    add,
                };
                self.computed |= 1 << i;
                match of {
                    Of::Header => self.header_len = measure,
                    Of::Total | Of::Payload
                        if field.moves || !matches!(field.when, When::Always) => {}
                    Of::Total | Of::Payload => {
                        self.bound = measure;
                        self.bound_of = of;
                    }
                    Of::Field | Of::BeforeTrailer => {}
                }
            }
            _ => self.computed |= 1 << i,
        }
    }

    const fn take_place(&mut self, i: usize) {
        let field = &self.fields[i];
        if matches!(field.part, Part::Trailer) {
            self.trailing |= 1 << i;
        }
        if let (FieldKind::Options(tlv), Part::Header) = (field.kind, field.part) {
            self.options_at = Some(i as u8);
            self.bare = tlv.bare();
            self.lengths = tlv.lengths();
        }
        if matches!(field.part, Part::Header)
            && !always_there(field)
            && !matches!(self.shape, HeaderEnd::Said)
        {
            self.shape = HeaderEnd::Walked;
        }
        if matches!(field.part, Part::Header) && !matches!(field.when, When::Always) {
            self.varies = true;
        }
        if matches!(field.part, Part::Header) && !matches!(field.extent, Extent::Bits) {
            self.variable |= 1 << i;
        } else if matches!(field.part, Part::Header) && field.moves {
            self.shifts = true;
        }
        if let Auto::Length { of: Of::Header, .. } = field.auto {
            self.shape = HeaderEnd::Said;
        }
    }

    /// The lengths of all kinds of headers, where one byte alone tells which fields there are and
    /// all have a width.
    const fn take_kinds(&mut self) {
        let (mut i, mut by) = (0, "");
        while i < self.fields.len() {
            let field = &self.fields[i];
            if matches!(field.part, Part::Header) {
                match field.when {
                    _ if !matches!(field.extent, Extent::Bits) => return,
                    When::Always => {}
                    When::In(name, _) | When::NotIn(name, _) if by.is_empty() || same(by, name) => {
                        by = name
                    }
                    _ => return,
                }
            }
            i += 1;
        }
        if by.is_empty() || !matches!(self.shape, HeaderEnd::Walked) || self.slot(by).width != 8 {
            return;
        }
        (self.kind, self.shape) = (self.slot(by), HeaderEnd::Kinds);
        let mut value = 0;
        while value < 256 {
            self.lens[value] = length_of_kind(self.fields, value as u64);
            value += 1;
        }
    }

    const fn resolve(&mut self) {
        if let [
            Field {
                part: Part::Header,
                when: When::Always,
                extent: Extent::Layer,
                ..
            },
        ] = self.fields
        {
            self.shape = HeaderEnd::Rest;
        }
        match self.next {
            NextLayer::Field(by) => self.by = self.slot(by),
            NextLayer::Either(source, destination) => {
                self.by = self.slot(destination);
                self.or_by = self.slot(source);
            }
            _ => {}
        }
        if let FragmentFields::By { offset, more, bit } = self.fragment {
            self.fragment_offset = self.slot(offset);
            self.fragment_more = self.slot(more);
            self.more_mask = self.bit(more, bit);
        }
    }
}

const fn always_there(field: &Field) -> bool {
    matches!(field.part, Part::Header)
        && matches!(field.when, When::Always)
        && matches!(field.extent, Extent::Bits)
}

/// Bytes of the header in which the deciding field has this value.
const fn length_of_kind(fields: &[Field], value: u64) -> u8 {
    let (mut i, mut bits) = (0, 0);
    while i < fields.len() {
        let present = match fields[i].when {
            When::In(_, values) => contains(values, value),
            When::NotIn(_, values) => !contains(values, value),
            _ => true,
        };
        if present && matches!(fields[i].part, Part::Header) {
            bits += fields[i].slot.width as usize;
        }
        i += 1;
    }
    let octets = bits.div_ceil(8);
    assert!(octets < 256, "a header of kinds has less than 256 bytes");
    octets as u8
}

const fn check_field(fields: &[Field], i: usize) {
    let mut j = 0;
    while j < i {
        assert!(
            !same(fields[j].name, fields[i].name),
            "a field is named twice"
        );
        j += 1;
    }
    let varies = fields[i].slot.width == 0;
    let fixed = matches!(fields[i].extent, Extent::Bits);
    assert!(
        varies != fixed || matches!(fields[i].part, Part::View),
        "a field has either a width or an extent"
    );
}

/// Position of a layer's module in the list: `HopByHop` is in `hop_by_hop`.
const fn number(name: &str) -> u8 {
    let mut i = 0;
    while i < MODULES.len() {
        if spelled_alike(MODULES[i].as_bytes(), name.as_bytes()) {
            return i as u8;
        }
        i += 1;
    }
    panic!("no module in `protocols` is called like the layer")
}

const fn spelled_alike(module: &[u8], name: &[u8]) -> bool {
    let (mut i, mut j) = (0, 0);
    while i < module.len() {
        if module[i] != b'_' {
            if j == name.len() || module[i] != name[j].to_ascii_lowercase() {
                return false;
            }
            j += 1;
        }
        i += 1;
    }
    j == name.len()
}
