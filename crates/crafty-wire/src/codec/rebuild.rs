//! Headers from a decoded frame: with every field set to what was read, they build the same bytes
//! again.

use alloc::vec::Vec;

use super::decoded::{Decoded, FoundLayer};
use super::header::Header;
use crate::decode_warning::DecodeWarning;
use crate::field::Part;
use crate::protocols::bytes;
use crate::value::FieldValue;

/// The headers of a decoded frame. A header that is cut off, and padding, are `Bytes`; so is a
/// layer with a trailer, and all that it carries, where bytes follow that have no place among
/// headers: behind its trailer, or between two.
pub fn rebuild(frame: &[u8], decoded: &Decoded) -> Vec<Header> {
    let mut headers = Vec::with_capacity(decoded.layers.len() + 1);
    let raw = without_place(frame, decoded);
    for (i, found) in decoded.layers.iter().enumerate() {
        if raw == Some(i) {
            headers.push(octets(frame, found.start, frame.len()));
            return headers;
        }
        let cut = decoded
            .warnings(i)
            .any(|warning| matches!(warning, DecodeWarning::Truncated { .. }));
        headers.push(if cut {
            octets(frame, found.start, found.end)
        } else {
            header(frame, decoded, i, found)
        });
    }
    let end = decoded.layers.last().map_or(0, |found| found.end);
    let trailer = decoded
        .layers
        .iter()
        .filter(|found| found.trailer != found.end)
        .map(|found| found.trailer)
        .min();
    let padding = trailer.unwrap_or(frame.len());
    if padding > end {
        headers.push(octets(frame, end, padding));
    }
    headers
}

/// The outermost layer with a trailer, where another trailer or bytes after it have no place.
fn without_place(frame: &[u8], decoded: &Decoded) -> Option<usize> {
    let mut trailed = decoded
        .layers
        .iter()
        .enumerate()
        .filter(|(_, found)| found.trailer != found.end);
    let (i, outermost) = trailed.next()?;
    (trailed.next().is_some() || outermost.end < frame.len()).then_some(i)
}

fn octets(frame: &[u8], start: usize, end: usize) -> Header {
    let mut header = Header::new(&bytes::LAYER);
    let data = frame.get(start..end).unwrap_or(&[]).to_vec();
    let set = header.set(0, FieldValue::Bytes(data));
    debug_assert!(set.is_ok());
    header
}

fn header(frame: &[u8], decoded: &Decoded, i: usize, found: &FoundLayer) -> Header {
    let mut header = Header::new(found.layer);
    for (index, field) in found
        .layer
        .fields
        .iter()
        .enumerate()
        .filter(|(_, field)| field.part != Part::View)
    {
        if let Some(value) = decoded.read(frame, i, index) {
            let set = header.set(index, value);
            debug_assert!(set.is_ok(), "{}.{}", found.layer.name, field.name);
        }
    }
    header
}
