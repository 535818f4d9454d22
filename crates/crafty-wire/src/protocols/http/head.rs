//! A start line and headers, up to an empty line (RFC 5322, RFC 9112 §3 to §5), read and written:
//! HTTP and SIP have a [`HeadFormat`] each.

use alloc::string::ToString;
use alloc::vec::Vec;

use crate::codec::Header;
use crate::value::{FieldValue, text_value};

/// How a protocol writes its heads.
pub(crate) struct HeadFormat {
    /// What the names of all its versions begin with: `HTTP/1.`.
    pub versions: &'static str,
    /// The version that is written where none is set.
    pub version: &'static str,
    /// The method that is written where none is set.
    pub method: &'static str,
    /// The target that is written where none is set.
    pub target: &'static str,
    /// The headers that have a view of their own, in the order in which they are written.
    pub headers: &'static [HeaderView],
}

/// A header with a view of its own.
pub(crate) struct HeaderView {
    /// The view.
    pub view: &'static str,
    /// Name of the header.
    pub name: &'static str,
    /// Its compact form (RFC 3261 §7.3.3); its name where there is none.
    pub compact: &'static str,
}

/// A header without a compact form.
pub(crate) const fn header_view(view: &'static str, name: &'static str) -> HeaderView {
    HeaderView {
        view,
        name,
        compact: name,
    }
}

impl HeadFormat {
    /// What a view shows of a head.
    pub fn read(&self, head: &[u8], view: &str) -> Option<FieldValue> {
        let [first, second, third] = start_line(head)?;
        let answer = first.starts_with(self.versions);
        match view {
            "method" if !answer => text_value(first),
            "target" if !answer => text_value(second),
            "version" => text_value(if answer { first } else { third }),
            "status" if answer => second
                .parse::<u16>()
                .ok()
                .map(|status| FieldValue::Uint(status.into())),
            "reason" if answer => text_value(third),
            "headers" => text_value(headers(head)?),
            _ => {
                let row = self.headers.iter().find(|row| row.view == view)?;
                text_value(header(head, row.name).or_else(|| header(head, row.compact))?)
            }
        }
    }

    /// Appends the head that these views describe; with `status` it is an answer.
    pub fn write(&self, set: &Header, out: &mut Vec<u8>) {
        let text = |name: &str, otherwise| set.text(name).unwrap_or(otherwise);
        let version = text("version", self.version);
        match set.uint("status") {
            Some(status) => put_start([version, &status.to_string(), text("reason", "")], out),
            None => put_start(
                [
                    text("method", self.method),
                    text("target", self.target),
                    version,
                ],
                out,
            ),
        }
        for row in self.headers {
            put(row.name, set.text(row.view), out);
        }
        put_rest(set.text("headers"), out);
    }
}

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

/// The parts of the start line of a head; none where it is not text, or is a single word.
pub(crate) fn start_line(head: &[u8]) -> Option<[&str; 3]> {
    let line = core::str::from_utf8(head.split(|octet| *octet == b'\n').next()?).ok()?;
    start_line_parts(line.strip_suffix('\r').unwrap_or(line))
}

/// The parts of a start line without its line end: of a request method, target and version; of an
/// answer version, status and reason.
pub fn start_line_parts(line: &str) -> Option<[&str; 3]> {
    let mut parts = line.splitn(3, ' ');
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

/// Bytes that the method of a request has at most, where no port tells the protocol.
const MAX_METHOD: usize = 16;

/// Whether the first line is one of the protocol, and can be nothing else: it is whole, printable,
/// an answer with its number, or a request with its method and version.
pub(crate) fn begins_surely(octets: &[u8], version: &str) -> bool {
    if !octets.first().is_some_and(u8::is_ascii_uppercase) {
        return false;
    }
    let Some(end) = octets.iter().position(|octet| *octet == b'\n') else {
        return false;
    };
    let line = octets[..end].strip_suffix(b"\r").unwrap_or(&octets[..end]);
    let Ok(line) = core::str::from_utf8(line) else {
        return false;
    };
    if let Some(answer) = line.strip_prefix(version) {
        let mut words = answer.split(' ').skip(1);
        return words
            .next()
            .is_some_and(|status| status.len() == 3 && status.parse::<u16>().is_ok());
    }
    let mut words = line.split(' ');
    let (Some(method), Some(target), Some(last), None) =
        (words.next(), words.next(), words.next(), words.next())
    else {
        return false;
    };
    let named = |octet: u8| octet.is_ascii_uppercase() || octet == b'-' || octet == b'_';
    method.len() <= MAX_METHOD
        && method.bytes().all(named)
        && !target.is_empty()
        && last.starts_with(version)
}

/// The headers as text, a line each, without the start line.
fn headers(head: &[u8]) -> Option<&str> {
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
fn put_start(parts: [&str; 3], out: &mut Vec<u8>) {
    out.extend(parts.join(" ").as_bytes());
    out.extend(b"\r\n");
}

/// Appends a header, if it has a value.
fn put(name: &str, value: Option<&str>, out: &mut Vec<u8>) {
    if let Some(value) = value {
        out.extend([name, ": ", value, "\r\n"].concat().as_bytes());
    }
}

/// Appends header lines as a program wrote them, each ended as it must be, and the empty line.
fn put_rest(lines: Option<&str>, out: &mut Vec<u8>) {
    for line in lines.unwrap_or("").lines() {
        out.extend(line.as_bytes());
        out.extend(b"\r\n");
    }
    out.extend(b"\r\n");
}
