//! Border Gateway Protocol. Messages that follow in the same segment are the next layers.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write as _;
use core::net::Ipv4Addr;

use crate::stream::behind_length;
use crate::table::*;

/// The layer.
pub static LAYER: Layer = Layer {
    name: "BGP",
    title: "Border Gateway Protocol",
    spec: "RFC 4271, RFC 6793",
    about: "Routers of different networks tell each other what they reach. Lists are text, with spaces between; network numbers in paths have 32 bits.",
    example: "/IP(dst=192.0.2.1)/TCP(src=50000)/BGP(type=update, as_path=\"65001 65002\", next_hop=192.0.2.7, nlri=\"203.0.113.0/24\")",
    fields: &layout([
        uint("marker", 64).default(u64::MAX).doc("All ones."),
        uint("marker2", 64).default(u64::MAX).doc("All ones."),
        uint("len", 16).computed(header_len(1, 0)).doc("Length of the message, in octets."),
        named("type", 8, TYPES).default(4).doc("Kind of message."),
        uint("version", 8).when(When::In("type", &[1])).default(4).doc("Version."),
        uint("as", 16).when(When::In("type", &[1])).doc("Network of the sender; 23456 if its number needs 32 bits."),
        uint("hold_time", 16).when(When::In("type", &[1])).default(180).doc("Seconds of silence that end the session."),
        ip4("id").when(When::In("type", &[1])).doc("Identifier of the sender."),
        named("code", 8, CODES).when(When::In("type", &[3])).doc("What is wrong."),
        uint("subcode", 8).when(When::In("type", &[3])).doc("What exactly."),
        uint("afi", 16).when(When::In("type", &[5])).default(1).doc("Address family."),
        uint("subtype", 8).when(When::In("type", &[5])).doc("Subtype."),
        uint("safi", 8).when(When::In("type", &[5])).default(1).doc("Subsequent address family."),
        custom("body", &CODEC).extent(Extent::Header).doc("The rest of the message, as octets."),
        uint("as4", 32).view().doc("Network of the sender in 32 bits, as an open message offers it."),
        text("capabilities").extent(Extent::Bits).view().doc("Numbers of the capabilities that an open message offers; read only."),
        text("withdrawn").extent(Extent::Bits).view().doc("Prefixes not reached any more."),
        text("nlri").extent(Extent::Bits).view().doc("Prefixes reached."),
        named("origin", 8, &[(0, "igp"), (1, "egp"), (2, "incomplete")]).view().doc("Where the route came from."),
        text("as_path").extent(Extent::Bits).view().doc("Networks on the way; those in braces in no order."),
        ip4("next_hop").view().doc("Router to send to."),
        uint("med", 32).view().doc("Preference among several links to the same network."),
        uint("local_pref", 32).view().doc("Preference inside the network."),
        text("communities").extent(Extent::Bits).view().doc("Marks of the route, such as `65001:100` (RFC 1997)."),
    ]),
    under: &[under("TCP", "dst", 179)],
    next: Next::Peek(|_, _| Some(&LAYER)),
    accepts: Some(|octets| octets.len() >= FIXED && octets[..16] == [0xff; 16]),
    message: Some(message),
    ..Layer::BLANK
}
.seal();

const TYPES: Names = &[(1, "open"), (2, "update"), (3, "notification"), (4, "keepalive"), (5, "route_refresh")];
const CODES: Names =
    &[(1, "header"), (2, "open"), (3, "update"), (4, "hold_timer"), (5, "state_machine"), (6, "cease"), (7, "route_refresh")];
const TYPE: Slot = LAYER.slot("type");
const LEN: Slot = LAYER.slot("len");
const FIXED: usize = 19;
/// Octets of the marker.
const MARKER: usize = 16;
const OPEN: u64 = 1;
const UPDATE: u64 = 2;
/// First octet of the parameters of an open message: their length.
const PARAMETERS: usize = 28;
const CAPABILITIES: u8 = 2;
const AS4: u8 = 65;

const ORIGIN: u8 = 1;
const AS_PATH: u8 = 2;
const NEXT_HOP: u8 = 3;
const MED: u8 = 4;
const LOCAL_PREF: u8 = 5;
const COMMUNITIES: u8 = 8;
const EXTENDED: u8 = 0x10;

fn message(_: &mut Scan, octets: &[u8]) -> Framing {
    if octets.iter().take(MARKER).any(|octet| *octet != 0xff) {
        return Framing::Foreign;
    }
    behind_length(octets, FIXED, |head| Some(LEN.get(head)? as usize))
}

static CODEC: Codec = Codec { about: "Parameters, prefixes and attributes of a BGP message.", read, write };

