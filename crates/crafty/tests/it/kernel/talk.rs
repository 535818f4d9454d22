//! Two hosts on one link: echo requests, UDP both ways, the spoofed source, a neighbour that is not
//! there.

use super::seen::{Declared, datagrams, frames_of_type};
use super::space::Spaces;
use crate::tool::{CRAFTY, Folder, example};

/// `a` is 10.9.1.1 and `b` 10.9.1.2, with IPv6 beside it.
pub fn pair() -> Option<Spaces> {
    let spaces = Spaces::new(&["a", "b"])?;
    spaces.join(
        ("a", &["10.9.1.1/24", "fd09::1/64"]),
        ("b", &["10.9.1.2/24", "fd09::2/64"]),
    );
    Some(spaces)
}

/// Answers each datagram with itself, from the address that it was sent to.
pub const ECHO: &str = "
import socket, sys
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.bind(('@', 40100))
print('ready')
while True:
    data, peer = s.recvfrom(65535)
    s.sendto(data, peer)
";

#[test]
fn ping_the_kernel() {
    let Some(spaces) = pair() else { return };
    let folder = Folder::new();
    let capture = spaces.capture("b", "a", &folder.path("b.pcap"));
    spaces
        .crafty("a", &["run", &example("ping.crafty"), "target=10.9.1.2"])
        .expect(0)
        .says(&["seq=1 ttl=64", "seq=5 ttl=64"]);
    capture.stop();
    let declared = Declared {
        sources: &["10.9.1.1"],
        destinations: &["10.9.1.2"],
        packets: (10, 10),
        syns: 0,
        own: None,
    };
    assert_eq!(declared.holds(&folder.path("b.pcap")).len(), 5);
}

#[test]
fn ping_the_kernel_over_ipv6() {
    let Some(spaces) = pair() else { return };
    spaces
        .crafty("a", &["run", &example("ping6.crafty"), "target=fd09::2"])
        .expect(0)
        .says(&["seq=1 hops=64", "seq=5 hops=64"]);
}

#[test]
fn round_trip_times_are_the_wires_own() {
    let Some(spaces) = pair() else { return };
    let folder = Folder::new();
    let capture = spaces.capture("a", "b", &folder.path("a.pcap"));
    let ran = spaces
        .crafty(
            "a",
            &["run", "--json", &example("ping.crafty"), "target=10.9.1.2"],
        )
        .expect(0);
    capture.stop();
    let seen: Vec<_> = datagrams(&folder.path("a.pcap"))
        .into_iter()
        .filter(|s| s.protocol == 1)
        .collect();
    let wire: Vec<i64> = seen
        .chunks(2)
        .map(|pair| pair[1].time - pair[0].time)
        .collect();
    let rows = ran
        .out
        .lines()
        .filter_map(|l| serde_json::from_str::<serde_json::Value>(l).ok());
    let told: Vec<i64> = rows
        .filter(|r| r["event"] == "record")
        .filter_map(|r| r["value"].as_str()?.parse().ok())
        .collect();
    assert_eq!(told.len(), 5, "{}", ran.out);
    // The witness stamps its own copy of each frame, at the same tap but not in the same call; its
    // file counts microseconds. On a busy machine one of them may be interrupted between the two:
    // the median is asked.
    let mut far: Vec<i64> = told.iter().zip(&wire).map(|(a, b)| (a - b).abs()).collect();
    far.sort_unstable();
    assert!(
        far.len() == 5 && far[2] < 100_000,
        "told {told:?}, on the wire {wire:?}"
    );
}

#[test]
fn udp_both_ways_between_two_runs() {
    let Some(spaces) = pair() else { return };
    let folder = Folder::new();
    let server = spaces.start(
        "b",
        &[
            CRAFTY,
            "run",
            &example("udp_server.crafty"),
            "client=10.9.1.1",
        ],
    );
    spaces.owned("b");
    let capture = spaces.capture("b", "a", &folder.path("b.pcap"));
    let client = spaces.crafty(
        "a",
        &["run", &example("udp_client.crafty"), "server=10.9.1.2"],
    );
    let (status, out, err) = server.output();
    capture.stop();
    client.expect(0).says(&["sent 50, 50 answers"]);
    assert_eq!(status, Some(0), "{out}{err}");
    assert!(out.contains("heard 50 datagrams, 400 bytes"), "{out}{err}");
    let file = folder.path("b.pcap");
    Declared {
        sources: &["10.9.1.1"],
        destinations: &["10.9.1.2"],
        packets: (120, 100),
        syns: 0,
        own: None,
    }
    .holds(&file);
    Declared {
        sources: &["10.9.1.2"],
        destinations: &["10.9.1.1"],
        packets: (120, 100),
        syns: 0,
        own: None,
    }
    .holds(&file);
}

