//! A network in one process, in virtual time. Uses no clock, no random source and no system call:
//! time, frames and seeds are arguments, and the same seed gives the same bytes.
//!
//! Its hosts run smoltcp, and its routers have their own header parsers, so everything is tested
//! against an independent implementation: no code is shared with the codec or the stack of the
//! programs.
#![forbid(unsafe_code)]

mod account;
mod attachment;
mod build;
mod capture;
mod describe;
mod dhcp;
mod dice;
mod error;
mod faults;
mod filter;
mod frame;
mod host;
mod lab;
mod link;
mod node;
mod oracles;
mod packet;
mod picture;
mod plant;
mod queue;
mod queue_device;
mod reassembly;
mod referee;
mod router;
mod scenario;
mod schedule;
mod services;
mod spec;
mod state_table;
mod switch;
mod tcp;
mod token_bucket;
mod traffic;

pub use account::{LinkTraffic, NetworkElement, PlantedFault};
pub use attachment::{Attachment, PortId};
pub use capture::Passed;
pub use error::{LabError, Problem, ScenarioError};
pub use faults::{Fault, Parameter, PlaceKind, Unit, faults};
pub use lab::{Lab, LabOptions};
pub use oracles::{Oracle, oracle_program, oracles};
pub use queue_device::QueueDevice;
pub use scenario::{BuiltinNetwork, Size, Ticket, Truth, generate, networks, span, tickets};
pub use spec::{Spec, is_scenario_file, parse_spec};
