//! Messages of one direction of a stream: bytes in order go in, whole messages come out.

use crate::StreamWarning;
use crafty_wire::{DecodeWarning, Decoded, Framing, Layer, MAX_MESSAGE, Scan, decode};
use std::fmt;

/// Most packet numbers that are reported of a message.
pub const MAX_PACKETS: usize = 64;
/// Bytes behind that are kept to compare with what comes again.
const HISTORY: usize = 1 << 13;

/// A message of a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StreamMessage {
    /// Its first layer.
    pub layer: &'static Layer,
    /// Its bytes: all, or the first [`MAX_MESSAGE`].
    pub octets: Vec<u8>,
    /// How many it has, if that is known.
    pub length: Option<u64>,
    /// The packets that carried it, in order: the first [`MAX_PACKETS`].
    pub packets: Vec<u64>,
}

/// A message that is not whole yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartialMessage {
    /// Its first layer.
    pub layer: &'static Layer,
    /// Bytes that have passed.
    pub have: u64,
    /// How many it has, if that is known.
    pub length: Option<u64>,
    /// The packet that it begins in.
    pub since: u64,
}

impl fmt::Display for PartialMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "part of a message of {} that begins in packet {}: {}",
            self.layer.name, self.since, self.have
        )?;
        match self.length {
            Some(length) => write!(f, " of {length} bytes"),
            None => write!(f, " bytes"),
        }
    }
}

/// What is known of the message under way.
#[derive(Clone, Copy, Debug)]
enum AssemblyState {
    /// It may be whole any time.
    Scanning(Scan),
    /// It has so many bytes.
    Long(u64),
    /// It continues to the end of the stream.
    Endless,
    /// Some of its bytes were reported, or lost; it goes on to this place.
    Passing(u64),
    /// Where the next one begins is not known.
    Lost,
}

/// The messages of one direction.
#[derive(Clone, Debug)]
pub(crate) struct MessageAssembler {
    layer: &'static Layer,
    /// Bytes in order, the last ones before `start` included.
    octets: Vec<u8>,
    /// Place in the stream of the first of them.
    from: u64,
    /// Place where the message under way begins.
    start: u64,
    state: AssemblyState,
    /// Packets that carried the message under way.
    packets: Vec<u64>,
}

/// What bytes made.
#[derive(Debug, Default)]
pub(crate) struct AssemblyResult {
    pub messages: Vec<StreamMessage>,
    pub warnings: Vec<StreamWarning>,
    /// A message that was reported before, or never, and ends here.
    pub passed: Option<PartialMessage>,
}

impl MessageAssembler {
    /// Of a stream whose first byte is the first that will come.
    pub fn from_beginning(layer: &'static Layer) -> MessageAssembler {
        MessageAssembler::new(layer, AssemblyState::Scanning(Scan::default()))
    }

    /// Of a stream that was under way before its first byte was seen.
    pub fn from_middle(layer: &'static Layer) -> MessageAssembler {
        MessageAssembler::new(layer, AssemblyState::Lost)
    }

    fn new(layer: &'static Layer, state: AssemblyState) -> MessageAssembler {
        MessageAssembler {
            layer,
            octets: Vec::new(),
            from: 0,
            start: 0,
            state,
            packets: Vec::new(),
        }
    }

    /// Place after the last byte.
    pub fn end(&self) -> u64 {
        self.from + self.octets.len() as u64
    }

    /// Bytes that are held.
    pub fn held(&self) -> usize {
        self.octets.capacity()
    }

    /// Whether a message begins with the next byte.
    pub fn aligned(&self) -> bool {
        self.start == self.end() && matches!(self.state, AssemblyState::Scanning(_))
    }

    /// How many of these bytes differ from those that are known of their place.
    pub fn compare(&self, at: u64, octets: &[u8]) -> u64 {
        let known = self
            .octets
            .get(at.saturating_sub(self.from) as usize..)
            .unwrap_or_default();
        let ours = octets
            .get(self.from.saturating_sub(at) as usize..)
            .unwrap_or_default();
        known.iter().zip(ours).filter(|(a, b)| a != b).count() as u64
    }

