//! The Internet checksum (RFC 1071), and what can be said of a checksum on the wire.

use core::ops::Range;

use super::decoded::{Decoded, FoundLayer, Unverifiable};
use super::encode::Bounds;
use super::place::FieldPlace;
use crate::auto::{Algorithm, Auto, Checksum, ChecksumCoverage, ChecksumException};
use crate::decode_warning::DecodeWarning;
use crate::layer::{Layer, Tell};
use crate::registry::{self, Number};
use crate::slot::Slot;

/// What a checksum on the wire is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChecksumStatus {
    /// Right.
    Good,
    /// Wrong.
    Bad {
        /// What it should be.
        expected: u64,
    },
    /// The sender gave none.
    Absent,
    /// The sender's adapter was to compute it.
    NotComputed,
    /// Bytes that it covers are not there: a fragment, a cut capture, a quoted packet.
    NotVerifiable,
}

/// The Internet checksum of `bytes`, as it is written in a header.
pub fn checksum(bytes: &[u8]) -> u16 {
    !fold(sum(bytes))
}

/// The table of a reflected CRC of 32 bits with this polynomial, a byte at a time.
pub(crate) const fn reflected_crc(polynomial: u32) -> [u32; 256] {
    let mut table = [0; 256];
    let mut i = 0;
    while i < 256 {
        let (mut crc, mut bit) = (i as u32, 0);
        while bit < 8 {
            crc = (crc >> 1) ^ (polynomial * (crc & 1));
            bit += 1;
        }
        table[i] = crc;
        i += 1;
    }
    table
}

/// Sum of the 16-bit words of `bytes`, not folded; an odd byte at the end counts as the high half
/// of a word.
pub(crate) fn sum(bytes: &[u8]) -> u64 {
    let (words, rest) = bytes.as_chunks::<8>();
    let total: u128 = words
        .iter()
        .map(|word| u128::from(u64::from_be_bytes(*word)))
        .sum();
    let mut tail = [0; 8];
    tail[..rest.len()].copy_from_slice(rest);
    let total = total + u128::from(u64::from_be_bytes(tail));
    let halves = (total >> 96)
        + (total >> 64 & 0xffff_ffff)
        + (total >> 32 & 0xffff_ffff)
        + (total & 0xffff_ffff);
    u64::from(fold(halves as u64))
}

/// The ones' complement sum in 16 bits.
pub(crate) fn fold(mut sum: u64) -> u16 {
    while sum > 0xffff {
        sum = (sum >> 16) + (sum & 0xffff);
    }
    sum as u16
}

/// What can be said of a checksum field of a decoded frame.
pub(super) fn status(
    decoded: &Decoded,
    bytes: &[u8],
    layer: usize,
    field: usize,
) -> ChecksumStatus {
    let (Some(found), Some(rule)) = (decoded.layers.get(layer), rule(decoded, layer, field)) else {
        return ChecksumStatus::Absent;
    };
    if rule.over == ChecksumCoverage::Trailer && found.trailer == found.end {
        return ChecksumStatus::Absent;
    }
    let cut = decoded
        .warnings(layer)
        .any(|warning| matches!(warning, DecodeWarning::Truncated { .. }));
    let Some((at, value)) = place(decoded, bytes, layer, field) else {
        return if cut {
            ChecksumStatus::NotVerifiable
        } else {
            ChecksumStatus::Absent
        };
    };
    let chain = Chain {
        bytes,
        bounds: &|i| decoded.layers.get(i).map(FoundLayer::bounds),
    };
    if value == 0
        && rule.zero_is_none
        && !chain
            .network(layer)
            .is_some_and(|(_, bounds)| bounds.layer.strict_checksums)
    {
        return ChecksumStatus::Absent;
    }
    // A header that ends early has no place for all its fields; the message may be whole.
    let needed = match rule.over {
        ChecksumCoverage::Header => !cut,
        ChecksumCoverage::Message | ChecksumCoverage::Trailer => {
            found.partial == Unverifiable::Whole
        }
    };
    if !needed {
        return ChecksumStatus::NotVerifiable;
    }
    match chain.expected(layer, &rule, at, value) {
        None => ChecksumStatus::NotVerifiable,
        Some(expected) if expected == value => ChecksumStatus::Good,
        Some(_) if decoded.checksums_pending => ChecksumStatus::NotComputed,
        Some(expected) => ChecksumStatus::Bad { expected },
    }
}

fn rule(decoded: &Decoded, layer: usize, field: usize) -> Option<Checksum> {
    match decoded.layers.get(layer)?.layer.fields.get(field)?.auto {
        Auto::Checksum(rule) => Some(rule),
        _ => None,
    }
}

/// First byte of a checksum in the frame, and its value.
fn place(decoded: &Decoded, bytes: &[u8], layer: usize, field: usize) -> Option<(usize, u64)> {
    let (base, place) = decoded.place(bytes, layer, field)?;
    let FieldPlace::Number(slot) = place else {
        return None;
    };
    Some((base + usize::from(slot.byte), slot.get(bytes.get(base..)?)?))
}

