//! What a header says of itself that is odd: checks of layers, options, second checksums, the check sequence of a frame.

use super::DecodeWalk;
use crate::codec::checksum::{self, ChecksumStatus};
use crate::codec::decoded::{Decoded, Unverifiable};
use crate::codec::{list, place};
use crate::decode_warning::DecodeWarning;
use crate::field::{FieldKind, Part};
use crate::layer::{HeaderEnd, Layer};

/// Bytes of the check sequence of a frame.
const FRAME_CHECK: usize = 4;

impl DecodeWalk<'_> {
    pub(super) fn check(&self, layer: &Layer, header: &[u8], out: &mut Decoded) {
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
}

/// Tells the check sequence of a frame from padding.
#[cold]
#[inline(never)]
pub(super) fn frame_check(first: &Layer, bytes: &[u8], out: &mut Decoded) {
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
pub(super) fn second_checksums(bytes: &[u8], out: &mut Decoded) {
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
