//! What must not happen: the kernel answering for us, frames to what was not declared, anything
//! left behind by a killed run.

use super::seen::{Declared, datagrams};
use super::space::Spaces;
use super::talk::{ECHO, pair};
use crate::tool::{CRAFTY, Folder, example, run, skipped};
use std::time::{Duration, Instant};

/// Listens with the kernel's TCP and takes whoever comes.
const LISTENER: &str = "
import socket
s = socket.socket()
s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
s.bind(('0.0.0.0', 8080)); s.listen(16)
print('ready')
peers = []
while True: peers.append(s.accept())
";

const HALF_OPEN: &str = "BUDGET = { max_duration: 10s, max_packets: 10, max_syns: 3 }
PERMISSIONS = { destinations: [10.9.1.2] }
PORTS = { tcp: [45000] }
/IP!(dst=10.9.1.2) {
  foreach n 1..3 {
    TCP(src=45000, dst=8080, seq=1000 * n, flags=syn)
    expect timeout=1s /IP/TCP(src == 8080, flags has syn+ack) {
      print(\"answer ${n}\")
    }
    wait 100ms
  }
}
";

#[test]
fn the_kernel_resets_nothing_of_ours() {
    let Some(spaces) = pair() else { return };
    let folder = Folder::new();
    let _listener = spaces.python("b", LISTENER);
    let capture = spaces.capture("b", "a", &folder.path("b.pcap"));
    let (program, own) = (
        folder.file("half_open.crafty", HALF_OPEN),
        folder.path("own.pcapng"),
    );
    let ran = spaces.crafty("a", &["run", "--pcap", &own, &program]);
    // What the kernel says after the run is its own affair.
    capture.signal("INT");
    ran.expect(0).says(&["answer 1"]);
    drop(capture);
    let declared = Declared {
        sources: &["10.9.1.1"],
        destinations: &["10.9.1.2"],
        packets: (10, 10),
        syns: 3,
        own: Some(&own),
    };
    let sent = declared.holds(&folder.path("b.pcap"));
    assert!(sent.len() >= 3, "{sent:?}");
}

/// Runs a program in `a`; gives what it said and the datagrams that reached `b` from anywhere in
/// `a`.
fn attempt(spaces: &Spaces, source: &str) -> (crate::tool::Ran, usize) {
    let folder = Folder::new();
    let capture = spaces.capture("b", "a", &folder.path("b.pcap"));
    let ran = spaces.program("a", source);
    capture.stop();
    let reached = datagrams(&folder.path("b.pcap"))
        .iter()
        .filter(|s| s.dst.octets()[3] != 1)
        .count();
    (ran, reached)
}

#[test]
fn what_is_not_declared_does_not_leave() {
    let Some(spaces) = pair() else { return };
    let head = "BUDGET = { max_packets: 50 }\nPORTS = { udp: [40000] }\n";
    let here = "PERMISSIONS = { destinations: [10.9.1.2] }\n";
    let rows = [
        (
            "a destination",
            here,
            "n = 0\nrepeat count=3 every=5ms {\n  n += 1\n  /IP(dst=10.9.1.2 + n)/UDP(dst=9)/Bytes(\"x\")\n}\n",
        ),
        (
            "a source",
            here,
            "n = 0\nrepeat count=3 every=5ms {\n  n += 1\n  /IP(src=10.9.1.100 + n, dst=10.9.1.2)/UDP(dst=9)/Bytes(\"x\")\n}\n",
        ),
        (
            "a power",
            here,
            "n = 2\nrepeat count=3 every=5ms {\n  n += 1\n  /IP(dst=10.9.1.2)/UDP(dst=9, len=n)/Bytes(\"xxxxxxxx\")\n}\n",
        ),
        (
            "a port",
            "PERMISSIONS = { destinations: [10.9.1.2], destination_ports: { udp: [53] } }\n",
            "n = 100\nrepeat count=3 every=5ms {\n  n += 1\n  /IP(dst=10.9.1.2)/UDP(dst=n)/Bytes(\"x\")\n}\n",
        ),
    ];
    for (what, permissions, rest) in rows {
        let (ran, reached) = attempt(&spaces, &format!("{head}{permissions}{rest}"));
        assert!(
            [2, 4].contains(&ran.status) && reached == 0,
            "{what}: {reached} reached the peer\n{ran:?}"
        );
    }
    let (ran, reached) = attempt(
        &spaces,
        &format!("{head}{here}/IP(dst=10.9.1.2)/UDP(dst=9)/Bytes(\"x\")\n"),
    );
    assert_eq!(
        (ran.status, reached),
        (0, 1),
        "what is declared leaves: {ran:?}"
    );
}

#[test]
fn the_budget_holds_on_the_wire() {
    let Some(spaces) = pair() else { return };
    let source = "BUDGET = { max_packets: 40, max_packets_per_secs: 20, max_duration: 5s }\nPORTS = { icmp: [5] }\nPERMISSIONS = { destinations: [10.9.1.2] }\nn = 0\n/IP!(dst=10.9.1.2) {\n  repeat every=2ms for=3s {\n    n += 1\n    ICMP(type=echo_request, id=5, seq=n)\n  }\n}\n";
    let folder = Folder::new();
    let capture = spaces.capture("b", "a", &folder.path("b.pcap"));
    let ran = spaces.program("a", source);
    capture.stop();
    assert!([2, 4].contains(&ran.status), "{ran:?}");
    if ran.status == 4 {
        Declared {
            sources: &["10.9.1.1"],
            destinations: &["10.9.1.2"],
            packets: (40, 20),
            syns: 0,
            own: None,
        }
        .holds(&folder.path("b.pcap"));
    }
}

#[test]
fn kill_at_any_moment_leaves_the_firewall_as_it_was() {
    let Some(spaces) = pair() else { return };
    spaces.sh("a", "nft add table inet own && nft 'add chain inet own in { type filter hook input priority 0; }' && nft add rule inet own in tcp dport 22 accept");
    let _echo = spaces.python("b", &ECHO.replace('@', "10.9.1.2"));
    let before = spaces.rules("a");
    assert!(before.contains("dport 22"));
    // From before the first system call to the middle of the run.
    let moments = [
        0, 1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 60, 100, 200, 400,
    ]
    .map(Some);
    for after in moments.into_iter().chain([None]) {
        let mut run = spaces.start(
            "a",
            &[CRAFTY, "run", &example("jitter.crafty"), "target=10.9.1.2"],
        );
        match after {
            Some(after) => std::thread::sleep(Duration::from_millis(after)),
            // Once for certain while its table stands.
            None => spaces.owned("a"),
        }
        run.signal("KILL");
        run.wait();
        restored(&spaces, &before, after);
    }
    spaces
        .crafty("a", &["run", &example("jitter.crafty"), "target=10.9.1.2"])
        .expect(0);
    assert_eq!(spaces.rules("a"), before);
}

#[track_caller]
fn restored(spaces: &Spaces, before: &str, after: Option<u64>) {
    let patience = Instant::now() + Duration::from_secs(20);
    while spaces.rules("a") != *before {
        assert!(
            Instant::now() < patience,
            "killed after {after:?} ms:\n{}",
            spaces.rules("a")
        );
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn an_interrupted_run_says_so_and_cleans_up() {
    let Some(spaces) = pair() else { return };
    let before = spaces.rules("a");
    let run = spaces.start(
        "a",
        &[CRAFTY, "run", &example("jitter.crafty"), "target=10.9.1.2"],
    );
    spaces.owned("a");
    // It listens for signals soon after its table stands, and runs for three seconds.
    std::thread::sleep(Duration::from_millis(500));
    run.signal("INT");
    let (status, out, err) = run.output();
    assert_eq!(status, Some(6), "{out}{err}");
    assert_eq!(spaces.rules("a"), before);
}

#[test]
fn a_port_in_use_is_refused() {
    let Some(spaces) = pair() else { return };
    let _echo = spaces.python("a", &ECHO.replace('@', "10.9.1.1"));
    let source = "PORTS = { udp: [40100] }\nPERMISSIONS = { destinations: [10.9.1.2] }\n/IP!(dst=10.9.1.2)/UDP!(dst=9) {\n  Bytes(\"x\")\n}\n";
    let before = spaces.rules("a");
    spaces
        .program("a", source)
        .expect(5)
        .complains(&["40100", "help:"]);
    assert_eq!(spaces.rules("a"), before);
}

#[test]
fn no_route_is_said_with_the_fix() {
    let Some(spaces) = pair() else { return };
    spaces
        .crafty("a", &["run", &example("ping.crafty"), "target=203.0.113.9"])
        .expect(5)
        .complains(&["203.0.113.9", "help:"]);
}

#[test]
fn without_privilege_it_says_what_is_missing() {
    let Some(spaces) = pair() else { return };
    if skipped(
        crate::tool::installed("setpriv"),
        "`setpriv` is not installed",
    ) {
        return;
    }
    let folder = Folder::new();
    let (binary, program) = (folder.path("crafty"), folder.path("ping.crafty"));
    std::fs::copy(CRAFTY, &binary).expect("a copy that anyone may run");
    std::fs::copy(example("ping.crafty"), &program).expect("a copy that anyone may read");
    run(&["chmod", "755", &binary]).expect(0);
    let user = [
        "setpriv",
        "--reuid=65534",
        "--regid=65534",
        "--clear-groups",
        "env",
        "-C",
        "/",
    ];
    let ran = spaces.run(
        "a",
        &[&user[..], &[&binary, "run", &program, "target=10.9.1.2"]].concat(),
    );
    ran.expect(5).complains(&["CAP_NET_RAW", "help:"]);
    spaces
        .run(
            "a",
            &[&user[..], &[&binary, "run", "--lab", "demo", &program]].concat(),
        )
        .expect(0);
}
