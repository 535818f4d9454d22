//! Limits on the wire: whatever happens to the process between a verdict and the send, no second is
//! above its limit and nothing leaves after the deadline.

use super::pair;
use super::seen::sent_at;
use crate::tool::{CRAFTY, Folder};
use std::thread::sleep;
use std::time::{Duration, Instant};

const SECOND: i64 = 1_000_000_000;

/// Exactly the declared rate, for three seconds, and as much at once as will be taken.
const AT_THE_LIMIT: &str =
    "BUDGET = { max_duration: 20s, max_packets: 1000, max_packets_per_secs: 100 }
PERMISSIONS = { destinations: [10.9.1.2] }
PORTS = { udp: [40000] }
print(\"ready\")
foreach i 1..150 every=10ms { /IP(dst=10.9.1.2)/UDP(src=40000, dst=9) }
foreach i 1..100 { /IP(dst=10.9.1.2)/UDP(src=40000, dst=9)/Bytes(#42 * 20) }
";

/// The same in two seconds and a half.
const UNTIL_THE_DEADLINE: &str =
    "BUDGET = { max_duration: 2500ms, max_packets: 1000, max_packets_per_secs: 100 }
PERMISSIONS = { destinations: [10.9.1.2] }
PORTS = { udp: [40000] }
print(\"ready\")
foreach i 1..100 every=10ms { /IP(dst=10.9.1.2)/UDP(src=40000, dst=9) }
foreach i 1..100 { /IP(dst=10.9.1.2)/UDP(src=40000, dst=9)/Bytes(#42 * 20) }
";

/// Frames leave by a thread of their own from 2,000 a second on.
const BY_A_THREAD: &str =
    "BUDGET = { max_duration: 20s, max_packets: 9000, max_packets_per_secs: 2_500, max_bytes: 4MB }
PERMISSIONS = { destinations: [10.9.1.2] }
PORTS = { udp: [40000] }
print(\"ready\")
foreach i 1..2_500 { /IP(dst=10.9.1.2)/UDP(src=40000, dst=9) }
wait 300ms
foreach i 1..2_500 { /IP(dst=10.9.1.2)/UDP(src=40000, dst=9) }
";

/// Runs a program, stops its process after each of these times for as long, and gives when its frames
/// were on the other end's wire.
fn stopped(program: &str, stops: &[(u64, u64)]) -> Option<Vec<i64>> {
    let spaces = pair()?;
    let folder = Folder::new();
    let (program, far) = (folder.file("p.crafty", program), folder.path("far.pcap"));
    let capture = spaces.capture_many("b", "a", &far);
    let mut run = spaces.start("a", &[CRAFTY, "run", &program]);
    for (after, long) in stops {
        sleep(Duration::from_millis(*after));
        run.signal("STOP");
        sleep(Duration::from_millis(*long));
        run.signal("CONT");
    }
    run.wait();
    capture.stop();
    Some(sent_at(&far, [10, 9, 1, 1].into()))
}

#[track_caller]
fn no_second_is_above(times: &[i64], most: usize) {
    for (i, first) in times.iter().enumerate() {
        // The two clocks of sending and capturing are the same; a frame may be a little late.
        let until = first + SECOND - 2_000_000;
        let within = times[i..].iter().take_while(|at| **at < until).count();
        assert!(within <= most, "{within} within a second of frame {i}");
    }
}

#[test]
fn no_second_is_above_its_limit_on_the_wire() {
    for stops in [
        &[][..],
        &[(300, 700)],
        &[(800, 1300), (200, 150), (100, 900)],
    ] {
        let Some(times) = stopped(AT_THE_LIMIT, stops) else {
            return;
        };
        assert!(times.len() > 200, "{} were sent", times.len());
        no_second_is_above(&times, 100);
    }
}

#[test]
fn nor_where_a_thread_sends() {
    for stops in [&[][..], &[(250, 600), (200, 400)]] {
        let Some(times) = stopped(BY_A_THREAD, stops) else {
            return;
        };
        assert!(times.len() > 2_500, "{} were sent", times.len());
        no_second_is_above(&times, 2_500);
    }
}

#[test]
fn nothing_leaves_after_the_deadline() {
    for stops in [&[][..], &[(1_500, 2_500)], &[(900, 400), (300, 3_000)]] {
        let Some(times) = stopped(UNTIL_THE_DEADLINE, stops) else {
            return;
        };
        let (first, last) = (times[0], times[times.len() - 1]);
        // Program time 0 is a moment before the first frame.
        assert!(
            last - first < 5 * SECOND / 2,
            "{} ms after the first",
            (last - first) / 1_000_000
        );
    }
}

/// Hundreds of neighbours that are not there are asked for at the declared pace, and for no longer
/// than the run may take.
#[test]
fn neighbours_are_asked_for_at_the_declared_pace() {
    let Some(spaces) = pair() else { return };
    let folder = Folder::new();
    let sends: String = (3..=120)
        .map(|n| format!("/IP(dst=10.9.1.{n})/UDP(src=40000, dst=9)\n"))
        .collect();
    let program = format!(
        "BUDGET = {{ max_duration: 2s, max_packets: 1000, max_packets_per_secs: 10 }}\n\
         PERMISSIONS = {{ destinations: [10.9.1.0/24] }}\nPORTS = {{ udp: [40000] }}\n\
         if now() < now() {{\n{sends}}}\n"
    );
    let (program, far) = (folder.file("p.crafty", program), folder.path("far.pcap"));
    let capture = spaces.capture_many("b", "a", &far);
    let began = Instant::now();
    let ran = spaces.crafty("a", &["run", &program]);
    let took = began.elapsed();
    capture.stop();
    let times = sent_at(&far, [10, 9, 1, 1].into());
    assert!(times.len() >= 15, "{} questions: {}", times.len(), ran.err);
    no_second_is_above(&times, 10);
    assert!(took < Duration::from_secs(6), "{took:?}");
}

/// Strangers ask for our addresses all the time: the kernel answers, and the budget is the program's.
#[test]
fn questions_of_strangers_do_not_spend_the_budget() {
    let Some(spaces) = pair() else { return };
    let folder = Folder::new();
    let flood = spaces.python("b", FLOOD);
    let program = "BUDGET = { max_duration: 10s, max_packets: 12 }
PERMISSIONS = { destinations: [10.9.1.2] }
PORTS = { udp: [40000] }
wait 1s
foreach i 1..10 every=50ms { /IP(dst=10.9.1.2)/UDP(src=40000, dst=9)/Bytes(\"mine\") }
";
    let program = folder.file("p.crafty", program);
    spaces
        .crafty("a", &["run", &program])
        .expect(0)
        .complains(&["sent 1"]);
    drop(flood);
}

const FLOOD: &str = "
import socket, struct, time
s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW); s.bind(('to_a', 0))
own = bytes.fromhex(open('/sys/class/net/to_a/address').read().strip().replace(':', ''))
def ask(i):
    body = struct.pack('!HHBBH', 1, 0x800, 6, 4, 1) + own + socket.inet_aton('10.9.1.%d' % (50 + i % 100))
    s.send(b'\\xff' * 6 + own + b'\\x08\\x06' + body + b'\\0' * 6 + socket.inet_aton('10.9.1.1'))
ask(0)
print('ready', flush=True)
for i in range(2000):
    ask(i)
    time.sleep(0.005)
";
