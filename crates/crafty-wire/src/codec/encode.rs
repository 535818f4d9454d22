//! Bytes from headers. What was set is written; lengths, next-protocol numbers and checksums are
//! computed where unset. A number that lies moves no byte: the layout follows real sizes.

use alloc::vec::Vec;

use super::checksum::Chain;
use super::decoded::FoundLayer;
use super::header::Header;
use super::list_encode::put;
use crate::auto::{Auto, Checksum, Of};
use crate::field::{Extent, Field, FieldKind, Part, When};
use crate::layer::Layer;
use crate::registry::{self, Number};
use crate::slot::Slot;
use crate::tlv::{Pad, Tlv};
use crate::value::FieldValue;

/// Where a layer lies in the frame that was built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// The layer.
    pub layer: &'static Layer,
    /// First byte of the header.
    pub start: usize,
    /// First byte after the header.
    pub payload: usize,
    /// First byte of the trailer; the payload ends here.
    pub trailer: usize,
    /// First byte after the layer and all it carries.
    pub end: usize,
}

impl FoundLayer {
    pub(super) fn bounds(&self) -> Bounds {
        Bounds {
            layer: self.layer,
            start: self.start,
            payload: self.payload,
            trailer: self.trailer,
            end: self.end,
        }
    }
}

/// What is filled in: first what checksums cover, then they.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FillRound {
    Values,
    Checksums,
}

/// Builds a frame from headers, the outermost first, in place of what `out` held.
pub fn encode(headers: &[Header], out: &mut Vec<u8>) -> Vec<Bounds> {
    let mut builder = FrameEncoder::new(headers, out);
    builder.build();
    builder.bounds
}

/// A field to compute once all sizes are known.
#[derive(Clone, Copy)]
struct FieldFill {
    layer: usize,
    field: usize,
    at: usize,
    slot: Slot,
}

/// A checksum that was computed, and where it is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Computed {
    pub layer: usize,
    pub at: usize,
    pub rule: Checksum,
}

pub(super) struct FrameEncoder<'a> {
    headers: &'a [Header],
    out: &'a mut Vec<u8>,
    fills: Vec<FieldFill>,
    pub bounds: Vec<Bounds>,
    pub checksums: Vec<Computed>,
}

