//! Which port a flow takes, and whom a serving port talks to. Datagrams themselves need no state.

use alloc::collections::BTreeSet;
use core::net::SocketAddr;

/// Peers that a serving port may be given room for.
pub const MAX_PEERS: usize = 4096;
/// Peers at a time where the program does not say.
pub const USUAL_PEERS: usize = 16;

/// The lowest port of `ranges` (both ends inclusive) that is not `taken`.
pub fn lowest_free(ranges: &[(u16, u16)], taken: impl Fn(u16) -> bool) -> Option<u16> {
    let first_of = |&(low, high): &(u16, u16)| (low..=high).find(|&port| !taken(port));
    ranges.iter().filter_map(first_of).min()
}

/// The peers of a serving port; others than there is room for get no answer.
#[derive(Clone, Debug)]
pub struct UdpPeers {
    known: BTreeSet<SocketAddr>,
    room: usize,
}

impl UdpPeers {
    /// No peer yet, and room for so many; [`MAX_PEERS`] at most.
    pub fn with_room(room: usize) -> UdpPeers {
        UdpPeers {
            known: BTreeSet::new(),
            room: room.min(MAX_PEERS),
        }
    }

    /// For how many there is room.
    pub fn room(&self) -> usize {
        self.room
    }

    /// Whether `peer` is served: known, or there is room for one more.
    pub fn admit(&mut self, peer: SocketAddr) -> bool {
        self.known.contains(&peer) || self.known.len() < self.room && self.known.insert(peer)
    }

    /// Makes room: `peer` is gone.
    pub fn release(&mut self, peer: SocketAddr) {
        self.known.remove(&peer);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lowest_free_port_is_taken_in_whatever_order_ranges_stand() {
        type Row<'a> = (&'a [(u16, u16)], &'a [u16], Option<u16>);
        let rows: &[Row<'_>] = &[
            (&[(50, 60), (40, 41)], &[], Some(40)),
            (&[(50, 60), (40, 41)], &[40, 41, 50], Some(51)),
            (&[(65535, 65535)], &[65535], None),
            (&[], &[], None),
        ];
        for (ranges, taken, expected) in rows {
            assert_eq!(lowest_free(ranges, |port| taken.contains(&port)), *expected);
        }
    }

    #[test]
    fn the_seventeenth_peer_gets_no_answer_until_one_leaves() {
        let peer = |n: u16| SocketAddr::from(([192, 0, 2, 1], n));
        let mut peers = UdpPeers::with_room(USUAL_PEERS);
        assert!((0..16).all(|n| peers.admit(peer(n))));
        assert!(!peers.admit(peer(16)) && peers.admit(peer(3)));
        peers.release(peer(0));
        assert!(peers.admit(peer(16)) && !peers.admit(peer(0)));
        assert_eq!(UdpPeers::with_room(1 << 20).room(), MAX_PEERS);
    }
}
