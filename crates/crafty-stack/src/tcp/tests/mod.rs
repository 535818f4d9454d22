//! Two connections and a network between them, in virtual time; nothing sleeps.

mod conformance;
mod hostile;
mod net;
mod pair;
mod smoltcp;
mod throughput;
mod trace;
mod traces;
mod transfer;
