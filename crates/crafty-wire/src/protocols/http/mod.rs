//! Hypertext Transfer Protocol, version 1: start line and headers. The body is what follows.

pub mod framing;
pub mod head;

use crate::table::*;
use framing::BodyLength;
use head::{HeadFormat, header_view};

/// The layer.
pub static LAYER: Layer = Layer {
    name: "HTTP",
    title: "Hypertext Transfer Protocol, version 1",
    spec: "RFC 9112",
    about: "Carries requests to a server, and its responses. With `status` it is a response. `head` sets everything before the body as bytes.",
    example: "/IP(dst=192.0.2.1)/TCP(src=50000, dst=80)/HTTP(method=\"GET\", target=\"/\", host=\"example.com\")",
    fields: &layout([
        custom("head", &CODEC).extent(Extent::Found(head::head)).doc("Start line, headers and the empty line, as bytes."),
        text("method").extent(Extent::Bits).view().doc("Method; unset: `GET`."),
        text("target").extent(Extent::Bits).view().doc("Target; unset: `/`."),
        text("version").extent(Extent::Bits).view().doc("Version; unset: `HTTP/1.1`."),
        uint("status", 16).view().doc("Status: 200 is success; makes it a response."),
        text("reason").extent(Extent::Bits).view().doc("Reason phrase."),
        text("host").extent(Extent::Bits).view().doc("Header `Host`."),
        text("content_type").extent(Extent::Bits).view().doc("Header `Content-Type`."),
        text("content_length").extent(Extent::Bits).view().doc("Header `Content-Length`."),
        text("user_agent").extent(Extent::Bits).view().doc("Header `User-Agent`."),
        text("location").extent(Extent::Bits).view().doc("Header `Location`."),
        text("server").extent(Extent::Bits).view().doc("Header `Server`."),
        text("headers").extent(Extent::Bits).view().doc("All headers, one per line; when set: those that have no field of their own."),
    ]),
    under: &[under("TCP", "dst", 80), under("TCP", "dst", 8080), under("UDP", "dst", 1900)],
    accepts: Some(|octets| head::begins(octets, FORMAT.versions)),
    begins: Some(|octets| head::begins_surely(octets, FORMAT.versions)),
    message: Some(message),
    turn: Some(|message| match message {
        [b'H', b'E', b'A', b'D', b' ', ..] | [b'C', b'O', b'N', b'N', b'E', b'C', b'T', b' ', ..] => MessageTurn::AsksBare,
        [b'H', b'T', b'T', b'P', b'/', b'1', b'.', _, b' ', b'1', _, _, ..] if !message[9..].starts_with(b"101") => MessageTurn::Neither,
        [b'H', b'T', b'T', b'P', b'/', b'1', b'.', ..] => MessageTurn::Answers,
        _ => MessageTurn::Asks,
    }),
    ..Layer::BLANK
}
.seal();

static FORMAT: HeadFormat = HeadFormat {
    versions: "HTTP/1.",
    version: "HTTP/1.1",
    method: "GET",
    target: "/",
    headers: &[
        header_view("host", "Host"),
        header_view("user_agent", "User-Agent"),
        header_view("server", "Server"),
        header_view("location", "Location"),
        header_view("content_type", "Content-Type"),
        header_view("content_length", "Content-Length"),
    ],
};

static CODEC: Codec = Codec {
    about: "Start line and headers of HTTP.",
    read: |head, view| FORMAT.read(head, view),
    write: |header, _, out| FORMAT.write(header, out),
};

/// How long a message is by its head (RFC 9112 §6.3).
fn message(scan: &mut Scan, octets: &[u8]) -> Framing {
    framing::message(scan, octets, FORMAT.versions, |head, bare| {
        let [first, second, _] = head::start_line(head)?;
        let answer = first.starts_with(FORMAT.versions);
        let bodiless = answer && (bare || second.parse().is_ok_and(framing::is_bodiless));
        let chunked = head::header(head, "Transfer-Encoding").map(framing::ends_chunked);
        let length = head::header(head, "Content-Length").and_then(framing::content_length);
        Some(match (chunked, length) {
            _ if bodiless => BodyLength::Bytes(0),
            (Some(true), _) => BodyLength::Chunks,
            (None, Some(length)) => BodyLength::Bytes(length),
            _ if answer => BodyLength::UntilClose,
            _ => BodyLength::Bytes(0),
        })
    })
}
