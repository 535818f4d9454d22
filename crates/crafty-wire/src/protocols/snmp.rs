//! Simple Network Management Protocol, versions 1 and 2c; of version 3 only the version is read.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write as _;

use crate::ber::{element, value};
use crate::lines;
use crate::table::*;

/// The layer.
pub static LAYER: Layer = Layer {
    name: "SNMP",
    title: "Simple Network Management Protocol",
    spec: "RFC 1157, RFC 3416",
    about: "Asks a device for values, and tells them. A message is built with one variable, without a value; `message` sets all as octets.",
    example: "/IP(dst=192.0.2.1)/UDP(src=50000)/SNMP(pdu=get, request_id=7, oid=\"1.3.6.1.2.1.1.1.0\")",
    fields: &layout([
        custom("message", &CODEC).extent(Extent::Found(size)).doc("The whole message, as octets."),
        named("version", 8, &[(0, "v1"), (1, "v2c"), (3, "v3")]).view().doc("Version; unset: `v2c`."),
        text("community").extent(Extent::Bits).view().doc("Password, in clear; unset: `public`."),
        named("pdu", 5, PDUS).view().doc("Kind of message; unset: `get`."),
        uint("request_id", 32).view().doc("Ties an answer to its question."),
        uint("error", 32).view().doc("What went wrong; `non_repeaters` of `get_bulk`."),
        uint("error_index", 32).view().doc("With which variable; most repetitions of `get_bulk`."),
        text("oid").extent(Extent::Bits).view().doc("The first variable."),
        text("oids").extent(Extent::Bits).view().doc("All variables, with spaces between; read only."),
        bytes("value").extent(Extent::Bits).view().doc("Value of the first variable, as octets; read only."),
        uint("value_type", 8).view().doc("Its type: 2 integer, 4 octets, 5 none, 6 a name, 0x41 counter; read only."),
    ]),
    under: &[under("UDP", "dst", 161), under("UDP", "dst", 162)],
    accepts: Some(|octets| octets.first() == Some(&SEQUENCE)),
    ..Layer::BLANK
}
.seal();

const PDUS: Names = &[
    (0, "get"),
    (1, "get_next"),
    (2, "response"),
    (3, "set"),
    (4, "trap_v1"),
    (5, "get_bulk"),
    (6, "inform"),
    (7, "trap"),
    (8, "report"),
];
const INTEGER: u8 = 2;
const OCTETS: u8 = 4;
const NULL: u8 = 5;
const NAME: u8 = 6;
const SEQUENCE: u8 = 0x30;
const PDU: u8 = 0xa0;
const TRAP_V1: u8 = 0xa4;

static CODEC: Codec = Codec { about: "A message of SNMP in BER.", read, write };

fn size(octets: &[u8]) -> Option<usize> {
    element(octets).map(|(_, _, behind)| octets.len() - behind.len())
}

/// The low 32 bits of an integer.
fn integer(octets: &[u8]) -> Option<(u64, &[u8])> {
    let (number, behind) = value(octets, INTEGER).filter(|(number, _)| matches!(number.len(), 1..=5))?;
    let negative = number[0] & 0x80 != 0;
    let wide = number.iter().fold(if negative { u64::MAX } else { 0 }, |all, octet| all << 8 | u64::from(*octet));
    Some((wide & 0xffff_ffff, behind))
}

/// The parts of a message of version 1 or 2c.
struct Message<'a> {
    community: &'a [u8],
    pdu: u8,
    body: &'a [u8],
}

fn message(octets: &[u8]) -> Option<Message<'_>> {
    let (version, rest) = integer(value(octets, SEQUENCE)?.0)?;
    let (community, rest) = value(rest, OCTETS).filter(|_| version < 2)?;
    let (pdu, body, _) = element(rest).filter(|element| element.0 & 0xe0 == PDU)?;
    Some(Message { community, pdu, body })
}

/// A variable and its value.
struct Variable<'a> {
    name: String,
    kind: u8,
    value: &'a [u8],
}

/// Three integers, then the variables; the old trap has another form.
fn parts<'a>(message: &Message<'a>) -> Option<([u64; 3], Vec<Variable<'a>>)> {
    let (first, rest) = integer(message.body).filter(|_| message.pdu != TRAP_V1)?;
    let (second, rest) = integer(rest)?;
    let (third, rest) = integer(rest)?;
    let mut list = value(rest, SEQUENCE)?.0;
    let mut variables = Vec::new();
    while let Some((variable, behind)) = value(list, SEQUENCE) {
        let (name, held) = value(variable, NAME)?;
        let (kind, held, _) = element(held)?;
        variables.push(Variable { name: dotted(name)?, kind, value: held });
        list = behind;
    }
    Some(([first, second, third], variables))
}

