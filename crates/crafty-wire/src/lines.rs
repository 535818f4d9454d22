//! Messages that begin with a start line and lines of headers, up to an empty line (RFC 5322, RFC 9112): HTTP, SIP.
//! Nothing here knows which protocol it is.

use alloc::string::String;
use alloc::vec::Vec;

use crate::codec::Header;
use crate::value::FieldValue;

/// Octets up to and with the empty line; `None` while there is none.
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

/// The parts of a start line: of a request method, target and version; of an answer version, status and reason.
pub(crate) fn start_line(head: &[u8]) -> Option<[&str; 3]> {
    let line = core::str::from_utf8(head.split(|octet| *octet == b'\n').next()?).ok()?;
    let mut parts = line.strip_suffix('\r').unwrap_or(line).splitn(3, ' ');
    Some([parts.next()?, parts.next()?, parts.next().unwrap_or("")])
}

/// Whether the octets begin like a message whose version begins with `version`.
pub(crate) fn begins(octets: &[u8], version: &str) -> bool {
    let line = octets.split(|octet| *octet == b'\n').next().unwrap_or(&[]);
    let request = line.windows(version.len() + 1).any(|window| window[0] == b' ' && &window[1..] == version.as_bytes());
    octets.starts_with(version.as_bytes()) || (request && line.first().is_some_and(u8::is_ascii_uppercase))
}

/// The headers as text, a line each, without the start line.
pub(crate) fn headers(head: &[u8]) -> Option<&str> {
    let start = head.iter().position(|octet| *octet == b'\n')? + 1;
    Some(core::str::from_utf8(&head[start..]).ok()?.trim_end_matches(['\r', '\n']))
}

/// The value of the first header called so, in any case.
pub(crate) fn header<'a>(head: &'a [u8], name: &str) -> Option<&'a str> {
    let named = |line: &'a str| line.split_once(':').filter(|(found, _)| found.trim().eq_ignore_ascii_case(name));
    headers(head)?.lines().find_map(named).map(|(_, value)| value.trim())
}

/// Text of a view.
pub(crate) fn text(text: &str) -> Option<FieldValue> {
    Some(FieldValue::Text(String::from(text)))
}

/// What a program set in a text view.
pub(crate) fn set<'a>(header: &'a Header, name: &str) -> Option<&'a str> {
    match header.value(name) {
        Some(FieldValue::Text(text)) => Some(text),
        _ => None,
    }
}

/// What a program set in a number view.
pub(crate) fn number(header: &Header, name: &str) -> Option<u64> {
    header.value(name).and_then(FieldValue::as_uint)
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
