//! The simulated network in real time. A *portal* is a network namespace with one interface, whose
//! other end is the lab: ping, mtr, curl, Scapy or `crafty run` inside it meet the simulated network
//! as if it were real. All that comes in is recorded, so an [episode](Episode) can be
//! [replayed](replay::replay) exactly in virtual time.
//!
//! The lab knows nothing of this crate: it gets frames and times, as always.
#![forbid(unsafe_code)]

mod episode;
mod error;
mod lateness;
mod plan;
mod portal;
mod recording;
pub mod registry;
pub mod replay;

pub use episode::{Episode, EpisodeReport};
pub use error::PortalError;
pub use lateness::{LatenessHistogram, LatenessLimit};
pub use plan::EpisodePlan;
pub use portal::Portal;
pub use recording::EpisodeRecording;
