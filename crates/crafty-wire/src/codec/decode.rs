//! Finds the layers of a frame. It finds bounds only: a field is read when asked for. It never
//! fails, never invents, and ends after sixteen layers.

mod checks;
mod extent;

use super::decoded::{Decoded, FoundLayer, Unverifiable};
use crate::decode_warning::DecodeWarning;
use crate::layer::{Layer, NextLayer};
use crate::protocols::bytes;
use crate::registry;
use checks::{frame_check, second_checksums};
use extent::limited;

/// Layers that a packet may have at most.
pub const MAX_LAYERS: usize = 16;

/// Finds the layers in `bytes`, the outermost being `first`. On the wire the frame had `wire_len`
/// bytes, of which `bytes` are the first ones.
pub fn decode(first: &'static Layer, bytes: &[u8], wire_len: usize, out: &mut Decoded) {
    out.layers.clear();
    out.warnings.clear();
    out.checksums_pending = false;
    out.wire_len = wire_len.max(bytes.len());
    let mut walk = DecodeWalk {
        bytes,
        start: 0,
        bound: out.wire_len,
        fragment: false,
        quoted: false,
        guessed: false,
        by_content: false,
        doubtful: false,
        lost: false,
        jumbo: false,
    };
    let mut next = Some(first);
    while let Some(layer) = next {
        if walk.start >= walk.bound.min(bytes.len()) {
            break;
        }
        next = walk.step(layer, out);
    }
    if !out.warnings.is_empty() {
        frame_check(first, bytes, out);
    }
    snapped_at(bytes, out);
}

/// Looks at what the ports of a decoded frame leave as bytes: where those are the start of a layer
/// beyond doubt, they are read as that layer, marked as found by its content.
pub fn decode_by_content(bytes: &[u8], out: &mut Decoded) {
    let [.., below, rest] = out.layers[..] else {
        return;
    };
    let unread = *rest.layer == bytes::LAYER && matches!(below.layer.next, NextLayer::Either(..));
    if !unread || !matches!(rest.partial, Unverifiable::Whole | Unverifiable::Snapped) {
        return;
    }
    let found = bytes
        .get(below.payload..below.trailer)
        .and_then(|payload| registry::by_content(below.layer, payload));
    let Some(layer) = found else { return };
    out.layers.pop();
    let last = out.layers.len() as u8;
    let snapped = out.wire_len > bytes.len();
    out.warnings.retain(|row| row.0 < last);
    let mut walk = DecodeWalk {
        bytes,
        start: below.payload,
        bound: if snapped { out.wire_len } else { below.trailer },
        fragment: false,
        quoted: false,
        guessed: false,
        by_content: true,
        doubtful: false,
        lost: false,
        jumbo: false,
    };
    let mut next = Some(layer);
    while let Some(layer) = next {
        if walk.start >= walk.bound.min(bytes.len()) {
            break;
        }
        next = walk.step(layer, out);
    }
    snapped_at(bytes, out);
}

/// The capture kept a part of the frame: the last layer says so.
fn snapped_at(bytes: &[u8], out: &mut Decoded) {
    if out.wire_len > bytes.len()
        && let Some(last) = out.layers.len().checked_sub(1)
    {
        out.warnings.push((
            last as u8,
            DecodeWarning::Snapped {
                have: bytes.len(),
                want: out.wire_len,
            },
        ));
    }
}

/// Where the decoder is.
struct DecodeWalk<'a> {
    bytes: &'a [u8],
    start: usize,
    /// Where the enclosing layer ends on the wire; may lie behind the bytes that are there.
    bound: usize,
    fragment: bool,
    quoted: bool,
    guessed: bool,
    by_content: bool,
    /// A length cannot be: what lies above may be read, and not verified.
    doubtful: bool,
    /// No byte after this header is known to belong to what it carries.
    lost: bool,
    /// The length of the packet is in an option (RFC 2675): 0 is right in what it carries.
    jumbo: bool,
}

