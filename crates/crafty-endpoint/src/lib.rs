//! The far end of a TUN or TAP interface: each packet that the host routes into it is decoded and
//! filtered; what passes becomes an event, handlers answer with actions, and a gate judges every
//! packet that goes back. Whatever fails is silence on the interface and a decision in the log. Prints
//! nothing, ends no process, takes no signal.
#![forbid(unsafe_code)]

mod configuration;
mod decision;
mod endpoint;
mod event;
mod far_end;
mod filter;
mod heard;
mod medium;
mod option;
mod prefix;
mod totals;
mod wire;

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