impl<'a> FrameEncoder<'a> {
    pub fn new(headers: &'a [Header], out: &'a mut Vec<u8>) -> FrameEncoder<'a> {
        out.clear();
        FrameEncoder {
            headers,
            out,
            fills: Vec::new(),
            bounds: Vec::with_capacity(headers.len()),
            checksums: Vec::new(),
        }
    }

    pub fn build(&mut self) {
        for (i, header) in self.headers.iter().enumerate() {
            let start = self.out.len();
            self.header(i, header);
            let end = self.out.len();
            self.bounds.push(Bounds {
                layer: header.layer(),
                start,
                payload: end,
                trailer: end,
                end,
            });
        }
        // The innermost first: a checksum covers what it carries, so that must be final.
        for i in (0..self.headers.len()).rev() {
            let trailer = self.fills.len();
            self.end(i);
            let first = self
                .fills
                .iter()
                .rposition(|fill| fill.layer < i)
                .map_or(0, |before| before + 1);
            let own = (trailer..self.fills.len()).chain(first..trailer);
            own.clone()
                .for_each(|fill| self.fill(self.fills[fill], FillRound::Values));
            own.for_each(|fill| self.fill(self.fills[fill], FillRound::Checksums));
            self.fills.truncate(first);
        }
    }

    /// Writes the header part of layer `i`.
    fn header(&mut self, i: usize, header: &Header) {
        let start = self.out.len();
        if !header.layer().varies && !header.layer().shifts {
            self.fixed(i, header, start);
            return ones(header.layer().variable)
                .for_each(|index| self.variable(header, index, start));
        }
        let mut bit = 0;
        for (index, field) in header
            .layer()
            .fields
            .iter()
            .enumerate()
            .filter(|(_, field)| field.part == Part::Header)
        {
            let set = header.is_set(index);
            if field.present(&self.out[start..])
                || (set && (field.moves || matches!(field.when, When::Has(..))))
            {
                bit = self.field(i, header, index, start, bit);
            }
        }
        self.other_meanings(header, start);
    }

    /// Writes the part of a header whose fields all have one place.
    fn fixed(&mut self, i: usize, header: &Header, start: usize) {
        let layer = header.layer();
        self.out.resize(start + layer.fixed_len, 0);
        for index in ones(layer.defaults & !header.mask()) {
            if let Auto::Default(value) = layer.fields[index].auto {
                layer.fields[index].slot.set(&mut self.out[start..], value);
            }
        }
        for (index, value) in header
            .values()
            .filter(|(index, _)| (layer.variable | layer.trailing) & (1 << index) == 0)
        {
            if layer.fields[index].part == Part::Header {
                put(
                    &layer.fields[index],
                    layer.fields[index].slot,
                    start,
                    value,
                    self.out,
                );
            }
        }
        let fills = ones(layer.computed & !header.mask() & !layer.trailing);
        self.fills.extend(fills.map(|field| FieldFill {
            layer: i,
            field,
            at: start,
            slot: layer.fields[field].slot,
        }));
    }

    /// Writes a field that begins at bit `bit` of the header; gives the bit behind it.
    fn field(&mut self, i: usize, header: &Header, index: usize, start: usize, bit: u32) -> u32 {
        let field = &header.layer().fields[index];
        if !field.extent.is_bits() {
            self.variable(header, index, start);
            return ((self.out.len() - start) * 8) as u32;
        }
        let (slot, after) = (Slot::at(bit, field.width()), bit + u32::from(field.width()));
        self.out
            .resize((start + after.div_ceil(8) as usize).max(self.out.len()), 0);
        match (header.get(index), field.auto) {
            (Some(value), _) => put(field, slot, start, value, self.out),
            (None, Auto::Default(value)) => slot.set(&mut self.out[start..], value),
            (None, Auto::Presence(base)) => {
                slot.set(&mut self.out[start..], base | presence(header, field))
            }
            (None, _) => self.fills.push(FieldFill {
                layer: i,
                field: index,
                at: start,
                slot,
            }),
        }
        after
    }

    fn variable(&mut self, header: &Header, index: usize, start: usize) {
        let (field, at) = (&header.layer().fields[index], self.out.len());
        match (header.get(index), field.kind) {
            (Some(value), _) => put(field, field.slot, start, value, self.out),
            (None, FieldKind::Custom(codec)) => (codec.write)(header, start, self.out),
            (None, _) => {}
        }
        match (field.kind, field.extent) {
            (FieldKind::Options(tlv), _) if !empty_list(header, index) => pad(tlv, start, self.out),
            (_, Extent::Terminated(end)) => self.out.push(end),
            _ => {}
        }
        self.count(header, field, start, self.out.len() - at);
    }

    /// Writes the length of a counted field in the field that counts it.
    fn count(&mut self, header: &Header, field: &Field, start: usize, octets: usize) {
        let Extent::Counted(by) = field.extent else {
            return;
        };
        let counts = header
            .layer()
            .field(by)
            .filter(|(index, _)| !header.is_set(*index));
        if let Some((_, counter)) = counts
            && let Auto::Length {
                of: Of::Field,
                unit,
                add,
            } = counter.auto
        {
            counter
                .slot
                .set(&mut self.out[start..], units(octets, unit, add));
        }
    }

    /// Writes what was set of other meanings of a place than the one that the header has.
    fn other_meanings(&mut self, header: &Header, start: usize) {
        for (index, value) in header.values() {
            let field = &header.layer().fields[index];
            if field.part == Part::Header
                && !field.moves
                && !field.present(&self.out[start..])
                && !matches!(field.when, When::Has(..))
            {
                self.out
                    .resize((start + field.slot.end()).max(self.out.len()), 0);
                put(field, field.slot, start, value, self.out);
            }
        }
    }

    /// Ends layer `i`: all that it carries is written.
    fn end(&mut self, i: usize) {
        let header = &self.headers[i];
        let layer = header.layer();
        self.bounds[i].trailer = self.out.len();
        if header.mask() & layer.trailing != 0 {
            let payload = self.bounds[i].payload;
            self.out
                .resize(payload + self.padded(i, self.out.len() - payload), 0);
            self.bounds[i].trailer = self.out.len();
            self.trailer(i, header);
        }
        self.bounds[i].end = self.out.len();
    }

    /// Bytes of the payload before a trailer; a length that the program set is left to it.
    fn padded(&self, i: usize, octets: usize) -> usize {
        let header = &self.headers[i];
        let told = header.values().any(|(index, _)| {
            matches!(
                header.layer().fields[index].auto,
                Auto::Length {
                    of: Of::BeforeTrailer,
                    ..
                }
            )
        });
        match header.layer().pad_payload {
            Some(pad) if !told => pad(octets).max(octets),
            _ => octets,
        }
    }

    fn trailer(&mut self, i: usize, header: &Header) {
        let start = self.out.len();
        for index in ones(header.layer().trailing) {
            let field = &header.layer().fields[index];
            if field.extent.is_bits() {
                self.out
                    .resize((start + field.slot.end()).max(self.out.len()), 0);
            }
            match (header.get(index), field.auto) {
                (Some(value), _) => put(field, field.slot, start, value, self.out),
                (None, Auto::Default(value)) => field.slot.set(&mut self.out[start..], value),
                (None, _) => self.fills.push(FieldFill {
                    layer: i,
                    field: index,
                    at: start,
                    slot: field.slot,
                }),
            }
        }
    }

    fn fill(&mut self, fill: FieldFill, round: FillRound) {
        let auto = self.bounds[fill.layer].layer.fields[fill.field].auto;
        let checksums = round == FillRound::Checksums;
        let value = match auto {
            Auto::Checksum(rule) if checksums => self.checksum(&fill, &rule),
            Auto::Length { of: Of::Field, .. } => None,
            Auto::Length { of, unit, add } if !checksums => {
                Some(self.length(fill.layer, of, unit, add))
            }
            Auto::NextLayer(otherwise) if !checksums => Some(self.next(fill.layer, otherwise)),
            Auto::Beside(by, rows) if !checksums => self.beside(fill.layer, by, rows),
            _ => None,
        };
        if let Some(value) = value {
            fill.slot.set(&mut self.out[fill.at..], value);
        }
    }

    fn checksum(&mut self, fill: &FieldFill, rule: &Checksum) -> Option<u64> {
        let at = fill.at + usize::from(fill.slot.byte);
        let bounds = &self.bounds;
        let chain = Chain {
            bytes: self.out,
            bounds: &|i| bounds.get(i).copied(),
        };
        let value = chain.expected(fill.layer, rule, at, 0);
        self.checksums.push(Computed {
            layer: fill.layer,
            at,
            rule: *rule,
        });
        value
    }

    fn length(&self, i: usize, of: Of, unit: u16, add: i16) -> u64 {
        let bounds = &self.bounds[i];
        match of {
            Of::Header => units(bounds.payload - bounds.start, unit, add),
            Of::Total => units(bounds.end - bounds.start, unit, add),
            Of::Payload => units(bounds.end - bounds.payload, unit, add),
            Of::BeforeTrailer if bounds.trailer == bounds.end => 0,
            Of::BeforeTrailer => units(bounds.trailer - bounds.payload, unit, add),
            Of::Field => 0,
        }
    }

    fn beside(&self, i: usize, by: &str, rows: &[(u64, u64)]) -> Option<u64> {
        let bounds = &self.bounds[i];
        let value = bounds
            .layer
            .field(by)?
            .1
            .slot
            .get(self.out.get(bounds.start..)?)?;
        rows.iter().find(|row| row.0 == value).map(|row| row.1)
    }

    fn next(&self, i: usize, otherwise: u64) -> u64 {
        let bounds = &self.bounds[i];
        match self
            .headers
            .get(i + 1)
            .and_then(|next| registry::number(bounds.layer, next.layer()))
        {
            Some(Number::Is(number)) => number,
            Some(Number::Length) => (bounds.end - bounds.payload) as u64,
            None => otherwise,
        }
    }
}

