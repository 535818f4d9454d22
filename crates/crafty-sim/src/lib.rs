//! A network in one process, in virtual time. Never asks a clock, a die or the machine it runs on:
//! time, frames and seeds are arguments, and the same seed gives the same bytes.
//!
//! Its hosts speak TCP/IP through smoltcp and its routers read headers by themselves, so whatever
//! is tested against this network meets a stranger: no code is shared with the codec or the stack
//! of the programs.
#![forbid(unsafe_code)]

mod attachment;
mod build;
mod capture;
mod describe;
mod dice;
mod faults;
mod host;
mod lab;
mod link;
mod networks;
mod node;
mod packet;
mod queue;
mod router;
mod services;
mod spec;

pub use attachment::{Attachment, PortId, Stand};
pub use capture::Passed;
pub use faults::{Fault, Parameter, Unit, faults};
pub use lab::{Lab, LabOptions};
pub use networks::{Network, networks};
pub use spec::{Spec, parse_spec};
