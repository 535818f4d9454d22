//! Being asked to stop, as something to wait for among others.

use crate::{clock, sys};
use crafty_value::Time;
use std::io::{self, PipeReader};
use std::os::fd::{AsFd, BorrowedFd};

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
