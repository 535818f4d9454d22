//! The far end of a TUN or TAP interface: each packet that the host routes into it is decoded and
//! filtered; what passes becomes an event, handlers answer with actions, and a gate judges every
//! packet that goes back. Whatever fails sends nothing and is a decision in the log. Prints
//! nothing, never ends the process, handles no signals.
#![forbid(unsafe_code)]

mod action;
mod configuration;
mod decision;
mod door;
mod endpoint;
mod event;
mod far_end;
mod filter;
mod handlers;
mod heard;
mod link_answer;
mod medium;
mod model;
mod option;
mod passage;
mod prefix;
mod totals;
mod wire;

pub use action::{ACTION_FIELDS, ACTIONS, ActionField, FieldShape};
pub use configuration::read_configuration;
pub use decision::{DECISIONS, Decision, DecisionRow, Fate};
pub use endpoint::{Endpoint, EndpointEnd, EndpointError};
pub use event::{EVENTS, EventRow};
pub use filter::{FilterError, PacketFilter};
pub use heard::{HeardPacket, PacketReader, protocol_name, protocol_number};
pub use medium::EndpointObserver;
pub use option::{
    EndpointMode, EndpointOption, EndpointOptions, Escalation, OPTIONS, OptionError, Repeats,
};
pub use prefix::{PacketInformation, PrefixError};
pub use totals::EndpointTotals;

#[cfg(test)]
mod tests;
