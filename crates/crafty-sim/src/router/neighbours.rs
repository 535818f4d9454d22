//! Who has which link address, on all of a router's segments (RFC 826, RFC 4861).

use crafty_value::{Duration, Mac, Time};
use std::collections::BTreeMap;
use std::net::IpAddr;

/// Questions asked before a neighbour counts as unreachable.
const TRIES: u8 = 3;
/// Time between two of them (RFC 4861 §10, `RETRANS_TIMER`).
const PATIENCE: Duration = Duration::seconds(1);
/// Time for which the first of several answers holds.
const HOLD: Duration = Duration::seconds(1);
/// Datagrams that wait for one neighbour.
const WAITING: usize = 64;
/// Neighbours that are asked for at a time.
const ASKED: usize = 256;
/// Neighbours that are known at a time.
const KNOWN: usize = 4096;

/// A frame that waits for its address, and the port it came from, if it is not the router's own.
pub(crate) struct WaitingFrame {
    pub frame: Vec<u8>,
    pub arrival: Option<usize>,
}

/// Neighbours by port and address.
#[derive(Default)]
pub(crate) struct RouterNeighbours {
    known: BTreeMap<(usize, IpAddr), (Mac, Time)>,
    asked: BTreeMap<(usize, IpAddr), Question>,
    next: Option<Time>,
}

struct Question {
    tries: u8,
    again: Time,
    waiting: Vec<WaitingFrame>,
}

/// What is to be done about a neighbour that has not answered.
pub(crate) enum NeighbourAction {
    AskAgain,
    GiveUp(Vec<WaitingFrame>),
}

impl RouterNeighbours {
    pub fn find(&self, port: usize, address: IpAddr) -> Option<Mac> {
        self.known.get(&(port, address)).map(|(mac, _)| *mac)
    }

    /// Knows a neighbour from the start.
    pub fn know(&mut self, port: usize, address: IpAddr, mac: Mac) {
        self.known.insert((port, address), (mac, Time(i64::MIN)));
    }

    /// Lets a frame wait for a neighbour; whether the neighbour is to be asked now, or why the
    /// frame is lost.
    pub fn wait(
        &mut self,
        now: Time,
        port: usize,
        address: IpAddr,
        waiting: WaitingFrame,
    ) -> Result<bool, &'static str> {
        if let Some(question) = self.asked.get_mut(&(port, address)) {
            if question.waiting.len() >= WAITING {
                return Err("too many datagrams are waiting for a neighbour");
            }
            question.waiting.push(waiting);
            return Ok(false);
        }
        if self.asked.len() >= ASKED {
            return Err("too many neighbours are being resolved");
        }
        self.asked.insert(
            (port, address),
            Question {
                tries: 1,
                again: now.after(PATIENCE),
                waiting: vec![waiting],
            },
        );
        self.reckon();
        Ok(true)
    }

    /// Takes an answer to a question, or a change of what is known; unasked news are kept only if
    /// `welcome`.
    pub fn learn(
        &mut self,
        now: Time,
        port: usize,
        address: IpAddr,
        mac: Mac,
        welcome: bool,
    ) -> Vec<WaitingFrame> {
        let question = self.asked.remove(&(port, address));
        let held = self
            .known
            .get(&(port, address))
            .map(|(_, since)| now.since(*since) < HOLD);
        let wanted = match held {
            Some(held) => !held,
            None => (question.is_some() || welcome) && self.known.len() < KNOWN,
        };
        if wanted && !mac.is_group() {
            self.known.insert((port, address), (mac, now));
        }
        self.reckon();
        question
            .map(|question| question.waiting)
            .unwrap_or_default()
    }

    /// Questions whose time has come.
    pub fn due(&mut self, now: Time) -> Vec<(usize, IpAddr, NeighbourAction)> {
        let late: Vec<(usize, IpAddr)> = self
            .asked
            .iter()
            .filter(|(_, it)| it.again <= now)
            .map(|(key, _)| *key)
            .collect();
        let due = late
            .into_iter()
            .filter_map(|key| Some((key.0, key.1, self.remind(now, key)?)))
            .collect();
        self.reckon();
        due
    }

    fn remind(&mut self, now: Time, key: (usize, IpAddr)) -> Option<NeighbourAction> {
        let question = self.asked.get_mut(&key)?;
        if question.tries >= TRIES {
            return self
                .asked
                .remove(&key)
                .map(|question| NeighbourAction::GiveUp(question.waiting));
        }
        question.tries += 1;
        question.again = now.after(PATIENCE);
        Some(NeighbourAction::AskAgain)
    }

    /// When the next question is to be repeated or given up.
    pub fn next_at(&self) -> Option<Time> {
        self.next
    }

    fn reckon(&mut self) {
        self.next = self.asked.values().map(|question| question.again).min();
    }
}
