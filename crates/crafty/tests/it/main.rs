//! The whole tool from outside: the binary with programs, networks and mistakes put before it, and
//! the rules of this repository that no compiler keeps. Nothing here calls into the crates, except
//! for reading capture files.

mod apps;
mod attacks;
#[cfg(feature = "bench")]
mod bench;
mod both_ways;
mod canaries;
mod captures;
mod commands;
mod connections;
mod consoles;
mod documents;
mod endpoint;
mod examples;
mod findings;
mod formats;
mod from_pcap;
mod hostile;
mod house;
mod house_shape;
mod kernel;
mod lab;
mod limits;
mod many;
mod mcp;
mod networks;
mod plain_words;
mod policies;
mod portals;
mod referee;
mod replays;
mod reviews;
mod schemas;
mod segments;
mod statuses;
mod streams;
mod strict;
mod tool;
