//! `send_packet`, read field by field.

use super::fields::{FLAGS, FieldShape};
use super::{ACTION_FIELDS, ActionError, AnswerLink, field, shown};
use crate::event::is_echo;
use crate::heard::{ICMP, ICMPV6, TCP, UDP, icmp_layer, protocol_names, protocol_number};
use crafty_value::Mac;
use serde_json::{Map, Value};
use std::net::IpAddr;

/// A packet as its fields say it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewPacket {
    /// Who with whom.
    pub ends: PacketEnds,
    /// Time to live or hop limit.
    pub hops: u8,
    /// Identification of IPv4.
    pub identification: u16,
    /// What IP carries.
    pub upper: Upper,
    /// What that carries.
    pub payload: Vec<u8>,
}

/// Addresses of both ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PacketEnds {
    /// Source address.
    pub source: IpAddr,
    /// Destination address, of the same family.
    pub destination: IpAddr,
    /// Source and destination link address, where they are given.
    pub macs: Option<(Mac, Mac)>,
}

/// What IP carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Upper {
    /// A segment.
    Tcp {
        /// Source and destination.
        ports: (u16, u16),
        /// Bits as TCP's table has them.
        flags: u16,
        /// Sequence number.
        seq: u32,
        /// Acknowledgement number.
        ack: u32,
        /// Window.
        window: u16,
    },
    /// A datagram.
    Udp {
        /// Source and destination.
        ports: (u16, u16),
    },
    /// A message of ICMP or ICMPv6, by the family.
    Icmp {
        /// Type.
        kind: u8,
        /// Code.
        code: u8,
        /// The four bytes after the checksum: identifier and sequence number, or zeros.
        rest: [u8; 4],
    },
    /// Another protocol: the payload alone.
    Other(u8),
}

/// What was given, and which of it has been looked at.
struct GivenFields<'a> {
    given: &'a Map<String, Value>,
    used: Vec<&'static str>,
}

/// Reads a packet.
pub(super) fn read(given: &Map<String, Value>, link: AnswerLink) -> Result<NewPacket, ActionError> {
    let mut fields = GivenFields {
        given,
        used: Vec::new(),
    };
    let (source, destination) = (fields.address("source")?, fields.address("destination")?);
    let version = family(&mut fields, source, destination)?;
    let protocol = protocol(&mut fields, version)?;
    let packet = NewPacket {
        ends: PacketEnds {
            source,
            destination,
            macs: macs(&mut fields, link)?,
        },
        hops: hops(&mut fields)?,
        identification: match version {
            4 => fields.number("identification", 0)?,
            _ => 0,
        },
        upper: upper(&mut fields, version, protocol)?,
        payload: payload(&mut fields)?,
    };
    fields.all_used()?;
    Ok(packet)
}

fn family(
    fields: &mut GivenFields<'_>,
    source: IpAddr,
    destination: IpAddr,
) -> Result<u8, ActionError> {
    if source.is_ipv4() != destination.is_ipv4() {
        return field("destination", "is of another family than `source`");
    }
    let version = if source.is_ipv4() { 4 } else { 6 };
    match fields.given_number("ip_version")? {
        Some(said) if said != version => field(
            "ip_version",
            format!("is {said}, and the addresses are of IPv{version}"),
        ),
        _ => Ok(version as u8),
    }
}

fn protocol(fields: &mut GivenFields<'_>, version: u8) -> Result<u8, ActionError> {
    let names = || protocol_names().collect::<Vec<_>>().join(", ");
    let number = fields.named("protocol", protocol_number, names)?;
    let Some(number) = number else {
        return field("protocol", "is required: a name or a number from 0 to 255");
    };
    match (number, version) {
        (ICMP, 6) => field("protocol", "is `icmp`, and IPv6 has `icmpv6`"),
        (ICMPV6, 4) => field("protocol", "is `icmpv6`, and IPv4 has `icmp`"),
        _ => Ok(number),
    }
}

/// Both or none, and only where there is a link layer.
fn macs(fields: &mut GivenFields<'_>, link: AnswerLink) -> Result<Option<(Mac, Mac)>, ActionError> {
    let both = (fields.mac("source_mac")?, fields.mac("destination_mac")?);
    match (both, link) {
        ((None, None), _) => Ok(None),
        (_, AnswerLink::Packets) => field("source_mac", "and `destination_mac` are for TAP only"),
        ((Some(source), Some(destination)), AnswerLink::Frames) => Ok(Some((source, destination))),
        _ => field(
            "source_mac",
            "and `destination_mac` are given together, or not at all",
        ),
    }
}