#[test]
fn the_kernel_says_no_port_unreachable() {
    let Some(spaces) = pair() else { return };
    let folder = Folder::new();
    let _echo = spaces.python("b", &ECHO.replace('@', "10.9.1.2"));
    let capture = spaces.capture("b", "a", &folder.path("b.pcap"));
    let ran = spaces
        .crafty("a", &["run", &example("jitter.crafty"), "target=10.9.1.2"])
        .expect(0);
    capture.stop();
    ran.says(&["200 of 200 came back, 0 out of order, 0 twice"]);
    let declared = Declared {
        sources: &["10.9.1.1"],
        destinations: &["10.9.1.2"],
        packets: (210, 100),
        syns: 0,
        own: None,
    };
    assert_eq!(declared.holds(&folder.path("b.pcap")).len(), 200);
}

#[test]
fn the_sample_of_the_office_over_a_wire() {
    let Some(spaces) = Spaces::new(&["a", "b"]) else {
        return;
    };
    spaces.join(
        ("a", &["10.20.4.10/24"]),
        ("b", &["10.20.4.254/24", "10.100.0.50/32"]),
    );
    spaces.sh("a", "ip route add default via 10.20.4.254");
    let folder = Folder::new();
    let _echo = spaces.python("b", &ECHO.replace('@', "10.100.0.50"));
    let capture = spaces.capture("b", "a", &folder.path("b.pcap"));
    let ran = spaces.crafty("a", &["run", &example("office_rtt.crafty")]);
    capture.stop();
    ran.expect(0).says(&[
        "size\tn\tavg\tmax",
        "100\t50\t",
        "500\t50\t",
        "1000\t50\t",
        "1400\t50\t",
        "1472\t50\t",
    ]);
    let declared = Declared {
        sources: &["10.20.4.1", "10.20.4.10"],
        destinations: &["10.100.0.50"],
        packets: (300, 100),
        syns: 0,
        own: None,
    };
    let sent = declared.holds(&folder.path("b.pcap"));
    assert!(
        sent.len() == 250 && sent.iter().all(|s| s.src.to_string() == "10.20.4.1"),
        "{} datagrams",
        sent.len()
    );
}

#[test]
fn a_neighbour_that_is_not_there_is_an_error_and_never_a_broadcast() {
    let Some(spaces) = pair() else { return };
    let folder = Folder::new();
    let capture = spaces.capture("b", "a", &folder.path("b.pcap"));
    let ran = spaces.crafty("a", &["run", &example("ping.crafty"), "target=10.9.1.77"]);
    capture.stop();
    ran.expect(5).complains(&["no_neighbour", "10.9.1.77"]);
    assert!(datagrams(&folder.path("b.pcap")).is_empty());
    let asked = frames_of_type(&folder.path("b.pcap"), 0x0806).len();
    assert!((1..=3).contains(&asked), "{asked} ARP requests");
}

#[test]
fn a_run_on_the_wire_remarks_on_addresses_for_examples() {
    let Some(spaces) = Spaces::new(&["a", "b"]) else {
        return;
    };
    spaces.join(("a", &["192.0.2.9/24"]), ("b", &["192.0.2.1/24"]));
    let ran = spaces
        .crafty("a", &["run", &example("ping.crafty")])
        .expect(0)
        .says(&["seq=5"]);
    ran.complains(&["192.0.2.1 is an address for documentation", "`--lab demo`"]);
    let other = spaces.crafty("a", &["run", &example("ping.crafty"), "target=192.0.3.1"]);
    assert!(!other.err.contains("for examples"), "{}", other.err);
}
