//! Streams in all kinds of disorder: what is reported about each packet.

use crate::{
    DatagramAssembler, Followed, Follower, InitialOpener, MAX_BYTES, MAX_CONNECTIONS, MAX_FLOWS,
};
use crafty_wire::{Decoded, FieldValue, Header, decode, encode, layer};

mod content;

const CLIENT: (u32, u16) = (0x0a00_0001, 50_000);
const FIN: u64 = 1;
const SYN: u64 = 2;
const RST: u64 = 4;
const ACK: u64 = 16;

fn header(name: &str, fields: &[(&str, u64)]) -> Header {
    let mut header = Header::new(layer(name).expect("a layer"));
    for (field, value) in fields {
        header = header
            .with(field, FieldValue::Uint(*value))
            .expect("a number that fits");
    }
    header
}

fn frame(
    source: (u32, u16),
    destination: (u32, u16),
    seq: u32,
    ack: Option<u32>,
    flags: u64,
    data: &[u8],
) -> Vec<u8> {
    let ack = (
        u64::from(ack.unwrap_or(0)),
        if ack.is_some() { ACK } else { 0 },
    );
    let ip = header(
        "IP",
        &[("src", source.0.into()), ("dst", destination.0.into())],
    );
    let ports = [("src", source.1.into()), ("dst", destination.1.into())];
    let tcp = header(
        "TCP",
        &[
            &ports[..],
            &[
                ("seq", seq.into()),
                ("ack", ack.0),
                ("flags", flags | ack.1),
            ],
        ]
        .concat(),
    );
    let bytes = Header::new(layer("Bytes").expect("a layer"))
        .with("data", FieldValue::Bytes(data.to_vec()))
        .expect("bytes");
    let mut octets = Vec::new();
    encode(
        &if data.is_empty() {
            vec![ip, tcp]
        } else {
            vec![ip, tcp, bytes]
        },
        &mut octets,
    );
    octets
}

/// A capture of one connection, as it is made up.
struct Capture {
    follower: Follower,
    port: u16,
    index: u64,
    /// Bytes of each frame that the capture keeps.
    snap: usize,
}

/// The first sequence numbers of both sides, near the end of the circle.
const OURS: u32 = u32::MAX - 4;
const THEIRS: u32 = 1000;

impl Capture {
    fn of(port: u16) -> Capture {
        Capture {
            follower: Follower::new(),
            port,
            index: 0,
            snap: usize::MAX,
        }
    }

    /// One that saw the opening.
    fn opened(port: u16) -> Capture {
        let mut capture = Capture::of(port);
        assert_eq!(capture.client(0, SYN, None, b""), "");
        assert_eq!(capture.server(0, SYN, Some(0), b""), "");
        capture
    }

    /// A segment of the client from this place on: place 0 is the SYN, 1 the first byte.
    fn client(&mut self, place: u32, flags: u64, ack: Option<u32>, data: &[u8]) -> String {
        let server = (0x0a00_0002, self.port);
        self.take(&frame(
            CLIENT,
            server,
            OURS.wrapping_add(place),
            ack.map(|ack| THEIRS + ack),
            flags,
            data,
        ))
    }

    fn server(&mut self, place: u32, flags: u64, ack: Option<u32>, data: &[u8]) -> String {
        let server = (0x0a00_0002, self.port);
        self.take(&frame(
            server,
            CLIENT,
            THEIRS.wrapping_add(place),
            ack.map(|ack| OURS.wrapping_add(ack)),
            flags,
            data,
        ))
    }

    fn take(&mut self, octets: &[u8]) -> String {
        self.index += 1;
        let mut decoded = Decoded::new();
        decode(
            layer("IP").expect("a layer"),
            &octets[..octets.len().min(self.snap)],
            octets.len(),
            &mut decoded,
        );
        let kept = &octets[..octets.len().min(self.snap)];
        self.follower
            .packet(self.index, kept, &decoded)
            .map_or_else(String::new, |followed| shown(&followed))
    }
}

