//! How a router finds its neighbours' link addresses, and answers for its own: ARP and ND.

use super::Router;
use crate::node::Outbox;
use crate::packet::{self, ETHERNET, Head};
use crafty_value::{Mac, Net, Time};
use std::net::IpAddr;

impl Router {
    /// Asks for a neighbour's link address.
    pub(super) fn ask(&self, port: usize, address: IpAddr, out: &mut Outbox) {
        let interface = &self.interfaces[port];
        let question = match address {
            IpAddr::V4(address) => {
                packet::arp(1, (interface.mac, interface.v4.0), (Mac([0; 6]), address))
            }
            IpAddr::V6(address) => {
                let from = if address.is_unicast_link_local() {
                    interface.link_local
                } else {
                    interface.v6.0
                };
                packet::neighbour(
                    135,
                    (interface.mac, from),
                    packet::solicited_node(address),
                    address,
                    interface.mac,
                )
            }
        };
        out.say(port, question);
    }

    /// RFC 826: whoever asks us is worth knowing; whoever is known may have changed; and we answer
    /// for our own address.
    pub(super) fn on_arp(&mut self, now: Time, port: usize, arp: &[u8], out: &mut Outbox) {
        let Some((operation, sender, target)) = packet::read_arp(arp) else {
            return out.drops.push("an ARP packet that cannot be read");
        };
        let interface = &self.interfaces[port];
        let (mac, own) = (interface.mac, interface.v4.0);
        if self.is_neighbour(port, sender.1.into()) {
            self.learn(
                now,
                port,
                sender.1.into(),
                sender.0,
                target == own && operation == 1,
                out,
            );
        }
        let proxied = self.settings.proxy_arp
            && operation == 1
            && target != sender.1
            && !target.is_unspecified();
        if proxied && target != own {
            out.say(port, packet::arp(2, (mac, target), sender));
        }
        if operation == 1 && target == own {
            out.say(port, packet::arp(2, (mac, own), sender));
        }
    }

    /// RFC 4861 §7.2: as with ARP, and never from more than a hop away.
    pub(super) fn on_neighbour(
        &mut self,
        now: Time,
        port: usize,
        head: &Head,
        frame: &[u8],
        out: &mut Outbox,
    ) {
        let message = head.upper(&frame[ETHERNET..]);
        let (Some((target, told)), IpAddr::V6(src), 255) =
            (packet::read_neighbour(message), head.src, head.ttl)
        else {
            return;
        };
        let asks = message.first() == Some(&135);
        let interface = &self.interfaces[port];
        let (mac, ours) = (
            interface.mac,
            target == interface.v6.0 || target == interface.link_local,
        );
        let about = if asks { src } else { target };
        if let Some(told) = told.filter(|_| self.is_neighbour(port, about.into())) {
            self.learn(now, port, about.into(), told, asks && ours, out);
        }
        if asks && ours && !src.is_unspecified() {
            let to = told
                .or(packet::ethernet(frame).map(|(from, ..)| from))
                .unwrap_or(Mac::BROADCAST);
            let answer = packet::neighbour(136, (mac, target), (to, src), target, mac);
            out.say(port, answer);
        }
    }

    /// Whether an address can be one of a neighbour's on a port, and is not our own.
    fn is_neighbour(&self, port: usize, address: IpAddr) -> bool {
        let interface = &self.interfaces[port];
        let on_link = match address {
            IpAddr::V4(_) => Net::new(interface.v4.0.into(), interface.v4.1)
                .is_some_and(|net| net.contains(address)),
            IpAddr::V6(it) if it.is_unicast_link_local() => true,
            IpAddr::V6(_) => Net::new(interface.v6.0.into(), interface.v6.1)
                .is_some_and(|net| net.contains(address)),
        };
        on_link && !self.holds(address)
    }

    fn learn(
        &mut self,
        now: Time,
        port: usize,
        address: IpAddr,
        mac: Mac,
        welcome: bool,
        out: &mut Outbox,
    ) {
        for waiting in self.neighbours.learn(now, port, address, mac, welcome) {
            self.deliver(now, port, address, waiting, out);
        }
    }
}
