//! A frame under way.

/// From the destination's link address to the end of the payload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Frame {
    pub bytes: Vec<u8>,
    /// Whether the frame check sequence fits: a receiver drops a frame whose bits were turned over
    /// on the wire, and nobody above it hears of it. What is damaged inside a device fits.
    pub fcs_ok: bool,
}

impl From<Vec<u8>> for Frame {
    fn from(bytes: Vec<u8>) -> Frame {
        Frame {
            bytes,
            fcs_ok: true,
        }
    }
}
