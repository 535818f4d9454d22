//! Frames that nobody should send: nothing panics, nothing runs away, and the network continues.

use crate::hand::{Here, MS, arp, echo, frame, here, ip, udp};
use crafty_value::{Mac, Time};
use std::net::{IpAddr, Ipv4Addr};

/// A plain die, for tests only.
struct Die(u64);

impl Die {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit.max(1)
    }
}

/// Sound frames of many kinds, to be bent.
fn sound(here: &Here) -> Vec<Vec<u8>> {
    let (v4, v6) = (here.v4(), here.v6());
    let mut frames = Vec::new();
    for to in [
        "192.0.2.1",
        "192.0.2.80",
        "10.20.4.254",
        "203.0.113.2",
        "10.100.0.50",
        "198.51.100.53",
        "255.255.255.255",
        "224.0.0.1",
    ] {
        let to: IpAddr = to.parse().unwrap();
        frames.push(frame(
            here.router4,
            here.at.mac,
            &ip(v4, to, 1, 64, false, &echo(v4, to, 1400)),
        ));
        frames.push(frame(
            here.router4,
            here.at.mac,
            &ip(v4, to, 17, 64, true, &udp(v4, to, (40000, 53), &[7; 40])),
        ));
        frames.push(frame(
            here.router4,
            here.at.mac,
            &ip(
                v4,
                to,
                6,
                64,
                true,
                &[
                    0, 80, 0, 80, 0, 0, 0, 1, 0, 0, 0, 1, 0x50, 2, 0, 9, 0, 0, 0, 0,
                ],
            ),
        ));
    }
    for to in [
        "2001:db8:80::1",
        "2001:db8:4::fe",
        "2001:db8:53::53",
        "ff02::1",
        "ff02::1:ff00:fe",
        "fe80::1",
    ] {
        let to: IpAddr = to.parse().unwrap();
        frames.push(frame(
            here.router6,
            here.at.mac,
            &ip(v6, to, 58, 255, false, &echo(v6, to, 100)),
        ));
        frames.push(frame(
            here.router6,
            here.at.mac,
            &ip(
                v6,
                to,
                44,
                64,
                false,
                &[58, 0, 0, 1, 0, 0, 0, 1, 128, 0, 0, 0, 1, 2, 3, 4],
            ),
        ));
        frames.push(frame(
            here.router6,
            here.at.mac,
            &ip(
                v6,
                to,
                0,
                64,
                false,
                &[60, 0, 1, 4, 0, 0, 0, 0, 43, 9, 0, 0, 0, 0, 0, 0],
            ),
        ));
    }
    let group = Mac([0x33, 0x33, 0, 0, 0, 1]);
    let mut solicitation = vec![135, 0, 0, 0, 0, 0, 0, 0];
    solicitation.extend([
        0x20, 1, 0xd, 0xb8, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x20, 1, 1, 2, 0, 0, 0, 0, 9,
    ]);
    for from in ["::", "2001:db8:4::66", "ff02::1"] {
        let (from, to) = (from.parse().unwrap(), "ff02::1:ff00:20".parse().unwrap());
        frames.push(frame(
            group,
            here.at.mac,
            &ip(
                from,
                to,
                58,
                255,
                false,
                &crate::hand::icmp(from, to, solicitation.clone()),
            ),
        ));
    }
    frames.push(arp(
        1,
        here.at.mac,
        Ipv4Addr::new(10, 20, 4, 10),
        Mac([0; 6]),
        Ipv4Addr::new(10, 20, 4, 20),
    ));
    frames.push(arp(
        2,
        here.at.mac,
        Ipv4Addr::UNSPECIFIED,
        Mac::BROADCAST,
        Ipv4Addr::BROADCAST,
    ));
    frames
}

/// Turns bits over, cuts, repeats; sometimes corrects the IPv4 header so that the rest is looked
/// at.
fn bend(die: &mut Die, mut frame: Vec<u8>) -> Vec<u8> {
    for _ in 0..die.below(4) {
        // Near the front, where the headers are.
        let at = die.below(frame.len().min(90));
        frame[at] = die.below(256) as u8;
    }
    if die.below(4) == 0 {
        frame.truncate(die.below(frame.len() + 1));
    }
    if die.below(2) == 0 && frame.len() >= 34 && frame[12..14] == [8, 0] {
        let end = (14 + usize::from(frame[14] & 15) * 4).min(frame.len());
        frame[24..26].fill(0);
        let sum = !smoltcp::wire::checksum::data(&frame[14..end]);
        frame[24..26].copy_from_slice(&sum.to_be_bytes());
    }
    frame
}

#[test]
fn bent_frames_do_no_harm() {
    for seed in 0..4 {
        let mut here = here("demo:duplicate=1,corrupt_in_device=5", seed);
        let frames = sound(&here);
        let mut die = Die(seed);
        for _ in 0..5000 {
            let sound = frames[die.below(frames.len())].clone();
            here.ask(bend(&mut die, sound), MS / 10);
        }
        here.listen(70_000 * MS);
        assert_eq!(
            here.lab.next_event().filter(|at| *at < Time(here.now.0)),
            None
        );
        let answered = (0..20)
            .filter(|_| !here.ping("192.0.2.1", 56, 100 * MS).is_empty())
            .count();
        assert!(answered >= 10, "{answered} after seed {seed}");
    }
}

#[test]
fn random_bytes_do_no_harm() {
    let mut here = here("demo", 0);
    let mut die = Die(9);
    for _ in 0..5000 {
        let length = die.below(200);
        let mut frame: Vec<u8> = (0..length).map(|_| die.below(256) as u8).collect();
        if length > 14 {
            frame[..6].copy_from_slice(&here.router4.0);
            frame[12..14].copy_from_slice([[8, 0], [8, 6], [0x86, 0xdd]][die.below(3)].as_slice());
        }
        here.ask(frame, MS / 10);
    }
    here.ask(vec![0; 100_000], MS);
    assert_eq!(here.ping("192.0.2.1", 56, 100 * MS).len(), 1);
}

#[test]
fn services_do_not_answer_one_another_for_ever() {
    let mut here = here("demo", 0);
    let (one, other) = ("192.0.2.1".parse().unwrap(), "10.100.0.50".parse().unwrap());
    let bait = ip(
        one,
        other,
        17,
        64,
        true,
        &udp(one, other, (7, 7), b"ping-pong"),
    );
    here.exchange(bait, 1000 * MS);
    assert_eq!(here.lab.next_event(), None);
}

/// A scan of a whole net: questions for neighbours are bounded, and so is what waits for them.
#[test]
fn a_scan_is_bounded() {
    let mut here = here("demo", 0);
    let (src, router, own) = (here.v6(), here.router6, here.at.mac);
    for n in 0..3000_u16 {
        let to: IpAddr = format!("2001:db8:100::1:{n:x}").parse().unwrap();
        here.lab.send(
            here.at.port,
            here.now,
            &frame(router, own, &ip(src, to, 58, 64, false, &echo(src, to, 8))),
        );
        here.listen(MS / 50);
    }
    here.listen(10_000 * MS);
    let drops = here.lab.drops();
    let lost = drops.get(&("r4".to_string(), "too many neighbours are being resolved"));
    assert_eq!(lost, Some(&(3000 - 256)));
    assert_eq!(here.lab.next_event(), None);
}
