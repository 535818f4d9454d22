//! `crafty mcp` as its clients see it.

mod client;
mod hostile;
mod tools;
mod transcripts;
