//! Two sites with a provider between them, and servers.

use super::{HostRow, LinkRow, Network, RouterRow, Segment};
use crate::attachment::Stand;
use crate::link::Medium;
use crate::services::{Serving, dns, http, tcp_discard, tcp_echo, udp_discard, udp_echo};
use crafty_value::Duration;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

pub static NETWORK: Network = Network {
    name: "demo",
    doc: "Two sites, 10.20.4.0/24 in the west and 10.100.0.0/24 in the east, four routers apart with two equal paths in the \
          middle; servers in 192.0.2.0/24 and, behind a tunnel of MTU 1400, in 198.51.100.0/24. IPv6 throughout.",
    trunk: "r1-r2",
    detour: "r2-r3b",
    segments: &[
        Segment {
            name: "west",
            v4: (v4(10, 20, 4, 0), 24),
            v6: (v6(0x4, 0), 64),
            medium: LAN,
        },
        Segment {
            name: "east",
            v4: (v4(10, 100, 0, 0), 24),
            v6: (v6(0x100, 0), 64),
            medium: LAN,
        },
        Segment {
            name: "servers",
            v4: (v4(192, 0, 2, 0), 24),
            v6: (v6(0x80, 0), 64),
            medium: LAN,
        },
        Segment {
            name: "annex",
            v4: (v4(198, 51, 100, 0), 24),
            v6: (v6(0x53, 0), 64),
            medium: BEHIND_TUNNEL,
        },
    ],
    routers: &[
        RouterRow {
            name: "gateway",
            legs: &[("west", v4(10, 20, 4, 1), v6(0x4, 0x1))],
        },
        RouterRow {
            name: "r1",
            legs: &[("west", v4(10, 20, 4, 254), v6(0x4, 0xfe))],
        },
        RouterRow {
            name: "r2",
            legs: &[],
        },
        RouterRow {
            name: "r3a",
            legs: &[],
        },
        RouterRow {
            name: "r3b",
            legs: &[],
        },
        RouterRow {
            name: "r4",
            legs: &[
                ("east", v4(10, 100, 0, 254), v6(0x100, 0xfe)),
                ("servers", v4(192, 0, 2, 254), v6(0x80, 0xfe)),
            ],
        },
        RouterRow {
            name: "r5",
            legs: &[("annex", v4(198, 51, 100, 254), v6(0x53, 0xfe))],
        },
    ],
    links: &[
        wan("r1-r2", 2, 1500, 0),
        wan("r2-r3a", 3, 1500, 4),
        wan("r2-r3b", 3, 1500, 8),
        wan("r3a-r4", 1, 1500, 12),
        wan("r3b-r4", 1, 1500, 16),
        wan("r4-r5", 5, 1400, 20),
    ],
    hosts: &[
        host(
            "desk",
            "west",
            v4(10, 20, 4, 20),
            v6(0x4, 0x20),
            "r1",
            SMALL_SERVICES,
        ),
        host(
            "office",
            "east",
            v4(10, 100, 0, 50),
            v6(0x100, 0x50),
            "r4",
            OFFICE,
        ),
        host(
            "target",
            "servers",
            v4(192, 0, 2, 1),
            v6(0x80, 0x1),
            "r4",
            SMALL_SERVICES,
        ),
        host(
            "web",
            "servers",
            v4(192, 0, 2, 80),
            v6(0x80, 0x80),
            "r4",
            WEB,
        ),
        host(
            "dns",
            "annex",
            v4(198, 51, 100, 53),
            v6(0x53, 0x53),
            "r5",
            DNS,
        ),
        host(
            "files",
            "annex",
            v4(198, 51, 100, 80),
            v6(0x53, 0x80),
            "r5",
            WEB,
        ),
    ],
    stands: &[
        Stand {
            name: "west",
            doc: "10.20.4.10 on the western segment, beside the gateway 10.20.4.1; sends through r1, 10.20.4.254. The segment \
                  is shared: what is sent to 10.20.4.1 is heard here too.",
            segment: "west",
            v4: v4(10, 20, 4, 10),
            v6: v6(0x4, 0x10),
            via: "r1",
            replaces: None,
        },
        Stand {
            name: "gateway",
            doc: "10.20.4.1 itself: the program's host takes the place of the western gateway; sends through r1, 10.20.4.254.",
            segment: "west",
            v4: v4(10, 20, 4, 1),
            v6: v6(0x4, 0x1),
            via: "r1",
            replaces: Some("gateway"),
        },
        Stand {
            name: "east",
            doc: "10.100.0.10 on the eastern segment, beside the office host 10.100.0.50; sends through r4, 10.100.0.254.",
            segment: "east",
            v4: v4(10, 100, 0, 10),
            v6: v6(0x100, 0x10),
            via: "r4",
            replaces: None,
        },
        Stand {
            name: "servers",
            doc: "192.0.2.10 on the servers' segment; sends through r4, 192.0.2.254.",
            segment: "servers",
            v4: v4(192, 0, 2, 10),
            v6: v6(0x80, 0x10),
            via: "r4",
            replaces: None,
        },
    ],
    name_servers: &[IpAddr::V4(v4(198, 51, 100, 53)), IpAddr::V6(v6(0x53, 0x53))],
};

