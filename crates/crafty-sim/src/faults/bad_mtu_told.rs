//! A link that takes less, and routers that tell a wrong size.

use super::{Fault, Parameter, PlaceKind};

pub static FAULT: Fault = Fault {
    name: "bad_mtu_told",
    parameters: &[Parameter::size("size", 1400)],
    place: PlaceKind::Link,
    doc: "A link carries datagrams up to this size only; its routers report that fragmentation is needed, with a next-hop MTU of 0.",
    plant: |lab, planting| {
        lab.change_link_mtu(planting, planting.main() as usize)?;
        for router in lab.ends_of(planting)? {
            lab.change_settings(&planting.at(&router), |settings| {
                settings.icmp.told_mtu = Some(0);
            })?;
        }
        Ok(())
    },
};
