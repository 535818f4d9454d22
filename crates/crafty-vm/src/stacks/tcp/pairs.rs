//! Pairs of ends: when a connection was last opened between them, and where their sequence numbers
//! and clocks begin, so that a peer that still remembers the last one takes the next (RFC 6528, RFC
//! 6191).

use crate::building::identification::mix;
use core::net::{IpAddr, SocketAddr};
use crafty_value::Time;
use std::collections::BTreeMap;

/// Pairs that are remembered.
const MOST: usize = 4096;
/// Nanoseconds of a step of the clock that moves initial sequence numbers (RFC 6528 §3).
const STEP: i64 = 4_000;

/// Own ports with the peers that they were used towards, and when.
#[derive(Debug, Default)]
pub(super) struct UsedPairs {
    used: BTreeMap<(u16, SocketAddr), Time>,
}

impl UsedPairs {
    /// A connection is opened.
    pub fn use_now(&mut self, local: u16, remote: SocketAddr, now: Time) {
        if self.used.len() >= MOST
            && let Some(oldest) = self
                .used
                .iter()
                .min_by_key(|(_, at)| **at)
                .map(|(pair, _)| *pair)
        {
            self.used.remove(&oldest);
        }
        self.used.insert((local, remote), now);
    }

    /// When the last one was.
    pub fn last(&self, local: u16, remote: SocketAddr) -> Option<Time> {
        self.used.get(&(local, remote)).copied()
    }
}

/// A number that only the run's seed and the two ends tell (RFC 6528 §3: F).
pub(super) fn secret(seed: u64, (local, remote): (SocketAddr, SocketAddr)) -> u32 {
    let octets = [local, remote].into_iter().flat_map(|end| {
        let address = match end.ip() {
            IpAddr::V4(a) => a.to_ipv6_mapped(),
            IpAddr::V6(a) => a,
        };
        address.octets().into_iter().chain(end.port().to_be_bytes())
    });
    (octets.fold(seed, |all, octet| mix(all ^ u64::from(octet))) >> 32) as u32
}

/// The initial sequence number of a connection between them (RFC 6528 §3: M + F).
pub(super) fn isn(seed: u64, ends: (SocketAddr, SocketAddr), now: Time) -> u32 {
    secret(seed, ends).wrapping_add(now.0.div_euclid(STEP) as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn end(text: &str) -> SocketAddr {
        text.parse().expect("an address and a port")
    }

    #[test]
    fn sequence_numbers_go_on_between_the_same_ends_and_tell_nothing_of_others() {
        let ends = (end("10.0.0.1:45000"), end("192.0.2.80:80"));
        let (first, second) = (isn(7, ends, Time(0)), isn(7, ends, Time(1_000_000_000)));
        assert_eq!(second.wrapping_sub(first), 250_000);
        let others = [
            (7, (ends.0, end("192.0.2.81:80"))),
            (7, (end("10.0.0.1:45001"), ends.1)),
            (8, ends),
        ];
        others
            .into_iter()
            .for_each(|(seed, ends)| assert_ne!(isn(seed, ends, Time(0)), first));
    }

    #[test]
    fn the_pair_used_longest_ago_is_forgotten_first() {
        let mut pairs = UsedPairs::default();
        let peer = end("[2001:db8::1]:80");
        (0..=MOST as u16).for_each(|port| pairs.use_now(port, peer, Time(i64::from(port))));
        assert_eq!(
            (pairs.last(0, peer), pairs.last(1, peer)),
            (None, Some(Time(1)))
        );
    }
}
