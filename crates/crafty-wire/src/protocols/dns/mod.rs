//! Domain Name System messages over UDP. The table has the header; names and records are read and
//! built by the codec below.

mod domain_name;
mod record_data;

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::net::IpAddr;

use crate::table::*;
use domain_name::{name_at, name_end, skip_name, word};

/// The layer.
pub static LAYER: Layer = Layer {
    name: "DNS",
    title: "Domain Name System",
    spec: "RFC 1035, RFC 6891, RFC 9460",
    about: "Asks for the records of a name, and answers. Setting `qname` builds the question; `records` sets everything after the header as bytes.",
    example: "/IP(dst=192.0.2.53)/UDP(dst=53)/DNS(id=7, rd=1, qname=\"example.com\", qtype=a)",
    fields: &layout([
        uint("id", 16).doc("Identifies the question that an answer belongs to."),
        uint("qr", 1).doc("0 for a query, 1 for a response."),
        named("opcode", 4, OPCODES).doc("Kind of query."),
        uint("aa", 1).doc("The answer is authoritative."),
        uint("tc", 1).doc("The message was truncated: ask over TCP."),
        uint("rd", 1).default(1).doc("Recursion is desired."),
        uint("ra", 1).doc("Recursion is available."),
        uint("z", 1).doc("Reserved."),
        uint("ad", 1).doc("The data was authenticated (RFC 4035)."),
        uint("cd", 1).doc("Do not check signatures (RFC 4035)."),
        named("rcode", 4, RCODES).doc("Outcome."),
        uint("qdcount", 16).doc("Number of questions; unset: as many as are built."),
        uint("ancount", 16).doc("Answers."),
        uint("nscount", 16).doc("Number of authority records."),
        uint("arcount", 16).doc("Number of additional records; unset: as many as are built."),
        custom("records", &CODEC).doc("Everything after the header, as bytes."),
        text("qname").extent(Extent::Bits).view().doc("Name of the first question."),
        named("qtype", 16, RECORD_TYPES).default(1).view().doc("Type of the first question."),
        named("qclass", 16, CLASSES).default(1).view().doc("Class of the first question."),
        uint("unicast", 1).view().doc("1 if the first question of mDNS asks for a unicast answer (RFC 6762 section 5.4)."),
        text("answers").extent(Extent::Bits).view().doc("The answers as text: name, ttl, type, data; separated by `; `."),
        text("authority").extent(Extent::Bits).view().doc("The authority records in the same form; read only, as the next one."),
        text("additional").extent(Extent::Bits).view().doc("The additional records, except that of EDNS."),
        ip4("address").view().doc("First IPv4 address among the answers."),
        ip6("address6").view().doc("First IPv6 address among the answers."),
        text("cname").extent(Extent::Bits).view().doc("First alias among the answers."),
        uint("ttl", 32).view().doc("Seconds that the first answer may be cached."),
        uint("edns_size", 16).view().doc("Largest answer over UDP; setting it adds an EDNS record."),
        text("edns_options").extent(Extent::Bits).view().doc("Options of EDNS, such as `subnet=192.0.2.0/24/0 cookie=#…`; read only."),
        uint("edns_rcode", 12).view().doc("Outcome with the bits that EDNS adds; read only."),
        uint("edns_do", 1).view().doc("Signatures are requested (DO); setting it adds an EDNS record."),
    ]),
    under: &[under("UDP", "dst", 53), under("UDP", "dst", 5353), under("UDP", "dst", 5355)],
    accepts: Some(|octets| octets.len() >= HEADER),
    whole: Some(fault),
    ..Layer::BLANK
}
.seal();

static CODEC: Codec = Codec {
    about: "Questions and records of a DNS message.",
    read,
    write,
};

const HEADER: usize = 12;
const QDCOUNT: Slot = LAYER.slot("qdcount");
const ARCOUNT: Slot = LAYER.slot("arcount");
const COUNTS: [Slot; 4] = [
    QDCOUNT,
    LAYER.slot("ancount"),
    LAYER.slot("nscount"),
    ARCOUNT,
];
const ANSWER: usize = 1;
const AUTHORITY: usize = 2;
const ADDITIONAL: usize = 3;
const OPT: u16 = 41;
/// The bit of a class by which mDNS asks for an answer to this host alone (RFC 6762 §5.4).
const UNICAST: u16 = 0x8000;
/// Bytes of names, and of the answers as text, that are read at most.
const MAX_NAME: usize = 255;
const MAX_TEXT: usize = 16_384;

