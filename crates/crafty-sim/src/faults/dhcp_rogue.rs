//! A second DHCP server that nobody ordered.

use super::{Fault, PlaceKind};
use crate::dhcp;
use std::net::Ipv4Addr;

pub static FAULT: Fault = Fault {
    name: "dhcp_rogue",
    parameters: &[],
    place: PlaceKind::Segment,
    doc: "A host on the segment answers DHCP requests with addresses of 192.168.1.0/24 and with itself as the router.",
    plant: |lab, planting| {
        let segment = lab.segment_named(planting)?;
        let server = dhcp::Server {
            mac: lab.next_mac(),
            offer: dhcp::DhcpOffer {
                server: Ipv4Addr::new(192, 168, 1, 1),
                router: Ipv4Addr::new(192, 168, 1, 1),
                resolver: Ipv4Addr::new(192, 168, 1, 1),
                first: Ipv4Addr::new(192, 168, 1, 100),
                prefix: 24,
                pool: 100,
                mtu: None,
            },
            leases: Vec::new(),
        };
        lab.add_station("rogue", Box::new(server), &segment, None);
        Ok(())
    },
};
