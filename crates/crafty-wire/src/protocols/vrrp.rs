//! Virtual Router Redundancy Protocol, versions 2 and 3.

use alloc::vec::Vec;

use crate::table::*;

/// The layer.
pub static LAYER: Layer = Layer {
    name: "VRRP",
    title: "Virtual Router Redundancy Protocol",
    spec: "RFC 3768, RFC 5798",
    about: "Routers agree on which of them answers for an address.",
    example: "/IP(dst=224.0.0.18, ttl=255)/VRRP(vrid=1, address=192.0.2.254)",
    fields: &layout([
        uint("version", 4).default(3).doc("Version."),
        uint("type", 4).default(1).doc("1: advertisement."),
        uint("vrid", 8).default(1).doc("The virtual router."),
        uint("priority", 8)
            .default(100)
            .doc("The highest wins; 0: the router gives up its role."),
        uint("count", 8)
            .default(1)
            .doc("Number of addresses that follow."),
        uint("auth_type", 8)
            .when(When::NotIn("version", &[3]))
            .doc("Kind of authentication; version 2."),
        uint("interval", 8)
            .when(When::NotIn("version", &[3]))
            .default(1)
            .doc("Seconds between advertisements; version 2."),
        uint("reserved", 4)
            .when(When::In("version", &[3]))
            .doc("Reserved."),
        uint("max_interval", 12)
            .when(When::In("version", &[3]))
            .default(100)
            .doc("Time between advertisements, in 10 ms; version 3."),
        uint("checksum", 16)
            .computed(Auto::Checksum(Checksum {
                case: Some(covered),
                ..INTERNET
            }))
            .doc("Checksum of the message; in version 3, with the pseudo-header."),
        custom("addresses", &CODEC)
            .doc("The addresses, and in version 2 eight bytes of authentication, as bytes."),
        ip4("address").view().doc("First IPv4 address."),
        ip6("address6").view().doc("First IPv6 address; over IPv6."),
    ]),
    under: &[under("IP", "proto", 112)],
    ..Layer::BLANK
}
.seal();

static CODEC: Codec = Codec {
    about: "Addresses of a virtual router.",
    read,
    write,
};
const VERSION: Slot = LAYER.slot("version");
const COUNT: Slot = LAYER.slot("count");
const FIXED: usize = 8;

/// Version 3 counts the pseudo-header, version 2 does not (RFC 5798 §5.2.8); over IPv4 version 3
/// may leave it out (RFC 9568 §5.2.8).
fn covered(header: &[u8], over_ip6: bool) -> ChecksumException {
    let third = VERSION.get(header) == Some(3);
    ChecksumException {
        pseudo: third,
        either: third && !over_ip6,
        octets: usize::MAX,
    }
}

/// The size of an address follows from their number and the size of all.
fn read(header: &[u8], view: &str) -> Option<FieldValue> {
    let addresses = header.get(FIXED..)?;
    let count = usize::try_from(COUNT.get(header)?)
        .ok()
        .filter(|count| *count > 0)?;
    let auth = if VERSION.get(header)? == 2 { 8 } else { 0 };
    match (view, addresses.len().checked_sub(auth)? / count) {
        ("address", 4) => Some(FieldValue::Uint(
            u32::from_be_bytes(addresses.get(..4)?.try_into().ok()?).into(),
        )),
        ("address6", 16) => Some(FieldValue::Wide(u128::from_be_bytes(
            addresses.get(..16)?.try_into().ok()?,
        ))),
        _ => None,
    }
}

fn write(header: &Header, start: usize, out: &mut Vec<u8>) {
    match (header.value("address"), header.value("address6")) {
        (Some(FieldValue::Uint(address)), _) => out.extend((*address as u32).to_be_bytes()),
        (_, Some(FieldValue::Wide(address))) => out.extend(address.to_be_bytes()),
        _ if header.value("count").is_none() => COUNT.set(&mut out[start..], 0),
        _ => {}
    }
    if VERSION.get(&out[start..]) == Some(2) {
        out.extend([0; 8]);
    }
}