fn read(message: &[u8], view: &str) -> Option<FieldValue> {
    match TYPE.get(message)? {
        OPEN => read_open(message, view),
        UPDATE => read_update(message.get(FIXED..)?, view),
        _ => None,
    }
}

fn read_open(message: &[u8], view: &str) -> Option<FieldValue> {
    let all = message.get(PARAMETERS..)?.split_first().map(|(len, rest)| rest.get(..usize::from(*len)))??;
    let offered = || pieces(all).filter(|(kind, _)| *kind == CAPABILITIES).flat_map(|(_, value)| pieces(value));
    match view {
        "as4" => offered().find(|(kind, _)| *kind == AS4).and_then(|(_, value)| number(value)),
        "capabilities" => Some(FieldValue::Text(listed(offered(), |text, (kind, _)| write!(text, "{kind}")))),
        _ => None,
    }
}

/// Pieces of kind, length in an octet, and value; they end where the octets do.
fn pieces(mut octets: &[u8]) -> impl Iterator<Item = (u8, &[u8])> {
    core::iter::from_fn(move || {
        let &[kind, len] = octets.get(..2)?.first_chunk()?;
        let value = octets.get(2..2 + usize::from(len))?;
        octets = &octets[2 + value.len()..];
        Some((kind, value))
    })
}

fn number(octets: &[u8]) -> Option<FieldValue> {
    Some(FieldValue::Uint(u32::from_be_bytes(octets.try_into().ok()?).into()))
}

/// Items as text, with spaces between.
fn listed<T>(items: impl Iterator<Item = T>, show: impl Fn(&mut String, T) -> core::fmt::Result) -> String {
    let mut text = String::new();
    for item in items {
        if !text.is_empty() {
            text.push(' ');
        }
        let shown = show(&mut text, item);
        debug_assert!(shown.is_ok());
    }
    text
}

/// Octets behind a length of two octets, and the rest.
fn counted(octets: &[u8]) -> Option<(&[u8], &[u8])> {
    let (len, rest) = octets.split_first_chunk::<2>()?;
    rest.split_at_checked(u16::from_be_bytes(*len).into())
}

fn read_update(body: &[u8], view: &str) -> Option<FieldValue> {
    let (withdrawn, rest) = counted(body)?;
    let (attributes, nlri) = counted(rest)?;
    let find = |kind| Attributes(attributes).find(|attribute| attribute.0 == kind).map(|attribute| attribute.1);
    match view {
        "withdrawn" => prefixes(withdrawn),
        "nlri" => prefixes(nlri),
        "origin" => Some(FieldValue::Uint((*find(ORIGIN)?.first()?).into())),
        "as_path" => find(AS_PATH).and_then(path),
        "next_hop" => find(NEXT_HOP).and_then(number),
        "med" => find(MED).and_then(number),
        "local_pref" => find(LOCAL_PREF).and_then(number),
        "communities" => communities(find(COMMUNITIES)?),
        _ => None,
    }
}

/// Path attributes: flags, kind, length in one octet or two, value.
struct Attributes<'a>(&'a [u8]);

