//! What asks on Ethernet for the link address of somebody behind the interface, and the answer: ARP and
//! Neighbour Discovery.

use crate::far_end::{FAR_MAC, FarEnd};
use crafty_run::Time;
use crafty_stack::Neighbours;
use crafty_wire::PacketView;
use crafty_wire::protocols::{arp, icmp6};
use std::net::IpAddr;

/// The answer to a frame, if it asks for one of the far end's addresses.
pub fn answer(far: &FarEnd, view: &PacketView<'_, '_>, frame: &[u8], now: Time) -> Option<Vec<u8>> {
    let wanted = wanted(view).filter(|address| far.owns(*address))?;
    let mut neighbours = Neighbours::new(FAR_MAC, vec![wanted]);
    neighbours.handle_frame(now, frame);
    let mut answer = Vec::new();
    neighbours.poll_transmit(now, &mut answer).then_some(answer)
}

/// Whom a frame asks for; what is wrong with it otherwise is seen when it is answered.
fn wanted(view: &PacketView<'_, '_>) -> Option<IpAddr> {
    if let Some(at) = view.position(&arp::LAYER, 0) {
        return view
            .has(at, "op", "request")
            .then(|| view.address(at, "tpa"))?;
    }
    let at = view.position(&icmp6::LAYER, 0)?;
    view.has(at, "type", "neighbor_solicitation")
        .then(|| view.address(at, "target"))?
}
