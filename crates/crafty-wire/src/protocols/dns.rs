//! Domain Name System messages over UDP. The table has the header; names and records are read and built by the codec below.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use crate::table::*;

/// The layer.
pub static LAYER: Layer = Layer {
    name: "DNS",
    title: "Domain Name System",
    spec: "RFC 1035, RFC 6891",
    about: "Asks for the records of a name, and answers. Setting `qname` builds the question; `records` sets all behind the header as octets.",
    example: "/IP(dst=192.0.2.53)/UDP(dst=53)/DNS(id=7, rd=1, qname=\"example.com\", qtype=a)",
    fields: &layout([
        uint("id", 16).doc("Ties an answer to its question."),
        uint("qr", 1).doc("0 a question, 1 an answer."),
        named("opcode", 4, OPCODES).doc("Kind of question."),
        uint("aa", 1).doc("The answer is authoritative."),
        uint("tc", 1).doc("The message was cut: ask over TCP."),
        uint("rd", 1).default(1).doc("Recursion is wanted."),
        uint("ra", 1).doc("Recursion is to be had."),
        uint("z", 1).doc("Reserved."),
        uint("ad", 1).doc("The data was authenticated (RFC 4035)."),
        uint("cd", 1).doc("Do not check signatures (RFC 4035)."),
        named("rcode", 4, RCODES).doc("Outcome."),
        uint("qdcount", 16).doc("Questions; unset: as many as are built."),
        uint("ancount", 16).doc("Answers."),
        uint("nscount", 16).doc("Authority records."),
        uint("arcount", 16).doc("Additional records; unset: as many as are built."),
        custom("records", &CODEC).doc("All behind the header, as octets."),
        text("qname").extent(Extent::Bits).view().doc("Name of the first question."),
        named("qtype", 16, RECORD_TYPES).default(1).view().doc("Type of the first question."),
        named("qclass", 16, CLASSES).default(1).view().doc("Class of the first question."),
        text("answers").extent(Extent::Bits).view().doc("The answers as text: name, ttl, type, data; `; ` between them."),
        ip4("address").view().doc("First IPv4 address among the answers."),
        ip6("address6").view().doc("First IPv6 address among the answers."),
        text("cname").extent(Extent::Bits).view().doc("First alias among the answers."),
        uint("ttl", 32).view().doc("Seconds that the first answer may be kept."),
        uint("edns_size", 16).view().doc("Largest answer over UDP; setting it adds an EDNS record."),
        uint("edns_do", 1).view().doc("Signatures are wanted; setting it adds an EDNS record."),
    ]),
    under: &[under("UDP", "dst", 53), under("UDP", "dst", 5353), under("UDP", "dst", 5355)],
    accepts: Some(|octets| octets.len() >= HEADER),
    ..Layer::BLANK
}
.seal();

static CODEC: Codec = Codec { about: "Questions and records of a DNS message.", read, write };

const HEADER: usize = 12;
const QDCOUNT: Slot = LAYER.slot("qdcount");
const ARCOUNT: Slot = LAYER.slot("arcount");
const COUNTS: [Slot; 4] = [QDCOUNT, LAYER.slot("ancount"), LAYER.slot("nscount"), ARCOUNT];
const ANSWER: usize = 1;
const ADDITIONAL: usize = 3;
const OPT: u16 = 41;
/// Octets of names, and of the answers as text, that are read at most.
const MAX_NAME: usize = 255;
/// Labels and pointers of a name that are followed at most.
const MAX_STEPS: usize = 256;
const MAX_TEXT: usize = 16_384;

const OPCODES: Names = &[(0, "query"), (1, "iquery"), (2, "status"), (4, "notify"), (5, "update")];

