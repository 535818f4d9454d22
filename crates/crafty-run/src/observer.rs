//! Who is informed about a run: an observer gets events as values, and frames where it asks for
//! them.

use crate::report::ProgramReport;
use crate::{Divergence, ProgramId};
use crafty_capture::Direction;
use crafty_findings::Finding;
use crafty_lang::ir::Span;
use crafty_value::{Duration, Time};
use crafty_vm::{Event, FrameId};
use std::sync::mpsc::Sender;

/// Something that happened in a run.
#[derive(Clone, Debug, PartialEq)]
pub enum RunEvent {
    /// A program, or the machine that runs it, says something.
    Program {
        /// Which one.
        program: ProgramId,
        /// What it says.
        event: Event,
    },
    /// The system did not send a frame of a program.
    NotSent {
        /// Which one.
        program: ProgramId,
        /// What sent it.
        span: Span,
        /// What the system says.
        error: String,
    },
    /// What arrives could not be read for a moment; the run continues.
    Unreadable {
        /// What the system says.
        error: String,
    },
    /// A program does not do what was recorded.
    Diverged {
        /// Which one.
        program: ProgramId,
        /// The difference.
        divergence: Divergence,
    },
    /// The frames show this, as far as it is known now ([`crate::WithFindings`]).
    FindingSeen(Finding),
    /// What the frames of the whole run showed, the worst first.
    Found(Finding),
    /// The memory of the findings is bounded: so much was discarded.
    FindingsLetGo {
        /// Flows that were forgotten.
        flows: u64,
        /// Findings that were not kept.
        findings: u64,
    },
    /// A program has ended, and so has the run: one for each program, after everything else.
    Ended {
        /// Which one.
        program: ProgramId,
        /// How, and what the run amounts to.
        report: ProgramReport,
    },
}

/// A frame that passed an interface of a program.
#[derive(Clone, Copy, Debug)]
pub struct PassedFrame<'a> {
    /// Number of the interface in [`crate::Run::interfaces`].
    pub interface: usize,
    /// `LINKTYPE_` number of its frames.
    pub link: u16,
    /// When it was on the wire.
    pub time: Time,
    /// From its first byte on, as far as captured.
    pub bytes: &'a [u8],
    /// Bytes on the wire.
    pub wire_len: usize,
    /// What is known of a frame that a program sent; none for one that arrived.
    pub sent: Option<SentFrame>,
}

/// Where a sent frame comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SentFrame {
    /// The program.
    pub program: ProgramId,
    /// Its number among the program's frames.
    pub frame: FrameId,
    /// What sent it.
    pub span: Span,
    /// How long the gate held it back.
    pub held: Duration,
    /// Who knows its time.
    pub departure: SeenDeparture,
}

/// Whether somebody saw a frame leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SeenDeparture {
    /// Its time is that of the wire.
    Seen,
    /// Nobody: its time is that of the end of the run.
    Unseen,
}

impl PassedFrame<'_> {
    /// Which way it went.
    pub fn direction(&self) -> Direction {
        match self.sent {
            Some(_) => Direction::Outbound,
            None => Direction::Inbound,
        }
    }
}

/// Takes what a run says. A `Vec` that collects [`RunEvent`]s, the sending end of a channel, a
/// closure in [`EachEvent`], pairs of observers and `Option`s of them are observers.
pub trait Observer {
    /// The next thing that happened.
    fn event(&mut self, event: &RunEvent);

    /// Whether [`Observer::frame`] is to be called: frames cost time.
    fn wants_frames(&self) -> bool {
        false
    }

    /// A frame passed; those of one interface may come up to 25 ms out of the order of their times.
    fn frame(&mut self, _frame: &PassedFrame<'_>) {}

    /// Keys that decrypt frames which follow, as lines of an `SSLKEYLOGFILE`.
    fn secrets(&mut self, _lines: &str) {}
}

/// An observer that is a closure.
#[derive(Clone, Copy, Debug)]
pub struct EachEvent<F>(pub F);

impl<F: FnMut(&RunEvent)> Observer for EachEvent<F> {
    fn event(&mut self, event: &RunEvent) {
        (self.0)(event);
    }
}

impl<O: Observer + ?Sized> Observer for &mut O {
    fn event(&mut self, event: &RunEvent) {
        (**self).event(event);
    }

    fn wants_frames(&self) -> bool {
        (**self).wants_frames()
    }

    fn frame(&mut self, frame: &PassedFrame<'_>) {
        (**self).frame(frame);
    }

    fn secrets(&mut self, lines: &str) {
        (**self).secrets(lines);
    }
}

impl Observer for Vec<RunEvent> {
    fn event(&mut self, event: &RunEvent) {
        self.push(event.clone());
    }
}

/// Nobody listening any more is not a reason to stop; cancel the run for that.
impl Observer for Sender<RunEvent> {
    fn event(&mut self, event: &RunEvent) {
        let _ = self.send(event.clone());
    }
}

impl<A: Observer, B: Observer> Observer for (A, B) {
    fn event(&mut self, event: &RunEvent) {
        self.0.event(event);
        self.1.event(event);
    }

    fn wants_frames(&self) -> bool {
        self.0.wants_frames() || self.1.wants_frames()
    }

    fn frame(&mut self, frame: &PassedFrame<'_>) {
        self.0.frame(frame);
        self.1.frame(frame);
    }

    fn secrets(&mut self, lines: &str) {
        self.0.secrets(lines);
        self.1.secrets(lines);
    }
}

impl<O: Observer> Observer for Option<O> {
    fn event(&mut self, event: &RunEvent) {
        self.iter_mut().for_each(|observer| observer.event(event));
    }

    fn wants_frames(&self) -> bool {
        self.as_ref().is_some_and(Observer::wants_frames)
    }

    fn frame(&mut self, frame: &PassedFrame<'_>) {
        self.iter_mut().for_each(|observer| observer.frame(frame));
    }

    fn secrets(&mut self, lines: &str) {
        self.iter_mut().for_each(|observer| observer.secrets(lines));
    }
}
