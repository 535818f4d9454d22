//! Where a message ends that begins with a start line and headers (RFC 9112 §6): its length, chunks,
//! or the end of the stream. The decoder, the client of `crafty-apps` and SIP frame by this.

use super::head::begins;
use crate::stream::{Framing, Scan, ScanPart};

/// Bytes of start line and headers at most.
pub const MAX_HEAD: usize = 1 << 16;

/// What follows the head of a message in a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyLength {
    /// So many bytes.
    Bytes(u64),
    /// Chunks, and trailer lines behind them (RFC 9112 §7.1).
    Chunks,
    /// All bytes up to the end of the stream.
    UntilClose,
}

/// Bytes of a start line, or of the line before a chunk, at most.
pub const MAX_LINE: usize = 8192;

/// Frames a message in a stream; `rest` tells from the head what follows, or that it is not a head
/// of the protocol.
pub(crate) fn message(
    scan: &mut Scan,
    octets: &[u8],
    version: &str,
    rest: fn(&[u8], bool) -> Option<BodyLength>,
) -> Framing {
    let told = match scan.part {
        ScanPart::Told(told) => told,
        _ => go_on(scan, octets, version, rest),
    };
    if told != Framing::More {
        scan.part = ScanPart::Told(told);
    }
    told
}

fn go_on(
    scan: &mut Scan,
    octets: &[u8],
    version: &str,
    rest: fn(&[u8], bool) -> Option<BodyLength>,
) -> Framing {
    if scan.part == ScanPart::Start {
        match start(octets, version) {
            Some(true) => scan.part = ScanPart::Head,
            Some(false) => return Framing::Foreign,
            None => return Framing::More,
        }
    }
    if scan.part == ScanPart::Head {
        let Some(head) = scan_head(scan, octets) else {
            return if octets.len() < MAX_HEAD {
                Framing::More
            } else {
                Framing::Foreign
            };
        };
        match rest(&octets[..head], scan.bare) {
            None => return Framing::Foreign,
            Some(BodyLength::Bytes(count)) => return Framing::Takes(behind(head, count)),
            Some(BodyLength::UntilClose) => return Framing::ToEnd,
            Some(BodyLength::Chunks) => (scan.at, scan.part) = (head, ScanPart::Chunks),
        }
    }
    if scan.part == ScanPart::Chunks
        && let Some(framing) = scan_chunks(scan, octets)
    {
        return framing;
    }
    scan_trailer(scan, octets)
}

/// Whether the first line is one of the protocol, once that can be told.
fn start(octets: &[u8], version: &str) -> Option<bool> {
    let line = octets.get(..MAX_LINE).unwrap_or(octets);
    if line.contains(&b'\n') {
        return Some(begins(line, version));
    }
    let answer = line.starts_with(&version.as_bytes()[..line.len().min(version.len())]);
    let request = line.first().is_none_or(u8::is_ascii_uppercase);
    let plain = line
        .iter()
        .all(|octet| matches!(octet, b' '..=b'~' | b'\r' | 0x80..));
    if (answer || request) && plain && line.len() < MAX_LINE {
        None
    } else {
        Some(false)
    }
}

/// Looks on for the empty line. One that had begun when the bytes ended is looked at from there.
fn scan_head(scan: &mut Scan, octets: &[u8]) -> Option<usize> {
    let found = empty_line(octets, scan.at.saturating_sub(2));
    scan.at = octets.len();
    found
}

/// First byte after an empty line that is at `from` or later; `from` need not be the start of a
/// line. Lines end in CRLF, or in a bare LF (RFC 9112 §2.2).
pub fn empty_line(octets: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    loop {
        at += octets.get(at..)?.iter().position(|octet| *octet == b'\n')? + 1;
        match octets.get(at..)? {
            [b'\n', ..] => return Some(at + 1),
            [b'\r', b'\n', ..] => return Some(at + 2),
            _ => {}
        }
    }
}

/// Goes from chunk to chunk; nothing once the last one is behind.
fn scan_chunks(scan: &mut Scan, octets: &[u8]) -> Option<Framing> {
    loop {
        let line = octets.get(scan.at..).unwrap_or(&[]);
        let Some(end) = line.iter().take(MAX_LINE).position(|octet| *octet == b'\n') else {
            return Some(if line.len() < MAX_LINE {
                Framing::More
            } else {
                Framing::Foreign
            });
        };
        let Some(size) = chunk_size(&line[..end]) else {
            return Some(Framing::Foreign);
        };
        scan.at += end + 1;
        if size == 0 {
            scan.part = ScanPart::Trailer;
            return None;
        }
        // The data of a chunk end with a line end of their own.
        scan.at = behind(scan.at, size).saturating_add(2);
    }
}

/// The place that lies so many bytes after another.
fn behind(at: usize, count: u64) -> usize {
    at.saturating_add(usize::try_from(count).unwrap_or(usize::MAX))
}

/// Bytes of the chunk that a line announces, without its extensions (RFC 9112 §7.1); 0 for the last
/// one.
pub fn chunk_size(line: &[u8]) -> Option<u64> {
    let digits = core::str::from_utf8(line.split(|octet| *octet == b';').next()?)
        .ok()?
        .trim();
    let hex = !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    u64::from_str_radix(digits, 16).ok().filter(|_| hex)
}

/// Lines after the last chunk, up to an empty one; the line before them has just ended, so none is
/// an empty line there.
fn scan_trailer(scan: &mut Scan, octets: &[u8]) -> Framing {
    match empty_line(octets, scan.at - 1) {
        Some(end) => Framing::Takes(end),
        None => {
            scan.at = scan.at.max(octets.len() - 1);
            Framing::More
        }
    }
}

/// The value of a `Content-Length`: one number, or the same number again and again (RFC 9110 §8.6).
pub fn content_length(value: &str) -> Option<u64> {
    let number = |text: &str| {
        let digits = text.bytes().all(|digit| digit.is_ascii_digit());
        text.parse::<u64>().ok().filter(|_| digits)
    };
    let mut numbers = value.split(',').map(|text| number(text.trim()));
    let first = numbers.next()??;
    numbers.all(|other| other == Some(first)).then_some(first)
}

/// Whether the last of the transfer codings is `chunked` (RFC 9112 §6.1).
pub fn ends_chunked(codings: &str) -> bool {
    let last = codings.rsplit(',').next().unwrap_or_default();
    last.trim().eq_ignore_ascii_case("chunked")
}

/// Whether answers with this status never have a body (RFC 9112 §6.3): 101 too, whose connection
/// speaks another protocol from then on.
pub fn is_bodiless(status: u16) -> bool {
    matches!(status, 100..200 | 204 | 304)
}
