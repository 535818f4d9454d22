//! Frames that leave from a thread of their own, in the order in which they were handed over, while
//! the caller makes the next ones. Only some wait at a time; whoever hands over more waits for
//! room. Never looks into a frame, never drops one: it leaves, when the guard lets it, or its
//! failure is reported.

use crate::send_guard::{FrameCost, SendAttempt, SharedGuard};
use crate::{clock, sys};
use crafty_value::Duration;
use std::collections::VecDeque;
use std::io;
use std::mem::take;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

/// Frames, and bytes, from which on a batch is full.
const FULL: (usize, usize) = (64, 64 << 10);
/// Batches that wait, the one that is being sent among them.
const MOST: usize = 12;
/// Batches that are left when who waits for room is woken: not at each one, since waking costs more
/// than a frame.
const FEW: usize = 4;
/// How long the thread sleeps before it asks the guard again.
const SLICE: Duration = Duration::millis(10);
/// Bytes of the thread's stack.
const STACK: usize = 64 << 10;

/// A frame that was handed over and was not sent.
#[derive(Debug)]
pub struct SendFailure {
    /// As it was handed over.
    pub number: u64,
    /// Why.
    pub error: io::Error,
}

/// The failures of a port's frames that were handed over, for who does not hold the port.
#[derive(Clone, Default)]
pub struct Failures(Option<Arc<SharedLane>>);

impl Failures {
    /// Those that nobody has taken yet. Once a frame is on the wire, the failures of all before it
    /// are here.
    pub fn take(&self) -> Vec<SendFailure> {
        match &self.0 {
            Some(shared) if shared.failed.load(Ordering::Acquire) > 0 => shared.take_failures(),
            _ => Vec::new(),
        }
    }
}

/// The caller's end.
pub(crate) struct SendQueue {
    shared: Arc<SharedLane>,
    filling: Batch,
    thread: Option<JoinHandle<()>>,
}

/// Frames one after the other: number, length and cost of each.
#[derive(Default)]
struct Batch {
    octets: Vec<u8>,
    frames: Vec<(u64, usize, FrameCost)>,
}

struct SharedLane {
    state: Mutex<LaneState>,
    /// There is something to send, or nothing ever again.
    work: Condvar,
    /// There is as much room as was awaited.
    room: Condvar,
    /// Frames that have left the socket.
    left: AtomicU64,
    /// Failures that nobody has taken.
    failed: AtomicU64,
}

#[derive(Default)]
struct LaneState {
    waiting: VecDeque<Batch>,
    sending: bool,
    /// Batches whose room can be used again.
    spare: Vec<Batch>,
    failures: Vec<SendFailure>,
    /// The caller sleeps until there are no more batches than this.
    awaited: Option<usize>,
    closed: bool,
}

impl SendQueue {
    /// Starts the thread, with what the calling one may do now; it is at work when this returns.
    pub(crate) fn start(
        socket: &Arc<OwnedFd>,
        guard: Option<SharedGuard>,
    ) -> io::Result<SendQueue> {
        let shared = Arc::new(SharedLane {
            state: Mutex::default(),
            work: Condvar::new(),
            room: Condvar::new(),
            left: AtomicU64::new(0),
            failed: AtomicU64::new(0),
        });
        // What a thread does at its own start a confined process may not.
        shared.lock().sending = true;
        let (theirs, socket) = (Arc::clone(&shared), Arc::clone(socket));
        let thread = thread::Builder::new()
            .name("crafty-send".into())
            .stack_size(STACK)
            .spawn(move || theirs.serve(&socket, guard.as_ref()))?;
        drop(shared.wait(0));
        Ok(SendQueue {
            shared,
            filling: Batch::default(),
            thread: Some(thread),
        })
    }

    /// Takes a frame; waits while there is no room.
    pub(crate) fn push(&mut self, number: u64, frame: &[u8], cost: FrameCost) {
        self.filling.octets.extend_from_slice(frame);
        self.filling.frames.push((number, frame.len(), cost));
        if self.filling.frames.len() >= FULL.0 || self.filling.octets.len() >= FULL.1 {
            self.hand_over();
        }
    }

