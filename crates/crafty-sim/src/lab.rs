//! A network at work: nodes, links and what is going to happen.

use crate::account::PlantedFault;
use crate::attachment::{Attachment, PortId};
use crate::build::{self, Built};
use crate::capture::Passed;
use crate::describe;
use crate::error::LabError;
use crate::faults::Planting;
use crate::frame::Frame;
use crate::link::{Effects, Link};
use crate::node::{Node, NodeId, Outbox};
use crate::plant::Change;
use crate::queue::{EventQueue, EventSource};
use crate::referee::LabReferee;
use crate::router::Router;
use crate::scenario::{self, Scenario, network_named};
use crafty_value::Time;
use std::collections::{BTreeMap, VecDeque};
use std::net::IpAddr;

/// How a lab is set up.
#[derive(Clone, Debug, Default)]
pub struct LabOptions {
    /// Faults to plant: `loss`, `loss=5`, `loss=5@r1-r2`, `loss=5@r1>r2`.
    pub faults: Vec<String>,
    /// Fixes all chance in the lab.
    pub seed: u64,
}

/// A simulated network in virtual time. It starts at time 0 and goes on only when told to.
///
/// ```
/// use crafty_sim::{Lab, LabOptions};
/// use crafty_value::{Duration, Time};
///
/// let mut lab = Lab::named("demo", &LabOptions::default()).unwrap();
/// let here = lab.attach(None).unwrap();
/// lab.send(here.port, Time(0), &[0xff; 60]);
/// while let Some(at) = lab.next_event().filter(|at| *at <= Time(0).after(Duration::seconds(1))) {
///     lab.advance(at);
///     while let Some((_arrived, _frame)) = lab.receive(here.port) {}
/// }
/// ```
pub struct Lab {
    pub(crate) scenario: Scenario,
    pub(crate) seed: u64,
    pub(crate) elements: Vec<LabNode>,
    pub(crate) links: Vec<Link>,
    pub(crate) changes: Vec<Change>,
    pub(crate) queue: EventQueue,
    now: Time,
    out: Outbox,
    effects: Effects,
    ports: Vec<Departures>,
    pub(crate) drops: BTreeMap<(Giver, &'static str), u64>,
    map: String,
    hops: u64,
    referee: LabReferee,
    pub(crate) planted: Vec<PlantedFault>,
}

/// Who gave up a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Giver {
    Node(NodeId),
    Link(usize),
}

/// Frames that a host of ours has to send, with their times, in order of these.
struct Departures {
    node: NodeId,
    frames: VecDeque<(Time, Vec<u8>)>,
}

/// A node with its name and its wiring.
pub(crate) struct LabNode {
    pub name: String,
    pub node: Node,
    /// Link and side of each port.
    pub ports: Vec<(usize, usize)>,
    pub off: bool,
    /// When the next alarm is due that counts.
    wake: Option<Time>,
}

impl LabNode {
    pub fn new(name: String, node: Node) -> LabNode {
        LabNode {
            name,
            node,
            ports: Vec::new(),
            off: false,
            wake: None,
        }
    }
}

impl Lab {
    /// The built-in network called `name`, with faults.
    ///
    /// # Errors
    /// A name that is not known, or a fault that cannot be there; see [`LabError`].
    pub fn named(name: &str, options: &LabOptions) -> Result<Lab, LabError> {
        Lab::of(network_named(name)?.scenario()?, options)
    }

    /// The network of a scenario file's text; `file` is what messages call it.
    ///
    /// # Errors
    /// All mistakes of the file with their lines, or a fault that cannot be there.
    pub fn from_scenario(file: &str, text: &str, options: &LabOptions) -> Result<Lab, LabError> {
        let scenario = scenario::read(file, text).map_err(LabError::Scenario)?;
        Lab::of(scenario, options)
    }

    fn of(scenario: Scenario, options: &LabOptions) -> Result<Lab, LabError> {
        let built = build::network(&scenario, options.seed);
        let map = describe::map(&scenario, &built);
        let Built { elements, links } = built;
        let mut lab = Lab {
            scenario,
            seed: options.seed,
            elements,
            links,
            changes: Vec::new(),
            queue: EventQueue::default(),
            now: Time(0),
            out: Outbox::default(),
            effects: Effects::default(),
            ports: Vec::new(),
            drops: BTreeMap::new(),
            map,
            hops: 0,
            planted: Vec::new(),
            referee: LabReferee::default(),
        };
        lab.judge_hosts(&options.faults);
        lab.plant_routes();
        for planting in lab.scenario.faults.clone() {
            lab.plant(&planting)?;
        }
        for notation in &options.faults {
            let planting = Planting::read(notation)?;
            planting.check_place(&lab.scenario)?;
            lab.plant(&planting)?;
        }
        for node in 0..lab.elements.len() {
            lab.set_alarm(node);
        }
        Ok(lab)
    }

    /// Places where a host of ours may be, with a sentence about each; the first is taken when none
    /// is named.
    pub fn portals(&self) -> impl Iterator<Item = (&str, &str)> {
        let rows = self.scenario.portals.iter();
        rows.map(|row| (row.name.as_str(), row.doc.as_str()))
    }

