//! Border Gateway Protocol. Messages that follow in the same segment are the next layers.

mod path_attributes;

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use crate::stream::behind_length;
use crate::table::*;
use path_attributes::{
    ATTRIBUTES, MP_REACH, MP_UNREACH, number, prefixes4, prefixes4_from, reach6_from,
};

/// The layer.
pub static LAYER: Layer = Layer {
    name: "BGP",
    title: "Border Gateway Protocol",
    spec: "RFC 4271, RFC 4760, RFC 6793, RFC 8092",
    about: "Routers of different networks announce the prefixes that they reach. Lists are text, separated by spaces; AS numbers in paths have 32 bits.",
    example: "/IP(dst=192.0.2.1)/TCP(src=50000)/BGP(type=update, as_path=\"65001 65002\", next_hop=192.0.2.7, nlri=\"203.0.113.0/24\")",
    fields: &layout([
        uint("marker", 64).default(u64::MAX).doc("All ones."),
        uint("marker2", 64).default(u64::MAX).doc("All ones."),
        uint("len", 16).computed(header_len(1, 0)).doc("Length of the message, in bytes."),
        named("type", 8, TYPES).default(4).doc("Kind of message."),
        uint("version", 8).when(When::In("type", &[1])).default(4).doc("Version."),
        uint("as", 16).when(When::In("type", &[1])).doc("AS number of the sender; 23456 if it needs 32 bits."),
        uint("hold_time", 16).when(When::In("type", &[1])).default(180).doc("Seconds of silence that end the session."),
        ip4("id").when(When::In("type", &[1])).doc("Identifier of the sender."),
        named("code", 8, CODES).when(When::In("type", &[3])).doc("Error code."),
        uint("subcode", 8).when(When::In("type", &[3])).doc("Error subcode."),
        uint("afi", 16).when(When::In("type", &[5])).default(1).doc("Address family."),
        uint("subtype", 8).when(When::In("type", &[5])).doc("Subtype."),
        uint("safi", 8).when(When::In("type", &[5])).default(1).doc("Subsequent address family."),
        custom("body", &CODEC).extent(Extent::Header).doc("The rest of the message, as bytes."),
        uint("as4", 32).view().doc("AS number of the sender in 32 bits, from an open message."),
        text("capabilities").extent(Extent::Bits).view().doc("Numbers of the capabilities that an open message offers; read only."),
        text("families").extent(Extent::Bits).view().doc("Address families that an open message offers: `1/1 2/1` is IPv4 and IPv6, unicast."),
        text("reason").extent(Extent::Bits).view().doc("Why an operator ended the session (RFC 9003); read only."),
        text("withdrawn").extent(Extent::Bits).view().doc("Withdrawn prefixes."),
        text("nlri").extent(Extent::Bits).view().doc("Announced prefixes."),
        named("origin", 8, &[(0, "igp"), (1, "egp"), (2, "incomplete")]).view().doc("Where the route came from."),
        text("as_path").extent(Extent::Bits).view().doc("AS path; numbers in braces are a set without order."),
        ip4("next_hop").view().doc("Next hop."),
        uint("med", 32).view().doc("Preference among several links to the same AS (multi-exit discriminator)."),
        uint("local_pref", 32).view().doc("Preference inside the AS."),
        uint("atomic", 1).view().doc("1 if a less specific route was chosen."),
        text("aggregator").extent(Extent::Bits).view().doc("AS and router that aggregated the prefixes, such as `65001 192.0.2.1`."),
        text("communities").extent(Extent::Bits).view().doc("Communities, such as `65001:100` (RFC 1997)."),
        text("ext_communities").extent(Extent::Bits).view().doc("Extended communities, such as `rt:65001:100`, `soo:192.0.2.1:7`; others in hex (RFC 4360)."),
        text("large_communities").extent(Extent::Bits).view().doc("Large communities, such as `65001:1:2` (RFC 8092)."),
        ip4("originator").view().doc("Router that brought the route into the AS (RFC 4456)."),
        text("clusters").extent(Extent::Bits).view().doc("Route reflectors on the path (RFC 4456)."),
        text("family").extent(Extent::Bits).view().doc("Address family of routes in `MP_REACH` or `MP_UNREACH` (RFC 4760); read only."),
        ip6("next_hop6").view().doc("IPv6 next hop."),
        text("nlri6").extent(Extent::Bits).view().doc("Announced IPv6 prefixes."),
        text("withdrawn6").extent(Extent::Bits).view().doc("Withdrawn IPv6 prefixes."),
        text("as4_path").extent(Extent::Bits).view().doc("AS path with 32-bit numbers, beside one with 16-bit numbers (RFC 6793); read only."),
        text("attributes").extent(Extent::Bits).view().doc("Numbers of the attributes in their order; read only."),
    ]),
    under: &[under("TCP", "dst", 179)],
    next: NextLayer::Peek(|_, _| Some(&LAYER)),
    accepts: Some(|octets| octets.len() >= FIXED && octets[..16] == [0xff; 16]),
    whole: Some(fault),
    message: Some(message),
    ..Layer::BLANK
}
.seal();

