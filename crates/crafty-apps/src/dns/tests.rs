//! Questions that are asked, answered, refused and lied about.

use super::*;

fn ask(name: &str) -> DnsRequest {
    DnsRequest {
        name: name.into(),
        kind: 1,
        id: 700,
        recursion: true,
        edns: 0,
        timeout: Duration::seconds(1),
        tries: 3,
    }
}

fn client() -> DnsClient {
    DnsClient::new(ask("www.Example.com."), false).expect("a name")
}

/// The question of a message answered with this: id, second byte of flags, rcode, records with
/// their number.
fn answer(question: &[u8], flags: u8, code: u8, count: u8, records: &[u8]) -> Vec<u8> {
    let end = HEADER
        + question[HEADER..]
            .iter()
            .position(|o| *o == 0)
            .expect("a name")
        + 5;
    let head = [
        question[0],
        question[1],
        flags,
        code,
        0,
        1,
        0,
        count,
        0,
        0,
        0,
        0,
    ];
    [
        &head[..],
        &question[HEADER..end].to_ascii_uppercase(),
        records,
    ]
    .concat()
}

const RECORD: &[u8] = &[0xc0, 12, 0, 1, 0, 1, 0, 0, 1, 0x2c, 0, 4, 192, 0, 2, 80];

#[test]
fn it_asks_again_and_counts_from_the_try_that_was_answered() {
    let mut client = client();
    let at = |n: i64| Time(0).after(Duration::millis(n));
    client.handle_up(at(0));
    let first = client.poll_transmit().expect("a question");
    assert_eq!(client.poll_timeout(), Some(at(1000)));
    client.handle_timeout(at(999)).expect("not yet");
    assert!(client.poll_transmit().is_none());
    client.handle_timeout(at(1000)).expect("again");
    let second = client.poll_transmit().expect("again");
    assert_eq!((second[1], &second[2..]), (first[1] + 1, &first[2..]));
    client
        .handle_datagram(at(1030), &answer(&first, 0x84, 0x80, 1, RECORD))
        .expect("an answer");
    assert!(client.is_done() && client.poll_timeout().is_none());
    let told = [
        "rcode",
        "authoritative",
        "truncated",
        "recursion",
        "ttl",
        "rtt",
        "tries",
        "addresses",
        "answers",
    ]
    .map(|name| client.counter(name).unwrap_or(Value::Nothing));
    let address = Value::array(vec![Value::Ip(IpAddr::from([192, 0, 2, 80]))]);
    let line = Value::array(vec![Value::text("WWW.EXAMPLE.COM 300 a 192.0.2.80")]);
    let numbers = [
        Value::Int(0),
        Value::Bool(true),
        Value::Bool(false),
        Value::Bool(true),
        Value::Int(300),
    ];
    assert_eq!(told[..5], numbers);
    assert_eq!(
        told[5..],
        [
            Value::Duration(Duration::millis(1030)),
            Value::Int(2),
            address,
            line
        ]
    );
}

#[test]
fn it_gives_up_after_its_tries() {
    let mut client = client();
    client.handle_up(Time(0));
    for n in 1..3 {
        client
            .handle_timeout(Time(0).after(Duration::seconds(n)))
            .expect("again");
    }
    let failed = client
        .handle_timeout(Time(0).after(Duration::seconds(3)))
        .expect_err("no more");
    assert_eq!(
        (failed.cause, client.outgoing.len()),
        (FailureCause::Timeout, 3)
    );
}

