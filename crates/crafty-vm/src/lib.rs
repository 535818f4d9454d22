//! Runs a checked program. Uses no socket, no file, no clock and no source of randomness: packets,
//! stamps and times are handed in; frames, events and the next deadline are polled. Every frame
//! that is sent has passed the gate.
//!
//! ```text
//! packets ─► receiving ─► stacks ───► handlers ─► expect    incoming
//! steps ───► building ──► sending ──► gate ─────► outbox    outgoing
//! times ───► machine: waits, deadline, stamps, timers of the stacks
//! ```
//! Plain `std` because `crafty-lang` needs it; no part of it that calls the operating system is
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
    Counts, Environment, Event, FrameId, InterfaceInfo, LinkLayer, Outcome, Packet, PlaceCount,
    Reactions, Route, RunReport, Stamp, StampSource, Transmit,
};
pub use crafty_lang::check::Bindings;
pub use execution::meter::{Interruption, Watch};
pub use machine::Machine;
