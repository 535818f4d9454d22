//! The codec against packets of other tools, and against packets that are cut, broken or lie.

mod differential;
mod examples;
mod golden;
mod notation;
mod reading;
mod services;
mod tshark;