/// A frame and the bounds of its layers: built or found.
pub(super) struct Chain<'a> {
    pub bytes: &'a [u8],
    pub bounds: &'a dyn Fn(usize) -> Option<Bounds>,
}

impl Chain<'_> {
    /// The checksum that layer `i` should have at byte `at` of the frame, where `value` is now.
    pub(super) fn expected(&self, i: usize, rule: &Checksum, at: usize, value: u64) -> Option<u64> {
        let bounds = (self.bounds)(i)?;
        let case = self.case(i, rule);
        let covered = self.bytes.get(bounds.covered(rule.over))?;
        let covered = covered.get(..case.octets).unwrap_or(covered);
        let inside = at.checked_sub(bounds.covered(rule.over).start)?;
        match rule.algorithm {
            Algorithm::Custom(compute) => Some(compute(covered, inside)),
            Algorithm::Internet => {
                let pseudo = if case.pseudo { self.pseudo(i)? } else { 0 };
                let own = sum(covered.get(..inside)?) + sum(covered.get(inside + 2..)?);
                if case.either && value == u64::from(!fold(own)) {
                    return Some(value);
                }
                let others = own + pseudo;
                Some(finish(rule, !fold(others), value, fold(others + value)))
            }
        }
    }

    /// How the header of layer `i` is covered.
    pub(super) fn case(&self, i: usize, rule: &Checksum) -> ChecksumException {
        let ordinary = ChecksumException {
            pseudo: rule.pseudo,
            either: false,
            octets: usize::MAX,
        };
        let (Some(case), Some(bounds)) = (rule.case, (self.bounds)(i)) else {
            return ordinary;
        };
        let strict = self
            .network(i)
            .is_some_and(|(_, bounds)| bounds.layer.strict_checksums);
        self.bytes
            .get(bounds.start..bounds.payload)
            .map_or(ordinary, |header| case(header, strict))
    }

    /// The nearest enclosing network layer.
    pub(super) fn network(&self, i: usize) -> Option<(usize, Bounds)> {
        (0..i).rev().find_map(|j| {
            (self.bounds)(j)
                .filter(|bounds| !bounds.layer.pseudo.is_empty())
                .map(|bounds| (j, bounds))
        })
    }

    /// The sum of the pseudo-header of layer `i`. Its destination is the final one, its number the
    /// layer's own: what a receiver of that protocol verifies (RFC 8200 §8.1), whatever the header
    /// on the wire says.
    fn pseudo(&self, i: usize) -> Option<u64> {
        let (j, network) = self.network(i)?;
        let own = (self.bounds)(i)?;
        let mut total = self.addresses(j, i, &network)?;
        total += match registry::number(network.layer, own.layer) {
            Some(Number::Is(number)) => number,
            _ => network
                .layer
                .by
                .get(self.bytes.get(network.start..network.payload)?)?,
        };
        Some(total + (own.end - own.start) as u64)
    }

    fn addresses(&self, j: usize, i: usize, network: &Bounds) -> Option<u64> {
        self.pseudo_spans(j, i, network)
            .into_iter()
            .try_fold(0, |total, span| Some(total + sum(self.bytes.get(span)?)))
    }

    /// Where the two addresses in the pseudo-header of layer `i` lie, network layer `j` being the
    /// nearest: a source route gives the destination, a home address the source.
    pub(super) fn pseudo_spans(&self, j: usize, i: usize, network: &Bounds) -> [Range<usize>; 2] {
        let between = |hook: fn(&Layer) -> Option<Tell<Range<usize>>>| {
            (j..i)
                .rev()
                .find_map(|k| (self.bounds)(k)?.hooked(self.bytes, hook))
        };
        let own = |n: usize| {
            let slot = network
                .layer
                .pseudo
                .get(n)
                .map_or(Slot::NOWHERE, |name| network.layer.slot(name));
            network.start + usize::from(slot.byte)..network.start + slot.end()
        };
        [
            between(|layer| layer.home).unwrap_or_else(|| own(0)),
            between(|layer| layer.route).unwrap_or_else(|| own(1)),
        ]
    }
}

/// The checksum as it is written. A sum that is right already keeps the form of zero that it has.
fn finish(rule: &Checksum, computed: u16, value: u64, all: u16) -> u64 {
    match computed {
        0 if rule.zero_is_none => 0xffff,
        _ if all == 0xffff && value != u64::from(computed) => value,
        _ => computed.into(),
    }
}

impl Bounds {
    pub(super) fn covered(&self, over: ChecksumCoverage) -> Range<usize> {
        match over {
            ChecksumCoverage::Header => self.start..self.payload,
            ChecksumCoverage::Message => self.start..self.end,
            ChecksumCoverage::Trailer => self.trailer..self.end,
        }
    }

    fn hooked(
        &self,
        bytes: &[u8],
        hook: fn(&Layer) -> Option<Tell<Range<usize>>>,
    ) -> Option<Range<usize>> {
        let span = hook(self.layer)?(bytes.get(self.start..self.payload)?)?;
        Some(self.start + span.start..self.start + span.end)
    }
}
