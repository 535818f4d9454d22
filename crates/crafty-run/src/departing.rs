//! Frames that were handed to a medium and whose departure is not known yet.

use crate::medium::ProgramId;
use crate::observer::{SeenDeparture, SentFrame};
use crafty_lang::ir::Span;
use crafty_vm::{FrameId, Transmit};
use std::collections::{BTreeMap, VecDeque};

/// Changes of line that are remembered, for the frames that fail; more frames than these are never
/// on their way.
const MAX_LINES: usize = 4_096;

/// A frame on its way out.
pub struct Outgoing {
    /// Index in the program's environment.
    pub interface: usize,
    /// Its bytes, where somebody wants to see them.
    pub bytes: Option<Vec<u8>>,
    /// Where it comes from.
    pub sent: SentFrame,
}

impl Outgoing {
    /// What is remembered of a frame.
    pub fn of(program: ProgramId, frame: &Transmit, bytes: Option<Vec<u8>>) -> Outgoing {
        Outgoing {
            interface: frame.interface,
            bytes,
            sent: SentFrame {
                program,
                frame: frame.frame,
                span: frame.line,
                held: frame.held,
                departure: SeenDeparture::Seen,
            },
        }
    }
}

/// Frames on their way out.
#[derive(Default)]
pub struct Departing {
    /// Those that somebody wants to see, by number.
    frames: BTreeMap<FrameId, Outgoing>,
    /// From which frame on it was which line.
    lines: VecDeque<(FrameId, Span)>,
}

impl Departing {
    /// One more.
    pub fn push(&mut self, outgoing: Outgoing) {
        let (frame, span) = (outgoing.sent.frame, outgoing.sent.span);
        if self.lines.back().is_none_or(|(_, last)| *last != span) {
            if self.lines.len() >= MAX_LINES {
                self.lines.pop_front();
            }
            self.lines.push_back((frame, span));
        }
        if outgoing.bytes.is_some() {
            self.frames.insert(frame, outgoing);
        }
    }

    /// It is known when this one left.
    pub fn take(&mut self, frame: FrameId) -> Option<Outgoing> {
        self.frames.remove(&frame)
    }

    /// This one was not sent; gives what sent it.
    pub fn fail(&mut self, frame: FrameId) -> Span {
        self.frames.remove(&frame);
        let before = self.lines.partition_point(|(first, _)| *first <= frame);
        let line = before.checked_sub(1).and_then(|at| self.lines.get(at));
        line.map_or(Span::default(), |(_, span)| *span)
    }

    /// Those of which nothing is known, in order.
    pub fn drain(&mut self) -> impl Iterator<Item = Outgoing> + use<> {
        std::mem::take(&mut self.frames).into_values()
    }
}
