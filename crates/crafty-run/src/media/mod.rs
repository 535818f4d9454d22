//! The media that come with this crate.

mod dry;
mod lab;
mod live;
mod replay;

pub use dry::DryMedium;
pub use lab::LabMedium;
pub use live::{HostNetwork, LiveMedium, LiveOptions, Stamping, documentation_address};
pub use replay::ReplayMedium;