const TYPES: NameTable = &[
    (1, "open"),
    (2, "update"),
    (3, "notification"),
    (4, "keepalive"),
    (5, "route_refresh"),
];
const CODES: NameTable = &[
    (1, "header"),
    (2, "open"),
    (3, "update"),
    (4, "hold_timer"),
    (5, "state_machine"),
    (6, "cease"),
    (7, "route_refresh"),
];
const TYPE: Slot = LAYER.slot("type");
const LEN: Slot = LAYER.slot("len");
const FIXED: usize = 19;
/// Bytes of the marker.
const MARKER: usize = 16;
const OPEN: u64 = 1;
const UPDATE: u64 = 2;
const NOTIFICATION: u64 = 3;
/// First byte of the parameters of an open message: their length.
const PARAMETERS: usize = 28;
const CAPABILITIES: u8 = 2;
const FAMILY: u8 = 1;
const AS4: u8 = 65;
const ORIGIN: u8 = 1;
const AS_PATH: u8 = 2;

const EXTENDED: u8 = 0x10;

fn message(_: &mut Scan, octets: &[u8]) -> Framing {
    if octets.iter().take(MARKER).any(|octet| *octet != 0xff) {
        return Framing::Foreign;
    }
    behind_length(octets, FIXED, |head| Some(LEN.get(head)? as usize))
}

static CODEC: Codec = Codec {
    about: "Parameters, prefixes and attributes of a BGP message.",
    read,
    write,
};

fn read(message: &[u8], view: &str) -> Option<FieldValue> {
    match TYPE.get(message)? {
        OPEN => read_open(message, view),
        UPDATE => read_update(message.get(FIXED..)?, view),
        NOTIFICATION if view == "reason" => reason(message),
        _ => None,
    }
}

/// What cannot be read of an update, where all of it is there.
fn fault(message: &[u8]) -> Option<(usize, &'static str)> {
    let body = message
        .get(FIXED..)
        .filter(|_| TYPE.get(message) == Some(UPDATE))?;
    let told = |why| Some((FIXED, why));
    let Some((withdrawn, rest)) = counted(body) else {
        return told("the withdrawn routes exceed the message");
    };
    let Some((attributes, nlri)) = counted(rest) else {
        return told("the path attributes are longer than the message");
    };
    let mut left = Attributes(attributes);
    left.by_ref().for_each(drop);
    if !left.0.is_empty() {
        return told("a path attribute is longer than all of them");
    }
    [withdrawn, nlri]
        .into_iter()
        .any(|prefixes| prefixes4(prefixes).is_none())
        .then_some((
            FIXED,
            "prefixes that cannot be read; with ADD-PATH (RFC 7911) each would have a number",
        ))
}

fn read_open(message: &[u8], view: &str) -> Option<FieldValue> {
    let all = message
        .get(PARAMETERS..)?
        .split_first()
        .map(|(len, rest)| rest.get(..usize::from(*len)))??;
    let offered = || {
        pieces(all)
            .filter(|(kind, _)| *kind == CAPABILITIES)
            .flat_map(|(_, value)| pieces(value))
    };
    let words = |words: Vec<String>| Some(FieldValue::Text(words.join(" ")));
    match view {
        "as4" => offered()
            .find(|(kind, _)| *kind == AS4)
            .and_then(|(_, value)| number(value)),
        "capabilities" => words(offered().map(|(kind, _)| kind.to_string()).collect()),
        "families" => words(
            offered()
                .filter(|(kind, _)| *kind == FAMILY)
                .filter_map(|(_, value)| family(value))
                .collect(),
        ),
        _ => None,
    }
}

/// Address family and what it is for (RFC 4760 §8).
fn family(value: &[u8]) -> Option<String> {
    let &[high, low, _, safi] = value else {
        return None;
    };
    Some(format!("{}/{safi}", u16::from_be_bytes([high, low])))
}

/// Pieces of kind, length in a byte, and value; they end where the bytes do.
fn pieces(mut octets: &[u8]) -> impl Iterator<Item = (u8, &[u8])> {
    core::iter::from_fn(move || {
        let &[kind, len] = octets.get(..2)?.first_chunk()?;
        let value = octets.get(2..2 + usize::from(len))?;
        octets = &octets[2 + value.len()..];
        Some((kind, value))
    })
}

/// Bytes behind a length of two bytes, and the rest.
fn counted(octets: &[u8]) -> Option<(&[u8], &[u8])> {
    let (len, rest) = octets.split_first_chunk::<2>()?;
    rest.split_at_checked(u16::from_be_bytes(*len).into())
}

fn read_update(body: &[u8], view: &str) -> Option<FieldValue> {
    let (withdrawn, rest) = counted(body)?;
    let (attributes, nlri) = counted(rest)?;
    match view {
        "withdrawn" => prefixes4(withdrawn),
        "nlri" => prefixes4(nlri),
        "attributes" => {
            let kinds: Vec<String> = Attributes(attributes)
                .map(|attribute| attribute.0.to_string())
                .collect();
            Some(FieldValue::Text(kinds.join(" ")))
        }
        "family" => {
            let of = |kind: &u8| [MP_REACH, MP_UNREACH].contains(kind);
            Attributes(attributes)
                .find(|attribute| of(&attribute.0))
                .and_then(|attribute| read_attribute(view, attribute.1))
        }
        _ => {
            let row = ATTRIBUTES.iter().find(|row| row.view == view)?;
            Attributes(attributes)
                .find(|attribute| attribute.0 == row.kind)
                .and_then(|attribute| (row.read)(attribute.1))
        }
    }
}

