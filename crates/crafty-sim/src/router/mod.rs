//! A router.

use crate::node::Outbox;
use crafty_value::{Mac, Net, Time};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// A router.
pub(crate) struct Router {
    pub interfaces: Vec<Interface>,
}

/// One of a router's interfaces; its number is that of the port.
pub(crate) struct Interface {
    pub mac: Mac,
    pub v4: (Ipv4Addr, u8),
    pub v6: (Ipv6Addr, u8),
    pub link_local: Ipv6Addr,
    pub mtu: usize,
}

impl Router {
    pub fn new(_seed: u64) -> Router {
        Router { interfaces: Vec::new() }
    }
    pub fn add_interface(&mut self, interface: Interface) {
        self.interfaces.push(interface);
    }
    pub fn add_route(&mut self, _net: Net, _port: usize, _gateway: Option<IpAddr>) {}
    pub fn know(&mut self, _port: usize, _address: IpAddr, _mac: Mac) {}
    pub fn on_frame(&mut self, _now: Time, _port: usize, _frame: Vec<u8>, _out: &mut Outbox) {}
    pub fn on_wake(&mut self, _now: Time, _out: &mut Outbox) {}
    pub fn wake_at(&self) -> Option<Time> {
        None
    }
}
