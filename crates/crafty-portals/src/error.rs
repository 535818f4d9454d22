//! What can go wrong around portals.

use crafty_net::NetError;
use std::fmt;
use std::io;
use std::path::PathBuf;

/// Why an episode cannot begin, go on or be replayed.
#[derive(Debug)]
pub enum PortalError {
    /// The network cannot be built, or has no such portal.
    Lab(String),
    /// The system refused something: what was done, and its answer.
    System {
        /// What was being done.
        doing: &'static str,
        /// The system's answer.
        error: io::Error,
    },
    /// An interface could not be made or set up.
    Interface(NetError),
    /// A file cannot be read or written.
    File {
        /// The file.
        path: PathBuf,
        /// The system's answer.
        error: io::Error,
    },
    /// A file does not say what it must.
    Content {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        what: String,
    },
}

impl PortalError {
    pub(crate) fn doing(doing: &'static str) -> impl FnOnce(io::Error) -> PortalError {
        move |error| PortalError::System { doing, error }
    }

    pub(crate) fn file(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> PortalError {
        let path = path.into();
        move |error| PortalError::File { path, error }
    }

    pub(crate) fn content(path: impl Into<PathBuf>, what: impl Into<String>) -> PortalError {
        PortalError::Content {
            path: path.into(),
            what: what.into(),
        }
    }
}

impl fmt::Display for PortalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PortalError::Lab(what) => f.write_str(what),
            PortalError::System { doing, error } => write!(f, "{doing} failed: {error}"),
            PortalError::Interface(error) => error.fmt(f),
            PortalError::File { path, error } => write!(f, "`{}`: {error}", path.display()),
            PortalError::Content { path, what } => write!(f, "`{}`: {what}", path.display()),
        }
    }
}

impl std::error::Error for PortalError {}
