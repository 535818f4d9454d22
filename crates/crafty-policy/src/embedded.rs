//! IPv4 addresses inside IPv6 ones: whoever may reach the one must be allowed to reach the other.

use core::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use crafty_value::{Net, embedded_ipv4};

/// IPv4 addresses that translators or relays may take out of `address`: by the well-known forms, of
/// a Teredo server (RFC 4380 §4), by the local-use prefix (RFC 8215), and by the host's own
/// translators.
pub(crate) fn embedded(address: IpAddr, nat64: &[Net]) -> [Option<IpAddr>; 7] {
    let IpAddr::V6(v6) = address else {
        return [None; 7];
    };
    let local = nat64
        .iter()
        .find(|net| net.contains(address))
        .map(|net| translated(v6, net.prefix()));
    let server = matches!(v6.segments(), [0x2001, 0, ..]).then(|| translated(v6, 32));
    // Which length a network uses below the local-use prefix is its own affair (RFC 8215 §4):
    // where the host does not know, every reading counts that is an address at all.
    let local_use = local.is_none() && matches!(v6.segments(), [0x64, 0xff9b, 1, ..]);
    let below = |prefix| {
        local_use
            .then(|| translated(v6, prefix))
            .filter(|reading| prefix == 96 || reading.octets()[0] != 0)
    };
    [
        embedded_ipv4(v6),
        server,
        below(96),
        below(64),
        below(56),
        below(48),
        local,
    ]
    .map(|found| found.map(IpAddr::V4))
}

/// The IPv4 address after a translator's prefix (RFC 6052 §2.2; byte 8 holds nothing).
fn translated(address: Ipv6Addr, prefix: u8) -> Ipv4Addr {
    let places = match prefix {
        32 => [4, 5, 6, 7],
        40 => [5, 6, 7, 9],
        48 => [6, 7, 9, 10],
        56 => [7, 9, 10, 11],
        64 => [9, 10, 11, 12],
        _ => [12, 13, 14, 15],
    };
    Ipv4Addr::from_octets(places.map(|at| address.octets()[at]))
}

/// IPv4 in the mapped form: for programming interfaces, never for the wire (RFC 4291 §2.5.5.2).
pub(crate) fn is_mapped(address: IpAddr) -> bool {
    matches!(address, IpAddr::V6(v6) if v6.to_ipv4_mapped().is_some())
}

/// The net of those addresses.
pub(crate) fn mapped() -> Option<Net> {
    Net::new(Ipv4Addr::UNSPECIFIED.to_ipv6_mapped().into(), 96)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn translated_addresses_are_those_of_rfc_6052() {
        let rows = [
            ("2001:db8:c000:221::", 32),
            ("2001:db8:1c0:2:21::", 40),
            ("2001:db8:122:c000:2:2100::", 48),
            ("2001:db8:122:3c0:0:221::", 56),
            ("2001:db8:122:344:c0:2:2100::", 64),
            ("2001:db8:122:344::192.0.2.33", 96),
        ];
        for (text, prefix) in rows {
            let address: IpAddr = text.parse().unwrap();
            let net = Net::new(address, prefix).unwrap();
            let [.., local] = embedded(address, &[net]);
            assert_eq!(local, Some(IpAddr::from([192, 0, 2, 33])), "{text}");
        }
    }
}
