//! Rules about what the stack fills in, and about what fails: each refuses its program; without the
//! rule the program is accepted, and tells two peers apart.

use crafty_lang::labels::{FlowRule, SendCertainty, infer};
use crafty_policy::ExfiltrationMode;
use crafty_testkit::{
    OTHER, Trace, accepted, arp_answer, datagram_from, run_frames, segment, segment_of, too_big,
    trace_frames,
};

/// A program that a rule refuses, and two peers that it would tell apart.
struct Needed {
    rule: FlowRule,
    mode: ExfiltrationMode,
    program: String,
    peers: [Vec<(u64, Vec<u8>)>; 2],
    /// Whether what the peer itself is sent may differ: answers do.
    told_to_others: bool,
}

const SYN_ACK: u8 = 0x12;
const ACK: u8 = 0x10;
const SYN: &str = "/IP(dst=10.0.0.2)/TCP(src=40000, dst=7, flags=syn, seq=1000)\nwait 10ms\n";

fn head(mode: ExfiltrationMode) -> String {
    format!(
        "BUDGET = {{ max_duration: 3s, max_packets: 300, max_packets_per_secs: 300 }}\nPERMISSIONS = {{ destinations: [10.0.0.0/29], powers: [tunnels], exfiltration: {} }}\nPORTS = {{ udp: [40000, 40001], tcp: [40000] }}\n",
        mode.name()
    )
}

fn on_datagrams(body: &str) -> String {
    format!("/IP!(dst=10.0.0.2)/UDP!(src=40000, dst=7) {{\n{body}\n}}\n")
}

fn payloads(payloads: [&[u8]; 2]) -> [Vec<(u64, Vec<u8>)>; 2] {
    payloads.map(|payload| vec![(2, datagram_from(7, payload))])
}

fn answers() -> [Vec<(u64, Vec<u8>)>; 2] {
    [5000, 6000].map(|seq| vec![(2, segment(seq, 1001, SYN_ACK, &[]))])
}

fn needed() -> Vec<Needed> {
    let tiny = format!("0.{}1", "0".repeat(307));
    let row = |rule, mode, program: String, peers| Needed {
        rule,
        mode,
        program,
        peers,
        told_to_others: false,
    };
    let others = |rule, program: String, peers| Needed {
        told_to_others: true,
        ..row(rule, ExfiltrationMode::False, program, peers)
    };
    vec![
        row(
            FlowRule::ChoiceHasPrice,
            ExfiltrationMode::False,
            on_datagrams(
                "loot = bytes(\"\")\nexpect timeout=20ms /IP!/UDP!/Bytes {\n  foreach i 0..39 { loot += byte(one_of(int(MATCH[Bytes].data[i]), [65, 66, 67])) }\n}\nBytes(loot)",
            ),
            payloads([&[b'A'; 40], &[b'B'; 40]]),
        ),
        row(
            FlowRule::TestHasPrice,
            ExfiltrationMode::False,
            on_datagrams(
                "foreach k 0..99 every=1ms {\n  expect timeout=1ms /IP!/UDP!/Bytes(data[0:1] == byte(k)) { Bytes(\"that one\") }\n}",
            ),
            payloads([&[5], &[50]]),
        ),
        row(
            FlowRule::AutoTells,
            ExfiltrationMode::None,
            format!(
                "{SYN}/IP(dst=10.0.0.2)/TCP(src=40000, dst=7, flags=ack, seq=auto, ack=auto)\n"
            ),
            answers(),
        ),
        others(
            FlowRule::ChecksumTellsAuto,
            format!(
                "{SYN}p = /IP(dst=10.0.0.2)/TCP(src=40000, dst=7, flags=ack, seq=auto, ack=auto)\n/IP(dst=10.0.0.3)/UDP(src=40001, dst=9)/Bytes(bytes(p[TCP].checksum, 2))\n"
            ),
            answers(),
        ),
        others(
            FlowRule::AutoStaysHome,
            format!(
                "{SYN}/IP(dst=10.0.0.3)/IP(dst=10.0.0.2)/TCP(src=40000, dst=7, flags=ack, seq=auto, ack=auto)\n"
            ),
            answers(),
        ),
        row(
            FlowRule::NeighbourTells,
            ExfiltrationMode::None,
            "x = 1\nx += 3\n/IP(dst=10.0.0.0 + x)/UDP(src=40001, dst=9)/Bytes(\"x\")\nwait 100ms\n"
                .into(),
            [vec![(2, arp_answer([10, 0, 0, 4]))], vec![]],
        ),
        row(
            FlowRule::FloatsOverflow,
            ExfiltrationMode::False,
            on_datagrams(&format!(
                "x = 0\non /IP!/UDP!/Bytes {{ x := int(MATCH[Bytes].data[0]) }}\nwait 10ms\nw = float(x) / {tiny}\nBytes(\"still here\")"
            )),
            payloads([&[1], &[200]]),
        ),
        row(
            FlowRule::GrowthMayFail,
            ExfiltrationMode::False,
            on_datagrams(
                "x = 0\non /IP!/UDP!/Bytes { x := int(MATCH[Bytes].data[0]) }\nwait 10ms\ng = (#00 * 3000) * min(max(x, 0), 255)\nBytes(byte(length([g + g])))",
            ),
            payloads([&[1], &[250]]),
        ),
        others(
            FlowRule::ServersAnswer,
            "/IP!/UDP!(src=40000) {\n  on linger=20ms /IP!/UDP!/Bytes { IP(dst=10.0.0.3)/UDP/Bytes(\"x\") }\n}\n"
                .into(),
            [7, 77].map(|port| vec![(2, datagram_from(port, b"secret in my port"))]),
        ),
        others(
            FlowRule::VariableHeaderTells,
            "/IP!(dst=10.0.0.2) {\n  on linger=20ms /IP!/TCP(dst == 40000)/Bytes { /IP(dst=10.0.0.3)/UDP(src=40001, dst=9)/Bytes(#00 * length(MATCH[Bytes].data)) }\n}\n"
                .into(),
            [
                vec![(2, segment_of(1, 1, ACK, 99, &[1; 4], &[7; 4]))],
                vec![(2, segment_of(1, 1, ACK, 99, &[], &[7; 8]))],
            ],
        ),
    ]
}

