//! A message of TLS's handshake by itself, as it is once the records of a stream or the packets of
//! QUIC that held it are joined. No layer finds it below another one.

use super::tls::hello;
use super::tls::hello_views::with_hello_views;
use crate::stream::behind_length;
use crate::table::*;

use super::tls::{CERTIFICATE, HANDSHAKES, names};

/// The layer.
pub static LAYER: Layer = Layer {
    name: "TLSHandshake",
    title: "Message of a TLS handshake",
    spec: "RFC 8446 section 4",
    about: "A message that was split over several TLS records or QUIC packets. The fields of its body are read only.",
    example: "/TLSHandshake(type=server_hello_done)",
    fields: &with_hello_views!([
        named("type", 8, HANDSHAKES).default(1).doc("Kind of message."),
        uint("len", 24).computed(Auto::Length { of: Of::Field, unit: 1, add: 0 }).doc("Length of its body, in bytes."),
        bytes("body").extent(Extent::Counted("len")).doc("Body, as bytes."),
    ], [
    ]),
    whole: Some(|message| {
        hello::fault(TYPE.get(message)? as u8, message.get(FIXED..)?).map(|why| (FIXED, why))
    }),
    message: Some(message),
    views: Some(view),
    ..Layer::BLANK
}
.seal();

const TYPE: Slot = LAYER.slot("type");
const LEN: Slot = LAYER.slot("len");
const FIXED: usize = 4;

/// A message of a kind that has a name; what has none is encrypted, and none.
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