const OPCODES: NameTable = &[
    (0, "query"),
    (1, "iquery"),
    (2, "status"),
    (4, "notify"),
    (5, "update"),
];

const RCODES: NameTable = &[
    (0, "no_error"),
    (1, "format_error"),
    (2, "server_failure"),
    (3, "name_error"),
    (4, "not_implemented"),
    (5, "refused"),
    (6, "name_exists"),
    (7, "rrset_exists"),
    (8, "rrset_missing"),
    (9, "not_authoritative"),
    (10, "not_in_zone"),
];

const CLASSES: NameTable = &[(1, "in"), (3, "ch"), (4, "hs"), (254, "none"), (255, "any")];

const RECORD_TYPES: NameTable = &[
    (1, "a"),
    (2, "ns"),
    (5, "cname"),
    (6, "soa"),
    (12, "ptr"),
    (15, "mx"),
    (16, "txt"),
    (28, "aaaa"),
    (33, "srv"),
    (35, "naptr"),
    (39, "dname"),
    (41, "opt"),
    (43, "ds"),
    (46, "rrsig"),
    (47, "nsec"),
    (48, "dnskey"),
    (50, "nsec3"),
    (52, "tlsa"),
    (64, "svcb"),
    (65, "https"),
    (251, "ixfr"),
    (252, "axfr"),
    (13, "hinfo"),
    (17, "rp"),
    (18, "afsdb"),
    (29, "loc"),
    (36, "kx"),
    (37, "cert"),
    (44, "sshfp"),
    (51, "nsec3param"),
    (59, "cds"),
    (60, "cdnskey"),
    (255, "all"),
    (256, "uri"),
    (257, "caa"),
];

fn read(message: &[u8], view: &str) -> Option<FieldValue> {
    let number = |value: u64| Some(FieldValue::Uint(value));
    match view {
        "qname" => Some(FieldValue::Text(question(message)?.name)),
        "qtype" => number(question(message)?.kind.into()),
        "qclass" => number((question(message)?.class & !UNICAST).into()),
        "unicast" => (question(message)?.class & UNICAST != 0).then_some(FieldValue::Uint(1)),
        "answers" => listed(message, ANSWER).map(FieldValue::Text),
        "authority" => listed(message, AUTHORITY).map(FieldValue::Text),
        "additional" => listed(message, ADDITIONAL).map(FieldValue::Text),
        "edns_options" => {
            record_data::edns(message.get(edns(message)?.data)?).map(FieldValue::Text)
        }
        "edns_rcode" => {
            number((edns(message)?.ttl >> 24 << 4 | u32::from(message.get(3)? & 15)).into())
        }
        "ttl" => number(records(message, ANSWER).next()?.ttl.into()),
        "cname" => of_type(message, 5)
            .and_then(|record| Some(FieldValue::Text(name_at(message, record.data.start)?.0))),
        "address" => bytes_of(message, 1)
            .map(|octets: [u8; 4]| FieldValue::Uint(u32::from_be_bytes(octets).into())),
        "address6" => {
            bytes_of(message, 28).map(|octets| FieldValue::Wide(u128::from_be_bytes(octets)))
        }
        "edns_size" => number(edns(message)?.class.into()),
        "edns_do" => number((edns(message)?.ttl >> 15 & 1).into()),
        _ => None,
    }
}

fn of_type(message: &[u8], kind: u16) -> Option<ResourceRecord> {
    records(message, ANSWER).find(|record| record.kind == kind)
}

fn bytes_of<const N: usize>(message: &[u8], kind: u16) -> Option<[u8; N]> {
    message.get(of_type(message, kind)?.data)?.try_into().ok()
}

fn edns(message: &[u8]) -> Option<ResourceRecord> {
    records(message, ADDITIONAL).find(|record| record.kind == OPT)
}

