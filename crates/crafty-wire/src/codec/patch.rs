//! Changes a field of a frame that is ready, and keeps its checksums right (RFC 1624), without
//! allocation.

use alloc::vec::Vec;
use core::ops::Range;

use super::checksum::{Chain, fold, sum};
use super::decoded::Decoded;
use super::encode::{Bounds, FrameEncoder};
use super::header::Header;
use super::place::{FieldPlace, locate};
use crate::auto::{Algorithm, Auto, Checksum};
use crate::field::Part;
use crate::slot::Slot;
use crate::value::SetError;

/// A frame that was built once and is sent with changes.
#[derive(Clone, Debug)]
pub struct Template {
    octets: Vec<u8>,
    bounds: Vec<Bounds>,
    sums: Vec<Covered>,
}

/// A checksum, and the bytes that it covers.
#[derive(Clone, Debug)]
struct Covered {
    at: usize,
    rule: Checksum,
    layer: usize,
    start: usize,
    end: usize,
    pseudo: [Range<usize>; 2],
}

impl Covered {
    /// The checksum, counted from its first byte.
    fn slot(&self, bounds: &[Bounds]) -> Option<Slot> {
        let rows = bounds.get(self.layer)?.layer.fields;
        let width = rows
            .iter()
            .find(|field| matches!(field.auto, Auto::Checksum(_)))?
            .width();
        Some(Slot::at(0, width))
    }
}

impl Template {
    /// Builds the frame. Checksums that are set stay as they are whatever is patched.
    pub fn new(headers: &[Header]) -> Template {
        let mut octets = Vec::new();
        let mut builder = FrameEncoder::new(headers, &mut octets);
        builder.build();
        let (bounds, computed) = (builder.bounds, builder.checksums);
        let chain = Chain {
            bytes: &octets,
            bounds: &|i| bounds.get(i).copied(),
        };
        let sums = computed
            .iter()
            .map(|sum| covered(&chain, &bounds, sum.layer, sum.at, sum.rule))
            .collect();
        Template {
            octets,
            bounds,
            sums,
        }
    }

    /// The frame as it is now.
    pub fn octets(&self) -> &[u8] {
        &self.octets
    }

    /// Where its layers lie.
    pub fn bounds(&self) -> &[Bounds] {
        &self.bounds
    }

    /// The place of a number, to patch it again and again: first byte of its header, and slot.
    pub fn place(&self, layer: usize, field: usize) -> Option<(usize, Slot)> {
        let bounds = self.bounds.get(layer)?;
        let row = bounds.layer.fields.get(field)?;
        match row.part {
            Part::Header => match locate(
                bounds.layer,
                &self.octets[bounds.start..bounds.payload],
                field,
            )? {
                FieldPlace::Number(slot) => Some((bounds.start, slot)),
                FieldPlace::Span(_) => None,
            },
            Part::Trailer => (bounds.trailer + row.slot.end() <= bounds.end && row.slot.len != 0)
                .then_some((bounds.trailer, row.slot)),
            Part::View | Part::Head => None,
        }
    }

    /// The place of bytes in the frame (data, IPv6 addresses).
    pub fn span(&self, layer: usize, field: usize) -> Option<Range<usize>> {
        let bounds = self.bounds.get(layer)?;
        match locate(
            bounds.layer,
            &self.octets[bounds.start..bounds.payload],
            field,
        )? {
            FieldPlace::Span(span) => Some(bounds.start + span.start..bounds.start + span.end),
            FieldPlace::Number(_) => None,
        }
    }

    /// Writes the low bits of `value` at a place and corrects the checksums that cover it.
    pub fn patch(&mut self, place: (usize, Slot), value: u64) {
        let (base, slot) = place;
        let span = base + usize::from(slot.byte)..base + slot.end();
        let mut octets = [0; 8];
        let Some(old) = self.octets.get(span.clone()).filter(|old| old.len() <= 8) else {
            return;
        };
        octets[..old.len()].copy_from_slice(old);
        let inside = Slot { byte: 0, ..slot };
        inside.set(&mut octets[..span.len()], value);
        self.patch_bytes(span.start, &octets[..span.len()]);
    }

    /// Writes bytes at byte `at` of the frame and corrects the checksums that cover them; nothing
    /// happens after the end.
    pub fn patch_bytes(&mut self, at: usize, octets: &[u8]) {
        if at
            .checked_add(octets.len())
            .is_some_and(|end| end <= self.octets.len())
        {
            change(&mut self.octets, &self.sums, at, octets);
            if self
                .sums
                .iter()
                .any(|sum| matches!(sum.rule.algorithm, Algorithm::Custom(_)))
            {
                self.recompute();
            }
        }
    }

