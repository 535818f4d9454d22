//! Session Initiation Protocol: start line and headers. The body is what follows.

use alloc::string::ToString;
use alloc::vec::Vec;

use super::http::framing::{self, Rest};
use crate::table::*;

/// The layer.
pub static LAYER: Layer = Layer {
    name: "SIP",
    title: "Session Initiation Protocol",
    spec: "RFC 3261",
    about: "Opens and closes calls. With `status` it is an answer. `head` sets all up to the body as bytes.",
    example: "/IP(dst=192.0.2.1)/UDP(src=5060)/SIP(method=\"OPTIONS\", target=\"sip:bob@example.com\", call_id=\"1\")",
    fields: &layout([
        custom("head", &CODEC).extent(Extent::Found(framing::head)).doc("Start line, headers and the empty line, as bytes."),
        text("method").extent(Extent::Bits).view().doc("What is to be done; unset: `OPTIONS`."),
        text("target").extent(Extent::Bits).view().doc("With whom; unset: `sip:localhost`."),
        text("version").extent(Extent::Bits).view().doc("Version; unset: `SIP/2.0`."),
        uint("status", 16).view().doc("Outcome: 180 is ringing, 200 success; makes it an answer."),
        text("reason").extent(Extent::Bits).view().doc("Outcome in words."),
        text("via").extent(Extent::Bits).view().doc("First header `Via`: the way back."),
        text("from").extent(Extent::Bits).view().doc("Header `From`."),
        text("to").extent(Extent::Bits).view().doc("Header `To`."),
        text("call_id").extent(Extent::Bits).view().doc("Header `Call-ID`."),
        text("cseq").extent(Extent::Bits).view().doc("Header `CSeq`."),
        text("contact").extent(Extent::Bits).view().doc("Header `Contact`."),
        text("content_type").extent(Extent::Bits).view().doc("Header `Content-Type`."),
        text("content_length").extent(Extent::Bits).view().doc("Header `Content-Length`."),
        text("headers").extent(Extent::Bits).view().doc("All headers, a line each; set: those that have no field here."),
    ]),
    under: &[under("UDP", "dst", 5060), under("TCP", "dst", 5060)],
    accepts: Some(|octets| framing::begins(octets, VERSION)),
    message: Some(message),
    ..Layer::BLANK
}
.seal();

const VERSION: &str = "SIP/2.";
/// View, name and short form (RFC 3261 §7.3.3) of headers.
const HEADERS: [(&str, &str, &str); 8] = [
    ("via", "Via", "v"),
    ("from", "From", "f"),
    ("to", "To", "t"),
    ("call_id", "Call-ID", "i"),
    ("cseq", "CSeq", "CSeq"),
    ("contact", "Contact", "m"),
    ("content_type", "Content-Type", "c"),
    ("content_length", "Content-Length", "l"),
];

/// In a stream every message tells the length of its body (RFC 3261 §18.3).
fn message(scan: &mut Scan, octets: &[u8]) -> Framing {
    framing::message(scan, octets, VERSION, |head, _| {
        let length = framing::header(head, "Content-Length").or_else(|| framing::header(head, "l"));
        Some(Rest::Octets(framing::content_length(length).unwrap_or(0)))
    })
}

static CODEC: Codec = Codec {
    about: "Start line and headers of SIP.",
    read,
    write,
};

fn read(head: &[u8], view: &str) -> Option<FieldValue> {
    let [first, second, third] = framing::start_line(head)?;
    let answer = first.starts_with(VERSION);
    match view {
        "method" if !answer => text_value(first),
        "target" if !answer => text_value(second),
        "version" => text_value(if answer { first } else { third }),
        "status" if answer => second
            .parse::<u16>()
            .ok()
            .map(|status| FieldValue::Uint(status.into())),
        "reason" if answer => text_value(third),
        "headers" => text_value(framing::headers(head)?),
        _ => {
            let (_, name, short) = HEADERS.iter().find(|row| row.0 == view)?;
            text_value(framing::header(head, name).or_else(|| framing::header(head, short))?)
        }
    }
}

fn write(header: &Header, _: usize, out: &mut Vec<u8>) {
    let set = |name: &str| header.text(name);
    let version = set("version").unwrap_or("SIP/2.0");
    match header.uint("status") {
        Some(status) => framing::put_start(
            [version, &status.to_string(), set("reason").unwrap_or("")],
            out,
        ),
        None => framing::put_start(
            [
                set("method").unwrap_or("OPTIONS"),
                set("target").unwrap_or("sip:localhost"),
                version,
            ],
            out,
        ),
    }
    HEADERS
        .iter()
        .for_each(|(view, name, _)| framing::put(name, set(view), out));
    framing::put_rest(set("headers"), out);
}
