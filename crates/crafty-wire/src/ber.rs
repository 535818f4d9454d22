//! Elements of BER and DER (X.690): type, length, value. Nothing here knows what they mean.

/// The next element: its type, its value, and what is behind it. Types of more than one byte,
/// lengths of more than four, and values without a length are not read.
pub(crate) fn element(octets: &[u8]) -> Option<(u8, &[u8], &[u8])> {
    let (&[kind, first], rest) = octets.split_first_chunk()?;
    let more = if first < 0x80 {
        0
    } else {
        usize::from(first & 0x7f)
    };
    let (len, rest) = rest
        .split_at_checked(more)
        .filter(|_| more <= 4 && first != 0x80)?;
    let len = if first < 0x80 {
        first.into()
    } else {
        len.iter()
            .fold(0, |len: usize, octet| len << 8 | usize::from(*octet))
    };
    let (value, behind) = rest.split_at_checked(len)?;
    Some((kind, value, behind))
}

/// The value of the next element, if it has this type.
pub(crate) fn value(octets: &[u8], kind: u8) -> Option<(&[u8], &[u8])> {
    element(octets)
        .filter(|element| element.0 == kind)
        .map(|(_, value, behind)| (value, behind))
}

/// The elements one after the other, up to the end or the first broken one.
pub(crate) fn elements(mut octets: &[u8]) -> impl Iterator<Item = (u8, &[u8])> {
    core::iter::from_fn(move || {
        let (kind, value, behind) = element(octets)?;
        octets = behind;
        Some((kind, value))
    })
}
