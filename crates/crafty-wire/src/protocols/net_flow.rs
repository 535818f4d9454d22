//! NetFlow 5 and 9, and IPFIX. Records of templates are bytes: what they hold is reported
//! elsewhere.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use crate::table::*;

/// The layer.
pub static LAYER: Layer = Layer {
    name: "NetFlow",
    title: "NetFlow and IPFIX",
    spec: "RFC 3954, RFC 7011",
    about: "A router exports the flows that it saw.",
    example: "/IP(dst=192.0.2.1)/UDP(src=50000)/NetFlow(version=9, count=0, seq=1)",
    fields: &layout([
        named("version", 16, &[(5, "v5"), (9, "v9"), (10, "ipfix")])
            .default(5)
            .doc("Version."),
        uint("count", 16)
            .when(When::NotIn("version", IPFIX))
            .doc("Number of records that follow."),
        uint("len", 16)
            .when(When::In("version", IPFIX))
            .computed(total_len())
            .doc("Length of the message, in bytes; IPFIX."),
        uint("uptime", 32)
            .when(When::NotIn("version", IPFIX))
            .doc("Milliseconds since the router started."),
        uint("secs", 32).doc("Seconds since 1970."),
        uint("nsecs", 32)
            .when(When::In("version", V5))
            .doc("Nanoseconds in addition to `secs`; version 5."),
        uint("seq", 32)
            .modular()
            .doc("Number of the flow or of the message."),
        uint("source", 32)
            .when(When::NotIn("version", V5))
            .doc("Part of the router; observation domain in IPFIX."),
        uint("engine_type", 8)
            .when(When::In("version", V5))
            .doc("Kind of engine; version 5."),
        uint("engine_id", 8)
            .when(When::In("version", V5))
            .doc("Number of the engine; version 5."),
        uint("sampling", 16)
            .when(When::In("version", V5))
            .doc("Mode and interval of sampling; version 5."),
        options("records", &RECORDS)
            .when(When::In("version", V5))
            .extent(Extent::Layer)
            .doc("The flows; version 5."),
        options("sets", &SETS)
            .when(When::NotIn("version", V5))
            .extent(Extent::Layer)
            .doc("Templates and records."),
    ]),
    under: &[
        under("UDP", "dst", 2055),
        under("UDP", "dst", 4739),
        under("UDP", "dst", 9995),
        under("UDP", "dst", 9996),
    ],
    accepts: Some(|octets| matches!(octets, [0, 5 | 9 | 10, ..])),
    ..Layer::BLANK
}
.seal();

const V5: &[u64] = &[5];
const IPFIX: &[u64] = &[10];

static RECORDS: Tlv = records(
    48,
    &[opt(
        0,
        "flow",
        OptionShape::Fields(&layout([
            ip4("src").doc("Source."),
            ip4("dst").doc("Destination."),
            ip4("next_hop").doc("Next router."),
            uint("input", 16).doc("Input interface."),
            uint("output", 16).doc("Output interface."),
            uint("packets", 32).doc("Packets."),
            uint("octets", 32).doc("Bytes."),
            uint("first", 32).doc("Uptime at the first packet."),
            uint("last", 32).doc("Uptime at the last packet."),
            uint("src_port", 16).doc("Source port."),
            uint("dst_port", 16).doc("Destination port."),
            uint("pad", 8).doc("Unused."),
            uint("tcp_flags", 8).doc("All flags seen."),
            uint("proto", 8).doc("Protocol."),
            uint("tos", 8).doc("Type of service."),
            uint("src_as", 16).doc("Network of the source."),
            uint("dst_as", 16).doc("Network of the destination."),
            uint("src_mask", 8).doc("Bits of the source's prefix."),
            uint("dst_mask", 8).doc("Bits of the destination's prefix."),
            uint("pad2", 16).doc("Unused."),
        ])),
        "A flow.",
    )],
);

static SETS: Tlv = Tlv {
    options: &[
        opt(
            0,
            "templates",
            OptionShape::Repeat(
                &[],
                &layout([spelt("template", &TEMPLATE).doc(
                    "Number, then elements with their bytes: `256 sourceIPv4Address:4 12:4`.",
                )]),
            ),
            "Templates of version 9.",
        ),
        opt(
            1,
            "options_templates",
            DATA,
            "Templates of options of version 9.",
        ),
        opt(
            2,
            "ipfix_templates",
            OptionShape::Repeat(
                &[],
                &layout([spelt("template", &TEMPLATE)
                    .doc("As in `templates`; elements of an enterprise as `9.100:4`.")]),
            ),
            "Templates of IPFIX.",
        ),
        opt(
            3,
            "ipfix_options_templates",
            DATA,
            "Templates of options of IPFIX.",
        ),
        opt(
            0,
            "data",
            OptionShape::Fields(&layout([
                bytes("records").doc("The records: they can be read only with their template."),
                uint("template", 16)
                    .in_head(0)
                    .doc("Number of the template."),
            ])),
            "Records of a template.",
        )
        .masked(0),
    ],
    head: 4,
    kind: Slot::at(0, 16),
    len: Slot::at(16, 16),
    ..KIND_LENGTH
};

