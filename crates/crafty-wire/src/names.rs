//! Registered numbers that several layers share.

/// Numbers of a name table.
pub type NameTable = &'static [(u64, &'static str)];

/// EtherType (IEEE 802 numbers).
pub const ETHER_TYPES: NameTable = &[
    (0x0800, "ip"),
    (0x0806, "arp"),
    (0x0842, "wake_on_lan"),
    (0x6558, "eth"),
    (0x8035, "rarp"),
    (0x8100, "vlan"),
    (0x86dd, "ip6"),
    (0x8808, "flow_control"),
    (0x8809, "slow_protocols"),
    (0x8847, "mpls"),
    (0x8848, "mpls_upstream"),
    (0x8863, "pppoe_discovery"),
    (0x8864, "pppoe_session"),
    (0x888e, "eapol"),
    (0x88a8, "service_vlan"),
    (0x88b5, "experimental"),
    (0x88be, "erspan"),
    (0x88cc, "lldp"),
    (0x88e5, "macsec"),
    (0x88f7, "ptp"),
    (0x894f, "nsh"),
    (0x9000, "loopback"),
];

/// Protocol numbers of IPv4 and IPv6 (IANA).
pub const PROTOCOLS: NameTable = &[
    (0, "hop_by_hop"),
    (1, "icmp"),
    (2, "igmp"),
    (4, "ip"),
    (6, "tcp"),
    (17, "udp"),
    (33, "dccp"),
    (41, "ip6"),
    (43, "routing"),
    (44, "fragment"),
    (46, "rsvp"),
    (47, "gre"),
    (50, "esp"),
    (51, "ah"),
    (58, "icmp6"),
    (59, "none"),
    (60, "dest_opts"),
    (88, "eigrp"),
    (89, "ospf"),
    (103, "pim"),
    (112, "vrrp"),
    (115, "l2tp"),
    (132, "sctp"),
    (136, "udp_lite"),
    (137, "mpls"),
    (143, "eth"),
    (253, "experimental1"),
    (254, "experimental2"),
];

/// Congestion mark (RFC 3168).
pub const ECN: NameTable = &[(0, "none"), (1, "ect1"), (2, "ect0"), (3, "ce")];

/// Service classes (RFC 2474, RFC 2597, RFC 3246, RFC 8622).
pub const DSCP: NameTable = &[
    (0, "cs0"),
    (1, "le"),
    (8, "cs1"),
    (10, "af11"),
    (12, "af12"),
    (14, "af13"),
    (16, "cs2"),
    (18, "af21"),
    (20, "af22"),
    (22, "af23"),
    (24, "cs3"),
    (26, "af31"),
    (28, "af32"),
    (30, "af33"),
    (32, "cs4"),
    (34, "af41"),
    (36, "af42"),
    (38, "af43"),
    (40, "cs5"),
    (46, "ef"),
    (48, "cs6"),
    (56, "cs7"),
];
