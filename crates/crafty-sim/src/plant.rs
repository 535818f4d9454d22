//! How faults are put into a lab: elements on links, and changes that come and go by a schedule.

mod places;

use crate::account::PlantedFault;
use crate::build;
use crate::dice::RandomStream;
use crate::error::LabError;
use crate::faults::{PlaceKind, Planting};
use crate::filter::Match;
use crate::lab::{Lab, LabNode};
use crate::link::{Discipline, Inline, InlineVerdict, Inlined, LinkProperties, Passing};
use crate::node::{Node, NodeId, Station};
use crate::packet::{ETHERNET, Head};
use crate::queue::EventSource;
use crate::router::{Hop, PolicyRoute, RouterSettings};
use crate::scenario::SegmentRow;
use crate::schedule::Schedule;
use crafty_value::{Mac, Net};
use std::net::IpAddr;

/// What is done to a lab when a fault begins (`true`) and when it ends.
pub(crate) type FaultSwitch = Box<dyn FnMut(&mut Lab, bool)>;

/// A fault that comes and goes.
pub(crate) struct Change {
    schedule: Schedule,
    is_on: bool,
    turn: Option<FaultSwitch>,
}

impl Lab {
    /// Plants a fault.
    pub(crate) fn plant(&mut self, planting: &Planting) -> Result<(), LabError> {
        (planting.fault.plant)(self, planting)?;
        let usual = match planting.fault.place {
            PlaceKind::Link => Some(&self.scenario.trunk),
            PlaceKind::Host => Some(&self.scenario.server),
            _ => None,
        };
        self.planted.push(PlantedFault {
            fault: planting.fault.name,
            place: planting.place.as_ref().or(usual).cloned(),
        });
        Ok(())
    }

    /// Does something now, or when the fault's schedule says; and undoes it.
    pub(crate) fn change(
        &mut self,
        schedule: Schedule,
        turn: impl FnMut(&mut Lab, bool) + 'static,
    ) {
        let mut turn: FaultSwitch = Box::new(turn);
        let is_on = schedule.is_on(self.now());
        if is_on {
            turn(self, true);
        }
        let number = self.changes.len() as u32;
        if let Some(at) = schedule.next_change(self.now()) {
            self.queue.push(at, EventSource::Change(number));
        }
        self.changes.push(Change {
            schedule,
            is_on,
            turn: Some(turn),
        });
    }

    pub(crate) fn make_change(&mut self, number: usize) {
        let now = self.now();
        let change = &mut self.changes[number];
        let is_on = change.schedule.is_on(now);
        if let Some(at) = change.schedule.next_change(now) {
            self.queue.push(at, EventSource::Change(number as u32));
        }
        let turns = std::mem::replace(&mut change.is_on, is_on) != is_on;
        if let Some(mut turn) = change.turn.take() {
            if turns {
                turn(self, is_on);
            }
            self.changes[number].turn = Some(turn);
        }
    }

