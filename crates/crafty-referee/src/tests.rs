//! Each rule with a trace that breaks it, and one beside it that does not.
//!
//! ```text
//! > S 0:0 mss=1000 ws=2 sack ts=5,0    sent: flags, sequence numbers, acknowledgement if there is `.`, more
//! < S. 0:0 1                           heard
//! +200                                 this many milliseconds pass
//! mtu 600 / wants / crafted 50         as the calls are
//! ```
//! Sequence numbers count from the SYN of each end. A window is 65535 where none is given, and each
//! byte of data is 7; `bad` spoils the checksum.

use super::*;
use crafty_value::Duration;

const OPEN: &str = "> S 0:0 mss=2000\n< S. 0:0 1 mss=2000 win=1000\n> . 1:1 1\n";
const SCALED: &str = "> S 0:0 mss=1000 ws=2\n< S. 0:0 1 mss=1000 win=100 ws=3\n> . 1:1 1\n";
const STAMPED: &str =
    "> S 0:0 mss=1000 ts=100,0\n< S. 0:0 1 mss=1000 ts=500,100\n> . 1:1 1 ts=101,500\n";
const WIDE: &str = "> S 0:0 mss=1000\n< S. 0:0 1 mss=1000\n> . 1:1 1\n";

/// A rule (and others that fall with it), how the connection opens, what breaks it, and what does
/// not.
static ROWS: &[(&str, &str, &str, &str)] = &[
    (
        "beyond_window",
        OPEN,
        "> . 1:1002 1",
        "> . 1:1001 1\n> . 1001:1002 1",
    ),
    // A retransmission acknowledges, and offers what its window says: not what an older one said.
    (
        "beyond_window",
        OPEN,
        "< . 1:11 1 win=1000\n> . 1:501 11\n< . 1:11 501 win=600\n> . 501:1501 11",
        "< . 1:11 1 win=1000\n> . 1:501 11\n< . 1:11 501 win=600\n> . 501:1101 11",
    ),
    (
        "beyond_window skipped_bytes",
        OPEN,
        "> . 1:1001 1\n> . 1002:1002 1",
        "> . 1:1001 1\n> . 1001:1001 1",
    ),
    (
        "beyond_window",
        SCALED,
        "< . 1:1 1 win=100\n> . 1:802 1",
        "< . 1:1 1 win=100\n> . 1:801 1",
    ),
    (
        "fin_beyond_window",
        OPEN,
        "> F. 1:1001 1",
        "> . 1:1001 1\n> F. 1001:1001 1",
    ),
    (
        "skipped_bytes",
        OPEN,
        "> . 1:101 1\n> . 102:110 1",
        "> . 1:101 1\n> . 101:110 1\ncrafted 200\n> . 200:210 1",
    ),
    (
        "data_after_fin",
        OPEN,
        "> F. 1:11 1\n> . 12:20 1",
        "> F. 1:11 1\n> . 1:11 1",
    ),
    // Cut again, so that a piece before and a piece behind is the same.
    (
        "changed_data",
        OPEN,
        "> . 1:101 1\n> . 101:201 1 data=8\n+300\n> . 51:101 1\n> . 101:102 1",
        "> . 1:101 1\n> . 101:201 1 data=8\n+300\n> . 51:101 1\n> . 101:151 1 data=8\n< . 1:1 101\n> . 1:101 1 data=9",
    ),
    (
        "changed_fin",
        OPEN,
        "> F. 1:11 1\n> F. 1:5 1",
        "> F. 1:11 1\n> F. 11:11 1",
    ),
    (
        "window_back",
        OPEN,
        "> . 1:1 1 win=900\n> . 1:1 1 win=800",
        "< P. 1:101 1\n> . 1:1 101 win=65435",
    ),
    // Scaling alone may take back less than its unit.
    (
        "window_back",
        SCALED,
        "< P. 1:8 1\n> . 1:1 8 win=65532",
        "< P. 1:8 1\n> . 1:1 8 win=65533",
    ),
    (
        "acknowledgement_back",
        OPEN,
        "< P. 1:101 1\n> . 1:1 101 win=65435\n> . 1:1 51 win=65485",
        "< P. 1:101 1\n> . 1:1 51 win=65485\n> . 1:1 101 win=65435",
    ),
    (
        "acknowledgement_too_high",
        OPEN,
        "< P. 11:101 1\n> . 1:1 101",
        "< P. 1:101 1\n> . 1:1 101",
    ),
    (
        "acknowledgement_too_high",
        OPEN,
        "< P. 1:101 1 bad\n> . 1:1 101",
        "< P. 1:101 1 bad\n> . 1:1 1",
    ),
    (
        "sack_of_nothing",
        OPEN,
        "< P. 11:101 1\n> . 1:1 1 sack=11-102",
        "< P. 11:101 1\n> . 1:1 1 sack=11-101",
    ),
    (
        "sack_of_nothing",
        OPEN,
        "< P. 11:21 1\n< P. 31:41 1\n> . 1:1 1 sack=11-41",
        "< P. 11:21 1\n< P. 21:41 1\n> . 1:1 1 sack=11-41",
    ),
    (
        "stamp_back",
        STAMPED,
        "> . 1:11 1 ts=100,500",
        "> . 1:11 1 ts=101,500",
    ),
    (
        "stamp_echo",
        STAMPED,
        "> . 1:11 1 ts=101,501",
        "< . 1:1 1 ts=501,101\n> . 1:11 1 ts=101,501",
    ),
    ("stamp_missing", STAMPED, "> . 1:11 1", "> R. 1:1 1"),
    ("over_mss", WIDE, "> . 1:1002 1", "> . 1:1001 1"),
    (
        "over_mss",
        STAMPED,
        "> . 1:1001 1 ts=101,500",
        "> . 1:989 1 ts=101,500",
    ),
    (
        "over_path_mtu",
        WIDE,
        "> . 1:1001 1\nmtu 700\n+50\n> . 1:1001 1",
        "> . 1:1001 1\nmtu 700\n+5\n> P. 1001:2001 1\n+50\n> . 1:661 1\n< . 1:1 2001\n+300000\n> P. 2001:3001 1\n< . 1:1 3001",
    ),
    ("checksum", OPEN, "> . 1:11 1 bad", "> . 1:11 1"),
    (
        "silence",
        WIDE,
        "> P. 1:11 1\n+5000",
        "> P. 1:11 1\n+3000\n> P. 1:11 1\n+6000\n> P. 1:11 1\n< . 1:1 11\n+200000",
    ),
    // A closed window, and more to send: the last segment asked for no push.
    (
        "unprobed_window",
        WIDE,
        "> . 1:11 1\n< . 1:1 11 win=0\n+5000",
        "> P. 1:11 1\n< . 1:1 11 win=0\n+5000",
    ),
    (
        "silence",
        WIDE,
        "wants\n+5000",
        "wants\n+100\n> P. 1:11 1\n< . 1:1 11\n+100",
    ),
    // What the peer says beside does not excuse.
    (
        "silence",
        WIDE,
        "> P. 1:11 1\n+2500\n< P. 1:11 1\n> . 11:11 11\n+2500\n< P. 11:21 1\n> . 11:11 21\n+10",
        "> P. 1:11 1\n+2500\n< P. 1:11 11\n> . 11:11 11\n+2500\n< P. 11:21 11\n> . 11:11 21\n+10",
    ),
    // A SACK that comes late is a long round trip: the time-out follows it.
    (
        "silence",
        WIDE,
        "> . 1:101 1\n> P. 101:201 1\n+2500\n< . 1:1 1\n+100\n> . 1:101 1\n+15000",
        "> . 1:101 1\n> P. 101:201 1\n+2500\n< . 1:1 1 sack=101-201\n+100\n> . 1:101 1\n+15000\n> . 1:101 1\n< . 1:1 201",
    ),
    // The timer runs on while the peer says what else came: the back-off is counted from what was
    // sent, and no less is allowed than its double.
    (
        "silence",
        WIDE,
        "> P. 1:11 1\n+2900\n< . 1:1 1\n+100\n> P. 1:11 1\n+100\n< . 1:1 1\n+9100",
        "> P. 1:11 1\n+2900\n< . 1:1 1\n+100\n> P. 1:11 1\n+100\n< . 1:1 1\n+5900\n> P. 1:11 1\n< . 1:1 11",
    ),
    (
        "late_acknowledgement",
        OPEN,
        "< P. 1:11 1\n+700",
        "< P. 1:11 1\n+500\n> . 1:1 11\n+700",
    ),
    (
        "late_acknowledgement",
        OPEN,
        "< P. 1:11 1\n> . 1:1 11\n+1100\n< P. 1:11 1\n+700",
        "< P. 1:11 1\n> . 1:1 11\n+1100\n< P. 1:11 1\n> . 1:1 11\n< P. 1:11 1\n+700",
    ),
    // What must be asked back: a reset that is not where the next byte belongs, an acknowledgement of
    // what was never sent, a SYN. Behind a reset that is exact, or where held data ends, nobody answers.
    (
        "late_acknowledgement",
        OPEN,
        "< P. 1:11 1\n> . 1:1 11\n+1100\n< R 31:31\n+700",
        "< P. 1:11 1\n> . 1:1 11\n+1100\n< R 11:11\n+700",
    ),
    (
        "late_acknowledgement",
        OPEN,
        "< P. 1:11 1\n< P. 21:31 1\n> . 1:1 11\n+1100\n< R 30:30\n+700",
        "< P. 1:11 1\n< P. 21:31 1\n> . 1:1 11\n+1100\n< R 31:31\n+700",
    ),
    (
        "late_acknowledgement",
        OPEN,
        "< P. 1:11 1\n> . 1:1 11\n+1100\n< . 11:11 77\n+700",
        "< P. 1:11 1\n> . 1:1 11\n+1100\n< . 11:11 77\n> . 1:1 11\n+10\n< . 11:11 77\n+700",
    ),
    (
        "late_acknowledgement",
        OPEN,
        "< P. 1:11 1\n> . 1:1 11\n+1100\n< S 100:100\n+700",
        "< P. 1:11 1\n> . 1:1 11\n+1100\n< S 100:100\n> . 1:1 11\n+700",
    ),
    (
        "retransmission_storm",
        WIDE,
        "> P. 1:11 1\n+20\n> P. 1:11 1\n+20\n> P. 1:11 1\n+20\n> P. 1:11 1\n+20\n> P. 1:11 1\n< . 1:1 11",
        "> P. 1:11 1\n+20\n> P. 1:11 1\n+20\n> P. 1:11 1\n< . 1:1 1\n+20\n> P. 1:11 1\n+20\n> P. 1:11 1\n< . 1:1 11",
    ),
    (
        "no_backoff",
        WIDE,
        "> P. 1:11 1\n+200\n> P. 1:11 1\n+400\n> P. 1:11 1\n+800\n> P. 1:11 1\n+400\n> P. 1:11 1\n< . 1:1 11",
        "> P. 1:11 1\n+200\n> P. 1:11 1\n+400\n> P. 1:11 1\n+800\n> P. 1:11 1\n< . 1:1 1\n+200\n> P. 1:11 1\n+400\n> P. 1:11 1\n+800\n> P. 1:11 1\n< . 1:1 11",
    ),
    (
        "too_much_after_timeout",
        WIDE,
        "> . 1:1001 1\n+20\n< . 1:1 1001\n> . 1001:2001 1\n> P. 2001:3001 1\n+300\n> . 1001:2001 1\n> P. 3001:4001 1\n< . 1:1 4001",
        "> . 1:1001 1\n+20\n< . 1:1 1001\n> . 1001:2001 1\n> P. 2001:3001 1\n+300\n> . 1001:2001 1\n< . 1:1 2001\n> . 2001:3001 1\n> P. 3001:4001 1\n< . 1:1 4001",
    ),
    (
        "reset_instead_of_challenge",
        OPEN,
        "< P. 1:11 1\n> . 1:1 11\n< S 100:100\n> R. 1:1 101",
        "< P. 1:11 1\n> . 1:1 11\n< S 100:100\n> . 1:1 11\n+10\n> R. 1:1 11",
    ),
    (
        "reset_instead_of_challenge",
        OPEN,
        "> . 1:1 1\n< . 1:1 77\n> R 77:77",
        "> . 1:1 1\n< . 1:1 77\n> . 1:1 1",
    ),
];

