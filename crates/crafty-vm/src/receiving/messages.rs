//! Messages in the streams of `TCP!` blocks: a pattern that names a layer on `TCP!` is tried on one
//! whole message after the other, however the segments were cut. A match takes the message and what
//! was passed over before it; nothing else is taken.

use crate::execution::packets::PacketEntry;
use crate::machine::Machine;
use crate::receiving::admitted::{FrameMetadata, StreamView};
use crate::receiving::pattern::{EvaluatedPattern, StreamPosition};
use crate::receiving::reception::{ArmMatch, AttemptResult};
use crate::receiving::view::DecodedPacket;
use crate::stacks::peer::BlockPeer;
use crate::stacks::peer::ConnectionId;
use crate::stacks::tcp::Connections;
use crafty_lang::ir::Arm;
use crafty_stack::tcp::TcpState;
use crafty_wire::{Framing, Layer, Scan};
use std::sync::Arc;

/// Bytes that a message matches with at most: a longer one matches when so many are there, and
/// takes the rest too.
const MOST_SHOWN: usize = 1 << 19;

/// A message at the head of what is left of a stream.
struct HeadMessage {
    octets: Vec<u8>,
    /// Where the next one begins.
    end: u64,
    /// The frame that completed it.
    about: FrameMetadata,
}

impl Machine {
    /// Tries an arm on the next message of a stream that its watcher has neither taken nor passed
    /// over.
    pub(crate) fn try_message(
        &mut self,
        pattern: &mut EvaluatedPattern,
        arm: &Arm,
        connection: ConnectionId,
        peer: Option<BlockPeer>,
        watch: Option<usize>,
    ) -> AttemptResult {
        let Some(framer) = pattern.message else {
            return AttemptResult::Missed;
        };
        let taken = match watch {
            Some(watch) => self.reception.listeners[watch]
                .taken
                .get(&connection)
                .copied()
                .unwrap_or(0),
            None => self
                .stacks
                .connections
                .get(connection)
                .map_or(0, |held| held.received.taken()),
        };
        let connections = &self.stacks.connections;
        let fresh = |start| StreamPosition {
            start,
            scan: Scan::answering(connections.get(connection).is_some_and(|held| held.bare)),
        };
        let mut place = pattern
            .tried
            .get(&connection)
            .copied()
            .filter(|place| place.start >= taken)
            .unwrap_or_else(|| fresh(taken));
        let message = next_message(connections, connection, framer, &mut place);
        pattern.tried.insert(
            connection,
            message.as_ref().map_or(place, |message| fresh(message.end)),
        );
        let Some(HeadMessage { octets, end, about }) = message else {
            return AttemptResult::Missed;
        };
        let Some(mut seen) = connections.seen(connection) else {
            return AttemptResult::Missed;
        };
        seen.about = about;
        if !self.accepts_message(
            pattern,
            arm,
            seen,
            DecodedPacket::of_message(framer, octets),
        ) {
            return AttemptResult::Passed;
        }
        self.mark_stream_taken(connection, end, watch);
        AttemptResult::Hit(ArmMatch { peer })
    }

    fn accepts_message(
        &mut self,
        pattern: &EvaluatedPattern,
        arm: &Arm,
        seen: StreamView,
        view: DecodedPacket,
    ) -> bool {
        let Some(found) = pattern.on_message(&seen, &view) else {
            return false;
        };
        let data = Arc::new(view.octets.clone());
        let seen = StreamView {
            data,
            message: Some((Arc::new(view), found.bytes)),
            ..seen
        };
        self.accept(arm, PacketEntry::Stream { seen })
    }
}

impl Connections {
    /// Where the stream ends now.
    pub fn end_of(&self, id: ConnectionId) -> u64 {
        self.get(id).map_or(0, |held| held.received.end())
    }

    /// `expect`s have taken it up to there.
    pub fn mark_taken_by_expect(&mut self, id: ConnectionId, to: u64) {
        if let Some(held) = self.get_mut(id) {
            held.received.mark_taken(to);
        }
    }
}

/// The message that begins at a place, once it is whole; the place keeps how far it has been looked
/// through.
fn next_message(
    connections: &Connections,
    connection: ConnectionId,
    framer: &Layer,
    place: &mut StreamPosition,
) -> Option<HeadMessage> {
    let held = connections.get(connection)?;
    let received = &held.received;
    let ended = !matches!(
        held.tcp.state(),
        TcpState::Established | TcpState::FinWait1 | TcpState::FinWait2
    );
    let rest = received
        .whole_from(place.start)
        .filter(|rest| !rest.is_empty())?;
    let takes = match framer.message?(&mut place.scan, rest) {
        Framing::Takes(takes) => Some(takes),
        Framing::ToEnd if ended => Some(rest.len()),
        Framing::ToEnd => None,
        Framing::More if rest.len() >= MOST_SHOWN => None,
        Framing::More | Framing::Foreign => return None,
    };
    let shown = takes.unwrap_or(usize::MAX).min(MOST_SHOWN);
    let octets = rest.get(..shown)?.to_vec();
    let about = received.about(place.start + shown as u64).clone();
    Some(HeadMessage {
        octets,
        end: takes.map_or(u64::MAX, |takes| place.start.saturating_add(takes as u64)),
        about,
    })
}
