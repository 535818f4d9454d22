//! The golden packets as tshark reads them: the same protocols, the same values. Where there is no
//! tshark, nothing is compared.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::process::Command;

use crafty_wire::{
    Decoded, Field, FieldKind, FieldValue, Layer, OptionValue, decode, encode, layer,
};

use crate::golden::Golden;
use crate::notation::{Text, show};

/// Layers, and tshark's name for them in `frame.protocols`.
const PROTOCOLS: &[(&str, &str)] = &[
    ("AH", "ah"),
    ("ARP", "arp"),
    ("BFD", "bfd"),
    ("CDP", "cdp"),
    ("DHCP", "dhcp"),
    ("DHCP6", "dhcpv6"),
    ("DNS", "dns"),
    ("ERSPAN", "erspan"),
    ("ERSPAN3", "erspan"),
    ("ESP", "esp"),
    ("GENEVE", "geneve"),
    ("GRE", "gre"),
    ("GTPU", "gtp"),
    ("HTTP", "http"),
    ("ICMP", "icmp"),
    ("ICMP6", "icmpv6"),
    ("IGMP", "igmp"),
    ("IP", "ip"),
    ("IP6", "ipv6"),
    ("ISIS", "isis"),
    ("L2TP", "l2tp"),
    ("LACP", "lacp"),
    ("LCP", "lcp"),
    ("LLC", "llc"),
    ("LLDP", "lldp"),
    ("MPLS", "mpls"),
    ("NTP", "ntp"),
    ("NetFlow", "cflow"),
    ("OSPF", "ospf"),
    ("OSPF3", "ospf"),
    ("PIM", "pim"),
    ("PPP", "ppp"),
    ("PTP", "ptp"),
    ("QUIC", "quic"),
    ("RADIUS", "radius"),
    ("RIP", "rip"),
    ("RIPng", "ripng"),
    ("SCTP", "sctp"),
    ("SFlow", "sflow"),
    ("SIP", "sip"),
    ("SNMP", "snmp"),
    ("STP", "stp"),
    ("STUN", "stun"),
    ("Syslog", "syslog"),
    ("TCP", "tcp"),
    ("TFTP", "tftp"),
    ("TLS", "tls"),
    ("UDP", "udp"),
    ("VLAN", "vlan"),
    ("VRRP", "vrrp"),
    ("VXLAN", "vxlan"),
    ("WireGuard", "wg"),
];

