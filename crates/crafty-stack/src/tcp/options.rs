//! The options that a connection reads and writes: MSS, window scale, SACK, time stamps. The rest
//! is passed over.

use super::seq::Seq;

const END: u8 = 0;
const NOP: u8 = 1;
const MSS: u8 = 2;
const WINDOW_SCALE: u8 = 3;
const SACK_PERMITTED: u8 = 4;
const SACK: u8 = 5;
const TIMESTAMPS: u8 = 8;
/// Blocks that fit into 40 bytes.
pub(crate) const MAX_SACK: usize = 4;

/// From the first byte on, to the one after the last.
pub(crate) type SackBlock = (Seq, Seq);

/// Options of a received segment. The first of a kind counts; one whose length is wrong is passed
/// over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReceivedOptions {
    /// Maximum segment size (RFC 9293 §3.7.1).
    pub mss: Option<u16>,
    /// Window shift as sent (RFC 7323 §2).
    pub wscale: Option<u8>,
    /// SACK permitted (RFC 2018 §2).
    pub sack_ok: bool,
    /// Time stamp value and echo (RFC 7323 §3).
    pub timestamps: Option<(u32, u32)>,
    pub(crate) sack: [SackBlock; MAX_SACK],
    pub(crate) sacks: usize,
}

impl ReceivedOptions {
    /// Reads the options part of a header.
    pub fn parse(octets: &[u8]) -> ReceivedOptions {
        let mut options = ReceivedOptions::default();
        // The usual form of a segment with data, aligned as RFC 7323 appendix A has it.
        if let [NOP, NOP, TIMESTAMPS, 10, a, b, c, d, e, f, g, h] = *octets {
            options.timestamps = Some((
                u32::from_be_bytes([a, b, c, d]),
                u32::from_be_bytes([e, f, g, h]),
            ));
            return options;
        }
        let mut rest = octets;
        while let [kind, ..] = *rest {
            let len = match kind {
                END => return options,
                NOP => 1,
                _ => usize::from(*rest.get(1).unwrap_or(&0)),
            };
            let Some((option, behind)) = rest.split_at_checked(len).filter(|(o, _)| !o.is_empty())
            else {
                return options;
            };
            options.take(option);
            rest = behind;
        }
        options
    }

    /// The SACK blocks, in the order of the segment.
    pub(crate) fn blocks(&self) -> &[SackBlock] {
        &self.sack[..self.sacks]
    }

    fn take(&mut self, option: &[u8]) {
        match *option {
            [MSS, 4, a, b] if self.mss.is_none() => self.mss = Some(u16::from_be_bytes([a, b])),
            [WINDOW_SCALE, 3, shift] if self.wscale.is_none() => self.wscale = Some(shift),
            [SACK_PERMITTED, 2] => self.sack_ok = true,
            [TIMESTAMPS, 10, a, b, c, d, e, f, g, h] if self.timestamps.is_none() => {
                self.timestamps = Some((
                    u32::from_be_bytes([a, b, c, d]),
                    u32::from_be_bytes([e, f, g, h]),
                ));
            }
            [SACK, _, ref blocks @ ..] => self.take_blocks(blocks),
            _ => {}
        }
    }

    fn take_blocks(&mut self, blocks: &[u8]) {
        for pair in blocks.as_chunks::<8>().0 {
            let [a, b, c, d, e, f, g, h] = *pair;
            if self.sacks < MAX_SACK {
                self.sack[self.sacks] = (
                    Seq(u32::from_be_bytes([a, b, c, d])),
                    Seq(u32::from_be_bytes([e, f, g, h])),
                );
                self.sacks += 1;
            }
        }
    }
}

/// Bytes of options that a header has room for (RFC 9293 §3.1).
pub const ROOM: usize = 40;

/// Writes options, padded to four bytes each, as far as the header has room.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OptionWriter {
    octets: [u8; ROOM],
    len: usize,
}

