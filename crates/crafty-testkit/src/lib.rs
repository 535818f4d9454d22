//! The two-run method: a program that the label rules accept is run against two networks that
//! differ only in what the rules promise to keep; the frames that leave, and when, must be the
//! same. Programs are generated; networks are lists of datagrams. It is a test, not a proof.
#![forbid(unsafe_code)]

mod dice;
mod generate;
mod network;
mod twice;
pub mod wide;

pub use dice::TestRng;
pub use generate::program;
pub use network::PEER;
pub use network::{
    OTHER, ScheduledDatagram, TestNetwork, arp_answer, datagram_from, in_ip_with, segment,
    segment_of, too_big, udp,
};
pub use twice::{
    AcceptedProgram, LeakWitness, Trace, TwinRun, accepted, campaign, judged, run_both, run_frames,
    trace, trace_frames,
};
