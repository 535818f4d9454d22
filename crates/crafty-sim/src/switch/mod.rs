//! A switch: learns where link addresses are, floods what it does not know, keeps VLANs apart
//! (IEEE 802.1Q), and with a spanning tree (IEEE 802.1D) uses each redundant link only when it must.

mod tree;

use crate::build::Built;
use crate::frame::Frame;
use crate::node::{Node, Outbox, PortRole, Station};
use crate::packet;
use crafty_value::{Duration, Mac, Time};
use std::collections::BTreeMap;
pub(crate) use tree::{BPDU_GROUP, PortState};
use tree::{Tree, Vector};

/// How long an address is remembered (IEEE 802.1D §7.9.2).
const AGEING: Duration = Duration::seconds(300);
/// Addresses that are remembered.
const TABLE: usize = 8192;
/// Type of a VLAN tag.
const TYPE_VLAN: [u8; 2] = [0x81, 0x00];
/// Type of a MAC control frame (IEEE 802.3 annex 31A).
const TYPE_CONTROL: u16 = 0x8808;

/// A switch.
pub(crate) struct Switch {
    pub ports: Vec<SwitchPort>,
    /// Where an address of a VLAN was heard last, and when.
    table: BTreeMap<(u16, Mac), (usize, Time)>,
    /// How long an address is remembered.
    pub ageing: Duration,
    tree: Option<Tree>,
}

/// A port of a switch.
#[derive(Clone, Debug)]
pub(crate) struct SwitchPort {
    pub role: PortRole,
    /// The VLAN of frames without a tag on a trunk.
    pub native: u16,
    /// Broadcasts a second that are let in.
    pub storm_limit: Option<i64>,
    storm: (Time, i64),
}

impl Switch {
    pub fn new(mac: Mac, priority: Option<u16>) -> Switch {
        Switch {
            ports: Vec::new(),
            table: BTreeMap::new(),
            ageing: AGEING,
            tree: priority.map(|priority| Tree::new(priority, mac)),
        }
    }

    /// Switches the spanning tree off: every port forwards.
    pub fn set_tree(&mut self, tree: Option<Tree>) -> Option<Tree> {
        std::mem::replace(&mut self.tree, tree)
    }

    /// A port came up again: it listens and learns before it forwards.
    pub fn restart(&mut self, now: Time, port: usize) {
        if let Some(tree) = &mut self.tree {
            tree.restart(now, port);
        }
    }

    /// Forgets where addresses are.
    pub fn forget(&mut self) {
        self.table.clear();
    }

    fn state(&self, port: usize) -> PortState {
        let tree = self.tree.as_ref();
        tree.map_or(PortState::Forwarding, |tree| tree.state(port))
    }

    /// The VLAN of a frame that came in at a port, and the frame without a tag.
    fn untag(&self, port: usize, bytes: &mut Vec<u8>) -> Option<u16> {
        let tagged = bytes.get(12..14) == Some(&TYPE_VLAN[..]);
        let role = &self.ports.get(port)?;
        match (role.role, tagged) {
            (PortRole::Access(vlan), false) => Some(vlan),
            (PortRole::Access(_), true) => None,
            (PortRole::Trunk, false) => Some(role.native),
            (PortRole::Trunk, true) => {
                let vlan = packet::u16_at(bytes, 14)? & 0x0fff;
                bytes.drain(12..16);
                Some(vlan)
            }
        }
    }

    /// A frame of a VLAN as it goes out at a port, if the port has the VLAN.
    fn tag(&self, port: usize, vlan: u16, mut frame: Frame) -> Option<Frame> {
        let it = self.ports.get(port)?;
        match it.role {
            PortRole::Access(own) if own == vlan => Some(frame),
            PortRole::Access(_) => None,
            PortRole::Trunk if it.native == vlan => Some(frame),
            PortRole::Trunk => {
                let [high, low] = vlan.to_be_bytes();
                let tag = [TYPE_VLAN[0], TYPE_VLAN[1], high, low];
                frame.bytes.splice(12..12, tag);
                Some(frame)
            }
        }
    }

    /// Whether one more broadcast may come in at a port this second.
    fn storm_allows(&mut self, now: Time, port: usize) -> bool {
        let Some(it) = self.ports.get_mut(port) else {
            return false;
        };
        let Some(limit) = it.storm_limit else {
            return true;
        };
        if now.since(it.storm.0) >= Duration::seconds(1) {
            it.storm = (now, 0);
        }
        it.storm.1 += 1;
        it.storm.1 <= limit
    }

