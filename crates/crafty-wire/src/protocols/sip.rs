//! Session Initiation Protocol: start line and headers. The body is what follows.

use super::http::framing::{self, BodyLength};
use super::http::head::{self, HeadFormat, HeaderView, header_view};
use crate::table::*;

/// The layer.
pub static LAYER: Layer = Layer {
    name: "SIP",
    title: "Session Initiation Protocol",
    spec: "RFC 3261",
    about: "Opens and closes calls. With `status` it is a response. `head` sets everything before the body as bytes.",
    example: "/IP(dst=192.0.2.1)/UDP(src=5060)/SIP(method=\"OPTIONS\", target=\"sip:bob@example.com\", call_id=\"1\")",
    fields: &layout([
        custom("head", &CODEC).extent(Extent::Found(head::head)).doc("Start line, headers and the empty line, as bytes."),
        text("method").extent(Extent::Bits).view().doc("Method; unset: `OPTIONS`."),
        text("target").extent(Extent::Bits).view().doc("Target; unset: `sip:localhost`."),
        text("version").extent(Extent::Bits).view().doc("Version; unset: `SIP/2.0`."),
        uint("status", 16).view().doc("Status: 180 is ringing, 200 success; makes it a response."),
        text("reason").extent(Extent::Bits).view().doc("Reason phrase."),
        text("via").extent(Extent::Bits).view().doc("First header `Via`: the return path."),
        text("from").extent(Extent::Bits).view().doc("Header `From`."),
        text("to").extent(Extent::Bits).view().doc("Header `To`."),
        text("call_id").extent(Extent::Bits).view().doc("Header `Call-ID`."),
        text("cseq").extent(Extent::Bits).view().doc("Header `CSeq`."),
        text("contact").extent(Extent::Bits).view().doc("Header `Contact`."),
        text("content_type").extent(Extent::Bits).view().doc("Header `Content-Type`."),
        text("content_length").extent(Extent::Bits).view().doc("Header `Content-Length`."),
        text("headers").extent(Extent::Bits).view().doc("All headers, one per line; when set: those that have no field of their own."),
    ]),
    under: &[under("UDP", "dst", 5060), under("TCP", "dst", 5060)],
    accepts: Some(|octets| head::begins(octets, FORMAT.versions)),
    begins: Some(|octets| head::begins_surely(octets, FORMAT.versions)),
    message: Some(message),
    ..Layer::BLANK
}
.seal();

static FORMAT: HeadFormat = HeadFormat {
    versions: "SIP/2.",
    version: "SIP/2.0",
    method: "OPTIONS",
    target: "sip:localhost",
    headers: &[
        compact("via", "Via", "v"),
        compact("from", "From", "f"),
        compact("to", "To", "t"),
        compact("call_id", "Call-ID", "i"),
        header_view("cseq", "CSeq"),
        compact("contact", "Contact", "m"),
        compact("content_type", "Content-Type", "c"),
        compact("content_length", "Content-Length", "l"),
    ],
};

const fn compact(view: &'static str, name: &'static str, compact: &'static str) -> HeaderView {
    HeaderView {
        view,
        name,
        compact,
    }
}

static CODEC: Codec = Codec {
    about: "Start line and headers of SIP.",
    read: |head, view| FORMAT.read(head, view),
    write: |header, _, out| FORMAT.write(header, out),
};

/// In a stream every message tells the length of its body (RFC 3261 §18.3).
fn message(scan: &mut Scan, octets: &[u8]) -> Framing {
    framing::message(scan, octets, FORMAT.versions, |message, _| {
        let length = head::header(message, "Content-Length").or_else(|| head::header(message, "l"));
        Some(BodyLength::Bytes(
            length.and_then(framing::content_length).unwrap_or(0),
        ))
    })
}
