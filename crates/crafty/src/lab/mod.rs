//! What `crafty lab` does beside showing a map.

pub mod audit;
pub mod scenario;
