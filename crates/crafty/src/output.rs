//! Where things are printed: data on standard output, everything else on standard error. A reader
//! that went away is no error.

use crafty_print::unsteered;
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether something that should have been printed was lost, other than by a reader that went away.
static LOST: AtomicBool = AtomicBool::new(false);

/// Notes a write; a reader that went away (`| head`) is no error.
pub fn written(result: io::Result<()>) {
    if result.is_err_and(|e| e.kind() != ErrorKind::BrokenPipe) {
        LOST.store(true, Ordering::Relaxed);
    }
}

/// Whether output was lost: a full disk, a closed descriptor.
pub fn lost() -> bool {
    LOST.load(Ordering::Relaxed)
}

/// Writes to standard output and goes on when nobody reads it any more.
pub fn data(text: &str) {
    octets(text.as_bytes());
}

/// The same of text that was put together as bytes.
pub fn octets(text: &[u8]) {
    let mut out = io::stdout().lock();
    written(out.write_all(text).and_then(|()| out.flush()));
}

/// One line on standard output.
pub fn line(text: &str) {
    data(&format!("{text}\n"));
}

/// One line on standard error.
pub fn note(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// An error with its way out; names in it may be anybody's.
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
