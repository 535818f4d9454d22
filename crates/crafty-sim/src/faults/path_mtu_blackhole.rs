//! A link that takes less, and routers that do not say so.

use super::{Fault, Parameter, PlaceKind};
use crate::router::IcmpErrors;

pub static FAULT: Fault = Fault {
    name: "path_mtu_blackhole",
    parameters: &[Parameter::size("size", 1400)],
    place: PlaceKind::Link,
    doc: "A link carries datagrams up to this size only; its routers fragment what may be fragmented, and drop the rest without the ICMP error that would report it.",
    plant: |lab, planting| {
        lab.change_link_mtu(planting, planting.main() as usize)?;
        for router in lab.ends_of(planting)? {
            lab.change_settings(&planting.at(&router), |settings| {
                settings.icmp.says = IcmpErrors::NoMtu;
            })?;
        }
        Ok(())
    },
};
