//! What the header of a peer's segment says must not be told to somebody else, whatever it is read
//! from; and under `none` nothing that comes takes room from what is sent.

use crafty_lang::check::check;
use crafty_lang::ir::Program;
use crafty_policy::ExfiltrationMode;
use crafty_testkit::{OTHER, Trace, accepted, segment_of, trace_frames};

const ACK: u8 = 0x10;
const SYN_ACK: u8 = 0x12;
const MSS_1460: &[u8] = &[2, 4, 5, 0xb4];
const MSS_536: &[u8] = &[2, 4, 2, 0x18];

/// In which header two peers differ.
#[derive(Clone, Copy, Debug)]
enum By {
    Window,
    Mss,
}

/// What a program on the connection reads into `y`, after two thousand bytes.
const READ: &[(By, &str)] = &[
    (By::Window, "y := STACK[TCP].bytes_out"),
    (By::Window, "y := STACK[TCP].snd_nxt % 65536"),
    (By::Window, "q = TCP(flags=ack)\n  y := q[TCP].seq % 65536"),
    (By::Mss, "y := STACK[TCP].segments_out"),
    (By::Mss, "y := STACK[TCP].withheld"),
    (By::Mss, "y := STACK[IP].packets_out"),
    (By::Mss, "y := frames(p)"),
    (By::Mss, "q = TCP(flags=ack)\n  y := q[IP].id"),
];

fn peers(by: By) -> [Vec<(u64, Vec<u8>)>; 2] {
    let syn_ack = |window, mss| vec![(2, segment_of(5000, 1001, SYN_ACK, window, mss, &[]))];
    match by {
        By::Window => [syn_ack(100, MSS_1460), syn_ack(333, MSS_1460)],
        By::Mss => [syn_ack(8000, MSS_1460), syn_ack(8000, MSS_536)],
    }
}

/// A connection with one peer, and what it said told to another.
fn program(read: &str) -> String {
    format!(
        "BUDGET = {{ max_duration: 3s, max_packets: 500 }}\nPERMISSIONS = {{ destinations: [10.0.0.2, 10.0.0.3] }}\nPORTS = {{ udp: [40000], tcp: [40000] }}\ny = 0\ny := 2\n/IP!(dst=10.0.0.2)/TCP!(src=40000, dst=7, isn=1000, timestamps=false) {{\n  on out delay=1ms Bytes\n  p = Bytes(#00 * 2000)\n  wait 50ms\n  {read}\n  abort\n}}\n/IP!(dst=10.0.0.3)/UDP!(src=40000, dst=7) {{ Bytes(bytes(bit_and(y, 65535), 2)) }}\n"
    )
}

fn parsed(source: &str) -> Program {
    check(source)
        .program
        .unwrap_or_else(|| panic!("no program:\n{source}"))
}

/// The bytes that the other one gets.
fn told(trace: Trace) -> Vec<Vec<u8>> {
    trace
        .into_iter()
        .filter(|(_, frame)| frame[30..34] == OTHER.octets())
        .map(|(_, frame)| frame[42..].to_vec())
        .collect()
}

#[test]
fn what_one_peer_accepts_is_not_told_to_another() {
    for (by, read) in READ {
        let source = program(read);
        assert!(
            accepted(&source, ExfiltrationMode::False, None).is_none(),
            "accepted:\n{source}"
        );
        let program = parsed(&source);
        let [first, second] = peers(*by).map(|frames| told(trace_frames(&program, &frames)));
        assert!(
            !first.is_empty() && first != second,
            "{by:?} makes no difference, {first:?}:\n{source}"
        );
    }
    let harmless = program("y := STACK[TCP].bytes_in");
    let program = accepted(&harmless, ExfiltrationMode::False, None)
        .unwrap_or_else(|| panic!("refused:\n{harmless}"));
    let answered = (4, segment_of(5001, 1001, ACK, 8000, &[], b"four"));
    let [first, second] = peers(By::Mss).map(|frames| {
        told(trace_frames(
            &program,
            &[frames, vec![answered.clone()]].concat(),
        ))
    });
    assert_eq!((&first, first.len()), (&second, 1));
}

/// A host asks for our link address, again and again: answers would use up the frames of a second.
#[test]
fn under_none_questions_of_neighbours_change_nothing() {
    let source = "BUDGET = { max_duration: 3s, max_packets: 500, max_packets_per_secs: 9 }\nPERMISSIONS = { destinations: [10.0.0.2], exfiltration: none }\nPORTS = { udp: [40000] }\n/IP!(dst=10.0.0.2)/UDP!(src=40000, dst=7) { repeat count=8 every=5ms { Bytes(#01) } }\n";
    let program = accepted(source, ExfiltrationMode::None, None)
        .expect("nothing in it depends on what comes");
    let head = [[0xff; 6], [2, 0, 0, 0, 0, 2]].concat();
    let question = [
        &head[..],
        &[8, 6, 0, 1, 8, 0, 6, 4, 0, 1],
        &[2, 0, 0, 0, 0, 2],
        &[10, 0, 0, 2],
        &[0; 6],
        &[10, 0, 0, 1],
    ]
    .concat();
    let asked: Vec<(u64, Vec<u8>)> = (1..30).map(|at| (at, question.clone())).collect();
    let quiet = trace_frames(&program, &[]);
    assert_eq!(quiet.len(), 8);
    assert_eq!(trace_frames(&program, &asked), quiet);
}
