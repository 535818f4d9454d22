//! How long a header is, and where what it carries ends.

use super::DecodeWalk;
use crate::auto::Of;
use crate::codec::decoded::{Decoded, FoundLayer, Unverifiable};
use crate::codec::place;
use crate::decode_warning::DecodeWarning;
use crate::layer::{Body, DividePayload, HeaderEnd, Layer};
use crate::registry;

impl DecodeWalk<'_> {
    /// Bytes of the header; `None` when they are not all there.
    pub(super) fn header_len(
        &mut self,
        layer: &Layer,
        available: &[u8],
        out: &mut Decoded,
    ) -> Option<usize> {
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
    pub(super) fn cut_off(
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
    pub(super) fn take_bound(&mut self, layer: &Layer, header: &[u8], out: &mut Decoded) {
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
    pub(super) fn take_jumbo(&mut self, layer: &Layer, header: &[u8], out: &mut Decoded) {
        let Some(said) = layer.jumbo.and_then(|jumbo| jumbo(header)) else {
            return;
        };
        self.jumbo = true;
        let have = self.bound.saturating_sub(self.start);
        self.end_at(self.start.saturating_add(said), said, have, out);
    }

    pub(super) fn body(
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
}

/// The bytes that a header may take, where it goes through its fields up to the length that it says
/// itself.
pub(super) fn limited<'a>(layer: &Layer, available: &'a [u8]) -> &'a [u8] {
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

/// Whether a length of zero stands for all there is: not where nothing was to follow anyway.
fn means_all(layer: &Layer, header: &[u8]) -> bool {
    layer.bound_of == Of::Total
        || layer
            .by
            .get(header)
            .and_then(|value| registry::child(layer, value))
            .is_some()
}
