//! The connections that are followed. The one that was silent for longest goes when there are too
//! many, or they hold too much.

use crate::Followed;
use crate::handshakes::RecordJoiner;
use crate::messages::StreamMessage;
use crate::side::{SegmentResult, StreamSide};
use crafty_wire::protocols::tcp::{FIN_FLAG, RST_FLAG, SYN_FLAG, TcpSegment};
use crafty_wire::protocols::tls;
use crafty_wire::{
    Decoded, Layer, MessageTurn, PacketView, framed_at, framed_by, framed_by_content,
};
use std::collections::{BTreeMap, VecDeque};
use std::net::SocketAddr;

/// Connections that are followed at a time.
pub const MAX_FLOWS: usize = 4096;
/// Bytes that all of them hold.
pub const MAX_BYTES: usize = 64 << 20;
/// Questions of a side that wait for their answers.
const MAX_ASKED: usize = 1024;

/// Follows the streams of a capture, packet by packet.
#[derive(Clone, Debug, Default)]
pub struct Follower {
    flows: BTreeMap<EndpointPair, FollowedConnection>,
    /// By when they spoke last.
    order: BTreeMap<u64, EndpointPair>,
    serial: u64,
    numbered: u64,
    held: usize,
    let_go: u64,
    asked: BTreeMap<u16, &'static Layer>,
}

/// Both ends, the lower first.
type EndpointPair = [SocketAddr; 2];

#[derive(Clone, Debug)]
struct FollowedConnection {
    number: u64,
    layer: &'static Layer,
    sides: [Option<StreamSide>; 2],
    /// Of each side the questions without an answer: whether the answer ends with its head.
    questions: [VecDeque<bool>; 2],
    /// Of each side what its records hold of TLS's handshake.
    handshakes: [RecordJoiner; 2],
    /// Whether a message has been told.
    spoke: bool,
    /// Whether the bytes told the layer, and not the ports.
    by_content: bool,
    serial: u64,
}

impl Follower {
    /// One that has seen nothing.
    pub fn new() -> Follower {
        Follower::default()
    }

    /// Takes streams from or to this port for streams of the layer, whatever the tables say of it.
    /// False if the layer has no messages in streams.
    pub fn ask(&mut self, port: u16, layer: &Layer) -> bool {
        let framer = framed_by(layer);
        self.asked.extend(framer.map(|framer| (port, framer)));
        framer.is_some()
    }

    /// Connections that were discarded to make room.
    pub fn let_go(&self) -> u64 {
        self.let_go
    }

    /// Connections that are followed now.
    pub fn flows(&self) -> usize {
        self.flows.len()
    }

    /// Bytes that are held now.
    pub fn held(&self) -> usize {
        self.held
    }

    /// Messages that are not whole yet.
    pub fn unfinished(&self) -> usize {
        self.flows
            .values()
            .flat_map(|flow| flow.sides.iter().flatten())
            .filter(|side| side.part().is_some())
            .count()
    }

    /// Takes a packet; tells what its data mean in their stream, if it has data of a stream that is
    /// followed, or ends one.
    pub fn packet(&mut self, index: u64, octets: &[u8], decoded: &Decoded) -> Option<Followed> {
        let segment = TcpSegment::innermost(PacketView::new(octets, decoded))?;
        let (own, key) = if segment.source <= segment.destination {
            (0, [segment.source, segment.destination])
        } else {
            (1, [segment.destination, segment.source])
        };
        let (layer, by_content) = self.layer_of(&segment, &key)?;
        if !segment.has(SYN_FLAG) && segment.data.is_empty() && !self.flows.contains_key(&key) {
            return None;
        }
        self.touch(key, own, &segment, layer);
        let flow = self.flows.get_mut(&key)?;
        let before = flow.held();
        flow.speaks(layer, by_content);
        let followed = flow.take(own, &segment, index);
        self.held = self.held + flow.held() - before;
        self.make_room(&key);
        followed.map(|(number, taken, handshakes)| Followed {
            handshakes,
            by_content,
            ..tell(number, taken, &segment, layer, decoded)
        })
    }

    /// The layer of a stream, and whether the bytes alone tell it: they do where they are the
    /// start of another layer than the ports promise, beyond doubt.
    fn layer_of(
        &self,
        segment: &TcpSegment<'_>,
        key: &EndpointPair,
    ) -> Option<(&'static Layer, bool)> {
        let flow = self.flows.get(key);
        if let Some(flow) = flow.filter(|flow| flow.spoke || flow.by_content) {
            return Some((flow.layer, flow.by_content));
        }
        let promised = self.promised(segment);
        let found = framed_by_content(segment.data).filter(|layer| promised != Some(*layer));
        found
            .map(|layer| (layer, true))
            .or_else(|| promised.map(|layer| (layer, false)))
    }