/// The first question.
struct DnsQuestion {
    name: String,
    kind: u16,
    class: u16,
}

fn question(message: &[u8]) -> Option<DnsQuestion> {
    if QDCOUNT.get(message)? == 0 {
        return None;
    }
    let (name, end) = name_at(message, HEADER)?;
    Some(DnsQuestion {
        name,
        kind: word(message, end)?,
        class: word(message, end + 2)?,
    })
}

/// A resource record; the data are bytes of the message.
struct ResourceRecord {
    name_at: usize,
    kind: u16,
    class: u16,
    ttl: u32,
    data: core::ops::Range<usize>,
}

/// The records of a section: 1 answers, 2 authority, 3 additional. It ends where the bytes do.
fn records(message: &[u8], section: usize) -> impl Iterator<Item = ResourceRecord> {
    let count = |slot: &Slot| slot.get(message).unwrap_or(0);
    let before: u64 = COUNTS[1..section].iter().map(count).sum();
    let mut at = records_at(message);
    let all = core::iter::from_fn(move || {
        let record = record_at(message, at?)?;
        at = Some(record.data.end);
        Some(record)
    });
    all.skip(before as usize)
        .take(count(&COUNTS[section]) as usize)
}

/// First byte after the questions.
fn records_at(message: &[u8]) -> Option<usize> {
    let mut at = HEADER;
    for _ in 0..QDCOUNT.get(message)? {
        at = skip_name(message, at)? + 4;
    }
    Some(at)
}

fn record_at(message: &[u8], name_at: usize) -> Option<ResourceRecord> {
    let at = skip_name(message, name_at)?;
    let fixed = message.get(at..at + 10)?;
    let start = at + 10;
    let data = start..start + usize::from(word(fixed, 8)?);
    let ttl = u32::from_be_bytes(fixed[4..8].try_into().ok()?);
    (data.end <= message.len()).then_some(ResourceRecord {
        name_at,
        kind: word(fixed, 0)?,
        class: word(fixed, 2)?,
        ttl,
        data,
    })
}

fn type_name(kind: u16) -> String {
    RECORD_TYPES
        .iter()
        .find(|row| row.0 == u64::from(kind))
        .map_or_else(|| format!("type{kind}"), |row| row.1.to_string())
}

/// The records of a section as text, but that of EDNS.
fn listed(message: &[u8], section: usize) -> Option<String> {
    QDCOUNT.get(message)?;
    let mut text = String::new();
    for line in lines(message, section) {
        if !text.is_empty() {
            text.push_str("; ");
        }
        text.push_str(&line);
        if text.len() > MAX_TEXT {
            break;
        }
    }
    Some(text)
}

/// Each record of a section as text: name, seconds it may be kept, type, data. As many as can be
/// read.
fn lines(message: &[u8], section: usize) -> impl Iterator<Item = String> {
    records(message, section)
        .filter(|record| record.kind != OPT)
        .map(|record| {
            let name =
                name_at(message, record.name_at).map_or_else(|| "?".to_string(), |name| name.0);
            let data = record_data::data(message, record.kind, record.data.clone(), type_name);
            format!("{name} {} {} {data}", record.ttl, type_name(record.kind))
        })
}

/// Each answer of a message as text: name, seconds it may be kept, type, data. As many as can be
/// read.
pub fn answer_lines(message: &[u8]) -> impl Iterator<Item = String> {
    lines(message, ANSWER)
}

/// The seconds that each answer may be kept, for as many as can be read.
pub fn answer_ttls(message: &[u8]) -> impl Iterator<Item = u32> {
    records(message, ANSWER).map(|record| record.ttl)
}

/// The addresses among the answers, of both families.
pub fn answer_addresses(message: &[u8]) -> impl Iterator<Item = IpAddr> {
    records(message, ANSWER).filter_map(|record| {
        let octets = message.get(record.data)?;
        match record.kind {
            1 => <[u8; 4]>::try_from(octets).ok().map(IpAddr::from),
            28 => <[u8; 16]>::try_from(octets).ok().map(IpAddr::from),
            _ => None,
        }
    })
}

