//! The operating system as Crafty sees it: it moves octets with their time stamps and keeps the kernel out of the
//! way. It knows no protocol of the language and never decides what may be sent. Linux only.
//!
//! The one crate with system calls, with a clock and with `unsafe`.

mod bpf;
mod capture;
mod clock;
mod control;
mod error;
mod interface;
mod netlink;
mod port;
mod queue;
mod ring;
mod route;
mod stamp;
mod sys;
mod txstamp;

pub use bpf::BpfInsn;
pub use clock::{monotonic, now, sleep_until};
pub use error::NetError;
pub use interface::{Interface, LinkType, interface, interfaces};
pub use port::{Captured, Direction, Options, Port, Received, TxStamp, VlanTag};
pub use route::{Route, neighbour, route_to};
pub use stamp::{Source, Stamp, StampMatcher};
