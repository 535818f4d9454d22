//! Link Layer Discovery Protocol.

use crate::table::*;

/// The layer.
pub static LAYER: Layer = Layer {
    name: "LLDP",
    title: "Link Layer Discovery Protocol",
    spec: "IEEE 802.1AB",
    about: "A device announces its name, port and capabilities to its neighbours.",
    example: "/Eth(dst=01:80:c2:00:00:0e)/LLDP(tlvs=[chassis_id(7, \"sw1\"), port_id(7, \"p1\"), ttl(120), end])",
    fields: &layout([options("tlvs", &TLVS).extent(Extent::Found(list)).doc("Contents; `end` is the last entry.")]),
    under: &[under("Eth", "type", 0x88cc)],
    body: Some(all_padding),
    ..Layer::BLANK
}
.seal();

static TLVS: Tlv = Tlv {
    options: &[
        opt(0, "end", OptionShape::Fields(&[]), "End of the list."),
        opt(
            1,
            "chassis_id",
            OptionShape::Fields(ID),
            "Device: subtype 4 is a MAC address, 7 a name.",
        ),
        opt(
            2,
            "port_id",
            OptionShape::Fields(ID),
            "Port: subtype 3 is a MAC address, 5 an interface name, 7 a name.",
        ),
        opt(
            3,
            "ttl",
            OptionShape::Fields(&layout([uint("seconds", 16).doc("Seconds.")])),
            "How long this is valid.",
        ),
        opt(
            4,
            "port_description",
            OptionShape::Fields(TEXT),
            "Description of the port.",
        ),
        opt(
            5,
            "system_name",
            OptionShape::Fields(TEXT),
            "Name of the device.",
        ),
        opt(
            6,
            "system_description",
            OptionShape::Fields(TEXT),
            "Description of the device.",
        ),
        opt(
            7,
            "capabilities",
            OptionShape::Fields(&layout([
                flags("supported", CAPABILITIES).doc("Supported capabilities."),
                flags("enabled", CAPABILITIES).doc("Enabled capabilities."),
            ])),
            "Capabilities of the device.",
        ),
        opt(
            8,
            "management_ip4",
            OptionShape::Fields(&layout([
                ip4("address").doc("Address."),
                INTERFACE_TYPE,
                INTERFACE,
                OBJECT,
            ])),
            "Management address of the device, IPv4.",
        )
        .begins(&[5, 1]),
        opt(
            8,
            "management_ip6",
            OptionShape::Fields(&layout([
                ip6("address").doc("Address."),
                INTERFACE_TYPE,
                INTERFACE,
                OBJECT,
            ])),
            "Management address of the device, IPv6.",
        )
        .begins(&[17, 2]),
        opt(
            8,
            "management_address",
            OptionShape::Fields(&layout([
                uint("len", 8).doc("Bytes of subtype and address."),
                uint("subtype", 8).doc("1 IPv4, 2 IPv6."),
                bytes("rest").doc("Address, interface and object."),
            ])),
            "Management address of the device.",
        ),
        opt(
            127,
            "port_vlan",
            OptionShape::Fields(&layout([uint("id", 16).doc("The VLAN; 0: none.")])),
            "VLAN of untagged frames (IEEE 802.1).",
        )
        .begins(&[0, 0x80, 0xc2, 1]),
        opt(
            127,
            "protocol_vlan",
            OptionShape::Fields(&layout([
                uint("flags", 8).doc("2 supported, 4 enabled."),
                uint("id", 16).doc("The VLAN."),
            ])),
            "VLAN by protocol (IEEE 802.1).",
        )
        .begins(&[0, 0x80, 0xc2, 2]),
        opt(
            127,
            "vlan_name",
            OptionShape::Fields(&layout([
                uint("id", 16).doc("The VLAN."),
                text("name").extent(Extent::Sized(1)).doc("Its name."),
            ])),
            "Name of a VLAN (IEEE 802.1).",
        )
        .begins(&[0, 0x80, 0xc2, 3]),
        opt(
            127,
            "aggregation",
            OptionShape::Fields(&layout([
                uint("status", 8).doc("1 possible, 2 in use."),
                uint("port", 32).doc("Number of the aggregate."),
            ])),
            "Whether the link is one of several used as one (IEEE 802.1).",
        )
        .begins(&[0, 0x80, 0xc2, 7]),
        opt(
            127,
            "mac_phy",
            OptionShape::Fields(&layout([
                uint("negotiation", 8).doc("1 supported, 2 enabled."),
                uint("capabilities", 16).doc("Speeds that it offers."),
                uint("mau", 16).doc("Kind of link in use."),
            ])),
            "Speed of the link (IEEE 802.3).",
        )
        .begins(&[0, 0x12, 0x0f, 1]),
        opt(
            127,
            "power",
            OptionShape::Fields(&layout([
                uint("support", 8).doc(
                    "Bits: 1 supplies power, 2 supported, 4 enabled, 8 pairs can be selected.",
                ),
                uint("pairs", 8).doc("1 signal, 2 spare."),
                uint("class", 8).doc("Class of power, plus one."),
                bytes("more").doc("Requested and allocated power, in newer devices."),
            ])),
            "Power over the link (IEEE 802.3).",
        )
        .begins(&[0, 0x12, 0x0f, 2]),
        opt(
            127,
            "old_aggregation",
            OptionShape::Fields(&layout([
                uint("status", 8).doc("1 possible, 2 in use."),
                uint("port", 32).doc("Number of the aggregate."),
            ])),
            "The same as `aggregation`, in its older IEEE 802.3 form.",
        )
        .begins(&[0, 0x12, 0x0f, 3]),
        opt(
            127,
            "max_frame",
            OptionShape::Fields(&layout([uint("octets", 16).doc("Bytes.")])),
            "Largest frame (IEEE 802.3).",
        )
        .begins(&[0, 0x12, 0x0f, 4]),
        opt(
            127,
            "med_capabilities",
            OptionShape::Fields(&layout([
                uint("bits", 16).doc("Capabilities."),
                uint("class", 8).doc("4: a switch."),
            ])),
            "Kind of device (ANSI/TIA-1057).",
        )
        .begins(&[0, 0x12, 0xbb, 1]),
        opt(
            127,
            "med_policy",
            OptionShape::Fields(&layout([
                uint("application", 8).doc("1 voice, 2 its signalling."),
                uint("unknown", 1).doc("The policy is not known."),
                uint("tagged", 1).doc("Frames are tagged."),
                uint("reserved", 1).doc("Reserved."),
                uint("vlan", 12).doc("VLAN."),
                uint("priority", 3).doc("Priority of its frames."),
                uint("dscp", 6).doc("Service class of its packets."),
            ])),
            "VLAN and service of an application (ANSI/TIA-1057).",
        )
        .begins(&[0, 0x12, 0xbb, 2]),
        opt(
            127,
            "organization",
            OptionShape::Fields(&layout([
                uint("oui", 24).doc("Who defined it."),
                uint("subtype", 8).doc("Subtype."),
                bytes("data").doc("What it holds."),
            ])),
            "What an organization defined.",
        ),
    ],
    kind: Slot::at(0, 7),
    len: Slot::at(7, 9),
    counts_head: false,
    end: Some(0),
    ..KIND_LENGTH
};

const INTERFACE_TYPE: Field = uint("interface_type", 8).doc("2 if the next value is an ifIndex.");
const INTERFACE: Field = uint("interface", 32).doc("Interface of that address.");
const OBJECT: Field = bytes("object")
    .extent(Extent::Sized(1))
    .doc("Object of the management.");
const TEXT: &[Field] = &layout([text("text").doc("Text.")]);
const ID: &[Field] = &layout([
    uint("subtype", 8).doc("What the identifier is."),
    bytes("id").doc("The identifier."),
]);
const CAPABILITIES: &[&str] = &[
    "r15",
    "r14",
    "r13",
    "r12",
    "r11",
    "two_port_relay",
    "s_vlan",
    "c_vlan",
    "station",
    "docsis",
    "telephone",
    "router",
    "wlan",
    "bridge",
    "repeater",
    "other",
];

/// Bytes of the list up to its end mark; all of them if there is none.
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