    /// Portals whose host is one more: none of the network's own gives way to it.
    pub fn free_portals(&self) -> impl Iterator<Item = &str> {
        let rows = self.scenario.portals.iter();
        rows.filter(|row| row.replaces.is_none())
            .map(|row| row.name.as_str())
    }

    /// Puts a host of ours on a segment; the first portal if none is named.
    ///
    /// # Errors
    /// The portal is not known, or taken; the sentence lists those there are.
    pub fn attach(&mut self, portal: Option<&str>) -> Result<Attachment, LabError> {
        let rows = &self.scenario.portals;
        let name = portal.unwrap_or(rows.first().map_or("", |row| &row.name));
        let known = || rows.iter().map(|row| row.name.as_str());
        let place = format!("`{}`", self.scenario.name);
        let row = self.scenario.portal(name).cloned();
        let row = row.ok_or_else(|| LabError::unknown("portal", name, Some(&place), known()))?;
        let element = build::portal_element(name);
        if self.elements.iter().any(|it| it.name == element) {
            let known: Vec<&str> = known().collect();
            return Err(LabError::Impossible(format!(
                "there is already a host at `{name}`; there are {}",
                crate::error::quoted(&known)
            )));
        }
        let port = PortId(self.ports.len());
        self.ports.push(Departures {
            node: self.elements.len(),
            frames: VecDeque::new(),
        });
        Ok(build::attach(self, &row, port))
    }

    /// Our host says a frame at `now`: from the destination's link address to the end of the
    /// payload, without FCS.
    pub fn send(&mut self, port: PortId, now: Time, frame: &[u8]) {
        let now = now.max(self.now);
        let Some(departures) = self.ports.get_mut(port.0) else {
            return;
        };
        let frames = &mut departures.frames;
        let place = frames.partition_point(|it| it.0 <= now);
        frames.insert(place, (now, frame.to_vec()));
        if place == 0 {
            self.queue.push(now, EventSource::Port(port.0 as u32));
        }
    }

    /// The TCP of our host at this port is to keep to the rules, as that of the lab's own hosts is:
    /// where the crate is built for tests (feature `referee`), the lab panics as it goes away if it
    /// did not. `is_smoltcp` where that stack speaks, whose faults are known.
    pub fn judge(&mut self, at: &Attachment, is_smoltcp: bool) {
        let Some(port) = self.ports.get(at.port.0) else {
            return;
        };
        let own: Vec<IpAddr> = at.addresses.iter().map(|(address, _)| *address).collect();
        let case = format!("the host at `{}`", at.portal);
        self.referee.judges(port.node, &case, &own, is_smoltcp);
    }

    fn judge_hosts(&mut self, faults: &[String]) {
        for row in &self.scenario.hosts {
            if let Some(node) = self.node_named(&row.name) {
                let own = [row.v4.into(), row.v6.into()];
                let case = format!("`{}` in `{}`, {faults:?}", row.name, self.scenario.name);
                self.referee.judges(node, &case, &own, true);
            }
        }
    }

    /// When something happens next; `None` if nothing will until our hosts speak.
    pub fn next_event(&self) -> Option<Time> {
        self.queue.next().map(|it| it.0)
    }

    /// Lets time pass to `to`: everything due by then happens.
    pub fn advance(&mut self, to: Time) {
        while let Some((at, source)) = self.queue.next().filter(|it| it.0 <= to) {
            self.now = at;
            self.happen(source);
        }
        self.now = self.now.max(to);
        self.referee.until(self.now);
    }

    /// How far time has passed.
    pub fn now(&self) -> Time {
        self.now
    }

    /// How many frames routers have taken so far.
    pub fn router_hops(&self) -> u64 {
        self.hops
    }

    /// The longest-waiting frame that reached our port, with the time at which its last byte
    /// arrived.
    pub fn receive(&mut self, port: PortId) -> Option<(Time, Vec<u8>)> {
        let node = self.ports.get(port.0)?.node;
        match &mut self.elements[node].node {
            Node::Port(inbox) => inbox.take(),
            _ => None,
        }
    }

    /// Whether a frame waits at our port.
    pub fn waiting(&self, port: PortId) -> bool {
        self.ports.get(port.0).is_some_and(
            |it| matches!(&self.elements[it.node].node, Node::Port(inbox) if inbox.waits()),
        )
    }

    /// Records from now on every frame that passes `link`, as [`Lab::describe`] names it.
    ///
    /// # Errors
    /// There is no such link; the sentence lists those there are.
    pub fn watch(&mut self, link: &str) -> Result<(), LabError> {
        let number = self.link_named(link)?;
        self.links[number].record.get_or_insert_default();
        Ok(())
    }

    /// What passed a watched `link`, in order of time; nothing if it is not watched.
    pub fn capture(&self, link: &str) -> &[Passed] {
        self.links
            .iter()
            .find(|it| it.name == link)
            .and_then(|it| it.record.as_deref())
            .unwrap_or_default()
    }

