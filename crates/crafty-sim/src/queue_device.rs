//! A smoltcp device between two queues: frames that arrive, and frames to send. The hosts of the
//! lab have it, and so have tests that put smoltcp at the end of a cable of their own.

use crate::attachment::Attachment;
use smoltcp::iface::{Config, Interface};
use smoltcp::phy::{Device, DeviceCapabilities, Medium, RxToken, TxToken};
use smoltcp::time::Instant;
use smoltcp::wire::{EthernetAddress, IpCidr};
use std::collections::VecDeque;

/// The end of a cable.
#[derive(Debug)]
pub struct QueueDevice {
    /// Frames that smoltcp has not taken yet, the oldest first.
    pub arriving: VecDeque<Vec<u8>>,
    /// Frames that smoltcp sent, the oldest first.
    pub leaving: Vec<Vec<u8>>,
    medium: Medium,
    largest: usize,
}

impl QueueDevice {
    /// A device of this medium whose largest frame has `largest` bytes, link header included.
    pub fn new(medium: Medium, largest: usize) -> QueueDevice {
        QueueDevice {
            arriving: VecDeque::new(),
            leaving: Vec::new(),
            medium,
            largest,
        }
    }
}

impl Attachment {
    /// A smoltcp host with the addresses and gateways of this place, at the end of its cable.
    pub fn smoltcp_host(&self, wire: &mut QueueDevice) -> Interface {
        let config = Config::new(EthernetAddress(self.mac.0).into());
        let mut interface = Interface::new(config, wire, Instant::ZERO);
        interface.update_ip_addrs(|list| {
            for (address, prefix) in &self.addresses {
                // More than smoltcp keeps are left out.
                let _ = list.push(IpCidr::new((*address).into(), *prefix));
            }
        });
        let routes = interface.routes_mut();
        if let Some(gateway) = self.gateway_v4 {
            let _ = routes.add_default_ipv4_route(gateway);
        }
        if let Some(gateway) = self.gateway_v6 {
            let _ = routes.add_default_ipv6_route(gateway);
        }
        interface
    }
}

/// A frame that arrived.
#[derive(Debug)]
pub struct QueueRxToken(Vec<u8>);

/// Room for a frame to send.
#[derive(Debug)]
pub struct QueueTxToken<'a>(&'a mut Vec<Vec<u8>>);

impl Device for QueueDevice {
    type RxToken<'a> = QueueRxToken;
    type TxToken<'a> = QueueTxToken<'a>;

    fn receive(&mut self, _: Instant) -> Option<(QueueRxToken, QueueTxToken<'_>)> {
        let frame = self.arriving.pop_front()?;
        Some((QueueRxToken(frame), QueueTxToken(&mut self.leaving)))
    }

    fn transmit(&mut self, _: Instant) -> Option<QueueTxToken<'_>> {
        Some(QueueTxToken(&mut self.leaving))
    }

    fn capabilities(&self) -> DeviceCapabilities {
        let mut capabilities = DeviceCapabilities::default();
        capabilities.medium = self.medium;
        capabilities.max_transmission_unit = self.largest;
        capabilities
    }
}

impl RxToken for QueueRxToken {
    fn consume<R, F: FnOnce(&[u8]) -> R>(self, f: F) -> R {
        f(&self.0)
    }
}

impl TxToken for QueueTxToken<'_> {
    fn consume<R, F: FnOnce(&mut [u8]) -> R>(self, length: usize, f: F) -> R {
        let mut frame = vec![0; length];
        let result = f(&mut frame);
        self.0.push(frame);
        result
    }
}
