//! Events as JSON objects: what handlers and the operator get. Header fields decoded, and of the
//! payload a preview, whose encoding is said.

use crate::decision::Summary;
use crate::far_end::FarEnd;
use crate::heard::{HeardPacket, icmp_layer, icmp_type_name, protocol_name};
use crate::option::EndpointOptions;
use crate::totals::EndpointTotals;
use crafty_wire::protocols::tcp;
use crafty_wire::{LayerRole, PacketView};
use serde_json::{Map, Value, json};
use std::net::Ipv4Addr;

/// Bytes of a payload that an event shows at most.
pub const PREVIEW: usize = 64;

/// What an event is called, and what it tells: the documents and the model read the same rows.
pub struct EventRow {
    /// The word under `event`.
    pub name: &'static str,
    /// When it is raised.
    pub doc: &'static str,
    /// Its fields, each with what it holds.
    pub fields: &'static [(&'static str, &'static str)],
}

/// Every event.
pub static EVENTS: &[EventRow] = &[
    EventRow {
        name: "packet_received",
        doc: "A packet was routed to the interface and passed the filter.",
        fields: &[
            ("number", "number of the packet, as in the log"),
            ("direction", "always `inbound`: it comes from the host"),
            ("ip_version", "4 or 6"),
            ("source", "source address"),
            ("destination", "destination address"),
            ("protocol", "name of the IP protocol, or `unknown`"),
            ("protocol_number", "its number, 0 to 255"),
            ("ttl", "IPv4: hops left"),
            ("hop_limit", "IPv6: hops left"),
            ("total_length", "bytes of the IP packet, as its header says"),
            ("source_port", "TCP and UDP: source port"),
            ("destination_port", "TCP and UDP: destination port"),
            ("tcp_flags", "TCP: names of the flags that are set"),
            ("seq", "TCP: sequence number"),
            ("ack", "TCP: acknowledgement number"),
            ("window", "TCP: window, before scaling"),
            ("icmp_type", "ICMP: name of the type, if it has one"),
            ("icmp_type_number", "ICMP: type"),
            ("icmp_code", "ICMP: code"),
            ("icmp_id", "echo: identifier"),
            ("icmp_sequence", "echo: sequence number"),
            ("ethernet", "TAP: source_mac, destination_mac, ethertype"),
            ("payload_length", "bytes of the payload, all of them"),
            ("payload_preview", "its first 64 bytes at most"),
            (
                "payload_encoding",
                "`utf8` if these are printable ASCII, else `hex`",
            ),
            ("summary", "the packet in one line"),
        ],
    },
    EventRow {
        name: "interface_up",
        doc: "The interface is there and carries packets.",
        fields: &[
            ("interface", "its name, as the kernel gave it"),
            ("mode", "`tun` or `tap`"),
            ("address", "addresses of the near end"),
            (
                "netmask",
                "their netmasks; for IPv6 the length of the prefix",
            ),
            ("mtu", "largest IP packet in bytes"),
            ("packet_filter", "which packets become events"),
            ("llm_escalation", "`never` or `unhandled`"),
            (
                "llm_max_per_minute",
                "how often the model may be asked in any minute",
            ),
        ],
    },
    EventRow {
        name: "interface_down",
        doc: "The interface carries nothing more; nobody can answer.",
        fields: &[
            ("interface", "its name"),
            ("reason", "`stopped`, `closed: …`, or why the program ended"),
            ("packets_received", "packets that came out of it"),
            ("packets_escalated", "of those, how many became events"),
            ("packets_sent", "packets that were written to it"),
            ("model_calls", "how often the model was asked"),
            ("dropped", "packets that were not answered, by decision"),
        ],
    },
];

/// `packet_received`.
pub fn packet_received(number: u64, heard: &HeardPacket, view: &PacketView<'_, '_>) -> Value {
    let mut event = Map::new();
    let mut put = |name: &str, value: Value| {
        event.insert(name.into(), value);
    };
    put("event", "packet_received".into());
    put("number", number.into());
    put("direction", "inbound".into());
    put("ip_version", heard.version.into());
    put("source", heard.source.to_string().into());
    put("destination", heard.destination.to_string().into());
    let name = protocol_name(heard.protocol).unwrap_or("unknown");
    put("protocol", name.into());
    put("protocol_number", heard.protocol.into());
    let hops = if heard.version == 4 {
        "ttl"
    } else {
        "hop_limit"
    };
    let said = |name: &str| view.uint(heard.network, name);
    put(hops, said("ttl").into());
    put("total_length", heard.length.into());
    transport(heard, view, &mut put);
    if let Some(link) = view.first(LayerRole::Link, 0) {
        put("ethernet", ethernet(view, link));
    }
    let payload = view.payload(heard.transport.unwrap_or(heard.carrier));
    let (preview, encoding) = preview(payload);
    put("payload_length", payload.len().into());
    put("payload_preview", preview.into());
    put("payload_encoding", encoding.into());
    put("summary", Summary(heard).to_string().into());
    Value::Object(event)
}

