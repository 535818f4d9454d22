//! The driven blocks: what they own, their connections and sessions.

pub(crate) mod blocks;
pub(crate) mod claims;
pub(crate) mod error;
pub(crate) mod open;
pub(crate) mod open_block;
pub(crate) mod options;
pub(crate) mod peer;
pub(crate) mod ports;
pub(crate) mod receive_buffer;
pub(crate) mod session;
pub(crate) mod stall;
pub(crate) mod tcp;
pub(crate) mod tcp_settings;
pub(crate) mod tunnels;
