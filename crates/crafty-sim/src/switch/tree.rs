//! The spanning tree of one switch, with classic timers (IEEE 802.1D-1998 §8): the best vector that
//! was heard decides which port leads to the root, where this switch is designated, and what is
//! blocked; a port forwards only after it has listened and learned.

use crate::node::Outbox;
use crate::packet::octets;
use crafty_value::{Duration, Mac, Time};

/// Where switches talk about the tree.
pub(crate) const BPDU_GROUP: Mac = Mac([0x01, 0x80, 0xc2, 0, 0, 0]);

const HELLO: Duration = Duration::seconds(2);
const MAX_AGE: Duration = Duration::seconds(20);
const FORWARD_DELAY: Duration = Duration::seconds(15);
/// Cost of a gigabit link (IEEE 802.1D-1998 table 8-5).
const PORT_COST: u32 = 4;
/// Header of a configuration message: destination, LLC, protocol, version, type.
const BPDU_AT: usize = 17;

/// What a configuration message says, the better the smaller: root, cost to it, bridge and port
/// that say it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Vector {
    root: u64,
    cost: u32,
    bridge: u64,
    port: u16,
}

/// What a port does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PortState {
    Blocking,
    Listening,
    Learning,
    Forwarding,
}

impl PortState {
    pub fn learns(self) -> bool {
        matches!(self, PortState::Learning | PortState::Forwarding)
    }
}

#[derive(Clone, Debug)]
struct TreePort {
    state: PortState,
    /// When it listened or learned long enough.
    next_state: Option<Time>,
    /// The best that was heard, and when it is too old.
    heard: Option<(Vector, Time)>,
    is_trunk: bool,
}

/// The tree as one switch sees it.
#[derive(Clone, Debug)]
pub(crate) struct Tree {
    id: u64,
    mac: Mac,
    ports: Vec<TreePort>,
    root: Vector,
    root_port: Option<usize>,
    next_hello: Time,
    changing_until: Time,
}

impl Tree {
    pub fn new(priority: u16, mac: Mac) -> Tree {
        let [a, b, c, d, e, f] = mac.0;
        let [high, low] = priority.to_be_bytes();
        let id = u64::from_be_bytes([high, low, a, b, c, d, e, f]);
        Tree {
            id,
            mac,
            ports: Vec::new(),
            root: Vector {
                root: id,
                cost: 0,
                bridge: id,
                port: 0,
            },
            root_port: None,
            next_hello: Time(0).after(HELLO),
            changing_until: Time(0),
        }
    }

    pub fn add_port(&mut self, port: usize, is_trunk: bool) {
        let state = PortState::Forwarding;
        self.ports.resize(
            port + 1,
            TreePort {
                state,
                next_state: None,
                heard: None,
                is_trunk,
            },
        );
    }

    pub fn state(&self, port: usize) -> PortState {
        self.ports
            .get(port)
            .map_or(PortState::Blocking, |it| it.state)
    }

    /// Whether the topology changed a moment ago: addresses are forgotten sooner.
    pub fn is_changing(&self, now: Time) -> bool {
        now < self.changing_until
    }

    pub fn short_ageing(&self) -> Duration {
        FORWARD_DELAY
    }

    /// What this switch says at a port.
    fn own(&self, port: usize) -> Vector {
        Vector {
            root: self.root.root,
            cost: self.root.cost,
            bridge: self.id,
            port: 0x8000 | port as u16,
        }
    }

    /// Whether this switch is the one that speaks for the link at a port.
    fn is_designated(&self, port: usize) -> bool {
        self.root_port != Some(port)
            && self.ports[port]
                .heard
                .is_none_or(|(heard, _)| self.own(port) < heard)
    }

    /// What is said at each port where this switch is designated.
    pub fn says(&self) -> Vec<(usize, Vector)> {
        let ports = 0..self.ports.len();
        ports
            .filter(|port| self.ports[*port].is_trunk && self.is_designated(*port))
            .map(|port| (port, self.own(port)))
            .collect()
    }

    /// Hears what another switch says at a port.
    pub fn hear(&mut self, now: Time, port: usize, vector: Vector) {
        let Some(it) = self.ports.get_mut(port) else {
            return;
        };
        let better = it.heard.is_none_or(|(heard, until)| {
            vector <= heard || vector.bridge == heard.bridge || until <= now
        });
        if better {
            it.heard = Some((vector, now.after(MAX_AGE)));
        }
        self.reckon();
    }

    /// Finds the root and the port that leads there.
    fn reckon(&mut self) {
        let own = Vector {
            root: self.id,
            cost: 0,
            bridge: self.id,
            port: 0,
        };
        let through = |(port, it): (usize, &TreePort)| {
            let (heard, _) = it.heard?;
            let cost = heard.cost + PORT_COST;
            Some((Vector { cost, ..heard }, port))
        };
        let best = self.ports.iter().enumerate().filter_map(through).min();
        match best {
            Some((vector, port))
                if (vector.root, vector.cost) < (own.root, u32::MAX) && vector.root < own.root =>
            {
                self.root = vector;
                self.root_port = Some(port);
            }
            _ => {
                self.root = own;
                self.root_port = None;
            }
        }
    }

    /// Every port takes at once the state that it would have in the end.
    pub fn settle(&mut self) {
        for port in 0..self.ports.len() {
            self.ports[port].state = self.wanted(port);
            self.ports[port].next_state = None;
        }
    }