/// Fields, and tshark's name for them.
const FIELDS: &[(&str, &str, &str)] = &[
    ("AH", "spi", "ah.spi"),
    ("AH", "icv", "ah.icv"),
    ("BFD", "my", "bfd.my_discriminator"),
    ("BFD", "desired_tx", "bfd.desired_min_tx_interval"),
    ("BFD", "state", "bfd.sta"),
    ("BFD", "diag", "bfd.diag"),
    ("CDP", "ttl", "cdp.ttl"),
    ("CDP", "checksum", "cdp.checksum"),
    ("DHCP", "xid", "dhcp.id"),
    ("DHCP", "yiaddr", "dhcp.ip.your"),
    ("DHCP", "chaddr", "dhcp.hw.mac_addr"),
    ("DHCP6", "xid", "dhcpv6.xid"),
    ("ERSPAN", "session", "erspan.spanid"),
    ("ERSPAN3", "session", "erspan.spanid"),
    ("ERSPAN3", "timestamp", "erspan.timestamp"),
    ("GENEVE", "vni", "geneve.vni"),
    ("GTPU", "teid", "gtp.teid"),
    ("GTPU", "len", "gtp.length"),
    ("HSRP", "address4", "hsrp2.virt_ip"),
    ("HSRP", "group2", "hsrp2.group"),
    ("HSRP", "priority2", "hsrp2.priority"),
    ("HTTP", "method", "http.request.method"),
    ("HTTP", "host", "http.host"),
    ("HTTP", "status", "http.response.code"),
    ("IGMP", "type", "igmp.type"),
    ("IGMP", "checksum", "igmp.checksum"),
    ("ISIS", "checksum", "isis.lsp.checksum"),
    ("ISIS", "header_len", "isis.len"),
    ("ISIS", "seq", "isis.lsp.sequence_number"),
    ("L2TP", "tunnel", "l2tp.tunnel"),
    ("L2TP", "session", "l2tp.session"),
    ("LACP", "actor_key", "lacp.actor.key"),
    ("LACP", "partner_port", "lacp.partner.port"),
    ("LLC", "dsap", "llc.dsap"),
    ("NTP", "mode", "ntp.flags.mode"),
    ("NTP", "stratum", "ntp.stratum"),
    ("NetFlow", "version", "cflow.version"),
    ("NetFlow", "seq", "cflow.sequence"),
    ("OSPF", "router", "ospf.srcrouter"),
    ("OSPF", "checksum", "ospf.checksum"),
    ("OSPF", "dead", "ospf.hello.router_dead_interval"),
    ("PIM", "type", "pim.type"),
    ("PIM", "checksum", "pim.cksum"),
    ("PPPoE", "session", "pppoe.session_id"),
    ("PTP", "seq", "ptp.v2.sequenceid"),
    ("PTP", "domain", "ptp.v2.domainnumber"),
    ("QUIC", "dcid", "quic.dcid"),
    ("QUIC", "scid", "quic.scid"),
    ("QUIC", "version", "quic.version"),
    ("QUIC", "length", "quic.length"),
    ("QUIC", "number", "quic.packet_number"),
    ("QUIC", "sni", "tls.handshake.extensions_server_name"),
    ("QUIC", "token", "quic.retry_token"),
    ("QUIC", "tag", "quic.retry_integrity_tag"),
    ("RADIUS", "id", "radius.id"),
    ("RADIUS", "authenticator", "radius.authenticator"),
    ("SCTP", "tag", "sctp.verification_tag"),
    ("SCTP", "checksum", "sctp.checksum"),
    ("SFlow", "seq", "sflow_245.sequence_number"),
    ("SIP", "method", "sip.Method"),
    ("SIP", "call_id", "sip.Call-ID"),
    ("SNMP", "community", "snmp.community"),
    ("SNMP", "request_id", "snmp.request_id"),
    ("SNMP", "oid", "snmp.name"),
    ("SNMP", "enterprise", "snmp.enterprise"),
    ("SNMP", "specific", "snmp.specific_trap"),
    ("SNMP", "uptime", "snmp.time_stamp"),
    ("SNMP", "user", "snmp.msgUserName"),
    ("SNMP", "boots", "snmp.msgAuthoritativeEngineBoots"),
    ("SNMP", "time", "snmp.msgAuthoritativeEngineTime"),
    ("SNMP", "message_id", "snmp.msgID"),
    ("STP", "root", "stp.root.hw"),
    ("STP", "path_cost", "stp.root.cost"),
    ("STP", "port", "stp.port"),
    ("STUN", "transaction", "stun.id"),
    ("STP", "revision", "mstp.config_revision_level"),
    ("STUN", "len", "stun.length"),
    ("Syslog", "facility", "syslog.facility"),
    ("Syslog", "severity", "syslog.level"),
    ("TFTP", "file", "tftp.source_file"),
    ("TFTP", "mode", "tftp.type"),
    ("TLS", "version", "tls.record.version"),
    ("TLS", "len", "tls.record.length"),
    ("TLS", "random", "tls.handshake.random"),
    ("TLS", "sni", "tls.handshake.extensions_server_name"),
    ("VRRP", "vrid", "vrrp.virt_rtr_id"),
    ("VRRP", "checksum", "vrrp.checksum"),
    ("VRRP", "address", "vrrp.ip_addr"),
    ("WireGuard", "counter", "wg.counter"),
];

