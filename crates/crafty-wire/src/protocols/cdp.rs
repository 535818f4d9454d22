//! Cisco Discovery Protocol.

use crate::table::*;

/// The layer.
pub static LAYER: Layer = Layer {
    name: "CDP",
    title: "Cisco Discovery Protocol",
    spec: "Cisco, as Wireshark and Scapy read it",
    about: "A device announces its name and port to its neighbours.",
    example: "/Eth(dst=01:00:0c:cc:cc:cc)/LLC/SNAP(oui=cisco)/CDP(tlvs=[device_id(\"r1\"), port_id(\"eth0\")])",
    fields: &layout([
        uint("version", 8).default(2).doc("Version."),
        uint("ttl", 8).default(180).doc("How long this is valid, in seconds."),
        uint("checksum", 16)
            .computed(Auto::Checksum(Checksum { algorithm: Algorithm::Custom(checksum), ..INTERNET }))
            .doc("Checksum of the whole message; for an odd number of bytes, the last byte is counted in an unusual way."),
        options("tlvs", &TLVS).extent(Extent::Layer).doc("Contents."),
    ]),
    under: &[under("SNAP", "type", 0x2000)],
    ..Layer::BLANK
}
.seal();

static TLVS: Tlv = Tlv {
    options: &[
        opt(
            1,
            "device_id",
            OptionShape::Fields(TEXT),
            "Name of the device.",
        ),
        opt(2, "addresses", ADDRESSES, "Addresses of the port."),
        opt(3, "port_id", OptionShape::Fields(TEXT), "Name of the port."),
        opt(
            4,
            "capabilities",
            OptionShape::Fields(&layout([
                uint("bits", 32).doc("1 router, 2 bridge, 8 switch, 16 host.")
            ])),
            "Capabilities.",
        ),
        opt(5, "version", OptionShape::Fields(TEXT), "Software version."),
        opt(
            6,
            "platform",
            OptionShape::Fields(TEXT),
            "Hardware platform.",
        ),
        opt(
            7,
            "prefixes",
            OptionShape::Repeat(
                &[],
                &layout([
                    ip4("network").doc("Network."),
                    uint("bits", 8).doc("Prefix length."),
                ]),
            ),
            "Networks that it reaches.",
        ),
        opt(
            9,
            "vtp_domain",
            OptionShape::Fields(TEXT),
            "Domain of its VLANs.",
        ),
        opt(
            10,
            "native_vlan",
            OptionShape::Fields(&layout([uint("id", 16).doc("The VLAN.")])),
            "VLAN of untagged frames.",
        ),
        opt(
            11,
            "duplex",
            OptionShape::Fields(&layout([uint("full", 8).doc("1 for full duplex.")])),
            "How the port sends.",
        ),
        opt(
            14,
            "voice_vlan",
            OptionShape::Fields(&layout([
                uint("one", 8).doc("Always 1."),
                uint("id", 16).doc("The VLAN."),
            ])),
            "VLAN for telephones.",
        ),
        opt(
            16,
            "power",
            OptionShape::Fields(&layout([uint("milliwatts", 16).doc("Power.")])),
            "Power consumption.",
        ),
        opt(
            17,
            "mtu",
            OptionShape::Fields(&layout([uint("octets", 32).doc("Bytes.")])),
            "Largest packet.",
        ),
        opt(
            22,
            "management_addresses",
            ADDRESSES,
            "Management addresses.",
        ),
    ],
    head: 4,
    kind: Slot::at(0, 16),
    len: Slot::at(16, 16),
    ..KIND_LENGTH
};

const TEXT: &[Field] = &layout([text("text").doc("Text.")]);
const ADDRESSES: OptionShape = OptionShape::Repeat(
    &layout([uint("count", 32).doc("Addresses.")]),
    &layout([
        uint("type", 8).doc("1 a protocol number, 2 IEEE 802.2."),
        bytes("protocol")
            .extent(Extent::Sized(1))
            .doc("`#cc` is IPv4."),
        bytes("address").extent(Extent::Sized(2)).doc("Address."),
    ]),
);

/// The Internet checksum, but a byte left over counts as a signed low half of a word, one too low
/// where it is negative.
fn checksum(message: &[u8], at: usize) -> u64 {
    let mut octets = message.to_vec();
    if let Some(own) = octets.get_mut(at..at + 2) {
        own.fill(0);
    }
    if octets.len() % 2 == 1
        && let Some(last) = octets.pop()
    {
        octets.extend(if last < 0x80 {
            [0, last]
        } else {
            [0xff, last - 1]
        });
    }
    crate::checksum(&octets).into()
}