    /// The layer that the ports promise.
    fn promised(&self, segment: &TcpSegment<'_>) -> Option<&'static Layer> {
        let (source, destination) = (segment.source.port(), segment.destination.port());
        let asked = self
            .asked
            .get(&destination)
            .or_else(|| self.asked.get(&source))
            .copied();
        asked.or_else(|| framed_at(source, destination))
    }

    /// The flow speaks: it is there, and the last in order.
    fn touch(
        &mut self,
        key: EndpointPair,
        own: usize,
        segment: &TcpSegment<'_>,
        layer: &'static Layer,
    ) {
        let opens = segment.has(SYN_FLAG) && segment.acknowledged().is_none();
        let anew = |flow: &FollowedConnection| {
            opens
                && flow.sides[own]
                    .as_ref()
                    .is_some_and(|side| !side.begins_at(segment.first_byte()))
        };
        match self.flows.get(&key) {
            Some(flow) if anew(flow) => self.remove(&key),
            Some(flow) if flow.serial == self.serial => return,
            _ => {}
        }
        self.serial += 1;
        let numbered = &mut self.numbered;
        let flow = self.flows.entry(key).or_insert_with(|| {
            *numbered += 1;
            FollowedConnection {
                number: *numbered,
                layer,
                sides: [None, None],
                questions: Default::default(),
                handshakes: Default::default(),
                spoke: false,
                by_content: false,
                serial: 0,
            }
        });
        self.order.remove(&flow.serial);
        flow.serial = self.serial;
        self.order.insert(self.serial, key);
    }

    fn make_room(&mut self, keep: &EndpointPair) {
        while self.flows.len() > MAX_FLOWS || self.held > MAX_BYTES {
            let oldest = self.order.values().find(|key| *key != keep).copied();
            let Some(oldest) = oldest else { return };
            self.remove(&oldest);
            self.let_go += 1;
        }
    }

    fn remove(&mut self, key: &EndpointPair) {
        if let Some(flow) = self.flows.remove(key) {
            self.order.remove(&flow.serial);
            self.held -= flow.held();
        }
    }
}

impl FollowedConnection {
    /// The bytes tell another layer than the ports did: what came before is forgotten.
    fn speaks(&mut self, layer: &'static Layer, by_content: bool) {
        if by_content && !self.by_content {
            self.by_content = true;
            self.layer = layer;
            self.sides = [None, None];
            self.handshakes = Default::default();
        }
    }

    fn held(&self) -> usize {
        self.sides
            .iter()
            .flatten()
            .map(StreamSide::held)
            .chain(self.handshakes.iter().map(RecordJoiner::held))
            .sum()
    }

    fn take(
        &mut self,
        own: usize,
        segment: &TcpSegment<'_>,
        index: u64,
    ) -> Option<(u64, SegmentResult, Vec<StreamMessage>)> {
        if let (Some(ack), Some(other)) = (segment.acknowledged(), &mut self.sides[1 - own]) {
            other.acknowledged(ack);
        }
        if segment.has(SYN_FLAG)
            && !self.sides[own]
                .as_ref()
                .is_some_and(|side| side.begins_at(segment.first_byte()))
        {
            self.sides[own] = Some(StreamSide::opened(self.layer, segment.first_byte()));
            self.handshakes[own] = if *self.layer == tls::LAYER {
                RecordJoiner::new()
            } else {
                RecordJoiner::default()
            };
        }
        if segment.data.is_empty() && !segment.has(FIN_FLAG | RST_FLAG) {
            return None;
        }
        let layer = self.layer;
        let (ours, theirs) = two(&mut self.questions, own);
        let side =
            self.sides[own].get_or_insert_with(|| StreamSide::joined(layer, segment.first_byte()));
        let taken = side.take(segment, index, |message| turn(layer, message, ours, theirs));
        self.spoke |= !taken.made.messages.is_empty();
        let silent = segment.data.is_empty()
            && taken.made.messages.is_empty()
            && taken.made.warnings.is_empty();
        let handshakes = self.handshakes[own].take(&taken.made);
        (!silent).then_some((self.number, taken, handshakes))
    }
}

fn two(
    questions: &mut [VecDeque<bool>; 2],
    own: usize,
) -> (&mut VecDeque<bool>, &mut VecDeque<bool>) {
    let [first, second] = questions;
    if own == 0 {
        (first, second)
    } else {
        (second, first)
    }
}

/// Notes what a message of this side is in the talk; tells whether its next one answers a question
/// whose answers end with their head.
fn turn(
    layer: &Layer,
    message: Option<&StreamMessage>,
    ours: &mut VecDeque<bool>,
    theirs: &mut VecDeque<bool>,
) -> bool {
    let turn = message
        .zip(layer.turn)
        .map_or(MessageTurn::Neither, |(message, turn)| {
            turn(&message.octets)
        });
    match turn {
        MessageTurn::Asks | MessageTurn::AsksBare if ours.len() < MAX_ASKED => {
            ours.push_back(turn == MessageTurn::AsksBare)
        }
        MessageTurn::Answers => {
            theirs.pop_front();
        }
        MessageTurn::Asks | MessageTurn::AsksBare | MessageTurn::Neither => {}
    }
    theirs.front().copied().unwrap_or(false)
}

fn tell(
    stream: u64,
    taken: SegmentResult,
    segment: &TcpSegment<'_>,
    layer: &Layer,
    decoded: &Decoded,
) -> Followed {
    let made = taken.made;
    let above = decoded.layers.get(segment.layer + 1..).unwrap_or_default();
    let counted = above.iter().filter(|found| *found.layer == *layer).count();
    let alone = taken.plain && counted == made.messages.len();
    Followed {
        stream,
        layer: segment.layer,
        from: taken.from,
        messages: made.messages,
        handshakes: Vec::new(),
        by_content: false,
        part: taken.part.or(made.passed),
        warnings: made.warnings,
        alone,
    }
}
