//! TLS as a client (RFC 8446, RFC 5246), run by `rustls`: here is what goes in and out of it, when,
//! and what its certificates say. A chain is judged and recorded; whether a bad one ends the
//! session is the caller's choice.

#[cfg(not(feature = "tls"))]
mod absent;
#[cfg(feature = "tls")]
mod certificate;
#[cfg(feature = "tls")]
mod client;
#[cfg(feature = "tls")]
mod counters;
#[cfg(feature = "tls")]
mod der;
#[cfg(feature = "tls")]
mod names;
#[cfg(feature = "tls")]
mod verify;

#[cfg(not(feature = "tls"))]
pub use absent::{SessionCache, TlsClient};
#[cfg(feature = "tls")]
pub use client::{SessionCache, TlsClient};
#[cfg(feature = "tls")]
pub use counters::{COUNTERS, TlsCounter};

use crafty_value::Duration;

/// What is offered, and how patiently.
#[derive(Clone, Debug)]
pub struct TlsRequest {
    /// The server's name; an address is sent to nobody, and only the certificate is judged by it.
    pub sni: String,
    /// Protocols offered, best first (RFC 7301).
    pub alpn: Vec<String>,
    /// Oldest and newest version offered: `1.2`, `1.3`.
    pub versions: (String, String),
    /// Whether a chain that is not to be trusted ends the session.
    pub verify: bool,
    /// Whether an earlier session may be taken up, and this one later.
    pub resume: bool,
    /// Where they are kept.
    pub sessions: SessionCache,
    /// How long the handshake may take.
    pub timeout: Duration,
}

#[cfg(all(test, feature = "tls"))]
mod tests;
