//! Where things are printed: data on standard output, everything else on standard error. A reader
//! that went away is not an error.

use crate::output_queue::{Backpressure, OutputQueue};
use crafty_net::now;
use crafty_print::unsteered;
use crafty_run::admission::LedgerLeft;
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::os::fd::AsFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// Whether something that should have been printed was lost, other than by a reader that went away.
static LOST: AtomicBool = AtomicBool::new(false);

/// What a run prints, while it runs.
struct RunOutput {
    out: OutputQueue,
    err: OutputQueue,
    /// Whether the run is to end.
    asked: Box<dyn Fn() -> bool + Send>,
}

static RUN: Mutex<Option<RunOutput>> = Mutex::new(None);

/// From now on what is printed is queued; `asked` says whether the run is to end.
///
/// # Errors
/// When the descriptors cannot be copied.
pub fn begin_run(pace: Backpressure, asked: impl Fn() -> bool + Send + 'static) -> io::Result<()> {
    let out = io::stdout().as_fd().try_clone_to_owned()?;
    let err = io::stderr().as_fd().try_clone_to_owned()?;
    let output = RunOutput {
        out: OutputQueue::new(out, pace, io::stdout().is_terminal()),
        err: OutputQueue::new(err, pace, io::stderr().is_terminal()),
        asked: Box::new(asked),
    };
    RUN.lock()
        .unwrap_or_else(PoisonError::into_inner)
        .replace(output);
    Ok(())
}

/// What is left in the ledger, in a sentence.
pub fn ledger_rows(left: &[LedgerLeft]) -> String {
    let rows: Vec<String> = left.iter().map(LedgerLeft::to_string).collect();
    rows.join(", ")
}

/// Gives readers what they take without waiting.
pub fn drain_run() {
    let mut run = RUN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(run) = run.as_mut() {
        run.out.drain(now());
        run.err.drain(now());
    }
}

/// Waits for the readers, and tells what was lost.
pub fn end_run() {
    let ended = RUN.lock().unwrap_or_else(PoisonError::into_inner).take();
    let Some(RunOutput { out, err, asked }) = ended else {
        return;
    };
    for (name, queue) in [("output", out), ("error", err)] {
        match queue.finish(&*asked) {
            Ok(0) => {}
            Ok(lines) => {
                LOST.store(true, Ordering::Relaxed);
                note(&format!(
                    "warning: {lines} lines on standard {name} were lost: they were not read in time"
                ));
            }
            Err(error) => written(Err(error)),
        }
    }
}

/// A queue of a run, and whether the run is to end.
type ChosenOutput<'r> = (&'r mut OutputQueue, &'r dyn Fn() -> bool);

/// Queues a text, if a run is under way.
fn queued(text: &[u8], to: fn(&mut RunOutput) -> ChosenOutput<'_>) -> bool {
    let mut run = RUN.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(run) = run.as_mut() else {
        return false;
    };
    let (queue, asked) = to(run);
    queue.push(text, asked);
    true
}

/// Notes a write; a reader that went away (`| head`) is not an error.
pub fn written(result: io::Result<()>) {
    if result.is_err_and(|e| e.kind() != ErrorKind::BrokenPipe) {
        LOST.store(true, Ordering::Relaxed);
    }
}

/// Whether output was lost: a full disk, a closed descriptor.
pub fn lost() -> bool {
    LOST.load(Ordering::Relaxed)
}

/// Writes to standard output and continues when nobody reads it any more.
pub fn data(text: &str) {
    octets(text.as_bytes());
}

/// The same of text that was put together as bytes.
pub fn octets(text: &[u8]) {
    if queued(text, |run| (&mut run.out, &*run.asked)) {
        return;
    }
    let mut out = io::stdout().lock();
    written(out.write_all(text).and_then(|()| out.flush()));
}

/// One line on standard output.
pub fn line(text: &str) {
    data(&format!("{text}\n"));
}

/// One line on standard error.
pub fn note(text: &str) {
    let line = format!("{text}\n");
    if !queued(line.as_bytes(), |run| (&mut run.err, &*run.asked)) {
        let _ = writeln!(io::stderr().lock(), "{text}");
    }
}

/// A whole line on standard error, its end included.
#[cfg(feature = "endpoint")]
pub fn note_bytes(line: &[u8]) {
    if !queued(line, |run| (&mut run.err, &*run.asked)) {
        let _ = io::stderr().lock().write_all(line);
    }
}

/// An error with its fix; names in it may be anybody's.
pub fn error(what: &str, fix: &str) {
    note(&format!("error: {}", unsteered(what)));
    if !fix.is_empty() {
        note(&format!("  help: {}", unsteered(fix)));
    }
}

/// Whether standard error may be coloured: a terminal, and no `NO_COLOR`.
pub fn coloured() -> bool {
    io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty())
}
