//! Finds the layers of a frame. It finds bounds only: a field is read when asked for. It never
//! fails, never invents, and ends after sixteen layers.

use super::decoded::{Decoded, Found, Partial};
use super::{list, place};
use crate::auto::Of;
use crate::decode_warning::DecodeWarning;
use crate::field::Kind;
use crate::layer::{Body, DividePayload, Layer, Next, Shape};
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
    };
    let mut next = Some(first);
    while let Some(layer) = next {
        if walk.start >= walk.bound.min(bytes.len()) {
            break;
        }
        next = walk.step(layer, out);
    }
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
        let end = self.bound.min(self.bytes.len());
        let payload = self.start + len;
        let body = self.body(layer, header, payload, end, out);
        self.check(layer, header, out);
        let found = Found {
            layer,
            start: self.start,
            payload,
            trailer: payload + body.payload,
            end: payload + body.payload + body.trailer,
            partial: self.partial(),
            guessed: self.guessed,
        };
        out.layers.push(found);
        let next = self.descend(&found, header)?;
        if *next == bytes::LAYER {
            self.rest(found.trailer, out);
            return None;
        }
        Some(next)
    }

    /// What no layer explains.
    fn rest(&self, end: usize, out: &mut Decoded) {
        let layer = &bytes::LAYER;
        out.layers.push(Found {
            layer,
            start: self.start,
            payload: end,
            trailer: end,
            end,
            partial: self.partial(),
            guessed: false,
        });
    }

    /// Bytes of the header; `None` when they are not all there.
    fn header_len(&self, layer: &Layer, available: &[u8], out: &mut Decoded) -> Option<usize> {
        let fixed = layer.fixed_len;
        if available.len() < fixed {
            return None;
        }
        match layer.shape {
            Shape::Fixed => Some(fixed),
            Shape::Rest => Some(available.len()),
            Shape::Walked => match place::extent(layer, available) {
                (len, true) => Some(len),
                _ => None,
            },
            Shape::Kinds => {
                let len = layer
                    .kind
                    .get(available)
                    .and_then(|kind| layer.lens.get(kind as usize))?;
                Some(usize::from(*len)).filter(|len| *len <= available.len())
            }
            Shape::Said => self.said_len(layer, available, out),
        }
    }

    fn said_len(&self, layer: &Layer, available: &[u8], out: &mut Decoded) -> Option<usize> {
        let said = layer.header_len.octets(available).unwrap_or(0);
        let least = if layer.varies {
            place::minimum(layer, available)
        } else {
            layer.fixed_len
        };
        let least = least.max(layer.header_len.least());
        let on_wire = if self.quoted {
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
        let want = layer
            .header_len
            .octets(&self.bytes[self.start..end])
            .unwrap_or(0)
            .max(layer.fixed_len)
            .max(have + 1);
        out.warning(DecodeWarning::Truncated { have, want });
        let partial = if self.partial() == Partial::Whole {
            Partial::Snapped
        } else {
            self.partial()
        };
        out.layers.push(Found {
            layer,
            start: self.start,
            payload: end,
            trailer: end,
            end,
            partial,
            guessed: self.guessed,
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
        let base = if layer.bound_of == Of::Total {
            self.start
        } else {
            self.start + header.len()
        };
        let have = self.bound.saturating_sub(base);
        let end = base.saturating_add(said);
        if said == 0 && have > 0 && means_all(layer, header) {
            out.warning(DecodeWarning::LengthZero);
        } else if end < self.start + header.len()
            || (end > self.bound && !self.quoted && !self.fragment)
        {
            out.warning(DecodeWarning::LengthLies { said, have });
        } else if end < self.bound {
            out.warning(DecodeWarning::Padding {
                at: end,
                octets: self.bound - end,
            });
            self.bound = end;
        }
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
            None => Body {
                payload: end - payload,
                trailer: 0,
            },
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
        let whole = Body {
            payload: end - payload,
            trailer: 0,
        };
        let body = ask(header, &self.bytes[payload..end]);
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
        if let Some(index) = layer.options_at.filter(|_| header.len() > layer.fixed_len) {
            self.check_options(layer, index.into(), header, out);
        }
    }

    #[inline(never)]
    fn check_options(&self, layer: &Layer, index: usize, header: &[u8], out: &mut Decoded) {
        let Kind::Options(tlv) = layer.fields[index].kind else {
            return;
        };
        if let Some(bare) = layer.bare
            && layer.shape == Shape::Said
            && !layer.varies
            && list::whole(&header[layer.fixed_len..], bare, tlv.end)
        {
            return;
        }
        if let Some(place::FieldPlace::Span(span)) = place::locate(layer, header, index)
            && let Some(broken) = list::broken(tlv, &header[span.clone()], self.start + span.start)
        {
            out.warning(broken);
        }
    }

    fn partial(&self) -> Partial {
        match (self.quoted, self.fragment) {
            (true, _) => Partial::Quoted,
            (_, true) => Partial::Fragment,
            _ if self.bound > self.bytes.len() => Partial::Snapped,
            _ => Partial::Whole,
        }
    }

    fn descend(&mut self, found: &Found, header: &[u8]) -> Option<&'static Layer> {
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
        let next = if later {
            None
        } else {
            next_layer(layer, header, payload)
        };
        let next = next.filter(|next| next.accepts.is_none_or(|accepts| accepts(payload)));
        self.guessed = next.is_some() && matches!(layer.next, Next::Either(..));
        Some(next.unwrap_or(&bytes::LAYER))
    }
}

/// The bytes that a header may take, where it goes through its fields up to the length that it says
/// itself.
fn limited<'a>(layer: &Layer, available: &'a [u8]) -> &'a [u8] {
    let ends = matches!(layer.shape, Shape::Walked | Shape::Kinds)
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
        Next::Nothing => None,
        Next::Field(_) => by(layer.by),
        Next::Either(..) => by(layer.by).or_else(|| by(layer.or_by)),
        Next::Always(next) => Some(next),
        Next::Peek(look) => look(header, payload),
    }
}
