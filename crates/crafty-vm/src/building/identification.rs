//! Identifications of datagrams, counted for each destination by itself, so that none learns how
//! much is sent to another (RFC 7739 §3, RFC 6864 §4). Where a count starts is drawn from the run's
//! seed: the same run has the same bytes.

use core::net::IpAddr;
use std::collections::BTreeMap;

/// Destinations that are counted at most; after them all counts begin elsewhere.
const MOST: usize = 16_384;

/// What each destination was sent last.
#[derive(Debug, Default)]
pub(crate) struct Identifications {
    seed: u64,
    last: BTreeMap<IpAddr, u32>,
}

impl Identifications {
    /// Counts that begin where a run's seed says.
    pub fn new(seed: u64) -> Identifications {
        Identifications {
            seed,
            last: BTreeMap::new(),
        }
    }

    /// The next one for a destination; IPv4 has its lower 16 bits.
    pub fn next(&mut self, to: IpAddr) -> u32 {
        if self.last.len() >= MOST && !self.last.contains_key(&to) {
            self.last.clear();
            self.seed = mix(self.seed);
        }
        let seed = self.seed;
        let last = self.last.entry(to).or_insert_with(|| start(seed, to));
        *last = last.wrapping_add(1);
        *last
    }
}

fn start(seed: u64, to: IpAddr) -> u32 {
    let bits = match to {
        IpAddr::V4(a) => u128::from(a.to_bits()),
        IpAddr::V6(a) => a.to_bits(),
    };
    (mix(mix(seed ^ (bits >> 64) as u64) ^ bits as u64) >> 32) as u32
}

/// What SplitMix64 adds to its state at each step.
pub(crate) const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// One step of SplitMix64.
pub(crate) fn mix(seed: u64) -> u64 {
    let mut z = seed.wrapping_add(STEP);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(n: u32) -> IpAddr {
        IpAddr::from(n.to_be_bytes())
    }

    #[test]
    fn each_destination_has_its_own_count() {
        let mut ids = Identifications::new(7);
        let (a, b) = (address(1), address(2));
        let first = ids.next(a);
        let _ = (0..1000).map(|_| ids.next(b)).last();
        assert_eq!(
            ids.next(a),
            first.wrapping_add(1),
            "what `b` is sent does not show"
        );
        assert_ne!(first, Identifications::new(8).next(a));
        assert_eq!(first, Identifications::new(7).next(a));
    }

    #[test]
    fn many_destinations_cost_bounded_memory_and_begin_elsewhere() {
        let mut ids = Identifications::new(7);
        let first = ids.next(address(0));
        let _ = (1..3 * MOST as u32).map(|n| ids.next(address(n))).last();
        assert!(ids.last.len() <= MOST);
        assert_ne!(ids.next(address(0)), first);
    }
}
