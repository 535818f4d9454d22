//! The own port of a block: the one that was asked for, or a free one of `PORTS`.

use crate::stacks::blocks::OpenBlocks;
use crate::stacks::error::BlockError;
use crate::stacks::open_block::{OpenBlock, PortPair};
use core::net::{IpAddr, SocketAddr};
use crafty_lang::ir::DrivenKind;
use crafty_stack::udp::lowest_free;

/// The ends of a block that is about to open, as far as they are known.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WantedEnds {
    pub kind: DrivenKind,
    pub local: Option<u16>,
    pub remote: Option<IpAddr>,
    pub remote_port: Option<u16>,
}

impl OpenBlocks {
    /// Both ports of a block. The same ends twice are an error.
    pub(crate) fn ports(
        &self,
        wanted: WantedEnds,
        owned: &[(u16, u16)],
    ) -> Result<PortPair, BlockError> {
        let src = match wanted.local {
            Some(port) if self.clashes(wanted, port) => return Err(BlockError::PortInUse(port)),
            Some(port) => port,
            None => self
                .free_port(wanted, owned)
                .ok_or(BlockError::NoFreePort)?,
        };
        Ok(PortPair {
            src,
            dst: wanted.remote_port,
        })
    }

    fn of_kind(&self, kind: DrivenKind) -> impl Iterator<Item = &OpenBlock> {
        self.all().filter(move |open| open.last_kind() == kind)
    }

    /// Whether another block has this port towards the same peer.
    fn clashes(&self, wanted: WantedEnds, port: u16) -> bool {
        self.of_kind(wanted.kind)
            .any(|open| open.is_between(port, wanted.remote, wanted.remote_port))
    }

    /// The lowest port that no block has and that was not used towards this peer; if there is none,
    /// the one that was used longest ago.
    fn free_port(&self, wanted: WantedEnds, owned: &[(u16, u16)]) -> Option<u16> {
        let taken = |port: u16| {
            self.of_kind(wanted.kind)
                .any(|open| open.port().is_some_and(|own| own.src == port))
        };
        let last_used = |port: u16| {
            let (remote, remote_port) = wanted.remote.zip(wanted.remote_port)?;
            let peer = SocketAddr::new(remote, remote_port);
            self.connections.last_used(port, peer)
        };
        let unused = lowest_free(owned, |port| taken(port) || last_used(port).is_some());
        unused.or_else(|| {
            let ports = owned.iter().flat_map(|(low, high)| *low..=*high);
            ports
                .filter(|port| !taken(*port))
                .min_by_key(|port| last_used(*port))
        })
    }
}

impl OpenBlock {
    fn is_between(&self, local: u16, remote: Option<IpAddr>, remote_port: Option<u16>) -> bool {
        let meets = |own: Option<IpAddr>| own.is_none() || remote.is_none() || own == remote;
        let same_remote = self.innermost().is_some_and(|ip| meets(ip.dst));
        let same_ports = self.port().is_some_and(|own| {
            let any = own.dst.is_none() || remote_port.is_none();
            own.src == local && (any || own.dst == remote_port)
        });
        same_ports && same_remote
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_blocks_the_lowest_port_is_free_and_none_outside_the_ranges() {
        let blocks = OpenBlocks::default();
        let wanted = |local| WantedEnds {
            kind: DrivenKind::Udp,
            local,
            remote: Some(IpAddr::from([192, 0, 2, 1])),
            remote_port: Some(53),
        };
        let src = |local, owned: &[(u16, u16)]| blocks.ports(wanted(local), owned).map(|p| p.src);
        assert_eq!(src(None, &[(40_000, 40_001)]), Ok(40_000));
        assert_eq!(src(Some(7), &[(40_000, 40_001)]), Ok(7));
        assert_eq!(src(None, &[]), Err(BlockError::NoFreePort));
    }
}
