//! The process handler: a long-lived program of the user's reads an event a line and writes an answer a
//! line, in the same order. One that is slow, dead or talks nonsense is silence.

use super::{AskedEvent, Waker};
use crafty_run::Time;
use crafty_value::Duration;
use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, Sender, SyncSender, TryRecvError, channel, sync_channel};

/// Events that may be without an answer at a time; a process that owes more is not asked.
const MAX_OWED: usize = 64;
/// Hundredths of a second that it has to end by itself.
const GRACE: usize = 30;
/// Bytes that a line of an answer may have.
const MAX_LINE: u64 = 64 << 10;

/// The process, and what it owes.
#[derive(Debug)]
pub struct ProcessDesk {
    child: Child,
    events: SyncSender<String>,
    answers: Receiver<String>,
    /// Events in the order in which they were asked, with the time by which the answer must be there.
    /// Where that is over, the place stays: the answer that comes late is not another's.
    owed: VecDeque<(Option<AskedEvent>, Time)>,
    timeout: Duration,
    is_gone: bool,
}

/// What became of an event that the process was asked about.
#[derive(Debug)]
pub struct ProcessAnswer {
    /// The event.
    pub asked: AskedEvent,
    /// The line that answers it, or why there is none.
    pub line: Result<String, &'static str>,
}

impl ProcessDesk {
    /// Starts it. What it says on its standard error goes where ours goes.
    ///
    /// # Errors
    /// When it cannot be started.
    pub fn start(words: &[String], timeout: Duration, waker: Waker) -> io::Result<ProcessDesk> {
        let (program, arguments) = words.split_first().ok_or(io::ErrorKind::InvalidInput)?;
        let mut child = Command::new(program)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
        let (events, to_write) = sync_channel(MAX_OWED + 2);
        let (to_read, answers) = channel();
        if let (Some(stdin), Some(stdout)) = (stdin, stdout) {
            std::thread::spawn(move || write_all(stdin, &to_write));
            std::thread::spawn(move || read_all(stdout, &to_read, &waker));
        }
        Ok(ProcessDesk {
            child,
            events,
            answers,
            owed: VecDeque::new(),
            timeout,
            is_gone: false,
        })
    }

    /// Asks it about an event.
    ///
    /// # Errors
    /// When it is gone or owes too much: why.
    pub fn ask(&mut self, asked: &AskedEvent, now: Time) -> Result<(), &'static str> {
        if self.is_gone {
            return Err("the process is gone");
        }
        if self.owed.len() >= MAX_OWED {
            return Err("the process owes 64 answers");
        }
        match self.events.try_send(asked.event.to_string()) {
            Ok(()) => {
                let due = now.after(self.timeout);
                self.owed.push_back((Some(asked.clone()), due));
                Ok(())
            }
            Err(_) => Err("the process does not read"),
        }
    }

    /// Tells it something that it need not answer, if it reads.
    pub fn tell(&mut self, event: &str) {
        let _ = self.events.try_send(event.into());
    }

    /// The next answer, or the next event that has none in time.
    pub fn poll(&mut self, now: Time) -> Option<ProcessAnswer> {
        loop {
            match self.answers.try_recv() {
                Ok(line) => {
                    // A late answer, or one to nothing, is nobody's.
                    if let Some((Some(asked), _)) = self.owed.pop_front() {
                        return Some(ProcessAnswer {
                            asked,
                            line: Ok(line),
                        });
                    }
                }
                Err(TryRecvError::Empty) => break,
                Err(TryRecvError::Disconnected) => {
                    self.is_gone = true;
                    break;
                }
            }
        }
        let is_gone = self.is_gone;
        let mut late = self.owed.iter_mut();
        let late = late.find(|(asked, due)| asked.is_some() && (is_gone || *due <= now))?;
        Some(ProcessAnswer {
            asked: late.0.take()?,
            line: Err(match is_gone {
                true => "the process is gone",
                false => "the process did not answer in time",
            }),
        })
    }

    /// The events that it still owes an answer to.
    pub fn give_up(&mut self) -> Vec<AskedEvent> {
        let owed = self.owed.iter_mut();
        owed.filter_map(|(asked, _)| asked.take()).collect()
    }

    /// When the next answer is late.
    pub fn due(&self) -> Option<Time> {
        let waiting = self.owed.iter().filter(|(asked, _)| asked.is_some());
        waiting.map(|(_, due)| *due).next()
    }
}

/// The end of the endpoint is the end of the process: its input ends, and if that is not enough, it does.
impl Drop for ProcessDesk {
    fn drop(&mut self) {
        // The thread that writes ends with this, and closes the input.
        self.events = sync_channel(0).0;
        for _ in 0..GRACE {
            if !matches!(self.child.try_wait(), Ok(None)) {
                return;
            }
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn write_all(mut to: ChildStdin, events: &Receiver<String>) {
    while let Ok(event) = events.recv() {
        if writeln!(to, "{event}").and_then(|()| to.flush()).is_err() {
            return;
        }
    }
}

fn read_all(from: ChildStdout, lines: &Sender<String>, waker: &Waker) {
    let mut from = BufReader::new(from);
    while let Some(line) = read_line(&mut from) {
        if lines.send(line).is_err() {
            return;
        }
        waker.wake();
    }
}

/// A line without its end; nothing at the end, and where a line is too long to be an answer.
fn read_line(from: &mut impl BufRead) -> Option<String> {
    let mut line = Vec::new();
    from.take(MAX_LINE).read_until(b'\n', &mut line).ok()?;
    line.strip_suffix(b"\n")
        .map(|line| String::from_utf8_lossy(line).into_owned())
}