#[test]
fn what_does_not_fit_the_question_is_passed_over() {
    let mut client = client();
    client.handle_up(Time(0));
    let question = client.poll_transmit().expect("a question");
    let good = answer(&question, 0x80, 0, 0, &[]);
    let rows: &[(&str, Vec<u8>)] = &[
        ("another number", [&[0, 0], &good[2..]].concat()),
        ("a question", [&good[..2], &[0], &good[3..]].concat()),
        ("another name", {
            let mut m = good.clone();
            m[HEADER + 1] ^= 1;
            m
        }),
        (
            "no question",
            [&good[..4], &[0, 0], &good[6..HEADER]].concat(),
        ),
        ("half a header", good[..7].to_vec()),
        ("nothing", Vec::new()),
    ];
    for (what, message) in rows {
        client
            .handle_datagram(Time(0), message)
            .unwrap_or_else(|e| panic!("{what}: {e}"));
        assert!(!client.is_done(), "{what}");
    }
    client.handle_datagram(Time(0), &good).expect("the answer");
    assert!(client.is_done());
}

#[test]
fn what_lies_is_told() {
    let looped = [0xc0, 29, 0, 1, 0, 1, 0, 0, 0, 1, 0, 200, 1];
    let rows: &[(u8, u8, &[u8], FailureCause)] = &[
        (0x80, 1, &[], FailureCause::Malformed),
        (0x80, 9, RECORD, FailureCause::Malformed),
        (0x80, 1, &looped, FailureCause::Malformed),
        (0x82, 0, &[], FailureCause::Truncated),
    ];
    for (flags, count, records, cause) in rows {
        let mut client = client();
        client.handle_up(Time(0));
        let question = client.poll_transmit().expect("a question");
        let failed = client
            .handle_datagram(Time(0), &answer(&question, *flags, 0, *count, records))
            .expect_err("a lie");
        assert_eq!(failed.cause, *cause, "{failed}");
    }
}

#[test]
fn a_stream_carries_lengths() {
    let mut client = DnsClient::new(ask("a.example"), true).expect("a name");
    client.handle_up(Time(0));
    let sent = client.poll_transmit().expect("a question");
    assert_eq!(
        usize::from(u16::from_be_bytes([sent[0], sent[1]])),
        sent.len() - 2
    );
    // A stream has room for all: a server that cuts there has its reasons.
    let message = answer(&sent[2..], 0x82, 3, 0, &[]);
    let octets = [&(message.len() as u16).to_be_bytes()[..], &message, b"more"].concat();
    for octet in &octets[..octets.len() - 5] {
        assert_eq!(client.handle_data(Time(5), &[*octet]).expect("part"), b"");
    }
    assert_eq!(
        client
            .handle_data(Time(5), &octets[octets.len() - 5..])
            .expect("the rest"),
        b"more"
    );
    assert_eq!(
        (client.counter("rcode"), client.counter("truncated")),
        (Some(Value::Int(3)), Some(Value::Bool(true)))
    );
}

#[test]
fn names_that_cannot_be_asked_for() {
    for name in ["", "a..b", &"x".repeat(64), &"abcdefg.".repeat(40)] {
        assert_eq!(
            DnsClient::new(ask(name), false).expect_err(name).cause,
            FailureCause::Unsayable
        );
    }
    assert_eq!(
        reverse_name(IpAddr::from([192, 0, 2, 80])),
        "80.2.0.192.in-addr.arpa"
    );
    for name in [".", "example.com", "example.com.", "_dmarc.example.com"] {
        DnsClient::new(ask(name), false).unwrap_or_else(|e| panic!("{e}"));
    }
}

#[test]
fn no_bytes_upset_it() {
    let mut seed = 1_u64;
    let mut draw = || {
        seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as u8
    };
    for _ in 0..20_000 {
        let mut client = client();
        client.handle_up(Time(0));
        let question = client.poll_transmit().expect("a question");
        let mut message = answer(&question, 0x80, 0, draw() % 4, RECORD);
        for _ in 0..draw() % 6 {
            let at = usize::from(draw()) % message.len();
            message[at] = draw();
        }
        message.truncate(usize::from(draw()).max(1));
        let _ = client.handle_datagram(Time(0), &message);
        COUNTERS.iter().for_each(|c| drop(client.counter(c.name)));
    }
}
