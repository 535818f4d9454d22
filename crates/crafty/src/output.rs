//! Where things are printed: data on standard output, everything else on standard error. A reader
//! that went away is no error.

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

/// A text without what would steer a terminal or turn the order of what is read; line ends and tabs
/// stay.
pub fn unsteered(text: &str) -> String {
    let steers = |c: char| {
        c.is_control() && !matches!(c, '\n' | '\t')
            || matches!(c, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    text.chars()
        .map(|c| {
            if steers(c) {
                c.escape_unicode().to_string()
            } else {
                c.to_string()
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::unsteered;

    #[test]
    fn a_programs_text_does_not_steer_a_terminal() {
        let check = |text: &str, shown: &str| assert_eq!(unsteered(text), shown);
        check("seq=1\tok\n\u{ab}x\u{bb}", "seq=1\tok\n\u{ab}x\u{bb}");
        check("\u{1b}[2Jx\u{7}\r\u{9b}", "\\u{1b}[2Jx\\u{7}\\u{d}\\u{9b}");
        check("\u{202e}cba\u{2066}", "\\u{202e}cba\\u{2066}");
    }
}
