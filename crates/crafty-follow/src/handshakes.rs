//! Messages of TLS's handshake that no single record of a stream, or packet of QUIC, holds whole.

use crate::early::{Early, Piece};
use crate::messages::{Made, Message, Messages};
use crafty_wire::protocols::tls::{self, Holds};
use crafty_wire::protocols::tls_handshake;

/// Bytes of a handshake that are joined of QUIC's packets; a hello is shorter.
const MAX_JOINED: u64 = 1 << 14;

/// Joins what the records of one direction hold; nothing once what they hold is enciphered, or
/// unclear.
#[derive(Clone, Debug, Default)]
pub(crate) struct Records(Option<Messages>);

impl Records {
    /// Of a stream whose opening was seen.
    pub fn new() -> Records {
        Records(Some(Messages::new(&tls_handshake::LAYER, true)))
    }

    /// Bytes that are held.
    pub fn held(&self) -> usize {
        self.0.as_ref().map_or(0, Messages::held)
    }

    /// Takes what became of a segment; gives the messages that end in its records and began in
    /// earlier ones.
    pub fn take(&mut self, made: &Made) -> Vec<Message> {
        // Behind a gap nobody knows whether a record goes on with a message.
        if !made.remarks.iter().all(|remark| remark.keeps_order()) {
            self.0 = None;
        }
        made.messages
            .iter()
            .filter_map(|record| self.record(record))
            .collect()
    }

    fn record(&mut self, record: &Message) -> Option<Message> {
        let messages = self.0.as_mut()?;
        let fragment = match tls::holds(&record.octets) {
            Holds::Handshake(fragment) => fragment,
            Holds::Other => return None,
            Holds::Change => {
                self.0 = None;
                return None;
            }
        };
        let goes_on = !messages.aligned();
        let mut joined = Made::default();
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
        if !joined.remarks.is_empty() {
            self.0 = None;
        }
        joined.messages.into_iter().next().filter(|_| goes_on)
    }
}

/// Joins the pieces that QUIC's packets of one side hold, in any order.
#[derive(Clone, Debug)]
pub(crate) struct Pieces {
    messages: Messages,
    early: Early,
    unclear: bool,
}

impl Pieces {
    /// None yet.
    pub fn new() -> Pieces {
        Pieces {
            messages: Messages::new(&tls_handshake::LAYER, true),
            early: Early::default(),
            unclear: false,
        }
    }

    /// Whether a message begins with the next piece, and no later one is there.
    pub fn aligned(&self) -> bool {
        self.messages.aligned() && self.early.first().is_none()
    }

    /// Takes a piece that a packet brought; gives the messages that it completes.
    pub fn take(&mut self, at: u64, octets: &[u8], packet: u64) -> Vec<Message> {
        let end = at.saturating_add(octets.len() as u64);
        if self.unclear || end > MAX_JOINED {
            return Vec::new();
        }
        self.early.insert(
            at,
            &Piece {
                octets: octets.to_vec(),
                packet,
                cut: 0,
            },
        );
        let mut made = Made::default();
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
        self.unclear = !made.remarks.is_empty();
        made.messages
    }
}