/// Fields of options, by their path, and tshark's name for them.
const PARTS: &[(&str, &str, &str)] = &[
    (
        "DHCP",
        "options.relay.parts.circuit_id.data",
        "dhcp.option.agent_information_option.agent_circuit_id",
    ),
    (
        "DHCP",
        "options.relay.parts.link.address",
        "dhcp.option.agent_information_option.link_selection",
    ),
    (
        "ICMP6",
        "records.to_exclude.group",
        "icmpv6.mldr.mar.multicast_address",
    ),
    (
        "ISIS",
        "tlvs.wide_neighbors.metric",
        "isis.lsp.ext_is_reachability.metric",
    ),
    (
        "ISIS",
        "tlvs.wide_neighbors.sub.address.address",
        "isis.lsp.ext_is_reachability.ipv4_interface_address",
    ),
    ("LLDP", "tlvs.management_ip4.address", "lldp.mgn.addr.ip4"),
    (
        "LLDP",
        "tlvs.max_frame.octets",
        "lldp.ieee.802_3.max_frame_size",
    ),
    ("LLDP", "tlvs.med_policy.vlan", "lldp.media.vlan_id"),
    ("LLDP", "tlvs.port_vlan.id", "lldp.ieee.802_1.port_vlan.id"),
    ("OSPF", "states.external.mask", "ospf.lsa.asext.netmask"),
    ("OSPF", "states.network.mask", "ospf.lsa.network.netmask"),
    (
        "OSPF",
        "states.router.links.transit.id",
        "ospf.lsa.router.linkid",
    ),
    (
        "OSPF",
        "states.router.links.transit.metric",
        "ospf.lsa.router.metric0",
    ),
    ("PTP", "suffix.path_trace.clock", "ptp.v2.an.pathsequence"),
    (
        "RADIUS",
        "attributes.cisco.parts.pair.text",
        "radius.Cisco_AVPair",
    ),
    (
        "SCTP",
        "chunks.init.parameters.ip4.address",
        "sctp.parameter_ipv4_address",
    ),
    (
        "SFlow",
        "samples.flow.records.header.frame_len",
        "sflow_245.header.frame_length",
    ),
    (
        "SFlow",
        "samples.flow.records.router.next_hop",
        "sflow_245.nexthop",
    ),
    (
        "SFlow",
        "samples.counters.records.interface.in_octets",
        "sflow_245.ifinoct",
    ),
    ("STP", "instances.instance.hops", "mstp.msti.remaining_hops"),
];

/// Packets whose layers tshark tells otherwise, and why that is its choice.
const THEIRS: &[(&str, &str)] = &[
    (
        "The first fragment of a datagram",
        "it waits for the other fragments before it reads on",
    ),
    (
        "A first fragment",
        "it waits for the other fragments before it reads on",
    ),
    (
        "A wrong version, header length",
        "it goes by the version alone, also where the link says IPv4",
    ),
    (
        "Ethernet in UDP",
        "it takes the lower of both ports, TFTP's, before the destination",
    ),
];