    /// Lets all that was taken go on its way.
    pub(crate) fn hand_over(&mut self) {
        if self.filling.frames.is_empty() {
            return;
        }
        let mut state = self.shared.lock();
        if state.batches() >= MOST {
            drop(state);
            state = self.shared.wait(FEW);
        }
        let empty = state.spare.pop().unwrap_or_default();
        state
            .waiting
            .push_back(std::mem::replace(&mut self.filling, empty));
        let idle = !state.sending;
        drop(state);
        if idle {
            self.shared.work.notify_one();
        }
    }

    /// Waits until all that was taken has left, or failed.
    pub(crate) fn finish(&mut self) {
        self.hand_over();
        drop(self.shared.wait(0));
    }

    /// Frames that have left the socket.
    pub(crate) fn left(&self) -> u64 {
        self.shared.left.load(Ordering::Acquire)
    }

    pub(crate) fn failures(&self) -> Failures {
        Failures(Some(Arc::clone(&self.shared)))
    }
}

impl Drop for SendQueue {
    /// What was handed over still leaves.
    fn drop(&mut self) {
        self.hand_over();
        self.shared.lock().closed = true;
        self.shared.work.notify_one();
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

impl SharedLane {
    fn lock(&self) -> MutexGuard<'_, LaneState> {
        // Nothing that holds it can panic halfway.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until there are no more than `most` batches.
    fn wait(&self, most: usize) -> MutexGuard<'_, LaneState> {
        let mut state = self.lock();
        while state.batches() > most {
            state.awaited = Some(most);
            state = self
                .room
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
        state
    }

    fn take_failures(&self) -> Vec<SendFailure> {
        let mut state = self.lock();
        self.failed.store(0, Ordering::Release);
        take(&mut state.failures)
    }

    /// What the thread does.
    fn serve(&self, socket: &OwnedFd, guard: Option<&SharedGuard>) {
        let mut done = Batch::default();
        while let Some(batch) = self.next(done) {
            self.send(socket, guard, &batch);
            done = batch;
        }
    }

    /// Gives one batch back and takes the next; none once the lane is closed and empty.
    fn next(&self, mut done: Batch) -> Option<Batch> {
        done.clear();
        let mut state = self.lock();
        state.spare.push(done);
        state.sending = false;
        loop {
            if state.awaited.is_some_and(|most| state.batches() <= most) {
                state.awaited = None;
                self.room.notify_one();
            }
            if let Some(batch) = state.waiting.pop_front() {
                state.sending = true;
                return Some(batch);
            }
            if state.closed {
                return None;
            }
            state = self
                .work
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn send(&self, socket: &OwnedFd, guard: Option<&SharedGuard>, batch: &Batch) {
        let mut rest = batch.octets.as_slice();
        for (number, len, cost) in &batch.frames {
            let (frame, behind) = rest.split_at(*len);
            rest = behind;
            let mut left = false;
            let result = leave(guard, *cost, || {
                let result = sys::retry(|| sys::send(socket.as_fd(), frame, 0));
                left = left_the_socket(&result);
                result
            });
            self.left.fetch_add(u64::from(left), Ordering::Release);
            if let Err(error) = result {
                let mut state = self.lock();
                state.failures.push(SendFailure {
                    number: *number,
                    error,
                });
                self.failed.fetch_add(1, Ordering::Release);
            }
        }
    }
}

/// Sends once the guard lets it; what is too early waits, and all behind it.
fn leave(
    guard: Option<&SharedGuard>,
    cost: FrameCost,
    mut send: impl FnMut() -> io::Result<usize>,
) -> io::Result<()> {
    let Some(guard) = guard else {
        return send().map(drop);
    };
    while let SendAttempt::TooEarly(at) = guard.send(cost, &mut send)? {
        // Meanwhile the guard can come to say "never".
        clock::sleep_until_since_boot(at.min(clock::since_boot().after(SLICE)));
    }
    Ok(())
}

impl LaneState {
    fn batches(&self) -> usize {
        self.waiting.len() + usize::from(self.sending)
    }
}

impl Batch {
    fn clear(&mut self) {
        self.octets.clear();
        self.frames.clear();
    }
}

/// A full queue behind the socket (`ENOBUFS`) loses the frame after the kernel has numbered it for
/// its time stamp.
pub(crate) fn left_the_socket(result: &io::Result<usize>) -> bool {
    result
        .as_ref()
        .map_or_else(|e| e.raw_os_error() == Some(libc::ENOBUFS), |_| true)
}