    /// Nodes, links, addresses, routes and portals, a line each; faults are not told.
    pub fn describe(&self) -> &str {
        &self.map
    }

    /// A picture of the network (SVG, one element); faults are not told. Each line has the name of
    /// its link as `data-link`.
    pub fn picture(&self) -> String {
        crate::picture::svg(&self.scenario)
    }

    pub(crate) fn link_named(&self, name: &str) -> Result<usize, LabError> {
        let known = || self.links.iter().map(|link| link.name.as_str());
        let place = format!("`{}`", self.scenario.name);
        self.links
            .iter()
            .position(|link| link.name == name)
            .ok_or_else(|| LabError::unknown("link", name, Some(&place), known()))
    }

    pub(crate) fn node_named(&self, name: &str) -> Option<NodeId> {
        self.elements.iter().position(|it| it.name == name)
    }

    pub(crate) fn router(&mut self, node: NodeId) -> Option<&mut Router> {
        match &mut self.elements.get_mut(node)?.node {
            Node::Router(router) => Some(router),
            _ => None,
        }
    }

    fn happen(&mut self, source: EventSource) {
        match source {
            EventSource::Lane(lane) => self.arrive(lane),
            EventSource::Port(port) => self.depart(port as usize),
            EventSource::Line(lane) => {
                self.queue.pop();
                let (link, side) = (lane as usize / 2, lane as usize % 2);
                self.links[link].on_line_free(side, self.now, &mut self.effects);
                self.take_effects(link);
            }
            EventSource::Wake(node) => {
                self.queue.pop();
                self.wake(node as usize);
            }
            EventSource::Change(number) => {
                self.queue.pop();
                self.make_change(number as usize);
            }
        }
    }

    fn depart(&mut self, port: usize) {
        self.queue.pop();
        let departures = &mut self.ports[port];
        let now = self.now;
        let Some((_, frame)) = departures.frames.pop_front_if(|it| it.0 <= now) else {
            return;
        };
        if let Some((next, _)) = departures.frames.front() {
            self.queue.push(*next, EventSource::Port(port as u32));
        }
        let node = departures.node;
        self.transmit(node, 0, frame.into());
    }

    fn arrive(&mut self, lane: u32) {
        let (number, side) = (lane as usize / 2, lane as usize % 2);
        let link = &mut self.links[number];
        let Some((frame, next)) = link.ways[side].arrive(self.now) else {
            return self.queue.pop();
        };
        match next {
            Some(next) => self.queue.replace_first(next, EventSource::Lane(lane)),
            None => self.queue.pop(),
        }
        if let Some(record) = &mut link.record {
            record.push(Passed {
                time: self.now,
                forward: side == 0,
                frame: frame.bytes.clone(),
            });
        }
        let (node, port) = link.ends[1 - side];
        let element = &mut self.elements[node];
        if element.off {
            return;
        }
        self.hops += u64::from(matches!(element.node, Node::Router(_)));
        if frame.fcs_ok {
            self.referee.heard(node, self.now, &frame.bytes);
        }
        let ports = element.ports.len();
        element
            .node
            .on_frame(self.now, port, ports, frame, &mut self.out);
        self.settle(node);
    }

    fn wake(&mut self, node: NodeId) {
        let element = &mut self.elements[node];
        if element.wake == Some(self.now) && !element.off {
            element.wake = None;
            element.node.on_wake(self.now, &mut self.out);
            self.settle(node);
        }
    }

    /// Sends what a node said, counts what it gave up, and notes when it wants to be woken.
    fn settle(&mut self, node: NodeId) {
        let mut out = std::mem::take(&mut self.out);
        for reason in out.drops.drain(..) {
            self.count_drop(Giver::Node(node), reason);
        }
        for (port, frame) in out.frames.drain(..) {
            self.transmit(node, port, frame);
        }
        self.out = out;
        self.set_alarm(node);
    }

    pub(crate) fn set_alarm(&mut self, node: NodeId) {
        let element = &mut self.elements[node];
        let wanted = element.node.wake_at().map(|at| at.max(self.now));
        if let Some(at) = wanted.filter(|at| element.wake.is_none_or(|due| *at < due)) {
            element.wake = Some(at);
            self.queue.push(at, EventSource::Wake(node as u32));
        }
    }

    fn transmit(&mut self, node: NodeId, port: usize, frame: Frame) {
        let Some(&(link, side)) = self.elements[node].ports.get(port) else {
            return;
        };
        self.referee.sent(node, self.now, &frame.bytes);
        self.links[link].transmit(side, self.now, frame, &mut self.effects);
        self.take_effects(link);
    }

    fn take_effects(&mut self, link: usize) {
        for (at, source) in self.effects.events.drain(..) {
            self.queue.push(at, source);
        }
        while let Some(reason) = self.effects.drops.pop() {
            self.count_drop(Giver::Link(link), reason);
        }
    }

    fn count_drop(&mut self, giver: Giver, reason: &'static str) {
        *self.drops.entry((giver, reason)).or_default() += 1;
    }
}
