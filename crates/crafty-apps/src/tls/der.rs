//! The distinguished encoding of ASN.1 (X.690 §10), as far as certificates need it. Parsing any
//! bytes ends, and returns what is there.

/// Tags that certificates have.
pub const INTEGER: u8 = 0x02;
pub const BIT_STRING: u8 = 0x03;
pub const OCTET_STRING: u8 = 0x04;
pub const OID: u8 = 0x06;
pub const UTC_TIME: u8 = 0x17;
pub const GENERALIZED_TIME: u8 = 0x18;
pub const SEQUENCE: u8 = 0x30;
pub const SET: u8 = 0x31;

/// One element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DerElement<'a> {
    pub tag: u8,
    pub body: &'a [u8],
    /// Tag and length included.
    pub whole: &'a [u8],
}

/// Elements one after the other.
#[derive(Clone, Copy, Debug)]
pub struct DerElements<'a>(pub &'a [u8]);

impl<'a> DerElements<'a> {
    /// The next element if it has this tag; else nothing is taken.
    pub fn tagged(&mut self, tag: u8) -> Option<DerElement<'a>> {
        let mut ahead = *self;
        let element = ahead.next().filter(|e| e.tag == tag)?;
        *self = ahead;
        Some(element)
    }
}

impl<'a> Iterator for DerElements<'a> {
    type Item = DerElement<'a>;

    fn next(&mut self) -> Option<DerElement<'a>> {
        let (&tag, rest) = self.0.split_first()?;
        let (&first, behind) = rest.split_first()?;
        let (length, behind) = match first {
            0..=0x7f => (usize::from(first), behind),
            // More than four bytes of length is more than any certificate has.
            0x81..=0x84 => {
                let (digits, behind) = behind.split_at_checked(usize::from(first & 0x7f))?;
                (
                    digits.iter().fold(0_usize, |n, d| n << 8 | usize::from(*d)),
                    behind,
                )
            }
            _ => return None,
        };
        let (body, behind) = behind.split_at_checked(length)?;
        let whole = &self.0[..self.0.len() - behind.len()];
        self.0 = behind;
        Some(DerElement { tag, body, whole })
    }
}

impl<'a> DerElement<'a> {
    /// What it holds.
    pub fn inside(self) -> DerElements<'a> {
        DerElements(self.body)
    }
}

/// An object identifier with dots (X.690 §8.19).
pub fn oid(body: &[u8]) -> String {
    let mut numbers: Vec<u64> = Vec::new();
    let mut number = 0_u64;
    for octet in body {
        number = number << 7 | u64::from(octet & 0x7f);
        if octet & 0x80 == 0 {
            match numbers.is_empty() {
                true => numbers.extend([(number / 40).min(2), number - 40 * (number / 40).min(2)]),
                false => numbers.push(number),
            }
            number = 0;
        }
    }
    numbers
        .iter()
        .map(u64::to_string)
        .collect::<Vec<_>>()
        .join(".")
}

/// Seconds since the Unix epoch (RFC 5280 §4.1.2.5). Only times of the form that certificates must
/// have.
pub fn time(element: DerElement<'_>) -> Option<i64> {
    let text = core::str::from_utf8(element.body).ok()?.strip_suffix('Z')?;
    let digits: Vec<i64> = text
        .bytes()
        .map(|c| c.is_ascii_digit().then(|| i64::from(c - b'0')))
        .collect::<Option<_>>()?;
    let pair = |at: usize| Some(digits.get(at)? * 10 + digits.get(at + 1)?);
    let (year, at) = match (element.tag, digits.len()) {
        (UTC_TIME, 12) => (
            pair(0).map(|y| if y < 50 { 2000 + y } else { 1900 + y })?,
            2,
        ),
        (GENERALIZED_TIME, 14) => (pair(0)? * 100 + pair(2)?, 4),
        _ => return None,
    };
    let (month, day, hour, minute, second) = (
        pair(at)?,
        pair(at + 2)?,
        pair(at + 4)?,
        pair(at + 6)?,
        pair(at + 8)?,
    );
    let fits = (1..=12).contains(&month)
        && (1..=31).contains(&day)
        && hour < 24
        && minute < 60
        && second < 60;
    fits.then(|| days(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second)
}

/// Days since 1970-01-01 in the calendar that counts years from March, so that the odd month is the
/// last.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let (year, month) = if month > 2 {
        (year, month - 3)
    } else {
        (year - 1, month + 9)
    };
    let leap = year / 4 - year / 100 + year / 400;
    365 * year + leap + (153 * month + 2) / 5 + day - 1 - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_certificates() {
        let rows: &[(u8, &str, Option<i64>)] = &[
            (UTC_TIME, "700101000000Z", Some(0)),
            (UTC_TIME, "491231235959Z", Some(2_524_607_999)),
            (UTC_TIME, "500101000000Z", Some(-631_152_000)),
            (GENERALIZED_TIME, "20240229120000Z", Some(1_709_208_000)),
            (GENERALIZED_TIME, "99991231235959Z", Some(253_402_300_799)),
            (UTC_TIME, "701301000000Z", None),
            (UTC_TIME, "700101000000", None),
            (UTC_TIME, "7001010000é", None),
            (GENERALIZED_TIME, "700101000000Z", None),
        ];
        for (tag, text, wanted) in rows {
            assert_eq!(
                time(DerElement {
                    tag: *tag,
                    body: text.as_bytes(),
                    whole: &[]
                }),
                *wanted,
                "{text}"
            );
        }
    }

    #[test]
    fn elements_end_where_bytes_do() {
        let rows: &[(&[u8], usize)] = &[
            (&[2, 1, 5, 4, 0], 2),
            (&[2, 2, 5], 0),
            (&[2, 0x81], 0),
            (&[2, 0x80, 0, 0], 0),
            (&[4, 0x84, 255, 255, 255, 255], 0),
            (&[], 0),
        ];
        for (octets, count) in rows {
            assert_eq!(DerElements(octets).count(), *count, "{octets:?}");
        }
    }

    #[test]
    fn object_identifiers() {
        for (octets, wanted) in [
            (&[0x55, 4, 3][..], "2.5.4.3"),
            (
                &[0x2a, 0x86, 0x48, 0x86, 0xf7, 13, 1, 1, 11],
                "1.2.840.113549.1.1.11",
            ),
            (&[], ""),
        ] {
            assert_eq!(oid(octets), wanted);
        }
    }
}
