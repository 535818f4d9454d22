//! A network at work: nodes, links and what is going to happen.

use crate::attachment::{Attachment, PortId, Stand};
use crate::build::{self, Built};
use crate::capture::Passed;
use crate::describe;
use crate::faults::{Impairment, Planting, Treatment};
use crate::link::Link;
use crate::networks::Network;
use crate::node::{Node, NodeId, Outbox};
use crate::queue::{Event, Queue};
use crate::router::Router;
use crate::spec::{network_named, planting};
use crafty_value::Time;
use std::collections::BTreeMap;

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
    pub(crate) network: &'static Network,
    pub(crate) seed: u64,
    pub(crate) elements: Vec<Element>,
    pub(crate) links: Vec<Link>,
    now: Time,
    queue: Queue,
    out: Outbox,
    ports: Vec<NodeId>,
    drops: BTreeMap<(String, &'static str), u64>,
    map: String,
}

/// A node with its name and its wiring.
pub(crate) struct Element {
    pub name: String,
    pub node: Node,
    /// Link and side of each port.
    pub ports: Vec<(usize, usize)>,
    pub off: bool,
    /// When the next `Wake` is due that counts.
    wake: Option<Time>,
}

impl Element {
    pub fn new(name: String, node: Node) -> Element {
        Element {
            name,
            node,
            ports: Vec::new(),
            off: false,
            wake: None,
        }
    }
}

impl Lab {
    /// The network called `name`, with faults.
    ///
    /// # Errors
    /// A sentence that names what is not known, and what there is.
    pub fn named(name: &str, options: &LabOptions) -> Result<Lab, String> {
        let network = network_named(name)?;
        let built = build::network(network, options.seed)?;
        let map = describe::map(network, &built);
        let Built { elements, links } = built;
        let mut lab = Lab {
            network,
            seed: options.seed,
            elements,
            links,
            now: Time(0),
            queue: Queue::default(),
            out: Outbox::default(),
            ports: Vec::new(),
            drops: BTreeMap::new(),
            map,
        };
        for item in &options.faults {
            let planting = planting(item)?;
            (planting.fault.plant)(&mut lab, &planting)?;
        }
        Ok(lab)
    }