/// Rules that have their witness here.
pub fn rules() -> Vec<FlowRule> {
    let here = needed().into_iter().map(|needed| needed.rule);
    here.chain([FlowRule::ComputingTells]).collect()
}

fn to_others(trace: Trace) -> Trace {
    trace
        .into_iter()
        .filter(|(_, frame)| frame[30..34] == OTHER.octets())
        .collect()
}

#[test]
fn each_rule_about_the_stack_is_needed() {
    for needed in needed() {
        let source = format!("{}{}", head(needed.mode), needed.program);
        assert!(
            accepted(&source, needed.mode, None).is_none(),
            "{:?} does not refuse:\n{source}",
            needed.rule
        );
        let program = accepted(&source, needed.mode, Some(needed.rule))
            .unwrap_or_else(|| panic!("without {:?} still refused:\n{source}", needed.rule));
        let [first, second] = needed.peers.map(|frames| {
            let trace = trace_frames(&program, &frames);
            match needed.told_to_others {
                true => to_others(trace),
                false => trace,
            }
        });
        assert_ne!(first, second, "{:?} hides nothing:\n{source}", needed.rule);
    }
}

/// What computing tells is an event: a send behind it counts as a reaction. What only prints stays
/// free.
#[test]
fn computing_time_counts_as_an_event() {
    let sites = |body: &str| {
        let source = format!(
            "{}x = 0\n{}",
            head(ExfiltrationMode::False),
            on_datagrams(&format!(
                "on /IP!/UDP!/Bytes {{\n  {body}\n}}\nwait 10ms\nBytes(\"later\")"
            ))
        );
        let program = accepted(&source, ExfiltrationMode::False, None)
            .unwrap_or_else(|| panic!("refused: {:#?}", crafty_lang::judge::whole(&source).1));
        let labels = infer(&program, ExfiltrationMode::False, SendCertainty::Certain);
        labels.sites.iter().filter(|site| site.reacts()).count()
    };
    assert_eq!(
        sites(
            "foreach i 1..255 { if i <= int(MATCH[Bytes].data[0]) { foreach k 1..3000 { x := k } } }"
        ),
        1
    );
    assert_eq!(
        sites("repeat count=min(int(MATCH[Bytes].data[0]), 200) { x += 1 }"),
        1
    );
    assert_eq!(
        sites(
            "foreach i 1..255 { if i <= int(MATCH[Bytes].data[0]) { foreach k 1..9 { print(k) } } }"
        ),
        0
    );
    assert_eq!(sites("foreach k 1..3000 { x := k }"), 0);
}

