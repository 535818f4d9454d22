//! Finds the layers of a frame. It finds bounds only: a field is read when asked for. It never
//! fails, never invents, and ends after sixteen layers.

use super::checksum::{self, ChecksumStatus};
use super::decoded::{Decoded, FoundLayer, Unverifiable};
use super::{list, place};
use crate::auto::Of;
use crate::decode_warning::DecodeWarning;
use crate::field::{FieldKind, Part};
use crate::layer::{Body, DividePayload, HeaderEnd, Layer, NextLayer};
use crate::protocols::bytes;
use crate::registry;

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
    /// No byte behind this header is known to belong to what it carries.
    lost: bool,
    /// The length of the packet stands in an option (RFC 2675): 0 is right in what it carries.
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

    /// A length that cannot be. What it says of the bytes behind is not known.
    #[cold]
    #[inline(never)]
    fn doubt(&mut self, warning: DecodeWarning, out: &mut Decoded) {
        self.doubtful = true;
        out.warning(warning);
    }

    /// Bytes of the header; `None` when they are not all there.
    fn header_len(&mut self, layer: &Layer, available: &[u8], out: &mut Decoded) -> Option<usize> {
        let fixed = layer.fixed_len;
        if available.len() < fixed {
            return None;
        }
        match layer.shape {
            HeaderEnd::Fixed => Some(fixed),
            HeaderEnd::Rest => Some(available.len()),
            HeaderEnd::Walked => match place::extent(layer, available) {
                (len, true) => Some(len),
                _ => None,
            },
            HeaderEnd::Kinds => {
                let len = layer
                    .kind
                    .get(available)
                    .and_then(|kind| layer.lens.get(kind as usize))?;
                Some(usize::from(*len)).filter(|len| *len <= available.len())
            }
            HeaderEnd::Said => self.said_len(layer, available, out),
        }
    }

    fn said_len(&mut self, layer: &Layer, available: &[u8], out: &mut Decoded) -> Option<usize> {
        let said = layer.header_len.octets(available).unwrap_or(0);
        let least = if layer.varies {
            place::minimum(layer, available)
        } else {
            layer.fixed_len
        };
        let least = least.max(layer.header_len.least());
        // The rest of a header may be in the next fragment, or left out of a quotation.
        let on_wire = if self.quoted || self.fragment {
            usize::MAX
        } else {
            self.bound - self.start
        };
        if (least..=available.len()).contains(&said) {
            return Some(said);
        }
        if (said >= least && said <= on_wire) || least > available.len() {
            return None;
        }
        self.lost = true;
        out.warning(DecodeWarning::HeaderLengthLies { said, used: least });
        Some(least)
    }

    /// A header that is cut off: what is there of it is the last thing found.
    #[cold]
    #[inline(never)]
    fn cut_off(
        &mut self,
        layer: &'static Layer,
        have: usize,
        out: &mut Decoded,
    ) -> Option<&'static Layer> {
        let end = self.start + have;
        let header = &self.bytes[self.start..end];
        let said = layer.header_len.octets(header).unwrap_or(0);
        let kind = layer
            .kind
            .get(header)
            .filter(|_| layer.shape == HeaderEnd::Kinds);
        let kind = kind.and_then(|kind| layer.lens.get(kind as usize));
        let want = said
            .max(layer.fixed_len)
            .max(kind.copied().unwrap_or(0).into())
            .max(place::minimum(layer, header))
            .max(have + 1);
        out.warning(DecodeWarning::Truncated { have, want });
        let partial = self.partial();
        out.layers.push(FoundLayer {
            layer,
            start: self.start,
            payload: end,
            trailer: end,
            end,
            partial,
            guessed: self.guessed,
            by_content: self.by_content,
        });
        None
    }

    /// Moves the bound to where the layer's own length puts it, if that can be.
    fn take_bound(&mut self, layer: &Layer, header: &[u8], out: &mut Decoded) {
        if layer.bound.slot.width == 0 {
            return;
        }
        let Some(said) = layer.bound.octets(header) else {
            return;
        };
        if said == 0 && self.jumbo {
            return;
        }
        let base = if layer.bound_of == Of::Total {
            self.start
        } else {
            self.start + header.len()
        };
        let have = self.bound.saturating_sub(base);
        let end = base.saturating_add(said);
        if said == 0 && have > 0 && means_all(layer, header) {
            out.warning(DecodeWarning::LengthZero);
        } else if end < self.start + header.len() {
            self.lost = true;
            self.doubt(DecodeWarning::LengthLies { said, have }, out);
        } else {
            self.end_at(end, said, have, out);
        }
    }

    /// Moves the bound to byte `end`, where a length of `said` bytes puts it, `have` being there.
    fn end_at(&mut self, end: usize, said: usize, have: usize, out: &mut Decoded) {
        if end > self.bound && !self.quoted && !self.fragment {
            self.doubt(DecodeWarning::LengthLies { said, have }, out);
        } else if end < self.bound {
            out.warning(DecodeWarning::Padding {
                at: end,
                octets: self.bound - end,
            });
            self.bound = end;
        }
    }

    /// Takes the length of the packet out of a header that has it in an option: counted from the
    /// start of that header.
    fn take_jumbo(&mut self, layer: &Layer, header: &[u8], out: &mut Decoded) {
        let Some(said) = layer.jumbo.and_then(|jumbo| jumbo(header)) else {
            return;
        };
        self.jumbo = true;
        let have = self.bound.saturating_sub(self.start);
        self.end_at(self.start.saturating_add(said), said, have, out);
    }

    fn body(
        &mut self,
        layer: &Layer,
        header: &[u8],
        payload: usize,
        end: usize,
        out: &mut Decoded,
    ) -> Body {
        match layer.body {
            Some(ask) => self.divided(ask, header, payload, end, out),
            None => Body::carries(end - payload),
        }
    }

    #[inline(never)]
    fn divided(
        &mut self,
        ask: DividePayload,
        header: &[u8],
        payload: usize,
        end: usize,
        out: &mut Decoded,
    ) -> Body {
        let whole = Body::carries(end - payload);
        let body = ask(header, &self.bytes[payload..end]);
        if let Some(why) = body.odd.filter(|_| self.partial() == Unverifiable::Whole) {
            out.warning(DecodeWarning::Malformed {
                at: self.start,
                why,
            });
        }
        let taken = body.payload.saturating_add(body.trailer);
        if taken > whole.payload {
            return whole;
        }
        if taken < whole.payload {
            out.warning(DecodeWarning::Padding {
                at: payload + taken,
                octets: whole.payload - taken,
            });
        }
        self.bound = if taken == whole.payload && body.trailer == 0 {
            self.bound
        } else {
            payload + taken
        };
        body
    }

    fn check(&self, layer: &Layer, header: &[u8], out: &mut Decoded) {
        if let Some(why) = layer.check.and_then(|check| check(header)) {
            out.warning(DecodeWarning::Malformed {
                at: self.start,
                why,
            });
        }
        if let Some(whole) = layer.whole
            && self.partial() == Unverifiable::Whole
            && let Some((at, why)) = whole(header)
        {
            out.warning(DecodeWarning::Malformed {
                at: self.start + at,
                why,
            });
        }
        if let Some(index) = layer.options_at.filter(|_| header.len() > layer.fixed_len) {
            self.check_options(layer, index.into(), header, out);
        }
    }

    #[inline(never)]
    fn check_options(&self, layer: &Layer, index: usize, header: &[u8], out: &mut Decoded) {
        let FieldKind::Options(tlv) = layer.fields[index].kind else {
            return;
        };
        if let Some(bare) = layer.bare
            && layer.shape == HeaderEnd::Said
            && !layer.varies
            && list::whole(&header[layer.fixed_len..], bare, &layer.lengths, tlv.end)
        {
            return;
        }
        if let Some(place::FieldPlace::Span(span)) = place::locate(layer, header, index) {
            let base = self.start + span.start;
            list::faults(tlv, &header[span], base, &mut |fault| out.warning(fault));
        }
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

/// The bytes that a header may take, where it goes through its fields up to the length that it says
/// itself.
fn limited<'a>(layer: &Layer, available: &'a [u8]) -> &'a [u8] {
    let ends = matches!(layer.shape, HeaderEnd::Walked | HeaderEnd::Kinds)
        && layer.bound.slot.width != 0
        && layer.bound_of == Of::Total;
    let said = if ends {
        layer.bound.octets(available)
    } else {
        None
    };
    said.filter(|said| *said >= layer.fixed_len)
        .and_then(|said| available.get(..said))
        .unwrap_or(available)
}

