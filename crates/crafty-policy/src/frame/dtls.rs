//! DTLS client hellos (RFC 6347 §4.2.2, RFC 9147 §5.2), known by their headers: on any port, behind other
//! messages of a record and behind other records of a datagram.

use super::be16;

/// Records, and messages of a record, that are looked at; who sends more counts as opening.
const MOST: usize = 8;

/// Content types (RFC 6347 §4.1, RFC 9146 §3), of which one has handshake messages.
const CONTENTS: core::ops::RangeInclusive<u8> = 20..=26;
const HANDSHAKE: u8 = 22;
const CLIENT_HELLO: u8 = 1;

/// Whether a datagram has a hello. If it is not `whole`, one may be in the rest.
pub(super) fn opens(mut datagram: &[u8], whole: bool) -> bool {
    for _ in 0..MOST {
        let [kind, 0xfe, ..] = *datagram else {
            return false;
        };
        let Some(len) = be16(datagram, 11).filter(|_| CONTENTS.contains(&kind)) else {
            return false;
        };
        let contents = &datagram[13..];
        let (record, rest) = contents
            .split_at_checked(usize::from(len))
            .unwrap_or((contents, &[]));
        // Whatever length the record says it has.
        let begins = contents.first() == Some(&CLIENT_HELLO);
        if kind == HANDSHAKE && (begins || has_hello(record)) {
            return true;
        }
        if rest.is_empty() {
            return !whole;
        }
        datagram = rest;
    }
    true
}

/// Messages have 12 bytes of header, of which the last three are the length of what is here of them.
fn has_hello(mut record: &[u8]) -> bool {
    for _ in 0..MOST {
        match *record {
            [] => return false,
            [CLIENT_HELLO, ..] => return true,
            [_, _, _, _, _, _, _, _, _, a, b, c, ..] => {
                let len = usize::from(a) << 16 | usize::from(b) << 8 | usize::from(c);
                record = record.get(12 + len..).unwrap_or(&[]);
            }
            _ => return false,
        }
    }
    true
}
