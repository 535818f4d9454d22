//! The Internet checksum (RFC 1071).

use core::net::IpAddr;

/// A sum under way; ones' complement addition is order-blind, so parts may be added as they come.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sum(u64);

impl Sum {
    /// The pseudo header of `protocol` between two addresses (RFC 9293 §3.1, RFC 8200 §8.1). `len`
    /// is the length of the upper layer in bytes.
    pub fn pseudo(source: IpAddr, destination: IpAddr, protocol: u8, len: usize) -> Sum {
        let sum = Sum(u64::from(protocol) + len as u64);
        match (source, destination) {
            (IpAddr::V4(a), IpAddr::V4(b)) => sum.with(&a.octets()).with(&b.octets()),
            (IpAddr::V6(a), IpAddr::V6(b)) => sum.with(&a.octets()).with(&b.octets()),
            (IpAddr::V4(a), IpAddr::V6(b)) => sum.with(&a.octets()).with(&b.octets()),
            (IpAddr::V6(a), IpAddr::V4(b)) => sum.with(&a.octets()).with(&b.octets()),
        }
    }

    /// The sum with more bytes, which start at an even place.
    pub fn with(self, octets: &[u8]) -> Sum {
        let (words, rest) = octets.as_chunks::<32>();
        let mut lanes = [0u64; 8];
        for word in words {
            for (lane, quad) in lanes.iter_mut().zip(word.as_chunks::<4>().0) {
                *lane += u64::from(u32::from_ne_bytes(*quad));
            }
        }
        let native = lanes.iter().fold(0, |sum, lane| fold32(sum + lane));
        Sum(fold32(
            self.0 + u64::from(fold16(native).to_be()) + pairs(rest),
        ))
    }

    /// The field that makes the whole sum to all ones.
    pub fn field(self) -> u16 {
        !fold16(self.0)
    }

    /// Whether what was added, checksum field included, is right.
    pub fn holds(self) -> bool {
        fold16(self.0) == 0xffff
    }
}

/// The checksum of bytes whose field is zero.
pub fn of(octets: &[u8]) -> u16 {
    Sum::default().with(octets).field()
}

fn pairs(octets: &[u8]) -> u64 {
    let (pairs, odd) = octets.as_chunks::<2>();
    let last = odd.first().map_or(0, |&o| u64::from(o) << 8);
    pairs
        .iter()
        .map(|p| u64::from(u16::from_be_bytes(*p)))
        .sum::<u64>()
        + last
}

fn fold32(sum: u64) -> u64 {
    (sum & 0xffff_ffff) + (sum >> 32)
}

fn fold16(sum: u64) -> u16 {
    let mut sum = sum;
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    sum as u16
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    #[test]
    fn the_example_of_rfc_1071_holds() {
        assert_eq!(
            of(&[0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7]),
            !0xddf2
        );
    }

    #[test]
    fn all_lengths_agree_with_the_plain_sum() {
        let octets: Vec<u8> = (0..300u32).map(|n| (n * 97 + 13) as u8).collect();
        for len in 0..octets.len() {
            let plain = octets[..len].chunks(2).fold(0u32, |sum, c| {
                sum + (u32::from(c[0]) << 8) + u32::from(*c.get(1).unwrap_or(&0))
            });
            let plain = (plain & 0xffff) + (plain >> 16);
            let plain = !((plain & 0xffff) + (plain >> 16)) as u16;
            assert_eq!(of(&octets[..len]), plain, "{len}");
        }
    }

    #[test]
    fn a_filled_field_verifies() {
        let mut octets = alloc::vec![0xffu8; 101];
        octets[4] = 0;
        octets[5] = 0;
        let field = of(&octets);
        octets[4..6].copy_from_slice(&field.to_be_bytes());
        assert!(Sum::default().with(&octets).holds());
    }
}
