//! Numbers in the byte order of a file or section. What is too short reads as zero bytes: callers
//! ask for lengths first.

/// Byte order of a pcap file or of a section of a pcapng file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Least significant byte first.
    Little,
    /// Most significant byte first.
    Big,
}

impl Order {
    fn number(self, octets: &[u8], width: usize) -> u64 {
        let add = |n: u64, octet: u8| n << 8 | u64::from(octet);
        let octets = (0..width).map(|i| octets.get(i).copied().unwrap_or(0));
        if self == Order::Big {
            octets.fold(0, add)
        } else {
            octets.rev().fold(0, add)
        }
    }

    /// The number in the first two bytes.
    pub fn u16(self, octets: &[u8]) -> u16 {
        self.number(octets, 2) as u16
    }

    /// The number in the first four bytes.
    pub fn u32(self, octets: &[u8]) -> u32 {
        self.number(octets, 4) as u32
    }

    /// The number in the first eight bytes.
    pub fn u64(self, octets: &[u8]) -> u64 {
        self.number(octets, 8)
    }
}
