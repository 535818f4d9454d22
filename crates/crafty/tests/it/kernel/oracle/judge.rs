//! The kernel's opinion of frames: a namespace that takes every address for its own, and counters of
//! nftables for what must not arrive. It reads what arrives as it is, what it puts together of fragments,
//! and what it takes out of VXLAN.

use super::world::{DESTINATIONS, OWN_PORTS, PermissionCase, SOURCES, TCP_PORTS, UDP_PORTS};
use crate::kernel::Spaces;
use crate::tool::Folder;
use crafty_policy::Power;
use serde_json::Value as Json;
use std::collections::BTreeMap;

/// A namespace that listens on everything, with the rules for one set of permissions.
pub struct KernelJudge<'a> {
    spaces: &'a Spaces,
    folder: &'a Folder,
}

/// Devices that take inner packets out of their carrier: name, and how it is made.
const CARRIERS: &[(&str, &str)] = &[
    ("vx4789", "type vxlan external dstport 4789"),
    ("vx8472", "type vxlan external dstport 8472"),
];

/// Where packets are looked at, from the chain's head on.
fn hooks() -> Vec<(&'static str, &'static str, String)> {
    let netdev = |device: &str| format!("type filter hook ingress device \"{device}\" priority 0;");
    let mut all = vec![
        ("netdev", "wire", netdev("to_a")),
        (
            "inet",
            "whole",
            "type filter hook input priority 0;".to_string(),
        ),
    ];
    all.extend(
        CARRIERS
            .iter()
            .map(|(device, _)| ("netdev", *device, netdev(device))),
    );
    all
}

/// Counters of what is not a fault.
const HARMLESS: &[&str] = &["frames", "syns"];

impl<'a> KernelJudge<'a> {
    /// Makes `b` listen on everything and `a` silent.
    pub fn new(spaces: &'a Spaces, folder: &'a Folder) -> KernelJudge<'a> {
        let near = "ip link set to_b address 02:00:00:00:00:0a arp off; sysctl -qw net.ipv6.conf.to_b.disable_ipv6=1";
        spaces.sh("a", near);
        let far = [
            "ip link set to_a address 02:00:00:00:00:0b arp off",
            "sysctl -qw net.ipv4.conf.all.rp_filter=0 net.ipv4.conf.to_a.rp_filter=0 net.ipv4.conf.to_a.accept_local=1",
            "ip addr add 203.0.113.200/32 dev to_a",
            "ip route add local 0.0.0.0/0 dev lo",
            "ip -6 route add local ::/0 dev lo",
        ];
        spaces.sh("b", &far.join("; "));
        for (device, kind) in CARRIERS {
            spaces.sh(
                "b",
                &format!("ip link add {device} {kind} && ip link set {device} up"),
            );
        }
        KernelJudge { spaces, folder }
    }

    /// Counts from zero what these permissions forbid.
    pub fn install(&self, case: &PermissionCase) {
        let mut text = "flush ruleset\n".to_string();
        for (family, table, hook) in hooks() {
            let rows = rules(case, table);
            let counters: String = names(&rows)
                .iter()
                .map(|name| format!("counter {name} {{ }}\n"))
                .collect();
            let lines: String = rows
                .iter()
                .map(|(name, test)| format!("{test} {}\n", verdict(name)))
                .collect();
            text += &format!(
                "table {family} {table} {{\n{counters}chain in {{ {hook}\n{lines} }}\n}}\n"
            );
        }
        // Asking for connections makes the kernel put fragments together; nothing is answered.
        text += "table inet quiet {\nchain first { type filter hook prerouting priority 0; ct state new counter; }\nchain out { type filter hook output priority 0; policy drop; }\n}\n";
        let file = self.folder.file("judge.nft", text);
        self.spaces.sh("b", &format!("nft -f {file}"));
    }

    /// What each counter counted, by table and name.
    pub fn counts(&self) -> BTreeMap<(String, String), u64> {
        let out = self
            .spaces
            .run("b", &["nft", "-j", "list", "counters"])
            .expect(0)
            .out;
        let all: Json = serde_json::from_str(&out).expect("counters");
        let counters = all["nftables"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|row| row.get("counter"));
        counters
            .map(|row| {
                let word = |key: &str| row[key].as_str().unwrap_or_default().to_string();
                (
                    (word("table"), word("name")),
                    row["packets"].as_u64().unwrap_or(0),
                )
            })
            .collect()
    }

    /// What arrived and must not have.
    pub fn faults(&self) -> Vec<String> {
        let counts = self
            .counts()
            .into_iter()
            .filter(|((_, name), count)| *count > 0 && !HARMLESS.contains(&name.as_str()));
        counts
            .map(|((table, name), count)| format!("{table} {name}: {count}"))
            .collect()
    }
}

/// A counter, or for exceptions the end of the chain.
fn verdict(name: &str) -> String {
    if name == "accept" {
        name.to_string()
    } else {
        format!("counter name {name}")
    }
}