fn read_attribute(view: &str, value: &[u8]) -> Option<FieldValue> {
    ATTRIBUTES
        .iter()
        .find(|row| row.view == view)
        .and_then(|row| (row.read)(value))
}

/// In words, of a shutdown or a reset by the operator (RFC 9003).
fn reason(message: &[u8]) -> Option<FieldValue> {
    let &[6, 2 | 4, len] = message.get(FIXED..)?.first_chunk()? else {
        return None;
    };
    let text = message.get(FIXED + 3..)?.get(..usize::from(len))?;
    core::str::from_utf8(text)
        .ok()
        .map(|text| FieldValue::Text(text.to_string()))
}

/// Path attributes: flags, kind, length in one byte or two, value.
struct Attributes<'a>(&'a [u8]);

impl<'a> Iterator for Attributes<'a> {
    type Item = (u8, &'a [u8]);

    fn next(&mut self) -> Option<(u8, &'a [u8])> {
        let &[flags, kind, high] = self.0.first_chunk()?;
        let wide = flags & EXTENDED != 0;
        let low = if wide { *self.0.get(3)? } else { high };
        let start = if wide { 4 } else { 3 };
        let len = if wide {
            u16::from_be_bytes([high, low])
        } else {
            low.into()
        };
        let value = self.0.get(start..start + usize::from(len))?;
        self.0 = &self.0[start + value.len()..];
        Some((kind, value))
    }
}

fn write(header: &Header, start: usize, out: &mut Vec<u8>) {
    match TYPE.get(&out[start..]) {
        Some(OPEN) => write_open(header, out),
        Some(UPDATE) => write_update(header, out),
        _ => {}
    }
}

/// One parameter with all capabilities, if there are some.
fn write_open(header: &Header, out: &mut Vec<u8>) {
    let mut offered = Vec::new();
    for word in text_of(header, "families").unwrap_or("").split_whitespace() {
        if let Some((afi, safi)) = word
            .split_once('/')
            .and_then(|(afi, safi)| Some((afi.parse::<u16>().ok()?, safi.parse().ok()?)))
        {
            let [high, low] = afi.to_be_bytes();
            offered.extend([FAMILY, 4, high, low, 0, safi]);
        }
    }
    if let Some(number) = header.value("as4").and_then(FieldValue::as_uint) {
        offered.extend([AS4, 4]);
        offered.extend((number as u32).to_be_bytes());
    }
    offered.truncate(253);
    match offered.len() as u8 {
        0 => out.push(0),
        len => {
            out.extend([len + 2, CAPABILITIES, len]);
            out.extend(offered);
        }
    }
}

fn text_of<'a>(header: &'a Header, name: &str) -> Option<&'a str> {
    match header.value(name) {
        Some(FieldValue::Text(text)) => Some(text),
        _ => None,
    }
}

fn write_update(header: &Header, out: &mut Vec<u8>) {
    put_counted(
        &prefixes4_from(text_of(header, "withdrawn").unwrap_or("")),
        out,
    );
    let nlri = prefixes4_from(text_of(header, "nlri").unwrap_or(""));
    let reach6 = reach6_from(header.value("next_hop6"), text_of(header, "nlri6"));
    put_counted(
        &attributes_from(header, !nlri.is_empty() || reach6.is_some(), reach6),
        out,
    );
    out.extend(nlri);
}

fn put_counted(octets: &[u8], out: &mut Vec<u8>) {
    out.extend((octets.len() as u16).to_be_bytes());
    out.extend(octets);
}

/// Attributes in the order of their numbers; origin and path are there whenever a prefix is (RFC
/// 4271 §5).
fn attributes_from(header: &Header, announces: bool, mut reach6: Option<Vec<u8>>) -> Vec<u8> {
    let mut out = Vec::new();
    for row in ATTRIBUTES {
        let value = match (header.value(row.view), row.kind) {
            (_, MP_REACH) => reach6.take(),
            (Some(value), _) => (row.write)(value),
            (None, ORIGIN) if announces => Some(Vec::from([0])),
            (None, AS_PATH) if announces => Some(Vec::new()),
            (None, _) => None,
        };
        put(&mut out, row.flags, row.kind, value);
    }
    out
}

fn put(out: &mut Vec<u8>, flags: u8, kind: u8, value: Option<Vec<u8>>) {
    let Some(value) = value else { return };
    match u8::try_from(value.len()) {
        Ok(len) => out.extend([flags, kind, len]),
        Err(_) => {
            out.extend([flags | EXTENDED, kind]);
            out.extend((value.len() as u16).to_be_bytes());
        }
    }
    out.extend(value);
}
