//! Simple Network Management Protocol, versions 1, 2c and 3. What version 3 encrypts is not read.

mod variable_bindings;

use alloc::vec::Vec;
use core::net::Ipv4Addr;

use crate::ber::{element, value};
use crate::table::*;
use variable_bindings::{
    BYTES, INTEGER, NAME, SEQUENCE, VariableBinding, dotted, from_text, integer, listed, name_from,
    variables, wrap,
};

/// The layer.
pub static LAYER: Layer = Layer {
    name: "SNMP",
    title: "Simple Network Management Protocol",
    spec: "RFC 1157, RFC 3416, RFC 3412, RFC 3414",
    about: "Reads values from a device. Messages of version 1 and 2c are built; `message` sets all as bytes.",
    example: "/IP(dst=192.0.2.1)/UDP(src=50000)/SNMP(pdu=get, request_id=7, oid=\"1.3.6.1.2.1.1.1.0\")",
    fields: &layout([
        custom("message", &CODEC).extent(Extent::Found(size)).doc("The whole message, as bytes."),
        named("version", 8, &[(0, "v1"), (1, "v2c"), (3, "v3")]).view().doc("Version; unset: `v2c`."),
        text("community").extent(Extent::Bits).view().doc("Community, in plain text; unset: `public`."),
        named("pdu", 5, PDUS).view().doc("Kind of message; unset: `get`."),
        uint("request_id", 32).view().doc("Identifies the question that an answer belongs to."),
        uint("error", 32).view().doc("Error; `non_repeaters` of `get_bulk`."),
        uint("error_index", 32).view().doc("Position of the wrong variable; maximum repetitions of `get_bulk`."),
        text("oid").extent(Extent::Bits).view().doc("The first variable; when set, it has no value."),
        text("oids").extent(Extent::Bits).view().doc("All variables, separated by spaces; read only."),
        text("variables").extent(Extent::Bits).view().doc("Variables with values: `1.3.6.1.2.1.1.5.0=string:\"r1\"; …`; types are integer, string, name, address, counter, gauge, ticks, counter64, null."),
        bytes("value").extent(Extent::Bits).view().doc("Value of the first variable, as bytes; read only."),
        uint("value_type", 8).view().doc("Its type: 2 integer, 4 bytes, 5 none, 6 a name, 0x41 counter; read only."),
        text("enterprise").extent(Extent::Bits).view().doc("Enterprise that defined the trap; `trap_v1`."),
        ip4("agent").view().doc("Sender of the trap; `trap_v1`."),
        uint("generic", 32).view().doc("0 cold start, 2 link down, 3 link up, 6 see `specific`; `trap_v1`."),
        uint("specific", 32).view().doc("Trap number of the enterprise; `trap_v1`."),
        uint("uptime", 32).view().doc("Hundredths of a second since the start; `trap_v1`."),
        uint("message_id", 32).view().doc("Number of the message; version 3, read only, as are all that follow."),
        flags("security", &["reportable", "enciphered", "authenticated"]).view().doc("Flags: whether the message is authenticated and encrypted."),
        bytes("engine").extent(Extent::Bits).view().doc("Authoritative engine."),
        uint("boots", 32).view().doc("Number of its starts."),
        uint("time", 32).view().doc("Seconds since then."),
        text("user").extent(Extent::Bits).view().doc("Who."),
        text("context").extent(Extent::Bits).view().doc("Context in the device, if it is not encrypted."),
    ]),
    under: &[under("UDP", "dst", 161), under("UDP", "dst", 162)],
    accepts: Some(|octets| octets.first() == Some(&SEQUENCE)),
    ..Layer::BLANK
}
.seal();

