//! Echo over TCP (RFC 862): every byte comes back.

use super::{Answer, Service};

pub static SERVICE: Service = Service {
    name: "echo",
    answer: Answer::Tcp(|talk| talk.to_say.append(&mut talk.heard)),
};
