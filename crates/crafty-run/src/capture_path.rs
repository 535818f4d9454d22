//! Where a capture is written: to a new file, or over an older capture, and never through a link.

use crafty_capture::is_capture;
use crafty_net::{create_private, make_private_and_empty, open_existing};
use std::fmt;
use std::fs::File;
use std::io::{self, ErrorKind, Read, Seek};
use std::path::Path;

/// What may be overwritten.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overwrite {
    /// Captures, and empty files.
    Captures,
    /// Any regular file.
    AnyFile,
}

/// Why a capture cannot be written there.
#[derive(Debug)]
pub enum CapturePathError {
    /// There is a file that is not a capture.
    NotACapture,
    /// The system says no.
    Io(io::Error),
}

impl fmt::Display for CapturePathError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CapturePathError::NotACapture => f.write_str("the file exists and is not a capture"),
            CapturePathError::Io(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for CapturePathError {}

impl From<io::Error> for CapturePathError {
    fn from(error: io::Error) -> CapturePathError {
        CapturePathError::Io(error)
    }
}

/// Opens a file for a capture, empty; since a capture may hold the keys of its sessions, only its
/// owner may read it.
///
/// # Errors
/// If the path leads through a link, or to something that may not be overwritten.
pub fn create_capture_file(path: &Path, overwrite: Overwrite) -> Result<File, CapturePathError> {
    match create_private(path) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
        made => return Ok(made?),
    }
    let mut file = open_existing(path)?;
    let mut head = Vec::new();
    (&mut file).take(4).read_to_end(&mut head)?;
    if overwrite == Overwrite::Captures && !head.is_empty() && !is_capture(&head) {
        return Err(CapturePathError::NotACapture);
    }
    make_private_and_empty(&file)?;
    file.rewind()?;
    Ok(file)
}
