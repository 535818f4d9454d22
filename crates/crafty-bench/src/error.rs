//! What can go wrong in the benchmark itself; what a candidate does wrong it is reported as an
//! answer.

use crafty_portals::PortalError;
use std::fmt;
use std::io;
use std::path::PathBuf;

/// Why a round cannot begin, go on or be graded.
#[derive(Debug)]
pub enum BenchError {
    /// The network has no tickets, or cannot be built.
    Network(String),
    /// A portal cannot be opened, or an episode not recorded.
    Portal(PortalError),
    /// A file cannot be read or written, or does not hold what it must.
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        what: String,
    },
    /// A tool set cannot be built: the package or command that failed, and what it said.
    Package {
        /// The package or command.
        name: String,
        /// What the command said.
        said: String,
    },
    /// The server's transport failed.
    Transport(io::Error),
}

impl BenchError {
    pub(crate) fn file(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> BenchError {
        let path = path.into();
        move |error| BenchError::File {
            path,
            what: error.to_string(),
        }
    }
}

impl From<PortalError> for BenchError {
    fn from(error: PortalError) -> BenchError {
        BenchError::Portal(error)
    }
}

impl fmt::Display for BenchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BenchError::Network(what) => f.write_str(what),
            BenchError::Portal(error) => error.fmt(f),
            BenchError::File { path, what } => write!(f, "`{}`: {what}", path.display()),
            BenchError::Package { name, said } => {
                write!(f, "building the tool set, `{name}`: {said}")
            }
            BenchError::Transport(error) => write!(f, "the client's connection: {error}"),
        }
    }
}

impl std::error::Error for BenchError {}
