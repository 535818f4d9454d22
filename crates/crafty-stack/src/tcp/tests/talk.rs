//! What the program at an end does: when it writes, how fast it reads.

use alloc::collections::VecDeque;
use alloc::vec::Vec;
use crafty_value::{Duration, Time};

/// Bytes that a program keeps between reading and writing.
const BUFFER: usize = 1 << 16;

/// When a program writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rhythm {
    /// All at once.
    Bulk,
    /// What it read, in the same order; it reads no more than it can write.
    Echo,
    /// A message of so many bytes, then it waits for the answer of so many.
    Asks(usize, usize),
    /// An answer of so many bytes to each message of so many.
    Answers(usize, usize),
}

/// How fast a program reads: so many bytes, then it pauses. None: all at once.
pub type Pace = Option<(usize, Duration)>;

/// A program with its streams.
#[derive(Clone, Debug)]
pub struct Talk {
    rhythm: Rhythm,
    pace: Pace,
    to_send: Vec<u8>,
    pub sent: usize,
    heard: Vec<u8>,
    next_read: Time,
    /// What the stack gave and the program has not read.
    pub unread: VecDeque<u8>,
}

impl Talk {
    pub fn new(rhythm: Rhythm, pace: Pace, to_send: Vec<u8>) -> Talk {
        Talk {
            rhythm,
            pace,
            to_send,
            sent: 0,
            heard: Vec::new(),
            next_read: Time(0),
            unread: VecDeque::new(),
        }
    }

    /// All that it read.
    pub fn heard(&self) -> &[u8] {
        &self.heard
    }

    /// What it would write now.
    pub fn writes(&self) -> &[u8] {
        let (stream, heard) = match self.rhythm {
            Rhythm::Echo => (&self.heard, self.heard.len()),
            _ => (&self.to_send, self.heard.len()),
        };
        let allowed = match self.rhythm {
            Rhythm::Bulk | Rhythm::Echo => stream.len(),
            Rhythm::Asks(message, answer) => message * (1 + heard / answer),
            Rhythm::Answers(message, answer) => answer * (heard / message),
        };
        &stream[self.sent..allowed.clamp(self.sent, stream.len())]
    }

    /// How many bytes it would read now.
    pub fn reads(&self, now: Time) -> usize {
        let room = match self.rhythm {
            Rhythm::Echo => BUFFER.saturating_sub(self.heard.len() - self.sent),
            _ => usize::MAX,
        };
        match self.pace {
            Some(_) if now < self.next_read => 0,
            Some((bytes, _)) => bytes.min(room),
            None => room,
        }
    }

    /// It reads these bytes.
    pub fn read(&mut self, now: Time, bytes: &[u8]) {
        self.heard.extend_from_slice(bytes);
        if let Some((_, pause)) = self.pace.filter(|_| !bytes.is_empty()) {
            self.next_read = now.after(pause);
        }
    }

    /// It reads of what the stack gave; whether that was anything.
    pub fn read_buffered(&mut self, now: Time) -> bool {
        let n = self.reads(now).min(self.unread.len());
        let bytes: Vec<u8> = self.unread.drain(..n).collect();
        self.read(now, &bytes);
        n > 0
    }

    /// When it reads again what waits.
    pub fn due(&self, now: Time) -> Option<Time> {
        let at = self.next_read.max(now);
        (self.pace.is_some() && self.reads(at) > 0).then_some(at)
    }

    /// Whether it wrote all that it will; an echo has when the peer has ended.
    pub fn wrote_all(&self, peer_ended: bool) -> bool {
        match self.rhythm {
            Rhythm::Echo => peer_ended && self.unread.is_empty() && self.sent == self.heard.len(),
            _ => self.sent == self.to_send.len(),
        }
    }
}
