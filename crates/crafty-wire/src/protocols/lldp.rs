//! Link Layer Discovery Protocol.

use crate::table::*;

/// The layer.
pub static LAYER: Layer = Layer {
    name: "LLDP",
    title: "Link Layer Discovery Protocol",
    spec: "IEEE 802.1AB",
    about: "A station tells its neighbours who it is, on which port, and what it can do.",
    example: "/Eth(dst=01:80:c2:00:00:0e)/LLDP(tlvs=[chassis_id(7, \"sw1\"), port_id(7, \"p1\"), ttl(120), end])",
    fields: &layout([options("tlvs", &TLVS).extent(Extent::Found(list)).doc("What is told; `end` is the last one.")]),
    under: &[under("Eth", "type", 0x88cc)],
    body: Some(all_padding),
    ..Layer::BLANK
}
.seal();

static TLVS: Tlv = Tlv {
    options: &[
        opt(0, "end", Shape::Fields(&[]), "End of the list."),
        opt(1, "chassis_id", Shape::Fields(ID), "Which station: subtype 4 is a MAC address, 7 a name."),
        opt(2, "port_id", Shape::Fields(ID), "Which port: subtype 3 is a MAC address, 5 an interface name, 7 a name."),
        opt(3, "ttl", Shape::Fields(&layout([uint("seconds", 16).doc("Seconds.")])), "How long this holds."),
        opt(4, "port_description", Shape::Fields(TEXT), "Description of the port."),
        opt(5, "system_name", Shape::Fields(TEXT), "Name of the station."),
        opt(6, "system_description", Shape::Fields(TEXT), "Description of the station."),
        opt(7, "capabilities", Shape::Fields(&layout([
            flags("supported", CAPABILITIES).doc("What it could do."),
            flags("enabled", CAPABILITIES).doc("What it does."),
        ])), "What the station can do."),
        opt(8, "management_address", Shape::Fields(&layout([
            uint("len", 8).doc("Octets of subtype and address."),
            uint("subtype", 8).doc("1 IPv4, 2 IPv6."),
            bytes("rest").doc("Address, interface and object."),
        ])), "Where the station is managed."),
        opt(127, "organization", Shape::Fields(&layout([
            uint("oui", 24).doc("Who defined it."),
            uint("subtype", 8).doc("Which of theirs."),
            bytes("data").doc("What it holds."),
        ])), "What an organization defined."),
    ],
    kind: Slot::at(0, 7),
    len: Slot::at(7, 9),
    counts_head: false,
    end: Some(0),
    ..KIND_LENGTH
};

const TEXT: &[Field] = &layout([text("text").doc("Text.")]);
const ID: &[Field] = &layout([uint("subtype", 8).doc("What the identifier is."), bytes("id").doc("The identifier.")]);
const CAPABILITIES: &[&str] = &[
    "r15", "r14", "r13", "r12", "r11", "two_port_relay", "s_vlan", "c_vlan", "station", "docsis", "telephone", "router", "wlan", "bridge",
    "repeater", "other",
];

/// Octets of the list up to its end mark; all of them if there is none.
fn list(octets: &[u8]) -> Option<usize> {
    let mut at = 0;
    while let Some(&[kind, len]) = octets.get(at..at + 2) {
        at += 2 + (usize::from(kind & 1) << 8 | usize::from(len));
        if kind >> 1 == 0 {
            return Some(at.min(octets.len()));
        }
    }
    Some(octets.len())
}
