//! How fast a run ends: once it is interrupted, and once its time is over, whatever it does meanwhile.
//! Measured in real time, between this test and a process of its own.

use super::Spaces;
use super::pair;
use crate::tool::{CRAFTY, Folder};
use std::time::{Duration, Instant};

/// What is asked for is 50 ms. A machine that does other things as well is late by as much again, now
/// and then by more; only hanging is far beyond it.
const GENEROUS: Duration = Duration::from_secs(1);

/// What is asked for.
const ASKED: Duration = Duration::from_millis(50);

/// Programs that would go on for a minute: what they do, and their text, with their limits of time to be
/// filled in.
const LONG: &[(&str, &str)] = &[
    (
        "waits",
        "BUDGET = { max_duration: @ }\nprint(\"ready\")\nwait 50s\n",
    ),
    (
        "computes",
        "BUDGET = { max_duration: @ }\na = array(init=0, len=65000)\nb = a\nprint(\"ready\")\nrepeat count=1_000_000 { b := sort(a) }\n",
    ),
    (
        "computes in one expression",
        "BUDGET = { max_duration: @ }\nbig = #41 * 1000000\npat = #41 * 500000 + #42\nf = false\nprint(\"ready\")\nrepeat count=1_000_000 { f := big has pat }\n",
    ),
    (
        "prints and nobody reads",
        "BUDGET = { max_duration: @ }\nprint(\"ready\")\nrepeat count=1_000_000 { print(\"line after line after line after line after line\") }\nwait 50s\n",
    ),
    (
        "sends at its limit",
        "BUDGET = { max_duration: @, max_packets_per_secs: 50 }\nPERMISSIONS = { destinations: [10.9.1.2] }\nPORTS = { udp: [40000] }\nprint(\"ready\")\nforeach i 1..25 every=20ms { /IP(dst=10.9.1.2)/UDP(src=40000, dst=9) }\nforeach i 1..50 { /IP(dst=10.9.1.2)/UDP(src=40000, dst=9) }\nwait 50s\n",
    ),
    (
        "sends by a thread at its limit",
        "BUDGET = { max_duration: @, max_packets: 9_000, max_packets_per_secs: 2_500, max_bytes: 4MB }\nPERMISSIONS = { destinations: [10.9.1.2] }\nPORTS = { udp: [40000] }\nprint(\"ready\")\nforeach i 1..2_500 { /IP(dst=10.9.1.2)/UDP(src=40000, dst=9) }\nwait 300ms\nforeach i 1..2_500 { /IP(dst=10.9.1.2)/UDP(src=40000, dst=9) }\nwait 50s\n",
    ),
    (
        "handles what comes",
        "BUDGET = { max_duration: @ }\nPERMISSIONS = { destinations: [10.9.1.2] }\nPORTS = { udp: [40000] }\na = array(init=0, len=20000)\nb = a\nprint(\"ready\")\non /IP(src == 10.9.1.2)/UDP(dst == 40000) { b := sort(a) }\nwait 50s\n",
    ),
    (
        "is in a connection",
        "BUDGET = { max_duration: @, max_packets: 100000, max_bytes: 900MB, max_packets_per_secs: 20_000 }\nPERMISSIONS = { destinations: [10.9.1.2] }\nPORTS = { tcp: [45000] }\nprint(\"ready\")\n/IP!(dst=10.9.1.2)/TCP!(dst=8080, src=45000) {\n  Bytes(#41 * 900_000)\n  wait 50s\n}\n",
    ),
];

/// Takes connections and reads slowly; sends datagrams for whoever handles them.
const PEER: &str = "
import socket, threading, time
s = socket.socket(); s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
s.bind(('10.9.1.2', 8080)); s.listen(16)
def slowly(c):
    while c.recv(500): time.sleep(0.01)
def take():
    while True: threading.Thread(target=slowly, args=(s.accept()[0],), daemon=True).start()
threading.Thread(target=take, daemon=True).start()
u = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
print('ready', flush=True)
while True:
    for i in range(50): u.sendto(b'x', ('10.9.1.1', 40000))
    time.sleep(0.02)
";

/// Runs a program and ends it; gives how long after what should have ended it it says its totals, when
/// its process is gone, and its status.
fn ended_after(
    spaces: &Spaces,
    name: &str,
    text: &str,
    by: &Ending,
) -> (Duration, Duration, Option<i32>) {
    let folder = Folder::new();
    let limit = match by {
        Ending::Signal => "60s".to_string(),
        Ending::Deadline(at) => format!("{}ms", at.as_millis()),
    };
    let file = folder.file("p.crafty", text.replace('@', &limit));
    let mut running = spaces.speaking("a", &[CRAFTY, "run", &file]);
    let due = match by {
        Ending::Signal => {
            std::thread::sleep(Duration::from_millis(700));
            running.signal("INT");
            Instant::now()
        }
        // Program time 0 is a moment before the first word.
        Ending::Deadline(at) => Instant::now() + *at,
    };
    // Who is interrupted waits for no reader; whose time is over leaves a slow one the time to read.
    let drained = matches!(by, Ending::Deadline(_)) || !name.contains("nobody reads");
    running.errors_until(": sent ", drained);
    let said = Instant::now().saturating_duration_since(due);
    let status = running.wait();
    (said, Instant::now().saturating_duration_since(due), status)
}

enum Ending {
    Signal,
    Deadline(Duration),
}

fn all_end(by: &Ending, what: &str) {
    let Some(spaces) = pair() else { return };
    let _peer = spaces.python("b", PEER);
    let mut late = Vec::new();
    for (name, text) in LONG {
        let (took, gone, status) = ended_after(&spaces, name, text, by);
        println!(
            "{what}, a program that {name}: its totals {took:?} later, its process gone {gone:?} later"
        );
        assert_eq!(status, Some(6), "{name}");
        late.extend((took > GENEROUS).then(|| format!("{name}: {took:?} (asked for: {ASKED:?})")));
    }
    assert!(late.is_empty(), "{what}: {late:?}");
}

#[test]
fn an_interrupted_run_ends_at_once_whatever_it_does() {
    all_end(&Ending::Signal, "interrupted");
}

#[test]
fn a_run_ends_at_its_deadline_whatever_it_does() {
    all_end(
        &Ending::Deadline(Duration::from_millis(1_500)),
        "its time over",
    );
}