    /// Takes the next bytes, which a packet brought. `bare` tells of the message that is about to
    /// begin whether it answers a question whose answers end with their head; it is asked again for
    /// each.
    pub fn take(
        &mut self,
        octets: &[u8],
        packet: u64,
        mut bare: impl FnMut(Option<&StreamMessage>) -> bool,
        made: &mut AssemblyResult,
    ) {
        if octets.is_empty() {
            return;
        }
        let piece = self.end();
        if self.aligned() {
            // The question may have come since the last answer ended.
            self.state = AssemblyState::Scanning(Scan::answering(bare(None)));
        }
        self.octets.extend_from_slice(octets);
        self.carried_by(packet);
        while !self.aligned() && self.step(piece, packet, &mut bare, made) {}
        self.forget();
    }

    /// Does what the state asks for once; tells whether there may be more to do.
    fn step(
        &mut self,
        piece: u64,
        packet: u64,
        bare: &mut impl FnMut(Option<&StreamMessage>) -> bool,
        made: &mut AssemblyResult,
    ) -> bool {
        let end = self.end();
        let have = end - self.start;
        match self.state {
            AssemblyState::Passing(until) if end < until => false,
            AssemblyState::Passing(until) => {
                made.passed = self.part();
                self.begin(until, packet, Scan::answering(bare(None)));
                true
            }
            AssemblyState::Lost => self.find(piece, packet, bare(None), made),
            AssemblyState::Scanning(mut scan) => {
                let framing = self
                    .layer
                    .message
                    .map_or(Framing::Foreign, |frame| frame(&mut scan, self.unread()));
                self.state = AssemblyState::Scanning(scan);
                self.framed(framing, made)
            }
            AssemblyState::Long(length) if have >= length.min(MAX_MESSAGE as u64) => {
                let message = self.message(Some(length));
                let next = self.start + length;
                let again = bare(Some(&message));
                made.messages.push(message);
                match have >= length {
                    true => self.begin(next, packet, Scan::answering(again)),
                    false => self.state = AssemblyState::Passing(next),
                }
                have >= length
            }
            AssemblyState::Endless if have >= MAX_MESSAGE as u64 => {
                let message = self.message(None);
                bare(Some(&message));
                made.messages.push(message);
                self.state = AssemblyState::Passing(u64::MAX);
                false
            }
            AssemblyState::Long(_) | AssemblyState::Endless => false,
        }
    }

    fn framed(&mut self, framing: Framing, made: &mut AssemblyResult) -> bool {
        match framing {
            Framing::Takes(length) => self.state = AssemblyState::Long(length as u64),
            Framing::ToEnd => self.state = AssemblyState::Endless,
            Framing::More if self.unread().len() < MAX_MESSAGE => return false,
            Framing::More | Framing::Foreign => {
                made.messages.extend(self.head());
                made.warnings.push(StreamWarning::Foreign {
                    layer: self.layer.name,
                });
                self.state = AssemblyState::Lost;
                return self.pass(self.end());
            }
        }
        true
    }

    /// Looks whether the piece that came last begins with a message; pieces before it are passed
    /// over.
    fn find(&mut self, piece: u64, packet: u64, bare: bool, made: &mut AssemblyResult) -> bool {
        let from = piece.max(self.start);
        let octets = &self.octets[(from - self.from) as usize..];
        if from == piece && self.believes(octets) {
            self.begin(from, packet, Scan::answering(bare));
            return true;
        }
        made.warnings.push(StreamWarning::Unaligned);
        self.pass(self.end())
    }

    /// Whether bytes in the middle of a stream may be taken for the start of a message: they look
    /// like one, or where the layer takes anything for one, they are whole messages to the last
    /// byte.
    fn believes(&self, octets: &[u8]) -> bool {
        let Some(frame) = self.layer.message else {
            return false;
        };
        let tells = self
            .layer
            .accepts
            .is_some_and(|accepts| !accepts(&[0x55; 64]));
        let accepted = self.layer.accepts.is_none_or(|accepts| accepts(octets));
        let mut rest = octets;
        while let Framing::Takes(length) = frame(&mut Scan::default(), rest) {
            match rest.get(length..) {
                Some([]) => return accepted,
                Some(behind) => rest = behind,
                None => break,
            }
        }
        accepted && tells && frame(&mut Scan::default(), octets) != Framing::Foreign
    }

    fn unread(&self) -> &[u8] {
        self.octets
            .get(self.start.saturating_sub(self.from) as usize..)
            .unwrap_or_default()
    }

    fn begin(&mut self, at: u64, packet: u64, scan: Scan) {
        self.start = at;
        self.packets.clear();
        if at < self.end() {
            self.packets.push(packet);
        }
        self.state = AssemblyState::Scanning(scan);
    }

