//! Addresses of hosts, nets and adapters.

use super::{Lexer, span};
use crate::diagnostic::Occurrence;
use crate::diagnostics::{bad_address, host_bits, leading_zeros, mapped_address};
use crate::token::TokenKind;
use core::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use crafty_value::{Mac, Net};

/// The longest address has 45 characters; a longer run is not an address, and looking further would
/// cost time.
const LONGEST: usize = 46;

/// What a run of hex digits, dots and colons looks like.
enum AddressShape {
    V4,
    V6,
    Mac,
    /// Digits with two dots, or with four and more.
    WrongCount,
}

impl Lexer<'_> {
    /// Takes the address that is here, if there is one.
    pub(super) fn address(&mut self) -> bool {
        let len = self
            .rest()
            .iter()
            .take(LONGEST)
            .take_while(|c| c.is_ascii_hexdigit() || **c == b'.' || **c == b':')
            .count();
        let run = self.text(self.at, self.at + len);
        let Some(shape) = shape(run) else {
            return false;
        };
        let odd = self.run_of(len, super::is_word);
        match shape {
            AddressShape::V4 if odd == 0 => self.v4(run),
            AddressShape::V6 if odd == 0 => self.v6(run),
            AddressShape::Mac if odd == 0 => self.push(self.at + len, TokenKind::Mac(mac(run))),
            _ => self.no_address(len + odd),
        }
        true
    }

    fn no_address(&mut self, len: usize) {
        let report = bad_address::at(
            span(self.at, self.at + len),
            self.text(self.at, self.at + len),
        );
        self.refuse(len, report);
    }

    fn refuse(&mut self, len: usize, report: Occurrence) {
        self.tell(report);
        self.push(self.at + len, TokenKind::Bad);
    }

    fn v4(&mut self, run: &str) {
        let octets: Option<Vec<u8>> = run.split('.').map(|n| n.parse().ok()).collect();
        let Some(&[a, b, c, d]) = octets.as_deref() else {
            return self.no_address(run.len());
        };
        let address = Ipv4Addr::new(a, b, c, d);
        if address.to_string() != run {
            let report = leading_zeros::at(span(self.at, self.at + run.len()), run, address);
            return self.refuse(run.len(), report);
        }
        self.perhaps_net(run.len(), IpAddr::V4(address), None);
    }

    fn v6(&mut self, run: &str) {
        let Ok(address) = run.parse::<Ipv6Addr>() else {
            return self.no_address(run.len());
        };
        if let Some(inner) = address.to_ipv4_mapped() {
            let report = mapped_address::at(span(self.at, self.at + run.len()), run, inner);
            return self.refuse(run.len(), report);
        }
        let mut len = run.len();
        let mut zone = None;
        if self.octet(len) == b'%' {
            let more = self.run_of(len + 1, |c| super::is_word(c) || c == b'-' || c == b'.');
            zone = Some(
                self.text(self.at + len + 1, self.at + len + 1 + more)
                    .to_string(),
            );
            len += 1 + more;
        }
        match zone.as_deref() {
            Some("") => self.no_address(len),
            _ => self.perhaps_net(len, IpAddr::V6(address), zone),
        }
    }

    /// `/digits` right after an address makes it a net.
    fn perhaps_net(&mut self, len: usize, address: IpAddr, zone: Option<String>) {
        let digits = if self.octet(len) == b'/' {
            self.run_of(len + 1, |c| c.is_ascii_digit())
        } else {
            0
        };
        if digits == 0 {
            return self.push(self.at + len, TokenKind::Ip(address, zone));
        }
        let total = len + 1 + digits;
        let prefix = self.text(self.at + len + 1, self.at + total).parse().ok();
        let net = prefix
            .and_then(|p| Net::new(address, p))
            .filter(|_| zone.is_none());
        match net {
            Some(net) if net.address() == address => {
                self.push(self.at + total, TokenKind::Net(net))
            }
            Some(net) => {
                let place = span(self.at, self.at + total);
                let report =
                    host_bits::at(place, self.text(self.at, self.at + total), net, address);
                self.refuse(total, report);
            }
            None => self.no_address(total),
        }
    }
}

fn shape(run: &str) -> Option<AddressShape> {
    let colons = run.bytes().filter(|c| *c == b':').count();
    if run.len() == LONGEST {
        None
    } else if run.contains("::") || colons == 7 {
        Some(AddressShape::V6)
    } else if colons == 5
        && run
            .split(':')
            .all(|pair| pair.len() == 2 && !pair.contains('.'))
    {
        Some(AddressShape::Mac)
    } else if colons == 0
        && run
            .split('.')
            .all(|n| !n.is_empty() && n.bytes().all(|c| c.is_ascii_digit()))
    {
        match run.split('.').count() {
            4 => Some(AddressShape::V4),
            1 | 2 => None,
            _ => Some(AddressShape::WrongCount),
        }
    } else {
        None
    }
}

/// Six pairs of hex digits.
fn mac(run: &str) -> Mac {
    let mut octets = [0; 6];
    for (octet, pair) in octets.iter_mut().zip(run.split(':')) {
        *octet = u8::from_str_radix(pair, 16).unwrap_or(0);
    }
    Mac(octets)
}
