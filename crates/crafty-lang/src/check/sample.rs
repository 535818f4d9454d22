//! The frame that a send makes, as far as it is known before the start: what the gate's own rules
//! are asked about. What only the run knows (own addresses, neighbours) is made up, in favour of the
//! program.

use super::destination::DestinationCheck;
use crate::ir::{
    Driven, DrivenKind, FieldSetting as Written, Literal, Onto, OptionArg, OptionLiteral, Send,
    StackId, StackLayer,
};
use crate::wire_values as values;
use core::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use crafty_policy::{AddressSet, HostAddresses, LinkKind, Ports, Power, PowerSet, Reason, Sample};
use crafty_value::{Mac, Net, Value};
use crafty_wire::{FieldValue, Header, Layer, LayerRole, OptionValue, layer};

/// The made-up host: addresses for benchmarks (RFC 2544 §C.2.2, RFC 5180 §8), MAC addresses that are
/// locally administered.
const OWN_MAC: Mac = Mac([2, 0, 0, 0xfe, 0xfe, 1]);
const NEXT_MAC: Mac = Mac([2, 0, 0, 0xfe, 0xfe, 2]);
const OWN4: IpAddr = IpAddr::V4(Ipv4Addr::new(198, 18, 255, 254));
const OWN6: IpAddr = IpAddr::V6(Ipv6Addr::new(0x2001, 2, 0, 0, 0, 0, 0, 0xfffe));
const SOMEBODY4: IpAddr = IpAddr::V4(Ipv4Addr::new(198, 18, 0, 1));
const SOMEBODY6: IpAddr = IpAddr::V6(Ipv6Addr::new(0x2001, 2, 0, 0, 0, 0, 0, 1));

/// A port that no service has.
const ANY_PORT: u64 = 50_000;

/// One header of the frame.
#[derive(Clone)]
pub(super) struct SampleHeader<'p> {
    layer: &'static Layer,
    fields: Vec<(usize, FieldValue)>,
    /// Where the program wrote it.
    pub literal: Option<&'p Literal>,
}

impl<'p> SampleHeader<'p> {
    fn of(layer: &'static Layer) -> SampleHeader<'p> {
        SampleHeader {
            layer,
            fields: Vec::new(),
            literal: None,
        }
    }

    fn named(name: &str) -> Option<SampleHeader<'p>> {
        layer(name).map(SampleHeader::of)
    }

    fn get(&self, name: &str) -> Option<&FieldValue> {
        let (index, _) = self.layer.field(name)?;
        let found = self.fields.iter().find(|(i, _)| *i == index);
        found.map(|(_, value)| value)
    }

    fn address(&self, name: &str) -> Option<IpAddr> {
        match self.get(name)? {
            FieldValue::Uint(n) => Some(IpAddr::from(u32::try_from(*n).ok()?.to_be_bytes())),
            FieldValue::Wide(n) => Some(IpAddr::from(n.to_be_bytes())),
            _ => None,
        }
    }

    fn put_unset(&mut self, name: &str, value: FieldValue) {
        if let (None, Some((index, _))) = (self.get(name), self.layer.field(name)) {
            self.fields.push((index, value));
        }
    }

    fn is_network(&self) -> bool {
        self.layer.role == LayerRole::Network
    }

    fn is_v6(&self) -> bool {
        self.layer.name == "IP6"
    }

    fn header(&self) -> Header {
        let mut header = Header::new(self.layer);
        for (index, value) in &self.fields {
            // A value that does not fit is reported elsewhere.
            let _ = header.set(*index, value.clone());
        }
        header
    }
}

/// A frame to ask about, with the host that would send it.
pub(super) struct SampleFrame {
    bytes: Vec<u8>,
    host: HostAddresses,
    destinations: AddressSet,
    sources: AddressSet,
    ports: Ports,
}