impl<'a> Iterator for Attributes<'a> {
    type Item = (u8, &'a [u8]);

    fn next(&mut self) -> Option<(u8, &'a [u8])> {
        let &[flags, kind, high] = self.0.first_chunk()?;
        let wide = flags & EXTENDED != 0;
        let low = if wide { *self.0.get(3)? } else { high };
        let start = if wide { 4 } else { 3 };
        let len = if wide { u16::from_be_bytes([high, low]) } else { low.into() };
        let value = self.0.get(start..start + usize::from(len))?;
        self.0 = &self.0[start + value.len()..];
        Some((kind, value))
    }
}

/// Prefixes as text; `None` where one is cut off or longer than an address.
fn prefixes(mut octets: &[u8]) -> Option<FieldValue> {
    let mut found = Vec::new();
    while let Some((&bits, rest)) = octets.split_first() {
        let (prefix, behind) = rest.split_at_checked(usize::from(bits).div_ceil(8)).filter(|(prefix, _)| prefix.len() <= 4)?;
        let mut address = [0; 4];
        address[..prefix.len()].copy_from_slice(prefix);
        found.push((Ipv4Addr::from(address), bits));
        octets = behind;
    }
    Some(FieldValue::Text(listed(found.into_iter(), |text, (address, bits)| write!(text, "{address}/{bits}"))))
}

/// A path. Nothing in a message tells whether its numbers have 32 bits or 16: it is read as what its lengths fit, the wide
/// form first.
fn path(octets: &[u8]) -> Option<FieldValue> {
    path_of(octets, 4).or_else(|| path_of(octets, 2)).map(FieldValue::Text)
}

fn path_of(mut octets: &[u8], size: usize) -> Option<String> {
    let mut segments = Vec::new();
    while let Some((&[kind, count], rest)) = octets.split_first_chunk() {
        let (numbers, behind) = rest.split_at_checked(usize::from(count) * size).filter(|_| matches!(kind, 1..=4))?;
        let numbers = numbers.chunks(size).map(|number| number.iter().fold(0u32, |all, octet| all << 8 | u32::from(*octet)));
        let text = listed(numbers, |text, number| write!(text, "{number}"));
        segments.push(if kind == 2 { text } else { alloc::format!("{{{text}}}") });
        octets = behind;
    }
    octets.is_empty().then(|| listed(segments.into_iter(), |text, segment| text.write_str(&segment)))
}

fn communities(octets: &[u8]) -> Option<FieldValue> {
    let (all, []) = octets.as_chunks::<4>() else { return None };
    let show = |text: &mut String, [a, b, c, d]: &[u8; 4]| write!(text, "{}:{}", u16::from_be_bytes([*a, *b]), u16::from_be_bytes([*c, *d]));
    Some(FieldValue::Text(listed(all.iter(), show)))
}

fn write(header: &Header, start: usize, out: &mut Vec<u8>) {
    match TYPE.get(&out[start..]) {
        Some(OPEN) => write_open(header, out),
        Some(UPDATE) => write_update(header, out),
        _ => {}
    }
}

fn write_open(header: &Header, out: &mut Vec<u8>) {
    match uint_of(header, "as4") {
        None => out.push(0),
        Some(number) => {
            out.extend([8, CAPABILITIES, 6, AS4, 4]);
            out.extend(number.to_be_bytes());
        }
    }
}

fn uint_of(header: &Header, name: &str) -> Option<u32> {
    header.value(name).and_then(FieldValue::as_uint).map(|value| value as u32)
}

fn text_of<'a>(header: &'a Header, name: &str) -> Option<&'a str> {
    match header.value(name) {
        Some(FieldValue::Text(text)) => Some(text),
        _ => None,
    }
}

fn write_update(header: &Header, out: &mut Vec<u8>) {
    put_counted(&prefixes_from(text_of(header, "withdrawn").unwrap_or("")), out);
    let nlri = prefixes_from(text_of(header, "nlri").unwrap_or(""));
    put_counted(&attributes_from(header, !nlri.is_empty()), out);
    out.extend(nlri);
}

fn put_counted(octets: &[u8], out: &mut Vec<u8>) {
    out.extend((octets.len() as u16).to_be_bytes());
    out.extend(octets);
}

/// Attributes in the order of their numbers; origin and path are there whenever a prefix is (RFC 4271 §5).
fn attributes_from(header: &Header, announces: bool) -> Vec<u8> {
    let mut out = Vec::new();
    let origin = uint_of(header, "origin").or(announces.then_some(0));
    let path = text_of(header, "as_path").or(announces.then_some(""));
    put(&mut out, 0x40, ORIGIN, origin.map(|origin| Vec::from([origin as u8])));
    put(&mut out, 0x40, AS_PATH, path.map(path_from));
    for (flags, kind, name) in [(0x40, NEXT_HOP, "next_hop"), (0x80, MED, "med"), (0x40, LOCAL_PREF, "local_pref")] {
        put(&mut out, flags, kind, uint_of(header, name).map(|value| value.to_be_bytes().to_vec()));
    }
    put(&mut out, 0xc0, COMMUNITIES, text_of(header, "communities").map(communities_from));
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

/// Prefixes of a text; what is none is left out.
fn prefixes_from(text: &str) -> Vec<u8> {
    let mut out = Vec::new();
    for word in text.split_whitespace() {
        let Some((address, bits)) = word.split_once('/') else { continue };
        if let (Ok(address), Ok(bits @ 0..=32)) = (address.parse::<Ipv4Addr>(), bits.parse::<u8>()) {
            out.push(bits);
            out.extend(&address.octets()[..usize::from(bits).div_ceil(8)]);
        }
    }
    out
}

/// One ordered segment of 32-bit numbers; none for an empty path.
fn path_from(text: &str) -> Vec<u8> {
    let numbers: Vec<u32> = text.split_whitespace().filter_map(|word| word.parse().ok()).take(255).collect();
    let mut out = Vec::new();
    if !numbers.is_empty() {
        out.extend([2, numbers.len() as u8]);
    }
    numbers.iter().for_each(|number| out.extend(number.to_be_bytes()));
    out
}

fn communities_from(text: &str) -> Vec<u8> {
    let pair = |word: &str| {
        let (network, mark) = word.split_once(':')?;
        Some([network.parse::<u16>().ok()?.to_be_bytes(), mark.parse::<u16>().ok()?.to_be_bytes()].concat())
    };
    text.split_whitespace().filter_map(pair).flatten().collect()
}