    fn learn(&mut self, now: Time, vlan: u16, mac: Mac, port: usize) {
        if !mac.is_group() && (self.table.len() < TABLE || self.table.contains_key(&(vlan, mac))) {
            self.table.insert((vlan, mac), (port, now));
        }
    }

    fn find(&self, now: Time, vlan: u16, mac: Mac) -> Option<usize> {
        let ageing = match &self.tree {
            Some(tree) if tree.is_changing(now) => tree.short_ageing(),
            _ => self.ageing,
        };
        let (port, since) = self.table.get(&(vlan, mac))?;
        (now.since(*since) < ageing).then_some(*port)
    }

    fn forward(&mut self, now: Time, port: usize, vlan: u16, frame: Frame, out: &mut Outbox) {
        let Some((from, to, _)) = packet::ethernet(&frame.bytes) else {
            return out.drops.push("a cut-off frame");
        };
        let state = self.state(port);
        if state.learns() {
            self.learn(now, vlan, from, port);
        }
        if state != PortState::Forwarding {
            return out.drops.push("the port is blocked by the spanning tree");
        }
        if to.is_group() && !self.storm_allows(now, port) {
            return out.drops.push("storm control");
        }
        let known = self.find(now, vlan, to).filter(|_| !to.is_group());
        match known {
            Some(known) if known == port => {}
            Some(known) => self.emit(known, vlan, frame, out),
            None => {
                for other in (0..self.ports.len()).filter(|other| *other != port) {
                    self.emit(other, vlan, frame.clone(), out);
                }
            }
        }
    }

    fn emit(&self, port: usize, vlan: u16, frame: Frame, out: &mut Outbox) {
        if self.state(port) == PortState::Forwarding
            && let Some(frame) = self.tag(port, vlan, frame)
        {
            out.frames.push((port, frame));
        }
    }
}

impl Station for Switch {
    fn on_frame(&mut self, now: Time, port: usize, mut frame: Frame, out: &mut Outbox) {
        let Some((_, to, kind)) = packet::ethernet(&frame.bytes) else {
            return out.drops.push("a cut-off frame");
        };
        if to == BPDU_GROUP {
            if let Some(tree) = &mut self.tree {
                tree.on_bpdu(now, port, &frame.bytes, out);
            }
            return;
        }
        if kind == TYPE_CONTROL {
            // Meant for the neighbour alone (IEEE 802.1D §7.12.6): a switch passes none on.
            return;
        }
        match self.untag(port, &mut frame.bytes) {
            Some(vlan) => self.forward(now, port, vlan, frame, out),
            None => out.drops.push("a tag on an access port"),
        }
    }

    fn on_wake(&mut self, now: Time, out: &mut Outbox) {
        if let Some(tree) = &mut self.tree
            && tree.on_wake(now, out)
        {
            self.forget();
        }
    }

    fn wake_at(&self) -> Option<Time> {
        self.tree.as_ref().and_then(Tree::wake_at)
    }

    fn on_connect(&mut self, port: usize, role: PortRole) {
        self.ports.resize(
            port + 1,
            SwitchPort {
                role,
                native: 1,
                storm_limit: None,
                storm: (Time(0), 0),
            },
        );
        if let Some(tree) = &mut self.tree {
            tree.add_port(port, role == PortRole::Trunk);
        }
    }

    fn as_switch(&mut self) -> Option<&mut Switch> {
        Some(self)
    }
}

/// Lets the spanning trees of a network that was just built agree at once: its switches have been
/// up for long.
pub(crate) fn converge(built: &mut Built) {
    let rounds = built.elements.len();
    for _ in 0..=rounds {
        let mut said: Vec<(usize, usize, Vector)> = Vec::new();
        for element in &mut built.elements {
            let ports = element.ports.clone();
            let Node::Station(station) = &mut element.node else {
                continue;
            };
            let Some(tree) = station.as_switch().and_then(|it| it.tree.as_mut()) else {
                continue;
            };
            for (port, vector) in tree.says() {
                let (link, side) = ports[port];
                let (node, port) = built.links[link].ends[1 - side];
                said.push((node, port, vector));
            }
        }
        for (node, port, vector) in said {
            if let Node::Station(station) = &mut built.elements[node].node
                && let Some(tree) = station.as_switch().and_then(|it| it.tree.as_mut())
            {
                tree.hear(Time(0), port, vector);
            }
        }
    }
    for element in &mut built.elements {
        if let Node::Station(station) = &mut element.node
            && let Some(tree) = station.as_switch().and_then(|it| it.tree.as_mut())
        {
            tree.settle();
        }
    }
}
