//! What can be asked of a connection: its counters, what its next segment would say, its stream as a pattern
//! sees it. Changes nothing.

use super::Connections;
use crate::receiving::admitted::StreamView;
use crate::stacks::peer::BlockPeer;
use crate::stacks::peer::ConnectionId;
use crafty_lang::ir::StackId;
use crafty_stack::tcp::{self, Prefill, TcpState};
use crafty_value::{Time, Value};
use std::sync::Arc;

impl Connections {
    /// A counter of the stack.
    pub fn counter(&self, id: ConnectionId, name: &str) -> Option<Value> {
        let held = self.table.get(id)?;
        match name {
            "rtt_samples" => Some(array(
                held.tcp
                    .rtt_samples()
                    .iter()
                    .map(|(_, rtt)| Value::Duration(rtt)),
            )),
            "cwnd_samples" => Some(array(
                held.tcp
                    .cwnd_samples()
                    .iter()
                    .map(|(_, octets)| Value::Int(octets.into())),
            )),
            "withheld" => Some(Value::Int(held.withheld)),
            "src" => Some(Value::Int(held.tcp.local().port().into())),
            "dst" => Some(Value::Int(held.tcp.remote().port().into())),
            _ => tcp::counters::counter(name).map(|row| (row.read)(&held.tcp)),
        }
    }

    /// What a segment made now would say.
    pub fn prefill(&self, id: ConnectionId, now: Time) -> Option<Prefill> {
        self.table.get(id).map(|h| h.tcp.prefill(now))
    }

    /// A stream, without its data.
    pub fn seen(&self, id: ConnectionId) -> Option<StreamView> {
        let held = self.table.get(id)?;
        let received = &held.received;
        let (local, remote) = (held.tcp.local(), held.tcp.remote());
        Some(StreamView {
            local: (local.ip(), local.port()),
            remote: (remote.ip(), remote.port()),
            state: held.tcp.state().name(),
            data: Arc::default(),
            message: None,
            about: received.about(received.end()).clone(),
        })
    }

    /// Its peer.
    pub fn peer(&self, id: ConnectionId) -> Option<BlockPeer> {
        self.table.get(id).map(|h| h.peer.clone())
    }

    /// Whether data can flow.
    pub fn is_up(&self, id: ConnectionId) -> bool {
        self.table.get(id).is_some_and(|h| {
            !matches!(
                h.tcp.state(),
                TcpState::SynSent | TcpState::SynReceived | TcpState::Closed | TcpState::Listen
            )
        })
    }

    /// Whether both ends are done with all connections of a block.
    pub fn are_over(&self, stack: StackId) -> bool {
        self.table
            .of_stack(stack)
            .all(|(_, h)| h.over || h.tcp.state() == TcpState::Closed)
    }
}

fn array(values: impl Iterator<Item = Value>) -> Value {
    Value::Array(Arc::new(values.collect()))
}
