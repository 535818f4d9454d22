//! Control messages that come with a received message (`struct cmsghdr`), read without trust in
//! their lengths.

use crate::clock::from_timespec;
use crafty_value::Time;

/// Room for the control messages of one receive, aligned as their headers want it.
#[derive(Default)]
pub(crate) struct ControlMessages {
    words: [u64; 32],
    /// Bytes filled by the last receive.
    pub len: usize,
}

/// Length, level and type.
const HEADER: usize = 16;

impl ControlMessages {
    /// Bytes of room.
    pub(crate) const ROOM: usize = 256;

    pub(crate) fn as_mut_ptr(&mut self) -> *mut u8 {
        self.words.as_mut_ptr().cast()
    }

    /// Level, type and value of each message. Stops at the first length that is impossible.
    pub(crate) fn messages(&self) -> impl Iterator<Item = (i32, i32, &[u8])> {
        let (octets, _) = self.words.as_slice().split_at(self.words.len());
        let mut rest = bytes_of(octets).get(..self.len).unwrap_or_default();
        std::iter::from_fn(move || {
            let len = usize::try_from(word(rest, 0)?).ok()?;
            let (level, kind) = (half(rest, 8)?, half(rest, 12)?);
            let value = rest.get(HEADER..len)?;
            rest = rest.get(len.next_multiple_of(8)..).unwrap_or_default();
            Some((level as i32, kind as i32, value))
        })
    }
}

fn bytes_of(words: &[u64]) -> &[u8] {
    // SAFETY: the same memory, seen as bytes, for as long as the words are borrowed.
    unsafe { std::slice::from_raw_parts(words.as_ptr().cast(), size_of_val(words)) }
}

fn word(octets: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_ne_bytes(*octets.get(at..)?.first_chunk()?))
}

fn half(octets: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_ne_bytes(*octets.get(at..)?.first_chunk()?))
}

/// The nth `struct timespec` of a value; none if it is zero, as an unset one is.
pub(crate) fn timespec(value: &[u8], nth: usize) -> Option<Time> {
    let (seconds, nanoseconds) = (
        word(value, nth * 16)? as i64,
        word(value, nth * 16 + 8)? as i64,
    );
    ((seconds, nanoseconds) != (0, 0)).then(|| from_timespec(seconds, nanoseconds))
}

/// The value as 32-bit words.
pub(crate) fn words<const N: usize>(value: &[u8]) -> Option<[u32; N]> {
    let mut all = [0; N];
    for (n, word) in all.iter_mut().enumerate() {
        *word = half(value, n * 4)?;
    }
    Some(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn control(words: &[u64]) -> ControlMessages {
        let mut control = ControlMessages {
            len: words.len() * 8,
            ..ControlMessages::default()
        };
        control.words[..words.len()].copy_from_slice(words);
        control
    }

    #[test]
    fn messages_are_read_in_order() {
        let kind = |level: u64, kind: u64| level | kind << 32;
        let both = control(&[32, kind(1, 35), 5, 7, 20, kind(263, 8), 9]);
        let all: Vec<_> = both.messages().collect();
        assert_eq!(
            (all[0].0, all[0].1, timespec(all[0].2, 0)),
            (1, 35, Some(Time(5_000_000_007)))
        );
        assert_eq!(
            (all[1].0, all[1].1, words::<1>(all[1].2)),
            (263, 8, Some([9]))
        );
        assert_eq!(all.len(), 2);
    }

    #[test]
    fn false_lengths_end_the_reading() {
        for words in [
            &[0u64][..],
            &[0, 0],
            &[8, 0],
            &[15, 0],
            &[17, 0],
            &[u64::MAX, 0, 0],
        ] {
            assert_eq!(control(words).messages().count(), 0, "{words:?}");
        }
        assert_eq!(
            ControlMessages {
                len: 999,
                ..ControlMessages::default()
            }
            .messages()
            .count(),
            0
        );
    }
}
