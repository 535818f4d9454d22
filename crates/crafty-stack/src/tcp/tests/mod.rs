//! Two connections and a network between them, in virtual time; nothing sleeps.

mod conformance;
mod duplex;
mod hostile;
mod net;
mod pair;
mod patience;
mod smoltcp;
mod talk;
mod throughput;
mod trace;
mod traces;
mod transfer;
mod watch;

/// How often something is tried: so often, and twenty times that in the long form.
fn rounds(usual: u64) -> u64 {
    if long() { usual * 20 } else { usual }
}

/// Whether this is the long form.
fn long() -> bool {
    std::env::var("TEST_MATRIX").as_deref() == Ok("all")
}
