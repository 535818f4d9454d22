//! Runs a checked program. Names no socket, no file, no clock and no dice: packets, stamps and
//! times are handed in; frames, events and the next deadline are asked for. Nothing leaves but what
//! the gate has judged.
//!
//! ```text
//! packets ─► receive ─► stacks ─► handlers ─► expect      what is heard
//! steps ───► send ────► frame ──► gate ─────► outbox      what leaves
//! times ───► timers ──► waits, deadline, stamps, stacks   what falls due
//! ```
//! Plain `std` because `crafty-lang` needs it; nothing of it that asks the operating system is
//! used.
#![forbid(unsafe_code)]

mod api;
mod building;
mod execution;
mod machine;
mod receiving;
mod sending;
mod stacks;

pub use api::{
    Counts, Environment, Event, FrameId, InterfaceInfo, Link, Outcome, Packet, Place, Report,
    Route, Stamp, StampSource, Transmit,
};
pub use crafty_lang::check::Bound;
pub use machine::Machine;