fn units(octets: usize, unit: u16, add: i16) -> u64 {
    let octets = (octets as u64).saturating_add_signed(add.into());
    octets / u64::from(unit.max(1))
}

/// Whether the program asked for no options at all, not even for padding.
fn empty_list(header: &Header, index: usize) -> bool {
    matches!(header.get(index), Some(FieldValue::Options(list)) if list.is_empty())
}

/// The bits of `flags` for the optional fields that the program set.
fn presence(header: &Header, flags: &Field) -> u64 {
    let optional = |field: &Field| matches!(field.when, When::Has(by, _) if by == flags.name);
    header
        .values()
        .map(|(index, _)| &header.layer().fields[index])
        .filter(|field| optional(field))
        .fold(0, |bits, field| bits | field.gate_mask)
}

/// Pads the header that began at `start` to the alignment of its options.
fn pad(tlv: &Tlv, start: usize, out: &mut Vec<u8>) {
    let octets =
        (out.len() - start).next_multiple_of(usize::from(tlv.align).max(1)) - (out.len() - start);
    match (tlv.pad, octets) {
        (Pad::PadN, 2..) => {
            out.extend([1, (octets - 2) as u8]);
            out.resize(out.len() + octets - 2, 0);
        }
        (Pad::PadN, _) => out.resize(out.len() + octets, 0),
        (Pad::Octet(octet), _) => out.resize(out.len() + octets, octet),
    }
}

/// The positions of the bits that are set, the lowest first.
pub(super) fn ones(mut bits: u128) -> impl Iterator<Item = usize> {
    core::iter::from_fn(move || {
        let position = (bits != 0).then(|| bits.trailing_zeros() as usize)?;
        bits &= bits - 1;
        Some(position)
    })
}
