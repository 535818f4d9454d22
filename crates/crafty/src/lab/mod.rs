//! What `crafty lab` does beside showing a map.

pub mod audit;
pub mod inside;
pub mod page;
pub mod real_time;
pub mod replayed;
pub mod scenario;
