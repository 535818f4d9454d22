//! What a peer has sent in a stream, as far as it is kept: bytes with their places, and the frames
//! that brought them.

use crate::receiving::admitted::FrameMetadata;
use std::collections::VecDeque;

/// Bytes of a stream that are kept for watchers that have not taken them.
pub(crate) const MAX_UNTAKEN: usize = 1 << 20;
/// Frames that are remembered; older bytes are attributed to the oldest of these.
const MAX_ARRIVALS: usize = 2048;

/// The bytes of one direction of a connection.
#[derive(Debug)]
pub(crate) struct ReceiveBuffer {
    /// Bytes of the stream; the first `gone` of them were discarded already, and leave when they
    /// are many.
    buffer: Vec<u8>,
    gone: usize,
    /// Place in the stream of the first byte that is kept.
    base: u64,
    /// Bytes that are kept at most.
    room: usize,
    /// Up to where `expect`s have taken it.
    taken: u64,
    /// Up to which place a frame brought bytes, oldest first; never empty.
    arrivals: VecDeque<(u64, FrameMetadata)>,
}

impl ReceiveBuffer {
    /// Nothing yet; `about` stands in until a frame brings data.
    pub fn new(about: FrameMetadata, room: usize) -> ReceiveBuffer {
        ReceiveBuffer {
            buffer: Vec::new(),
            gone: 0,
            base: 0,
            room,
            taken: 0,
            arrivals: VecDeque::from([(0, about)]),
        }
    }

    /// Takes what `read` puts behind the bytes that are there; the oldest make room. Gives how many
    /// bytes came, and how many went before an `expect` took them.
    pub fn take(
        &mut self,
        about: &FrameMetadata,
        read: impl FnOnce(&mut Vec<u8>) -> usize,
    ) -> (usize, u64) {
        let came = read(&mut self.buffer);
        if came == 0 {
            return (0, 0);
        }
        if self.arrivals.len() == MAX_ARRIVALS {
            self.arrivals.pop_front();
        }
        self.arrivals.push_back((self.end(), about.clone()));
        (came, self.discard_oldest())
    }

    fn discard_oldest(&mut self) -> u64 {
        let over = (self.buffer.len() - self.gone).saturating_sub(self.room);
        let base = self.base + over as u64;
        let untaken = base.saturating_sub(self.base.max(self.taken));
        (self.base, self.gone) = (base, self.gone + over);
        if self.gone >= self.room {
            self.buffer.drain(..self.gone);
            self.gone = 0;
        }
        untaken
    }

    /// Place after the last byte.
    pub fn end(&self) -> u64 {
        self.base + (self.buffer.len() - self.gone) as u64
    }

    /// Up to where `expect`s have taken it.
    pub fn taken(&self) -> u64 {
        self.taken
    }

    /// `expect`s have taken it up to there.
    pub fn mark_taken(&mut self, to: u64) {
        self.taken = self.taken.max(to);
    }

    /// The bytes from a place on, as far as they are kept.
    pub fn from(&self, place: u64) -> &[u8] {
        self.whole_from(place.max(self.base)).unwrap_or_default()
    }

    /// The bytes from a place on; none where the first of them was discarded.
    pub fn whole_from(&self, place: u64) -> Option<&[u8]> {
        let skipped = usize::try_from(place.checked_sub(self.base)?).unwrap_or(usize::MAX);
        Some(
            self.buffer
                .get(self.gone.saturating_add(skipped)..)
                .unwrap_or_default(),
        )
    }

    /// The frame that brought the byte before this place.
    pub fn about(&self, place: u64) -> &FrameMetadata {
        let at = self
            .arrivals
            .partition_point(|(end, _)| *end < place)
            .min(self.arrivals.len() - 1);
        &self.arrivals[at].1
    }

    /// Nobody asks any more.
    pub fn forget(&mut self) {
        (self.base, self.gone) = (self.end(), 0);
        self.buffer = Vec::new();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crafty_value::Time;
    use std::sync::Arc;

    fn about(n: i64) -> FrameMetadata {
        FrameMetadata {
            time: Time(n),
            source: "software",
            last: Time(n),
            len: 0,
            interface: Arc::from(""),
            checksum_ready: true,
        }
    }

    #[test]
    fn the_oldest_bytes_make_room() {
        let mut received = ReceiveBuffer::new(about(0), MAX_UNTAKEN);
        let mut lost = 0;
        for n in 1..=5000_i64 {
            lost += received
                .take(&about(n), |buffer| {
                    buffer.extend([n as u8; 1000]);
                    1000
                })
                .1;
            received.mark_taken(2_000_000);
        }
        assert_eq!(
            (received.end(), lost),
            (5_000_000, 5_000_000 - 2_000_000 - MAX_UNTAKEN as u64)
        );
        assert!(received.buffer.len() < 2 * MAX_UNTAKEN + 1000);
        assert_eq!(received.from(0).len(), MAX_UNTAKEN);
        assert_eq!(received.whole_from(0), None);
        assert_eq!(received.whole_from(4_999_999), Some(&[136_u8][..]));
        assert_eq!(received.whole_from(9_000_000), Some(&[][..]));
    }

    #[test]
    fn each_byte_has_its_frame() {
        let mut received = ReceiveBuffer::new(about(0), MAX_UNTAKEN);
        for n in 1..=3 {
            received.take(&about(n), |buffer| {
                buffer.extend([0; 10]);
                10
            });
        }
        for (place, frame) in [(0, 0), (1, 1), (10, 1), (11, 2), (30, 3), (99, 3)] {
            assert_eq!(received.about(place).time, Time(frame), "{place}");
        }
    }
}