const PDUS: NameTable = &[
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
const PDU: u8 = 0xa0;
const TRAP_V1: u8 = 0xa4;
const ADDRESS: u8 = 0x40;
const TICKS: u8 = 0x43;

static CODEC: Codec = Codec {
    about: "A message of SNMP in BER.",
    read,
    write,
};

fn size(octets: &[u8]) -> Option<usize> {
    element(octets).map(|(_, _, behind)| octets.len() - behind.len())
}

/// The low 32 bits of an integer of this type.
fn number(octets: &[u8], kind: u8) -> Option<(u64, &[u8])> {
    let (number, behind) =
        value(octets, kind).filter(|(number, _)| matches!(number.len(), 1..=5))?;
    let negative = number[0] & 0x80 != 0;
    let wide = number
        .iter()
        .fold(if negative { u64::MAX } else { 0 }, |all, octet| {
            all << 8 | u64::from(*octet)
        });
    Some((wide & 0xffff_ffff, behind))
}

/// A message, as far as it is in clear.
struct SnmpMessage<'a> {
    community: Option<&'a [u8]>,
    context: Option<&'a [u8]>,
    pdu: u8,
    body: &'a [u8],
}

fn message(octets: &[u8]) -> Option<SnmpMessage<'_>> {
    let (version, rest) = number(value(octets, SEQUENCE)?.0, INTEGER)?;
    let (community, context, rest) = if version < 2 {
        let (community, rest) = value(rest, BYTES)?;
        (Some(community), None, rest)
    } else {
        let (_, rest) = value(rest, SEQUENCE)?;
        let (_, rest) = value(rest, BYTES)?;
        let (_, rest) = value(value(rest, SEQUENCE)?.0, BYTES)?;
        let (context, rest) = value(rest, BYTES)?;
        (None, Some(context), rest)
    };
    let (pdu, body, _) = element(rest).filter(|element| element.0 & 0xe0 == PDU)?;
    Some(SnmpMessage {
        community,
        context,
        pdu,
        body,
    })
}

/// Three integers, then the variables; the old trap has another form.
fn parts<'a>(message: &SnmpMessage<'a>) -> Option<([u64; 3], Vec<VariableBinding<'a>>)> {
    if message.pdu == TRAP_V1 {
        return Some((
            [0; 3],
            variables(value(trap(message)?.behind, SEQUENCE)?.0)?,
        ));
    }
    let (first, rest) = number(message.body, INTEGER)?;
    let (second, rest) = number(rest, INTEGER)?;
    let (third, rest) = number(rest, INTEGER)?;
    Some(([first, second, third], variables(value(rest, SEQUENCE)?.0)?))
}

/// What an old trap has before its variables (RFC 1157 §4.1.6).
struct Trap<'a> {
    enterprise: &'a [u8],
    agent: &'a [u8],
    numbers: [u64; 3],
    behind: &'a [u8],
}

fn trap<'a>(message: &SnmpMessage<'a>) -> Option<Trap<'a>> {
    let (enterprise, rest) = value(message.body, NAME).filter(|_| message.pdu == TRAP_V1)?;
    let (agent, rest) = value(rest, ADDRESS)?;
    let (generic, rest) = number(rest, INTEGER)?;
    let (specific, rest) = number(rest, INTEGER)?;
    let (uptime, behind) = number(rest, TICKS)?;
    Some(Trap {
        enterprise,
        agent,
        numbers: [generic, specific, uptime],
        behind,
    })
}

/// What version 3 says of security (RFC 3412 §6, RFC 3414 §2.4).
struct Secured<'a> {
    id: u64,
    flags: u8,
    engine: &'a [u8],
    numbers: [u64; 2],
    user: &'a [u8],
}

fn secured(octets: &[u8]) -> Option<Secured<'_>> {
    let (_, rest) =
        number(value(octets, SEQUENCE)?.0, INTEGER).filter(|(version, _)| *version == 3)?;
    let (global, rest) = value(rest, SEQUENCE)?;
    let (id, global) = number(global, INTEGER)?;
    let (_, global) = number(global, INTEGER)?;
    let (flags, global) = value(global, BYTES)?;
    number(global, INTEGER).filter(|(model, _)| *model == 3)?;
    let (engine, rest) = value(value(value(rest, BYTES)?.0, SEQUENCE)?.0, BYTES)?;
    let (boots, rest) = number(rest, INTEGER)?;
    let (time, rest) = number(rest, INTEGER)?;
    Some(Secured {
        id,
        flags: *flags.first()?,
        engine,
        numbers: [boots, time],
        user: value(rest, BYTES)?.0,
    })
}

fn text_of(octets: &[u8]) -> Option<FieldValue> {
    text_value(core::str::from_utf8(octets).ok()?)
}

