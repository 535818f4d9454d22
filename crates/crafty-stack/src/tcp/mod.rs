//! A whole TCP connection (RFC 9293), sans-IO: segments and times in, segments, deadlines and
//! events out.
//!
//! ```text
//! segment ─► receive ─► acknowledge ─► rack ─► congestion      what arrives
//! program ─► queue ───► transmit ───► segment                 what leaves
//! clock ───► timers ──► retransmit, probe, acknowledge, close
//! ```
//! The IP header is the caller's, so that any encapsulation works. Nothing here believes a peer
//! further than the RFCs ask: out-of-order memory, answers and segment sizes have bounds
//! ([`config::Config`]).

mod connection;
mod look;
mod open;
mod receive;

mod acknowledge;
mod rack;
mod recovery;
mod retransmit;
mod scoreboard;

mod close;
mod path;
mod search;
mod transmit;

mod assembler;
mod limiter;
mod receiver;
mod sender;
mod stamps;
mod timers;

pub mod config;
pub mod congestion;
pub mod counters;
pub mod options;
pub mod rtt;
pub mod samples;
pub mod segment;
pub mod seq;
pub mod state;

pub use config::{Config, WindowScale};
pub use connection::{Connection, ConnectionEvent, Prefill, ResetBy, SendError, Sent};
pub use counters::{COUNTERS, TcpCounter, TcpCounters};
pub use rtt::Rtt;
pub use samples::Samples;
pub use segment::Segment;
pub use seq::Seq;
pub use state::TcpState;

#[cfg(test)]
mod tests;