impl DecodeWalk<'_> {
    fn step(&mut self, layer: &'static Layer, out: &mut Decoded) -> Option<&'static Layer> {
        let layer = if out.layers.len() + 1 < MAX_LAYERS {
            layer
        } else {
            too_deep(layer, out)
        };
        let available = &self.bytes[self.start..self.bound.min(self.bytes.len())];
        let available = limited(layer, available);
        let Some(len) = self.header_len(layer, available, out) else {
            return self.cut_off(layer, available.len(), out);
        };
        let header = &available[..len];
        self.take_bound(layer, header, out);
        self.take_jumbo(layer, header, out);
        let end = self.bound.min(self.bytes.len());
        let payload = self.start + len;
        let body = self.body(layer, header, payload, end, out);
        self.check(layer, header, out);
        let found = FoundLayer {
            layer,
            start: self.start,
            payload,
            trailer: payload + body.payload,
            end: payload + body.payload + body.trailer,
            partial: self.partial(),
            guessed: self.guessed,
            by_content: self.by_content,
        };
        out.layers.push(found);
        if found.trailer != found.end {
            second_checksums(self.bytes, out);
        }
        let next = self.descend(&found, header, out)?;
        if *next == bytes::LAYER {
            self.rest(found.trailer, out);
            return None;
        }
        Some(next)
    }

    /// What no layer explains.
    fn rest(&self, end: usize, out: &mut Decoded) {
        let layer = &bytes::LAYER;
        out.layers.push(FoundLayer {
            layer,
            start: self.start,
            payload: end,
            trailer: end,
            end,
            partial: self.partial(),
            guessed: false,
            by_content: false,
        });
    }

    /// A length that cannot be. What it says of the bytes after is not known.
    #[cold]
    #[inline(never)]
    fn doubt(&mut self, warning: DecodeWarning, out: &mut Decoded) {
        self.doubtful = true;
        out.warning(warning);
    }

    fn partial(&self) -> Unverifiable {
        match (self.quoted, self.fragment) {
            (true, _) => Unverifiable::Quoted,
            (_, true) => Unverifiable::Fragment,
            _ if self.doubtful => Unverifiable::Doubtful,
            _ if self.bound > self.bytes.len() => Unverifiable::Snapped,
            _ => Unverifiable::Whole,
        }
    }

    /// The layer that a number chose, or another one of that number, if the bytes can be it. A port
    /// is only a guess: what it does not fit is not odd.
    fn accepted(
        &self,
        below: &Layer,
        next: &'static Layer,
        payload: &[u8],
        out: &mut Decoded,
    ) -> Option<&'static Layer> {
        let mut candidate = Some(next);
        while let Some(layer) = candidate {
            if layer.accepts.is_none_or(|accepts| accepts(payload)) {
                return candidate;
            }
            candidate = layer.otherwise;
        }
        if matches!(below.next, NextLayer::Field(_)) && self.partial() == Unverifiable::Whole {
            out.warning(DecodeWarning::NotReadable { name: next.name });
        }
        None
    }

    fn descend(
        &mut self,
        found: &FoundLayer,
        header: &[u8],
        out: &mut Decoded,
    ) -> Option<&'static Layer> {
        let payload = &self.bytes[found.payload..found.trailer];
        let layer = found.layer;
        self.start = found.payload;
        if found.trailer != found.end {
            self.bound = found.trailer;
        }
        if payload.is_empty() || *layer == bytes::LAYER {
            return None;
        }
        let later = layer
            .fragment_offset
            .get(header)
            .is_some_and(|offset| offset != 0);
        let more = layer
            .fragment_more
            .get(header)
            .is_some_and(|bits| bits & layer.more_mask != 0);
        self.fragment |= layer.fragment_offset.len != 0 && (later || more);
        self.quoted |= layer.quotes.is_some_and(|quotes| quotes(header));
        let next = if later || self.lost {
            None
        } else {
            next_layer(layer, header, payload)
        };
        let next = next.and_then(|next| self.accepted(layer, next, payload, out));
        self.by_content = false;
        self.guessed = next.is_some() && matches!(layer.next, NextLayer::Either(..));
        Some(next.unwrap_or(&bytes::LAYER))
    }
}

fn too_deep(layer: &'static Layer, out: &mut Decoded) -> &'static Layer {
    if *layer != bytes::LAYER {
        out.warning(DecodeWarning::TooDeep);
    }
    &bytes::LAYER
}

fn next_layer(layer: &Layer, header: &[u8], payload: &[u8]) -> Option<&'static Layer> {
    let by = |slot: crate::Slot| registry::child(layer, slot.get(header)?);
    match layer.next {
        NextLayer::Nothing => None,
        NextLayer::Field(_) => by(layer.by),
        NextLayer::Either(..) => by(layer.by).or_else(|| by(layer.or_by)),
        NextLayer::Always(next) => Some(next),
        NextLayer::Peek(look) => look(header, payload),
    }
}