    /// What came up to there needs no look.
    fn pass(&mut self, to: u64) -> bool {
        self.start = to;
        false
    }

    /// The message under way is carried by this packet too.
    pub fn carried_by(&mut self, packet: u64) {
        if self.packets.len() < MAX_PACKETS && !self.packets.contains(&packet) {
            self.packets.push(packet);
        }
    }

    /// The message under way as far as it is there, if its header is whole and what it carries is
    /// not: a head without all of its body.
    fn head(&mut self) -> Option<StreamMessage> {
        let length = match self.state {
            AssemblyState::Scanning(_) => None,
            AssemblyState::Long(length) => Some(length),
            _ => return None,
        };
        let mut decoded = Decoded::new();
        let unread = self.unread();
        decode(self.layer, unread, unread.len(), &mut decoded);
        let header = decoded.layers.first()?;
        let whole = !decoded
            .warnings(0)
            .any(|warning| matches!(warning, DecodeWarning::Truncated { .. }));
        let accepted = self.layer.accepts.is_none_or(|accepts| accepts(unread));
        let carries =
            header.payload < header.end || length.is_some_and(|it| it > header.payload as u64);
        (whole && accepted && carries).then(|| self.message(length))
    }

    fn message(&mut self, length: Option<u64>) -> StreamMessage {
        let shown = length
            .unwrap_or(u64::MAX)
            .min(MAX_MESSAGE as u64)
            .min(self.unread().len() as u64) as usize;
        let mut packets = self.packets.clone();
        packets.sort_unstable();
        StreamMessage {
            layer: self.layer,
            octets: self.unread()[..shown].to_vec(),
            length,
            packets,
        }
    }

    /// Bytes far behind are forgotten.
    fn forget(&mut self) {
        let looked = if matches!(self.state, AssemblyState::Passing(_)) {
            self.end()
        } else {
            self.start
        };
        let behind = looked.saturating_sub(self.from) as usize;
        if behind >= 2 * HISTORY {
            self.octets.drain(..behind - HISTORY);
            self.from = looked - HISTORY as u64;
            if self.octets.capacity() > 4 * self.octets.len().max(HISTORY) {
                self.octets.shrink_to_fit();
            }
        }
    }

    /// The message under way, if any of it has passed.
    pub fn part(&self) -> Option<PartialMessage> {
        let have = self.end() - self.start;
        let since = *self.packets.first()?;
        let part = |have, length| {
            Some(PartialMessage {
                layer: self.layer,
                have,
                length,
                since,
            })
        };
        match self.state {
            AssemblyState::Scanning(_) | AssemblyState::Endless if have > 0 => part(have, None),
            AssemblyState::Long(length) => part(have, Some(length)),
            AssemblyState::Passing(until) => {
                part(have, Some(until - self.start).filter(|_| until != u64::MAX))
            }
            _ => None,
        }
    }

    /// Bytes up to this place will never be seen.
    pub fn lose(&mut self, to: u64, made: &mut AssemblyResult) {
        made.warnings.push(StreamWarning::Missing {
            octets: to - self.end(),
        });
        let told = matches!(self.state, AssemblyState::Passing(_));
        made.messages.extend(self.head().filter(|_| !told));
        made.warnings
            .extend(self.part().filter(|_| !told).map(StreamWarning::Incomplete));
        let until = match self.state {
            AssemblyState::Long(length) => Some(self.start + length),
            AssemblyState::Passing(until) => Some(until),
            _ => None,
        };
        self.octets.clear();
        self.from = to;
        match until {
            Some(until) if until > to => self.state = AssemblyState::Passing(until),
            Some(until) if until == to => self.begin(to, 0, Scan::default()),
            _ => {
                self.state = AssemblyState::Lost;
                self.packets.clear();
                self.start = to;
            }
        }
    }

    /// Nothing more comes: what continues to the end is whole now, other messages stay without
    /// theirs.
    pub fn finish(&mut self, made: &mut AssemblyResult) {
        match self.state {
            AssemblyState::Endless => made.messages.push(self.message(None)),
            _ => {
                made.messages.extend(self.head());
                made.warnings
                    .extend(self.part().map(StreamWarning::Incomplete));
            }
        }
        self.state = AssemblyState::Lost;
        (self.start, self.from) = (self.end(), self.end());
        self.octets = Vec::new();
        self.packets.clear();
    }
}
