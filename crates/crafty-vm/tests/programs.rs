//! Programs against a scripted peer, in virtual time: what leaves, what is printed, how it ends.

#[path = "programs/asking.rs"]
mod asking;
#[path = "programs/bench.rs"]
mod bench;
#[path = "programs/errors.rs"]
mod errors;
#[path = "programs/examples.rs"]
mod examples;
#[path = "programs/limits.rs"]
mod limits;
#[path = "programs/messages.rs"]
mod messages;
#[path = "programs/peers.rs"]
mod peers;
#[path = "programs/records.rs"]
mod records;
#[path = "programs/rules.rs"]
mod rules;
#[path = "programs/streams.rs"]
mod streams;
#[path = "programs/surgery.rs"]
mod surgery;
#[path = "programs/tunnels.rs"]
mod tunnels;
#[path = "programs/wires.rs"]
mod wires;
