//! Two connections and a network between them, in virtual time; nothing sleeps.

mod hostile;
mod pair;
mod smoltcp;
mod trace;
mod traces;
mod transfer;
