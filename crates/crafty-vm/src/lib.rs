//! Runs a checked program. Names no socket, no file, no clock and no dice: packets, stamps and times are handed in, frames, events
//! and the next deadline are asked for. Nothing leaves but what the gate has judged.
//!
//! Plain `std` because `crafty-lang` needs it; nothing of it that asks the operating system is used.
#![forbid(unsafe_code)]

mod api;
mod machine;

pub use api::{
    Bound, Counts, Environment, Event, FrameId, InterfaceInfo, Link, Outcome, Packet, Place, Report, Route, Stamp, StampSource, Transmit,
};
pub use machine::Machine;