    /// Puts an element on the link that was named, or on the trunk: both directions for `a-b`, one
    /// for `a>b`.
    pub(crate) fn inline(
        &mut self,
        planting: &Planting,
        element: impl FnMut(&mut Passing<'_>) -> InlineVerdict + 'static,
    ) -> Result<(), LabError> {
        self.inline_element(planting, Box::new(element))
    }

    pub(crate) fn inline_element(
        &mut self,
        planting: &Planting,
        element: Box<dyn Inline>,
    ) -> Result<(), LabError> {
        let (link, sides) = self.directions(planting)?;
        self.add_inline(link, sides, planting, element);
        Ok(())
    }

    fn add_inline(
        &mut self,
        link: usize,
        sides: [bool; 2],
        planting: &Planting,
        element: Box<dyn Inline>,
    ) {
        let name = planting.fault.name;
        let dice = [0, 1].map(|side| {
            RandomStream::new(
                self.seed,
                &format!("{}/{side}/{name}", self.links[link].name),
            )
        });
        self.links[link]
            .inlines
            .push(Inlined::new(name, sides, planting.schedule, dice, element));
    }

    /// The link address of the node that is added next.
    pub(crate) fn next_mac(&self) -> Mac {
        build::mac_of(self.elements.len(), 0)
    }

    /// Adds a station to a segment.
    pub(crate) fn add_station(
        &mut self,
        name: &str,
        station: Box<dyn Station>,
        segment: &SegmentRow,
        at: Option<&str>,
    ) {
        let node = self.elements.len();
        let name = format!("{name}.{node}");
        self.elements
            .push(LabNode::new(name, Node::Station(station)));
        let (elements, links) = (&mut self.elements, &mut self.links);
        build::join(elements, links, segment, at, node, segment.medium);
        self.set_alarm(node);
    }

    /// Lets the routers where equal paths part take only one of them, by turns: without the detour
    /// in the first schedule, by it alone in the second.
    pub(crate) fn prefer_path(
        &mut self,
        planting: &Planting,
        schedules: [Schedule; 2],
    ) -> Result<(), LabError> {
        let detour = self.link_named(&self.scenario.detour.clone())?;
        for (node, port) in self.links[detour].ends {
            let Some(router) = self.router(node) else {
                return Err(self.no_detour(planting));
            };
            let rows: Vec<(Net, Vec<Hop>)> = router
                .routes
                .rows()
                .filter(|(_, hops)| hops.len() > 1 && hops.iter().any(|it| it.port == port))
                .map(|(net, hops)| (net, hops.to_vec()))
                .collect();
            for (net, hops) in rows {
                let (by, without): (Vec<Hop>, Vec<Hop>) =
                    hops.into_iter().partition(|it| it.port == port);
                self.change_route(schedules[0], node, net, Some(without));
                self.change_route(schedules[1], node, net, Some(by));
            }
        }
        Ok(())
    }

    /// Sends what fits over the detour.
    pub(crate) fn policy_toward_detour(
        &mut self,
        planting: &Planting,
        of: Match,
    ) -> Result<(), LabError> {
        let detour = self.link_named(&self.scenario.detour.clone())?;
        let [(near, port), (far, _)] = self.links[detour].ends;
        let hops = [true, false].map(|v4| self.hop_to(near, far, v4));
        let name = self.elements[near].name.clone();
        self.change_settings(&planting.at(&name), |settings| {
            let gateways = hops.iter().flatten().filter_map(|hop| hop.gateway);
            settings
                .policies
                .extend(gateways.map(|gateway| PolicyRoute {
                    of: of.clone(),
                    port,
                    gateway,
                }));
        })
    }

    /// Sets routers up otherwise while the fault is there.
    pub(crate) fn change_settings(
        &mut self,
        planting: &Planting,
        set: impl Fn(&mut RouterSettings),
    ) -> Result<(), LabError> {
        for node in self.routers_of(planting)? {
            let Some(router) = self.router(node) else {
                continue;
            };
            let mut other = router.settings.clone();
            set(&mut other);
            self.change(planting.schedule, move |lab, _| {
                if let Some(router) = lab.router(node) {
                    std::mem::swap(&mut router.settings, &mut other);
                }
            });
        }
        Ok(())
    }

    /// Makes the directions of a link otherwise while the fault is there.
    pub(crate) fn change_medium(
        &mut self,
        planting: &Planting,
        set: impl Fn(&mut LinkProperties),
    ) -> Result<(), LabError> {
        let (link, sides) = self.directions(planting)?;
        for side in (0..2).filter(|side| sides[*side]) {
            let mut other = self.links[link].ways[side].medium;
            set(&mut other);
            self.change(planting.schedule, move |lab, _| {
                std::mem::swap(&mut lab.links[link].ways[side].medium, &mut other);
            });
        }
        Ok(())
    }

    /// Drops on a link whatever fits.
    pub(crate) fn filter(&mut self, planting: &Planting, of: Match) -> Result<(), LabError> {
        self.inline(planting, move |it| drop_if(&of, it))
    }

    /// Drops whatever fits on its way to a host.
    pub(crate) fn filter_toward(&mut self, planting: &Planting, of: Match) -> Result<(), LabError> {
        self.inline_toward(planting, move |it| drop_if(&of, it))
    }

    /// Puts an element on a host's link, on the direction toward the host.
    pub(crate) fn inline_toward(
        &mut self,
        planting: &Planting,
        element: impl FnMut(&mut Passing<'_>) -> InlineVerdict + 'static,
    ) -> Result<(), LabError> {
        let (link, [a, b]) = self.directions(planting)?;
        let sides = if a && b { [true; 2] } else { [b, a] };
        self.add_inline(link, sides, planting, Box::new(element));
        Ok(())
    }

    /// Gives the directions of a link another queue while the fault is there.
    pub(crate) fn change_queue(
        &mut self,
        planting: &Planting,
        build: impl Fn(&LinkProperties, RandomStream) -> Box<dyn Discipline> + Clone + 'static,
    ) -> Result<(), LabError> {
        let (link, sides) = self.directions(planting)?;
        for side in (0..2).filter(|side| sides[*side]) {
            let build = build.clone();
            let name = format!("{}/{side}/{}", self.links[link].name, planting.fault.name);
            let dice = RandomStream::new(self.seed, &name);
            self.change(planting.schedule, move |lab, is_on| {
                let way = &mut lab.links[link].ways[side];
                let queue = is_on.then(|| build(&way.medium, dice.clone()));
                way.set_discipline(queue);
            });
        }
        Ok(())
    }

    /// Lets the routers at the ends of a link send no longer datagrams over it.
    pub(crate) fn change_link_mtu(
        &mut self,
        planting: &Planting,
        mtu: usize,
    ) -> Result<(), LabError> {
        let (link, _) = self.directions(planting)?;
        let mut other = [mtu; 2];
        self.change(planting.schedule, move |lab, _| {
            let ends = lab.links[link].ends;
            for ((node, port), other) in ends.into_iter().zip(&mut other) {
                if let Some(it) = lab.router(node).and_then(|it| it.interfaces.get_mut(port)) {
                    std::mem::swap(&mut it.mtu, other);
                }
            }
        });
        Ok(())
    }

    /// Gives a router other ways to a net while the fault is there; `None` takes the net out of its
    /// table, an empty list discards.
    pub(crate) fn change_route(
        &mut self,
        schedule: Schedule,
        node: NodeId,
        net: Net,
        hops: Option<Vec<Hop>>,
    ) {
        let mut other = hops;
        self.change(schedule, move |lab, _| {
            if let Some(router) = lab.router(node) {
                let before = router.routes.remove(net);
                if let Some(hops) = std::mem::replace(&mut other, before) {
                    router.routes.set(net, hops);
                }
            }
        });
    }

    /// The routes that the scenario gives beside the shortest paths.
    pub(crate) fn plant_routes(&mut self) {
        for row in self.scenario.routes.clone() {
            let Some(node) = self.node_named(&row.router) else {
                continue;
            };
            let via = row.via.as_deref().and_then(|it| self.node_named(it));
            let hops = via
                .and_then(|via| self.hop_to(node, via, row.net.address().is_ipv4()))
                .into_iter()
                .collect();
            let schedule = Schedule {
                from: row.from,
                until: row.until,
                ..Schedule::default()
            };
            self.change_route(schedule, node, row.net, Some(hops));
        }
    }

    /// The hop from one router to a neighbour.
    pub(crate) fn hop_to(&mut self, from: NodeId, to: NodeId, v4: bool) -> Option<Hop> {
        let ports = self.elements[from].ports.clone();
        let theirs: Vec<[IpAddr; 2]> = self
            .router(to)?
            .interfaces
            .iter()
            .map(|it| it.addresses())
            .collect();
        for (port, _) in ports.into_iter().enumerate() {
            let interface = self.router(from)?.interfaces.get(port)?;
            let own = Net::new(interface.v4.0.into(), interface.v4.1)?;
            if let Some(peer) = theirs.iter().find(|it| own.contains(it[0])) {
                return Some(Hop {
                    port,
                    gateway: Some(peer[usize::from(!v4)]),
                });
            }
        }
        None
    }
}

fn drop_if(of: &Match, it: &Passing<'_>) -> InlineVerdict {
    let datagram = it.frame.bytes.get(ETHERNET..).unwrap_or_default();
    match Head::read(datagram) {
        Ok(head) if of.fits(&head, datagram) => InlineVerdict::Drop,
        _ => InlineVerdict::Pass,
    }
}
