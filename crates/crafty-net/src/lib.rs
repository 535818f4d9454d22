//! The interface to the operating system: it moves bytes with their time stamps and keeps the
//! kernel from interfering. It knows no protocol of the language and never decides what may be
//! sent. Linux only.
//!
//! The only crate with system calls, a clock and `unsafe`.

mod bpf;
mod capture;
mod claim;
mod clock;
mod control;
mod doctor;
mod egress;
mod error;
mod firewall;
mod interface;
mod interrupt;
#[cfg(feature = "jail")]
mod jail;
mod lane;
mod link_setup;
mod namespace;
mod netlink;
mod nft;
mod own_namespace;
mod port;
mod private_file;
mod privilege;
mod queue;
mod ring;
mod route;
mod send_guard;
mod sockets;
mod stamp;
mod sys;
mod tun;
mod txstamp;

pub use bpf::BpfInsn;
pub use claim::free_port;
pub use clock::{
    monotonic, now, run_before_others, since_boot, sleep_until, to_since_boot, wait_any,
    wait_any_for, wait_writable, wake_precisely,
};
pub use doctor::{DoctorFinding, DoctorVerdict, doctor};
pub use egress::{EgressMonitor, EgressRules};
pub use error::NetError;
pub use firewall::{Firewall, Owned, Transport};
pub use interface::{Interface, LinkType, interface, interfaces};
pub use interrupt::{Interrupt, end_with_parent, interrupt};
#[cfg(feature = "jail")]
pub use jail::{Confinement, lock_down};
pub use lane::{Failures, SendFailure};
pub use link_setup::{InterfaceSetup, set_up_interface, set_up_loopback};
pub use namespace::in_namespace;
pub use own_namespace::{OwnNamespace, become_root_of_user_namespace, enter_namespace_of};
pub use port::{CaptureDirection, Captured, Port, PortOptions, Received, TxStamp, VlanTag};
pub use private_file::{
    create_private, is_append_only, make_private_and_empty, open_existing, open_to_append,
    open_to_read,
};
pub use privilege::{Capability, is_in_user_namespace, may, may_write, real_user, user};
pub use route::{DestinationRoute, neighbour, route_to};
pub use send_guard::{FrameCost, SendAttempt, SendGuard, SendVerdict, SharedGuard};
pub use stamp::{StampMatcher, WireTime, WireTimeSource};
pub use tun::{Tun, TunKind, TunPrefix};
