//! Whatever comes out of the interface, and whatever handlers and models say: no panic, and nothing is
//! written that the rules forbid.

use super::*;
use crate::far_end::FAR_MAC;
use crate::heard::{PacketReader, ethernet, network_layer};
use crafty_wire::ChecksumStatus;
use std::collections::BTreeSet;
use std::net::IpAddr;

/// Rounds of a test; `TEST_ROUNDS` times as many in the long form.
fn rounds(count: usize) -> usize {
    let times = std::env::var("TEST_ROUNDS")
        .ok()
        .and_then(|times| times.parse::<usize>().ok());
    count * times.unwrap_or(1)
}

/// Numbers that look random, the same each time (xorshift64*).
pub struct FuzzDice(u64);

impl FuzzDice {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() >> 33) as usize % n.max(1)
    }

    fn of<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        &list[self.below(list.len())]
    }
}

/// Everything that was written goes from an address of the far end to one that asked, is no longer than
/// the interface takes, and has true checksums and lengths.
#[track_caller]
fn check_sent(played: &Played, mode: &str, askers: &BTreeSet<IpAddr>) {
    let mut reader = PacketReader::default();
    for frame in played.sent() {
        let (link, network) = frame.split_at(if mode == "tap" { 14 } else { 0 });
        assert!(network.len() <= 1500, "{}", network.len());
        if mode == "tap" {
            assert_eq!(&link[6..12], FAR_MAC.0, "the link address is ours");
            if link[12..] == [8, 6] {
                continue;
            }
        }
        let first = if mode == "tap" {
            ethernet()
        } else {
            network_layer(&frame).expect("IP")
        };
        let heard = reader
            .read(first, &frame)
            .unwrap_or_else(|| panic!("{frame:02x?}"));
        assert!(played.medium.far.owns(heard.source), "{heard:?}");
        assert!(
            askers.contains(&heard.destination) || played.medium.far.is_near(heard.destination),
            "{heard:?}"
        );
        let view = reader.view(&frame);
        for at in 0..view.layers().len() {
            assert!(
                !matches!(view.checksum(at), Some(ChecksumStatus::Bad { .. })),
                "{frame:02x?}"
            );
        }
    }
}

/// A packet of the host with some bytes changed, cut or added.
fn mutated(dice: &mut FuzzDice, seeds: &[Vec<u8>]) -> Vec<u8> {
    let mut packet = dice.of(seeds).clone();
    for _ in 0..dice.below(6) {
        let at = dice.below(packet.len());
        match dice.below(5) {
            0 => packet.truncate(at.max(1)),
            1 => packet.insert(at, dice.next() as u8),
            2 => packet[at] ^= 1 << dice.below(8),
            _ => {
                packet[at] = *dice.of(&[0, 1, 4, 5, 6, 0x45, 0x60, 58, 127, 128, 255, dice.0 as u8])
            }
        }
    }
    packet
}

#[test]
fn hostile_frames_do_no_harm() {
    for mode in ["tun", "tap"] {
        let mut dice = FuzzDice(0x5eed + mode.len() as u64 * 7);
        let handlers = Handlers {
            fixed: Some(ping_answers()),
            ..Handlers::default()
        };
        let mut played = Played::new(
            &[("mode", mode), ("packet_filter", "all")],
            &Policy::builtin(),
            handlers,
            None,
        );
        let mut seeds: Vec<Vec<u8>> = ["10.7.0.2", "10.7.0.254", "fd00:7::2", "fd00:7::1:2"]
            .iter()
            .map(|to| ping(mode, to, 1))
            .collect();
        if mode == "tap" {
            seeds.push(
                [
                    &[0xff; 6][..],
                    &NEAR_MAC.0,
                    &[8, 6, 0, 1, 8, 0, 6, 4, 0, 1],
                    &NEAR_MAC.0,
                    &[10, 7, 0, 1],
                    &[0; 6],
                    &[10, 7, 0, 2],
                ]
                .concat(),
            );
        }
        let (mut askers, mut reader) = (BTreeSet::new(), PacketReader::default());
        let count = rounds(6_000);
        for _ in 0..count {
            let packet = mutated(&mut dice, &seeds);
            let first = if mode == "tap" {
                Some(ethernet())
            } else {
                network_layer(&packet)
            };
            askers.extend(
                first
                    .and_then(|first| reader.read(first, &packet))
                    .map(|heard| heard.source),
            );
            played
                .seen
                .waiting
                .lock()
                .expect("a lock")
                .push_back(packet);
            if dice.below(100) == 0 {
                played.medium.step(None);
            }
        }
        for _ in 0..count / 100 + 10 {
            played.medium.step(None);
        }
        let told: u64 = DECISIONS
            .iter()
            .map(|row| played.medium.totals.of(row.decision))
            .sum();
        assert_eq!(
            (played.medium.totals.received, told),
            (count as u64, count as u64),
            "each packet has one fate"
        );
        assert!(
            played.medium.totals.of(Decision::HandlerSend) > 10,
            "{:?}",
            played.medium.totals
        );
        check_sent(&played, mode, &askers);
    }
}