/// All that is reported, in a line.
fn shown(followed: &Followed) -> String {
    let message = |m: &crate::StreamMessage| {
        let length = m
            .length
            .map_or("to the end".to_string(), |length| length.to_string());
        format!("{} {length} of {:?}", m.layer.name, m.packets)
    };
    let mut all: Vec<String> = followed.messages.iter().map(message).collect();
    all.extend(followed.warnings.iter().map(ToString::to_string));
    all.extend(
        followed
            .part
            .iter()
            .map(|part| part.to_string().replacen("part of a ", "", 1)),
    );
    let by_content = followed.by_content && !followed.messages.is_empty();
    all.extend(by_content.then(|| "by content".to_string()));
    all.extend(followed.alone.then(|| "alone".to_string()));
    all.join("; ")
}

/// A record of TLS with so many bytes.
fn record(octets: usize) -> Vec<u8> {
    [
        &[23, 3, 3, (octets >> 8) as u8, octets as u8][..],
        &vec![7; octets],
    ]
    .concat()
}

#[test]
fn messages_in_order() {
    let mut capture = Capture::opened(443);
    let three = [record(5), record(5), record(300)].concat();
    assert_eq!(
        capture.client(1, 0, Some(1), &three[..10]),
        "TLS 10 of [3]; alone"
    );
    assert_eq!(
        capture.client(11, 0, Some(1), &three[10..23]),
        "TLS 10 of [4]; message of TLS that begins in packet 4: 3 bytes"
    );
    assert_eq!(
        capture.client(24, 0, Some(1), &three[23..100]),
        "message of TLS that begins in packet 4: 80 of 305 bytes"
    );
    assert_eq!(capture.server(1, 0, Some(101), b""), "");
    assert_eq!(
        capture.client(101, 0, Some(1), &three[100..]),
        "TLS 305 of [4, 5, 7]"
    );
    assert_eq!(
        capture.server(1, 0, Some(326), &three[..20]),
        "TLS 10 of [8]; TLS 10 of [8]; alone"
    );
    assert_eq!(capture.follower.unfinished(), 0);
}

#[test]
fn segments_in_disorder() {
    let mut capture = Capture::opened(443);
    let one = record(295);
    assert_eq!(
        capture.client(101, 0, None, &one[100..200]),
        "early: 100 bytes before it are still missing"
    );
    assert_eq!(
        capture.client(201, FIN, None, &one[200..]),
        "early: 100 bytes before it are still missing"
    );
    assert_eq!(
        capture.client(51, 0, None, &one[50..150]),
        "early: 50 bytes before it are still missing"
    );
    assert_eq!(
        capture.client(1, 0, None, &one[..60]),
        "TLS 300 of [3, 4, 5, 6]"
    );
    assert_eq!(
        capture.client(1, 0, None, &one[..60]),
        "these bytes were seen before"
    );
}

#[test]
fn what_differs_gets_a_warning_and_the_first_counts() {
    let mut capture = Capture::opened(443);
    let (one, mut other) = (record(95), record(95));
    other[10..20].fill(9);
    assert_eq!(
        capture.client(51, 0, None, &one[50..]),
        "early: 50 bytes before it are still missing"
    );
    other[60..65].fill(9);
    assert_eq!(
        capture.client(41, 0, None, &other[40..80]),
        "5 bytes differ from those seen before at the same position; early: 40 bytes before it are still missing"
    );
    assert_eq!(
        capture.client(1, 0, None, &one[..40]),
        "TLS 100 of [3, 4, 5]"
    );
    assert_eq!(
        capture.client(1, 0, None, &other),
        "15 bytes differ from those seen before at the same position; these bytes were seen before"
    );
}

