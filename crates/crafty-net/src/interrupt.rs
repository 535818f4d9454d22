//! A request to stop, as one of the events to wait for.

use crate::{clock, sys};
use crafty_value::Time;
use std::io::{self, PipeReader};
use std::os::fd::{AsFd, BorrowedFd};
use std::process::Child;

/// The first `SIGINT` and the first `SIGTERM` of the process. A second one has its usual effect:
/// the end.
pub struct Interrupt {
    pipe: PipeReader,
}

impl Interrupt {
    /// Takes both signals over; the last listener of a process hears them.
    pub fn listen() -> io::Result<Interrupt> {
        let (pipe, other_end) = io::pipe()?;
        sys::signals_to_pipe(&[libc::SIGINT, libc::SIGTERM], other_end.into())?;
        Ok(Interrupt { pipe })
    }

    /// Whether one has come.
    pub fn came(&self) -> bool {
        clock::wait_any(&[self.as_fd()], Time(0)).unwrap_or(false)
    }
}

impl AsFd for Interrupt {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.pipe.as_fd()
    }
}

/// Asks a process of ours to end, as Ctrl-C does. One that has ended already is not an error.
///
/// # Errors
/// When the system refuses.
pub fn interrupt(child: &mut Child) -> io::Result<()> {
    // Once it has been waited for, its number may be another's.
    match child.try_wait()? {
        Some(_) => Ok(()),
        None => sys::signal(child.id(), libc::SIGINT),
    }
}

/// Ends this process, as Ctrl-C does, once its parent does. Says whether the parent is still this
/// one: if not, the signal has been missed.
///
/// # Errors
/// When the system refuses.
pub fn end_with_parent(parent: u32) -> io::Result<bool> {
    sys::signal_at_end_of_parent(libc::SIGINT)?;
    Ok(std::os::unix::process::parent_id() == parent)
}
