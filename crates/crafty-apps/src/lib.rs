//! What clients say above a transport, and how they judge the answer: TLS, HTTP/1.1, DNS. Knows no
//! socket, no clock and no packet below the transport: bytes and times are handed in, bytes and the
//! next deadline are asked for. The keys of TLS alone come from the system, through `ring`: no seed
//! gives them again. Whatever the peer sends, it ends, within bounds, and fails with a kind that
//! says who is to blame.
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
