//! Values of the language: numbers, times, addresses, bytes, containers. Knows no packet, no
//! program and no clock.
#![no_std]
#![forbid(unsafe_code)]
extern crate alloc;

mod address;
mod direction;
mod time;
mod value;

pub use address::{Mac, Net, embedded_ipv4};
pub use direction::Direction;
pub use time::{Duration, Time, UNITS};
pub use value::{FlagNames, Map, NamedParts, Value};