fn read(octets: &[u8], view: &str) -> Option<FieldValue> {
    match view {
        "version" => number(value(octets, SEQUENCE)?.0, INTEGER)
            .map(|(version, _)| FieldValue::Uint(version)),
        "message_id" | "security" | "engine" | "boots" | "time" | "user" => {
            read_secured(&secured(octets)?, view)
        }
        "enterprise" | "agent" | "generic" | "specific" | "uptime" => {
            read_trap(&trap(&message(octets)?)?, view)
        }
        _ => read_message(&message(octets)?, view),
    }
}

fn read_secured(secured: &Secured, view: &str) -> Option<FieldValue> {
    match view {
        "message_id" => Some(FieldValue::Uint(secured.id)),
        "security" => Some(FieldValue::Uint((secured.flags & 7).into())),
        "engine" => Some(FieldValue::Bytes(secured.engine.to_vec())),
        "boots" => Some(FieldValue::Uint(secured.numbers[0])),
        "time" => Some(FieldValue::Uint(secured.numbers[1])),
        _ => text_of(secured.user),
    }
}

fn read_trap(trap: &Trap, view: &str) -> Option<FieldValue> {
    match view {
        "enterprise" => dotted(trap.enterprise).map(FieldValue::Text),
        "agent" => trap
            .agent
            .try_into()
            .ok()
            .map(|agent| FieldValue::Uint(Ipv4Addr::to_bits(<[u8; 4]>::into(agent)).into())),
        "generic" => Some(FieldValue::Uint(trap.numbers[0])),
        "specific" => Some(FieldValue::Uint(trap.numbers[1])),
        _ => Some(FieldValue::Uint(trap.numbers[2])),
    }
}

fn read_message(message: &SnmpMessage, view: &str) -> Option<FieldValue> {
    let part = |at: usize| {
        parts(message)
            .filter(|_| message.pdu != TRAP_V1)
            .map(|parts| FieldValue::Uint(parts.0[at]))
    };
    let variables = || parts(message).map(|parts| parts.1);
    match view {
        "community" => text_of(message.community?),
        "context" => text_of(message.context?),
        "pdu" => Some(FieldValue::Uint((message.pdu & 0x1f).into())),
        "request_id" => part(0),
        "error" => part(1),
        "error_index" => part(2),
        "oid" => text_value(&variables()?.first()?.name),
        "oids" => text_value(
            &variables()?
                .iter()
                .map(|variable| variable.name.as_str())
                .collect::<Vec<_>>()
                .join(" "),
        ),
        "variables" => Some(FieldValue::Text(listed(&variables()?))),
        "value" => Some(FieldValue::Bytes(variables()?.first()?.value.to_vec())),
        "value_type" => Some(FieldValue::Uint(variables()?.first()?.kind.into())),
        _ => None,
    }
}

fn write(header: &Header, _: usize, out: &mut Vec<u8>) {
    let number = |name: &str, otherwise: u64| header.uint(name).unwrap_or(otherwise);
    let pdu = PDU | number("pdu", 0) as u8;
    let listed = header
        .text("variables")
        .or_else(|| header.text("oid"))
        .map(from_text)
        .unwrap_or_default();
    let head = if pdu == TRAP_V1 {
        trap_from(header)
    } else {
        ["request_id", "error", "error_index"]
            .map(|name| integer(number(name, 0)))
            .concat()
    };
    let body = [head, wrap(SEQUENCE, &listed)].concat();
    let community = header.text("community").unwrap_or("public");
    let version = number("version", u64::from(pdu != TRAP_V1));
    out.extend(wrap(
        SEQUENCE,
        &[
            integer(version),
            wrap(BYTES, community.as_bytes()),
            wrap(pdu, &body),
        ]
        .concat(),
    ));
}

fn trap_from(header: &Header) -> Vec<u8> {
    let number = |name: &str| header.uint(name).unwrap_or(0);
    let enterprise = name_from(header.text("enterprise").unwrap_or("1.3.6.1.4.1"));
    let mut uptime = integer(number("uptime"));
    uptime[0] = TICKS;
    let agent = (number("agent") as u32).to_be_bytes();
    [
        wrap(NAME, &enterprise),
        wrap(ADDRESS, &agent),
        integer(number("generic")),
        integer(number("specific")),
        uptime,
    ]
    .concat()
}
