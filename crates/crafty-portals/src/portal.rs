//! A portal: a network namespace with one interface, whose other end is the lab.

use crate::PortalError;
use crafty_net::{InterfaceSetup, OwnNamespace, Tun, TunKind, set_up_interface, set_up_loopback};
use crafty_sim::Attachment;
use std::net::IpAddr;

/// The name that every portal's interface has: it tells nothing of the lab.
const INTERFACE: &str = "eth0";

/// A host of ours in the lab, as a namespace of the kernel's.
pub struct Portal {
    /// Where it is in the lab, and what it was reported about its place.
    pub attachment: Attachment,
    /// Its namespace.
    pub(crate) namespace: OwnNamespace,
    /// The lab's end of its interface.
    pub(crate) tap: Tun,
}

impl Portal {
    /// Makes the namespace and its interface, with the addresses and routes of the place.
    ///
    /// # Errors
    /// The system allows no namespace or interface.
    pub fn open(attachment: Attachment) -> Result<Portal, PortalError> {
        let setup = setup(&attachment);
        let namespace =
            OwnNamespace::new().map_err(PortalError::doing("making a network namespace"))?;
        let tap = namespace
            .run(move || {
                let tap = Tun::open(INTERFACE, TunKind::Frames)?;
                set_up_loopback()?;
                set_up_interface(INTERFACE, &setup).map(|()| tap)
            })
            .map_err(PortalError::doing("working in a network namespace"))?;
        Ok(Portal {
            attachment,
            namespace,
            tap: tap.map_err(PortalError::Interface)?,
        })
    }

    /// The kernel's number of the thread that is in its namespace.
    pub fn thread(&self) -> i32 {
        self.namespace.thread()
    }
}

fn setup(at: &Attachment) -> InterfaceSetup {
    let gateways = [
        at.gateway_v4.map(IpAddr::from),
        at.gateway_v6.map(IpAddr::from),
    ];
    InterfaceSetup {
        mac: Some(at.mac),
        mtu: Some(at.mtu as u32),
        addresses: at.addresses.clone(),
        gateways: gateways.into_iter().flatten().collect(),
    }
}