/// Under `none` a program's time is its schedule, however long its handlers take: it reads the same
/// clock and sends the same frames, or ends.
#[test]
fn under_none_reactions_move_no_clock() {
    let program = |wait: &str| {
        let source = format!(
            "{}x = 0\n{}",
            head(ExfiltrationMode::None),
            on_datagrams(&format!(
                "on /IP!/UDP!/Bytes {{ foreach i 1..250 {{ if i <= int(MATCH[Bytes].data[0]) {{ x := i }} }} }}\nrepeat count=3 every=20ms {{\n  t = now()\n  wait {wait}\n  wait 1ns\n  Bytes(\"took ${{now() - t}}\")\n}}"
            ))
        );
        accepted(&source, ExfiltrationMode::None, None)
            .expect("nothing in it depends on what arrives")
    };
    let asked = vec![(3, datagram_from(7, &[200]))];
    let calm = run_frames(&program("10ms"), &[], 0);
    assert_eq!(calm.frames.len(), 3);
    // Busy while the program waits: nothing is late.
    assert_eq!(run_frames(&program("10ms"), &asked, 5), calm);
    // Busy beyond the moment of a send: it is not made, and the run ends.
    let late = run_frames(&program("10ms"), &asked, 12);
    assert_eq!(
        (late.frames.len(), late.end.map(|(status, _)| status)),
        (0, Some(1))
    );
    // A little late is not distinguished.
    let close = run_frames(&program("10ms"), &[(10, datagram_from(7, &[200]))], 1);
    assert_eq!(close.frames.len(), 3);
    let payload = |run: &crafty_testkit::TwinRun| {
        run.frames
            .iter()
            .map(|(_, f)| f[42..].to_vec())
            .collect::<Vec<_>>()
    };
    assert_eq!(payload(&close), payload(&calm));
}

/// Under `none` what a router says of the path changes no frame.
#[test]
fn under_none_the_path_stays_as_it_is() {
    let source = format!(
        "{}{}",
        head(ExfiltrationMode::None),
        on_datagrams("repeat count=3 every=10ms { Bytes(#00 * 1400) }")
    );
    let program = accepted(&source, ExfiltrationMode::None, None)
        .expect("nothing in it depends on what arrives");
    let quiet = run_frames(&program, &[], 0);
    let first = &quiet.frames[0].1;
    let told = vec![(5, too_big(600, &first[14..42]))];
    assert_eq!(run_frames(&program, &told, 0), quiet);
    let reacting = source.replace("exfiltration: none", "exfiltration: false");
    let program = accepted(&reacting, ExfiltrationMode::False, None).expect("the same program");
    assert!(run_frames(&program, &told, 0).frames.len() > quiet.frames.len());
}

/// Where `max_leak_bits` is declared, what content chose leaves so much less for reactions, during
/// the run.
#[test]
fn choices_and_reactions_share_the_declared_bits() {
    let source = head(ExfiltrationMode::False).replace("exfiltration: false", "max_leak_bits: 20")
        + "x = 0\n"
        + &on_datagrams(
            "on count=4 /IP!/UDP!/Bytes { x := choose(int(MATCH[Bytes].data[0]), [1, 2, 3]) }\nwait 10ms\nif x > 0 { Bytes(\"x\") }",
        );
    let program = accepted(&source, ExfiltrationMode::False, None).expect("four choices of three");
    let sent = |datagrams: u64| {
        let frames: Vec<(u64, Vec<u8>)> = (1..=datagrams)
            .map(|at| (at, datagram_from(7, &[2])))
            .collect();
        trace_frames(&program, &frames).len()
    };
    // One of 10,000 slots is 14 bits; a choice of three is 1.6.
    assert_eq!([sent(0), sent(2), sent(4)], [0, 1, 0]);
}
