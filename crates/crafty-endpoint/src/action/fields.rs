//! The fields of `send_packet`, one row each: reading, the model's schema and the documents use the same
//! table.

/// What a field's value looks like in JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldShape {
    /// A text.
    Text,
    /// A whole number from 0 to this.
    Number(u64),
    /// A name, or a whole number from 0 to 255, as a number or in a text.
    NameOrNumber,
    /// A list of names of TCP flags.
    Flags,
    /// One of these words.
    OneOf(&'static [&'static str]),
}

/// One field.
#[derive(Debug)]
pub struct ActionField {
    /// Its name.
    pub name: &'static str,
    /// What its value looks like.
    pub shape: FieldShape,
    /// What it is, whether it must be there, and its default.
    pub doc: &'static str,
}

const fn row(name: &'static str, shape: FieldShape, doc: &'static str) -> ActionField {
    ActionField { name, shape, doc }
}

use FieldShape::{Flags, NameOrNumber, Number, OneOf, Text};

/// Names of TCP flags that an action may set.
pub const FLAGS: &[&str] = &["fin", "syn", "rst", "psh", "ack", "urg", "ece", "cwr"];

/// Every field of `send_packet`.
pub static ACTION_FIELDS: &[ActionField] = &[
    row("source", Text, "source address; required"),
    row(
        "destination",
        Text,
        "destination address, of the same family; required",
    ),
    row(
        "protocol",
        NameOrNumber,
        "name or number of what IP carries; `icmp` for IPv4, `icmpv6` for IPv6 only; required",
    ),
    row(
        "ip_version",
        Number(6),
        "4 or 6, as the addresses say; nothing else",
    ),
    row("ttl", Number(255), "IPv4 time to live; 64"),
    row(
        "hop_limit",
        Number(255),
        "IPv6 hop limit, the same as ttl; 64",
    ),
    row("identification", Number(0xffff), "IPv4 identification; 0"),
    row(
        "source_port",
        Number(0xffff),
        "TCP and UDP source port; required for them",
    ),
    row(
        "destination_port",
        Number(0xffff),
        "TCP and UDP destination port; required for them",
    ),
    row("flags", Flags, "TCP flags; [\"ack\"]"),
    row("seq", Number(0xffff_ffff), "TCP sequence number; 0"),
    row("ack", Number(0xffff_ffff), "TCP acknowledgement number; 0"),
    row("window", Number(0xffff), "TCP window; 65535"),
    row(
        "icmp_type",
        NameOrNumber,
        "name or number of the ICMP type; required for icmp and icmpv6",
    ),
    row("icmp_code", Number(255), "ICMP code; 0"),
    row(
        "icmp_id",
        Number(0xffff),
        "identifier of an echo request or reply; 0. The asker ignores a reply without its own",
    ),
    row(
        "icmp_sequence",
        Number(0xffff),
        "sequence number of an echo request or reply; 0",
    ),
    row(
        "source_mac",
        Text,
        "TAP only, together with destination_mac: source link address; the far end's",
    ),
    row(
        "destination_mac",
        Text,
        "TAP only, together with source_mac: destination link address; the host's",
    ),
    row(
        "payload",
        Text,
        "what TCP, UDP, ICMP or IP carries, as payload_encoding says; empty",
    ),
    row(
        "payload_encoding",
        OneOf(&["utf8", "hex"]),
        "how to read payload: utf8, or pairs of hex digits; utf8",
    ),
];
