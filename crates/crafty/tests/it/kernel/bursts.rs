//! Many frames at once: they leave by a thread of their own, in order, with their own times, and
//! what does not leave is reported.

use super::seen::datagrams;
use super::talk::pair;
use crate::tool::{CRAFTY, Folder};

const BURST: &str =
    "BUDGET = { max_duration: 20s, max_packets: 1100, max_packets_per_secs: 100_000, max_bytes: 4MB, max_bytes_per_secs: 4MB }
PERMISSIONS = { destinations: [10.9.1.2] }
PORTS = { udp: [[40000, 41000]] }
/IP!(dst=10.9.1.2) {
  foreach n 1..1000 {
    UDP(src=40000 + n, dst=9)/Bytes(\"x\")
  }
  last = UDP(src=40000, dst=9)/Bytes(\"last\")
  record last = last[Eth].ts, source=last[Eth].ts_source
}
";

#[test]
fn a_burst_leaves_whole_and_in_order_each_frame_with_its_time() {
    let Some(spaces) = pair() else { return };
    let folder = Folder::new();
    let (program, own, far) = (
        folder.file("burst.crafty", BURST),
        folder.path("own.pcapng"),
        folder.path("far.pcap"),
    );
    let timed = (0..5).any(|_| {
        let capture = spaces.capture_many("b", "a", &far);
        let ran = spaces
            .crafty("a", &["run", "--json", "--pcap", &own, &program])
            .expect(0);
        capture.stop();
        whole_and_in_order(&own);
        whole_and_in_order(&far);
        let recorded =
            String::from_utf8_lossy(&std::fs::read(&own).expect("a capture")).into_owned();
        ran.out.contains("\"source\":\"recapture\"") && !recorded.contains("not seen leaving")
    });
    // Where the processor is taken away for long, a time comes too late and the clock stands in;
    // not five times in a row.
    assert!(timed, "in each of five runs a frame had no time of its own");
}

#[track_caller]
fn whole_and_in_order(file: &str) {
    let sent: Vec<_> = datagrams(file)
        .into_iter()
        .filter(|s| s.protocol == 17 && s.src.octets()[3] == 1)
        .collect();
    let order: Vec<u16> = sent
        .iter()
        .map(|s| u16::from_be_bytes([s.head[0], s.head[1]]))
        .collect();
    assert!(
        order == (40001..=41000).chain([40000]).collect::<Vec<u16>>(),
        "{file}: {} frames, not in order",
        order.len()
    );
    assert!(
        sent.is_sorted_by_key(|s| s.time),
        "{file}: times go backwards"
    );
}

const LATER: &str =
    "BUDGET = { max_duration: 20s, max_packets: 1_100, max_packets_per_secs: 100_000, max_bytes: 4MB, max_bytes_per_secs: 4MB }
PERMISSIONS = { destinations: [10.9.1.2] }
PORTS = { udp: [40000] }
/IP!(dst=10.9.1.2) {
  print(\"ready\")
  wait 1500ms
  repeat count=100 {
    UDP(src=40000, dst=9)/Bytes(\"short\")
    UDP(src=40000, dst=9)/Bytes(#00 * 1000)
  }
}
";

#[test]
fn what_of_a_burst_does_not_leave_is_told_with_its_line() {
    let Some(spaces) = pair() else { return };
    let folder = Folder::new();
    let (program, far) = (folder.file("later.crafty", LATER), folder.path("far.pcap"));
    let capture = spaces.capture_many("b", "a", &far);
    let running = spaces.speaking("a", &[CRAFTY, "run", &program]);
    // The program knows the interface as it was at the start.
    spaces.sh("a", "ip link set to_b mtu 600");
    let (status, _, err) = running.output();
    capture.stop();
    let told = err
        .lines()
        .filter(|l| {
            l.contains(":9: UDP(src=40000, dst=9)/Bytes(#00 * 1000): this frame was not sent")
        })
        .count();
    assert!(
        status == Some(0) && told == 100,
        "{status:?}, {told} told: {err}"
    );
    let came = datagrams(&far)
        .into_iter()
        .filter(|s| s.protocol == 17 && s.src.octets()[3] == 1)
        .count();
    assert_eq!(came, 100);
}
