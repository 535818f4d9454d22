//! Routes of a network: the shortest ways between its routers, all that are equal.

use super::{Builder, Leg};
use crate::node::NodeId;
use crate::router::Hop;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::net::IpAddr;

impl Builder<'_> {
    /// Shortest paths from every router to every net; where several are shortest, all of them.
    pub(super) fn routes(&mut self) {
        let map = NetMap::of(self);
        for net in 0..self.nets.len() {
            let away = map.distances(self, net);
            let hops: Vec<(NodeId, usize, [Option<IpAddr>; 2])> = self
                .legs
                .iter()
                .flat_map(|leg| self.hops(leg, net, &away, &map))
                .collect();
            for (node, port, gateways) in hops {
                let nets = self.nets[net].0;
                let Some(router) = self.router_at(node) else {
                    continue;
                };
                for (net, gateway) in nets.into_iter().zip(gateways) {
                    router.routes.add(net, Hop { port, gateway });
                }
            }
        }
    }

    /// What `leg` contributes to its router's routes towards `net`.
    fn hops(
        &self,
        leg: &Leg,
        net: usize,
        away: &[Option<u32>],
        map: &NetMap,
    ) -> Vec<(NodeId, usize, [Option<IpAddr>; 2])> {
        if leg.net == net {
            return vec![(leg.router, leg.port, [None, None])];
        }
        let cost = self.nets[leg.net].1;
        let nearer = |peer: &&Leg| matches!((away[peer.router], away[leg.router]), (Some(near), Some(far)) if near + cost == far);
        let hop = |peer: &Leg| {
            let gateways = [Some(peer.v4.into()), Some(peer.v6.into())];
            (leg.router, leg.port, gateways)
        };
        let peers = map.on_net[leg.net].iter().map(|it| &self.legs[*it]);
        peers.filter(nearer).map(hop).collect()
    }
}

/// Which legs are on which net, and which are of which router: by their numbers.
pub(super) struct NetMap {
    on_net: Vec<Vec<usize>>,
    of_router: BTreeMap<NodeId, Vec<usize>>,
}

impl NetMap {
    fn of(builder: &Builder<'_>) -> NetMap {
        let mut map = NetMap {
            on_net: vec![Vec::new(); builder.nets.len()],
            of_router: BTreeMap::new(),
        };
        for (number, leg) in builder.legs.iter().enumerate() {
            map.on_net[leg.net].push(number);
            map.of_router.entry(leg.router).or_default().push(number);
        }
        map
    }

    /// What the way from each node to `net` costs (Dijkstra).
    fn distances(&self, builder: &Builder<'_>, net: usize) -> Vec<Option<u32>> {
        let mut away = vec![None; builder.built.elements.len()];
        let legs = &builder.legs;
        let first = self.on_net[net].iter();
        let mut next: BinaryHeap<Reverse<(u32, NodeId)>> =
            first.map(|leg| Reverse((0, legs[*leg].router))).collect();
        while let Some(Reverse((distance, router))) = next.pop() {
            if away[router].is_some() {
                continue;
            }
            away[router] = Some(distance);
            for leg in self.of_router.get(&router).into_iter().flatten() {
                let through = legs[*leg].net;
                let cost = builder.nets[through].1;
                let peers = self.on_net[through].iter().map(|it| legs[*it].router);
                next.extend(peers.map(|peer| Reverse((distance + cost, peer))));
            }
        }
        away
    }
}
