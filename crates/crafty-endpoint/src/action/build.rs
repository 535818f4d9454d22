//! Bytes of a packet from its fields: the codec writes headers and computes lengths and checksums.

use super::packet::{NewPacket, Upper};
use crate::far_end::{FAR_MAC, FarEnd};
use crate::heard::{ICMP, ICMPV6, ethernet};
use crate::option::EndpointMode;
use crafty_value::Mac;
use crafty_wire::protocols::{bytes, icmp, icmp6, ip, ip6, tcp, udp};
use crafty_wire::{FieldValue, Header, Layer, SetError, Template};
use std::net::IpAddr;

/// The frame of a packet; nothing if it is longer than the interface takes.
pub fn build(packet: &NewPacket, far: &FarEnd) -> Option<Vec<u8>> {
    let mut headers = Vec::new();
    if far.mode == EndpointMode::Tap {
        headers.push(link_header(packet, far).ok()?);
    }
    let first = headers.len();
    headers.push(network_header(packet).ok()?);
    headers.extend(upper_header(packet).ok()?);
    if !packet.payload.is_empty() {
        let payload = FieldValue::Bytes(packet.payload.clone());
        headers.push(Header::new(&bytes::LAYER).with("data", payload).ok()?);
    }
    let mut template = Template::new(&headers);
    if let Upper::Icmp { kind, code, rest } = packet.upper {
        set_message(&mut template, first + 1, kind, code, rest)?;
    }
    let network = template.bounds().get(first)?;
    let length = network.end - network.start;
    (length <= far.mtu as usize).then(|| template.octets().to_vec())
}

/// A header with numbers set.
fn header(layer: &'static Layer, numbers: &[(&str, u64)]) -> Result<Header, SetError> {
    let mut all = numbers.iter();
    all.try_fold(Header::new(layer), |header, (name, value)| {
        header.with(name, FieldValue::Uint(*value))
    })
}

fn link_header(packet: &NewPacket, far: &FarEnd) -> Result<Header, SetError> {
    let near = far.near_mac.unwrap_or(Mac::BROADCAST);
    let (source, destination) = packet.ends.macs.unwrap_or((FAR_MAC, near));
    let number = |mac: Mac| {
        mac.0
            .iter()
            .fold(0, |sum, byte| sum << 8 | u64::from(*byte))
    };
    header(
        ethernet(),
        &[("src", number(source)), ("dst", number(destination))],
    )
}

fn network_header(packet: &NewPacket) -> Result<Header, SetError> {
    let protocol = match (packet.upper, packet.ends.source) {
        (Upper::Tcp { .. }, _) => crate::heard::TCP,
        (Upper::Udp { .. }, _) => crate::heard::UDP,
        (Upper::Icmp { .. }, IpAddr::V4(_)) => ICMP,
        (Upper::Icmp { .. }, IpAddr::V6(_)) => ICMPV6,
        (Upper::Other(number), _) => number,
    };
    let (protocol, hops) = (u64::from(protocol), u64::from(packet.hops));
    let id = u64::from(packet.identification);
    let built = match packet.ends.source {
        IpAddr::V4(_) => header(
            &ip::LAYER,
            &[("proto", protocol), ("ttl", hops), ("id", id)],
        ),
        IpAddr::V6(_) => header(&ip6::LAYER, &[("next", protocol), ("ttl", hops)]),
    };
    built?
        .with("src", address(packet.ends.source))?
        .with("dst", address(packet.ends.destination))
}

fn address(address: IpAddr) -> FieldValue {
    match address {
        IpAddr::V4(a) => FieldValue::Uint(a.to_bits().into()),
        IpAddr::V6(a) => FieldValue::Wide(a.to_bits()),
    }
}

fn upper_header(packet: &NewPacket) -> Result<Option<Header>, SetError> {
    let ports =
        |(source, destination): (u16, u16)| [("src", source.into()), ("dst", destination.into())];
    match packet.upper {
        Upper::Tcp {
            ports: both,
            flags,
            seq,
            ack,
            window,
        } => {
            let more = [
                ("flags", flags.into()),
                ("seq", seq.into()),
                ("ack", ack.into()),
                ("window", window.into()),
            ];
            header(&tcp::LAYER, &[&ports(both)[..], &more].concat()).map(Some)
        }
        Upper::Udp { ports: both } => header(&udp::LAYER, &ports(both)).map(Some),
        Upper::Icmp { .. } => icmp_header(packet.ends.source).map(Some),
        Upper::Other(_) => Ok(None),
    }
}

/// Eight bytes, as every message of ICMP begins; what else is in them is set afterwards.
fn icmp_header(source: IpAddr) -> Result<Header, SetError> {
    let (layer, reply): (&'static Layer, u64) = match source {
        IpAddr::V4(_) => (&icmp::LAYER, 0),
        IpAddr::V6(_) => (&icmp6::LAYER, 129),
    };
    header(layer, &[("type", reply), ("id", 0), ("seq", 0)])
}

/// Writes type, code and the four bytes after the checksum, which is kept right.
fn set_message(
    template: &mut Template,
    layer: usize,
    kind: u8,
    code: u8,
    rest: [u8; 4],
) -> Option<()> {
    let start = template.bounds().get(layer)?.start;
    template.patch_bytes(start, &[kind, code]);
    template.patch_bytes(start + 4, &rest);
    Some(())
}
