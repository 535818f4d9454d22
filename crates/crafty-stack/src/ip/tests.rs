//! Cutting and joining, by bytes.

use super::fragment::FragmentError;
use super::reassemble::{MAX_BYTES, MAX_DATAGRAMS, ReassemblyCounters};
use super::*;
use crate::checksum;
use alloc::vec::Vec;
use crafty_value::{Duration, Time};

fn datagram_v4(options: &[u8], flags: u8, payload: usize) -> Vec<u8> {
    let header = 20 + options.len();
    let mut octets = alloc::vec![
        0x40 | (header / 4) as u8,
        0,
        0,
        0,
        0x12,
        0x34,
        flags,
        0,
        64,
        UDP,
        0,
        0,
        10,
        0,
        0,
        1,
        10,
        0,
        0,
        2
    ];
    octets.extend_from_slice(options);
    octets.extend((0..payload).map(|n| (n * 7) as u8));
    let total = octets.len() as u16;
    octets[2..4].copy_from_slice(&total.to_be_bytes());
    let sum = checksum::of(&octets[..header]);
    octets[10..12].copy_from_slice(&sum.to_be_bytes());
    octets
}

fn datagram_v6(extensions: &[&[u8]], payload: usize) -> Vec<u8> {
    let mut octets = alloc::vec![0x60, 0, 0, 0, 0, 0, UDP, 64];
    octets.extend_from_slice(
        &[
            [0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1],
            [0xfe; 16],
        ]
        .concat(),
    );
    let mut next_at = 6;
    for extension in extensions {
        octets[next_at] = extension[0];
        next_at = octets.len();
        octets.extend_from_slice(&[&[UDP], &extension[1..]].concat());
    }
    octets.extend((0..payload).map(|n| (n * 7) as u8));
    let len = (octets.len() - 40) as u16;
    octets[4..6].copy_from_slice(&len.to_be_bytes());
    octets
}

fn samples() -> Vec<Vec<u8>> {
    let hop_by_hop: &[u8] = &[0, 0, 1, 4, 0, 0, 0, 0];
    let destination: &[u8] = &[60, 0, 1, 4, 0, 0, 0, 0];
    alloc::vec![
        datagram_v4(&[], 0, 4000),
        datagram_v4(&[0x94, 4, 0, 0, 7, 7, 4, 0, 0, 0, 0, 0], 0, 3001),
        datagram_v6(&[], 4000),
        datagram_v6(&[hop_by_hop], 2999),
        datagram_v6(&[hop_by_hop, destination], 2999),
    ]
}

fn join(pieces: &[Vec<u8>], pool: &mut Reassembler) -> Option<Reassembled> {
    pieces.iter().fold(None, |done, piece| {
        pool.handle_fragment(Time(0), piece).or(done)
    })
}

#[test]
fn what_is_cut_is_joined_in_any_order() {
    for datagram in samples() {
        for mtu in [576, 1280, 1500, 68 + 40] {
            let mut pieces = fragment(&datagram, mtu, 77).unwrap();
            assert!(pieces.len() > 1 && pieces.iter().all(|p| p.len() <= mtu));
            assert!(pieces.iter().all(|p| p[0] >> 4 == 6
                || checksum::of(&p[..Datagram::parse(p).unwrap().header_len]) == 0));
            for turn in 0..3 {
                pieces.rotate_left(turn);
                let whole = join(&pieces, &mut Reassembler::new()).unwrap();
                assert_eq!(
                    (whole.octets == datagram, whole.fragments),
                    (true, pieces.len()),
                    "mtu {mtu}"
                );
            }
        }
    }
}

#[test]
fn later_fragments_hold_only_options_with_the_copied_bit() {
    let pieces = fragment(&samples()[1], 576, 0).unwrap();
    assert_eq!(pieces[0][20..32], [0x94, 4, 0, 0, 7, 7, 4, 0, 0, 0, 0, 0]);
    assert_eq!(
        (pieces[1][0], &pieces[1][20..24]),
        (0x46, &[0x94, 4, 0, 0][..])
    );
}

#[test]
fn a_fragment_of_ipv4_may_be_cut_again() {
    let datagram = datagram_v4(&[], 0, 4000);
    let twice: Vec<_> = fragment(&datagram, 1500, 0)
        .unwrap()
        .iter()
        .flat_map(|p| fragment(p, 576, 0).unwrap())
        .collect();
    assert_eq!(
        join(&twice, &mut Reassembler::new()).unwrap().octets,
        datagram
    );
}

#[test]
fn what_must_not_or_cannot_be_cut_is_refused() {
    let again = fragment(&datagram_v6(&[], 4000), 1500, 1)
        .unwrap()
        .remove(0);
    let rows = [
        (
            datagram_v4(&[], 0x40, 1000),
            576,
            Err(FragmentError::DontFragment),
        ),
        (datagram_v4(&[], 0x40, 500), 576, Ok(1)),
        (
            datagram_v4(&[], 0, 1000),
            27,
            Err(FragmentError::MtuTooSmall),
        ),
        (again, 576, Err(FragmentError::Fragment)),
        (Vec::new(), 576, Err(FragmentError::Malformed)),
        (
            datagram_v4(&[], 0, 1000)[..100].to_vec(),
            68,
            Err(FragmentError::Malformed),
        ),
    ];
    for (datagram, mtu, expected) in rows {
        assert_eq!(fragment(&datagram, mtu, 1).map(|p| p.len()), expected);
    }
}

