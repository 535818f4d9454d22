//! A path that takes less than its routers think.

use super::{Fault, Parameter, Unit, Verdict};
use crate::packet::{ETHERNET, Head};

pub static FAULT: Fault = Fault {
    name: "mtu_hole",
    parameter: Some(Parameter {
        name: "size",
        unit: Unit::Octets,
        default: 1440,
        least: 68,
        most: 1500,
    }),
    doc: "Datagrams longer than this (header included) vanish without an ICMP message, each way, whether they may be cut or not.",
    plant: |lab, planting| {
        lab.impair(planting, |this, frame| {
            match Head::read(frame.get(ETHERNET..).unwrap_or_default()) {
                Ok(head) if head.total as i64 > this.value => Verdict::Drop,
                _ => Verdict::Pass,
            }
        })
    },
};
