//! Clients above a transport: TLS, HTTP/1.1, DNS. No socket, no clock and no packet below the
//! transport: the caller passes in bytes and times, and takes out bytes and the next deadline. Only
//! the keys of TLS come from the system, through `ring`, so no seed reproduces them. Whatever the
//! peer sends, a session ends within its limits, and a failure has a kind that says which side
//! caused it.
//!
//! ```text
//! transport ─► tls ─► http, dns ─► what STACK tells
//!                └──► data, for the program
//! ```
#![forbid(unsafe_code)]

pub mod dns;
mod failure;
pub mod http;
mod session;
pub mod tls;

pub use failure::{FailureCause, SessionFailure};
pub use session::{Session, SessionLayer, SessionPlan};
