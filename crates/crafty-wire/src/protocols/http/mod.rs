//! Hypertext Transfer Protocol, version 1: start line and headers. The body is what follows.

pub mod framing;

use alloc::string::ToString;
use alloc::vec::Vec;

use crate::table::*;
use framing::Rest;

/// The layer.
pub static LAYER: Layer = Layer {
    name: "HTTP",
    title: "Hypertext Transfer Protocol, version 1",
    spec: "RFC 9112",
    about: "Asks a server for something, and answers. With `status` it is an answer. `head` sets all up to the body as bytes.",
    example: "/IP(dst=192.0.2.1)/TCP(src=50000, dst=80)/HTTP(method=\"GET\", target=\"/\", host=\"example.com\")",
    fields: &layout([
        custom("head", &CODEC).extent(Extent::Found(framing::head)).doc("Start line, headers and the empty line, as bytes."),
        text("method").extent(Extent::Bits).view().doc("What is to be done; unset: `GET`."),
        text("target").extent(Extent::Bits).view().doc("With what; unset: `/`."),
        text("version").extent(Extent::Bits).view().doc("Version; unset: `HTTP/1.1`."),
        uint("status", 16).view().doc("Outcome: 200 is success; makes it an answer."),
        text("reason").extent(Extent::Bits).view().doc("Outcome in words."),
        text("host").extent(Extent::Bits).view().doc("Header `Host`."),
        text("content_type").extent(Extent::Bits).view().doc("Header `Content-Type`."),
        text("content_length").extent(Extent::Bits).view().doc("Header `Content-Length`."),
        text("user_agent").extent(Extent::Bits).view().doc("Header `User-Agent`."),
        text("location").extent(Extent::Bits).view().doc("Header `Location`."),
        text("server").extent(Extent::Bits).view().doc("Header `Server`."),
        text("headers").extent(Extent::Bits).view().doc("All headers, a line each; set: those that have no field here."),
    ]),
    under: &[under("TCP", "dst", 80), under("TCP", "dst", 8080)],
    accepts: Some(|octets| framing::begins(octets, VERSION)),
    message: Some(message),
    turn: Some(|message| match message {
        [b'H', b'E', b'A', b'D', b' ', ..] | [b'C', b'O', b'N', b'N', b'E', b'C', b'T', b' ', ..] => Turn::AsksBare,
        [b'H', b'T', b'T', b'P', b'/', b'1', b'.', _, b' ', b'1', _, _, ..] if !message[9..].starts_with(b"101") => Turn::Neither,
        [b'H', b'T', b'T', b'P', b'/', b'1', b'.', ..] => Turn::Answers,
        _ => Turn::Asks,
    }),
    ..Layer::BLANK
}
.seal();

const VERSION: &str = "HTTP/1.";
const HEADERS: [(&str, &str); 6] = [
    ("host", "Host"),
    ("user_agent", "User-Agent"),
    ("server", "Server"),
    ("location", "Location"),
    ("content_type", "Content-Type"),
    ("content_length", "Content-Length"),
];

/// How long a message is by its head (RFC 9112 §6.3).
fn message(scan: &mut Scan, octets: &[u8]) -> Framing {
    framing::message(scan, octets, VERSION, |head, bare| {
        let [_, second, _] = framing::start_line(head)?;
        let answer = head.starts_with(VERSION.as_bytes());
        let bodiless =
            answer && (bare || second.starts_with('1') || matches!(second, "204" | "304"));
        let chunked = framing::header(head, "Transfer-Encoding").map(|codings| {
            codings
                .rsplit(',')
                .next()
                .is_some_and(|last| last.trim().eq_ignore_ascii_case("chunked"))
        });
        Some(
            match (
                bodiless,
                chunked,
                framing::content_length(framing::header(head, "Content-Length")),
            ) {
                (true, ..) => Rest::Octets(0),
                (false, Some(true), _) => Rest::Chunks,
                (false, None, Some(length)) => Rest::Octets(length),
                _ if answer => Rest::ToEnd,
                _ => Rest::Octets(0),
            },
        )
    })
}

static CODEC: Codec = Codec {
    about: "Start line and headers of HTTP.",
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
        _ => HEADERS
            .iter()
            .find(|row| row.0 == view)
            .and_then(|row| text_value(framing::header(head, row.1)?)),
    }
}

fn write(header: &Header, _: usize, out: &mut Vec<u8>) {
    let set = |name: &str| header.text(name);
    let version = set("version").unwrap_or("HTTP/1.1");
    match header.uint("status") {
        Some(status) => framing::put_start(
            [version, &status.to_string(), set("reason").unwrap_or("")],
            out,
        ),
        None => framing::put_start(
            [
                set("method").unwrap_or("GET"),
                set("target").unwrap_or("/"),
                version,
            ],
            out,
        ),
    }
    HEADERS
        .iter()
        .for_each(|(view, name)| framing::put(name, set(view), out));
    framing::put_rest(set("headers"), out);
}
