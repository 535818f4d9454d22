//! Against a real kernel: network namespaces joined by veth pairs, with tools of others as
//! witnesses. Root only; without it each test says that it was skipped. Nothing is sent outside the
//! namespaces, which go away with their test.

mod admission;
mod apps;
mod bursts;
mod carriers;
mod egress;
mod limits;
mod load;
mod messages;
mod oracle;
pub mod paths;
mod restraint;
mod seen;
pub mod space;
mod stopping;
mod talk;
mod tcp;

pub use space::Spaces;
pub use talk::pair;
