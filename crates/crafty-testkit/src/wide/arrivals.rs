//! What arrives: from a peer that says what it likes in packets of one shape, and from a network that
//! does as it likes.

use crate::TestRng;
use crate::network::{arp_answer, datagram_from, segment_of, too_big};

/// What arrives from a peer that says these bytes: datagrams, or a connection with the sequence
/// number, window and options of its choice; and what a router on the way says it takes. Two throws
/// differ in bytes alone: nothing that `false` lets a program see.
pub fn arrivals(tcp: bool, dice: &mut TestRng) -> Vec<(u64, Vec<u8>)> {
    let mtu = dice.one(&[576, 600, 900, 1_400]);
    let path = (1, too_big(mtu, &OWN_DATAGRAM));
    if !tcp {
        let payload = answer(dice);
        let mut all = vec![path];
        all.extend([3, 6, 12].map(|at| (at, datagram_from(7, &payload))));
        return all;
    }
    let payload = response(dice);
    let seq = dice.roll() as u32;
    let window = dice.one(&[100, 4_000, 60_000]);
    let mss = dice.one(&[&[2, 4, 5, 0xb4], &[2, 4, 2, 0x18]]);
    vec![
        path,
        (2, segment_of(seq, 4, 0x12, window, mss, &[])),
        (
            4,
            segment_of(seq.wrapping_add(1), 4, 0x10, window, &[], &payload),
        ),
    ]
}

/// An answer of a name server to the question with ID 3, of one length.
fn answer(dice: &mut TestRng) -> Vec<u8> {
    let mut throw = || dice.below(256) as u8;
    let flags = [0x81, 0x80 | [0, 3][usize::from(throw() % 2)]];
    let head = [&[0, 3][..], &flags, &[0, 1, 0, 1, 0, 0, 0, 0]].concat();
    let question = [1, b'a', 0, 0, 1, 0, 1];
    let record = [
        0xc0,
        12,
        0,
        1,
        0,
        1,
        0,
        0,
        0,
        throw(),
        0,
        4,
        throw(),
        throw(),
        throw(),
        throw(),
    ];
    [&head[..], &question, &record].concat()
}

/// A response of a web server, of one length.
fn response(dice: &mut TestRng) -> Vec<u8> {
    let status = dice.one(&["200", "404", "500"]);
    let word: String = (0..3).map(|_| dice.one(&['a', 'b', '7'])).collect();
    format!("HTTP/1.1 {status} OK\r\nContent-Length: 3\r\nX-A: {word}\r\n\r\n{word}").into_bytes()
}

/// What arrives from a peer that does as it likes, from a router that says how large datagrams may
/// be, from a neighbour that is there or not; or for how many milliseconds the machine is busy after
/// each datagram. All of it comes while handlers live: what they do with it takes the time.
pub fn anything(dice: &mut TestRng) -> (Vec<(u64, Vec<u8>)>, u64) {
    let mut frames: Vec<(u64, Vec<u8>)> = (0..dice.below(5))
        .map(|_| {
            let payload: Vec<u8> = (0..1 + dice.below(4))
                .map(|_| dice.below(256) as u8)
                .collect();
            (1 + dice.below(9), datagram_from(7, &payload))
        })
        .collect();
    let busy = dice.one(&[0, 0, 1, 2, 5, 30]);
    if busy == 0 {
        let mtu = dice.one(&[68, 600, 1_300]);
        frames.push((3, too_big(mtu, &OWN_DATAGRAM)));
    }
    if busy == 0 && dice.percent(50) {
        let host = 2 + dice.below(8) as u8;
        frames.push((1 + dice.below(9), arp_answer([10, 0, 0, host])));
    }
    frames.sort();
    (frames, busy)
}

/// The head of a datagram of ours to the peer.
const OWN_DATAGRAM: [u8; 28] = [
    0x45, 0, 5, 0xdc, 0, 0, 0, 0, 64, 17, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2, 0x9c, 0x40, 0, 7, 5,
    0xc8, 0, 0,
];
