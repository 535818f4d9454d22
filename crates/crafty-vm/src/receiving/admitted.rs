//! What was received: frames, and what driven stacks made of them.

use crate::receiving::view::DecodedPacket;
use crate::stacks::peer::BlockPeer;
use crate::stacks::peer::ConnectionId;
use core::net::IpAddr;
use core::ops::Range;
use crafty_lang::ir::{DrivenKind, FieldRef, Meta, StackId};
use crafty_value::{Time, Value};
use std::sync::Arc;

/// A received frame that the program may see.
#[derive(Debug)]
pub(crate) struct AdmittedFrame {
    /// The frame.
    pub frame: Arc<DecodedPacket>,
    /// The whole datagram, where this frame was the last missing fragment.
    pub datagram: Option<Arc<DecodedPacket>>,
    pub about: FrameMetadata,
    /// Which stacks took it, and what for.
    pub delivered: Vec<BlockDelivery>,
}

impl AdmittedFrame {
    /// What a pattern with `!` is tried on.
    pub fn whole(&self) -> &Arc<DecodedPacket> {
        self.datagram.as_ref().unwrap_or(&self.frame)
    }

    /// Bytes that keeping it takes.
    pub fn size(&self) -> usize {
        self.frame.octets.len() + self.datagram.as_ref().map_or(0, |d| d.octets.len())
    }

    /// What was delivered to this stack.
    pub fn for_stack(&self, stack: StackId) -> impl Iterator<Item = &BlockDelivery> {
        self.delivered.iter().filter(move |d| d.stack == stack)
    }
}

/// What is known of a frame beside its bytes.
#[derive(Clone, Debug)]
pub(crate) struct FrameMetadata {
    pub time: Time,
    pub source: &'static str,
    pub last: Time,
    pub len: i64,
    pub interface: Arc<str>,
    pub checksum_ready: bool,
}

impl FrameMetadata {
    /// One of them as a value; `State` is not one of a frame.
    pub fn meta(&self, meta: Meta) -> Option<Value> {
        Some(match meta {
            Meta::Ts => Value::Time(self.time),
            Meta::TsSource => Value::text(self.source),
            Meta::LastTs => Value::Time(self.last),
            Meta::Len => Value::Int(self.len),
            Meta::Interface => Value::Str(Arc::clone(&self.interface)),
            Meta::State => return None,
        })
    }
}

/// That a stack took what a frame brought.
#[derive(Clone, Debug)]
pub(crate) struct BlockDelivery {
    pub stack: StackId,
    pub peer: BlockPeer,
    pub what: DeliveredContent,
}

/// What a stack made of a frame.
#[derive(Clone, Debug)]
pub(crate) enum DeliveredContent {
    /// A datagram.
    Datagram,
    /// More data of a stream.
    Data(ConnectionId),
    /// A connection is in another state.
    State(ConnectionId, &'static str),
}

/// A stream, or a change of a connection, as a pattern sees it.
#[derive(Clone, Debug)]
pub(crate) struct StreamView {
    pub local: (IpAddr, u16),
    pub remote: (IpAddr, u16),
    pub state: &'static str,
    /// The bytes that a match takes.
    pub data: Arc<Vec<u8>>,
    /// Their layers, where they are a message, and the bytes that `Bytes` stands for in it.
    pub message: Option<(Arc<DecodedPacket>, Option<Range<usize>>)>,
    pub about: FrameMetadata,
}

impl StreamView {
    /// Addresses, ports and state; a stream has no other fields.
    pub fn field(&self, kind: DrivenKind, field: &FieldRef) -> Option<Value> {
        let name = match field {
            FieldRef::Either { name, .. } => name,
            FieldRef::Wire { layer, field } => layer.fields.get(*field)?.name,
            FieldRef::Meta(Meta::State) => return Some(Value::text(self.state)),
            FieldRef::Meta(meta) => return self.about.meta(*meta),
            FieldRef::Option { .. } | FieldRef::OptionList { .. } => return None,
        };
        Some(match (kind, name) {
            (DrivenKind::Ip, "src") => Value::Ip(self.remote.0),
            (DrivenKind::Ip, "dst") => Value::Ip(self.local.0),
            (DrivenKind::Tcp, "src") => Value::Int(self.remote.1.into()),
            (DrivenKind::Tcp, "dst") => Value::Int(self.local.1.into()),
            _ => return None,
        })
    }
}