impl Default for OptionWriter {
    fn default() -> OptionWriter {
        OptionWriter {
            octets: [0; ROOM],
            len: 0,
        }
    }
}

impl OptionWriter {
    /// These bytes, padded.
    pub fn of(octets: &[u8]) -> OptionWriter {
        let mut writer = OptionWriter::default();
        writer.put(&octets[..octets.len().min(ROOM)]);
        writer.len = writer.len.next_multiple_of(4);
        writer
    }

    pub fn as_slice(&self) -> &[u8] {
        &self.octets[..self.len]
    }

    pub fn len(&self) -> usize {
        self.len
    }

    pub fn mss(&mut self, mss: u16) {
        let [a, b] = mss.to_be_bytes();
        self.put(&[MSS, 4, a, b]);
    }

    pub fn wscale(&mut self, shift: u8) {
        self.put(&[NOP, WINDOW_SCALE, 3, shift]);
    }

    pub fn sack_ok(&mut self) {
        self.put(&[NOP, NOP, SACK_PERMITTED, 2]);
    }

    pub fn timestamps(&mut self, value: u32, echo: u32) {
        let ([a, b, c, d], [e, f, g, h]) = (value.to_be_bytes(), echo.to_be_bytes());
        self.put(&[NOP, NOP, TIMESTAMPS, 10, a, b, c, d, e, f, g, h]);
    }

    /// As many of the blocks as there is room for.
    pub fn sack(&mut self, blocks: &[SackBlock]) {
        let room = ROOM.saturating_sub(self.len + 4) / 8;
        let blocks = &blocks[..blocks.len().min(room)];
        if blocks.is_empty() {
            return;
        }
        self.put(&[NOP, NOP, SACK, 2 + 8 * blocks.len() as u8]);
        for (start, end) in blocks {
            self.put(&start.0.to_be_bytes());
            self.put(&end.0.to_be_bytes());
        }
    }

    fn put(&mut self, octets: &[u8]) {
        if let Some(room) = self.octets.get_mut(self.len..self.len + octets.len()) {
            room.copy_from_slice(octets);
            self.len += octets.len();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let mut writer = OptionWriter::default();
        writer.mss(1460);
        writer.wscale(7);
        writer.sack_ok();
        writer.timestamps(1, 2);
        let options = ReceivedOptions::parse(writer.as_slice());
        let expected = ReceivedOptions {
            mss: Some(1460),
            wscale: Some(7),
            sack_ok: true,
            timestamps: Some((1, 2)),
            ..ReceivedOptions::default()
        };
        assert_eq!(options, expected);
    }

    #[test]
    fn sack_blocks_fit_beside_time_stamps() {
        let blocks = [1, 3, 5, 7].map(|n| (Seq(n), Seq(n + 1)));
        let mut writer = OptionWriter::default();
        writer.timestamps(1, 2);
        writer.sack(&blocks);
        assert_eq!(writer.len(), 40);
        assert_eq!(
            ReceivedOptions::parse(writer.as_slice()).blocks(),
            &blocks[..3]
        );
    }

    #[test]
    fn broken_options_end_or_are_passed_over() {
        let rows: &[(&[u8], ReceivedOptions)] = &[
            (&[2], ReceivedOptions::default()),
            (&[2, 0, 1, 1], ReceivedOptions::default()),
            (&[2, 4, 1], ReceivedOptions::default()),
            (
                &[3, 4, 1, 1, 4, 2],
                ReceivedOptions {
                    sack_ok: true,
                    ..ReceivedOptions::default()
                },
            ),
            (&[0, 4, 2, 0], ReceivedOptions::default()),
            (
                &[1, 2, 4, 0, 9, 2, 4, 0, 1],
                ReceivedOptions {
                    mss: Some(9),
                    ..ReceivedOptions::default()
                },
            ),
        ];
        for (octets, expected) in rows {
            assert_eq!(ReceivedOptions::parse(octets), *expected, "{octets:?}");
        }
    }
}