const RCODES: Names = &[
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

const CLASSES: Names = &[(1, "in"), (3, "ch"), (4, "hs"), (254, "none"), (255, "any")];

const RECORD_TYPES: Names = &[
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
    (255, "all"),
    (257, "caa"),
];

fn read(message: &[u8], view: &str) -> Option<FieldValue> {
    let number = |value: u64| Some(FieldValue::Uint(value));
    match view {
        "qname" => Some(FieldValue::Text(question(message)?.name)),
        "qtype" => number(question(message)?.kind.into()),
        "qclass" => number(question(message)?.class.into()),
        "answers" => answers(message).map(FieldValue::Text),
        "ttl" => number(records(message, ANSWER).next()?.ttl.into()),
        "cname" => of_type(message, 5).and_then(|record| Some(FieldValue::Text(name_at(message, record.data.start)?.0))),
        "address" => octets_of(message, 1).map(|octets: [u8; 4]| FieldValue::Uint(u32::from_be_bytes(octets).into())),
        "address6" => octets_of(message, 28).map(|octets| FieldValue::Wide(u128::from_be_bytes(octets))),
        "edns_size" => number(edns(message)?.class.into()),
        "edns_do" => number((edns(message)?.ttl >> 15 & 1).into()),
        _ => None,
    }
}

fn of_type(message: &[u8], kind: u16) -> Option<Record> {
    records(message, ANSWER).find(|record| record.kind == kind)
}

fn octets_of<const N: usize>(message: &[u8], kind: u16) -> Option<[u8; N]> {
    message.get(of_type(message, kind)?.data)?.try_into().ok()
}

fn edns(message: &[u8]) -> Option<Record> {
    records(message, ADDITIONAL).find(|record| record.kind == OPT)
}

/// The first question.
struct Question {
    name: String,
    kind: u16,
    class: u16,
}

fn question(message: &[u8]) -> Option<Question> {
    if QDCOUNT.get(message)? == 0 {
        return None;
    }
    let (name, end) = name_at(message, HEADER)?;
    Some(Question { name, kind: word(message, end)?, class: word(message, end + 2)? })
}

/// A resource record; the data are octets of the message.
struct Record {
    name_at: usize,
    kind: u16,
    class: u16,
    ttl: u32,
    data: core::ops::Range<usize>,
}

/// The records of a section: 1 answers, 2 authority, 3 additional. It ends where the octets do.
fn records(message: &[u8], section: usize) -> impl Iterator<Item = Record> {
    let count = |slot: &Slot| slot.get(message).unwrap_or(0);
    let before: u64 = COUNTS[1..section].iter().map(count).sum();
    let mut at = records_at(message);
    let all = core::iter::from_fn(move || {
        let record = record_at(message, at?)?;
        at = Some(record.data.end);
        Some(record)
    });
    all.skip(before as usize).take(count(&COUNTS[section]) as usize)
}

/// First octet behind the questions.
fn records_at(message: &[u8]) -> Option<usize> {
    let mut at = HEADER;
    for _ in 0..QDCOUNT.get(message)? {
        at = skip_name(message, at)? + 4;
    }
    Some(at)
}

fn record_at(message: &[u8], name_at: usize) -> Option<Record> {
    let at = skip_name(message, name_at)?;
    let fixed = message.get(at..at + 10)?;
    let start = at + 10;
    let data = start..start + usize::from(word(fixed, 8)?);
    let ttl = u32::from_be_bytes(fixed[4..8].try_into().ok()?);
    (data.end <= message.len()).then_some(Record { name_at, kind: word(fixed, 0)?, class: word(fixed, 2)?, ttl, data })
}

fn word(octets: &[u8], at: usize) -> Option<u16> {
    octets.get(at..at + 2)?.try_into().ok().map(u16::from_be_bytes)
}

/// First octet behind a name, without following it elsewhere.
fn skip_name(message: &[u8], mut at: usize) -> Option<usize> {
    loop {
        match *message.get(at)? {
            0 => return Some(at + 1),
            length @ 1..=63 => at += 1 + usize::from(length),
            192.. => return Some(at + 2).filter(|end| *end <= message.len()),
            _ => return None,
        }
    }
}

/// A name as text, and the first octet behind it. A pointer must go back before all that was read of the name so far
/// (RFC 1035 §4.1.4), so that this ends.
fn name_at(message: &[u8], start: usize) -> Option<(String, usize)> {
    let (mut name, mut at, mut oldest) = (String::new(), start, start);
    for _ in 0..MAX_STEPS {
        match *message.get(at)? {
            0 => return Some((if name.is_empty() { ".".to_string() } else { name }, skip_name(message, start)?)),
            length @ 1..=63 => {
                label(&mut name, message.get(at + 1..at + 1 + usize::from(length))?);
                at += 1 + usize::from(length);
            }
            192.. => {
                at = usize::from(word(message, at)? & 0x3fff);
                if at >= oldest {
                    return None;
                }
                oldest = at;
            }
            _ => return None,
        }
    }
    None
}

/// Adds a label; what is not printable, dots and backslashes are escaped (RFC 1035 §5.1).
fn label(name: &mut String, octets: &[u8]) {
    if !name.is_empty() {
        name.push('.');
    }
    for &octet in octets {
        match octet {
            b'.' | b'\\' => name.extend(['\\', octet as char]),
            b'!'..=b'~' => name.push(octet as char),
            _ => name.push_str(&format!("\\{octet:03}")),
        }
    }
}

fn answers(message: &[u8]) -> Option<String> {
    QDCOUNT.get(message)?;
    let mut text = String::new();
    for line in answer_lines(message) {
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

/// Each answer of a message as text: name, seconds it may be kept, type, data. As many as can be read.
pub fn answer_lines(message: &[u8]) -> impl Iterator<Item = String> {
    records(message, ANSWER).map(|record| {
        let name = name_at(message, record.name_at).map_or_else(|| "?".to_string(), |name| name.0);
        let kind = RECORD_TYPES.iter().find(|row| row.0 == u64::from(record.kind)).map_or_else(|| format!("type{}", record.kind), |row| row.1.to_string());
        format!("{name} {} {kind} {}", record.ttl, data(message, &record))
    })
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

/// The data of a record as text, in hex where it is not known or broken.
fn data(message: &[u8], record: &Record) -> String {
    let octets = &message[record.data.clone()];
    let name = |skip: usize| name_at(message, record.data.start + skip).map(|name| name.0);
    let known = match record.kind {
        1 => octets.try_into().ok().map(|octets: [u8; 4]| Ipv4Addr::from(octets).to_string()),
        28 => octets.try_into().ok().map(|octets: [u8; 16]| Ipv6Addr::from(octets).to_string()),
        2 | 5 | 12 | 39 => name(0),
        15 => word(octets, 0).and_then(|preference| Some(format!("{preference} {}", name(2)?))),
        33 => name(6).and_then(|name| Some(format!("{} {} {} {name}", word(octets, 0)?, word(octets, 2)?, word(octets, 4)?))),
        16 => strings(octets),
        _ => None,
    };
    known.unwrap_or_else(|| octets.iter().take(MAX_NAME).fold(String::from("#"), |hex, octet| hex + &format!("{octet:02x}")))
}

fn strings(mut octets: &[u8]) -> Option<String> {
    let mut text = String::new();
    while let Some((&length, rest)) = octets.split_first() {
        let (string, behind) = rest.split_at_checked(length.into())?;
        let shown: String = string.iter().flat_map(|octet| octet.escape_ascii()).map(char::from).collect();
        text.push_str(&format!("\"{shown}\""));
        octets = behind;
    }
    Some(text)
}

/// Appends the question that `qname` asks for and the EDNS record, and counts them where the counts are unset.
fn write(header: &Header, start: usize, out: &mut Vec<u8>) {
    let number = |name: &str, otherwise: u64| header.value(name).and_then(FieldValue::as_uint).unwrap_or(otherwise);
    let asks = ["qname", "qtype", "qclass"].iter().any(|name| header.value(name).is_some());
    if asks {
        let name = match header.value("qname") {
            Some(FieldValue::Text(name)) => name.as_str(),
            _ => ".",
        };
        write_name(name, out);
        out.extend((number("qtype", 1) as u16).to_be_bytes());
        out.extend((number("qclass", 1) as u16).to_be_bytes());
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

/// Writes a name, `\.` and `\DDD` being octets of a label; labels are cut at 63 octets, names at 255.
fn write_name(name: &str, out: &mut Vec<u8>) {
    let (mut octets, mut label) = (Vec::new(), Vec::new());
    let mut rest = name.as_bytes();
    while let Some((octet, behind, dot)) = next_octet(rest) {
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

/// The next octet of a name as text, what is behind it, and whether it is a dot between labels.
fn next_octet(text: &[u8]) -> Option<(u8, &[u8], bool)> {
    match *text {
        [b'\\', a @ b'0'..=b'2', b @ b'0'..=b'9', c @ b'0'..=b'9', ref rest @ ..] => {
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