    /// Places where a host of ours may stand; the first is taken when none is named.
    pub fn stands(&self) -> &'static [Stand] {
        self.network.stands
    }

    /// Puts a host of ours on a segment; the first stand if none is named.
    ///
    /// # Errors
    /// The stand is not known, or taken; the sentence lists those there are.
    pub fn attach(&mut self, stand: Option<&str>) -> Result<Attachment, String> {
        let known = || {
            self.stands()
                .iter()
                .map(|stand| format!("`{}`", stand.name))
                .collect::<Vec<_>>()
                .join(", ")
        };
        let name = stand.unwrap_or(self.stands()[0].name);
        let stand = self.stands().iter().find(|stand| stand.name == name);
        let stand = stand.ok_or_else(|| {
            format!(
                "there is no stand `{name}` in `{}`; there are {}",
                self.network.name,
                known()
            )
        })?;
        if self
            .elements
            .iter()
            .any(|element| element.name == stand.element())
        {
            return Err(format!(
                "a host stands at `{name}` already; there are {}",
                known()
            ));
        }
        let port = PortId(self.ports.len());
        self.ports.push(self.elements.len());
        build::attach(self, stand, port)
    }

    /// Our host says a frame at `now`: from the destination's link address to the end of the
    /// payload, without FCS.
    pub fn send(&mut self, port: PortId, now: Time, frame: &[u8]) {
        if let Some(&node) = self.ports.get(port.0) {
            self.queue.push(
                now.max(self.now),
                Event::Depart {
                    node,
                    frame: frame.to_vec(),
                },
            );
        }
    }

    /// When something happens next; `None` if nothing will until our hosts speak.
    pub fn next_event(&self) -> Option<Time> {
        self.queue.next_at()
    }

    /// Lets time pass to `to`: everything due by then happens.
    pub fn advance(&mut self, to: Time) {
        while let Some((at, event)) = self.queue.pop_due(to) {
            self.now = at;
            self.happen(event);
        }
        self.now = self.now.max(to);
    }

    /// How far time has passed.
    pub fn now(&self) -> Time {
        self.now
    }

    /// The longest-waiting frame that reached our port, with the time at which its last byte
    /// arrived.
    pub fn receive(&mut self, port: PortId) -> Option<(Time, Vec<u8>)> {
        let node = *self.ports.get(port.0)?;
        match &mut self.elements[node].node {
            Node::Port(inbox) => inbox.take(),
            _ => None,
        }
    }

    /// Whether a frame waits at our port.
    pub fn waiting(&self, port: PortId) -> bool {
        self.ports.get(port.0).is_some_and(
            |node| matches!(&self.elements[*node].node, Node::Port(inbox) if inbox.waits()),
        )
    }

    /// Records from now on every frame that passes `link`, as [`Lab::describe`] names it.
    ///
    /// # Errors
    /// There is no such link; the sentence lists those there are.
    pub fn watch(&mut self, link: &str) -> Result<(), String> {
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

    /// How many frames were given up, by element and reason.
    pub fn drops(&self) -> &BTreeMap<(String, &'static str), u64> {
        &self.drops
    }

    /// Nodes, links, addresses, routes and stands, a line each; faults are not told.
    pub fn describe(&self) -> &str {
        &self.map
    }

    pub(crate) fn link_named(&self, name: &str) -> Result<usize, String> {
        self.links
            .iter()
            .position(|link| link.name == name)
            .ok_or_else(|| {
                let known = self
                    .links
                    .iter()
                    .map(|link| format!("`{}`", link.name))
                    .collect::<Vec<_>>()
                    .join(", ");
                format!(
                    "there is no link `{name}` in `{}`; there are {known}",
                    self.network.name
                )
            })
    }

    pub(crate) fn element_named(&mut self, name: &str) -> Option<&mut Element> {
        self.elements
            .iter_mut()
            .find(|element| element.name == name)
    }

    pub(crate) fn router(&mut self, node: NodeId) -> Option<&mut Router> {
        match &mut self.elements.get_mut(node)?.node {
            Node::Router(router) => Some(router),
            _ => None,
        }
    }

    /// Plants a fault in the router that was named, or in all.
    pub(crate) fn each_router(
        &mut self,
        planting: &Planting<'_>,
        plant: fn(&mut Router, i64),
    ) -> Result<(), String> {
        let named =
            |element: &&mut Element| planting.place.is_none_or(|place| place == element.name);
        let mut found = false;
        for element in self.elements.iter_mut().filter(named) {
            if let Node::Router(router) = &mut element.node {
                plant(router, planting.value);
                found = true;
            }
        }
        if found {
            Ok(())
        } else {
            Err(self.no_router(planting.place.unwrap_or_default()))
        }
    }

    fn no_router(&self, name: &str) -> String {
        let routers: Vec<String> = self
            .network
            .routers
            .iter()
            .map(|row| format!("`{}`", row.name))
            .collect();
        format!(
            "there is no router `{name}` in `{}`; there are {}",
            self.network.name,
            routers.join(", ")
        )
    }

    /// Plants a fault at the link that was named, or at the trunk: both ways for `a-b`, one way for
    /// `a>b`.
    pub(crate) fn impair(
        &mut self,
        planting: &Planting<'_>,
        treatment: Treatment,
    ) -> Result<(), String> {
        let place = planting.place.unwrap_or(self.network.trunk);
        let (link, sides) = self.ways(place)?;
        for side in sides {
            Impairment::new(planting, treatment).on(&mut self.links[link], side, self.seed);
        }
        Ok(())
    }

    /// The link and the sides that send into it: `a-b`, `a>b`, `b>a`.
    fn ways(&self, place: &str) -> Result<(usize, Vec<usize>), String> {
        let Some((from, to)) = place.split_once('>') else {
            return Ok((self.link_named(place)?, vec![0, 1]));
        };
        match self.link_named(&format!("{from}-{to}")) {
            Ok(link) => Ok((link, vec![0])),
            Err(reason) => self
                .link_named(&format!("{to}-{from}"))
                .map(|link| (link, vec![1]))
                .map_err(|_| reason),
        }
    }

    fn happen(&mut self, event: Event) {
        match event {
            Event::Depart { node, frame } => self.transmit(node, 0, frame),
            Event::Arrive { node, port, frame } => self.arrive(node, port, frame),
            Event::Wake { node } => self.wake(node),
        }
    }

    fn arrive(&mut self, node: NodeId, port: usize, frame: Vec<u8>) {
        let element = &mut self.elements[node];
        let (link, side) = element.ports[port];
        if let Some(record) = &mut self.links[link].record {
            record.push(Passed {
                time: self.now,
                forward: side == 1,
                frame: frame.clone(),
            });
        }
        if element.off {
            return;
        }
        element
            .node
            .on_frame(self.now, port, element.ports.len(), frame, &mut self.out);
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
            self.count_drop(self.elements[node].name.clone(), reason);
        }
        for (port, frame) in out.frames.drain(..) {
            self.transmit(node, port, frame);
        }
        self.out = out;
        let element = &mut self.elements[node];
        if let Some(at) = element
            .node
            .wake_at()
            .map(|at| at.max(self.now))
            .filter(|at| element.wake.is_none_or(|due| *at < due))
        {
            element.wake = Some(at);
            self.queue.push(at, Event::Wake { node });
        }
    }

    fn transmit(&mut self, node: NodeId, port: usize, frame: Vec<u8>) {
        let Some(&(number, side)) = self.elements[node].ports.get(port) else {
            return;
        };
        let link = &mut self.links[number];
        let (peer, peer_port) = link.ends[1 - side];
        match link.transmit(side, self.now, frame) {
            Ok(arrivals) => {
                for (at, frame) in arrivals {
                    self.queue.push(
                        at,
                        Event::Arrive {
                            node: peer,
                            port: peer_port,
                            frame,
                        },
                    );
                }
            }
            Err(reason) => {
                let name = link.name.clone();
                self.count_drop(name, reason);
            }
        }
    }

    fn count_drop(&mut self, element: String, reason: &'static str) {
        *self.drops.entry((element, reason)).or_default() += 1;
    }
}
