//! What is known of small programs before they run.

use super::*;
use crate::check::{bind, check};
use std::collections::BTreeMap;

const HEAD: &str = "PERMISSIONS = { destinations: [192.0.2.1, 2001:db8::1, 192.0.2.0/24], powers: [tunnels, infrastructure, link, control, inject, malformed, ip_options, fragments] }\nPORTS = { udp: [40000], tcp: [40001], icmp: [7] }\n";

/// The traffic of a program with these statements.
fn of(body: &str) -> Traffic {
    let source = format!("{HEAD}{body}\n");
    let checked = check(&source);
    let program = checked
        .program
        .unwrap_or_else(|| panic!("{source}\n{:#?}", checked.reports));
    let bound = bind(&program, &BTreeMap::new()).expect("defaults");
    traffic(&program, &bound)
}

/// Least and most bytes of the frames of the first packet.
#[track_caller]
fn size(body: &str, wanted: Option<(u64, u64)>) {
    let traffic = of(body);
    let mut sizes = traffic.sends.iter().filter_map(|send| send.size);
    let size = sizes.next().expect("a packet");
    assert_eq!(size.known.then_some(size.whole), wanted, "{body}");
}

#[test]
fn frames_are_as_long_as_their_layers() {
    size(
        "/IP(dst=192.0.2.1)/UDP(src=40000, dst=9)/Bytes(#00 * 100)",
        Some((142, 142)),
    );
    size(
        "/IP(dst=192.0.2.1)/UDP(src=40000, dst=9)/Bytes(\"x\")",
        Some((60, 60)),
    );
    size(
        "/IP6(dst=2001:db8::1)/UDP(src=40000, dst=9)/Bytes(#00 * 100)",
        Some((162, 162)),
    );
    size(
        "/IP(dst=192.0.2.1)/TCP(src=40001, dst=9, flags=syn, options=[mss(1460)])",
        Some((60, 94)),
    );
    size(
        "/IP!(dst=192.0.2.1) { ICMP(type=echo_request, id=7, seq=1)/Bytes(#00 * 100) }",
        Some((142, 142)),
    );
    size(
        "foreach n 10..100 {\n/IP(dst=192.0.2.1)/UDP(src=40000, dst=9)/Bytes(#00 * n)\n}",
        Some((60, 142)),
    );
    size(
        "foreach n [10, 2000] {\n/IP!(dst=192.0.2.1)/UDP!(src=40000, dst=9) { Bytes(#00 * n) }\n}",
        Some((60, 2076)),
    );
    size(
        "n = 1\nn += 1\n/IP(dst=192.0.2.1)/UDP(src=40000, dst=9)/Bytes(#00 * n)",
        None,
    );
    size(
        "foreach n 1..3 {\n/IP(dst=192.0.2.1)/UDP(src=40000, dst=9)/Bytes(\"seq ${n} and ${n} of a long line for the frame\")\n}",
        Some((82, 82)),
    );
}
