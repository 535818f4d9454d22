//! A host of the lab's own: smoltcp, with services.

use crate::node::Outbox;
use crate::services::Serving;
use crafty_value::{Mac, Time};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// The router that a host sends through.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Gateway {
    pub v4: Ipv4Addr,
    pub v6: Ipv6Addr,
    pub mac: Mac,
}

pub(crate) struct Host {}

impl Host {
    pub fn new(_mac: Mac, _addresses: &[(IpAddr, u8)], _gateway: Gateway, _mtu: usize, _services: &[Serving], _seed: u64) -> Host {
        Host {}
    }
    pub fn on_frame(&mut self, _now: Time, _frame: Vec<u8>, _out: &mut Outbox) {}
    pub fn on_wake(&mut self, _now: Time, _out: &mut Outbox) {}
    pub fn wake_at(&self) -> Option<Time> {
        None
    }
}
