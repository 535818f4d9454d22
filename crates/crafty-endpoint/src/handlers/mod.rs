//! Who may answer an event beside a program: a list of actions, a process, a model.

pub mod fixed;
pub mod process;

use crate::heard::HeardPacket;
use serde_json::Value;
use std::io::{self, PipeReader, PipeWriter, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::Arc;

/// An event that somebody is asked about.
#[derive(Clone, Debug, PartialEq)]
pub struct AskedEvent {
    /// Number of the packet; 0 where there is none.
    pub number: u64,
    /// The packet; none for an event of the interface.
    pub heard: Option<HeardPacket>,
    /// The event.
    pub event: Value,
}

/// PacketEnds the wait of the run's thread, from another one.
#[derive(Clone, Debug)]
pub struct Waker(Arc<PipeWriter>);

/// The other end of [`Waker`].
#[derive(Debug)]
pub struct Wakeups(PipeReader);

/// Both ends.
///
/// # Errors
/// When the system has no pipe.
pub fn waker() -> io::Result<(Waker, Wakeups)> {
    let (reader, writer) = io::pipe()?;
    Ok((Waker(Arc::new(writer)), Wakeups(reader)))
}

impl Waker {
    /// Wakes it. Called at most once for each answer, of which few are on their way at a time, so that
    /// the pipe is never full.
    pub fn wake(&self) {
        // Without a reader the run is over.
        let _ = (&*self.0).write_all(b"!");
    }
}

impl Wakeups {
    /// Forgets what woke it.
    pub fn clear(&mut self) {
        let readable = crafty_net::wait_any(&[self.as_fd()], crafty_run::Time(i64::MIN));
        if readable.unwrap_or(false) {
            let _ = self.0.read(&mut [0; 256]);
        }
    }
}

impl AsFd for Wakeups {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}