/// A value that a field might have.
fn value(dice: &mut FuzzDice, depth: usize) -> Value {
    match dice.below(12) {
        0 => Value::Null,
        1 => json!(dice.next()),
        2 => json!(-(dice.below(1000) as i64)),
        3 => json!(dice.below(70_000)),
        4 => json!(1.5),
        5 => json!(dice.below(2) == 0),
        6 => json!(
            (0..dice.below(5))
                .map(|_| *dice.of(&["syn", "ack", "fin", "x"]))
                .collect::<Vec<_>>()
        ),
        7 if depth > 0 => json!([value(dice, depth - 1), value(dice, depth - 1)]),
        8 if depth > 0 => {
            json!({ "type": value(dice, depth - 1), "actions": value(dice, depth - 1) })
        }
        _ => json!(dice.of(&[
            "send_packet",
            "drop_packet",
            "10.7.0.1",
            "10.7.0.2",
            "10.7.0.255",
            "fd00:7::1",
            "fd00:7::2",
            "127.0.0.1",
            "169.254.169.254",
            "::ffff:10.7.0.1",
            "224.0.0.1",
            "icmp",
            "icmpv6",
            "tcp",
            "udp",
            "gre",
            "6",
            "echo_reply",
            "redirect",
            "router_advertisement",
            "02:63:72:66:74:79",
            "02:00:00:00:00:01",
            "ff:ff:ff:ff:ff:ff",
            "hex",
            "utf8",
            "deadbeef",
            "zz",
            "{{event.source}}",
            "\u{1b}[31m",
            ""
        ])),
    }
}

/// An answer that is nearly right.
fn answer(dice: &mut FuzzDice) -> String {
    let mut action = json!({ "type": "send_packet", "source": "10.7.0.2", "destination": "10.7.0.1", "protocol": "icmp",
        "icmp_type": "echo_reply", "icmp_id": 7, "icmp_sequence": 1, "payload": "abc" });
    if dice.below(2) == 0 {
        action = json!({ "type": "send_packet", "source": "10.7.0.2", "destination": "10.7.0.1", "protocol": dice.of(&["tcp", "udp"]),
            "source_port": dice.below(70_000), "destination_port": dice.below(70_000) });
    }
    for _ in 0..dice.below(4) {
        let name = dice.of(crate::action::ACTION_FIELDS).name;
        action[name] = value(dice, 2);
    }
    let whole = match dice.below(6) {
        0 => action,
        1 => json!([action, value(dice, 2)]),
        2 => value(dice, 3),
        _ => json!({ "actions": [action] }),
    };
    let mut text = whole.to_string().into_bytes();
    if dice.below(8) == 0 {
        let at = dice.below(text.len());
        text[at] = dice.next() as u8;
    }
    String::from_utf8_lossy(&text).into_owned()
}

/// A model that says something else each time.
struct Babbler(Mutex<FuzzDice>);

impl ModelServer for Babbler {
    fn post(
        &self,
        _path: &str,
        _body: &Value,
        _within: Duration,
    ) -> Result<Value, crate::model::PostError> {
        let dice = &mut *self.0.lock().expect("a lock");
        match dice.below(20) {
            0 => Err(crate::model::PostError::Transport(
                "\u{1b}]0;title\u{7} gone".into(),
            )),
            1 => Ok(value(dice, 3)),
            _ => Ok(json!({ "message": { "content": answer(dice) }, "done_reason": "stop" })),
        }
    }

    fn now(&self) -> Time {
        Time(0)
    }
}

#[test]
fn hostile_answers_do_no_harm() {
    let near: BTreeSet<IpAddr> = [[10, 7, 0, 1].into()].into();
    for mode in ["tun", "tap"] {
        let babbler = Arc::new(Babbler(Mutex::new(FuzzDice(mode.len() as u64 + 11))));
        let given = [
            ("mode", mode),
            ("model_name", "m"),
            ("llm_max_per_minute", "3600"),
        ];
        let count = rounds(600);
        let mut fates: BTreeSet<&str> = BTreeSet::new();
        for batch in 0..count / 15 {
            let mut played = Played::new(
                &given,
                &Policy::builtin(),
                Handlers::default(),
                Some(babbler.clone()),
            );
            for n in 0..15 {
                played.hear(&ping(mode, "10.7.0.2", (batch * 15 + n) as u16));
            }
            played.until_told(15);
            check_sent(&played, mode, &near);
            let told = DECISIONS
                .iter()
                .filter(|row| played.medium.totals.of(row.decision) > 0);
            fates.extend(told.map(|row| row.word));
        }
        for wanted in [
            "model_send",
            "fail_closed_model_error",
            "fail_closed_build_error",
            "fail_closed_permission",
        ] {
            assert!(fates.contains(wanted), "{wanted} never came: {fates:?}");
        }
    }
}
