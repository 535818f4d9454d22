//! Messages of TLS's handshake that no single record of a stream, or packet of QUIC, holds whole.

use crate::early::{Early, EarlyBytes};
use crate::messages::{AssemblyResult, MessageAssembler, StreamMessage};
use crafty_wire::protocols::tls::{self, RecordContent};
use crafty_wire::protocols::tls_handshake;

/// Bytes of a handshake that are joined of QUIC's packets; a hello is shorter.
const MAX_JOINED: u64 = 1 << 14;

/// Joins what the records of one direction hold; nothing once what they hold is encrypted, or
/// unclear.
#[derive(Clone, Debug, Default)]
pub(crate) struct RecordJoiner(Option<MessageAssembler>);

impl RecordJoiner {
    /// Of a stream whose opening was seen.
    pub fn new() -> RecordJoiner {
        RecordJoiner(Some(MessageAssembler::from_beginning(
            &tls_handshake::LAYER,
        )))
    }

    /// Bytes that are held.
    pub fn held(&self) -> usize {
        self.0.as_ref().map_or(0, MessageAssembler::held)
    }

    /// Takes what became of a segment; gives the messages that end in its records and began in
    /// earlier ones.
    pub fn take(&mut self, made: &AssemblyResult) -> Vec<StreamMessage> {
        // Behind a gap nobody knows whether a record continues with a message.
        if !made.warnings.iter().all(|warning| warning.keeps_order()) {
            self.0 = None;
        }
        made.messages
            .iter()
            .filter_map(|record| self.record(record))
            .collect()
    }

    fn record(&mut self, record: &StreamMessage) -> Option<StreamMessage> {
        let messages = self.0.as_mut()?;
        let fragment = match tls::holds(&record.octets) {
            RecordContent::Handshake(fragment) => fragment,
            RecordContent::Other => return None,
            RecordContent::Change => {
                self.0 = None;
                return None;
            }
        };
        let goes_on = !messages.aligned();
        let mut joined = AssemblyResult::default();
        record
            .packets
            .iter()
            .for_each(|packet| messages.carried_by(*packet));
        messages.take(fragment, *record.packets.last()?, |_| false, &mut joined);
        if !messages.aligned() {
            record
                .packets
                .iter()
                .for_each(|packet| messages.carried_by(*packet));
        }
        if !joined.warnings.is_empty() {
            self.0 = None;
        }
        joined.messages.into_iter().next().filter(|_| goes_on)
    }
}

/// Joins the pieces that QUIC's packets of one side hold, in any order.
#[derive(Clone, Debug)]
pub(crate) struct CryptoJoiner {
    messages: MessageAssembler,
    early: Early,
    unclear: bool,
}

impl CryptoJoiner {
    /// None yet.
    pub fn new() -> CryptoJoiner {
        CryptoJoiner {
            messages: MessageAssembler::from_beginning(&tls_handshake::LAYER),
            early: Early::default(),
            unclear: false,
        }
    }

    /// Whether a message begins with the next piece, and no later one is there.
    pub fn aligned(&self) -> bool {
        self.messages.aligned() && self.early.first().is_none()
    }

    /// Takes a piece that a packet brought; gives the messages that it completes.
    pub fn take(&mut self, at: u64, octets: &[u8], packet: u64) -> Vec<StreamMessage> {
        let end = at.saturating_add(octets.len() as u64);
        if self.unclear || end > MAX_JOINED {
            return Vec::new();
        }
        self.early.insert(
            at,
            &EarlyBytes {
                octets: octets.to_vec(),
                packet,
                cut: 0,
            },
        );
        let mut made = AssemblyResult::default();
        while self
            .early
            .first()
            .is_some_and(|first| first <= self.messages.end())
        {
            let Some((at, piece)) = self.early.pop() else {
                break;
            };
            let known = usize::try_from(self.messages.end() - at).unwrap_or(usize::MAX);
            self.messages.take(
                piece.octets.get(known..).unwrap_or_default(),
                piece.packet,
                |_| false,
                &mut made,
            );
        }
        self.unclear = !made.warnings.is_empty();
        made.messages
    }
}
