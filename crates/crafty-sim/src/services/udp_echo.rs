//! Echo over UDP (RFC 862): every datagram comes back.

use super::{Answer, Service};

pub static SERVICE: Service = Service {
    name: "echo",
    answer: Answer::Udp(|datagram| Some(datagram.to_vec())),
};
