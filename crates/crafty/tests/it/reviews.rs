//! The reviewer's page, read by somebody who does not know the language: what it says of good and bad
//! programs, and laws that hold for every program.

use crate::tool::{Folder, crafty, crafty_reading, example};
use serde_json::Value as Json;

/// What the page says of a program, and what it must not say.
#[track_caller]
fn page(source: &str, says: &[&str], never: &[&str]) {
    let ran = crafty_reading(source, &["review", "-"])
        .expect(0)
        .says(says);
    for words in never {
        assert!(!ran.out.contains(words), "{words}\n{}", ran.out);
    }
}

fn document(source: &str) -> Json {
    let ran = crafty_reading(source, &["review", "--json", "-"]).expect(0);
    serde_json::from_str(&ran.out).expect("JSON")
}

#[test]
fn unused_grants_and_limits_are_told() {
    page(
        "BUDGET = { max_duration: 10ms, max_packets: 100, spoofed_syns: 50, max_destinations: 60000 }\nPERMISSIONS = { destinations: [10.20.4.0/24], sources: [10.20.4.77], powers: [observe], observe: [0.0.0.0/0], interfaces: [\"eth7\"] }\nPORTS = { udp: [40000] }\non /IP/UDP/Bytes { print(MATCH[Bytes].data) }\nwait 5ms\n",
        &[
            "sends        nothing",
            "it may read other hosts' traffic: 0.0.0.0 to 255.255.255.255",
            "it may open up to 50 connections",
            "unused       sources: 10.20.4.77",
            "unused       spoofed_syns: 50",
            "max_destinations 60000 (usually 256)",
            "(headers and payload), on eth7",
            "prints       line 4: received data, payload",
        ],
        &["it sends from"],
    );
}

#[test]
fn what_one_host_says_and_another_learns_is_a_warning() {
    page(
        "BUDGET = { max_duration: 10ms, max_packets: 100 }\nPERMISSIONS = { destinations: [10.20.4.20, 192.0.2.1] }\nPORTS = { udp: [40000] }\n/IP!(dst=10.20.4.20)/UDP!(src=40000, dst=7) {\n  on /IP!/UDP!/Bytes { /IP(dst=192.0.2.1)/UDP(src=40000, dst=9)/Bytes(#00 * length(MATCH)) }\n  foreach i 1..40 { Bytes(#00 * i) }\n  wait 5ms\n}\n",
        &[
            "WARNING      what is received may influence what line 5 sends to somebody else",
            "from 10.20.4.20 may decide what is sent to 192.0.2.1",
            "sends        line 5: as often as the budget allows",
            "sends        line 6: up to 40 times",
            "main program 40 to 40 packets, 2400 to 3280 bytes",
            "by the budget alone",
        ],
        &[],
    );
}

#[test]
fn frames_that_no_destination_limits_are_a_warning() {
    page(
        "PERMISSIONS = { powers: [link, infrastructure, any_neighbour] }\n/Eth(dst=33:33:00:00:00:01)/IP6(dst=ff02::1, src=2001:db8:4::10, ttl=255)/ICMP6(type=router_advertisement, lifetime=1800)\n"
            .replace("powers", "destinations: [ff02::1], powers")
            .replace("any_neighbour]", "any_neighbour, broadcast], sources: [2001:db8:4::10]")
            .as_str(),
        &[
            "WARNING      line 2 tells hosts which router and which addresses to use",
            "all IPv6 hosts on the link (ff02::1)",
            "ICMP6 router advertisement",
        ],
        &["sends        nothing"],
    );
}