fn names<'a>(rows: &[(&'a str, String)]) -> Vec<&'a str> {
    let mut names: Vec<&str> = rows
        .iter()
        .map(|row| row.0)
        .filter(|name| *name != "accept")
        .collect();
    names.dedup();
    names
}

/// The entries of one family, as nftables writes a set.
fn of_family(entries: &[&str], v6: bool) -> String {
    let those: Vec<&str> = entries
        .iter()
        .copied()
        .filter(|entry| entry.contains(':') == v6)
        .collect();
    those.join(", ")
}

/// What is counted in a table, one row each.
fn rules(case: &PermissionCase, table: &str) -> Vec<(&'static str, String)> {
    let mut rows: Vec<(&str, String)> = vec![("frames", String::new())];
    let mut forbid = |name, test: String| rows.push((name, test));
    if case.grants(Power::Infrastructure) {
        let nd = "icmpv6 type { 133, 134, 135, 136 } ip6 hoplimit 255 ip6 daddr { ff02::/16, fe80::/10, 2001:db8::/64 }";
        forbid("accept", nd.into());
    }
    forbid(
        "destination4",
        format!("ip daddr != {{ {} }}", of_family(DESTINATIONS, false)),
    );
    forbid(
        "destination6",
        format!("ip6 daddr != {{ {} }}", of_family(DESTINATIONS, true)),
    );
    forbid(
        "source4",
        format!("ip saddr != {{ 0.0.0.0, {} }}", of_family(SOURCES, false)),
    );
    forbid(
        "source6",
        format!("ip6 saddr != {{ ::, {} }}", of_family(SOURCES, true)),
    );
    forbid("source_routes", "ip option lsrr exists".into());
    forbid("strict_routes", "ip option ssrr exists".into());
    forbid("routing_headers", "rt type != { 2, 4 }".into());
    if case.grants(Power::Fragments) && table != "whole" {
        // What nftables reads there as ports of a later fragment are its contents.
        forbid("accept", "ip frag-off & 0x1fff != 0".into());
        forbid("accept", "frag frag-off != 0".into());
    }
    forbid("syns", "tcp flags & syn == syn".into());
    let first_syn = "tcp flags & (syn | ack | rst) != syn";
    forbid(
        "others_segments",
        format!("{first_syn} tcp sport != {}", OWN_PORTS.0),
    );
    forbid("others_datagrams", format!("udp sport != {}", OWN_PORTS.0));
    for (name, as_another) in [
        ("another4", "ip saddr 192.0.2.66"),
        ("another6", "ip6 saddr 2001:db8::66"),
    ] {
        forbid(name, format!("{as_another} {first_syn}"));
    }
    if case.ports {
        forbid("tcp_ports", format!("tcp dport != {{ {} }}", TCP_PORTS.0));
        forbid("udp_ports", format!("udp dport != {{ {} }}", UDP_PORTS.0));
    }
    rows.extend(without_powers(case, table));
    rows
}

/// What needs a power that is not granted.
fn without_powers(case: &PermissionCase, table: &str) -> Vec<(&'static str, String)> {
    let rows: &[(Power, &str, &str)] = &[
        (Power::Control, "errors4", "icmp type { 3, 4, 5, 11, 12 }"),
        (Power::Control, "errors6", "icmpv6 type { 1, 2, 3, 4, 137 }"),
        (
            Power::Infrastructure,
            "neighbours6",
            "icmpv6 type { 130-136, 138, 141-143, 151-153 }",
        ),
        (Power::Infrastructure, "routers4", "icmp type { 9, 10 }"),
        (
            Power::Infrastructure,
            "routing_protocols",
            "meta l4proto { 2, 8, 9, 46, 88, 89, 103, 112, 124 }",
        ),
        (Power::IpOptions, "options4", "ip hdrlength > 5"),
        (Power::IpOptions, "hop_by_hop", "exthdr hbh exists"),
        (Power::IpOptions, "destination_options", "exthdr dst exists"),
        (Power::IpOptions, "routed", "exthdr rt exists"),
        (
            Power::Tunnels,
            "carriers",
            "meta l4proto { 4, 41, 47, 97, 137, 143 }",
        ),
    ];
    // Of one datagram the kernel shows the fragments on the wire alone.
    let on_the_wire: &[(Power, &str, &str)] = &[
        (Power::Fragments, "fragments4", "ip frag-off & 0x3fff != 0"),
        (Power::Fragments, "fragments6", "exthdr frag exists"),
        (Power::Infrastructure, "neighbours4", "meta protocol arp"),
        (
            Power::Link,
            "source_mac",
            "ether saddr != 02:00:00:00:00:0a",
        ),
        (
            Power::Link,
            "destination_mac",
            "ether daddr != 02:00:00:00:00:0b",
        ),
        (Power::Link, "tags", "vlan id 0-4095"),
        (Power::Link, "types", "meta protocol != { ip, ip6, arp }"),
    ];
    let wire = if table == "wire" { on_the_wire } else { &[] };
    let all = rows.iter().chain(wire).filter(|row| !case.grants(row.0));
    all.map(|(_, name, test)| (*name, test.to_string()))
        .collect()
}
