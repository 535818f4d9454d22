//! Start lines and headers, written and read (RFC 9112 §3 to §5).

use super::{HttpRequest, malformed};
use crate::failure::{FailureCause, SessionFailure, quoted};
use crafty_wire::protocols::http::head::start_line_parts;
use std::collections::BTreeMap;

/// Headers of a response that are read.
const MAX_FIELDS: usize = 256;

/// The head of a response.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ResponseHead {
    /// `HTTP/1.1`.
    pub version: String,
    pub status: u16,
    pub reason: String,
    /// By name in lower case; a name that comes again has all its values, with commas between (RFC
    /// 9110 §5.2).
    pub fields: BTreeMap<String, String>,
}

/// The bytes of a request. Fails where a word would break out of its line.
pub(super) fn request(ask: &HttpRequest) -> Result<Vec<u8>, SessionFailure> {
    let unsayable = |message: String| SessionFailure::new(FailureCause::Unsayable, message);
    if !ask.path.starts_with('/') || !ask.path.bytes().all(|octet| octet.is_ascii_graphic()) {
        return Err(unsayable(format!(
            "`{}` is not a valid path: a path starts with `/` and contains no spaces or control characters",
            ask.path
        )));
    }
    let mut lines = vec![format!("{} {} HTTP/1.1", ask.method, ask.path)];
    let own = |name: &str| {
        ask.headers
            .iter()
            .any(|line| name_of(line).is_some_and(|it| it.eq_ignore_ascii_case(name)))
    };
    let mut unless_own = |name: &str, value: String| {
        if !own(name) {
            lines.push(format!("{name}: {value}"));
        }
    };
    unless_own("Host", ask.host.clone());
    unless_own("User-Agent", "crafty".into());
    unless_own("Accept", "*/*".into());
    if !ask.body.is_empty() || ask.method == "POST" {
        unless_own("Content-Length", ask.body.len().to_string());
    }
    for line in &ask.headers {
        name_of(line).ok_or_else(|| {
            unsayable(format!(
                "`{line}` is not a valid header: write `Name: value`"
            ))
        })?;
        lines.push(line.clone());
    }
    if let Some(line) = lines
        .iter()
        .find(|line| line.chars().any(|c| c.is_control() && c != '\t'))
    {
        return Err(unsayable(format!(
            "`{}` contains control characters, which could add another line",
            line.escape_debug()
        )));
    }
    let mut octets = (lines.join("\r\n") + "\r\n\r\n").into_bytes();
    octets.extend_from_slice(&ask.body);
    Ok(octets)
}

fn name_of(line: &str) -> Option<&str> {
    let (name, _) = line.split_once(':')?;
    let is_token = |c: u8| c.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&c);
    (!name.is_empty() && name.bytes().all(is_token)).then_some(name)
}

/// Whether bytes can still become a response.
pub(super) fn may_begin(octets: &[u8]) -> bool {
    octets.iter().zip(b"HTTP/1.").all(|(a, b)| a == b)
}

impl ResponseHead {
    /// The head in these bytes, which end with the empty line.
    pub fn read(octets: &[u8]) -> Result<ResponseHead, SessionFailure> {
        let text = String::from_utf8_lossy(octets);
        let mut lines = text.lines();
        let first = lines.next().unwrap_or_default();
        let [version, status, reason] = start_line_parts(first).unwrap_or([first, "", ""]);
        let number = status
            .parse::<u16>()
            .ok()
            .filter(|n| status.len() == 3 && (100..1000).contains(n));
        match number {
            Some(status) if version.starts_with("HTTP/1.") => Ok(ResponseHead {
                version: version.into(),
                status,
                reason: reason.trim().into(),
                fields: fields(lines)?,
            }),
            _ => Err(malformed(&format!(
                "the peer does not speak HTTP/1: it began with {}",
                quoted(first.as_bytes())
            ))),
        }
    }

    /// Whether another response follows to the same request. After 101 the connection speaks
    /// something else.
    pub fn is_interim(&self) -> bool {
        (100..200).contains(&self.status) && self.status != 101
    }

    /// A header.
    pub fn field(&self, name: &str) -> Option<&str> {
        self.fields.get(name).map(String::as_str)
    }
}

/// A line that begins with a blank continues the one before (RFC 9112 §5.2). One without a colon is
/// passed over.
fn fields<'a>(
    lines: impl Iterator<Item = &'a str>,
) -> Result<BTreeMap<String, String>, SessionFailure> {
    let mut fields: BTreeMap<String, String> = BTreeMap::new();
    let mut last = String::new();
    for (n, line) in lines.take_while(|line| !line.is_empty()).enumerate() {
        if n >= MAX_FIELDS {
            return Err(malformed("more than 256 headers"));
        }
        let folded = line.starts_with([' ', '\t']);
        let (name, value, between) = match line.split_once(':') {
            _ if folded => (core::mem::take(&mut last), line.trim(), " "),
            Some((name, value)) => (name.trim_end().to_ascii_lowercase(), value.trim(), ", "),
            None => continue,
        };
        fields
            .entry(name.clone())
            .and_modify(|held| {
                held.push_str(between);
                held.push_str(value);
            })
            .or_insert_with(|| value.to_string());
        last = name;
    }
    fields.remove("");
    Ok(fields)
}
