//! Syslog, in its old form and in the one of RFC 5424.

use alloc::format;
use alloc::vec::Vec;

use crate::table::*;

/// The layer.
pub static LAYER: Layer = Layer {
    name: "Syslog",
    title: "Syslog",
    spec: "RFC 5424, RFC 3164",
    about: "Reports an event as a line of text. With `version` it has the form of RFC 5424, otherwise the old form, of which only the priority is defined.",
    example: "/IP(dst=192.0.2.1)/UDP(src=50000)/Syslog(facility=4, severity=err, message=\"no route\")",
    fields: &layout([
        custom("line", &CODEC).doc("The whole message, as bytes."),
        uint("facility", 8).view().doc("Facility: kind of program; unset: 1, user."),
        named("severity", 3, SEVERITIES).view().doc("Severity; unset: `notice`."),
        uint("version", 16).view().doc("1: the form of RFC 5424."),
        text("timestamp").extent(Extent::Bits).view().doc("Time; RFC 5424."),
        text("host").extent(Extent::Bits).view().doc("Host; RFC 5424."),
        text("app").extent(Extent::Bits).view().doc("Program; RFC 5424."),
        text("process").extent(Extent::Bits).view().doc("Process; RFC 5424."),
        text("message_id").extent(Extent::Bits).view().doc("Kind of message; RFC 5424."),
        text("message").extent(Extent::Bits).view().doc("The message; structured data comes first in RFC 5424."),
    ]),
    under: &[under("UDP", "dst", 514)],
    accepts: Some(|octets| priority(octets).is_some()),
    ..Layer::BLANK
}
.seal();

const SEVERITIES: NameTable = &[
    (0, "emerg"),
    (1, "alert"),
    (2, "crit"),
    (3, "err"),
    (4, "warning"),
    (5, "notice"),
    (6, "info"),
    (7, "debug"),
];
/// Fields of the form of RFC 5424 in their order, each with a space behind.
const FIELDS: [&str; 5] = ["timestamp", "host", "app", "process", "message_id"];
const NONE: &str = "-";

static CODEC: Codec = Codec {
    about: "A line of syslog.",
    read,
    write,
};

/// The number in angle brackets and what is behind it.
fn priority(octets: &[u8]) -> Option<(u64, &[u8])> {
    let rest = octets.strip_prefix(b"<")?;
    let end = rest.iter().take(4).position(|octet| *octet == b'>')?;
    let digits = core::str::from_utf8(&rest[..end])
        .ok()
        .filter(|digits| digits.bytes().all(|digit| digit.is_ascii_digit()))?;
    Some((
        digits.parse().ok().filter(|number| *number <= 191)?,
        &rest[end + 1..],
    ))
}

fn read(line: &[u8], view: &str) -> Option<FieldValue> {
    let (number, rest) = priority(line)?;
    let text = core::str::from_utf8(rest).ok();
    let new = || text?.strip_prefix("1 ");
    match view {
        "facility" => Some(FieldValue::Uint(number >> 3)),
        "severity" => Some(FieldValue::Uint(number & 7)),
        "version" => new().map(|_| FieldValue::Uint(1)),
        "message" => text_value(new().map_or(text, |new| {
            new.splitn(FIELDS.len() + 1, ' ').nth(FIELDS.len())
        })?),
        _ => {
            let at = FIELDS.iter().position(|name| *name == view)?;
            text_value(new()?.splitn(FIELDS.len() + 1, ' ').nth(at)?)
        }
    }
}

fn write(header: &Header, _: usize, out: &mut Vec<u8>) {
    let number = |name: &str, otherwise: u64| header.uint(name).unwrap_or(otherwise);
    let (facility, severity) = (number("facility", 1), number("severity", 5));
    out.extend(format!("<{}>", facility << 3 | severity).as_bytes());
    if let Some(version) = header.uint("version") {
        out.extend(format!("{version} ").as_bytes());
        for name in FIELDS {
            out.extend(header.text(name).unwrap_or(NONE).as_bytes());
            out.push(b' ');
        }
    }
    out.extend(header.text("message").unwrap_or("").as_bytes());
}