/// What cannot be read of a message: names and records that its counts promise, and where.
fn fault(message: &[u8]) -> Option<(usize, &'static str)> {
    let count = |slot: &Slot| slot.get(message).unwrap_or(0);
    let mut at = HEADER;
    for _ in 0..count(&QDCOUNT) {
        match name_end(message, at) {
            Ok(end) if end + 4 <= message.len() => at = end + 4,
            Ok(_) => return Some((at, "the message ends inside a question")),
            Err(why) => return Some((at, why)),
        }
    }
    for _ in 0..COUNTS[1..].iter().map(count).sum::<u64>() {
        if at == message.len() {
            return Some((at, "the counts announce more records than there are"));
        }
        if let Err(why) = name_end(message, at) {
            return Some((at, why));
        }
        let Some(record) = record_at(message, at) else {
            return Some((at, "the message ends inside a record"));
        };
        at = record.data.end;
    }
    (at < message.len()).then_some((at, "bytes follow the last record"))
}

/// Appends the question that `qname` asks for and the EDNS record, and counts them where the counts
/// are unset.
fn write(header: &Header, start: usize, out: &mut Vec<u8>) {
    let number = |name: &str, otherwise: u64| {
        header
            .value(name)
            .and_then(FieldValue::as_uint)
            .unwrap_or(otherwise)
    };
    let asks = ["qname", "qtype", "qclass", "unicast"]
        .iter()
        .any(|name| header.value(name).is_some());
    if asks {
        let name = match header.value("qname") {
            Some(FieldValue::Text(name)) => name.as_str(),
            _ => ".",
        };
        write_name(name, out);
        out.extend((number("qtype", 1) as u16).to_be_bytes());
        let unicast = if number("unicast", 0) == 0 {
            0
        } else {
            UNICAST
        };
        out.extend((number("qclass", 1) as u16 | unicast).to_be_bytes());
        count(header, "qdcount", QDCOUNT, start, out);
    }
    if header.value("edns_size").is_some() || header.value("edns_do").is_some() {
        out.push(0);
        out.extend(OPT.to_be_bytes());
        out.extend((number("edns_size", 1232) as u16).to_be_bytes());
        out.extend(((number("edns_do", 0) as u32) << 15).to_be_bytes());
        out.extend([0, 0]);
        count(header, "arcount", ARCOUNT, start, out);
    }
}

fn count(header: &Header, name: &str, slot: Slot, start: usize, out: &mut [u8]) {
    if header.value(name).is_none() {
        slot.set(&mut out[start..], 1);
    }
}

/// Writes a name, `\.` and `\DDD` being bytes of a label; labels are cut at 63 bytes, names at 255.
fn write_name(name: &str, out: &mut Vec<u8>) {
    let (mut octets, mut label) = (Vec::new(), Vec::new());
    let mut rest = name.as_bytes();
    while let Some((octet, behind, dot)) = next_byte(rest) {
        rest = behind;
        if dot {
            push_label(&mut octets, &mut label);
        } else {
            label.push(octet);
        }
    }
    push_label(&mut octets, &mut label);
    out.extend(octets);
    out.push(0);
}

/// The next byte of a name as text, what is behind it, and whether it is a dot between labels.
fn next_byte(text: &[u8]) -> Option<(u8, &[u8], bool)> {
    match *text {
        [
            b'\\',
            a @ b'0'..=b'2',
            b @ b'0'..=b'9',
            c @ b'0'..=b'9',
            ref rest @ ..,
        ] => {
            let value = u16::from(a - b'0') * 100 + u16::from(b - b'0') * 10 + u16::from(c - b'0');
            Some((value.min(255) as u8, rest, false))
        }
        [b'\\', octet, ref rest @ ..] => Some((octet, rest, false)),
        [octet, ref rest @ ..] => Some((octet, rest, octet == b'.')),
        [] => None,
    }
}

fn push_label(octets: &mut Vec<u8>, label: &mut Vec<u8>) {
    label.truncate(63);
    if !label.is_empty() && octets.len() + label.len() + 2 <= MAX_NAME {
        octets.push(label.len() as u8);
        octets.append(label);
    }
    label.clear();
}
