//! Discard over TCP (RFC 863): every byte is taken, none comes back.

use super::{Answer, Service};

pub static SERVICE: Service = Service {
    name: "discard",
    answer: Answer::Tcp(|talk| talk.heard.clear()),
};
