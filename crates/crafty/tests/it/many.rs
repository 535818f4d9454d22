//! Many connections at once: a server that holds a thousand, and a client that makes them of single segments.

use crate::tool::{Folder, crafty};
use std::time::{Duration, Instant};

const BUDGET: &str = "BUDGET = { max_duration: 60s, max_packets: 20000, max_packets_per_secs: 20000, max_bytes: 20MB, max_bytes_per_secs: 20MB, max_syns: 2000, max_syns_per_secs: 2000 }\n";

fn server(peers: usize) -> String {
    format!(
        "{BUDGET}PERMISSIONS = {{ destinations: [10.20.4.0/24] }}\nPORTS = {{ tcp: [8080] }}\nn = 0\n\
         /IP!/TCP!(src=8080, listen=true, peers={peers}) {{\n  on linger=8s /IP!/TCP!/Bytes {{\n    n += 1\n    Bytes(\"ok\")\n  }}\n}}\nprint(\"${{n}} asked\")\n"
    )
}

/// Opens so many connections, and asks on each only when all are open.
fn client(count: usize) -> String {
    format!(
        "{BUDGET}PERMISSIONS = {{ destinations: [10.100.0.10] }}\nPORTS = {{ tcp: [[20000, 30000]] }}\nopened = map(key=0, default=0)\nanswered = 0\nport = 20000\n\
         on /IP/TCP(flags == syn+ack) {{ opened[MATCH[TCP].dst] := 1 }}\non /IP/TCP/Bytes(data == \"ok\") {{ answered += 1 }}\n\
         repeat count={count} every=1ms {{\n  /IP(dst=10.100.0.10)/TCP(src=port, dst=8080, flags=syn, seq=7)\n  port += 1\n}}\nwait 50ms\nport := 20000\n\
         repeat count={count} every=1ms {{\n  /IP(dst=10.100.0.10)/TCP(src=port, dst=8080, flags=ack, seq=8, ack=auto)/Bytes(\"x\")\n  port += 1\n}}\n\
         wait 1s\nprint(\"${{length(opened)}} opened, ${{answered > 0}}\")\n"
    )
}

#[track_caller]
fn together(peers: usize, count: usize) -> (String, Duration) {
    let folder = Folder::new();
    let (east, west) = (folder.file("server.crafty", server(peers)), folder.file("client.crafty", client(count)));
    let start = Instant::now();
    let ran = crafty(&["run", "--lab", "demo", &format!("{east}@east"), &format!("{west}@west")]);
    assert_eq!(ran.status, 0, "{}{}", ran.out, ran.err);
    (ran.out, start.elapsed())
}

#[test]
fn a_thousand_connections_at_once() {
    let (out, small) = together(4096, 250);
    assert!(out.contains("250 opened, true") && out.contains("250 asked"), "{out}");
    let (out, large) = together(4096, 1000);
    assert!(out.contains("1000 opened, true") && out.contains("1000 asked"), "{out}");
    // Four times as many cost four times as much, not sixteen times; a busy machine may be three times slower for a while.
    assert!(large < small * 12 + Duration::from_secs(1), "{small:?} for 250, {large:?} for 1000");
}

#[test]
fn there_is_room_for_as_many_as_the_program_says() {
    for (peers, told) in [(20, "20 asked"), (1, "1 asked")] {
        let (out, _) = together(peers, 40);
        assert!(out.contains(told), "{out}");
    }
}