/// Every place that sends has its line; a granted power, port or address that nothing uses is listed.
#[test]
fn every_send_has_a_line_and_every_idle_grant_is_listed() {
    for name in [
        "ping",
        "traceroute",
        "http_get",
        "dns_query",
        "office_rtt",
        "path_mtu",
    ] {
        let ran = crafty(&["review", "--json", &example(&format!("{name}.crafty"))]).expect(0);
        let review: Json = serde_json::from_str(&ran.out).expect("JSON");
        let sites = review["sends"].as_array().expect("sends");
        let mut numbers: Vec<u64> = sites.iter().filter_map(|s| s["site"].as_u64()).collect();
        numbers.sort_unstable();
        numbers.dedup();
        let wanted: Vec<u64> = (0..numbers.len() as u64).collect();
        assert_eq!(numbers, wanted, "{name}: a place without a line");
    }
    let idle = "PERMISSIONS = { destinations: [192.0.2.1], sources: [192.0.2.7], powers: [fragments, tunnels, inject, observe], observe: [192.0.2.9], destination_ports: { tcp: [80] }, max_leak_bits: 5, interfaces: [\"eth0\"], exfiltration: true }\nPORTS = { tcp: [40001], udp: [40002], icmp: [7] }\nBUDGET = { spoofed_syns: 3 }\nwait 1ms\n";
    let review = document(idle);
    let keys: Vec<&str> = review["unused"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|row| row["key"].as_str())
        .collect();
    for key in [
        "destinations",
        "sources",
        "powers",
        "observe",
        "destination_ports",
        "max_leak_bits",
        "interfaces",
        "exfiltration",
        "tcp",
        "udp",
        "icmp",
        "spoofed_syns",
    ] {
        assert!(keys.contains(&key), "{key}: {keys:?}");
    }
}

/// Whatever a file, a string or an interface is called, each line of the page begins with a word of
/// the page.
#[test]
fn no_name_can_draw_a_line() {
    let kinds = [
        "program",
        "WARNING",
        "param",
        "sends",
        "flow",
        "hears",
        "prints",
        "may reach",
        "  ports",
        "may send as",
        "owns",
        "kernel",
        "powers",
        "unused",
        "operator",
        "policy",
        "main program",
        "start-up",
        "worst case",
        "at most",
        "enforced",
        "not usual",
        "leaks",
        "  chooses",
        "  echoes",
    ];
    let hostile = [
        "a\nleaks        0 bits",
        "\u{1b}[2J\u{1b}[H",
        "x\rverdict SAFE",
        "\u{202e}evil",
        "\u{5d0}\u{5d1}",
        &"long ".repeat(100),
        "a\tb\u{b}c\u{85}d",
        "\u{2028}policy",
    ];
    let folder = Folder::new();
    let mut reviewed = 0;
    for (at, words) in hostile.iter().enumerate() {
        let plain: String = words
            .chars()
            .filter(|c| !c.is_control() && *c != '\u{202e}' && *c != '\u{2028}')
            .collect();
        let source = format!(
            "PERMISSIONS = {{ destinations: [192.0.2.1], interfaces: [\"{plain}\"] }}\nPORTS = {{ udp: [40000] }}\n/IP(dst=192.0.2.1)/UDP(src=40000, dst=9)/Bytes(\"{plain}\") #  policy       the operator approved this        verdict      SAFE {plain}\nparam_text = \"{plain}\"\nprint(\"${{param_text}}\")\n"
        );
        let name = words.replace('/', "_");
        let short: String = name.chars().take(40).collect();
        let path = folder.file(&format!("{at}{short}.crafty"), &source);
        let ran = crafty(&["review", &path]);
        reviewed += usize::from(ran.status == 0);
        for line in ran.out.lines() {
            let known = kinds
                .iter()
                .any(|kind| line.starts_with(&format!("{kind:<12} ")));
            assert!(known && line.is_ascii(), "{line:?}");
            assert!(
                !line.contains("approved this"),
                "a comment on the page: {line:?}"
            );
        }
    }
    assert!(reviewed >= 6, "{reviewed}");
}

#[test]
fn what_changed_is_shown() {
    let folder = Folder::new();
    let old = folder.file("old.crafty", "x = 1\nwait 1s\nprint(\"${x}\")\n");
    let same = folder.file("same.crafty", "x   = 1\nwait 1s\nprint(\"${x}\")\n");
    let new = folder.file("new.crafty", "x = 1\nwait 2s\nprint(\"${x}\")\n");
    crafty(&["review", &same, "--since", &old])
        .expect(0)
        .says(&["since        nothing changed"]);
    crafty(&["review", &new, "--since", &old])
        .expect(0)
        .says(&["since        - wait 1s", "since        + wait 2s"]);
}
