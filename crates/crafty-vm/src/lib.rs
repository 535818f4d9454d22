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
mod carried;
mod claims;
mod code;
mod crafted;
mod expecting;
mod frame;
mod freeze;
mod identify;
mod interpose;
mod leave;
mod loops;
mod machine;
mod memory;
mod messages;
mod open;
mod outbox;
mod packets;
mod pattern;
mod pieces;
mod places;
mod receive;
mod received;
mod routing;
mod seen;
mod send;
mod session;
mod stacks;
mod stall;
mod start;
mod step;
mod tcp;
mod template;
mod thread;
mod timers;
mod unwind;
mod view;
mod world;

pub use api::{
    Counts, Environment, Event, FrameId, InterfaceInfo, Link, Outcome, Packet, Place, Report,
    Route, Stamp, StampSource, Transmit,
};
pub use crafty_lang::check::Bound;
pub use machine::Machine;