const A: &str = "10.0.0.1:45000";
const B: &str = "10.0.0.2:80";
const ISN: [u32; 2] = [0xffff_ff00, 0x7fff_ffff];

/// Plays a trace; the rules that were broken, without order.
fn broken(text: &str, view: VantagePoint) -> Vec<&'static str> {
    let ends: (SocketAddr, SocketAddr) = (A.parse().unwrap(), B.parse().unwrap());
    let (mut referee, mut time) = (Referee::new(), Time(0));
    for (index, line) in text.lines().enumerate() {
        let about = DatagramContext {
            time,
            index: index as u64,
            sizes: true,
            checksums: true,
        };
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match word {
            ">" => referee.sent(about, &datagram(rest, 0), view),
            "<" => referee.heard(about, &datagram(rest, 1), view),
            "mtu" => referee.told_path_mtu(about, ends, rest.parse().unwrap()),
            "wants" => referee.wants(ends, true),
            "crafted" => referee.crafted(ends, ISN[0].wrapping_add(rest.parse().unwrap())),
            pass => time = time.after(Duration::millis(pass[1..].parse().unwrap())),
        }
    }
    referee.until(time);
    referee.faults().iter().map(|fault| fault.rule).collect()
}

/// A segment of an end in words, as the IP datagram that carries it.
fn datagram(line: &str, from: usize) -> Vec<u8> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let bit = |c| 1 << "FSRP.U".find(c).unwrap_or(7);
    let flags: u8 = words[0].chars().map(bit).sum();
    let pair = |text: &str, at| {
        let (a, b) = text.split_once(at).unwrap();
        (a.parse::<u32>().unwrap(), b.parse::<u32>().unwrap())
    };
    let (start, end) = pair(words[1], ':');
    let number = |n: u32, side: usize| ISN[side].wrapping_add(n).to_be_bytes();
    let ack = words.get(2).and_then(|word| word.parse::<u32>().ok());
    let value = |key: &str| {
        words
            .iter()
            .find_map(|word| word.strip_prefix(key)?.strip_prefix('='))
    };
    let mut options = Vec::new();
    if let Some(mss) = value("mss") {
        options.extend([&[2, 4][..], &mss.parse::<u16>().unwrap().to_be_bytes()].concat());
    }
    if let Some(shift) = value("ws") {
        options.extend([1, 3, 3, shift.parse().unwrap()]);
    }
    if let Some((stamp, echo)) = value("ts").map(|text| pair(text, ',')) {
        options.extend(
            [
                &[1, 1, 8, 10][..],
                &stamp.to_be_bytes(),
                &echo.to_be_bytes(),
            ]
            .concat(),
        );
    }
    if let Some((left, right)) = value("sack").map(|text| pair(text, '-')) {
        let edges = [number(left, 1 - from), number(right, 1 - from)].concat();
        options.extend([&[1, 1, 5, 10][..], &edges].concat());
    }
    let window = value("win").map_or(65535, |win| win.parse::<u16>().unwrap());
    let ports = [45000_u16.to_be_bytes(), 80_u16.to_be_bytes()];
    let mut tcp = [ports[from], ports[1 - from]].concat();
    tcp.extend(number(start, from));
    tcp.extend(ack.map_or([0; 4], |ack| number(ack, 1 - from)));
    tcp.extend([(20 + options.len() as u8) * 4, flags]);
    tcp.extend(window.to_be_bytes());
    tcp.extend([0; 4]);
    tcp.extend(options);
    let byte = value("data").map_or(7, |byte| byte.parse().unwrap());
    tcp.resize(tcp.len() + (end - start) as usize, byte);
    let total = (20 + tcp.len() as u16).to_be_bytes();
    let hosts = [[10, 0, 0, 1], [10, 0, 0, 2]];
    let head = [0x45, 0, total[0], total[1], 0, 0, 0x40, 0, 64, 6, 0, 0];
    let ip = [&head[..], &hosts[from], &hosts[1 - from]].concat();
    let sum = !ones_complement(&ip[12..], &tcp) ^ u16::from(words.contains(&"bad"));
    tcp[16..18].copy_from_slice(&sum.to_be_bytes());
    [ip, tcp].concat()
}

