//! HTTP

use super::{Answer, Service};

pub static SERVICE: Service = Service { name: "http", answer: Answer::Tcp(|talk| talk.done = true) };