#[test]
fn tshark_reads_the_same() {
    if Command::new("tshark").arg("--version").output().is_err() {
        eprintln!("no tshark here: nothing compared");
        return;
    }
    let all: Vec<(String, Golden)> = crate::golden::blocks()
        .into_iter()
        .map(|(place, block)| (place, Golden::parse(&block)))
        .collect();
    let (mut compared, mut wrong, mut parts) = (0, Vec::new(), BTreeSet::new());
    for (link, firsts) in [(1, &["Eth"][..]), (101, &["IP", "IP6"])] {
        let some: Vec<&(String, Golden)> = all
            .iter()
            .filter(|(_, golden)| firsts.contains(&golden.layers[0].as_str()))
            .collect();
        for ((place, golden), theirs) in some.iter().zip(tshark(link, &some)) {
            let (count, differences) = compare(place, golden, &theirs, &mut parts);
            compared += count;
            wrong.extend(
                differences
                    .into_iter()
                    .map(|difference| format!("{place}\n{difference}")),
            );
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {compared} differ\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    assert!(compared > 300, "only {compared} values");
    let never: Vec<_> = PARTS.iter().filter(|row| !parts.contains(row.2)).collect();
    assert!(never.is_empty(), "in no packet: {never:?}");
}

/// What is encrypted here, tshark decrypts.
#[test]
fn tshark_opens_what_is_built_here() {
    if Command::new("tshark").arg("--version").output().is_err() {
        eprintln!("no tshark here: nothing compared");
        return;
    }
    let below = "/IP(src=192.0.2.1, dst=198.51.100.2, id=1)/UDP(src=50000, dst=443)";
    for quic in [
        "dcid=#0011223344556677",
        "dcid=#00112233445566778899, scid=#aabbcc, token=#0102, number=70000",
    ] {
        let stack = format!("{below}/QUIC({quic}, sni=\"example.com\", alpn=\"h3\")");
        let (headers, mut octets) = (Text(&stack).stack(), Vec::new());
        encode(&headers, &mut octets);
        let golden = Golden::parse(&format!("= IP\n{}", show(&octets)));
        let theirs = tshark(101, &[&(stack.clone(), golden)]);
        assert_eq!(
            theirs[0]["tls.handshake.extensions_server_name"], "example.com",
            "{stack}"
        );
    }
}

/// What tshark says of each packet: its protocols, then the first value of each field.
fn tshark(link: u32, packets: &[&(String, Golden)]) -> Vec<BTreeMap<&'static str, String>> {
    let path = std::env::temp_dir().join(format!(
        "crafty-golden-{}-{link}-{}.pcap",
        std::process::id(),
        packets.len()
    ));
    let mut file = std::fs::File::create(&path).expect("a file");
    let words = |words: &[u32]| {
        words
            .iter()
            .flat_map(|word| word.to_le_bytes())
            .collect::<Vec<u8>>()
    };
    file.write_all(&words(&[0xa1b2_c3d4, 0x0004_0002, 0, 0, 65535, link]))
        .expect("written");
    for (n, (_, golden)) in packets.iter().enumerate() {
        let len = golden.octets.len() as u32;
        file.write_all(&[words(&[n as u32, 0, len, len]), golden.octets.clone()].concat())
            .expect("written");
    }
    let names: Vec<&str> = ["frame.protocols"]
        .into_iter()
        .chain(FIELDS.iter().chain(PARTS).map(|row| row.2))
        .collect();
    let mut command = Command::new("tshark");
    command.arg("-n").arg("-r").arg(&path).args([
        "-T",
        "fields",
        "-E",
        "occurrence=f",
        "-E",
        "separator=|",
        "-o",
        "tcp.analyze_sequence_numbers:FALSE",
    ]);
    for name in &names {
        command.args(["-e", name]);
    }
    let output = command.output().expect("tshark runs");
    std::fs::remove_file(&path).expect("removed");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(
        text.lines().count(),
        packets.len(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    text.lines()
        .map(|line| {
            names
                .iter()
                .copied()
                .zip(line.split('|').map(String::from))
                .collect()
        })
        .collect()
}

/// Values compared, and those that differ. A protocol or field that tshark does not show is not
/// compared, but those of the first layers always are.
fn compare(
    place: &str,
    golden: &Golden,
    theirs: &BTreeMap<&'static str, String>,
    parts: &mut BTreeSet<&'static str>,
) -> (usize, Vec<String>) {
    let (mut decoded, mut count, mut wrong) = (Decoded::new(), 0, Vec::new());
    decode(
        layer(&golden.layers[0]).expect("a layer"),
        &golden.octets,
        golden.octets.len(),
        &mut decoded,
    );
    let protocols: Vec<&str> = theirs["frame.protocols"].split(':').collect();
    for (i, found) in decoded.layers.iter().enumerate() {
        if let Some((_, name)) = PROTOCOLS.iter().find(|row| row.0 == found.layer.name) {
            count += 1;
            let known = THEIRS.iter().any(|row| place.contains(row.0));
            if !protocols.contains(name) && !known && !unread(found.layer, &protocols) {
                wrong.push(format!("{} is not in {protocols:?}", found.layer.name));
            }
        }
        let first = decoded.position(found.layer, 0) == Some(i);
        for (_, field, name) in FIELDS
            .iter()
            .filter(|row| first && row.0 == found.layer.name)
        {
            let (index, row) = found.layer.field(field).expect("a field");
            let Some(ours) = decoded
                .read(&golden.octets, i, index)
                .filter(|_| !theirs[name].is_empty())
            else {
                continue;
            };
            count += 1;
            if !same(row, &ours, &theirs[name]) {
                wrong.push(format!(
                    "{}.{field}: {ours:?}, tshark {}",
                    found.layer.name, theirs[name]
                ));
            }
        }
        for (_, path, name) in PARTS
            .iter()
            .filter(|row| first && row.0 == found.layer.name)
        {
            let Some((row, ours)) =
                part(&golden.octets, &decoded, i, path).filter(|_| !theirs[name].is_empty())
            else {
                continue;
            };
            count += 1;
            parts.insert(*name);
            if !same(row, &ours, &theirs[name]) {
                wrong.push(format!(
                    "{}.{path}: {ours:?}, tshark {}",
                    found.layer.name, theirs[name]
                ));
            }
        }
    }
    (count, wrong)
}

/// The field of an option, or of an option in it: `options.NAME.FIELD` and so on.
fn part(
    octets: &[u8],
    decoded: &Decoded,
    layer: usize,
    path: &str,
) -> Option<(&'static Field, FieldValue)> {
    let mut words = path.split('.');
    let (index, mut row) = decoded.layers[layer].layer.field(words.next()?)?;
    let mut value = decoded.read(octets, layer, index)?;
    while let Some(name) = words.next() {
        let FieldValue::Options(list) = value else {
            return None;
        };
        let field = words.next()?;
        let option = list.iter().find(|option| option.name() == Some(name))?;
        let OptionValue::Named { option: table, .. } = option else {
            return None;
        };
        row = table
            .shape
            .fields()
            .find(|row| row.name == field)
            .unwrap_or_else(|| panic!("no `{field}` in {path}"));
        value = option.value(field)?.clone();
    }
    Some((row, value))
}

/// What tshark does not read: segments behind a gap of the same connection, quoted packets that are
/// cut.
fn unread(layer: &Layer, protocols: &[&str]) -> bool {
    (matches!(layer.name, "BGP" | "HTTP" | "TLS") && protocols.last() == Some(&"tcp"))
        || protocols.contains(&"icmp")
        || protocols.contains(&"icmpv6")
}

fn same(field: &Field, ours: &FieldValue, theirs: &str) -> bool {
    match (field.kind, ours) {
        (FieldKind::Ip4, FieldValue::Uint(value)) => {
            std::net::Ipv4Addr::from_bits(*value as u32).to_string() == theirs
        }
        (FieldKind::Mac, FieldValue::Uint(value)) => {
            format!("{value:012x}") == theirs.replace(':', "")
        }
        (_, FieldValue::Uint(value)) => number(theirs) == Some(*value),
        (_, FieldValue::Wide(value)) => std::net::Ipv6Addr::from_bits(*value).to_string() == theirs,
        (_, FieldValue::Text(text)) => text == theirs,
        (_, FieldValue::Bytes(octets)) => {
            let hex: String = octets.iter().map(|octet| format!("{octet:02x}")).collect();
            let little: u64 = octets
                .iter()
                .rev()
                .take(8)
                .fold(0, |all, octet| all << 8 | u64::from(*octet));
            hex == theirs.replace(':', "") || number(theirs) == Some(little)
        }
        _ => false,
    }
}

fn number(text: &str) -> Option<u64> {
    text.strip_prefix("0x").map_or_else(
        || text.parse().ok(),
        |digits| u64::from_str_radix(digits, 16).ok(),
    )
}