impl SampleFrame {
    /// See [`Sample::missing_powers`].
    pub fn missing(&self, granted: PowerSet) -> Vec<(Power, Reason)> {
        let sample = Sample {
            frame: &self.bytes,
            link: LinkKind::Ethernet,
            host: &self.host,
            destinations: &self.destinations,
            sources: &self.sources,
            ports: &self.ports,
        };
        sample.missing_powers(granted)
    }
}

impl<'p> DestinationCheck<'p> {
    /// The layers of a block, those of its parents before them, up to what runs on a transport.
    pub fn parts_of_block(&self, id: StackId) -> Vec<SampleHeader<'p>> {
        let program = self.program;
        let stack = &program.stacks[id.0 as usize];
        let mut parts = stack
            .parent
            .map_or(Vec::new(), |parent| self.parts_of_block(parent));
        parts.extend(stack.layers.iter().filter_map(|layer| match layer {
            StackLayer::Literal(literal) => Some(self.part(literal)),
            StackLayer::Driven(driven) => self.driven_part(driven),
        }));
        parts
    }

    /// What a block sends automatically; for a bare `IP!`, the most harmless datagram.
    pub fn parts_of_opening(&self, id: StackId) -> Vec<SampleHeader<'p>> {
        let mut parts = self.parts_of_block(id);
        if let Some(ip) = parts.last().filter(|part| part.is_network()) {
            let echo = SampleHeader::named(if ip.is_v6() { "ICMP6" } else { "ICMP" });
            parts.extend(echo.map(|mut echo| {
                let request = echo
                    .layer
                    .field("type")
                    .and_then(|(_, f)| f.named("echo_request"));
                echo.put_unset("type", FieldValue::Uint(request.unwrap_or(0)));
                echo
            }));
        }
        parts
    }

    /// The layers of a send, those of its block before them; none for a message in a stream.
    pub fn parts_of_send(&self, send: &'p Send) -> Option<Vec<SampleHeader<'p>>> {
        let (mut parts, replaced) = match send.onto {
            Onto::Bottom => (Vec::new(), Vec::new()),
            Onto::Replace(id, at) => {
                let mut block = self.parts_of_block(id);
                let replaced = block.split_off(at.min(block.len()));
                (block, replaced)
            }
            Onto::Above(id, at) => {
                let runs = self.driven_at(id, at);
                if !matches!(runs, None | Some(DrivenKind::Ip | DrivenKind::Udp)) {
                    return None;
                }
                let mut block = self.parts_of_block(id);
                block.truncate(at + 1);
                (block, Vec::new())
            }
        };
        for (i, literal) in send.layers.iter().enumerate() {
            let mut part = self.part(literal);
            let live = replaced.get(i);
            let live = live.filter(|live| core::ptr::eq(live.layer, part.layer));
            for (index, value) in live.iter().flat_map(|live| &live.fields) {
                part.put_unset(part.layer.fields[*index].name, value.clone());
            }
            parts.push(part);
        }
        Some(parts)
    }

    fn part(&self, literal: &'p Literal) -> SampleHeader<'p> {
        let mut part = SampleHeader {
            literal: Some(literal),
            ..SampleHeader::of(literal.layer)
        };
        for (index, value) in &literal.fields {
            match self.wire_value(literal, *index, value) {
                Some(value) => part.fields.push((*index, value)),
                None => self.open(&mut part, *index),
            }
        }
        part
    }

    /// A field whose value is not known yet: something that needs no power.
    fn open(&self, part: &mut SampleHeader, index: usize) {
        let field = part.layer.fields[index].name;
        let harmless = match (part.layer.name, field) {
            ("TCP", "flags") => part.layer.bit("flags", "syn"),
            ("TCP" | "UDP", "dst") => ANY_PORT,
            _ => return,
        };
        part.fields.push((index, FieldValue::Uint(harmless)));
    }

    fn wire_value(&self, literal: &Literal, index: usize, value: &Written) -> Option<FieldValue> {
        let field = &literal.layer.fields[index];
        match value {
            Written::Value(_) => values::to_wire(field, &self.known(value)?.1).ok(),
            Written::Auto(..) => None,
            Written::Options(list, _) => self.option_list(field, list).map(FieldValue::Options),
        }
    }

    fn option_list(
        &self,
        field: &crafty_wire::Field,
        list: &[OptionLiteral],
    ) -> Option<Vec<OptionValue>> {
        list.iter()
            .map(|option| self.option_value(field, option))
            .collect()
    }

    fn option_value(
        &self,
        field: &crafty_wire::Field,
        option: &OptionLiteral,
    ) -> Option<OptionValue> {
        if let ("raw", [OptionArg::Value(bytes)]) = (option.name.as_str(), option.args.as_slice()) {
            return values::raw_option(&self.value(bytes)?).ok();
        }
        let row = values::option_row(field, &option.name).ok()?;
        let arg = |(i, arg): (usize, &OptionArg)| {
            let field = values::option_part(row, i).ok()?;
            match arg {
                OptionArg::Options(list) => self.option_list(field, list).map(FieldValue::Options),
                OptionArg::Value(expr) => values::to_wire(field, &self.value(expr)?).ok(),
            }
        };
        Some(OptionValue::Named {
            option: row,
            values: option
                .args
                .iter()
                .enumerate()
                .map(arg)
                .collect::<Option<_>>()?,
        })
    }

    fn driven_part(&self, driven: &Driven) -> Option<SampleHeader<'p>> {
        let known = |name: &str| {
            let given = driven
                .options
                .iter()
                .find(|(option, _)| option.name == name);
            given
                .and_then(|(_, value)| self.known(value))
                .map(|(_, value)| value)
        };
        let v6 = [known("dst"), known("src")]
            .iter()
            .any(|value| matches!(value, Some(Value::Ip(address)) if address.is_ipv6()));
        let mut part = SampleHeader::named(match driven.kind {
            DrivenKind::Ip if v6 => "IP6",
            DrivenKind::Ip => "IP",
            DrivenKind::Udp => "UDP",
            DrivenKind::Tcp => "TCP",
            _ => return None,
        })?;
        for name in ["src", "dst"] {
            let (index, field) = part.layer.field(name)?;
            match known(name).and_then(|value| values::to_wire(field, &value).ok()) {
                Some(value) => part.fields.push((index, value)),
                None => self.open(&mut part, index),
            }
        }
        if driven.kind == DrivenKind::Tcp {
            // What every segment of a connection carries once it is up (RFC 9293 §3.1).
            let ack = part.layer.bit("flags", "ack");
            part.put_unset("flags", FieldValue::Uint(ack));
        }
        Some(part)
    }

    /// The frame of these layers, with what is missing around them.
    pub fn frame(&self, mut parts: Vec<SampleHeader<'p>>) -> SampleFrame {
        let mut host = HostAddresses {
            macs: vec![OWN_MAC],
            addresses: vec![(OWN4, 0), (OWN6, 0)],
            mtu: usize::MAX,
            ..HostAddresses::default()
        };
        self.fill_addresses(&mut parts, &mut host);
        self.fill_ports(&mut parts);
        let ports = self.ports(&parts);
        let mut destinations = self.policy.destinations.clone();
        for part in parts.iter().filter(|part| part.is_network()) {
            part.address("dst")
                .into_iter()
                .for_each(|to| destinations.allow(Net::host(to)));
        }
        fill_link(&mut parts, &mut host);
        let headers: Vec<Header> = parts.iter().map(SampleHeader::header).collect();
        let mut bytes = Vec::new();
        crafty_wire::encode(&headers, &mut bytes);
        SampleFrame {
            bytes,
            host,
            destinations,
            sources: self.policy.sources.clone(),
            ports,
        }
    }

    /// Addresses of network layers up to what an ICMP error quotes. A source that is not declared
    /// is taken for the host's own: where it cannot be, that is reported elsewhere.
    fn fill_addresses(&self, parts: &mut [SampleHeader<'p>], host: &mut HostAddresses) {
        let outside = parts
            .iter_mut()
            .take_while(|part| part.layer.role != LayerRole::Control)
            .filter(|part| part.is_network());
        for part in outside {
            let (own, somebody) = if part.is_v6() {
                (OWN6, SOMEBODY6)
            } else {
                (OWN4, SOMEBODY4)
            };
            part.put_unset("src", values::address_to_wire(own));
            part.put_unset("dst", values::address_to_wire(somebody));
            let source = part
                .address("src")
                .filter(|source| !source.is_unspecified());
            host.addresses.extend(
                source
                    .filter(|&a| !self.policy.sources.contains(a))
                    .map(|a| (a, 0)),
            );
        }
        if let Some(arp) = parts.iter_mut().find(|part| part.layer.name == "ARP") {
            arp.put_unset("sha", values::mac_to_wire(OWN_MAC));
            arp.put_unset("spa", values::address_to_wire(OWN4));
            let sender = arp.address("spa").filter(|sender| !sender.is_unspecified());
            host.addresses.extend(sender.map(|sender| (sender, 0)));
        }
    }

    /// Those of `PORTS`, and that of the outermost transport: whether that one is the program's is
    /// reported elsewhere.
    fn ports(&self, parts: &[SampleHeader<'p>]) -> Ports {
        let mut ports = self.policy.ports.clone();
        let transport = parts
            .iter()
            .find(|part| matches!(part.layer.name, "TCP" | "UDP"));
        let source = transport.and_then(|part| match part.get("src") {
            Some(FieldValue::Uint(port)) => Some((part.layer.name, u16::try_from(*port).ok()?)),
            _ => None,
        });
        match source {
            Some(("TCP", port)) => ports.tcp.insert(port, port),
            Some((_, port)) => ports.udp.insert(port, port),
            None => {}
        }
        ports
    }

    fn fill_ports(&self, parts: &mut [SampleHeader<'p>]) {
        let ports = &self.policy.ports;
        for part in parts {
            let (field, first) = match part.layer.name {
                "TCP" => ("src", ports.tcp.first()),
                "UDP" => ("src", ports.udp.first()),
                "ICMP" | "ICMP6" => ("id", ports.icmp.first()),
                _ => continue,
            };
            part.put_unset(field, FieldValue::Uint(first.map_or(ANY_PORT, u64::from)));
        }
    }
}

/// An Ethernet header of the host to its next hop, or to the group.
fn fill_link(parts: &mut Vec<SampleHeader>, host: &mut HostAddresses) {
    let bare = parts
        .first()
        .is_none_or(|part| part.layer.role != LayerRole::Link);
    if let (true, Some(eth)) = (bare, SampleHeader::named("Eth")) {
        parts.insert(0, eth);
    }
    let to = parts
        .iter()
        .find(|part| part.is_network())
        .and_then(|part| part.address("dst"));
    let Some(eth) = parts.first_mut().filter(|part| part.layer.name == "Eth") else {
        return;
    };
    eth.put_unset("src", values::mac_to_wire(OWN_MAC));
    if let Some(to) = to {
        host.neighbours.insert(to, NEXT_MAC);
        eth.put_unset(
            "dst",
            values::mac_to_wire(group_mac(to).unwrap_or(NEXT_MAC)),
        );
    }
}

/// RFC 1112 §6.4, RFC 2464 §7.
fn group_mac(to: IpAddr) -> Option<Mac> {
    match to {
        IpAddr::V4(a) if a.is_multicast() => {
            let [_, b, c, d] = a.octets();
            Some(Mac([1, 0, 0x5e, b & 0x7f, c, d]))
        }
        IpAddr::V6(a) if a.is_multicast() => {
            let [.., b, c, d, e] = a.octets();
            Some(Mac([0x33, 0x33, b, c, d, e]))
        }
        IpAddr::V4(a) if a.is_broadcast() || a.is_unspecified() => Some(Mac::BROADCAST),
        _ => None,
    }
}
