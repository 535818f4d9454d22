//! Who decides at the send call whether a frame may leave: asked immediately before the call, told
//! immediately after it, and nothing else is sent in between. So a process that was stopped, a busy
//! machine or a full queue changes nothing of what was decided.

use crate::clock;
use crafty_value::Time;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

/// What a frame costs besides being one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FrameCost {
    /// Its bytes, as the guard counts them.
    pub bytes: u64,
    /// Connections that it may open.
    pub syns: u64,
}

/// Whether a frame may leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SendVerdict {
    /// At once.
    Now,
    /// Not before then.
    NotBefore(Time),
    /// Not at all.
    Never,
}

/// What became of a frame that was to be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SendAttempt {
    /// It was sent.
    Sent,
    /// It is too early for it; it may be tried again then.
    TooEarly(Time),
}

/// Decides about frames. Times are those of [`since_boot`](crate::since_boot).
pub trait SendGuard: Send {
    /// Whether a frame of this cost may leave now.
    fn ask(&mut self, now: Time, cost: FrameCost) -> SendVerdict;

    /// A frame of this cost has left by now, or was lost on its way out.
    fn sent(&mut self, now: Time, cost: FrameCost);
}

/// One guard for all ports of a run and their threads.
#[derive(Clone)]
pub struct SharedGuard(Arc<Mutex<dyn SendGuard>>);

impl SharedGuard {
    /// Shares a guard; whoever made it may keep the other end.
    pub fn new(guard: Arc<Mutex<impl SendGuard + 'static>>) -> SharedGuard {
        SharedGuard(guard)
    }

    /// Asks, sends and tells, in one step.
    pub(crate) fn send(
        &self,
        cost: FrameCost,
        send: impl FnOnce() -> io::Result<usize>,
    ) -> io::Result<SendAttempt> {
        let mut guard = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match guard.ask(clock::since_boot(), cost) {
            SendVerdict::Now => {}
            SendVerdict::NotBefore(at) => return Ok(SendAttempt::TooEarly(at)),
            SendVerdict::Never => return Err(too_late()),
        }
        let result = send();
        // What failed counts too: whether it left is not always known.
        guard.sent(clock::since_boot(), cost);
        result.map(|_| SendAttempt::Sent)
    }
}

fn too_late() -> io::Error {
    io::Error::new(
        io::ErrorKind::TimedOut,
        "the run was over or ending, or its limits a second left no room, when it was to be sent",
    )
}