/// `ttl` and `hop_limit` are two names of one thing.
fn hops(fields: &mut GivenFields<'_>) -> Result<u8, ActionError> {
    let (ttl, limit) = (
        fields.given_number("ttl")?,
        fields.given_number("hop_limit")?,
    );
    match (ttl, limit) {
        (Some(a), Some(b)) if a != b => field("hop_limit", "contradicts `ttl`"),
        (Some(hops), _) | (None, Some(hops)) => Ok(hops as u8),
        (None, None) => Ok(64),
    }
}

fn upper(fields: &mut GivenFields<'_>, version: u8, protocol: u8) -> Result<Upper, ActionError> {
    match protocol {
        TCP => Ok(Upper::Tcp {
            ports: ports(fields)?,
            flags: flags(fields)?,
            seq: fields.number("seq", 0)?,
            ack: fields.number("ack", 0)?,
            window: fields.number("window", 65_535)?,
        }),
        UDP => Ok(Upper::Udp {
            ports: ports(fields)?,
        }),
        ICMP | ICMPV6 => icmp(fields, version),
        other => Ok(Upper::Other(other)),
    }
}

fn ports(fields: &mut GivenFields<'_>) -> Result<(u16, u16), ActionError> {
    let mut port = |name| match fields.given_number(name)? {
        Some(port) => Ok(port as u16),
        None => field(name, "is required for tcp and udp"),
    };
    Ok((port("source_port")?, port("destination_port")?))
}

fn flags(fields: &mut GivenFields<'_>) -> Result<u16, ActionError> {
    let bit = |name: &str| {
        let (_, row) = crafty_wire::protocols::tcp::LAYER.field("flags")?;
        row.named(name).map(|bit| bit as u16)
    };
    let Some(value) = fields.take("flags") else {
        return Ok(bit("ack").unwrap_or(0));
    };
    let list = value.as_array().map(Vec::as_slice).unwrap_or_default();
    if !value.is_array() {
        return field("flags", "is a list of names");
    }
    list.iter().try_fold(0, |sum, name| {
        let name = name.as_str().unwrap_or_default();
        match bit(name).filter(|_| FLAGS.contains(&name)) {
            Some(bit) => Ok(sum | bit),
            None => field(
                "flags",
                format!(
                    "has `{}`, which is none of {}",
                    shown(name),
                    FLAGS.join(", ")
                ),
            ),
        }
    })
}

/// Names of types that others use, beside those of our tables.
const TYPE_ALIASES: &[(&str, &str)] = &[
    ("destination_unreachable", "dest_unreachable"),
    ("neighbour_solicitation", "neighbor_solicitation"),
    ("neighbour_advertisement", "neighbor_advertisement"),
];

fn icmp(fields: &mut GivenFields<'_>, version: u8) -> Result<Upper, ActionError> {
    let by_name = |name: &str| {
        let alias = TYPE_ALIASES.iter().find(|row| row.0 == name);
        let name = alias.map_or(name, |row| row.1);
        let (_, row) = icmp_layer(version).field("type")?;
        u8::try_from(row.named(name)?).ok()
    };
    let kind = fields.named("icmp_type", by_name, || {
        "those that `crafty manual ICMP` and `crafty manual ICMP6` list".into()
    })?;
    let Some(kind) = kind else {
        return field("icmp_type", "is required for icmp and icmpv6");
    };
    let code = fields.number("icmp_code", 0)?;
    let rest = match is_echo(version, kind) {
        true => {
            let (id, sequence): (u16, u16) = (
                fields.number("icmp_id", 0)?,
                fields.number("icmp_sequence", 0)?,
            );
            (u32::from(id) << 16 | u32::from(sequence)).to_be_bytes()
        }
        false => [0; 4],
    };
    Ok(Upper::Icmp { kind, code, rest })
}