fn ones_complement(addresses: &[u8], tcp: &[u8]) -> u16 {
    let words = addresses.chunks(2).chain(tcp.chunks(2));
    let sum: u32 = words
        .map(|pair| u32::from(pair[0]) << 8 | u32::from(*pair.get(1).unwrap_or(&0)))
        .sum();
    let sum = sum + 6 + tcp.len() as u32;
    let sum = (sum & 0xffff) + (sum >> 16);
    ((sum & 0xffff) + (sum >> 16)) as u16
}

#[test]
fn each_rule_is_broken_by_its_trace_and_by_no_other() {
    let mut wrong = Vec::new();
    for (rule, open, breaks, holds) in ROWS {
        let mut found = broken(&[open, *breaks].concat(), VantagePoint::AtTheEnd);
        found.sort_unstable();
        let fine = broken(&[open, *holds].concat(), VantagePoint::AtTheEnd);
        if found.join(" ") != *rule || !fine.is_empty() {
            wrong.push(format!(
                "{rule}: {found:?} in\n{breaks}\n{fine:?} in\n{holds}\n"
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn each_rule_has_a_row() {
    let rows: Vec<&str> = ROWS
        .iter()
        .map(|row| row.0)
        .chain(["acknowledgement_storm"])
        .collect();
    for rule in rules() {
        assert!(rows.contains(&rule.name), "no trace breaks `{}`", rule.name);
        assert!(
            rule.doc.ends_with('.') && rule.source.starts_with("RFC "),
            "{}",
            rule.name
        );
    }
}

#[test]
fn empty_segments_that_answer_empty_segments_are_a_storm() {
    let answers = |every: u32, n: usize| {
        let one = format!("< . 1:1 1\n> . 1:1 1\n+{every}\n");
        broken(&[OPEN, &one.repeat(n)].concat(), VantagePoint::AtTheEnd)
    };
    assert_eq!(answers(1, 60), ["acknowledgement_storm"]);
    assert!(answers(50, 300).is_empty());
    // Data is answered one for one.
    let data: String = (0..200)
        .map(|n| format!("< P. {}:{} 1\n> . 1:1 {}\n", n + 1, n + 2, n + 2))
        .collect();
    assert!(broken(&[OPEN, &data].concat(), VantagePoint::AtTheEnd).is_empty());
}

/// From elsewhere, what was sent may come in another order, and what is heard may be lost behind.
#[test]
fn from_afar_only_what_holds_there_is_told() {
    let order = "> . 1:11 1 win=900\n> . 1:1 1 win=800\n> . 21:31 1\n+9000";
    assert!(broken(&[OPEN, order].concat(), VantagePoint::FromAfar).is_empty());
    assert!(broken(&[OPEN, "> . 1:1002 1 bad"].concat(), VantagePoint::FromAfar).is_empty());
    let told = broken(
        &[OPEN, "> . 1:1002 1\n> . 1:1 9"].concat(),
        VantagePoint::FromAfar,
    );
    assert_eq!(told, ["beyond_window", "acknowledgement_too_high"]);
}

/// Whoever answers a SYN before its own may speak for the connection before: its packets are older
/// than the trace.
#[test]
fn an_answer_from_time_wait_is_no_fault_from_afar() {
    let syn = "< S 0:0 mss=1000\n";
    let answer = "> . 9:9 700";
    assert_eq!(
        broken(&[syn, answer].concat(), VantagePoint::FromAfar),
        [""; 0]
    );
    let told = broken(&[OPEN, answer].concat(), VantagePoint::FromAfar);
    assert!(told.contains(&"acknowledgement_too_high"), "{told:?}");
}

/// What came in fragments is not put together: the end that heard it is judged no more, and that is
/// counted.
#[test]
fn fragments_end_the_verdict_and_are_counted() {
    let mut referee = Referee::new();
    let about = |index| DatagramContext {
        time: Time(0),
        index,
        sizes: true,
        checksums: true,
    };
    for (n, line) in OPEN.lines().enumerate() {
        let (from, rest) = line.split_at(1);
        let bytes = datagram(rest, usize::from(from == "<"));
        match from {
            ">" => referee.sent(about(n as u64), &bytes, VantagePoint::AtTheEnd),
            _ => referee.heard(about(n as u64), &bytes, VantagePoint::AtTheEnd),
        }
    }
    let mut piece = datagram("P. 1:101 1", 1);
    piece[6] = 0x20;
    referee.heard(about(5), &piece, VantagePoint::AtTheEnd);
    referee.sent(about(6), &datagram(". 1:1 101", 0), VantagePoint::AtTheEnd);
    assert_eq!((referee.faults(), referee.ignored()), (&[][..], 1));
}

/// A capture may lack packets: what is acknowledged without having passed is not a fault there, and
/// ends the verdict on both ends.
#[test]
fn what_a_capture_lacks_is_nobodys_fault() {
    let mut judged = Vec::new();
    for mut referee in [Referee::of_capture(), Referee::new()] {
        let lines = [OPEN, "> . 1:1 9\n> . 1:1002 9\n< . 9:9 1002"].concat();
        for (n, line) in lines.lines().enumerate() {
            let (from, rest) = line.split_at(1);
            let about = DatagramContext {
                time: Time(0),
                index: n as u64,
                sizes: true,
                checksums: true,
            };
            let bytes = datagram(rest, usize::from(from == "<"));
            referee.passed(
                about,
                &bytes,
                VantagePoint::FromAfar,
                VantagePoint::FromAfar,
            );
        }
        let faults = referee.faults().iter().map(|fault| fault.rule);
        judged.push((faults.collect::<Vec<_>>(), referee.ignored()));
    }
    let told = vec!["acknowledgement_too_high", "beyond_window"];
    assert_eq!(judged, [(vec![], 1), (told, 0)]);
}

#[test]
fn any_bytes_are_no_harm() {
    let mut seed = 1_u64;
    let mut dice = || {
        seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as u8
    };
    let mut referee = Referee::new();
    for n in 0..5_000 {
        let mut bytes = datagram("S. 0:9 1 mss=1000 ts=1,2 ws=3", n % 2);
        for _ in 0..dice() % 8 {
            let at = usize::from(dice()) % bytes.len();
            bytes[at] = dice();
        }
        bytes.truncate(usize::from(dice()) + 1);
        let about = DatagramContext {
            time: Time(n as i64 * 1000),
            index: n as u64,
            sizes: true,
            checksums: true,
        };
        referee.passed(
            about,
            &bytes,
            VantagePoint::AtTheEnd,
            VantagePoint::AtTheEnd,
        );
    }
}

#[test]
fn a_checksum_that_is_left_to_an_adapter_is_known() {
    let mut bytes = datagram("P. 1:101 1", 1);
    let pseudo = ones_complement(&bytes[12..20], &[]).wrapping_add(120);
    bytes[36..38].copy_from_slice(&pseudo.to_be_bytes());
    let mut about = DatagramContext {
        time: Time(0),
        index: 0,
        sizes: true,
        checksums: true,
    };
    let packet = ReferencedSegment::parse(&bytes, about).unwrap();
    assert!(packet.intact && !packet.sizes);
    bytes[36] ^= 1;
    let spoilt = ReferencedSegment::parse(&bytes, about).unwrap();
    about.checksums = false;
    let checked = ReferencedSegment::parse(&bytes, about).unwrap();
    assert!(!spoilt.intact && checked.intact && checked.sizes);
}
