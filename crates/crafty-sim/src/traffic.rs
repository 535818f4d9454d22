//! Background traffic: who sends how much to whom, whether anybody measures or not. A source sends
//! datagrams to the discard port of a host, in the name of another, so that its rate depends on
//! nobody's TCP.

use crate::build::Built;
use crate::dice::RandomStream;
use crate::lab::LabNode;
use crate::node::{Node, Outbox};
use crate::packet::{self, ETHERNET};
use crate::scenario::{Scenario, TrafficRow};
use crate::services::{Serving, udp_discard};
use crafty_value::{Duration, Mac, Time};
use std::net::IpAddr;

/// How a source speaks.
pub(crate) struct Profile {
    pub name: &'static str,
    /// How long until the next packets, and how many: of the mean time between packets.
    next: fn(&mut RandomStream, i64) -> (i64, usize),
}

/// All profiles; the first is taken when none is named.
pub(crate) static PROFILES: &[Profile] = &[
    Profile {
        name: "poisson",
        next: |dice, mean| (dice.exponential(mean), 1),
    },
    Profile {
        name: "steady",
        next: |_, mean| (mean, 1),
    },
    Profile {
        name: "bursts",
        next: |dice, mean| (dice.exponential(mean * 10), 10),
    },
];

/// The port that throws away what it gets (RFC 863).
const DISCARD: u16 = 9;

/// What a host that gets traffic serves for it.
pub(crate) const SINK: Serving = Serving {
    port: DISCARD,
    service: &udp_discard::SERVICE,
};

/// A source of traffic.
pub(crate) struct TrafficSource {
    profile: &'static Profile,
    mean: i64,
    frame: Vec<u8>,
    dice: RandomStream,
    next: Time,
    burst: usize,
}

impl TrafficSource {
    /// A source whose frames go from one link address to another. The row's number among those of
    /// traffic fixes its port and its chance, so that no other line of the file changes them.
    pub fn new(
        (number, row): (usize, &TrafficRow),
        (from, to): (Mac, Mac),
        ends: (IpAddr, IpAddr),
        dice: RandomStream,
    ) -> TrafficSource {
        let profile = PROFILES.iter().find(|it| it.name == row.profile);
        let mut source = TrafficSource {
            profile: profile.unwrap_or(&PROFILES[0]),
            mean: 1_000_000_000 / row.rate.max(1),
            frame: datagram((number, row), (from, to), ends),
            dice,
            next: Time(0),
            burst: 1,
        };
        source.plan(Time(0));
        source
    }

    fn plan(&mut self, now: Time) {
        let (wait, burst) = (self.profile.next)(&mut self.dice, self.mean);
        self.next = now.after(Duration(wait.max(1)));
        self.burst = burst;
    }
}

impl TrafficSource {
    /// Says what is due.
    pub fn on_wake(&mut self, now: Time, out: &mut Outbox) {
        if self.next <= now {
            for _ in 0..self.burst {
                out.say(0, self.frame.clone());
            }
            self.plan(now);
        }
    }

    /// When it speaks next.
    pub fn wake_at(&self) -> Time {
        self.next
    }
}

fn datagram(
    (number, row): (usize, &TrafficRow),
    macs: (Mac, Mac),
    ends: (IpAddr, IpAddr),
) -> Vec<u8> {
    let header = if ends.0.is_ipv4() { 20 } else { 40 };
    let size = row.size.max(header + 8);
    let mut segment = vec![0; size - header];
    segment[..2].copy_from_slice(&(49_152_u16 + (number % 16_000) as u16).to_be_bytes());
    segment[2..4].copy_from_slice(&DISCARD.to_be_bytes());
    segment[4..6].copy_from_slice(&((size - header) as u16).to_be_bytes());
    let mut datagram = packet::datagram(ends.0, ends.1, packet::UDP, 64, 0, &segment);
    packet::set_tos(&mut datagram, row.dscp << 2);
    if let Ok(head) = packet::Head::read(&datagram) {
        packet::seal_upper(&mut datagram, &head);
    }
    let mut frame = packet::framed(&datagram);
    let kind = if ends.0.is_ipv4() {
        packet::TYPE_IP4
    } else {
        packet::TYPE_IP6
    };
    packet::address(&mut frame, macs.0, macs.1, kind);
    debug_assert!(frame.len() == ETHERNET + size);
    frame
}

/// Gives the hosts of a scenario their sources.
pub(crate) fn build(scenario: &Scenario, seed: u64, built: &mut Built) {
    for (number, row) in scenario.traffic.iter().enumerate() {
        let (Some(from), Some(to)) = (scenario.host(&row.from), scenario.host(&row.to)) else {
            continue;
        };
        let element = built.elements.iter_mut().find(|it| it.name == row.from);
        if let Some(LabNode {
            node: Node::Host(host),
            ..
        }) = element
        {
            let dice = RandomStream::new(seed, &format!("traffic/{}/{number}", row.from));
            let ends = (IpAddr::from(from.v4), IpAddr::from(to.v4));
            let source = TrafficSource::new((number, row), host.way_out(), ends, dice);
            host.sources.push(source);
        }
    }
}
