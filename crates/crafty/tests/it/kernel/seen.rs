//! What a capture of others shows, read with a few lines of our own that share nothing with the
//! gate or the codec.

use std::net::Ipv4Addr;

/// An IPv4 datagram as seen on the wire.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    /// Source.
    pub src: Ipv4Addr,
    /// Destination.
    pub dst: Ipv4Addr,
    /// Protocol number.
    pub protocol: u8,
    /// The first bytes of what it carries: ports, or ICMP type and code.
    pub head: Vec<u8>,
    /// Bytes of the frame.
    pub length: usize,
    /// Nanoseconds.
    pub time: i64,
}

impl Seen {
    fn is_reset(&self) -> bool {
        self.protocol == 6 && self.head.get(13).is_some_and(|flags| flags & 4 != 0)
    }

    fn is_syn(&self) -> bool {
        self.protocol == 6 && self.head.get(13).is_some_and(|flags| flags & 2 != 0)
    }

    fn is_icmp_error(&self) -> bool {
        self.protocol == 1
            && self
                .head
                .first()
                .is_some_and(|kind| matches!(kind, 3 | 4 | 5 | 11 | 12))
    }
}

/// The IPv4 datagrams of a capture file, in order.
pub fn datagrams(path: &str) -> Vec<Seen> {
    let octets = std::fs::read(path).expect("a capture");
    let (records, damage) = crafty_capture::read_all(&octets[..]).expect("a capture file");
    assert!(damage.is_none(), "{damage:?}");
    records
        .iter()
        .filter_map(|r| datagram(&r.octets, r.time.map_or(0, |t| t.0)))
        .collect()
}

/// When frames of an IPv4 address, ARP of it included, were on the wire, in nanoseconds.
pub fn sent_at(path: &str, address: Ipv4Addr) -> Vec<i64> {
    let octets = std::fs::read(path).expect("a capture");
    let (records, _) = crafty_capture::read_all(&octets[..]).expect("a capture file");
    let is_its = |frame: &[u8]| {
        let at = match frame.get(12..14) {
            Some([8, 0]) => 26,
            Some([8, 6]) => 28,
            _ => return false,
        };
        frame.get(at..at + 4) == Some(&address.octets())
    };
    records
        .iter()
        .filter(|record| is_its(&record.octets))
        .filter_map(|record| record.time.map(|time| time.0))
        .collect()
}

/// Frames of one Ethernet type, with their bytes.
pub fn frames_of_type(path: &str, ether_type: u16) -> Vec<Vec<u8>> {
    let octets = std::fs::read(path).expect("a capture");
    let (records, _) = crafty_capture::read_all(&octets[..]).expect("a capture file");
    records
        .into_iter()
        .map(|r| r.octets)
        .filter(|f| f.get(12..14) == Some(&ether_type.to_be_bytes()))
        .collect()
}

fn datagram(frame: &[u8], time: i64) -> Option<Seen> {
    let ip = frame
        .get(14..)
        .filter(|_| frame.get(12..14) == Some(&[8, 0]))?;
    let address = |at: usize| {
        ip.get(at..at + 4)
            .and_then(|a| <[u8; 4]>::try_from(a).ok())
            .map(Ipv4Addr::from)
    };
    let head = ip
        .get(usize::from(ip.first()? & 15) * 4..)
        .unwrap_or_default();
    Some(Seen {
        src: address(12)?,
        dst: address(16)?,
        protocol: *ip.get(9)?,
        head: head[..head.len().min(20)].to_vec(),
        length: frame.len(),
        time,
    })
}

/// What a program declared, as the capture has to show it.
pub struct Declared<'a> {
    /// Addresses that it may send from.
    pub sources: &'a [&'a str],
    /// Addresses that it may send to.
    pub destinations: &'a [&'a str],
    /// Most datagrams in total and in any second.
    pub packets: (usize, usize),
    /// Most SYNs.
    pub syns: usize,
    /// The run's own capture, where it may reset what it left half open: such a reset is in there,
    /// one of the kernel's is not.
    pub own: Option<&'a str>,
}

impl Declared<'_> {
    /// Every datagram that left is from and to what was declared, within the budget, and none is a
    /// reset or an ICMP error: those would be the kernel's. Gives those that left.
    #[track_caller]
    pub fn holds(&self, path: &str) -> Vec<Seen> {
        let among =
            |list: &[&str], address: Ipv4Addr| list.iter().any(|a| a.parse() == Ok(address));
        let own = self.own.map(datagrams).unwrap_or_default();
        let is_own = |seen: &Seen| {
            own.iter()
                .any(|o| (o.src, o.dst, &o.head) == (seen.src, seen.dst, &seen.head))
        };
        // What comes back is from the destinations; what others say (routers) is not ours either.
        let sent: Vec<Seen> = datagrams(path)
            .into_iter()
            .filter(|s| among(self.sources, s.src))
            .collect();
        assert!(!sent.is_empty(), "the capture shows nothing that was sent");
        for seen in &sent {
            assert!(
                among(self.destinations, seen.dst),
                "to an undeclared destination: {seen:?}"
            );
            assert!(
                is_own(seen) || !(seen.is_reset() || seen.is_icmp_error()),
                "the kernel answered: {seen:?}"
            );
        }
        assert!(
            sent.len() <= self.packets.0,
            "{} datagrams, {} declared",
            sent.len(),
            self.packets.0
        );
        // The gate counts by the moment it lets a frame go; the wire sees each later, by delays
        // that differ: on a busy machine by tenths of a second.
        const WINDOW: i64 = 900_000_000;
        let busiest = sent
            .iter()
            .map(|s| {
                sent.iter()
                    .filter(|o| (0..WINDOW).contains(&(o.time - s.time)))
                    .count()
            })
            .max();
        assert!(
            busiest <= Some(self.packets.1),
            "{busiest:?} datagrams in a second"
        );
        let syns = sent.iter().filter(|s| s.is_syn()).count();
        assert!(syns <= self.syns, "{syns} SYNs, {} declared", self.syns);
        sent
    }
}