const LAN: Medium = Medium {
    rate: 1_000_000_000,
    delay: Duration::micros(5),
    queue: 512 << 10,
    mtu: 1500,
};

/// Its hosts are told of the tunnel: smoltcp takes no notice of ICMP's word on the path's MTU.
const BEHIND_TUNNEL: Medium = Medium { mtu: 1400, ..LAN };

const SMALL_SERVICES: &[Serving] = &[
    udp_echo::SERVICE.at(7),
    tcp_echo::SERVICE.at(7),
    udp_discard::SERVICE.at(9),
    tcp_discard::SERVICE.at(9),
];
const OFFICE: &[Serving] = &[
    udp_echo::SERVICE.at(7),
    udp_echo::SERVICE.at(40100),
    tcp_echo::SERVICE.at(7),
    udp_discard::SERVICE.at(9),
    tcp_discard::SERVICE.at(9),
];
#[cfg(not(feature = "tls"))]
const WEB: &[Serving] = &[http::SERVICE.at(80)];
#[cfg(feature = "tls")]
const WEB: &[Serving] = &[
    http::SERVICE.at(80),
    crate::services::https::SERVICE.at(443),
];
const DNS: &[Serving] = &[
    dns::OVER_UDP.at(53),
    dns::OVER_TCP.at(53),
    udp_echo::SERVICE.at(7),
];

const fn v4(a: u8, b: u8, c: u8, d: u8) -> Ipv4Addr {
    Ipv4Addr::new(a, b, c, d)
}

const fn v6(net: u16, host: u16) -> Ipv6Addr {
    Ipv6Addr::new(0x2001, 0xdb8, net, 0, 0, 0, 0, host)
}

/// A link of the provider, addressed from 203.0.113.`base` and 2001:db8:ffff:`base`::.
const fn wan(name: &'static str, milliseconds: i64, mtu: usize, base: u8) -> LinkRow {
    let medium = Medium {
        rate: 100_000_000,
        delay: Duration::millis(milliseconds),
        queue: 512 << 10,
        mtu,
    };
    LinkRow {
        name,
        medium,
        v4: [v4(203, 0, 113, base + 1), v4(203, 0, 113, base + 2)],
        v6: [
            Ipv6Addr::new(0x2001, 0xdb8, 0xffff, base as u16, 0, 0, 0, 1),
            Ipv6Addr::new(0x2001, 0xdb8, 0xffff, base as u16, 0, 0, 0, 2),
        ],
    }
}

const fn host(
    name: &'static str,
    segment: &'static str,
    v4: Ipv4Addr,
    v6: Ipv6Addr,
    via: &'static str,
    services: &'static [Serving],
) -> HostRow {
    HostRow {
        name,
        segment,
        v4,
        v6,
        via,
        services,
    }
}