#[test]
fn an_overlap_spoils_the_datagram_and_a_repetition_does_not() {
    for datagram in [datagram_v4(&[], 0, 4000), datagram_v6(&[], 4000)] {
        let (wide, narrow) = (
            fragment(&datagram, 1500, 5).unwrap(),
            fragment(&datagram, 1280, 5).unwrap(),
        );
        let mut pool = Reassembler::new();
        let repeated: Vec<_> = wide.iter().flat_map(|p| [p.clone(), p.clone()]).collect();
        assert!(join(&repeated[..repeated.len() - 1], &mut pool).is_some());
        let mut pool = Reassembler::new();
        assert_eq!(join(&[wide[0].clone(), narrow[1].clone()], &mut pool), None);
        assert_eq!(join(&wide, &mut pool), None, "what still comes is dropped");
        assert_eq!((pool.counters.overlaps, pool.counters.reassembled), (1, 0));
    }
}

#[test]
fn time_gives_up_what_is_not_whole() {
    let mut pool = Reassembler::new();
    let rows = [
        (datagram_v4(&[], 0, 4000), 30),
        (datagram_v6(&[], 4000), 60),
    ];
    for (datagram, seconds) in rows {
        let pieces = fragment(&datagram, 1500, 1).unwrap();
        assert_eq!(pool.handle_fragment(Time(0), &pieces[0]), None);
        let until = Time(0).after(Duration::seconds(seconds));
        assert_eq!(pool.poll_timeout(), Some(until));
        pool.handle_timeout(until);
        assert_eq!((pool.held(), pool.poll_timeout()), (0, None));
    }
    assert_eq!(
        pool.counters,
        ReassemblyCounters {
            fragments_in: 2,
            timeouts: 2,
            ..ReassemblyCounters::default()
        }
    );
}

#[test]
fn memory_is_bounded_and_the_oldest_goes() {
    let mut pool = Reassembler::new();
    for id in 0..1000u32 {
        let pieces = fragment(&datagram_v6(&[], 60_000), 65_000, id).unwrap_or_default();
        let piece = pieces.first().cloned().unwrap_or_else(|| {
            fragment(&datagram_v6(&[], 60_000), 50_000, id)
                .unwrap()
                .remove(0)
        });
        pool.handle_fragment(Time(i64::from(id)), &piece);
        assert!(pool.held() <= MAX_BYTES);
    }
    for id in 0..1000u32 {
        pool.handle_fragment(
            Time(i64::from(id)),
            &fragment(&datagram_v6(&[], 100), 80, id).unwrap()[0],
        );
    }
    assert!(pool.partial_count() <= MAX_DATAGRAMS);
    assert!(pool.counters.evicted > 0);
}

#[test]
fn fragments_that_make_no_sense_are_counted() {
    let mut odd_length = fragment(&datagram_v4(&[], 0, 4000), 1500, 0)
        .unwrap()
        .remove(0);
    odd_length[3] -= 1;
    let mut beyond = fragment(&datagram_v4(&[], 0, 4000), 1500, 0)
        .unwrap()
        .remove(2);
    beyond[6..8].copy_from_slice(&0x1fff_u16.to_be_bytes());
    let mut pool = Reassembler::new();
    assert_eq!(join(&[odd_length, beyond], &mut pool), None);
    assert_eq!((pool.counters.malformed, pool.held()), (2, 0));
}

#[test]
fn a_last_fragment_inside_what_is_known_spoils() {
    let datagram = datagram_v4(&[], 0, 4000);
    let pieces = fragment(&datagram, 1500, 0).unwrap();
    let mut short = pieces[1].clone();
    short[6] &= !0x20;
    let mut pool = Reassembler::new();
    assert_eq!(join(&[pieces[2].clone(), short], &mut pool), None);
    assert_eq!(pool.counters.overlaps, 1);
}

#[test]
fn any_bytes_are_survived() {
    let mut state = 1u64;
    let mut roll = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 33) as usize
    };
    let seeds: Vec<_> = samples()
        .iter()
        .flat_map(|d| fragment(d, 576, 9).unwrap())
        .collect();
    let mut pool = Reassembler::new();
    for n in 0..20_000 {
        let mut octets = seeds[roll() % seeds.len()].clone();
        for _ in 0..roll() % 4 {
            let at = roll() % octets.len().min(64);
            octets[at] = roll() as u8;
        }
        octets.truncate(roll() % (octets.len() + 200));
        pool.handle_fragment(Time(n * 1_000_000), &octets);
        let _ = fragment(&octets, 40 + roll() % 500, 3);
        let _ = crate::icmp::parse(&octets);
        assert!(pool.held() <= MAX_BYTES);
    }
}
