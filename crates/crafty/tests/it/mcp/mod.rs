//! `crafty mcp` as its clients see it.

pub mod client;
mod hostile;
mod libraries;
mod live;
mod tools;
mod transcripts;