#[test]
fn gaps_and_how_it_goes_on() {
    let mut capture = Capture::opened(443);
    let all = [record(295), record(95), record(5)].concat();
    let began = "message of TLS that begins in packet 3: 100";
    assert_eq!(
        capture.client(1, 0, None, &all[..100]),
        format!("{began} of 300 bytes")
    );
    assert_eq!(
        capture.client(201, 0, None, &all[200..250]),
        "early: 100 bytes before it are still missing; ".to_string() + began + " of 300 bytes"
    );
    // The peer has what was never seen here.
    assert_eq!(capture.server(1, 0, Some(251), b""), "");
    assert_eq!(
        capture.client(251, 0, None, &all[250..350]),
        format!(
            "100 bytes before it were not seen; part of a {began} of 300 bytes never ends; message of TLS that begins in packet 6: 50 of 100 bytes"
        )
    );
    assert_eq!(
        capture.client(351, 0, None, &all[350..]),
        "TLS 100 of [6, 7]; TLS 10 of [7]"
    );
    // A gap of which no end is known: it continues where a segment looks like a message.
    assert_eq!(capture.server(1, 0, Some(900), b""), "");
    let lost = "the start of a message is unknown";
    assert_eq!(
        capture.client(900, 0, None, b"abc"),
        format!("489 bytes before it were not seen; {lost}")
    );
    assert_eq!(capture.client(903, 0, None, b"abc"), lost);
    assert_eq!(capture.client(906, 0, None, &record(5)), "TLS 10 of [11]");
    assert_eq!(
        capture.client(916, 0, None, &record(5)),
        "TLS 10 of [12]; alone"
    );
}

#[test]
fn joined_in_the_middle() {
    let mut capture = Capture::of(53);
    let message = [&[0, 12, 0, 7, 1, 0], &[0_u8; 8][..]].concat();
    let lost = "the start of a message is unknown";
    assert_eq!(capture.client(500, 0, None, &message[..13]), lost);
    assert_eq!(capture.client(513, 0, None, &message[..1]), lost);
    assert_eq!(
        capture.client(514, 0, None, &[message.clone(), message.clone()].concat()),
        "DNSTCP 14 of [3]; DNSTCP 14 of [3]"
    );
    assert_eq!(
        capture.client(480, 0, None, &[0; 20]),
        "these bytes were seen before"
    );
    assert_eq!(
        capture.client(542, 0, None, &message),
        "DNSTCP 14 of [5]; alone"
    );
    assert_eq!(
        capture.client(0x7000_0000, 0, None, b"far away"),
        "its sequence number is far outside the stream"
    );
}

#[test]
fn talks_of_http() {
    let mut capture = Capture::opened(80);
    let head: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n";
    let ask = |method: &str| format!("{method} / HTTP/1.1\r\nHost: a\r\n\r\n").into_bytes();
    assert_eq!(
        capture.client(1, 0, None, &[ask("HEAD"), ask("GET")].concat()),
        "HTTP 28 of [3]; HTTP 27 of [3]"
    );
    assert_eq!(
        capture.server(1, 0, None, b"HTTP/1.1 103 Early Hints\r\n\r\n"),
        "HTTP 28 of [4]; alone"
    );
    assert_eq!(capture.server(29, 0, None, head), "HTTP 38 of [5]; alone");
    assert_eq!(
        capture.server(67, 0, None, head),
        "message of HTTP that begins in packet 6: 38 of 43 bytes"
    );
    assert_eq!(capture.server(105, 0, None, b"hello"), "HTTP 43 of [6, 7]");
    assert_eq!(
        capture.client(56, 0, None, &ask("HEAD")),
        "HTTP 28 of [8]; alone"
    );
    assert_eq!(capture.server(110, 0, None, head), "HTTP 38 of [9]; alone");
    assert_eq!(
        capture.client(84, 0, None, &ask("GET")),
        "HTTP 27 of [10]; alone"
    );
    assert_eq!(
        capture.server(148, 0, None, b"HTTP/1.0 200 OK\r\n\r\nto the"),
        "message of HTTP that begins in packet 11: 25 bytes"
    );
    assert_eq!(
        capture.server(173, FIN, None, b" end"),
        "HTTP to the end of [11, 12]"
    );
    assert_eq!(
        capture.client(111, 0, None, b"GET / HT"),
        "message of HTTP that begins in packet 13: 8 bytes"
    );
    assert_eq!(
        capture.client(119, RST, None, b""),
        "part of a message of HTTP that begins in packet 13: 8 bytes never ends"
    );
}

