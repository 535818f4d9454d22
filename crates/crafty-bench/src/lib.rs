//! The benchmark: a candidate (an agent with a set of tools) gets complaints about a simulated network
//! and finds out what is wrong, through its portals alone. What it says is compared with what was
//! planted; what it sent and how long it took is counted.
//!
//! A candidate speaks MCP over standard input and output ([`serve_stdio`]); each run leaves a folder
//! with its record and the recordings of its episodes, which [`grade`](grade::grade) reads.
#![forbid(unsafe_code)]

mod claim;
mod desk;
mod diagnosis;
mod error;
pub mod grade;
mod network;
mod packet;
mod round;
mod score;
mod server;
mod ticket;
mod toolset;

pub use error::BenchError;
pub use round::RoundPlan;
pub use server::serve_stdio;
pub use toolset::{TOOL_SETS, ToolSet, build, named};
