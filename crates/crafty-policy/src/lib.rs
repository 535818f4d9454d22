//! The gate: decides whether a frame may be sent, from its bytes, a policy and the frames sent
//! before.
//!
//! It never builds a packet, opens a socket, reads a clock or asks what the sender meant. It has
//! its own parser, which shares no code with the codec. It refuses what it cannot read.
#![no_std]
#![forbid(unsafe_code)]
extern crate alloc;

mod account;
mod addresses;
mod budget;
mod case;
mod embedded;
mod flows;
mod fragments;
mod frame;
mod gate;
mod hazards;
mod hearing;
mod host;
pub mod leak;
mod ledger;
mod needs;
mod policy;
mod powers;
mod ranges;
mod reach;
mod reason;
mod resolution;
mod rules;
mod send_limits;
mod settings;
mod unheard;
mod window;

pub use addresses::{AddressListEntry, AddressSet};
pub use budget::{Budget, HOLD, Reserved};
pub use gate::{Author, FrameOrigin, Gate, GateReport, LinkKind, Verdict};
pub use hazards::{AMPLIFIERS, Amplifier, FORBIDDEN, Forbidden};
pub use host::HostAddresses;
pub use ledger::{HostQuotas, Quota};
pub use needs::Sample;
pub use policy::{ExfiltrationMode, NameSet, Policy, Ports};
pub use powers::{POWERS, Power, PowerRow, PowerSet};
pub use ranges::{PortSet, Ranges};
pub use reason::{Reason, RefusalKind, RefusalReason, Subject};
pub use rules::{GateRule, RULES};
pub use send_limits::{Clearance, SendLimits, Toll};
pub use settings::{
    Given, SECTIONS, SETTINGS, Setting, SettingKind, SettingScope, SettingsGroup, StatedBy, setting,
};