#[test]
fn long_messages_are_told_by_their_beginning() {
    let mut capture = Capture::opened(80);
    let mut place = 1;
    let mut said = vec![capture.server(
        1,
        0,
        None,
        b"HTTP/1.1 200 OK\r\nContent-Length: 3000000\r\n\r\n",
    )];
    for _ in 0..3000 {
        said.push(capture.server(place + 44, 0, None, &[b'x'; 1000]));
        place += 1000;
    }
    said.push(capture.server(place + 44, 0, None, b"HTTP/1.1 204 No Content\r\n\r\n"));
    let told: Vec<&String> = said
        .iter()
        .filter(|line| !line.starts_with("message of HTTP"))
        .collect();
    let [long, short] = told[..] else {
        panic!("{told:#?}")
    };
    assert!(
        long.starts_with("HTTP 3000044 of [3, 4, 5") && long.ends_with("1049044 of 3000044 bytes"),
        "{long}"
    );
    assert_eq!(short, "HTTP 27 of [3004]; alone");
    assert!(capture.follower.held() < 2 << 20);
}

#[test]
fn ports_of_others() {
    let mut capture = Capture::opened(8000);
    assert_eq!(capture.client(1, 0, None, b"GET / HTTP\r\n\r\n"), "");
    let mut capture = Capture::of(8000);
    assert!(capture.follower.ask(8000, layer("HTTP").expect("a layer")));
    assert!(!capture.follower.ask(8000, layer("NTP").expect("a layer")));
    assert_eq!(capture.client(0, SYN, None, b""), "");
    assert_eq!(
        capture.client(1, 0, None, b"GET / HTTP/1.1\r\n\r\n"),
        "HTTP 18 of [2]"
    );
    let mut capture = Capture::opened(443);
    assert_eq!(
        capture.client(1, 0, None, b"SSH-2.0-x\r\n"),
        "not TLS, despite its port"
    );
    assert_eq!(
        capture.client(12, 0, None, b"more"),
        "the start of a message is unknown"
    );
    // The same ports again: a connection of its own.
    assert_eq!(capture.client(5000, SYN, None, b""), "");
    assert_eq!(
        capture.client(5001, 0, None, &record(5)),
        "TLS 10 of [6]; alone"
    );
}

#[test]
fn cut_captures() {
    let mut capture = Capture::opened(443);
    capture.snap = 60;
    let missing = "40 bytes before it were not seen";
    assert_eq!(
        capture.client(1, 0, None, &record(55)),
        format!(
            "{missing}; part of a message of TLS that begins in packet 3: 20 of 60 bytes never ends"
        )
    );
    capture.snap = 10_000;
    assert_eq!(
        capture.client(61, 0, None, &record(55)),
        "TLS 60 of [4]; alone"
    );
}

/// Dice of the tests' own: the same every time.
fn dice(state: &mut u64) -> u64 {
    *state = state
        .wrapping_mul(6_364_136_223_846_793_005)
        .wrapping_add(1_442_695_040_888_963_407);
    *state >> 33
}