    fn wanted(&self, port: usize) -> PortState {
        if self.root_port == Some(port) || self.is_designated(port) {
            PortState::Forwarding
        } else {
            PortState::Blocking
        }
    }

    /// Lets ports begin to listen, or blocks them; whether anything changed.
    fn update(&mut self, now: Time) -> bool {
        let mut changed = false;
        for port in 0..self.ports.len() {
            let wanted = self.wanted(port);
            let it = &mut self.ports[port];
            match (wanted, it.state) {
                (PortState::Blocking, state) if state != PortState::Blocking => {
                    it.state = PortState::Blocking;
                    it.next_state = None;
                    changed = true;
                }
                (PortState::Forwarding, PortState::Blocking) => {
                    it.state = PortState::Listening;
                    it.next_state = Some(now.after(FORWARD_DELAY));
                    changed = true;
                }
                _ => {}
            }
        }
        changed
    }

    /// A port went down and came up again: it listens and learns before it forwards, as one
    /// without port-fast does.
    pub fn restart(&mut self, now: Time, port: usize) {
        if let Some(it) = self.ports.get_mut(port) {
            it.state = PortState::Listening;
            it.next_state = Some(now.after(FORWARD_DELAY));
            self.changing_until = now.after(MAX_AGE).after(FORWARD_DELAY);
        }
    }

    pub fn on_bpdu(&mut self, now: Time, port: usize, frame: &[u8], out: &mut Outbox) {
        let Some(vector) = read(frame) else {
            return out
                .drops
                .push("a configuration message that cannot be read");
        };
        let from_root = self.root_port == Some(port);
        self.hear(now, port, vector);
        if self.update(now) {
            self.changing_until = now.after(MAX_AGE).after(FORWARD_DELAY);
        }
        if from_root && self.root_port == Some(port) {
            self.say(now, out);
        }
    }

    /// Says the tree at every port where this switch is designated.
    fn say(&mut self, now: Time, out: &mut Outbox) {
        let changing = self.is_changing(now);
        for (port, vector) in self.says() {
            out.say(port, message(self.mac, &vector, changing));
        }
    }

    /// Its time has come; whether the topology changed.
    pub fn on_wake(&mut self, now: Time, out: &mut Outbox) -> bool {
        let mut changed = self.forget_old(now);
        for it in &mut self.ports {
            if it.next_state.is_some_and(|at| at <= now) {
                (it.state, it.next_state) = match it.state {
                    PortState::Listening => (PortState::Learning, Some(now.after(FORWARD_DELAY))),
                    _ => (PortState::Forwarding, None),
                };
                changed |= it.state == PortState::Forwarding;
            }
        }
        changed |= self.update(now);
        if changed {
            self.changing_until = now.after(MAX_AGE).after(FORWARD_DELAY);
        }
        if self.next_hello <= now {
            self.next_hello = now.after(HELLO);
            if self.root_port.is_none() {
                self.say(now, out);
            }
        }
        changed
    }

    fn forget_old(&mut self, now: Time) -> bool {
        let mut forgot = false;
        for it in &mut self.ports {
            if it.heard.is_some_and(|(_, until)| until <= now) {
                it.heard = None;
                forgot = true;
            }
        }
        if forgot {
            self.reckon();
        }
        forgot
    }

    pub fn wake_at(&self) -> Option<Time> {
        let ports = self.ports.iter();
        let times = ports
            .clone()
            .filter_map(|it| it.next_state)
            .chain(ports.filter_map(|it| it.heard.map(|it| it.1)));
        let has_trunk = self.ports.iter().any(|it| it.is_trunk);
        times.chain(has_trunk.then_some(self.next_hello)).min()
    }
}

/// A configuration message in its frame (IEEE 802.1D-1998 §9.3.1).
fn message(mac: Mac, vector: &Vector, changing: bool) -> Vec<u8> {
    let mut frame = [&BPDU_GROUP.0[..], &mac.0, &[0, 38, 0x42, 0x42, 3]].concat();
    frame.extend([0, 0, 0, 0, u8::from(changing)]);
    frame.extend(vector.root.to_be_bytes());
    frame.extend(vector.cost.to_be_bytes());
    frame.extend(vector.bridge.to_be_bytes());
    frame.extend(vector.port.to_be_bytes());
    // Times in 256ths of a second: age of the message, greatest age, hello, forward delay.
    for time in [Duration::ZERO, MAX_AGE, HELLO, FORWARD_DELAY] {
        frame.extend(((time.0 / 1_000_000_000 * 256) as u16).to_be_bytes());
    }
    frame
}

fn read(frame: &[u8]) -> Option<Vector> {
    let fixed: [u8; 5 + 22] = octets(frame, BPDU_AT)?;
    let known = fixed[..4] == [0, 0, 0, 0];
    known.then(|| {
        Some(Vector {
            root: u64::from_be_bytes(octets(&fixed, 5)?),
            cost: u32::from_be_bytes(octets(&fixed, 13)?),
            bridge: u64::from_be_bytes(octets(&fixed, 17)?),
            port: u16::from_be_bytes(octets(&fixed, 25)?),
        })
    })?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_read_as_they_were_written() {
        let vector = Vector {
            root: 0x8000_0102_0304_0506,
            cost: 8,
            bridge: 0x9000_0102_0304_0507,
            port: 0x8003,
        };
        let frame = message(Mac([2; 6]), &vector, true);
        assert_eq!(frame.len(), 14 + 38);
        assert_eq!(read(&frame), Some(vector));
        assert_eq!(read(&frame[..40]), None);
    }
}
