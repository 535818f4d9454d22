//! One direction of a stream: segments in any order go in, bytes in order go on to the messages.

use crate::StreamWarning;
use crate::early::{Early, EarlyBytes};
use crate::messages::{AssemblyResult, MessageAssembler, PartialMessage, StreamMessage};
use crafty_wire::Layer;
use crafty_wire::protocols::tcp::{FIN_FLAG, RST_FLAG, TcpSegment};

/// A sequence number so far away belongs to no window (RFC 7323 §2.3).
const ALIEN: i64 = 1 << 30;

/// What a side knows.
#[derive(Clone, Debug)]
pub(crate) struct StreamSide {
    /// Sequence number of the stream's first byte, or of the first that was seen.
    base: u32,
    messages: MessageAssembler,
    early: Early,
    /// Up to where the peer has acknowledged.
    acked: u64,
    /// Where the stream ends, once that was said.
    end: Option<u64>,
    over: bool,
}

/// What became of a segment.
#[derive(Debug, Default)]
pub(crate) struct SegmentResult {
    pub from: i64,
    pub made: AssemblyResult,
    /// The message that continues.
    pub part: Option<PartialMessage>,
    /// It was whole messages in their turn, and nothing else.
    pub plain: bool,
}

impl StreamSide {
    /// A side whose opening was seen; its first byte has this sequence number.
    pub fn opened(layer: &'static Layer, base: u32) -> StreamSide {
        StreamSide::new(base, MessageAssembler::from_beginning(layer))
    }

    /// A side that was under way; the first byte that was seen has this sequence number.
    pub fn joined(layer: &'static Layer, base: u32) -> StreamSide {
        StreamSide::new(base, MessageAssembler::from_middle(layer))
    }

    fn new(base: u32, messages: MessageAssembler) -> StreamSide {
        StreamSide {
            base,
            messages,
            early: Early::default(),
            acked: 0,
            end: None,
            over: false,
        }
    }

    /// Whether the stream began with this sequence number.
    pub fn begins_at(&self, base: u32) -> bool {
        self.base == base
    }

    /// Bytes that are held.
    pub fn held(&self) -> usize {
        self.messages.held() + self.early.octets()
    }

    /// The message under way.
    pub fn part(&self) -> Option<PartialMessage> {
        self.messages.part()
    }

    /// The peer acknowledges: what has not passed until there never will.
    pub fn acknowledged(&mut self, ack: u32) {
        if let Some(place) = self.place(ack).and_then(|place| u64::try_from(place).ok()) {
            self.acked = self.acked.max(place);
        }
    }

    /// Where a sequence number is in the stream.
    fn place(&self, seq: u32) -> Option<i64> {
        let next = self.messages.end();
        let away = i64::from(seq.wrapping_sub(self.base.wrapping_add(next as u32)) as i32);
        (away.abs() < ALIEN).then_some(next as i64 + away)
    }

    /// Takes a segment with data or an end of the stream.
    pub fn take(
        &mut self,
        segment: &TcpSegment<'_>,
        packet: u64,
        mut bare: impl FnMut(Option<&StreamMessage>) -> bool,
    ) -> SegmentResult {
        let mut taken = SegmentResult::default();
        let Some(at) = self.place(segment.first_byte()) else {
            taken.made.warnings.push(StreamWarning::Alien);
            return taken;
        };
        taken.from = at;
        let whole =
            at == self.messages.end() as i64 && self.messages.aligned() && segment.missing == 0;
        self.data(at, segment, packet, &mut bare, &mut taken.made);
        if segment.has(FIN_FLAG) {
            let end = at + segment.data.len() as i64 + segment.missing as i64;
            self.end = self.end.or(u64::try_from(end).ok());
        }
        if (self.end.is_some_and(|end| self.messages.end() >= end) || segment.has(RST_FLAG))
            && !self.over
        {
            self.over = true;
            self.messages.finish(&mut taken.made);
        }
        taken.part = self.messages.part();
        let made = &taken.made;
        let own = made.warnings.is_empty()
            && made
                .messages
                .iter()
                .all(|message| message.packets == [packet]);
        taken.plain =
            whole && own && !made.messages.is_empty() && (self.over || self.messages.aligned());
        taken
    }

    fn data(
        &mut self,
        at: i64,
        segment: &TcpSegment<'_>,
        packet: u64,
        bare: &mut impl FnMut(Option<&StreamMessage>) -> bool,
        made: &mut AssemblyResult,
    ) {
        if self.early.first().is_some_and(|first| self.acked >= first) {
            self.give_up(bare, made);
        }
        // What lies before the place where following began is nothing to compare with.
        let before = usize::try_from(-at).unwrap_or(0).min(segment.data.len());
        let data = &segment.data[before..];
        let Ok(at) = u64::try_from(at + before as i64) else {
            return;
        };
        if before > 0 && data.is_empty() {
            made.warnings.push(StreamWarning::Again);
        }
        if data.is_empty() {
            return;
        }
        while at > self.messages.end() {
            if self.acked >= at {
                self.messages.lose(at, made);
                break;
            }
            let piece = EarlyBytes {
                octets: data.to_vec(),
                packet,
                cut: segment.missing,
            };
            let (differ, room) = self.early.insert(at, &piece);
            if differ > 0 {
                made.warnings
                    .push(StreamWarning::Differs { octets: differ });
            }
            if room {
                let first = self.early.first().unwrap_or(at);
                made.warnings.push(StreamWarning::Early {
                    missing: first.saturating_sub(self.messages.end()),
                });
                return;
            }
            self.give_up(bare, made);
        }
        if self.append(at, data, (packet, segment.missing), bare, made) == 0 {
            made.warnings.push(StreamWarning::Again);
        }
        self.drain(bare, made);
    }

    /// What is before the first early piece is taken for lost.
    fn give_up(
        &mut self,
        bare: &mut impl FnMut(Option<&StreamMessage>) -> bool,
        made: &mut AssemblyResult,
    ) {
        if let Some(first) = self
            .early
            .first()
            .filter(|first| *first > self.messages.end())
        {
            self.messages.lose(first, made);
        }
        self.drain(bare, made);
    }

    fn drain(
        &mut self,
        bare: &mut impl FnMut(Option<&StreamMessage>) -> bool,
        made: &mut AssemblyResult,
    ) {
        while self
            .early
            .first()
            .is_some_and(|first| first <= self.messages.end())
        {
            let Some((at, piece)) = self.early.pop() else {
                return;
            };
            self.append(at, &piece.octets, (piece.packet, piece.cut), bare, made);
        }
    }

    /// Adds what is new of bytes that do not begin after the end, with the packet that brought them
    /// and what of them was not captured; gives how many bytes that was.
    fn append(
        &mut self,
        at: u64,
        octets: &[u8],
        (packet, cut): (u64, u64),
        bare: &mut impl FnMut(Option<&StreamMessage>) -> bool,
        made: &mut AssemblyResult,
    ) -> usize {
        let known = (self.messages.end() - at).min(octets.len() as u64) as usize;
        let differ = if known > 0 {
            self.messages.compare(at, octets)
        } else {
            0
        };
        if differ > 0 {
            made.warnings
                .push(StreamWarning::Differs { octets: differ });
        }
        let fresh = &octets[known..];
        self.messages.take(fresh, packet, &mut *bare, made);
        if cut > 0 && at + octets.len() as u64 >= self.messages.end() {
            self.messages.lose(self.messages.end() + cut, made);
        }
        fresh.len()
    }
}