const DATA: OptionShape = OptionShape::Fields(&layout([bytes("data").doc("Templates.")]));

/// A template: number, count, and for each element its number and length (RFC 3954 §5.2, RFC 7011
/// §3.4.1).
static TEMPLATE: Spelling = Spelling {
    example: "256 sourceIPv4Address:4 octetDeltaCount:8 9.100:65535 300:2",
    read: read_template,
    write: write_template,
};

/// What is before the number of zeros that fill a set up (RFC 7011 §3.3.1).
const PADDING: &str = "padding:";
const ENTERPRISE: u16 = 0x8000;
/// Information elements (IANA, IPFIX), by their registered names.
const ELEMENTS: &[(u16, &str)] = &[
    (1, "octetDeltaCount"),
    (2, "packetDeltaCount"),
    (4, "protocolIdentifier"),
    (5, "ipClassOfService"),
    (6, "tcpControlBits"),
    (7, "sourceTransportPort"),
    (8, "sourceIPv4Address"),
    (9, "sourceIPv4PrefixLength"),
    (10, "ingressInterface"),
    (11, "destinationTransportPort"),
    (12, "destinationIPv4Address"),
    (13, "destinationIPv4PrefixLength"),
    (14, "egressInterface"),
    (15, "ipNextHopIPv4Address"),
    (16, "bgpSourceAsNumber"),
    (17, "bgpDestinationAsNumber"),
    (18, "bgpNextHopIPv4Address"),
    (21, "flowEndSysUpTime"),
    (22, "flowStartSysUpTime"),
    (23, "postOctetDeltaCount"),
    (24, "postPacketDeltaCount"),
    (27, "sourceIPv6Address"),
    (28, "destinationIPv6Address"),
    (32, "icmpTypeCodeIPv4"),
    (34, "samplingInterval"),
    (48, "samplerId"),
    (56, "sourceMacAddress"),
    (58, "vlanId"),
    (60, "ipVersion"),
    (61, "flowDirection"),
    (62, "ipNextHopIPv6Address"),
    (80, "destinationMacAddress"),
    (85, "octetTotalCount"),
    (86, "packetTotalCount"),
    (136, "flowEndReason"),
    (148, "flowId"),
    (150, "flowStartSeconds"),
    (151, "flowEndSeconds"),
    (152, "flowStartMilliseconds"),
    (153, "flowEndMilliseconds"),
    (225, "postNATSourceIPv4Address"),
    (226, "postNATDestinationIPv4Address"),
    (227, "postNAPTSourceTransportPort"),
    (228, "postNAPTDestinationTransportPort"),
];

fn read_template(octets: &[u8], at: usize) -> Option<(String, usize)> {
    let mut rest = octets.get(at..)?;
    if rest.iter().all(|octet| *octet == 0) {
        return Some((format!("{PADDING}{}", rest.len()), rest.len()));
    }
    let mut word = || {
        let (word, behind) = rest.split_first_chunk()?;
        rest = behind;
        Some(u16::from_be_bytes(*word))
    };
    let (number, count) = (word()?, word()?);
    let mut text = number.to_string();
    for _ in 0..count {
        let (element, len) = (word()?, word()?);
        let name = ELEMENTS
            .iter()
            .find(|row| row.0 == element)
            .map_or_else(|| element.to_string(), |row| row.1.to_string());
        match element & ENTERPRISE {
            0 => text += &format!(" {name}:{len}"),
            _ => {
                text += &format!(
                    " {}.{}:{len}",
                    u32::from(word()?) << 16 | u32::from(word()?),
                    element & !ENTERPRISE
                )
            }
        }
    }
    Some((text, octets.len() - at - rest.len()))
}

fn write_template(text: &str, _: usize, out: &mut Vec<u8>) {
    if let Some(count) = text.strip_prefix(PADDING) {
        let count: u16 = count.parse().unwrap_or(0);
        return out.resize(out.len() + usize::from(count), 0);
    }
    let mut words = text.split_whitespace();
    let Some(number) = words.next().and_then(|number| number.parse::<u16>().ok()) else {
        return;
    };
    let elements: Vec<Vec<u8>> = words.filter_map(element).collect();
    out.extend([number.to_be_bytes(), (elements.len() as u16).to_be_bytes()].concat());
    out.extend(elements.concat());
}

fn element(word: &str) -> Option<Vec<u8>> {
    let (name, len) = word.split_once(':')?;
    let len = len.parse::<u16>().ok()?.to_be_bytes();
    if let Some((enterprise, number)) = name.split_once('.') {
        let number = ENTERPRISE | number.parse::<u16>().ok()?;
        return Some(
            [
                &number.to_be_bytes()[..],
                &len,
                &enterprise.parse::<u32>().ok()?.to_be_bytes(),
            ]
            .concat(),
        );
    }
    let known = ELEMENTS.iter().find(|row| row.1 == name).map(|row| row.0);
    Some([known.or_else(|| name.parse().ok())?.to_be_bytes(), len].concat())
}
