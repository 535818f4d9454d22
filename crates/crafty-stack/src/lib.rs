//! TCP/IP hosts. No clock, no socket, no random source: time, bytes and seeds are arguments.
//!
//! Input goes into `handle_*`, output comes from `poll_*`. Output has not passed the gate yet; the
//! caller must send it through one.
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
