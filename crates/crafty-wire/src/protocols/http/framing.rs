//! Messages that begin with a start line and lines of headers, up to an empty line (RFC 5322, RFC
//! 9112): HTTP, SIP. Nothing here knows which protocol it is.

use alloc::vec::Vec;

use crate::stream::{Framing, MAX_HEAD, Part, Scan};

/// Bytes up to and with the empty line; `None` while there is none.
pub(crate) fn head(octets: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        let line = octets.get(at..)?;
        let end = line.iter().position(|octet| *octet == b'\n')?;
        at += end + 1;
        if matches!(&line[..end], b"" | b"\r") {
            return Some(at);
        }
    }
}

/// What follows the head of a message in a stream.
pub(crate) enum Rest {
    /// So many bytes.
    Octets(usize),
    /// Chunks, and lines behind them (RFC 9112 §7.1).
    Chunks,
    /// All that still comes.
    ToEnd,
}

/// Bytes of a start line, or of the line before a chunk, at most.
const MAX_LINE: usize = 8192;

/// Frames a message in a stream; `rest` tells from the head what follows, or that it is no head of
/// the protocol.
pub(crate) fn message(
    scan: &mut Scan,
    octets: &[u8],
    version: &str,
    rest: fn(&[u8], bool) -> Option<Rest>,
) -> Framing {
    let told = match scan.part {
        Part::Told(told) => told,
        _ => go_on(scan, octets, version, rest),
    };
    if told != Framing::More {
        scan.part = Part::Told(told);
    }
    told
}

fn go_on(
    scan: &mut Scan,
    octets: &[u8],
    version: &str,
    rest: fn(&[u8], bool) -> Option<Rest>,
) -> Framing {
    if scan.part == Part::Start {
        match start(octets, version) {
            Some(true) => scan.part = Part::Head,
            Some(false) => return Framing::Foreign,
            None => return Framing::More,
        }
    }
    if scan.part == Part::Head {
        let Some(head) = scan_head(scan, octets) else {
            return if octets.len() < MAX_HEAD {
                Framing::More
            } else {
                Framing::Foreign
            };
        };
        match rest(&octets[..head], scan.bare) {
            None => return Framing::Foreign,
            Some(Rest::Octets(count)) => return Framing::Takes(head.saturating_add(count)),
            Some(Rest::ToEnd) => return Framing::ToEnd,
            Some(Rest::Chunks) => (scan.at, scan.part) = (head, Part::Chunks),
        }
    }
    if scan.part == Part::Chunks
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

/// First byte behind an empty line that stands at `from` or later; `from` need not be the start of
/// a line. Lines end in CRLF, or in a bare LF (RFC 9112 §2.2).
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
            scan.part = Part::Trailer;
            return None;
        }
        // The data of a chunk end with a line end of their own.
        scan.at = scan.at.saturating_add(size).saturating_add(2);
    }
}

fn chunk_size(line: &[u8]) -> Option<usize> {
    let digits = core::str::from_utf8(line.split(|octet| *octet == b';').next()?)
        .ok()?
        .trim();
    let hex = !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    usize::from_str_radix(digits, 16).ok().filter(|_| hex)
}

/// Lines behind the last chunk, up to an empty one; the line before them has just ended, so none is
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

/// The value of a `Content-Length`: one number, be it repeated (RFC 9112 §6.3).
pub(crate) fn content_length(value: Option<&str>) -> Option<usize> {
    let mut numbers = value?.split(',').map(str::trim);
    let first = numbers.next()?;
    let number =
        first.bytes().all(|digit| digit.is_ascii_digit()) && numbers.all(|other| other == first);
    first.parse().ok().filter(|_| number)
}

/// The parts of a start line: of a request method, target and version; of an answer version, status
/// and reason.
pub(crate) fn start_line(head: &[u8]) -> Option<[&str; 3]> {
    let line = core::str::from_utf8(head.split(|octet| *octet == b'\n').next()?).ok()?;
    let mut parts = line.strip_suffix('\r').unwrap_or(line).splitn(3, ' ');
    Some([parts.next()?, parts.next()?, parts.next().unwrap_or("")])
}

/// Whether the bytes begin like a message whose version begins with `version`.
pub(crate) fn begins(octets: &[u8], version: &str) -> bool {
    let line = octets.split(|octet| *octet == b'\n').next().unwrap_or(&[]);
    let request = line
        .windows(version.len() + 1)
        .any(|window| window[0] == b' ' && &window[1..] == version.as_bytes());
    octets.starts_with(version.as_bytes())
        || (request && line.first().is_some_and(u8::is_ascii_uppercase))
}

/// The headers as text, a line each, without the start line.
pub(crate) fn headers(head: &[u8]) -> Option<&str> {
    let start = head.iter().position(|octet| *octet == b'\n')? + 1;
    Some(
        core::str::from_utf8(&head[start..])
            .ok()?
            .trim_end_matches(['\r', '\n']),
    )
}

/// The value of the first header called so, in any case.
pub(crate) fn header<'a>(head: &'a [u8], name: &str) -> Option<&'a str> {
    head.split(|octet| *octet == b'\n')
        .skip(1)
        .find_map(|line| {
            let colon = line.iter().position(|octet| *octet == b':')?;
            let named = line[..colon]
                .trim_ascii()
                .eq_ignore_ascii_case(name.as_bytes());
            core::str::from_utf8(&line[colon + 1..])
                .ok()
                .filter(|_| named)
                .map(str::trim)
        })
}

/// Appends a start line.
pub(crate) fn put_start(parts: [&str; 3], out: &mut Vec<u8>) {
    out.extend(parts.join(" ").as_bytes());
    out.extend(b"\r\n");
}

/// Appends a header, if it has a value.
pub(crate) fn put(name: &str, value: Option<&str>, out: &mut Vec<u8>) {
    if let Some(value) = value {
        out.extend([name, ": ", value, "\r\n"].concat().as_bytes());
    }
}

/// Appends header lines as a program wrote them, each ended as it must be, and the empty line.
pub(crate) fn put_rest(lines: Option<&str>, out: &mut Vec<u8>) {
    for line in lines.unwrap_or("").lines() {
        out.extend(line.as_bytes());
        out.extend(b"\r\n");
    }
    out.extend(b"\r\n");
}
