//! The codec against packets of other tools, and against packets that are cut, broken or lie.

mod dice;
mod differential;
mod examples;
mod golden;
mod hostile;
mod notation;
mod reading;
mod services;
mod tshark;
