//! Discard over UDP (RFC 863): nothing is answered.

use super::{Answer, Service};

pub static SERVICE: Service = Service {
    name: "discard",
    answer: Answer::Udp(|_| None),
};