fn transport(heard: &HeardPacket, view: &PacketView<'_, '_>, put: &mut impl FnMut(&str, Value)) {
    let Some(at) = heard.transport else { return };
    let mut number = |name: &str, field: &str| {
        if let Some(value) = view.uint(at, field) {
            put(name, value.into());
        }
    };
    if heard.ports.is_some() {
        number("source_port", "src");
        number("destination_port", "dst");
    }
    if let Some(flags) = heard.tcp_flags {
        for field in ["seq", "ack", "window"] {
            number(field, field);
        }
        put("tcp_flags", flag_names(flags).into());
    }
    if let Some(kind) = heard.icmp_type {
        if let Some(name) = icmp_type_name(heard) {
            put("icmp_type", name.into());
        }
        put("icmp_type_number", kind.into());
        put("icmp_code", view.uint(at, "code").into());
        if is_echo(heard.version, kind) {
            put("icmp_id", view.uint(at, "id").into());
            put("icmp_sequence", view.uint(at, "seq").into());
        }
    }
}

/// Whether a type of ICMP is an echo request or reply.
pub fn is_echo(version: u8, kind: u8) -> bool {
    let layer = icmp_layer(version);
    let is = |name| {
        let field = layer.field("type");
        field.and_then(|(_, field)| field.named(name)) == Some(kind.into())
    };
    is("echo_request") || is("echo_reply")
}

/// Names of TCP flags, as its table has them.
pub fn flag_names(flags: u16) -> Vec<&'static str> {
    let Some((_, field)) = tcp::LAYER.field("flags") else {
        return Vec::new();
    };
    let crafty_wire::FieldKind::Flags(names) = field.kind else {
        return Vec::new();
    };
    let is_set = |name: &&&str| {
        field
            .named(name)
            .is_some_and(|bit| u64::from(flags) & bit != 0)
    };
    names.iter().rev().filter(is_set).copied().collect()
}

fn ethernet(view: &PacketView<'_, '_>, link: usize) -> Value {
    let mac = |name| {
        let raw = view.uint(link, name).unwrap_or(0).to_be_bytes();
        let mut six = [0; 6];
        six.copy_from_slice(&raw[2..]);
        crafty_value::Mac(six).to_string()
    };
    json!({
        "source_mac": mac("src"),
        "destination_mac": mac("dst"),
        "ethertype": view.uint(link, "type"),
    })
}

/// The first bytes of a payload, and how they are written.
fn preview(payload: &[u8]) -> (String, &'static str) {
    let shown = &payload[..payload.len().min(PREVIEW)];
    let printable = shown.iter().all(|byte| (0x20..0x7f).contains(byte));
    match printable {
        true => (String::from_utf8_lossy(shown).into_owned(), "utf8"),
        false => (
            shown.iter().map(|byte| format!("{byte:02x}")).collect(),
            "hex",
        ),
    }
}

/// `interface_up`.
pub fn interface_up(options: &EndpointOptions, far: &FarEnd) -> Value {
    let address = far.near.iter().map(|(address, _)| address.to_string());
    let netmask = far
        .near
        .iter()
        .map(|(address, bits)| match address.is_ipv4() {
            true => netmask(*bits).to_string(),
            false => bits.to_string(),
        });
    json!({
        "event": "interface_up",
        "interface": far.interface,
        "mode": far.mode.name(),
        "address": one_or_all(address.collect()),
        "netmask": one_or_all(netmask.collect()),
        "mtu": far.mtu,
        "packet_filter": options.packet_filter.to_string(),
        "llm_escalation": options.llm_escalation.name(),
        "llm_max_per_minute": options.llm_max_per_minute,
    })
}

/// A text where there is one, a list where there are several.
fn one_or_all(mut all: Vec<String>) -> Value {
    match all.len() {
        1 => all.remove(0).into(),
        _ => all.into(),
    }
}

fn netmask(bits: u8) -> Ipv4Addr {
    Ipv4Addr::from_bits(u32::MAX.checked_shl(32 - u32::from(bits)).unwrap_or(0))
}

/// `interface_down`.
pub fn interface_down(far: &FarEnd, reason: &str, totals: &EndpointTotals) -> Value {
    let dropped: Map<String, Value> = totals
        .dropped()
        .map(|(word, count)| (word.into(), count.into()))
        .collect();
    json!({
        "event": "interface_down",
        "interface": far.interface,
        "reason": reason,
        "packets_received": totals.received,
        "packets_escalated": totals.escalated,
        "packets_sent": totals.sent,
        "model_calls": totals.model_calls,
        "dropped": dropped,
    })
}
