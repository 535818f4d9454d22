//! Neighbour solicitations and advertisements (RFC 4861 §4.3, §4.4). No router, prefix or redirect
//! is believed here.

use crate::checksum::Sum;
use crate::ip::{ICMP6, be16, v6};
use crate::neighbours::Notice;
use alloc::vec::Vec;
use core::net::{IpAddr, Ipv6Addr};
use crafty_value::Mac;

const ETHER_TYPE: [u8; 2] = [0x86, 0xdd];
const SOLICITATION: u8 = 135;
const ADVERTISEMENT: u8 = 136;
const SOURCE_LINK_ADDRESS: u8 = 1;
const TARGET_LINK_ADDRESS: u8 = 2;
/// Solicited and override.
const ANSWER_FLAGS: u8 = 0x60;

/// Reads a frame from its EtherType on; `None` if it is neither message, or not valid as RFC 4861
/// §7.1 asks.
pub(crate) fn parse(body: &[u8]) -> Option<Notice> {
    let ip = body.strip_prefix(&ETHER_TYPE)?;
    let message = ip.get(40..40 + usize::from(be16(ip, 4)?))?;
    let (source, destination) = (v6(ip, 8)?, v6(ip, 24)?);
    let local = ip[0] >> 4 == 6 && ip[6] == ICMP6 && ip[7] == 255;
    let valid = local
        && Sum::pseudo(source, destination, ICMP6, message.len())
            .with(message)
            .holds();
    let target = v6(message, 8).filter(|t| valid && !t.is_multicast())?;
    match (message[0], message[1]) {
        (SOLICITATION, 0) => {
            let mac = link_address(message, SOURCE_LINK_ADDRESS).unwrap_or_default();
            Some(Notice {
                sender: source,
                mac,
                target,
                answer: false,
            })
        }
        (ADVERTISEMENT, 0) => {
            let mac = link_address(message, TARGET_LINK_ADDRESS).unwrap_or_default();
            Some(Notice {
                sender: source,
                mac,
                target,
                answer: true,
            })
        }
        _ => None,
    }
}

fn link_address(message: &[u8], kind: u8) -> Option<Mac> {
    let mut options = message.get(24..)?;
    while let &[found, units, ..] = options
        && units > 0
    {
        let (option, rest) = options.split_at_checked(usize::from(units) * 8)?;
        if found == kind {
            return Some(Mac(option[2..8].try_into().ok()?));
        }
        options = rest;
    }
    None
}

/// Writes a solicitation for `target`, or the advertisement of `sender` to `target`, from its
/// EtherType on.
pub(crate) fn write(notice: &Notice, sender: Ipv6Addr, target: Ipv6Addr, out: &mut Vec<u8>) {
    let (kind, flags, about, to, option) = match notice.answer {
        true => (
            ADVERTISEMENT,
            ANSWER_FLAGS,
            sender,
            target,
            TARGET_LINK_ADDRESS,
        ),
        false => (
            SOLICITATION,
            0,
            target,
            solicited_group(target),
            SOURCE_LINK_ADDRESS,
        ),
    };
    let mut message = alloc::vec![kind, 0, 0, 0, flags, 0, 0, 0];
    message.extend_from_slice(&about.octets());
    message.extend_from_slice(&[option, 1]);
    message.extend_from_slice(&notice.mac.0);
    let sum = Sum::pseudo(IpAddr::V6(sender), IpAddr::V6(to), ICMP6, message.len())
        .with(&message)
        .field();
    message[2..4].copy_from_slice(&sum.to_be_bytes());
    out.extend_from_slice(&ETHER_TYPE);
    out.extend_from_slice(&[0x60, 0, 0, 0, 0, message.len() as u8, ICMP6, 255]);
    out.extend_from_slice(&sender.octets());
    out.extend_from_slice(&to.octets());
    out.extend_from_slice(&message);
}

/// The solicited-node group of an address (RFC 4291 §2.7.1).
fn solicited_group(address: Ipv6Addr) -> Ipv6Addr {
    Ipv6Addr::from_bits(0xff02_0000_0000_0000_0000_0001_ff00_0000 | address.to_bits() & 0xff_ffff)
}