/// A name as text. The first number holds two (X.690 §8.19).
fn dotted(octets: &[u8]) -> Option<String> {
    let (mut text, mut number) = (String::new(), 0u64);
    for octet in octets {
        number = number.checked_mul(128)? | u64::from(octet & 0x7f);
        if octet & 0x80 == 0 {
            let written = match text.is_empty() {
                true => write!(text, "{}.{}", (number / 40).min(2), number - (number / 40).min(2) * 40),
                false => write!(text, ".{number}"),
            };
            debug_assert!(written.is_ok());
            number = 0;
        }
    }
    (octets.last()? & 0x80 == 0).then_some(text)
}

fn read(octets: &[u8], view: &str) -> Option<FieldValue> {
    if view == "version" {
        return integer(value(octets, SEQUENCE)?.0).map(|(version, _)| FieldValue::Uint(version));
    }
    let message = message(octets)?;
    let part = |at: usize| parts(&message).map(|parts| FieldValue::Uint(parts.0[at]));
    let variables = || parts(&message).map(|parts| parts.1);
    match view {
        "community" => lines::text(core::str::from_utf8(message.community).ok()?),
        "pdu" => Some(FieldValue::Uint((message.pdu & 0x1f).into())),
        "request_id" => part(0),
        "error" => part(1),
        "error_index" => part(2),
        "oid" => lines::text(&variables()?.first()?.name),
        "oids" => lines::text(&variables()?.iter().map(|variable| variable.name.as_str()).collect::<Vec<_>>().join(" ")),
        "value" => Some(FieldValue::Bytes(variables()?.first()?.value.to_vec())),
        "value_type" => Some(FieldValue::Uint(variables()?.first()?.kind.into())),
        _ => None,
    }
}

fn write(header: &Header, _: usize, out: &mut Vec<u8>) {
    let number = |name: &str, otherwise: u64| lines::number(header, name).unwrap_or(otherwise);
    let name = lines::set(header, "oid").map(name_from).unwrap_or_default();
    let variable = match name.is_empty() {
        true => Vec::new(),
        false => wrap(SEQUENCE, &[wrap(NAME, &name), wrap(NULL, &[])].concat()),
    };
    let numbers = ["request_id", "error", "error_index"].map(|name| integer_from(number(name, 0)));
    let body = [numbers.concat(), wrap(SEQUENCE, &variable)].concat();
    let community = lines::set(header, "community").unwrap_or("public");
    let all = [
        integer_from(number("version", 1)),
        wrap(OCTETS, community.as_bytes()),
        wrap(PDU | number("pdu", 0) as u8, &body),
    ];
    out.extend(wrap(SEQUENCE, &all.concat()));
}

fn wrap(kind: u8, value: &[u8]) -> Vec<u8> {
    let len = value.len().to_be_bytes();
    let short = value.len() < 0x80;
    let skip = len.iter().position(|octet| *octet != 0).unwrap_or(len.len() - 1);
    let mut out = Vec::from([kind]);
    if !short {
        out.push(0x80 | (len.len() - skip) as u8);
    }
    out.extend(&len[skip..]);
    out.extend(value);
    out
}

/// An integer of 32 bits, signed, in as few octets as hold it.
fn integer_from(value: u64) -> Vec<u8> {
    let octets = (value as u32).to_be_bytes();
    let spare = |i: usize| matches!((octets[i], octets[i + 1] >> 7), (0, 0) | (0xff, 1));
    let skip = (0..3).take_while(|i| spare(*i)).count();
    wrap(INTEGER, &octets[skip..])
}

/// A name from text; nothing where a part is no number.
fn name_from(text: &str) -> Vec<u8> {
    let numbers: Option<Vec<u32>> = text.trim_start_matches('.').split('.').map(|number| number.parse().ok()).collect();
    let Some([first, second, rest @ ..]) = numbers.as_deref() else { return Vec::new() };
    let joined = u64::from(*first) * 40 + u64::from(*second);
    let mut out = Vec::new();
    for number in core::iter::once(joined).chain(rest.iter().map(|number| u64::from(*number))) {
        let sevens = (64 - number.leading_zeros()).div_ceil(7).max(1);
        out.extend((0..sevens).rev().map(|i| (number >> (7 * i)) as u8 & 0x7f | if i == 0 { 0 } else { 0x80 }));
    }
    out
}
