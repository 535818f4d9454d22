//! A box that does not know explicit congestion notification.

use super::{Fault, PlaceKind};
use crate::filter::Match;
use crate::packet;

const SYN_ACK_ECE_CWR: u8 = 0b1101_0010;
const SYN_ECE_CWR: u8 = 0b1100_0010;

pub static FAULT: Fault = Fault {
    name: "ecn_blackhole",
    parameters: &[],
    place: PlaceKind::Link,
    doc: "Connections that ask for ECN (a SYN with ECE and CWR) get no answer: the SYN is dropped.",
    plant: |lab, planting| {
        let of = Match {
            proto: Some(packet::TCP),
            tcp_flags: Some((SYN_ACK_ECE_CWR, SYN_ECE_CWR)),
            ..Match::default()
        };
        lab.filter(planting, of)
    },
};
