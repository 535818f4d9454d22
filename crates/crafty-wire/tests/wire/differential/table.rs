//! Which layer and field of ours is which of theirs, and what is tried with each.

/// A layer, and its names in the other tools.
pub struct Row {
    /// Ours.
    pub layer: &'static str,
    /// Scapy's class; empty where it has none that reads the same bytes.
    pub scapy: &'static str,
    /// tshark's name in `frame.protocols`; empty where it is part of another.
    pub tshark: &'static str,
    /// Its fields.
    pub fields: &'static [Names],
}

/// A field: ours, Scapy's, tshark's (empty where there is none; `>>n`: it is part of theirs, n bits
/// up), and what it is set to.
pub type Names = (&'static str, &'static str, &'static str, Vary);

/// What a field is set to.
#[derive(Clone, Copy)]
pub enum Vary {
    /// Any value that fits.
    Any,
    /// Nothing: it is computed, or decides what follows.
    Keep,
    /// One of these.
    Among(&'static [u64]),
}

use Vary::{Among, Any, Keep};

/// The layers that are compared.
pub const ROWS: &[Row] = &[
    Row {
        layer: "Eth",
        scapy: "Ether",
        tshark: "eth",
        fields: &[
            (
                "dst",
                "dst",
                "eth.dst",
                Among(&[0x0200_0000_0001, 0xffff_ffff_ffff, 0x0a0b_0c0d_0e0f]),
            ),
            ("src", "src", "eth.src", Any),
            ("type", "type", "eth.type", Keep),
        ],
    },
    Row {
        layer: "VLAN",
        scapy: "Dot1Q",
        tshark: "vlan",
        fields: &[
            ("pcp", "prio", "vlan.priority", Any),
            ("dei", "id", "vlan.dei", Any),
            ("id", "vlan", "vlan.id", Any),
            ("type", "type", "vlan.etype", Keep),
        ],
    },
    Row {
        layer: "ARP",
        scapy: "ARP",
        tshark: "arp",
        fields: &[
            ("htype", "hwtype", "arp.hw.type", Keep),
            ("ptype", "ptype", "arp.proto.type", Keep),
            ("hlen", "hwlen", "arp.hw.size", Keep),
            ("plen", "plen", "arp.proto.size", Keep),
            ("op", "op", "arp.opcode", Any),
            ("sha", "hwsrc", "arp.src.hw_mac", Any),
            ("spa", "psrc", "arp.src.proto_ipv4", Any),
            ("tha", "hwdst", "arp.dst.hw_mac", Any),
            ("tpa", "pdst", "arp.dst.proto_ipv4", Any),
        ],
    },
    Row {
        layer: "IP",
        scapy: "IP",
        tshark: "ip",
        fields: &[
            ("version", "version", "", Keep),
            ("dscp", "tos>>2", "ip.dsfield.dscp", Any),
            ("ecn", "tos>>0", "ip.dsfield.ecn", Any),
            ("len", "len", "ip.len", Keep),
            ("id", "id", "ip.id", Any),
            ("flags", "flags", "ip.flags", Among(&[0, 2, 4, 6])),
            ("frag", "frag", "ip.frag_offset", Keep),
            ("ttl", "ttl", "ip.ttl", Any),
            ("proto", "proto", "ip.proto", Keep),
            ("checksum", "chksum", "ip.checksum", Keep),
            ("src", "src", "ip.src", Any),
            ("dst", "dst", "ip.dst", Any),
        ],
    },
    Row {
        layer: "IP6",
        scapy: "IPv6",
        tshark: "ipv6",
        fields: &[
            ("version", "version", "ipv6.version", Keep),
            ("dscp", "tc>>2", "ipv6.tclass.dscp", Any),
            ("ecn", "tc>>0", "ipv6.tclass.ecn", Any),
            ("flow", "fl", "ipv6.flow", Any),
            ("len", "plen", "ipv6.plen", Keep),
            ("next", "nh", "ipv6.nxt", Keep),
            ("ttl", "hlim", "ipv6.hlim", Any),
            ("src", "src", "ipv6.src", Any),
            ("dst", "dst", "ipv6.dst", Any),
        ],
    },
    Row {
        layer: "Fragment",
        scapy: "IPv6ExtHdrFragment",
        tshark: "ipv6.fraghdr",
        fields: &[
            ("next", "nh", "ipv6.fraghdr.nxt", Keep),
            ("reserved", "res1", "ipv6.fraghdr.reserved_octet", Any),
            ("frag", "offset", "ipv6.fraghdr.offset", Keep),
            ("reserved2", "res2", "ipv6.fraghdr.reserved_bits", Any),
            ("more", "m", "ipv6.fraghdr.more", Keep),
            ("id", "id", "ipv6.fraghdr.ident", Any),
        ],
    },
    Row {
        layer: "HopByHop",
        scapy: "IPv6ExtHdrHopByHop",
        tshark: "ipv6.hopopts",
        fields: &[
            ("next", "nh", "ipv6.hopopts.nxt", Keep),
            ("len", "len", "ipv6.hopopts.len", Keep),
        ],
    },
    Row {
        layer: "DestOpts",
        scapy: "IPv6ExtHdrDestOpt",
        tshark: "ipv6.dstopts",
        fields: &[
            ("next", "nh", "ipv6.dstopts.nxt", Keep),
            ("len", "len", "ipv6.dstopts.len", Keep),
        ],
    },
    Row {
        layer: "TCP",
        scapy: "TCP",
        tshark: "tcp",
        fields: &[
            ("src", "sport", "tcp.srcport", Any),
            ("dst", "dport", "tcp.dstport", Keep),
            ("seq", "seq", "tcp.seq_raw", Any),
            ("ack", "ack", "tcp.ack_raw", Any),
            ("reserved", "reserved", "tcp.flags>>9", Any),
            ("flags", "flags", "tcp.flags>>0", Any),
            ("window", "window", "tcp.window_size_value", Any),
            ("checksum", "chksum", "tcp.checksum", Keep),
            ("urgent", "urgptr", "tcp.urgent_pointer", Any),
        ],
    },
    Row {
        layer: "UDP",
        scapy: "UDP",
        tshark: "udp",
        fields: &[
            ("src", "sport", "udp.srcport", Any),
            ("dst", "dport", "udp.dstport", Keep),
            ("len", "len", "udp.length", Keep),
            ("checksum", "chksum", "udp.checksum", Keep),
        ],
    },
    Row {
        layer: "ICMP",
        scapy: "ICMP",
        tshark: "icmp",
        fields: &[
            ("type", "type", "icmp.type", Among(&[0, 8])),
            ("code", "code", "icmp.code", Keep),
            ("checksum", "chksum", "icmp.checksum", Keep),
            ("id", "id", "icmp.ident", Any),
            ("seq", "seq", "icmp.seq", Any),
        ],
    },
    Row {
        layer: "ICMP6",
        scapy: "ICMPv6EchoRequest",
        tshark: "icmpv6",
        fields: &[
            ("type", "type", "icmpv6.type", Keep),
            ("code", "code", "icmpv6.code", Any),
            ("checksum", "cksum", "icmpv6.checksum", Keep),
            ("id", "id", "icmpv6.echo.identifier", Any),
            ("seq", "seq", "icmpv6.echo.sequence_number", Any),
        ],
    },
    Row {
        layer: "GRE",
        scapy: "GRE",
        tshark: "gre",
        fields: &[
            (
                "recursion",
                "recursion_control",
                "gre.flags.recursion_control",
                Keep,
            ),
            ("version", "version", "gre.flags.version", Keep),
            ("proto", "proto", "gre.proto", Keep),
            ("key", "key", "gre.key", Keep),
            ("seq", "sequence_number", "gre.sequence_number", Keep),
        ],
    },
    Row {
        layer: "MPLS",
        scapy: "MPLS",
        tshark: "mpls",
        fields: &[
            (
                "label",
                "label",
                "mpls.label",
                Among(&[16, 1_000, 99_999, 1_048_575]),
            ),
            ("tc", "cos", "mpls.exp", Any),
            ("bottom", "s", "mpls.bottom", Keep),
            ("ttl", "ttl", "mpls.ttl", Any),
        ],
    },
    Row {
        layer: "VXLAN",
        scapy: "VXLAN",
        tshark: "vxlan",
        fields: &[
            ("vni", "vni", "vxlan.vni", Any),
            ("reserved2", "reserved2", "vxlan.reserved8", Any),
        ],
    },
    Row {
        layer: "GENEVE",
        scapy: "GENEVE",
        tshark: "geneve",
        fields: &[
            ("version", "version", "geneve.version", Keep),
            ("options_len", "optionlen", "geneve.option.length>>2", Keep),
            ("oam", "oam", "geneve.flags.oam", Any),
            ("critical", "critical", "geneve.flags.critical", Keep),
            ("proto", "proto", "geneve.proto_type", Keep),
            ("vni", "vni", "geneve.vni", Any),
        ],
    },
    Row {
        layer: "PPPoE",
        scapy: "PPPoE",
        tshark: "pppoes",
        fields: &[
            ("version", "version", "pppoe.version", Keep),
            ("type", "type", "pppoe.type", Keep),
            ("code", "code", "pppoe.code", Keep),
            ("session", "sessionid", "pppoe.session_id", Any),
            ("len", "len", "pppoe.payload_length", Keep),
        ],
    },
    Row {
        layer: "PPP",
        scapy: "PPP",
        tshark: "ppp",
        fields: &[("proto", "proto", "ppp.protocol", Keep)],
    },
    Row {
        layer: "SCTP",
        scapy: "SCTP",
        tshark: "sctp",
        fields: &[
            ("src", "sport", "sctp.srcport", Any),
            ("dst", "dport", "sctp.dstport", Any),
            ("tag", "tag", "sctp.verification_tag", Any),
            ("checksum", "chksum", "sctp.checksum", Keep),
        ],
    },
    Row {
        layer: "DNS",
        scapy: "DNS",
        tshark: "dns",
        fields: &[
            ("id", "id", "dns.id", Any),
            ("qr", "qr", "dns.flags.response", Keep),
            ("opcode", "opcode", "dns.flags.opcode", Among(&[0, 1, 2])),
            ("aa", "aa", "", Any),
            ("tc", "tc", "dns.flags.truncated", Any),
            ("rd", "rd", "dns.flags.recdesired", Any),
            ("ra", "ra", "", Any),
            ("z", "z", "dns.flags.z", Any),
            ("ad", "ad", "", Any),
            ("cd", "cd", "dns.flags.checkdisable", Any),
            ("rcode", "rcode", "", Any),
            ("qdcount", "qdcount", "dns.count.queries", Keep),
            ("ancount", "ancount", "dns.count.answers", Keep),
            ("nscount", "nscount", "dns.count.auth_rr", Keep),
            ("arcount", "arcount", "dns.count.add_rr", Keep),
        ],
    },
    Row {
        layer: "DHCP",
        scapy: "BOOTP",
        tshark: "dhcp",
        fields: &[
            ("op", "op", "dhcp.type", Among(&[1, 2])),
            ("htype", "htype", "dhcp.hw.type", Keep),
            ("hlen", "hlen", "dhcp.hw.len", Keep),
            ("hops", "hops", "dhcp.hops", Any),
            ("xid", "xid", "dhcp.id", Any),
            ("secs", "secs", "dhcp.secs", Any),
            ("ciaddr", "ciaddr", "dhcp.ip.client", Any),
            ("yiaddr", "yiaddr", "dhcp.ip.your", Any),
            ("siaddr", "siaddr", "dhcp.ip.server", Any),
            ("giaddr", "giaddr", "dhcp.ip.relay", Any),
        ],
    },
    Row {
        layer: "NTP",
        scapy: "NTPHeader",
        tshark: "ntp",
        fields: &[
            ("leap", "leap", "ntp.flags.li", Any),
            ("version", "version", "ntp.flags.vn", Among(&[3, 4])),
            ("mode", "mode", "ntp.flags.mode", Among(&[1, 2, 3, 4, 5])),
            ("stratum", "stratum", "ntp.stratum", Among(&[2, 3, 15])),
            ("poll", "poll", "", Any),
        ],
    },
    Row {
        layer: "RIP",
        scapy: "RIP",
        tshark: "rip",
        fields: &[
            ("command", "cmd", "rip.command", Among(&[1, 2])),
            ("version", "version", "rip.version", Keep),
        ],
    },
    Row {
        layer: "HSRP",
        scapy: "HSRP",
        tshark: "hsrp",
        fields: &[
            ("version", "version", "hsrp.version", Keep),
            ("op", "opcode", "hsrp.opcode", Among(&[0, 1, 2])),
            ("state", "state", "hsrp.state", Any),
            ("hello", "hellotime", "hsrp.hellotime", Any),
            ("hold", "holdtime", "hsrp.holdtime", Any),
            ("priority", "priority", "hsrp.priority", Any),
            ("group", "group", "hsrp.group", Any),
            ("reserved", "reserved", "hsrp.reserved", Any),
            ("address", "virtualIP", "hsrp.virt_ip", Any),
        ],
    },
    Row {
        layer: "IGMP",
        scapy: "IGMP",
        tshark: "igmp",
        fields: &[
            ("type", "type", "igmp.type", Among(&[0x11, 0x16, 0x17])),
            (
                "max_response",
                "mrcode",
                "igmp.max_resp",
                Among(&[1, 20, 100]),
            ),
            ("checksum", "chksum", "igmp.checksum", Keep),
            (
                "group",
                "gaddr",
                "igmp.maddr",
                Among(&[0xe800_0105, 0xefff_0001]),
            ),
        ],
    },
    Row {
        layer: "OSPF",
        scapy: "OSPF_Hdr",
        tshark: "ospf",
        fields: &[
            ("version", "version", "ospf.version", Keep),
            ("type", "type", "ospf.msg", Keep),
            ("len", "len", "ospf.packet_length", Keep),
            ("router", "src", "ospf.srcrouter", Any),
            ("area", "area", "ospf.area_id", Any),
            ("checksum", "chksum", "ospf.checksum", Keep),
        ],
    },
    Row {
        layer: "BFD",
        scapy: "",
        tshark: "bfd",
        fields: &[
            ("version", "", "bfd.version", Keep),
            ("diag", "", "bfd.diag", Among(&[0, 1, 7])),
            ("state", "", "bfd.sta", Any),
            ("multiplier", "", "bfd.detect_time_multiplier", Any),
            ("len", "", "bfd.message_length", Keep),
            ("my", "", "bfd.my_discriminator", Any),
            ("your", "", "bfd.your_discriminator", Any),
            ("desired_tx", "", "bfd.desired_min_tx_interval", Any),
            ("required_rx", "", "bfd.required_min_rx_interval", Any),
        ],
    },
    Row {
        layer: "GTPU",
        scapy: "GTP_U_Header",
        tshark: "gtp",
        fields: &[
            ("version", "version", "gtp.flags.version", Keep),
            ("pt", "PT", "gtp.flags.payload", Keep),
            ("type", "gtp_type", "gtp.message", Keep),
            ("len", "length", "gtp.length", Keep),
            ("teid", "teid", "gtp.teid", Any),
        ],
    },
    Row {
        layer: "LLC",
        scapy: "LLC",
        tshark: "llc",
        fields: &[
            ("dsap", "dsap", "llc.dsap", Keep),
            ("ssap", "ssap", "llc.ssap", Keep),
            ("control", "ctrl", "llc.control", Keep),
        ],
    },
    Row {
        layer: "STP",
        scapy: "STP",
        tshark: "stp",
        fields: &[
            ("protocol", "proto", "stp.protocol", Keep),
            ("version", "version", "stp.version", Keep),
            ("type", "bpdutype", "stp.type", Keep),
            ("root_priority", "rootid", "", Keep),
            ("bridge_priority", "bridgeid", "", Keep),
            ("root", "rootmac", "stp.root.hw", Any),
            ("path_cost", "pathcost", "stp.root.cost", Any),
            ("bridge", "bridgemac", "stp.bridge.hw", Any),
            ("port", "portid", "stp.port", Any),
        ],
    },
    Row {
        layer: "AH",
        scapy: "AH",
        tshark: "ah",
        fields: &[
            ("next", "nh", "ah.next_header", Keep),
            ("len", "payloadlen", "", Keep),
            ("spi", "spi", "ah.spi", Any),
            ("seq", "seq", "ah.sequence", Any),
        ],
    },
    Row {
        layer: "ESP",
        scapy: "ESP",
        tshark: "esp",
        fields: &[
            ("spi", "spi", "esp.spi", Any),
            ("seq", "seq", "esp.sequence", Any),
        ],
    },
    Row {
        layer: "RADIUS",
        scapy: "Radius",
        tshark: "radius",
        fields: &[
            ("code", "code", "radius.code", Among(&[1, 2, 3, 4, 5, 11])),
            ("id", "id", "radius.id", Any),
            ("len", "len", "radius.length", Keep),
        ],
    },
];

/// Stacks that are built, each from Ethernet on; bytes follow.
pub const STACKS: &[(&[&str], usize)] = &[
    (&["Eth", "ARP"], 0),
    (&["Eth", "VLAN", "ARP"], 0),
    (&["Eth", "IP", "TCP"], 0),
    (&["Eth", "IP", "TCP"], 33),
    (&["Eth", "IP", "UDP"], 17),
    (&["Eth", "IP", "ICMP"], 24),
    (&["Eth", "VLAN", "VLAN", "IP", "UDP"], 9),
    (&["Eth", "IP6", "TCP"], 12),
    (&["Eth", "IP6", "UDP"], 40),
    (&["Eth", "IP6", "ICMP6"], 16),
    (&["Eth", "IP6", "HopByHop", "UDP"], 10),
    (&["Eth", "IP6", "DestOpts", "TCP"], 10),
    (&["Eth", "IP6", "Fragment", "UDP"], 10),
    (&["Eth", "IP", "IP", "UDP"], 8),
    (&["Eth", "IP", "IP6", "TCP"], 8),
    (&["Eth", "IP6", "IP6", "ICMP6"], 8),
    (&["Eth", "IP", "GRE", "IP", "ICMP"], 8),
    (&["Eth", "IP", "GRE", "Eth", "IP", "UDP"], 8),
    (&["Eth", "MPLS", "IP", "UDP"], 8),
    (&["Eth", "IP", "UDP", "VXLAN", "Eth", "IP", "TCP"], 8),
    (&["Eth", "IP", "UDP", "GENEVE", "Eth", "IP6", "UDP"], 8),
    (&["Eth", "PPPoE", "PPP", "IP", "UDP"], 8),
    (&["Eth", "IP", "SCTP"], 0),
    (&["Eth", "IP", "UDP", "DNS"], 0),
    (&["Eth", "IP", "UDP", "DHCP"], 0),
    (&["Eth", "IP", "UDP", "NTP"], 0),
    (&["Eth", "IP", "UDP", "RIP"], 0),
    (&["Eth", "IP", "UDP", "HSRP"], 0),
    (&["Eth", "IP", "IGMP"], 0),
    (&["Eth", "IP", "OSPF"], 0),
    (&["Eth", "IP", "UDP", "BFD"], 0),
    (&["Eth", "IP", "UDP", "GTPU", "IP", "UDP"], 8),
    (&["Eth", "LLC", "STP"], 0),
    (&["Eth", "IP", "AH", "UDP"], 8),
    (&["Eth", "IP", "ESP"], 24),
    (&["Eth", "IP", "UDP", "RADIUS"], 0),
];

/// The row of a layer.
pub fn row(layer: &str) -> Option<&'static Row> {
    ROWS.iter().find(|row| row.layer == layer)
}
