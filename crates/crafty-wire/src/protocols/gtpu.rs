//! GPRS Tunnelling Protocol, user plane.

use alloc::vec::Vec;

use crate::table::*;

/// The layer.
pub static LAYER: Layer = Layer {
    name: "GTPU",
    title: "GPRS Tunnelling Protocol, user plane",
    spec: "3GPP TS 29.281",
    about: "Carries the packets of mobile devices. `seq`, `npdu` and `ext` are all present if any of the flags is set.",
    example: "/IP(dst=192.0.2.1)/UDP(src=2152)/GTPU(teid=7)/IP(dst=198.51.100.1)/UDP(dst=53)",
    fields: &layout([
        uint("version", 3).default(1).doc("Version."),
        uint("pt", 1).default(1).doc("1 for GTP, 0 for GTP'."),
        uint("reserved", 1).doc("Reserved."),
        flags("flags", &["e", "s", "pn"]).doc("`e`: extension headers, `s`: sequence number, `pn`: N-PDU number."),
        named("type", 8, TYPES).default(255).doc("Kind of message."),
        uint("len", 16).computed(Auto::Length { of: Of::Total, unit: 1, add: -8 }).doc("Number of bytes after the first eight."),
        uint("teid", 32).doc("Tunnel."),
        uint("seq", 16).modular().when(When::Has("flags", "")).doc("Number of the packet."),
        uint("npdu", 8).when(When::Has("flags", "")).doc("N-PDU number."),
        custom("ext", &CODEC).when(When::Has("flags", "")).extent(Extent::Found(extensions)).doc("Kind of the first extension header, and those headers."),
        named("next", 8, EXTENSIONS).view().doc("Kind of the first extension header."),
        uint("pdu_type", 4).view().doc("0 downlink, 1 uplink; builds a PDU session container, with `qfi`."),
        uint("qfi", 6).view().doc("QoS flow identifier; builds a PDU session container."),
    ]),
    under: &[under("UDP", "dst", 2152)],
    next: NextLayer::Peek(next),
    check: Some(|header| is_endless(header).then_some("an extension header has the length 0")),
    accepts: Some(|octets| octets.first().is_some_and(|octet| octet >> 4 == 3)),
    role: LayerRole::Tunnel,
    ..Layer::BLANK
}
.seal();

const TYPES: NameTable = &[
    (1, "echo_request"),
    (2, "echo_response"),
    (26, "error_indication"),
    (31, "extension_headers"),
    (254, "end_marker"),
    (255, "gpdu"),
];
const EXTENSIONS: NameTable = &[
    (0, "none"),
    (0x20, "service_class"),
    (0x40, "udp_port"),
    (0x85, "pdu_session"),
    (0xc0, "pdcp"),
];
const TYPE: Slot = LAYER.slot("type");
const PDU_SESSION: u8 = 0x85;
/// First byte of `ext`: after the fixed part, number and N-PDU number.
const EXT: usize = 11;

static CODEC: Codec = Codec {
    about: "Extension headers of GTP.",
    read,
    write,
};

/// Whether the extension headers end in one of length 0, which no length can be (TS 29.281 §5.2.1):
/// where the next one begins is not known.
fn is_endless(header: &[u8]) -> bool {
    let mut rest = header.get(EXT..).unwrap_or(&[]);
    while let [kind, words, ..] = *rest {
        match (kind, words) {
            (0, _) => return false,
            (_, 0) => return true,
            _ => rest = rest.get(usize::from(words) * 4..).unwrap_or(&[]),
        }
    }
    false
}

/// Bytes from the kind of the first extension header to the end of the last one; each has its
/// length in words first, and the kind of the one behind it last.
fn extensions(octets: &[u8]) -> Option<usize> {
    let mut at = 0;
    while *octets.get(at)? != 0 {
        let words = usize::from(*octets.get(at + 1)?);
        if words == 0 {
            return Some(at + 2);
        }
        at += words * 4;
    }
    Some(at + 1)
}

fn read(header: &[u8], view: &str) -> Option<FieldValue> {
    let ext = header.get(EXT..)?;
    let session = || ext.get(2..4).filter(|_| ext[0] == PDU_SESSION);
    Some(FieldValue::Uint(match view {
        "next" => (*ext.first()?).into(),
        "pdu_type" => (session()?[0] >> 4).into(),
        "qfi" => (session()?[1] & 0x3f).into(),
        _ => return None,
    }))
}

fn write(header: &Header, _: usize, out: &mut Vec<u8>) {
    let number = |name: &str| {
        header
            .value(name)
            .and_then(FieldValue::as_uint)
            .map(|value| value as u8)
    };
    if number("qfi").is_some() || number("pdu_type").is_some() {
        out.extend([
            PDU_SESSION,
            1,
            number("pdu_type").unwrap_or(0) << 4,
            number("qfi").unwrap_or(0),
        ]);
        out.push(0);
    } else {
        out.push(number("next").unwrap_or(0));
    }
}

/// A packet of the station, by its version; what else it may be nothing here tells.
fn next(header: &[u8], payload: &[u8]) -> Option<&'static Layer> {
    if is_endless(header) {
        return None;
    }
    match (TYPE.get(header)?, payload.first()? >> 4) {
        (255, 4) => Some(&super::ip::LAYER),
        (255, 6) => Some(&super::ip6::LAYER),
        _ => None,
    }
}
