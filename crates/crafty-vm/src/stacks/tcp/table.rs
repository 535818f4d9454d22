//! The connections by number, with what finds one without looking at all: by its ends, by its
//! block, by when it is due, by whether it may have something to send. Whoever changes a connection
//! takes it from here, and so it is known to have changed.

use crate::stacks::peer::ConnectionId;
use crate::stacks::tcp::held::ConnectionEnds;
use crate::stacks::tcp::held::HeldConnection;
use crafty_lang::ir::StackId;
use crafty_stack::tcp::TcpState;
use crafty_value::Time;
use std::collections::{BTreeMap, BTreeSet};

/// All connections.
#[derive(Debug, Default)]
pub(super) struct ConnectionTable {
    held: BTreeMap<ConnectionId, HeldConnection>,
    by_ends: BTreeSet<(ConnectionEnds, ConnectionId)>,
    /// Of blocks that are open.
    by_stack: BTreeSet<(StackId, ConnectionId)>,
    /// The timers of those that have not changed since they were asked.
    due: BTreeSet<(Time, ConnectionId)>,
    asked: BTreeMap<ConnectionId, Time>,
    /// What has changed since all it had to send left, and since its block was reported.
    changed: BTreeSet<ConnectionId>,
    untold: BTreeSet<ConnectionId>,
}

const LOWEST: ConnectionId = ConnectionId(0);
const HIGHEST: ConnectionId = ConnectionId(u64::MAX);

impl ConnectionTable {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.held.len()
    }

    /// Takes in a connection.
    pub fn insert(&mut self, id: ConnectionId, held: HeldConnection) {
        self.by_ends.insert((held.ends(), id));
        self.by_stack.insert((held.stack, id));
        self.held.insert(id, held);
        self.changes(id);
    }

    /// One that stays as it is.
    pub fn get(&self, id: ConnectionId) -> Option<&HeldConnection> {
        self.held.get(&id)
    }

    /// One that may change.
    pub fn get_mut(&mut self, id: ConnectionId) -> Option<&mut HeldConnection> {
        if !self.held.contains_key(&id) {
            return None;
        }
        self.changes(id);
        self.held.get_mut(&id)
    }

    fn changes(&mut self, id: ConnectionId) {
        if let Some(at) = self.asked.remove(&id) {
            self.due.remove(&(at, id));
        }
        self.changed.insert(id);
        self.untold.insert(id);
    }

    /// Forgets one.
    pub fn remove(&mut self, id: ConnectionId) {
        let Some(held) = self.held.remove(&id) else {
            return;
        };
        self.changes(id);
        self.changed.remove(&id);
        self.untold.remove(&id);
        self.by_ends.remove(&(held.ends(), id));
        self.by_stack.remove(&(held.stack, id));
    }

    /// Its block has ended.
    pub fn orphan(&mut self, id: ConnectionId) {
        let Some(held) = self.get_mut(id) else { return };
        held.orphan = true;
        let stack = held.stack;
        self.by_stack.remove(&(stack, id));
    }

    /// Those between these ends, orphans included, oldest first.
    pub fn between(
        &self,
        ends: ConnectionEnds,
    ) -> impl Iterator<Item = (ConnectionId, &HeldConnection)> + '_ {
        self.by_ends
            .range((ends, LOWEST)..=(ends, HIGHEST))
            .filter_map(|(_, id)| Some((*id, self.held.get(id)?)))
    }

    /// Those of an open block, oldest first.
    pub fn of_stack(
        &self,
        stack: StackId,
    ) -> impl Iterator<Item = (ConnectionId, &HeldConnection)> + '_ {
        self.by_stack
            .range((stack, LOWEST)..=(stack, HIGHEST))
            .filter_map(|(_, id)| Some((*id, self.held.get(id)?)))
    }

    /// All, oldest first.
    pub fn iter(&self) -> impl Iterator<Item = (ConnectionId, &HeldConnection)> {
        self.held.iter().map(|(id, held)| (*id, held))
    }

    /// When one has a timer due.
    pub fn poll_timeout(&self) -> Option<Time> {
        let changed = self
            .changed
            .iter()
            .filter_map(|id| self.held.get(id)?.poll_timeout());
        self.due
            .first()
            .map(|(at, _)| *at)
            .into_iter()
            .chain(changed)
            .min()
    }

    /// Those that are due now, which change by it, and those whose changes their blocks have not
    /// been told since this was last asked.
    pub fn take_due(&mut self, now: Time) -> Vec<ConnectionId> {
        let due: Vec<ConnectionId> = self
            .due
            .range(..=(now, HIGHEST))
            .map(|(_, id)| *id)
            .collect();
        due.into_iter().for_each(|id| self.changes(id));
        self.untold.extend(&self.changed);
        core::mem::take(&mut self.untold).into_iter().collect()
    }

    /// One that may have something to send.
    pub fn first_changed(&self) -> Option<ConnectionId> {
        self.changed.first().copied()
    }

    /// One that counts as changed already.
    pub fn changing(&mut self, id: ConnectionId) -> Option<&mut HeldConnection> {
        self.held.get_mut(&id)
    }

    /// All that it had to send has left: from now on it is asked when it is due. One that is gone
    /// for good is forgotten.
    pub fn has_sent_all(&mut self, id: ConnectionId) {
        self.changed.remove(&id);
        let Some(held) = self.held.get(&id) else {
            return;
        };
        match held.poll_timeout() {
            Some(at) => {
                self.asked.insert(id, at);
                self.due.insert((at, id));
            }
            None if held.orphan && held.tcp.state() == TcpState::Closed => self.remove(id),
            None => {}
        }
    }
}