#[test]
fn whatever_comes_memory_has_a_bound() {
    let mut follower = Follower::new();
    let mut state = 1;
    let mut decoded = Decoded::new();
    for index in 0..20_000 {
        let mut roll = |end: u64| dice(&mut state) % end;
        let port = [80, 443, 53, 179, 5060][roll(5) as usize];
        let client = (CLIENT.0, 1024 + roll(6000) as u16);
        let data: Vec<u8> = match roll(4) {
            0 => record(roll(2000) as usize),
            1 => b"GET / HTTP/1.1\r\nContent-Length: 9999999\r\n\r\n".to_vec(),
            2 => [&[0, 200, 0, 7][..], &vec![0; roll(1400) as usize]].concat(),
            _ => (0..roll(1400)).map(|n| n as u8).collect(),
        };
        let (seq, ack, flags) = (
            roll(1 << 20) as u32,
            roll(1 << 20) as u32,
            [0, SYN, FIN, RST, 0, 0, 0, 0, 0, 0][roll(10) as usize],
        );
        let (source, destination) = if roll(2) == 0 {
            (client, (7, port))
        } else {
            ((7, port), client)
        };
        let octets = frame(source, destination, seq, Some(ack), flags, &data);
        decode(
            layer("IP").expect("a layer"),
            &octets,
            octets.len(),
            &mut decoded,
        );
        let _ = follower.packet(index, &octets, &decoded);
        assert!(follower.flows() <= MAX_FLOWS && follower.held() <= MAX_BYTES);
    }
    assert!(follower.let_go() > 0);
}

/// However a stream is cut, doubled and shuffled, its messages come out once each, in order.
#[test]
fn any_order_gives_the_same_messages() {
    let mut state = 7;
    for _ in 0..200 {
        let sizes: Vec<usize> = (0..20).map(|_| dice(&mut state) as usize % 600).collect();
        let stream: Vec<u8> = sizes.iter().flat_map(|size| record(*size)).collect();
        let mut pieces = Vec::new();
        let mut at = 0;
        while at < stream.len() {
            let end = stream.len().min(at + 1 + dice(&mut state) as usize % 300);
            let back = at.saturating_sub(dice(&mut state) as usize % 50);
            pieces.extend([(at, end), (back, end)]);
            at = end;
        }
        for i in (1..pieces.len()).rev() {
            pieces.swap(i, dice(&mut state) as usize % (i + 1));
        }
        let mut capture = Capture::opened(443);
        let mut lengths = Vec::new();
        for (from, to) in pieces {
            let server = (0x0a00_0002, 443);
            let octets = frame(
                CLIENT,
                server,
                OURS.wrapping_add(1 + from as u32),
                None,
                0,
                &stream[from..to],
            );
            let mut decoded = Decoded::new();
            decode(
                layer("IP").expect("a layer"),
                &octets,
                octets.len(),
                &mut decoded,
            );
            let followed = capture.follower.packet(1, &octets, &decoded).expect("data");
            lengths.extend(followed.messages.iter().map(|message| message.octets.len()));
        }
        assert_eq!(
            lengths,
            sizes.iter().map(|size| size + 5).collect::<Vec<_>>()
        );
    }
}

#[test]
fn datagrams_in_fragments() {
    let udp = [&[0xc3, 0x50, 0, 53, 0, 108, 0, 0][..], &[7; 100]].concat();
    let piece = |at: usize, to: usize| {
        let more = if to < udp.len() { 0x2000 } else { 0 };
        let ip = header(
            "IP",
            &[
                ("id", 9),
                ("proto", 17),
                ("frag", at as u64 / 8),
                ("flags", more >> 13),
            ],
        );
        let bytes = Header::new(layer("Bytes").expect("a layer"))
            .with("data", FieldValue::Bytes(udp[at..to].to_vec()))
            .expect("bytes");
        let mut octets = Vec::new();
        encode(&[ip, bytes], &mut octets);
        octets
    };
    let mut datagrams = DatagramAssembler::new();
    let mut decoded = Decoded::new();
    let mut wholes = Vec::new();
    for (index, octets) in [piece(64, 108), piece(0, 32), piece(32, 64)]
        .iter()
        .enumerate()
    {
        decode(
            layer("IP").expect("a layer"),
            octets,
            octets.len(),
            &mut decoded,
        );
        wholes.extend(datagrams.packet(index as u64 + 1, None, octets, &decoded));
    }
    assert_eq!(wholes.len(), 1);
    assert_eq!(
        (wholes[0].packets.as_slice(), &wholes[0].octets[20..]),
        (&[1, 2, 3][..], &udp[..])
    );
}

