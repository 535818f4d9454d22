//! A message of TLS's handshake by itself, as it is once the records of a stream or the packets of
//! QUIC that held it are joined. No layer finds it below another one.

use super::tls::hello;
use crate::stream::behind_length;
use crate::table::*;

use super::tls::{CERTIFICATE, HANDSHAKES, names};

/// The layer.
pub static LAYER: Layer = Layer {
    name: "TLSHandshake",
    title: "Message of a TLS handshake",
    spec: "RFC 8446 section 4",
    about: "A message that several records of TLS, or packets of QUIC, held. The fields of its body are read only.",
    example: "/TLSHandshake(type=server_hello_done)",
    fields: &layout([
        named("type", 8, HANDSHAKES).default(1).doc("Kind of message."),
        uint("len", 24).computed(Auto::Length { of: Of::Field, unit: 1, add: 0 }).doc("Length of its body, in bytes."),
        bytes("body").extent(Extent::Counted("len")).doc("What it says, as bytes."),
        named("hello_version", 16, hello::VERSIONS).view().doc("Version that a hello names; the real one is in `versions`."),
        bytes("random").extent(Extent::Bits).view().doc("Random bytes of a hello."),
        bytes("session_id").extent(Extent::Bits).view().doc("Session of a hello."),
        uint("cipher", 16).view().doc("Cipher suite that a server chose."),
        text("ciphers").extent(Extent::Bits).view().doc("Cipher suites that a client offers, in hex, with spaces between."),
        text("sni").extent(Extent::Bits).view().doc("Server that a client wants."),
        text("alpn").extent(Extent::Bits).view().doc("Protocols offered or chosen, with spaces between."),
        text("versions").extent(Extent::Bits).view().doc("Versions offered or chosen, with spaces between."),
        text("groups").extent(Extent::Bits).view().doc("Groups for keys that a client takes, in hex, with spaces between."),
        text("key_share").extent(Extent::Bits).view().doc("Groups of the keys offered, or of the one chosen, in hex."),
        text("extensions").extent(Extent::Bits).view().doc("Numbers of the extensions in their order, in hex."),
        uint("retry", 1).view().doc("1 in a hello of a server that asks for another one from the client."),
        text("cert_names").extent(Extent::Bits).view().doc("Names in the first certificate, with spaces between."),
    ]),
    message: Some(message),
    views: Some(view),
    ..Layer::BLANK
}
.seal();

const TYPE: Slot = LAYER.slot("type");
const LEN: Slot = LAYER.slot("len");
const FIXED: usize = 4;

/// A message of a kind that has a name; what has none is enciphered, and none.
fn message(_: &mut Scan, octets: &[u8]) -> Framing {
    match octets.first() {
        Some(kind) if !HANDSHAKES.iter().any(|row| row.0 == u64::from(*kind)) => Framing::Foreign,
        _ => behind_length(octets, FIXED, |head| Some(FIXED + LEN.get(head)? as usize)),
    }
}

fn view(message: &[u8], view: &str) -> Option<FieldValue> {
    let (kind, body) = (TYPE.get(message)? as u8, message.get(FIXED..)?);
    match view {
        "cert_names" => Some(body).filter(|_| kind == CERTIFICATE).and_then(names),
        _ => hello::read(&hello::hello(kind, body)?, view),
    }
}
