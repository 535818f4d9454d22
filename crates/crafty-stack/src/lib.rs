//! Hosts that speak TCP/IP. No clock, no socket, no randomness of its own: time, bytes and seeds
//! are arguments.
//!
//! Arrivals are `handle_*`, departures `poll_*`. What leaves here has passed no gate yet; the
//! caller owes it one.
#![no_std]
#![forbid(unsafe_code)]
extern crate alloc;
#[cfg(test)]
extern crate std;

mod arp;
pub mod checksum;
pub mod icmp;
pub mod ip;
mod nd;
pub mod neighbours;
pub mod tcp;
pub mod udp;

pub use neighbours::{NeighbourResolution, Neighbours};