/// What is reported about a datagram with a packet of QUIC from or to this port, whose text fields
/// are set so and whose bytes are.
fn quic(
    initials: &mut InitialOpener,
    index: u64,
    ports: (u64, u64),
    octets: &[(&str, &[u8])],
) -> String {
    let mut packet = header("QUIC", &[]);
    for (field, value) in octets {
        packet = packet
            .with(field, FieldValue::Bytes(value.to_vec()))
            .expect("bytes");
    }
    let mut frame = Vec::new();
    let (server, client) = (0x0a00_0002, 0x0a00_0001);
    let (src, dst) = if ports.1 == 443 {
        (client, server)
    } else {
        (server, client)
    };
    encode(
        &[
            header("IP", &[("src", src), ("dst", dst)]),
            header("UDP", &[("src", ports.0), ("dst", ports.1)]),
            packet,
        ],
        &mut frame,
    );
    let mut decoded = Decoded::new();
    decode(
        layer("IP").expect("a layer"),
        &frame,
        frame.len(),
        &mut decoded,
    );
    let greeting = initials.packet(index, &frame, &decoded).unwrap_or_default();
    let opened = greeting
        .initials
        .iter()
        .map(|initial| format!("{:?}: {}", initial.from, initial.opened.listed()));
    let messages = greeting
        .messages
        .iter()
        .map(|message| format!("{} of {:?}", message.octets.len(), message.packets));
    opened.chain(messages).collect::<Vec<_>>().join("; ")
}

/// A frame of a handshake (RFC 9000 §19.6) with bytes of a hello from this place on.
fn crypto(from: usize, to: usize) -> Vec<u8> {
    let hello: Vec<u8> = [&[2, 0, 0, 60][..], &[7; 60]].concat();
    [&[6, from as u8, (to - from) as u8][..], &hello[from..to]].concat()
}

#[test]
fn first_packets_of_quic() {
    let mut initials = InitialOpener::new();
    let (out, back) = ((5000, 443), (443, 5000));
    let ping: &[u8] = &[1, 1, 1, 1];
    assert_eq!(
        quic(
            &mut initials,
            1,
            back,
            &[("origin", b"origin"), ("frames", ping)]
        ),
        "",
        "the client was not seen yet"
    );
    assert_eq!(
        quic(
            &mut initials,
            2,
            out,
            &[("dcid", b"origin"), ("frames", ping)]
        ),
        "",
        "the layer shows it"
    );
    // A piece that came before the first one, that again, and the rest.
    let server = |frames: &[u8], initials: &mut InitialOpener, index: u64| {
        quic(
            initials,
            index,
            back,
            &[("origin", b"origin"), ("frames", frames)],
        )
    };
    assert_eq!(
        server(&crypto(30, 50), &mut initials, 3),
        "Server: crypto(30, 20)"
    );
    assert_eq!(
        server(&crypto(40, 64), &mut initials, 4),
        "Server: crypto(40, 24)"
    );
    assert_eq!(
        server(&crypto(0, 35), &mut initials, 5),
        "Server: crypto(0, 35); 64 of [3, 4, 5]"
    );
    assert_eq!(
        server(&crypto(0, 35), &mut initials, 6),
        "Server: crypto(0, 35)"
    );
    // Keys of another identifier, and the client's own with the identifier that the server chose.
    assert_eq!(
        quic(
            &mut initials,
            7,
            back,
            &[("origin", b"another"), ("frames", ping)]
        ),
        ""
    );
    // After a retry the client begins again with the identifier in it.
    assert_eq!(
        quic(
            &mut initials,
            8,
            out,
            &[("dcid", b"retried"), ("frames", &crypto(0, 40))]
        ),
        ""
    );
    assert_eq!(
        quic(
            &mut initials,
            9,
            out,
            &[("dcid", b"retried"), ("frames", &crypto(40, 64))]
        ),
        "64 of [8, 9]"
    );
    assert_eq!(
        server(ping, &mut initials, 10),
        "",
        "the keys before the retry count no more"
    );
    assert_eq!(
        quic(
            &mut initials,
            11,
            back,
            &[("origin", b"retried"), ("frames", ping)]
        ),
        "Server: ping ping ping ping"
    );
    // What is not a message of a handshake, and a place far away, are left alone.
    assert_eq!(
        quic(
            &mut initials,
            12,
            back,
            &[("origin", b"retried"), ("frames", &[6, 0, 2, 99, 99])]
        ),
        "Server: crypto(0, 2)"
    );
    let far = [&[6, 0xbf, 0xff, 0xff, 0xff, 2][..], &[2, 0]].concat();
    assert_eq!(
        quic(
            &mut initials,
            13,
            out,
            &[("dcid", b"retried"), ("frames", &far)]
        ),
        ""
    );
}