fn too_deep(layer: &'static Layer, out: &mut Decoded) -> &'static Layer {
    if *layer != bytes::LAYER {
        out.warning(DecodeWarning::TooDeep);
    }
    &bytes::LAYER
}

/// Whether a length of zero stands for all there is: not where nothing was to follow anyway.
fn means_all(layer: &Layer, header: &[u8]) -> bool {
    layer.bound_of == Of::Total
        || layer
            .by
            .get(header)
            .and_then(|value| registry::child(layer, value))
            .is_some()
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

/// Bytes of the check sequence of a frame.
const FRAME_CHECK: usize = 4;

/// Tells the check sequence of a frame from padding.
#[cold]
#[inline(never)]
fn frame_check(first: &Layer, bytes: &[u8], out: &mut Decoded) {
    let Some(right) = first.frame_check.filter(|_| out.wire_len == bytes.len()) else {
        return;
    };
    let found = out.warnings.iter().position(|(_, warning)| {
        matches!(warning, DecodeWarning::Padding { at, octets }
            if at + octets == bytes.len() && *octets >= FRAME_CHECK)
    });
    let (Some(index), Some(at)) = (found, bytes.len().checked_sub(FRAME_CHECK)) else {
        return;
    };
    // Padding alone is zeros, by far most often.
    if bytes[at..] == [0; FRAME_CHECK] || !right(bytes) {
        return;
    }
    let (layer, padding) = out.warnings[index];
    let DecodeWarning::Padding { at: start, .. } = padding else {
        return;
    };
    out.warnings[index].1 = DecodeWarning::FrameCheck { at };
    if start < at {
        let octets = at - start;
        out.warnings
            .insert(index, (layer, DecodeWarning::Padding { at: start, octets }));
    }
}

/// Tells of the checksums in the trailer of the last layer found, and of those inside its header.
#[cold]
#[inline(never)]
fn second_checksums(bytes: &[u8], out: &mut Decoded) {
    let Some(last) = out.layers.len().checked_sub(1) else {
        return;
    };
    let found = out.layers[last];
    for (index, field) in found.layer.fields.iter().enumerate() {
        if field.part == Part::Trailer
            && let ChecksumStatus::Bad { expected } = checksum::status(out, bytes, last, index)
        {
            out.warnings.push((
                last as u8,
                DecodeWarning::ChecksumWrong {
                    at: found.trailer + usize::from(field.slot.byte),
                    expected,
                },
            ));
        }
    }
}
