//! A datagram that was cut is the sum of its pieces, in order.

use super::{GateRule, denied, refuse};
use crate::LinkKind;
use crate::case::CandidateFrame;
use crate::frame::{FragmentRange, IpPacket, ParsedFrame};
use crate::{Reason, RefusalReason, Subject};

pub(super) static RULE: GateRule = GateRule {
    name: "pieces",
    doc: "fragments made by the stack are cut from the datagram that was judged, and from nothing else",
    judge,
};

static PIECES: RefusalReason = denied(
    "pieces",
    "the fragments are not those of the datagram that was judged",
    "please report this: it is a bug in Crafty",
);

fn judge(case: &CandidateFrame) -> Result<(), Reason> {
    match case.pieces {
        [only] if *only == case.frame.octets => Ok(()),
        _ if is_cut(case.frame, case.pieces) == Some(true) => Ok(()),
        _ => refuse(&PIECES, Subject::Nothing),
    }
}

fn is_cut(frame: &ParsedFrame, pieces: &[&[u8]]) -> Option<bool> {
    let whole = frame.outer()?;
    let link_len = frame.link.map_or(0, |link| link.len);
    let kind = if frame.link.is_some() {
        LinkKind::Ethernet
    } else {
        LinkKind::RawIp
    };
    let (mut offset, mut id) = (0, None);
    for (i, octets) in pieces.iter().enumerate() {
        let piece = ParsedFrame::read(octets, kind);
        let packet = piece.outer()?;
        let fragment = packet.fragment?;
        let same_link = octets.get(..link_len) == frame.octets.get(..link_len);
        let last = i + 1 == pieces.len();
        let in_place = fragment.offset == offset
            && fragment.more != last
            && *id.get_or_insert(fragment.id) == fragment.id;
        // What the piece carries is compared with the whole, which was read to its end; a first
        // piece alone may cut a header in two.
        let honest = packet.sound && piece.link.map_or(0, |link| link.len) == link_len;
        if !(same_link && in_place && honest && is_header_of(whole, packet, &fragment)) {
            return Some(false);
        }
        let (part, total) = parts(whole, packet, &fragment)?;
        if total.get(offset..offset + part.len()) != Some(part)
            || last && offset + part.len() != total.len()
        {
            return Some(false);
        }
        offset += part.len();
    }
    Some(!pieces.is_empty())
}

/// Whether the header before a piece is the datagram's except for what cutting changes.
fn is_header_of(whole: &IpPacket, piece: &IpPacket, fragment: &FragmentRange) -> bool {
    let same_ends = whole.source == piece.source
        && whole.destination == piece.destination
        && whole.fragment.is_none();
    let Some((at, protocol)) = fragment.announced else {
        return same_ends
            && whole.protocol == piece.protocol
            && !piece.rerouted
            && (whole.options || !piece.options);
    };
    let unlike =
        |&i: &usize| !matches!(i, 4 | 5) && i != at && whole.octets.get(i) != piece.octets.get(i);
    same_ends
        && whole.octets.get(at) == Some(&protocol)
        && !(0..fragment.unfragmentable).any(|i| unlike(&i))
}

/// What a piece holds, and the part of the datagram that is cut.
fn parts<'a>(
    whole: &IpPacket<'a>,
    piece: &IpPacket<'a>,
    fragment: &FragmentRange,
) -> Option<(&'a [u8], &'a [u8])> {
    if fragment.announced.is_some() {
        return Some((
            piece.octets.get(fragment.unfragmentable + 8..)?,
            whole.octets.get(fragment.unfragmentable..)?,
        ));
    }
    let header = usize::from(whole.octets.first()? & 15) * 4;
    Some((
        piece.octets.get(fragment.unfragmentable..)?,
        whole.octets.get(header..)?,
    ))
}