#[test]
fn connections_of_quic_have_a_bound() {
    let mut initials = InitialOpener::new();
    for port in 0..MAX_CONNECTIONS as u64 + 9 {
        quic(
            &mut initials,
            1,
            (10_000 + port, 443),
            &[("dcid", b"x"), ("frames", &[1, 1, 1, 1])],
        );
    }
    assert_eq!(initials.connections(), MAX_CONNECTIONS);
    assert_eq!(
        quic(
            &mut initials,
            2,
            (443, 10_000),
            &[("origin", b"x"), ("frames", &[1, 1, 1, 1])]
        ),
        "",
        "the first was let go"
    );
    assert_ne!(
        quic(
            &mut initials,
            2,
            (443, 10_009),
            &[("origin", b"x"), ("frames", &[1, 1, 1, 1])]
        ),
        ""
    );
}

/// Records of TLS with so many bytes of a certificate's message in each.
#[test]
fn messages_over_several_records() {
    let fragment = |octets: &[u8]| [&[22, 3, 3, 0, octets.len() as u8][..], octets].concat();
    let message: Vec<u8> = [&[11, 0, 0, 96][..], &[5; 96]].concat();
    let joined = |capture: &mut Capture, place: u32, octets: &[u8]| {
        capture.index += 1;
        let octets = frame(
            CLIENT,
            (0x0a00_0002, 443),
            OURS.wrapping_add(place),
            None,
            0,
            octets,
        );
        let mut decoded = Decoded::new();
        decode(
            layer("IP").expect("a layer"),
            &octets,
            octets.len(),
            &mut decoded,
        );
        let followed = capture.follower.packet(capture.index, &octets, &decoded);
        let handshakes = followed
            .map(|followed| followed.handshakes)
            .unwrap_or_default();
        handshakes
            .iter()
            .map(|m| format!("{} {} of {:?}", m.layer.name, m.octets.len(), m.packets))
            .collect::<Vec<_>>()
            .join("; ")
    };
    let pieces: [Vec<u8>; 3] = [
        fragment(&message[..2]),
        fragment(&message[2..90]),
        fragment(&[&message[90..], &message].concat()),
    ];
    let mut capture = Capture::opened(443);
    assert_eq!(joined(&mut capture, 1, &pieces[0]), "");
    assert_eq!(joined(&mut capture, 8, &pieces[1][..20]), "");
    assert_eq!(joined(&mut capture, 28, &pieces[1][20..]), "");
    assert_eq!(
        joined(&mut capture, 101, &pieces[2]),
        "TLSHandshake 100 of [3, 4, 5, 6]",
        "the other one is whole in its record"
    );
    // Behind a change of ciphers nothing is joined, nor in a stream whose opening was not seen.
    let changed = [&[20, 3, 3, 0, 1, 1][..], &pieces[0], &pieces[1], &pieces[2]].concat();
    assert_eq!(joined(&mut capture, 212, &changed), "");
    let mut capture = Capture::of(443);
    assert_eq!(joined(&mut capture, 1, &pieces.concat()), "");
}
