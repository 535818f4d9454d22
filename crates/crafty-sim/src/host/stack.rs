//! smoltcp with its end of the cable.

use super::Gateway;
use crate::{QueueDevice, packet};
use crafty_value::{Duration, Mac, Time};
use smoltcp::iface::{Config, Interface, PollResult, SocketSet};
use smoltcp::phy::Medium;
use smoltcp::time::Instant;
use smoltcp::wire::{EthernetAddress, IpCidr};
use std::net::IpAddr;

/// An interface of smoltcp with its sockets.
pub(super) struct SmoltcpInterface {
    interface: Interface,
    wire: QueueDevice,
    pub sockets: SocketSet<'static>,
}

impl SmoltcpInterface {
    /// A stack with at most four addresses; the seed fixes its sequence numbers.
    pub fn new(
        mac: Mac,
        addresses: &[(IpAddr, u8)],
        gateway: Gateway,
        mtu: usize,
        seed: u64,
    ) -> SmoltcpInterface {
        let mut wire = QueueDevice::new(Medium::Ethernet, mtu + packet::ETHERNET);
        let mut config = Config::new(EthernetAddress(mac.0).into());
        config.random_seed = seed;
        let mut interface = Interface::new(config, &mut wire, Instant::ZERO);
        interface.update_ip_addrs(|list| {
            list.extend(
                addresses
                    .iter()
                    .map(|(address, prefix)| IpCidr::new((*address).into(), *prefix)),
            )
        });
        // Neither table is ever full: there is one route of each version.
        let _ = interface.routes_mut().add_default_ipv4_route(gateway.v4);
        let _ = interface.routes_mut().add_default_ipv6_route(gateway.v6);
        SmoltcpInterface {
            interface,
            wire,
            sockets: SocketSet::new(Vec::new()),
        }
    }

    /// Lets a frame wait for the next poll.
    pub fn hear(&mut self, frame: Vec<u8>) {
        self.wire.arriving.push_back(frame);
    }

    /// Works through what was heard; whether a socket changed.
    pub fn poll(&mut self, now: Time) -> bool {
        self.interface
            .poll(instant(now), &mut self.wire, &mut self.sockets)
            == PollResult::SocketStateChanged
    }

    /// Frames that were said.
    pub fn said(&mut self) -> Vec<Vec<u8>> {
        std::mem::take(&mut self.wire.leaving)
    }

    /// When it wants to be polled again: never twice in the same microsecond, the least that its
    /// clock knows.
    pub fn wake_at(&mut self, now: Time) -> Option<Time> {
        let soonest = now.after(Duration::micros(1));
        let wanted = self.interface.poll_at(instant(now), &self.sockets);
        wanted.map(|at| Time(at.total_micros().saturating_mul(1000)).max(soonest))
    }
}

fn instant(now: Time) -> Instant {
    Instant::from_micros(now.0 / 1000)
}
