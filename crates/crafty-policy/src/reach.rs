//! Whom a policy lets be reached, as one set of addresses: for who repeats the gate's rules about
//! destinations elsewhere.

use crate::embedded::mapped;
use crate::{AddressSet, FORBIDDEN, HostAddresses, Policy, Power};
use core::net::{IpAddr, Ipv4Addr};
use crafty_value::Net;

/// Groups of either family, and the limited broadcast.
const GROUPS: [(IpAddr, u8); 3] = [
    (IpAddr::V4(Ipv4Addr::new(224, 0, 0, 0)), 4),
    (IpAddr::V4(Ipv4Addr::BROADCAST), 32),
    (
        IpAddr::V6(core::net::Ipv6Addr::new(0xff00, 0, 0, 0, 0, 0, 0, 0)),
        8,
    ),
];

impl Policy {
    /// Destination addresses that the gate lets a packet have that leaves this host: the declared
    /// ones except for what is never reached, and of groups and broadcast addresses those that are
    /// listed and have their power. Of an IPv6 address that carries an IPv4 one the gate asks for
    /// that too; ND on the link is beside it.
    pub fn reachable(&self, host: &HostAddresses) -> AddressSet {
        let shut = set(never(host)).without(&self.opened);
        let groups = set(groups(host));
        let granted = match self.powers.has(Power::Broadcast) {
            true => self.destinations.listed(),
            false => AddressSet::none(),
        };
        self.destinations
            .without(&shut)
            .without(&set([mapped()]))
            .without(&groups.without(&granted))
    }
}

fn set(nets: impl IntoIterator<Item = Option<Net>>) -> AddressSet {
    let mut set = AddressSet::none();
    nets.into_iter().flatten().for_each(|net| set.allow(net));
    set
}

fn never(host: &HostAddresses) -> impl Iterator<Item = Option<Net>> {
    let rows = FORBIDDEN
        .iter()
        .map(|row| Net::new(row.address, row.prefix));
    let own = host.addresses.iter().chain(&host.others);
    rows.chain(own.map(|(own, _)| Some(Net::host(*own))))
}

fn groups(host: &HostAddresses) -> impl Iterator<Item = Option<Net>> {
    let nets = host.addresses.iter().chain(&host.others);
    let nets = nets.filter_map(|&(own, bits)| Net::new(own, bits));
    let ends = nets.flat_map(|net| [net.address(), net.last()]);
    let broadcasts = ends.filter(|&end| host.is_directed_broadcast(end));
    GROUPS
        .iter()
        .map(|&(address, bits)| Net::new(address, bits))
        .chain(broadcasts.map(|end| Some(Net::host(end))))
}