    /// Computes all checksums again; for those that cannot be corrected in part.
    pub fn recompute(&mut self) {
        for sum in &self.sums {
            let bounds = &self.bounds;
            let chain = Chain {
                bytes: &self.octets,
                bounds: &|i| bounds.get(i).copied(),
            };
            let expected = chain.expected(sum.layer, &sum.rule, sum.at, 0);
            if let (Some(value), Some(slot)) = (expected, sum.slot(bounds)) {
                slot.set(&mut self.octets[sum.at..], value);
            }
        }
    }
}

/// Changes a number in a frame that was decoded, and corrects the checksums that cover it: a wrong
/// one stays as wrong as it was.
///
/// # Errors
/// When there is no such field in the frame, or the value does not fit.
pub fn patch(
    frame: &mut [u8],
    decoded: &Decoded,
    layer: usize,
    field: usize,
    value: u64,
) -> Result<(), SetError> {
    let (base, place) = decoded
        .place(frame, layer, field)
        .ok_or(SetError::NoSuchField)?;
    let FieldPlace::Number(slot) = place else {
        return Err(SetError::WrongKind);
    };
    if value & !slot.mask != 0 {
        return Err(SetError::TooWide { bits: slot.width });
    }
    let sums = sums_of(frame, decoded);
    let (mut octets, span) = ([0; 8], base + usize::from(slot.byte)..base + slot.end());
    let len = span.len();
    octets[..len].copy_from_slice(frame.get(span.clone()).ok_or(SetError::NoSuchField)?);
    Slot { byte: 0, ..slot }.set(&mut octets[..len], value);
    change(frame, &sums, span.start, &octets[..len]);
    Ok(())
}

fn sums_of(frame: &[u8], decoded: &Decoded) -> Vec<Covered> {
    let bounds: Vec<Bounds> = decoded.layers.iter().map(|found| found.bounds()).collect();
    let chain = Chain {
        bytes: frame,
        bounds: &|i| bounds.get(i).copied(),
    };
    let mut sums = Vec::new();
    for (layer, bound) in bounds.iter().enumerate().rev() {
        for (index, field) in bound.layer.fields.iter().enumerate().rev() {
            if let (Auto::Checksum(rule), Some((base, FieldPlace::Number(slot)))) =
                (field.auto, decoded.place(frame, layer, index))
                && !(rule.zero_is_none && slot.get(&frame[base..]) == Some(0))
            {
                sums.push(covered(
                    &chain,
                    &bounds,
                    layer,
                    base + usize::from(slot.byte),
                    rule,
                ));
            }
        }
    }
    sums
}

fn covered(chain: &Chain, bounds: &[Bounds], layer: usize, at: usize, rule: Checksum) -> Covered {
    let span = bounds[layer].covered(rule.over);
    let case = chain.case(layer, &rule);
    let network = if case.pseudo {
        chain.network(layer)
    } else {
        None
    };
    let pseudo = network.map_or([const { 0..0 }; 2], |(first, network)| {
        chain.pseudo_spans(first, layer, &network)
    });
    Covered {
        at,
        rule,
        layer,
        start: span.start,
        end: span.end.min(span.start.saturating_add(case.octets)),
        pseudo,
    }
}

/// Writes bytes and corrects the checksums over them, each of which is a change to those farther
/// out.
fn change(frame: &mut [u8], sums: &[Covered], at: usize, octets: &[u8]) {
    let end = at + octets.len();
    for (i, sum) in sums.iter().enumerate() {
        let covers = sum.start <= at && end <= sum.end && !(sum.at < end && at < sum.at + 2);
        let in_pseudo = sum
            .pseudo
            .iter()
            .find(|span| span.start <= at && end <= span.end);
        let base = if covers {
            Some(sum.start)
        } else {
            in_pseudo.map(|span| span.start)
        };
        let (Some(base), Algorithm::Internet) = (base, sum.rule.algorithm) else {
            continue;
        };
        let mended = mend(frame, sum, at, octets, (at - base) % 2 == 1);
        change(frame, &sums[i + 1..], sum.at, &mended);
    }
    frame[at..end].copy_from_slice(octets);
}

/// RFC 1624 equation 3: HC' = ~(~HC + ~m + m').
fn mend(frame: &[u8], covered: &Covered, at: usize, octets: &[u8], odd: bool) -> [u8; 2] {
    let mut old = fold(sum(&frame[at..at + octets.len()]));
    let mut new = fold(sum(octets));
    if odd {
        (old, new) = (old.swap_bytes(), new.swap_bytes());
    }
    let checksum = u16::from_be_bytes([frame[covered.at], frame[covered.at + 1]]);
    let mended = !fold(u64::from(!checksum) + u64::from(!old) + u64::from(new));
    if mended == 0 && covered.rule.zero_is_none {
        [0xff, 0xff]
    } else {
        mended.to_be_bytes()
    }
}
