//! Why a datagram is not forwarded, as ICMP says it.

use super::IcmpPolicy;

/// An ICMP error in both versions: type and code of each, and what is in the second word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Refusal {
    v4: Option<(u8, u8)>,
    v6: Option<(u8, u8)>,
    mtu: u32,
    /// For the count of what was given up.
    pub reason: &'static str,
}

/// RFC 792 type 11 code 0; RFC 4443 §3.3.
pub(crate) const TTL_SPENT: Refusal = Refusal {
    v4: Some((11, 0)),
    v6: Some((3, 0)),
    mtu: 0,
    reason: "the TTL has expired",
};
/// RFC 792 type 3 code 0; RFC 4443 §3.1 code 0.
pub(crate) const NO_ROUTE: Refusal = Refusal {
    v4: Some((3, 0)),
    v6: Some((1, 0)),
    mtu: 0,
    reason: "there is no route",
};
/// RFC 792 type 3 code 1; RFC 4443 §3.1 code 3.
pub(crate) const NO_NEIGHBOUR: Refusal = Refusal {
    v4: Some((3, 1)),
    v6: Some((1, 3)),
    mtu: 0,
    reason: "the neighbour does not answer",
};
/// RFC 792 type 3 code 3; RFC 4443 §3.1 code 4.
pub(crate) const NO_PORT: Refusal = Refusal {
    v4: Some((3, 3)),
    v6: Some((1, 4)),
    mtu: 0,
    reason: "nothing listens at the port",
};
/// RFC 792 type 3 code 2. IPv6's parameter problem would need a pointer.
pub(crate) const NO_PROTOCOL: Refusal = Refusal {
    v4: Some((3, 2)),
    v6: None,
    mtu: 0,
    reason: "nothing speaks the protocol",
};

/// RFC 1812 §5.3.9: type 3 code 13; RFC 4443 §3.1 code 1.
pub(crate) const PROHIBITED: Refusal = Refusal {
    v4: Some((3, 13)),
    v6: Some((1, 1)),
    mtu: 0,
    reason: "prohibited by a rule",
};

/// RFC 792 type 11 code 1; RFC 4443 §3.3 code 1.
pub(crate) const NEVER_WHOLE: Refusal = Refusal {
    v4: Some((11, 1)),
    v6: Some((3, 1)),
    mtu: 0,
    reason: "fragments are missing",
};

impl Refusal {
    /// Whether it tells the MTU of the next link.
    pub fn is_about_mtu(&self) -> bool {
        self.v4 == Some((3, 4))
    }

    /// RFC 1191 §4: type 3 code 4; RFC 4443 §3.2.
    pub const fn too_big(mtu: usize) -> Refusal {
        Refusal {
            v4: Some((3, 4)),
            v6: Some((2, 0)),
            mtu: mtu as u32,
            reason: "longer than the next link's MTU",
        }
    }

    /// The message with its quote but without its checksum: as much of the datagram as fits (RFC
    /// 1812 §4.3.2.3, RFC 4443 §2.4).
    pub fn message(&self, v4: bool, datagram: &[u8], policy: &IcmpPolicy) -> Option<Vec<u8>> {
        let (kind, code) = if v4 { self.v4 } else { self.v6 }?;
        let most = if v4 { 576 - 20 - 8 } else { 1280 - 40 - 8 };
        let room = policy.quote.unwrap_or(most).min(most);
        let told = policy.told_mtu.filter(|_| self.is_about_mtu());
        let mut message = vec![kind, code, 0, 0];
        message.extend(told.map_or(self.mtu, u32::from).to_be_bytes());
        message.extend_from_slice(&datagram[..datagram.len().min(room)]);
        Some(message)
    }
}
