//! What passed a link, for those who watch it.

use crafty_value::Time;

/// A frame at the far end of a link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Passed {
    /// When its last byte arrived.
    pub time: Time,
    /// Whether it went from the first-named end of the link to the second.
    pub forward: bool,
    /// Its bytes, from the destination's link address; no preamble, no FCS.
    pub frame: Vec<u8>,
}