fn payload(fields: &mut GivenFields<'_>) -> Result<Vec<u8>, ActionError> {
    let text = fields.text("payload")?.unwrap_or_default();
    match fields.text("payload_encoding")?.unwrap_or("utf8") {
        "utf8" => Ok(text.as_bytes().to_vec()),
        "hex" => hex(text).map_or_else(
            || {
                field(
                    "payload",
                    "is not pairs of hex digits, as `payload_encoding` says",
                )
            },
            Ok,
        ),
        other => field(
            "payload_encoding",
            format!("is `{}`, not utf8 or hex", shown(other)),
        ),
    }
}

/// Six pairs of hex digits with colons between.
fn mac(text: &str) -> Option<Mac> {
    let mut six = [0; 6];
    let mut parts = text.split(':');
    for byte in &mut six {
        let part = parts.next().filter(|part| part.len() == 2)?;
        *byte = *hex(part)?.first()?;
    }
    parts.next().is_none().then_some(Mac(six))
}

/// Pairs of hex digits, and nothing else.
fn hex(text: &str) -> Option<Vec<u8>> {
    let digit = |byte: &u8| (*byte as char).to_digit(16).map(|digit| digit as u8);
    let digits: Vec<u8> = text.as_bytes().iter().map(digit).collect::<Option<_>>()?;
    let pairs = digits.chunks_exact(2);
    pairs
        .remainder()
        .is_empty()
        .then(|| pairs.map(|pair| pair[0] << 4 | pair[1]).collect())
}

impl<'a> GivenFields<'a> {
    /// The value of a field; null is nothing.
    fn take(&mut self, name: &'static str) -> Option<&'a Value> {
        self.used.push(name);
        self.given.get(name).filter(|value| !value.is_null())
    }

    fn text(&mut self, name: &'static str) -> Result<Option<&'a str>, ActionError> {
        match self.take(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => field(name, "is a text"),
        }
    }

    fn address(&mut self, name: &'static str) -> Result<IpAddr, ActionError> {
        let Some(text) = self.text(name)? else {
            return field(name, "is required: an address");
        };
        text.parse()
            .or_else(|_| field(name, format!("`{}` is not an address", shown(text))))
    }

    fn mac(&mut self, name: &'static str) -> Result<Option<Mac>, ActionError> {
        let Some(text) = self.text(name)? else {
            return Ok(None);
        };
        match mac(text) {
            Some(mac) => Ok(Some(mac)),
            None => field(
                name,
                format!("`{}` is not written as aa:bb:cc:dd:ee:ff", shown(text)),
            ),
        }
    }

    /// A whole number within the range of its row.
    fn given_number(&mut self, name: &'static str) -> Result<Option<u64>, ActionError> {
        let most = match ACTION_FIELDS
            .iter()
            .find(|row| row.name == name)
            .map(|row| row.shape)
        {
            Some(FieldShape::Number(most)) => most,
            _ => 255,
        };
        let Some(value) = self.take(name) else {
            return Ok(None);
        };
        match value.as_u64().filter(|number| *number <= most) {
            Some(number) => Ok(Some(number)),
            None => field(name, format!("is not a whole number from 0 to {most}")),
        }
    }

    fn number<T: TryFrom<u64>>(
        &mut self,
        name: &'static str,
        default: T,
    ) -> Result<T, ActionError> {
        let number = self.given_number(name)?;
        let fits = number.map(T::try_from).transpose();
        fits.map(|number| number.unwrap_or(default))
            .or_else(|_| field(name, "is too large"))
    }

    /// A name, or a number from 0 to 255.
    fn named(
        &mut self,
        name: &'static str,
        by_name: impl Fn(&str) -> Option<u8>,
        names: impl Fn() -> String,
    ) -> Result<Option<u8>, ActionError> {
        let number = match self.take(name) {
            None => return Ok(None),
            Some(Value::String(text)) => by_name(text).or_else(|| text.parse().ok()),
            Some(value) => value.as_u64().and_then(|number| u8::try_from(number).ok()),
        };
        match number {
            Some(number) => Ok(Some(number)),
            None => field(
                name,
                format!("is neither a number from 0 to 255 nor one of {}", names()),
            ),
        }
    }

    /// A field that this packet has no place for says something that would not be sent.
    fn all_used(&self) -> Result<(), ActionError> {
        let unused = ACTION_FIELDS.iter().find(|row| {
            let given = self
                .given
                .get(row.name)
                .is_some_and(|value| !value.is_null());
            given && !self.used.contains(&row.name)
        });
        match unused {
            Some(row) => field(row.name, "has no place in such a packet"),
            None => Ok(()),
        }
    }
}
