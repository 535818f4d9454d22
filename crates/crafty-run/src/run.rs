//! The loops that join machines to a network: the lab's or this machine's. They carry frames,
//! stamps and times, and hand every event to the sink in order; they decide nothing about what may
//! be sent.

pub mod lab;
pub mod live;
pub mod place;
pub mod replay;
pub mod sink;

use crafty_vm::{Machine, Report};

/// A program that runs, under the name that its output carries.
pub struct Runner {
    /// The machine.
    pub machine: Machine,
    /// File name, or file and place where several run.
    pub name: String,
}

/// How a runner ended.
#[derive(Debug)]
pub struct Ended {
    /// The exit status that the machine gives.
    pub status: u8,
    /// Why, where it is not 0.
    pub why: Option<String>,
    /// What the run amounts to.
    pub report: Report,
}
