//! What a run prints, on its way to a reader that may be slow: a queue with a bound, so that neither
//! the reader's pace stops the run nor its silence fills the memory.

use crafty_net::{now, wait_writable};
use crafty_value::{Duration, Time};
use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, ErrorKind, Write};
use std::os::fd::{AsFd, OwnedFd};

/// Bytes that wait for the reader.
const MOST_QUEUED: usize = 8 << 20;
/// Bytes that a pipe which takes any takes without waiting (`PIPE_BUF`), and those of a terminal.
const CHUNK: usize = 4096;
const TERMINAL_CHUNK: usize = 256;
/// How long one wait for the reader is.
const SLICE: Duration = Duration::millis(20);
/// Slices in a row in which the reader took nothing, after which the end of a run waits no longer.
const PATIENCE: u32 = 250;

/// Who waits for whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backpressure {
    /// The run continues, and what does not fit is lost, and counted.
    OfTheRun,
    /// The run waits: its time is virtual.
    OfTheReader,
}

/// Lines on their way to one descriptor.
pub struct OutputQueue {
    to: File,
    chunk: usize,
    pace: Backpressure,
    pending: VecDeque<u8>,
    lost: u64,
    /// The first failure other than a reader that went away; after any, nothing is kept.
    failed: Option<io::Error>,
    is_over: bool,
}

impl OutputQueue {
    /// To this descriptor.
    pub fn new(to: OwnedFd, pace: Backpressure, is_terminal: bool) -> OutputQueue {
        OutputQueue {
            to: to.into(),
            chunk: if is_terminal { TERMINAL_CHUNK } else { CHUNK },
            pace,
            pending: VecDeque::new(),
            lost: 0,
            failed: None,
            is_over: false,
        }
    }

    /// Takes a text whole, or loses it whole; `asked` says whether the run is to end, and then
    /// nothing is waited for.
    pub fn push(&mut self, text: &[u8], asked: &dyn Fn() -> bool) {
        self.drain(now());
        while self.pace == Backpressure::OfTheReader && !self.has_room(text.len()) && !asked() {
            self.drain(now().after(SLICE));
        }
        match self.has_room(text.len()) {
            _ if self.is_over => {}
            true => self.pending.extend(text),
            false => self.lost += 1,
        }
        self.drain(now());
    }

    /// A text that is longer than the queue fits where nothing else waits.
    fn has_room(&self, more: usize) -> bool {
        self.is_over
            || self.pending.is_empty()
            || self.pending.len().saturating_add(more) <= MOST_QUEUED
    }

    /// Writes what the reader takes, and waits for it until `due` where it takes nothing. Whether it
    /// took any.
    pub fn drain(&mut self, due: Time) -> bool {
        let mut took = false;
        while !self.pending.is_empty() {
            let due = if took { now() } else { due };
            match wait_writable(self.to.as_fd(), due) {
                Ok(true) => {}
                Ok(false) => break,
                Err(error) => self.end(error),
            }
            let (head, _) = self.pending.as_slices();
            match (&self.to).write(&head[..head.len().min(self.chunk)]) {
                Ok(0) => self.end(ErrorKind::WriteZero.into()),
                Ok(count) => {
                    self.pending.drain(..count);
                    took = true;
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => self.end(error),
            }
        }
        took
    }

    fn end(&mut self, error: io::Error) {
        self.is_over = true;
        self.pending.clear();
        if error.kind() != ErrorKind::BrokenPipe {
            self.failed.get_or_insert(error);
        }
    }

    /// Waits for the reader as long as it takes something, in virtual time as long as nobody wants
    /// it to end; gives how many lines were lost.
    ///
    /// # Errors
    /// The first failure.
    pub fn finish(mut self, asked: &dyn Fn() -> bool) -> io::Result<u64> {
        let mut idle = 0;
        while !self.pending.is_empty() && !asked() {
            idle = if self.drain(now().after(SLICE)) {
                0
            } else {
                idle + 1
            };
            if self.pace == Backpressure::OfTheRun && idle > PATIENCE {
                break;
            }
        }
        // Whoever asked for the end gets what a reader takes at once.
        let due = now().after(SLICE);
        while self.drain(due) && now() < due {}
        let newlines = self.pending.iter().filter(|byte| **byte == b'\n').count();
        match self.failed {
            Some(error) => Err(error),
            None => Ok(self.lost + newlines as u64),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{PipeReader, Read, pipe};

    fn queue(pace: Backpressure) -> (OutputQueue, PipeReader) {
        let (reader, writer) = pipe().unwrap();
        (OutputQueue::new(writer.into(), pace, false), reader)
    }

    fn line(n: u32) -> String {
        format!("{n:>9999}\n")
    }

    #[test]
    fn a_reader_that_is_away_stops_nothing_and_what_is_lost_is_counted() {
        let (mut queue, mut reader) = queue(Backpressure::OfTheRun);
        for n in 0..1000 {
            queue.push(line(n).as_bytes(), &|| false);
        }
        assert!(queue.pending.len() <= MOST_QUEUED && queue.lost > 0);
        let lost = queue.lost;
        let read = std::thread::spawn(move || {
            let mut text = String::new();
            reader.read_to_string(&mut text).unwrap();
            text
        });
        assert_eq!(queue.finish(&|| false).unwrap(), lost);
        let text = read.join().unwrap();
        let wanted: String = (0..1000 - lost as u32).map(line).collect();
        assert!(text == wanted, "lines are whole and in order");
    }

    #[test]
    fn in_virtual_time_the_run_waits_for_the_reader() {
        let (mut queue, mut reader) = queue(Backpressure::OfTheReader);
        let read = std::thread::spawn(move || {
            let mut text = String::new();
            reader.read_to_string(&mut text).unwrap();
            text
        });
        for n in 0..3000 {
            queue.push(line(n).as_bytes(), &|| false);
            assert!(queue.pending.len() <= MOST_QUEUED);
        }
        assert_eq!(queue.finish(&|| false).unwrap(), 0);
        assert!(read.join().unwrap() == (0..3000).map(line).collect::<String>());
    }

    #[test]
    fn who_wants_it_to_end_waits_for_no_reader() {
        let (mut queue, _reader) = queue(Backpressure::OfTheReader);
        for n in 0..1000 {
            queue.push(line(n).as_bytes(), &|| true);
        }
        assert!(queue.lost > 0);
        assert!(queue.finish(&|| true).unwrap() > 900);
    }

    #[test]
    fn a_reader_that_went_away_is_no_error() {
        let (mut queue, reader) = queue(Backpressure::OfTheRun);
        drop(reader);
        queue.push(b"x\n", &|| false);
        assert!(queue.is_over);
        assert_eq!(queue.finish(&|| false).unwrap(), 0);
    }
}
